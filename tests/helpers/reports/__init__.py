"""Documents as `rosenblatt fit --json` prints them, for the tests of the report.

credit.json, costs.json, leak.json and species.json were printed so; the others are made from them.
"""

import json
from pathlib import Path

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "</title></style></script><h1>gone",
    "{{ 7001 * 1001 }}{% raw %}",
    "\u202ereversed\u202c and on",
    "الدخل السنوي",
    "年収（円）",
    "💳👩‍👩‍👧‍👦",
    "x" * 300,
    "so long a name " * 20,
    "line\nbreak\tand\x00\x07bells",
    "half \ud83d pair",
    "' onload='alert(3)",
    "",
]


def credit():
    """The credit table without the two columns that tell the decision: the classes overlap."""
    return _read("credit")


def costs():
    """The same where a card that is granted wrongly costs 5."""
    return _read("costs")


def card():
    """The same with a card for a rule: a count, a cut, a yes or no."""
    content = credit()
    terms = [
        {"text": "for each of reports", "feature": "reports", "each": True, "cut": None},
        {"text": "if income >= 6", "feature": "income", "each": False, "cut": 6.0},
        {"text": "if owner=yes", "feature": "owner=yes", "each": False, "cut": 1.0},
    ]
    kinds = zip(terms, (-2, 3, 1), (False, False, True), strict=True)
    earned = [(2.0, 2.0, -4), (2.9, 0.0, 0), (1.0, 1.0, 1)]
    groups = [(-24, -2, 97, 15), (-1, 0, 112, 74), (1, 4, 846, 729)]
    content["rule"] |= {"terms": [], "n_terms": 0, "references": [], "threshold": None}
    content["rule"]["sentence"] = "card = yes if the points reach −1: −2 for each of reports, …"
    content["rule"]["card"] = {
        "terms": [term | {"points": p, "indicator": yes_no} for term, p, yes_no in kinds],
        "threshold": -1,
        "by_points": [
            dict(zip(("lowest", "highest", "rows", "second"), group, strict=True))
            for group in groups
        ],
        "example": {
            "earned": [{"value": v, "counts": c, "points": p} for v, c, p in earned],
            "total": -3,
            "label": "no",
        },
        "bracket": "The card makes 170 errors on the 1,055 rows it learned from. No weights for "
        "these terms, whole or not, make fewer than 165: proved.",
    }
    return content | {"learning": None, "hardest_rows": [], "training": None}


def leak():
    """The credit table as it is: a column tells the decision."""
    return _read("leak")


def species():
    """Three kinds of iris: more than two classes."""
    return _read("species")


def many_hostile():
    """A dozen classes and more, with labels that no one should have given."""
    content = species()
    k = len(HOSTILE)
    rule = content["rule"]
    card, pair = rule["classes"][0], rule["differences"][0]
    rule["classes"] = [card | {"label": label} for label in HOSTILE]
    rule["differences"] = [
        pair | {"label": label, "other": HOSTILE[0], "sentence": label} for label in HOSTILE[1:]
    ]
    content["data"] |= {"classes": HOSTILE, "counts": dict.fromkeys(HOSTILE, 10)}
    counts = [[9 if i == j else (i + j) % 3 for j in range(k)] for i in range(k)]
    content["confusion"] = {"labels": HOSTILE, "counts": counts}
    bars = content["margins"]["counts"]["setosa"]
    content["margins"]["counts"] = dict.fromkeys(HOSTILE, bars)
    verdict = content["verdict"]
    verdict["class_pairs"] = [
        {"first": HOSTILE[0], "second": label, "rows": 20, "separated": 10} for label in HOSTILE[1:]
    ]
    verdict["conflict"] = {"rows": list(range(k)), "labels": HOSTILE, "rivals": HOSTILE[::-1]}
    return content


def separable():
    """As if one line told the classes apart."""
    content = credit()
    margin = {"lo": 0.0432, "hi": 0.0433, "exact": False}
    content["verdict"] |= {
        "verdict": "complete separation",
        "separable": True,
        "sentence": "Complete separation: a hyperplane has every row strictly on the right side.",
        "conflict": None,
        "meeting_point": None,
        "geometric_margin": margin,
        "homogeneous_margin": {"lo": 0.01, "hi": 0.01, "exact": True},
        "mistake_bound": 123456,
        "separated_rows": 1319,
    }
    content["training"] |= {
        "separable": True,
        "geometric_margin": margin,
        "homogeneous_margin": {"lo": 0.02, "hi": None, "exact": False},
        "mistake_bound": 4567,
        "updates": 321,
        "sentence": "A line separates the training rows.",
    }
    return content


def undecided():
    content = credit()
    content["verdict"] |= {
        "verdict": "undecided",
        "separable": None,
        "sentence": "Undecided: the time was over.",
        "conflict": None,
        "meeting_point": None,
        "limits": ["the search for a separator, by the time limit of 1 second"],
        "separated_rows": None,
    }
    return content


