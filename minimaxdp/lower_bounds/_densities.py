r"""Lipschitz densities on the unit cube: floors with and without privacy."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from minimaxdp import _validate
from minimaxdp.guarantees import Guarantee, NonPrivate, Pure
from minimaxdp.lower_bounds._packing import log_binary_packing_size
from minimaxdp.lower_bounds._testing import packing_error

__all__ = ["bump_energy", "density_floor"]


def bump_energy(d: int, radius: float) -> float:
    r"""Squared norm of a cone of slope one, the bump of which the packings are built.

    .. math:: \int (R - |x|)_+^2\, dx = \frac{2 V_d R^{d + 2}}{(d + 1)(d + 2)}, \qquad
              V_d = \frac{\pi^{d/2}}{\Gamma(\frac d2 + 1)}

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    radius : float
        R, which is also the height; positive and at most 1.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> round(bump_energy(1, 1.0), 12)
    0.666666666667
    """
    d = _validate.one_integer("d", d, minimum=1)
    radius = _validate.one_real("radius", radius, above=0, maximum=1)
    ball = np.exp(d / 2 * np.log(np.pi) - gammaln(d / 2 + 1))
    return float(2 * ball * radius ** (d + 2) / ((d + 1) * (d + 2)))


def density_floor(n: int, d: int, privacy: Guarantee) -> float:
    r"""Lower bound for a 1-Lipschitz density on the cube in squared L2.

    Over grids of cells of width 2R: m pairs of cells carry a cone up and a cone down, of energy G
    together, with the sign of each pair unknown. Without privacy Assouad's argument gives

    .. math:: \mathfrak M_n \ge \max_R\, m\, G \Big(1 - \frac{G}{1 + \sqrt{1 - R^2}}\Big)^{2n}

    of the rate :math:`n^{-2/(d + 2)}`; pure privacy, by packings whose densities differ in the
    signs of h pairs and so are :math:`2 \sqrt{h G}` apart,

    .. math:: \mathfrak M_n \ge \max_{R, h}\; h\, G\; P_{\mathrm{err}}(n, R, \varepsilon,
              |\mathcal V|), \qquad |\mathcal V| \ge \frac{2^m}{\sum_{i < h} \binom mi}

    of the rate :math:`(n \varepsilon)^{-2/(d + 1)}`; each density is the mixture
    :math:`(1 - R) f_0 + R f_\nu` of the uniform one and one that is 1/R-Lipschitz.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    d : int
        Dimension, from 1 to 20.
    privacy : Guarantee
        None, or what implies pure privacy.

    Returns
    -------
    float
        The larger of the two.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 5, equations (18) and (30) (claim ``BD-Prop5``). The
    separation in the theorem is half of :math:`2 \sqrt{h G}`.

    Examples
    --------
    >>> density_floor(1000, 1, Pure(0.01)) > density_floor(1000, 1, NonPrivate())
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=1, maximum=20)
    if isinstance(_validate.instance("privacy", privacy, Guarantee), NonPrivate):
        return _plain(n, d)
    epsilon = _validate.scalar("privacy", np.asarray(privacy.implies(Pure).epsilon))
    return max(_plain(n, d), _private(n, d, Pure(epsilon)))


def _plain(n: int, d: int) -> float:
    best = 0.0
    for per_side, pairs in _grids(d, float(n) ** (1 / (d + 2))):
        radius = 0.5 / per_side
        energy = 2 * bump_energy(d, radius)
        lost = energy / (1 + np.sqrt(1 - radius**2))
        best = max(best, pairs * energy * np.exp(2 * n * np.log1p(-lost)))
    return float(best)


def _private(n: int, d: int, pure: Pure) -> float:
    best = 0.0
    for per_side, pairs in _grids(d, (n * pure.epsilon) ** (1 / (d + 1))):
        radius = 0.5 / per_side
        energy = 2 * bump_energy(d, radius)
        shares = np.unique(np.maximum(1, (pairs * np.array([0.06, 0.12, 0.2, 0.3])).astype(int)))
        for h, size in zip(
            shares, np.atleast_1d(log_binary_packing_size(pairs, shares)), strict=True
        ):
            log_m = max(float(size), np.log(2))  # two opposite points always exist
            best = max(best, h * energy * packing_error(n, radius, log_m, pure, log=True))
    return float(best)


def _grids(d: int, scale: float) -> list[tuple[int, int]]:
    """Cells per side around a scale, each with its number of pairs of cells."""
    sides = np.unique(np.maximum(1, (scale * np.geomspace(0.05, 3, 24)).astype(int)))
    return [(int(k), int(k) ** d // 2) for k in sides if int(k) ** d >= 2] or [(2, 2**d // 2)]
