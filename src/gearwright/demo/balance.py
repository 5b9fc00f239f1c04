"""Energy balance of a motor's work: stored, lost to friction and damping, and the residual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gearwright.display.solids import Array
from gearwright.sim import Recording


@dataclass(frozen=True, kw_only=True)
class EnergyAccount:
    """Energies since the start, over time; work = stored + joints + motors + rest, by the meaning of rest."""

    work: Array  # that the motors did on their shafts [J]
    stored: Array  # kinetic and potential [J]
    joints: Array  # turned to heat by dampers and friction of joints [J]
    motors: Array  # and of motors and their transmissions [J]

    @property
    def rest(self) -> Array:
        """Residual: absorbed by the stops, and numerical dissipation of the implicit step [J]."""
        left: Array = self.work - self.stored - self.joints - self.motors
        return left


def balance(recording: Recording, start: float, cut: Mapping[str, Array] | None = None) -> EnergyAccount:
    """Energy balance of a recording of every step.

    `start` is the energy before it [J], `cut` has the speeds of joints that close loops, which are not recorded.
    """
    robot, dt = recording.robot, recording.dt
    work, motors, joints = (np.zeros(len(recording)) for _ in range(3))
    losses = {name: t.losses for t in robot.transmissions.values() for name in t.actuators}
    for name, actuator in robot.actuators.items():
        shaft, more = recording.actuator[name], losses.get(name)
        work += shaft.torque * shaft.velocity
        friction = actuator.friction + (more.friction if more else 0.0)
        damping = actuator.damping + (more.damping if more else 0.0)
        motors += friction * np.abs(shaft.velocity) + damping * shaft.velocity**2
    for name, joint in robot.joints.items():
        if len(joint.axes) != 1:
            continue
        v = (cut or {}).get(name)
        v = recording.velocity[name] if v is None else v
        dynamics = joint.axes[0].dynamics
        joints += dynamics.friction * np.abs(v) + dynamics.damping * v**2
    for power in (work, motors, joints):
        power[0] = 0.0  # no step has ended at the start
    return EnergyAccount(
        work=np.cumsum(work) * dt,
        stored=recording.energy - start,
        joints=np.cumsum(joints) * dt,
        motors=np.cumsum(motors) * dt,
    )
