r"""The end of a support: uniform data on [0, theta], a floor, and a mechanism that attains it."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, TotalVariation
from minimaxdp.lower_bounds import _forms as forms
from minimaxdp.lower_bounds._mean_methods import le_cam_floor
from minimaxdp.lower_bounds._testing import tv_level

__all__ = ["endpoint_floor", "subset_maximum", "subset_maximum_risk"]


def endpoint_floor(
    n: ArrayLike, privacy: Guarantee, *, variant: Literal["best", "closed", "paper"] = "best"
) -> Real:
    r"""Lower bound on the absolute error of the end of a support.

    .. math:: \mathfrak M_n \ge \max_{0 < \delta \le 1} \frac\delta2
              \big(1 - \mathbb E \min\{1, \alpha B\}\big), \qquad B \sim \mathrm{Bin}(n, \delta)

    for the uniform laws on :math:`[0, \theta]`, :math:`0 < \theta \le 1`; the paper has
    :math:`\frac\delta4 (1 - n \alpha \delta)`, so :math:`\frac1{16 n \alpha}` from
    :math:`n \alpha = \frac12` on.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    privacy : Guarantee
        What counts is the total-variation level alpha that it implies; a local guarantee also
        contracts the distance of each record.
    variant : {"best", "closed", "paper"}
        The maximum over a grid, each point of which is a bound, or the closed form if that is
        larger; the closed form :math:`\frac\delta2 (1 - n \alpha \delta)` at its best delta; or
        the paper's.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Proposition 3, equation (13) (claim ``BD-Prop3``), and with the convex
    form of Le Cam's bound.

    Examples
    --------
    >>> endpoint_floor(100, TotalVariation(0.25), variant="paper")
    0.0025
    >>> endpoint_floor(100, TotalVariation(0.25))
    0.005236
    """
    n = np.asarray(_validate.integer("n", n, minimum=1), dtype=float)
    _validate.choice("variant", variant, ("best", "closed", "paper"))
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.broadcast(n=n, **privacy.levels_as_arrays())
    if variant == "paper":
        load = n * np.asarray(tv_level(privacy))
        return np.where(load >= 0.5, 1 / (16 * load), (1 - load) / 4)[()]
    found = forms.endpoint_forms(NUMPY, n, privacy)
    if variant == "best" and privacy.can_imply(TotalVariation):
        # Of two ends a share t apart one is missed by t/2, of two means by a power of a mass t.
        alpha = privacy.implies(TotalVariation).alpha
        grid = le_cam_floor(n, alpha, 1) / 2
        found["coupled"] = np.maximum(grid, forms.endpoint_tv_form(NUMPY, n, alpha))
    return np.maximum.reduce(np.broadcast_arrays(*found.values()))[()]


def subset_maximum(values: ArrayLike, m: int, *, rng: Rng = None) -> float:
    r"""Release the maximum of m of n values, chosen at random.

    .. math:: \|Q(\cdot \mid x) - Q(\cdot \mid x')\|_{TV} \le \frac mn

    for neighbours: a record that is not chosen has no influence.

    Parameters
    ----------
    values : array_like, shape (n,)
    m : int
        From 1 to n.
    rng : Generator, int or None

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If the values are no vector or m is out of its range.

    Notes
    -----
    Total-variation private at level m/n and nothing more: the person whose value is the
    maximum is exposed. It attains the rate of Proposition 3 of Barber and Duchi (2014).

    Examples
    --------
    >>> subset_maximum([0.2, 0.9, 0.4], 3, rng=0)
    0.9
    """
    values = np.asarray(_validate.real("values", values))
    if values.ndim != 1:
        raise ValueError(f"values must be a vector, got shape {values.shape}")
    m = _validate.one_integer("m", m, minimum=1, maximum=values.size)
    chosen: Array = _validate.generator(rng).choice(values, m, replace=False)
    return float(chosen.max())


@_validate.broadcasting
def subset_maximum_risk(m: ArrayLike, theta: ArrayLike = 1.0, *, power: int = 1) -> Real:
    r"""Exact risk of the maximum of m values that are uniform on [0, theta].

    .. math:: \mathbb E |\hat\theta - \theta| = \frac{\theta}{m + 1}, \qquad
              \mathbb E (\hat\theta - \theta)^2 = \frac{2 \theta^2}{(m + 1)(m + 2)}

    Parameters
    ----------
    m : array_like of int
        Number of values, at least 1; all n without privacy.
    theta : array_like
        End of the support, positive.
    power : {1, 2}
        Absolute or squared error.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> float(subset_maximum_risk(3)), float(subset_maximum_risk(3, power=2))
    (0.25, 0.1)
    """
    m, theta = _validate.integer("m", m, minimum=1), _validate.scale("theta", theta)
    power = _validate.one_integer("power", power, minimum=1, maximum=2)
    return theta / (m + 1) if power == 1 else 2 * theta**2 / ((m + 1.0) * (m + 2))
