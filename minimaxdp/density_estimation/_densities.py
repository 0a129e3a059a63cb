"""Densities on the unit interval whose bins, norms and coefficients are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Rng

__all__ = [
    "Density",
    "boundary",
    "harmonic",
    "holder",
    "linear",
    "rademacher",
    "ripple",
    "spiky",
]

Function = Callable[[Array], Array]


@dataclass(frozen=True)
class Density:
    """A density on [0, 1], with what exact risks need to know of it.

    Attributes
    ----------
    name : str
    pdf, cdf : callable
        Vectorised functions on [0, 1].
    squared_integral : float
        Integral of the squared density.
    maximum : float
        A bound on the density, for sampling by rejection.

    Raises
    ------
    TypeError, ValueError
        If a function cannot be called, or a number is not finite and positive.

    Examples
    --------
    >>> linear(1.0).probabilities(2).tolist()
    [0.375, 0.625]
    """

    name: str
    pdf: Function = field(repr=False)
    cdf: Function = field(repr=False)
    squared_integral: float
    maximum: float

    def __post_init__(self) -> None:
        _validate.instance("name", self.name, str)
        _validate.function("pdf", self.pdf)
        _validate.function("cdf", self.cdf)
        _validate.freeze(
            self,
            squared_integral=_validate.one_real("squared_integral", self.squared_integral, above=0),
            maximum=_validate.one_real("maximum", self.maximum, above=0),
        )

    def probabilities(self, bins: int) -> Array:
        """Probability of each of a number of equal bins, from the distribution function."""
        bins = _validate.one_integer("bins", bins, minimum=1)
        _validate.memory("bins", bins + 1)
        return np.diff(self.cdf(np.linspace(0, 1, bins + 1)))

    def bias(self, bins: int) -> float:
        r"""Integrated squared bias of a histogram: :math:`\int f^2 - K \sum_j p_j^2`."""
        p = self.probabilities(bins)
        return float(max(0.0, self.squared_integral - bins * (p**2).sum()))

    def sample(self, n: int, *, rng: Rng = None) -> Array:
        """Independent draws, exact in law, by rejection from the uniform law.

        Examples
        --------
        >>> linear(1.0).sample(3, rng=0).shape
        (3,)
        """
        n = _validate.one_integer("n", n, minimum=1)
        rng = _validate.generator(rng)
        _validate.memory("n", 1.1 * self.maximum * n)
        kept: list[Array] = []
        found = 0
        while found < n:
            x = rng.random(int(1.1 * self.maximum * (n - found)) + 16)
            x = x[rng.random(x.size) * self.maximum < self.pdf(x)]
            kept.append(x)
            found += x.size
        return np.concatenate(kept)[:n]


def linear(slope: float = 1.0) -> Density:
    r"""The density :math:`1 + s (x - \frac12)`: of all s-Lipschitz ones the hardest to bin.

    Parameters
    ----------
    slope : float
        From -2 to 2.

    Returns
    -------
    Density

    Raises
    ------
    ValueError
        If the slope lies outside [-2, 2].

    Examples
    --------
    >>> round(linear(1.0).bias(5) * 12 * 5**2, 9)
    1.0
    """
    s = _validate.one_real("slope", slope, minimum=-2, maximum=2)
    return Density(
        f"linear, slope {s:g}",
        lambda x: 1 + s * (np.asarray(x) - 0.5),
        lambda x: np.asarray(x) + s * np.asarray(x) * (np.asarray(x) - 1) / 2,
        1 + s**2 / 12,
        1 + abs(s) / 2,
    )


def holder(beta: float, *, levels: int = 40) -> Density:
    r"""A density that is Hoelder of order beta everywhere, and nowhere better.

    .. math:: f(x) = 1 + (1 - 2^{-\beta}) \sum_{m < M} 2^{-m\beta}\, t(2^m x)

    with the triangle wave t of period 1, from 0 up to 1, down to -1 and back to 0. Waves of
    different levels are orthogonal, and integrate in closed form.

    Parameters
    ----------
    beta : float
        Order, strictly between 0 and 1.
    levels : int
        Number of waves, 1 to 40; the roughness ends at the scale of the last one.

    Returns
    -------
    Density

    Raises
    ------
    TypeError, ValueError
        If beta or levels lies outside its range.

    Notes
    -----
    Klein's article, Hoelder class (claim ``Klein-Holder``). :func:`linear` is the like for
    beta = 1.

    Examples
    --------
    >>> rough = holder(0.5)
    >>> round(rough.bias(64) / rough.bias(256), 1)  # 4**(2 beta)
    4.0
    """
    beta = _validate.one_real("beta", beta, above=0, below=1)
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=40)
    c = -np.expm1(-beta * np.log(2))
    scales = 2.0 ** np.arange(levels, dtype=float)
    # One by one: the power of an array may differ between processors in the last digit.
    heights = np.array([c * scale**-beta for scale in scales])
    areas = np.array([c * scale ** (-beta - 1) for scale in scales])
    pdf, cdf = _sum_of_waves(scales, heights, areas, _triangle, _triangle_integral)
    squared = 1 + (c**2 * scales ** (-2 * beta)).sum() / 3
    return Density(f"Hoelder, order {beta:g}", pdf, cdf, float(squared), 2.0)


def ripple(amplitude: float = 0.8, waves: int = 1) -> Density:
    r"""The smooth density :math:`1 + a \cos(2 \pi m x)`.

    Parameters
    ----------
    amplitude : float
        From -1 to 1.
    waves : int
        Number m of waves, at least 1.

    Returns
    -------
    Density

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(ripple(0.5).squared_integral, 3)
    1.125
    """
    a = _validate.one_real("amplitude", amplitude, minimum=-1, maximum=1)
    m = _validate.one_integer("waves", waves, minimum=1)
    turn = 2 * np.pi * m
    return Density(
        f"ripple, {m} waves",
        lambda x: 1 + a * np.cos(turn * np.asarray(x)),
        lambda x: np.asarray(x) + a * np.sin(turn * np.asarray(x)) / turn,
        1 + a**2 / 2,
        1 + abs(a),
    )


def spiky(width: float = 0.01, weight: float = 0.3) -> Density:
    r"""A uniform density with a narrow Gaussian spike at one third, truncated to [0, 1].

    Parameters
    ----------
    width : float
        Standard deviation of the spike before it is truncated, from 1e-100 to 1.
    weight : float
        Mass of the spike, strictly between 0 and 1.

    Returns
    -------
    Density

    Raises
    ------
    ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(spiky().squared_integral, 4)
    3.4489
    """
    s = _validate.one_real("width", width, minimum=1e-100, maximum=1)
    w = _validate.one_real("weight", weight, above=0, below=1)
    spike = scipy.stats.norm(1 / 3, s)
    below, mass = spike.cdf(0), spike.cdf(1) - spike.cdf(0)
    double = scipy.stats.norm(1 / 3, s / np.sqrt(2))
    # A squared normal density is a narrower one, times 1 / (2 s sqrt(pi)).
    square = (double.cdf(1) - double.cdf(0)) / (2 * s * np.sqrt(np.pi)) / mass**2
    return Density(
        "spiky",
        lambda x: 1 - w + w * spike.pdf(x) / mass,
        lambda x: (1 - w) * np.asarray(x) + w * (spike.cdf(x) - below) / mass,
        float((1 - w) ** 2 + 2 * w * (1 - w) + w**2 * square),
        float(1 - w + w * spike.pdf(1 / 3) / mass),
    )


def harmonic(j: int, coefficient: float) -> Density:
    r"""The density :math:`1 + \theta \varphi_j` with one trigonometric coefficient.

    Of all densities in a Sobolev ellipsoid the hardest for a series that stops before j.

    Parameters
    ----------
    j : int
        Number of the function as in :func:`trigonometric`, at least 1.
    coefficient : float
        At most :math:`1/\sqrt2` in absolute value.

    Returns
    -------
    Density

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> harmonic(4, 0.5).squared_integral
    1.25
    """
    j = _validate.one_integer("j", j, minimum=1)
    limit = np.sqrt(0.5)
    a = np.sqrt(2) * _validate.one_real("coefficient", coefficient, minimum=-limit, maximum=limit)
    turn = 2 * np.pi * ((j + 1) // 2)
    # A sine is a cosine that starts a quarter of a turn later.
    start = 0.0 if j % 2 else np.pi / 2
    return Density(
        f"harmonic {j}",
        lambda x: 1 + a * np.cos(turn * np.asarray(x) - start),
        lambda x: np.asarray(x) + a * (np.sin(turn * np.asarray(x) - start) + np.sin(start)) / turn,
        float(1 + a**2 / 2),
        float(1 + abs(a)),
    )


def rademacher(smoothness: float = 0.25, *, levels: int = 40) -> Density:
    r"""A density with equal Haar coefficients within every level, rough at all scales.

    .. math:: f = 1 + (1 - 2^{-s}) \sum_{l < M} 2^{-ls}\, r_l, \qquad
              r_l(x) = (-1)^{\lfloor 2^{l+1} x \rfloor}

    The functions r_l of Rademacher are independent random signs under the uniform law.

    Parameters
    ----------
    smoothness : float
        Order s, strictly between 0 and 1.
    levels : int
        Number M of levels, 1 to 40.

    Returns
    -------
    Density

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Examples
    --------
    >>> rademacher(0.5, levels=1).probabilities(2).round(3).tolist()
    [0.646, 0.354]
    """
    s = _validate.one_real("smoothness", smoothness, above=0, below=1)
    levels = _validate.one_integer("levels", levels, minimum=1, maximum=40)
    scales = 2.0 ** np.arange(levels, dtype=float)
    heights = -np.expm1(-s * np.log(2)) * scales**-s
    pdf, cdf = _sum_of_waves(scales, heights, heights / scales, _square, _square_integral)
    return Density(
        f"Rademacher, order {s:g}",
        pdf,
        cdf,
        float(1 + (heights**2).sum()),
        float(1 + heights.sum()),
    )


def boundary(rate: float = 3.0) -> Density:
    r"""An exponential density truncated to [0, 1]: highest, and cut off, at the boundary.

    .. math:: f(x) = \frac{r e^{-r x}}{1 - e^{-r}}

    Parameters
    ----------
    rate : float
        From 1e-100 to 100.

    Returns
    -------
    Density

    Raises
    ------
    ValueError
        If the rate lies outside its range.

    Examples
    --------
    >>> round(boundary(3.0).maximum, 3)
    3.157
    """
    r = _validate.one_real("rate", rate, minimum=1e-100, maximum=100)
    mass = -np.expm1(-r)
    return Density(
        f"exponential, rate {r:g}",
        lambda x: r * np.exp(-r * np.asarray(x)) / mass,
        lambda x: -np.expm1(-r * np.asarray(x)) / mass,
        float(-r * np.expm1(-2 * r) / (2 * mass**2)),
        float(r / mass),
    )


def _sum_of_waves(
    scales: Array,
    heights: Array,
    areas: Array,
    wave: Function,
    integral: Function,
) -> tuple[Function, Function]:
    """Density and distribution function of 1 plus waves of period 1/scale and mean zero."""

    def add(total: Array, x: ArrayLike, factors: Array, form: Function) -> Array:
        for scale, factor in zip(scales, factors, strict=True):
            total += factor * form(scale * np.asarray(x))
        return total

    return (
        lambda x: add(np.ones_like(np.asarray(x, dtype=float)), x, heights, wave),
        lambda x: add(np.array(x, dtype=float), x, areas, integral),
    )


def _square(x: ArrayLike) -> Array:
    return np.where(np.mod(x, 1) < 0.5, 1.0, -1.0)


def _square_integral(x: ArrayLike) -> Array:
    u = np.mod(x, 1)
    return np.minimum(u, 1 - u)


def _triangle(x: ArrayLike) -> Array:
    u = np.mod(np.asarray(x, dtype=float) + 0.25, 1)
    return 1 - 4 * abs(u - 0.5)


def _triangle_integral(x: ArrayLike) -> Array:
    """Integral of the wave from 0: periodic, since its mean is zero."""
    u = np.mod(np.asarray(x, dtype=float), 1)
    v = np.minimum(u, 1 - u)  # the integral is even about one half
    return np.where(v < 0.25, 2 * v**2, 2 * v - 2 * v**2 - 0.25)
