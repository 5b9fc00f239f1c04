"""A CiA 402 drive frame by frame: SDO, PDO, NMT, the state machine, modes and errors."""

from __future__ import annotations

import struct
from math import tau

import pytest

from gearwright.hardware.protocols.cia402.states import TRANSITIONS, Controlword, PowerState
from tests.hardware.can.turntable import Turntable

NODE, TURN = 3, 4096
FORMATS = {1: "<b", 2: "<h", 4: "<i"}
CONTROLWORD = {
    Controlword.DISABLE_VOLTAGE: 0x00, Controlword.STOP_QUICKLY: 0x02, Controlword.SHUTDOWN: 0x06,
    Controlword.SWITCH_ON: 0x07, Controlword.ENABLE: 0x0F,
}  # fmt: skip


class Master:
    """A client's side of one node."""

    def __init__(self, **kw) -> None:
        self.table = Turntable("cia402", NODE, **kw)
        self.boot = self.table.run(0.03)

    def sdo(self, *bytes_: int) -> bytes:
        (answer,) = [f for f in self.table.send(0x600 + NODE, bytes(bytes_)) if f.id == 0x580 + NODE]
        return answer.data

    def write(self, index: int, value: int, size: int, sub: int = 0) -> bytes:
        head = struct.pack("<BHB", 0x23 | (4 - size) << 2, index, sub)
        packed = (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        return self.sdo(*head, *packed.ljust(4, b"\0"))

    def read(self, index: int, sub: int = 0) -> int:
        data = self.sdo(*struct.pack("<BHB4x", 0x40, index, sub))
        assert data[0] != 0x80, data.hex()
        size = 4 - (data[0] >> 2 & 3)
        return int.from_bytes(data[4 : 4 + size], "little", signed=True)

    def nmt(self, command: int) -> None:
        self.table.send(0, bytes((command, NODE)))

    def enable(self, mode: int) -> None:
        self.write(0x6060, mode, 1)
        for word in (0x06, 0x07, 0x0F):
            self.write(0x6040, word, 2)
        assert self.status & 0x6F == 0x27

    @property
    def status(self) -> int:
        return self.read(0x6041) & 0xFFFF

    @property
    def power(self):
        return self.table.device.power


@pytest.fixture
def master() -> Master:
    return Master()


def abort(data: bytes) -> int:
    assert data[0] == 0x80
    return int.from_bytes(data[4:], "little")


# --- SDO --------------------------------------------------------------------------------------------------------------


def test_boot_up_comes_first(master):
    assert [(f.id, f.data) for f in master.boot] == [(0x703, b"\0")]


def test_text_is_read_in_segments(master):
    begin = master.sdo(0x40, 0x08, 0x10, 0, 0, 0, 0, 0)
    text, toggle, done = b"", 0, False
    while not done:
        segment = master.sdo(0x60 | toggle, 0, 0, 0, 0, 0, 0, 0)
        assert segment[0] & 0x10 == toggle
        text += segment[1 : 8 - (segment[0] >> 1 & 7)]
        done, toggle = bool(segment[0] & 1), toggle ^ 0x10
    assert begin[0] == 0x41 and int.from_bytes(begin[4:], "little") == len(text)
    assert text == b"Gearwright simulated drive"


def test_a_number_is_written_in_segments(master):
    assert master.sdo(0x21, 0x81, 0x60, 0, 4, 0, 0, 0)[0] == 0x60
    assert master.sdo(0x07, 0x39, 0x30, 0, 0, 0, 0, 0)[0] == 0x20
    assert master.read(0x6081) == 0x3039


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ("4000200000000000", 0x06020000),  # no such object
        ("4018100900000000", 0x06090011),  # no such subindex
        ("2341600001000000", 0x06010002),  # read-only
        ("2340600001000000", 0x06070010),  # four bytes for two
        ("2f60600077000000", 0x06090030),  # no such mode
        ("2f98600011000000", 0x06090030),  # a homing method that needs switches, which this joint has not
        ("a000000000000000", 0x06020000),  # a block of no object
        ("a008100000000000", 0x05040002),  # a block of no segments
        ("a300000000000000", 0x05040001),  # a block that has not begun
        ("6000000000000000", 0x05040001),  # a segment of nothing
    ],
)
def test_aborts(master, request_, code):
    assert abort(master.sdo(*bytes.fromhex(request_))) == code


