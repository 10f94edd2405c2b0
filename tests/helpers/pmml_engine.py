"""Scorecards of PMML 4.4, as the specification says that they are scored: nothing of ours."""

import re
from xml.etree import ElementTree

_NS = {"p": "http://www.dmg.org/PMML-4_4"}


def score(text, row):
    """The output fields of a row, a dict of values by name; None where there is no result."""
    root = ElementTree.fromstring(text.encode())
    model = root.find("p:Scorecard", _NS)
    kinds = {field.get("name"): field for field in root.findall(".//p:DataField", _NS)}
    values = {}
    for used in model.findall("p:MiningSchema/p:MiningField", _NS):
        field = kinds[used.get("name")]
        value = _typed(row.get(field.get("name")), field.get("dataType"))
        if value is None and used.get("missingValueReplacement") is not None:
            value = _typed(used.get("missingValueReplacement"), field.get("dataType"))
        known = [_typed(v.get("value"), field.get("dataType")) for v in field]
        if value is not None and known and value not in known:
            assert used.get("invalidValueTreatment") == "returnInvalid"
            return None
        values[field.get("name")] = value
    for field in root.findall(".//p:DerivedField", _NS):
        values[field.get("name")] = _expression(field[0], values)
    points, lost = float(model.get("initialScore")), []
    for place, each in enumerate(model.findall("p:Characteristics/p:Characteristic", _NS)):
        found = next((a for a in each if _holds(a[0], values) is True), None)
        if found is None:
            return None
        partial = found.get("partialScore")
        if partial is None:
            partial = _expression(found.find("p:ComplexPartialScore", _NS)[0], values)
        points += float(partial)
        lost.append(
            (float(each.get("baselineScore")) - float(partial), -place, each.get("reasonCode"))
        )
    assert model.get("reasonCodeAlgorithm") == "pointsBelow"
    ranked, outputs = sorted(lost, reverse=True), {}
    for field in model.findall("p:Output/p:OutputField", _NS):
        feature = field.get("feature")
        if feature == "predictedValue":
            outputs[field.get("name")] = points
        elif feature == "reasonCode":
            outputs[field.get("name")] = ranked[int(field.get("rank")) - 1][2]
        else:
            outputs[field.get("name")] = _expression(field[0], outputs)
    return outputs


def _typed(value, kind):
    if value is None or value != value:
        return None
    if kind == "string":
        return str(value)
    if kind == "boolean":
        return str(value).lower() in ("true", "1")
    return int(value) if kind == "integer" else float(value)


def _tag(element):
    return element.tag.rpartition("}")[2]


def _expression(element, values):
    if _tag(element) == "Constant":
        return _typed(element.text, element.get("dataType"))
    if _tag(element) == "FieldRef":
        return values[element.get("field")]
    given = [_expression(part, values) for part in element]
    if any(value is None for value in given[:2]):
        return None
    operators = {
        "-": lambda a, b: a - b,
        "/": lambda a, b: a / b,
        "*": lambda a, b: a * b,
        "greaterOrEqual": lambda a, b: a >= b,
        "if": lambda a, b, c: b if a else c,
    }
    return operators[element.get("function")](*given)


def _holds(element, values):
    """True, False, or None for unknown."""
    if _tag(element) == "True":
        return True
    if _tag(element) == "CompoundPredicate":
        assert element.get("booleanOperator") == "or"
        parts = [_holds(part, values) for part in element]
        return True if True in parts else None if None in parts else False
    value, operator = values[element.get("field")], element.get("operator")
    if operator in ("isMissing", "isNotMissing"):
        return (value is None) == (operator == "isMissing")
    if value is None:
        return None
    if _tag(element) == "SimpleSetPredicate":
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', element[0].text or "")
        words = [word.replace('\\"', '"') for word in words]
        assert len(words) == int(element[0].get("n"))
        return (value in words) == (element.get("booleanOperator") == "isIn")
    other = _typed(
        element.get("value"), {str: "string", bool: "boolean"}.get(type(value), "double")
    )
    return {
        "equal": value == other,
        "notEqual": value != other,
        "greaterOrEqual": value >= other if isinstance(value, float) else None,
        "lessThan": value < other if isinstance(value, float) else None,
    }[operator]
