r"""The private mean itself: truncate, average, add noise; and its risk by simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate, risk
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, NonPrivate, Pure, Smooth
from minimaxdp.laplace import GaussianNoise, L2LaplaceNoise, LaplaceNoise, Noise
from minimaxdp.mean_estimation._ceilings import (
    NoiseName,
    Variant,
    best_noise,
    noise_second_moment,
    truncation_radius,
)
from minimaxdp.mean_estimation._truncation import FiniteLaw, project_to_ball

__all__ = ["PrivateMean", "private_mean", "simulated_risk", "subset_mean"]

Sampler = Callable[[np.random.Generator, int], ArrayLike]
_CHUNK = 2**20  # numbers held at once


@dataclass(frozen=True)
class PrivateMean:
    r"""The mean of truncated records plus noise.

    .. math:: \hat\theta = \frac1n \sum_{i \le n} \pi_R(X_i) + W

    Replacing one record moves the first term by at most :attr:`sensitivity`; what that promises
    depends on the noise alone.

    Parameters
    ----------
    radius : float
        Radius R of the ball, positive, chosen before the data are seen; ``numpy.inf`` for
        none, then without noise and without privacy.
    n : int
        Number of records, at least 1, public.
    noise : Noise or None
        Of the dimension of the records.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or an infinite radius is to be hidden by noise.

    Notes
    -----
    Barber and Duchi (2014), equation (20) (claim ``BD-eq20``).

    Examples
    --------
    >>> best = PrivateMean.calibrated(Pure(1.0), n=10_000, d=2, k=4)
    >>> best.radius, type(best.noise).__name__, best.privacy
    (4.394, 'L2LaplaceNoise', Pure(1.0))
    >>> data = np.random.default_rng(0).standard_normal((10_000, 2)) / 2
    >>> abs(best.release(data, rng=1)).max() < 0.1
    True
    """

    radius: float
    n: int
    noise: Noise | None = None

    def __post_init__(self) -> None:
        radius = _validate.one_real("radius", self.radius, above=0, infinite=True)
        _validate.freeze(self, radius=radius, n=_validate.one_integer("n", self.n, minimum=1))
        if self.noise is not None and not isinstance(self.noise, Noise):
            raise TypeError(f"noise must be a law of noise or None, got {self.noise!r}")
        if self.noise is not None and self.radius == np.inf:
            raise ValueError("radius must be finite if there is noise: nothing hides all records")

    @classmethod
    def calibrated(
        cls,
        privacy: Guarantee,
        *,
        n: int,
        d: int,
        k: float = np.inf,
        r: float = 1.0,
        noise: NoiseName | None = None,
        variant: Variant = "best",
        radius: float | None = None,
    ) -> PrivateMean:
        """The mechanism that keeps a guarantee, with the best radius for the class or a given one.

        Parameters are those of :func:`~minimaxdp.mean_estimation.mean_ceiling`; `radius` replaces
        the best radius of truncation.
        """
        privacy = _validate.instance("privacy", privacy, Guarantee)
        n, d = _validate.one_integer("n", n, minimum=1), _validate.one_integer("d", d, minimum=1)
        k = _validate.scalar("k", np.asarray(_validate.moment(k)))
        r = _validate.one_scale("r", r)
        _validate.single_levels(privacy)
        factor = float(noise_second_moment(n, d, privacy, noise=noise, variant=variant))
        if not np.isfinite(factor):
            raise ValueError(f"noise must be one that keeps {privacy!r}, got {noise!r}")
        if radius is None:
            size = float(truncation_radius(factor, k, r))
        else:
            size = _validate.one_real("radius", radius, above=0, infinite=True)
            if factor > 0:
                _validate.scale("radius", size)
        if isinstance(privacy, NonPrivate):
            return cls(size, n)
        if factor == 0:
            raise ValueError(f"privacy must promise something, got {privacy!r}")
        if variant == "paper":
            noise = "laplace" if isinstance(privacy, Pure | Smooth) else "gaussian"
        noise = noise or best_noise(n, d, privacy)
        moment = factor * size**2
        laws: dict[NoiseName, Callable[[], Noise]] = {
            "gaussian": lambda: GaussianNoise(float(np.sqrt(moment / d)), d),
            "laplace": lambda: LaplaceNoise(float(np.sqrt(moment / (2 * d))), d),
            "l2_laplace": lambda: L2LaplaceNoise(float(np.sqrt(moment / (d * (d + 1)))), d),
        }
        return cls(size, n, laws[noise]())

    @property
    def privacy(self) -> Guarantee:
        """What the noise promises at this sensitivity, exactly; without noise, nothing."""
        return NonPrivate() if self.noise is None else self.noise.privacy(self.sensitivity)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two data sets that differ in one record, as far apart as truncation leaves it."""
        d = 1 if self.noise is None else self.noise.d
        _validate.memory("n", 2, self.n, d)
        _validate.memory("n", self.n, d, 2)
        first, second = np.zeros((self.n, d)), np.zeros((self.n, d))
        far = self.radius if self.radius < np.inf else 1.0
        first[0, 0], second[0, 0] = far, -far
        return first, second

    @property
    def sensitivity(self) -> float:
        r"""Largest l2-distance :math:`2R/n` of the truncated means of neighbours."""
        return 2 * self.radius / self.n

    @property
    def second_moment(self) -> float:
        """Expected squared norm of the noise."""
        return 0.0 if self.noise is None else self.noise.second_moment

    def truncated_mean(self, data: ArrayLike) -> Array:
        """Mean of the truncated records, before noise: (n, d) to (d,), in bounded memory."""
        records = _records(data, self.n)
        if self.noise is not None and records.shape[1] != self.noise.d:
            raise ValueError(f"data must have {self.noise.d} columns, got {records.shape[1]}")
        rows = max(1, _CHUNK // records.shape[1])
        total = np.zeros(records.shape[1])
        for start in range(0, self.n, rows):
            chunk = _validate.real("data", records[start : start + rows])
            total += project_to_ball(chunk, self.radius).sum(axis=0)
        return total / self.n

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """Release the private mean of records of shape (n, d): shape (d,)."""
        rng = _validate.generator(rng)
        return self.privatize_mean(self.truncated_mean(data), rng=rng)

    def privatize_mean(self, mean: ArrayLike, *, rng: Rng = None) -> Array:
        """Add noise to the mean of truncated records, shape (d,), or to rows, shape (m, d)."""
        mean = np.asarray(_validate.real("mean", mean))
        if self.noise is None:
            return mean
        _validate.entries("mean", mean, self.noise.d)
        noise = self.noise.sample(int(np.prod(mean.shape[:-1])), rng=rng)
        return mean + noise.reshape(mean.shape)

    def risk(self, law: FiniteLaw) -> float:
        """Exact mean squared error under a law with finitely many values."""
        _validate.instance("law", law, FiniteLaw)
        return law.risk(self.radius, self.n, self.second_moment)


def private_mean(
    data: ArrayLike, privacy: Guarantee, *, k: float, r: float, rng: Rng = None
) -> Array:
    r"""A private mean from data, a declared moment and a budget, in one call.

    Parameters
    ----------
    data : array_like, shape (n, d) or (n,)
        Records, one a row.
    privacy : Guarantee
        What the release keeps, such as ``Pure(1.0)``.
    k : float
        Order of the moment that is declared bounded, at least 2; may be infinite.
    r : float
        Declared bound on :math:`(\mathbb E \|X\|_2^k)^{1/k}`, positive, not taken from the data.
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
    >>> estimate = private_mean(ages, Pure(1.0), k=np.inf, r=80.0, rng=1)
    >>> abs(estimate[0] - ages.mean()) < 2
    True
    """
    records = _records(data)
    n, d = records.shape
    mechanism = PrivateMean.calibrated(privacy, n=n, d=d, k=k, r=r)
    return mechanism.release(records, rng=rng)


def subset_mean(data: ArrayLike, m: int, *, rng: Rng = None) -> Array:
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
    chosen = _validate.generator(rng).choice(len(records), m, replace=False)
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
    >>> from minimaxdp.guarantees import KL
    >>> from minimaxdp.mean_estimation import two_point_law
    >>> law, best = two_point_law(4, 0.01), PrivateMean.calibrated(KL(0.1), n=10**6, d=1, k=4)
    >>> simulated_risk(best, law, 2_000, rng=0).agrees_with(best.risk(law))
    True
    """
    _validate.instance("mechanism", mechanism, PrivateMean)
    if isinstance(law, FiniteLaw):
        truth, cut = law.mean, law.truncated(mechanism.radius)

        def means(rng: np.random.Generator, size: int) -> Array:
            return cut.sample_means(mechanism.n, size, rng=rng)
    else:
        if mean is None:
            raise ValueError("mean must be given for a law that is a function")
        _validate.function("law", law)
        truth, sampler = np.atleast_1d(_validate.real("mean", mean)), law

        def means(rng: np.random.Generator, size: int) -> Array:
            return np.stack([_chunked(mechanism, sampler, truth.size, rng) for _ in range(size)])

    def loss(rng: np.random.Generator, size: int) -> Array:
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


def _chunked(mechanism: PrivateMean, law: Sampler, d: int, rng: Any) -> Array:
    rows, total = max(1, _CHUNK // d), np.zeros(d)
    for start in range(0, mechanism.n, rows):
        count = min(rows, mechanism.n - start)
        records = np.asarray(law(rng, count))
        if records.shape != (count, d):
            raise ValueError(f"law must return shape ({count}, {d}), got {records.shape}")
        total += project_to_ball(records, mechanism.radius).sum(axis=0)
    return total / mechanism.n
