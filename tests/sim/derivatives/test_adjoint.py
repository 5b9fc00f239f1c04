"""The adjoint method against forward derivatives, which differ in every line."""

import numpy as np
import pytest

import gearwright as gw
from tests.sim.derivatives.test_sensitivity import ARM, driven_arm
from tests.sim.robots import LIMITED

STEPS = np.arange(400)


def test_the_gradient_of_a_driven_arm(rng):
    sim = driven_arm()
    given = {"parameters": ARM, "state": ("elbow.position", "elbow.velocity")}
    weights = {"elbow.position": rng.normal(size=401), "energy": rng.normal(size=401), "motor.torque": 0.5}
    command = {"motor": 0.25 * np.sin(0.012 * STEPS)}
    found = sim.gradient(0.4, weights, **given, command=command)
    forward = sim.sensitivity(0.4, outputs=tuple(weights), commands=("motor", "elbow"), **given, command=command)
    full = [np.broadcast_to(w, 401) for w in weights.values()]
    expected = dict(zip(forward.inputs, sum(w @ forward.matrix[:, i] for i, w in enumerate(full)), strict=True))
    assert found.value == pytest.approx(sum(w @ y for w, y in zip(full, forward.values.values(), strict=True)))
    for name, value in {**found.parameters, **found.state}.items():
        assert value == pytest.approx(expected[name], rel=1e-8), name
    assert found.commands["motor"].sum() == pytest.approx(expected["motor.command"], rel=1e-8)
    assert found.efforts["elbow"].sum() == pytest.approx(expected["elbow.effort"], rel=1e-8)


def test_the_effort_of_one_step_at_a_stop():
    """Each entry of the gradient by efforts is the difference that this one step's effort makes."""
    sim = gw.compile(gw.loads(LIMITED))
    sim.reset(position={"elbow": 0.9}, velocity={"elbow": 4.0})
    effort = 0.3 * np.cos(0.02 * np.arange(200))
    last = np.append(np.zeros(200), 1.0)
    found = sim.gradient(0.2, {"shoulder.position": last}, effort={"elbow": effort})
    for k in (3, 60, 150):
        ends = []
        for sign in (1, -1):
            changed = effort.copy()
            changed[k] += sign * 0.1
            ends.append(sim.sensitivity(
                0.2, outputs="shoulder.position", parameters="gravity.z", effort={"elbow": changed}
            ).values["shoulder.position"][-1])  # fmt: skip
        assert found.efforts["elbow"][k] == pytest.approx((ends[0] - ends[1]) / 0.2, rel=1e-3)


def test_a_loss_as_a_function(rng):
    """½·Σ (y − y*)², with y − y* as its derivative, of a batch."""
    sim = gw.compile("examples/motor_arm.sdf", batch=2)
    sim.reset(position={"elbow": np.array([0.3, -0.2])})
    wanted = rng.normal(size=(11, 2))
    loss = (("elbow.position",), lambda y: {"elbow.position": y["elbow.position"] - wanted})
    found = sim.gradient(0.1, loss, parameters="arm.mass", every=10)
    forward = sim.sensitivity(0.1, outputs="elbow.position", parameters="arm.mass", every=10)
    y = forward.values["elbow.position"]
    expected = ((y - wanted) * forward["elbow.position", "arm.mass"]).sum(axis=0)
    assert found.parameters["arm.mass"] == pytest.approx(expected, rel=1e-8)
    assert found.commands["motor"].shape == (100, 2)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"elbow.pos": 1.0}, "elbow.position"),
        ({"elbow.position": np.ones(3)}, "shape"),
        (3.0, "mapping"),
        ((("elbow.position",), lambda y: 4), "mapping"),
        ((("elbow.position",), lambda y: {"elbow.velocity": 1.0}), "elbow.position"),
    ],
)
def test_refused(weights, says):
    with pytest.raises(gw.GearwrightError, match=says):
        driven_arm().gradient(0.01, weights)
