"""MuJoCo's MJCF to the model. `robot.py` has the passes in order; `grammar.py` what is read, ignored and refused."""
