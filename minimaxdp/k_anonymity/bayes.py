"""What a differentially private release can teach: posteriors, and their exact bound."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, softmax

from minimaxdp import _validate

__all__ = ["laplace_posterior", "posterior_bounds"]


def posterior_bounds(prior: ArrayLike, epsilon: ArrayLike) -> tuple[Any, Any]:
    r"""Between which values a belief can move on seeing an epsilon-private output.

    .. math:: \frac{\pi}{\pi + e^{\varepsilon} (1 - \pi)} \le \pi(y) \le
              \frac{e^{\varepsilon} \pi}{e^{\varepsilon} \pi + 1 - \pi}

    Posterior odds are prior odds times a ratio of probabilities of the output, and that ratio
    lies within :math:`e^{\pm\varepsilon}` if the two hypotheses differ in one person's record,
    whatever else the attacker knows. Attained: by randomized response.

    Parameters
    ----------
    prior : array_like
        Probability of a statement about one person, given all other records; between 0 and 1.
    epsilon : array_like
        Privacy budget in nats, positive; over several releases their sum.

    Returns
    -------
    (low, high) : floats or ndarrays
        By broadcasting.

    Raises
    ------
    TypeError, ValueError
        If a prior is no probability or a budget is not positive.

    Examples
    --------
    >>> low, high = posterior_bounds(0.5, np.log(3))
    >>> round(float(low), 6), round(float(high), 6)
    (0.25, 0.75)
    """
    prior = _validate.real("prior", prior, minimum=0, maximum=1)
    epsilon = _validate.epsilon(epsilon)
    return expit(logit(prior) - epsilon), expit(logit(prior) + epsilon)


def laplace_posterior(
    noisy: ArrayLike, others: ArrayLike, prior: ArrayLike, scale: ArrayLike
) -> NDArray[np.float64]:
    r"""Exact belief about one person's value after counts with Laplace noise, all others known.

    .. math:: \pi(s \mid y) \propto \pi(s) \exp\Big( - \frac{1}{b} \sum_r
              \big| y_r - o_r - [r = s] \big| \Big)

    Parameters
    ----------
    noisy : array_like, shape (..., m)
        The released counts y of the m values in the person's class, with independent Laplace
        noise.
    others : array_like, shape (..., m)
        The true counts o without the person: the strongest attacker.
    prior : array_like, shape (..., m)
        Probability vectors: the belief before the release.
    scale : array_like
        Scale b of the noise, positive, broadcast against the leading axes. A person who changes
        value changes two counts by 1, so that b = 2/epsilon makes the release epsilon-private.

    Returns
    -------
    ndarray, shape (..., m)

    Raises
    ------
    TypeError, ValueError
        If a number is not finite, a prior is no law or the scale is not positive.

    Examples
    --------
    >>> laplace_posterior([0.0, 4.0], [0, 3], [0.5, 0.5], 2 / np.log(3)).round(6).tolist()
    [0.25, 0.75]
    """
    noisy, others = _validate.real("noisy", noisy), _validate.real("others", others, minimum=0)
    prior = _validate.distribution("prior", prior)
    scale = np.asarray(_validate.real("scale", scale, above=0))[..., None]
    rest = np.asarray(noisy) - others
    # Only the count of value s differs between hypotheses; the common terms cancel.
    change = (abs(rest - 1) - abs(rest)) / scale
    with np.errstate(divide="ignore"):
        return softmax(np.log(prior) - change, axis=-1)
