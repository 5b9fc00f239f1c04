"""Every example in a public docstring runs and gives what it says."""

import doctest
import importlib
import pkgutil

import pytest

import gearwright.sim

MODULES = [m.name for m in pkgutil.iter_modules(gearwright.sim.__path__, "gearwright.sim.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    assert doctest.testmod(importlib.import_module("gearwright.sim.compiling")).attempted >= 5
