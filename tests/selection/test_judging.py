"""Costs, thresholds, ranking and probabilities: by hand, and beside scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import binom
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score, roc_curve

from raising import raises
from rosenblatt._model.probability import Platt, Softmax
from rosenblatt.errors import InputError
from rosenblatt.selection import Candidate
from rosenblatt.selection.criterion import Criterion, cost_matrix
from rosenblatt.selection.measures import balanced_interval, calibration, clopper_pearson, roc
from rosenblatt.selection.out_of_sample import OutOfSample, Unit, platt, softmax

scored = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: 0 < sum(second for _, second in rows) < len(rows)
)


def apart(rows):
    scores, second = zip(*rows, strict=True)
    return np.array(scores, dtype=float), np.array(second)


# --- Thresholds -----------------------------------------------------------------------------------


def test_the_cheapest_threshold_by_hand():
    """Scores -2 n, -1 y, 1 n, 2 y. At 0: one missed, one false. A missed one at 5: all from -1 on
    are called y, at the cost of one false; -1.5 is in the middle of that gap."""
    unseen = OutOfSample(np.array([-2.0, -1, 1, 2]), np.array([0, 1, 0, 1]))
    even, dear = np.array([[0, 1.0], [1, 0]]), np.array([[0, 1.0], [5, 0]])
    assert unseen.cheapest(dear) == -1.5
    assert unseen.costs(-1.5, dear).tolist() == [0, 0, 1, 0]
    assert unseen.costs(0.0, dear).tolist() == [0, 5, 1, 0]
    assert unseen.cheapest(even) in (-1.5, 1.5)  # one error each; 0 has two
    cuts = unseen.cuts()
    assert cuts.thresholds.tolist() == [-4.0, -1.5, 0.0, 1.5, 4.0]
    assert cuts.missed.tolist() == [0, 0, 1, 1, 2]
    assert cuts.false.tolist() == [2, 1, 1, 0, 0]
    assert cuts.called.tolist() == [4, 3, 2, 1, 0]


@given(scored, st.floats(0.1, 9), st.floats(0.1, 9))
def test_no_threshold_is_cheaper(rows, miss, false):
    scores, second = apart(rows)
    unseen = OutOfSample(scores, second.astype(int))
    costs = np.array([[0, false], [miss, 0]])
    chosen = unseen.costs(unseen.cheapest(costs), costs).sum()
    for threshold in np.arange(-5.25, 6, 0.5):
        called = scores >= threshold
        cost = miss * (second & ~called).sum() + false * (~second & called).sum()
        assert chosen <= cost + 1e-9


def test_a_threshold_between_neighbouring_floats_tells_them_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    unseen = OutOfSample(np.array([low, high]), np.array([0, 1]))
    threshold = unseen.cheapest(1.0 - np.eye(2))
    assert unseen.costs(threshold, 1.0 - np.eye(2)).sum() == 0


def test_the_learned_threshold_stays_where_none_is_cheaper():
    unseen = OutOfSample(np.array([-2.0, 1.0]), np.array([0, 1]))
    assert unseen.cheapest(1.0 - np.eye(2)) == 0


def test_each_of_three_classes_has_its_own_place_by_hand():
    """A missed c costs 9. Its rows are 1 behind a, and those of a 3 ahead of c: 2 parts them."""
    scores = np.array([[3.0, -9, 0]] * 4 + [[0, 9, 0]] * 4 + [[1.0, -9, 0]] * 4)
    codes, costs = np.repeat([0, 1, 2], 4), 1.0 - np.eye(3)
    costs[2, 0] = 9
    unseen = OutOfSample(scores, codes)
    assert unseen.counts.tolist() == [4, 4, 4]
    assert unseen.costs(np.zeros(3), costs).tolist() == [0] * 8 + [9] * 4
    by = unseen.cheapest(costs)
    assert by[0] - by[2] == 2
    assert (unseen.errors(by), unseen.errors(np.zeros(3))) == (0, 4)
    assert unseen.lowered(by).called(np.zeros(3)).tolist() == codes.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_places_of_many_classes_stay_where_moving_one_saves_no_more_than_chance(seed):
    """Each place alone, tried at every gap: none saves a standard error of what it saves."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(4, size=60)
    scores = rng.standard_normal((60, 4)) + 0.7 * np.eye(4)[codes]
    costs = rng.uniform(0.5, 4, size=(4, 4)) * (1 - np.eye(4))
    unseen = OutOfSample(scores, codes)
    by = unseen.cheapest(costs)
    now = unseen.costs(by, costs)
    assert now.sum() <= unseen.costs(np.zeros(4), costs).sum()
    for c in range(4):
        others = np.delete(scores - by, c, axis=1).max(axis=1)
        leads = np.sort(scores[:, c] - others)
        places = [leads[0] - 1, *(leads[1:] + leads[:-1]) / 2, leads[-1] + 1]
        tried = [np.where(np.arange(4) == c, place, by) for place in places]
        then = min((unseen.costs(one, costs) for one in tried), key=np.sum)
        saved = now - then
        assert saved.sum() <= np.sqrt((saved**2).sum()) + 1e-9


