r"""A curator who asks a few people, at random, for a private report each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from minimaxdp import _validate
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure
from minimaxdp.lower_bounds._sphere import longest_mean
from minimaxdp.mean_estimation._local import PrivUnit, local_mean_ceiling

__all__ = ["SubsetReports"]


@dataclass(frozen=True)
class SubsetReports:
    r"""The mean of private reports of m of n people, chosen at random.

    Each of the m reports its vector by :class:`PrivUnit` at the budget

    .. math:: \varepsilon_m = \ln\Big(1 + \frac nm (e^\varepsilon - 1)\Big)

    and only the mean of the reports is published. Sampling without replacement brings the budget
    down to epsilon, exactly. The mean is unbiased, with squared error at most
    :math:`B_d(\varepsilon_m)^2 / m` about the mean of the data, attained where all are 0; m = n is
    the mechanism without a trusted curator, m = 1 one person's report.

    Parameters
    ----------
    n, d : int
        Number of people and dimension, at least 1.
    epsilon : float
        Budget of the release in nats, positive.
    m : int
        Number of people who report, from 1 to n.
    radius : float
        Radius of the ball that holds the vectors, positive.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> few = SubsetReports.optimal(20, 200, 0.05)
    >>> few.m, round(few.error / (4 * 200 * 201 / (20 * 0.05) ** 2), 4)  # norm-Laplace noise
    (1, 0.0157)
    >>> few.ceiling(), few.privatize(np.zeros((20, 200)), rng=0).shape
    (0.9996, (200,))
    """

    n: int
    d: int
    epsilon: float
    m: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        n = _validate.one_integer("n", self.n, minimum=1)
        _validate.freeze(
            self,
            n=n,
            d=_validate.one_integer("d", self.d, minimum=1, maximum=10**9),
            epsilon=_validate.one_real("epsilon", self.epsilon, minimum=1e-100, maximum=600),
            m=_validate.one_integer("m", self.m, minimum=1, maximum=n),
            radius=_validate.scalar("radius", _validate.scale("radius", self.radius)),
        )

    @classmethod
    def optimal(cls, n: int, d: int, epsilon: float, radius: float = 1.0) -> SubsetReports:
        """The best of up to sixty numbers of reports, from one to one a person."""
        whole = cls(n, d, epsilon, 1, radius)
        m = np.unique(np.round(np.geomspace(1, whole.n, 60)))
        budget = _amplified(whole.n, m, whole.epsilon)
        error = longest_mean(budget, whole.d) ** -2 / m
        return cls(n, d, epsilon, int(m[np.argmin(error)]), radius)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon."""
        return Pure(self.epsilon)

    @property
    def _budget(self) -> float:
        return float(_amplified(self.n, np.float64(self.m), self.epsilon))

    @cached_property
    def report(self) -> PrivUnit:
        """What each of the m people does."""
        return PrivUnit.optimal(self._budget, self.d, self.radius)

    @property
    def error(self) -> float:
        """Largest expected squared error about the mean of given vectors."""
        return self.report.magnitude**2 / self.m

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Data sets that differ in one opposite pair of vectors, the others 0."""
        _validate.memory("n", self.n, self.d, 2)
        first, second = np.zeros((2, self.n, self.d))
        first[0, 0], second[0, 0] = self.radius, -self.radius
        return first, second

    def privatize(self, vectors: Array, *, rng: Rng = None) -> Array:
        """The mean of the reports: shape (n, d) to (d,)."""
        x = _validate.rows("vectors", np.asarray(_validate.real("vectors", vectors)), self.d)
        if len(x) != self.n:
            raise ValueError(f"vectors must be {self.n} rows, got {len(x)}")
        rng = _validate.generator(rng)
        chosen = x[rng.choice(self.n, self.m, replace=False)]
        mean: Array = self.report.privatize(chosen, rng=rng).mean(axis=0)
        return mean

    def ceiling(self, k: float = np.inf) -> float:
        r"""Bound on the risk for laws of a bounded k-th moment: that of m people who trust nobody.

        Each cuts their vector to the best radius; for bounded data the mean is shrunk.
        """
        local = Local(Pure(self._budget))
        return float(local_mean_ceiling(self.m, self.d, local, k, self.radius))


def _amplified(n: float, m: Array | np.float64, epsilon: float) -> Array:
    """ln(1 + n/m (exp(epsilon) - 1)), without overflow."""
    log_odds = epsilon + np.log(-np.expm1(-epsilon))
    budget: Array = np.logaddexp(0.0, np.log(n / m) + log_odds)
    return budget
