"""Saved simulations: the same numbers without CasADi and LLVM, and files that are refused."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from dataclasses import make_dataclass
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.compiler import backends
from gearwright.compiler.backends.cpu.image import loaded_image, portable
from gearwright.compiler.backends.cpu.image.image import Image, linked
from gearwright.model.actuators import ACTUATORS
from gearwright.model.sensors.sensors import SENSORS
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.sim.programs.keys import model_digest
from gearwright.sim.saving import as_data, container, user_key
from tests.compiler.cuda_on_cpu import CudaOnCpu, gpu
from tests.model.samples import robot_of_all_kinds
from tests.sim.robots import FOLDER
from tests.sim.saved_alone import driven
from tests.sim.test_dead_points import crank

FLIPS = 300
OTHER_JOINT = make_dataclass("Joint", ["name"])
OTHER_JOINT.__module__ = "gearwright.sim.options"


class Wave:
    """A controller with memory and a parameter, compiled into the step."""

    memory = {"calls": 0.0}  # noqa: RUF012
    parameters = {"gain": 0.3}  # noqa: RUF012

    def __call__(self, sim, memory):
        command = sim.parameters["gain"] * np.sin(30 * sim.time) - 0.1 * sim.position["right_finger"]
        return {"motor": command}, {"calls": memory["calls"] + 1}


def noisy_gripper() -> gw.Mechanism:
    gripper = gw.load(FOLDER / "gripper.sdf")
    late = {"update_rate": 250.0, "latency": 0.004, "noise": 1e-3, "seed": 7}
    return gripper.with_sensor(gw.Encoder(name="noisy", joint="right_finger", resolution=4096, **late))


def squared() -> gw.Mechanism:
    """A user's own transmission: its function is in the code, not in the file."""
    own = gw.CustomTransmission(position=lambda q: q + 0.1 * q**2)
    return crank(map=own, rotor_inertia=0.01)


ROBOTS = {
    "gripper": lambda: gw.compile(noisy_gripper(), batch=3, parameters=("right_finger.damping",)),
    "controlled": lambda: gw.compile(noisy_gripper(), controller=Wave(), control_period=0.002),
    "loop": lambda: gw.compile(gw.load(FOLDER / "four_bar.sdf"), precision="single", batch=5),
    "crank": lambda: gw.compile(crank()),
    "user's map": lambda: gw.compile(squared()),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[gw.Simulation, Path]]:
    folder = tmp_path_factory.mktemp("saved")
    found = {}
    for n, (name, make) in enumerate(ROBOTS.items()):
        found[name] = make(), folder / f"{n}.gw"
        found[name][0].save(found[name][1])
    return found


@pytest.fixture
def file(saved: dict[str, tuple[gw.Simulation, Path]], tmp_path: Path) -> Path:
    """A copy, to be damaged."""
    copy = tmp_path / "copy.gw"
    copy.write_bytes(saved["gripper"][1].read_bytes())
    copy.chmod(0o644)
    return copy


# --- the same numbers ------------------------------------------------------------------------------------------------


def test_numpy_alone_gives_the_same_bits(saved: dict[str, tuple[gw.Simulation, Path]], tmp_path: Path) -> None:
    results = {name: tmp_path / f"{n}.npz" for n, name in enumerate(saved)}
    arguments = [str(path) for name in saved for path in (saved[name][1], results[name])]
    here = Path(__file__).parents[2]
    command = [sys.executable, "-W", "ignore", "-m", "tests.sim.saved_alone", *arguments]
    said = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    for name, (sim, _) in saved.items():
        expected, found = driven(sim), np.load(results[name])
        assert set(expected) == set(found.files)
        for key in found.files:
            assert found[key].tobytes() == np.ascontiguousarray(expected[key]).tobytes(), (name, key)


@pytest.mark.parametrize("robot", [r if r == "wrist" else pytest.param(r, marks=pytest.mark.slow) for r in gw.robots])
def test_every_bundled_robot_comes_back(robot: str, tmp_path: Path) -> None:
    sim = gw.compile(robot)
    sim.step(n=10)
    sim.save(tmp_path / "robot.gw", questions=())
    again = gw.open(tmp_path / "robot.gw")
    assert model_digest(again.robot) == model_digest(sim.robot) and again.time == sim.time
    for each in (sim, again):
        each.step(n=50)
    assert again.state.tobytes() == sim.state.tobytes()