def test_a_segment_with_the_wrong_toggle_is_aborted(master):
    master.sdo(0x40, 0x08, 0x10, 0, 0, 0, 0, 0)
    assert abort(master.sdo(0x70, 0, 0, 0, 0, 0, 0, 0)) == 0x05030000


def test_a_short_request_is_counted_and_not_answered(master):
    assert master.table.send(0x603, b"\x40\x00") == []
    assert master.table.device.malformed == 1


def test_every_object_is_read_and_written_without_an_exception(master):
    from gearwright.hardware.protocols.cia402.objects import OBJECTS

    for row in OBJECTS:
        if row.index in (0x1005, 0x1014) or 0x1400 <= row.index < 0x1C00 or row.index == 0x6040:
            continue
        data = master.sdo(*struct.pack("<BHB4x", 0x40, row.index, row.sub))
        assert data[0] != 0x80, hex(row.index)
        if row.type.size:
            answer = master.write(row.index, int(row.default), row.type.size, row.sub)
            writable = row.access == "rw" and row.index not in (0x1010, 0x1011)
            assert (answer[0] == 0x60) is writable, hex(row.index)


# --- PDO --------------------------------------------------------------------------------------------------------------


def test_state_is_sent_when_it_changes_and_every_100_ms(master):
    sent = master.table.send(0, b"\x01\x03")
    assert [(f.id, f.data[:2]) for f in sent] == [(0x183, b"\x50\x02")]
    assert len([f for f in master.table.run(1.0) if f.id == 0x183]) == 10
    (state,) = master.table.send(0x203, b"\x06\x00\x00")
    assert state.data[:2] == b"\x31\x02"


def test_motion_is_sent_at_sync_and_only_in_operational(master):
    assert master.table.send(0x80) == []
    master.nmt(1)
    assert [f.id for f in master.table.send(0x80)] == [0x283, 0x383]
    master.nmt(2)
    assert master.table.send(0x80) == [] and master.table.send(0x603, bytes(8)) == []


def test_a_synchronous_rpdo_waits_for_sync(master):
    master.write(0x1401, 0x80000303, 4, sub=1)
    master.write(0x1401, 1, 1, sub=2)
    master.write(0x1401, 0x303, 4, sub=1)
    master.nmt(1)
    master.table.send(0x303, struct.pack("<ii", 1234, 0))
    assert master.read(0x607A) == 0
    master.table.send(0x80)
    assert master.read(0x607A) == 1234


def test_pdos_are_remapped(master):
    assert abort(master.write(0x1A01, 0x60770010, 4, sub=1)) == 0x08000022  # while it is mapped
    master.write(0x1801, 0x80000283, 4, sub=1)
    master.write(0x1A01, 0, 1)
    assert abort(master.write(0x1A01, 0x60850020, 4, sub=1)) == 0x06040041  # not mappable
    for sub, entry in enumerate((0x60640020, 0x606C0020, 0x60770010), 1):
        assert master.write(0x1A01, entry, 4, sub=sub)[0] == 0x60
    assert abort(master.write(0x1A01, 3, 1)) == 0x06040042  # ten bytes
    master.write(0x1A01, 0x60770010, 4, sub=2)
    assert master.write(0x1A01, 2, 1)[0] == 0x60
    master.write(0x1801, 0x283, 4, sub=1)
    master.nmt(1)
    assert {f.id: len(f.data) for f in master.table.send(0x80)}[0x283] == 6


@pytest.mark.parametrize(("data", "code"), [(b"\x06", 0x8210), (b"\x06\0\0\0", 0x8220)])
def test_pdos_of_the_wrong_length_are_signalled(master, data, code):
    master.nmt(1)
    emergency = next(f for f in master.table.send(0x203, data) if f.id == 0x83)
    assert int.from_bytes(emergency.data[:2], "little") == code
    assert (master.status & 0x6F == 0x21) is (code == 0x8220)  # too long is taken, too short is not


