"""Code that a file names: refused unless allowed, and used as a map where it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gearwright
from gearwright import CustomTransmission, LinearMap, LoadError
from gearwright.model import AxisRef
from tests.formats.arms import ENDS, MOTORS, robot, text

CUSTOM = (
    f'{MOTORS}<transmission name="t" type="custom_functions">{ENDS}<mapping_plugin name="w" '
    'filename="wrist.py"/></transmission>'
)


@pytest.mark.parametrize("function", ["position", "effort"])
def test_allowed_code_gives_the_map(tmp_path: Path, function: str) -> None:
    arguments = "q" if function == "position" else "a, q, v"
    (tmp_path / "wrist.py").write_text(f"def {function}({arguments}):\n    return {arguments[0]}\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    for plugins in ("trust", [tmp_path], [str(tmp_path)]):
        found = gearwright.load(tmp_path / "robot.urdf", plugins=plugins).transmissions["t"].map  # type: ignore[arg-type]
        assert isinstance(found, CustomTransmission)
        assert (found.position is None) == (function == "effort")
        assert (found.actuators, found.joints) == (1, 1)


def test_compiled_code_leaves_the_identity() -> None:
    m = robot(CUSTOM.replace("wrist.py", "libwrist.so"))
    found = m.transmissions["t"].map
    assert isinstance(found, LinearMap)
    np.testing.assert_array_equal(found.matrix, [[1.0]])
    assert "plugin-not-found" in [d.code for d in m.diagnostics]


def test_the_plugin_form_is_a_transmission() -> None:
    arrays = "<actuator_array>m</actuator_array><joint_array>zeta</joint_array>"
    m = robot(f'{MOTORS}<plugin name="p" filename="libx.so">{arrays}</plugin>')
    assert (m.transmissions["p"].actuators, m.transmissions["p"].joints) == (("m",), (AxisRef("zeta"),))


def messages(parts: str, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(LoadError) as caught:
        gearwright.loads(text(parts), **options)
    return [(d.code, d.message) for d in caught.value.diagnostics if d.severity == "error"]


def test_code_is_refused_and_the_message_says_how_to_allow_it() -> None:
    ((code, message),) = messages(CUSTOM)
    assert code == "plugin-untrusted"
    for words in ("wrist.py", "plugins='trust'", "plugins=[folders]", "--plugins"):
        assert words in message


def test_an_entry_point_that_is_not_installed() -> None:
    parts = CUSTOM.replace(' filename="wrist.py"', "")
    assert [code for code, _ in messages(parts, plugins="trust")] == ["plugin-not-found"]


class _EntryPoint:
    name = "w"

    def load(self) -> Any:
        return lambda q: q**3


def test_an_entry_point_is_refused_or_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [_EntryPoint()])
    parts = CUSTOM.replace(' filename="wrist.py"', "")
    ((code, message),) = messages(parts)
    assert code == "plugin-untrusted" and "entry point w" in message
    t = gearwright.loads(text(parts), plugins="trust").transmissions["t"].map
    assert t is not None and t.joint_to_actuator_position(2.0) == 8.0


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("x = 1", "there is no function"),
        ("def position(q): return q\ndef effort(a, q, v): return a", "either position or effort"),
        ("def position(): return 1", r"called as position(q)"),
        ("def effort(a): return a", r"called as effort(a, q, v)"),
        ("import nothing_like_this", "ModuleNotFoundError"),
        ("position = 3", "either position(q) or effort(a, q, v)"),
    ],
)
def test_files_that_hold_no_map(tmp_path: Path, code: str, words: str) -> None:
    (tmp_path / "wrist.py").write_text(code)
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    with pytest.raises(LoadError) as caught:
        gearwright.load(tmp_path / "robot.urdf", plugins="trust")
    (error,) = (d for d in caught.value.diagnostics if d.severity == "error")
    assert error.code == "plugin-not-found" and words in error.message


def test_a_function_from_a_file_is_differentiated(tmp_path: Path) -> None:
    (tmp_path / "wrist.py").write_text("import numpy as np\ndef position(q):\n    return 3 * np.sin(q)\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    t = gearwright.load(tmp_path / "robot.urdf", plugins="trust").transmissions["t"].map
    assert t is not None
    assert t.actuator_to_joint_effort(1.0, at=0.3) == pytest.approx(3 * np.cos(0.3), rel=1e-15)


def test_loading_a_function_needs_no_casadi(tmp_path: Path) -> None:
    (tmp_path / "wrist.py").write_text("def position(q):\n    return q\n")
    (tmp_path / "robot.urdf").write_text(text(CUSTOM))
    code = f"import gearwright as gw, sys; gw.load({str(tmp_path / 'robot.urdf')!r}, plugins='trust'); "
    code += "print('casadi' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
