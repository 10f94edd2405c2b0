"""What follows from the record of a run: its path, its w*, what the theorem says of both."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rosenblatt._tracing import loss_check
from rosenblatt._tracing.check import Check, Constants, check, constants
from rosenblatt._tracing.loss_check import Losses
from rosenblatt._tracing.run import About, Floats, Ints, Run
from rosenblatt._tracing.space import (
    Features,
    JointFeatures,
    Kernelled,
    MixedFeatures,
    ProjectedFeatures,
    Space,
)
from rosenblatt._tracing.walk import Path, Reference
from rosenblatt._util.text import counted, first_few, row_number
from rosenblatt._validation.parameters import not_allowed
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError
from rosenblatt.theory import given
from rosenblatt.theory.bounds import least_margin


class Replay:
    """Each part is computed when it is first needed. Lengths are in units of η, as in `Run`."""

    def __init__(self, run: Run, about: About, w_star: Any = None):
        self.run, self.about = run, about
        self._chosen_star = None if w_star is None else lifted(run, w_star)

    @cached_property
    def space(self) -> Space:
        """Where lengths and products live: the features, or the kernel's space."""
        run = self.run
        if run.mixed and run.k is not None:
            raise InputError(
                "A trace follows the shards of order='mixed' with two classes only. Trace "
                "order='blocks', which is one shard, or one class against the rest."
            )
        if run.mixed:
            return MixedFeatures(run)
        if not run.linear():
            return Kernelled(run)
        if run.signs is not None:
            return ProjectedFeatures(run)
        return Features(run) if run.k is None else JointFeatures(run)

    @cached_property
    def path(self) -> Path:
        return self.space.path(self.star)

    def features(self, what: str) -> Features:
        """The space, where it has weights of the features; `what` needs them."""
        if not isinstance(self.space, Features):
            raise InputError(
                f"{what} needs weights of the features, and this kernel has none; alpha_at has "
                "the coefficients of the rows."
            )
        return self.space

    def checked_step(self, step: Any) -> int:
        most = self.run.n_steps
        if not (isinstance(step, (int, np.integer)) and 0 <= step <= most):
            raise not_allowed("step", step, f"this trace has steps 0 to {most}")
        return int(step)

    def counts(self, step: Any) -> Ints:
        if self.run.mixed:
            raise InputError(
                "With order='mixed' the weights of shards are mixed: they are no sum of the rows "
                "by their updates. weights_at has them."
            )
        if self.run.signs is not None:
            raise InputError(
                "With signs steps are projected: the weights are no sum of the rows by their "
                "updates. weights_at has them."
            )
        return self.run.counts(self.checked_step(step))

    def need_all_rows(self, why: str) -> None:
        if not self.about.all_rows:
            raise InputError(
                f"This trace was written with only the rows that made updates; {why}. Write it "
                "with to_json(all_rows=True)."
            )

    # --- The theorem ---

    @cached_property
    def certificate(self) -> Certificate | None:
        from rosenblatt._core.rows import as_table
        from rosenblatt.certificate import certify

        run = self.run
        if not run.linear():
            return None
        self.need_all_rows("the check is about all rows")
        table = as_table(run.X)
        more: dict[str, Any] = {"fit_intercept": run.intercept, "sample_weight": run.c}
        return certify(table, run.y, **more, signs=run.signs)

    @cached_property
    def star(self) -> Reference | None:
        """w*: given, certified, or what a kernel's training ended with, where it ended clean.

        Other rules than the perceptron's can be compared with any weights.
        """
        if self._chosen_star is not None:
            return self.space.star(self._chosen_star)
        if not self.run.linear():
            if not self.about.converged:
                return None
            return self.space.star(self.run.coefficients(self.run.n_steps))
        if self.run.by_count:
            return self._certified
        return to_compare_with(self.features("w*"), self._certified)

    @cached_property
    def _certified(self) -> Reference | None:
        proved = self.certificate if self.about.all_rows else None
        return None if proved is None else certified(self.space, proved)

    @property
    def why_no_star(self) -> str:
        if not self.about.all_rows:
            return "this trace has only the rows that made updates; give w_star."
        return why_none(self.certificate, self.about.classes)

    @cached_property
    def constants(self) -> Constants | None:
        if not self.about.all_rows or not self.run.by_count:
            return None
        return constants(self.run, self.space, self.star, self.path)

    @cached_property
    def losses(self) -> Losses | None:
        if self.run.by_count:
            return None
        assert self.star is not None
        return Losses(self.run, self.features("the theorem"), self.star, self.path)

    @property
    def distances(self) -> Floats | None:
        """By step ‖w - u‖², of AROW Σ p (w - u)²; None of the perceptron's rule."""
        known = None if self.losses is None else self.losses.known
        return None if known is None else known.distances

    @property
    def compared_with(self) -> str:
        if self._chosen_star is not None:
            return "u is the w_star that was given."
        if self._certified is not None:
            return "u is the certified separator, just long enough for margins of 1."
        return "u is the mean of the weights that training went through."

    @property
    def bound(self) -> int | None:
        if not self.about.all_rows:
            return None
        if self.losses is not None:
            return None if self.losses.known is None else self.losses.known.bound
        return None if self.constants is None else self.constants.bound

    def check(self, *, radius: float | None, gamma: float | None) -> Check:
        self.need_all_rows("the check is about all rows")
        if self.losses is not None:
            if gamma is not None:
                raise InputError(
                    "gamma is the margin of the perceptron's theorem; those of PassiveAggressive "
                    "and AROW have none: leave it out."
                )
            checked = loss_check.check(self.losses, converged=self.about.converged, radius=radius)
            return replace(checked, compared=self.compared_with)
        return check(self, radius=radius, gamma=gamma)


