"""A rotor that is a body: its gyroscopic torque, against I·ω×Ω and steady precession. A reflected one has none."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.sim import compile
from tests.tolerances import ROUNDING

RATIO, ROTOR, WHEEL = 50.0, 2e-5, 1e-6  # motor to wheel; of the rotor and of the wheel, about any axis [kg·m²]
MASS, ARM = 0.4, 0.15  # of the boom that carries the motor [kg], and where its weight is, from the pivot [m]


def boom(rotor, gravity=0.0):
    """A boom along x that yaws about z and pitches about y; a motor on it spins a wheel about x."""

    def link(name, mass, at, inertia):
        return f"""<link name="{name}"><inertial><pose>{at} 0 0 0 0 0</pose><mass>{mass}</mass><inertia>
          <ixx>{inertia}</ixx><iyy>{inertia}</iyy><izz>{inertia}</izz></inertia></inertial></link>"""

    def joint(name, parent, child, axis):
        return f"""<joint name="{name}" type="continuous"><parent>{parent}</parent><child>{child}</child>
          <axis><xyz>{axis}</xyz></axis></joint>"""

    return gw.loads(f"""<sdf version="1.11"><world name="w"><gravity>0 0 {-gravity}</gravity><model name="gyroscope">
      {link("post", 1.0, 0, 1e-3)}{link("boom", MASS, ARM, 1e-3)}{link("wheel", 1e-3, 0, WHEEL)}
      {joint("yaw", "world", "post", "0 0 1")}{joint("pitch", "post", "boom", "0 1 0")}
      {joint("spin", "boom", "wheel", "1 0 0")}
      <actuator name="motor" type="electric_motor"><rotor_inertia>{ROTOR}</rotor_inertia>
        <rotor>{rotor}</rotor></actuator>
      <transmission name="gear" type="simple"><actuator>motor</actuator><joint>spin</joint>
        <mechanical_reduction>{RATIO}</mechanical_reduction></transmission></model></world></sdf>""")


def bias(rotor, **velocity):
    sim = compile(boom(rotor))
    sim.reset(velocity=velocity)
    return dict(zip(sim.coordinates, sim.bias(), strict=True))


def test_the_reaction_is_the_rotors_momentum_turned_round():
    """Level, with turn rates Ω about z and p about y: the boom needs `Ω × I·ω`, I·ω·Ω about y and −I·ω·p about z.

    About x the boom's own turning accelerates it by −Ω·p, which its gear has to bear.
    """
    yaw, pitch, spin = 3.0, -2.0, 8.0
    body, reflected = (bias(r, yaw=yaw, pitch=pitch, spin=spin) for r in ("body", "reflected"))
    momentum = ROTOR * RATIO * spin
    turning = np.cross([0.0, pitch, yaw], [momentum, 0.0, 0.0])  # about x, y, z
    assert body["pitch"] - reflected["pitch"] == pytest.approx(turning[1], rel=1e-13, abs=1e-16)
    assert body["yaw"] - reflected["yaw"] == pytest.approx(turning[2], rel=1e-13, abs=1e-16)
    assert body["motor.rotor"] == pytest.approx(-ROTOR * yaw * pitch, rel=1e-13, abs=1e-16)
    assert "motor.rotor" not in reflected
    # what reflected leaves is the wheel's own
    assert reflected["pitch"] == pytest.approx(WHEEL * spin * yaw, rel=1e-13, abs=1e-16)
    assert abs(turning[1]) > 100 * abs(reflected["pitch"])


@pytest.mark.parametrize("solver", ["direct", "pgs", "tgs"])
def test_a_boom_precesses_instead_of_falling(solver):
    """Ω·H = m·g·l about the vertical is a steady motion of the level boom: no step changes it. Reflected, it falls."""
    spin, gravity = 60.0, 2.0
    momentum = (RATIO * ROTOR + WHEEL) * spin
    rate = MASS * ARM * gravity / momentum  # [rad/s]
    sims = [compile(boom(rotor, gravity), solver=solver) for rotor in ("body", "reflected")]
    for sim in sims:
        sim.reset(velocity={"yaw": rate, "spin": spin})
    steady, falling = (sim.run(1.0) for sim in sims)
    assert np.abs(steady.position["pitch"]).max() < 1e-12
    assert np.abs(steady.velocity["yaw"] - rate).max() < ROUNDING * rate
    assert steady.position["yaw"][-1] == pytest.approx(rate, rel=1e-12)  # in one second
    assert np.abs(falling.position["pitch"]).max() > 0.5
