"""The committed tables of the competition, and a part of each run again."""

import itertools

import numpy as np
import pandas as pd
import pytest

from pdpbook import NVOGame, laplace_kernel
from pdpbook.per_instance.privacy_loss import privacy_losses
from pdpbook_pages.tables import competition as co
from pdpbook_pages.tables.end_to_end_table import EPSILONS


@pytest.mark.parametrize(
    ("table", "epsilon", "lines"),
    [
        ("targets", 4.0, 8),
        ("records", 0.3, 12),
        ("records", 1.0, 6),
        ("bins", 1.0, 12),
        ("repair", 1.0, 4),
        ("public", 1.0, 3),
    ],
)
def test_a_part_of_the_table_run_again(table, epsilon, lines):
    """The first lines of one target, computed anew."""
    kept = co.committed_competition(table)
    kept = kept[kept.epsilon == epsilon].head(lines)
    make, columns, _, seeds = co.TABLES[table]
    names = columns.split(",")
    again = itertools.islice(make([epsilon], seeds), lines)
    for line, (_, row) in zip(again, kept.iterrows(), strict=True):
        values = dict(zip(names, line.split(","), strict=True))
        for name in names[: names.index("divergence")]:
            assert str(row[name]) == values[name] or float(row[name]) == float(values[name])
        for name in ("divergence", "error"):
            assert float(values[name]) == pytest.approx(row[name], rel=0.02, abs=1e-6)
        if "exposed" in values:
            assert int(values["exposed"]) == row.exposed
        if "floor" in values:
            assert (values["floor"] == "") == np.isnan(row.floor)
            assert float(values["floor"] or "nan") == pytest.approx(
                row.floor, rel=0.02, nan_ok=True
            )


def test_the_mean_of_the_actions_of_a_bin():
    game = NVOGame([3, 1, 0], laplace_kernel(3, [0.1, 1.0]), epsilon=1.0)
    rows = co.profile_rows(game, np.array([[2, 1], [0, 1], [0, 0]]))
    small, large = game.kernel
    np.testing.assert_allclose(rows, [(2 * small[0] + large[0]) / 3, large[1], small[2]])


def test_the_tables_are_complete():
    targets = co.committed_competition("targets")
    assert set(targets.release) == set(co.RELEASES) and targets.epsilon.nunique() == 6
    assert (targets.groupby(["release", "epsilon"]).size().loc["DP histogram"] == 24).all()
    records = co.committed_competition("records")
    assert (records.groupby(["release", "epsilon", "records"]).size() == 10).all()
    sizes = {epsilon: set(part.records) for epsilon, part in records.groupby("epsilon")}
    few = {size for size in co.SIZES if size <= 1000}
    assert sizes == {epsilon: few for epsilon in EPSILONS} | {1.0: set(co.SIZES)}
    assert min(few) == 10 and len(few) == 9
    bins = co.committed_competition("bins")
    assert set(bins.bins) == set(co.BINS) and 101 not in co.BINS
    assert (bins.groupby(["release", "bins", "epsilon", "records"]).size() == 1).all()
    assert len(bins) == len(co.RELEASES) * len(co.BINS) * len(EPSILONS) * len(few)
    repair = co.committed_competition("repair")
    assert set(repair.query("actions == 'blur'").share) == set(co.SHARES)
    by_case = repair.groupby(["actions", "epsilon", "records"])
    assert (by_case.size().loc["DP histogram"] == 24).all()
    assert (by_case.size().loc["blur"] == len(co.SHARES) * len(co.TRIAL_SEEDS) + 24).all()
    public = co.committed_competition("public")
    assert (public.groupby(["release", "epsilon"]).size() == 10).all()


def test_the_share_of_the_repaired_game_was_chosen_by_other_draws():
    """No draw that is reported has chosen, and the best share of those that did is reported."""
    repair = co.committed_competition("repair").query("actions == 'blur'")
    tried = repair.seed.isin(co.TRIAL_SEEDS)
    for case, part in repair.groupby(["epsilon", "records"]):
        means = part[tried.loc[part.index]].groupby("share").divergence.mean()
        [share] = part[~tried.loc[part.index]].share.unique()
        assert share == means.idxmin(), case


def test_releases_that_cannot_be_told_apart():
    """Against the definition: twice the standard error of the mean difference, draw by draw."""
    rng = np.random.default_rng(2)
    found = set()
    for _ in range(200):
        draws = pd.DataFrame(rng.normal([0.0, 0.3, 0.6], 0.5, size=(12, 3)), columns=[*"abc"])
        draws.loc[1:, "c"] = np.nan  # a release without noise, once
        told = co.nearest_releases(draws)
        values = draws.to_numpy().copy()
        values[:, 2] = values[0, 2]
        best = values.mean(axis=0).argmin()
        for j, name in enumerate("abc"):
            farther = values[:, j] - values[:, best]
            error = np.sqrt(((farther - farther.mean()) ** 2).sum() / 11 / 12)
            assert told[name] == (farther.mean() <= 2 * error)
        found.add(told.sum())
    assert found == {1, 2, 3}


def test_nobody_is_exposed_where_a_margin_or_a_theorem_protects():
    public = co.committed_competition("public")
    safe = (
        "public randomiser with margin",
        "k-ary randomised response",
        "DP histogram",
        "public half alone",
    )
    assert (public[public.release.isin(safe)].exposed == 0).all()


def test_only_the_game_of_the_papers_scales_has_a_floor_and_it_is_a_lower_bound():
    records = co.committed_competition("records")
    game = records.release == "game (paper's scales)"
    assert records.floor.isna().equals(~game)
    assert (records.floor[game] <= records.divergence[game] * (1 + 1e-9)).all()
    assert (records.floor[game] > 0.9 * records.divergence[game]).all()


@pytest.mark.parametrize("name", ["game (paper's scales)", "game (finer scales)"])
@pytest.mark.parametrize("records", [10, 20])
def test_the_games_of_few_records_end_with_everybody_private(name, records):
    """No theorem says so at ε = 8, where the largest scale is below the safe one."""
    for epsilon in EPSILONS:
        for seed in range(10):
            counts = co.resampled(records, seed)
            rows = co.RELEASES[name](counts, epsilon, np.random.default_rng(0))
            seen = counts > 0
            losses = privacy_losses(rows[seen], counts @ rows, records)
            assert losses.max() <= epsilon * (1 + 1e-9)


def test_the_command_writes_a_table(tmp_path, capsys):
    out = tmp_path / "targets.csv"
    co.main(["targets", "--out", str(out), "--epsilons", "4", "--seeds", "1"])
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# python -m pdpbook_pages.tables.competition targets")
    assert len(lines) == 2 + len(co.RELEASES)
