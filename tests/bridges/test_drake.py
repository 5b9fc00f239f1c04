"""Our actuators as a system in a Drake diagram."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

import gearwright as gw
from gearwright.bridges.errors import BridgeError
from gearwright.robots import path
from tests.bridges.test_mujoco import GEARED

if sys.platform != "linux":
    pytest.skip("drake has wheels for Linux", allow_module_level=True)
pytest.importorskip("pydrake")

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from gearwright.bridges.drake import ActuationSystem


def simulated(text, kind, robot, command, dt, duration):
    """The plant's velocities over time, its joints by name, and the actuation."""
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(dt))
    Parser(plant).AddModelsFromString(text, kind)
    if kind == "urdf":
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("forearm"))
    plant.Finalize()
    system = builder.AddSystem(ActuationSystem(plant, robot))
    builder.Connect(plant.get_state_output_port(), system.GetInputPort("state"))
    builder.Connect(system.GetOutputPort("generalized_force"), plant.get_applied_generalized_force_input_port())
    builder.ExportInput(system.GetInputPort("command"), "command")
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = simulator.get_mutable_context()
    found = []
    for k in range(round(duration / dt)):
        diagram.GetInputPort("command").FixValue(context, command(k * dt))
        simulator.AdvanceTo((k + 1) * dt)
        found.append(plant.GetVelocities(plant.GetMyContextFromRoot(context)))
    return np.array(found), plant, system


def bare(text):
    """Drake refuses elements that it does not know in its own strict way: actuation elements go."""
    return re.sub(r"<(actuator|transmission|encoder)\b.*?</\1>", "", text, flags=re.S)


@pytest.mark.parametrize("dt", [1e-3, 5e-3])
def test_a_motor_behind_300_to_1_keeps_to_its_no_load_speed(dt):
    robot = gw.loads(GEARED)
    v, _, _ = simulated(bare(GEARED), "sdf", robot, lambda t: [0.2 * np.sign(np.sin(6 * np.pi * t))], dt, 0.5)
    assert np.abs(v).max() == pytest.approx(2.0, rel=0.02)


def test_a_differential_wrist_moves_as_in_our_own_step():
    text = re.sub(r"<dynamics[^>]*/>", '<dynamics damping="0.05"/>', path("wrist").read_text())
    robot, dt = gw.loads(text), 1e-3

    def command(t):
        return [0.02 * np.sin(30 * t), -0.02]

    v, plant, _ = simulated(bare(text), "urdf", robot, command, dt, 0.1)
    sim = gw.compile(robot, dt=dt, integrator="euler")
    for k, row in enumerate(v):
        sim.step(command=dict(zip(robot.actuators, command(k * dt), strict=True)))
        for name in ("pitch", "roll"):
            there = row[plant.GetJointByName(name).velocity_start()]
            assert there == pytest.approx(sim.velocity[name], rel=1e-6, abs=1e-7)


def test_what_does_not_go_together_is_said():
    robot = gw.loads(GEARED)
    plant = MultibodyPlant(1e-3)
    with pytest.raises(BridgeError, match="Finalize"):
        ActuationSystem(plant, robot)
    plant.Finalize()
    with pytest.raises(BridgeError, match="no joint 'j'"):
        ActuationSystem(plant, robot)
    continuous = MultibodyPlant(0.0)
    continuous.Finalize()
    with pytest.raises(BridgeError, match="dt=1e-3"):
        ActuationSystem(continuous, robot)
