"""What a study may be told: the words of `rosenblatt fit`, checked before any work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self, final

from rosenblatt._model.checkpoint import EVERY
from rosenblatt._out_of_core.engine import check as check_engine
from rosenblatt._study.costs import Costs, class_weight_of, costs_of, objective_of
from rosenblatt._util.files import Place, cache_folder, place_of
from rosenblatt._util.spelling import either, option, words
from rosenblatt._validation import parameters
from rosenblatt._validation.signs import demanded
from rosenblatt.data.naming import name_of
from rosenblatt.data.options import ReadOptions, options_of
from rosenblatt.errors import InputError
from rosenblatt.scorecard import MOST_POINTS

NOT_OF_THE_RESULT = ("cache", "checkpoint", "checkpoint_every", "engine")
MOST_TERMS = 20  # of a card: nobody adds up more


@final
@dataclass(frozen=True)
class Options(ReadOptions):
    """All but what is studied and how much is said meanwhile; `study` tells what each one means."""

    random_state: int = 0
    cv: int | None = None
    groups: str | None = None
    split_by_time: str | None = None
    costs: Costs | None = None  # by "actual:predicted"
    signs: dict[str, str] | None = None  # "+" or "-" that weights must have, by column
    class_weight: str | None = None
    objective: str | None = None
    linear_only: bool | None = None
    scorecard: bool = False
    max_points: int | None = None
    max_terms: int | None = None
    comparison: bool | None = None  # None: where the table is not too large
    retrain: bool = True
    private: bool = False
    embed_data: bool = False
    thorough: bool = False
    time_limit: float | None = None
    stream: bool = False
    cache: Path | None = None
    checkpoint: Place | None = None
    checkpoint_every: float = EVERY
    engine: Any = None  # whose machines train the candidates, side by side

    @classmethod
    def of(cls, **values: Any) -> Self:
        """InputError where one cannot be, or two do not go together."""
        for name in ("groups", "split_by_time"):
            values[name] = name_of(name, values[name])
        every = values["checkpoint_every"]
        if every is not None and values["checkpoint"] is None:
            folder = either("checkpoint", option("checkpoint", ...))
            raise _refused("checkpoint_every", every, f"is about a folder: give {folder}, too.")
        values |= {"checkpoint_every": EVERY if every is None else every}
        for name, check in (_CHECKS | _CHECKS_OR_NONE).items():
            if values[name] is not None or name in _CHECKS:
                values[name] = check(name, values[name])
        options = super().of(**values)
        objective_of(options.objective, options.costs, options.class_weight)
        if options.engine is not None:
            check_engine(options.engine)
            options = replace(options, stream=True)  # its machines read rows from files
        options._check_together()
        return options

    def _check_together(self) -> None:
        """InputError where two do not go together."""
        stream = option("stream", True)
        if self.cache is not None and not self.stream:
            raise _refused(
                "cache", str(self.cache), f"is the folder of {stream}: give both, or none."
            )
        if self.stream and (self.cv is not None or self.groups is not None):
            other, why = (
                ("groups", "keeps rows together") if self.groups else ("cv", "is for few rows")
            )
            why += f", and {stream} divides rows one by one, by their numbers: give one of them."
            raise _refused(other, getattr(self, other), why)
        for name in ("groups", "cv", "stream"):
            if self.split_by_time is not None and getattr(self, name):
                other = option(name, True) if name == "stream" else option(name)
                why = f"divides the rows by time, and {other} otherwise: give one of them."
                raise _refused("split_by_time", self.split_by_time, why)
        if self.cv is not None and not self.retrain:
            why = f"is about one division of the rows, and with {option('cv')} the rule learns from"
            raise _refused("retrain", False, f"{why} all of them: give one of them.")
        if self.embed_data and (self.private or self.stream):
            other, why = "stream", "is for tables that no page can hold"
            if not self.stream:
                other, why = "private", "writes no row"
            both = f"puts all rows into the report, and {option(other, True)} {why}"
            raise _refused("embed_data", True, f"{both}: give one of them.")
        for name in ("max_points", "max_terms"):
            if (value := getattr(self, name)) is not None and not self.scorecard:
                card = option("scorecard", True)
                raise _refused(name, value, f"is about a scorecard: give {card}, too.")
        if self.signs and self.stream:
            why = f"is for weights that rows in memory teach, not for {option('stream', True)}"
            raise _refused("signs", self.signs, f"{why}: give one of them.")
        if self.scorecard and self.stream:
            why = f"searches for a card on rows in memory, and {stream} is for tables that memory"
            raise _refused("scorecard", True, f"{why} cannot hold: give one of them.")

    @property
    def decides(self) -> str:
        """The objective by which candidates are chosen."""
        return objective_of(self.objective, self.costs, self.class_weight)

    @property
    def given(self) -> dict[str, Any]:
        """What is not as it is by default; how the table is read comes first."""
        defaults = {field.name: field.default for field in fields(self)}
        names = dict.fromkeys([*options_of(type(self)), *defaults])
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != defaults[name]}

    def typed(self) -> list[str]:
        """As words of a command: those that the result depends on."""
        apart = {*options_of(type(self)), *NOT_OF_THE_RESULT}
        own = ((name, value) for name, value in self.given.items() if name not in apart)
        return super().typed() + [word for name, value in own for word in words(name, value)]


def _signs_of(_: str, signs: Any) -> dict[str, str] | None:
    """By name, as they are typed; which columns there are is known later."""
    if not isinstance(signs, Mapping) or not all(isinstance(name, str) for name in signs):
        raise _refused("signs", signs, "is a sign for each column named: {'income': '+'}.")
    each = demanded(signs, list(signs), len(signs))
    given = [] if each is None else zip(signs, each.tolist(), strict=True)
    return {name: "+" if sign > 0 else "-" for name, sign in given if sign} or None


def _refused(name: str, value: object, why: str) -> InputError:
    shown = option(name, value) if isinstance(value, bool) else option(name)
    return InputError(f"{shown} {why}", option=name, value=value)


def _whole(least: int, most: int | None = None) -> _Check:
    def check(name: str, value: Any) -> int:
        allowed = isinstance(value, Integral) and not isinstance(value, bool)
        number = int(value) if allowed else -1
        if number < least or (most is not None and number > most):
            numbers = f"{least} or greater" if most is None else f"from {least} to {most}"
            raise parameters.not_allowed(name, value, f"give a whole number, {numbers}")
        return number

    return check


_Check = Callable[[str, Any], Any]  # of a name and a value: the value as it is kept
_FLAGS = ("retrain", "private", "embed_data", "thorough", "stream", "scorecard")
_CHECKS: dict[str, _Check] = dict.fromkeys(_FLAGS, parameters.flag) | {
    "random_state": _whole(0, 2**32 - 1),
    "checkpoint_every": parameters.not_negative,
}
_CHECKS_OR_NONE: dict[str, _Check] = {
    "cv": _whole(2),
    "costs": lambda _, value: costs_of(value),
    "signs": _signs_of,
    "class_weight": lambda _, value: class_weight_of(value),
    "linear_only": parameters.flag,
    "max_points": _whole(1, MOST_POINTS),
    "max_terms": _whole(1, MOST_TERMS),
    "comparison": parameters.flag,
    "time_limit": parameters.positive,
    "cache": lambda _, value: cache_folder(value),
    "checkpoint": lambda _, value: place_of(value),
}
