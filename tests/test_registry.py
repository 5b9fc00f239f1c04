"""Names of kinds: which one a class goes by, whoever put it there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import gearwright as gw
from gearwright.model.transmissions import TRANSMISSIONS
from gearwright.sim.saving.as_data import from_data, to_data

GEAR = """
from dataclasses import dataclass
from gearwright import SimpleTransmission

@dataclass(frozen=True, kw_only=True)
class StrainWave(SimpleTransmission):
    teeth: float = 80.0
"""


class Mine(gw.SimpleTransmission):
    pass


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry point names the package, which has the class from one of its modules."""
    (tmp_path / "reexporting").mkdir()
    (tmp_path / "reexporting" / "gear.py").write_text(GEAR)
    (tmp_path / "reexporting" / "__init__.py").write_text("from reexporting.gear import StrainWave\n")
    info = tmp_path / "reexporting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: reexporting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gearwright.transmissions]\nstrain_wave = reexporting:StrainWave\n")
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
