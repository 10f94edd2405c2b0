"""Help in two lengths: --help has the options that most people need, --help-all has them all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, final

import click

from rosenblatt.data.options import FileOptions, flag_of, options_of

_ALL = "rosenblatt.help_all"

# What --help shows, by command.
FIRST = {
    "fit": "target ignore positive impute cv group cost scorecard thorough output verbose",
    "inspect": "target ignore na-values encoding sep sheet-name json",
    "predict": "output explain copy probability counterfactual second-opinion on-missing json",
    "certify": "target ignore impute output estimates min-errors forced-signs exit-code json "
    "verbose",
    "export": "sql excel-formula python javascript c pmml onnx output columns-of check",
    "suspects": "target ignore positive impute most search-time json verbose",
    "evaluate": "drop-unlabelled on-unseen json verbose",
    "verify": "encoded force json verbose",
    "trace": "target steps check rule order keep margin format html gif",
    "play": "target output no-open serve port",
    "grade": "task notes points hints exit-code json",
}
# What --help-all shows where; the options of one command only come first, as "Options".
TOPICS = {
    "Which model": "family event time entry strata levels absorb sign",
    "Beside the verdict": "estimates min-errors forced-signs search-time pairs",
    "Columns": "target ignore positive categorical numeric date text impute min-count "
    "drop-unlabelled drop-label min-rows",
    "Files": " ".join(
        flag_of(name).removeprefix("--")
        for name, option in options_of(FileOptions).items()
        if not option.of_labels
    ),
    "Evaluation": "seed cv group split-by-time cost class-weight objective comparison no-retrain",
    "Large data": "stream cache checkpoint checkpoint-every engine",
    "Output": "output force private embed-data json quiet verbose help help-all",
}


# What people type who know other tools.
OTHER_NAMES = {
    "missing": "na-values",
    "na": "na-values",
    "label": "target",
    "drop": "ignore",
    "exclude": "ignore",
    "folds": "cv",
    "groups": "group",
    "costs": "cost",
    "random-state": "seed",
    "delimiter": "sep",
    "sheet": "sheet-name",
    "out": "output",
    "format": "json",
}


@final
class Command(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = "--" + OTHER_NAMES.get(error.option_name.lstrip("-"), "")
            if not any(meant in param.opts for param in self.params):
                raise
            why = f"No such option {error.option_name!r}. Did you mean {meant!r}?"
            raise click.UsageError(why, ctx) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        return params if self._shows_all(ctx) else [*params, _help_all()]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        text, shown = self.help or "", ctx.meta.get(_ALL) or self._shows_all(ctx)
        first, *others = text.split("\n\n")
        paragraphs = others if shown else [p for p in others if "Examples:" in p]
        command = click.Command(self.name, help="\n\n".join([first, *paragraphs]))
        command.format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        params = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        options = {p.opts[-1].removeprefix("--"): p for p in params}
        if ctx.meta.get(_ALL):
            for topic, names in _topics(list(options)):
                _write(ctx, formatter, topic, [options[name] for name in names])
        elif self._shows_all(ctx):
            super().format_options(ctx, formatter)
        else:
            first = FIRST[str(ctx.info_name)].split()
            _write(ctx, formatter, "Options", [options[name] for name in first])
            more = len(params) - len(first)
            formatter.write_paragraph()
            formatter.write_text(f"{more} more options: {ctx.command_path} --help-all")

    def _shows_all(self, ctx: click.Context) -> bool:
        return ctx.info_name not in FIRST


def _topics(names: list[str]) -> Iterator[tuple[str, list[str]]]:
    in_topics = {name: topic for topic, listed in TOPICS.items() for name in listed.split()}
    for topic in ("Options", *TOPICS):
        yield topic, [name for name in names if in_topics.get(name, "Options") == topic]


def _write(
    ctx: click.Context, formatter: click.HelpFormatter, topic: str, options: list[click.Option]
) -> None:
    records = [record for option in options if (record := option.get_help_record(ctx))]
    if records:
        with formatter.section(topic):
            formatter.write_dl(records)


def _help_all() -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value and not ctx.resilient_parsing:
            ctx.meta[_ALL] = True
            click.echo(ctx.get_help())
            ctx.exit()

    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all options, by topic, and what they mean.",
    )