def test_it_stands_where_it_was_saved_with_inputs_and_parameters(tmp_path: Path) -> None:
    sim = gw.compile("gripper", batch=2, parameters=("right_finger.damping",))
    sim.set_parameters({"right_finger.damping": [1.0, 2.0]})
    sim.step(command={"motor": [0.1, 0.2]}, n=7)
    sim.save(tmp_path / "g.gw")
    again = gw.open(tmp_path / "g.gw", threads=2)
    assert again.time == sim.time and again.threads == 2
    assert again.parameters["right_finger.damping"].tolist() == [1.0, 2.0]
    sim.step(n=5), again.step(n=5)
    assert again.state.tobytes() == sim.state.tobytes()
    other = gw.open(tmp_path / "g.gw", batch=9)
    assert other.batch == 9 and other.time == 0.0 and other.position["right_finger"].shape == (9,)
    other.step(n=5)


def test_it_can_be_pickled_copied_and_saved_again(saved: dict[str, tuple[gw.Simulation, Path]], tmp_path: Path) -> None:
    sim = gw.open(saved["controlled"][1])
    sim.save(tmp_path / "again.gw")
    for again in (pickle.loads(pickle.dumps(sim)), gw.open(tmp_path / "again.gw")):
        again.step(n=4)
        assert again.memory["calls"] == 2.0


@pytest.mark.parametrize("device", ["cuda", "interpreter"])
def test_other_devices(device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not gpu():
        monkeypatch.setitem(backends.BACKENDS, "cuda", CudaOnCpu)
    sim = gw.compile("gripper", batch=2, device=device, integrator="euler")
    sim.save(tmp_path / "g.gw", questions=("energy",))
    again = gw.open(tmp_path / "g.gw")
    sim.step(n=3), again.step(n=3)
    assert again.state.tobytes() == sim.state.tobytes() and again.energy.tolist() == sim.energy.tolist()


def test_what_is_not_in_the_file_says_so(tmp_path: Path) -> None:
    sim = gw.compile("gripper")
    with pytest.raises(gw.ModelError, match="did you mean 'energy'"):
        sim.save(tmp_path / "g.gw", questions=("enrgy",))
    sim.save(tmp_path / "g.gw", questions=("energy",))
    again = gw.open(tmp_path / "g.gw")
    again.energy, again.run(0.01).energy
    with pytest.raises(gw.CompileError, match="no code for 'mass_matrix'"):
        again.mass_matrix()
    with pytest.raises(gw.CompileError, match="no equations"):
        again.linearize()
    with pytest.raises(gw.SimulationError, match="cannot be written"):
        sim.save(tmp_path / "g.gw" / "inside a file.gw")
    sim.save(tmp_path / "made" / "g.gw")  # missing folders are made


def test_a_user_s_function_is_not_there_to_be_called(saved: dict[str, tuple[gw.Simulation, Path]]) -> None:
    again = gw.open(saved["user's map"][1])
    with pytest.raises(gw.ModelError, match="compiled into this saved simulation"):
        again.robot.transmissions["t"].map.position(0.1)


def test_one_of_each_registered_kind_comes_back(tmp_path: Path) -> None:
    sim = gw.compile(robot_of_all_kinds(), gravity=(0, 0, 0))
    sim.step(n=3)
    sim.save(tmp_path / "all.gw", questions=())
    again = gw.open(tmp_path / "all.gw")
    assert model_digest(again.robot) == model_digest(sim.robot)
    sim.step(n=20), again.step(n=20)
    assert again.state.tobytes() == sim.state.tobytes()
    kinds = {type(t.map) for t in again.robot.transmissions.values()} | {gw.Series}
    assert kinds >= {TRANSMISSIONS[name] for name in TRANSMISSIONS.rows}
    assert {type(a) for a in again.robot.actuators.values()} == {ACTUATORS[name] for name in ACTUATORS.rows}


def test_a_class_without_a_row_cannot_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Foreign(gw.Encoder):
        pass

    robot = gw.load("gripper").with_sensor(Foreign(name="foreign", joint="right_finger"))
    sim = gw.compile(robot)
    with pytest.raises(gw.ModelError, match="Foreign cannot be saved: give its class a row"):
        sim.save(tmp_path / "g.gw", questions=())
    with monkeypatch.context() as added:
        added.setitem(SENSORS, "foreign", Foreign)
        sim.save(tmp_path / "g.gw", questions=())
        assert type(gw.open(tmp_path / "g.gw").robot.sensors["foreign"]) is Foreign
    assert "gearwright.sensors has no 'foreign' here: install the package" in refusal(tmp_path / "g.gw")


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("os:system", ValueError, "no class"),
        ("gearwright.sensors:os.system", gw.ModelError, "has no 'os.system'"),
        ("gearwright.protocols:odrive", ValueError, "no class"),  # a registry, but not one of a mechanism's parts
        ("gearwright.transmissions:function", ValueError, "not a class of a mechanism"),
        ("Encoder", ValueError, "no class"),
        (["Encoder"], TypeError, "unhashable"),
    ],
)
def test_a_file_names_registered_classes_only(
    name: object, error: type[Exception], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TRANSMISSIONS, "function", print)  # as entry points of `custom_functions` are
    with pytest.raises(error, match=says):
        as_data.from_data({"_": name, "name": "e"})


