r"""From estimation to testing: Le Cam, Fano, Assouad, and what privacy does to a distance."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy import special

from minimaxdp import _validate, divergences
from minimaxdp._types import Real
from minimaxdp.guarantees import Approximate, Guarantee, Pure, TotalVariation

__all__ = ["assouad", "fano", "le_cam", "le_cam_mixtures", "packing_error", "private_distance"]

Variant = Literal["best", "paper"]
VARIANTS = ("best", "paper")

# Linear pieces of the change of a probability over several records that are kept.
_PIECES = 12


def le_cam(loss: ArrayLike, distance: ArrayLike, *, convex: bool = False) -> Real:
    r"""Lower bound on a risk from two laws that the released value hardly tells apart.

    .. math:: \mathfrak M_n \ge \tfrac12 \Phi(\varrho) (1 - \|M_0 - M_1\|_{TV}),
              \qquad \mathfrak M_n \ge \Phi(\varrho) (1 - \|M_0 - M_1\|_{TV})
              \text{ for convex } \Phi

    where :math:`2\varrho` is the distance of the two parameters.

    Parameters
    ----------
    loss : array_like
        :math:`\Phi(\varrho)`, the loss at half the distance of the parameters, at least 0.
    distance : array_like
        Total variation between the laws of the released value, or an upper bound, in [0, 1].
    convex : bool
        Whether the loss is a convex function of a distance on the line, which doubles the bound.

    Returns
    -------
    float or ndarray
        At least 0, by broadcasting.

    Raises
    ------
    TypeError, ValueError
        If a loss is negative or a distance lies outside [0, 1].

    Notes
    -----
    Barber and Duchi (2014), Lemma 1 with equation (10) (claims ``BD-Lem1``, ``BD-eq10``). The
    least posterior risk of two points is concave in the posterior p, and :math:`\Phi(\varrho)`
    at p = 1/2 for convex losses, hence at least :math:`2 \Phi(\varrho) \min\{p, 1 - p\}`.

    Examples
    --------
    >>> float(le_cam(1.0, 0.5)), float(le_cam(1.0, 0.5, convex=True))
    (0.25, 0.5)
    """
    loss = _validate.real("loss", loss, minimum=0, maximum=1e290)
    distance = _validate.real("distance", distance, minimum=0, maximum=1)
    _validate.broadcast(loss=loss, distance=distance)
    return loss * (1 - distance) * (1.0 if _validate.flag("convex", convex) else 0.5)


def le_cam_mixtures(
    loss: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: tuple[ArrayLike, ArrayLike] | None = None,
) -> Real:
    r"""Le Cam's bound for two sets of laws, through the mixture of each.

    .. math:: \mathfrak M_n \ge \tfrac12 \Phi(\varrho) \Big(1 - \Big\|\sum_v w_v M_v
              - \sum_u w'_u M'_u\Big\|_{TV}\Big)

    if every parameter of the one set is at least :math:`2\varrho` from every one of the other.

    Parameters
    ----------
    loss : array_like
        :math:`\Phi(\varrho)`, at least 0.
    first, second : array_like, shape (laws, outcomes)
        The laws of what is released.
    weights : pair of array_like, optional
        Weights of the two mixtures; uniform by default.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a row is no law, or weights do not fit.

    Examples
    --------
    Two far laws whose mixture is the third cannot be told from it:

    >>> float(le_cam_mixtures(1.0, [[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]]))
    0.5
    """
    rows = [
        np.atleast_2d(_validate.distribution(name, laws))
        for name, laws in (("first", first), ("second", second))
    ]
    if weights is not None and not (isinstance(weights, tuple | list) and len(weights) == 2):
        raise TypeError(f"weights must be a pair of vectors, got {weights!r}")
    if weights is None:
        mixed = [laws.mean(axis=0) for laws in rows]
    else:
        mixed = []
        for i, (laws, weight) in enumerate(zip(rows, weights, strict=True)):
            checked = _validate.distribution(f"weights[{i}]", weight)
            if checked.shape != laws.shape[:1]:
                raise ValueError(f"weights[{i}] must have {len(laws)} entries")
            mixed.append(checked @ laws)
    if mixed[0].shape != mixed[1].shape:
        raise ValueError("first and second must have the same outcomes")
    return le_cam(loss, min(float(divergences.total_variation(*mixed)), 1.0))


@_validate.broadcasting
def fano(information: ArrayLike, m: ArrayLike) -> Real:
    r"""Least probability of naming the wrong one of m equally likely hypotheses.

    .. math:: \min\{e \ge 0 : h(e) + e \ln(m - 1) \ge \ln m - I\}
              \;\ge\; 1 - \frac{I + \ln 2}{\ln m}, \qquad h(e) = -e \ln e - (1 - e) \ln(1 - e)

    Fano's inequality is solved for the error, not relaxed: it also bites for m = 2.

    Parameters
    ----------
    information : array_like
        Mutual information of hypothesis and released value, or an upper bound, in nats.
    m : array_like of int
        Number of hypotheses, at least 2.

    Returns
    -------
    float or ndarray
        In [0, 1 - 1/m].

    Raises
    ------
    TypeError, ValueError
        If the information is negative or m not an integer from 2 on.

    Examples
    --------
    >>> round(float(fano(0.0, 4)), 6), round(float(fano(np.log(4), 4)), 6)
    (0.75, 0.0)
    """
    information = _validate.real("information", information, minimum=0)
    m = _validate.integer("m", m, minimum=2)
    information, m = np.broadcast_arrays(information, m)
    low, high = np.zeros(m.shape), np.where(information < np.log(m), 1 - 1 / m, 0.0)
    # The left side rises in e up to 1 - 1/m, where it is ln m: bisection to the last digit.
    for _ in range(200):
        middle = (low + high) / 2
        if np.all((middle == low) | (middle == high)):
            break
        entropy = special.entr(middle) + special.entr(1 - middle) + middle * np.log(m - 1)
        enough = entropy >= np.log(m) - information
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return low[()]


@_validate.broadcasting
def assouad(loss: ArrayLike, distance: ArrayLike, d: ArrayLike) -> Real:
    r"""Lower bound from d independent pairs of alternatives, each paid for on its own.

    .. math:: \mathfrak M_n \ge \frac d2\, \lambda\, (1 - \|M_{+j} - M_{-j}\|_{TV})

    if the loss of any decision is at least :math:`\lambda` for each of d signs that is wrong.

    Parameters
    ----------
    loss : array_like
        :math:`\lambda`, at least 0.
    distance : array_like
        Largest total variation between the laws of what is released with one sign flipped.
    d : array_like of int
        Number of signs, at least 1.

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    The lemma behind the lower half of the multinomial theorem (:func:`multinomial_floor`).

    Examples
    --------
    >>> float(assouad(0.1, 0.0, 8))
    0.4
    """
    d = _validate.integer("d", d, minimum=1)
    loss = _validate.real("loss", loss, minimum=0, maximum=1e280)
    return d * le_cam(loss, distance)


def private_distance(
    n: ArrayLike, privacy: Guarantee, distance: ArrayLike, *, variant: Variant = "best"
) -> Real:
    r"""How far apart total-variation privacy leaves the outputs of two samples of size n.

    .. math:: \|M_0 - M_1\|_{TV} \le \mathbb E \min\{1, \alpha B\}
              \le \min\{1, n \alpha \|P_0 - P_1\|_{TV}\},
              \qquad B \sim \mathrm{Bin}(n, \|P_0 - P_1\|_{TV})

    Couple the two samples person by person: they differ in B records, and each costs alpha.

    Parameters
    ----------
    n : array_like of int
        Number of people, at least 1.
    privacy : Guarantee
        Of the channel; its total-variation level alpha is what counts.
    distance : array_like
        Total variation between the two laws of one record, in [0, 1].
    variant : {"best", "paper"}
        The first bound, or the second.

    Returns
    -------
    float or ndarray
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Theorem 2, with constant one (claim ``BD-Thm2``). The first bound
    is also at most :math:`1 - (1 - \|P_0 - P_1\|_{TV})^n`.

    Examples
    --------
    >>> private_distance(4, TotalVariation(0.5), 0.5, variant="paper")
    1.0
    >>> private_distance(4, TotalVariation(0.5), 0.5)
    0.8125
    """
    n = np.asarray(_validate.integer("n", n, minimum=1))
    alpha = np.asarray(tv_level(privacy))
    distance = np.asarray(_validate.real("distance", distance, minimum=0, maximum=1))
    _validate.choice("variant", variant, VARIANTS)
    _validate.broadcast(n=n, distance=distance, **privacy.levels_as_arrays())
    if variant == "paper":
        return np.asarray(np.minimum(1.0, n * alpha * distance))[()]
    return np.asarray(coupled_distance(n, alpha, distance))[()]


def packing_error(
    n: int,
    p: float,
    m: float,
    privacy: Guarantee,
    *,
    variant: Variant = "best",
    log: bool = False,
) -> float:
    r"""Least average probability that a private estimator misses all of m disjoint balls.

    With :math:`c = \lceil np \rceil`, for the laws :math:`(1 - p) P_0 + p P_\nu`,

    .. math:: P_{\mathrm{err}} \ge \frac{(m - 1) \big(\frac12 e^{-\varepsilon c} - \delta
              \frac{1 - e^{-\varepsilon c}}{1 - e^{-\varepsilon}}\big)}
              {1 + (m - 1) e^{-\varepsilon c}},

    or, sharper, the solution of :math:`P_{\mathrm{err}} = (m - 1)\, g(1 - P_{\mathrm{err}})` with

    .. math:: g(s) = \min\{\mathbb E\, G_B(\varphi(B)) : 0 \le \varphi \le 1,\,
              \mathbb E \varphi(B) = s\}, \qquad B \sim \mathrm{Bin}(n, p)

    where :math:`G_b` is the b-th iterate of :math:`x \mapsto \max\{e^{-\varepsilon} x,
    1 - e^{\varepsilon} (1 - x)\}`, the least probability of an event after b records have
    changed; for positive delta it is :math:`e^{-\varepsilon b} x - \delta
    \frac{1 - e^{-\varepsilon b}}{1 - e^{-\varepsilon}}`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    p : float
        Weight of the varying part of the mixture, in (0, 1].
    m : float
        Number of hypotheses, at least 2, or a lower bound on it; its logarithm if `log`.
    privacy : Guarantee
        Pure or approximate, of a positive epsilon, or what implies one of them.
    variant : {"best", "paper"}
        With the whole law of B, or only its median.
    log : bool
        Whether m is given by its logarithm, for packings too large for a double.

    Returns
    -------
    float
        In [0, 1 - 1/m].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), Theorem 3 (claim ``BD-Thm3``) and its sharpening: B is the number
    of records in which coupled samples from two of the laws can differ. At p = 1 and delta = 0
    the sharp bound is the exact error for m disjoint laws.

    Examples
    --------
    At p = 1 and n = 1 the bound is the error of k-ary randomized response.

    >>> packing_error(1, 1.0, 4, Pure(np.log(3)))
    0.5
    """
    n = _validate.one_integer("n", n, minimum=1)
    p = _validate.one_real("p", p, above=0, maximum=1)
    log = _validate.flag("log", log)
    m = _validate.one_real("m", m, minimum=np.log(2) if log else 2)
    _validate.choice("variant", variant, VARIANTS)
    epsilon, delta = (_validate.scalar("privacy", np.asarray(level)) for level in budget(privacy))
    log_others = m + np.log(-np.expm1(-m)) if log else np.log(m - 1)
    if variant == "paper":
        c = np.ceil(n * p * (1 - 1e-15))
        leak = delta * np.expm1(-epsilon * c) / np.expm1(-epsilon)
        inflated = np.exp(min(log_others - epsilon * c, 700.0))  # (m - 1) exp(-epsilon c)
        left = inflated / 2 - leak * np.exp(min(log_others, 600.0))
        return float(max(left / (1 + inflated), 0.0))
    _validate.memory("n", 40 + 18 * np.sqrt(n * p), 16 * _PIECES)
    return sharp_packing_error(n, p, float(log_others), epsilon, delta)


@lru_cache(maxsize=4096)  # bounds for several losses ask for the same ones
def sharp_packing_error(n: int, p: float, log_others: float, epsilon: float, delta: float) -> float:
    """The sharper bound of `packing_error`; there are exp(log_others) + 1 hypotheses."""
    # Bernstein: less than 1e-16 of B lies outside, and leaving it out only lowers g.
    reach = 9 * np.sqrt(n * p * (1 - p)) + 30
    b = np.arange(max(int(n * p - reach), 0), min(int(np.ceil(n * p + reach)), n) + 1)[:, None]
    mass = scipy.stats.binom.pmf(b, n, p)
    leak = delta * (mass * np.expm1(-epsilon * b) / np.expm1(-epsilon)).sum()
    # G_b is convex, with slopes exp(-epsilon (b - 2 j)) on pieces that shrink by exp(epsilon);
    # the first pieces are enough, as the last of them may be continued. With delta there is one.
    # From slope 1 on, at which s and what it costs meet at the latest, lengths no longer count.
    j = np.arange(1 if delta > 0 else _PIECES)
    edges = np.r_[0.0, 1 - np.exp(-epsilon * j[:-1]) / (1 + np.exp(epsilon)), 1.0]
    width = np.where(j <= b, mass * np.diff(edges), 0.0)
    width[:, 0] += np.where(b[:, 0] == 0, mass[:, 0] - width[:, 0], 0.0)
    # Pieces of one slope are one piece; they are taken from the flattest on.
    steep = 2 * j - b
    flattest = int(steep.min())
    width = np.bincount((steep - flattest).ravel(), weights=width.ravel())
    slope = log_others + epsilon * np.arange(flattest, flattest + width.size)
    slope = np.exp(np.minimum(slope, 700.0))
    s, spent = (np.append(0.0, part.cumsum()) for part in (width, width * slope))
    excess = 1 - s - spent
    if leak > 0:
        excess += leak * np.exp(min(log_others, 600.0))
    i = int(np.argmax(excess <= 0))
    if i == 0:  # no error is forced: delta, or the number of people, is too large
        return 0.0
    share = excess[i - 1] / (excess[i - 1] - excess[i])
    return float(max(1 - (s[i - 1] + share * (s[i] - s[i - 1])), 0.0))


def tv_level(privacy: Guarantee) -> Real:
    """The total-variation level that a guarantee implies."""
    return _validate.instance("privacy", privacy, Guarantee).implies(TotalVariation).alpha


def budget(privacy: Guarantee) -> tuple[Real, Real]:
    """The epsilon, positive, and the delta that a guarantee implies."""
    _validate.instance("privacy", privacy, Guarantee)
    if privacy.can_imply(Pure):
        return privacy.implies(Pure).epsilon, 0.0
    if not isinstance(privacy, Approximate):
        raise ValueError(f"privacy must imply pure or approximate privacy, got {privacy!r}")
    return _validate.real("privacy's epsilon", privacy.epsilon, above=0), privacy.delta


def coupled_distance(n: Any, alpha: Any, distance: Any) -> Real:
    """E min(1, alpha B) with B the records in which coupled samples differ."""
    # E[alpha B; B <= J] + P(B > J), where J alpha <= 1 < (J + 1) alpha.
    last = np.floor(np.minimum(1 / np.maximum(alpha, 1e-300), n * 1.0) * (1 + 1e-15))
    below = scipy.stats.binom.cdf(last - 1, n - 1, distance)
    value = alpha * n * distance * below + scipy.stats.binom.sf(last, n, distance)
    return np.minimum(np.minimum(1.0, n * alpha * distance), value)
