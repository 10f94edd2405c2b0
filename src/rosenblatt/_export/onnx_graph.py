"""An ONNX graph under construction: operators are called like functions, on names of values."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from rosenblatt.errors import InputError

OPSET, IR = 13, 7  # of 2020: onnxruntime runs them since 1.6
DOUBLE = TensorProto.DOUBLE
_MOST_BYTES = 2_000_000_000  # protobuf writes messages of less than 2 GiB


class Graph:
    """Values are names; an operator is a method call that returns the name of its output."""

    def __init__(self, prefix: str = ""):
        self._prefix = prefix  # a graph inside another has names of its own
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._bytes = 0

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        array = np.ascontiguousarray(np.asarray(value, dtype=dtype))
        array = array.reshape(np.shape(value))  # a number stays one
        self._bytes += array.nbytes
        if self._bytes > _MOST_BYTES:
            raise InputError(
                f"The rule holds more than {_MOST_BYTES:,} bytes of numbers: more than fit into an "
                "ONNX file. Train with keep='average' instead of 'vote', or on fewer rows."
            )
        name = f"{self._prefix}constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def whole(self, *numbers: int) -> str:
        return self.constant(numbers, np.int64)

    def call(self, operator: str, *inputs: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"{self._prefix}{operator}_{len(self._nodes)}_{k}" for k in range(outputs)]
        self._nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def __getattr__(self, operator: str) -> Any:
        """graph.MatMul(a, b): the one output of an operator."""
        if not operator[:1].isupper():
            raise AttributeError(operator)
        return lambda *inputs, **attributes: self.call(operator, *inputs, **attributes)[0]

    def named(self, value: str, name: str) -> str:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        return name

    def finished(self, name: str, inputs: list[Any], outputs: list[Any], words: str) -> GraphProto:
        return helper.make_graph(self._nodes, name, inputs, outputs, self._constants, words)
