"""Every fault, as a client sees it through the protocol's own status."""

import pytest
from pytest import approx

import gearwright as gw
from gearwright.hardware.bench import Bench
from gearwright.hardware.faults import FAULTS, Wire
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols import feetech
from gearwright.hardware.protocols.feetech_table import SENSOR, TEMPERATURE, VOLTAGE
from gearwright.hardware.rig import Rig

ID, TORQUE, GOAL, POSITION, CURRENT_NOW, LIFT, PAN = 5, 40, 42, 56, 69, 2, 1


class Line:
    """A host on a bench's serial line, with its faults."""

    def __init__(self, bench):
        self.bench, self.received = bench, b""
        (self.network,) = bench.lines.values()
        self.network.send = self._take

    def _take(self, data):
        self.received += data

    def send(self, servo, instruction, parameters=b""):
        self.received = b""
        self.network.receive(feetech.packet(servo, instruction, bytes(parameters)))
        return self.received

    def write(self, servo, address, value, size=1):
        return self.send(servo, feetech.WRITE, bytes((address,)) + value.to_bytes(size, "little"))

    def read(self, servo, address, size=2):
        return int.from_bytes(self.send(servo, feetech.READ, (address, size))[5:-1], "little")

    def error(self, servo):
        return self.send(servo, feetech.PING)[4]


@pytest.fixture
def line(rig):
    bench = Bench(rig, clock="lockstep")  # not started: time is ours
    yield Line(bench)
    bench.close()


PING_1 = feetech.packet(1, 0)


def test_every_fault_of_the_table_has_a_test():
    tested = {name.split("__")[1].replace("_", "-") for name in globals() if name.startswith("test__")}
    assert tested == set(FAULTS)


def test__drop(line):
    line.bench.faults.inject("drop", value=0.25)
    answered = sum(line.send(1, feetech.PING) == PING_1 for _ in range(400))
    assert answered / 400 == approx(0.75**2, abs=0.06)  # slack: of request and answer; 2.4 deviations of 0.025
    line.bench.faults.clear()
    assert line.send(1, feetech.PING) == PING_1


def test__delay(line):
    line.bench.faults.inject("delay", value=0.005)
    assert line.send(1, feetech.PING) == b""
    line.bench.advance(9)
    assert line.received == b""
    line.bench.advance(2)  # there and back
    assert line.received == PING_1


def test__duplicate(line):
    line.bench.faults.inject("duplicate")
    assert line.send(1, feetech.PING) == 4 * PING_1  # the request arrives twice, and so does each answer


def test__corrupt(line):
    line.bench.faults.inject("corrupt")
    assert [line.send(1, feetech.PING) for _ in range(50)].count(PING_1) == 0
    line.bench.faults.clear("corrupt")
    line.bench.advance(200)  # what the line holds of a broken packet is given up
    assert line.send(1, feetech.PING) == PING_1


def test__bus_off(line):
    line.bench.faults.inject("bus-off")
    assert line.send(1, feetech.PING) == b""
    line.bench.faults.clear()
    assert line.send(1, feetech.PING) == PING_1


def test__unplug(line):
    line.write(PAN, TORQUE, 1)
    line.bench.faults.inject("unplug", "shoulder_pan")
    line.bench.advance(1)
    assert line.send(1, feetech.PING) == b"" and line.send(2, feetech.PING)
    line.bench.faults.clear()
    line.bench.advance(1)
    assert line.send(1, feetech.PING) == PING_1
    assert line.read(PAN, TORQUE, 1) == 0  # it has started anew


def test__encoder_freeze(line):
    line.bench.faults.inject("encoder-freeze", "shoulder_pan")
    line.bench.hold("shoulder_pan", 0.5)
    line.bench.advance(1000)
    assert line.bench.sim.position["shoulder_pan"] == approx(0.5, abs=0.01)  # the hand's stiffness
    assert line.read(PAN, POSITION) == 2048 and line.error(PAN) == SENSOR


