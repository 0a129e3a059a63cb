r"""The dual of the least-trace ellipsoid, solved to many digits.

For points :math:`v_i` the least trace of V with :math:`v_i^T V^{-1} v_i \le 1` is, by duality,

.. math:: \max_{w} \big(\mathrm{tr}\, M^{1/2}\big)^2, \qquad M = \sum_i w_i v_i v_i^T,
          \quad w \ge 0, \ \sum_i w_i = 1,

and :math:`g_i = v_i^T M^{-1/2} v_i` is the gradient of :math:`2\, \mathrm{tr}\, M^{1/2}`. Any w
gives a feasible V, namely :math:`\max_i g_i\, M^{1/2}`, whose trace exceeds the dual value by
the factor :math:`\max_i g_i / \sum_i w_i g_i`: the certificate needs no trust in the route to w.

The route has two parts. Multiplicative steps find the neighbourhood of the optimum and the few
points that matter. There Newton's method takes over, on the barrier problem

.. math:: \max_{\lambda > 0}\ 2\, \mathrm{tr}\, S^{1/2} - \sum_i \lambda_i
          + \mu \sum_i \ln \lambda_i, \qquad S = \sum_i \lambda_i v_i v_i^T,

whose duality gap is :math:`\mu` times the number of points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from minimaxdp._types import Array

_MULTIPLICATIVE_STEPS = 300
_NEAR = 1.005  # certificate at which Newton's method takes over
_NEWTON_STEPS = 60
_PATIENCE = 12
_ROUNDS = 12
# Steps of the exponential sum for 1/x in ln t: the relative error is about 2 exp(-pi^2 / step).
_STEP = 1.0


@dataclass(frozen=True)
class _State:
    """M and what is computed from its eigenvalues, at one vector of weights."""

    centre: Array
    roots: Array  # square roots of the eigenvalues of M
    axes: Array
    gradient: Array  # g_i at every point
    total: float  # sum of the weights

    @property
    def trace(self) -> float:
        """tr M^(1/2)."""
        return float(self.roots.sum())

    @property
    def excess(self) -> float:
        """Primal over dual value, at least 1."""
        return float(self.gradient.max() * self.total / self.trace)


def _evaluate(points: Array, weights: Array, translate: bool) -> _State:
    total = float(weights.sum())
    centre = weights @ points / total if translate else np.zeros(points.shape[1])
    shifted = points - centre if translate else points
    used = weights > 0
    roots, axes = spectrum(shifted[used], weights[used])
    gradient = ((shifted @ axes) ** 2 / roots).sum(axis=1)
    return _State(centre, roots, axes, gradient, total)


def spectrum(points: Array, weights: Array) -> tuple[Array, Array]:
    """Square roots of the eigenvalues of M, rising, and its axes as columns."""
    scaled = points * np.sqrt(weights)[:, None]
    values, axes = np.linalg.eigh(scaled.T @ scaled)
    # Directions that carry no weight must not divide by zero; a certificate shows them as a
    # large excess, which the next step repairs.
    return np.sqrt(np.maximum(values, values[-1] * 1e-28)), axes


def ascend(points: Array, translate: bool, tolerance: float) -> Array:
    """Weights whose certificate is within the tolerance, or the best that doubles allow.

    Points (N, d) span the space (after the removal of a centre, if they may be translated).
    """
    weights = _multiplicative(points, translate)
    state = _evaluate(points, weights, translate)
    best, least = weights, state.excess
    if least - 1 <= tolerance:
        return best
    rng = np.random.default_rng(0)  # fixed: the result depends on the points alone
    for turn in range(_ROUNDS):
        chosen = _working_set(weights, state, points.shape[1], turn > 0, rng)
        inner = _newton(points[chosen], weights[chosen], translate, tolerance / 4)
        weights = np.zeros(len(points))
        weights[chosen] = inner / inner.sum()
        state = _evaluate(points, weights, translate)
        if state.excess < least:
            best, least = weights, state.excess
        if least - 1 <= tolerance:
            break
    return best


def _multiplicative(points: Array, translate: bool) -> Array:
    """Weights times a power of the gradient, until the certificate is near one."""
    active = np.arange(len(points))
    weights = np.full(len(points), 1 / len(points))
    state = _evaluate(points, weights, translate)
    for turn in range(_MULTIPLICATIVE_STEPS):
        if state.excess <= _NEAR:
            break
        if turn % 10 == 9:
            # What has lost its weight only costs time; a mistake shows in the certificate.
            alive = weights > 1e-6 / len(points)
            active, weights = active[alive], weights[alive] / weights[alive].sum()
            state = _evaluate(points[active], weights, translate)
        # The square jumps to the optimum for orthogonal points; the first power always climbs.
        for power in (2, 1):
            trial = weights * (state.gradient / state.trace) ** power
            trial /= trial.sum()
            moved = _evaluate(points[active], trial, translate)
            if moved.trace >= state.trace:
                break
        weights, state = trial, moved
    result = np.zeros(len(points))
    result[active] = weights
    return result


def _working_set(
    weights: Array, state: _State, d: int, carried: bool, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Points that may carry weight at the optimum: those not far inside the ellipsoid.

    A guess, not a proof; a point left out by mistake shows in the certificate and returns.
    Points that carry weight already stay, once Newton's method has found them.
    """
    relative = state.gradient * state.total / state.trace
    margin = max(6 * (state.excess - 1), 1e-3)
    order = np.argsort(-relative, kind="stable")
    near = order[: max(int((relative >= 1 - margin).sum()), 2 * d)]
    most = 2 * d * (d + 3) + 100
    if len(near) > most:
        # On a round body all are near: the outermost, and some from all around.
        half = most // 2
        near = np.append(near[:half], rng.choice(near[half:], half, replace=False))
    return np.union1d(near, np.flatnonzero(weights)) if carried else np.sort(near)


