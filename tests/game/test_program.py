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
def test_the_columns_of_a_profile_are_its_counts_mass_and_logarithms(case):
    game, program = made(*case)
    profiles = np.array(list(naive.all_profiles(game)))
    columns = np.array([program.columns_of(profile) for profile in profiles])
    c, z, mass, heights = undone(program, columns)
    seen = game.counts > 0
    assert_array_equal(c, profiles[:, seen])
    assert_array_equal(z, profiles[:, seen] > 0)
    truth = np.einsum("pkv,vkx->px", profiles, game.kernel)
    assert_allclose(mass, truth, rtol=1e-12)
    assert_allclose(heights, -np.log(truth[:, seen]), atol=1e-12)
    objective = (columns @ program.cost + program.offset) / program.scale
    assert_allclose(
        objective, [game.evaluate(profile).divergence for profile in profiles], atol=1e-12
    )


def test_the_typical_divergence_is_1_in_the_units_of_the_solver():
    """At most 1, and at least a ten-thousandth of a nat, are magnified."""
    game, _ = made(*GAMES[0])
    for divergence in (1e-3, 0.3, 1.0):
        program = Program(game, game.evaluate(game.constant_profile(2)).mass, divergence)
        assert program.scale * divergence == pytest.approx(1.0)
    assert Program(game, program.reference, 20.0).scale == pytest.approx(1.0)
    assert 1.0 < Program(game, program.reference, 0.0).scale < math.inf


@pytest.mark.parametrize("case", GAMES)
def test_mass_and_heights_have_the_bounds_that_profiles_reach(case):
    game, program = made(*case)
    columns = np.array([program.columns_of(profile) for profile in naive.all_profiles(game)])
    rest = slice(2 * program.groups, None)
    lower, upper = program.lower[rest], program.upper[rest]
    assert (lower <= columns[:, rest]).all() and (columns[:, rest] <= upper).all()
    assert_allclose(lower, columns[:, rest].min(axis=0), atol=1e-7 * program.scale)
    assert_allclose(upper, columns[:, rest].max(axis=0), atol=1e-7 * program.scale)


@pytest.mark.parametrize("case", [*GAMES, ([5, 1], [0.02, 1.0, 4.0], 0.1, 0.02)])
def test_a_group_that_is_private_at_no_profile_is_shut(case):
    game, program = made(*case)
    sometimes = np.any(
        [game.evaluate(profile).private for profile in naive.all_profiles(game)], axis=0
    )
    open_ = sometimes[program.occupied].ravel()
    assert_array_equal(program.upper[: program.groups], np.where(open_, program.sizes, 0.0))
    assert_array_equal(program.upper[program.groups : 2 * program.groups], open_)
    assert not program.lower[: 2 * program.groups].any()


def test_a_group_with_too_little_mass_for_the_lower_side_is_shut():
    """S(1) is at least 1.84, so sigma S(1) = 0.167, of which 0.16 falls short."""
    kernel = np.array([[[0.4, 0.2, 0.4]] * 3, [[0.42, 0.16, 0.42], *[[0.39, 0.21, 0.4]] * 2]])
    game = pb.NVOGame([4, 6, 0], kernel, epsilon=0.01)
    private = [game.evaluate(profile).private for profile in naive.all_profiles(game)]
    assert_array_equal(np.any(private, axis=0), [[True, False], [True, True], [False, False]])
    program = Program(game, game.evaluate(game.constant_profile(0)).mass, 0.1)
    assert_array_equal(program.upper[4:8], [1.0, 0.0, 1.0, 1.0])


def test_mass_is_measured_from_the_typical_one_however_small():
    kernel = np.array([[[0.9, 0.1 - 1e-12, 1e-12]] * 3, [[0.5, 0.5 - 2e-12, 2e-12]] * 3])
    game = pb.NVOGame([2, 1, 0], kernel, epsilon=1.0)
    large = game.constant_profile(1)
    columns = Program(game, game.evaluate(large).mass, 0.5).columns_of(large)
    assert_array_equal(columns, [0, 2, 0, 1, 0, 1, 0, 1, *[0] * 5])


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


