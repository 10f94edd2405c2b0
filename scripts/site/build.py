"""make site: docs/, the notebooks and the docstrings as a static site; open site/index.html.

The source of Sphinx is made anew in a folder of its own: docs/ stays plain Markdown for any viewer
of repositories, and what only a site can show comes in here.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from functools import partial
from pathlib import Path

import cells
import reference
from contents import CONTENTS, ROOT, pages, toctrees
from texts import page_of

HERE = Path(__file__).parent


def written(source: Path) -> None:
    """Every page, as Sphinx reads it."""
    names = {f"api/{page}" for page in reference.PAGES}
    reference.write(source / "api")
    for file, page in pages().items():
        target = source / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix not in (".md", ".ipynb"):
            shutil.copy(ROOT / file, target)
            continue
        text, adapted = (ROOT / file).read_text("utf-8"), partial(page_of, file=file)
        notebook = target.suffix == ".ipynb"
        made = cells.markdown_of(text, target, adapted) if notebook else adapted(text)
        target.with_suffix(".md").write_text(made, "utf-8")
        names.add(page.rsplit(".", 1)[0])
    shutil.copytree(ROOT / "docs" / "images", source / "images")
    with (source / "index.md").open("a", encoding="utf-8") as first:
        first.write("\n" + toctrees(names))


def live(folder: Path) -> None:
    """The playground, and the report of the study that `make demo` makes, with its table."""
    from rosenblatt import study
    from rosenblatt.datasets import load_credit
    from rosenblatt.play import page

    folder.mkdir(parents=True)
    (folder / "playground.html").write_text(page(), "utf-8")
    shutil.copy(load_credit().filename, folder / "credit.csv")
    with chdir(folder):  # the report names the table as it was named
        study("credit.csv", target="card", ignore=["share", "expenditure"]).save_report(
            "report.html"
        )


def for_language_models() -> str:
    """llms.txt (llmstxt.org): every page with its first sentences."""
    lines = ["# rosenblatt", "", "> Linear classifiers you can check.", ""]
    for caption, names in CONTENTS.items():
        lines += [f"## {caption}", ""]
        for name in names:
            path = ROOT / "docs" / f"{name}.md"
            if path.exists():
                title, opening = path.read_text("utf-8").split("\n\n")[:2]
                said = re.sub(r"\]\([^)]*\)|[\[*]", "", " ".join(opening.split()))
                lines.append(f"- [{title.removeprefix('# ')}]({name}.html): {said}")
            else:
                lines.append(f"- [{name.split('/')[-1]}]({name}.html)")
        lines.append("")
    return "\n".join(lines) + "\n" + (ROOT / "AGENTS.md").read_text("utf-8")


def main(output: Path) -> int:
    with tempfile.TemporaryDirectory(prefix="rosenblatt-") as made:
        source = Path(made) / "source"
        source.mkdir()
        written(source)
        live(Path(made) / "extra" / "live")
        (Path(made) / "extra" / "llms.txt").write_text(for_language_models(), "utf-8")
        shutil.rmtree(output, ignore_errors=True)
        # A warning is an error: an anchor that leads nowhere, a page that is in no list.
        sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
        where = ["-c", str(HERE), "-d", str(Path(made) / "doctrees"), str(source), str(output)]
        extra = ["-D", f"html_extra_path={Path(made) / 'extra'}"]
        code = subprocess.run([*sphinx, *extra, *where], check=False).returncode
    if not code:
        size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
        count = len(list(output.rglob("*.html")))
        print(f"{count} pages, {size / 1e6:.1f} MB: {output / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "site").absolute()))
