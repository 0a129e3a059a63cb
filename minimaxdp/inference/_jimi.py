"""The fiducial law of a proportion given its private release: by quadrature, by sum, by draws."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.optimize import elementwise
from scipy.special import betainc

from minimaxdp import _validate
from minimaxdp._types import Array, Real, Rng
from minimaxdp.inference._binomial import LEAST_EPSILON

__all__ = ["jimi_cdf", "jimi_draws", "jimi_quantile"]

FORMS = ("beta", "rounded")
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


@_validate.broadcasting
def jimi_cdf(
    theta: ArrayLike, released: ArrayLike, n: int, epsilon: float, *, form: str = "beta"
) -> Real:
    r"""Distribution function of the private JIMI given the release, without simulation.

    .. math:: T = z - L, \quad L \sim \mathrm{Lap}(1/\varepsilon), \qquad
              H_z(\theta) = \mathbb E\, I_\theta\big(T + \tfrac12, n - T + \tfrac12\big)

    with the regularised incomplete beta function I. In the form "beta" (equation 3 and the
    algorithm) T outside [0, n] gives an atom at 0 or at 1, and the expectation is a quadrature;
    in the form "rounded" (equation 2) T is first moved to the nearest of 0, ..., n, and the
    expectation is a finite sum. Increasing in theta, decreasing in z; the value at theta0 is
    the p-value against larger proportions.

    Parameters
    ----------
    theta : array_like
        In [0, 1]; broadcasts against `released`.
    released : array_like
        Counts plus Laplace noise.
    n : int
        Number of people, at least 1.
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.
    form : {"beta", "rounded"}

    Returns
    -------
    float or ndarray

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claims ``Boul-DPJIMI``, ``Boul-eq3``, ``Boul-JIMI-alg``).

    Examples
    --------
    >>> [round(float(jimi_cdf(0.3, 40.0, 100, 1.0, form=form)), 4) for form in FORMS]
    [0.0203, 0.0204]
    """
    theta = _validate.real("theta", theta, minimum=0, maximum=1)
    released = _validate.real("released", released)
    n = _validate.one_integer("n", n, minimum=1)
    epsilon = _validate.one_epsilon(epsilon, minimum=LEAST_EPSILON)
    _validate.choice("form", form, FORMS)
    # The beta form keeps some six arrays of its nodes, the rounded one as many of the counts.
    _validate.memory("n", 6, n if form == "rounded" else 20 * _panels(n, epsilon))
    theta, released = np.broadcast_arrays(theta, released)
    flat, z = theta.astype(float).ravel(), np.clip(released, -1e300, 1e300).ravel()
    law = _beta_form if form == "beta" else _rounded_form
    rows = max(1, 2_000_000 // (20 * _panels(n, epsilon) + n))  # bounded memory
    parts = [
        law(flat[i : i + rows], z[i : i + rows], n, epsilon) for i in range(0, flat.size, rows)
    ]
    return np.reshape(np.concatenate(parts), theta.shape)[()]


def jimi_quantile(
    probability: ArrayLike,
    released: ArrayLike,
    n: int,
    epsilon: float,
    *,
    form: str = "beta",
) -> Real:
    """Quantiles of the private JIMI given the release: the inverse of :func:`jimi_cdf`.

    Parameters
    ----------
    probability : array_like
        Strictly between 0 and 1; broadcasts against `released`.
    released : array_like
        Counts plus Laplace noise.
    n : int
        Number of people, at least 1.
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.
    form : {"beta", "rounded"}
        As in :func:`jimi_cdf`.

    Returns
    -------
    float or ndarray
        In [0, 1]; an end of it where the atom there holds the probability.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Examples
    --------
    >>> jimi_quantile([0.025, 0.975], 40.0, 100, 1.0).round(4)
    array([0.3041, 0.5017])
    """
    p = np.asarray(_validate.real("probability", probability, above=0, below=1))
    released = np.asarray(_validate.real("released", released))
    shape = _validate.broadcast(probability=p, released=released)
    p, z = np.broadcast_to(p, shape).ravel(), np.broadcast_to(released, shape).ravel()
    ends = np.array([0.0, np.nextafter(1.0, 0)])
    bottom, top = (np.asarray(jimi_cdf(end, z, n, epsilon, form=form)) for end in ends)
    found = np.where(p <= bottom, 0.0, 1.0)
    inside = (p > bottom) & (p < top)
    if inside.any():
        gap = lambda t, z, p: jimi_cdf(t, z, n, epsilon, form=form) - p  # noqa: E731
        bracket = tuple(np.full(inside.sum(), end) for end in ends)
        found[inside] = elementwise.find_root(gap, bracket, args=(z[inside], p[inside])).x
    return np.reshape(found, shape)[()]


def jimi_draws(
    released: float,
    n: int,
    epsilon: float,
    size: int,
    *,
    form: str = "beta",
    rng: Rng = None,
) -> Array:
    """Draws of the private JIMI given the release: the algorithm of the slides.

    Post-processing of a private release, and so private.

    Parameters
    ----------
    released : float
        A count plus Laplace noise.
    n : int
        Number of people, at least 1.
    epsilon : float
        Privacy budget in nats, from 1e-150 to 700.
    size : int
        Number of draws, at least 1.
    form : {"beta", "rounded"}
        As in :func:`jimi_cdf`.
    rng : Generator, int or None

    Returns
    -------
    ndarray, shape (size,)

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Boulaguiem's slides (claim ``Boul-JIMI-alg``).

    Examples
    --------
    >>> draws = jimi_draws(40.0, 100, 1.0, 10_000, rng=0)
    >>> bool(abs((draws <= 0.3).mean() - 0.0203) < 0.01)
    True
    """
    released = _validate.one_real("released", released)
    n = _validate.one_integer("n", n, minimum=1)
    epsilon = _validate.one_epsilon(epsilon, minimum=LEAST_EPSILON)
    size = _validate.one_integer("size", size, minimum=1)
    _validate.memory("size", 5, size)
    _validate.choice("form", form, FORMS)
    rng = _validate.generator(rng)
    t = released - rng.laplace(scale=1 / epsilon, size=size)
    if form == "rounded":
        t = np.clip(np.rint(t), 0, n)
    inside = np.clip(t, 0, n)
    draws = rng.beta(inside + 0.5, n - inside + 0.5)
    return np.where(t < 0, 0.0, np.where(t > n, 1.0, draws))


def _rounded_form(theta: Array, z: Array, n: int, epsilon: float) -> Array:
    k = np.arange(n + 1.0)
    upper = np.append(k[:-1] + 0.5, np.inf)
    lower = np.append(-np.inf, upper[:-1])
    # A difference of the smaller tails keeps the digits of far cells.
    a, b = ((edge - z[:, None]) * epsilon for edge in (lower, upper))
    weights = np.where(
        a > 0,
        scipy.stats.laplace.sf(a) - scipy.stats.laplace.sf(b),
        scipy.stats.laplace.cdf(b) - scipy.stats.laplace.cdf(a),
    )
    return (weights * betainc(k + 0.5, n - k + 0.5, theta[:, None])).sum(axis=1)


def _panels(n: int, epsilon: float) -> int:
    """Panels on each side of the release: none wider than 4 / epsilon or sqrt(n) / 4."""
    width = min(4 / epsilon, max(1.0, n**0.5 / 4))
    return int(np.ceil(min(n, 40 / epsilon) / width))


def _beta_form(theta: Array, z: Array, n: int, epsilon: float) -> Array:
    panels = _panels(n, epsilon)
    # Nodes and weights on [0, 1], panel after panel.
    nodes = ((np.arange(panels)[:, None] + (_NODES + 1) / 2) / panels).ravel()
    weights = np.tile(_WEIGHTS / (2 * panels), panels)
    centre = np.clip(z, 0, n)
    # Beyond 40 / epsilon from the release (or from the nearest end) the density is e^-40.
    right, left = np.minimum(n, centre + 40 / epsilon), np.maximum(0, centre - 40 / epsilon)
    total = scipy.stats.laplace.cdf(-z * epsilon)  # the atom at 0
    for end in (left, right):
        span = end - centre
        t = centre[:, None] + span[:, None] * nodes
        density = epsilon / 2 * np.exp(-epsilon * abs(t - z[:, None]))
        values = betainc(t + 0.5, n - t + 0.5, theta[:, None])
        total = total + abs(span) * ((density * values) @ weights)
    return np.where(theta >= 1, 1.0, np.minimum(total, 1.0))