def hostile():
    """Every name and label is something that no one should have named so."""
    content = credit()
    names = HOSTILE[: len(content["rule"]["terms"])]
    for term, name in zip(content["rule"]["terms"], names, strict=True):
        term["feature"] = name
    content["data"] |= {
        "target": HOSTILE[0],
        "files": HOSTILE,
        "ignored": HOSTILE,
        "features": names,
        "classes": [HOSTILE[1], HOSTILE[2]],
        "counts": {HOSTILE[1]: 296, HOSTILE[2]: 1023},
        "preprocessing": [
            column | {"name": name, "features": [name]}
            for column, name in zip(content["data"]["preprocessing"], names, strict=True)
        ],
        "warnings": [{"kind": "leak risk", "columns": [n], "sentence": f"{n}?"} for n in HOSTILE],
    }
    content["split"] |= {"group": HOSTILE[4], "sentence": HOSTILE[0]}
    content["candidates"][1]["name"] = HOSTILE[0]
    content["error"] |= {"majority_label": HOSTILE[2], "optimism": HOSTILE[0]}
    content["rule"] |= {"label": HOSTILE[2], "other": HOSTILE[1], "name": HOSTILE[0]}
    content["margins"]["counts"] = dict(
        zip(HOSTILE[1:3], content["margins"]["counts"].values(), strict=True)
    )
    content["confusion"]["labels"] = HOSTILE[1:3]
    for part in ("roc", "thresholds", "calibration"):
        content[part] |= {"label": HOSTILE[2], "other": HOSTILE[1], "sentence": HOSTILE[0]}
    for one, label in zip(content["by_class"], HOSTILE[1:3], strict=True):
        one["label"] = label
    content["asked"]["sentence"] = HOSTILE[0]
    for row, label in zip(content["hardest_rows"], HOSTILE, strict=False):
        row |= {"label": label, "predicted": label, "values": dict.fromkeys(names, label)}
    verdict = content["verdict"]
    verdict |= {"text": "\n".join(HOSTILE), "sentence": HOSTILE[0], "revealing_columns": HOSTILE}
    verdict["meeting_point"] = dict.fromkeys(HOSTILE, 1.5)
    verdict["infinite_coefficients"] = dict.fromkeys(HOSTILE, "±")
    verdict["conflict"]["labels"] = [HOSTILE[1 + i % 2] for i in verdict["conflict"]["rows"]]
    content["reproduce"]["command"] = f"rosenblatt fit {HOSTILE[0]}"
    content["files"]["model"] = HOSTILE[0]
    return content


def wide(features=5000):
    """Many features, as many of them listed as a document lists."""
    content = credit()
    names = [f"measurement {i:04d}" for i in range(min(features, 500))]
    content["rule"] |= {
        "terms": [
            {
                "feature": n,
                "indicator": False,
                "weight": (-1) ** i * 3.7 / (i + 1),
                "scaled_weight": (-1) ** i / (i + 1),
            }
            for i, n in enumerate(names)
        ],
        "n_terms": features,
    }
    content["data"] |= {
        "columns": features,
        "features": names,
        "n_features": features,
        "preprocessing": [
            content["data"]["preprocessing"][0] | {"name": n, "features": [n], "center": i / 7}
            for i, n in enumerate(names)
        ],
    }
    content["verdict"] |= {"meeting_point": dict.fromkeys(names, 0.125)}
    for row in content["hardest_rows"]:
        row["values"] = {n: round(i * 0.37, 2) for i, n in enumerate(names[:20])}
    return content


def tiny():
    """Two columns and thirty rows, divided and trained in one epoch."""
    content = credit()
    content["rule"]["terms"] = content["rule"]["terms"][:1]
    content["data"] |= {"rows": 30, "columns": 1, "counts": {"no": 12, "yes": 18}}
    content["data"]["preprocessing"] = content["data"]["preprocessing"][:1]
    content["data"]["features"] = ["reports"]
    content["split"] |= {"train": 18, "validation": 6, "test": 6}
    content["error"] |= {
        "test_errors": 0,
        "test_n": 6,
        "rate": 0.0,
        "interval": [0.0, 0.459],
        "majority_errors": 2,
    }
    content["learning"] = {"mistakes": [3], "kept": None, "rows": 18, "updates": 3, "epochs": 1}
    content["margins"] = {"edges": [0.5, 0.5], "counts": {"no": [7], "yes": [11]}, "unit": "score"}
    content["confusion"]["counts"] = [[2, 0], [0, 4]]
    content["hardest_rows"] = [
        {"row": 4, "updates": 2, "label": "no", "predicted": "no", "values": {"reports": None}}
    ]
    content["verdict"]["meeting_point"] = {"reports": 0.5}
    return content


def one_sided():
    """One row in a hundred is of the other label, and none of them among the test rows."""
    content = credit()
    content["data"]["counts"] = {"no": 13, "yes": 1306}
    content["margins"]["counts"]["no"] = [0, 1, 2] + [0] * (len(content["margins"]["edges"]) - 4)
    content["confusion"]["counts"] = [[0, 0], [0, 264]]
    content["error"] |= {"test_errors": 0, "rate": 0.0, "interval": [0, 0.0139]}
    content["error"]["majority_errors"] = 0
    return content


def kernel():
    """A rule without weights of features, cross-validated, without people's rows."""
    content = credit()
    content["rule"] |= {"name": "rbf kernel", "terms": [], "threshold": None}
    content["rule"]["sentence"] = "yes where the kernel rule's score is 0 or greater."
    content["split"] |= {"method": "cross-validation", "folds": 5, "group": "household"}
    content["margins"]["unit"] = "score"
    content["hardest_rows"] = []
    content["verdict"]["meeting_point"] = None
    return content


def interrupted():
    """Ctrl-C during training: what was not reached is None."""
    content = credit()
    parts = "error rule learning margins confusion verdict training proof"
    content |= dict.fromkeys(parts.split())
    return content | {"interrupted": True, "hardest_rows": [], "files": {}}


ALL = {
    made.__name__: made
    for made in (
        *(credit, costs, card, leak, separable, undecided, hostile, wide),
        *(tiny, one_sided, kernel, interrupted, species, many_hostile),
    )
}


def _read(name):
    text = (Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)
