"""Networks from files: NumPy's NPZ, and ONNX where that package is installed."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.errors import ModelError
from gearwright.files import checked_path, open_regular
from gearwright.model.actuators.network import Layer, Matrix, Network, RecurrentLayer, Row
from gearwright.optional import require

Array = NDArray[Any]
MOST_BYTES = 20_000_000  # of a file, and of what is in it
GRU = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
ONNX_ACTIVATIONS = {
    "Relu": "relu", "Tanh": "tanh", "Sigmoid": "sigmoid", "Softsign": "softsign", "Elu": "elu",
}  # fmt: skip


def read_network(path: str | os.PathLike[str]) -> Network:
    """A network by the ending of its file: `.npz` or `.onnx`.

    An NPZ file has arrays `weight_0`, `bias_0`, `weight_1`, … of the layers, (outputs, inputs) each; `activation`, a
    name or one for each layer but the last; for a GRU before them `weight_ih`, `weight_hh`, `bias_ih` and `bias_hh` as
    PyTorch has them; and, if need be, `input_mean`, `input_scale`, `output_mean` and `output_scale`.
    """
    file = os.fspath(checked_path(path, "a network"))
    try:
        with open_regular(file) as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise ModelError(f"{file}: a network's file has at most {MOST_BYTES} bytes")
    reader = _of_onnx if file.lower().endswith(".onnx") else _of_npz
    try:
        return reader(file, data)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None


def write_network(network: Network, path: str | os.PathLike[str]) -> None:
    """The same network as a file, by its ending: `.npz` or `.onnx`; scales become part of its layers."""
    file = os.fspath(checked_path(path, "a network"))
    if network.recurrent is not None:
        raise ModelError("a network with recurrent layers cannot be written")
    layers = _with_scales(network)
    if file.lower().endswith(".onnx"):
        require("onnx", "writing an ONNX network").save(_as_onnx(layers, network.inputs), file)
        return
    numbers = {f"weight_{k}": weight for k, (weight, _, _) in enumerate(layers)}
    numbers |= {f"bias_{k}": bias for k, (_, bias, _) in enumerate(layers)}
    names = np.array([activation for *_, activation in layers])
    np.savez(file, activation=names, **numbers)  # type: ignore[arg-type]


def _with_scales(network: Network) -> list[tuple[Array, Array, str]]:
    """Weight, bias and activation of each layer."""
    layers = [(np.array(x.weight), np.array(x.bias), x.activation) for x in network.layers]
    weight, bias, activation = layers[0]
    mean, scale = np.array(network.input_mean or 0.0), np.array(network.input_scale or 1.0)
    weight = weight / scale
    layers[0] = weight, bias - weight @ np.broadcast_to(mean, (network.inputs,)), activation
    if (network.output_mean, network.output_scale) != (0.0, 1.0):
        weight, bias, activation = layers[-1]
        if activation != "linear":
            raise ModelError(
                f"the output of a layer with the activation {activation!r} is scaled: it cannot be written"
            )
        layers[-1] = network.output_scale * weight, network.output_scale * bias + network.output_mean, activation
    return layers


def _as_onnx(layers: list[tuple[Array, Array, str]], inputs: int) -> Any:
    """A chain of Gemm and activations, from `observation` to `action`, in single precision."""
    onnx = require("onnx", "writing an ONNX network")
    make, kinds, nodes, tensors, last = onnx.helper, {v: k for k, v in ONNX_ACTIVATIONS.items()}, [], [], "observation"
    for k, (weight, bias, activation) in enumerate(layers):
        given = {f"weight_{k}": weight, f"bias_{k}": bias}
        tensors += [onnx.numpy_helper.from_array(x.astype(np.float32), name) for name, x in given.items()]
        nodes.append(make.make_node("Gemm", [last, *given], [f"sum_{k}"], transB=1))
        last = f"sum_{k}"
        if activation != "linear":
            nodes.append(make.make_node(kinds[activation], [last], [f"layer_{k}"]))
            last = f"layer_{k}"
    nodes.append(make.make_node("Identity", [last], ["action"]))
    sizes = (("observation", inputs), ("action", len(layers[-1][1])))
    ends = [make.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["robots", size]) for name, size in sizes]
    return make.make_model(make.make_graph(nodes, "policy", ends[:1], ends[1:], tensors))


# --- NPZ ------------------------------------------------------------------------------------------------------------


def _of_npz(file: str, data: bytes) -> Network:
    arrays = _arrays(data)
    count = 0
    while f"weight_{count}" in arrays:
        count += 1
    names = _names(arrays, count)
    layers = tuple(
        Layer(weight=_matrix(arrays, f"weight_{k}"), bias=_row(arrays, f"bias_{k}"), activation=names[k])
        for k in range(count)
    )
    recurrent = None
    if any(name in arrays for name in GRU):
        w, u, b, c = GRU
        recurrent = RecurrentLayer(
            input_weight=_matrix(arrays, w), hidden_weight=_matrix(arrays, u), input_bias=_row(arrays, b),
            hidden_bias=_row(arrays, c),
        )  # fmt: skip
    scales = {n: _row(arrays, n) for n in ("input_mean", "input_scale") if n in arrays}
    ends = {n: _row(arrays, n)[0] for n in ("output_mean", "output_scale") if n in arrays}
    return Network(layers=layers, recurrent=recurrent, **scales, **ends)  # type: ignore[arg-type]


def _arrays(data: bytes) -> Mapping[str, Array]:
    """All arrays of the file, which may not unpack to more than it may have."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(item.file_size for item in archive.infolist()) > MOST_BYTES:
                raise ModelError(f"its arrays have more than {MOST_BYTES} bytes")
        with np.load(io.BytesIO(data), allow_pickle=False) as found:
            return {name: np.asarray(found[name]) for name in found.files}
    except ModelError:
        raise
    except Exception as error:  # whatever is in the file: NumPy raises a dozen kinds
        raise ModelError(f"not a NumPy file of arrays: {error}") from None


