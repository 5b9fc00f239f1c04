"""Frames as python-can's messages."""

from __future__ import annotations

import can

from gearwright.hardware.frames import Frame


def frame_of(message: can.Message) -> Frame:
    return Frame(
        message.arbitration_id, b"" if message.is_remote_frame else bytes(message.data), message.is_extended_id,
        message.is_remote_frame, message.is_fd, message.bitrate_switch,
    )  # fmt: skip


def message_of(frame: Frame, t: float, channel: str | None = None) -> can.Message:
    return can.Message(
        timestamp=t, arbitration_id=frame.id, is_extended_id=frame.extended, is_remote_frame=frame.remote,
        data=frame.data, is_fd=frame.fd, bitrate_switch=frame.bitrate_switch, channel=channel, is_rx=True,
    )  # fmt: skip
