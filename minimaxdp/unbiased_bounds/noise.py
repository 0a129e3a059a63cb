"""Unbiased noise shaped by an ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp.mean_estimation import CoordinateLaplace, GaussianNoise, NormLaplace
from minimaxdp.unbiased_bounds.least import LeastEllipsoid, least_ellipsoid

__all__ = ["EllipsoidNoise"]

Rng = np.random.Generator | int | None
Law = Literal["gaussian", "laplace", "norm"]


@dataclass(frozen=True)
class EllipsoidNoise:
    r"""A private mean of n points of a body: unbiased noise :math:`V^{1/2} Z`.

    With V around the difference body :math:`\tfrac12 (K - K)` one record moves the mean by at
    most :math:`2/n` in the norm of V, and the noise Z in r = rank V dimensions is

    ==========  ==================================================  ===========================
    law         density proportional to                             covariance of the answer
    ==========  ==================================================  ===========================
    gaussian    :math:`e^{-\rho n^2 \|z\|_2^2 / 4}`                 :math:`2 V / (\rho n^2)`
    laplace     :math:`e^{-\varepsilon n \|z\|_1 / (2 \sqrt r)}`    :math:`8 r V / (\varepsilon n)^2`
    norm        :math:`e^{-\varepsilon n \|z\|_2 / 2}`              :math:`4 (r + 1) V / (\varepsilon n)^2`
    ==========  ==================================================  ===========================

    Parameters
    ----------
    ellipsoid : LeastEllipsoid
        Around the difference body (a free fit serves too: its V is larger).
    n : int
        Number of records, at least 1.
    budget : float
        rho of zero-concentrated privacy for the gaussian law, epsilon for the others; positive.
    law : {"gaussian", "laplace", "norm"}

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Tang's slides (claims ``Tang-zCDP-constant``, ``Tang-error``); the l2-norm noise is that of
    Hardt and Talwar (2010).

    Examples
    --------
    >>> corners = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> noise = EllipsoidNoise.for_points(corners, n=10, budget=0.5)
    >>> noise.covariance.round(6)
    array([[0.08, 0.  ],
           [0.  , 0.08]])
    >>> noise.privatize([0.1, 0.2], rng=0).shape
    (2,)
    """  # noqa: E501

    ellipsoid: LeastEllipsoid = field(repr=False)
    n: int
    budget: float
    law: Law = "gaussian"

    def __post_init__(self) -> None:
        if not isinstance(self.ellipsoid, LeastEllipsoid):
            raise TypeError(
                f"ellipsoid must be a LeastEllipsoid, got {type(self.ellipsoid).__name__}"
            )
        n = _validate.one_integer("n", self.n, minimum=1)
        budget = _validate.one_real("budget", self.budget, above=0)
        if self.law not in ("gaussian", "laplace", "norm"):
            raise ValueError(f"law must be 'gaussian', 'laplace' or 'norm', got {self.law!r}")
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "budget", budget)

    @classmethod
    def for_points(
        cls, points: ArrayLike, n: int, budget: float, law: Law = "gaussian"
    ) -> EllipsoidNoise:
        """Noise for the convex hull of points, shaped by the least ellipsoid of differences."""
        return cls(least_ellipsoid(points, fit="difference"), n, budget, law)

    @property
    def factor(self) -> float:
        """Covariance of the answer over V."""
        return self._noise.energy / self.ellipsoid.rank

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Of the answer, shape (d, d)."""
        return self.factor * self.ellipsoid.matrix

    @property
    def error(self) -> float:
        """The l2 error: root of the trace of the covariance."""
        return float(np.sqrt(self.factor * (self.ellipsoid.lengths**2).sum()))

    def log_density(self, noise: ArrayLike) -> Any:
        """Log-density of the noise on the space that V spans: (..., d) to (...)."""
        noise = _validate.vectors("noise", noise, len(self.ellipsoid.centre))
        lengths, axes = self.ellipsoid.lengths, self.ellipsoid.axes
        return self._noise.log_density(noise @ axes / lengths) - np.log(lengths).sum()

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> NDArray[np.float64]:
        """Add independent noise to means along the last axis: (..., d) to the same.

        Parameters
        ----------
        answer : array_like, shape (..., d)
            True means.
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (..., d)

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number, or the last axis has not d entries.
        """
        answer = _validate.vectors("answer", answer, len(self.ellipsoid.centre))
        z = self._noise.sample(int(np.prod(answer.shape[:-1])), rng=rng)
        return answer + z.reshape(*answer.shape[:-1], -1) @ self.ellipsoid.root.T

    @property
    def _noise(self) -> GaussianNoise | CoordinateLaplace | NormLaplace:
        """The law of Z, which hides moves of l2-norm 2/n."""
        r = self.ellipsoid.rank
        if self.law == "gaussian":
            return GaussianNoise(np.sqrt(2 / self.budget) / self.n, r)
        if self.law == "laplace":
            return CoordinateLaplace(2 * np.sqrt(r) / (self.n * self.budget), r)
        return NormLaplace(2 / (self.n * self.budget), r)
