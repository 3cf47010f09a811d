"""Which names of ``pdpbook.plotting.series`` each chapter draws, its explorables included.

``test_series.py`` looks whether names that are drawn near one another have colours of their own,
and ``tests/site/test_figures.py`` whether the legends of the built pages have other names.
"""

from tests.tools.notebooks import ROOT

#: Page to keys of ``LOOKS``.
DRAWN_IN: dict[str, str] = {
    "foundations/why-noise": "data with without exposed",
    "foundations/differential-privacy": "with without laplace floor",
    "foundations/sampling-query": "data with exposed floor noisy",
    "per_instance/dp-versus-pdp": "with without fixed-noise data exposed ceiling",
    "per_instance/truncated-laplace": "laplace ceiling ground",
    "per_instance/theorem-one": "with without tight",
    "game/nvo-game": (
        "large medium small game data laplace common exposed fixed-noise keep histogram"
    ),
    "game/best-response": "game exposed data large medium small",
    "game/approximate-enumeration": "game genetic",
    "game/coordinated-moves": "data game",
    "game/exact-optimum": "tangent-roof game coordinated floor genetic optimum",
    "experiments/height": "data laplace game floor",
    "experiments/regression": "data laplace game",
    "experiments/income": "data laplace game",
    "experiments/credit": "data laplace game",
    "experiments/replication": "floor game genetic",
    "experiments/published-proof": (
        "exposed large medium small some-equilibrium every-equilibrium"
        " tight printed-10 printed-11 careful"
    ),
    "audit/one-number": "with without ceiling",
    "audit/many-draws": "with without basic advanced dominating-pair own-total fixed-noise",
    "audit/end-to-end-loss": (
        "with without fixed-noise end-to-end large medium small"
        " game coordinated optimum genetic learned"
    ),
    "audit/attacks": "fixed-noise end-to-end with without data exposed",
    "audit/audits-from-outputs": "fixed-noise end-to-end end-to-end-coordinated data floor",
    "audit/published-losses": "exposed keep",
    "audit/instead": "data noisy known histogram laplace game keep common",
    "audit/repair": "data noisy known repaired fixed-noise floor",
    "audit/public-data": "data public",
    "audit/relatives": "",
    "foundations/anonymity": "data exposed floor",
    "foundations/noise-mechanisms": "gaussian laplace floor",
    "foundations/other-mechanisms": "data laplace staircase-noise bounded-laplace",
    "foundations/sampling-statistics": (
        "draws-amplified draws-not-amplified data laplace"
        " column-height column-bmi column-progression"
    ),
    "foundations/composition": (
        "with without laplace gaussian ceiling basic advanced dominating-pair"
    ),
    "per_instance/released-statistics": (
        "data with without fixed-noise exposed patient-median patient-a patient-worst"
    ),
    "per_instance/floating-point": "difference-of-f package-kernel",
    "beyond/gaussian-pdp": "with without exposed laplace gaussian",
    "beyond/individual-accounting": "worst-case-account renyi-filter",
    "beyond/instance-wise-learning": "learned floor laplace game threshold data",
    "beyond/collusion": "fresh gradual differ equal",
    "beyond/social-distance": "classic printed reversed tuned",
    "beyond/privacy-game": (
        "near-protects far-protects ignorant-buys informed-buys"
        " equilibrium-payoff always-protect never-protect"
    ),
    "beyond/repeated-game": (
        "quality-rising quality-printed learner-actions learner-items learner-response"
    ),
    "beyond/billion-records": "data fresh gradual dask-workers numpy-memory pyarrow-threads",
    "own_data/your-own-column": (
        "data histogram keep repaired dp-promise no-dp-promise fixed-noise ceiling"
    ),
    "own_data/audit-a-release": "fixed-noise ceiling",
}

#: Names that mean nearly the same, so that one colour is right.
FAMILIES = (
    {"histogram", "noisy"},  # the DP histogram and its counts
    {"data", "ceiling", "ground"},  # black is also the ink of limits
    {"floor", "without"},  # grey is absent: an area that nothing reaches, or the record
    {"exposed", "end-to-end"},  # red is a loss that should not be
    {"large", "medium", "small"},
)


def in_order() -> list[str]:
    """The chapters in the order of the table of contents."""
    contents = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    pages = [
        line.split("file: book/")[1] for line in contents.splitlines() if "file: book/" in line
    ]
    return [page for page in pages if page in DRAWN_IN]