def test_two_classes_of_one_name_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_data.import_module("gearwright.sim.options"), "Again", OTHER_JOINT, raising=False)
    as_data.classes.cache_clear()
    with pytest.raises(TypeError, match="two classes of saved files are called Joint"):
        as_data.classes()
    monkeypatch.undo()
    as_data.classes.cache_clear()
    as_data.classes()


def test_divergence_is_reported_as_ever(saved: dict[str, tuple[gw.Simulation, Path]]) -> None:
    again = gw.open(saved["crank"][1])
    again.reset(position={"motor.rotor": 0.3}, velocity={"motor.rotor": 5e7})
    with pytest.raises(gw.SimulationError, match="the last good state is kept"):
        again.step(n=50)


# --- files that are refused ------------------------------------------------------------------------------------------


def refusal(path: Path, **options: bool) -> str:
    with pytest.raises(gw.LoadError) as error:
        gw.open(path, **options)
    assert [d.code for d in error.value.diagnostics] == ["saved-code"]
    message = str(error.value)
    assert ("damaged" in message) <= ("the file is damaged: " in message) and message.count("damaged") <= 1
    return message


def forged(path: Path, rest: bytes) -> None:
    """With the right checksum, and no signature."""
    path.write_bytes(container.MAGIC + hashlib.sha256(rest).digest() + bytes(user_key.SIZE) + rest)