# --- NMT --------------------------------------------------------------------------------------------------------------


def test_heartbeats_and_reset(master):
    master.write(0x1017, 50, 2)
    beats = [f for f in master.table.run(0.5) if f.id == 0x703]
    assert [f.data for f in beats] == [b"\x7f"] * 10
    master.nmt(0x81)
    assert master.table.run(0.1)[0].data == b"\0"
    assert master.read(0x1017) == 0


def test_node_guarding_toggles_and_its_loss_is_a_fault(master):
    master.write(0x100C, 100, 2)
    master.write(0x100D, 2, 1)
    master.nmt(1)
    master.enable(8)
    states = [master.table.send(0x703, remote=True)[0].data[0] for _ in range(4)]
    assert states == [0x05, 0x85, 0x05, 0x85]
    assert not any(f.id == 0x83 for f in master.table.run(0.19))
    assert [f.data[:2] for f in master.table.run(0.1) if f.id == 0x83] == [b"\x30\x81"]
    assert master.power.state is PowerState.FAULT and master.table.device.nmt.state == 0x7F


@pytest.mark.parametrize(("option", "state"), [(0, 0x27), (1, 0x08), (2, 0x40), (3, 0x40)])
def test_a_lost_heartbeat_does_what_6007_says(master, option, state):
    master.write(0x1016, 0x7F0064, 4, sub=1)  # node 127 every 100 ms
    master.write(0x6007, option, 2)
    master.enable(9)
    for _ in range(5):
        master.table.send(0x77F, b"\x05")
        master.table.run(0.09)
    assert master.status & 0x6F == 0x27
    assert any(f.data[:2] == b"\x30\x81" for f in master.table.run(0.2))
    assert master.status & 0x6F & (0x4F if state != 0x27 else 0xFF) == state


# --- state machine ----------------------------------------------------------------------------------------------------


PATH = {PowerState.SWITCH_ON_DISABLED: (), PowerState.READY: (6,), PowerState.SWITCHED_ON: (6, 7),
        PowerState.ENABLED: (6, 7, 15), PowerState.QUICK_STOP: (6, 7, 15, 2)}  # fmt: skip


@pytest.mark.parametrize("state", PATH)
@pytest.mark.parametrize("command", Controlword)
def test_transitions(master, state, command):
    master.write(0x605A, 6, 2)  # stays in quick stop
    for word in PATH[state]:
        master.write(0x6040, word, 2)
    assert master.power.state is state
    master.write(0x6040, CONTROLWORD[command], 2)
    assert master.power.state is TRANSITIONS.get((state, command), state)
    assert master.status & (0x4F if master.power.state.value in (0, 0x40, 8) else 0x6F) == master.power.state.value


def test_a_fault_is_reset_by_a_rising_edge_once_its_cause_is_gone(master):
    master.enable(8)
    master.table.drive.faults.over_temperature = 200.0
    sent = master.table.run(0.1)
    assert [f.data[:3] for f in sent if f.id == 0x83] == [b"\x10\x43\x09"]
    assert master.status & 0x4F == 0x08 and master.read(0x603F) == 0x4310 and master.read(0x1001) == 0x09
    master.write(0x6040, 0x80, 2)
    assert master.status & 0x4F == 0x08
    master.table.drive.faults.over_temperature = None
    master.table.run(0.01)
    master.write(0x6040, 0x00, 2)
    (_answer, cleared) = master.table.send(0x603, bytes.fromhex("2b40600080000000"))
    assert cleared.id == 0x83 and cleared.data == bytes(8)
    assert master.status & 0x4F == 0x40 and master.read(0x603F) == 0
    assert (master.read(0x1003), master.read(0x1003, 1)) == (1, 0x4310)


# --- modes ------------------------------------------------------------------------------------------------------------


