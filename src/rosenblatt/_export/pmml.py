"""A scorecard as PMML 4.4: points, the label, and the reasons for few points, by rank.

A characteristic is a term of the card. Its baseline is the most that it can give, so that the first
reason is where a row loses the most points.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rosenblatt._export.expression import Source, feature_names, source_of
from rosenblatt._training.card_rule import Card, Term, number
from rosenblatt._util.spelling import either
from rosenblatt._util.version import __version__
from rosenblatt.data.features import MISSING, OTHER, Words
from rosenblatt.data.preprocessing import Number, Preprocessing
from rosenblatt.errors import InputError

_REASONS = 3  # that are given


def document(estimator: Any, preprocessing: Preprocessing | None, on_unseen: str) -> str:
    card = estimator._rule
    if not isinstance(card, Card):
        raise InputError(
            "PMML is written of scorecards, whose terms are the reasons: train one with "
            f"{either('Scorecard()', '--scorecard')}, or export as "
            f"{either('SQL, Python, JavaScript or C', '--sql, --python, --javascript or --c')}."
        )
    names = feature_names(estimator, preprocessing)
    columns = [_column(term, names, preprocessing) for term in card.terms]
    root = Element("PMML", xmlns="http://www.dmg.org/PMML-4_4", version="4.4")
    SubElement(SubElement(root, "Header"), "Application", name="rosenblatt", version=__version__)
    dictionary = SubElement(root, "DataDictionary")
    model = Element(
        "Scorecard",
        modelName=type(estimator).__name__,
        functionName="regression",
        useReasonCodes="true",
        reasonCodeAlgorithm="pointsBelow",
        initialScore="0",
    )
    schema = SubElement(model, "MiningSchema")
    transformed = Element("TransformationDictionary")
    for column, _ in {column.name: (column, place) for column, place in columns}.values():
        _field(dictionary, column, source_of(column, preprocessing), on_unseen)
        _used(schema, column, on_unseen)
        if isinstance(column, Number) and not column.as_it_is:
            _scaled(transformed, column)
    dictionary.set("numberOfFields", str(len(dictionary)))
    _output(model, card, estimator.classes_.tolist())
    characteristics = SubElement(model, "Characteristics")
    for term, points, (column, place) in zip(card.terms, card.points, columns, strict=True):
        _characteristic(characteristics, term, points, column, place, term.words(names))
    if not card.terms:
        constant = SubElement(characteristics, "Characteristic", reasonCode="", baselineScore="0")
        SubElement(SubElement(constant, "Attribute", partialScore="0"), "True")
    root.extend([*([transformed] if len(transformed) else []), model])
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n"


def _column(
    term: Term, names: Any, preprocessing: Preprocessing | None
) -> tuple[Number | Words, int]:
    if preprocessing is None:
        return Number(names[term.column]), 0
    column, place = preprocessing.column_of(term.column)
    if not isinstance(column, Number | Words):
        raise InputError(
            f"Column {column.name!r} holds prose, whose words no field of PMML holds: train "
            "without it.",
            column=column.name,
        )
    return column, place


def _field(dictionary: Element, column: Number | Words, source: Source, on_unseen: str) -> None:
    field = SubElement(dictionary, "DataField", name=column.name)
    if isinstance(column, Number):
        field.attrib.update(optype="continuous", dataType="double")
        if source.style is not None:
            field.set("displayName", f"{column.name}, as a number{source.style}")
        return
    kind = "boolean" if column.boolean else "string"
    field.attrib.update(optype="categorical", dataType=kind)
    if on_unseen == "error" and not column.pooled:
        for word in column.words:
            SubElement(field, "Value", value=word.lower() if column.boolean else word)


def _used(schema: Element, column: Number | Words, on_unseen: str) -> None:
    open_ended = isinstance(column, Words) and (column.pooled or on_unseen != "error")
    field = SubElement(schema, "MiningField", name=column.name, usageType="active")
    field.set("invalidValueTreatment", "asIs" if open_ended else "returnInvalid")
    if isinstance(column, Number) and column.fill is not None:
        field.set("missingValueReplacement", repr(column.fill))


def _scaled(transformed: Element, column: Number) -> None:
    field = SubElement(
        transformed, "DerivedField", name=_name(column), optype="continuous", dataType="double"
    )
    divided = SubElement(field, "Apply", function="/")
    less = SubElement(divided, "Apply", function="-")
    SubElement(less, "FieldRef", field=column.name)
    for parent, value in ((less, column.center), (divided, column.scale)):
        SubElement(parent, "Constant", dataType="double").text = repr(value)


def _name(column: Number | Words) -> str:
    scaled = isinstance(column, Number) and not column.as_it_is
    return f"{column.name} (scaled)" if scaled else column.name


def _output(model: Element, card: Card, labels: list[Any]) -> None:
    output = SubElement(model, "Output")
    _output_field(output, "points", "continuous", "double", "predictedValue")
    kinds = {str: "string", bool: "boolean", int: "integer"}
    kind = kinds.get(type(labels[0]), "double")
    label = _output_field(output, "predicted", "categorical", kind, "transformedValue")
    chosen = SubElement(label, "Apply", function="if")
    reached = SubElement(chosen, "Apply", function="greaterOrEqual")
    SubElement(reached, "FieldRef", field="points")
    SubElement(reached, "Constant", dataType="double").text = str(card.threshold)
    for value in reversed(labels):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        SubElement(chosen, "Constant", dataType=kind).text = text
    for rank in range(1, min(_REASONS, len(card.terms)) + 1):
        reason = _output_field(output, f"reason_{rank}", "categorical", "string", "reasonCode")
        reason.set("rank", str(rank))


def _output_field(output: Element, name: str, optype: str, kind: str, feature: str) -> Element:
    return SubElement(
        output, "OutputField", name=name, optype=optype, dataType=kind, feature=feature
    )


# --- Characteristics: where none of the attributes holds, a value is missing, and there are no poin


def _characteristic(
    parent: Element, term: Term, points: int, column: Number | Words, place: int, words: str
) -> None:
    each = SubElement(parent, "Characteristic", name=words, reasonCode=words)
    if isinstance(column, Words):
        yes, no = _earned(term, points, 1), _earned(term, points, 0)
        each.set("baselineScore", str(max(yes, no)))
        holds = Element("Attribute", partialScore=str(yes))
        otherwise = Element("Attribute", partialScore=str(no))
        _predicates(holds, otherwise, column, place)
        each.extend([holds, otherwise])
        return
    name = _name(column)
    if term.cut is None:
        seen = column.seen
        ends = (seen.low, seen.high) if seen else (0.0, 0.0)
        values = [points * ((end - column.center) / column.scale) for end in ends]
        each.set("baselineScore", number(max(values)))
        attribute = SubElement(each, "Attribute")
        SubElement(attribute, "SimplePredicate", field=name, operator="isNotMissing")
        apply = SubElement(SubElement(attribute, "ComplexPartialScore"), "Apply", function="*")
        SubElement(apply, "Constant", dataType="double").text = str(points)
        SubElement(apply, "FieldRef", field=name)
        return
    each.set("baselineScore", str(max(points, 0)))
    for operator, score in (("greaterOrEqual", points), ("lessThan", 0)):
        attribute = SubElement(each, "Attribute", partialScore=str(score))
        cut = number(term.cut)
        SubElement(attribute, "SimplePredicate", field=name, operator=operator, value=cut)


def _earned(term: Term, points: int, value: int) -> int:
    return points * (value if term.cut is None else int(value >= term.cut))


def _predicates(holds: Element, otherwise: Element, column: Words, place: int) -> None:
    """That the column has a level, and that it has another one."""
    single = column.features == [column.name]
    level = "True" if single else column.levels[place]
    if level == MISSING and column.missing:
        _simple(holds, column, "isMissing")
        _simple(otherwise, column, "isNotMissing")
        return
    if level == OTHER and column.pooled:
        _among(holds, column, "isNotIn")
        other = _or_missing(otherwise, column)
        _among(other, column, "isIn")
        return
    value = level.lower() if column.boolean else level
    _simple(holds, column, "equal", value)
    _simple(_or_missing(otherwise, column), column, "notEqual", value)


def _simple(parent: Element, column: Words, operator: str, value: str | None = None) -> None:
    predicate = SubElement(parent, "SimplePredicate", field=column.name, operator=operator)
    if value is not None:
        predicate.set("value", value)


def _or_missing(parent: Element, column: Words) -> Element:
    """Where a missing value is a level, it is another one than this."""
    if not column.missing:
        return parent
    either_of = SubElement(parent, "CompoundPredicate", booleanOperator="or")
    _simple(either_of, column, "isMissing")
    return either_of


def _among(parent: Element, column: Words, operator: str) -> None:
    predicate = SubElement(
        parent, "SimpleSetPredicate", field=column.name, booleanOperator=operator
    )
    words = (f'"{word.replace(chr(34), chr(92) + chr(34))}"' for word in column.words)
    SubElement(predicate, "Array", type="string", n=str(len(column.words))).text = " ".join(words)
