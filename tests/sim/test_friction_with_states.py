"""Frictions with several states: dry friction by the time at rest, bristles whose level ages, and their names."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import gearwright as gw
from gearwright.kinds import BristleModel, FrictionModel, quantity
from gearwright.model.layout.friction_states import friction_states
from gearwright.sim.recordings.signal_names import find
from tests.sim.driven import body, rigid

INERTIA, DT = 0.5, 1e-3
EVERY = [{}, {"integrator": "euler"}, {"integrator": "euler", "solver": "pgs"}]


def aged(moved, time, age, renewal):
    """`dθ/dt = 1 − |v|·θ/D` over a way at constant speed."""
    renewed = np.abs(moved) / renewal
    far = renewed > 1e-4
    mean = np.where(far, (1.0 - np.exp(-renewed)) / np.where(far, renewed, 1.0), 1.0 - 0.5 * renewed)
    return time * mean + age * np.exp(-renewed)


@dataclass(frozen=True, kw_only=True)
class Ageing(FrictionModel):
    """Dry friction, by how long it has rested: from `kinetic` to `static`."""

    states: ClassVar[tuple[str, ...]] = ("age",)
    state_units: ClassVar[tuple[str, ...]] = ("s",)
    kinetic: float = quantity("N·m | N", above=0, doc="F_c", default=1.0)
    static: float = quantity("N·m | N", above=0, doc="F_s", default=2.0)
    aging_time: float = quantity("s", above=0, doc="τ", default=0.2)
    renewal: float = quantity("rad | m", above=0, doc="D", default=0.02)
    since: float = quantity("s", at_least=0, doc="age at the start", default=0.0)

    @property
    def initial(self):
        return (self.since,)

    def level_in(self, speed, state):
        (age,) = state
        return self.kinetic + (self.static - self.kinetic) * age / (age + self.aging_time) + 0.0 * speed

    def follow(self, moved, time, state):
        return (aged(moved, time, state[0], self.renewal),)


@dataclass(frozen=True, kw_only=True)
class AgeingBristles(BristleModel):
    """The same level, at which bristles slide."""

    states: ClassVar[tuple[str, ...]] = ("deflection", "age")
    state_units: ClassVar[tuple[str, ...]] = ("rad | m", "s")
    kinetic: float = quantity("N·m | N", above=0, doc="F_c", default=1.0)
    static: float = quantity("N·m | N", above=0, doc="F_s", default=2.0)
    stiffness: float = quantity("N·m/rad | N/m", above=0, doc="σ", default=1e3)
    damping: float = quantity("N·m·s/rad | N·s/m", at_least=0, doc="σ₁", default=5.0)

    @property
    def bristle_stiffness(self):
        return self.stiffness

    @property
    def bristle_damping(self):
        return self.damping

    def level_in(self, speed, state):
        _, age = state
        return self.kinetic + (self.static - self.kinetic) * age / (age + 0.2) + 0.0 * speed

    def follow(self, moved, time, state):
        deflection, age = state
        later = aged(moved, time, age, 0.02)
        after, _ = super().follow(moved, time, (deflection, 0.5 * (age + later)))
        return after, later


class HalfSaid(FrictionModel):
    states: ClassVar[tuple[str, ...]] = ("age",)

    def follow(self, moved, time, state):
        return state


class Loaded(HalfSaid):
    def level_under(self, speed, motor, external):
        return 1.0


class Forgotten(FrictionModel):
    states: ClassVar[tuple[str, ...]] = ("age",)

    def level(self, speed):
        return 1.0


class TwoStates(BristleModel):
    states: ClassVar[tuple[str, ...]] = ("deflection", "age")
    bristle_stiffness = 100.0

    def level(self, speed):
        return 1.0


class OtherOrder(TwoStates):
    states: ClassVar[tuple[str, ...]] = ("age", "deflection")


def wheel(model, dt=DT, **options):
    return gw.compile(rigid(body("j", INERTIA)).with_friction("j", model), dt=dt, **options)


# --- dry friction with states -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_a_long_rest_holds_exactly_what_a_short_one_does_not(options):
    sim = wheel(Ageing(), batch=2, **options)
    moving = []
    for rest in (100, 2000):  # levels 1.33 and 1.91 N·m
        sim.reset()
        sim.step(n=rest)
        sim.step(effort={"j": np.array([1.2, 1.6])}, n=500)
        moving.append(np.abs(sim.velocity["j"]) > (1e-9 if "solver" in options else 0.0))
    assert np.array_equal(moving, [[False, True], [False, False]])
    assert sim.friction["j"].age[0] == pytest.approx(2.5, abs=1e-9)


@pytest.mark.parametrize("options", EVERY, ids=str)
def test_a_level_with_states_in_steady_motion(options):
    """At speed v the age is D/v, and a push of that level keeps the speed."""
    sim, v = wheel(Ageing(since=0.02 / 0.5), **options), 0.5
    sim.reset(velocity={"j": v})
    sim.step(effort={"j": 1.0 + 1.0 / (1.0 + v * 0.2 / 0.02)}, n=20)
    assert sim.velocity["j"] == pytest.approx(v, abs=1e-9)


def test_a_level_with_states_is_of_second_order():
    def end(n):
        sim = wheel(Ageing(), dt=0.2 / n)
        sim.reset(velocity={"j": 0.5})
        sim.step(effort={"j": 2.5}, n=n)
        return sim.position["j"]

    exact = end(6400)
    errors = [abs(end(n) - exact) for n in (200, 400)]
    assert 3.5 < errors[0] / errors[1] < 5.0


def test_a_level_and_a_response_both_act():
    """Neither of them is left out."""

    @dataclass(frozen=True, kw_only=True)
    class Both(FrictionModel):
        states: ClassVar[tuple[str, ...]] = ("way",)

        def level(self, speed):
            return 1.0 + 0.0 * speed

        def respond(self, moved, time, state):
            return 0.5 + 0.0 * moved, (state[0] + moved,)

    sim = wheel(Both())
    sim.reset(velocity={"j": 3.0})
    sim.step(effort={"j": 2.0}, n=100)
    assert sim.velocity["j"] == pytest.approx(3.0 + 0.1 * (2.0 - 1.5) / INERTIA, rel=1e-9)
    assert sim.friction["j"].way == pytest.approx(sim.position["j"], rel=1e-9)


@pytest.mark.parametrize(
    ("kind", "lacks"),
    [
        (HalfSaid, r"level_in\(speed, state\) or respond"),
        (Loaded, "level_in.* in place of level_under"),
        (Forgotten, "respond"),
        (TwoStates, r"follow\(moved, time, state\)"),
        (OtherOrder, "'deflection' as the first of its states"),
    ],
)
def test_a_kind_that_leaves_its_states_open_is_refused(kind, lacks):
    with pytest.raises(gw.ModelError, match=f"{kind.__name__} must define .*{lacks}"):
        kind()


# --- bristles with further states -------------------------------------------------------------------------------------


def push(t):
    return 2.5 * np.cos(6.0 * t)


def swing(sim, seconds):
    for k in range(round(seconds / sim.dt)):
        sim.step(effort={"j": push(sim.dt * (k + 0.5))})
    return np.array([sim.position["j"], sim.velocity["j"], sim.friction["j"].deflection, sim.friction["j"].age])


def by_hand(seconds, steps):
    """Euler's method in tiny steps: position, speed, deflection, age."""
    h, x = seconds / steps, np.zeros(4)
    for k in range(steps):
        _, v, z, age = x
        bends = v - 1e3 * abs(v) * z / (1.0 + age / (age + 0.2))
        x = x + h * np.array([v, (push(h * k) - 1e3 * z - 5.0 * bends) / INERTIA, bends, 1.0 - abs(v) * age / 0.02])
    return x


