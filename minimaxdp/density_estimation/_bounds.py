"""What no estimator of a Lipschitz density can beat, and where privacy begins to cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Real
from minimaxdp.density_estimation import _sizes
from minimaxdp.lower_bounds import hellinger_contraction

__all__ = ["lipschitz_floor", "privacy_threshold"]

Model = Literal["none", "central", "local"]


@_validate.broadcasting
def lipschitz_floor(
    n: ArrayLike,
    epsilon: ArrayLike | None = None,
    model: Model = "none",
    *,
    constant: float = 1.0,
) -> Real:
    r"""Lower bound on the minimax risk over L-Lipschitz densities on [0, 1].

    The densities :math:`1 \pm g` on each of m cells of width w, with a triangle wave g of slope
    L, give by Assouad's argument

    .. math:: \mathfrak M_n \ge \max_m \frac{L^2 w^2}{48}\, a, \qquad
              a = \begin{cases}
              \frac12 (1 - H^2)^{2n} & \text{none} \\
              1 - n \tanh(\varepsilon/2) \frac{L w^2}8 & \text{central} \\
              \frac12 \big(1 - \kappa(\varepsilon) (\frac{L w^2}8)^2\big)^{2n} & \text{local}
              \end{cases}

    with the squared Hellinger distance :math:`H^2 \le \frac{L^2 w^3}{48 (1 + \sqrt{1 - A^2})}`,
    :math:`A = L w/4 \le 1`. A private bound is joined with the one without privacy, which holds
    for every estimator.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    epsilon : array_like or None
        Privacy budget in nats; None without privacy. n and epsilon broadcast.
    model : {"none", "central", "local"}
        Central: replacement of one record. Local: also for people who speak in turn.
    constant : float
        Lipschitz constant L, from 1e-100 to 1e100.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    The central bound is a sharper, one-dimensional form of the private term in Barber and
    Duchi's Proposition 5; the local bound is the lower half of claim ``Klein-private-rate``
    at smoothness 1.

    Examples
    --------
    >>> float(lipschitz_floor(10**6, 0.01, "central")) > 0.99 / (12 * 10**4)
    True
    """
    _validate.choice("model", model, ("none", "central", "local"))
    if (model == "none") != (epsilon is None):
        raise ValueError(f"epsilon must be None exactly if model is 'none', got {epsilon!r}")
    n = np.asarray(_validate.integer("n", n, minimum=1), dtype=float)
    slope = _sizes.one_positive("constant", constant)
    # The best real number of cells; the bound is unimodal, so that a neighbour is best.
    c = slope**2 / 96
    plain = _best((c * (3 * n + 1)) ** (1 / 3), slope, lambda w: _plain(n, w, slope))
    if epsilon is None:
        return plain[()]
    tanh = np.tanh(np.asarray(_sizes.epsilon(epsilon)) / 2)
    if model == "central":
        rate = n * tanh * slope / 8
        private = _best(np.sqrt(2 * rate), slope, lambda w: 1 - rate * w**2)
    else:
        with np.errstate(over="ignore"):
            rate = np.asarray(hellinger_contraction(epsilon) * slope**2 / 64)
        # Beyond, its product with n may not be a double; the bound without privacy is then larger.
        known = rate < 1e280
        rate = np.where(known, rate, 1.0)

        def same(w: Any) -> Any:
            inside = rate * w**4 < 1
            return np.where(
                inside, 0.5 * np.exp(2 * n * np.log1p(-np.where(inside, rate * w**4, 0))), 0
            )

        found = _best((rate * (4 * n + 1)) ** 0.25, slope, same)
        private = np.where(known, found, 0)
    return np.maximum(plain, private)[()]


@_validate.broadcasting
def privacy_threshold(n: ArrayLike, *, d: int = 1, constant: ArrayLike = 1.0) -> Real:
    r"""Budget of a curator at which the noise of a histogram equals its sampling error.

    .. math:: \varepsilon = \sqrt{8 K / n}, \qquad
              K = \Big(\frac{L^2 n}6\Big)^{d/(d+2)}

    with the number of cells that is best without privacy. It falls like
    :math:`n^{-1/(d+2)}`; below it privacy dominates, far above it privacy is free. Without a
    curator the threshold is :math:`\sqrt{8K}`: it *grows* with n, and privacy is never free.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    d : int
        Dimension, at least 1.
    constant : array_like
        Lipschitz constant L, from 1e-100 to 1e100.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter lies outside its range.

    Notes
    -----
    Barber and Duchi, remark after equation (19) (claim ``BD-eq19``).

    Examples
    --------
    >>> round(float(privacy_threshold(10**6)), 3)
    0.021
    """
    n = _validate.integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=1)
    constant = _sizes.positive("constant", constant)
    cells = (constant**2 * n / 6) ** (d / (d + 2))
    return np.sqrt(8 * cells / n)


def _plain(n: Any, w: Any, slope: float) -> Any:
    height = slope * w / 4
    hellinger = slope**2 * w**3 / 48 / (1 + np.sqrt(np.maximum(0, 1 - height**2)))
    return 0.5 * np.exp(2 * n * np.log1p(-hellinger))


def _best(cells: Any, slope: float, alive: Callable[[Any], Any]) -> Any:
    least = max(1.0, np.ceil(slope / 4))  # the wave must stay below 1
    values = []
    for m in (np.floor(cells), np.ceil(cells)):
        w = 1 / np.maximum(m, least)
        values.append(slope**2 * w**2 / 48 * alive(w))
    return np.maximum(0, np.maximum(*values))