def _newton(points: Array, weights: Array, translate: bool, tolerance: float) -> Array:
    """Primal-dual interior-point steps on the barrier problem, from a good start."""
    active = np.arange(len(points))
    lam = np.maximum(weights, 1e-2 * weights.sum() / len(weights))
    state = _evaluate(points, lam, translate)
    # Scaling by c divides the gradient by sqrt(c): about one where the weight is.
    lam = lam * (1.02 * state.trace / state.total) ** 2
    state = _evaluate(points, lam, translate)
    slack = np.maximum(1 - state.gradient, 1e-2)
    best, least, idle = lam, state.excess, 0
    for _ in range(_NEWTON_STEPS):
        # Rounding ends the descent at last; what came before it is kept.
        if least - 1 <= tolerance or idle > _PATIENCE:
            break
        # A point whose slack has won over its weight only costs time.
        alive = lam * len(lam) * 1e5 > slack * lam.sum()
        if not alive.all():
            active, points, lam, slack = active[alive], points[alive], lam[alive], slack[alive]
            best = best[alive]
            state = _evaluate(points, lam, translate)
        # Newton on lam * slack = mu and slack = 1 - g(lam), of which only the first is eased in.
        misfit = 1 - state.gradient - slack
        solve = _solver(points, state, translate, lam / slack)

        def direction(mu: float) -> tuple[Array, Array]:
            move, rise = solve(mu / slack - lam - lam / slack * misfit)  # noqa: B023
            return move, misfit + rise  # noqa: B023

        # Mehrotra's rule: how far the pure Newton step gets decides how much to aim off.
        move, rise = direction(0.0)
        reach = min(1.0, _reach(lam, move), _reach(slack, rise))
        mu = float(lam @ slack) / len(lam) * max((1 - reach) ** 3, 1e-4)
        move, rise = direction(mu)
        lam = lam + min(1.0, 0.98 * _reach(lam, move)) * move
        slack = slack + min(1.0, 0.98 * _reach(slack, rise)) * rise
        state = _evaluate(points, lam, translate)
        idle += 1
        if state.excess < least:
            best, least, idle = lam, state.excess, 0
    result = np.zeros(len(weights))
    result[active] = best
    return result