def test_profile_position_goes_there_and_acknowledges(master):
    master.enable(1)
    master.write(0x607A, 2 * TURN, 4)
    assert not master.status & 0x1000
    master.write(0x6040, 0x1F, 2)
    assert master.status & 0x1000
    master.table.run(1.0)  # 10 turns/s²: at 1 turn/s after 0.1 s
    assert master.read(0x6064) == pytest.approx(0.95 * TURN, abs=8)  # counts: two steps
    assert not master.status & 0x0400
    master.table.run(2.0)
    assert abs(master.read(0x6064) - 2 * TURN) <= 1 and master.status & 0x0400
    master.write(0x6040, 0x0F, 2)
    assert not master.status & 0x1000


def test_a_second_setpoint_waits_or_takes_over(master):
    master.enable(1)
    for target, word in ((TURN, 0x1F), (2 * TURN, 0x1F)):  # the second waits
        master.write(0x6040, 0x0F, 2)
        master.write(0x607A, target, 4)
        master.write(0x6040, word, 2)
    master.write(0x6040, 0x0F, 2)
    assert master.status & 0x1000  # still: the buffer is full
    master.table.run(4.0)
    assert abs(master.read(0x6064) - 2 * TURN) <= 1 and not master.status & 0x1000
    master.write(0x607A, -TURN, 4)
    master.write(0x6040, 0x1F | 0x40, 2)  # relative
    master.table.run(3.0)
    assert abs(master.read(0x6064) - TURN) <= 1


def test_halt_stops_and_the_profile_goes_on(master):
    master.enable(1)
    master.write(0x607A, 3 * TURN, 4)
    master.write(0x6040, 0x1F, 2)
    master.table.run(1.0)
    master.write(0x6040, 0x11F, 2)
    master.table.run(0.5)
    assert master.read(0x606C) == 0 and master.status & 0x0400
    master.write(0x6040, 0x1F, 2)
    master.table.run(4.0)
    assert abs(master.read(0x6064) - 3 * TURN) <= 1


def test_velocity_modes(master):
    master.enable(3)
    master.write(0x60FF, 2 * TURN, 4)
    master.table.run(1.0)
    assert master.read(0x606C) == pytest.approx(2 * TURN, abs=1) and master.status & 0x0400
    master.write(0x6060, 9, 1)
    assert master.read(0x6061) == 9
    master.write(0x60FF, -TURN, 4)
    master.table.run(1.0)
    assert master.read(0x606C) == pytest.approx(-TURN, abs=1)


def test_torque_modes_are_in_permille_of_the_rating(master):
    master.enable(4)
    master.write(0x6071, 100, 2)  # at 1000 ‰/s: 0.1 s, and 0.1 s at 0.2 N·m on 0.01 kg·m²
    master.table.run(0.1)
    master.table.run(0.1)
    assert master.read(0x6077) == 100
    assert master.table.true[1] == pytest.approx(0.2 / 0.01 * 0.15, rel=0.02)  # the ramp goes by whole milliseconds
    master.write(0x6060, 10, 1)
    master.write(0x6071, -500, 2)
    master.table.run(0.01)
    assert master.read(0x6077) == -500


