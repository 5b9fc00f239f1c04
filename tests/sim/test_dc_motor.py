"""Brushed motors: current, heat and energy against closed forms, and the same motor as one function of the user's."""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.sim.driven import wheel
from tests.sim.test_actuators import NEXT, halving
from tests.tolerances import ROUNDING

R, K, L, J = 2.0, 0.05, 0.01, 4e-4  # [Ω], [N·m/A], [H], [kg·m²]
DC = gw.DCMotor(name="motor", resistance=R, torque_constant=K, inductance=L, command="voltage")
HELD = (-1.0, 0.0)  # a stop that the motor pushes against


def told(actuator, dt, t, value, **options):
    sim = compile(wheel(actuator, J, **options), dt=dt)
    sim.step(command={"motor": value}, n=round(t / dt))
    return sim


# --- electrical -----------------------------------------------------------------------------------------------------


def test_steady_speed_and_current():
    """12 V, unloaded: ω = V/k and no current. Loaded with L: `i = load/k`, `ω = (V − R·i)/k`.

    The slower time constant is J·R/k² = 0.32 s; 30 of them leave 1e-13.
    """
    sim = told(DC, 1e-3, 30 * J * R / K**2, 12.0)
    assert sim.velocity["j"] == pytest.approx(240.0, rel=1e-12)
    assert sim.actuator["motor"].current == pytest.approx(0.0, abs=3e-12)
    sim.step(effort={"j": -0.1}, n=10_000)
    assert sim.actuator["motor"].current == pytest.approx(2.0, rel=ROUNDING)
    assert sim.velocity["j"] == pytest.approx((12.0 - R * 2.0) / K, rel=1e-12)
    assert sim.actuator["motor"].voltage == pytest.approx(12.0, rel=1e-12)


def test_the_electrical_time_constant():
    """Held still: `i = V/R·(1 − e^(−t·R/L))` to second order, and in each step exactly `E = 1/(1 + x + x²/2)`."""
    T = L / R

    def current(dt):
        return told(DC, dt, T, 12.0, limit=HELD).actuator["motor"].current

    assert halving(current, 6.0 * (1 - exp(-1.0)), (T / 100, T / 200, T / 400)) == pytest.approx(4.0, abs=NEXT)
    rec = compile(wheel(DC, J, limit=HELD), dt=1e-3).run(0.05, command={"motor": 12.0})
    x = 1e-3 / T
    expected = 6.0 * (1 - (1 + x + 0.5 * x * x) ** -np.arange(51.0))
    assert rec.actuator["motor"].current == pytest.approx(expected, rel=1e-14)
    assert told(DC, 1e-3, 30 * T, 12.0, limit=HELD).actuator["motor"].current == pytest.approx(
        6.0, rel=1e-11
    )  # what 30 time constants leave


def test_electrical_and_mechanical_together():
    """Two coupled time constants: `v = s·[i, ω]` with the matrix exponential of the two equations, to second order."""
    A = np.array([[-R / L, -K / L], [K / J, 0.0]])
    steady = -np.linalg.solve(A, [12.0 / L, 0.0])
    rates, modes = np.linalg.eig(A)
    t = 0.1
    exact = steady - (modes * np.exp(rates * t)) @ np.linalg.solve(modes, steady)

    def end(dt, part):
        sim = told(DC, dt, t, 12.0)
        return (sim.actuator["motor"].current, sim.velocity["j"])[part]

    for part in (0, 1):
        assert halving(lambda dt, part=part: end(dt, part), exact[part].real, (2e-4, 1e-4, 5e-5)) == pytest.approx(
            4.0, abs=2 * NEXT
        )


