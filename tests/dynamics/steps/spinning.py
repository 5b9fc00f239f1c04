"""A spinning body, and the stages of its step one by one."""

import numpy as np

from gearwright.dynamics import Equations
from gearwright.dynamics.steps.builder import Repeat, Unless
from gearwright.model import WORLD, Inertia, Joint, Link, Mechanism
from tests.dynamics.stepping import run, started

MOMENTS = (0.1, 0.2, 0.25)


def body_on_a_ball(precision="double"):
    """Asymmetric, on a ball joint: iterations contract by about dt times its speed."""
    body = Link(name="b", inertia=Inertia(mass=1.0, moments=MOMENTS))
    ball = Joint(name="j", kind="ball", parent=WORLD, child="b")
    robot = Mechanism(name="top", links={"b": body}, joints={"j": ball}, gravity=(0, 0, 0))
    return Equations(robot, integrator="midpoint", precision=precision)


def spun(top, speed, dt, steps):
    """Slots after each step, from a spin about no principal axis."""
    slots = started(top, [1, 0, 0, 0], speed * np.array([0.35, 0.9, -0.25]), dt=dt)
    for _ in range(steps):
        slots["fresh"] = np.zeros(1)
        run(top.stages, slots)
        yield slots


def stage(top, name):
    def found(body):
        for node in body:
            if isinstance(node, Repeat | Unless):
                yield from found(node.body)
            elif node.name() == name:
                yield node

    return next(found(top.stages))


def one_iteration(top, slots, **changed):
    slots = {**slots, **{name: np.atleast_1d(x) for name, x in changed.items()}}
    run([stage(top, "iterate")], slots)
    if not slots["converged"][0]:
        run([stage(top, "relax")], slots)
    return slots
