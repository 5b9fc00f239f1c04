"""Whatever a caller gives, a public call takes it or raises an error of ours that says what it wants.

A new parameter of a call in the table is found here by its signature.
"""

from __future__ import annotations

import inspect
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from tests.sim.robots import GRIPPER

ANYTHING: dict[str, Any] = {
    "None": None, "a truth": True, "a text": "x", "bytes": b"x", "an object": object(), "negative": -1, "NaN": nan,
    "infinity": inf, "huge": 1e300, "a whole number without end": 10**400, "a list": [], "texts": ["a"], "a dict": {},
    "names": {"a": 1}, "no names": {1: object()}, "an array": np.zeros(3), "a class": object, "zero": 0,
    "a fraction": 1.5, "a set": {1}, "a truth of NumPy's": np.True_, "complex": 1j, "an empty text": "",
    "objects": np.array([object()]),
}  # fmt: skip
FLAGS = ("strict", "in_place", "progress", "check", "verify", "overwrite", "trust")  # Python asks whether they are true
VARY, METRIC = {"motor.damping": (0.1, 0.2, 2)}, {"end": "right_finger.position:last"}
ROBOT = '<robot name="r"><link name="a"/></robot>'
# call → arguments that it needs
CALLS: dict[str, dict[str, Any]] = {
    "compile": {"robot": GRIPPER}, "load": {"path": GRIPPER}, "loads": {"text": ROBOT}, "open": {"path": "saved.gw"},
    "export_c": {"robot": GRIPPER, "name": "exported"}, "with_servos": {"robot": gw.loads(ROBOT)},
    "sweep": {"robot": GRIPPER, "vary": VARY, "metrics": METRIC, "duration": 0.002},
    "migrate": {"source": GRIPPER, "target": "migrated.sdf"},
    "robot.axis": {"name": "right_finger"}, "robot.joint": {"name": "right_finger"},
    "robot.forward_kinematics": {}, "robot.with_coupling": {"name": "left_finger"},
    "robot.with_actuator": {"actuator": gw.Actuator(name="a")},
    "robot.with_sensor": {"sensor": gw.Imu(name="i", link="palm")},
    "robot.with_transmission": {
        "name": "t", "map": gw.SimpleTransmission(reduction=2.0), "actuators": "motor", "joints": "right_finger",
    },
    "sim.reset": {}, "sim.step": {}, "sim.run": {"duration": 0.002}, "sim.drive": {},
    "sim.set_parameters": {"values": {}},
    "sim.save": {"path": "again.gw"}, "sim.jacobian": {"link": "palm"}, "sim.inverse_dynamics": {},
    "sim.impulse_response": {"a": "right_finger", "b": "right_finger"},
    "recording.save": {"path": "run.csv"}, "recording.bands": {},
    "recording.to_lerobot": {"folder": "data", "task": "grip"},
}  # fmt: skip


@pytest.fixture(scope="module")
def subjects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    robot = gw.load(GRIPPER)
    sim = gw.compile(robot, parameters=("motor.damping",))
    sim.save(tmp_path_factory.getbasetemp() / "saved.gw")
    return {"robot": robot, "sim": sim, "recording": sim.run(0.005)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_a_call_names_what_it_cannot_take(
    call: str, subjects: dict[str, Any], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saved.gw").write_bytes((tmp_path_factory.getbasetemp() / "saved.gw").read_bytes())
    owner, _, method = call.rpartition(".")
    function = getattr(subjects[owner] if owner else gw, method)
    raised = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        for what, value in ANYTHING.items():
            if name in FLAGS and what in ("an array", "objects"):
                continue
            try:
                function(**{**CALLS[call], name: value})
            except (gw.GearwrightError, OSError):
                pass
            except Exception as error:
                raised.append(f"{call}({name}={what}): {type(error).__name__}: {error}")
    assert raised == []


def test_the_gap_that_was_known() -> None:
    with pytest.raises(gw.ModelError, match=r"robot must be a gearwright\.Mechanism, not None"):
        gw.with_servos(None)  # type: ignore[arg-type]
