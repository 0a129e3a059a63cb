r"""Category probabilities: floors under every definition of privacy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array, Real
from minimaxdp.guarantees import Guarantee, Local, Pure, TotalVariation
from minimaxdp.lower_bounds import _forms as forms

__all__ = ["multinomial_floor"]


def multinomial_floor(
    n: ArrayLike,
    d: ArrayLike,
    privacy: Guarantee,
    *,
    norm: Literal["l1", "l2"] = "l2",
    method: Literal["assouad", "contraction"] | None = None,
    variant: Literal["best", "closed"] = "best",
) -> Real:
    r"""Lower bound on the minimax risk of d category probabilities.

    Assouad's argument on k <= d categories in k/2 pairs, tilted by :math:`\pm\delta/k` each.
    Privacy at the total-variation level :math:`\alpha` gives (with k the largest even number)

    .. math:: \mathfrak M_n(\ell_2^2) \ge \max\Big\{\frac{1 - 1/d}{(1 + \sqrt n)^2},\;
              \frac{\delta^2}{k} \Big(1 - \frac{2 n \alpha \delta}{k}\Big)\Big\}, \qquad
              \delta = \min\Big\{1, \frac{k}{3 n \alpha}\Big\}

    of which the first bound is the exact risk without privacy. Local privacy gives, with
    :math:`h = 4 \kappa \delta^2 / k^2` the Hellinger contraction :math:`\kappa` at total-variation
    distance :math:`2\delta/k`,

    .. math:: \mathfrak M_n(\ell_2^2) \ge \max_{k, \delta} \frac{\delta^2}{k} (1 - h)^{2n},
              \qquad \mathfrak M_n(\ell_1) \ge \max_{k, \delta}
              \delta \big(1 - \sqrt{1 - (1 - h)^{2n}}\big)

    for every protocol in which people speak in turn, each possibly after hearing those before.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    d : array_like of int
        Number of categories, at least 2.
    privacy : Guarantee
        What every mechanism of the competition keeps.
    norm : {"l2", "l1"}
        Squared Euclidean loss, or (under local privacy) absolute loss summed over categories.
    method : {"assouad", "contraction"}, optional
        One of the two arguments alone, with neither the other nor the risk without privacy.
    variant : {"best", "closed"}
        Over every even k, or at the smallest and the largest of them.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or the definition does not allow the method.

    Notes
    -----
    The lower half of the multinomial theorem, with constants (claim ``Klein-thm-multinomial``);
    Duchi, Jordan and Wainwright (2013) give the rate. Without privacy the bound is the risk of the
    posterior mean under a Dirichlet prior with all parameters :math:`\sqrt n / d`, which is the
    same at every law; hence it is minimax (Steinhaus 1957).

    Examples
    --------
    >>> from minimaxdp.guarantees import NonPrivate
    >>> multinomial_floor(9, 2, NonPrivate())
    0.03125
    >>> [multinomial_floor(10**6, 10, g) * 1e6 for g in (NonPrivate(), Pure(0.5), Local(Pure(0.5)))]
    [0.898, 0.898, 14.193]
    """
    n = np.asarray(_validate.integer("n", n, minimum=1), dtype=float)
    d = np.asarray(_validate.integer("d", d, minimum=2))
    _validate.instance("privacy", privacy, Guarantee)
    _validate.choice("norm", norm, ("l1", "l2"))
    _validate.choice("variant", variant, ("best", "closed"))
    if method is not None:
        _validate.choice("method", method, ("assouad", "contraction"))
    privacy = privacy.under("replacement")
    _validate.broadcast(n=n, d=d, **privacy.levels_as_arrays())
    local = isinstance(privacy, Local) and privacy.can_imply(Pure)
    if (norm == "l1" or method == "contraction") and not local:
        raise ValueError(f"privacy must be local for this bound, got {privacy!r}")
    if norm == "l1" and method == "assouad":
        raise ValueError("method must be 'contraction' for the norm l1, got 'assouad'")
    if norm == "l1":
        return _contraction(n, d, privacy, norm)[()]
    found = forms.multinomial_forms(NUMPY, n, d, privacy)
    if variant == "best" and local:
        found["contraction"] = _contraction(n, d, privacy, norm)
    if variant == "best" and privacy.can_imply(TotalVariation):
        alpha = privacy.implies(TotalVariation).alpha
        found["assouad"] = forms.categories_tv_form(NUMPY, n, d, alpha)
    if method is not None and method not in found:
        raise ValueError(f"method must be one that {privacy!r} allows, got {method!r}")
    chosen = found.values() if method is None else [found[method]]
    return np.maximum.reduce(np.broadcast_arrays(*chosen))[()]


def _contraction(n: Any, d: Any, privacy: Guarantee, norm: str) -> Array:
    n, d = n[..., None], d[..., None]
    epsilon = np.asarray(privacy.implies(Pure).epsilon)[..., None]
    _validate.memory("d", float(d.max()) / 2, n.size * epsilon.size * d.size)
    k = np.arange(2, int(d.max()) + 1, 2)
    kappa = forms.hellinger_form(NUMPY, epsilon)
    if norm == "l2":
        values = forms.categories_contraction_form(NUMPY, n, k, kappa)
    else:
        # Of the form of the bound for two ends, at what a person tells of one of k/2 pairs.
        values = 2 * forms.endpoint_contraction_form(NUMPY, n, 4 * kappa / k**2)
    return np.where(k <= d, values, 0.0).max(axis=-1)
