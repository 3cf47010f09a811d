"""Figures of the book, each made by one call from results.

A module belongs to a part (``foundations``, ``per_instance``), to chapters that draw alike
(``game``: the game and best responses; ``solvers``: the other solvers and δ; ``experiments``:
heights; ``replication``: regression, incomes, replication), or to one chapter (``learning``,
``collusion``, ``individual_accounting``, ``social_distance``, ``privacy_game``).  A function takes
results, draws, and returns the Matplotlib figure; it computes nothing that a reader would want to
know.  Its name says what is to be seen, for pages import a module as ``figures``:
``figures.runs(runs, records=7)``.

What all figures share stands in :mod:`pdpbook.plotting`.
"""
