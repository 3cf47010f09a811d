"""The committed tables of end-to-end losses, and a part of each run again."""

import io

import numpy as np
import pandas as pd
import pytest

from pdpbook import NVOGame, best_response_dynamics, laplace_kernel
from pdpbook_pages.tables import end_to_end_table as ht

TABLE = ht.committed_losses()


def again(method, scales, epsilon, bins):
    """Lines of the table, computed anew."""
    lines = [ht._COLUMNS, *ht.table_rows(method, scales, epsilon, bins=bins)]
    return pd.read_csv(io.StringIO("\n".join(lines)))


def same(one, other):
    """The last digits differ between processors, and with them more of a certified optimum.

    Where it is not unique, the last digits decide which of the profiles within the gap the solver
    ends at.  For a neighbour's data that profile shows in what it was run again for.
    """
    rerun = ["end_to_end", "largest", "changed", "end_to_end_advantage"]
    if (one.method == "certified").all() and (one.scales == "finer").all():
        assert np.isfinite(one[rerun]).all(axis=None) and (one.end_to_end >= 0).all()
        one, other = one.drop(columns=rerun), other.drop(columns=rerun)
    pd.testing.assert_frame_equal(one, other, check_dtype=False, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "scales", "epsilon", "bins"),
    [
        ("certified", "stated", 1.0, [38, 52]),
        ("certified", "finer", 0.3, [38, 62]),
        ("starts", "finer", 0.3, [38]),
        ("orders", "finer", 1.0, [38]),
        ("genetic", "stated", 1.0, [38]),
    ],
)
def test_a_part_of_the_table_run_again(method, scales, epsilon, bins):
    kept = TABLE.query(
        f"method == '{method}' and scales == '{scales}' and epsilon == {epsilon} and bin in {bins}"
    ).reset_index(drop=True)
    assert len(kept) == len(bins)
    same(again(method, scales, epsilon, bins), kept)


def test_the_tables_are_complete():
    sizes = TABLE.groupby(["method", "scales"]).size()
    occupied = np.flatnonzero(ht.heights_game("stated", 1.0).counts)
    assert occupied.size == 22
    methods = ("coordinated", "certified", "genetic", "network")
    expected = {(m, s): 6 * 22 for m in methods for s in ht.SCALES}
    expected |= {("starts", "finer"): 6 * 22, ("orders", "finer"): 6 * 22}
    expected |= {("training", "finer"): 22}
    assert sizes.to_dict() == expected
    assert set(TABLE.bin) == set(occupied)


def test_another_order_of_the_bins_is_another_order_of_play():
    rng = np.random.default_rng(0)
    differ = 0
    for _ in range(30):
        counts = rng.multinomial(20, rng.dirichlet(np.ones(6)))
        game = NVOGame(counts, laplace_kernel(6, [1.0, 0.2, 0.05]), epsilon=1.0)
        order = rng.permutation(6)
        profile = ht.reordered(ht.best_responses, order)(game)
        assert (profile.sum(axis=1) == counts).all() and game.evaluate(profile).is_nash()
        straight = ht.reordered(ht.best_responses, np.arange(6))(game)
        assert (straight == ht.best_responses(game)).all()
        differ += (profile != straight).any()
    assert differ > 3


def test_best_responses_start_large():
    game = NVOGame([4, 1, 3], laplace_kernel(3, [1.0, 0.2, 0.05]), epsilon=1.0)
    expected = best_response_dynamics(game, start=game.constant_profile(0)).profile
    assert (ht.best_responses(game) == expected).all()


def test_the_command_writes_its_table(tmp_path):
    out = tmp_path / "losses.csv"
    ht.main(["certified", "--scales", "stated", "--epsilons", "0.3", "--out", str(out)])
    first, *_ = out.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# python -m pdpbook_pages.tables.end_to_end_table certified")
    written = pd.read_csv(out, comment="#")
    kept = TABLE.query("method == 'certified' and scales == 'stated' and epsilon == 0.3")
    same(written, kept.reset_index(drop=True))


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="scales must be 'stated' or 'finer', got scales='fine'"):
        ht.heights_game("fine", 1.0)
    with pytest.raises(ValueError, match=r"method must be .*got method='exact'"):
        next(ht.table_rows("exact", "finer", 1.0))
