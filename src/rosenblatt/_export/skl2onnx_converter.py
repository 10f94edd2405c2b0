"""How skl2onnx converts a rule at the end of a pipeline, whose other steps it converts itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import DoubleTensorType, guess_data_type

from rosenblatt._export.onnx_model import DOUBLE, OPSET, Graph, labels, rule_of


def register(kinds: Iterable[type[Any]], check: Callable[[Any], None]) -> None:
    for kind in kinds:
        name = f"Rosenblatt{kind.__name__}"
        update_registered_converter(kind, name, _shapes, _convert, parser=_parser(name, check))


def _parser(name: str, check: Callable[[Any], None]) -> Any:
    """That for classifiers would add probabilities."""

    def parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
        check(model)
        operator = scope.declare_local_operator(name, model)
        operator.inputs = list(inputs)
        of_labels = guess_data_type(labels(model.classes_)[:, None])[0][1]
        for name_, kind in (("label", type(of_labels)), ("score", DoubleTensorType)):
            operator.outputs.append(scope.declare_local_variable(name_, kind()))
        return operator.outputs

    return parse


def _shapes(operator: Any) -> None:
    k = len(operator.raw_operator.classes_)
    label, score = operator.outputs
    label.type.shape, score.type.shape = [None], [None] if k == 2 else [None, k]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    graph = Graph(scope.get_unique_operator_name(operator.type) + "_")
    columns = [graph.Cast(one.full_name, to=DOUBLE) for one in operator.inputs]
    outputs = rule_of(graph, graph.Concat(*columns, axis=1), operator.raw_operator, None)
    for value, name in zip(outputs, operator.output_full_names, strict=True):
        graph.named(value, name)
    container.nodes.extend(graph.nodes)
    container.initializers.extend(graph.constants)
    container.node_domain_version_pair_sets.add(("", OPSET))
