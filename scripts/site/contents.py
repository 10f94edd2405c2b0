"""Where a file of the repository lies on the site, and what is under which heading."""

from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]

# The headings of the sidebar. Pages of docs/ that are not named come under the last one.
CONTENTS = {
    "Tutorials": [
        "fit",
        "tutorial",
        "lecture-notes",
        "homework",
        "tour/first-steps",
        "tour/the-theorem",
        "tour/separation",
        "tour/a-lecture",
        "tour/larger-than-memory",
    ],
    "How-to guides": [
        "separation",
        "tables",
        "error",
        "probe",
        "scorecard",
        "from-scikit-learn",
        "how-to",
        "many-classes",
        "export",
        "large-data",
        "streams",
        "playground",
    ],
    "Explanations": ["certificate", "fewest-errors", "theory", "results"],
    "Reference": [
        "api",
        "commands",
        "install",
        "definitions",
        "file-formats",
        "agents",
        "datasets",
    ],
    "Python reference": [
        "api/estimators",
        "api/study",
        "api/proofs",
        "api/theory",
        "api/data",
        "api/files",
        "api/plots",
        "api/teach",
    ],
    "The project": ["diary", "changelog", "contributing"],
}

# Pages from elsewhere in the repository.
ELSEWHERE = {
    "src/rosenblatt/datasets/README.md": "datasets.md",
    "AGENTS.md": "agents.md",
    "benchmarks/results.md": "results.md",
    "benchmarks/diary.md": "diary.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CITATION.cff": "CITATION.cff",  # to be downloaded
    "LICENSE": "LICENSE",
    "README.md": "index.md",  # whoever links to the README is sent to the first page
}


def pages() -> dict[str, str]:
    """From a file of the repository to its page, without the README, which is for repositories."""
    docs = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".ipynb")]
    found = {str(path.relative_to(ROOT)): str(path.relative_to(ROOT / "docs")) for path in docs}
    found |= {file: page for file, page in ELSEWHERE.items() if (ROOT / file).exists()}
    del found["README.md"]
    return found


def place_of(file: str) -> str | None:
    """The page of a file, as the site's source has it; None: it has none."""
    at = PurePosixPath(file)
    if file in ELSEWHERE:
        return ELSEWHERE[file]
    return str(at.relative_to("docs")) if at.parts[:1] == ("docs",) else None


def toctrees(names: set[str]) -> str:
    """The sidebar, as the first page holds it: every page once."""
    listed = {name for some in CONTENTS.values() for name in some}
    rest = sorted(names - listed - {"index"})
    blocks = []
    for caption, some in CONTENTS.items():
        last = caption == list(CONTENTS)[-1]
        lines = [name for name in some if name in names] + (rest if last else [])
        blocks.append(
            "```{toctree}\n:hidden:\n:maxdepth: 1\n:caption: " + caption + "\n\n"
            "" + "\n".join(lines) + "\n```\n"
        )
    return "\n".join(blocks)
