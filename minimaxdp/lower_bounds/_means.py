r"""The mean of a law with a bounded moment: floors under every definition of privacy.

The class is :math:`\mathcal P_k = \{P : \mathbb E_P \|X\|_2^k \le r^k\}`, the loss squared
Euclidean, and k may be infinite, which means :math:`\|X\|_2 \le r`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Real
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    Smooth,
    TotalVariation,
)
from minimaxdp.lower_bounds import _forms as forms
from minimaxdp.lower_bounds import _mean_methods as methods
from minimaxdp.lower_bounds._bits import signs_floor
from minimaxdp.lower_bounds._curator_means import CURATOR_METHODS, curator_floors, largest_first
from minimaxdp.lower_bounds._local_means import LOCAL_METHODS, local_floors
from minimaxdp.lower_bounds._testing import budget

__all__ = [
    "mean_floor",
    "mean_floors",
    "privacy_crossover_level",
    "privacy_crossover_n",
    "tv_modulus",
]

Method = Literal[
    "le_cam", "assouad", "packing", "fano", "contraction",
    "volume", "cap", "axes", "cube", "shannon", "population",
    "information", "sphere", "ball", "signs",
]  # fmt: skip
METHODS: tuple[Method, ...] = get_args(Method)
VARIANTS = ("best", "closed", "paper")


def mean_floor(
    n: ArrayLike,
    d: ArrayLike,
    privacy: Guarantee,
    k: ArrayLike = np.inf,
    r: ArrayLike = 1.0,
    *,
    method: Method | None = None,
    variant: Literal["best", "closed", "paper"] = "best",
) -> Real:
    r"""Lower bound on the minimax risk of the mean, under any definition of privacy.

    .. math:: \mathfrak M_n \ge \max\Big\{\frac{r^2}{(1 + \sqrt n)^2},\;
              \text{the bound of each method that the definition allows}\Big\}

    ===========  ==============================================  ===============================
    method       needs                                           rate, for bounded data
    ===========  ==============================================  ===============================
    le_cam       a total-variation level :math:`\alpha`          :math:`(n \alpha)^{-2}`
    assouad      the same                                        :math:`d\, (n \alpha)^{-2}`
    packing      :math:`\varepsilon` (and :math:`\delta`)        :math:`d^2 (n \varepsilon)^{-2}`
    fano         zero-concentrated privacy :math:`\rho`          :math:`d\, n^{-2} \rho^{-1}`
    contraction  local privacy :math:`\varepsilon`               :math:`d\, n^{-1} \varepsilon^{-2}`
    volume, cap  pure privacy                                    :math:`d^2 (n \varepsilon)^{-2}`
    axes         a total-variation level                         :math:`d\, (n \alpha)^{-2}`
    cube         any of the others                               :math:`d\, (n \varepsilon)^{-2}`
    shannon      zero-concentrated privacy                       :math:`d\, n^{-2} \rho^{-1}`
    population   approximate privacy                             :math:`d \ln\frac1\delta
                                                                 (n \varepsilon)^{-2}`
    information  local privacy                                   :math:`e^{-n \varepsilon^2/(4 d)}`
    sphere       local privacy, d at least 2                     :math:`d\, n^{-1} \varepsilon^{-2}`
    ball         local privacy                                   :math:`d\, n^{-1} \varepsilon^{-2}`
    signs        a total-variation level                         as axes, or :math:`n^{-1}
                                                                 \varepsilon^{-2}` locally
    ===========  ==============================================  ===============================

    with powers 1 - 1/k of these for a bounded k-th moment.

    Parameters
    ----------
    n, d : array_like of int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        What every mechanism of the competition keeps. The level of each method is what it
        implies; local privacy also stands for protocols in which people hear those before them.
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius, from 1e-150 to 1e150.
    method : str, optional
        One argument alone; by default the best of all.
    variant : {"best", "closed", "paper"}
        The sharpest form known here; the closed forms; or the bound as Barber and Duchi print it,
        for total variation, Kullback-Leibler, pure and approximate privacy.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, the definition does not allow the method, or a
        condition of the printed proposition fails: epsilon below d/2, d at least 2, and delta
        below :math:`(1 - e^{-\varepsilon}) e^{-\varepsilon}/4`. There it says nothing.

    Notes
    -----
    Barber and Duchi (2014), Propositions 2 and 4 (claims ``BD-eq11``, ``BD-Prop2``, ``BD-Prop4``)
    with sharper constants: Le Cam's convex bound with the coupling of :func:`private_distance`
    (exact for two values and :math:`n \alpha \le \frac12`); Assouad's argument over the signs of m
    of d axes; the sharp form of :func:`packing_error`; Fano's inequality with group privacy; and
    the :func:`hellinger_contraction`, with Rohde and Steinberger's modulus in one dimension. The
    methods from "volume" on are the book's own, stated and proved in the
    chapters on lower bounds and on means; :func:`mean_floors` tells which of all is the best.

    Examples
    --------
    >>> mean_floor(9, 1, NonPrivate())
    0.0625
    >>> [mean_floor(10, 1, TotalVariation(0.05), variant=v) for v in ("best", "paper")]
    [0.5, 0.25]
    >>> [mean_floor(1000, 200, g) for g in (Pure(0.1), ZCDP(0.005), Local(Pure(0.1)))]
    [0.4007, 0.0145, 0.9875]
    """
    n, r = _validate.integer("n", n, minimum=1), _validate.scale("r", r)
    d, k = _validate.integer("d", d, minimum=1), _validate.moment(k)
    _validate.instance("privacy", privacy, Guarantee)
    _validate.choice("variant", variant, VARIANTS)
    if method is not None:
        _validate.choice("method", method, METHODS)
    privacy = privacy.under("replacement")
    _validate.broadcast(n=n, d=d, k=k, r=r, **privacy.levels_as_arrays())
    n, d = np.asarray(n, dtype=float), np.asarray(d, dtype=float)
    power = 2 - 2 / k
    if variant == "paper":
        found = [_printed(n, d, privacy, power, method)]
    else:
        found = _floors(n, d, privacy, power, method, variant)
    best = np.maximum.reduce(np.broadcast_arrays(forms.nonprivate_form(NUMPY, n), *found))
    return (r**2 * best)[()]


def _floors(n: Any, d: Any, privacy: Guarantee, power: Any, method: Any, variant: str) -> list[Any]:
    """The bound of each method that the definition allows, or of the one that is asked for."""
    if variant == "closed":
        found = forms.mean_forms(NUMPY, n, d, privacy, power)
    else:
        found = _best_forms(n, d, privacy, power, method)
    if method is None:
        return list(found.values())
    if method not in found:
        raise ValueError(f"method must be one that {privacy!r} allows, got {method!r}")
    return [found[method]]


def mean_floors(
    n: int, d: int, privacy: Guarantee, k: float = np.inf, r: float = 1.0
) -> dict[str, float]:
    r"""Every lower bound on the minimax risk of the mean, by the name of its argument.

    Parameters
    ----------
    n, d : int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        Of single levels.
    k : float
        Bounded moment, at least 2; may be infinite.
    r : float
        Radius, from 1e-150 to 1e150.

    Returns
    -------
    dict of str to float
        The largest first, "plain" being the minimax risk without privacy for a number in
        [-r, r]; each is what :func:`mean_floor` gives for the method, and the first is what it
        gives without one.

    Raises
    ------
    TypeError, ValueError
        As for :func:`mean_floor`.

    Examples
    --------
    >>> found = mean_floors(1000, 200, Pure(0.05))
    >>> next(iter(found)), found["packing"] < found["cap"]
    ('cap', True)
    >>> [name for name in mean_floors(1000, 3, Local(Pure(2.0)), k=4)][:3]
    ['information', 'sphere', 'contraction']
    """
    n = _validate.one_integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=1)
    k = _validate.scalar("k", np.asarray(_validate.moment(k)))
    r = _validate.scalar("r", np.asarray(_validate.scale("r", r)))
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.single_levels(privacy)
    found = {"plain": forms.nonprivate_form(NUMPY, float(n))}
    found |= _best_forms(np.float64(n), np.float64(d), privacy, 2 - 2 / np.float64(k), None)
    return {name: float(r**2 * value) for name, value in largest_first(found).items()}


def _sharper(n: Any, d: Any, privacy: Guarantee, power: Any, wanted: tuple[str, ...]) -> Any:
    """The floors for single numbers, one setting after the other: name to array."""
    local = isinstance(privacy, Local) and privacy.can_imply(Pure)
    inner = privacy.inner if isinstance(privacy, Local) else privacy
    levels = inner.levels_as_arrays()
    shape = np.broadcast_shapes(*(np.shape(x) for x in (n, d, power, *levels.values())))
    found: dict[str, Any] = {}
    for i in np.ndindex(shape):
        people, size, exponent = (float(np.broadcast_to(x, shape)[i]) for x in (n, d, power))
        one = replace(inner, **{k: float(np.broadcast_to(v, shape)[i]) for k, v in levels.items()})
        if local:
            pure = float(one.implies(Pure).epsilon)
            here = local_floors(people, int(size), pure, exponent, wanted)
        else:
            here = curator_floors(people, int(size), one, exponent, wanted)
        if "signs" in wanted:
            here["signs"] = signs_floor(people, int(size), Local(one) if local else one, exponent)
        for name in wanted:
            found.setdefault(name, np.zeros(shape))[i] = here.get(name, 0.0)
    found = {name: value for name, value in found.items() if np.any(value > 0)}
    return found


def _best_forms(n: Any, d: Any, privacy: Guarantee, power: Any, method: Any) -> dict[str, Any]:
    """Each argument at its sharpest, at the level that the definition implies."""
    found: dict[str, Any] = {}
    wanted = METHODS if method is None else (method,)
    if isinstance(privacy, Local) and privacy.can_imply(Pure) and "contraction" in wanted:
        kappa = forms.hellinger_form(NUMPY, privacy.implies(Pure).epsilon)
        found["contraction"] = forms.contraction_form(NUMPY, n, d, kappa, power)
    if privacy.can_imply(TotalVariation):
        alpha = privacy.implies(TotalVariation).alpha
        if "le_cam" in wanted:
            found["le_cam"] = methods.le_cam_floor(n, alpha, power)
        if "assouad" in wanted:
            found["assouad"] = forms.assouad_form(NUMPY, n, d, alpha, power)
    positive = isinstance(privacy, Approximate) and bool(np.all(np.asarray(privacy.epsilon) > 0))
    if "packing" in wanted and (privacy.can_imply(Pure) or positive):
        found["packing"] = methods.packing_floor(n, d, *budget(privacy), power)
    if "fano" in wanted and privacy.can_imply(ZCDP):
        found["fano"] = methods.fano_floor(n, d, privacy.implies(ZCDP).rho, power)
    if isinstance(privacy, Local):
        sharper = (*LOCAL_METHODS, "signs") if privacy.can_imply(Pure) else ()
    else:
        sharper = (*CURATOR_METHODS, "signs") if privacy.can_imply(TotalVariation) else ()
    if names := tuple(name for name in sharper if name in wanted):
        found |= _sharper(n, d, privacy, power, names)
    if not found and not isinstance(privacy, NonPrivate) and method is None:
        raise ValueError(f"privacy must allow some lower bound, got {privacy!r}")
    return found


def _printed(n: Any, d: Any, privacy: Guarantee, power: Any, method: Any) -> Any:
    if isinstance(privacy, NonPrivate):
        return forms.nonprivate_form(NUMPY, n)
    if isinstance(privacy, TotalVariation | KL) and method in (None, "le_cam"):
        return forms.le_cam_form(NUMPY, n, privacy.tv_form(), power)
    if not isinstance(privacy, Pure | Approximate | Smooth) or method not in (None, "packing"):
        raise ValueError(f"variant must be 'best' or 'closed' for {privacy!r}, got 'paper'")
    epsilon, delta = budget(privacy)
    _validate.integer("d", np.asarray(d).astype(int), minimum=2)
    if np.any(epsilon >= d / 2):
        raise ValueError(f"epsilon must be less than d/2 = {np.min(d) / 2:g}, got {epsilon}")
    limit = -np.expm1(-epsilon) / 4 * np.exp(-epsilon)
    if np.any(delta >= limit):
        raise ValueError(f"delta must be less than {np.min(limit):.6g}, got {delta}")
    return forms.packing_form(NUMPY, n, d, epsilon, delta, power)


@_validate.broadcasting
def tv_modulus(t: ArrayLike, k: ArrayLike = np.inf, r: ArrayLike = 1.0) -> Real:
    r"""How far the means of two laws of the class can be apart at a total-variation distance.

    .. math:: \omega(t) = \sup\{|\theta(P) - \theta(P')| : \|P - P'\|_{TV} \le t\}
              = 2 r t^{1 - 1/k}

    Parameters
    ----------
    t : array_like
        Distance, in [0, 1].
    k : array_like
        Bounded moment, at least 2; may be infinite.
    r : array_like
        Radius, from 1e-150 to 1e150.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Hölder's inequality gives each of the two parts in which the laws differ, of mass t, a mean
    of at most :math:`r t^{1 - 1/k}`; two points attain it.

    Examples
    --------
    >>> float(tv_modulus(0.25, 2))
    1.0
    """
    t, r = _validate.real("t", t, minimum=0, maximum=1), _validate.scale("r", r)
    return 2 * r * t ** (1 - 1 / _validate.moment(k))


@_validate.broadcasting
def privacy_crossover_n(d: ArrayLike, privacy: Guarantee, k: ArrayLike) -> Real:
    r"""How many people it takes until privacy no longer sets the rate of the mean.

    .. math:: \Big(\frac{D}{n \varepsilon}\Big)^{2 - 2/k} = \frac1n \quad\text{at}\quad
              n = \Big(\frac D\varepsilon\Big)^{\frac{2(k-1)}{k-2}}, \qquad
              D = \min\Big\{d, \ln \frac1\delta\Big\}

    Parameters
    ----------
    d : array_like of int
        Dimension, at least 1.
    privacy : Guarantee
        Pure or approximate, of a positive epsilon, or what implies one of them.
    k : array_like
        Bounded moment, greater than 2; may be infinite.

    Returns
    -------
    float or ndarray
        A number of people, up to the constants that the two rates hide.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range; at k = 2 no number is enough.

    Notes
    -----
    Barber and Duchi (2014), equation (16), for k > 2 only (claim ``BD-eq16``).

    Examples
    --------
    >>> privacy_crossover_n(10, Pure(0.1), np.inf)
    10000.0
    """
    d = _validate.integer("d", d, minimum=1)
    epsilon, delta = budget(privacy)
    k = _validate.real("k", k, above=2, infinite=True)
    with np.errstate(divide="ignore", over="ignore"):  # close to k = 2 no number is enough
        size = np.minimum(d, -np.log(delta))
        return (size / epsilon) ** (2 * (1 - 1 / k) / (1 - 2 / k))


@_validate.broadcasting
def privacy_crossover_level(n: ArrayLike, k: ArrayLike) -> Real:
    r"""Total-variation level down to which privacy leaves the rate of the mean alone.

    .. math:: (n \alpha)^{-(2 - 2/k)} = \frac1n \quad\text{at}\quad
              \alpha = n^{-\frac{k - 2}{2 (k - 1)}}

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    k : array_like
        Bounded moment, at least 2; may be infinite.

    Returns
    -------
    float or ndarray
        In (0, 1]; 1 at k = 2, close to :math:`n^{-1/2}` for large k.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), the discussion of Proposition 2 (claim ``BD-Prop2``).

    Examples
    --------
    >>> privacy_crossover_level(10_000, np.inf), privacy_crossover_level(10_000, 2)
    (0.01, 1.0)
    """
    n, k = _validate.integer("n", n, minimum=1), _validate.moment(k)
    return np.asarray(n, dtype=float) ** (-(1 - 2 / k) / (2 * (1 - 1 / k)))
