"""Tests of the growing program: every row it writes holds at every private profile."""

import math
from fractions import Fraction

import highspy
import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import pdpbook as pb
import pdpbook.game.program
from pdpbook.game.program import _ROUNDING, Program, dual_bound
from tests import naive

GAMES = [
    ([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 1.0, 0.0),
    ([3, 1, 0, 2], [0.1, 1.0, 4.0], 0.1, 0.0),  # the lower side binds
    ([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 0.5, 0.03),
    ([3, 1, 0, 2], [0.1, 1.0, 4.0], 0.1, 0.02),
]


def made(counts, scales, epsilon, delta) -> tuple[pb.NVOGame, Program]:
    game = pb.NVOGame(counts, pb.laplace_kernel(len(counts), scales), epsilon=epsilon, delta=delta)
    large = game.constant_profile(2)
    large_outcome = game.evaluate(large)
    return game, Program(game, large_outcome.mass, large_outcome.divergence)


def undone(program: Program, columns) -> tuple:
    """C and z by occupied bin and action, S, and heights over -ln S, of rows of columns."""
    shape = len(columns), program.occupied.size, program.game.actions
    parts = np.split(columns, np.cumsum([program.groups, program.groups, program.game.bins]), 1)
    c, z, u, t = parts
    s = program.reference * (1.0 + u / program.scale)
    heights = t / program.scale - np.log(program.reference[program.occupied])
    return c.reshape(shape), z.reshape(shape), s, heights


def random_columns(program: Program, rng, size: int):
    """Random C and z, S some way off the mass of C, and a roof below the logarithm."""
    shares = rng.dirichlet(np.full(program.game.actions, 0.5), (size, program.occupied.size))
    counts = shares.reshape(size, -1) * program.sizes
    z = np.maximum(counts / program.sizes, rng.random(counts.shape) < 0.5)
    mass = counts @ program.rows / program.reference * rng.uniform(0.5, 1.5, (size, 1))
    u, t = program.scale * (mass - 1.0), -program.scale * np.log(mass[:, program.occupied])
    return np.concatenate([counts, z, u, t - program.scale * rng.random(t.shape)], axis=1)


# --- columns -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GAMES)
def test_the_objective_of_a_profile_is_its_divergence(case):
    game, program = made(*case)
    for profile in naive.all_profiles(game):
        columns = program.columns_of(profile)
        assert_array_equal(program.profile_of(columns), profile)
        objective = (columns @ program.cost + program.offset) / program.scale
        assert objective == pytest.approx(game.evaluate(profile).divergence, abs=1e-12)


def test_outputs_that_nobody_or_only_some_reach_do_no_harm():
    """Nobody reaches output 3; the typical profile does not reach output 2."""
    kernel = np.zeros((2, 4, 4))
    kernel[0, :, :2], kernel[1, :, :3] = 1 / 2, 1 / 3
    game = pb.NVOGame([3, 2, 0, 0], kernel, epsilon=0.6)
    program = Program(game, game.evaluate(game.constant_profile(0)).mass, 0.1)
    for array in (program.lower, program.upper, program.cost, program.matrix.data):
        assert np.isfinite(array).all()
    columns = program.columns_of(game.constant_profile(0))
    assert (program.lower <= columns).all() and (columns <= program.upper).all()
    assert program.solve(integer=True).bound == pytest.approx(naive.private_optimum(game), abs=1e-6)


# --- rows --------------------------------------------------------------------------------------


SMALL, LARGE = np.array([0.96, 0.03, 0.01]), np.array([0.6, 0.3, 0.1])


def inequalities(game: pb.NVOGame, c, z, mass):
    """The linear form for groups and for means of bins: what is summed, what is allowed."""
    n, tau, sigma = game.records, game.tau, max(game.sigma, 0.0)
    miss, seen = game.delta * (n - 1), np.flatnonzero(game.counts)
    exceed = miss * math.exp(-game.epsilon)
    most = game.counts @ game.kernel.max(axis=0)
    for k, v in np.ndindex(z.shape[1:]):
        row, present = game.kernel[v, seen[k]], z[:, k, v, None]
        yield present * row - tau * mass, exceed * z[:, k, v]
        absent = (1.0 - present) * most
        yield sigma * (mass - absent) - present * row, miss * z[:, k, v]
    for k, count in enumerate(game.counts[seen]):
        mean = c[:, k] @ game.kernel[:, seen[k]] / count
        yield mean - tau * mass, np.full(len(c), exceed)
        yield sigma * mass - mean, np.full(len(c), miss)


@pytest.mark.parametrize("everybody", [False, True])
@pytest.mark.parametrize("case", [*GAMES, ([3, 2, 0, 0, 0, 0], [0.02, 0.025, 0.03], 0.5, 0.0)])
def test_a_solution_provokes_just_the_inequalities_that_it_violates(case, everybody):
    """For delta = 0 one for each output, of which there are few here; else one for the worst set.
    The rows are these, each times a factor that makes its largest term as large as the scale."""
    game, program = made(*case)
    rng, met = np.random.default_rng(6), 0
    for _ in range(10):
        columns = random_columns(program, rng, 20)
        before = program.matrix.shape[0]
        added = program.refine(columns[0], 1e9, everybody=everybody)
        assert added == program.matrix.shape[0] - before
        if everybody:
            columns[0, program.groups : 2 * program.groups] = 1.0
        by_hand = []
        for terms, allowed in inequalities(game, *undone(program, columns)[:3]):
            if game.delta > 0.0:
                values = terms[:, terms[0] > 0.0].sum(axis=1) - allowed
                by_hand += [values] if values[0] > 0.0 else []
            else:
                by_hand += list(terms[:, terms[0] > 0.0].T)
        matrix = program.matrix[before:].toarray()
        values = matrix @ columns.T - program.row_upper[before:, None]
        assert len(by_hand) == len(values)
        if not by_hand:
            continue
        ours, theirs = (v / abs(v).max(axis=1, keepdims=True) for v in (values, np.array(by_hand)))
        apart = abs(ours[:, None] - theirs).max(axis=2)
        assert (apart.min(axis=0) < 1e-6).all() and (apart.min(axis=1) < 1e-6).all()
        left, right = np.split(abs(matrix), [2 * program.groups], axis=1)
        assert np.isin((left > 0.0).sum(axis=1), [1, game.actions]).all()
        largest = np.maximum(left.max(axis=1), program.scale * right.sum(axis=1))
        assert_allclose(largest, program.scale)
        met += added
    assert met > 10


@pytest.mark.parametrize("side", ["upper", "lower", "delta above", "delta below"])
def test_no_digit_of_a_row_cuts_off_a_profile_on_its_edge(side):
    """Epsilon or delta is what the profile needs, and the rows are those that it nearly breaks."""
    rng, met = np.random.default_rng(9), 0
    for _ in range(30):
        kernel = 0.9 * rng.dirichlet(np.ones(4), (3, 4)) + 0.025
        kernel = kernel if side != "lower" else 0.95 * kernel.mean(axis=(0, 1)) + 0.05 * kernel
        epsilon = 0.02 if side == "delta below" else 0.3
        game = pb.NVOGame([3, 0, 2, 1], kernel, epsilon=epsilon)
        profile = game.random_profile(rng=rng)
        needed = np.nanmax(game.evaluate(profile).losses)
        if side.startswith("delta"):
            rows = [kernel[v, k] for k, v in np.argwhere(profile)]
            needed = pb.beyond.hockey_stick_divergences(
                rows, game.evaluate(profile).mass, 6, epsilon
            ).max() * (1.0 + 1e-13)  # it is computed with rounding
            game = pb.NVOGame(game.counts, kernel, epsilon=epsilon, delta=needed)
        else:
            game = pb.NVOGame(game.counts, kernel, epsilon=needed)
        assert game.evaluate(profile).private_records == 6
        outcome = game.evaluate(profile)
        program = Program(game, outcome.mass, outcome.divergence)
        columns, before = program.columns_of(profile), program.matrix.shape[0]
        for change in (-1e-6, 1e-6):
            near = columns.copy()
            near[2 * program.groups : 2 * program.groups + 4] += change * program.scale
            program.refine(near, 1e9)
        excess = program.matrix[before:] @ columns - program.row_upper[before:]
        assert (excess <= 0.0).all() and (columns <= program.upper).all()
        met += (excess > -1e-8 * program.scale).any()
    assert met > 10


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_tangent_is_added_where_the_roof_lies_too_low(factor):
    """The tolerance is for the divergence; each occupied bin gets its part of it."""
    game, program = made(*GAMES[0])
    columns, tolerance = program.columns_of(game.constant_profile(1)), 1e-3
    program.refine(columns, 1e9)
    for k, q in enumerate(program.frequency):
        low = columns.copy()
        low[2 * program.groups + 5 + k] -= factor * program.scale * tolerance / 3 / q
        assert program.refine(low, tolerance) == (factor > 1.0)
        if factor > 1.0:
            last = program.matrix[[-1]] @ columns - program.row_lower[-1]
            assert last == pytest.approx(0.0, abs=1e-12 * program.scale)


@pytest.mark.parametrize("case", GAMES)
def test_no_row_cuts_off_a_private_profile(case):
    """All rows that random points provoke are tried on all private profiles."""
    game, program = made(*case)
    rng = np.random.default_rng(0)
    for _ in range(30):
        shares = rng.dirichlet(np.full(game.actions, 0.3), size=program.occupied.size)
        counts = (shares * game.counts[program.occupied, None]).ravel()
        z = np.maximum(counts / program.sizes, rng.random(program.groups) < 0.3)
        mass = counts @ program.rows / program.reference
        u, t = program.scale * (mass - 1.0), -program.scale * np.log(mass[program.occupied])
        program.refine(np.concatenate([counts, z, u, t - rng.random(t.size)]), 1e-9)
    assert program.matrix.shape[0] > 100
    private = [
        p for p in naive.all_profiles(game) if game.evaluate(p).private_records == game.records
    ]
    assert len(private) > 3
    tightest = math.inf
    for profile in private:
        columns = program.columns_of(profile)
        assert (columns >= program.lower - 1e-9).all() and (columns <= program.upper + 1e-9).all()
        rows = program.matrix @ columns
        slack = np.minimum(rows - program.row_lower, program.row_upper - rows)
        assert slack.min() > -1e-8
        tightest = min(tightest, slack[-100:].min())
    assert tightest < 1.0


@pytest.mark.parametrize("case", GAMES)
def test_an_exposed_profile_violates_a_row(case):
    game, program = made(*case)
    exposed = [
        p for p in naive.all_profiles(game) if game.evaluate(p).private_records < game.records
    ]
    for profile in exposed[:: max(len(exposed) // 40, 1)]:
        columns = program.columns_of(profile)
        below = program.matrix.shape[0]
        program.refine(columns, 1.0)
        rows = program.matrix @ columns
        outside = np.maximum(program.row_lower - rows, rows - program.row_upper).max()
        assert outside > 1e-9 or (columns > program.upper).any(), below


@pytest.mark.parametrize("case", GAMES)
def test_any_prices_prove_a_bound(case):
    """Wrong prices of the linear program lower the bound, and never lift it above the truth."""
    game, program = made(*case)
    truth, rng = naive.private_optimum(game), np.random.default_rng(1)
    answer = program.solve()
    for _ in range(50):
        if not program.refine(answer.columns, 1e-6):
            break
        answer = program.solve()
    assert 0.5 * truth < answer.bound <= truth + 1e-12
    prices = np.array(program._solver.getSolution().row_dual)
    limits = program.row_lower, program.row_upper, program.lower, program.upper
    for size in (0.0, 0.01, 0.3, 10.0):
        wrong = prices + size * rng.normal(size=prices.size) * abs(prices).max()
        bound = dual_bound(program.cost, program.matrix, *limits, wrong)
        assert (bound + program.offset) / program.scale <= truth + 1e-12


def test_a_pattern_bounds_its_profiles_only():
    game, program = made(*GAMES[0])
    large = np.tile([False, False, True], program.occupied.size)
    answer = program.solve(pattern=np.concatenate([large, large]))
    assert answer.bound == pytest.approx(
        game.evaluate(game.constant_profile(2)).divergence, rel=1e-3
    )
    assert program.solve().bound < 0.5 * answer.bound


def test_the_solver_s_word_for_optimal_without_a_bound_is_asked_again(monkeypatch):
    """HiGHS once answered "optimal" with a dual bound of -inf; without presolve it has one."""
    _, program = made(*GAMES[0])
    runs, exact = [], highspy.Highs.getInfo

    class Blind:
        mip_dual_bound = -math.inf

    monkeypatch.setattr(
        highspy.Highs, "getInfo", lambda self: exact(self) if len(runs) > 1 else Blind()
    )
    run = highspy.Highs.run

    def counted(self):
        runs.append(self.getOptionValue("presolve")[1])
        return run(self)

    monkeypatch.setattr(highspy.Highs, "run", counted)
    answer = program.solve(integer=True)
    assert runs == ["choose", "off"]
    assert math.isfinite(answer.bound)
    program.solve(integer=True)
    assert runs[2:] == ["choose"]


# --- solutions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GAMES[:2])
def test_with_the_rows_that_matter_branch_and_bound_finds_the_optimum(case):
    game, program = made(*case)
    truth, answer = naive.private_optimum(game), program.solve(integer=True)
    for _ in range(30):
        if not program.refine(answer.columns, 1e-7 * truth):
            break
        answer = program.solve(integer=True)
    assert truth * (1.0 - 1e-5) <= answer.bound <= truth
    profile = program.profile_of(answer.columns)
    assert game.evaluate(profile).private_records == game.records
    assert game.evaluate(profile).divergence == pytest.approx(truth, rel=1e-6)


def test_solutions_are_rounded_to_profiles():
    _, program = made(*GAMES[0])
    profile = np.array([[0, 0, 0], [1, 0, 3], [0, 2, 0], [0, 0, 0], [0, 0, 1]])
    columns = program.columns_of(profile)
    columns[: program.groups] += np.resize([0.4, -0.4, 0.3], program.groups)
    assert_array_equal(program.profile_of(columns), profile)
    assert program.profile_of(columns).dtype == np.int64
    columns[0] += 1.0
    assert program.profile_of(columns) is None  # five of the four records
    columns[1] -= 1.0
    assert program.profile_of(columns) is None  # none of them would be less than nobody


@pytest.mark.parametrize(("word", "bound"), [(2.0, 0.75), (-2.0, -3.25)])
def test_the_word_of_branch_and_bound_is_lowered_by_the_margin(monkeypatch, word, bound):
    """By a fraction of itself and by a number; here by a half and a quarter."""

    class Information:
        mip_dual_bound = word

    _, program = made(*GAMES[0])
    monkeypatch.setattr(pdpbook.game.program, "MARGIN", (0.5, 0.25))
    monkeypatch.setattr(highspy.Highs, "getInfo", lambda _: Information())
    assert program.solve(integer=True).bound == pytest.approx(bound / program.scale)


@pytest.mark.parametrize("integer", [False, True])
def test_a_solver_that_ran_out_of_time_proves_nothing(integer):
    _, program = made(*GAMES[0])
    answer = program.solve(integer=integer, seconds=0.0)
    assert answer.bound == -math.inf and answer.columns is None


def test_a_solver_that_stopped_for_another_reason_proves_nothing():
    _, program = made(*GAMES[0])
    program._solver.setOptionValue("mip_max_nodes", 0)
    assert program.solve(integer=True).bound == -math.inf


def test_the_bound_of_prices_against_exact_arithmetic():
    """It is lower than the exact value, by the promised fraction of all that is added up."""
    rng = np.random.default_rng(4)
    for width in [0.01, 10.0] * 25:
        matrix, cost, prices = (10.0 * rng.normal(size=s) for s in ((3, 4), 4, 3))
        row_lower, lower = rng.normal(size=3), width * rng.normal(size=4)
        row_upper, upper = row_lower + rng.random(3), lower + width * rng.random(4)
        row_lower[rng.random(3) < 0.3] = -math.inf
        row_upper[rng.random(3) < 0.3] = math.inf
        prices[rng.random(3) < 0.1] = 0.0
        exact, size, reduced = Fraction(0), Fraction(1), [Fraction(c) for c in cost]
        weights = [abs(c) for c in reduced]
        for i, price in enumerate(prices):
            side = row_lower[i] if price > 0.0 else row_upper[i]
            if math.isfinite(side):
                term = Fraction(price) * Fraction(side)
                exact, size = exact + term, size + abs(term)
                for j in range(4):
                    part = Fraction(price) * Fraction(matrix[i, j])
                    reduced[j], weights[j] = reduced[j] - part, weights[j] + abs(part)
        for j in range(4):
            ends = Fraction(lower[j]), Fraction(upper[j])
            exact += min(reduced[j] * end for end in ends)
            size += weights[j] * max(map(abs, ends))
        limits = row_lower, row_upper, lower, upper
        bound = dual_bound(cost, sp.csr_array(matrix), *limits, prices)
        assert float(exact - Fraction(bound)) == pytest.approx(_ROUNDING * float(size), rel=0.02)
