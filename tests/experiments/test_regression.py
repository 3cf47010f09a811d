"""Regression on released data: the network and the table of the paper."""

import numpy as np

from pdpbook.experiments import regression as reg


def test_the_network_has_ten_parameters_and_learns_a_bend():
    x = np.linspace(-1.0, 1.0, 80)
    y = np.abs(x)
    network = reg.fit_network(x, y, rng=np.random.default_rng(0))
    assert network.parameters == 10
    assert network.rmse(x, y) < 0.2 * y.std()
    assert network.predict([0.0]).shape == (1,)


def test_the_same_generator_gives_the_same_network():
    x = np.arange(30.0)
    first, second = (reg.fit_network(x, x, rng=np.random.default_rng(4)) for _ in range(2))
    np.testing.assert_array_equal(first.predict(x), second.predict(x))


def test_the_number_of_draws_is_what_was_asked_for(monkeypatch):
    sizes = []

    def noted(x, y, size, **options):
        sizes.append(size)
        return x[:size], y[:size]

    monkeypatch.setattr(reg, "game_pairs", noted)
    x = np.random.default_rng(0).normal(size=30)
    options = {"epsilons": [1.0], "seeds": [0], "settings": ["stated"], "restarts": 1}
    reg.regression_table(x, x, **options)
    reg.regression_table(x, x, draws=7, **options)
    assert sizes == [30, 30, 7, 7]


def test_the_table_of_the_paper_in_small():
    x = np.random.default_rng(0).normal(size=150)
    table = reg.regression_table(x, 2 * x, epsilons=[0.1, 8.0], seeds=range(2), restarts=2)
    assert (
        list(table["algorithm"])
        == ["original"] + ["BRD"] * 2 + ["Laplace"] * 2 + ["BRD"] * 2 + ["Laplace"] * 2
    )
    inferred = table[table["setting"] == "inferred"].set_index(["algorithm", "epsilon"])["rmse"]
    assert inferred["BRD", 8.0] < inferred["Laplace", 8.0] < inferred["Laplace", 0.1]
    assert (table["rmse_low"] <= table["rmse"]).all() and (
        table["rmse"] <= table["rmse_high"]
    ).all()
