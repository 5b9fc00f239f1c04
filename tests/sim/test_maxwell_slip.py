"""Springs that slide at their own levels, against loops drawn point by point and their equations in tiny steps."""

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from tests.sim.driven import body, rigid

INERTIA, DT = 0.5, 1e-3
ELEMENTS = ((40.0, 0.4), (30.0, 0.6), (10.0, 0.5), (5.0, 0.5))  # slide from 10, 20, 50 and 100 mrad on
MODEL = gw.MaxwellSlip(elements=ELEMENTS)
LEVEL = sum(level for _, level in ELEMENTS)
EVERY = [{}, {"integrator": "euler"}, {"integrator": "euler", "solver": "pgs"}]


def wheel(model=MODEL, dt=DT, **options):
    return gw.compile(rigid(body("j", INERTIA)).with_friction("j", model), dt=dt, **options)


def first_push(x):
    """The curve of a way from rest."""
    return sum(np.minimum(k * x, level) for k, level in ELEMENTS)


def effort(sim):
    return sum(k * getattr(sim.friction["j"], f"deflection_{i}") for i, (k, _) in enumerate(ELEMENTS, 1))


def test_a_prescribed_way_draws_masings_loops():
    """Out to 80 mrad; back to 30 and out again: the small loop ends where it began, and the way on is as without it."""
    sim = wheel(drives={"j": gw.Drive(kinematic=True)})

    def to(q):
        for x in np.linspace(sim.position["j"], q, 51)[1:]:
            sim.drive(position={"j": x})
            sim.step()
        return effort(sim)

    out = to(0.08)
    assert out == pytest.approx(first_push(0.08), abs=1e-9)
    back = to(0.03)
    assert back == pytest.approx(out - 2.0 * first_push(0.05 / 2.0), abs=1e-9)
    assert to(0.05) == pytest.approx(back + 2.0 * first_push(0.02 / 2.0), abs=1e-9)
    assert to(0.08) == pytest.approx(out, abs=1e-9)
    assert to(0.09) == pytest.approx(first_push(0.09), abs=1e-9)


def push(t):
    return 3.5 * np.cos(6.0 * t)


def by_hand(seconds, steps):
    """Symplectic Euler in tiny steps: position, speed."""
    h, q, v = seconds / steps, 0.0, 0.0
    k, level = np.array(ELEMENTS).T
    z = np.zeros(len(k))
    for n in range(steps):
        v += h * (push(h * (n + 0.5)) - k @ z) / INERTIA
        q += h * v
        z = np.clip(z + h * v, -level / k, level / k)
    return np.array([q, v])


@pytest.fixture(scope="module")
def exact():
    return 2.0 * by_hand(1.0, 100_000) - by_hand(1.0, 50_000)


@pytest.mark.parametrize(("options", "error"), [({}, 1e-5), ({"integrator": "euler"}, 1e-2)], ids=str)  # dt², dt
def test_a_swing_is_that_of_its_equations(options, error, exact):
    errors = []
    for dt in (DT, DT / 2):
        sim = wheel(dt=dt, **options)
        for n in range(round(1.0 / dt)):
            sim.step(effort={"j": push(dt * (n + 0.5))})
        errors.append(np.abs(np.array([sim.position["j"], sim.velocity["j"]]) - exact).max())
    assert errors[0] < error and errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_all_of_it_slides_with_the_sum_of_the_levels(options):
    sim = wheel(**options)
    sim.reset(velocity={"j": 5.0})
    sim.step(effort={"j": 3.0}, n=100)
    before = sim.velocity["j"]
    sim.step(effort={"j": 3.0}, n=1000)
    assert sim.velocity["j"] - before == pytest.approx((3.0 - LEVEL) / INERTIA, rel=1e-9)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_it_takes_energy_from_any_state(options, rng):
    sim = wheel(batch=64, **options)
    sim.reset(velocity={"j": rng.normal(size=64)})

    def energy():
        bent = (0.5 * k * getattr(sim.friction["j"], f"deflection_{i}") ** 2 for i, (k, _) in enumerate(ELEMENTS, 1))
        return sim.kinetic_energy + sum(bent)

    before = energy()
    for _ in range(60):
        sim.step(n=10)
        after = energy()
        assert (after <= before * (1 + 1e-9) + 1e-14).all()
        before = after


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("options", EVERY[:2], ids=str)
def test_stiff_elements_stop_a_wheel(options, stiffness):
    sim = wheel(replace(MODEL, elements=((stiffness, 1.2), (stiffness / 3.0, 0.8))), **options)
    sim.reset(velocity={"j": 1.0})
    sim.step(n=2000)
    assert sim.position["j"] == pytest.approx(0.5 * INERTIA / 2.0, abs=0.002 + 10 / stiffness)
    assert sim.unsettled == 0


def test_files_name_it():
    text = (
        "<dynamics><friction_model type='maxwell_slip'><elements>40 0.4 30 0.6 10 0.5 5 0.5</elements>"
        "</friction_model></dynamics></axis>"
    )
    robot = rigid(body("j", INERTIA).replace("</axis>", text))
    assert robot == rigid(body("j", INERTIA)).with_friction("j", MODEL)
    with pytest.raises(gw.LoadError, match="joint 'j': stiffnesses and levels are positive"):
        rigid(body("j", INERTIA).replace("</axis>", text.replace("40 0.4", "40 0")))
