"""NVIDIA GPUs: one thread per robot, compiled at run time by NVRTC through CuPy."""
