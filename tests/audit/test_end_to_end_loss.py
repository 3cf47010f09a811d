"""End-to-end losses against brute force, theorems, and fixed randomisers."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pdpbook as pb
from pdpbook.audit.end_to_end_loss import Removal
from tests import naive

KERNEL = pb.laplace_kernel(4, [1.0, 0.2, 0.05])


def best_responses(game):
    return pb.best_response_dynamics(game, start=game.constant_profile(0)).profile


def coordinated(game):
    return pb.coordinated_best_response(game, start=game.constant_profile(0)).profile


def literal(game):
    """Algorithm 1 from the loud start, one record at a time, each payoff from scratch."""
    bins, actions = naive.records_of(game.constant_profile(0))
    end = naive.algorithm_1(bins, actions, game.kernel, game.epsilon, regroup=True)
    return naive.profile_of(end.bins, end.actions, (game.bins, game.actions))


def one_at_a_time(counts, pipeline):
    """The definition, record by record and output by output: the slow twin."""
    people = np.repeat(np.arange(len(counts)), counts)
    present = pipeline(np.bincount(people, minlength=len(counts)))
    losses = np.full(len(counts), math.nan)
    for i, k in enumerate(people):
        absent = pipeline(np.bincount(np.delete(people, i), minlength=len(counts)))
        losses[k] = 0.0
        for p, q in zip(present, absent, strict=True):
            if (p == 0) != (q == 0):
                losses[k] = math.inf
            elif p > 0:
                losses[k] = max(losses[k], abs(math.log(p / q)))
    return losses


histograms = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(lambda c: sum(c) >= 3)


@given(histograms, st.sampled_from([0.3, 1.0, 2.0]))
def test_one_rerun_a_bin_is_the_definition_for_every_record(counts, epsilon):
    game = pb.NVOGame(counts, KERNEL, epsilon=epsilon)
    fast = pb.end_to_end_losses(counts, pb.audit.game_pipeline(game, best_responses))

    def output(each):
        played = pb.NVOGame(each, KERNEL, epsilon=epsilon)
        return played.evaluate(literal(played)).output

    slow = one_at_a_time(counts, output)
    np.testing.assert_allclose(fast, slow, rtol=1e-9)


@example([3, 1, 0, 2], None)  # without noise the lonely record has an infinite loss
@given(histograms, st.integers(0, 2**31))
def test_for_a_fixed_randomiser_both_losses_are_the_same(counts, seed):
    rows = np.random.default_rng(seed).dirichlet(np.ones(4), size=4) if seed else np.eye(4)
    counts = np.array(counts)
    end_to_end = pb.end_to_end_losses(counts, lambda c: c @ rows / c.sum())
    fixed_noise = pb.privacy_losses(rows[counts > 0], counts @ rows, counts.sum())
    np.testing.assert_allclose(end_to_end[counts > 0], fixed_noise, rtol=1e-6, atol=1e-12)
    assert np.isnan(end_to_end[counts == 0]).all()


@settings(max_examples=4)
@given(histograms, st.sampled_from([0.3, 1.0]))
def test_the_two_parts_add_up_and_the_own_part_is_the_pdp_loss(counts, epsilon):
    game = pb.NVOGame(counts, KERNEL, epsilon=epsilon)
    for left in pb.audit.removals(game, coordinated):
        total = np.log(left.present / left.end_to_end)
        np.testing.assert_allclose(left.own_part + left.others_part, total, atol=1e-12)
        losses = game.evaluate(left.profile).losses
        assert left.fixed_noise_loss == pytest.approx(np.nanmax(losses[left.bin]))
        assert left.end_to_end_loss == pytest.approx(np.abs(total).max())
        assert left.fixed_noise_advantage <= 1 / game.records + 1e-12
        for advantage, absent in (
            (left.fixed_noise_advantage, left.fixed_noise),
            (left.end_to_end_advantage, left.end_to_end),
        ):
            distance = np.maximum(left.present - absent, 0.0).sum()  # total variation
            assert advantage == pytest.approx(distance, abs=1e-12)
        assert left.changed.shape == (4,) and (left.changed >= 0).all()


@pytest.mark.parametrize(
    ("after", "moved"), [([3, 0, 1], 2), ([0, 3, 1], 1), ([1, 2, 1], 0), ([0, 0, 4], 3)]
)
def test_the_one_that_left_is_not_among_those_who_changed(after, moved):
    """Five records of a bin, two of them with action 0; one of the two leaves."""
    nobody = np.ones(1)
    left = Removal(0, 0, np.array([[2, 2, 1]]), np.array([after]), nobody, nobody, nobody)
    assert left.changed.tolist() == [moved]


@given(st.integers(0, 2**31))
def test_no_pipeline_exceeds_the_ceiling_of_a_public_grid(seed):
    rng = np.random.default_rng(seed)
    scales = np.exp(rng.uniform(-3, 1, size=3))
    kernel = pb.laplace_kernel(5, scales)
    ceiling = np.log(kernel.max(axis=(0, 1)) / kernel.min(axis=(0, 1))).max()
    assert ceiling <= 1 / scales.min() * (1 + 1e-12)
    counts = rng.multinomial(8, np.ones(5) / 5)
    game = pb.NVOGame(counts, kernel, epsilon=1.0)

    def anything(game):
        return game.random_profile(rng=np.random.default_rng([seed, *game.counts]))

    losses = pb.end_to_end_losses(counts, pb.audit.game_pipeline(game, anything))
    assert np.nanmax(losses) <= ceiling * (1 + 1e-9)


@given(st.integers(0, 2**31), st.integers(1, 6))
def test_a_mixture_is_the_average_and_never_worse_than_its_worst_seed(seed, size):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 5, size=4)
    tables = rng.dirichlet(np.ones(4), size=(size, 3, 4))

    def depends_on_the_data(table):
        return lambda c: c @ table[c[0] % 3] / c.sum()

    single = [depends_on_the_data(table) for table in tables]
    mixed = pb.audit.mixture_pipeline(single)
    np.testing.assert_allclose(mixed(counts), np.mean([one(counts) for one in single], axis=0))
    worst = np.max([pb.end_to_end_losses(counts, one) for one in single], axis=0)
    assert (pb.end_to_end_losses(counts, mixed) <= worst + 1e-12).all()


def test_a_sharp_picture_has_a_large_end_to_end_loss():
    """Everybody draws from the histogram mixed with a little noise: the floor of the chapter."""
    counts = np.array([5, 4, 1])
    for share in (0.3, 0.1, 1e-2, 1e-4):

        def sharp(c, share=share):
            return (1 - share) * c / c.sum() + share / 3

        def divergence(c, share=share):
            q, p = c / c.sum(), (1 - share) * c / c.sum() + share / 3
            return float(np.sum(np.where(q > 0, q * np.log(np.where(q > 0, q / p, 1.0)), 0.0)))

        kappa = max(divergence(counts), divergence(np.array([5, 4, 0])))
        grid = np.geomspace(1e-6, 0.1, 200_001)
        binary = 0.1 * np.log(0.1 / grid) + 0.9 * np.log(0.9 / (1 - grid))
        smallest = grid[binary <= kappa].min()
        floor = math.log(smallest / -math.expm1(-kappa))
        assert pb.end_to_end_losses(counts, sharp)[2] >= floor - 1e-3
    assert floor > 7.5


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ([1.0], r"a probability for each of the 2 bins, got 1"),
        ([0.6, 0.6], r"pipeline\(counts\) must sum to 1, .*1\.2"),
        ([1.5, -0.5], r"pipeline\(counts\) must be >= 0 .*-0\.5"),
        ([math.nan, 1.0], r"must be finite .*nan"),
        (None, r"pipeline\(counts\) must contain numbers"),
    ],
)
def test_a_pipeline_without_a_distribution_is_refused(output, message):
    with pytest.raises((ValueError, TypeError), match=message):
        pb.end_to_end_losses([3, 1], lambda c: output)


def test_a_pipeline_that_changes_its_input_is_refused_and_the_input_is_safe():
    counts = np.array([3, 1])

    def careless(given):
        given[0] = 9
        return np.array([0.5, 0.5])

    with pytest.raises(ValueError, match="change its argument, got a changed histogram"):
        pb.end_to_end_losses(counts, careless)
    assert counts.tolist() == [3, 1]


def test_a_generator_that_goes_on_from_call_to_call_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(
        ValueError, match="for the same histogram, got two distributions that differ"
    ):
        pb.end_to_end_losses([3, 1], lambda c: rng.dirichlet([1, 1]))


@pytest.mark.parametrize(
    "solve",
    [
        pb.game.certified_optimum,
        lambda game: pb.best_response_dynamics(game, start=game.constant_profile(1)),
    ],
)
def test_a_solver_may_return_its_solution_or_the_profile_of_it(solve):
    game = pb.NVOGame([4, 0, 2, 1], KERNEL, epsilon=1.0)

    def profile(each):
        return solve(each).profile

    for found, expected in zip(
        pb.audit.removals(game, solve), pb.audit.removals(game, profile), strict=True
    ):
        assert found.rerun.tolist() == expected.rerun.tolist()
        assert found.end_to_end_loss == expected.end_to_end_loss
    pipelines = [pb.audit.game_pipeline(game, each) for each in (solve, profile)]
    losses = [pb.end_to_end_losses(game.counts, pipeline) for pipeline in pipelines]
    np.testing.assert_array_equal(*losses)


def test_a_solver_that_finds_no_profile_is_blamed():
    game = pb.NVOGame([2, 0, 1], pb.laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    with pytest.raises(ValueError, match=r"solve\(game\) must have shape \(3, 2\)"):
        pb.audit.removals(game, lambda game: game.counts)
    with pytest.raises(ValueError, match=r"solve\(game\) must have shape \(3, 2\)"):
        pb.audit.game_pipeline(game, lambda game: 3)(game.counts)
    nobody = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.05]), epsilon=0.5)
    message = (
        r"solve\(game\) must be a profile, or a Solution with a profile, got solve\(game\)=<Cert"
    )
    with pytest.raises(ValueError, match=message):
        pb.audit.removals(nobody, pb.certified_optimum)
