"""Recordings of a bench: mechanism and buses."""

import can
import numpy as np
from pytest import approx

import gearwright as gw
from gearwright.hardware.frames import Frame
from gearwright.hardware.recorder import candump
from gearwright.sim.recorder.step_recorder import StepRecorder
from tests.tolerances import ROUNDING


def test_a_bench_records_mechanism_and_bus(wheel, tmp_path):
    with gw.serve(wheel, protocol="echo", clock="lockstep", record=tmp_path / "run.npz") as bench:
        bench.step(1)
        start = bench.rig.time
        with bench.can() as bus:
            bus.send(can.Message(arbitration_id=0x201, data=(500).to_bytes(2, "little"), is_extended_id=False))
        bench.step(100)
        final = bench.sim.position["axle"]
    recording = gw.Recording.open(tmp_path / "run.npz")
    assert recording.time[-1] == approx(start + 0.1, rel=ROUNDING)
    assert np.diff(recording.time) == approx(1e-3, rel=ROUNDING)
    assert recording.position["axle"][-1] == final > 0.1
    with can.LogReader(tmp_path / "run.can.log") as messages:
        seen = [m for m in messages if m.arbitration_id == 0x201]
    assert len(seen) == 1 and bytes(seen[0].data) == b"\xf4\x01" and seen[0].timestamp == approx(start, rel=ROUNDING)


def test_rows_are_those_of_a_run(wheel, tmp_path):
    """Stepped by others or by `run`: the same numbers."""
    sim = gw.compile(wheel)
    recorder = StepRecorder(sim, tmp_path / "steps.npz", every=3)
    for _ in range(300):
        sim.step(command={"motor": 0.1})
        recorder.keep()
    recorder.close()
    other = gw.compile(wheel)
    whole = other.run(0.3, command={"motor": 0.1}, every=3)
    steps = gw.Recording.open(tmp_path / "steps.npz")
    assert (steps.time == whole.time).all() and (steps.position["axle"] == whole.position["axle"]).all()


def test_candump_lines():
    assert candump(Frame(0x123, b"\1\xab"), 1.5) == "(1.500000) can0 123#01AB\n"
    assert candump(Frame(0x123, extended=True, remote=True), 0.0) == "(0.000000) can0 00000123#R\n"
    assert candump(Frame(1, bytes(12), fd=True, bitrate_switch=True), 0.0) == f"(0.000000) can0 001##1{'00' * 12}\n"
