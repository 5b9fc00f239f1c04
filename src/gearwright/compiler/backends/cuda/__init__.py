"""NVIDIA GPUs: one thread a robot, compiled at run time by NVRTC through CuPy."""
