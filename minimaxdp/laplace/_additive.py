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

__all__ = ["AdditiveMechanism", "plus_noise"]


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


def plus_noise(answer: ArrayLike, noise: Noise, rng: Rng) -> Real:
    """An answer of any shape, each coordinate with a draw of its own from noise of one."""
    generator, answer = _validate.generator(rng), np.asarray(_validate.real("answer", answer))
    drawn: Array = noise.sample(answer.size, rng=generator).reshape(answer.shape)
    drawn += answer
    return drawn[()]
