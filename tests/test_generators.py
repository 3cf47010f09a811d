"""Every public function that takes a generator draws a release exactly, or says that it does not.

A function that is new, or that takes ``rng`` from now on, fails here until it stands in the table.

* *release*: it draws exactly, with the generator of the operating system unless another is given;
* *experiment*: its noise is that of a theorem on real numbers, computed in doubles, and its
  docstring says that it is for experiments;
* *search*: it draws where a search begins, what a learner does, or which record plays what; what it
  returns promises nothing by having been drawn.
"""

from __future__ import annotations

import inspect

import pytest

from pdpbook.foundations import system_generator
from pdpbook.foundations.system_generator import SystemGenerator
from tests.test_signatures import PUBLIC, parameters
from tests.tools.valid_calls import CALLS

KINDS = {
    "audit.dp_histogram": "release",
    "audit.draw_released": "release",
    "audit.private_randomiser": "release",
    "beyond.filtered_descent": "experiment",
    "beyond.gradual_laplace": "experiment",
    "beyond.minimax_q_learning": "search",
    "beyond.refine": "experiment",
    "beyond.simulated_rmse": "experiment",
    "beyond.train": "search",
    "experiments.fit_network": "search",
    "experiments.game_pairs": "experiment",
    "experiments.noisy_copies": "experiment",
    "experiments.noisy_histogram_pairs": "experiment",
    "experiments.record_rows": "search",
    "experiments.sample_pairs": "experiment",
    "foundations.PerInstanceLaplace.sample": "release",
    "foundations.bounded_laplace_mechanism": "experiment",
    "foundations.discrete_gaussian_mechanism": "release",
    "foundations.discrete_staircase_mechanism": "release",
    "foundations.double_laplace": "experiment",
    "foundations.exponential_mechanism": "release",
    "foundations.gaussian_mechanism": "experiment",
    "foundations.geometric_mechanism": "release",
    "foundations.impossible_share": "experiment",
    "foundations.laplace_mechanism": "experiment",
    "foundations.noisy_mean": "release",
    "foundations.noisy_quantile": "release",
    "foundations.randomised_response": "release",
    "foundations.staircase_mechanism": "experiment",
    "game.NVOGame.random_profile": "search",
    "game.Outcome.sample": "release",
    "game.approximate_enumeration": "search",
    "game.best_response_dynamics": "search",
    "game.coordinated_best_response": "search",
}
RELEASES = sorted(name for name, kind in KINDS.items() if kind == "release")


def random(name: str) -> bool:
    """Whether a public callable takes a generator."""
    try:
        return any(each.name == "rng" for each in parameters(name))
    except (TypeError, ValueError):  # a class without a signature
        return False


def told(name: str) -> str:
    """Its docstring on one line."""
    return " ".join((inspect.getdoc(PUBLIC[name]) or "").split())


def test_every_function_with_a_generator_has_a_kind() -> None:
    assert {name for name in PUBLIC if random(name)} == set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_its_docstring_says_what_its_draws_are_for(name: str) -> None:
    (rng,) = [each for each in parameters(name) if each.name == "rng"]
    released = "A release takes None: the generator of the operating system." in told(name)
    assert released == (KINDS[name] == "release"), "a release says where its draws come from"
    if released:
        assert rng.default is None
    if KINDS[name] == "experiment":
        assert "for experiments" in told(name), "say that nobody should release what it draws"


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_draws_from_the_operating_system(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The valid call of the name, without ``rng``, asks the system's generator and no other."""
    asked: list[int] = []
    drawn = SystemGenerator.integers

    class Watched(SystemGenerator):
        def integers(self, *arguments, **named):
            asked.append(1)
            return drawn(self, *arguments, **named)

    monkeypatch.setattr(system_generator, "SystemGenerator", Watched)
    valid = CALLS[name.partition(".")[2]]()
    arguments = {key: value for key, value in valid.items() if key != "rng"}
    PUBLIC[name](**arguments)
    assert asked
