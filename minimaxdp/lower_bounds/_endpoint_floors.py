r"""Sharper floors of the end of a support, and a better method under total variation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from minimaxdp import _validate
from minimaxdp._search import least_integer
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, Local, NonPrivate, Pure, TotalVariation
from minimaxdp.lower_bounds._bits import group_means, window_edges
from minimaxdp.lower_bounds._curator_means import largest_first, level
from minimaxdp.lower_bounds._endpoints import endpoint_floor
from minimaxdp.lower_bounds._local_means import two_law_information
from minimaxdp.lower_bounds._power import end_by_tests
from minimaxdp.lower_bounds._sphere import least_distortion

__all__ = ["RankedMaximum", "endpoint_floors"]


def endpoint_floors(n: int, privacy: Guarantee) -> dict[str, float]:
    r"""Lower bounds on the absolute error of the end of a support in (0, 1], by their argument.

    ========  ============  ========================================================================
    name      needs         bound
    ========  ============  ========================================================================
    le_cam    nothing       :func:`endpoint_floor`: two ends
    bayes     nothing       exact Bayes risk without privacy for prior densities
                            :math:`B \theta^{B-1}`; tends to :math:`\ln 2/n`
    window    any privacy   :math:`\max_L \frac12 \int_0^L (1 - \frac hL) (1 - \mathrm{TV}(h))\, dh`
                            for ends in :math:`[1 - L, 1]` (Ziv and Zakai), as a
                            lower sum and over some L
    tests     a curator     least Bayes risk of tests "the estimate exceeds c" whose power, in
                            :math:`s = \ln \theta`, grows no faster than :math:`n (F(p) - p)`
                            allows, F the most that a record can make of a power p; for some priors
    ========  ============  ========================================================================

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    privacy : Guarantee
        Of single levels; a curator's with a total-variation level, or ``Local(Pure(epsilon))``.

    Returns
    -------
    dict of str to float
        The largest first.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Stated and proved in the part "Going further" of the chapter on lower bounds.

    Examples
    --------
    >>> found = endpoint_floors(1000, Pure(0.05))
    >>> next(iter(found)), found["tests"] > 1.5 * found["window"] > 2 * found["le_cam"]
    ('tests', True)
    """
    n = _validate.one_integer("n", n, minimum=1)
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.single_levels(privacy)
    found = {"le_cam": float(endpoint_floor(n, privacy)), "bayes": _bayes(float(n))}
    if not isinstance(privacy, NonPrivate):
        found["window"] = _window(float(n), privacy)
        # With fewer people nothing is known, and two ends say so.
        if not isinstance(privacy, Local) and n * level(privacy, TotalVariation) >= 0.3:
            found["tests"] = end_by_tests(float(n), privacy)
    return largest_first(found)


def _bayes(n: float) -> float:
    """Given the largest value T, the ratio y of the end to T has a density like y^(B - n - 1)."""
    best = 0.0
    for b in np.geomspace(0.2, max(n / 4, 0.4), 30):
        c = n - b
        if abs(c - 1) < 1e-6 or c <= 1e-6:
            continue
        v = np.geomspace(1e-4 / n, 60 / b, 4_000)  # T = exp(-v)
        middle, width = (v[1:] + v[:-1]) / 2, np.diff(v)
        law = b * n / c * (np.exp(-b * middle) - np.exp(-n * middle))
        z = -np.expm1(-c * middle)
        half = -np.log1p(-z / 2) / c  # logarithm of the median of y
        # E|y - median|, from the means of both halves.
        up, down = np.expm1((1 - c) * half), np.expm1((1 - c) * middle)
        apart = c / ((1 - c) * z) * (down - 2 * up)
        value = (law * np.exp(-middle) * np.maximum(apart, 0.0) * width).sum()
        best = max(best, float(value) * 0.999)  # the midpoint rule errs by less
    return best


def _window(n: float, privacy: Guarantee) -> float:
    """The distance of the outputs for ends h apart rises with h: a lower sum."""
    local = isinstance(privacy, Local)
    if local:
        scale = 1 / (np.sqrt(n) * max(float(np.expm1(min(level(privacy, Pure), 600) / 2)), 1e-150))
    else:
        scale = 1 / (n * max(float(group_means(1.0, 1.0, privacy)), 1e-150))
    best, shorter = 0.0, np.array([0.25, 0.5, 0.75, 0.9])  # at 1 all the mass may move
    lengths = np.minimum(1.0, scale * np.array([1.0, 1.5, 2, 3, 4, 6, 15, 1e9]))
    for length in np.unique(np.r_[lengths, shorter[shorter < 1.5 * scale]]):
        edges = window_edges(6 * scale, length)
        whole, shares = edges - edges**2 / (2 * length), edges[1:] / (1 - length + edges[1:])
        if local:
            nats = n * two_law_information(level(privacy, Pure), shares)
            apart = np.sqrt(np.maximum(0.0, 1 - least_distortion(nats, 1)))
        else:
            apart = group_means(n, shares, privacy)
        best = max(best, float(((1 - apart) * np.diff(whole)).sum() / 2))
    return best


class RankedMaximum:
    r"""One of the largest values, at random, scaled: the end of a support by total variation.

    With :math:`K = \lfloor 1/\alpha \rfloor` the r-th largest value is chosen with probability
    alpha for r up to K, the next one (or, for fewer people, one half) with the rest, and published
    times a factor c. A record that goes from rank i to rank j moves the law by
    :math:`\frac12 (p_i + (p_i - p_j) + p_j) = p_i \le \alpha` in total variation.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    alpha : float
        Level, in (0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> chosen = RankedMaximum(1000, 0.05)
    >>> round(1000 * chosen.risk(), 1)  # against ln(2)/alpha = 13.9 for the maximum of a subset
    5.5
    >>> chosen.privatize(np.linspace(0.001, 1, 1000), rng=0)
    0.9978
    """

    def __init__(self, n: int, alpha: float) -> None:
        self.n = _validate.one_integer("n", n, minimum=1)
        self.alpha = _validate.one_real("alpha", alpha, above=0, maximum=1)
        # No more than a million ranks: fewer are as private, and one half takes the rest.
        whole = int(min(self.n, np.floor(min(1 / max(self.alpha, 1e-300), 1e6) + 1e-12)))
        chances = np.full(whole, min(self.alpha, 1 / whole))
        rest = max(0.0, 1 - chances.sum())
        if whole < self.n and rest <= self.alpha:
            chances, rest = np.append(chances, rest), 0.0
        weights = np.append(chances, rest)
        #: Probabilities of the ranks, and at last of one half.
        self.probabilities: Array = weights / weights.sum()
        self._ranks = np.arange(1.0, chances.size + 1)
        factors = 1 + (whole + 1) / self.n * np.linspace(0.0, 3.0, 121)
        self.factor = float(factors[self._best(factors)])

    @property
    def privacy(self) -> Guarantee:
        """Total variation at the level alpha."""
        return TotalVariation(self.alpha)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Data whose largest value moves to the smallest."""
        _validate.memory("n", self.n, 2)
        values = np.arange(1, self.n + 1) / (self.n + 1)
        return values, np.r_[values[:-1], 0.0]

    def privatize(self, values: ArrayLike, *, rng: Rng = None) -> float:
        """The scaled value of a random rank of n values in [0, 1]."""
        values = np.asarray(_validate.real("values", values, minimum=0, maximum=1))
        if values.shape != (self.n,):
            raise ValueError(f"values must be {self.n} numbers, got shape {values.shape}")
        ordered = np.r_[np.sort(values)[::-1][: self._ranks.size], 0.5 / self.factor]
        chosen = _validate.generator(rng).choice(self.probabilities.size, p=self.probabilities)
        return float(self.factor * ordered[chosen])

    def risk(self) -> float:
        """Largest expected absolute error, exactly: at the end 1, or a half for a few people."""
        return self._risk(self.factor)

    def _best(self, factors: Array) -> int:
        """Where the risk is least; it is convex in the factor, as the mean of |c x - 1| is."""
        return least_integer(
            lambda i: self._risk(factors[i]) <= self._risk(factors[i + 1]), -1, factors.size - 1
        )

    def _risk(self, c: float) -> float:
        # The r-th largest is Beta(n + 1 - r, r).
        a, b = self.n + 1 - self._ranks, self._ranks
        below = betainc(a, b, 1 / c)
        mean = a / (a + b)
        error = c * mean - 1 + 2 * (below - c * mean * betainc(a + 1, b, 1 / c))
        weights = self.probabilities[:-1]
        # The constant errs by at most a half, whatever the end; the others most at the end 1.
        return float(weights @ error + 0.5 * self.probabilities[-1])
