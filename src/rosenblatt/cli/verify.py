"""rosenblatt verify: a certificate against the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rosenblatt.cli import _common
from rosenblatt.errors import CertificateRejected, InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate

REJECTED = 1


@click.command()
@click.argument("certificate", type=click.Path())
@_common.row_options
@click.option("--encoded", metavar="FILE", help="Write the numbers it is about here, as CSV.")
@_common.force_option
@_common.output_options
def command(
    certificate: str,
    files: tuple[str, ...],
    encoded: str | None,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Check a certificate against the table it is about.

    The table is encoded again as the certificate says. Exits with 0 if every claim is proved, with
    1 if not. With --encoded the numbers are written for the stand-alone verifier, which needs
    nothing but Python:

    \b
    rosenblatt verify certificate.json loans.csv --encoded numbers.csv
    python -m rosenblatt.verify certificate.json numbers.csv
    """
    _common.check_files(certificate, files)
    _common.check_output(encoded, (certificate, *files), force=force)

    from rosenblatt import Certificate, verify

    claimed = Certificate.load(certificate)
    with _common.reading(quiet=quiet):
        X, y, target = _numbers(claimed, files, reading)
    if encoded is not None:
        _common.write_encoded(encoded, claimed.feature_names, target, X, y)
        _common.say(f"The numbers are in {encoded}.", quiet=quiet)
    try:
        with _common.working("checking", quiet=quiet):
            claimed.verify(X, y)
        why = None
    except CertificateRejected as rejected:
        why = str(rejected)
    if as_json:
        found = {"accepted": why is None, "reason": why, "verdict": claimed.verdict}
        _common.print_json("verify", found | {"rows": X.shape[0], "sha256": claimed.sha256})
    elif why is None:
        click.echo(f"ACCEPTED: {verify.proved(claimed.to_dict())}")
    else:
        click.echo(f"REJECTED: {why.removeprefix('The certificate is rejected: ')}")
    return 0 if why is None else REJECTED


def _numbers(claimed: Certificate, files: tuple[str, ...], reading: dict[str, Any]) -> Any:
    """The rows and labels that it is about, and the name of the target."""
    from rosenblatt import data
    from rosenblatt.data.files import is_svmlight
    from rosenblatt.data.reading import column_names

    if claimed.encoding is not None:
        encoding = data.Encoding.from_dict(claimed.encoding)
        if encoding.feature_names != claimed.feature_names or encoding.target is None:
            raise InputError("The certificate is about other columns than its encoding gives.")
        X, y = encoding.apply_labelled(list(files), **reading)
        return X, y, encoding.target.name
    if is_svmlight(list(files)):
        X, y, _ = data.read(list(files)).encode(scale=False)
        return X, y, "y"
    # made from arrays or frames in Python: the columns are found by their names
    target = str(claimed.to_dict()["target"])
    names = claimed.feature_names
    others = [c for c in column_names(list(files), **reading) if c not in (target, *names)]
    table = data.read(list(files), target=target, ignore=others, **reading)
    X, y, made = table.encode(scale=False)
    assert made is not None
    found = made.feature_names
    if sorted(found) != sorted(names):
        raise InputError(
            f"The certificate is about the columns {', '.join(names)}, and the table gives "
            f"{', '.join(found)}."
        )
    return X[:, [found.index(name) for name in names]], y, target
