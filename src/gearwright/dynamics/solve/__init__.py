"""The velocities of a step with every force law on its segment: stops, friction, drives and equalities, to
convergence."""
