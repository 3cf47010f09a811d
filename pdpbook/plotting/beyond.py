"""Figures of part 5: collusion, social distance, the privacy game, and what follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pdpbook.plotting import COLOURS, new_figure

__all__ = ["coalition_gain", "gradual_pair", "refinement_law"]

_MARKERS = ["o", "s", "^", "D", "v", "P"]
_DASHES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1))]


def coalition_gain(
    sizes: ArrayLike, errors: Mapping[str, ArrayLike], guesses: Mapping[str, ArrayLike]
) -> Any:
    """Draw what a coalition gets from its copies: the error of its estimate, its rate of guesses.

    Parameters
    ----------
    sizes : array_like, shape (m,)
        Numbers of colluding recipients.
    errors : mapping of str to array_like, shape (m,)
        Per way of release, the root mean squared error of the coalition's best estimate.
    guesses : mapping of str to array_like, shape (m,)
        Per way of release, how often it tells two neighbouring values apart.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, (left, right) = new_figure(1, 2, height=3.4)
    for axes, curves in ((left, errors), (right, guesses)):
        for (label, values), colour, marker in zip(
            curves.items(), COLOURS.values(), _MARKERS, strict=False
        ):
            axes.plot(sizes, values, marker=marker, markersize=4, color=colour, label=label)
        axes.set_xscale("log", base=2)
        axes.set_xticks(np.asarray(sizes), [f"{size}" for size in np.asarray(sizes)])
        axes.set_xlabel("colluding recipients")
    left.set_yscale("log", base=2)
    left.yaxis.set_major_formatter("{x:g}")
    left.set_ylabel("RMSE of the best estimate")
    right.set_ylabel("right guesses, share")
    right.set_ylim(0.45, 1.02)
    right.legend(loc="upper left")
    return figure


def gradual_pair(
    grid: ArrayLike, smooth: ArrayLike, atom: ArrayLike, noise: ArrayLike, epsilons: Sequence[float]
) -> Any:
    """Draw the joint law of a two-level release beside simulated pairs.

    Parameters
    ----------
    grid : array_like, shape (m,)
        Values of the noise on both axes.
    smooth : array_like, shape (m, m)
        Density at (noisy copy = grid[j], quiet copy = grid[i]).
    atom : array_like, shape (m,)
        Density along the diagonal.
    noise : array_like, shape (size, 2)
        Simulated pairs (noisy, quiet).
    epsilons : sequence of float
        The two levels, the smaller first.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.collections import LineCollection

    grid, atom, noise = np.asarray(grid), np.asarray(atom), np.asarray(noise)
    figure, (left, right) = new_figure(1, 2, height=3.6, sharex=True, sharey=True)
    top = float(np.max(smooth))
    shades = [COLOURS["blue"]] * 7
    levels = top * np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8])
    left.contour(grid, grid, smooth, levels=levels, colors=shades, linewidths=1.0)
    ends = np.column_stack([grid, grid])
    left.add_collection(
        LineCollection(
            list(np.stack([ends[:-1], ends[1:]], axis=1)),
            linewidths=1.0 + 7.0 * atom[:-1] / atom.max(),
            colors=COLOURS["orange"],
            capstyle="butt",
        )
    )
    same = noise[:, 0] == noise[:, 1]
    right.plot(*noise[~same].T, ".", markersize=2.5, color=COLOURS["blue"], label="different")
    right.plot(*noise[same].T, "+", markersize=4, color=COLOURS["orange"], label="equal")
    right.legend(loc="upper left", markerscale=2, handletextpad=0.1)
    for axes in (left, right):
        axes.set_xlim(grid[0], grid[-1])
        axes.set_ylim(grid[0], grid[-1])
        axes.set_xlabel(f"noise of the noisy copy, ε = {epsilons[0]:g}")
    left.set_ylabel(f"noise of the quiet copy, ε = {epsilons[1]:g}")
    return figure


def refinement_law(
    grid: ArrayLike, density: ArrayLike, atom: float, loud: float, draws: ArrayLike
) -> Any:
    """Draw the law of a refined copy's noise, given the noise that is already out.

    Parameters
    ----------
    grid : array_like, shape (m,)
        Values of the new noise.
    density : array_like, shape (m,)
        Its conditional density.
    atom : float
        Probability that it stays where it was.
    loud : float
        The noise that is already out.
    draws : array_like, shape (size,)
        Simulated values of the new noise.

    Returns
    -------
    matplotlib.figure.Figure
    """
    grid, draws = np.asarray(grid), np.asarray(draws)
    figure, axes = new_figure(height=3.0)
    edges = np.linspace(grid[0], grid[-1], 71)
    moved = draws[draws != loud]
    seen = np.histogram(moved, bins=edges)[0] / (draws.size * np.diff(edges))
    axes.stairs(seen, edges, fill=True, color=COLOURS["sky"], alpha=0.45, label="simulated")
    axes.plot(grid, density, color=COLOURS["blue"], label="density of the pieces")
    axes.plot([loud, loud], [0, atom], color=COLOURS["orange"], linewidth=4)
    axes.plot(loud, atom, "o", color=COLOURS["orange"], label="stays: probability of the atom")
    axes.axvline(0.0, color=COLOURS["grey"], linewidth=1, linestyle=":")
    axes.set_xlabel("noise of the refined copy")
    axes.set_ylabel("density, or probability of the atom")
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


def hops_from(places: ArrayLike, edges: ArrayLike, hops: ArrayLike) -> Any:
    """Draw a network with each person's number of hops from one of them.

    Parameters
    ----------
    places : array_like, shape (n, 2)
        Where to draw each person.
    edges : array_like of int, shape (m, 2)
        Positions of the two ends of each edge.
    hops : array_like of int, shape (n,)
        Distance of each person from the one with distance 0.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.collections import LineCollection

    places, hops = np.asarray(places), np.asarray(hops)
    figure, axes = new_figure(height=3.6)
    lines = list(places[np.asarray(edges)])
    axes.add_collection(LineCollection(lines, colors=COLOURS["grey"], linewidths=0.6, alpha=0.6))
    shades = [COLOURS[name] for name in ("black", "orange", "yellow", "green", "sky", "purple")]
    for distance in np.unique(hops):
        here = places[hops == distance]
        axes.scatter(*here.T, s=190, color=shades[distance % 6], zorder=2)
    for place, distance in zip(places, hops, strict=True):
        ink = "white" if distance in (0, 1, 3) else "black"
        axes.text(*place, str(distance), ha="center", va="center", fontsize=11, color=ink, zorder=3)
    axes.set_axis_off()
    return figure


