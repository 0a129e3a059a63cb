r"""Exact minimax risks in the plane: what a lower bound in two dimensions is held to."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from minimaxdp import _validate
from minimaxdp._types import Array
from minimaxdp.guarantees import Guarantee
from minimaxdp.lower_bounds import histogram_laws, histograms
from minimaxdp.lower_bounds._exact import linear_budget

__all__ = ["PlaneMinimax", "plane_minimax"]

# The records: the ends of the two axes.
_RECORDS = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])


@dataclass(frozen=True)
class PlaneMinimax:
    """An enclosure of the minimax risk for the mean of n records on the axes of the plane.

    Attributes
    ----------
    lower, upper : float
        The minimax risk over all laws of :math:`0, \\pm e_1, \\pm e_2` lies between them: `lower`
        is the value of a programme less what rounding an output to its grid can cost, `upper` the
        largest risk of its channel over a fine grid of laws.
    laws : ndarray, shape (laws, 4)
        The laws on which the programme was solved, as probabilities of
        :math:`e_1, -e_1, e_2, -e_2`.
    """

    lower: float
    upper: float
    laws: Array


def plane_minimax(n: int, privacy: Guarantee, *, outputs: int = 9) -> PlaneMinimax:
    r"""Minimax risk for the mean of n records 0, :math:`\pm e_1` or :math:`\pm e_2`.

    .. math:: \min_Q \sup_P \mathbb E_P \|\hat\theta - \mathbb E_P X\|_2^2

    over all channels of a curator. The mechanism sees the counts of the records, and is
    as symmetric as the square is: a channel averaged over the orders of its data and the eight
    symmetries of the square is as private, and no worse. A record 0 adds nothing, since
    :math:`\pm e_1` in its place, by a coin, has the same mean.

    Parameters
    ----------
    n : int
        Number of people, from 1 to 8.
    privacy : Guarantee
        Pure, approximate or total-variation privacy towards a curator.
    outputs : int
        The grid of outputs has the square of this many, at least 2.

    Returns
    -------
    PlaneMinimax

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    For records in the unit disc the minimax risk is between once and twice this: the disc lies
    in the square whose corners are :math:`\pm \sqrt 2 e_j`, and a record may be rounded to a
    corner at random before anything is done with it.

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> found = plane_minimax(1, Pure(1.0), outputs=5)
    >>> bool(0.7 < found.lower < found.upper < 1)
    True
    """
    n = _validate.one_integer("n", n, minimum=1, maximum=8)
    outputs = _validate.one_integer("outputs", outputs, minimum=2, maximum=21)
    epsilon, delta = linear_budget(_validate.instance("privacy", privacy, Guarantee))
    counts, pairs = histograms(4, n)
    table = counts.astype(float)
    side = np.linspace(-0.5, 0.5, outputs)
    # The square with corners on the axes, in coordinates along its sides.
    actions = np.array([(u + v, u - v) for u, v in product(side, side)])
    symmetries = _symmetries()
    moved = _permutations(table, [table[:, perm] for perm, _ in symmetries])
    turned = _permutations(actions, [actions @ matrix.T for _, matrix in symmetries])
    cell, size = _orbits(moved, turned)
    fine, laws = _laws(20), _laws(4)
    for _ in range(6):
        best, value = _solve(table, pairs, actions, cell, size, laws, epsilon, delta)
        risk = _risks(table, actions, best, fine)
        if risk.max() <= value * 1.002:
            break
        worst = np.argsort(risk)[-3:]
        laws = np.concatenate([laws, fine[worst]])
    step = float(side[1] - side[0]) * np.sqrt(2)
    return PlaneMinimax(max(value - step**2 / 2, 0.0), float(max(risk.max(), value)), laws)


def _symmetries() -> list[tuple[list[int], Array]]:
    """The eight symmetries of the square: what becomes of the counts, and of an output."""
    found = []
    for swap, first, second in product((False, True), (1, -1), (1, -1)):
        matrix = np.diag([first, second]).astype(float)
        matrix = matrix[::-1] if swap else matrix
        image = [int(np.flatnonzero((matrix @ x == _RECORDS).all(axis=1))[0]) for x in _RECORDS]
        found.append((list(np.argsort(image)), matrix))
    return found


def _permutations(rows: Array, images: list[Array]) -> NDArray[np.int64]:
    """Which row each row becomes, for each image of the table: (images, rows)."""
    place = {tuple(np.round(row, 9) + 0.0): i for i, row in enumerate(rows)}
    return np.array([[place[tuple(np.round(row, 9) + 0.0)] for row in image] for image in images])


def _orbits(moved: NDArray[np.int64], turned: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """A number for each pair of counts and output, the same for pairs that a symmetry joins."""
    many = turned.shape[1]
    codes = moved[:, :, None] * many + turned[:, None, :]
    _, cell = np.unique(codes.min(axis=0), return_inverse=True)
    cell = cell.reshape(moved.shape[1], many)
    return cell, int(cell.max()) + 1


def _laws(steps: int) -> Array:
    """Laws of a record up to symmetry, on a grid of the simplex."""
    grid = histograms(4, steps)[0] / steps
    ordered = (grid[:, 0] >= grid[:, 1]) & (grid[:, 2] >= grid[:, 3])
    ordered &= grid[:, 0] - grid[:, 1] >= grid[:, 2] - grid[:, 3] - 1e-12
    return np.asarray(grid[ordered], dtype=float)


def _risks(table: Array, actions: Array, channel: Array, laws: Array) -> Array:
    """Exact risk of a channel (counts, outputs) under each law."""
    theta = laws @ _RECORDS
    first, second = channel @ actions, channel @ (actions**2).sum(axis=1)
    data = histogram_laws(table.astype(int), laws)
    risk = data @ second - 2 * ((data @ first) * theta).sum(axis=1) + (theta**2).sum(axis=1)
    return np.asarray(risk)


def _solve(
    table: Array,
    pairs: NDArray[np.int64],
    actions: Array,
    cell: NDArray[np.int64],
    size: int,
    laws: Array,
    epsilon: float,
    delta: float,
) -> tuple[Array, float]:
    """The best symmetric channel for the given laws, and its value."""
    theta = laws @ _RECORDS
    loss = ((theta[:, None] - actions) ** 2).sum(axis=2)
    weights = histogram_laws(table.astype(int), laws)[:, :, None] * loss[:, None, :]
    risks = np.zeros((len(laws), size))
    for row, weight in zip(risks, weights, strict=True):
        np.add.at(row, cell, weight)
    edges = np.concatenate([pairs, pairs[:, ::-1]]) if epsilon < np.inf else pairs[:0]
    # Of edges that a symmetry joins one is enough: those with the same pairs of cells.
    key = np.sort(cell[edges[:, 0]] * (size + 1) + cell[edges[:, 1]], axis=1)
    _, kept = np.unique(key, axis=0, return_index=True)
    edges, m, many = edges[np.sort(kept)], len(kept), len(actions)
    rows = np.arange(m * many)
    scale = np.exp(-epsilon) if epsilon < np.inf else 0.0
    entries = np.r_[np.full(rows.size, scale), -np.ones(rows.size)]
    where = np.r_[cell[edges[:, 0]].ravel(), cell[edges[:, 1]].ravel()]
    ratio = sparse.csr_array((entries, (np.r_[rows, rows], where)), shape=(m * many, size))
    slack = m * many if delta > 0 else 0
    empty = sparse.csr_array((len(laws), slack))
    above = [sparse.hstack([sparse.csr_array(risks), empty, -np.ones((len(laws), 1))])]
    above.append(
        sparse.hstack([ratio, -scale * sparse.eye_array(m * many, slack), np.zeros((m * many, 1))])
    )
    limit = [np.zeros(len(laws)), np.zeros(m * many)]
    if slack:
        total = sparse.kron(sparse.eye_array(m), np.ones((1, many)))
        zero = sparse.csr_array((m, size)), sparse.csr_array((m, 1))
        above.append(sparse.hstack([zero[0], total, zero[1]]))
        limit.append(np.full(m, delta))
    sums = sparse.csr_array(
        (np.ones(cell.size), (np.repeat(np.arange(len(table)), many), cell.ravel())),
        shape=(len(table), size),
    )
    equal = sparse.hstack([sums, sparse.csr_array((len(table), slack + 1))])
    solution = linprog(
        np.r_[np.zeros(size + slack), 1.0],
        A_ub=sparse.vstack(above).tocsr(),
        b_ub=np.concatenate(limit),
        A_eq=equal.tocsr(),
        b_eq=np.ones(len(table)),
        bounds=[(0, None)] * (size + slack) + [(None, None)],
        method="highs",
    )
    if solution.status != 0:
        raise ArithmeticError(f"the linear programme was not solved: {solution.message}")
    channel = np.maximum(solution.x[:size], 0)[cell]
    return channel / channel.sum(axis=1, keepdims=True), float(solution.fun)
