r"""Unbiased means of n given vectors of the unit ball: floors under every definition."""

from __future__ import annotations

import numpy as np

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.lower_bounds._curator_means import information_level, largest_first
from minimaxdp.lower_bounds._sphere import cap_height, least_distortion, longest_mean
from minimaxdp.unbiased_bounds._chains import chain_floor

__all__ = ["unbiased_mean_floor", "unbiased_mean_floors"]


def unbiased_mean_floors(n: int, d: int, privacy: Guarantee) -> dict[str, float]:
    r"""Lower bounds on the worst squared error of an unbiased private mean, by their argument.

    With :math:`B_d(x)` the length of the best cap report at budget x (PrivUnit), :math:`D_d(I)`
    the distortion-rate function of a uniform direction, and T the largest triangular
    discrimination of neighbours (:math:`\tanh^2 \frac\varepsilon2` for pure privacy and what it
    implies), alpha the total-variation level, :math:`m_d(x)` the mean height of the cap of measure
    :math:`e^{-x}` (no lower than its upper half gives) and :math:`\delta_b =
    \delta \frac{e^{b \varepsilon} - 1}{e^\varepsilon - 1}`:

    ==========  =============  =================================================================
    name        privacy        bound
    ==========  =============  =================================================================
    pairs       any curator's  :math:`\frac{\min\{n, d\}}{n^2} \big(\frac1T - 1\big)`, and for
                               each further axis :math:`\frac{1}{4 n^2 \sinh^2(\varepsilon/2)}` or
                               :math:`\frac{1}{n^2 (e^{2\rho} - 1)}`
    cap         pure           :math:`\max_{b \le n} \frac{b^2}{n^2} (B_d(b \varepsilon)^2 - 1)`
    cap         approximate    :math:`\max_{b \le n} \frac{b^2}{n^2} \big(
                               (m_d(b \varepsilon) + \sqrt{\delta_b})^{-2} - 1\big)`
    shannon     zCDP           :math:`\max_{b \le n} \frac{b^2}{n^2} \frac{D}{1 - D}`,
                               :math:`D = D_d(\rho b^2)`; for KL the same at b = 1
    counts      pure           :math:`\frac{2 m}{n^2} \big(\frac{1}{\sinh\frac{\varepsilon +
                               \lambda}2} - \frac{e^{-\lambda K/2}}{\sinh\frac\lambda2}\big)_+^2`,
                               :math:`K = \lfloor \frac{n}{2m} \rfloor`, :math:`m \le d`
    counts      any curator's  :math:`\frac{m}{3 n^2} \big((\alpha + \frac1L)^{-2} - 1\big)`,
                               :math:`L = \lfloor \frac nm \rfloor + 1`, :math:`m \le d`
    counts      KL, zCDP       :math:`\frac{4 m}{n^2} \big(\sqrt E - \frac{e^{-\lambda K/2}}{\sqrt2
                               \sinh(\lambda/2)}\big)_+^2`, E the error of a count whose neighbours
                               diverge by kappa nats
    report      local          :math:`\frac1n (B_d(\varepsilon)^2 - 1)`
    ==========  =============  =================================================================

    Parameters
    ----------
    n, d : int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        Of single levels, for neighbours that replace a record: a curator's with a total-variation
        level, or ``Local(Pure(epsilon))``.

    Returns
    -------
    dict of str to float
        The largest first.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or nothing is promised: the mean itself has no error.

    Notes
    -----
    Stated and proved in the part "Sharper" of the chapter on means. "counts" holds for biased
    mechanisms too.

    Examples
    --------
    >>> found = unbiased_mean_floors(1000, 200, Pure(0.2))
    >>> next(iter(found)), round(1000**2 * found["cap"])
    ('cap', 182166)
    """
    n = _validate.one_integer("n", n, minimum=1)
    d = _validate.one_integer("d", d, minimum=1, maximum=10**6)
    privacy = _validate.instance("privacy", privacy, Guarantee).under("replacement")
    _validate.single_levels(privacy)
    if isinstance(privacy, NonPrivate):
        raise ValueError(f"privacy must promise something, got {privacy!r}")
    found: dict[str, float] = {}
    if isinstance(privacy, Local):
        epsilon = float(privacy.implies(Pure).epsilon)
        found["report"] = (float(longest_mean(epsilon, d)) ** -2 - 1) / n
        return found
    t = information_level(privacy)
    found["pairs"] = min(n, d) / n**2 * (1 / t - 1)
    alpha = float(privacy.implies(TotalVariation).alpha)
    axes = np.unique(np.round(np.geomspace(1, min(n, d), 24)))[:, None]
    spread = np.minimum(1.0, alpha + 1 / (np.floor(n / axes) + 1)) ** -2 - 1
    found["counts"] = float((axes / (3 * n**2) * spread).max())
    if isinstance(privacy, Approximate) and (epsilon := float(privacy.epsilon)) > 0:
        b = _groups(n, np.log(1 / max(float(privacy.delta), 1e-300)) / epsilon)
        with np.errstate(over="ignore"):
            leak = float(privacy.delta) * np.expm1(b * epsilon) / np.expm1(epsilon)
        x = b * epsilon
        # Of more than half of the sphere the upper half alone is better.
        half = np.exp(np.minimum(x, np.log(2))) / 2 * cap_height(np.maximum(x, np.log(2)), d)
        mean = np.minimum(1.0, half + np.sqrt(np.minimum(1.0, leak)))
        found["cap"] = float((b**2 / n**2 * (mean**-2 - 1)).max())
    if privacy.can_imply(KL) and 0.01 < (kappa := float(privacy.implies(KL).level)) < 100:
        found["counts"] = max(found["counts"], chain_floor(n, axes, kappa))
    if not privacy.can_imply(ZCDP) and privacy.can_imply(KL):
        left = least_distortion(float(privacy.implies(KL).level), d)
        found["shannon"] = float(_over_rest(left)) / n**2
    if privacy.can_imply(ZCDP) and (rho := float(privacy.implies(ZCDP).rho)) > 0:
        if not privacy.can_imply(Pure):
            found["pairs"] += max(d - n, 0) / n**2 / np.expm1(min(2 * rho, 700.0))
        b = _groups(n, np.sqrt(d / rho))
        left = least_distortion(rho * b**2, d)
        found["shannon"] = float((b**2 / n**2 * _over_rest(left)).max())
    if privacy.can_imply(Pure) and (epsilon := float(privacy.implies(Pure).epsilon)) > 0:
        found["pairs"] += max(d - n, 0) * (0.5 / (n * np.sinh(epsilon / 2))) ** 2
        b = _groups(n, d / epsilon)
        longest = longest_mean(b * epsilon, min(d, 10_000))
        # Likelihood ratios up to exp(x) are at most x nats, which serve where the cap underflows.
        left = least_distortion(b * epsilon, d)
        cap = np.maximum(longest**-2 - 1, _over_rest(left))
        found["cap"] = float((b**2 / n**2 * cap).max())
        rate = epsilon * np.geomspace(1e-4, 20, 100)
        half = np.floor(n / (2 * axes))
        with np.errstate(over="ignore"):
            inner = 1 / np.sinh((epsilon + rate) / 2) - np.exp(-rate * half / 2) / np.sinh(rate / 2)
        pure = float((2 * axes / n**2 * np.maximum(inner, 0.0) ** 2).max())
        found["counts"] = max(found["counts"], pure)
    return largest_first(found)


def unbiased_mean_floor(n: int, d: int, privacy: Guarantee) -> float:
    r"""Lower bound on the worst squared error of an unbiased private mean of vectors in a ball.

    Parameters
    ----------
    n, d : int
        Number of people and dimension, at least 1.
    privacy : Guarantee
        As for :func:`unbiased_mean_floors`, the largest of which it is.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or nothing is promised.

    Examples
    --------
    For normal noise it is exact where people are at least as many as dimensions:

    >>> unbiased_mean_floor(10**4, 20, ZCDP(1e-4)) / (20 / (1e8 * 5e-5))
    1.0000
    """
    return next(iter(unbiased_mean_floors(n, d, privacy).values()))


def _over_rest(left: Array) -> Array:
    """D / (1 - D) of a distortion, no larger than it is where D is rounded to 1."""
    ratio: Array = left / (1 - left + 8 * np.finfo(float).eps)
    return ratio


def _groups(n: int, scale: float) -> Array:
    """Numbers b of records that change together, about a scale."""
    groups: Array = np.unique(np.clip(np.round(scale * np.geomspace(0.01, 10, 120)), 1, n))
    return groups
