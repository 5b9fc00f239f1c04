"""Kernels that look at the state: evaluated when it has changed, and not otherwise."""

import numpy as np

import gearwright as gw
from gearwright.sim import compile
from tests.sim.robots import FOLLOWING


def test_a_probe_is_evaluated_once_for_a_state(double_pendulum, monkeypatch):
    sim = compile(double_pendulum, batch=2)
    probe, calls = sim.probes["energy"], []
    step = probe.instance.step
    monkeypatch.setattr(probe.instance, "step", lambda: calls.append(1) or step())
    for _ in range(3):
        _ = sim.kinetic_energy, sim.potential_energy
    assert len(calls) == 1
    sim.step()
    assert (sim.energy == sim.kinetic_energy + sim.potential_energy).all() and len(calls) == 2
    sim.state = np.zeros_like(sim.state)
    assert not sim.kinetic_energy.any() and len(calls) == 3


def test_a_kernel_is_compiled_when_it_is_first_read():
    kernels, sim = [], compile(gw.loads(FOLLOWING))
    build = sim.probes.kernels.__class__.__getitem__
    sim.probes.kernels = type(
        "Watched", (), {"__getitem__": lambda _, name: kernels.append(name) or build(sim.kernels, name)}
    )()
    read = sim.probes.reader(sim.signals.family("position").signals["follower"])
    assert kernels == []
    assert read() == sim.position["follower"] and kernels == ["tree"]
