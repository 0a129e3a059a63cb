"""Sign vectors, and the hypercube sampler of Duchi, Jordan and Wainwright that reports them.

The sampler serves the coefficients of a density as well as the coordinates of a mean, and so stands
below both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, Pure

__all__ = ["HypercubeMechanism", "alignment", "corners", "walsh_hadamard"]

# Sums of 64-bit integers wrap around beyond it.
_LARGEST = 2**63 - 1


def alignment(d: ArrayLike) -> Real:
    r"""How well a random sign vector points to a given one on its side.

    .. math:: \frac{\mathbb E |S_d|}{d} = \frac{2 m}{d} \binom{2m}{m} 2^{-2m}, \qquad
              m = \lceil d/2 \rceil

    with S_d a sum of d random signs; close to :math:`\sqrt{2 / (\pi d)}`.

    Parameters
    ----------
    d : array_like of int
        Dimension, at least 1.

    Returns
    -------
    float or ndarray
        In (0, 1], to twelve digits or better.

    Raises
    ------
    TypeError, ValueError
        If d is not a positive integer.

    Examples
    --------
    >>> [round(float(alignment(d)), 12) for d in (1, 2, 3)]
    [1.0, 0.5, 0.5]
    """
    d = np.asarray(_validate.integer("d", d, minimum=1))
    m = d // 2 + d % 2  # E|S_d| is the same for 2m - 1 and 2m
    few = np.minimum(m, 500)
    log_mean = np.log(2.0 * few) + gammaln(2 * few + 1) - 2 * gammaln(few + 1) - 2 * few * np.log(2)
    # In large dimensions the logarithms would cancel; Stirling's series is exact there.
    x = 1 / np.maximum(8.0 * m, 4000.0)
    series = 2 * np.sqrt(m / np.pi) * (1 - x + x**2 / 2 + 5 * x**3 / 2 - 21 * x**4 / 8)
    return (np.where(m > 500, series, np.exp(log_mean)) / d)[()]


def corners(d: int) -> Array:
    """All sign vectors, in the order of ``itertools.product([-1, 1], repeat=d)``.

    Parameters
    ----------
    d : int
        Dimension, from 0 to 23.

    Returns
    -------
    ndarray, shape (2**d, d)
        Entries -1 and 1.

    Raises
    ------
    TypeError, ValueError
        If d lies outside its range, beyond which the vectors would not fit memory.

    Examples
    --------
    >>> corners(2).tolist()
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    d = _validate.one_integer("d", d, minimum=0, maximum=23)
    digits = (np.arange(2**d)[:, None] >> np.arange(d)[::-1]) & 1
    return (2 * digits - 1).astype(float)


def walsh_hadamard(values: ArrayLike) -> Array | NDArray[np.int64]:
    r"""Transform of Walsh and Hadamard along the last axis; twice it multiplies by the length.

    .. math:: \hat x_j = \sum_i (-1)^{\text{number of ones that } i \text{ and } j
              \text{ share in binary}}\, x_i

    Parameters
    ----------
    values : array_like, shape (..., N)
        Finite numbers; N is a power of two. Integers stay integers, of 64 bits whatever they
        were.

    Returns
    -------
    ndarray, shape (..., N)

    Raises
    ------
    TypeError, ValueError
        If an entry is not a finite number, N is not a power of two, or the sums of the entries
        would overflow.

    Examples
    --------
    >>> walsh_hadamard([1, 2, 3, 4]).tolist()
    [10, -2, -4, 0]
    """
    x = _validate.numbers("values", values)
    whole = x.dtype.kind in "iu"
    x = np.asarray(
        _validate.integer("values", x, minimum=-_LARGEST) if whole else _validate.real("values", x)
    )
    length = x.shape[-1] if x.ndim else 0
    if length.bit_count() != 1:
        raise ValueError(f"values must have a power of two entries, got shape {x.shape}")
    limit = _LARGEST // length if whole else np.finfo(float).max / length
    if (top := abs(x).max()) > limit:
        raise ValueError(f"values must lie between -{limit:g} and {limit:g}, got size {top:g}")
    step = 1
    while step < length:
        pairs = x.reshape(-1, 2, step)
        plus, minus = pairs[:, 0], pairs[:, 1]
        x = np.stack([plus + minus, plus - minus], axis=1).reshape(x.shape)
        step *= 2
    return x


