"""Efficiency of gears: solved with the motion, in both directions of power, up to gears that lock themselves."""

from math import atan2, cos, pi, radians, tan

import numpy as np
import pytest

import gearwright as gw
from tests.sim.driven import motor, wheel
from tests.tolerances import ROUNDING

STEPS = pytest.mark.parametrize("dt", [1e-3, 5e-3])
BOTH = pytest.mark.parametrize("integrator", ["midpoint", "euler"])


def slide(k, **losses):
    drive = gw.Actuator(name="motor", command="position", stiffness=k, damping_gain=2 * np.sqrt(k))
    return wheel(drive, 1.0, 1.0, kind="prismatic", losses=gw.Losses(**losses))


@STEPS
@BOTH
@pytest.mark.parametrize("k", [1e3, 1e5, 1e7])
def test_behind_a_stiff_drive_the_gear_takes_its_share_of_the_load(k, integrator, dt):
    """1 kg led along a ramp of 1 m/s: 2/0.8 N against 2 N, and 0.75·2 N where 2 N pull along: η_b = 2 − 1/0.8."""
    for load, expected in ((-2.0, 2.5), (2.0, -1.5)):
        sim = gw.compile(slide(k, efficiency=0.8), dt=dt, integrator=integrator)
        lossless = gw.compile(slide(k), dt=dt, integrator=integrator)
        lag = []
        for each in (sim, lossless):
            rec = each.run(2.0, command={"motor": lambda t: t}, effort={"j": load})
            lag.append(np.mean((rec.time - rec.position["j"])[-50:]))
        # what rounding of positions near 2 m leaves of k·lag
        assert -load + k * (lag[0] - lag[1]) == pytest.approx(expected, abs=1e-5 + 1e-14 * k)
        assert sim.actuator["motor"].torque == pytest.approx(expected, abs=1e-5 + 1e-14 * k)


@pytest.mark.parametrize("seed", range(3))
def test_work_in_is_what_is_stored_and_what_the_gear_loses(seed):
    """An arm with a curve, rotor, efficiency and friction follows a path against gravity for 2 s: to 0.1 %.

    The readings are the motor's torque and position. Of the effort behind its rotor, the gear loses (1 − η)·T·Δa where
    the motor drives, and (1/η_b − 1) where it is driven back.
    """
    rng = np.random.default_rng(seed)
    eta, inertia, n = rng.uniform(0.6, 0.95), 0.3, 50.0
    drive = motor(
        command="position", stiffness=10 ** rng.uniform(1, 2), damping_gain=1.0, rotor_inertia=2e-5, stall_torque=3.0,
        no_load_speed=400.0,
    )  # fmt: skip
    sim = gw.compile(wheel(drive, inertia, n, losses=gw.Losses(efficiency=eta, friction=0.02)))
    w = rng.uniform(2, 4)
    rec = sim.run(2.0, command={"motor": lambda t: 20.0 * (1 - np.cos(w * t))}, effort={"j": lambda t: -8.0 + 0 * t})
    a, shown = np.diff(rec.actuator["motor"].position), rec.actuator["motor"].torque[1:]
    T = shown - 2e-5 * np.diff(rec.actuator["motor"].velocity) / sim.dt
    power = T * a
    back = 2 - 1 / eta
    lost = np.where(power > 0, (1 - eta) * power, (1 / back - 1) * -power).sum() + 0.02 * np.abs(a).sum()
    lifted = 8.0 * rec.position["j"][-1]
    stored = rec.kinetic_energy[-1] - rec.kinetic_energy[0]
    assert (shown * a).sum() == pytest.approx(stored + lifted + lost, abs=1e-3 * np.abs(shown * a).sum())


# --- gears that lock themselves -------------------------------------------------------------------------------------


@STEPS
@BOTH
@pytest.mark.parametrize("rotor", [0.0, 1e-6])
@pytest.mark.parametrize("losses", [(0.3, None), (0.05, None), (0.7, 0.0)])
@pytest.mark.filterwarnings("ignore:.*locks itself")
def test_a_gear_that_locks_itself_holds_any_load(losses, rotor, integrator, dt):
    given = gw.Losses(efficiency=losses[0], backward_efficiency=losses[1])
    robot = wheel(motor(rotor_inertia=rotor), 0.02, 50.0, losses=given)
    sim = gw.compile(robot, dt=dt, integrator=integrator)
    for load in (2.0, -2.0, 1e4):
        sim.step(effort={"j": load}, n=100)
        assert sim.velocity["j"] == pytest.approx(0.0, abs=ROUNDING)
    assert sim.position["j"] == pytest.approx(0.0, abs=ROUNDING)


