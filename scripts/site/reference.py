"""The pages of the reference: which names are on which, and everything public once."""

import importlib
from pathlib import Path

PAGES = {
    "estimators": (
        "Estimators",
        "Classifiers with the methods of scikit-learn's.",
        {
            "rosenblatt": [
                "Perceptron",
                "KernelPerceptron",
                "AROW",
                "PassiveAggressive",
                "OneByOne",
                "Relaxation",
                "RandomLinearClassifier",
                "Scorecard",
                "StopReason",
                "config_context",
            ]
        },
    ),
    "study": (
        "Studies and selection",
        "From a table to an honest error; what `rosenblatt fit` does, from Python.",
        {"rosenblatt": ["study", "Study"], "rosenblatt.selection": None},
    ),
    "proofs": (
        "Proofs",
        "What can be decided about all linear rules, and what it means for a logistic regression.",
        {
            "rosenblatt": [
                "certify",
                "Certificate",
                "minimum_errors",
                "ErrorBracket",
                "forced_signs",
                "SignReport",
                "second_opinion",
                "Opinions",
                "suspects",
                "Suspects",
            ],
            "rosenblatt.separation": None,
        },
    ),
    "theory": (
        "Theory and traces",
        "Every update of a training, and the formulas of the lecture notes.",
        {"rosenblatt": ["trace", "Trace"], "rosenblatt.theory": None},
    ),
    "data": (
        "Tables, streams and engines",
        "How rows come in: from files, from disk, from other machines.",
        {
            "rosenblatt": ["train", "predict_stored", "certify_stored"],
            "rosenblatt.data": None,
            "rosenblatt.datasets": None,
        },
    ),
    "files": (
        "Models in files",
        "Saved, loaded, and handed to other programs.",
        {
            "rosenblatt": ["save", "load"],
            "rosenblatt.onnx": ["export"],
            "rosenblatt.formulas": ["to_sql", "to_excel_formula", "to_python", "inputs"],
            "rosenblatt.errors": None,
        },
    ),
    "plots": (
        "Pictures and the playground",
        "What draws: matplotlib, and a page in a browser.",
        {"rosenblatt.plots": None, "rosenblatt.play": None},
    ),
    "teach": (
        "Courses",
        "Programs checked update by update, exercises, the algorithms of lecture notes.",
        {"rosenblatt.teach": None},
    ),
}


def write(folder: Path) -> None:
    """The pages as reStructuredText, which autodoc fills from the docstrings."""
    folder.mkdir(parents=True)
    for page, (title, about, modules) in PAGES.items():
        lines = [title, "=" * len(title), "", about.replace("`", "``"), ""]
        for module, names in modules.items():
            lines += _of(module, names)
        (folder / f"{page}.rst").write_text("\n".join(lines), "utf-8")


def _of(module: str, names: list[str] | None) -> list[str]:
    home = importlib.import_module(module)
    lines = [module, "-" * len(module), ""]
    for name in names or getattr(home, "__all__", vars(home)):
        value = getattr(home, name)
        if isinstance(value, type):
            kind = "exception" if issubclass(value, BaseException) else "class"
        elif callable(value):
            kind = "function"
        else:  # a name of the module itself
            continue
        lines += [name, "~" * len(name), "", f".. auto{kind}:: {module}.{name}", ""]
    return lines
