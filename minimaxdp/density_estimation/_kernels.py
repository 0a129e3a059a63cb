"""Kernel estimators, with their exact risk for Gaussian mixtures in any dimension."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermeval
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes

__all__ = [
    "GaussianMixture",
    "best_bandwidth",
    "gaussian_kernel",
    "kernel_density",
    "kernel_mise",
]

# Sizes whose squares are doubles, and the logarithm of the largest power that is computed.
_LARGEST, _DIGITS = 1e150, 300
# The normal density and its derivatives are 0 in doubles beyond.
_FAR = 40.0
_MOST_PAIRS = 10**10


@dataclass(frozen=True)
class GaussianMixture:
    """A mixture of normal laws with independent coordinates.

    Parameters
    ----------
    weights : array_like, shape (m,)
        Probabilities of the components.
    means, sigmas : array_like, shape (m, d) or (m,)
        Means and standard deviations of each coordinate in each component; up to 1e150, the
        deviations at least 1e-150.

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit, or a weight or deviation lies outside its range.

    Examples
    --------
    >>> normal = GaussianMixture([1.0], [0.0], [1.0])
    >>> float(normal.pdf([0.0])[0].round(4))
    0.3989
    """

    weights: Any
    means: Any
    sigmas: Any

    def __post_init__(self) -> None:
        weights = _validate.distribution("weights", self.weights)
        means = np.asarray(_validate.real("means", self.means, minimum=-_LARGEST, maximum=_LARGEST))
        sigmas = np.asarray(_validate.scale("sigmas", self.sigmas))
        means, sigmas = (a[:, None] if a.ndim == 1 else a for a in (means, sigmas))
        if weights.ndim != 1:
            raise ValueError(f"weights must be a vector, got shape {weights.shape}")
        if means.ndim != 2 or means.shape != sigmas.shape:
            raise ValueError(f"means and sigmas must share a shape (m, d), got {means.shape}")
        if means.shape[0] != weights.size:
            raise ValueError(f"means must have {weights.size} rows, got {means.shape[0]}")
        _validate.freeze(self, weights=weights, means=means, sigmas=sigmas)

    @property
    def d(self) -> int:
        """The dimension."""
        return self.means.shape[1]

    def pdf(self, x: ArrayLike) -> Array:
        """The density at points of shape (n, d), or (n,) in one dimension."""
        points = _sizes.points("x", x, self.d)
        _validate.memory("x", len(points), *self.means.shape)
        with np.errstate(over="ignore"):  # a point that far has the density 0
            each = scipy.stats.norm.pdf(points[:, None], self.means, self.sigmas).prod(axis=2)
        return each @ self.weights

    def sample(self, n: int, *, rng: Rng = None) -> Array:
        """Independent draws, shape (n, d).

        Examples
        --------
        >>> GaussianMixture([1.0], [0.0], [1.0]).sample(3, rng=0).shape
        (3, 1)
        """
        n = _validate.one_integer("n", n, minimum=1)
        _validate.memory("n", n, self.d)
        rng = _validate.generator(rng)
        which = rng.choice(self.weights.size, size=n, p=self.weights)
        return rng.normal(self.means[which], self.sigmas[which])


def gaussian_kernel(u: ArrayLike, order: int = 2) -> Real:
    r"""The kernel of even order built on the normal density.

    .. math:: K(u) = \sum_{s < r} \frac{(-1)^s}{2^s s!} \varphi^{(2s)}(u), \qquad
              \text{order } 2r

    Its moments 1, ..., order - 1 vanish; beyond order 2 it takes negative values.

    Parameters
    ----------
    u : array_like
    order : int
        Even, 2 to 20.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If the order is not even or lies outside its range.

    Notes
    -----
    Klein's article, kernel estimator (claim ``Klein-KDE``).

    Examples
    --------
    >>> float(gaussian_kernel(0.0, 4) / gaussian_kernel(0.0, 2))
    1.5
    """
    return _kernel(np.asarray(_validate.real("u", u)), _weights(order))


def kernel_density(x: ArrayLike, data: ArrayLike, h: float, order: int = 2) -> Array:
    r"""The kernel estimate, with a product kernel in d dimensions.

    .. math:: \hat f(x) = \frac{1}{n h^d} \sum_i \prod_{\ell \le d}
              K\Big(\frac{x_\ell - X_{i\ell}}{h}\Big)

    Parameters
    ----------
    x, data : array_like, shape (m, d) and (n, d), or vectors
        At most ten billion pairs of a point and a record.
    h : float
        Bandwidth, positive, neither it nor h^d beyond the range of doubles.
    order : int
        Order of the kernel, even.

    Returns
    -------
    ndarray, shape (m,)

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit or a parameter lies outside its range.

    Notes
    -----
    Klein's article (claims ``Klein-KDE``, ``Klein-KDE-d``). Not private.

    Examples
    --------
    >>> kernel_density([0.0, 5.0], [0.0], 1.0).round(3).tolist()
    [0.399, 0.0]
    """
    data = np.asarray(_validate.real("data", data))
    if data.ndim not in (1, 2):
        raise ValueError(f"data must have shape (n,) or (n, d), got {data.shape}")
    data = data[:, None] if data.ndim == 1 else data
    x = _sizes.points("x", x, data.shape[1])
    h = _validate.scalar("h", _bandwidth(h, data.shape[1]))
    weights = _weights(order)
    if len(x) * len(data) > _MOST_PAIRS:
        raise ValueError(
            f"x must make at most {_MOST_PAIRS:g} pairs with data, got {len(x)} times {len(data)}"
        )
    blocks = np.array_split(data, max(1, x.size * data.shape[0] // 2**22))
    total = np.zeros(len(x))
    with np.errstate(over="ignore"):  # a record that far adds nothing
        for block in blocks:
            total += _kernel((x[:, None] - block) / h, weights).prod(axis=2).sum(axis=1)
    return total / (data.shape[0] * h ** data.shape[1])


@_validate.broadcasting
def kernel_mise(mixture: GaussianMixture, h: ArrayLike, n: ArrayLike, order: int = 2) -> Real:
    r"""Exact mean integrated squared error of a kernel estimate for a Gaussian mixture.

    .. math:: \frac1n \int K_h^2 + \Big(1 - \frac1n\Big) \int (K_h * f)^2
              - 2 \int (K_h * f) f + \int f^2

    Every integral is a sum of derivatives of normal densities at differences of means.

    Parameters
    ----------
    mixture : GaussianMixture
        With deviations in the range of h.
    h : array_like
        Bandwidth, positive, and such that doubles hold its power 2 * order - 3 and its power d,
        and their inverses: at order 2 in one dimension from 1e-150 to 1e150.
    n : array_like of int
        Sample size, at least 1; h and n broadcast.
    order : int
        Order of the kernel, even.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    The formula of Marron and Wand (1992), with product kernels in d dimensions (claims
    ``Klein-KDE``, ``Klein-KDE-d``).

    Examples
    --------
    >>> normal = GaussianMixture([1.0], [0.0], [1.0])
    >>> round(float(kernel_mise(normal, 0.5, 100)), 6)
    0.005604
    """
    _validate.instance("mixture", mixture, GaussianMixture)
    a = _weights(order)
    h = np.asarray(_bandwidth(h, mixture.d, order))
    n = np.asarray(_validate.integer("n", n, minimum=1))
    _check_deviations(mixture, order)
    _validate.memory("h", h.size, len(mixture.weights), *mixture.means.shape)
    gap = mixture.means[:, None] - mixture.means  # (m, m, d)
    spread = mixture.sigmas[:, None] ** 2 + mixture.sigmas**2
    pair = mixture.weights[:, None] * mixture.weights
    wide = h[..., None, None, None]

    def overlap(smoothed: int) -> Any:
        """The integral of two copies of f, of which 0, 1 or 2 are smoothed."""
        sd = np.sqrt(spread + smoothed * wide**2)
        terms: Any = 0.0
        for s, first in enumerate(a if smoothed >= 1 else [1.0]):
            for t, second in enumerate(a if smoothed == 2 else [1.0]):
                k = 2 * (s + t)
                terms = terms + first * second * wide**k * _derivative(gap, sd, k)
        return (terms.prod(axis=-1) * pair).sum(axis=(-1, -2))

    energy = sum(
        a[s] * a[t] * _derivative(np.zeros(()), np.sqrt(2.0), 2 * (s + t))
        for s in range(len(a))
        for t in range(len(a))
    )
    variance = (energy / h) ** mixture.d / n
    both = overlap(2)
    return variance - both / n + (both - 2 * overlap(1) + overlap(0))


def best_bandwidth(mixture: GaussianMixture, n: int, order: int = 2) -> tuple[float, float]:
    """The bandwidth of least exact risk, and that risk.

    Parameters
    ----------
    mixture : GaussianMixture
        With deviations for which the risk is known, and some room: see :func:`kernel_mise`.
    n : int
        Sample size, at least 1.
    order : int
        Order of the kernel, even.

    Returns
    -------
    (h, risk)

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> h, risk = best_bandwidth(GaussianMixture([1.0], [0.0], [1.0]), 100)
    >>> round(h, 3), round(risk, 5)
    (0.445, 0.00541)
    """
    _validate.instance("mixture", mixture, GaussianMixture)
    _weights(order)
    _check_deviations(mixture, order, spare=1e4)
    n = _validate.one_integer("n", n, minimum=1)
    # From far below the finest detail to far beyond the whole.
    whole = float(mixture.sigmas.max() + np.ptp(mixture.means, axis=0).max())
    low = np.log(mixture.sigmas.min()) - 8
    high = min(np.log(whole) + 3, np.log(_limit(mixture.d, order)))
    logs = np.linspace(low, high, int(np.ceil(10 * (high - low) - 1e-9)) + 1)
    coarse = kernel_mise(mixture, np.exp(logs), n, order)
    best = int(np.argmin(coarse))
    ends = logs[max(best - 1, 0)], logs[min(best + 1, logs.size - 1)]
    found = minimize_scalar(
        lambda log: float(kernel_mise(mixture, np.exp(log), n, order)),
        bounds=ends,
        method="bounded",
        options={"xatol": 1e-9},
    )
    return float(np.exp(found.x)), float(found.fun)


def _weights(order: int) -> list[float]:
    order = _validate.one_integer("order", order, minimum=2, maximum=20)
    if order % 2:
        raise ValueError(f"order must be even, got {order}")
    return [(-0.5) ** s / factorial(s) for s in range(order // 2)]


def _limit(d: int, order: int) -> float:
    """The largest size, and its inverse the least, whose powers in the risk are doubles."""
    return min(_LARGEST, 10.0 ** (_DIGITS / max(2 * order - 3, d)))


def _bandwidth(h: ArrayLike, d: int, order: int = 2) -> Any:
    limit = _limit(d, order)
    return _validate.real("h", h, above=0, minimum=1 / limit, maximum=limit)


def _check_deviations(mixture: GaussianMixture, order: int, spare: float = 1.0) -> None:
    limit = _limit(mixture.d, order) / spare
    _validate.real(
        f"mixture's sigmas at order {order}", mixture.sigmas, minimum=1 / limit, maximum=limit
    )


def _kernel(u: Array, weights: list[float]) -> Any:
    return sum(a * _derivative(u, 1.0, 2 * s) for s, a in enumerate(weights))


def _derivative(x: Any, sd: Any, k: int) -> Any:
    """The k-th derivative, k even, of the normal density with that standard deviation."""
    u = np.clip(x / sd, -_FAR, _FAR)
    return hermeval(u, [0] * k + [1]) * np.exp(-(u**2) / 2) / (np.sqrt(2 * np.pi) * sd ** (k + 1))
