"""Checkpoints, traces and typed tables with something wrong in them: refused, or harmless.

Run by tests/attacks/test_files.py in a process of its own, which may take half a gigabyte more than
it has: `python spoiled_files.py KIND COUNT SEED`.
"""

import io
import json
import resource
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from models import table
from mutations import ROOM, spoil_bytes, spoiled, virtual_memory
from rosenblatt import KernelPerceptron, Perceptron, Trace, data, trace, train
from rosenblatt.errors import RosenblattError

ROWS, LABELS = table(60, 4)
TRAINED = [
    *(("shuffle", keep) for keep in ("last", "best", "pocket", "average", "vote")),
    *((order, "best") for order in ("cyclic", "blocks", "random", "batch")),
]


KINDS_OF_LABELS = np.array(["a", "b", "c"])[(LABELS + (ROWS[:, 1] > 0)).astype(int)]


class Checkpoints:
    """Training goes on from it, or says in one sentence why not; the file stays."""

    def __init__(self, folder):
        self.path = folder / "run.checkpoint"

    def originals(self):
        several = [
            ("shuffle", "best", "joint"),
            ("cyclic", "vote", "ovr"),
            ("batch", "best", "ovr"),
        ]
        for about in [*TRAINED, *several]:
            self._train(3, *about)
            yield about, self.path.read_bytes()
            self.path.unlink()

    def spoil(self, content, rng):
        return spoiled(content, rng)

    def use(self, about, content):
        self.path.write_bytes(content)
        try:
            p = self._train(5, *about)
            p.predict(ROWS), p.decision_function(ROWS)
        finally:
            self.path.unlink()

    def _train(self, epochs, order, keep, kind=None):
        """`kind`: of more than two classes."""
        p = Perceptron(order=order, keep=keep, max_iter=epochs, patience=None, random_state=0)
        y = LABELS if kind is None else KINDS_OF_LABELS
        return train(p.set_params(multi_class=kind or "joint"), (ROWS, y), checkpoint=self.path)


class Traces:
    """All that a trace shows can be shown."""

    def __init__(self, folder):
        pass

    def originals(self):
        for order, keep in TRAINED:
            p = Perceptron(order=order, keep=keep, max_iter=2, random_state=0)
            yield "linear", trace(p, ROWS, LABELS).to_json().encode()
        for kernel in ("rbf", "linear"):
            k = KernelPerceptron(kernel=kernel, max_iter=2, random_state=0)
            yield kernel, trace(k, ROWS, LABELS).to_json().encode()
            yield kernel, trace(k, ROWS, KINDS_OF_LABELS).to_json().encode()
        for order in ("cyclic", "batch"):
            p = Perceptron(order=order, max_iter=2, random_state=0)
            yield "many", trace(p, ROWS, KINDS_OF_LABELS).to_json().encode()

    def spoil(self, content, rng):
        return spoiled(content, rng)

    def use(self, about, content):
        found = Trace.from_json(content.decode("utf-8", "replace"))
        str(found), found.steps(), str(found.check()), found._repr_html_(), len(found)


class Typed:
    """Parquet, Feather and Arrow files."""

    def __init__(self, folder):
        self.folder = folder

    def originals(self):
        import pandas as pd
        import pyarrow as pa
        import pyarrow.feather as feather
        import pyarrow.parquet as parquet

        frame = pd.DataFrame(ROWS, columns=list("abcd"))
        frame["word"] = np.array(["red", "green", "blue"])[np.arange(len(frame)) % 3]
        frame["y"] = np.array(["no", "yes"])[LABELS]
        rows = pa.Table.from_pandas(frame)
        for compression in ("NONE", "snappy", "zstd"):
            buffer = io.BytesIO()
            parquet.write_table(rows, buffer, compression=compression, row_group_size=20)
            yield "t.parquet", buffer.getvalue()
        buffer = io.BytesIO()
        feather.write_feather(rows, buffer, compression="uncompressed")
        yield "t.feather", buffer.getvalue()
        buffer = io.BytesIO()
        with pa.ipc.new_stream(buffer, rows.schema) as stream:
            stream.write_table(rows)
        yield "t.arrows", buffer.getvalue()

    def spoil(self, content, rng):
        if rng.random() < 0.5:  # where the lengths are
            end = bytearray(content[-400:])
            end[int(rng.integers(len(end)))] = int(rng.integers(256))
            return content[:-400] + bytes(end)
        return spoil_bytes(content, rng)

    def use(self, about, content):
        path = self.folder / about
        path.write_bytes(content)
        data.read(str(path), target="y", impute="mean").encode()


KINDS = {"checkpoint": Checkpoints, "trace": Traces, "typed": Typed}


def main(kind, count, seed):
    warnings.simplefilter("ignore")
    rng, fates = np.random.default_rng(int(seed)), Counter()
    with tempfile.TemporaryDirectory() as folder:
        attacked = KINDS[kind](Path(folder))
        files = list(attacked.originals())
        for about, content in files:
            attacked.use(about, content)  # as it is, it is fine
        resource.setrlimit(resource.RLIMIT_AS, (virtual_memory() + ROOM, -1))
        for k in range(int(count)):
            about, content = files[k % len(files)]
            content = attacked.spoil(content, rng)
            try:
                attacked.use(about, content)
                fates["harmless"] += 1
            except RosenblattError as error:
                fates["refused" if 0 < len(str(error)) < 1000 else "told badly"] += 1
            except BaseException:
                culprit = Path(tempfile.gettempdir()) / f"spoiled-{kind}-{seed}-{k}"
                culprit.write_bytes(content)
                print(f"number {k} of seed {seed}: see {culprit}")
                raise
    print(json.dumps(fates))


if __name__ == "__main__":
    main(*sys.argv[1:])
