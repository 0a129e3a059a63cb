"""What a differentially private release can teach: posteriors, and their exact bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from minimaxdp import _validate
from minimaxdp._types import Array

__all__ = ["laplace_posterior"]


def laplace_posterior(
    noisy: ArrayLike, others: ArrayLike, prior: ArrayLike, scale: ArrayLike
) -> Array:
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
        If a number is not finite, a prior is no law, the scale is not positive or the shapes do
        not broadcast.

    Examples
    --------
    >>> laplace_posterior([0.0, 4.0], [0, 3], [0.5, 0.5], 2 / np.log(3)).round(6).tolist()
    [0.25, 0.75]
    """
    noisy, others = _validate.real("noisy", noisy), _validate.real("others", others, minimum=0)
    prior = _validate.distribution("prior", prior)
    scale = np.asarray(_validate.real("scale", scale, above=0))[..., None]
    _validate.broadcast(noisy=noisy, others=others, prior=prior, scale=scale)
    with np.errstate(over="ignore"):
        rest = np.asarray(noisy) - others
        # Only the count of value s differs between hypotheses: this is |rest - 1| - |rest|,
        # taken from its least value before a small scale magnifies it.
        change = np.clip(1 - 2 * rest, -1.0, 1.0)
        possible = np.where(prior > 0, change, np.inf).min(axis=-1, keepdims=True)
        loss = np.where(prior > 0, (change - possible) / scale, 0.0)
    with np.errstate(divide="ignore"):
        return softmax(np.log(prior) - loss, axis=-1)
