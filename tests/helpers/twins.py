"""Certificates and tables, valid and spoiled, for both verifiers: Python and JavaScript."""

import csv
import io
import json
import random
from pathlib import Path

import numpy as np

from rosenblatt import certify, verify
from rosenblatt.play.bundle import bundled
from rosenblatt.report.page import module
from tampering import changed, changes

KEPT = sorted((Path(__file__).parents[1] / "certify" / "certificates").glob("*/*.json"))
ENTRY = """
import { judge } from "./check.js";
import { readPlain } from "./csv.js";
import { readEncoded } from "./encoded.js";
import { parsed, float } from "./json.js";
import { nearest, next, number } from "./fractions.js";
import { hypot } from "./rows.js";
const judged = (read) => ([certificate, name, text]) => {
  const { status, lines } = judge(certificate, (claim) => read(claim, { name, text }));
  return [status, lines];
};
export const plain = (asked) => asked.map(judged(readPlain));
export const encoded = (asked) => asked.map(judged((claim, file) => readEncoded(claim, [file])));
export const numbers = (asked) => asked.map(([a, b]) => nearest(BigInt(a), BigInt(b)));
export const written = (asked) => asked.map(float);
export const lengths = (asked) => asked.map(hypot);
export const exact = (asked) => asked.map((text) => number(text).map(String));
export const neighbours = (asked) => asked.map((v) => [next(v, 1n), next(v, -1n)]);
"""


def script():
    """The twin as one script that leaves its functions in `window.twin`."""
    return (
        bundled("entry", lambda n: ENTRY if n == "entry" else module(n)) + "\nwindow.twin=$entry;"
    )


def python_says(certificate, table, name="t.csv"):
    """Status and lines of the stand-alone verifier; both files are in the current folder."""
    Path("c.json").write_bytes(certificate.encode("utf-8", "surrogatepass"))
    Path(name).write_bytes(table.encode("utf-8", "surrogatepass"))
    status, lines, _ = verify.judge("c.json", lambda claim: verify.read_csv(claim, name))
    return status, lines


def kept():
    """Certificates of every schema and verdict, and their tables, as text."""
    for path in KEPT:
        yield path.read_text(encoding="utf-8"), path.with_suffix(".csv").read_text(encoding="utf-8")


def as_csv(names, X, y):
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([*map(repr, x), label] for x, label in zip(X.tolist(), y, strict=True))
    return file.getvalue()


def made(rng):
    """A certificate of a random table, and the table: few points on a grid, or any floats."""
    n, d, k = (int(v) for v in (rng.integers(4, 14), rng.integers(1, 5), rng.integers(2, 4)))
    if rng.random() < 0.6:
        X = rng.integers(-3, 4, size=(n, d)) / rng.choice([1, 4, 10])
    else:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-12, 13, size=d)
    scores = X @ rng.normal(size=(d, k)) + rng.normal(size=k) / 2
    labels = np.array(["no", "yes", "été"])[scores.argmax(axis=1)]
    labels[:k] = ["no", "yes", "été"][:k]
    options = {"fit_intercept": bool(rng.random() < 0.7)}
    if rng.random() < 0.3:
        options["numbers"] = "decimal"
    certificate = certify(X, labels, **options)
    names = [f"x{j}" for j in range(d)]
    return json.dumps(certificate.to_dict()), as_csv([*names, "y"], X, labels)


def tampered(certificate):
    """Every way to change one thing in it, as text."""
    document = json.loads(certificate)
    for change in changes(document):
        yield json.dumps(changed(document, *change))


_BITS = ['"', ",", "\n", "\r\n", "\r", "0", "1", "9", ".", "-", "e", " ", ";", "x", "true", "é", ""]


def scribbled(text, chance: random.Random):
    """One or two characters are others, missing or more."""
    for _ in range(chance.randint(1, 2)):
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(_BITS) + text[place + chance.randint(0, 1) :]
    return text


_WORDS = ["4.0", "1e0", "-0", "true", "null", "NaN", "-Infinity", "1e999", "[]", "{}", '"0x1"', "0"]


def rewritten(certificate, chance: random.Random):
    """A value of the JSON is another one, whatever its type; or a name stands twice."""
    document = json.loads(certificate)
    name = chance.choice(list(document))
    if chance.random() < 0.2:
        return certificate.rstrip()[:-1] + f', "{name}": {json.dumps(document[name])}}}'
    mark = "the place of another value"
    inner, key = document, name
    while isinstance(inner[key], (dict, list)) and inner[key] and chance.random() < 0.8:
        inner = inner[key]
        key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    inner[key] = mark
    return json.dumps(document).replace(json.dumps(mark), chance.choice(_WORDS))