@dataclass(frozen=True)
class HypercubeMechanism:
    r"""Private report of a vector in the cube [-r, r]^d: a corner of a larger cube.

    The vector is rounded at random to a corner v with the right mean; the report is B times a
    sign vector z, uniform among those with :math:`\langle z, v \rangle > 0` with probability
    :math:`e^\varepsilon / (1 + e^\varepsilon)`, else among those with a negative product. In an
    even dimension the products can be zero; these z keep their uniform probability.

    .. math:: B = r\, \coth(\varepsilon/2)\, \frac{d}{\mathbb E |S_d|}, \qquad
              S_d = \text{sum of } d \text{ random signs}

    makes the report unbiased. Exactly epsilon-locally private in every dimension.

    Parameters
    ----------
    epsilon : float
        Privacy budget of each person in nats, positive.
    d : int
        Dimension, at least 1; odd ones are cheaper.
    radius : float
        Half the side r of the cube, positive.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range, or the reports beyond that of a double.

    Notes
    -----
    Duchi, Jordan and Wainwright (2013). Putting the zero products into *both* halves, as may
    be read into the original, spends ln(1 + exp(epsilon)) in even dimensions.

    Examples
    --------
    >>> cube = HypercubeMechanism(1.0, 3)
    >>> cube.privatize([[0.2, -0.4, 1.0]], rng=0).shape
    (1, 3)
    >>> round(float(cube.magnitude * np.tanh(0.5)), 12)
    2.0
    """

    epsilon: float
    d: int
    radius: float = 1.0

    def __post_init__(self) -> None:
        epsilon = _validate.one_epsilon(self.epsilon)
        d = _validate.one_integer("d", self.d, minimum=1)
        radius = _validate.one_real("radius", self.radius, above=0)
        _validate.freeze(self, epsilon=epsilon, d=d, radius=radius)
        with np.errstate(divide="ignore", over="ignore"):
            if not np.isfinite(2 * radius / (np.tanh(epsilon / 2) * alignment(d))):
                raise ValueError(
                    "epsilon must leave reports that are doubles, at this radius, "
                    f"got epsilon = {epsilon:g} and radius = {radius:g}"
                )

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly."""
        return Local(Pure(self.epsilon))

    @property
    def inputs(self) -> Array:
        """The corners of the cube, in the order of the rows of the channel."""
        return self.radius * corners(self.d)

    @property
    def outputs(self) -> Array:
        """The reports, in the order of the columns of the channel."""
        return self.magnitude * corners(self.d)

    @property
    def magnitude(self) -> float:
        """Absolute value B of every coordinate of a report."""
        return float(self.radius / (np.tanh(self.epsilon / 2) * alignment(self.d)))

    def channel(self) -> Array:
        """From corners to reports, both in the order of ``itertools.product([-1, 1], ...)``."""
        z = corners(_validate.one_integer("d", self.d, minimum=1, maximum=10))
        sign: Array = np.sign(z @ z.T)
        return (1 + np.tanh(self.epsilon / 2) * sign) / 2**self.d

    def privatize(self, vectors: ArrayLike, *, rng: Rng = None) -> Array:
        """Perturb every row: shape (n, d) to (n, d), entries -B and B."""
        v = _validate.rows("vectors", np.asarray(_validate.real("vectors", vectors)), self.d)
        rng = _validate.generator(rng)
        slack = 1e-9 * self.radius  # a basis function may round beyond its bound
        _validate.real("vectors", v, minimum=-self.radius - slack, maximum=self.radius + slack)
        return self.magnitude * self._signs(v, rng).astype(float)

    def _signs(self, v: Array, rng: np.random.Generator) -> NDArray[np.int8]:
        """The reports divided by B, as small integers, for sums over many people; unchecked."""
        corner = np.where(rng.random(v.shape) * 2 * self.radius < v + self.radius, 1, -1)
        z = rng.integers(0, 2, v.shape, dtype=np.int8) * 2 - 1
        side = np.sign((z * corner).sum(axis=1))
        told = np.where(rng.random(len(v)) < 1 / (1 + np.exp(-self.epsilon)), 1, -1)
        # A uniform sign vector is turned to the wished side; with product zero it stays.
        turn = np.where(side == 0, 1, side * told)
        return (z * turn[:, None]).astype(np.int8)
