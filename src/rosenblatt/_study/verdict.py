"""What is proved, as a section of the document and as `rosenblatt certify --json` prints it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rosenblatt._certify import column_text
from rosenblatt._certify.text import sections
from rosenblatt.report.document import LISTED, Training, Verdict

if TYPE_CHECKING:
    from rosenblatt import Certificate, ErrorBracket
    from rosenblatt.certificate import Conflict, Margin


_MOST_UPDATES = 1_000_000  # a larger bound tells nobody when training ends


def describe(certificate: Certificate, bracket: ErrorBracket | None = None) -> dict[str, Any]:
    """The answer, for a program; the proof is in the certificate."""

    def ends(margin: Margin | None) -> dict[str, Any] | None:
        return None if margin is None else {"lo": margin.lo, "hi": margin.hi, "exact": margin.exact}

    conflict, separator = certificate.conflict, certificate.separator
    open_kind = certificate.verdict == "undecided" and certificate.separable is False
    return {
        "verdict": "not separable" if open_kind else certificate.verdict,
        "separable": certificate.separable,
        "rows": certificate.n_rows,
        "features": certificate.feature_names,
        "labels": certificate.classes,
        "geometric_margin": ends(certificate.geometric_margin),
        "homogeneous_margin": ends(certificate.homogeneous_margin),
        "mistake_bound": certificate.mistake_bound,
        "conflict": conflict and _conflict(conflict),
        "separator": separator and separator.to_dict(),
        "coefficient_signs": certificate.coefficient_signs,
        **_of_many_classes(certificate),
        "revealing_columns": [c.column for c in certificate.revealing_columns],
        "rare_columns": [c.column for c in column_text.rare(certificate)],
        "rare_numbers": [c.column for c in column_text.rare_numbers(certificate)],
        "collinear": [str(column) for column in certificate.collinear][:LISTED],
        "fewest_errors": bracket
        and {
            "lower": bracket.lower,
            "proved_lower": bracket.proved_lower,
            "upper": bracket.upper,
            "tolerates": bracket.tolerates and asdict(bracket.tolerates),
            **bracket.rule.to_dict(),
        },
        "limits": certificate.limits,
        "sha256": certificate.sha256,
        "separated_rows": _separated(certificate),
        "separating_directions": [
            {"columns": {n: float(v) for n, v in d.weights.items()}, "rows": d.rows}
            for d in certificate.separating_directions
        ],
        **({} if certificate.family == "logistic" else {"family": certificate.family}),
    }


def _separated(certificate: Certificate) -> list[int] | None:
    rows = certificate.separated_rows
    return None if rows is None else rows.tolist()


def _conflict(conflict: Conflict) -> dict[str, Any]:
    rivals = {} if conflict.rivals is None else {"rivals": conflict.rivals}
    return {"rows": conflict.rows, "labels": conflict.labels} | rivals


def _of_many_classes(certificate: Certificate) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    if certificate.many:
        parts["class_coefficient_signs"] = certificate.class_coefficient_signs
        pairs = certificate.class_pairs
        parts["class_pairs"] = None if pairs is None else [asdict(pair) for pair in pairs]
    if certificate.pair_certificates is not None:
        parts["pairs"] = certificate.pair_certificates.table()
    return parts


def verdict(certificate: Certificate, *, rows: bool) -> Verdict:
    """`rows`: whether what comes from single rows may be shown."""
    content: Any = describe(certificate)
    for field in (
        "features",
        "separator",
        "coefficient_signs",
        "fewest_errors",
        "separating_directions",
    ):
        del content[field]  # in the data, in the certificate, below, and for `rosenblatt certify`
    content["mistake_bound"] = _telling(content["mistake_bound"])
    text = dict(sections(certificate))
    separated, conflict = certificate.separated_rows, certificate.conflict
    signs = _of_classes(certificate, content) if certificate.many else certificate.coefficient_signs
    endless = [(name, s) for name, s in (signs or {}).items() if s in ("+", "-", "±")]
    unknown = signs is None or "?" in signs.values()
    content["infinite_coefficients"] = None if unknown else dict(endless[:LISTED])
    content["separated_rows"] = None if separated is None else len(separated)
    point = None if conflict is None else conflict.meeting_point
    content["meeting_point"] = None if point is None else dict(list(point.items())[:LISTED])
    content["sentence"] = text["verdict"][0]
    content["chance"] = " ".join(text.get("chance", [])) or None
    if not rows:
        content["conflict"] = content["meeting_point"] = None
        for part in ("conflict", "separated", "all separated"):
            text.pop(part, None)
    content["text"] = "\n".join(line for lines in text.values() for line in lines)
    section: Verdict = content
    return section


def _telling(bound: int | None) -> int | None:
    return None if bound is None or bound > _MOST_UPDATES else bound


def _of_classes(certificate: Certificate, content: dict[str, Any]) -> dict[str, str] | None:
    """The signs of coefficients by class and feature; `told` has as much as can be mailed."""
    content["class_pairs"] = content["class_pairs"] and content["class_pairs"][:LISTED]
    by_class = content.pop("class_coefficient_signs")
    if by_class is None:
        return None
    return {f"{c}: {name}": sign for c, signs in by_class.items() for name, sign in signs.items()}


def training(
    certificate: Certificate | None, rows: int, updates: int | None, whole: Certificate | None
) -> Training:
    """Of the training rows alone; `whole` is about all rows of the table."""
    content: dict[str, Any] = {} if certificate is None else describe(certificate)
    separable, bound = content.get("separable"), _telling(content.get("mistake_bound"))
    if separable:
        sentence = f"The {rows:,} training rows alone are separable" + (
            ""
            if bound is None
            else f": on the scaled columns a perceptron converges after at most {bound:,} updates"
        )
    elif separable is False:
        lack = "a perceptron does not converge on them"
        sentence = f"The {rows:,} training rows alone are not separable: {lack}"
    elif whole is not None and whole.separable:
        also = "are separable, as all rows are; their margin is not known"
        sentence = f"The {rows:,} training rows {also}"
    else:
        sentence = f"Whether the {rows:,} training rows alone are separable is undecided"
    return {
        "separable": separable,
        "rows": rows,
        "geometric_margin": content.get("geometric_margin"),
        "homogeneous_margin": content.get("homogeneous_margin"),
        "mistake_bound": bound,
        "updates": updates,
        "sentence": f"{sentence}.",
    }
