"""Every fault of the table, injected and seen by a protocol's own client. Time is the test's: lockstep.

Arguments: the protocol, its port or channel, the node, the actuator. Each client enables its drive, is asked to move,
and tells whether it was answered, the error it reads, whether the drive moved and what current (or torque) it reads.
"""

import asyncio
import math
import sys
import time

from asking import ask, tell

# [s] of the wall clock for an answer, which the server gives at once: where one must come, and where none should
PATIENT, BRIEF = 15.0, 0.4


class Serial:
    """What both serial SDKs share. An answer that comes late is not that to the next question: asked again."""

    def __init__(self, sdk, port, node, protocol):
        self.port, self.handler, self.node, self.ok = (
            sdk.PortHandler(port),
            sdk.PacketHandler(protocol),
            node,
            sdk.COMM_SUCCESS,
        )
        assert self.port.openPort() and self.port.setBaudRate(1_000_000)

    def call(self, name, *arguments, patience=PATIENT):
        """The answer without the SDK's result; None if there is none."""
        end, answer = time.monotonic() + patience, None
        while answer is None or time.monotonic() < end:
            try:
                answer = getattr(self.handler, name)(self.port, self.node, *arguments)
            except IndexError:  # a status where it expects data
                answer = (None, None)
            if answer[-2] == self.ok:
                return (*answer[:-2], answer[-1])
            time.sleep(0.05)
            self.port.ser.reset_input_buffer()
        return None

    def read(self, size, address):
        answer = self.call(f"read{size}ByteTxRx", address)
        assert answer is not None
        return answer[0]


class Feetech(Serial):
    """scservo_sdk."""

    def __init__(self, port, node):
        import scservo_sdk

        super().__init__(scservo_sdk, port, node, 0)

    def enable(self):
        self.call("write1ByteTxRx", 40, 1)

    def move(self, patience):
        self.call("write2ByteTxRx", 42, 2400, patience=patience)

    def state(self, patience=PATIENT):
        answer = self.call("ping", patience=patience)
        if answer is None:
            return None
        current, on = self.read(2, 69) & 0x7FFF, bool(self.read(1, 40))
        return {"error": answer[1], "position": self.read(2, 56) / 4096, "current": current, "on": on}


class Dynamixel(Serial):
    """dynamixel_sdk."""

    def __init__(self, port, node):
        import dynamixel_sdk

        super().__init__(dynamixel_sdk, port, node, 2.0)

    def enable(self):
        self.call("write1ByteTxRx", 64, 1)

    def move(self, patience):
        self.call("write4ByteTxRx", 116, 2400, patience=patience)

    def state(self, patience=PATIENT):
        if self.call("ping", patience=patience) is None:
            return None
        current, on = self.read(2, 126), bool(self.read(1, 64))
        current = abs(current - 65536 if current > 32767 else current)
        return {"error": self.read(1, 70), "position": self.read(4, 132) / 4096, "current": current, "on": on}


class Damiao:
    """damiao_motor."""

    def __init__(self, channel, node):
        from damiao_motor import DaMiaoController

        self.motor = DaMiaoController(channel, "gearwright").add_motor(node, node + 0x10, motor_type="8009")

    def enable(self):
        self.motor.clear_error()
        self.motor.ensure_control_mode("MIT")
        self.motor.enable()

    def move(self, patience):
        self.motor.send_cmd_mit(0.5, stiffness=80.0, damping=4.0)

    def state(self, patience=PATIENT):
        self.motor.state.clear()
        self.motor.request_motor_feedback()
        end = time.monotonic() + patience
        while "pos" not in self.motor.get_states():
            if time.monotonic() > end:
                return None
            time.sleep(0.002)
        s = self.motor.get_states()
        return {
            "error": s["status"],
            "position": s["pos"] / math.tau,
            "current": abs(s["torq"]),
            "on": s["status"] == "ENABLED",
        }


