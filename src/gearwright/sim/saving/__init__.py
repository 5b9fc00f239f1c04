"""Compiled simulations in files: `writing` has `Simulation.save`, `opening` has `gearwright.open`."""