@pytest.mark.parametrize("inductance", [0.0, 1e-9, 1.0])
def test_stable_with_any_inductance_and_none(inductance):
    sim = compile(wheel(replace(DC, inductance=inductance, supply_voltage=24.0), J, 300.0), dt=1e-2)
    rec = sim.run(2.0, command={"motor": lambda t: 12.0 * np.sign(np.sin(9 * t))})
    assert np.abs(rec.actuator["motor"].velocity).max() < 2 * 240.0
    current = np.abs(rec.actuator["motor"].current)
    # the gear has next to no load; with 1 H it rings at 750 rad/s, which no step of 10 ms resolves; without any, the
    # current is the mean of a step: from full speed ahead to full speed back in 10 ms takes 4.3 mA
    assert current.max() < {0.0: 4.3e-3, 1.0: 0.03}.get(inductance, 1e-3)
    assert current[-1] < 1e-5  # and dies away, by a third a step


def test_the_supply_saturates():
    """A torque command beyond what 12 V drives: as a voltage command of 12 V, from start to no-load speed."""
    drive = told(replace(DC, command="effort", supply_voltage=12.0), 1e-3, 0.3, 5.0)
    volts = told(replace(DC, supply_voltage=12.0), 1e-3, 0.3, 12.0)
    assert drive.state == pytest.approx(volts.state, rel=ROUNDING)
    assert told(replace(DC, supply_voltage=12.0), 1e-3, 0.3, 500.0).state == pytest.approx(volts.state, rel=ROUNDING)
    below = told(replace(DC, command="effort", supply_voltage=12.0), 1e-3, 0.05, 0.02)  # within it: the torque itself
    # 12 V bring up to 1 A in a step, and 0.4 A are asked for
    assert below.velocity["j"] == pytest.approx(0.05 * 0.02 / J, rel=ROUNDING)
    assert below.actuator["motor"].current == pytest.approx(0.02 / K, rel=1e-12)


def test_a_current_limit_is_a_torque_limit():
    sim = told(replace(DC, effort_limit=0.05), 1e-3, 0.05, 48.0)
    assert sim.actuator["motor"].current == pytest.approx(1.0, rel=1e-12)
    assert sim.velocity["j"] == pytest.approx(0.05 * 0.05 / J, rel=1e-12)  # 48 V bring 4 A in a step


# --- heat -----------------------------------------------------------------------------------------------------------

WARM = replace(DC, inductance=0.0, thermal_resistance=5.0, thermal_capacitance=0.4)


def test_the_thermal_time_constant():
    """Held at 2 A: 8 W warm it to 25 + 40 °C with 2 s."""

    def temperature(dt):
        return told(WARM, dt, 2.0, 4.0, limit=HELD).actuator["motor"].temperature

    assert halving(temperature, 25.0 + 40.0 * (1 - exp(-1.0)), (2e-2, 1e-2, 5e-3)) == pytest.approx(2.0, abs=0.02)
    n = 12 * log(10) / log(1 + 1e-2 / 2.0)
    sim = told(WARM, 1e-2, n * 1e-2, 4.0, limit=HELD)
    assert sim.actuator["motor"].temperature == pytest.approx(65.0, rel=3e-12)


def test_a_warm_winding_draws_less():
    """`ΔT = R_th·V²/(R·(1 + α·ΔT))`: a quadratic equation for the temperature at which it stays."""
    alpha, V = 0.0039, 4.0
    hot = replace(WARM, temperature_coefficient=alpha)
    sim = told(hot, 1e-2, 60.0, V, limit=HELD)
    rise = (sqrt(1 + 4 * alpha * 5.0 * V**2 / R) - 1) / (2 * alpha)
    assert sim.actuator["motor"].temperature == pytest.approx(25.0 + rise, rel=1e-13)
    assert sim.actuator["motor"].current == pytest.approx(V / (R * (1 + alpha * rise)), rel=1e-13)


# --- energy ---------------------------------------------------------------------------------------------------------


