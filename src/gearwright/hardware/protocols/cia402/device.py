"""A CiA 402 drive on CANopen: dispatches frames to SDO, PDO, NMT and SYNC, and keeps their timers."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from gearwright.hardware.device import CanDevice
from gearwright.hardware.drive import MotorDrive
from gearwright.hardware.frames import Frame
from gearwright.hardware.protocols.cia402 import aborts, errors, nmt
from gearwright.hardware.protocols.cia402.aborts import SdoAbortError
from gearwright.hardware.protocols.cia402.axis import defaults
from gearwright.hardware.protocols.cia402.data_sheets import read_sheet
from gearwright.hardware.protocols.cia402.dictionary import INDICES, Dictionary, Key
from gearwright.hardware.protocols.cia402.errors import Emergencies
from gearwright.hardware.protocols.cia402.homing import METHODS, TO_SWITCH
from gearwright.hardware.protocols.cia402.nmt import Nmt
from gearwright.hardware.protocols.cia402.pdo import COUNT, REMOTE, ReceivePdo, TransmitPdo
from gearwright.hardware.protocols.cia402.power import PowerStage
from gearwright.hardware.protocols.cia402.sdo import SdoServer
from gearwright.hardware.protocols.loop_gains import ROUNDING, elapsed

TICK = 1e-3  # [s] of profiles, state machine and TPDO events
SAVE, LOAD = 0x65766173, 0x64616F6C  # "save", "load"
COMMANDS = frozenset({0x6040, 0x6060, 0x6071, 0x607A, 0x60B0, 0x60B1, 0x60B2, 0x60FF})  # not kept across power cycles
FAULT, DISABLE_VOLTAGE, QUICK_STOP = 1, 2, 3  # reactions to a lost partner, object 6007


class Cia402(CanDevice):
    """One drive."""

    def __init__(self, drive: MotorDrive, node: int, options: Mapping[str, str] | None = None) -> None:
        super().__init__(drive, node, options)
        self.stored: dict[str, int] = {}
        sheet = read_sheet(self.options["eds"], node, INDICES) if "eds" in self.options else None
        self.objects = Dictionary(node, defaults(drive), sheet)
        self.emergencies = Emergencies(node, self.objects)
        self.nmt = Nmt(node, self.objects)
        self.sdo = SdoServer(self.objects, self._written)
        self.receive = [ReceivePdo(self.objects, 0x1400 + n, 0x1600 + n) for n in range(COUNT)]
        self.transmit = [TransmitPdo(self.objects, 0x1800 + n, 0x1A00 + n) for n in range(COUNT)]
        self.power = PowerStage(drive, self.objects, self.emergencies)
        self._connect()
        self.power_on(0.0)

    def _connect(self) -> None:
        """Objects that are read live, and those whose writing does something."""
        o, power, axis = self.objects, self.power, self.power.axis
        o.live |= {
            (0x6041, 0): power.statusword,
            (0x6061, 0): lambda: power.mode.code,
            (0x6062, 0): lambda: round(axis.profile.position),
            (0x6063, 0): lambda: round(axis.encoder),
            (0x6064, 0): lambda: round(axis.position),
            (0x606B, 0): lambda: round(axis.profile.velocity),
            (0x606C, 0): lambda: round(axis.velocity),
            (0x6074, 0): lambda: round(axis.torque_demand),
            (0x6077, 0): lambda: round(axis.torque),
            (0x6078, 0): lambda: round(axis.torque),
            (0x6079, 0): lambda: round(self.drive.sample.voltage * 1000.0),
            (0x60F4, 0): lambda: round(axis.following_error),
            (0x607D, 1): lambda: axis.software_limits[0],
            (0x607D, 2): lambda: axis.software_limits[1],
            (0x60FD, 0): lambda: axis.inputs,
            (0x60FC, 0): lambda: round(axis.profile.position + axis.zero),
            (0x1010, 1): lambda: 1,
            (0x1011, 1): lambda: 1,
        }
        o.written |= {
            (0x6040, 0): power.write_controlword,
            (0x6060, 0): power.write_mode,
            (0x6098, 0): self._check_method,
            (0x1010, 1): self._save,
            (0x1011, 1): self._restore,
        }

    # --- shown --------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        return self.power.state.words

    @property
    def mode(self) -> str:
        return self.power.mode.name

    @property
    def errors(self) -> tuple[str, ...]:
        return tuple(errors.NAMES[code] for code in self.emergencies.active)

    # --- power and memory ---------------------------------------------------------------------------------------

    def power_on(self, t: float) -> None:
        self._last = self._due = t
        self._restart(t)

    def boot(self, t: float) -> list[Frame]:
        return self.nmt.boot(t)

    def _restart(self, t: float) -> None:
        self.objects.values = dict(self.objects.defaults)
        for key, row in self.objects.rows.items():
            name = f"{row.index:04X}:{row.sub:02X}"
            if name in self.stored:
                self.objects.values[key] = self.stored[name]
        self.emergencies.active.clear()
        self.emergencies.pending.clear()
        self.nmt.restart(t)
        self.sdo.reset()
        for pdo in (*self.receive, *self.transmit):
            pdo.configure()
        self._listen()
        self.power.restart()

    @property
    def memory(self) -> dict[str, int | float | str]:
        return {"zero": self.power.axis.zero, **self.stored}

    @memory.setter
    def memory(self, values: Mapping[str, int | float | str]) -> None:
        self.power.axis.zero = float(values.get("zero", self.power.axis.zero))
        self.stored = {name: int(value) for name, value in values.items() if ":" in name}
        self._restart(self._last)

    def _save(self, signature: int) -> None:
        if signature != SAVE:
            raise SdoAbortError(aborts.GENERAL)
        for key, row in self.objects.rows.items():
            value = self.objects.values[key]
            if row.access == "rw" and row.index not in COMMANDS and isinstance(value, int) and _kept(key):
                self.stored[f"{row.index:04X}:{row.sub:02X}"] = value

    def _restore(self, signature: int) -> None:
        if signature != LOAD:
            raise SdoAbortError(aborts.GENERAL)
        self.stored.clear()  # the defaults are in force after the next reset

    # --- the bus ------------------------------------------------------------------------------------------------

    def on_frame(self, frame: Frame, t: float) -> list[Frame]:
        id = frame.id
        if id not in self._ids or frame.extended or frame.fd or self.nmt.state == nmt.BOOT:
            return []
        if frame.remote or 0x700 < id < 0x780:
            return self._on_remote(frame, t)
        if id == 0:
            return self._on_nmt(frame.data, t)
        if self.nmt.state == nmt.STOPPED:
            return []
        if id == self.objects[0x1005, 0] & 0x7FF:
            return self._on_sync(t)
        if id == 0x600 + self.node:
            return self._on_sdo(frame.data, t)
        if self.nmt.state == nmt.OPERATIONAL:
            for pdo in self.receive:
                if id == pdo.id and pdo.valid:
                    return self._on_pdo(pdo, frame.data, t)
        return []

    def _on_remote(self, frame: Frame, t: float) -> list[Frame]:
        if frame.id >= 0x700:
            return self.nmt.on_frame(frame, t)
        if self.nmt.state != nmt.OPERATIONAL:
            return []
        return [answer for pdo in self.transmit if pdo.id == frame.id for answer in pdo.on_remote()]

    def _on_nmt(self, data: bytes, t: float) -> list[Frame]:
        before = self.nmt.state
        reset = self.nmt.command(data)
        if reset == nmt.RESET_NODE:
            self.power_on(t)
        elif reset == nmt.RESET_COMMUNICATION:
            self._reset_communication(t)
        elif self.nmt.state != before:
            if self.nmt.state == nmt.OPERATIONAL:
                for pdo in self.transmit:
                    pdo.restart(t)
                return self._events(t)
            if self.nmt.state == nmt.STOPPED:
                self._connection_aborted()
        return []

    def _reset_communication(self, t: float) -> None:
        for key in self.objects.rows:
            if key[0] < 0x2000:
                self.objects.values[key] = self.objects.defaults[key]
        self._connection_aborted()
        self.nmt.restart(t)
        self.sdo.reset()
        for pdo in (*self.receive, *self.transmit):
            pdo.configure()
        self._listen()

    def _listen(self) -> None:
        """Which ids concern this node, and which TPDOs are sent on events: changes with the communication objects."""
        pdos = [pdo.id for pdo in (*self.receive, *self.transmit) if pdo.valid]
        own = (0, self.objects[0x1005, 0] & 0x7FF, 0x600 + self.node, 0x700 + self.node)
        self._ids = frozenset((*own, *pdos, *(0x700 + node for node in self.nmt.consumed_nodes)))
        self._on_events = [pdo for pdo in self.transmit if pdo.valid and pdo.type > REMOTE]

    def _on_sync(self, t: float) -> list[Frame]:
        """Samples and sends, then takes what was received since the last SYNC."""
        if self.nmt.state != nmt.OPERATIONAL:
            return []
        frames = [frame for pdo in self.transmit for frame in pdo.on_sync()]
        taken = [pdo.on_sync() for pdo in self.receive]
        return frames + self._events(t) if any(taken) else frames

    def _on_sdo(self, request: bytes, t: float) -> list[Frame]:
        self.nmt.now = t
        self.malformed += len(request) != 8
        answers = self.sdo.answer(request, t)
        return [*(Frame(0x580 + self.node, answer) for answer in answers), *self._events(t)] if answers else []

    def _on_pdo(self, pdo: ReceivePdo, data: bytes, t: float) -> list[Frame]:
        if len(data) < pdo.size:
            self.malformed += 1
            self.emergencies.signal(errors.PDO_SHORT)
        else:
            if len(data) > pdo.size:
                self.emergencies.signal(errors.PDO_LONG)
            self.commanded = True
            pdo.receive(data)
        return self._events(t)

    def _written(self, index: int) -> None:
        if index in COMMANDS:
            self.commanded = True
        elif index in (0x6072, 0x6073):
            self.power.axis.limit_torque()
        elif index < 0x2000:
            self._listen()

    # --- time ---------------------------------------------------------------------------------------------------

    def on_time(self, t: float) -> list[Frame]:
        frames, lost = self.nmt.on_time(t)
        if lost:
            self._partner_lost()
        if t + ROUNDING >= self._due:
            dt, self._last = elapsed(self._last, t), t
            self._due = t + TICK
            self.power.tick(dt)
        return frames + self._events(t)

    def next_time(self) -> float:
        return min(self._due, self.nmt.next_time())

    def _events(self, t: float) -> list[Frame]:
        """Emergencies and TPDOs that have changed."""
        if self.nmt.state not in (nmt.OPERATIONAL, nmt.PRE_OPERATIONAL):
            return []
        frames = self.emergencies.take()
        if self.nmt.state == nmt.OPERATIONAL:
            for pdo in self._on_events:
                frames += pdo.on_event(t)
        return frames

    def _partner_lost(self) -> None:
        if self.nmt.state == nmt.OPERATIONAL and self.objects[0x1029, 1] == 0:
            self.nmt.state = nmt.PRE_OPERATIONAL
        elif self.objects[0x1029, 1] == 2:
            self.nmt.state = nmt.STOPPED
        self.emergencies.report(errors.PARTNER_LOST)
        self._connection_aborted()

    def _connection_aborted(self) -> None:
        reaction = self.objects[0x6007, 0]
        if reaction == FAULT and errors.PARTNER_LOST in self.emergencies.active:
            self.power.fault(errors.PARTNER_LOST)
        elif reaction in (FAULT, DISABLE_VOLTAGE):
            self.power.disable_voltage()
        elif reaction == QUICK_STOP:
            self.power.quick_stop()

    def _check_method(self, method: int) -> None:
        """A method whose limit switch the joint has not got is refused."""
        below = TO_SWITCH.get(method, 0) * self.power.axis.sign < 0
        if method not in METHODS or (method in TO_SWITCH and not isfinite(self.drive.switches[0 if below else 1])):
            raise SdoAbortError(aborts.RANGE)


def _kept(key: Key) -> bool:
    return key[0] not in (0x1003, 0x1010, 0x1011)
