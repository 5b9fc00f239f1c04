"""The examples run without a screen and leave their pictures; what their words claim holds."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.acceptance.forked import Script, run_scripts
from tests.tolerances import ROUNDING

pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")

ROOT = Path(__file__).parents[2]
EXAMPLES = (
    "motor_arm", "wrist", "four_bar", "scara", "gripper", "backlash", "ankle", "delta_picks", "stewart_head",
)  # fmt: skip
LARGEST = 150_000  # bytes of a picture that is kept


@pytest.fixture
def example(monkeypatch):
    """The functions of an example, as its script has them."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return lambda name: runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


@pytest.mark.parametrize("names", [EXAMPLES[::2], EXAMPLES[1::2]], ids=",".join)
def test_examples_leave_their_pictures(names, tmp_path):
    """Taken out of the repository: a copy of the folder, with the package on the path, without a display."""
    copy = shutil.copytree(ROOT / "examples", tmp_path / "taken")
    files = {name: copy / f"{name}.py" for name in names}
    scripts = {name: Script(f.read_text(encoding="utf-8"), str(f), [str(tmp_path)]) for name, f in files.items()}
    for name, done in run_scripts(scripts, tmp_path, python=()).items():
        assert done.code == 0, done.err
        assert "Warning" not in done.err
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.width > 800 and len(picture.getcolors(1 << 20)) > 20
        kept = ROOT / "docs" / "figures" / "examples" / f"{name}.png"
        assert kept.stat().st_size < LARGEST, "run: python docs/pictures.py"


def test_the_pictures_of_the_readme_are_small():
    for path in (ROOT / "docs" / "figures").glob("demo-*.svg"):
        assert path.stat().st_size < LARGEST


def test_every_example_is_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in EXAMPLES:
        assert f"examples/{name}.py" in readme and f"docs/figures/examples/{name}.png" in readme


# --- what they claim ------------------------------------------------------------------------------------------------


def test_two_ways_to_write_a_four_bar_move_alike(example):
    """To 2e-5 rad, which is no longer the step's (a first-order one left 5e-3): it does not fall with dt."""
    import gearwright as gw

    own = example("four_bar")
    models = [gw.load(ROOT / "examples" / f"four_bar_{name}.sdf") for name in ("closed", "transmission")]
    apart = []
    for dt in (1e-3, 5e-4):
        closed, reduced = (
            own["simulated"](model, dt, start).position["pin_d"]
            for model, start in zip(models, (own["START"] - own["DRAWN"], own["START"]), strict=True)
        )
        apart.append(np.abs(closed + own["DRAWN"] - reduced).max())
    assert max(apart) < 5e-5


def test_play_makes_the_loop_behind_it_hunt_and_the_one_before_it_err(example):
    import gearwright as gw

    own = example("backlash")
    sim = gw.compile(ROOT / "examples" / "backlash.sdf", dt=own["DT"])
    late = {}
    for side in own["SIDES"]:
        sim.reset()
        run = sim.run(own["DURATION"], controller=own["PID"](side))
        late[side] = run.position["turn"][run.time > own["DURATION"] - 1.0] - own["TARGET"]
    assert np.ptp(late["table_side"]) > 0.3 * own["GAP"]  # hunts …
    assert abs(late["table_side"].mean()) < 0.005 * own["GAP"]  # … about the target
    assert np.ptp(late["motor_side"]) < ROUNDING * own["GAP"]  # stands still …
    assert 0.3 * own["GAP"] < abs(late["motor_side"][-1]) <= 0.51 * own["GAP"]  # … where the play leaves it


def test_an_exact_belt_holds_the_tools_direction(example):
    import gearwright as gw
    from gearwright import robots

    own = example("scara")
    robot = gw.load(robots.path("scara"))
    _, path = own["rectangle"]()
    joints = own["inverse_kinematics"](path)
    assert own["forward_kinematics"](*joints.T) == pytest.approx(path, abs=1e-12)
    angles = robot.transmissions["arm_drive"].map.joint_to_actuator_position(joints)
    assert angles[:, 1] == pytest.approx(50 * joints.sum(axis=1), rel=ROUNDING)
    errors = {}
    for mode in ("exact", "compliant"):
        sim = gw.compile(
            robot.with_coupling("tool", **({"mode": mode} if mode == "exact" else own["BELT"])), dt=own["DT"]
        )
        sim.reset(position={"shoulder": joints[0, 0], "elbow": joints[0, 1]})
        run = sim.run(0.6, command={"shoulder_motor": angles[:1200, 0], "elbow_motor": angles[:1200, 1]})
        errors[mode] = np.abs(sum(run.position[j] for j in ("shoulder", "elbow", "tool"))).max()
    assert errors["exact"] < 1e-14 and errors["compliant"] > 1e-3


def test_a_stand_in_hides_what_its_ratios_do_to_the_real_ankle(example):
    """Degrees with the ratios of the upright pose, a tenth of that with those of the pose."""
    import gearwright as gw

    own = example("ankle")
    robot = gw.load("ankle")
    upright = robot.actuation_jacobian()
    runs = [
        own["controlled"](own["serial"](robot, upright), lambda q: upright),
        own["controlled"](robot, lambda q: upright),
        own["controlled"](robot, lambda q: robot.actuation_jacobian({"pitch": q[0], "roll": q[1]})),
    ]
    hidden, left = (max(np.abs(run.position[j] - runs[0].position[j]).max() for j in own["JOINTS"]) for run in runs[1:])
    assert np.radians(2.5) < hidden < np.radians(5)
    assert left < hidden / 10


def test_the_closed_form_of_a_delta_is_that_of_its_loops(example):
    """Shoulders at the angles of the inverse kinematics: the loops then put the platform on the path."""
    import gearwright as gw

    own = example("delta_picks")
    robot = gw.load(ROOT / "examples" / "gallery" / "delta.sdf")
    for n in own["ARMS"]:
        robot = robot.with_actuator(gw.Actuator(name=f"motor_{n}", joint=f"shoulder_{n}"))
    for t in (0.0, 0.3, 0.5, 1.0):
        angles = own["shoulders"](own["pick"](t))
        J = robot.actuation_jacobian({f"shoulder_{n}": angles[n - 1] for n in own["ARMS"]})
        platform = robot.forward_kinematics(J.position)["platform"][:3, 3]
        assert platform == pytest.approx(own["pick"](t), abs=1e-8)  # of Newton's method, and of the file's ten digits


def test_the_closed_form_of_a_heads_rods_is_that_of_its_loops(example):
    """Servos at the angles that the rods give: the loops, assembled with them, put the head where it should be."""
    import gearwright as gw

    own = example("stewart_head")
    robot = gw.load(ROOT / "examples" / "stewart_head.sdf")
    rods = own["linkage"](robot)
    for t in (0.6, 2.0, 3.0):
        pose = np.array(own["gesture"](t))
        angles = rods.joint_to_actuator_position(pose)
        J = robot.actuation_jacobian({f"servo_{n}": angles[n - 1] for n in own["SERVOS"]})
        head = robot.forward_kinematics(J.position)["head"]
        drawn = robot.forward_kinematics()["head"][:3, 3]
        # of Newton's method, and of the file's ten digits
        assert head[:3, 3] - drawn == pytest.approx(pose[:3], abs=1e-8)
        assert own["orientation"](head[:3, :3]) == pytest.approx(pose[[4, 3, 5]], abs=1e-7)  # the same