def test_the_unit_of_scores():
    unit = Unit.of(np.array([1.0, 3.0]))
    assert unit == (2.0, 1.0)
    assert unit.measured(np.array([4.0])).tolist() == [2.0]
    assert unit.scores(np.array([2.0])).tolist() == [4.0]
    assert unit.lowered(0.5).measured(np.array([3.5])).tolist() == [2.0]
    assert Unit.of(np.ones(3)) == Unit.of(np.array([1e300, -1e300])) == (0.0, 1.0)


# --- Costs ----------------------------------------------------------------------------------------


def test_costs_by_objective():
    labels = ["no", "yes"]
    assert Criterion.of(labels, "error").costs.tolist() == [[0, 1], [1, 0]]
    assert Criterion.of(labels, "cost", {("yes", "no"): 5}).costs.tolist() == [[0, 1], [5, 0]]
    balanced = Criterion.of(labels, "balanced").costs_in(np.array([30, 10]))
    assert balanced.tolist() == [[0, pytest.approx(2 / 3)], [2, 0]]  # 20 for each label
    criterion = Criterion.of(["a", "b", "c"], "cost", {("a", "c"): 7})
    classes = np.array(["a", "b", "c"])
    assert criterion.row_costs(["a", "a", "b"], ["c", "b", "b"], classes).tolist() == [7, 1, 0]
    assert criterion.moves
    assert not Criterion.of(["a", "b", "c"], "error").moves


@pytest.mark.parametrize("rows", [[30, 10, 0], [1, 2, 3], [7, 0, 1]])
def test_balanced_costs_add_up_to_the_mean_of_the_error_rates(rows):
    """Whatever share of the table these rows are: always the same label errs on all but one."""
    classes = np.array(["a", "b", "c"])
    labels, there = np.repeat(classes, rows), np.count_nonzero(rows)
    criterion = Criterion.of(classes.tolist(), "balanced")
    always = criterion.row_costs(labels, np.full(len(labels), "a"), classes)
    assert always.mean() == pytest.approx(1 - 1 / there)
    assert criterion.row_costs(labels, labels, classes).sum() == 0


def test_the_interval_of_a_balanced_error_by_hand():
    """3 of 10 and 0 of 20: the mean is 0.15; Clopper and Pearson have 0.0667 to 0.6525 (their
    tables) and, from 0.025 = (1 - u)^20, 0 to 0.1684. Half the roots of sums of squares are
    0.2333 / 2 and (0.3525² + 0.1684²)^½ / 2 = 0.1953."""
    ends = balanced_interval([3, 0], [10, 20])
    assert ends == pytest.approx((0.15 - 0.11665, 0.15 + 0.1953), abs=1e-4)
    mirrored = balanced_interval([7, 20], [10, 20])
    assert mirrored == pytest.approx((1 - ends[1], 1 - ends[0]))
    assert balanced_interval([4], [30]) == pytest.approx(clopper_pearson(4, 30))
    assert balanced_interval([0, 0, 0], [9, 9, 9])[1] > 0.1  # no error is no proof
    assert (
        balanced_interval([50, 11], [140, 60], 0.99)[1] > balanced_interval([50, 11], [140, 60])[1]
    )


@pytest.mark.parametrize("rows", [(3, 3), (20, 20), (8, 90), (60, 140)])
def test_the_interval_of_a_balanced_error_has_the_confidence_it_names(rows):
    """All pairs of counts, by how probable they are where the rates are known."""
    first, second = (np.arange(n + 1) for n in rows)
    ends = np.array([[balanced_interval([a, b], rows) for b in second] for a in first])
    for p in (0.003, 0.05, 0.2, 0.5, 0.9):
        for q in (0.003, 0.1, 0.4):
            chance = np.outer(binom.pmf(first, rows[0], p), binom.pmf(second, rows[1], q))
            holds = (ends[..., 0] <= (p + q) / 2) & ((p + q) / 2 <= ends[..., 1])
            assert chance[holds].sum() > 0.92


@pytest.mark.parametrize(
    "pair",
    [("maybe", "no"), ("no", "no")],
)
def test_costs_of_what_is_no_error(pair):
    with raises(InputError, option="costs"):
        cost_matrix(["no", "yes"], {pair: 2.0})


class Weights:
    coef_ = (1.0,)


def compared(name, wrong, rule):
    losses = np.array(wrong, dtype=float)
    return Candidate(name, rule, 0, 60, int(losses.sum()), len(losses), losses=losses)


