"""Tests of the growing program: every row it writes holds at every private profile."""

import math

import highspy
import numpy as np
import pytest

import pdpbook as pb
from pdpbook.game.program import Program, dual_bound
from tests import naive

GAMES = [
    ([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 1.0, 0.0),
    ([3, 1, 0, 2], [0.1, 1.0, 4.0], 0.1, 0.0),  # the lower side binds
    ([0, 4, 2, 0, 1], [0.05, 0.2, 1.0], 0.5, 0.03),
    ([3, 1, 0, 2], [0.1, 1.0, 4.0], 0.1, 0.02),
]


def made(counts, scales, epsilon, delta) -> tuple[pb.NVOGame, Program]:
    game = pb.NVOGame(
        counts, pb.laplace_kernel(len(counts), scales), epsilon=epsilon, delta=delta
    )
    loud = game.constant_profile(2)
    return game, Program(game, game.mass(loud), game.divergence(loud))


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
    private = [p for p in naive.all_profiles(game) if game.private_records(p) == game.records]
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
    exposed = [p for p in naive.all_profiles(game) if game.private_records(p) < game.records]
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
    while program.refine(answer.columns, 1e-6):
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
    loud = np.tile([False, False, True], program.occupied.size)
    answer = program.solve(pattern=np.concatenate([loud, loud]))
    assert answer.bound == pytest.approx(game.divergence(game.constant_profile(2)), rel=1e-3)
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
