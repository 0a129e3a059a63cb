r"""Sharper floors of a Hölder density on the unit interval: a row of waves, each a sign."""

from __future__ import annotations

import numpy as np

from minimaxdp import _validate
from minimaxdp.guarantees import Guarantee, Local, NonPrivate, Pure, TotalVariation
from minimaxdp.lower_bounds._bits import best_bit_floor
from minimaxdp.lower_bounds._curator_means import level
from minimaxdp.lower_bounds._power import best_counted_floor

__all__ = ["holder_density_floor"]

MOST_SIGNS = 5_000  # of one wave, whose Bayes risks are summed


def holder_density_floor(n: int, privacy: Guarantee, beta: float = 1.0) -> float:
    r"""Lower bound for a density on [0, 1] with a Hölder condition, in integrated squares.

    The interval is cut into m cells of width :math:`W = 1/m`; on each the density is
    :math:`1 + a_j \psi` with a wave of two triangles, up and down, of height
    :math:`H = 2^{-1-\beta} W^\beta`. For each h from H to 1 a record is a sign of mean
    :math:`h a_j` with probability :math:`W H/2h` and independent of it otherwise, so that

    .. math:: \mathfrak M_n \ge \max_m \frac{H^2}{3}\, V_h\Big(n, \frac{W H}{2h}\Big)

    with :math:`V_h` a floor for :math:`a` in [-1, 1] from signs of mean :math:`h a` that are seen
    with that probability. At h = 1 it is that of a proportion (:func:`proportion_floors` has the
    case of probability one); at h = H a test at every threshold.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    privacy : Guarantee
        Of single levels; a curator's with a total-variation level, ``Local(Pure(epsilon))``, or
        none.
    beta : float
        Smoothness: :math:`|f(x) - f(y)| \le |x - y|^\beta`, in (0, 1].

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Stated and proved in the part "Going further" of the chapter on densities.

    Examples
    --------
    >>> holder_density_floor(1000, Pure(0.05)) > 4 * holder_density_floor(1000, NonPrivate())
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    beta = _validate.one_real("beta", beta, above=0, maximum=1)
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.single_levels(privacy)
    # Cells whose signs are seen by about one person, or told about once.
    seen = float(n)
    scale = (seen / 16) ** (1 / (2 * beta + 1))
    if isinstance(privacy, Local):
        odds = float(np.expm1(min(level(privacy, Pure), 3.0)))
        scale = min(scale, (seen * min(odds, 4.0) ** 2 / 16) ** (1 / (2 * beta + 2)))
    elif not isinstance(privacy, NonPrivate):
        told = max(level(privacy, TotalVariation), 1e-12)
        scale = min(scale, (seen * told / 4) ** (1 / (beta + 1)))
    size = 105 if isinstance(privacy, Local) else 14
    cells = np.unique(np.maximum(1, np.round(scale * np.geomspace(0.15, 5, size))))
    waves = [(int(m), 2 ** (-1 - beta) * float(m) ** -beta) for m in cells]
    options = [(height**2 / 3, height / (2 * m)) for m, height in waves]
    if beta == 1:  # a single slope over the whole interval
        options.append((1 / 12, 0.25))
    best = best_bit_floor(seen, options, privacy)
    if isinstance(privacy, Local):
        return best
    if isinstance(privacy, NonPrivate):
        privacy = TotalVariation(1.0)  # which promises nothing either
    signs = [(1 / 3, 1 / (2 * m), height) for m, height in waves]
    if beta == 1:
        signs.append((1 / 3, 0.5, 0.5))
    hidden = level(privacy, TotalVariation)
    short = [
        (weight, q, reach)
        for weight, q, reach in signs
        if seen * q <= MOST_SIGNS and 0.3 <= seen * q * reach * hidden <= 8
    ]
    return max(best, best_counted_floor(seen, privacy, short))
