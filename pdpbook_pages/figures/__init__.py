"""The figures of the book, each drawn from results by one function call.

A module belongs to a part (``foundations``, ``per_instance``), to chapters with similar figures
(``game``: the game and best responses; ``solvers``: the other solvers and δ; ``experiments``:
heights; ``replication``: regression, incomes, replication), or to one chapter (``learning``,
``collusion``, ``individual_accounting``, ``social_distance``, ``privacy_game``).  A function draws
results and returns the Matplotlib figure; it computes nothing that a reader would want to know.
Its name describes the content of the figure, because pages import a module as ``figures``:
``figures.runs(runs, records=7)``.

The common parts of all figures are in :mod:`pdpbook.plotting`.
"""
