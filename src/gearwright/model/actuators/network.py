"""Small neural networks as weights: layers one after another, with a recurrent one before them if there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.errors import ModelError, UnknownNameError

Row = tuple[float, ...]
Matrix = tuple[Row, ...]
MOST_WEIGHTS = 200_000  # of a network: beyond that, its instructions take minutes to compile


def _elu(x: Any) -> Any:
    return np.where(x > 0.0, x, np.exp(np.minimum(x, 0.0)) - 1.0)


ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = {
    "linear": lambda x: x,
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
    "sigmoid": lambda x: 1.0 / (1.0 + np.exp(-x)),
    "softsign": lambda x: x / (1.0 + np.abs(x)),
    "elu": _elu,
}


@dataclass(frozen=True, kw_only=True)
class Layer:
    """`activation(W·x + b)`."""

    weight: Matrix  # (outputs, inputs)
    bias: Row
    activation: str = "linear"

    def __post_init__(self) -> None:
        _check_matrix("a layer's weight", self.weight, len(self.bias))
        if self.activation not in ACTIVATIONS:
            raise UnknownNameError("activation", self.activation, ACTIVATIONS)

    @property
    def inputs(self) -> int:
        return len(self.weight[0])

    def evaluate(self, x: Sequence[Any]) -> list[Any]:
        f = ACTIVATIONS[self.activation]
        return [f(y) for y in affine(self.weight, x, self.bias)]


@dataclass(frozen=True, kw_only=True)
class RecurrentLayer:
    """A gated recurrent unit, with the gates in PyTorch's order: reset, update, new.

    r = σ(W_r·x + b_r + U_r·h + c_r), z likewise, n = tanh(W_n·x + b_n + r·(U_n·h + c_n)), h⁺ = (1 − z)·n + z·h.
    """

    input_weight: Matrix  # (3·hidden, inputs)
    hidden_weight: Matrix  # (3·hidden, hidden)
    input_bias: Row
    hidden_bias: Row

    def __post_init__(self) -> None:
        rows = 3 * self.hidden
        _check_matrix("a GRU's input weight", self.input_weight, rows)
        _check_matrix("a GRU's hidden weight", self.hidden_weight, rows)
        if len(self.input_bias) != rows or len(self.hidden_bias) != rows:
            raise ModelError(f"a GRU of {self.hidden} units needs biases of {rows} numbers")

    @property
    def hidden(self) -> int:
        """Number of its units."""
        return len(self.hidden_weight[0]) if self.hidden_weight else 0

    @property
    def inputs(self) -> int:
        return len(self.input_weight[0])

    def evaluate(self, x: Sequence[Any], h: Sequence[Any]) -> list[Any]:
        n, sigmoid = self.hidden, ACTIVATIONS["sigmoid"]
        a, b = affine(self.input_weight, x, self.input_bias), affine(self.hidden_weight, h, self.hidden_bias)
        r = [sigmoid(a[k] + b[k]) for k in range(n)]
        z = [sigmoid(a[k] + b[k]) for k in range(n, 2 * n)]
        new = [np.tanh(a[2 * n + k] + r[k] * b[2 * n + k]) for k in range(n)]
        return [(1.0 - z[k]) * new[k] + z[k] * h[k] for k in range(n)]


@dataclass(frozen=True, kw_only=True)
class Network:
    """Inputs are scaled first, `(x − mean)/scale`, and the output last, `y·scale + mean`."""

    layers: tuple[Layer, ...]
    recurrent: RecurrentLayer | None = None
    input_mean: Row = ()
    input_scale: Row = ()
    output_mean: float = 0.0
    output_scale: float = 1.0

    def __post_init__(self) -> None:
        if not self.layers:
            raise ModelError("a network needs at least one layer")
        sizes = [self.inputs, *([self.recurrent.hidden] if self.recurrent else [])]
        width = sizes[-1]
        for layer in self.layers:
            if layer.inputs != width:
                raise ModelError(f"a layer takes {layer.inputs} numbers, but the one before it gives {width}")
            width = len(layer.bias)
        for name in ("input_mean", "input_scale"):
            if getattr(self, name) and len(getattr(self, name)) != self.inputs:
                raise ModelError(f"{name} needs {self.inputs} numbers, not {len(getattr(self, name))}")
        if any(x == 0 for x in self.input_scale):
            raise ModelError("an input_scale cannot be zero: inputs are divided by it")
        if self.weights > MOST_WEIGHTS:
            raise ModelError(f"a network of {self.weights} weights is too large: at most {MOST_WEIGHTS}")

    @property
    def inputs(self) -> int:
        """Numbers that it takes."""
        return self.recurrent.inputs if self.recurrent is not None else self.layers[0].inputs

    @property
    def hidden(self) -> int:
        """Numbers that it remembers."""
        return 0 if self.recurrent is None else self.recurrent.hidden

    @property
    def weights(self) -> int:
        own = 0 if self.recurrent is None else 3 * self.hidden * (self.recurrent.inputs + self.hidden)
        return own + sum(len(layer.bias) * layer.inputs for layer in self.layers)

    @property
    def outputs(self) -> int:
        """Numbers that it gives."""
        return len(self.layers[-1].bias)

    def evaluate(self, inputs: Sequence[Any], memory: Sequence[Any] = ()) -> tuple[list[Any], list[Any]]:
        """Its outputs, and what it remembers then."""
        mean, scale = self.input_mean or (0.0,) * self.inputs, self.input_scale or (1.0,) * self.inputs
        x = [(value - m) * (1.0 / s) for value, m, s in zip(inputs, mean, scale, strict=True)]
        after: list[Any] = []
        if self.recurrent is not None:
            x = after = self.recurrent.evaluate(x, memory)
        for layer in self.layers:
            x = layer.evaluate(x)
        return [y * self.output_scale + self.output_mean for y in x], after


def affine(weight: Matrix, x: Sequence[Any], bias: Row) -> list[Any]:
    """`W·x + b`."""
    rows = zip(weight, bias, strict=True)
    return [sum((w * value for w, value in zip(row, x, strict=True)), start=b) for row, b in rows]


def _check_matrix(what: str, weight: Matrix, rows: int) -> None:
    widths = {len(row) for row in weight}
    if len(weight) != rows or len(widths) != 1 or widths == {0}:
        raise ModelError(f"{what} must have {rows} rows of the same length")
    if not np.isfinite(np.array(weight, dtype=float)).all():
        raise ModelError(f"{what} must be finite")
