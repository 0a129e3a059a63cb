"""Choosing privately: the exponential mechanism and the noisy maximum."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import quad_vec
from scipy.special import log_softmax

from minimaxdp import _validate
from minimaxdp._types import Array, Rng
from minimaxdp.guarantees import Guarantee, Pure
from minimaxdp.laplace._private_data import scores as checked_scores

__all__ = ["ExponentialMechanism", "NoisyMaximum"]

SelectionNoise = Literal["laplace", "exponential"]
# Beyond it a score plus noise of the scale of one loses all of the noise.
_MOST_SCALES = 1e12


@dataclass(frozen=True)
class ExponentialMechanism:
    r"""Choose one of k candidates by its score, a better one exponentially more often.

    .. math:: \Pr(i) = \frac{e^{\varepsilon s_i / 2 \Delta}}{\sum_j e^{\varepsilon s_j / 2 \Delta}}

    Epsilon-differentially private if no score moves by more than Delta between neighbours.
    For study: the draw is made in doubles.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive, at most 700.
    sensitivity : float
        The most that any one score moves between neighbours, positive.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007.

    Examples
    --------
    >>> choose = ExponentialMechanism(epsilon=2.0)
    >>> choose.probabilities([0.0, -1.0]).round(3)
    array([0.731, 0.269])
    >>> choose.privatize([0.0, -1.0, -500.0], rng=0) in (0, 1)
    True
    """

    epsilon: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        _freeze(self)

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Scores of two candidates that move as far as they may, against each other."""
        return _neighbours(self.sensitivity)

    def log_probabilities(self, scores: ArrayLike) -> Array:
        """Logarithm of the probability of each candidate: shape (..., k) to the same.

        Examples
        --------
        >>> ExponentialMechanism(1.0).log_probabilities([0.0, -1500.0]).round(6) + 0.0
        array([   0., -750.])
        """
        return np.asarray(log_softmax(self._weights(scores), axis=-1))

    def probabilities(self, scores: ArrayLike) -> Array:
        """Probability of each candidate: shape (..., k) to the same."""
        return np.exp(self.log_probabilities(scores))

    def privatize(self, scores: ArrayLike, *, rng: Rng = None) -> Any:
        """The index of the candidate chosen, for scores of shape (..., k).

        Parameters
        ----------
        scores : array_like, shape (..., k)
        rng : Generator, int or None

        Returns
        -------
        int or ndarray of int, shape (...)

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number; the message does not show it.

        Notes
        -----
        The largest of the exponents with a Gumbel variable added to each has this law.
        """
        generator = _validate.generator(rng)
        weights = self._weights(scores)
        return np.argmax(weights + generator.gumbel(size=weights.shape), axis=-1)[()]

    def _weights(self, scores: ArrayLike) -> Array:
        scale = 2 * self.sensitivity / self.epsilon
        return checked_scores("scores", scores, _MOST_SCALES * scale) / scale