# --- w*, the reference separator of the convergence proof ----------------------------------------

_SLIGHTLY_MORE = 1 + 2.0**-20  # so that rounding leaves no loss, and no doubt


def lifted(run: Run, w_star: Any) -> Floats:
    d = run.X.shape[1] if run.linear() else len(run.y)
    if run.k is None:
        values, with_intercept = given.vector(w_star, d, "w_star")
    else:
        values, with_intercept = given.vectors(w_star, run.k, d, "w_star")
    if run.signs is not None and run.beyond(np.append(values[:d], 0.0)).any():
        raise InputError("w_star is against the signs that training demanded: give one that obeys.")
    if not with_intercept:
        return np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
    if values[..., -1].any() and not run.intercept:
        raise InputError(
            "w_star has an intercept, but training was through the origin, with "
            "fit_intercept=False."
        )
    return values


def certified(space: Space, certificate: Certificate) -> Reference | None:
    """The proved separator in floats, which can be too coarse for it."""
    for separator in (certificate.homogeneous_separator, certificate.separator):
        # Of a class without rows, which only a file can have, it knows nothing.
        if separator is None or separator.coef.shape[:-1] != space.run.start.shape[:-1]:
            continue
        intercept = np.expand_dims(separator.intercept, -1)
        star = space.star(np.concatenate([separator.coef, intercept], axis=-1))
        if space.least_margin(star)[0] > 0:
            return star
    return None


def to_compare_with(space: Features, separator: Reference | None) -> Reference:
    """What PassiveAggressive and AROW are compared with, where nothing is given.

    The separator, as long as it takes for margins of 1, so that it has no losses; else the mean of
    the weights that training went through.
    """
    run = space.run
    if separator is not None:
        w = separator.w if run.intercept else separator.w[..., :-1]
        margin, _ = least_margin(space.table, run.y, np.sign(run.weights), w)
        with np.errstate(over="ignore"):
            longer = separator.w * (_SLIGHTLY_MORE / float(margin))
        if np.isfinite(longer).all():
            return space.star(longer)
    total = space.start + sum(block[1:].sum(axis=0) for _, block in space.blocks())
    return space.star(total / (run.n_steps + 1))


def why_none(certificate: Certificate | None, classes: list[Any]) -> str:
    """Where there is no w*; `certificate`, which numbers the classes, is None with kernels."""
    if certificate is None:
        return "training did not end clean, so that no separator is known; give w_star."
    conflict = certificate.conflict
    if conflict is not None and conflict.rivals is not None:
        pairs = list(zip(conflict.rows, conflict.rivals, strict=True))
        some = [f"row {row_number(i)} against {classes[int(r)]}" for i, r in pairs]
        return (
            "no w* gives every row its highest score for its own class; these alone contradict "
            f"each other: {first_few(some, 8)} ({counted()})."
        )
    if conflict is not None:
        rows = [row_number(i) for i in conflict.rows]
        return (
            f"no w* has every row on the right side; {len(rows)} rows alone contradict each other: "
            f"{first_few(rows, 8)} ({counted()})."
        )
    if certificate.separator is not None:
        return "the rows are separable, but no w* made of floats is known; give w_star."
    return "whether a w* exists is undecided."
