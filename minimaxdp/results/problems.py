r"""One function per problem: called with a definition, it fills one cell of the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy

from minimaxdp import density_estimation, lower_bounds
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp.results._best import best_factor, factor_of, implied_tv, mean_floor, or_subset, start
from minimaxdp.results.cells import Cell, Setting
from minimaxdp.results.closed import CLOSED
from minimaxdp.results.support import exponential_end_risk
from minimaxdp.risk import MonteCarlo

__all__ = [
    "PROBLEMS",
    "bounded_mean",
    "cell",
    "density",
    "moment_mean",
    "multinomial",
    "proportion",
    "support",
    "table",
    "unbiased_mean",
]

PROBLEMS = (
    "proportion", "multinomial", "bounded mean", "moment mean", "support", "density",
    "unbiased mean",
)  # fmt: skip


def proportion(definition: str, setting: Setting | None = None) -> Cell:
    r"""A proportion :math:`\theta \in [0, 1]`, squared error.

    Up to 25 people, and for every definition that linear programming covers, the risk is the
    exact minimax risk.

    Parameters
    ----------
    definition : str
        One of ``minimaxdp.results.DEFINITIONS``.
    setting : Setting, optional

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> proportion("none").ratio
    1.0
    """
    s = setting or Setting()
    low, high, at = start("proportion", definition, s)
    if definition == "none":
        return Cell("proportion", definition, "shrunk mean", low, low, high)
    if definition == "local":
        low = max(low, mean_floor("local", s, 1, np.inf) / 4)
        exact = float(me.local_ceiling("ball", s.n, s.epsilon, 1)) / 4
        return Cell("proportion", definition, "randomized response", low, exact, min(exact, high))
    low = max(low, mean_floor(definition, s, 1, np.inf) / 4)
    steps = 2 / (s.n * np.sinh(s.epsilon / 2)) ** 2  # geometric noise on the count
    factor, method = min((float(steps), "geometric noise"), best_factor(definition, s, 1))
    exact = float(me.shrunk_ceiling(factor, s.n)) / 4
    exact, method = or_subset(exact, method, definition, s, 0.25)
    ceiling = min(exact, high)
    if s.n <= 25 and definition in ("pure", "approximate", "tv"):
        budget = (0.0, at["tv"]) if definition == "tv" else (s.epsilon, 0.0)
        if definition == "approximate":
            budget = (s.epsilon, s.delta)
        best = lower_bounds.bernoulli_minimax(s.n, epsilon=budget[0], delta=budget[1])
        low, exact, method = max(low, best.lower / 4), best.upper / 4, "linear programme"
        ceiling = exact = min(exact, ceiling)
    return Cell("proportion", definition, method, low, exact, ceiling)


def multinomial(definition: str, setting: Setting | None = None) -> Cell:
    r"""The probabilities of d categories, squared Euclidean error.

    Parameters
    ----------
    definition, setting
        As for :func:`proportion`.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> multinomial("local").method
    'subset selection'
    """
    s = setting or Setting()
    low, high, at = start("multinomial", definition, s)
    R = 1 - 1 / s.d
    if definition == "none":
        return Cell("multinomial", definition, "shrunk frequencies", low, low, high)
    if definition == "local":
        low = max(
            low,
            float(lower_bounds.multinomial_local(s.n, s.epsilon, s.d)),
            float(lower_bounds.multinomial_tv(s.n, at["tv"], s.d)),
        )
        uniform = np.full(s.d, 1 / s.d)
        w = int(rr.best_subset_size(s.epsilon, s.d))
        energy = s.n * float(rr.subset_selection_risk(s.epsilon, uniform, s.n, w=w)) + 1 / s.d
        exact = R * float(me.shrunk_ceiling((energy - 1) / (s.n * R), s.n))
        return Cell("multinomial", definition, "subset selection", low, exact, min(exact, high))
    steps = s.d / (2 * (s.n * np.sinh(s.epsilon / 4)) ** 2)
    options = [(float(steps), "geometric noise")]
    if definition != "pure":
        normal = factor_of(definition, s, s.d) / 2  # sensitivity sqrt(2)/n, not 2/n
        options.append((normal, "normal noise"))
    energy, method = min(options)
    exact = R * float(me.shrunk_ceiling(energy / R, s.n))
    exact, method = or_subset(exact, method, definition, s, R)
    low = max(low, float(lower_bounds.multinomial_tv(s.n, implied_tv(definition, s), s.d)))
    return Cell("multinomial", definition, method, low, exact, min(exact, high))


def bounded_mean(definition: str, setting: Setting | None = None) -> Cell:
    r"""The mean of a law on the unit ball of :math:`\mathbb R^d`, squared error.

    Parameters
    ----------
    definition, setting
        As for :func:`proportion`.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> bounded_mean("pure").method
    'norm-Laplace noise'
    """
    s = setting or Setting()
    low, high, _ = start("bounded mean", definition, s)
    if definition == "none":
        return Cell("bounded mean", definition, "shrunk mean", low, low, high)
    low = max(low, mean_floor(definition, s, s.d, np.inf))
    if definition == "local":
        exact, method = float(me.local_ceiling("cap", s.n, s.epsilon, s.d)), "cap (PrivUnit)"
    else:
        factor, method = best_factor(definition, s, s.d)
        exact = float(me.shrunk_ceiling(factor, s.n))
        exact, method = or_subset(exact, method, definition, s, 1.0)
    return Cell("bounded mean", definition, method, low, exact, min(exact, high))


def moment_mean(definition: str, setting: Setting | None = None) -> Cell:
    r"""The mean under :math:`\mathbb E \|X\|_2^k \le 1`, squared error.

    The risk is the largest over spikes, little mass far away, which nearly attain the ceiling.

    Parameters
    ----------
    definition, setting
        As for :func:`proportion`.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> moment_mean("zcdp").kind
    'family'
    """
    s = setting or Setting()
    low, high, at = start("moment mean", definition, s)
    if definition == "none":
        return Cell("moment mean", definition, "shrunk mean", low, low, high)
    low = max(low, mean_floor(definition, s, s.d, s.k))
    if definition == "local":
        best = float(me.local_ceiling("cap", s.n, s.epsilon, s.d, s.k))
        return Cell(
            "moment mean", definition, "truncation, cap", low, min(best, high), min(best, high),
            "bound",
        )  # fmt: skip
    factor, method = best_factor(definition, s, s.d)
    rho = float(me.radius(factor, s.k))
    best = float(me.risk_bound(rho, factor, s.n, s.k))
    truth = min(best, float(me.spike_risk(rho, factor, s.n, s.k)))
    method, kind = f"truncation, {method}", "family"
    if definition == "tv":
        subset = float(me.shrunk_ceiling(0.0, max(1, int(me.subset_size(s.n, at["tv"])))))
        if subset < best and me.subset_size(s.n, at["tv"]) > 0:
            best, truth, method, kind = subset, subset, "mean of a random subset", "exact"
    return Cell("moment mean", definition, method, low, truth, min(best, high), kind)


def support(definition: str, setting: Setting | None = None) -> Cell:
    r"""The end of the support of a uniform law on :math:`[0, \theta]`, absolute error.

    Parameters
    ----------
    definition, setting
        As for :func:`proportion`.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> support("none").method
    'scaled maximum'
    """
    s = setting or Setting()
    low, high, at = start("support", definition, s)
    if definition == "none":
        return Cell("support", definition, "scaled maximum", low, high, high)
    if definition != "local":
        low = max(low, float(lower_bounds.support_tv_sharp(s.n, implied_tv(definition, s))))
    m = int(me.subset_size(s.n, at["tv"]))
    if definition == "tv" and m > 0:
        exact = m / (m + 1) * (2 ** (1 / m) - 1)
        return Cell("support", definition, "maximum of a subset", low, exact, min(high, exact))
    if definition == "local":
        low = max(low, float(lower_bounds.support_tv_sharp(s.n, at["tv"])))
        exact = _local_end(s)
        return Cell("support", definition, "rounding, response", low, exact, max(high, exact))
    run = _exponential(s.n, s.epsilon)
    mean, error = float(run.mean), float(run.standard_error)
    if mean > high:  # few people: the simple method of the ceiling is the better one
        return Cell("support", definition, "twice a noisy mean", low, high, high, "bound")
    return Cell("support", definition, "exponential mechanism", low, mean, high, "simulated", error)


def density(definition: str, setting: Setting | None = None) -> Cell:
    r"""A density on [0, 1] with :math:`|f(x) - f(y)| \le |x - y|^\beta`, integrated squared error.

    For beta = 1 the risk is exact at the linear density, whose bias is the largest there is; for
    rougher classes it is the bound.

    Parameters
    ----------
    definition, setting
        As for :func:`proportion`.

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> density("none").method
    'histogram'
    """
    s = setting or Setting()
    low, high, at = start("density", definition, s)
    spread = 1 / ((2 * s.beta + 1) * (2 * s.beta + 2))
    K = np.arange(1, 2 + int(4 * s.n ** (1 / (2 * s.beta + 1))))
    n, method = float(s.n), "histogram"
    if definition == "none":
        noise = np.zeros(K.size)
    elif definition == "local":
        method = "histogram, unary encoding"
        noise = (K * (K / np.sinh(s.epsilon / 2) ** 2 + 2) - K) / n
    else:
        method = "histogram, geometric noise"
        noise = K**2 / (2 * (n * np.sinh(s.epsilon / 4)) ** 2)
        if definition != "pure":
            normal = factor_of(definition, s, 1) / 2
            if normal * K[-1] ** 2 < noise[-1]:
                method, noise = "histogram, normal noise", K**2 * normal
    bound = spread * K ** (-2.0 * s.beta) + (K - 1) / n + np.where(K > 1, noise, 0.0)
    best = int(np.argmin(bound))
    ceiling = min(float(bound[best]), high)
    if definition == "tv":
        m = max(1, int(me.subset_size(s.n, at["tv"])))
        subset = spread * K ** (-2.0 * s.beta) + (K - 1) / m
        if subset.min() < ceiling:
            best, n, noise = int(np.argmin(subset)), float(m), np.zeros(K.size)
            ceiling, method = float(subset.min()), "histogram of a subset"
    if s.beta < 1:
        return Cell("density", definition, method, low, ceiling, ceiling, "bound")
    if K[best] == 1:
        return Cell("density", definition, "uniform density", low, spread, spread)
    p = density_estimation.linear(1.0).probabilities(int(K[best]))
    exact = spread / K[best] ** 2 + K[best] * (1 - (p**2).sum()) / n + noise[best]
    return Cell("density", definition, method, low, float(exact), ceiling)


def unbiased_mean(definition: str, setting: Setting | None = None) -> Cell:
    r"""The mean of n given vectors of the unit ball, by an unbiased mechanism, squared error.

    The error is that of the mechanism alone, relative to the mean of the data; for local privacy
    the data are at the centre, where the floor is proved.

    Parameters
    ----------
    definition : str
        "pure", "zcdp" or "local".
    setting : Setting, optional

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such definition.

    Examples
    --------
    >>> 4 < unbiased_mean("zcdp").ratio < 5
    True
    """
    s = setting or Setting()
    low, high, at = start("unbiased mean", definition, s)
    if definition == "local":
        exact = float(me.local_energy("cap", s.epsilon, s.d)) / s.n
        return Cell("unbiased mean", definition, "cap (PrivUnit)", low, exact, min(exact, high))
    factor, method = best_factor(definition, s, s.d)
    return Cell("unbiased mean", definition, method, low, factor, min(factor, high))


_FUNCTIONS: dict[str, Callable[..., Cell]] = {
    "proportion": proportion,
    "multinomial": multinomial,
    "bounded mean": bounded_mean,
    "moment mean": moment_mean,
    "support": support,
    "density": density,
    "unbiased mean": unbiased_mean,
}


def cell(problem: str, definition: str, setting: Setting | None = None) -> Cell:
    """The cell of a problem and a definition, by their names.

    Parameters
    ----------
    problem, definition : str
        As in ``minimaxdp.results.CLOSED``.
    setting : Setting, optional

    Returns
    -------
    Cell

    Raises
    ------
    ValueError
        If there is no such cell.

    Examples
    --------
    >>> cell("bounded mean", "none").ratio
    1.0
    """
    if (problem, definition) not in CLOSED:
        raise ValueError(f"problem and definition must name a cell, got {(problem, definition)!r}")
    return _FUNCTIONS[problem](definition, setting)


def table(setting: Setting | None = None) -> list[Cell]:
    """Every cell, the widest open first.

    Parameters
    ----------
    setting : Setting, optional

    Returns
    -------
    list of Cell
        Sorted by falling ratio of ceiling to floor.

    Raises
    ------
    TypeError, ValueError
        If the setting is out of range.

    Examples
    --------
    >>> ratios = [row.ratio for row in table(Setting(n=30, d=2))]
    >>> ratios == sorted(ratios, reverse=True)
    True
    """
    cells = [cell(problem, definition, setting) for problem, definition in CLOSED]
    return sorted(cells, key=lambda row: -row.ratio)


def _local_end(s: Setting) -> float:
    """Worst absolute error of twice the mean of rounded, flipped values: exact sums."""
    tau = np.tanh(s.epsilon / 2)
    worst = 0.0
    for theta in np.linspace(0.0, 1.0, 11):
        yes = (1 - tau) / 2 + tau * theta / 2
        reach = 12 * np.sqrt(s.n * 0.25) + 2
        counts = np.arange(max(0, int(s.n * yes - reach)), min(s.n, int(s.n * yes + reach)) + 1)
        guess = np.clip(2 * (counts / s.n - (1 - tau) / 2) / tau, 0, 1)
        worst = max(worst, float(scipy.stats.binom.pmf(counts, s.n, yes) @ abs(guess - theta)))
    return worst


@lru_cache(maxsize=4096)  # four definitions share the mechanism
def _exponential(n: int, epsilon: float) -> MonteCarlo:
    """The worst of several ends, from far below 1/n to 1."""
    ends = (0.5 / n, 5 / n, 0.1, 1.0)
    runs = (exponential_end_risk(n, epsilon, theta) for theta in ends)
    return max(runs, key=lambda run: run.mean)