@dataclass(frozen=True)
class NoisyMaximum:
    r"""Choose the candidate whose score is largest after noise was added to each.

    .. math:: \arg\max_i \Big(s_i + \frac{2 \Delta}{\varepsilon} W_i\Big)

    with independent W of the standard Laplace law, or of the standard exponential one, which
    chooses better and is the mechanism known as permute and flip. Only the index is released.
    Epsilon-differentially private if no score moves by more than Delta between neighbours.
    For study: the noise is made of doubles.

    Parameters
    ----------
    epsilon : float
        Privacy budget in nats, positive, at most 700.
    sensitivity : float
        The most that any one score moves between neighbours, positive.
    noise : {"laplace", "exponential"}

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    C. Dwork, A. Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3;
    R. McKenna, D. Sheldon, "Permute-and-flip", NeurIPS 2020.

    Examples
    --------
    >>> NoisyMaximum(2.0).probabilities([0.0, -1.0]).round(3)
    array([0.724, 0.276])
    >>> NoisyMaximum(2.0, noise="exponential").probabilities([0.0, -1.0]).round(3)
    array([0.816, 0.184])
    """

    epsilon: float
    sensitivity: float = 1.0
    noise: SelectionNoise = "laplace"

    def __post_init__(self) -> None:
        _validate.choice("noise", self.noise, get_args(SelectionNoise))
        _freeze(self)

    @property
    def scale(self) -> float:
        """Scale of the noise, in the units of the scores."""
        return 2 * self.sensitivity / self.epsilon

    @property
    def privacy(self) -> Guarantee:
        """Pure privacy at epsilon."""
        return Pure(self.epsilon)

    @property
    def neighbours(self) -> tuple[Array, Array]:
        """Scores of two candidates that move as far as they may, against each other."""
        return _neighbours(self.sensitivity)

    def probabilities(self, scores: ArrayLike) -> Array:
        r"""Probability of each candidate, by quadrature: shape (k,) to the same.

        .. math:: \Pr(i) = \int h(z - s_i) \prod_{j \ne i} F(z - s_j)\, dz
        """
        levels = np.unique(centres := self._weights(scores))
        if centres.ndim != 1 or len(centres) > 1000:
            raise ValueError("scores must be a vector of at most 1000 candidates")

        def density(z: float) -> Array:
            logs = self._log_cdf(z - centres)
            return np.exp(self._log_density(z - centres) + logs.sum() - logs)

        # Far above the best score nothing reaches; below it, exponential noise never wins, and
        # Laplace noise rarely.
        top = levels[-1]
        ends = [top, top + 40]
        if self.noise == "laplace":
            ends = [top - 40, *levels[levels > top - 40], top + 40]
        found = np.zeros(len(centres))
        for low, high in pairwise(ends):
            found += quad_vec(density, low, high, epsabs=1e-12)[0]
        return found

    def privatize(self, scores: ArrayLike, *, rng: Rng = None) -> Any:
        """The index of the candidate chosen, for scores of shape (..., k).

        Parameters
        ----------
        scores : array_like, shape (..., k)
        rng : Generator, int or None

        Returns
        -------
        int or ndarray of int, shape (...)

        Raises
        ------
        TypeError, ValueError
            If an entry is not a finite number; the message does not show it.

        Examples
        --------
        >>> NoisyMaximum(2.0).privatize([0.0, -1.0, -500.0], rng=0) in (0, 1)
        True
        """
        generator = _validate.generator(rng)
        weights = self._weights(scores)
        drawn = generator.exponential(size=weights.shape)
        if self.noise == "laplace":
            drawn = drawn - generator.exponential(size=weights.shape)
        return np.argmax(weights + drawn, axis=-1)[()]

    def _weights(self, scores: ArrayLike) -> Array:
        return checked_scores("scores", scores, _MOST_SCALES * self.scale) / self.scale

    def _log_density(self, w: Array) -> Array:
        if self.noise == "laplace":
            return -abs(w) - np.log(2)
        return np.where(w >= 0, -w, -np.inf)

    def _log_cdf(self, w: Array) -> Array:
        if self.noise == "laplace":
            return np.where(w < 0, w - np.log(2), np.log1p(-np.exp(-np.maximum(w, 0)) / 2))
        with np.errstate(divide="ignore"):
            return np.where(w > 0, np.log(-np.expm1(-np.maximum(w, 0))), -np.inf)


def _freeze(mechanism: ExponentialMechanism | NoisyMaximum) -> None:
    epsilon = _validate.one_epsilon(mechanism.epsilon)
    sensitivity = _validate.one_real("sensitivity", mechanism.sensitivity, above=0)
    _validate.scale("sensitivity / epsilon", sensitivity / epsilon)
    _validate.freeze(mechanism, epsilon=epsilon, sensitivity=sensitivity)


def _neighbours(sensitivity: float) -> tuple[Array, Array]:
    return np.array([0.0, sensitivity]), np.array([sensitivity, 0.0])