def _reach(value: Array, move: Array) -> float:
    """Largest step that leaves a positive vector nonnegative."""
    falling = move < 0
    return float((value[falling] / -move[falling]).min()) if falling.any() else np.inf


def _solver(
    points: Array, state: _State, translate: bool, ratio: Array
) -> Callable[[Array], tuple[Array, Array]]:
    r"""The map from b to x and H x, where :math:`(I + R H) x = b`.

    R is diagonal, the ratio of weight to slack, and H the curvature, minus the derivative of
    the gradient.
    """
    d = points.shape[1]
    scale = np.sqrt(ratio)
    if len(points) > d * (d + 1):
        # Many more points than a symmetric matrix has entries: solve in the space of matrices.
        factors = _factors(points, state, translate)
        scaled = factors * scale[:, None]
        normal = scaled.T @ scaled
        normal[np.diag_indices_from(normal)] += 1
        small = cho_factor(normal, lower=True, overwrite_a=True, check_finite=False)

        def through_matrices(b: Array) -> tuple[Array, Array]:
            rise = factors @ cho_solve(small, factors.T @ b, check_finite=False)
            return b - ratio * rise, rise

        return through_matrices
    curvature = _curvature(points, state, translate)
    system = curvature * scale[:, None] * scale
    system[np.diag_indices_from(system)] += 1
    large = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)

    def through_points(b: Array) -> tuple[Array, Array]:
        move = scale * cho_solve(large, b / scale, check_finite=False)
        return move, curvature @ move

    return through_points


def _factors(points: Array, state: _State, translate: bool) -> Array:
    """A matrix F, one column to a pair of axes, whose product F F' is the curvature."""
    d = points.shape[1]
    placed = (points - state.centre if translate else points) @ state.axes
    roots = state.roots
    factors = np.empty((len(points), d * (d + 1) // 2 + (d if translate else 0)))
    start = 0
    for a in range(d):
        rest = slice(a, d)
        weight = np.full(d - a, 2.0)
        weight[0] = 1.0
        weight /= roots[a] * roots[rest] * (roots[a] + roots[rest])
        stop = start + d - a
        np.multiply(placed[:, [a]], placed[:, rest] * np.sqrt(weight), out=factors[:, start:stop])
        start = stop
    if translate:
        factors[:, start:] = np.sqrt(2 / state.total) * (placed / np.sqrt(roots))
    return factors


def _curvature(points: Array, state: _State, translate: bool) -> Array:
    r"""Minus the derivative of the gradient: :math:`-\partial g_i / \partial \lambda_j`.

    In the eigenbasis, with roots a, it is the sum over pairs a, b of
    :math:`u_{ia} u_{ja} u_{ib} u_{jb} / (a b (a + b))`; writing :math:`1/(a + b)` as a short sum
    of exponentials makes it a sum of squared Gram matrices, entry by entry.
    """
    shifted = points - state.centre if translate else points
    unit = (shifted @ state.axes) / np.sqrt(state.roots)
    low, high = 2 * state.roots[0], 2 * state.roots[-1]
    steps = int(np.ceil(np.log(9 * high / (0.05 * low)) / _STEP))
    times = 0.05 / high * np.exp(_STEP * np.arange(steps + 1))
    shares = _STEP * times
    # All nodes below the first are as good as one at zero.
    times = np.append(times, 0.0)
    shares = np.append(shares, shares[0] / np.expm1(_STEP))
    total = np.zeros((len(points), len(points)))
    for time, share in zip(times, shares, strict=True):
        damped = unit * np.exp(-time * state.roots / 2) * share**0.25
        gram = damped @ damped.T
        np.square(gram, out=gram)
        total += gram
    if translate:
        total += 2 / state.total * (unit @ unit.T)
    return total
