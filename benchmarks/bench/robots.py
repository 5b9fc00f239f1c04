"""The mechanisms that are compared: the arm and the hand of this package, and robots of `example-robot-data`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import gearwright
from benchmarks.bench.plain_urdf import plain
from gearwright.errors import UnknownNameError


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A mechanism as text that every contestant reads."""

    name: str
    title: str
    urdf: str
    mjcf: str | None = None  # the same in MuJoCo's own format, where it exists

    @property
    def coupled(self) -> bool:
        return "<mimic" in self.urdf

    @property
    def uncoupled(self) -> Robot:
        """The same without mimics: followers move freely."""
        return replace(self, urdf=re.sub(r"<mimic\b[^>]*/>", "", self.urdf), mjcf=None)


BUNDLED = Path(gearwright.__file__).parent / "robots"


def _reference_arm() -> Robot | None:
    urdf, mjcf = BUNDLED / "reference_arm.urdf", BUNDLED / "reference_arm.xml"
    return Robot(
        name="arm",
        title="reference arm with gripper",
        urdf=plain(urdf.read_bytes()),
        mjcf=mjcf.read_text(encoding="utf-8"),
    )


def _hand() -> Robot | None:
    text = (BUNDLED / "hand.urdf").read_bytes()
    return Robot(name="hand", title="hand with mimics", urdf=plain(text))


def bounded_robots() -> list[Robot]:
    """Those whose stops and friction are compared too, without what drives them."""
    return [replace(robot, urdf=plain(robot.urdf, bounded=True)) for robot in driven_robots()]


def driven_robots() -> list[Robot]:
    """Whole files, motors and encoders included."""
    files = {"arm": ("arm", "reference_arm_driven.urdf"), "hand": ("hand", "hand.urdf")}
    return [
        Robot(name=name, title=title, urdf=(BUNDLED / file).read_text(encoding="utf-8"))
        for name, (title, file) in files.items()
    ]


def robot_data() -> Path | None:
    """The robots' folder of the installed package example-robot-data; nothing of it is imported."""
    try:
        root = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix")))
    except PackageNotFoundError:
        return None
    folder = root / "share" / "example-robot-data" / "robots"
    return folder if folder.is_dir() else None


def _from_robot_data(name: str, title: str, file: str) -> Callable[[], Robot | None]:
    def read() -> Robot | None:
        folder = robot_data()
        if folder is None or not (folder / file).is_file():
            return None
        return Robot(name=name, title=title, urdf=plain((folder / file).read_bytes()))

    return read


ROBOTS: dict[str, Callable[[], Robot | None]] = {  # None where the package is not installed
    "arm": _reference_arm,
    "hand": _hand,
    "panda": _from_robot_data("panda", "Panda", "panda_description/urdf/panda.urdf"),
    "allegro": _from_robot_data(
        "allegro", "Allegro hand", "allegro_hand_description/urdf/allegro_right_hand.urdf"
    ),
    "pr2": _from_robot_data("pr2", "PR2", "pr2_description/urdf/pr2.urdf"),
    "talos": _from_robot_data("talos", "Talos", "talos_data/robots/talos_full_v2.urdf"),
}  # fmt: skip


def robots(names: Iterable[str] = ()) -> list[Robot]:
    """The chosen mechanisms, or all; those whose files are not installed are left out."""
    wanted = tuple(names) or tuple(ROBOTS)
    for name in wanted:
        if name not in ROBOTS:
            raise UnknownNameError("benchmark robot", name, ROBOTS)
    return [robot for name in wanted if (robot := ROBOTS[name]()) is not None]
