"""Kept certificates are accepted for their tables."""

import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from raising import raises
from rosenblatt import verify
from rosenblatt.certificate import Certificate
from rosenblatt.errors import VerificationError

FOLDER = Path(__file__).parent / "certificates"
VERDICTS = {
    "complete": "complete separation",
    "through-the-origin": "complete separation",
    "decimal": "complete separation",
    "left-out": "complete separation",
    "full": "complete separation",
    "quasi-complete": "quasi-complete separation",
    "overlap": "overlap",
    "one-conflict": "undecided",
}
WIDE = {"wide": "quasi-complete separation", "up-to-chance": "overlap up to chance"}
KEPT = sorted(FOLDER.glob("*/*.json"))
every_one = pytest.mark.parametrize("path", KEPT, ids=lambda p: f"{p.parent.name}/{p.stem}")


def test_there_is_one_of_each():
    for classes, more in (("two-classes", WIDE), ("many-classes", {})):
        assert {p.stem for p in KEPT if p.parent.name == classes} == {*VERDICTS, *more}


@every_one
@pytest.mark.parametrize("small", [True, False])
def test_a_kept_certificate_is_accepted_and_no_other_data(path, small, monkeypatch):
    monkeypatch.setattr("rosenblatt._certify.check._SMALL", 10**6 if small else 0)  # both verifiers
    certificate = Certificate.load(path)
    assert certificate.verdict == (VERDICTS | WIDE)[path.stem]
    assert certificate.to_dict()["schema"] == "rosenblatt-certificate/1"
    table = pd.read_csv(path.with_suffix(".csv"))
    y = table.pop("y")
    certificate.verify(table, y)
    table.iloc[0, 0] += 1e-9
    with raises(VerificationError):
        certificate.verify(table, y)


@every_one
def test_the_program_alone_accepts_it(path, tmp_path):
    shutil.copy(verify.__file__, tmp_path / "verify.py")
    table = path.with_suffix(".csv")
    command = [sys.executable, "-I", tmp_path / "verify.py", path, table]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    status = 13 if path.stem == "up-to-chance" else 0
    accepted = (done.returncode, done.stdout[:8]) == (status, "ACCEPTED")
    assert accepted, done.stdout + done.stderr