def test_cyclic_position_interpolates(master):
    master.write(0x60C2, 10, 1, sub=1)  # 10 ms
    master.enable(8)
    for k in range(1, 101):
        master.write(0x607A, k * TURN // 100, 4)
        master.table.run(0.01)
    assert abs(master.read(0x60F4)) <= 1
    assert master.read(0x606C) == pytest.approx(TURN, rel=0.005)  # targets are whole counts


def test_software_limits_hold_and_are_shown(master):
    master.write(0x607D, TURN, 4, sub=2)
    master.enable(1)
    master.write(0x607A, 5 * TURN, 4)
    master.write(0x6040, 0x1F, 2)
    master.table.run(2.0)
    assert abs(master.read(0x6064) - TURN) <= 1 and master.status & 0x0800


@pytest.mark.parametrize(("method", "home"), [(37, 0.3), (35, 0.3), (34, 1.0), (33, 0.0)])
def test_homing(master, method, home):
    master.table.true[0] = 0.3 * tau
    master.table.run(0.002)
    master.write(0x607C, 100, 4)
    master.write(0x6098, method, 1)
    master.enable(6)
    assert master.status & 0x3400 == 0x0400  # not started
    master.write(0x6040, 0x1F, 2)
    master.table.run(0.001)
    assert master.status & 0x3400 == (0x1400 if method > 34 else 0)
    master.table.run(20.0 if method < 35 else 0.1)
    assert master.status & 0x3400 == 0x1400
    assert master.read(0x6064) == pytest.approx((master.table.true[0] / tau - home) * TURN + 100, abs=2)


def test_homing_at_a_stop(master):
    master.write(0x6098, -3, 1)
    master.enable(6)
    master.write(0x6040, 0x1F, 2)
    master.table.run(1.0)
    assert master.status & 0x3400 == 0
    master.table.jammed = True
    master.table.run(0.5)
    assert master.status & 0x3400 == 0x1400 and abs(master.read(0x6064)) <= 1


@pytest.mark.parametrize(("option", "state"), [(2, 0x40), (6, 0x07), (1, 0x40), (5, 0x07)])
def test_quick_stop_slows_down_by_its_ramp(master, option, state):
    master.write(0x605A, option, 2)
    master.write(0x6085, 20 * TURN, 4)
    master.enable(3)
    master.write(0x60FF, 4 * TURN, 4)
    master.table.run(1.0)
    before = master.read(0x6064)
    master.write(0x6040, 0x02, 2)
    assert master.status & 0x6F == 0x07
    ramp = 20 if option in (2, 6) else 10
    master.table.run(4 / ramp + 0.1)
    assert master.status & (0x4F if state == 0x40 else 0x6F) == state
    way = (master.read(0x6064) - before) / TURN
    assert way == pytest.approx(16 / (2 * ramp), abs=0.01)  # v²/2a; a step is 0.004


# --- faults as the drive sees them ------------------------------------------------------------------------------------


def code_of(master) -> int:
    return master.read(0x603F) & 0xFFFF


def test_a_frozen_encoder_is_a_following_error(master):
    master.enable(1)
    master.table.drive.faults.encoder_freeze = True
    master.write(0x607A, 4 * TURN, 4)
    master.write(0x6040, 0x1F, 2)
    master.table.run(1.0)
    assert code_of(master) == 0x8611 and master.power.state is PowerState.FAULT


def test_an_open_winding_is_seen_because_no_current_flows(master):
    master.enable(10)
    master.table.drive.faults.open_winding = True
    master.write(0x6071, 500, 2)
    master.table.run(0.3)
    assert code_of(master) == 0x7122


def test_a_jam_blocks_velocity_modes_and_shows_the_limit(master):
    master.enable(9)
    master.table.jammed = True
    master.write(0x60FF, TURN, 4)
    master.table.run(0.9)
    assert master.status & 0x0800 and master.read(0x6077) == 2000  # the current limit, 4 A of 2 A
    master.table.run(3.0)
    assert code_of(master) == 0x7121


def test_an_overload_is_twice_the_rated_current_for_a_second(master):
    master.enable(10)
    master.table.jammed = True
    master.write(0x6071, 2000, 2)
    master.table.run(0.9)
    assert code_of(master) == 0
    master.table.run(0.3)
    assert code_of(master) == 0x2310


def test_under_voltage(master):
    master.enable(8)
    master.table.drive.supply.voltage = 5.0
    master.table.run(0.1)
    assert code_of(master) == 0x3220 and not master.status & 0x10


def test_parameters_are_stored_and_restored(master):
    master.write(0x6081, 777, 4)
    assert abort(master.write(0x1010, 1, 4, sub=1)) == 0x08000000
    assert master.write(0x1010, 0x65766173, 4, sub=1)[0] == 0x60
    master.nmt(0x81)
    master.table.run(0.1)
    assert master.read(0x6081) == 777
    kept = master.table.device.memory
    other = Master()
    other.table.device.memory = kept
    other.table.run(0.1)
    assert other.read(0x6081) == 777
    master.write(0x1011, 0x64616F6C, 4, sub=1)
    master.nmt(0x81)
    master.table.run(0.1)
    assert master.read(0x6081) == TURN
