r"""Exact minimax risks of small problems, by linear programming over all private channels.

The largest risk of a channel is a maximum of functions that are linear in its entries, and
every definition of privacy by inequalities between rows is linear too. The best private
channel is therefore the solution of a linear programme, and its dual is a prior against which
no private channel does better.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import linprog

from minimaxdp import _validate
from minimaxdp.guarantees import Approximate, Guarantee, Local, NonPrivate, Pure, TotalVariation
from minimaxdp.lower_bounds._optimal_channel import local_budget

__all__ = [
    "BernoulliMinimax",
    "Minimax",
    "bernoulli_minimax",
    "histogram_laws",
    "histograms",
    "minimax_channel",
]

# Entries of the channel, with those of its slack, that a programme may have.
_LARGEST_PROGRAMME = 2**18
_LARGEST_WORLD = 2**13
_MOST_VALUES = 300


@dataclass(frozen=True)
class Minimax:
    """The best private channel of a finite problem.

    Attributes
    ----------
    risk : float
        Its largest expected loss over the given laws, which no private channel undercuts.
    channel : ndarray, shape (inputs, outputs)
        The channel itself.
    prior : ndarray, shape (laws,)
        A least favourable prior: against it every private channel has at least this risk.
    """

    risk: float
    channel: NDArray[np.float64]
    prior: NDArray[np.float64]


@dataclass(frozen=True)
class BernoulliMinimax:
    """An enclosure of the minimax risk for the mean of n values -1 or 1, with its channel.

    Attributes
    ----------
    lower, upper : float
        The minimax risk over all outputs and all means lies between them: `lower` is the value
        of the programme less what rounding an output to the grid can cost, `upper` the exact
        largest risk of `channel` over [-1, 1].
    channel : ndarray, shape (n + 1, outputs)
        Row s: the law of the output when s of the values (of the reports, in the local model)
        are 1.
    outputs : ndarray, shape (outputs,)
    means : ndarray, shape (laws,)
        The means on which the programme was solved.
    prior : ndarray, shape (laws,)
        The least favourable prior on them.
    """

    lower: float
    upper: float
    channel: NDArray[np.float64]
    outputs: NDArray[np.float64]
    means: NDArray[np.float64]
    prior: NDArray[np.float64]


def minimax_channel(
    laws: ArrayLike,
    loss: ArrayLike,
    privacy: Guarantee | None = None,
    *,
    pairs: ArrayLike | None = None,
) -> Minimax:
    r"""Best private channel of a finite problem, by linear programming.

    .. math:: \min_Q \max_\theta \sum_x P_\theta(x) \sum_a Q(a \mid x)\, L(\theta, a)
              \quad\text{subject to}\quad
              \sum_a \big(Q(a \mid x) - e^\varepsilon Q(a \mid x')\big)_+ \le \delta

    for all neighbours x, x' in both orders. With delta = 0 this is epsilon-differential
    privacy; with epsilon = 0 it is total-variation privacy at level delta. Every definition by
    linear inequalities is one of these.

    Parameters
    ----------
    laws : array_like, shape (laws, inputs)
        The law of the data under each parameter.
    loss : array_like, shape (laws, outputs)
        The loss of each output under each parameter.
    privacy : Guarantee, optional
        Pure, approximate or total-variation privacy; without it the channel is not restricted.
    pairs : array_like of int, shape (m, 2), optional
        Neighbouring inputs, each pair once; by default any two inputs are neighbours.

    Returns
    -------
    Minimax
        The value, an optimal channel (which keeps the constraints to about 1e-9) and a least
        favourable prior.

    Raises
    ------
    TypeError, ValueError
        If the shapes do not fit, a parameter is out of range, or the programme is too large.

    Notes
    -----
    Barber and Duchi (2014), equation (9) (claim ``BD-eq9``), computed.

    Examples
    --------
    One bit at budget ln 3, to be guessed: randomized response errs with probability 1/4.

    >>> best = minimax_channel(np.eye(2), 1 - np.eye(2), Pure(np.log(3)))
    >>> round(best.risk, 9), best.channel.round(9).tolist()
    (0.25, [[0.75, 0.25], [0.25, 0.75]])
    """
    laws = np.atleast_2d(_validate.distribution("laws", laws))
    loss = np.atleast_2d(_validate.real("loss", loss))
    if laws.ndim != 2 or loss.ndim != 2 or len(laws) != len(loss):
        raise ValueError(
            f"laws and loss must be matrices with one row a parameter, got {laws.shape}, "
            f"{loss.shape}"
        )
    epsilon, delta = linear_budget(privacy)
    inputs, outputs = laws.shape[1], loss.shape[1]
    edges = _validate.pairs(pairs, inputs) if epsilon < np.inf else np.empty((0, 2), dtype=int)
    size = outputs * (inputs + (len(edges) if delta > 0 else 0))
    if size > _LARGEST_PROGRAMME:
        raise ValueError(
            f"laws and loss must leave a programme of at most {_LARGEST_PROGRAMME} entries, "
            f"got {size}"
        )
    unit = 2.0 ** (np.frexp(loss.max())[1] - 1)  # the solver wants numbers near one
    loss = loss / unit
    # Variables: the channel row by row, the slack of each edge and output, the largest risk.
    risks = sparse.csr_array((laws[:, :, None] * loss[:, None, :]).reshape(len(laws), -1))
    above = [sparse.hstack([risks, _zeros(len(laws), size - inputs * outputs), -_ones(len(laws))])]
    limit = [np.zeros(len(laws))]
    if len(edges):
        # Divided by exp(epsilon), so that no coefficient exceeds one.
        scale, m = np.exp(-epsilon), len(edges)
        rows = np.arange(m)
        difference = sparse.csr_array((np.full(m, scale), (rows, edges[:, 0])), shape=(m, inputs))
        difference -= sparse.csr_array((np.ones(m), (rows, edges[:, 1])), shape=(m, inputs))
        ratio = sparse.kron(difference, sparse.eye_array(outputs))
        if delta > 0:
            slack = -scale * sparse.eye_array(m * outputs)
            above.append(sparse.hstack([ratio, slack, _zeros(m * outputs, 1)]))
            total = sparse.kron(sparse.eye_array(m), np.ones((1, outputs)))
            above.append(sparse.hstack([_zeros(m, inputs * outputs), total, _zeros(m, 1)]))
            limit += [np.zeros(m * outputs), np.full(m, delta)]
        else:
            above.append(sparse.hstack([ratio, _zeros(m * outputs, 1)]))
            limit.append(np.zeros(m * outputs))
    sums = sparse.kron(sparse.eye_array(inputs), np.ones((1, outputs)))
    equal = sparse.hstack([sums, _zeros(inputs, size + 1 - inputs * outputs)])
    solution = linprog(
        np.r_[np.zeros(size), 1.0],
        A_ub=sparse.vstack(above).tocsr(),
        b_ub=np.concatenate(limit),
        A_eq=equal.tocsr(),
        b_eq=np.ones(inputs),
        bounds=[(0, None)] * size + [(None, None)],
        method="highs",
    )
    if solution.status != 0:
        raise ArithmeticError(f"the linear programme was not solved: {solution.message}")
    channel = np.maximum(solution.x[: inputs * outputs].reshape(inputs, outputs), 0)
    prior = np.maximum(-solution.ineqlin.marginals[: len(laws)], 0)
    risk = unit * float(solution.fun)
    return Minimax(risk, channel / channel.sum(axis=1, keepdims=True), prior / prior.sum())


def bernoulli_minimax(
    n: int,
    privacy: Guarantee | None = None,
    *,
    outputs: int = 61,
    rtol: float = 1e-3,
) -> BernoulliMinimax:
    r"""Exact minimax risk for the mean of n values -1 or 1 under squared error.

    .. math:: \min_Q \sup_{|\theta| \le 1} \mathbb E (\hat\theta - \theta)^2, \qquad
              \#\{X_i = 1\} \sim \mathrm{Bin}\Big(n, \frac{1 + \theta}2\Big)

    over all channels that are private towards the n people, or, in the local model, over all
    estimators that see n reports. A symmetric channel is a function of the count, and a channel
    averaged over all orders of its data is symmetric, as private and no worse. In the local
    model the reports are those of randomized response, of which every private report about
    one bit is a garbling (Blackwell): their count has the parameter
    :math:`\tanh(\varepsilon/2)\,\theta` in place of theta.

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    privacy : Guarantee, optional
        Pure, approximate or total-variation privacy towards a curator, or local pure privacy:
        each person perturbs their own value, all alike and without hearing others. Without it
        nothing is private.
    outputs : int
        Size of the output grid, at least 2. Rounding at random to neighbours in a grid of step
        h adds at most :math:`h^2/4` to a squared error, which is the width of the enclosure.
    rtol : float
        The worst mean is added to the programme until its risk exceeds the value by no more
        than this share.

    Returns
    -------
    BernoulliMinimax

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Barber and Duchi (2014), equation (9), for the class of equation (11) with k infinite,
    d = 1 and r = 1 (claims ``BD-eq9``, ``BD-eq11``).

    Examples
    --------
    >>> one = bernoulli_minimax(1, Pure(1.0), outputs=201)
    >>> bool(one.lower < 1 - np.tanh(0.5) ** 2 < one.upper)
    True
    """
    n = _validate.one_integer("n", n, minimum=1)
    outputs = _validate.one_integer("outputs", outputs, minimum=2)
    rtol = _validate.one_real("rtol", rtol, above=0)
    if outputs * (n + 1) > _LARGEST_PROGRAMME:
        raise ValueError(
            f"n and outputs must leave a programme of at most {_LARGEST_PROGRAMME} "
            f"entries, got {n} and {outputs}"
        )
    if n > _MOST_VALUES:
        raise ValueError(f"n must be at most {_MOST_VALUES} for an exact programme, got {n}")
    contrast = 1.0
    if isinstance(privacy, Local):
        contrast = float(np.tanh(local_budget(privacy) / 2))
        privacy = None
    linear_budget(privacy)  # checked before any programme is solved
    # In the grid only outputs of the range of a posterior mean are worth having.
    grid = np.linspace(-1, 1, outputs)
    counts = np.arange(n + 1)
    pairs = np.column_stack([counts[:-1], counts[1:]])

    def laws(means: NDArray[np.float64]) -> NDArray[np.float64]:
        return scipy.stats.binom.pmf(counts, n, (1 + contrast * means[:, None]) / 2)

    means = np.cos(np.linspace(0, np.pi, 2 * min(n, 12) + 3))
    for _ in range(8):
        loss = (means[:, None] - grid) ** 2
        best = minimax_channel(laws(means), loss, privacy, pairs=pairs)

        def risk(
            theta: NDArray[np.float64], channel: NDArray[np.float64] = best.channel
        ) -> NDArray[np.float64]:
            losses = (np.atleast_1d(theta)[:, None] - grid) ** 2
            return np.einsum("ts,sa,ta->t", laws(np.atleast_1d(theta)), channel, losses)

        # The risk is a polynomial of degree n + 2 in the mean: its maximum is found exactly.
        slope = chebyshev.chebder(chebyshev.chebinterpolate(risk, n + 2))  # type: ignore
        stationary: Any = chebyshev.chebroots(np.trim_zeros(slope, "b")) if np.any(slope) else []
        candidates = np.real(np.asarray(stationary, dtype=complex))
        candidates = np.unique(np.r_[-1.0, 1.0, np.clip(candidates, -1, 1)])
        values = risk(candidates)
        if values.max() <= best.risk * (1 + rtol):
            break
        means = np.r_[means, candidates[values > best.risk * (1 + rtol / 2)]]
    step = grid[1] - grid[0]
    return BernoulliMinimax(
        lower=float(max(best.risk - step**2 / 4, 0.0)),
        upper=float(max(values.max(), best.risk)),
        channel=best.channel,
        outputs=grid,
        means=means,
        prior=best.prior,
    )


def histograms(alphabet: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    r"""Every histogram of n records over a finite alphabet, and which are neighbours.

    .. math:: \#\{h \in \mathbb N^m : h_1 + \dots + h_m = n\} = \binom{n + m - 1}{m - 1}

    Two are neighbours if moving one record turns one into the other.

    Parameters
    ----------
    alphabet : int
        Number m of values a record can take, at least 1.
    n : int
        Number of records, at least 1.

    Returns
    -------
    table : ndarray of int, shape (histograms, alphabet)
    pairs : ndarray of int, shape (m, 2)
        Neighbours by their rows, each pair once.

    Raises
    ------
    TypeError, ValueError
        If a number is not a positive integer or there are more than 8192 histograms.

    Notes
    -----
    A channel averaged over all orders of its data depends on the histogram alone and is as
    private: the exact programmes need no more inputs than these.

    Examples
    --------
    >>> table, pairs = histograms(2, 2)
    >>> table.tolist(), pairs.tolist()
    ([[0, 2], [1, 1], [2, 0]], [[0, 1], [1, 2]])
    """
    alphabet = _validate.one_integer("alphabet", alphabet, minimum=1)
    n = _validate.one_integer("n", n, minimum=1)
    # More than 64 of both make too many, and their number alone would take long.
    size = comb(n + alphabet - 1, n) if min(n, alphabet - 1) <= 64 else 2 * _LARGEST_WORLD
    if size > _LARGEST_WORLD:
        raise ValueError(
            f"n and alphabet must leave at most {_LARGEST_WORLD} histograms, got {n} and {alphabet}"
        )
    _validate.memory("n and alphabet", n + alphabet)  # places of which histograms choose
    others = comb(n + alphabet - 2, n - 1)  # histograms of the n - 1 records that two share
    _validate.memory("n and alphabet", 8, others, alphabet, alphabet)  # pairs, being sorted
    table = _table(alphabet, n)
    place = {row.tobytes(): i for i, row in enumerate(table)}
    unit = np.eye(alphabet, dtype=np.int64)
    near = np.array(
        [[place[row.tobytes()] for row in shared + unit] for shared in _table(alphabet, n - 1)]
    )
    one, other = np.triu_indices(alphabet, 1)
    pairs = np.sort(np.column_stack([near[:, one].ravel(), near[:, other].ravel()]), axis=1)
    return table, pairs[np.lexsort(pairs.T[::-1])]


def _table(alphabet: int, n: int) -> NDArray[np.int64]:
    """Every histogram of n records, in lexicographic order."""
    places = n + alphabet - 1
    bars = [[-1, *chosen, places] for chosen in combinations(range(places), alphabet - 1)]
    ends: NDArray[np.int64] = np.array(bars, dtype=np.int64)
    return ends[:, 1:] - ends[:, :-1] - 1


def histogram_laws(table: ArrayLike, laws: ArrayLike) -> NDArray[np.float64]:
    r"""Law of the histogram of n independent records, for each law of a record.

    .. math:: P^n(h) = \frac{n!}{\prod_j h_j!} \prod_j P(j)^{h_j}

    Parameters
    ----------
    table : array_like of int, shape (histograms, alphabet)
        As from :func:`histograms`.
    laws : array_like, shape (laws, alphabet)

    Returns
    -------
    ndarray, shape (laws, histograms)

    Raises
    ------
    TypeError, ValueError
        If an entry is no count or no probability, or the alphabets differ.

    Examples
    --------
    >>> histogram_laws(histograms(2, 2)[0], [[0.5, 0.5]]).round(12).tolist()
    [[0.25, 0.5, 0.25]]
    """
    table = np.atleast_2d(_validate.counts("table", table))
    laws = np.atleast_2d(_validate.distribution("laws", laws))
    if laws.shape[-1] != table.shape[-1]:
        raise ValueError(
            f"laws must have as many probabilities as the table has columns, {table.shape[-1]}, "
            f"got {laws.shape[-1]}"
        )
    n = int(table[0].sum())
    return np.array([np.atleast_1d(scipy.stats.multinomial.pmf(table, n, law)) for law in laws])


def _zeros(rows: int, columns: int) -> sparse.csr_array:
    return sparse.csr_array((rows, columns))


def _ones(rows: int) -> sparse.csr_array:
    return sparse.csr_array(np.ones((rows, 1)))


def linear_budget(privacy: Guarantee | None) -> tuple[float, float]:
    """(epsilon, delta) of a definition by linear inequalities; infinite without privacy."""
    if privacy is None or isinstance(privacy, NonPrivate):
        return np.inf, 0.0
    _validate.instance("privacy", privacy, Guarantee)
    if isinstance(privacy, TotalVariation):
        epsilon, delta = 0.0, privacy.alpha
    elif isinstance(privacy, Approximate):
        epsilon, delta = privacy.epsilon, privacy.delta
    elif privacy.can_imply(Pure):
        epsilon, delta = privacy.implies(Pure).epsilon, 0.0
    else:
        raise ValueError(f"privacy must be pure, approximate or total variation, got {privacy!r}")
    delta = _validate.one_real("privacy's delta", delta)
    if delta >= 1:  # it asks for nothing
        return np.inf, 0.0
    return _validate.one_real("privacy's epsilon", epsilon), delta
