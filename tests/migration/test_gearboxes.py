"""A migrated gearbox moves as the gearbox does, and not as the proposal's own rewriting of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from gearwright.migration.proof import without_spelling
from gearwright.sim.programs.keys import model_digest
from tests.formats.test_older_spellings import printed, whole
from tests.migration.gearboxes import GRAVITY, gearbox_trajectory, mimic_trajectory, random_gearbox

TOLERANCE = 5e-14  # rounding over 100 steps, 6e-15 over 200 gearboxes; 1e-9 is what users are promised

LINK = '<link name="{}"><pose>{}</pose></link>'
JOINT = (
    '<joint name="gearbox_{0}_joint" type="revolute"><parent>gearbox_base</parent><child>gearbox_{0}</child>'
    "<pose>{1}</pose><axis><xyz>{2}</xyz>{3}</axis></joint>"
)
LINKS = (  # the numbers of demo_joint_types, which both proposals print
    LINK.format("gearbox_base", "-.49 0 0.35 0 0 0")
    + LINK.format("gearbox_input", "-.38 -0.075 0.55 0 0 0")
    + LINK.format("gearbox_output", "-.3 0.0 0.55 0 1.5708 0")
)
INPUT = JOINT.format("input", "0 0.075 0 0 0 0", "1 0 0", "")
GEARBOX = (
    '<joint name="gearbox_demo" type="gearbox"><parent>gearbox_input</parent><child>gearbox_output</child>'
    "<gearbox_reference_body>gearbox_base</gearbox_reference_body><gearbox_ratio>5</gearbox_ratio>"
    "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>"
)
PROPOSED = (
    '<mimic joint="gearbox_input_joint"><multiplier>5</multiplier><offset>0</offset><reference>0</reference></mimic>'
)


def model(output: str, rest: str = "", version: str = "1.10") -> str:
    return f'<sdf version="{version}"><model name="demo">{LINKS}{INPUT}{output}{rest}</model></sdf>'


OLD = model(JOINT.format("output", "0 0 0 0 0 0", "0 0 1", ""), GEARBOX)
PROPOSAL = model(JOINT.format("output", "0 0 0 0 0 0", "1 0 0", PROPOSED), version="1.11")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sdf"
    path.write_text(OLD)
    return path


def test_the_printed_example(old: Path, tmp_path: Path) -> None:
    done = gw.migrate(old, tmp_path / "new.sdf")
    assert done.ok and done.written
    assert done.difference == pytest.approx(0, abs=TOLERANCE)
    (change,) = done.changes
    assert (change.joint, change.axis, change.name, change.line) == ("gearbox_output_joint", "axis", "gearbox_demo", 1)
    assert change.mimic == PROPOSED.replace(">5<", ">-5<")
    robot = gw.load(tmp_path / "new.sdf")
    assert robot.couplings["gearbox_output_joint"].multiplier == -5
    assert not [d for d in robot.diagnostics if "deprecated" in d.code]


def test_the_proposals_own_rewriting_moves_otherwise(old: Path, tmp_path: Path) -> None:
    (tmp_path / "proposal.sdf").write_text(PROPOSAL)
    compared = gw.migrate(old, tmp_path / "proposal.sdf", check=True)
    assert not compared.ok and not compared.written
    assert compared.difference is not None and compared.difference > 0.1  # the output turns the other way
    assert (tmp_path / "proposal.sdf").read_text() == PROPOSAL
    gw.migrate(old, tmp_path / "new.sdf", verify=False)
    assert gw.migrate(old, tmp_path / "new.sdf", check=True).difference == pytest.approx(0, abs=TOLERANCE)


def test_the_proof_compiles_once(old: Path, tmp_path: Path) -> None:
    """Both files give one mechanism but for spellings, so the second finds its machine code on disk."""
    gw.migrate(old, tmp_path / "new.sdf", verify=False)
    both = [without_spelling(gw.load(path)) for path in (old, tmp_path / "new.sdf")]
    assert model_digest(both[0]) == model_digest(both[1])


def test_the_printed_text_itself(tmp_path: Path) -> None:
    block = next(b for b in printed("002") if 'type="gearbox"' in b)
    (tmp_path / "old.sdf").write_text(whole(block))
    assert gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf").difference == pytest.approx(0, abs=TOLERANCE)


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_random_gearboxes(tmp_path: Path, count: int) -> None:
    """Against two free joints held by θ₂ = −ratio·θ₁ of their links: no reader's sign is in the reference."""
    rng = np.random.default_rng(9)
    largest, signs = 0.0, set()
    for _ in range(count):
        gearbox = random_gearbox(rng)
        (tmp_path / "old.sdf").write_text(gearbox.file)
        done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf", verify=False)
        new = gw.load(tmp_path / "new.sdf", base="fixed")
        assert new.couplings["jo"].spelling == "mimic"
        speed, effort = rng.normal(0, 2), rng.normal(0, 1, 2)
        expected = gearbox_trajectory(gearbox, gw.loads(gearbox.without, base="fixed"), speed, effort)
        found = mimic_trajectory(new, speed, effort)
        largest = max(largest, float(np.abs(found - expected).max()))
        signs.add(np.sign(done.changes[0].multiplier * gearbox.ratio))
    assert largest < TOLERANCE
    assert signs == {-1.0, 1.0}  # both occur: a sign that is left out is found


def test_random_gearboxes_through_the_whole_proof(tmp_path: Path) -> None:
    """Floating, compiled, under random efforts: what `migrate` prints."""
    rng = np.random.default_rng(10)
    for _ in range(4):
        (tmp_path / "old.sdf").write_text(random_gearbox(rng).file)
        done = gw.migrate(tmp_path / "old.sdf", tmp_path / "new.sdf")
        assert done.difference == pytest.approx(0, abs=TOLERANCE)


def test_gravity_turns_the_random_gearboxes() -> None:
    """The comparison is of something that moves."""
    gearbox = random_gearbox(np.random.default_rng(3))
    free = gw.loads(gearbox.without, base="fixed")
    assert np.ptp(gearbox_trajectory(gearbox, free, 0.0, np.zeros(2)), axis=0).max() > 1e-3
    assert np.linalg.norm(GRAVITY) > 9
