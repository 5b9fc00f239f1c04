"""Names of kinds: which one a class goes by, whoever put it there."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gearwright as gw
from gearwright.kinds import LinearTransmission, TransmissionMap, quantity
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.sim.saving.as_data import from_data, to_data
from tests.installed import install

GEAR = """
from dataclasses import dataclass
from gearwright import SimpleTransmission

@dataclass(frozen=True, kw_only=True)
class StrainWave(SimpleTransmission):
    teeth: float = 80.0
"""


@dataclass(frozen=True)
class Teeth:
    number: int = 3


@dataclass(frozen=True, kw_only=True)
class Cam(TransmissionMap):
    """A curve: its functions are saved beside its fields."""

    functions: float = quantity(doc="a field by the name of what is saved beside it", default=2.0)
    teeth: Any = None

    actuators = joints = 1

    def to_actuators(self, joints: Any) -> Any:
        return self.functions * joints + joints**3


@dataclass(frozen=True, kw_only=True)
class Coupled(LinearTransmission):
    ratios: tuple[tuple[float, ...], ...] = quantity(doc="a matrix, of which a file does not know the width")

    def actuator_entries(self) -> Any:
        return self.ratios


class Mine(gw.SimpleTransmission):
    pass


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry point names the package, which has the class from one of its modules."""
    files = {
        "reexporting/gear.py": GEAR,
        "reexporting/__init__.py": "from reexporting.gear import StrainWave\n",
    }
    install(tmp_path, "reexporting", "[gearwright.transmissions]\nstrain_wave = reexporting:StrainWave\n", files)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_a_class_that_its_package_re_exports(package: None) -> None:
    kind = import_module("reexporting").StrainWave  # not by the registry, which has loaded nothing
    assert TRANSMISSIONS.name_of(kind) == "strain_wave"
    assert from_data(to_data(kind(reduction=3.0, teeth=20.0))) == kind(reduction=3.0, teeth=20.0)


def test_no_name_is_imported_to_find_one(package: None) -> None:
    assert TRANSMISSIONS.name_of(Mine) is None


def test_a_second_name_changes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSMISSIONS.added, "gearbox", gw.SimpleTransmission)
    assert TRANSMISSIONS["gearbox"] is gw.SimpleTransmission
    assert TRANSMISSIONS.name_of(gw.SimpleTransmission) == "simple"


def test_a_name_that_another_class_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A built-in one is not saved by it: it would come back as the other class."""
    monkeypatch.setitem(TRANSMISSIONS.added, "simple", Mine)
    assert TRANSMISSIONS.name_of(Mine) == "simple"
    assert TRANSMISSIONS.name_of(gw.SimpleTransmission) is None
    with pytest.raises(gw.ModelError, match="SimpleTransmission cannot be saved"):
        to_data(gw.SimpleTransmission())
    monkeypatch.setitem(TRANSMISSIONS.added, "gearbox", gw.SimpleTransmission)
    assert type(from_data(to_data(gw.SimpleTransmission()))) is gw.SimpleTransmission


def test_a_point_that_a_script_has_replaced(package: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSMISSIONS.added, "strain_wave", Mine)
    assert TRANSMISSIONS.name_of(import_module("reexporting").StrainWave) is None


def test_a_field_by_the_name_of_what_is_saved_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSMISSIONS.added, "cam", Cam)
    again = from_data(to_data(Cam(functions=5.0)))
    assert again == Cam(functions=5.0)
    assert again.joint_to_actuator_position([2.0]) == [18.0]


def test_a_class_of_no_family_is_not_sent_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        gw.ModelError, match=r"Cam cannot be saved: give its class a row in its table, .* of gearwright\.transmissions$"
    ):
        to_data(Cam())
    monkeypatch.setitem(TRANSMISSIONS.added, "cam", Cam)
    with pytest.raises(gw.ModelError, match="Teeth cannot be saved: put its numbers into fields of the part"):
        to_data(Cam(teeth=Teeth()))


def test_a_matrix_in_a_file_is_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSMISSIONS.added, "coupled", Coupled)
    text = """<sdf version="1.11"><model name="m"><link name="a"/>
    <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
    <actuator name="motor" type="electric_motor"/>
    <transmission name="t" type="coupled"><actuator>motor</actuator><joint>j</joint><ratios>1 2 3 4</ratios>
    </transmission></model></sdf>"""
    with pytest.raises(gw.LoadError, match=r"<ratios> is a matrix, .* declare the field of Coupled with table=True"):
        gw.loads(text)
