"""MuJoCo with the nearest that it has to motors, gears and encoders.

A motor at full command `u = ±1` is an actuator of force `τ_s·u − (τ_s/ω₀)·ω` held to ±τ_lim, which is the torque-speed
curve; its gear is the ratio. Rotor, damping and friction stand at the joint, where they cost MuJoCo nothing more. An
encoder is the actuator's position, without counts: MuJoCo has none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import mujoco

from benchmarks.bench.contestant import Begin
from benchmarks.bench.plain_urdf import plain
from benchmarks.bench.robots import Robot
from benchmarks.peers.mujoco import specified
from benchmarks.peers.mujoco_bounded import BoundedMuJoCo
from gearwright.formats import loads
from gearwright.model import ElectricMotor, Encoder, LinearTransmission, Mechanism, Transmission

mj: Any = mujoco


class DrivenMuJoCo(BoundedMuJoCo):
    """Everything of `BoundedMuJoCo`, and motors; commands are shares of the stall torque."""

    inputs: ClassVar[Any] = mj.mjtState.mjSTATE_CTRL
    trajectory_tolerance: float = 3e-2  # Euler takes the slope of motors of 4 ms a step late: halves with dt

    def made(self, robot: Robot) -> Any:
        mechanism = loads(robot.urdf)
        spec = specified(replace(robot, urdf=plain(robot.urdf, bounded=True)))
        self.stall: dict[str, float] = {}  # [N·m] by motor, in the order of the controls
        for transmission in mechanism.transmissions.values():
            motor = mechanism.actuators[transmission.actuators[0]]
            assert isinstance(motor, ElectricMotor)
            _add_motor(spec, motor, transmission)
            self.stall[motor.name] = motor.stall_torque or 0.0
        _add_encoders(spec, mechanism)
        return spec.compile()

    def begun(self, begin: Begin, robot: int) -> None:
        super().begun(begin, robot)
        for i, (motor, stall) in enumerate(self.stall.items()):
            self.data.ctrl[i] = begin.command[motor][robot] / stall


def _add_motor(spec: Any, motor: ElectricMotor, transmission: Transmission) -> None:
    assert isinstance(transmission.map, LinearTransmission)
    assert motor.stall_torque is not None
    assert motor.no_load_speed is not None
    ratio = float(transmission.map.actuator_per_joint[0, 0])
    joint = spec.joint(transmission.joints[0].joint)
    joint.armature += ratio**2 * motor.rotor_inertia
    joint.damping[0] += ratio**2 * motor.damping
    joint.frictionloss += abs(ratio) * motor.friction
    made = spec.add_actuator(name=motor.name, target=joint.name, trntype=mj.mjtTrn.mjTRN_JOINT)
    made.gear[0] = ratio
    made.gaintype, made.biastype = mj.mjtGain.mjGAIN_FIXED, mj.mjtBias.mjBIAS_AFFINE
    made.gainprm[0] = motor.stall_torque
    made.biasprm[2] = -motor.stall_torque / motor.no_load_speed
    made.forcelimited, made.forcerange[:] = True, (-motor.effort_limit, motor.effort_limit)
    made.ctrllimited, made.ctrlrange[:] = True, (-1.0, 1.0)


def _add_encoders(spec: Any, mechanism: Mechanism) -> None:
    for encoder in mechanism.sensors.values():
        assert isinstance(encoder, Encoder)
        assert encoder.transmission is not None
        motor = mechanism.transmissions[encoder.transmission].actuators[0]
        spec.add_sensor(
            name=encoder.name, type=mj.mjtSensor.mjSENS_ACTUATORPOS, objtype=mj.mjtObj.mjOBJ_ACTUATOR, objname=motor
        )  # fmt: skip
