r"""The private mean itself: truncate, average, add noise; and its risk by simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate, risk
from minimaxdp.mean_estimation.ceilings import Definition, energy_factor, radius
from minimaxdp.mean_estimation.noise import CoordinateLaplace, GaussianNoise, NormLaplace
from minimaxdp.mean_estimation.truncation import FiniteLaw, project

__all__ = ["PrivateMean", "private_mean", "simulated_risk", "subset_mean"]

Rng = np.random.Generator | int | None
Noise = GaussianNoise | CoordinateLaplace | NormLaplace
Sampler = Callable[[np.random.Generator, int], ArrayLike]
_CHUNK = 2**20  # numbers held at once


@dataclass(frozen=True)
class PrivateMean:
    r"""The mean of truncated records plus noise.

    .. math:: \hat\theta = \frac1n \sum_{i \le n} \pi_\rho(X_i) + W

    Replacing one record moves the first term by at most :attr:`sensitivity`; what that promises
    depends on the noise alone.

    Parameters
    ----------
    radius : float
        Radius rho of the ball, positive, chosen before the data are seen; ``numpy.inf`` for
        none, then without noise and without privacy.
    n : int
        Number of records, at least 1, public.
    noise : GaussianNoise, CoordinateLaplace, NormLaplace or None

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or an infinite radius is to be hidden by noise.

    Notes
    -----
    Barber and Duchi (2014), equation (20) (claim ``BD-eq20``).

    Examples
    --------
    >>> best = PrivateMean.calibrated("pure", n=10_000, d=2, level=1.0, k=4)
    >>> round(best.radius, 3), type(best.noise).__name__
    (4.394, 'NormLaplace')
    >>> data = np.random.default_rng(0).standard_normal((10_000, 2)) / 2
    >>> bool(abs(best.estimate(data, rng=1)).max() < 0.1)
    True
    """

    radius: float
    n: int
    noise: Noise | None = None

    def __post_init__(self) -> None:
        radius = _validate.one_real("radius", self.radius, above=0, infinite=True)
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "n", _validate.one_integer("n", self.n, minimum=1))
        if self.noise is not None and self.radius == np.inf:
            raise ValueError("radius must be finite if there is noise: nothing hides all records")

    @classmethod
    def calibrated(
        cls,
        definition: Definition,
        *,
        n: int,
        d: int,
        level: float | None = None,
        k: float = np.inf,
        r: float = 1.0,
        delta: float | None = None,
        printed: bool = False,
        rho: float | None = None,
    ) -> PrivateMean:
        """The mechanism of a definition, with the best radius for the class or a given one.

        Parameters are those of :func:`~minimaxdp.mean_estimation.ceiling`; `rho` overrides the
        radius.
        """
        factor = float(energy_factor(definition, n, d, level, delta=delta, printed=printed))
        size = float(radius(factor, k, r)) if rho is None else float(rho)
        if definition == "none":
            return cls(size, n, None)
        energy, noise = factor * size**2, None
        if definition in ("pure", "smooth"):
            if printed:
                noise = CoordinateLaplace(float(np.sqrt(energy / (2 * d))), d)
            else:
                noise = NormLaplace(float(np.sqrt(energy / (d * (d + 1)))), d)
        else:
            noise = GaussianNoise(float(np.sqrt(energy / d)), d)
        return cls(size, n, noise)

    @property
    def sensitivity(self) -> float:
        r"""Largest l2-distance :math:`2\rho/n` of the truncated means of neighbours."""
        return 2 * self.radius / self.n

    @property
    def energy(self) -> float:
        """Expected squared norm of the noise."""
        return 0.0 if self.noise is None else self.noise.energy

    def truncated_mean(self, data: ArrayLike) -> NDArray[np.float64]:
        """Mean of the truncated records, before noise: (n, d) to (d,), in bounded memory."""
        records = _records(data, self.n)
        if self.noise is not None and records.shape[1] != self.noise.d:
            raise ValueError(f"data must have {self.noise.d} columns, got {records.shape[1]}")
        rows = max(1, _CHUNK // records.shape[1])
        total = np.zeros(records.shape[1])
        for start in range(0, self.n, rows):
            chunk = _validate.real("data", records[start : start + rows])
            total += project(chunk, self.radius).sum(axis=0)
        return total / self.n

    def estimate(self, data: ArrayLike, *, rng: Rng = None) -> NDArray[np.float64]:
        """Release the private mean of records of shape (n, d): shape (d,)."""
        return self.privatize_mean(self.truncated_mean(data), rng=rng)

    def privatize_mean(self, mean: ArrayLike, *, rng: Rng = None) -> NDArray[np.float64]:
        """Add noise to the mean of truncated records, shape (d,), or to rows, shape (m, d)."""
        mean = np.asarray(_validate.real("mean", mean))
        if self.noise is None:
            return mean
        noise = self.noise.sample(int(np.prod(mean.shape[:-1])), rng=rng)
        return mean + noise.reshape(mean.shape)

    def risk(self, law: FiniteLaw) -> float:
        """Exact mean squared error under a law with finitely many values."""
        return law.risk(self.radius, self.n, self.energy)


def private_mean(
    data: ArrayLike,
    definition: Definition,
    level: float | None = None,
    *,
    k: float,
    r: float,
    delta: float | None = None,
    rng: Rng = None,
) -> NDArray[np.float64]:
    r"""A private mean from data, a declared moment and a budget, in one call.

    Parameters
    ----------
    data : array_like, shape (n, d) or (n,)
        Records, one a row.
    definition : str
        One of ``minimaxdp.mean_estimation.DEFINITIONS``.
    level : float
        The budget; None for the definition "none".
    k : float
        Order of the moment that is declared bounded, at least 2; may be infinite.
    r : float
        Declared bound on :math:`(\mathbb E \|X\|_2^k)^{1/k}`, positive, not taken from the data.
    delta : float, optional
        For "approximate".
    rng : Generator, int or None

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The guarantee does not depend on whether the declared moment is true; the accuracy does.

    Examples
    --------
    >>> ages = np.random.default_rng(0).uniform(20, 80, 1_000)
    >>> estimate = private_mean(ages, "pure", 1.0, k=np.inf, r=80.0, rng=1)
    >>> bool(abs(estimate[0] - ages.mean()) < 2)
    True
    """
    records = _records(data)
    n, d = records.shape
    mechanism = PrivateMean.calibrated(definition, n=n, d=d, level=level, k=k, r=r, delta=delta)
    return mechanism.estimate(records, rng=rng)


def subset_mean(data: ArrayLike, m: int, *, rng: Rng = None) -> NDArray[np.float64]:
    r"""Mean of m of n records, chosen at random: total-variation private, and nothing more.

    .. math:: \|Q(\cdot \mid x) - Q(\cdot \mid x')\|_{TV} \le \frac mn

    Its risk over :math:`\mathbb E \|X\|_2^2 \le r^2` is at most :math:`r^2/m` in every dimension.

    Parameters
    ----------
    data : array_like, shape (n, d) or (n,)
    m : int
        From 1 to n.
    rng : Generator, int or None

    Returns
    -------
    ndarray, shape (d,)

    Raises
    ------
    TypeError, ValueError
        If the data are no vectors or m is out of its range.

    Notes
    -----
    A refinement of the last row of Table 1 of Barber and Duchi (2014) (claim ``BD-Table1``):
    better than Gaussian noise as soon as the dimension exceeds about :math:`n \alpha`.

    Examples
    --------
    >>> subset_mean([1.0, 2.0, 6.0], 3, rng=0).tolist()
    [3.0]
    """
    records = _validate.real("data", _records(data))
    m = _validate.one_integer("m", m, minimum=1, maximum=len(records))
    chosen = np.random.default_rng(rng).choice(len(records), m, replace=False)
    return records[chosen].mean(axis=0)


def simulated_risk(
    mechanism: PrivateMean,
    law: FiniteLaw | Sampler,
    replications: int,
    *,
    mean: ArrayLike | None = None,
    rng: Rng = None,
) -> risk.MonteCarlo:
    r"""Mean squared error by simulation, the noise from its exact law.

    A law with finitely many values is drawn through how many records hold each value, at a cost
    that does not depend on n; any other law record by record, in chunks of bounded memory.

    Parameters
    ----------
    mechanism : PrivateMean
    law : FiniteLaw or callable
        ``law(rng, m)`` returns m records, shape (m, d).
    replications : int
        At least 2.
    mean : array_like, shape (d,)
        True mean; needed with a callable.
    rng : Generator, int or None

    Returns
    -------
    MonteCarlo

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range or the true mean is missing.

    Examples
    --------
    >>> from minimaxdp.mean_estimation import spike
    >>> law, best = spike(4, 0.01), PrivateMean.calibrated("kl", n=10**6, d=1, level=0.1, k=4)
    >>> simulated_risk(best, law, 2_000, rng=0).agrees_with(best.risk(law))
    True
    """
    if isinstance(law, FiniteLaw):
        truth, cut = law.mean, law.truncated(mechanism.radius)

        def means(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
            return cut.sample_means(mechanism.n, size, rng=rng)
    else:
        if mean is None:
            raise ValueError("mean must be given for a law that is a function")
        truth, sampler = np.atleast_1d(_validate.real("mean", mean)), law

        def means(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
            return np.stack([_chunked(mechanism, sampler, truth.size, rng) for _ in range(size)])

    def loss(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        released = mechanism.privatize_mean(means(rng, size), rng=rng)
        return ((released - truth) ** 2).sum(axis=1)

    return risk.monte_carlo(loss, replications, rng=rng, block=256)


def _records(data: ArrayLike, n: int | str = "n") -> NDArray[Any]:
    """The data as rows, not yet finite for certain: a checked copy would double the memory."""
    records = _validate.numbers("data", data)
    records = records[:, None] if records.ndim == 1 else records
    if records.ndim != 2 or n not in ("n", len(records)):
        raise ValueError(f"data must have shape ({n}, d), got {records.shape}")
    return records


def _chunked(mechanism: PrivateMean, law: Sampler, d: int, rng: Any) -> NDArray[np.float64]:
    rows, total = max(1, _CHUNK // d), np.zeros(d)
    for start in range(0, mechanism.n, rows):
        count = min(rows, mechanism.n - start)
        records = np.asarray(law(rng, count))
        if records.shape != (count, d):
            raise ValueError(f"law must return shape ({count}, {d}), got {records.shape}")
        total += project(records, mechanism.radius).sum(axis=0)
    return total / mechanism.n
