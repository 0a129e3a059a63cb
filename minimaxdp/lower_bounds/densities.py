r"""Lipschitz densities on the unit cube: floors with and without privacy."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from minimaxdp import _validate
from minimaxdp.lower_bounds.packing import log_binary_packing_size
from minimaxdp.lower_bounds.testing import packing_error

__all__ = ["bump_energy", "density_dp", "density_nonprivate"]


def bump_energy(d: int, radius: float) -> float:
    r"""Squared norm of a cone of slope one, the bump of which the packings are built.

    .. math:: \int (R - |x|)_+^2\, dx = \frac{2 V_d R^{d + 2}}{(d + 1)(d + 2)}, \qquad
              V_d = \frac{\pi^{d/2}}{\Gamma(\frac d2 + 1)}

    Parameters
    ----------
    d : int
        Dimension, at least 1.
    radius : float
        R, which is also the height; positive.

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
    radius = _validate.one_real("radius", radius, above=0)
    ball = np.exp(d / 2 * np.log(np.pi) - gammaln(d / 2 + 1))
    return float(2 * ball * radius ** (d + 2) / ((d + 1) * (d + 2)))


def density_nonprivate(n: int, d: int = 1) -> float:
    r"""Floor for a 1-Lipschitz density on the cube in squared L2, without privacy.

    .. math:: \mathfrak M_n \ge \max_R\, m\, G \Big(1 - \frac{G}{1 + \sqrt{1 - R^2}}\Big)^{2n}

    over grids of cells of width 2R: m pairs of cells carry a cone up and a cone down, of energy
    G together, with the sign of each pair unknown (Assouad). The rate is
    :math:`n^{-2/(d + 2)}`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    d : int
        Dimension, at least 1.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), the first term of equation (18) (claim ``BD-Prop5``).

    Examples
    --------
    >>> density_nonprivate(1000) > density_nonprivate(8000) > density_nonprivate(1000) / 8
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    best = 0.0
    for per_side, pairs in _grids(d, float(n) ** (1 / (d + 2))):
        radius = 0.5 / per_side
        energy = 2 * bump_energy(d, radius)
        lost = energy / (1 + np.sqrt(1 - radius**2))
        best = max(best, pairs * energy * np.exp(2 * n * np.log1p(-lost)))
    return float(best)


def density_dp(n: int, epsilon: float, d: int = 1) -> float:
    r"""Floor for a 1-Lipschitz density on the cube in squared L2, under differential privacy.

    .. math:: \mathfrak M_n \ge \max_{R, h}\; h\, G\; P_{\mathrm{err}}(n, R, \varepsilon,
              |\mathcal V|), \qquad |\mathcal V| \ge \frac{2^m}{\sum_{i < h} \binom mi}

    over the same grids: densities whose signs differ in h of m pairs of cells are
    :math:`2 \sqrt{h G}` apart, and each is the mixture :math:`(1 - R) f_0 + R f_\nu` of the
    uniform density and one that is 1/R-Lipschitz. The rate is
    :math:`(n \varepsilon)^{-2/(d + 1)}`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    epsilon : float
        Budget in nats, positive.
    d : int
        Dimension, at least 1.

    Returns
    -------
    float
        The private floor alone; :func:`density_nonprivate` holds as well.

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
    >>> density_dp(1000, 0.01) > density_nonprivate(1000)
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    epsilon = _validate.one_epsilon(epsilon)
    best = 0.0
    for per_side, pairs in _grids(d, (n * epsilon) ** (1 / (d + 1))):
        radius = 0.5 / per_side
        energy = 2 * bump_energy(d, radius)
        shares = np.unique(np.maximum(1, (pairs * np.array([0.06, 0.12, 0.2, 0.3])).astype(int)))
        for h, size in zip(shares, log_binary_packing_size(pairs, shares), strict=True):
            log_m = max(float(size), np.log(2))  # two opposite points always exist
            best = max(best, h * energy * packing_error(n, radius, epsilon, log_m, log=True))
    return float(best)


def _grids(d: int, scale: float) -> list[tuple[int, int]]:
    """Cells per side around a scale, each with its number of pairs of cells."""
    d = _validate.one_integer("d", d, minimum=1)
    sides = np.unique(np.maximum(1, (scale * np.geomspace(0.05, 3, 24)).astype(int)))
    return [(int(k), int(k) ** d // 2) for k in sides if int(k) ** d >= 2] or [(2, 2**d // 2)]
