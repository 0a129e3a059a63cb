"""A direct question that some people evade, against randomized response."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Real
from minimaxdp.randomized_response._binary import binary_variance

__all__ = ["evasive_survey_risk", "survey_crossover"]


@_validate.broadcasting
def evasive_survey_risk(theta: ArrayLike, evasion: ArrayLike, n: ArrayLike) -> Real:
    r"""Mean squared error of a direct question that some people answer falsely.

    Those who bear the trait deny it with probability `evasion`; nobody claims it falsely:

    .. math:: (\lambda\theta)^2 + \frac{\pi (1 - \pi)}{n}, \qquad \pi = (1 - \lambda) \theta

    Parameters
    ----------
    theta : array_like
        Proportion of the population with the trait, in [0, 1].
    evasion : array_like
        Probability lambda that one of them denies it, in [0, 1].
    n : array_like of int
        Number of people asked, at least 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a probability lies outside [0, 1] or n is not a positive integer.

    Examples
    --------
    >>> round(float(evasive_survey_risk(0.3, 0.5, 10**6)) ** 0.5, 3)  # the bias stays
    0.15
    """
    theta = _validate.real("theta", theta, minimum=0, maximum=1)
    evasion = _validate.real("evasion", evasion, minimum=0, maximum=1)
    n = _validate.integer("n", n, minimum=1)
    told = theta * (1 - evasion)
    return (theta - told) ** 2 + told * (1 - told) / n


@_validate.broadcasting
def survey_crossover(theta: ArrayLike, evasion: ArrayLike, epsilon: ArrayLike) -> Real:
    r"""Sample size from which randomized response beats the evaded direct question.

    .. math:: n^\star = \frac{\theta(1-\theta) + \frac{1}{4 \sinh^2(\varepsilon/2)}
              - \pi(1-\pi)}{(\lambda \theta)^2}, \qquad \pi = (1 - \lambda) \theta

    Parameters
    ----------
    theta : array_like
        Proportion of the population with the trait, in (0, 1].
    evasion : array_like
        Probability lambda that one of them denies it when asked directly, in (0, 1].
    epsilon : array_like
        Privacy budget in nats, positive.

    Returns
    -------
    float or ndarray
        A real number; at most 0 where randomized response is always better, and infinite where
        it lies beyond the doubles.

    Raises
    ------
    TypeError, ValueError
        If a probability lies outside (0, 1] or epsilon is not positive and finite.

    Examples
    --------
    >>> round(float(survey_crossover(0.3, 0.2, 1.0)))
    263
    """
    theta = _validate.real("theta", theta, above=0, maximum=1)
    evasion = _validate.real("evasion", evasion, above=0, maximum=1)
    bias = theta * evasion
    noise = binary_variance(epsilon, 1)
    # theta (1 - theta) - told (1 - told) is this bias times 1 - theta - told.
    with np.errstate(over="ignore", divide="ignore"):  # beyond the largest double: infinite
        return (noise / bias + 1 - 2 * theta + bias) / bias
