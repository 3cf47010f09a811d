"""What is written first when a release is made, and at which ε quartiles are drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

import pdpbook as pb
from pdpbook.own_data import make_release, publishing

VALUES = np.repeat([1.0, 2.0, 2.5, 4.0, 7.0], [5, 9, 1, 3, 2])


def made() -> pb.own_data.Published:
    return make_release(VALUES, lower=0, upper=8, epsilon=1.0)


def test_without_a_record_of_it_nothing_is_published(tmp_path: Path) -> None:
    """Values that no record holds could be released a second time, and nobody would know."""
    record = tmp_path / "no such folder" / "record.json"
    with pytest.raises(OSError, match="no such folder"):
        made().write(tmp_path / "out.csv", record=record)
    assert not [*tmp_path.iterdir()]


def test_without_a_statement_no_values_are_published(tmp_path: Path) -> None:
    (tmp_path / "out.csv.statement.json").mkdir()
    with pytest.raises(OSError, match=r"statement\.json"):
        made().write(tmp_path / "out.csv", again=True)
    assert not (tmp_path / "out.csv").exists()


def test_quartiles_are_drawn_at_the_epsilon_that_the_statement_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each costs its own part of ε, and all of ε for each would be three releases for one."""
    drawn, draw = [], publishing.noisy_quantile

    def noted(values: ArrayLike, points: ArrayLike, *, quantile: float, epsilon: float) -> float:
        drawn.append((quantile, epsilon))
        return draw(values, points, quantile=quantile, epsilon=epsilon)

    monkeypatch.setattr(publishing, "noisy_quantile", noted)
    found = make_release(VALUES, lower=0, upper=8, epsilon=1.0, publish="quantiles")
    said = found.statement["parameters"]
    outer, median = said["quartile_epsilon"], said["median_epsilon"]
    assert drawn == [(0.25, outer), (0.5, median), (0.75, outer)]
    assert 5.0 / 3.0 * outer + median <= found.statement["epsilon"]
