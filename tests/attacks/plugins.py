"""Code that a model names, in every way it can, without the caller's leave."""

from __future__ import annotations

import os
from typing import Any

from tests.attacks.attack import Attack, Place

LINKS = (
    '<link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
    '<axis xyz="0 0 1"/></joint>'
)
EVIL = "open({!r}, 'w')\n\ndef position(q):\n    return q\n"


def _plugin(filename: str, *codes: str, name: str = "evil", **more: Any) -> Attack:
    def files(p: Place) -> dict[str, str]:
        path = filename.replace("OUTSIDE", str(p.outside))
        text = (
            f'<robot name="r">{LINKS}<transmission name="t" type="custom_functions"><actuator_array>m</actuator_array>'
            f'<joint_array>j</joint_array><mapping_plugin name="{name}" filename="{path}"/></transmission>'
            f'<actuator name="m"/></robot>'
        )
        return {"robot.urdf": text, "evil.py": EVIL.format(str(p.canary)), "folder/none.py": ""}

    return Attack(files=files, codes=codes or ("plugin-untrusted", "plugin-not-found"), main="robot.urdf", **more)


def _allowed(p: Place) -> dict[str, Any]:
    return {"plugins": [p.model / "folder"]}


ATTACKS: dict[str, Attack] = {
    "a plugin beside the model": _plugin("evil.py", "plugin-untrusted"),
    "a plugin by its path": _plugin("OUTSIDE/evil.py", "plugin-untrusted"),
    "a plugin above": _plugin("../outside/evil.py", "plugin-untrusted"),
    "a plugin above an allowed folder": _plugin("folder/../evil.py", "plugin-untrusted", options=_allowed),
    "a plugin linked into an allowed folder": _plugin(
        "folder/link.py",
        "plugin-untrusted",
        options=_allowed,
        prepare=lambda p: os.symlink(p.outside / "evil.py", p.model / "folder/link.py"),
    ),
    "a plugin that is a pipe": _plugin("pipe.py", prepare=lambda p: os.mkfifo(p.model / "pipe.py")),
    "an entry point that is not there": _plugin("", name="os:system"),
    "a plugin with a NUL": _plugin("evil.py&#9;x"),
    # a compiled library is never opened; actuators map one by one to joints instead, with a warning
    "a compiled plugin": Attack(files=_plugin("../outside/evil.so").files, main="robot.urdf"),
}
