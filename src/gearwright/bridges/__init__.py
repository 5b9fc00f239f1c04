"""Gearwright's actuation inside other engines. Import the bridge of the engine: `import gearwright.bridges.mujoco`."""