@pytest.mark.parametrize("case", GAMES)
def test_counts_presence_and_mass_belong_together(case):
    """A profile meets all rows; change one column, and it breaks one by the change."""
    game, program = made(*case)
    profile = next(p for p in naive.all_profiles(game) if (p > 0).sum() > program.occupied.size)
    columns, k = program.columns_of(profile), program.groups

    def broken(column=0, change=0.0) -> float:
        rows = program.matrix @ (columns + change * (np.arange(columns.size) == column))
        return float(np.maximum(program.row_lower - rows, rows - program.row_upper).max())

    step = 1e-3 * program.scale
    assert broken() < 1e-12 * program.scale
    for group in range(k):
        assert broken(group, 1.0) >= 1.0 and broken(group, -1.0) >= 1.0
        if columns[group] > 0:
            assert broken(k + group, -1.0) >= columns[group]
    columns[2 * k + game.bins :] += program.scale  # so that no tangent is near
    for output in range(2 * k, 2 * k + game.bins):
        assert broken(output, step) == pytest.approx(step)
        below = broken(output, -step)
        assert below == pytest.approx(step) if program.sigma > 0.0 else below < 1e-9
    for height in range(2 * k + game.bins, columns.size):
        assert broken(height, -2.0 * program.scale) == pytest.approx(program.scale, rel=0.1)


def test_a_tangent_touches_the_logarithm_and_lies_below_it():
    _, program = made(*GAMES[0])
    first, points = program.matrix.shape[0], np.array([0.3, 1.0, 4.0])
    where = np.array([2, 0, 1])
    program._write_tangents(where, points)
    columns = random_columns(program, np.random.default_rng(5), 20)
    _, _, mass, heights = undone(program, columns)
    rows = (program.matrix @ columns.T)[first:] - program.row_lower[first:, None]
    mass, heights = mass[:, program.occupied[where]], heights[:, where]
    touching = points * program.reference[program.occupied[where]]
    by_hand = heights + np.log(touching) + mass / touching - 1.0
    assert_allclose(rows.T, program.scale * by_hand, rtol=1e-9)
    assert (by_hand >= heights + np.log(mass) - 1e-12).all()


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


@pytest.mark.parametrize("epsilon", [0.5, 0.1])
def test_where_outputs_are_many_the_worst_of_each_line_is_among_its_rows(epsilon):
    """Where p / S is greatest and where it is least, of groups and of means of bins."""
    counts = np.zeros(40, dtype=int)
    counts[[3, 11, 30]] = 3, 1, 2
    game, program = made(counts, [0.1, 1.0, 4.0], epsilon, 0.0)
    rng, met = np.random.default_rng(12), 0
    for _ in range(5):
        columns = random_columns(program, rng, 20)
        before = program.matrix.shape[0]
        program.refine(columns[0], 1e9, everybody=True)
        columns[0, program.groups : 2 * program.groups] = 1.0
        c, z, mass, _ = undone(program, columns)
        values = (program.matrix[before:] @ columns.T - program.row_upper[before:, None]).T
        values /= abs(values).max(axis=0)
        for terms, _ in inequalities(game, c, z, mass):
            worst = (terms[0] / mass[0]).argmax()
            if terms[0, worst] > 0.0:
                by_hand = terms[:, [worst]] / abs(terms[:, worst]).max()
                assert abs(values - by_hand).max(axis=0).min() < 1e-6
                met += 1
    assert met > 10


SMALL, LARGE = np.array([0.96, 0.03, 0.01]), np.array([0.6, 0.3, 0.1])


