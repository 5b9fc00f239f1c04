"""Arrays of the library that a caller works with: NumPy, CuPy, PyTorch or JAX, exchanged by DLPack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gearwright.compiler import Executable, Instance
from gearwright.errors import ModelError, suggestion
from gearwright.optional import require


class ArrayLibrary(NamedTuple):
    """How slots are read, and actions written."""

    name: str
    on_device: bool  # arrays stay where the kernels' memory is
    taken: Callable[[Any], Any]  # from an array of the device's own library

    def rows(self, instance: Instance, slot: str) -> Any:
        """A copy of a slot, (B, n)."""
        if not self.on_device:
            return self.taken(np.ascontiguousarray(instance.get(slot)))
        return self.taken(instance.slot(slot).exchanged().T.copy(order="C"))

    def flags(self, instance: Instance, slot: str) -> Any:
        """One number of every robot as true or false, (B,)."""
        return self.rows(instance, slot)[:, 0] > 0.5

    def kept(self, instance: Instance, rows: Any) -> Any:
        """An array (count, n) where the kernels' memory is."""
        arrays = getattr(instance.executable, "arrays", np)
        return arrays.asarray(rows, dtype=instance.executable.dtype)

    def give(self, instance: Instance, slot: str, values: Any) -> None:
        """Sets a slot to an array (B, n) of any library, on the device or not."""
        if hasattr(values, "detach"):  # PyTorch exports no array that has a gradient
            values = values.detach()
        shape = (instance.batch, instance.executable.program.slot(slot).size)
        on_host = isinstance(values, np.ndarray | list | tuple) or not hasattr(values, "__dlpack__")
        rows = np.asarray(values, dtype=float) if on_host else values
        if rows.shape not in (shape, shape[:1] if shape[1] == 1 else shape, shape[1:] if shape[0] == 1 else shape):
            raise ModelError(f"actions must be an array {shape}, a row for each robot, not {tuple(rows.shape)}")
        instance.slot(slot).take(rows.reshape(shape).T)


def _torch(array: Any) -> Any:
    return require("torch", "arrays of PyTorch").from_dlpack(array)


def _jax(array: Any) -> Any:
    require("jax", "arrays of JAX")
    from jax.dlpack import from_dlpack

    return from_dlpack(array)


def _same(array: Any) -> Any:
    return array


LIBRARIES: dict[str, Callable[[Any], Any]] = {"numpy": _same, "cupy": _same, "torch": _torch, "jax": _jax}


def library(name: str | None, device: str, executable: Executable) -> ArrayLibrary:
    """By name; by default the one that the device's kernels use."""
    on_device = hasattr(executable, "arrays")  # memory is [element][robot] there
    if name is None:
        name = "cupy" if device == "cuda" else "numpy"
    if name not in LIBRARIES:
        raise ModelError(f"there is no library {name!r} of arrays{suggestion(name, LIBRARIES)}")
    return ArrayLibrary(name, on_device and name != "numpy", LIBRARIES[name])