def budget_levels(
    budgets: Mapping[str, ArrayLike], totals: ArrayLike, growth: Mapping[str, ArrayLike]
) -> Any:
    """Draw budgets by distance, and how the budgets of some distances grow with the total.

    Parameters
    ----------
    budgets : mapping of str to array_like, shape (D,)
        Budget of distance 1, …, D per way of splitting; infinite where nothing is protected.
    totals : array_like, shape (m,)
        Totals of the right panel.
    growth : mapping of str to array_like, shape (m,)
        Budget of a distance at each total.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, (left, right) = new_figure(1, 2, height=3.6)
    styles = list(zip(COLOURS.values(), _MARKERS, _DASHES, strict=False))
    farthest, guarded = 0, 0
    for (label, values), (colour, marker, dashes) in zip(budgets.items(), styles, strict=False):
        levels = np.asarray(values, dtype=float)
        shown = np.isfinite(levels)
        distance = np.arange(1, levels.size + 1)
        farthest = max(farthest, levels.size)
        if not shown.all():
            guarded = int(shown.sum())
        left.plot(
            *(distance[shown], levels[shown]),
            marker=marker,
            linestyle=dashes,
            color=colour,
            label=label,
        )
    if guarded:
        left.axvspan(guarded + 0.5, farthest + 0.5, color=COLOURS["grey"], alpha=0.15, linewidth=0)
    for (label, values), (colour, marker, dashes) in zip(growth.items(), styles, strict=False):
        right.plot(totals, values, marker=marker, linestyle=dashes, color=colour, label=label)
    left.set_xlabel("distance d, hops")
    left.set_ylabel("budget of one copy, ε")
    left.set_xticks(np.arange(1, farthest + 1))
    right.set_xlabel("total budget B")
    for axes in (left, right):
        axes.set_ylim(bottom=0)
        axes.legend()
    return figure


def budget_errors(
    errors: Mapping[str, Any], totals: ArrayLike, means: Mapping[str, tuple[ArrayLike, ...]]
) -> Any:
    """Draw measured errors with intervals: by distance, and over everybody by total budget.

    Parameters
    ----------
    errors : mapping of str to SimulatedError
        Per way of splitting, the error at distance 1, …, D; infinite ones are left out.
    totals : array_like, shape (m,)
        Totals of the right panel.
    means : mapping of str to (rmse, low, high)
        Per way of splitting, the error over everybody at each total, each of shape (m,).

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    figure, (left, right) = new_figure(1, 2, height=3.8)
    styles = list(zip(COLOURS.values(), _MARKERS, _DASHES, strict=False))
    for (label, error), (colour, marker, dashes) in zip(errors.items(), styles, strict=False):
        distance = np.arange(1, error.rmse.size + 1)
        seen = np.isfinite(error.rmse)
        rmse, low, high = error.rmse[seen], error.low[seen], error.high[seen]
        left.errorbar(
            *(distance[seen], rmse, np.array([rmse - low, high - rmse])),
            marker=marker,
            linestyle=dashes,
            color=colour,
            capsize=3,
            label=label,
        )
        left.set_xticks(distance)
    for label, (colour, marker, dashes) in zip(errors, styles, strict=False):
        if label in means:
            mean, low, high = (np.asarray(part) for part in means[label])
            right.plot(totals, mean, marker=marker, linestyle=dashes, color=colour)
            right.fill_between(totals, low, high, color=colour, alpha=0.25, linewidth=0)
    left.set_xlabel("distance d, hops")
    left.set_ylabel("RMSE of one copy")
    right.set_xlabel("total budget B")
    right.set_ylabel("RMSE over everybody")
    for axes in (left, right):
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 3, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def tuned_budgets(powers: ArrayLike, budgets: ArrayLike, attack: ArrayLike) -> Any:
    """Draw the saddle point of the game over budgets against the power of the spy.

    Parameters
    ----------
    powers : array_like, shape (m,)
        Powers of the spy.
    budgets, attack : array_like, shape (m, D)
        The curator's budgets and the spy's efforts at each distance.

    Returns
    -------
    matplotlib.figure.Figure
    """
    budgets, attack = np.asarray(budgets), np.asarray(attack)
    figure, (left, right) = new_figure(1, 2, height=3.6)
    styles = list(zip(COLOURS.values(), _DASHES, strict=False))
    for level, (colour, dashes) in zip(range(budgets.shape[1]), styles, strict=False):
        left.plot(
            powers, budgets[:, level], color=colour, linestyle=dashes, label=f"d = {level + 1}"
        )
        right.plot(powers, attack[:, level], color=colour, linestyle=dashes)
    left.set_ylabel("budget of one copy, ε")
    right.set_ylabel("effort of the spy")
    for axes in (left, right):
        axes.set_xlabel("power of the spy, Ψ")
        axes.set_ylim(bottom=0)
    figure.legend(loc="outside upper center", ncols=5)
    return figure