def test_damage_anywhere_is_found(file: Path) -> None:
    whole, rng = file.read_bytes(), np.random.default_rng(0)
    for at in [*range(96), *rng.integers(0, len(whole), FLIPS - 96)]:
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.integers(8)
        file.write_bytes(damaged)
        edges = (len(container.NAME), len(container.MAGIC), len(container.MAGIC) + container.DIGEST, container.BEGIN)
        place = sum(at >= edge for edge in edges)
        damage = "the file is damaged"
        messages = ("this is not a saved simulation", "the file has format", damage, "not saved by you", damage)
        assert messages[place] in refusal(file)
    for length in (0, 1, 30, 60, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        refusal(file)
    file.write_bytes(whole + b"more")
    refusal(file)


def test_forged_heads_are_refused_or_harmless(file: Path) -> None:
    """Bits of the head, with a right checksum: nothing but LoadError comes out."""
    whole, rng = file.read_bytes(), np.random.default_rng(1)
    begin = container.BEGIN
    end = begin + 8 + int.from_bytes(whole[begin : begin + 8], "little")
    refused = 0
    for at in rng.integers(begin, end, FLIPS):
        changed = bytearray(whole)
        changed[at] ^= 1 << rng.integers(8)
        forged(file, bytes(changed[begin:]))
        assert "not saved by you" in refusal(file)
        try:
            gw.open(file, trust=True)
        except gw.LoadError:
            refused += 1
    assert refused > FLIPS / 2  # digits of a mass may be others


@pytest.mark.parametrize(
    "head",
    [b"[]", b"{}", b"nul", b"[" * 100_000, b'{"parts":[["a",99999999999]]}', b'{"parts":7}', b'{"gearwright":"9"}'],
)
def test_heads_that_are_none(file: Path, head: bytes) -> None:
    forged(file, len(head).to_bytes(8, "little") + head)
    refusal(file, trust=True)


def test_only_a_file_that_this_user_saved_here_runs_its_code(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A downloaded file belongs to the user who downloaded it, and is not his work."""
    gw.open(file)
    file.chmod(0o666)
    gw.open(file)  # whoever changes it cannot sign it
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "another user"))
    message = refusal(file)
    assert "not saved by you on this machine" in message and "damaged" not in message
    for trust in ("no", 1, None, np.True_):
        with pytest.raises(gw.ModelError, match="trust must be True or False"):
            gw.open(file, trust=trust)  # type: ignore[arg-type]
    assert not (tmp_path / "another user").exists()
    gw.open(file, trust=True).save(tmp_path / "own.gw")
    gw.open(tmp_path / "own.gw")
    assert "not saved by you" in refusal(file)
    monkeypatch.undo()
    assert "not saved by you" in refusal(tmp_path / "own.gw")


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_key_that_others_may_know_signs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sim, path = gw.compile("gripper"), tmp_path / "g.gw"
    sim.save(path, questions=())
    key = tmp_path / "data" / "gearwright" / "key"
    assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [p.name for p in key.parent.iterdir()] == ["key"] and len(key.read_bytes()) == 32
    sim.save(path, questions=())  # with the same key
    gw.open(path)
    for spoil in (lambda: key.chmod(0o640), lambda: key.write_bytes(b"short"), lambda: (key.unlink(), os.mkfifo(key))):
        spoil()
        assert "not saved by you" in refusal(path)
        with pytest.warns(gw.CacheWarning, match="not signed"):
            sim.save(path, questions=())
        assert "not saved by you" in refusal(path)
        gw.open(path, trust=True)
        key.unlink()
        sim.save(path, questions=())
        gw.open(path)
    monkeypatch.setattr(os, "getuid", lambda: key.stat().st_uid + 1)
    assert "not saved by you" in refusal(path)


def test_files_that_are_none(file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gw")
    assert "not a regular file" in refusal(tmp_path / "pipe.gw")
    assert "not a regular file" in refusal(tmp_path)
    assert "No such file" in refusal(tmp_path / "none.gw")
    with file.open("r+b") as sparse:
        sparse.truncate(2**34 + 1)
    assert "17,179,869,184 at most" in refusal(file)


def test_what_is_foreign(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portable, "instruction_sets", lambda: frozenset({"avx"}))
    assert "which this CPU does not have" in refusal(file)
    monkeypatch.undo()
    monkeypatch.setattr(loaded_image.platform, "machine", lambda: "aarch64")
    assert "gearwright export --target c" in refusal(file)
    monkeypatch.undo()
    monkeypatch.setattr(portable, "HEAD", ("other",))
    assert "save the simulation again" in refusal(file)
    monkeypatch.undo()
    monkeypatch.setattr(gw, "__version__", "9.9")
    assert "save it again" in refusal(file)
    monkeypatch.undo()
    file.write_bytes(file.read_bytes().replace(b"simulation 2\n", b"simulation 3\n", 1))
    assert "format '3'" in refusal(file)


def test_code_may_ask_for_mathematics_only() -> None:
    returns = b"\xc3" + bytes(63)
    loaded_image.LoadedImage(Image(returns, 0, 0, {8: "memcpy", 16: "pow"}, {24: 0})).run(0, 0)
    with pytest.raises(gw.CompileError, match="not a mathematical function"):
        loaded_image.LoadedImage(Image(returns, 0, 0, {8: "system"}, {}))
    for outside in (Image(returns, 64, 0, {}, {}), Image(returns, 0, 0, {60: "pow"}, {}), Image(b"", 0, 0, {}, {})):
        with pytest.raises(gw.CompileError, match="outside"):
            loaded_image.LoadedImage(outside)
    with pytest.raises(gw.CompileError, match="x86-64"):
        linked(b"\xcf\xfa\xed\xfe" + bytes(100))


def test_every_dataclass_of_a_mechanism_can_be_written() -> None:
    """A new kind is in a module that is listed, or here."""
    import pkgutil
    from dataclasses import is_dataclass
    from importlib import import_module

    import gearwright.model

    derived = {
        "CoordinateLayout",
        "Parameter",
        "SecondDescription",
        "_Loops",
        "Servo",
        "Solid",
        "LoopSystem",
        "Mobility",
        "TreeBranch",
        "Tree",
    }
    derived |= {"Quantity", "FrictionModel", "BristleModel", "_TwoByTwo"}  # without fields of their own, and a base
    derived |= {"ServoModel", "DataSheet", "NumberSource"}  # the library, from which actuators are made
    derived |= {"ActuationMechanism"}  # made from a mechanism when its actuation is compiled
    derived |= {"SlotFacts", "SlotSizes"}  # the table of slots
    derived |= {"ActuationJacobian", "Constraints", "Rod"}  # motors and outputs of closed loops
    derived |= {"MasslessCoordinate", "Coordinate", "_Resistance"}  # what moves no mass
    found = set()
    for module in pkgutil.walk_packages(gearwright.model.__path__, "gearwright.model."):
        own = vars(import_module(module.name)).values()
        found |= {x for x in own if isinstance(x, type) and is_dataclass(x) and x.__module__ == module.name}
    rows = {kind for registry in as_data.FAMILIES.values() for kind in registry.values()}
    assert {kind.__name__ for kind in found - rows - {*as_data.classes().values()}} == derived
