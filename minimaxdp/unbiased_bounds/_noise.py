"""Unbiased noise shaped by an ellipsoid."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee
from minimaxdp.laplace import GaussianNoise, L2LaplaceNoise, LaplaceNoise, Noise
from minimaxdp.unbiased_bounds._ellipsoids import MinTraceEllipsoid, min_trace_ellipsoid

__all__ = ["EllipsoidNoise"]

Law = Literal["gaussian", "laplace", "l2_laplace"]
LAWS = ("gaussian", "laplace", "l2_laplace")
# Noise along an axis is at least so many times what rounding does to a release along it.
_RESOLVED = 64.0


@dataclass(frozen=True)
class EllipsoidNoise:
    r"""A private mean of n points of a body: unbiased noise :math:`V^{1/2} Z`.

    With V around the difference body :math:`\tfrac12 (K - K)` one record moves the mean by at
    most :math:`2/n` in the norm of V, and the noise Z in r = rank V dimensions is

    ==========  ==================================================  ===========================
    law         density proportional to                             covariance of the answer
    ==========  ==================================================  ===========================
    gaussian    :math:`e^{-n^2 \|z\|_2^2 / (8 \sigma^2)}`            :math:`4 \sigma^2 V / n^2`
    laplace     :math:`e^{-\varepsilon n \|z\|_1 / (2 \sqrt r)}`    :math:`8 r V / (\varepsilon n)^2`
    l2_laplace  :math:`e^{-\varepsilon n \|z\|_2 / 2}`              :math:`4 (r + 1) V / (\varepsilon n)^2`
    ==========  ==================================================  ===========================

    with sigma that of :meth:`~minimaxdp.guarantees.Guarantee.gaussian_sigma` (:math:`2 V/(\rho n^2)` under
    zero-concentrated privacy) and epsilon that of :meth:`~minimaxdp.guarantees.Guarantee.pure_epsilon`.

    Parameters
    ----------
    ellipsoid : MinTraceEllipsoid
        Around the difference body (a free fit serves too: its V is larger).
    n : int
        Number of records, at least 1.
    privacy : Guarantee
        What the release keeps, exactly.
    law : {"gaussian", "laplace", "l2_laplace"}, optional
        By default normal noise where it keeps the guarantee, else noise by the l2-norm.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, the ellipsoid has an axis of no length, or the noise
        along an axis would be lost in the rounding of the coordinates: then an answer would be
        released as it is. Subtracting a public point of the body first makes room.

    Notes
    -----
    The noise has the least trace, so that every column must be in the same unit, or in units in
    which its errors weigh alike: a column that is short beside another gets noise of the geometric
    mean of both lengths, which may be far more than its own. Columns that differ by more than
    they should are divided by their ranges first, and multiplied after the release.

    Tang's slides (claims ``Tang-zCDP-constant``, ``Tang-error``); the l2-norm noise is that of
    Hardt and Talwar (2010).

    Examples
    --------
    >>> from minimaxdp.guarantees import ZCDP
    >>> corners = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
    >>> noise = EllipsoidNoise.for_points(corners, 10, ZCDP(0.5))
    >>> noise.covariance.round(6)
    array([[0.08, 0.  ],
           [0.  , 0.08]])
    >>> noise.privatize([0.1, 0.2], rng=0).shape, noise.log_density([0.0, 0.0])
    ((2,), 0.6878)
    """  # noqa: E501

    ellipsoid: MinTraceEllipsoid = field(repr=False)
    n: int
    privacy: Guarantee
    law: Law | None = None

    def __post_init__(self) -> None:
        _validate.instance("ellipsoid", self.ellipsoid, MinTraceEllipsoid)
        _check_axes(self.ellipsoid)
        n = _validate.one_integer("n", self.n, minimum=1)
        _validate.instance("privacy", self.privacy, Guarantee)
        if self.privacy.relation != "replacement":
            raise ValueError(
                f"privacy must have the relation 'replacement': n is fixed, got {self.privacy!r}"
            )
        sigma = _validate.scalar("privacy", np.asarray(self.privacy.gaussian_sigma()))
        law = self.law
        if law is None:
            law = "gaussian" if 0 < sigma < np.inf else "l2_laplace"
        _validate.choice("law", law, LAWS)
        size = sigma if law == "gaussian" else 1 / self.privacy.pure_epsilon()
        _validate.one_real(f"privacy's scale of {law} noise", size, above=1e-100, below=1e100)
        _validate.freeze(self, n=n, law=law)
        self._check_resolution()

    @classmethod
    def for_points(
        cls, points: ArrayLike, n: int, privacy: Guarantee, law: Law | None = None
    ) -> EllipsoidNoise:
        """Noise for the convex hull of points, shaped by the least ellipsoid of differences."""
        return cls(min_trace_ellipsoid(points, fit="difference"), n, privacy, law)

    def _check_resolution(self) -> None:
        """Refuse noise that doubles of the size of an answer cannot hold."""
        shape = self.ellipsoid
        share = np.sqrt(self.factor)
        extent = np.linalg.norm(shape.root, axis=1)
        # Any answer and its noise, coordinate by coordinate; then what rounding does along an axis.
        size = abs(self._base) + (2 + 4 * share) * extent
        lost = np.finfo(float).eps * size @ abs(shape.axes)
        if np.any(share * shape.lengths < _RESOLVED * lost):
            raise ValueError(
                f"n must leave noise that doubles can hold beside coordinates of {size.max():.3g}, "
                f"got {self.n}: subtract a public point of the body from the data first"
            )

    @property
    def factor(self) -> float:
        """Covariance of the answer over V."""
        return self._noise.second_moment / self.ellipsoid.rank

    @property
    def covariance(self) -> Array:
        """Of the answer, shape (d, d)."""
        return self.factor * self.ellipsoid.matrix

    @property
    def error(self) -> float:
        """The l2 error: root of the trace of the covariance."""
        return float(np.sqrt(self.factor * (self.ellipsoid.lengths**2).sum()))

    def log_density(self, noise: ArrayLike) -> Real:
        """Log-density of the noise on the space that V spans: (..., d) to (...)."""
        noise = _validate.vectors("noise", noise, len(self.ellipsoid.centre))
        lengths, axes = self.ellipsoid.lengths, self.ellipsoid.axes
        return self._noise.log_density(noise @ axes / lengths) - np.log(lengths).sum()

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Array:
        """Add independent noise to means along the last axis: (..., d) to the same.

        Of a mean in the space that a flat body spans, only the noisy coordinates along the axes
        are released: what rounding leaves beside that space is replaced by the public `base`.

        Parameters
        ----------
        answer : array_like, shape (..., d)
            True means of points of the body.
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (..., d)

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number, the last axis has not d entries, or the answer
            lies outside the space that the body spans.
        """
        answer = _validate.vectors("answer", answer, len(self.ellipsoid.centre))
        rng, shape = _validate.generator(rng), self.ellipsoid
        z = self._noise.sample(int(np.prod(answer.shape[:-1])), rng=rng)
        z = z.reshape(*answer.shape[:-1], -1)
        if shape.rank == len(shape.centre):
            return answer + z @ shape.root.T
        inside, off = shape._split(answer, self._base)
        if np.any(off):
            raise ValueError(
                "answer must lie in the space that the body spans: noise hides no more"
            )
        return self._base + (inside + z * shape.lengths) @ shape.axes.T

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Two answers as far apart as one record can move them: along the longest axis."""
        shape = self.ellipsoid
        longest = int(np.argmax(shape.lengths))
        return self._base, self._base + 2 / self.n * shape.lengths[longest] * shape.axes[:, longest]

    @property
    def _base(self) -> Array:
        """A point of the space that the body spans."""
        return self.ellipsoid.centre if self.ellipsoid.base is None else self.ellipsoid.base

    @cached_property
    def _noise(self) -> Noise:
        """The law of Z, which hides moves of l2-norm 2/n."""
        r, move = self.ellipsoid.rank, 2 / self.n
        if self.law == "gaussian":
            return GaussianNoise(float(self.privacy.gaussian_sigma(move)), r)
        scale = move / float(self.privacy.pure_epsilon())
        return (
            LaplaceNoise(np.sqrt(r) * scale, r)
            if self.law == "laplace"
            else L2LaplaceNoise(scale, r)
        )


def _check_axes(shape: MinTraceEllipsoid) -> None:
    """An ellipsoid that was made by hand must be one."""
    lengths, axes = np.asarray(shape.lengths), np.asarray(shape.axes)
    if lengths.ndim != 1 or axes.shape != (len(np.asarray(shape.centre)), len(lengths)):
        raise ValueError(
            f"ellipsoid must have one axis for each length, got {axes.shape} and {lengths.shape}"
        )
    if not lengths.size or not np.all((lengths > 0) & np.isfinite(lengths)):
        raise ValueError(f"ellipsoid must have axes of positive finite length, got {lengths}")
    if not np.allclose(axes.T @ axes, np.eye(len(lengths)), rtol=0, atol=1e-6):
        raise ValueError("ellipsoid must have orthonormal axes")
