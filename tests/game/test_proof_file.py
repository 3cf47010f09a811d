"""The file for Coq holds the profile and the rows; that Coq judges it is tried in test_proofs."""

import re

import numpy as np
import pytest

import pdpbook as pb
from pdpbook.game import formal_proof


def test_the_file_holds_each_group_once() -> None:
    game = pb.NVOGame([3, 0, 1], pb.laplace_kernel(3, [0.5, 1.0]), epsilon=1.0)
    profile = np.array([[2, 1], [0, 0], [0, 1]])
    text = formal_proof(profile, game.weights, epsilon=1.0)
    found = re.findall(r"bin (\d), action (\d) \*\)\s+\((\d), \[([^\]]*)\]\)", text)
    groups = {(int(k), int(v)): (int(c), [*map(int, row.split(";"))]) for k, v, c, row in found}
    assert groups.keys() == {(0, 0), (0, 1), (2, 1)}
    for (k, v), (count, row) in groups.items():
        assert count == profile[k, v] and row == game.weights[v, k].tolist()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"profile": np.array([[-1, 1]])}, "profile"),
        ({"weights": np.array([[[1.5, 0.5], [1.0, 1.0]]])}, "weights"),
    ],
)
def test_what_is_no_profile_is_refused(changed: dict, message: str) -> None:
    given = {"profile": [[2], [1]], "weights": [[[6, 2], [4, 4]]], "epsilon": 0.5} | changed
    with pytest.raises((ValueError, TypeError), match=message):
        formal_proof(given["profile"], given["weights"], epsilon=given["epsilon"])
