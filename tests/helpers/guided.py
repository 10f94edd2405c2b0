"""Files spoiled under guidance: atheris looks for inputs that reach new lines of our readers.

Where atheris is installed: `python guided.py KIND SECONDS`. A documented error is fine, anything
else ends the run and leaves the input in the folder build/fuzz.
"""

import contextlib
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["rosenblatt"], enable_loader_override=False):
    from rosenblatt._model import arrays, checkpoint, kernel, linear, state, training  # noqa: F401
    from rosenblatt._support import strict_json  # noqa: F401
    from rosenblatt.data import _svmlight_grammar, _svmlight_readers  # noqa: F401

from mutations import originals, use, with_new_sum
from rosenblatt import load
from rosenblatt.errors import RosenblattError
from spoiled_files import KINDS
from svmlight_texts import TEXT, read


def readers(folder):
    """By kind: what reads a file, and files to begin with."""
    for kind, attacked in KINDS.items():
        made = attacked(folder)
        files = list(made.originals())
        yield kind, lambda content, a=files[0][0], m=made: m.use(a, with_new_sum(content)), files[0]
    path = folder / "guided.json"

    def model(content):
        path.write_bytes(with_new_sum(content))
        use(load(path))

    yield "model", model, ("", next(originals(folder)))
    yield "svmlight", lambda content: read(content, n_features=2**63 - 1), ("", TEXT)


def main(kind, seconds):
    warnings.simplefilter("ignore")
    place = Path("build/fuzz") / kind
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = {name: (read, first) for name, read, first in readers(Path(folder))}
        attempt, (_, first) = found[kind]
        (place / "first").write_bytes(first)

        def once(content):
            with contextlib.suppress(RosenblattError):
                attempt(content)

        flags = [f"-max_total_time={seconds}", "-rss_limit_mb=1024", "-max_len=65536"]
        atheris.Setup([sys.argv[0], *flags, f"-artifact_prefix={place}/", str(place)], once)
        atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