def prior_sweep(
    shares: ArrayLike, plans: Mapping[str, ArrayLike], payoffs: Mapping[str, ArrayLike]
) -> Any:
    """Draw how an equilibrium and the user's payoff depend on what is believed.

    Parameters
    ----------
    shares : array_like, shape (m,)
        Probability of the informed adversary.
    plans : mapping of str to array_like, shape (m,)
        Probability of an action in equilibrium, per type.
    payoffs : mapping of str to array_like, shape (m,)
        Payoff of the user, per plan of the user.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, (left, right) = new_figure(1, 2, height=4.2)
    for axes, curves in ((left, plans), (right, payoffs)):
        styles = zip(COLOURS.values(), _DASHES, strict=False)
        for (label, values), (colour, dashes) in zip(curves.items(), styles, strict=False):
            axes.plot(shares, values, color=colour, linestyle=dashes, label=label)
        axes.set_xlabel("probability that the\nadversary is informed")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0))
    left.set_ylabel("probability of the action")
    left.set_ylim(-0.03, 1.03)
    right.set_ylabel("payoff of the user")
    return figure


def granularity_payoffs(
    grid: ArrayLike,
    qualities: Mapping[str, ArrayLike],
    payoffs: Mapping[str, ArrayLike],
    best: ArrayLike,
) -> Any:
    """Draw the quality of service and the payoff against the granularity.

    Parameters
    ----------
    grid : array_like, shape (m,)
        Granularities.
    qualities : mapping of str to array_like, shape (m,)
        Quality of service, per formula.
    payoffs : mapping of str to array_like, shape (m,)
        Payoff under a certain attack, per stake.
    best : array_like, shape (number of payoffs, 2)
        Best granularity of each payoff curve and the payoff there.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, (left, right) = new_figure(1, 2, height=4.2)
    for axes, curves in ((left, qualities), (right, payoffs)):
        styles = zip(COLOURS.values(), _DASHES, strict=False)
        for (label, values), (colour, dashes) in zip(curves.items(), styles, strict=False):
            axes.plot(grid, values, color=colour, linestyle=dashes, label=label)
        axes.set_xlabel("granularity a")
    right.plot(*np.asarray(best).T, "o", color=COLOURS["black"], label="closed form")
    left.set_ylabel("quality of service")
    right.set_ylabel("payoff Q(a) − Da")
    for axes in (left, right):
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    return figure


def learning_curves(curves: Mapping[str, Any], tolerance: float) -> Any:
    """Draw how the error of learners falls with the rounds played.

    Parameters
    ----------
    curves : mapping of str to LearningCurve
        One per learner.
    tolerance : float
        Error at which a learner is said to have converged.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = new_figure(height=3.8)
    styles = zip(COLOURS.values(), _DASHES, strict=False)
    for (label, curve), (colour, dashes) in zip(curves.items(), styles, strict=False):
        low, middle, high = np.quantile(curve.errors, [0.1, 0.5, 0.9], axis=0)
        axes.plot(curve.iterations, middle, color=colour, linestyle=dashes, label=label)
        axes.fill_between(curve.iterations, low, high, color=colour, alpha=0.2, linewidth=0)
    axes.axhline(tolerance, color=COLOURS["grey"], linewidth=1, linestyle=":")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rounds played")
    axes.set_ylabel("largest error of a value")
    axes.legend()
    return figure
