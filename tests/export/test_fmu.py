"""FMUs, read and simulated by FMPy."""

from __future__ import annotations

import shutil
import zipfile

import numpy as np
import pytest

import gearwright as gw

fmpy = pytest.importorskip("fmpy")
validation = pytest.importorskip("fmpy.validation")

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")


@pytest.fixture(scope="module")
def gripper(tmp_path_factory):
    path = tmp_path_factory.mktemp("fmu") / "gripper.fmu"
    gw.export_fmu("gripper", path, parameters=("motor.stall_torque",))
    return path


def simulated(path, start, duration=0.1, interval=1e-3):
    return fmpy.simulate_fmu(str(path), stop_time=duration, output_interval=interval, start_values=start)


def test_fmpy_finds_nothing_wrong(gripper):
    assert not validation.validate_fmu(str(gripper))


def test_it_moves_as_the_simulation(gripper):
    found = simulated(gripper, {"motor.command": 0.012, "right_finger.start_position": 0.03})
    sim = gw.compile("gripper")
    sim.reset(position={"right_finger": 0.03})
    rec = sim.run(0.1, command={"motor": 0.012})
    for name, expected in (
        ("left_finger.position", rec.position["left_finger"]), ("right_finger.velocity", rec.velocity["right_finger"]),
        ("motor.shaft_velocity", rec.actuator["motor"].velocity), ("motor.torque", rec.actuator["motor"].torque),
        ("motor_encoder", rec.sensor["motor_encoder"]),
    ):  # fmt: skip
        np.testing.assert_allclose(found[name], expected, rtol=1e-12, atol=1e-15, err_msg=name)


def test_parameters_are_tunable(gripper):
    weak = simulated(gripper, {"motor.command": 1.0, "motor.stall_torque": 0.01})
    strong = simulated(gripper, {"motor.command": 1.0})
    assert weak["right_finger.position"][20] < strong["right_finger.position"][20]


def test_states_are_saved_and_restored(gripper):
    """Get, serialise, deserialise and set: what follows has the same bits."""
    from fmpy.fmi3 import FMU3Slave

    description = fmpy.read_model_description(str(gripper))
    folder = fmpy.extract(str(gripper))
    by_name = {v.name: v.valueReference for v in description.modelVariables}
    fmu = FMU3Slave(
        guid=description.instantiationToken, unzipDirectory=folder,
        modelIdentifier=description.coSimulation.modelIdentifier,
    )  # fmt: skip
    try:
        fmu.instantiate()
        fmu.enterInitializationMode()
        fmu.setFloat64([by_name["motor.command"]], [0.012])
        fmu.exitInitializationMode()
        position = [by_name["right_finger.position"]]
        for k in range(10):
            fmu.doStep(currentCommunicationPoint=k * 1e-3, communicationStepSize=1e-3)
        kept = fmu.serializeFMUState(fmu.getFMUState())
        for k in range(10, 20):
            fmu.doStep(currentCommunicationPoint=k * 1e-3, communicationStepSize=1e-3)
        later = fmu.getFloat64(position)
        fmu.setFMUState(fmu.deserializeFMUState(kept))
        for k in range(10, 20):
            fmu.doStep(currentCommunicationPoint=k * 1e-3, communicationStepSize=1e-3)
        assert fmu.getFloat64(position) == later
        with pytest.raises(fmpy.fmi1.FMICallException):
            fmu.setFloat64([by_name["right_finger.position"]], [0.0])  # an output
        with pytest.raises(fmpy.fmi1.FMICallException):
            fmu.setFloat64([by_name["motor.command"]], [float("nan")])
        fmu.terminate()
        fmu.freeInstance()
    finally:
        shutil.rmtree(folder)


def test_communication_steps_of_any_length_without_sensors(tmp_path):
    """A communication step that is no multiple of dt ends with a shorter step."""
    robot = gw.load("reference_arm")
    gw.export_fmu(robot, tmp_path / "arm.fmu", integrator="euler")
    found = simulated(tmp_path / "arm.fmu", {}, duration=0.01, interval=2.5e-3)
    assert found["time"][-1] == pytest.approx(0.01)
    sim = gw.compile(robot, integrator="euler", dt=0.5e-3)
    sim.step(n=20)
    name = next(iter(sim.independent))
    assert found[f"{name}.position"][-1] == pytest.approx(sim.position[name], abs=1e-3)


def test_equal_robots_give_equal_files(tmp_path, gripper):
    gw.export_fmu("gripper", tmp_path / "gripper.fmu", compiler="", parameters=("motor.stall_torque",))
    with zipfile.ZipFile(gripper) as a, zipfile.ZipFile(tmp_path / "gripper.fmu") as b:
        assert [n for n in b.namelist() if n.startswith("binaries")] == []
        for name in b.namelist():
            assert a.read(name) == b.read(name), name


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gripper.zip", {}, "fmu"),
        ("my robot.fmu", {}, "letters"),
        ("a.fmu", {"batch": 4}, "batch="),
        ("a.fmu", {"compiler": "no-such-compiler"}, "no-such-compiler"),
    ],
)
def test_what_cannot_be_is_said(tmp_path, name, options, message):
    with pytest.raises(gw.CompileError, match=message):
        gw.export_fmu("gripper", tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []
