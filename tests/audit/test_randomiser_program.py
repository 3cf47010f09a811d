"""The program of a safe randomiser: its objective, and its bound below every safe randomiser."""

import math

import highspy
import numpy as np
import pytest
import scipy.sparse as sparse
from numpy.testing import assert_allclose

from pdpbook.audit.count_posterior import CountPosterior
from pdpbook.audit.randomiser_program import ACTIONS, RandomiserProgram, action_rows
from pdpbook.audit.safe_randomisers import best_safe_randomiser, is_safe
from pdpbook.per_instance.noise_kernels import laplace_kernel
from tests import naive

LOWER = np.array([14, 6, 0])
KNOWN = CountPosterior(
    np.array([[15.0, 19.0], [6.0, 8.0], [0.0, 2.0]]), np.array([[0.5, 0.5], [0.9, 0.1], [0.6, 0.4]])
)


@pytest.mark.parametrize("actions", ACTIONS)
def test_a_row_is_a_distribution_whatever_its_action(actions):
    estimate = np.array([0.5, 0.2, 0.2, 0.1])
    rows = action_rows(actions, 4, estimate)
    assert rows.shape[1:] == (4, 4) and (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=2), 1.0, rtol=1e-12)
    constant = estimate if actions == "blur" else np.full(4, 0.25)
    if actions != "rows":  # otherwise a mixture of all of them
        np.testing.assert_allclose(rows[-1], np.tile(constant, (4, 1)))


def test_the_value_is_the_expected_divergence_in_constant_rows():
    program = RandomiserProgram(KNOWN, LOWER, 0.7, "rows", 0)
    constant = np.tile(KNOWN.distribution, (3, 1))
    unit = naive.expected_divergence(constant, KNOWN)
    for randomiser in (constant, np.full((3, 3), 1 / 3), 0.4 * np.eye(3) + 0.2):
        expected = naive.expected_divergence(randomiser, KNOWN) / unit
        assert program.value(randomiser) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("at_least", [0, 40])
def test_the_bound_is_below_every_safe_randomiser_and_rises(at_least):
    program = RandomiserProgram(KNOWN, LOWER, 0.7, "rows", at_least)
    rng = np.random.default_rng(3)
    drawn = [
        share * rng.dirichlet(np.ones(3), size=3) + (1 - share) * KNOWN.distribution
        for share in rng.uniform(0.0, 1.0, 400)
    ]
    safe = [
        randomiser
        for randomiser in drawn
        if is_safe(randomiser, LOWER, epsilon=0.7, at_least=at_least)
    ]
    assert len(safe) > 20
    safe.append(best_safe_randomiser(KNOWN, LOWER, 0.7, at_least=at_least))
    bounds = []
    for _ in range(4):
        bound, rows = program.solve()
        assert bound <= min(map(program.value, safe)) + 1e-9
        bounds.append(bound)
        program.touch(rows)
    assert bounds == sorted(bounds) and bounds[-1] > bounds[0]
    assert bounds[-1] > 0.95 * program.value(safe[-1])


# --- actions -----------------------------------------------------------------------------------


def test_laplace_rows_go_from_a_twentieth_of_a_bin_to_32_bins():
    for bins in (2, 7):
        rows = action_rows("laplace", bins, np.full(bins, 1 / bins))
        assert_allclose(rows[[0, -2]], laplace_kernel(bins, [0.05 / bins, 32 / bins]))


# --- the program as the solver has it ----------------------------------------------------------


CASES = [  # lower bounds, actions, epsilon, at_least
    ([14, 6, 0], "rows", 0.7, 0),
    ([14, 6, 0], "rows", 0.7, 40),
    ([2, 1, 0, 0], "blur", 1.5, 4),  # one more, unless the record itself is the one
    ([2, 1, 0, 0], "laplace", 0.3, 5),
    ([9, 3, 2], "laplace", 0.4, 10),
    ([1, 0, 0, 0], "blur", 2.0, 0),
    ([0, 0, 0, 0], "blur", 2.0, 0),
    ([0, 0, 0], "rows", 0.7, 8),
    ([5, 3, 0, 0, 1, 0, 2, 0, 0], "blur", 0.7, 12),
]


class Case:
    """A program with random columns whose mass, others and least entries are those of the rows."""

    def __init__(self, lower, actions, epsilon, at_least) -> None:
        rng = np.random.default_rng(len(lower))
        self.lower, bins = np.array(lower), len(lower)
        values = self.lower[:, None] + np.sort(rng.uniform(0, 6, (bins, 3)), axis=1)
        self.known = CountPosterior(values, rng.dirichlet(np.ones(3), bins))
        self.program = RandomiserProgram(self.known, self.lower, epsilon, actions, at_least)
        kernel = action_rows(actions, bins, self.known.distribution)
        weights = rng.dirichlet(np.full(len(kernel), 0.5), (40, bins))
        self.randomisers = np.einsum("nkv,vkx->nkx", weights, kernel)
        self.mass = np.tensordot(self.randomisers, self.lower, (1, 0)) / max(self.lower.sum(), 1)
        self.others = np.array([self.from_others(randomiser) for randomiser in self.randomisers])
        self.heights = np.array([self.roof(*pair) for pair in zip(*self.pair(), strict=True)])
        self.parts = [
            weights.reshape(len(weights), -1),
            self.mass, self.others, self.randomisers.min(axis=1), self.heights,
        ]  # fmt: skip
        self.columns = np.concatenate(self.parts, axis=1)

    def from_others(self, randomiser):
        share = self.known.mean / self.known.mean.sum()
        return (share[:, None] * randomiser * (1 - np.eye(len(randomiser)))).sum(axis=0)

    def pair(self):
        return np.einsum("nkk->nk", self.randomisers), self.others

    def roof(self, stay, others):
        """E[c ln(c / (c p + o))] of each output, in units of what a constant row is worth."""
        c, w, total = self.known.values, self.known.weights, self.known.mean.sum()
        constant = np.tile(self.known.distribution, (len(c), 1))
        unit = total * naive.expected_divergence(constant, self.known)
        mass = c * stay[:, None] + total * others[:, None]
        return (w * c * np.log(c / mass)).sum(axis=1) / unit

    def stored(self):
        """Matrix, row bounds, and the rows that have a roof, as the solver has them."""
        model = self.program.solver.getLp()
        assert model.num_col_ == self.columns.shape[1]
        kept = model.a_matrix_
        parts = np.array(kept.value_), np.array(kept.index_), np.array(kept.start_)
        shape = model.num_row_, model.num_col_
        by_row = kept.format_ != highspy.MatrixFormat.kColwise
        matrix = (sparse.csr_array if by_row else sparse.csc_array)(parts, shape=shape).toarray()
        roofed = matrix[:, -len(self.lower) :].any(axis=1)
        return matrix, np.array(model.row_lower_), np.array(model.row_upper_), roofed


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request):
    return Case(*request.param), request.param


def test_the_condition_is_a_row_for_each_bin_and_output(case):
    """p_k <= share S, with the least mass S of data sets with a record in bin k written out."""
    case, (lower, _, epsilon, at_least) = case
    by_hand = []
    for k, x in np.ndindex(len(lower), len(lower)):
        counts = np.array(lower)
        counts[k] = max(counts[k], 1)
        missing = max(at_least - counts.sum(), 0)
        least = case.randomisers[:, :, x].min(axis=1)
        mass = case.randomisers[:, :, x] @ counts + missing * least
        by_hand.append(case.randomisers[:, k, x] + math.expm1(-epsilon) * mass)
    matrix, row_lower, row_upper, _ = case.stored()
    rows = matrix[np.isneginf(row_lower)]
    values = rows @ case.columns.T
    assert (row_upper[np.isneginf(row_lower)] == 0.0).all() and len(values) == len(by_hand)
    factor = (values * by_hand).sum(axis=1) / np.square(by_hand).sum(axis=1)
    assert (factor > 0.0).all()
    assert_allclose(values, factor[:, None] * by_hand, atol=1e-9 * abs(values).max())


def test_no_coefficient_of_the_condition_is_far_from_1():
    """Rows of single actions: the largest is 1, however many records there are."""
    for lower, at_least in ([14, 6, 0], 0), ([14, 6, 0], 40), ([0, 0, 0], 900), ([1, 0, 0], 0):
        case = Case(lower, "rows", 0.7, at_least)
        matrix, row_lower, *_ = case.stored()
        assert_allclose(abs(matrix[np.isneginf(row_lower)]).max(axis=1), 1.0)


def test_weights_mass_and_others_are_what_they_are_called(case):
    """Rows of mixtures meet the equations, and each of these columns has one."""
    case, (lower, *_) = case
    matrix, row_lower, row_upper, _ = case.stored()
    equal = row_lower == row_upper
    assert_allclose(matrix[equal] @ case.columns.T, row_lower[equal, None] * np.ones(40), atol=1e-9)
    bins, width = len(lower), case.program.width
    used = matrix[equal].any(axis=0)
    assert used[:width].all() and used[width + bins : width + 2 * bins].all()
    assert (used[width : width + bins] == (sum(lower) > 0)).all()
    assert equal.sum() == (3 if sum(lower) else 2) * bins


def test_least_is_at_most_every_entry_of_the_column():
    for lower, at_least in ([14, 6, 0], 40), ([2, 1, 0], 4):
        case = Case(lower, "rows", 0.7, at_least)
        matrix, _, row_upper, roofed = case.stored()
        rows = matrix[np.isposinf(row_upper) & ~roofed] @ case.columns.T
        entries = case.randomisers - case.randomisers.min(axis=1, keepdims=True)
        assert_allclose(rows, entries.reshape(40, -1).T, atol=1e-12)


def test_tangents_touch_the_objective_and_lie_below_it(case):
    """The roofs of randomisers are below no tangent; a tangent's own randomiser is on it."""
    case, _ = case
    case.program.touch(case.randomisers[0])
    matrix, row_lower, row_upper, roofed = case.stored()
    room = matrix[roofed] @ case.columns.T - row_lower[roofed, None]
    assert np.isposinf(row_upper[roofed]).all()
    assert (room >= -1e-7).all()
    assert_allclose(room[-len(case.lower) :, 0], 0.0, atol=1e-7)


def test_a_bin_nearly_empty_among_a_million_records_has_tangents_from_the_beginning():
    """Where its mass is 0, slopes would be so steep that the solver leaves them out."""
    values = np.array([[900_000.0, 1_100_000.0], [0.0, 0.2]])
    known = CountPosterior(values, np.full((2, 2), 0.5))
    bound, _ = RandomiserProgram(known, np.array([890_000, 0]), 1.0, "rows", 0).solve()
    assert -1.0 < bound < 1.0


def test_roofs_may_be_below_0_and_all_else_may_not(case):
    """An output with more mass than its share of the data is worth less than nothing."""
    case, _ = case
    model = case.program.solver.getLp()
    low, high = np.array(model.col_lower_), np.array(model.col_upper_)
    assert case.heights.min() < 0.0
    assert (low <= case.columns).all() and np.isposinf(high).all()
    assert (low[: -len(case.lower)] == 0.0).all()


# --- what becomes of it ------------------------------------------------------------------------


def test_where_constant_rows_are_worth_nothing_the_unit_is_a_share_of_the_records():
    randomiser = np.full((3, 3), 1 / 3)
    values = [
        RandomiserProgram(
            CountPosterior(size * np.array([[5.0], [3.0], [2.0]]), np.ones((3, 1))),
            np.array([4, 2, 1]), 0.7, "rows", 0,
        ).value(randomiser)
        for size in (1.0, 1000.0)
    ]  # fmt: skip
    assert values[0] == pytest.approx(values[1], rel=1e-6)


def test_the_solver_is_silent(capfd):
    Case(*CASES[0]).program.solve()
    assert capfd.readouterr() == ("", "")


def hurried(monkeypatch, failures):
    """Let the first runs of the solver stop at once; what is called stands in the list."""
    calls, run, clear = [], highspy.Highs.run, highspy.Highs.clearSolver

    def failing(self):
        fails = calls.count("run") < failures
        self.setOptionValue("simplex_iteration_limit", 0 if fails else 2**31 - 1)
        self.setOptionValue("presolve", "off" if fails else "choose")
        calls.append("run")
        return run(self)

    def cleared(self):
        calls.append("clear")
        return clear(self)

    monkeypatch.setattr(highspy.Highs, "run", failing)
    monkeypatch.setattr(highspy.Highs, "clearSolver", cleared)
    return calls


@pytest.mark.parametrize(
    ("failures", "expected"),
    [(0, ["run"]), (1, ["run", "clear", "run"]), (2, ["run", "clear", "run"])],
)
def test_a_solver_that_fails_is_asked_once_more_from_the_start(monkeypatch, failures, expected):
    bound, _ = Case(*CASES[0]).program.solve()
    calls = hurried(monkeypatch, failures)
    answer = Case(*CASES[0]).program.solve()
    assert calls == expected
    if failures == 2:
        assert answer is None
    else:
        assert answer[0] == pytest.approx(bound, rel=1e-7)