def test__open_winding(line):
    line.write(PAN, TORQUE, 1)
    line.bench.faults.inject("open-winding", "shoulder_pan")
    line.write(PAN, GOAL, 2300, 2)
    line.bench.advance(500)
    assert line.read(PAN, POSITION) == 2048 and line.read(PAN, CURRENT_NOW) == 0


def test__stall(line):
    line.write(PAN, TORQUE, 1)
    line.bench.faults.inject("stall", "shoulder_pan")
    line.write(PAN, GOAL, 2300, 2)
    line.bench.advance(500)
    assert line.read(PAN, POSITION) == approx(2048, abs=8)
    assert line.read(PAN, CURRENT_NOW) > 300  # 2 A: the bridge is fully on
    line.bench.faults.clear()
    line.bench.advance(1000)
    assert line.read(PAN, POSITION) == approx(2300, abs=1)


def test__over_temperature(line):
    line.write(PAN, TORQUE, 1)
    line.bench.faults.inject("over-temperature", "shoulder_pan", 95)
    line.bench.advance(20)
    assert line.error(PAN) == TEMPERATURE and line.read(PAN, 63, 1) == 95 and line.read(PAN, TORQUE, 1) == 0


def test__under_voltage(line):
    line.bench.faults.inject("under-voltage")
    line.bench.advance(2)  # the voltage of a step is seen at the end of the next
    assert line.error(PAN) == VOLTAGE and line.read(PAN, 62, 1) == round(10 * 0.45 * 7.4)
    line.bench.faults.clear()
    line.bench.advance(2)
    assert line.error(PAN) == 0


def test__brown_out(line):
    line.write(PAN, TORQUE, 1)
    line.write(PAN, 48, 300, 2)
    line.bench.faults.inject("brown-out", value=0.02)
    line.bench.advance(2)
    assert line.send(1, feetech.PING) == b""
    line.bench.advance(30)
    assert line.send(1, feetech.PING) == PING_1
    assert line.read(PAN, TORQUE, 1) == 0 and line.read(PAN, 48) == 1000  # RAM is lost


# --- the wire itself -------------------------------------------------------------------------------------------------


def test_a_bit_rate_makes_frames_follow_each_other_by_priority():
    wire, arrived = Wire(bitrate=1e6), []
    for number in (0x300, 0x100, 0x200):
        wire.carry(Frame(number, bytes(8)), number, 0.0, lambda f: arrived.append(f.id))
    wire.release(0.5 * 133e-6)
    assert arrived == []
    wire.release(140e-6)  # (44 + 64)·1.2 + 3 bits are 133 µs
    assert arrived == [0x100]
    wire.release(500e-6)
    assert arrived == [0x100, 0x200, 0x300]


def test_a_corrupt_can_frame_is_lost():
    wire, arrived = Wire(corrupt=1.0), []
    wire.carry(Frame(1, b"\1"), 1, 0.0, arrived.append)
    assert arrived == [] and wire.lost == 1


def test_a_delayed_wire_holds_so_many_items():
    wire = Wire(delay=1.0)
    for _ in range(20_000):
        wire.carry(b"x", None, 0.0, lambda data: None)
    assert wire.lost == 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dorp",), "did you mean 'drop'"),
        (("stall",), "takes the name of an actuator"),
        (("drop", "shoulder_pan"), "takes no actuator"),
        (("stall", "shoulder"), "shoulder_pan"),
        (("drop", None, -1.0), "0 … 1"),
        (("drop", None, float("nan")), "0 … 1"),
        (("drop", None, 2.0), "takes a probability, 0 … 1, not 2"),
        (("delay", None, -1.0), "takes seconds, 0 or more"),
    ],
)
def test_faulty_faults_are_refused(line, arguments, message):
    with pytest.raises(gw.GearwrightError, match=message):
        line.bench.faults.inject(*arguments)


def test_the_same_seed_loses_the_same_frames(desk_arm):
    def lost(seed):
        bench = Bench(Rig.of(desk_arm), clock="lockstep", seed=seed)
        host = Line(bench)
        bench.faults.inject("drop", value=0.5)
        result = [host.send(1, feetech.PING) for _ in range(40)]
        bench.close()
        return result

    assert lost(1) == lost(1) != lost(2)