def test_a_kernel_must_win_by_a_standard_error():
    """Of 20 rows; d is the difference by row. Clear: d is 1 in three rows, Σd = 3, and its standard
    error √(20·(3 - 9/20)/19) = 1.64. Not clear: d is 1, 1 and -1, Σd = 1, √(20·(3 - 1/20)/19) =
    1.76."""
    criterion, none = Criterion(1.0 - np.eye(2), prefers_weights=True), [0] * 17
    floor = compared("floor", [1] * 20, Weights())
    line = compared("average", [1, 1, 1, *none], Weights())
    curve = compared("kernel", [0, 0, 0, *none], object())
    assert criterion.best([floor, line, curve]) == (curve, None)
    line = compared("average", [1, 1, 0, *none], Weights())
    curve = compared("kernel", [0, 0, 1, *none], object())
    assert criterion.best([floor, line, curve]) == (line, curve)
    assert Criterion(1.0 - np.eye(2)).best([floor, line, curve]) == (curve, None)


# --- Ranking --------------------------------------------------------------------------------------


@given(scored)
def test_the_curve_is_scikit_learns(rows):
    scores, second = apart(rows)
    found = roc(scores, second)
    false, true, _ = roc_curve(second, scores, drop_intermediate=False)
    assert found.false.tolist() == false.tolist()
    assert found.found.tolist() == true.tolist()
    assert found.auc == pytest.approx(roc_auc_score(second, scores))


def test_delongs_interval_by_hand():
    """Positive 1, 3, 4; others 0, 2. Of the positive ones 1/2, 1, 1 of the others are below: mean
    5/6, variance 1/12. Of the others 1 and 2/3 of the positive ones are above: variance 1/18.
    1/36 + 1/36 = 1/18."""
    found = roc([1, 3, 4, 0, 2], [True, True, True, False, False])
    width = 1.959964 / np.sqrt(18)
    assert found.auc == pytest.approx(5 / 6)
    assert found.interval == (pytest.approx(5 / 6 - width), 1.0)


def test_delongs_interval_holds_the_truth(heavy):
    """Normal scores one standard deviation apart: the area is Φ(1/√2) = 0.760."""
    rng, truth = np.random.default_rng(0), 0.7602499
    runs = max(heavy(2000), 200)
    held = 0
    for _ in range(runs):
        second = np.arange(120) < 50
        low, high = roc(rng.standard_normal(120) + second, second).interval
        held += low <= truth <= high
    assert 0.9 <= held / runs <= 0.99


def test_no_interval_where_it_would_have_no_width():
    assert roc([1, 2, 3, 4], [False, False, True, True]).interval is None
    assert roc([1, 3, 2], [False, False, True]).interval is None  # one positive row
    with raises(InputError):
        roc([1, 2], [True, True])


# --- Probabilities --------------------------------------------------------------------------------


def rows_of(n, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal(n) * 3
    return OutOfSample(scores, scores + 2 * noise * rng.standard_normal(n) > 0.5)


@pytest.mark.parametrize("n", [10, 60, 500])
def test_platts_sigmoid_is_scikit_learns(n):
    from sklearn.calibration import _SigmoidCalibration

    unseen = rows_of(n, seed=n)
    theirs = _SigmoidCalibration().fit(unseen.scores, unseen.second.astype(int))
    at = np.linspace(-9, 9, 31)
    assert platt(unseen).of(at) == pytest.approx(theirs.predict(at), abs=2e-4)


def test_platts_sigmoid_of_scores_that_all_but_part_warns_of_nothing():
    """A steep sigmoid has exp of more than floats hold; warnings are errors here."""
    scores = np.concatenate([[-1e4], np.linspace(-1, -0.1, 2000), np.linspace(0.1, 1, 2000)])
    found = platt(OutOfSample(scores, (scores > 0).astype(int)))
    assert found.of(np.array([-1e4, 0, 1e4])) == pytest.approx([0, 0.5, 1], abs=1e-2)


def test_platts_sigmoid_is_the_likeliest():
    """By an optimiser that knows nothing of derivatives, on Platt's targets."""
    unseen = rows_of(80, seed=3)
    positive = int(unseen.second.sum())
    target = np.where(unseen.second, (positive + 1) / (positive + 2), 1 / (80 - positive + 2))

    def loss(at):
        z = at[0] * unseen.scores + at[1]
        return (np.logaddexp(0, z) - target * z).sum()

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    found = platt(unseen)
    assert (found.slope, found.intercept) == pytest.approx(best.x, abs=1e-5)


def test_scores_that_tell_nothing_give_the_share():
    second = np.array([True] * 10 + [False] * 30)
    found = platt(OutOfSample(np.where(second, -1.0, 1.0), second))  # the wrong way round
    assert (found.slope, found.of([-5.0, 5.0]).tolist()) == (0.0, [pytest.approx(11 / 42)] * 2)


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e12])
def test_the_unit_of_scores_does_not_matter(factor):
    unseen = rows_of(100)
    other = platt(OutOfSample(unseen.scores * factor, unseen.second))
    assert other.of(unseen.scores * factor) == pytest.approx(platt(unseen).of(unseen.scores))