def balance(dt):
    """A second of driving and braking: what the supply gave; what is stored, lost as heat; the step's own loss.

    A step takes `i⁺·L·Δi = Δ(½·L·i²) + ½·L·Δi²` and `ω⁺·J·Δω = Δ(½·J·ω²) + ½·J·Δω²`.
    """
    rec = compile(wheel(replace(WARM, inductance=L, damping=1e-5), J), dt=dt, integrator="euler").run(
        1.0, command={"motor": lambda t: 12.0 * np.sin(7 * t)}
    )
    m = rec.actuator["motor"]
    i, w, V, T = m.current, rec.velocity["j"], m.voltage, m.temperature
    supplied = dt * (V * i).sum()
    heat, rubbed = dt * (R * i**2).sum(), dt * (1e-5 * w**2).sum()
    stored = 0.5 * L * i[-1] ** 2 + 0.5 * J * w[-1] ** 2
    own = 0.5 * L * (np.diff(i, prepend=0.0) ** 2).sum() + 0.5 * J * (np.diff(w, prepend=0.0) ** 2).sum()
    kept, left = 0.4 * (T[-1] - 25.0), dt * ((T - 25.0) / 5.0).sum()
    return supplied, heat + rubbed + stored, own, heat - kept - left


def test_the_supply_pays_for_motion_heat_and_what_is_stored():
    """Exactly, with the implicit step's own loss; and the heat is in the winding or has left it, exactly too."""
    supplied, spent, own, unaccounted = balance(1e-3)
    assert supplied == pytest.approx(spent + own, rel=2e-14)
    assert abs(unaccounted) < ROUNDING * spent


def test_without_the_steps_own_loss_it_holds_to_first_order():
    gaps = [supplied - spent for supplied, spent, _, _ in map(balance, (1e-3, 5e-4, 2.5e-4))]
    assert np.array(gaps[:-1]) / gaps[1:] == pytest.approx(2.0, abs=0.02)  # the next order in dt
    assert gaps[-1] < 0.0025 * balance(2.5e-4)[0]


# --- the user's own -------------------------------------------------------------------------------------------------


def own_motor(command, speed, state, dt):
    """A brushed motor with a supply and a winding that warms up, in five lines."""
    resistance = R * (1 + 0.0039 * (state["temperature"] - 25.0))
    volts = np.clip(command, -12.0, 12.0)
    i = (volts + L / dt * state["current"] - K * speed) / (resistance + L / dt)
    warmth = (0.4 * state["temperature"] + dt * (resistance * i * i + 25.0 / 5.0)) / (0.4 + dt / 5.0)
    return K * i, {"current": i, "temperature": warmth}


@pytest.mark.parametrize("ratio", [None, 300.0])
def test_one_function_is_the_shipped_motor(ratio):
    """To 1e-12: the same formulas with other roundings. A step of first order has both at its end."""
    shipped = replace(WARM, inductance=L, supply_voltage=12.0, temperature_coefficient=0.0039, rotor_inertia=1e-6)
    own = gw.CustomActuator(
        name="motor", function=own_motor, memory={"current": 0.0, "temperature": 25.0}, rotor_inertia=1e-6
    )
    runs = [
        compile(wheel(a, J, ratio), integrator="euler").run(0.5, command={"motor": lambda t: 20.0 * np.sin(9 * t)})
        for a in (shipped, own)
    ]
    for read in (
        lambda rec: rec.velocity["j"],
        lambda rec: rec.actuator["motor"].torque,
        lambda rec: rec.actuator["motor"].current,
        lambda rec: rec.actuator["motor"].temperature,
    ):
        a, b = map(read, runs)
        assert np.abs(a - b).max() < ROUNDING * np.abs(a).max()


def test_a_function_that_branches_is_told_when_it_is_compiled():
    def branching(command, speed, state):
        if speed > 3.0:
            return 0.0
        return command

    with pytest.raises(gw.TracingError, match=r"actuator motor.*line \d+.*np\.where"):
        compile(wheel(gw.CustomActuator(name="motor", function=branching)))


def test_a_function_with_a_jump_is_met():
    """Bang-bang: full torque below 5 rad/s, none above. The step ends on one side, and the effort is that side's."""

    def switch(command, speed, state):
        return np.where(speed < 5.0, command, 0.0)

    sim = compile(wheel(gw.CustomActuator(name="motor", function=switch), 0.01), dt=1e-3)
    sim.step(command={"motor": 1.0}, n=49)
    assert sim.velocity["j"] == pytest.approx(4.9, rel=1e-14)
    sim.step(n=100)
    assert sim.velocity["j"] == pytest.approx(5.0, abs=1e-13)  # on the jump
