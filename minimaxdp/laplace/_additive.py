"""What all mechanisms that add noise to an answer have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee
from minimaxdp.laplace._vector_noise import Noise

__all__ = ["AdditiveMechanism", "ContinuousMechanism"]


class AdditiveMechanism(ABC):
    """An answer plus independent noise in every coordinate.

    A subclass states its `privacy`, the `variance` of its noise in one coordinate, its law
    (`log_density`, or `log_probability` on the integers), and adds the noise in `privatize`.
    """

    sensitivity: Any

    @property
    @abstractmethod
    def privacy(self) -> Guarantee:
        """What the release promises for answers that differ by at most the sensitivity."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Of the noise in one coordinate."""

    @property
    def standard_deviation(self) -> float:
        """Of the noise in one coordinate."""
        return float(np.sqrt(self.variance))

    @property
    def neighbours(self) -> tuple[Any, Any]:
        """Two answers of neighbouring data sets, as far apart as they can be."""
        return 0 * self.sensitivity, self.sensitivity

    @abstractmethod
    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Any:
        """Add independent noise to every coordinate of the answer: any shape to the same."""


class ContinuousMechanism(AdditiveMechanism):
    """A number plus noise of a law with a density; a subclass states the law in `noise`."""

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """The law of the noise in one coordinate."""

    @property
    def variance(self) -> float:
        """Of the noise in one coordinate."""
        return self.noise.variance

    def log_density(self, noise: ArrayLike) -> Real:
        """Log-density of the noise in one coordinate; -inf if it is too far out for a double.

        Examples
        --------
        >>> from minimaxdp.laplace import Laplace
        >>> round(float(np.exp(Laplace(1.0).log_density(0.0))), 12)
        0.5
        """
        noise = np.asarray(_validate.real("noise", noise))
        with np.errstate(over="ignore"):
            return self.noise.log_density(noise[..., None])

    def privatize(self, answer: ArrayLike, *, rng: Rng = None) -> Real:
        """Add independent noise to every coordinate of the answer.

        Parameters
        ----------
        answer : array_like of finite numbers, any shape
        rng : Generator, int or None

        Returns
        -------
        float or ndarray, same shape

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number.

        Examples
        --------
        >>> from minimaxdp.laplace import Gaussian
        >>> Gaussian(1.0).privatize([3.0, 10.0], rng=0).shape
        (2,)
        """
        generator, answer = _validate.generator(rng), np.asarray(_validate.real("answer", answer))
        drawn: Array = self.noise.sample(answer.size, rng=generator).reshape(answer.shape)
        drawn += answer
        return drawn[()]
