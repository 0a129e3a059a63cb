r"""One function per problem: given a guarantee, it fills one cell of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
import scipy

from minimaxdp import _validate, lower_bounds, unbiased_bounds
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
    standard_guarantees,
)
from minimaxdp.lower_bounds._bits import SUMMED
from minimaxdp.results._cells import Cell, Setting, bounds_of, closed_bounds
from minimaxdp.results._end_in_rounds import WORST_ENDS, bounded_range_budget, end_in_rounds
from minimaxdp.results._endpoint import exponential_endpoint_risk, usual_target
from minimaxdp.results._few_people import (
    normal_rounded_end,
    rounded_end,
    two_stage_end,
    two_stage_median,
)
from minimaxdp.results._formulas import CLOSED, maximum_form
from minimaxdp.results._mechanism_choice import (
    bayes_method,
    best_mean_floor,
    best_noise,
    binding,
    count_noise,
    few_reports,
    histogram_energy,
    histogram_log_mgf,
    histogram_noise,
    or_subset,
    reports_budget,
)
from minimaxdp.results._projected import projected_frequencies, projected_reports
from minimaxdp.results._smoothed import report_costs, smoothed_histogram, smoothed_series
from minimaxdp.results._thresholded import thresholded_frequencies, thresholded_reports
from minimaxdp.risk import MonteCarlo

__all__ = ["PROBLEMS", "cell", "table"]

# People up to whom the linear programme of a proportion is solved.
_FEW = 25
# People up to whom the law of two counts of responses is summed.
_PAIRED = 150


def proportion(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""A proportion :math:`\theta \in [0, 1]`, squared error."""
    name = "proportion"
    if isinstance(privacy, NonPrivate):
        return Cell(name, privacy, "shrunk mean", low, low, high)
    argument, best = next(iter(lower_bounds.proportion_floors(s.n, privacy).items()))
    low, binds = binding(low, (best, argument))
    kind, (known, bayes) = "exact", bayes_method(s.n, privacy)  # of signs: four times the risk
    if isinstance(privacy, Local):
        ceiling = float(me.local_mean_ceiling(s.n, 1, privacy, method="l2_ball")) / 4
        exact, method = ceiling, "randomized response"
        if known / 4 < exact:
            exact, method, kind = known / 4, bayes, "family"
        return Cell(name, privacy, method, low, exact, min(ceiling, high), kind, binds=binds)
    noise, method = count_noise(s.n, privacy)
    exact = float(me.shrunk_ceiling(4 * noise, s.n)) / 4
    exact, method = or_subset(exact, method, s.n, privacy, 0.25)
    ceiling = min(exact, high)
    if s.n <= _FEW and isinstance(privacy, Pure | Approximate | TotalVariation):
        solved = lower_bounds.bernoulli_minimax(s.n, privacy)
        low, binds = max((low, binds), (solved.lower / 4, "programme"))
        exact, method = solved.upper / 4, "linear programme"
        ceiling = exact = min(exact, ceiling)
    elif known / 4 < exact:
        exact, method, kind = known / 4, bayes, "family"
    return Cell(name, privacy, method, low, exact, ceiling, kind, binds=binds)


