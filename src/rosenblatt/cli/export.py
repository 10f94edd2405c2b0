"""rosenblatt export: a trained rule for other programs."""

from __future__ import annotations

import click

from rosenblatt.cli import _common


@click.command()
@click.argument("model", type=click.Path())
@click.option("--onnx", "output", required=True, metavar="FILE", help="Write an ONNX graph here.")
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="The type of the numbers that the graph takes; it computes in float64.",
)
@_common.force_option
@_common.output_options
def command(
    model: str, output: str, dtype: str, force: bool, as_json: bool, quiet: bool, verbose: bool
) -> int:
    """Write a trained rule as an ONNX graph, for programs without Python.

    The graph takes a matrix X and gives label and score. The columns of X are the features, in the
    order that --json shows and the file's metadata keep: numbers as they are in the table (the
    graph fills and scales), 1 or 0 for words. Needs the extra: pip install "rosenblatt[onnx]".

    \b
    rosenblatt export credit/model.json --onnx credit.onnx
    """
    from rosenblatt import model_file
    from rosenblatt._onnx.names import feature_names
    from rosenblatt.data import Encoding
    from rosenblatt.onnx import export

    _common.check_output(output, (model,), force=force)
    known = model_file.read(model)
    encoding = None if known.encoding is None else Encoding.from_dict(known.encoding)
    export(known.estimator, output, encoding=encoding, dtype=dtype)
    features = feature_names(known.estimator, encoding)
    if as_json:
        content = {
            "model": model,
            "onnx": output,
            "dtype": dtype,
            "features": features,
            "labels": known.estimator.classes_.tolist(),
        }
        _common.print_json("export", content)
    else:
        words = f"X of {len(features)} {dtype} columns in, label and score out"
        _common.say(f"The graph is in {output}: {words}.", quiet=quiet)
    return 0