def _names(arrays: Mapping[str, Array], count: int) -> list[str]:
    given = [str(x) for x in np.atleast_1d(arrays.get("activation", np.array("tanh"))).ravel()[: count + 1]]
    if len(given) == 1:
        given = given * (count - 1)
    return [*given, "linear"][: max(count, 0)] if len(given) < count else given[:count]


def _floats(arrays: Mapping[str, Array], name: str) -> Array:
    if name not in arrays:
        raise ModelError(f"it has no array {name!r}")
    found = arrays[name]
    if found.dtype.kind not in "fiu":
        raise ModelError(f"array {name!r} must be of numbers, not {found.dtype}")
    return found.astype(float)


def _row(arrays: Mapping[str, Array], name: str) -> Row:
    found = np.atleast_1d(_floats(arrays, name))
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        raise ModelError(f"array {name!r} must be a row of finite numbers")
    return tuple(found.tolist())


def _matrix(arrays: Mapping[str, Array], name: str) -> Matrix:
    found = _floats(arrays, name)
    if found.ndim != 2:
        raise ModelError(f"array {name!r} must be a matrix, not of shape {found.shape}")
    return tuple(tuple(row) for row in found.tolist())


# --- ONNX -----------------------------------------------------------------------------------------------------------


def _of_onnx(file: str, data: bytes) -> Network:
    """A chain of Gemm, or MatMul and Add, and activations, as PyTorch exports an MLP."""
    onnx = require("onnx", "reading an ONNX network")
    try:
        graph = onnx.load_from_string(data).graph
        constants = {t.name: np.asarray(onnx.numpy_helper.to_array(t)) for t in graph.initializer}
    except Exception as error:  # the parser's own kinds
        raise ModelError(f"not an ONNX file: {error}") from None
    layers: list[dict[str, Any]] = []
    for node in graph.node:
        own = [constants[name] for name in node.input if name in constants]
        if node.op_type in ("Gemm", "MatMul") and own:
            turned = node.op_type == "Gemm" and any(a.name == "transB" and a.i for a in node.attribute)
            weight = own[0] if turned else own[0].T
            bias = own[1] if len(own) > 1 else np.zeros(len(weight))
            layers.append({"weight": weight, "bias": bias, "activation": "linear"})
        elif node.op_type == "Add" and own and layers:
            layers[-1]["bias"] = layers[-1]["bias"] + own[0].ravel()
        elif node.op_type in ONNX_ACTIVATIONS and layers:
            layers[-1]["activation"] = ONNX_ACTIVATIONS[node.op_type]
        elif node.op_type not in ("Identity", "Flatten", "Constant"):
            raise ModelError(f"operation {node.op_type} is not one of a plain MLP: give the weights as NPZ")
    return Network(
        layers=tuple(
            Layer(weight=_matrix({"w": x["weight"]}, "w"), bias=_row({"b": x["bias"]}, "b"), activation=x["activation"])
            for x in layers
        )
    )
