"""Options, what is told of a robot, and the code on disk."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import Instance
from gearwright.errors import UnknownNameError
from gearwright.model.actuators import CustomActuator
from gearwright.sim import compile
from gearwright.sim.programs import keys
from gearwright.sim.programs.kernels import CompiledKernels
from tests.cli.commands import CHECKOUT
from tests.sim.robots import ARM, DOUBLE_PENDULUM, FOLLOWING, FREE


def test_a_file_is_loaded():
    assert compile(ARM).robot.name == compile(str(ARM)).robot.name == "reference_arm"
    with pytest.raises(gw.LoadError):
        compile("nowhere.urdf")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"coupling": "exat"}, "did you mean 'exact'"),
        ({"solver": "cg"}, "no solver 'cg'; valid: 'direct', 'pgs', 'tgs'"),
        ({"integrator": "heun"}, "no integrator 'heun'; valid: 'midpoint', 'euler', 'rk4'"),
        ({"solver": "pgs", "integrator": "midpoint"}, "'pgs' requires integrator='euler'"),
        ({"solver": "tgs", "integrator": "rk4"}, "'tgs' requires integrator='euler'; 'rk4' has no constraints"),
        ({"precision": "half"}, "valid: 'double', 'single'"),
        ({"device": "tpu"}, "valid: 'cpu'"),
        ({"device": None}, "valid: 'cpu'"),
        ({"dt": 0.0}, "dt must be"),
        ({"dt": float("nan")}, "dt must be"),
        ({"dt": "fast"}, "dt must be a number"),
        ({"dt": True}, "dt must be a number"),
        ({"batch": 0}, "batch must be a whole number"),
        ({"batch": 1.5}, "batch must be a whole number"),
        ({"threads": 0}, "threads must be a whole number"),
        ({"iterations": 0}, "iterations must be a whole number"),
        ({"newton_iterations": 0}, "newton_iterations must be a whole number"),
        ({"newton_iterations": 3, "integrator": "euler"}, "'euler' does not iterate"),
        ({"gravity": (0, 0)}, "gravity must be three"),
        ({"gravity": (0, 0, float("inf"))}, "gravity must be three"),
    ],
    ids=str,
)
def test_options_that_cannot_be(double_pendulum, options, message):
    with pytest.raises(gw.CompileError, match=message):
        compile(double_pendulum, **options)


def test_parameter_twice(double_pendulum):
    with pytest.raises(gw.CompileError, match="twice"):
        compile(double_pendulum, parameters=("lower.mass", "lower.mass"))
    with pytest.raises(UnknownNameError):
        compile(double_pendulum, parameters="lower.mas")


def test_couplings_of_other_modes(gripper):
    hard = gripper.with_coupling("left_finger", mode="hard")
    assert len(compile(hard, coupling="exact").state) == len(compile(gripper).state) < len(compile(hard).state)
    soft = compile(gripper, coupling="compliant").robot.couplings["left_finger"]
    assert (soft.mode, soft.natural_frequency, soft.damping_ratio) == ("compliant", 100.0, 1.0)


@pytest.mark.filterwarnings("ignore:.*do not act with rk4:gearwright.NotSimulatedWarning")
def test_rk4_has_no_rows(gripper):
    told = [str(d) for d in compile(gripper, integrator="rk4").diagnostics]
    assert "joint limits do not act with rk4: 'right_finger', 'left_finger'" in told[0]
    assert "friction does not act with rk4" in told[1]
    with pytest.raises(gw.CompileError, match="'rk4' has no constraint rows, and 'left_finger' needs one"):
        compile(gripper, integrator="rk4", coupling="hard")


def test_what_is_left_out_is_told(double_pendulum, gripper):
    assert compile(double_pendulum).diagnostics == compile(gw.loads(FOLLOWING)).diagnostics == ()
    assert compile(gripper).diagnostics == ()
    idle = replace(gripper, transmissions={}, sensors={})
    with pytest.warns(gw.NotSimulatedWarning, match="do nothing: 'motor'"):
        sim = compile(idle)
    assert "do nothing: 'motor'" in str(sim.diagnostics[0])


# --- code on disk ---------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "code"))
    return tmp_path / "code"


def motion(sim):
    sim.reset(position={"shoulder": 1.0})
    sim.step(n=50)
    return sim.state.tobytes()


def test_code_is_found_again_without_tracing(double_pendulum, fresh, monkeypatch):
    first = compile(double_pendulum)
    assert not first.from_cache
    expected = motion(first), first.energy, dict(first.acceleration)
    monkeypatch.setattr(CompiledKernels, "equations", property(lambda self: pytest.fail("traced again")))
    again = compile(double_pendulum)
    assert again.from_cache
    assert (motion(again), again.energy, dict(again.acceleration)) == expected
    assert compile(double_pendulum, dt=5e-4).from_cache  # dt must be a number, not part of the code


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign"])
def test_damaged_code_is_made_again(double_pendulum, fresh, damage):
    expected = motion(compile(double_pendulum))
    (entry,) = fresh.glob("*.gwo")
    content = entry.read_bytes()
    damaged = {
        "empty": b"",
        "cut": content[: len(content) // 2],
        "flipped": content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        "foreign": b"somebody else's file",
    }
    entry.write_bytes(damaged[damage])
    mended = compile(double_pendulum)
    assert not mended.from_cache
    assert motion(mended) == expected
    assert compile(double_pendulum).from_cache


def test_two_processes_at_once(double_pendulum, fresh):
    code = (
        "from gearwright import loads; from gearwright.sim import compile\n"
        f"sim = compile(loads({DOUBLE_PENDULUM!r}))\n"
        "sim.reset(position={'shoulder': 1.0}); sim.step(n=50); print(sim.state.tobytes().hex())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=CHECKOUT)
        for _ in range(2)
    ]
    results = [process.communicate(timeout=60)[0].strip() for process in both]
    here = compile(double_pendulum)
    assert here.from_cache
    assert results == [motion(here).hex()] * 2
    assert not list(fresh.glob("*.tmp"))


def test_code_can_be_made_without_a_place_to_keep_it(double_pendulum, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("GEARWRIGHT_CACHE", str(tmp_path / "file"))
    with pytest.warns(gw.CacheWarning, match="is not kept"):
        assert not compile(double_pendulum).from_cache


def changed_models(robot):
    link, joint = robot.links["lower"], robot.joints["elbow"]
    axis = joint.axes[0]
    inertia = link.inertia
    moved = inertia.pose.__class__(inertia.pose.R, inertia.pose.p + np.array([0, 0, 1e-12]))
    new_links = {
        "mass": replace(link, inertia=replace(inertia, mass=np.nextafter(inertia.mass, 2))),
        "moments": replace(link, inertia=replace(inertia, moments=(0.022, 0.021, 0.001))),
        "centre": replace(link, inertia=replace(inertia, pose=moved)),
        "weightless": replace(link, gravity=False),
    }
    new_joints = {
        "axis": replace(joint, axes=(replace(axis, xyz=(1.0, 0.0, 0.0)),)),
        "kind": replace(joint, kind="prismatic"),
        "damping": replace(joint, axes=(replace(axis, dynamics=replace(axis.dynamics, damping=0.1)),)),
        "armature": replace(joint, axes=(replace(axis, dynamics=replace(axis.dynamics, armature=0.1)),)),
        "origin": replace(joint, X_PJ=joint.X_PJ.__class__(joint.X_PJ.R, joint.X_PJ.p + np.array([0, 1e-9, 0]))),
    }
    models = {n: replace(robot, links={**robot.links, "lower": x}) for n, x in new_links.items()}
    models |= {n: replace(robot, joints={**robot.joints, "elbow": x}) for n, x in new_joints.items()}
    models["gravity"] = replace(robot, gravity=(0.0, 0.0, -9.80665))
    models["order"] = replace(robot, joints=dict(reversed([*robot.joints.items()])))
    models["coupling"] = gw.loads(
        DOUBLE_PENDULUM.replace("</joint></robot>", "<mimic joint='shoulder'/></joint></robot>")
    )
    return models


def test_every_change_of_the_model_changes_the_key(double_pendulum):
    models = {"itself": double_pendulum, **changed_models(double_pendulum)}
    digests = {name: keys.model_digest(m) for name, m in models.items()}
    assert None not in digests.values()
    assert len(set(digests.values())) == len(models), digests


def test_what_does_not_matter_does_not_change_the_key(double_pendulum):
    assert keys.model_digest(gw.loads(DOUBLE_PENDULUM)) == keys.model_digest(double_pendulum)
    assert keys.model_digest(gw.loads("\n\n" + DOUBLE_PENDULUM)) == keys.model_digest(double_pendulum)


@pytest.mark.parametrize(
    "options",
    [
        {"integrator": "rk4"},
        {"precision": "single"},
        {"batch": 4},
        {"gravity": (0, 0, -1)},
        {"newton_iterations": 3},
        {"parameters": ["lower.mass"]},
    ],
    ids=str,
)
def test_every_option_changes_the_key(double_pendulum, fresh, options):
    compile(double_pendulum)
    assert not compile(double_pendulum, **options).from_cache
    assert compile(double_pendulum, **options).from_cache


def test_a_change_of_source_or_library_changes_the_key(monkeypatch):
    before = keys.identity("x")
    libraries, digest = keys.installation()[:-1], keys.installation()[-1]
    assert keys.identity("x") == before
    assert [name.split()[0] for name in libraries] == ["casadi", "numpy"]  # LLVM is the back end's
    for changed in ((*libraries, digest[::-1]), ("casadi 0.0", *libraries[1:], digest)):
        monkeypatch.setattr(keys, "installation", lambda changed=changed: changed)
        assert keys.identity("x") != before


def test_the_source_is_read(tmp_path, monkeypatch):
    source = tmp_path / "sim" / "programs" / "keys.py"
    source.parent.mkdir(parents=True)
    monkeypatch.setattr(keys, "__file__", str(source))
    found = []
    for text in ("a = 1", "a = 2"):
        source.write_text(text)
        found.append(keys.installation.__wrapped__()[-1])
    assert found[0] != found[1]


def test_a_model_that_cannot_be_written_down(gripper, fresh):
    """A part with a user's function has no key; it is found by its program, which is traced each time."""
    brake = CustomActuator(name="motor", function=lambda command, speed, state: command - 1e-6 * speed)
    strange = replace(gripper, actuators={"motor": brake})
    assert keys.model_digest(strange) is None
    kernels = [CompiledKernels(strange, compile(gripper).options)["step"] for _ in range(2)]
    assert [k.from_cache for k in kernels] == [False, True]
    assert isinstance(kernels[1].instance(), Instance)


@pytest.mark.parametrize("text", [DOUBLE_PENDULUM, FOLLOWING, FREE], ids=["pendulum", "following", "free"])
def test_all_kernels_come_from_disk_as_they_were_made(text, fresh):
    def everything(sim):
        sim.step(n=3)
        poses = [X.tobytes() for X in sim.pose.values()]
        numbers = [sim.mass_matrix(), sim.bias(), sim.momentum.linear, sim.energy, [*sim.acceleration.values()]]
        return poses, [np.array(x).tobytes() for x in numbers], repr(sim.position), repr(sim.coupling_effort)

    assert everything(compile(gw.loads(text))) == everything(compile(gw.loads(text)))
