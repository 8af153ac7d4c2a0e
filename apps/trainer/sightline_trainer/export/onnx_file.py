"""Writes ONNX files: the few messages of onnx.proto that a model needs, in protobuf's wire format.

A host needs no package for it beyond what training needs. Field numbers and types: onnx/onnx.proto, ONNX 1.17.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

IR_VERSION = 8
OPSET = 17
ElementType = Literal["float32", "int64", "bool"]
_ELEMENT_TYPES: dict[str, int] = {"float32": 1, "int64": 7, "bool": 9}
_ATTRIBUTE_INT, _ATTRIBUTE_INTS = 2, 7
Attribute = int | Sequence[int]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _int_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _bytes_field(number: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, int):
        return _bytes_field(1, name) + _int_field(3, value) + _int_field(20, _ATTRIBUTE_INT)
    items = b"".join(_int_field(8, item) for item in value)
    return _bytes_field(1, name) + items + _int_field(20, _ATTRIBUTE_INTS)


def _tensor(name: str, array: NDArray[np.generic]) -> bytes:
    dims = b"".join(_int_field(1, size) for size in array.shape)
    kind = _int_field(2, _ELEMENT_TYPES[array.dtype.name])
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    return dims + kind + _bytes_field(8, name) + _bytes_field(9, little.tobytes())


def _value_info(name: str, kind: ElementType, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(
        _bytes_field(1, _int_field(1, size) if isinstance(size, int) else _bytes_field(2, size)) for size in shape
    )
    tensor_type = _int_field(1, _ELEMENT_TYPES[kind]) + _bytes_field(2, dims)
    return _bytes_field(1, name) + _bytes_field(2, _bytes_field(1, tensor_type))


class GraphWriter:
    """A graph that grows node by node; each node's name is its first output's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[bytes] = []
        self._tensors: dict[str, bytes] = {}
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._count = 0

    def add_input(self, name: str, kind: ElementType, shape: Sequence[int | str]) -> str:
        """An input of the model; a size given as text may differ from call to call."""
        self._inputs.append(_value_info(name, kind, shape))
        return name

    def add_output(self, name: str, kind: ElementType, shape: Sequence[int | str]) -> None:
        """Says that a value made by a node is an output of the model."""
        self._outputs.append(_value_info(name, kind, shape))

    def constant(self, name: str, array: NDArray[np.generic]) -> str:
        """A stored tensor. The same name twice keeps the first."""
        self._tensors.setdefault(name, _tensor(name, array))
        return name

    def ints(self, *values: int) -> str:
        """A stored vector of int64."""
        return self.constant(f"ints_{'_'.join(map(str, values))}", np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        """A stored float32 without dimensions."""
        return self.constant(f"number_{struct.pack('<f', value).hex()}", np.array(value, dtype=np.float32))

    def node(self, op: str, *inputs: str, name: str | None = None, **attributes: Attribute) -> str:
        """Adds an operator with one output and returns the output's name."""
        return self.nodes(op, *inputs, names=[name or self._new_name(op)], **attributes)[0]

    def nodes(self, op: str, *inputs: str, names: Sequence[str], **attributes: Attribute) -> Sequence[str]:
        """Adds an operator with several outputs and returns their names."""
        parts = [_bytes_field(1, value) for value in inputs]
        parts += [_bytes_field(2, value) for value in names]
        parts += [_bytes_field(3, names[0]), _bytes_field(4, op)]
        parts += [_bytes_field(5, _attribute(key, value)) for key, value in attributes.items()]
        self._nodes.append(_bytes_field(1, b"".join(parts)))
        return names

    def _new_name(self, op: str) -> str:
        self._count += 1
        return f"{op.lower()}_{self._count}"

    def to_bytes(self, producer: str) -> bytes:
        """The whole model as the bytes of an `.onnx` file."""
        graph = b"".join(self._nodes) + _bytes_field(2, self._name)
        graph += b"".join(_bytes_field(5, tensor) for tensor in self._tensors.values())
        graph += b"".join(_bytes_field(11, value) for value in self._inputs)
        graph += b"".join(_bytes_field(12, value) for value in self._outputs)
        opset = _bytes_field(1, "") + _int_field(2, OPSET)
        return _int_field(1, IR_VERSION) + _bytes_field(2, producer) + _bytes_field(7, graph) + _bytes_field(8, opset)