@BOTH
def test_a_motor_lifts_and_lowers_the_load_of_a_gear_that_locks_itself(integrator):
    """Up it takes load/η, and down −η_b·load in the direction of the motion: the load does not help.

    The rotor is heavier than −η_b times the load: behind a lighter one, such a gear jams as it goes down, and lets go.
    """
    drive = gw.Actuator(name="motor", command="position", stiffness=1e4, damping_gain=200.0, rotor_inertia=1.0)
    losses = gw.Losses(efficiency=0.4, backward_efficiency=-0.5)
    sim = gw.compile(wheel(drive, 1.0, 1.0, kind="prismatic", losses=losses), integrator=integrator)
    sim.run(1.0, command={"motor": lambda t: t}, effort={"j": -2.0})
    assert sim.actuator["motor"].torque == pytest.approx(2.0 / 0.4, rel=1e-6)  # what 1 s leaves of the start
    sim.run(1.0, command={"motor": lambda t: 2.0 - t}, effort={"j": -2.0})
    # the load is that of the last step, and the motor feels 1e-4 of it beside
    assert sim.velocity["j"] == pytest.approx(-1.0, rel=0.01)  # which rings a little
    assert sim.actuator["motor"].torque == pytest.approx(-0.5 * 2.0, rel=0.01)  # the same


def test_an_efficiency_below_a_half_is_reported():
    def says(**losses):
        robot = wheel(motor(), 0.02, 50.0, losses=gw.Losses(**losses))
        return [d.message for d in robot.with_actuator(motor()).diagnostics if d.code == "self-locking"]

    (message,) = says(efficiency=0.3)
    assert "below 0.5, it locks itself" in message and "2 − 1/0.3 = -1.33" in message
    assert not says(efficiency=0.5) and not says(efficiency=0.3, backward_efficiency=0.2)


# --- threads --------------------------------------------------------------------------------------------------------


def geared(kind, elements):
    joint = "prismatic" if kind == "screw" else "revolute"
    return gw.loads(f"""<sdf version="1.11"><model name="m">
      <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
      <joint name="j" type="{joint}"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
      <actuator name="m" type="ideal"/><transmission name="g" type="{kind}">{elements}<actuator>m</actuator>
      <joint>j</joint></transmission></model></sdf>""").transmissions["g"]


def test_a_screw_and_a_worm_have_the_efficiencies_of_their_threads():
    """`η = tan γ/tan(γ + ρ)`, `η_b = tan(γ − ρ)/tan γ`; of a worm by its pressure angle, as books write it."""
    screw = geared(
        "screw", "<lead>0.002</lead><diameter>0.01</diameter><friction_coefficient>0.1</friction_coefficient>"
    )
    g, rho = atan2(0.002, pi * 0.01), np.arctan(0.1)
    assert screw.losses.efficiency == pytest.approx(tan(g) / tan(g + rho), rel=1e-12)
    assert screw.losses.backward_efficiency == pytest.approx(tan(g - rho) / tan(g), rel=1e-12) and g < rho
    worm = geared(
        "worm",
        "<worm_starts>2</worm_starts><wheel_teeth>40</wheel_teeth><lead_angle>0.2</lead_angle>"
        "<friction_coefficient>0.05</friction_coefficient>",
    )
    assert worm.map.reduction == 20.0
    c, mu = cos(radians(20)), 0.05
    assert worm.losses.efficiency == pytest.approx((c - mu * tan(0.2)) / (c + mu / tan(0.2)), rel=1e-12)
    assert worm.losses.backward_efficiency == pytest.approx((c - mu / tan(0.2)) / (c + mu * tan(0.2)), rel=1e-12)
    assert geared("screw", "<lead>0.002</lead>").losses.lossless
    given = geared(
        "screw", "<lead>0.002</lead><efficiency>0.6</efficiency><backward_efficiency>0.1</backward_efficiency>"
    )
    assert (given.losses.efficiency, given.losses.backward_efficiency) == (0.6, 0.1)


def test_threads_that_cannot_be():
    friction = "<friction_coefficient>0.1</friction_coefficient>"
    for elements, says in (("", "needs <diameter>"), ("<diameter>-1</diameter>", "must be positive")):
        with pytest.raises(gw.LoadError, match=says):
            geared("screw", f"<lead>0.002</lead>{elements}{friction}")
    with pytest.raises(gw.ModelError, match="transmits nothing"):
        gw.Losses.of_thread(lead_angle=1.4, friction_coefficient=0.5)


def test_in_a_series_the_whole_locks_itself_where_a_stage_does():
    stages = gw.Series([gw.SimpleTransmission(reduction=2)])
    assert stages.backward_efficiency_at(1.0, 1.0) == 1.0
