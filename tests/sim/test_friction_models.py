"""Dry friction by speed: what holds, what slides, and that it never gives."""

import pickle

import numpy as np
import pytest

import gearwright as gw
from gearwright.model.frictions import Stribeck
from tests.sim.driven import body, rigid

STRIBECK = (
    "<dynamics>{}<friction_model type='stribeck'><static>2</static><coulomb>1</coulomb>"
    "<stribeck_velocity>0.1</stribeck_velocity></friction_model></dynamics>"
)
EVERY = [{}, {"integrator": "euler"}, {"integrator": "euler", "solver": "pgs"}]
INERTIA, DT = 0.5, 1e-3


def wheel(more=""):
    return rigid(body("j", INERTIA).replace("</axis>", STRIBECK.format(more) + "</axis>"))


def test_the_level():
    """63 % of the difference is gone at the Stribeck velocity."""
    model = wheel().joints["j"].axes[0].dynamics.friction_model
    assert model == Stribeck(static=2.0, coulomb=1.0, stribeck_velocity=0.1)
    assert model.level(np.array([0.0, 0.1, 10.0])) == pytest.approx([2.0, 1.0 + np.exp(-1.0), 1.0], rel=1e-15)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_it_breaks_away_and_slides(options):
    sim = gw.compile(wheel("<friction>0.5</friction>"), dt=DT, **options)  # 0.5 more, at any speed
    sim.step(effort={"j": 2.49}, n=100)
    assert abs(sim.velocity["j"]) < 1e-15
    sim.step(effort={"j": 2.51}, n=1)
    assert sim.velocity["j"] == pytest.approx(0.01 * DT / INERTIA, rel=2e-6)  # it falls by (v/v_s)² already
    sim.reset(velocity={"j": 5.0})
    sim.step(effort={"j": 2.5}, n=100)
    assert sim.velocity["j"] == pytest.approx(5.0 + 100 * DT * (2.5 - 1.5) / INERTIA, rel=1e-12)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_it_only_takes_energy(options, rng):
    """From any speed without a push: slower in every step, and at rest it stays."""
    sim = gw.compile(wheel(), dt=DT, batch=64, **options)
    sim.reset(velocity={"j": rng.normal(size=64)})
    energy = sim.kinetic_energy
    for _ in range(40):
        sim.step(n=40)
        after = sim.kinetic_energy
        assert (after <= energy + 1e-30).all()  # what sweeps leave of a speed at rest, squared
        energy = after
    assert np.abs(sim.velocity["j"]).max() < 1e-14


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("stribeck'", "stribek'", "no friction model 'stribek'; did you mean 'stribeck'"),
        ("<coulomb>1</coulomb>", "", "a stribeck friction needs <coulomb>"),
        ("<coulomb>1<", "<coulomb>-1<", "coulomb cannot be negative"),
    ],
)
def test_what_a_file_says_wrongly(old, new, says):
    text = body("j").replace("</axis>", STRIBECK.format("") + "</axis>")
    with pytest.raises(gw.LoadError, match=says):
        rigid(text.replace(old, new))


def test_it_is_left_out_of_rk4_and_goes_along_in_a_pickle():
    with pytest.warns(gw.NotSimulatedWarning, match="friction does not act with rk4: that of 'j'"):
        gw.compile(wheel(), dt=DT, integrator="rk4")
    robot = pickle.loads(pickle.dumps(wheel()))
    assert robot.joints["j"].axes[0].dynamics.friction_model == Stribeck(static=2.0, coulomb=1.0, stribeck_velocity=0.1)
