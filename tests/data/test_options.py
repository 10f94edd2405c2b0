"""One table of reading options: keywords, commands, preprocessing and printed commands agree."""

import inspect
from dataclasses import fields
from importlib import import_module

import click
import pytest

from raising import raises
from rosenblatt import data, study
from rosenblatt._util.strict_json import Part
from rosenblatt.data.options import FileOptions, Reading, ReadOptions, options_of, read_reading
from rosenblatt.errors import InputError, InputTypeError

SAID = {
    "header": False,
    "na_values": ("?", "-1"),
    "encoding": "cp1252",
    "sep": "\t",
    "names": ("a", "b, c", 'd"e'),
    "sheet_name": "Tabelle 1",
    "decimal": ",",
    "skip_rows": 2,
    "header_rows": 2,
    "skip_footer": 1,
    "drop_unlabelled": True,
    "drop_label": ("imL", "3"),
    "min_rows": 5,
    "min_count": 10,
    "target": "y",
    "ignore": ("no", "-x"),
    "positive": ("yes", "maybe"),
    "categorical": ("town",),
    "numeric": ("price",),
    "date": (("signup", "%d/%m/%Y"), ("when", "%m=%d %Y")),
    "text": ("review:hashed",),
    "impute": "median",
}


@pytest.mark.parametrize("function", [data.read, study])
def test_keywords_are_the_options_with_their_defaults(function):
    keywords = inspect.signature(function).parameters
    for name, option in options_of(ReadOptions).items():
        assert keywords[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert keywords[name].default == option.default
        assert name in function.__doc__
    if function is data.read:
        assert set(keywords) == {"source", *options_of(ReadOptions)}


@pytest.mark.parametrize(
    ("command", "kind"),
    [(c, ReadOptions) for c in ("fit", "inspect", "certify", "trace", "play")]
    + [(c, FileOptions) for c in ("evaluate", "predict", "verify")],
)
def test_commands_have_the_options(command, kind):
    typed = {option.name for option in import_module(f"rosenblatt.cli.{command}").command.params}
    for name, option in options_of(ReadOptions).items():
        rows_only = command in ("predict", "verify")
        expected = name in options_of(kind) and not (rows_only and option.of_labels)
        assert (name in typed) == expected, name


def test_what_is_typed_is_read_back():
    said = ReadOptions.of(**SAID)
    assert {f.name for f in fields(ReadOptions)} == set(SAID)
    command = import_module("rosenblatt.cli.inspect").command
    context = command.make_context("inspect", ["t.csv", *said.typed()])
    typed = {name: context.params[name] for name in SAID}
    assert ReadOptions.of(**typed) == said
    nothing = command.make_context("inspect", ["t.csv"]).params
    assert ReadOptions.of(**{name: nothing[name] for name in SAID}) == ReadOptions()
    assert ReadOptions().typed() == []
    assert isinstance(context, click.Context)


def test_what_holds_for_later_tables_is_stored():
    of_files = {name: SAID[name] for name in options_of(FileOptions)}
    reading = Reading().for_another(FileOptions.of(**of_files))
    document = reading.to_dict()
    assert set(document) == {*of_files, "delimiter", "mark", "numeric", "dates"}
    assert read_reading(Part(document, "the document")) == reading


def test_what_is_said_of_a_later_table_comes_first():
    first = Reading().for_another(FileOptions.of(na_values="?", sep=";", encoding="cp1252"))
    later = first.for_another(FileOptions.of(na_values=["?", "none"], sep=",", names="a,b"))
    assert (later.na_values, later.sep, later.encoding) == (("?", "none"), ",", "cp1252")
    assert (later.header, later.has_names) == (False, True)
    assert first.for_another(FileOptions()) == first


@pytest.mark.parametrize("name", [*SAID])
def test_what_is_not_allowed_names_the_option(name):
    if name in ("positive", "drop_label"):  # any value may be a label
        return
    with pytest.raises(InputError) as refused:
        ReadOptions.of(**{name: [[]] if name != "names" else ["a", "a"]})
    assert refused.value.option == name


def test_an_option_that_is_not_there_is_a_type_error():
    with raises(TypeError):
        FileOptions.of(skiprows=1)
    with pytest.raises(InputTypeError):
        FileOptions.of(encoding=1252)
