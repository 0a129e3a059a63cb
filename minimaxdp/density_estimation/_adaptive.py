r"""Densities of unknown smoothness: levels of Haar coefficients, kept if they rise above the noise.

With :math:`\theta_{lk} = \int f \psi_{lk}` a density on [0, 1] is one plus the sum of
:math:`\theta_{lk} \psi_{lk}`. All coefficients of the levels l < J are released with noise, and
the levels that do not rise above it are set to zero. Nothing has to be known of the smoothness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.density_estimation import _sizes
from minimaxdp.density_estimation._densities import Density
from minimaxdp.guarantees import Guarantee
from minimaxdp.laplace import laplace_sum

__all__ = ["PrivateHaar"]

_MOST_LEVELS = 20
_MOST_PEOPLE = 10**15
# Coefficients whose sums of squares are doubles.
_LARGEST = 1e140


@dataclass(frozen=True)
class PrivateHaar:
    r"""Haar coefficients of the levels l < J with noise, and the curve of the levels that count.

    With a curator the budget is divided evenly among the levels, and every coefficient gets
    Laplace noise of scale :math:`2 J 2^{l/2} / (n \varepsilon)`. Without one the people are divided
    evenly among the levels, and each adds noise of scale :math:`2 \cdot 2^{l/2} / \varepsilon` to
    the coefficients of their own level.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, of the data set ("central") or of each person ("local").
    levels : int
        Number J of levels, from 1 to 20; the finest cells have the width 2**-J.
    model : {"central", "local"}
    maximum : float
        Bound F on the density, declared without looking, from 1 to 1e50; for the radii.

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Theorem ``thm-den-adapt`` of the book.

    Examples
    --------
    >>> haar = PrivateHaar(1.0, 5, "central")
    >>> theta = haar.release(np.linspace(0, 1, 10**5), rng=0)
    >>> haar.heights(haar.keep(theta, 10**5)).round(2).tolist() == [1.0] * 32
    True
    """

    epsilon: float
    levels: int
    model: _sizes.Model = "central"
    maximum: float = 2.0

    def __post_init__(self) -> None:
        _validate.choice("model", self.model, _sizes.MODELS)
        _validate.freeze(
            self,
            epsilon=_sizes.one_epsilon(self.epsilon),
            levels=_validate.one_integer("levels", self.levels, minimum=1, maximum=_MOST_LEVELS),
            maximum=_validate.one_real("maximum", self.maximum, minimum=1, maximum=1e50),
        )

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon, of a curator or of everybody's own report."""
        return _sizes.pure(self.model, self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Data sets of one record for each level, of which the first moves to the other end."""
        low = np.zeros(self.levels)
        return low, np.append(1.0, low[1:])

    def people(self, n: int) -> int:
        """How many people tell of each level: all with a curator, n/J without one."""
        n = _validate.one_integer("n", n, minimum=self.levels, maximum=_MOST_PEOPLE)
        return n if self.model == "central" else n // self.levels

    def noise_energy(self, n: int) -> Array:
        r"""Mean of the squared length of the error on each level, shape (J,).

        .. math:: 2^l \Big(\frac1m + \sigma_l^2\Big), \qquad
                  \sigma_l^2 = \frac{8 \cdot 2^l J^2}{n^2 \varepsilon^2} \text{ or }
                  \frac{8 \cdot 2^l}{m \varepsilon^2}

        Sampling of m people, and the noise in each of the coefficients. The true mean is less by
        the energy of the level over m.
        """
        found: Array = self._cells() * (1 / self.people(n) + self._noise_variances(n))
        return found

    def radii(self, n: int, beta: float = 0.05) -> Array:
        r"""Lengths that the errors of all levels respect together, shape (J,).

        By Chebyshev's inequality, with probability at least 1 - beta for every density up to F:

        .. math:: r_l^2 = 2^l \Big(\frac1m + \sigma_l^2\Big) + \sqrt{\frac{J w_l}\beta}, \qquad
                  w_l = \frac{2 F 2^l + 16 \cdot 4^l / m}{m^2} + k\, 2^l \sigma_l^4
                  + \frac{4 \cdot 2^l \sigma_l^2}m

        with k = 5 for one Laplace variable and 2 + 3/m for the mean of m.

        Parameters
        ----------
        n : int
            Number of people, at least J.
        beta : float
            Probability of an excess, from 1e-100, below 1.

        Returns
        -------
        ndarray, shape (levels,)

        Examples
        --------
        >>> haar = PrivateHaar(1.0, 3)
        >>> bool((haar.radii(1000) ** 2 > haar.noise_energy(1000)).all())
        True
        """
        m, cells, noise = self.people(n), self._cells(), self._noise_variances(n)
        beta = _validate.one_real("beta", beta, minimum=1e-100, below=1)
        kurtosis = 5.0 if self.model == "central" else 2 + 3 / m
        # In multiples of the variances, whose squares may lie beyond the range of doubles.
        sampling = np.sqrt(2 * self.maximum * cells + 16 * cells**2 / m) / m
        both = 2 * np.sqrt(cells * noise / m)
        spread = np.hypot(np.hypot(sampling, both), np.sqrt(kurtosis * cells) * noise)
        return np.sqrt(self.noise_energy(n) + np.sqrt(self.levels / beta) * spread)

    def release(self, data: ArrayLike, *, rng: Rng = None) -> Array:
        """Unbiased coefficients of all levels from records in [0, 1], in random order.

        Returns
        -------
        ndarray, shape (2**J - 1,)
            Level after level, of 1, 2, 4, ... coefficients: see :meth:`split`.
        """
        x = np.asarray(_validate.real("data", data, minimum=0, maximum=1))
        if x.ndim != 1 or x.size < self.levels:
            raise ValueError(f"data must be a vector of {self.levels} or more, got shape {x.shape}")
        rng, m = _validate.generator(rng), self.people(x.size)
        finest = 2**self.levels
        half = np.minimum((x * finest).astype(np.int64), finest - 1)
        counts = []
        for level in range(self.levels):
            part = half if self.model == "central" else half[level * m : (level + 1) * m]
            place = part >> (self.levels - 1 - level)
            counts.append(np.bincount(place, minlength=2 ** (level + 1)))
        return self._noisy(counts, m, rng)

    def simulate(self, density: Density, n: int, *, rng: Rng = None, size: int = 1) -> Array:
        """Draw :meth:`release` on fresh samples, at a cost that does not depend on n.

        The counts of the cells are multinomial, and sums of Laplace variables are differences of
        Gamma variables, so that the draws are exact in law.

        Parameters
        ----------
        density : Density
            From which the records are drawn.
        n : int
            Number of people, at least J and at most 10**15.
        rng : Generator, int or None
        size : int
            Independent replications, at least 1.

        Returns
        -------
        ndarray, shape (size, 2**J - 1)

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> found = PrivateHaar(1.0, 3, "local").simulate(linear(1.0), 10**12, rng=0)
        >>> float(found[0, 0].round(2))
        -0.25
        """
        density = _sizes.density(density)
        size = _validate.one_integer("size", size, minimum=1)
        m, rng = self.people(n), _validate.generator(rng)
        _validate.memory("size", size, 8 * 2**self.levels)
        p = density.probabilities(2**self.levels)
        counts = []
        fine = rng.multinomial(m, p, size=size)
        for level in range(self.levels):
            if self.model == "local" and level:
                fine = rng.multinomial(m, p, size=size)
            counts.append(fine.reshape(size, 2 ** (level + 1), -1).sum(axis=2))
        return self._noisy(counts, m, rng)

    def split(self, theta: ArrayLike) -> list[Array]:
        """The levels of coefficients, of shapes (..., 1), (..., 2), ..., (..., 2**(J-1)).

        Examples
        --------
        >>> [level.tolist() for level in PrivateHaar(1.0, 2).split([1.0, 2.0, 3.0])]
        [[1.0], [2.0, 3.0]]
        """
        found = np.asarray(_validate.real("theta", theta, minimum=-_LARGEST, maximum=_LARGEST))
        _validate.entries("theta", found, 2**self.levels - 1)
        return np.split(found, 2 ** np.arange(1, self.levels) - 1, axis=-1)

    def keep(self, theta: ArrayLike, n: int, radii: ArrayLike | None = None) -> Array:
        """The coefficients, with all those of a level set to zero that is not worth its noise.

        Parameters
        ----------
        theta : array_like, shape (..., 2**J - 1)
            From :meth:`release` or :meth:`simulate`.
        n : int
            Number of people.
        radii : array_like, shape (J,), optional
            If given, a level is kept if its length exceeds twice its radius. By default it is
            kept if its squared length exceeds twice the :meth:`noise_energy`, which is when an
            unbiased estimate of the risk says so.

        Returns
        -------
        ndarray, shape (..., 2**J - 1)
        """
        parts = self.split(theta)
        if radii is None:
            least = 2 * self.noise_energy(n)
        else:
            found = _validate.vectors("radii", radii, self.levels)
            if found.ndim != 1:
                raise ValueError(f"radii must be {self.levels} numbers, got shape {found.shape}")
            least = 4 * np.asarray(_validate.real("radii", found, minimum=0, maximum=1e150)) ** 2
        squares = [(y**2).sum(axis=-1, keepdims=True) for y in parts]
        kept = [np.where(e > t, y, 0.0) for y, e, t in zip(parts, squares, least, strict=True)]
        return np.concatenate(kept, axis=-1)

    def heights(self, theta: ArrayLike) -> Array:
        """The curve of given coefficients, in each of 2**J cells: shape (..., 2**J)."""
        parts = self.split(theta)
        curve = np.ones((*parts[0].shape[:-1], 1))
        for level, y in enumerate(parts):
            step = 2 ** (level / 2) * y
            curve = np.stack([curve + step, curve - step], axis=-1)
            curve = curve.reshape(*curve.shape[:-2], -1)
        return curve

    def coefficients(self, density: Density) -> Array:
        """True coefficients of all levels, shape (2**J - 1,).

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> PrivateHaar(1.0, 2).coefficients(linear(1.0)).round(4).tolist()
        [-0.25, -0.0884, -0.0884]
        """
        p = _sizes.density(density).probabilities(2**self.levels)
        halves = [p.reshape(2 ** (level + 1), -1).sum(axis=1) for level in range(self.levels)]
        return np.concatenate(
            [2 ** (level / 2) * (half[::2] - half[1::2]) for level, half in enumerate(halves)]
        )

    def loss(self, theta: ArrayLike, density: Density) -> Real:
        """Integrated squared error of the curve of given coefficients, by Parseval's identity.

        Examples
        --------
        >>> from minimaxdp.density_estimation import linear
        >>> bool(PrivateHaar(1.0, 1).loss([0.0], linear(1.0)) - 1 / 12 < 1e-12)
        True
        """
        found = np.concatenate(self.split(theta), axis=-1)
        true = self.coefficients(density)
        tail = max(0.0, density.squared_integral - 1 - float((true**2).sum()))
        return tail + ((found - true) ** 2).sum(axis=-1)

    def _cells(self) -> Array:
        return 2.0 ** np.arange(self.levels, dtype=float)

    def _scales(self) -> Array:
        """Scale of the noise in a sum over people, or of one person's, for each level."""
        share = self.levels if self.model == "central" else 1
        found: Array = 2 * share * np.sqrt(self._cells()) / self.epsilon
        return found

    def _noise_variances(self, n: int) -> Array:
        m = self.people(n)
        found: Array = 2 * (1 if self.model == "central" else m) * (self._scales() / m) ** 2
        return found

    def _noisy(self, counts: list[NDArray[np.int64]], m: int, rng: np.random.Generator) -> Array:
        found = []
        for level, half in enumerate(counts):
            total = 2 ** (level / 2) * (half[..., ::2] - half[..., 1::2])
            draws = 1 if self.model == "central" else m
            noise = laplace_sum(draws, self._scales()[level], rng=rng, size=total.shape)
            found.append((total + noise) / m)
        return np.concatenate(found, axis=-1)