@pytest.mark.parametrize("fraction", [1e-9, 1e-8])
@pytest.mark.parametrize("typical", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_a_row_is_added_for_more_than_the_solver_takes_as_met(fraction, typical, delta):
    """The excess is a fraction of p or of tau times the typical mass, whichever is larger."""
    game = pb.NVOGame([4, 3, 0], np.array([[SMALL] * 3, [LARGE] * 3]), epsilon=0.5, delta=delta)
    program = Program(game, typical * SMALL / game.tau, 0.5)
    here = np.array([False, True, delta > 0.0])  # the outputs that are too much together
    unit = (max(typical, 1.0) * SMALL)[here].sum() / program.scale
    excess = (program.exceed + fraction * unit) / SMALL[here].sum()
    mass = np.where(here, SMALL * (1.0 - excess) / program.tau, 70.0)
    z = np.zeros(4)
    z[0] = 1.0
    z[3] = (1.0 - excess + 1e-5) / 10.0  # hardly above, and for delta > 0 far from too much
    z[3] *= delta > 0.0
    u = program.scale * (mass / program.reference - 1.0)
    columns = np.concatenate([np.zeros(4), z, u, np.zeros(2)])
    assert program.refine(columns, 1e9) == (fraction > 5e-9)


@pytest.mark.parametrize("fraction", [1e-9, 1e-8])
@pytest.mark.parametrize("typical", [0.1, 1.0, 10.0])
def test_a_row_of_the_lower_side_is_added_likewise(fraction, typical):
    game = pb.NVOGame([4, 3, 0], np.array([[SMALL] * 3, [[0.1, 0.6, 0.3]] * 3]), epsilon=0.1)
    program = Program(game, typical * SMALL / game.sigma, 0.5)
    excess = fraction * max(typical, 1.0) / program.scale
    mass = SMALL / program.sigma * [0.3, 1.0 + excess, 0.3]
    u = program.scale * (mass / program.reference - 1.0)
    counts = np.outer([4.0, 3.0], [0.995, 0.005]).ravel()  # means that exceed nothing
    columns = np.concatenate([counts, [1.0, 0.0, 0.0, 0.0], u, np.zeros(2)])
    assert program.refine(columns, 1e9) == (fraction > 5e-9)


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


def test_the_solver_holds_every_row_as_it_is_written():
    """It drops small coefficients, so there are none, and none were rounded the wrong way."""
    small = [[1 - 2e-14, 1e-14, 1e-14], [0.1, 0.9 - 1e-10, 1e-10], [0.0, 0.5, 0.5]]
    large = [[0.6, 0.4 - 1e-12, 1e-12], [0.2, 0.3, 0.5], [0.5, 0.5, 0.0]]
    for epsilon in (1e-6, 1e-3, 0.5):
        game = pb.NVOGame([1000_000, 1, 0], np.array([small, large]), epsilon=epsilon)
        program = Program(game, np.array([1e6, 1.0, 0.0]), 0.1)
        for columns in random_columns(program, np.random.default_rng(0), 10):
            program.refine(columns, 1e-6)
        held = program._solver.getLp()
        entries = (getattr(held.a_matrix_, name) for name in ("value_", "index_", "start_"))
        matrix = sp.csr_array(tuple(entries), (held.num_row_, held.num_col_)).toarray()
        assert_array_equal(matrix, program.matrix.toarray())
        for ours in ("row_lower", "row_upper"):
            assert_array_equal(getattr(held, ours + "_"), getattr(program, ours))
        for ours in ("cost", "lower", "upper"):
            assert_array_equal(getattr(held, f"col_{ours}_"), getattr(program, ours))
        assert held.offset_ == program.offset
        rows = program.matrix @ program.columns_of(game.constant_profile(0))
        written_first = slice(2 + 4 + 3)  # the rows that hold for exposed profiles, too
        assert (rows <= program.row_upper + 1e-6)[written_first].all()


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


def test_the_start_is_handed_to_branch_and_bound_only(monkeypatch):
    game, program = made(*GAMES[0])
    handed, start = [], game.constant_profile(2)
    monkeypatch.setattr(highspy.Highs, "setSolution", lambda _, s: handed.append(s.col_value))
    program.solve(start=start)
    assert handed == []
    program.solve(integer=True, start=start)
    assert_array_equal(handed, [program.columns_of(start)])


def test_the_gap_and_the_seconds_are_handed_to_the_solver():
    """Its clock runs on from one call to the next, and its limit is a time on this clock."""
    _, program = made(*GAMES[0])
    for gap in (0.25, 0.125):
        program.solve(integer=True, gap=gap, seconds=100.0)
        assert program._solver.getOptionValue("mip_rel_gap")[1] == gap
        limit = program._solver.getOptionValue("time_limit")[1]
        assert 100.0 <= limit <= 100.0 + program._solver.getRunTime()


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


def test_a_linear_program_that_fails_is_solved_afresh(monkeypatch):
    _, program = made(*GAMES[0])
    expected = program.solve().bound
    calls, run, clear = [], highspy.Highs.run, highspy.Highs.clearSolver

    def failing(self):
        """The first time, stop at once."""
        limit = self.getOptionValue("time_limit")[1]
        self.setOptionValue("time_limit", limit if calls else 0.0)
        if not calls:
            clear(self)
        calls.append("run")
        run(self)
        self.setOptionValue("time_limit", limit)

    def cleared(self):
        calls.append("clear")
        return clear(self)

    monkeypatch.setattr(highspy.Highs, "run", failing)
    monkeypatch.setattr(highspy.Highs, "clearSolver", cleared)
    assert program.solve().bound == pytest.approx(expected, rel=1e-9)
    assert calls == ["run", "clear", "run"]
    program.solve()
    assert calls[3:] == ["run"]


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