def test_separated_scores_have_finite_probabilities():
    second = np.arange(20) >= 10
    p = platt(OutOfSample(np.where(second, 1e6, -1e6), second)).of([-1e6, 1e6])
    assert p == pytest.approx([1 / 12, 11 / 12], abs=1e-6)  # Platt's targets


def test_the_same_probability_of_scores_that_were_lowered():
    found = Platt(2.0, -1.0, 9)
    assert found.lowered(0.5).of(0.7 - 0.5) == pytest.approx(found.of(0.7))


def test_of_two_classes_the_softmax_is_platts_sigmoid():
    unseen = rows_of(60)
    both = np.column_stack([-unseen.scores / 2, unseen.scores / 2])
    found = softmax(OutOfSample(both, unseen.second.astype(int))).of(both)
    assert found[:, 1] == pytest.approx(platt(unseen).of(unseen.scores), abs=1e-6)
    assert found.sum(axis=1) == pytest.approx(1)


def test_the_softmax_is_the_likeliest():
    """By an optimiser that knows nothing of derivatives, on targets as Platt's."""
    rng = np.random.default_rng(1)
    codes = np.repeat([0, 1, 2], [30, 20, 10])
    scores = rng.standard_normal((60, 3)) + np.eye(3)[codes]
    target = np.array(
        [[31 / 32, 1 / 64, 1 / 64], [1 / 44, 21 / 22, 1 / 44], [1 / 24, 1 / 24, 11 / 12]]
    )

    def loss(at):
        z = at[0] * scores + np.append(at[1:], -at[1:].sum())
        return -(target[codes] * (z - logsumexp(z, axis=1, keepdims=True))).sum()

    precise = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000, "maxfev": 5000}
    best = minimize(loss, np.zeros(3), method="Nelder-Mead", options=precise).x
    found = softmax(OutOfSample(scores, codes))
    assert (found.slope, *found.intercepts[:2]) == pytest.approx(best, abs=1e-5)
    assert sum(found.intercepts) == pytest.approx(0)
    assert found.rows == 60


def test_scores_of_many_that_tell_nothing_give_the_shares():
    codes = np.repeat([0, 1, 2], [10, 20, 30])
    found = softmax(OutOfSample(-np.eye(3)[codes], codes))  # the wrong way round
    shares = np.array([11, 21, 31]) / 63
    assert found.of(np.zeros((2, 3))) == pytest.approx(np.array([shares, shares]))


def test_the_same_probabilities_of_scores_that_were_lowered_and_of_a_row_that_was_shifted():
    found, by = Softmax(2.0, (-1.0, 0.5, 0.5), 9), np.array([0.5, -1.0, 3.0])
    scores = np.array([[0.7, -0.2, 1.0]])
    assert found.lowered(by).of(scores - by) == pytest.approx(found.of(scores))
    assert found.of(scores + 1e3) == pytest.approx(found.of(scores))


def test_the_brier_score_of_many_by_hand():
    """Rows of c, a, a; of the first two the likeliest label is right, of the third it is not."""
    p = np.array([[0.1, 0.1, 0.8], [0.7, 0.2, 0.1], [0.1, 0.75, 0.15]])
    found = calibration(p, np.array([2, 0, 0]))
    squares = [0.01 + 0.01 + 0.04, 0.09 + 0.04 + 0.01, 0.81 + 0.5625 + 0.0225]
    assert found.brier == pytest.approx(sum(squares) / 3)
    assert found.floor == pytest.approx(1 - (4 + 1) / 9)
    assert [(b.rows, b.positive, b.predicted) for b in found.bins] == [
        (1, 1, pytest.approx(0.7)),
        (2, 1, pytest.approx(0.775)),
    ]


def test_the_brier_score_and_the_shares_are_scikit_learns():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    positive = rng.uniform(size=300) < p
    found = calibration(p, positive)
    assert found.brier == pytest.approx(brier_score_loss(positive, p))
    shares, means = calibration_curve(positive, p, n_bins=10)
    assert [b.positive / b.rows for b in found.bins] == pytest.approx(shares)
    assert [b.predicted for b in found.bins] == pytest.approx(means)
    squares = (p - positive) ** 2
    width = 1.959964 * squares.std(ddof=1) / np.sqrt(300)
    assert found.interval == pytest.approx((found.brier - width, found.brier + width))
    assert found.floor == pytest.approx(np.mean(positive) * np.mean(~positive))
