"""Drives with states and switched-off groups move a pendulum as in MuJoCo, or a warning says what differs."""

from __future__ import annotations

import warnings
from pathlib import Path

import mujoco
import pytest

import gearwright as gw
from tests.formats.mjcf.against_mujoco import both

PENDULUM = """<mujoco>{option}<worldbody><body name="b"><joint name="j" axis="0 1 0" damping="0.02"/>
  <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="0.5"/></body></worldbody>
  <actuator>{actuator}</actuator></mujoco>"""
OFF = """<option actuatorgroupdisable="3 7"/><default><default class="off"><general group="3"/></default></default>"""
DC = 'name="a" joint="j" motorconst="0.05" resistance="2" gear="20" armature="1e-5" damping="1e-4"'
PID = 'name="a" joint="j" kp="9" input="pos"'
COMMANDS = (1.0, -0.5, 2.0)  # for a tenth of a second each


def pendulum(actuator: str, option: str = "") -> str:
    return PENDULUM.format(actuator=actuator, option=option)


def difference(text: str, scale: float = 1.0) -> float:
    """Of the joint, at the end of each command [rad]."""
    pair = both(text)
    m, d, errors = pair.m, mujoco.MjData(pair.m), []
    m.opt.timestep, m.opt.integrator = 1e-5, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    sim = gw.compile(pair.robot, dt=5e-4, contacts=[])
    for u in COMMANDS:
        d.ctrl[:] = scale * u
        mujoco.mj_step(m, d, 10_000)
        sim.step(command={"a": scale * u}, n=200)
        errors.append(abs(sim.position["j"] - float(d.qpos[0])))
    return max(errors)


@pytest.mark.parametrize(
    ("actuator", "scale"),
    [
        (f'<pid {PID} kv="0.4"/>', 1.0),
        (f'<pid {PID} kv="0.4" ki="5" imax="0.05"/>', 1.0),
        (f'<pid {PID} dampratio="0.7" ki="5" slewmax="3" posrange="-1 1.2" gear="2" forcerange="-3 3"/>', 1.0),
        ('<general name="a" joint="j" dyntype="integrator" gainprm="2" actearly="true"/>', 1.0),
        ('<general name="a" joint="j" dyntype="filterexact" dynprm="0.05" gainprm="2" actearly="true"/>', 1.0),
        (f'<dcmotor {DC} inductance="0.02"/>', 6.0),
        (f'<dcmotor {DC} inductance="0 0.03" ctrlrange="-5 5"/>', 6.0),
        (f'<dcmotor {DC} thermal="5 0.5 0 0.004 25 30"/>', 6.0),
        (f'<dcmotor {DC} input="vel" controller="0 0 0.2 0 0 12"/>', 1.0),
    ],
)
def test_drives_with_states(actuator: str, scale: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", gw.LoadWarning)
        gw.loads(pendulum(actuator))
    assert difference(pendulum(actuator), scale) < 1e-3  # both steps' own errors; swings of radians


@pytest.mark.parametrize(
    "actuator",
    [
        '<motor name="a" joint="j" group="3" damping="0.5" armature="0.1"/>',
        '<position name="a" joint="j" class="off" kp="3" armature="0.1" gear="2"/>',
        f'<dcmotor group="7" {DC}/>',
        '<intvelocity name="a" joint="j" group="7" kp="3"/>',
    ],
)
def test_groups_that_are_switched_off(actuator: str) -> None:
    """Rotor inertia and damping stay."""
    text = pendulum(actuator, OFF)
    said = [d.message for d in gw.loads(text).diagnostics if "actuatorgroupdisable" in d.message]
    assert len(said) == 1 and "'a'" in said[0]
    assert difference(text) < 1e-4
    on = pendulum(actuator, OFF.replace("3 7", "4"))
    assert not [d for d in gw.loads(on).diagnostics if "actuatorgroupdisable" in d.message]


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ('inductance="0.02" controller="3 0 0.02 0 0 12" input="pos"', "the delay of its controller"),
        ('inductance="0.02" saturation="0.1"', "its limit applies to the current here"),
        ('inductance="0.02" thermal="5 0.5 0 0.004 25 30"', "its inductance is constant here"),
        ('ctrlrange="0 12"', "its ctrlrange"),
        ('controller="3 0 0.02 0 0 12" input="pos" ctrlrange="-1 1"', "its ctrlrange"),
    ],
)
def test_what_a_dc_motor_has_otherwise_is_said(attributes: str, words: str) -> None:
    with pytest.warns(gw.LoadWarning, match=words):
        gw.loads(pendulum(f"<dcmotor {DC} {attributes}/>"))


@pytest.mark.filterwarnings("ignore::gearwright.errors.LoadWarning")
@pytest.mark.parametrize(
    ("actuator", "controls", "command"),
    [
        ('<pid name="a" joint="j" kp="3"/>', "1 2 3", 1.0),
        ('<pid name="a" joint="j" kp="3" input="pos vel ff"/>', "1 2 4 3", 1.0),
        (f'<dcmotor {DC} input="pos vel" controller="1 0 0.1"/>', "1 2 3", 1.0),
        (f'<dcmotor {DC} input="pos vel" controller="0 0 0.1"/>', "1 2 3", 2.0),
        (f'<dcmotor {DC} input="none"/>', "3", None),
        ('<orientation name="a" joint="ball" kp="1"/>', "1 2 4 3", None),
        ('<orientation name="a" joint="ball" kp="1" input="quat"/>', "1 0 0 0 3", None),
    ],
)
def test_keyframes_of_actuators_with_several_controls(actuator: str, controls: str, command: float | None) -> None:
    text = pendulum(f'{actuator}<motor name="last" joint="j"/>')
    text = text.replace("</worldbody>", '<body><joint name="ball" type="ball"/><geom size="0.1"/></body></worldbody>')
    text = text.replace("</actuator>", f'</actuator><keyframe><key name="k" ctrl="{controls}"/></keyframe>')
    assert mujoco.MjModel.from_xml_string(text).nu == len(controls.split())
    assert gw.loads(text).keyframes["k"].command == ({} if command is None else {"a": command}) | {"last": 3.0}


def test_a_pid_drive_is_written(tmp_path: Path) -> None:
    text = pendulum(f'<pid {PID} kv="0.4" ki="5" imax="0.1" slewmax="3" posrange="-1 1.2" gear="2" forcerange="-3 2"/>')
    report = gw.save(gw.loads(text), tmp_path / "written.xml")
    assert not report.lost
    assert gw.load(tmp_path / "written.xml").actuators["a"] == gw.loads(text).actuators["a"]
    names = ("gear", "gainprm", "biasprm", "dynprm", "ctrlrange", "forcerange", "gaintype", "dyntype", "biastype")
    there, here = (mujoco.MjModel.from_xml_path(str(tmp_path / "written.xml")), mujoco.MjModel.from_xml_string(text))
    for name in names:
        assert getattr(there, f"actuator_{name}").tolist() == getattr(here, f"actuator_{name}").tolist()
