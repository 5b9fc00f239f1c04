"""Parallel actuation: motors and outputs of closed loops, in both spaces."""

from gearwright.model.parallel.jacobian import ActuationJacobian, actuation_jacobian, loop_actuation

__all__ = ["ActuationJacobian", "actuation_jacobian", "loop_actuation"]
