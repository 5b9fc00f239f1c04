"""Dampers of one coordinate act as one, wherever they sit."""

import pytest

import gearwright as gw
from gearwright.dynamics import Equations
from gearwright.dynamics.constraints.moment import Moment
from gearwright.dynamics.steps.passive import passive_terms
from gearwright.dynamics.tree.coordinates import State

MOMENT, DT = 0.1, 0.01
WHEEL = """
  <link name="{name}"><inertial>
    <mass value="1"/><inertia ixx="{moment}" iyy="{moment}" izz="{moment}"/>
  </inertial></link>
  <joint name="{name}_turn" type="continuous">
    <parent link="base"/><child link="{name}"/><axis xyz="0 0 1"/><dynamics damping="{damping}"/>{mimic}
  </joint>"""


def wheels(*dampers: tuple[float, float]) -> gw.Mechanism:
    """A wheel with the first damper; others turn with it, at (ratio, damping), and weigh nothing."""
    text = '<robot name="wheels"><link name="base"/>'
    for k, (ratio, damping) in enumerate(dampers):
        mimic = f'<mimic joint="w0_turn" multiplier="{ratio}"/>' if k else ""
        text += WHEEL.format(name=f"w{k}", moment=1e-12 if k else MOMENT, damping=damping, mimic=mimic)
    return gw.loads(text + "</robot>")


def speed_after_a_step(*dampers: tuple[float, float]) -> float:
    """From 1 rad/s."""
    sim = gw.compile(wheels(*dampers), dt=DT)
    sim.reset(velocity={"w0_turn": 1.0})
    sim.step()
    return float(sim.velocity["w0_turn"])


@pytest.mark.parametrize("damping", [0.1, 10.0, 1e5])
def test_dampers_of_a_coordinate_decay_as_one(damping):
    """By 1/(1 + z + z²/2), z = dt·Σ m²·d/I, however the sum is made. Found 1.1e-16."""
    z = DT * damping / MOMENT
    expected = 1.0 / (1.0 + z + 0.5 * z * z)
    alone = speed_after_a_step((1.0, damping))
    shared = speed_after_a_step((1.0, 0.2 * damping), (-2.0, 0.15 * damping), (0.5, 0.8 * damping))
    assert alone == pytest.approx(expected, abs=1e-15)
    assert shared == pytest.approx(expected, abs=3e-11)  # the followers' inertia, 4.25e-12 of 0.1


def test_without_dampers_nothing_decays():
    assert speed_after_a_step((1.0, 0.0), (3.0, 0.0)) == pytest.approx(1.0, abs=1e-15)


def test_one_term_a_coordinate():
    model = Equations(wheels((1.0, 0.2), (-2.0, 0.15), (0.5, 0.8))).model
    tree = model.tree(State([0.1], [1.0]))
    (term,) = passive_terms(model, Moment.of_instant(tree, model.configuration(tree), DT, model.dof))
    assert term.J == {0: 1.0}
    assert term.slope == pytest.approx(DT * (0.2 + 4.0 * 0.15 + 0.25 * 0.8), rel=1e-15)