class Odrive:
    """odrive_can."""

    def __init__(self, channel, node):
        import can
        from odrive_can.odrive import ODriveCAN

        self.loop = asyncio.new_event_loop()
        self.drive = ODriveCAN(node, can_bus=can.Bus(interface="gearwright", channel=channel))
        self.seen = []
        self.drive.feedback_callback = lambda message, _: self.seen.append(message.data)
        self._wait(self.drive.start())

    def _wait(self, what):
        return self.loop.run_until_complete(what)

    def enable(self):
        self.drive.clear_errors()
        self.drive.set_controller_mode("POSITION_CONTROL", "PASSTHROUGH")
        self.drive._send_message("Set_Axis_State", {"Axis_Requested_State": "CLOSED_LOOP_CONTROL"})

    def move(self, patience):
        self.drive.set_input_pos(0.5)

    def state(self, patience=PATIENT):
        self.seen.clear()
        ask("run 0.15")  # heartbeats and encoder estimates are cyclic
        end = time.monotonic() + patience
        while not self.seen:
            if time.monotonic() > end:
                return None
            self._wait(asyncio.sleep(0.02))
        self._wait(asyncio.sleep(0.05))
        try:
            self.drive.check_errors()
            error = ""
        except Exception as problem:
            error = str(problem)
        iq = self._wait(self.drive.get_iq())
        on = self.drive.axis_state == "CLOSED_LOOP_CONTROL"
        return {"error": error, "position": self.seen[-1]["Pos_Estimate"], "current": abs(iq["Iq_Measured"]), "on": on}


class Moteus:
    """moteus, over its fdcanusb."""

    def __init__(self, port, node):
        import moteus

        self.registers, self.loop = moteus.Register, asyncio.new_event_loop()

        async def connected():
            self.transport = moteus.Fdcanusb(port)
            self.controller = moteus.Controller(id=node, transport=self.transport)

        self.loop.run_until_complete(connected())

    def _wait(self, what, patience=PATIENT):
        async def limited():
            return await asyncio.wait_for(what, patience)

        try:
            return self.loop.run_until_complete(limited())
        except TimeoutError:
            return None

    def enable(self):
        self._wait(self.controller.set_stop())
        self._wait(self._go(math.nan))

    def move(self, patience):
        self._wait(self._go(0.5), patience)

    def _go(self, position):
        return self.controller.set_position(position=position, velocity=0.0, watchdog_timeout=math.nan, query=True)

    def state(self, patience=PATIENT):
        answer = self._wait(self.controller.query(), patience)
        if answer is None:
            return None
        v, r = answer.values, self.registers
        return {"error": v[r.FAULT], "position": v[r.POSITION], "current": abs(v[r.TORQUE]), "on": v[r.MODE] == 10}


KINDS = {"feetech": Feetech, "dynamixel": Dynamixel, "damiao": Damiao, "odrive": Odrive, "moteus": Moteus}
protocol, where, node, actuator = sys.argv[1:]
client = KINDS[protocol](where, int(node))
FAULTS = {
    "none": None, "over-temperature": actuator, "under-voltage": None, "encoder-freeze": actuator,
    "open-winding": actuator, "stall": actuator, "unplug": actuator, "bus-off": None, "drop": None, "corrupt": None,
    "brown-out": None,
}  # fmt: skip
SILENT = ("unplug", "bus-off", "drop", "corrupt", "duplicate")


def provoke(fault, target):
    ask("reset")
    ask("run 0.05")
    client.enable()
    ask("run 0.05")
    before = client.state()
    if fault != "none":
        ask(f"inject {fault} {target or '-'}{' 0.3' if fault == 'brown-out' else ''}")
    ask("run 0.02")
    silent = client.state(BRIEF) is None if fault == "brown-out" else None
    patience = BRIEF if fault in SILENT else PATIENT
    if fault != "brown-out":
        client.move(patience)
    ask("run 0.8")
    during = client.state(patience)
    ask("clear")
    ask("run 0.2")
    after = client.state(BRIEF if fault == "duplicate" else PATIENT)
    tell(**{fault: {"before": before, "during": during, "after": after, "silent": silent}})


ask("run 0.01")
for fault, target in FAULTS.items():
    provoke(fault, target)
ask("reset")
ask("clock realtime")
ask("inject delay - 0.02")
begun = time.monotonic()
late = client.state(BRIEF)
tell(delay={"during": late, "seconds": time.monotonic() - begun})
ask("clear")
ask("clock lockstep")
provoke("duplicate", None)  # at last: odrive-can stops reading when an answer comes twice
if protocol == "moteus":
    client.transport.close()
