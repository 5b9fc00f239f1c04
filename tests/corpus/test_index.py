"""Each line of the corpus' index, counted in the model that we make of the file."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

import gearwright as gw
from gearwright.model import JOINT_KINDS
from tests.corpus.files import VARIABLE, corpus
from tests.corpus.refused import REFUSED

OLDER = ("gearbox", "mimic joint")  # spellings of couplings that the index counts as joints
_GEARBOX_LOOP = (
    "the index counts a gearbox as a second parent of its child; here it is a coupling, and there is no loop"
)
_GEARBOX_ALONE = "a gearbox without a reference body couples nothing: a warning, and no coupling"

# file → {what: count} where ours differs from the index, and why
EXCEPTIONS: dict[str, tuple[dict[str, int], str]] = {
    "peers/gazebo-classic/models/gearbox.world": ({"loop_links": 0}, _GEARBOX_LOOP),
    "peers/gazebo-classic/models/twin_rotor_demo.world": ({"loop_links": 0}, _GEARBOX_LOOP),
    "peers/gz-physics/models/test.world": ({"joints": 11, "gearbox": 0}, _GEARBOX_ALONE),
    "peers/gz-sim/models/demo_joint_types.sdf": ({"loop_links": 0}, _GEARBOX_LOOP),
    "peers/sdformat/models/joint_complete.sdf": ({"joints": 8, "gearbox": 0}, _GEARBOX_ALONE),
    "robots/demo_joint_types/model.sdf": ({"loop_links": 0}, _GEARBOX_LOOP),
    "robots/fivebar_gz/fivebar.urdf": (
        {"loop_elems": 0},
        "robot_model's own <constraint> elements in a URDF are not read; a warning says so",
    ),
    "robots/lift_drag_gearbox/lift_drag_demo.world": ({"loop_links": 0}, _GEARBOX_LOOP),
    "robots/panda_suction/panda_suction.urdf": (
        {"mimic": 0, "mimic_chain_depth": 0},
        "its follower is a fixed joint: the coupling is dropped, with a warning",
    ),
    "robots/valkyrie/valkyrie_A.urdf": (
        {"transmissions": 53},
        "twelve are of finger joints that this variant does not have: left out, with warnings",
    ),
    "robots/valkyrie/valkyrie_sim.urdf": (
        {"gazebo_joints": 0},
        "the <joint> in its <gazebo> block is a plugin's parameter, and joins nothing",
    ),
}


@cache
def index() -> list[dict[str, Any]]:
    folder = corpus()
    entries = json.loads((folder / "manifest.json").read_text()) if folder is not None else []
    return [e for e in entries if e["kind"] in ("urdf", "sdf")]


def loadable() -> list[Any]:
    entries = [e for e in index() if f"corpus/{e['file']}" not in REFUSED]
    absent = pytest.mark.skip(reason=f"no corpus beside the repository, nor at ${VARIABLE}")
    return [pytest.param(e, id=e["file"]) for e in entries] or [pytest.param(None, marks=absent)]


def counted(robot: gw.Mechanism) -> Counter[str]:
    """The index's figures, as our model has them. Parts of <gazebo> blocks are counted apart, as there."""
    joints = [j for j in robot.joints.values() if not j.source.element.startswith("gazebo")]
    couplings = robot.couplings.values()
    parents = Counter(j.child for j in joints)
    older = [c for c in couplings if c.spelling in OLDER]
    count = Counter({
        "links": sum(not link.source.element.startswith("gazebo") for link in robot.links.values()),
        "joints": len(joints) + len(older),
        "gazebo_joints": len(robot.joints) - len(joints),
        "mimic": sum(c.spelling == "mimic" for c in couplings),
        "mimic_chain_depth": max((depth(robot, c) for c in couplings if c.spelling == "mimic"), default=0),
        "transmissions": len(robot.transmissions),
        "ros2_control": len(robot.hardware),
        "loop_links": sum(n > 1 for n in parents.values()),
        "models": len({name.split("::")[0] for name in robot.links if "::" in name}) or 1,
    })  # fmt: skip
    count.update(j.kind for j in joints)
    count.update(c.spelling for c in older)
    return count


def depth(robot: gw.Mechanism, coupling: Any) -> int:
    """How many couplings lie between the follower and a joint that follows nothing."""
    upstream = [c for c in robot.couplings.values() if c.follower in {t.axis for t in coupling.leaders}]
    return 1 + max((depth(robot, c) for c in upstream), default=0)


def expected(entry: dict[str, Any]) -> dict[str, int]:
    stats = dict(entry["stats"])
    kinds = stats.pop("joint_types")
    if entry["kind"] == "sdf":
        stats.pop("mimic_chain_depth", None)
    figures = {"gazebo_joints": 0, "mimic": 0, "transmissions": 0, "ros2_control": 0} | stats | kinds
    return figures | EXCEPTIONS.get(entry["file"], ({}, ""))[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("entry", loadable())
def test_counts_are_those_of_the_index(entry: dict[str, Any]) -> None:
    folder = corpus()
    assert folder is not None
    robot = gw.load(folder / entry["file"], model="*" if entry["kind"] == "sdf" else None)
    ours, wanted = counted(robot), expected(entry)
    assert {what: ours[what] for what in wanted} == wanted
    unlisted = set(JOINT_KINDS) - set(wanted)
    assert not any(ours[kind] for kind in unlisted), "joint kinds that the index does not have"


def test_exceptions_are_still_exceptions(corpus_folder: object) -> None:
    """An entry that agrees with the index again is to be taken out."""
    for entry in index():
        figures, _ = EXCEPTIONS.get(entry["file"], ({}, ""))
        stats = {**entry["stats"], **entry["stats"]["joint_types"]}
        assert all(stats.get(what, 0) != count for what, count in figures.items()), entry["file"]
    assert set(EXCEPTIONS) <= {e["file"] for e in index()}


def test_every_robot_file_of_the_corpus_is_indexed(corpus_folder: object) -> None:
    from tests.corpus.files import SDF, URDF, robot_files

    files = {f.name.removeprefix("corpus/") for f in robot_files((*URDF, *SDF)) if f.name.startswith("corpus/")}
    assert files == {e["file"] for e in index()}


def test_a_world_of_several_models_is_loaded_by_name_or_whole(corpus_folder: Any) -> None:
    world = corpus_folder / "peers" / "gz-sim" / "models" / "joint_controller.sdf"
    whole = gw.load(world, model="*")
    assert set(gw.load(world).links) == set(whole.links)
    names = {name.split("::")[0] for name in whole.links}
    assert len(names) == 5
    for name in names:
        part = gw.load(world, model=name)
        assert set(part.links) == {n.removeprefix(f"{name}::") for n in whole.links if n.startswith(f"{name}::")}