@pytest.fixture(scope="module")
def exact():
    """Extrapolated: what is left of Euler's error is of second order in 10 µs."""
    return 2.0 * by_hand(1.0, 100_000) - by_hand(1.0, 50_000)


@pytest.mark.parametrize(("options", "error"), [({}, 1e-4), ({"integrator": "euler"}, 8e-3)], ids=str)  # dt², dt
def test_a_swing_of_bristles_that_age_is_that_of_their_equations(options, error, exact):
    errors = [np.abs(swing(wheel(AgeingBristles(), dt=dt, **options), 1.0) - exact) for dt in (DT, DT / 2)]
    assert errors[0].max() < error
    assert errors[1].max() < 0.6 * errors[0].max()


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
@pytest.mark.parametrize("options", EVERY[:2], ids=str)
def test_stiff_bristles_that_age_stop_a_wheel(options, stiffness):
    sim = wheel(AgeingBristles(stiffness=stiffness, damping=np.sqrt(stiffness)), **options)
    sim.reset(velocity={"j": 1.0})
    sim.step(n=3000)
    assert abs(sim.velocity["j"]) < 1e-3
    assert 0.5 * INERTIA / 2.0 - 0.01 < sim.position["j"] < 0.5 * INERTIA / 1.0 + 0.01  # between both levels
    assert sim.unsettled == 0


# --- names ------------------------------------------------------------------------------------------------------------


