r"""Floors in many dimensions by integration by parts: tracing, and Fisher's information.

Records are corners :math:`x \in \{-1, 1\}^d / \sqrt d` of a cube in the unit ball, with independent
coordinates of unknown means. Both floors are means of a product of two scores: of a coordinate
under its prior, and of a record under its law.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.guarantees import ZCDP, Approximate, Guarantee, Local, Pure
from minimaxdp.lower_bounds._curator_means import _window, level, of_curator

__all__ = ["fisher_floor", "member_bound", "tracing_floor", "tracing_scores"]


def member_bound(privacy: Guarantee) -> tuple[float, float]:
    r"""What privacy allows the mean score of a member of the sample to be.

    .. math:: \mathbb E A \le c \sqrt{\mathbb E \|M - \theta\|^2} + w \sum_j (1 - \theta_j^2)

    ====================  =================================  =============================
    definition            c                                  w
    ====================  =================================  =============================
    pure                  :math:`\sinh \frac\varepsilon2`    0
    zero-concentrated     :math:`\sqrt{e^{2 \rho} - 1}`      0
    approximate           :math:`\sinh \varepsilon`          :math:`\delta (1 +
                                                             e^{-\varepsilon})`
    ====================  =================================  =============================

    Parameters
    ----------
    privacy : Guarantee
        A curator's, of single levels: approximate, or what implies pure or zero-concentrated
        privacy.

    Returns
    -------
    c, w : float
        Where a definition implies several rows, the one of the least c. It may be infinite where
        the budget is beyond 600.

    Raises
    ------
    TypeError, ValueError
        If the definition implies none of the rows.

    Notes
    -----
    Theorem ``thm-lb-tracing`` of the chapter on lower bounds.

    Examples
    --------
    >>> c, w = member_bound(Approximate(0.1, 1e-6))
    >>> round(c, 4), round(w * 1e6, 3)
    (0.1002, 1.905)
    """
    privacy = of_curator(privacy)
    _validate.single_levels(privacy)
    if isinstance(privacy, Approximate) and float(privacy.delta) > 0:
        epsilon, delta = float(privacy.epsilon), float(privacy.delta)
        c = float(np.sinh(epsilon)) if epsilon <= 600 else np.inf
        return c, float(delta * (1 + np.exp(-epsilon)))
    found = []
    if privacy.can_imply(Pure):
        epsilon = level(privacy, Pure)
        found.append(float(np.sinh(epsilon / 2)) if epsilon <= 600 else np.inf)
    if privacy.can_imply(ZCDP):
        rho = level(privacy, ZCDP)
        found.append(float(np.sqrt(np.expm1(2 * rho))) if rho <= 300 else np.inf)
    if not found:
        raise ValueError(
            "privacy must be approximate, or imply pure or zero-concentrated privacy, "
            f"got {privacy!r}"
        )
    return min(found), 0.0


def tracing_floor(n: int, d: int, privacy: Guarantee) -> float:
    r"""A floor for the mean of vectors in the unit ball, by tracing.

    .. math:: \mathfrak M_n \ge \max_{a > 0} \frac{(1 - n w)_+^2}
              {\big(\sqrt{a + 1} + \frac{n c}{\sqrt d} \frac{a + 1}a\big)^2}

    with c and w of :func:`member_bound`. For :math:`n c \gg \sqrt d` it tends to
    :math:`\frac{d}{n^2 c^2} (1 - n w)_+^2`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    d : int
        Dimension, at least 1.
    privacy : Guarantee
        As in :func:`member_bound`.

    Returns
    -------
    float
        In [0, 1]; the squared Euclidean error of the worst law.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Theorem ``thm-lb-tracing`` of the chapter on lower bounds; a = 2 (c + 1) for a prior density
    proportional to :math:`(1 - \theta^2)^c` on every coordinate.

    Examples
    --------
    >>> floor = tracing_floor(10**6, 1_000, Approximate(0.1, 1e-9))
    >>> bool(floor > 0.8 * 1_000 / (10**6 * 0.1) ** 2)
    True
    """
    n, d = _validate.one_integer("n", n, minimum=1), _validate.one_integer("d", d, minimum=1)
    c, w = member_bound(privacy)
    y = n * c / np.sqrt(d)
    if not np.isfinite(y) or n * w >= 1:
        return 0.0
    # The best a lies between the roots of 2 y and of (2 y)^(2/3), for small and for large y.
    a = np.geomspace(0.05, 20, 200) * (np.sqrt(2 * y) + (2 * y) ** (2 / 3) + 1e-300)
    least = float((np.sqrt(a + 1) + y * (1 + 1 / a)).min())
    return ((1 - n * w) / least) ** 2


def fisher_floor(n: int, d: int, privacy: Guarantee) -> float:
    r"""A floor for the mean of vectors in the unit ball, by Fisher's information.

    .. math:: \mathfrak M_n \ge \max_\varphi \frac{d\, c_\varphi^2}{\min\{n d, C\} + d
              \frac{\pi^2}{\varphi^2}}, \qquad C = n \sinh^2 \tfrac\varepsilon2 \text{ (local)},\;
              n^2 c^2 \text{ (curator)}

    with c of :func:`member_bound` and :math:`c_\varphi` the mean of the cosine under the density
    :math:`\frac1\varphi \cos^2 \frac{\pi u}{2 \varphi}` on :math:`[-\varphi, \varphi]`.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    d : int
        Dimension, at least 1.
    privacy : Guarantee
        Of single levels: ``Local(Pure(epsilon))``, in any sequential protocol, or a curator's that
        implies pure or zero-concentrated privacy.

    Returns
    -------
    float
        In [0, 1]; the squared Euclidean error of the worst law.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range, or delta is positive.

    Notes
    -----
    Theorem ``thm-lb-fisher`` of the chapter on lower bounds.

    Examples
    --------
    >>> floor = fisher_floor(10**8, 100, Local(Pure(0.1)))
    >>> bool(0.9 < floor / (100 / (10**8 * np.sinh(0.05) ** 2)) < 1)
    True
    """
    n, d = _validate.one_integer("n", n, minimum=1), _validate.one_integer("d", d, minimum=1)
    _validate.instance("privacy", privacy, Guarantee)
    if isinstance(privacy, Local):
        _validate.single_levels(privacy)
        if not privacy.can_imply(Pure):
            raise ValueError(f"privacy must be Local(Pure(epsilon)), got {privacy!r}")
        told = n * float(np.sinh(level(privacy, Pure) / 2)) ** 2
    else:
        c, w = member_bound(privacy)
        if w > 0:
            raise ValueError("privacy must have delta = 0 here: use tracing_floor")
        told = float(n) ** 2 * min(c, float(d)) ** 2  # of which n d counts at most
    angle, cosine, _ = _window()
    value = d * cosine**2 / (min(told, float(n) * d) + d * (np.pi / angle) ** 2)
    return float(value.max())


def tracing_scores(records: ArrayLike, released: ArrayLike, theta: ArrayLike) -> Array:
    r"""Score of every record against a released mean: large for those who are in the sample.

    .. math:: A_i = \langle M - \theta,\, x_i - \theta \rangle

    An outsider's score has mean zero; if M is the exact mean of n records, a member's has mean
    :math:`\frac1n \sum_j (1 - \theta_j^2)`.

    Parameters
    ----------
    records : array_like, shape (people, d)
        The records that are traced.
    released : array_like, shape (d,)
        What was published.
    theta : array_like, shape (d,)
        The mean of the population, known to the attacker.

    Returns
    -------
    ndarray, shape (people,)

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit or a value is not finite.

    Notes
    -----
    Dwork, Smith, Steinke, Ullman and Vadhan (2015).

    Examples
    --------
    >>> tracing_scores([[1, 1], [-1, 1]], [0.5, 1.0], [0.0, 0.0])
    array([1.5, 0.5])
    """
    records = np.atleast_2d(_validate.real("records", records, minimum=-1e100, maximum=1e100))
    released = np.asarray(_validate.real("released", released, minimum=-1e100, maximum=1e100))
    theta = np.asarray(_validate.real("theta", theta, minimum=-1e100, maximum=1e100))
    if records.ndim != 2:
        raise ValueError(f"records must be a table of people and coordinates, got {records.shape}")
    for name, vector in (("released", released), ("theta", theta)):
        if vector.shape != records.shape[1:]:
            raise ValueError(
                f"{name} must have an entry for each column of records, {records.shape[1]}, "
                f"got an array of shape {vector.shape}"
            )
    scores: Array = (records - theta) @ (released - theta)
    return scores
