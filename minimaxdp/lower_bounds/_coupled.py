r"""Le Cam, Assouad and Fano for any two samples that differ in few records, under each definition.

Two samples are coupled so that B records differ. Everything about privacy enters through three
functions of B: how far apart the outputs can be in total variation, how well a sign that decides
between the two samples can be estimated, and how many nats the output tells. All functions take
single numbers.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import special

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._types import Array
from minimaxdp.guarantees import KL, ZCDP, Approximate, Guarantee, Local, Pure, TotalVariation
from minimaxdp.lower_bounds import _bits
from minimaxdp.lower_bounds._curator_means import level, of_curator
from minimaxdp.lower_bounds._forms import chi_square_form
from minimaxdp.lower_bounds._local_means import information_rate
from minimaxdp.lower_bounds._sphere import binomial_bins

__all__ = ["group_distance", "private_assouad", "private_fano", "private_le_cam"]

Loss = Literal["any", "convex", "squared"]
LOSSES = ("any", "convex", "squared")
# Up to so many values of B a mean is summed; beyond, each bin counts with its largest value.
_BINS = 2_000


def group_distance(b: Any, privacy: Guarantee, *, squared: bool = False) -> Any:
    r"""How far the outputs on data sets that differ in b records can lie apart.

    .. math:: \mathrm{TV} = \tfrac12 \int |p - q| \le f(b), \qquad
              T = \int \frac{(p - q)^2}{2 (p + q)} \le g(b)

    ====================  ===================================  ==================================
    definition            f(b)                                 g(b)
    ====================  ===================================  ==================================
    total variation       :math:`\min\{1, \alpha b\}`          the same
    pure                  :math:`t_b = \tanh \frac{b           :math:`t_b^2`
                          \varepsilon}2`
    approximate           :math:`t_b + \delta_b (1 - t_b)`     :math:`t_b^2 + \delta_b (1 -
                                                               t_b^2)`
    zero-concentrated     :math:`t`, where :math:`2 t          :math:`t^2`
                          \operatorname{artanh} t = \rho b^2`
    Kullback-Leibler      :math:`\min\{1, b t\}`, where        :math:`f(b)^2`
                          :math:`2 t
                          \operatorname{artanh} t = \kappa`
    ====================  ===================================  ==================================

    with :math:`\delta_b = \min\{1, \delta \frac{e^{b \varepsilon} - 1}{e^\varepsilon - 1}\}`; of
    all rows that a definition implies, the least.

    Parameters
    ----------
    b : array_like
        Number of records, at least 0.
    privacy : Guarantee
        A curator's, of single levels, with a total-variation level.
    squared : bool
        Whether g is wanted: the mean square of the posterior mean of a sign that decides, with
        equal chances, which of the two data sets is used.

    Returns
    -------
    float or ndarray
        In [0, 1], in the shape of b.

    Raises
    ------
    TypeError, ValueError
        If b is negative or the definition implies nothing about total variation.

    Notes
    -----
    Lemmas ``lem-lb-triangular`` and ``lem-lb-groups`` of the chapter on lower bounds.

    Examples
    --------
    >>> group_distance(2, Pure(np.log(3)))
    0.8
    >>> group_distance(2, Pure(np.log(3)), squared=True)
    0.64
    """
    b = np.asarray(_validate.real("b", b, minimum=0, maximum=1e290))
    privacy = _central(privacy)
    squared = _validate.flag("squared", squared)
    return (_squared(b, privacy) if squared else _bits.group_distance(b, privacy))[()]


def private_le_cam(
    n: int, q: float, privacy: Guarantee, *, loss: float = 1.0, form: Loss = "any"
) -> float:
    r"""Private Le Cam: a floor from two laws of a record that share all but a mass q.

    .. math:: \mathfrak M_n \ge \tfrac12 \Phi(\varrho) \big(1 - \mathbb E f(B)\big), \qquad
              B \sim \mathrm{Bin}(n, q)

    without the factor 1/2 if the loss is a convex function of a distance on the line, and with g
    for f if it is the square (:func:`group_distance`). Under local privacy f is t and g is
    :math:`t^2`, where :math:`2 t \operatorname{artanh} t = n J_q` and :math:`J_q =
    \min\{\tfrac12 K(\varepsilon) q^2,\, \varepsilon_q \tanh \tfrac{\varepsilon_q}2\}`,
    :math:`\varepsilon_q = \ln(1 + q (e^\varepsilon - 1))`.

    Parameters
    ----------
    n : int
        Number of people, at least 1. For samples that differ in b records for certain, b.
    q : float
        Total variation between the two laws of a record, in [0, 1]; 1 for b records for certain.
    privacy : Guarantee
        Of single levels: a curator's with a total-variation level, or ``Local(Pure(epsilon))``.
    loss : float
        :math:`\Phi(\varrho)`, the loss at half the distance of the parameters, at least 0.
    form : {"any", "convex", "squared"}
        What the loss is.

    Returns
    -------
    float
        In [0, loss].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Theorem ``thm-private-le-cam`` of the chapter on lower bounds.

    Examples
    --------
    One person with a bit: randomized response is minimax for the prior on -1 and 1.

    >>> private_le_cam(1, 1.0, Pure(np.log(3)), form="squared")
    0.75
    """
    n, q, privacy = _family(n, q, privacy)
    loss = _validate.one_real("loss", loss, minimum=0, maximum=1e290)
    _validate.choice("form", form, LOSSES)
    return loss * (0.5 if form == "any" else 1.0) * (1 - _confusable(n, q, privacy, form))


def private_assouad(
    n: int, q: float, privacy: Guarantee, m: int, *, loss: float = 1.0, form: Loss = "any"
) -> float:
    r"""Private Assouad: a floor from m signs, each of which moves a mass q of a record's law.

    .. math:: \mathfrak M_n \ge \frac{m \lambda}2 \big(1 - \mathbb E f(B)\big), \qquad
              B \sim \mathrm{Bin}(n, q)

    if the loss is at least :math:`\lambda` for each sign that is wrong; without the factor 1/2,
    and with g for f, if it is the squared error of a parameter with m coordinates that the signs
    move by :math:`\pm \sqrt \lambda`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    q : float
        Total variation between the laws of a record with one sign turned, in [0, 1].
    privacy : Guarantee
        As in :func:`private_le_cam`.
    m : int
        Number of signs, at least 1.
    loss : float
        :math:`\lambda`, at least 0.
    form : {"any", "convex", "squared"}
        What the loss of a coordinate is.

    Returns
    -------
    float
        In [0, m loss].

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Theorem ``thm-private-assouad`` of the chapter on lower bounds.

    Examples
    --------
    The mean of 100 vectors in the ball, a tenth of them on each of 10 axes:

    >>> round(private_assouad(100, 0.1, Pure(0.1), 10, loss=0.01, form="squared"), 3)
    0.078
    """
    n, q, privacy = _family(n, q, privacy)
    m = _validate.one_integer("m", m, minimum=1)
    loss = _validate.one_real("loss", loss, minimum=0, maximum=1e270)
    _validate.choice("form", form, LOSSES)
    return m * private_le_cam(n, q, privacy, loss=loss, form=form)


def private_fano(n: int, q: float, privacy: Guarantee, m: float, *, log: bool = False) -> float:
    r"""Private Fano: the least chance to miss which of m laws the records come from.

    The laws of a record are :math:`(1 - q) P_0 + q P_v`; N of n records, Bin(n, q), come from
    :math:`P_v`. The best of three bounds on the average error:

    =========  ========================  =======================================================
    argument   definitions               average error at least
    =========  ========================  =======================================================
    distance   all                       :math:`(1 - \frac1m) (1 - \mathbb E f(N))`
    nats       pure, zCDP, local         :func:`fano` at :math:`(1 - \frac1m) \mathbb E[N
                                         \varepsilon \tanh \frac{N \varepsilon}2]`, :math:`(1 -
                                         \frac1m) \rho\, \mathbb E N^2`, or :math:`n I_q`
    counting   pure, approximate         :math:`1 - \mathbb E \min\{1, \frac{e^{N \varepsilon} +
                                         (m - 1) \delta_N}{e^{N \varepsilon} + m - 1}\}`
    =========  ========================  =======================================================

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    q : float
        Mass by which the laws differ, in [0, 1].
    privacy : Guarantee
        As in :func:`private_le_cam`.
    m : float
        Number of laws, at least 2; its logarithm if `log`.
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
    Theorem ``thm-private-fano`` of the chapter on lower bounds.

    Examples
    --------
    One person, four categories: the error of k-ary randomized response.

    >>> round(private_fano(1, 1.0, Pure(np.log(3)), 4), 12)
    0.5
    """
    n, q, privacy = _family(n, q, privacy)
    log = _validate.flag("log", log)
    m = _validate.one_real("m", m, minimum=np.log(2) if log else 2, maximum=1e300)
    log_m = m if log else float(np.log(m))
    share = -np.expm1(-log_m)  # 1 - 1/m
    best = share * (1 - _confusable(n, q, privacy, "any"))
    nats = np.inf
    if isinstance(privacy, Local):
        epsilon = level(privacy, Pure)
        nats = n * min(share * _pair_nats(epsilon, q), information_rate(min(epsilon, 300.0), q))
    else:
        number, mass = _differing(n, q)
        if privacy.can_imply(ZCDP):
            nats = share * level(privacy, ZCDP) * ((n * q) ** 2 + n * q * (1 - q))
        if privacy.can_imply(Pure):
            x = number * level(privacy, Pure)
            nats = min(nats, share * float(mass @ (x * np.tanh(x / 2))))
        promise: Approximate | None = None
        if isinstance(privacy, Approximate):
            promise = privacy
        elif privacy.can_imply(Pure):
            promise = Approximate(level(privacy, Pure), 0.0)
        if promise is not None and float(promise.epsilon) > 0:
            # (e^x + (m - 1) delta) / (e^x + m - 1), with both divided by m - 1.
            log_odds = number * float(promise.epsilon) - log_m - np.log(share)
            odds = np.exp(np.clip(log_odds, -745.0, 700.0))
            found = np.minimum(1.0, (odds + _bits.leak(number, promise)) / (odds + 1))
            best = max(best, 1 - float(mass @ found))
    if np.isfinite(nats):
        best = max(best, _solved_fano(nats, log_m))
    return float(min(max(best, 0.0), share))


# --- what privacy leaves --------------------------------------------------------------------------


def _central(privacy: Guarantee) -> Guarantee:
    return _single(of_curator(privacy), TotalVariation)


def _single(privacy: Guarantee, target: type[Guarantee]) -> Guarantee:
    _validate.single_levels(privacy)
    if not privacy.can_imply(target):
        raise ValueError(f"privacy must imply {target.__name__}, got {privacy!r}")
    return privacy


def _family(n: int, q: float, privacy: Guarantee) -> tuple[int, float, Guarantee]:
    n = _validate.one_integer("n", n, minimum=1)
    q = _validate.one_real("q", q, minimum=0, maximum=1)
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    return n, q, _single(privacy, Pure if isinstance(privacy, Local) else TotalVariation)


def _differing(n: int, q: float) -> tuple[Array, Array]:
    """Values of Bin(n, q), from above, and their probabilities."""
    return binomial_bins(float(n), q, _BINS)


def _confusable(n: int, q: float, privacy: Guarantee, form: str) -> float:
    """E f(B), or E g(B) for the squared loss."""
    if isinstance(privacy, Local):
        t = float(_bits.response_distance(n * _pair_nats(level(privacy, Pure), q)))
        return t**2 if form == "squared" else t
    number, mass = _differing(n, q)
    value = (
        _squared(number, privacy) if form == "squared" else _bits.group_distance(number, privacy)
    )
    return min(1.0, float(mass @ value))


def _squared(b: Array, privacy: Guarantee) -> Array:
    """The bound g on the triangular discrimination of the outputs b records apart."""
    if isinstance(privacy, Approximate) and float(privacy.epsilon) > 0:
        t = np.tanh(float(privacy.epsilon) * b / 2) ** 2
        leaked: Array = t + _bits.leak(b, privacy) * (1 - t)
        return np.minimum(leaked, _bits.group_distance(b, privacy))
    distance = _bits.group_distance(b, privacy)
    best = np.ones_like(distance)
    if privacy.can_imply(KL):  # the root of T is a distance: b steps of at most t each
        best = np.minimum(best, b * _bits.response_distance(level(privacy, KL))) ** 2
    if privacy.can_imply(ZCDP):
        best = np.minimum(best, _bits.response_distance(level(privacy, ZCDP) * b**2) ** 2)
    if privacy.can_imply(Pure):
        best = np.minimum(best, np.tanh(level(privacy, Pure) * b / 2) ** 2)
    return np.minimum(best, distance)


def _pair_nats(epsilon: float, q: float) -> float:
    """J_q: what one private report tells, in either order, about two laws a mass q apart."""
    epsilon = min(epsilon, 600.0)
    mixed = float(np.log1p(q * np.expm1(epsilon)))
    return min(float(chi_square_form(NUMPY, epsilon)) * q**2 / 2, mixed * float(np.tanh(mixed / 2)))


def _solved_fano(nats: float, log_m: float) -> float:
    """Fano's inequality, solved for the error by bisection, with the logarithm of m."""
    log_others = log_m + np.log(-np.expm1(-log_m))
    low, high = 0.0, -float(np.expm1(-log_m))
    for _ in range(100):
        e = (low + high) / 2
        enough = special.entr(e) + special.entr(1 - e) + e * log_others >= log_m - nats
        low, high = (low, e) if enough else (e, high)
    return low