def multinomial(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""The probabilities of d categories, squared Euclidean error."""
    name, spread = "multinomial", 1 - 1 / s.d
    if isinstance(privacy, NonPrivate):
        return Cell(name, privacy, "shrunk frequencies", low, low, high)
    argument, best = next(iter(lower_bounds.multinomial_floors(s.n, s.d, privacy).items()))
    low, binds = binding(low, (best, argument))
    if s.d == 2:  # one proportion, both ways round
        halves = closed_bounds("proportion", privacy, n=s.n)
        one = proportion(privacy, s, float(halves[0]), float(halves[1]))
        low, binds = max((low, binds), (2 * one.floor, one.binds))
        risk, ceiling = 2 * one.risk, min(2 * one.ceiling, high)
        return Cell(name, privacy, one.method, low, risk, ceiling, one.kind, binds=binds)
    if isinstance(privacy, Local):
        epsilon, uniform = privacy.implies(Pure).epsilon, np.full(s.d, 1 / s.d)
        w = int(rr.best_subset_size(s.d, epsilon))
        energy = s.n * float(rr.subset_selection_risk(epsilon, uniform, s.n, w=w)) + 1 / s.d
        exact = spread * float(me.shrunk_ceiling((energy - 1) / (s.n * spread), s.n))
        high = min(exact, high)
        options = [(np.inf, "")]
        if epsilon < 30:
            options.append((projected_reports(s.n, s.d, epsilon), "projected"))
            options.append((thresholded_reports(s.n, s.d, epsilon), "thresholded"))
        bound, how = min(options)
        if bound < exact:
            method = f"subset selection, {how}"
            return Cell(name, privacy, method, low, bound, bound, "bound", binds=binds)
        return Cell(name, privacy, "subset selection", low, exact, high, binds=binds)
    noise, method = histogram_energy(s.n, s.d, privacy)
    exact = spread * float(me.shrunk_ceiling(noise / spread**2, s.n))
    exact, method = or_subset(exact, method, s.n, privacy, spread)
    _, alone = histogram_noise(s.n, privacy)  # of independent counts
    if exact <= 1.0005 * low:  # nothing is left to win
        return Cell(name, privacy, method, low, exact, min(exact, high), binds=binds)
    projected = projected_frequencies(s.n, s.d, histogram_log_mgf(privacy, alone))
    cut = thresholded_frequencies(s.n, s.d, privacy, alone)
    bound, how = min((projected, "projected"), (cut, "thresholded"))
    if bound < exact:
        return Cell(name, privacy, f"{alone}, {how}", low, bound, bound, "bound", binds=binds)
    return Cell(name, privacy, method, low, exact, min(exact, high), binds=binds)


def bounded_mean(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""The mean of a law on the unit ball of :math:`\mathbb R^d`, squared error."""
    name = "bounded mean"
    if isinstance(privacy, NonPrivate):
        return Cell(name, privacy, "shrunk mean", low, low, high)
    low, binds = binding(low, best_mean_floor(s.n, s.d, privacy, np.inf))
    if isinstance(privacy, Local):
        exact, method = float(me.local_mean_ceiling(s.n, s.d, privacy)), "PrivUnit"
    else:
        factor, method = best_noise(s.n, s.d, privacy)
        exact = float(me.shrunk_ceiling(factor, s.n))
        exact, method = or_subset(exact, method, s.n, privacy, 1.0)
        if budget := reports_budget(privacy):
            asked = few_reports(s.n, s.d, budget).ceiling()
            exact, method = min((exact, method), (asked, "a few people's reports"))
    return Cell(name, privacy, method, low, exact, min(exact, high), binds=binds)


def moment_mean(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""The mean under :math:`\mathbb E \|X\|_2^k \le 1`, squared error."""
    name = "moment mean"
    if isinstance(privacy, NonPrivate):
        return Cell(name, privacy, "shrunk mean", low, low, high)
    low, binds = binding(low, best_mean_floor(s.n, s.d, privacy, s.k))
    if isinstance(privacy, Local):
        best = min(float(me.local_mean_ceiling(s.n, s.d, privacy, s.k)), high)
        return Cell(name, privacy, "truncation, PrivUnit", low, best, best, "bound", binds=binds)
    factor, method = best_noise(s.n, s.d, privacy)
    if factor == 0:  # nothing is promised, and no noise is needed
        best = float(me.shrunk_ceiling(0.0, s.n))
        return Cell(name, privacy, "shrunk mean", low, best, min(best, high), binds=binds)
    radius = float(me.truncation_radius(factor, s.k))
    best = float(me.risk_bound(radius, factor, s.n, s.k))
    truth = min(best, float(me.two_point_risk(radius, factor, s.n, s.k)))
    method, kind = f"truncation, {method}", "family"
    if isinstance(privacy, TotalVariation) and (m := int(me.subset_size(s.n, privacy))):
        subset = float(me.shrunk_ceiling(0.0, m))
        if subset < best:
            best, truth, method, kind = subset, subset, "mean of a random subset", "exact"
    if budget := reports_budget(privacy):
        asked = few_reports(s.n, s.d, budget).ceiling(s.k)
        if asked < min(truth, best):
            best, truth, method, kind = asked, asked, "a few people's reports", "bound"
    return Cell(name, privacy, method, low, truth, min(best, high), kind, binds=binds)


def endpoint(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""The end of the support of a uniform law on :math:`[0, \theta]`, absolute error."""
    name = "endpoint"
    argument, best = next(iter(lower_bounds.endpoint_floors(s.n, privacy).items()))
    low, binds = binding(low, (best, argument))
    if isinstance(privacy, NonPrivate):
        return Cell(name, privacy, "scaled maximum", low, high, high, binds=binds)
    if isinstance(privacy, TotalVariation):
        ranked = lower_bounds.RankedMaximum(s.n, float(privacy.alpha)).risk()
        m = int(me.subset_size(s.n, privacy))
        subset = float(maximum_form(NUMPY, m)) if m else np.inf
        options = [(ranked, "a random rank"), (subset, "maximum of a subset")]
        exact, method = min([*options, (0.5, "one half, whatever the data")])
        return Cell(name, privacy, method, low, exact, min(high, exact), binds=binds)
    found: list[tuple[float, str, str, float]] = [(0.5, "one half, whatever the data", "exact", 0)]
    if isinstance(privacy, Local):
        epsilon = float(f"{float(privacy.implies(Pure).epsilon):.12g}")
        found.append((_local_end(s.n, epsilon), "rounding, response", "exact", 0.0))
        if s.n <= SUMMED and epsilon < 500:
            bayes = rounded_end(s.n, epsilon, True)
            found.append((bayes, "rounding, response, Bayes", "family", 0.0))
        if epsilon < 500:
            twice = two_stage_end(s.n, epsilon)
            mean, error = float(twice.mean), float(twice.standard_error)
            found.append((mean, "two stages of responses", "simulated", error))
            if s.n <= _PAIRED:
                median = two_stage_median(s.n, epsilon)
                found.append((median, "two stages of responses, Bayes", "family", 0.0))
    else:
        found.append((high, "twice a noisy mean", "bound", 0.0))
        # Rounded, so that definitions of one budget share the run whatever root-finding adds.
        epsilon = min(float(f"{privacy.pure_epsilon():.12g}"), 700.0)
        if s.n <= SUMMED and 0.5 < s.n * epsilon < 100:
            bayes = rounded_end(s.n, epsilon, False)
            found.append((bayes, "rounding, geometric noise, Bayes", "family", 0.0))
            if 0 < (sigma := float(f"{float(privacy.gaussian_sigma()):.12g}")) < s.n:
                bayes = normal_rounded_end(s.n, sigma)
                found.append((bayes, "rounding, normal noise, Bayes", "family", 0.0))
        if high < 0.5:  # else there are too few people, or too small a budget
            for run, method in _chosen_ends(s.n, epsilon, privacy):
                mean, error = float(run.mean), float(run.standard_error)
                found.append((mean, method, "simulated", error))
    exact, method, kind, error = min(found)
    return Cell(name, privacy, method, low, exact, min(0.5, high), kind, error, binds)


def density(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""A density on [0, 1] with :math:`|f(x) - f(y)| \le |x - y|^\beta`, integrated square."""
    name, n, method = "density", float(s.n), "histogram"
    spread = 1 / ((2 * s.beta + 1) * (2 * s.beta + 2))
    bins = 2 + int(4 * s.n ** (1 / (2 * s.beta + 1)))
    _validate.memory("n", bins)
    K = np.arange(1, bins)
    if isinstance(privacy, NonPrivate):
        noise = np.zeros(K.size)
    elif isinstance(privacy, Local):
        method, epsilon = "histogram, unary encoding", privacy.implies(Pure).epsilon
        noise = (K * (K / np.sinh(epsilon / 2) ** 2 + 2) - K) / n
    else:
        energies = [histogram_energy(s.n, max(int(k), 2), privacy) for k in K]
        noise = K * np.array([energy for energy, _ in energies])
    low, binds = binding(low, (lower_bounds.holder_density_floor(s.n, privacy, s.beta), "waves"))
    bias = spread * K ** (-2.0 * s.beta)

    def shrunk(error: Array) -> Array:
        """Shrunk to the uniform density: what is left of the whole spread, or of the noise."""
        rest = spread - bias
        risk: Array = bias + rest * error / np.maximum(rest + error, 1e-300)
        return risk

    bound = shrunk((K - 1) / n + np.where(K > 1, noise, 0.0))
    if isinstance(privacy, TotalVariation) and (m := int(me.subset_size(s.n, privacy))):
        subset = shrunk((K - 1) / m)
        if subset.min() < bound.min():
            bound, method = subset, "histogram of a subset"
    best = int(np.argmin(bound))
    if method == "histogram" and noise[best] > 0:
        method = f"histogram, {energies[best][1]}"
    if s.beta == 1:
        series, how = _smoothed(s.n, privacy)
        if series < bound[best]:
            ceiling = min(series, high)
            return Cell(name, privacy, how, low, ceiling, ceiling, "bound", binds=binds)
    if bound[best] >= spread * (1 - 1e-9):
        return Cell(name, privacy, "uniform density", low, spread, spread, binds=binds)
    ceiling = min(float(bound[best]), high)
    return Cell(name, privacy, f"shrunk {method}", low, ceiling, ceiling, "bound", binds=binds)


def _smoothed(n: int, privacy: Guarantee) -> tuple[float, str]:
    """The better of the two kinds of weighted cosines for a Lipschitz density, and its name."""
    name = "smoothed histogram"
    if isinstance(privacy, Local):
        epsilon = min(privacy.implies(Pure).epsilon, 30.0)
        least = 0.1 * min(1.0, (1 / n + 1 / (n * np.sinh(epsilon / 2) ** 2)) ** 0.25)
        return smoothed_histogram(n, lambda bins: report_costs(bins, n, epsilon), least), name
    series = smoothed_series(n, privacy), "smoothed series"
    if isinstance(privacy, NonPrivate):
        return series
    each, how = histogram_noise(n, privacy)
    least = 0.3 * min(1.0, max(1 / n, each) ** (1 / 3))

    def costs(bins: float) -> tuple[float, float]:
        # Of K - 1 directions with sum zero each has the same share of the energy.
        energy, _ = histogram_energy(n, max(int(bins), 2), privacy)
        return 1.0, bins * energy / max(bins - 1, 1.0)

    found = smoothed_histogram(n, costs, least)
    alone = smoothed_histogram(n, lambda bins: (1.0, bins * each), least)
    how = "noise of sum zero" if found < alone * (1 - 1e-12) else how
    return min((found, f"{name}, {how}"), series)


def unbiased_mean(privacy: Guarantee, s: Setting, low: float, high: float) -> Cell:
    r"""The mean of n given vectors of the unit ball, by an unbiased mechanism, squared error."""
    name = "unbiased mean"
    found = unbiased_bounds.unbiased_mean_floors(s.n, s.d, privacy)
    low, binds = binding(low, *((value, argument) for argument, value in found.items()))
    if isinstance(privacy, Local):
        exact = float(me.report_second_moment(s.d, privacy.implies(Pure).epsilon)) / s.n
        return Cell(name, privacy, "PrivUnit", low, exact, min(exact, high), binds=binds)
    exact, method = best_noise(s.n, s.d, privacy)
    if budget := reports_budget(privacy):
        asked = few_reports(s.n, s.d, budget).error
        exact, method = min((exact, method), (asked, "a few people's reports"))
    if isinstance(privacy, TotalVariation):
        if m := int(me.subset_size(s.n, privacy)):
            subset = (s.n - m) / (m * (s.n - 1.0))  # vectors of length one with mean 0 have most
            exact, method = min((exact, method), (subset, "mean of a random subset"))
        else:  # one person's vector over n alpha, with probability n alpha, and 0 otherwise
            seldom = 1 / (s.n * float(privacy.alpha))
            exact, method = min((exact, method), (seldom, "one person, now and then"))
    return Cell(name, privacy, method, low, exact, min(exact, high), binds=binds)


_FUNCTIONS: dict[str, Callable[[Guarantee, Setting, float, float], Cell]] = {
    "proportion": proportion,
    "multinomial": multinomial,
    "bounded mean": bounded_mean,
    "moment mean": moment_mean,
    "endpoint": endpoint,
    "density": density,
    "unbiased mean": unbiased_mean,
}
PROBLEMS = tuple(_FUNCTIONS)


def cell(problem: str, privacy: Guarantee, setting: Setting | None = None) -> Cell:
    r"""The cell of a problem under a guarantee.

    =============  =========================================================================
    problem        what is estimated, and its loss
    =============  =========================================================================
    proportion     :math:`\theta \in [0, 1]`, squared error
    multinomial    the probabilities of d categories, squared Euclidean error
    bounded mean   the mean of a law on the unit ball of :math:`\mathbb R^d`, squared error
    moment mean    the mean under :math:`\mathbb E \|X\|_2^k \le 1`, squared error
    endpoint       the end of a uniform law on :math:`[0, \theta]`, absolute error
    density        a density with :math:`|f(x) - f(y)| \le |x - y|^\beta`, integrated square
    unbiased mean  the mean of n given vectors of the unit ball, without bias, squared error
    =============  =========================================================================

    Parameters
    ----------
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    privacy : Guarantee
        Of one of ``minimaxdp.results.DEFINITIONS``, at any level.
    setting : Setting, optional

    Returns
    -------
    Cell

    Raises
    ------
    TypeError, ValueError
        If there is no such cell.

    Examples
    --------
    >>> found = cell("bounded mean", Pure(0.2), Setting(n=500, d=5))
    >>> found.floor <= found.risk <= found.ceiling
    True
    """
    s = Setting() if setting is None else _validate.instance("setting", setting, Setting)
    bounds_of(problem, privacy)
    _validate.single_levels(privacy)
    low, high = closed_bounds(problem, privacy, n=s.n, d=s.d, k=s.k, beta=s.beta)
    return _FUNCTIONS[problem](privacy, s, float(low), float(high))


def table(
    setting: Setting | None = None, privacies: Sequence[Guarantee] | None = None
) -> list[Cell]:
    """Every cell, the widest open first.

    Parameters
    ----------
    setting : Setting, optional
    privacies : list or tuple of Guarantee, optional
        By default those of ``standard_guarantees(0.2, 1e-6)``.

    Returns
    -------
    list of Cell
        By falling ratio of ceiling to floor.

    Raises
    ------
    TypeError, ValueError
        If a guarantee is of a definition that is not in the table.

    Examples
    --------
    >>> rows = table(Setting(n=500))
    >>> len(rows), rows[0].ratio > rows[-1].ratio
    (48, True)
    """
    if privacies is not None and not isinstance(privacies, list | tuple):
        raise TypeError(f"privacies must be several guarantees, got {privacies!r}")
    chosen = standard_guarantees(0.2, 1e-6) if privacies is None else tuple(privacies)
    known = {definition for _, definition in CLOSED}
    for privacy in chosen:
        if type(privacy) not in known:
            raise ValueError(f"privacies must be of definitions in the table, got {privacy!r}")
    cells = [
        cell(problem, privacy, setting)
        for problem in PROBLEMS
        for privacy in chosen
        if (problem, type(privacy)) in CLOSED
    ]
    return sorted(cells, key=lambda row: -row.ratio)


def _local_end(n: int, epsilon: float) -> float:
    """Worst absolute error of twice the mean of rounded, flipped values: exact sums."""
    tau = np.tanh(epsilon / 2)
    worst = 0.0
    reach = 12 * np.sqrt(n * 0.25) + 2
    _validate.memory("n", 2 * reach)
    for theta in np.linspace(0.0, 1.0, 11):
        yes = (1 - tau) / 2 + tau * theta / 2
        counts = np.arange(max(0, int(n * yes - reach)), min(n, int(n * yes + reach)) + 1)
        guess = np.clip(2 * (counts / n - (1 - tau) / 2) / tau, 0, 1)
        worst = max(worst, float(scipy.stats.binom.pmf(counts, n, yes) @ abs(guess - theta)))
    return worst


def _chosen_ends(n: int, epsilon: float, privacy: Guarantee) -> list[tuple[MonteCarlo, str]]:
    """The methods that choose an end at random, near the best."""
    rho, digits = None, 10.0 ** (np.floor(np.log10(epsilon)) - 3)
    if isinstance(privacy, Approximate):  # a delta may add next to nothing: one simulation for both
        epsilon = max(float(privacy.epsilon), np.floor(epsilon / digits) * digits)
    if isinstance(privacy, ZCDP | KL):
        rho = float(f"{float(next(iter(privacy.levels.values()))):.12g}")
    once = epsilon if rho is None else max(epsilon, min(bounded_range_budget(rho), 700.0))
    found = []
    if 0.01 < epsilon < 100:  # below, too many values would have to be drawn
        found.append(end_in_rounds(n, epsilon, rho))
    # With people enough for a rough end and a budget that is not huge, counts are better.
    if not found or epsilon > 10 or usual_target(n, 0.2 * epsilon) > n / 10:
        found.append((_exponential(n, once), "exponential mechanism"))
    return found


@lru_cache(maxsize=4096)  # definitions of one budget share the mechanism
def _exponential(n: int, epsilon: float) -> MonteCarlo:
    """The worst of several ends, from far below 1/n to 1, at the best of some targets."""

    def worst(target: int, replications: int, seed: int) -> MonteCarlo:
        runs = (
            exponential_endpoint_risk(
                n, Pure(epsilon), theta, target=target, replications=replications, rng=seed
            )
            for theta in (0.5 / n, min(1.0, 5 / n), *WORST_ENDS)
        )
        return max(runs, key=lambda run: run.mean)

    usual = max(1, usual_target(n, epsilon))
    targets = {usual} | {max(1, round(usual * c)) for c in (0.6, 0.8) if n <= SUMMED}
    if len(targets) > 1:
        usual = min(sorted(targets), key=lambda target: worst(target, 100, 1).mean)
    drawn = usual + 80 / epsilon  # values of a data set; the more there are, the less each matters
    return worst(usual, int(min(1_000, max(20, 5e5 / drawn))), 0)
