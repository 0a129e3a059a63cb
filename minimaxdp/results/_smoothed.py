r"""A Lipschitz density by cosines whose weights fall along a line, with noise on each."""

from __future__ import annotations

import numpy as np

from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import Guarantee, TotalVariation

__all__ = ["smoothed_series"]


def smoothed_series(n: int, privacy: Guarantee) -> float:
    r"""Bound on the risk of weighted cosine coefficients of a 1-Lipschitz density on [0, 1].

    .. math:: \mu^2 + \frac1n \Big(\sum_j \lambda_j^2 + \frac1\pi \Big(\sum_j
              \frac{\lambda_j^4}{8 j^2}\Big)^{1/2}\Big) + 2\, C_J \sum_j \lambda_j^2, \qquad
              \lambda_j = (1 - \pi j \mu)_+

    with :math:`C_J` the second moment of the noise that hides a mean in the unit ball of the J
    dimensions with a weight: the weighted coefficients of a record have a length of at most
    :math:`(2 \sum \lambda_j^2)^{1/2}`. Under total variation a random subset competes.
    """
    best = np.inf
    people = [(float(n), True)]
    if isinstance(privacy, TotalVariation) and (m := int(me.subset_size(n, privacy))):
        people.append((float(m), False))
    for size, noisy in people:
        for mu in np.geomspace(0.3, 0.02 * size ** (-1 / 3), 40):
            j = np.arange(1, int(1 / (np.pi * mu)) + 1)
            weight = 1 - np.pi * j * mu
            energy = (weight**2).sum()
            sampling = (energy + np.sqrt((weight**4 / (8 * j**2)).sum()) / np.pi) / size
            noise = 0.0
            if noisy and j.size:
                noise = 2 * energy * float(me.noise_second_moment(n, j.size, privacy))
            best = min(best, float(mu**2 + sampling + noise))
    return best