def crane():
    """Friction with states of a turning and of a sliding axis, of a motor and of its gear, and of a gear's twist."""
    text = "".join(body(n, INERTIA, kind) for n, kind in (("turn", "revolute"), ("lift", "prismatic")))
    motors = "<actuator name='m' type='ideal'><rotor_inertia>1e-3</rotor_inertia></actuator>"
    robot = rigid(text + motors)
    gear = gw.ElasticGear(stiffness=10.0, hysteresis=gw.Dahl(coulomb=0.1, stiffness=3.0))
    robot = robot.with_transmission(
        "gear", gw.SimpleTransmission(reduction=10.0), actuators="m", joints="turn", backlash=gear
    )
    robot = robot.with_friction("turn", gw.Dahl(coulomb=1.0, stiffness=40.0))
    robot = robot.with_friction("lift", AgeingBristles()).with_friction(
        "m", Ageing(kinetic=1e-4, static=2e-4, since=3.0)
    )
    return robot.with_friction("gear", gw.Dahl(coulomb=0.1, stiffness=4.0))


def test_states_have_names_units_and_starts():
    sim = gw.compile(crane(), dt=DT)
    assert sorted(sim.friction) == ["gear", "gear.hysteresis", "lift", "m", "turn"]
    units = {(s.family, s.name): s.unit for s in sim.signals.of_kind("friction")}
    assert units["friction.deflection", "turn"] == units["friction.deflection", "gear"] == "rad"
    assert units["friction.deflection", "lift"] == "m" and units["friction.age", "m"] == "s"
    assert sim.friction["m"].age == 3.0 and sim.friction["lift"].age == 0.0
    assert repr(sim.friction["m"]) == "<friction 'm': age=3>"
    with pytest.raises(AttributeError, match="friction 'm' has no 'deflection'; it has age"):
        _ = sim.friction["m"].deflection
    with pytest.raises(gw.GearwrightError, match="no friction named 'moter'"):
        sim.friction["moter"]


def test_each_friction_has_the_states_of_its_own_way():
    """Small ways, in which bristles follow: `dz = dx` but for what slides."""
    sim = gw.compile(crane(), dt=DT)
    sim.step(effort={"turn": 0.2, "lift": 0.3}, command={"m": 0.01}, n=20)
    turned, lifted, rotor = sim.position["turn"], sim.position["lift"], sim.position["m.rotor"]
    assert abs(turned) > 1e-6 and abs(lifted) > 1e-6 and abs(rotor) > 1e-6
    found = {n: sim.friction[n].deflection for n in ("turn", "lift", "gear", "gear.hysteresis")}
    ways = {"turn": turned, "lift": lifted, "gear": rotor, "gear.hysteresis": rotor - 10.0 * turned}
    for name, way in ways.items():
        assert found[name] == pytest.approx(way, rel=0.2), name


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet", "mcap"])
def test_recordings_have_them(tmp_path, ending):
    sim = gw.compile(rigid(body("j", INERTIA)).with_friction("j", gw.Dahl(coulomb=1.0, stiffness=40.0)), dt=DT)
    rec = sim.run(0.05, effort={"j": 0.5})
    assert rec.friction["j"].deflection[-1] == sim.friction["j"].deflection != 0.0
    rec.save(tmp_path / f"run.{ending}")
    again = gw.Recording.open(tmp_path / f"run.{ending}")
    assert np.array_equal(again.friction["j"].deflection, rec.friction["j"].deflection)
    assert again.schema.signal("friction.deflection", "j").unit == "rad"
    assert find(again.schema, "j.friction.deflection") == [again.schema.signal("friction.deflection", "j")]


def test_a_gear_of_two_motors_has_two_frictions():
    names = friction_states(differential())
    assert [*names] == ["gear.a", "gear.b"] and [f.places["deflection"] for f in names.values()] == [0, 1]


def differential():
    links = "".join(body(n, INERTIA) for n in ("left", "right"))
    motors = "".join(
        f"<actuator name='{n}' type='ideal'><rotor_inertia>1e-3</rotor_inertia></actuator>" for n in ("a", "b")
    )
    robot = rigid(links + motors).with_transmission(
        "gear", gw.LinearMap(matrix=((1.0, 1.0), (1.0, -1.0))), actuators=["a", "b"], joints=["left", "right"]
    )
    return robot.with_friction("gear", gw.Dahl(coulomb=1.0, stiffness=40.0))


def test_each_motor_of_such_a_gear_bends_its_own_bristles():
    sim = gw.compile(differential(), dt=DT)
    sim.step(command={"a": 0.3}, n=20)
    a, b = sim.friction["gear.a"].deflection, sim.friction["gear.b"].deflection
    assert a == pytest.approx(sim.actuator["a"].position, rel=0.1) and abs(b) < 0.5 * abs(a)


def test_where_nothing_acts_there_are_none():
    with pytest.warns(gw.NotSimulatedWarning):
        sim = gw.compile(crane(), dt=DT, integrator="rk4")
    assert [*sim.friction] == []


def test_a_state_that_is_not_finite_has_its_name():
    sim = wheel(replace(Ageing(), since=1.0))
    with pytest.raises(gw.GearwrightError, match="age of 'j'"):
        sim.batch_state.set("friction", [np.nan])
        sim.step()
