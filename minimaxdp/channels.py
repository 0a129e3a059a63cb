r"""Finite channels: randomised maps between finite sets, as row-stochastic matrices.

Row x of a channel is the law of its output given the input x; a privacy mechanism on a finite
world is such a matrix. Inputs and outputs are numbered from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from minimaxdp import _validate
from minimaxdp._types import Array, Rng

__all__ = [
    "cascade",
    "garbling",
    "adaptive_composition",
    "marginal",
    "posterior",
    "power",
    "parallel_product",
    "sample",
    "sample_counts",
]


def cascade(first: ArrayLike, *then: ArrayLike) -> Array:
    r"""Feed the output of one channel into the next: post-processing.

    .. math:: (Q' \circ Q)(y \mid x) = \sum_z Q(z \mid x)\, Q'(y \mid z)

    Parameters
    ----------
    first : array_like, shape (inputs, k)
        The channel applied first.
    *then : array_like, shape (k, m), ...
        The channels applied to its output, in order.

    Returns
    -------
    ndarray, shape (inputs, outputs of the last)

    Raises
    ------
    ValueError
        If a matrix is not row-stochastic or two neighbours do not fit.

    Notes
    -----
    Barber and Duchi (2014), Definition 6 (claim ``BD-Def6``).

    Examples
    --------
    >>> flip = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> cascade(flip, flip)
    array([[0.625, 0.375],
           [0.375, 0.625]])
    """
    result = _validate.channel("first", first)
    for i, matrix in enumerate(then):
        following = _validate.channel(f"then[{i}]", matrix)
        if result.shape[1] != following.shape[0]:
            raise ValueError(
                f"then[{i}] must have one row for each of the {result.shape[1]} outputs "
                f"before it, got {following.shape[0]}"
            )
        result = result @ following
    return result


def adaptive_composition(first: ArrayLike, second: ArrayLike) -> Array:
    r"""Run two channels on the same input and release both outputs.

    .. math:: Q(y_1, y_2 \mid x) = Q_1(y_1 \mid x)\, Q_2(y_2 \mid x, y_1)

    Parameters
    ----------
    first : array_like, shape (inputs, k)
    second : array_like, shape (inputs, m) or (k, inputs, m)
        One channel, or one for each output of the first: it may be chosen after seeing that.

    Returns
    -------
    ndarray, shape (inputs, k * m)
        The second output runs fastest.

    Raises
    ------
    ValueError
        If a matrix is not row-stochastic or the shapes do not fit.

    Notes
    -----
    The composition of mechanisms of Boulaguiem's and Smith's slides (claim
    ``Boul-post-processing``).

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> adaptive_composition(flip, flip)[0]
    array([0.5625, 0.1875, 0.1875, 0.0625])
    """
    first = _validate.channel("first", first)
    inputs, k = first.shape
    second = _validate.distribution("second", second)
    if second.shape[:-1] not in ((inputs,), (k, inputs)):
        raise ValueError(
            f"second must have shape ({inputs}, m) or ({k}, {inputs}, m), got {second.shape}"
        )
    _validate.memory("second", inputs, k, second.shape[-1])
    after = np.broadcast_to(second, (k, inputs, second.shape[-1]))
    return (first[:, :, None] * after.transpose(1, 0, 2)).reshape(inputs, -1)


def garbling(source: ArrayLike, target: ArrayLike) -> Array | None:
    r"""A post-processing that turns one channel into another, if there is one.

    .. math:: \text{find a channel } T \text{ with } T \circ Q = Q'

    Parameters
    ----------
    source : array_like, shape (inputs, k)
        The channel Q that may carry more.
    target : array_like, shape (inputs, m)
        The channel Q' that may carry less.

    Returns
    -------
    ndarray, shape (k, m), or None
        The channel T, from a linear programme, which reproduces the target within 1e-8; None
        if none does: the target is then not less informative than the source.

    Raises
    ------
    ValueError
        If a matrix is not row-stochastic or the channels have different inputs.

    Notes
    -----
    Barber and Duchi (2014), Definition 7 (claim ``BD-Def7``).

    Examples
    --------
    >>> flip, noisier = [[0.75, 0.25], [0.25, 0.75]], [[0.6, 0.4], [0.4, 0.6]]
    >>> garbling(flip, noisier).round(6)
    array([[0.7, 0.3],
           [0.3, 0.7]])
    >>> garbling(noisier, flip) is None
    True
    """
    source = _validate.channel("source", source)
    target = _validate.channel("target", target)
    if len(source) != len(target):
        raise ValueError(
            f"target must have the {len(source)} inputs of the source, got {len(target)}"
        )
    k, m = source.shape[1], target.shape[1]
    _validate.memory("target", 2 * len(source) * m, k * m + 1)
    made = np.kron(source, np.eye(m))
    miss = np.ones((made.shape[0], 1))
    # The least error t with which some kernel reproduces the target: |Q T - Q'| <= t.
    found = linprog(
        np.append(np.zeros(k * m), 1.0),
        A_ub=np.block([[made, -miss], [-made, -miss]]),
        b_ub=np.concatenate([target.ravel(), -target.ravel()]),
        A_eq=np.hstack([np.kron(np.eye(k), np.ones(m)), np.zeros((k, 1))]),
        b_eq=np.ones(k),
        bounds=(0, 1),
        options={"primal_feasibility_tolerance": 1e-10},
    )
    kernel = np.clip(found.x[:-1], 0, 1).reshape(k, m)
    kernel /= kernel.sum(axis=1, keepdims=True)
    return kernel if abs(source @ kernel - target).max() < 1e-8 else None


def parallel_product(*channels: ArrayLike) -> Array:
    r"""Run channels side by side on independent inputs with independent randomness.

    .. math:: Q(y_1, \dots, y_m \mid x_1, \dots, x_m) = \prod_i Q_i(y_i \mid x_i)

    Tuples of inputs and of outputs are numbered in lexicographic order, the last
    coordinate running fastest.

    Parameters
    ----------
    *channels : array_like, shape (inputs_i, outputs_i)
        At least one channel.

    Returns
    -------
    ndarray, shape (product of inputs, product of outputs)

    Raises
    ------
    ValueError
        If no channel is given, one is not row-stochastic, or the result would not fit memory.

    Examples
    --------
    >>> flip = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> parallel_product(flip, flip)[0]
    array([0.5625, 0.1875, 0.1875, 0.0625])
    """
    if not channels:
        raise ValueError("channels must hold at least one channel")
    checked = [_validate.channel(f"channels[{i}]", c) for i, c in enumerate(channels)]
    _validate.memory("channels", *[matrix.size for matrix in checked])
    return _side_by_side(checked)


def power(channel: ArrayLike, n: int) -> Array:
    r"""The channel of n people who each run it on their own record.

    .. math:: Q^n(y_{1:n} \mid x_{1:n}) = \prod_{i \le n} Q(y_i \mid x_i)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
    n : int
        Number of people, at least 1.

    Returns
    -------
    ndarray, shape (inputs**n, outputs**n)
        Tuples in lexicographic order, as in :func:`parallel_product`.

    Raises
    ------
    TypeError, ValueError
        If n is not a positive integer, the matrix is not row-stochastic, or the result would
        not fit memory.

    Notes
    -----
    Smith's slides, the law of the die mechanism (claim ``Smith-RR-die``).

    Examples
    --------
    >>> power([[0.75, 0.25], [0.25, 0.75]], 3).shape
    (8, 8)
    """
    channel = _validate.channel("channel", channel)
    n = _validate.one_integer("n", n, minimum=1)
    _validate.memory("n", 2.0 ** min(n * np.log2(channel.size), 1000.0))
    return _side_by_side([channel] * n)


def marginal(channel: ArrayLike, prior: ArrayLike) -> Array:
    r"""Law of the output when the input is drawn from a prior.

    .. math:: M(y) = \sum_x \pi(x)\, Q(y \mid x)

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
    prior : array_like, shape (..., inputs)
        Laws of the input along the last axis.

    Returns
    -------
    ndarray, shape (..., outputs)

    Raises
    ------
    ValueError
        If the matrix is not row-stochastic, or a prior is not a law on its inputs.

    Examples
    --------
    >>> marginal([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5])
    array([0.5, 0.5])
    """
    channel, prior = _channel_and_prior(channel, prior)
    return prior @ channel


def posterior(channel: ArrayLike, prior: ArrayLike) -> Array:
    r"""Bayes' rule: the law of the input given each output.

    .. math:: \pi(x \mid y) = \frac{\pi(x)\, Q(y \mid x)}{\sum_{x'} \pi(x')\, Q(y \mid x')}

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
    prior : array_like, shape (inputs,)

    Returns
    -------
    ndarray, shape (outputs, inputs)
        Row y is the posterior after output y; NaN for an output of probability zero, on which
        nothing can be conditioned.

    Raises
    ------
    ValueError
        If the matrix is not row-stochastic, or the prior is not a law on its inputs.

    Notes
    -----
    Boulaguiem's slides, plausible deniability (claim ``Boul-deniability``).

    Examples
    --------
    >>> posterior([[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5])
    array([[0.75, 0.25],
           [0.25, 0.75]])
    """
    channel, prior = _channel_and_prior(channel, prior)
    if prior.ndim != 1:
        raise ValueError(f"prior must be a single vector, got {prior.ndim} axes")
    both = (prior[:, None] * channel).T
    with np.errstate(invalid="ignore"):
        return both / both.sum(axis=1, keepdims=True)


def sample(channel: ArrayLike, inputs: ArrayLike, *, rng: Rng = None) -> NDArray[np.int64]:
    """One output for every input, drawn independently.

    Parameters
    ----------
    channel : array_like, shape (k, outputs)
    inputs : array_like of int, any shape
        Row numbers 0, ..., k - 1.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    ndarray of int, same shape as `inputs`

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or an input is not one of its rows.

    Examples
    --------
    >>> sample([[1.0, 0.0], [0.0, 1.0]], [0, 1, 1], rng=0)
    array([0, 1, 1])
    """
    channel = _validate.channel("channel", channel)
    inputs = _validate.categories("inputs", inputs, channel.shape[0])
    rng = _validate.generator(rng)
    cumulative = channel.cumsum(axis=1)
    # A last value just below one would let a uniform draw fall behind the last output.
    cumulative /= cumulative[:, -1:]
    uniform = rng.random(inputs.shape)
    outputs = np.empty(inputs.shape, dtype=np.int64)
    for x, row in enumerate(cumulative):  # a pass for each row, none over records
        chosen = inputs == x
        outputs[chosen] = np.searchsorted(row, uniform[chosen], side="right")
    return outputs


def sample_counts(
    channel: ArrayLike,
    counts: ArrayLike,
    *,
    rng: Rng = None,
    size: int | tuple[int, ...] | None = None,
) -> NDArray[np.int64]:
    """How often each output occurs, drawn through the counts of the inputs alone.

    Equal in law to counting the outputs of :func:`sample` record by record: a sum of one
    multinomial draw for each input value, at a cost that does not depend on the counts.

    Parameters
    ----------
    channel : array_like, shape (k, outputs)
    counts : array_like of int, shape (..., k)
        How many records hold each input, in one data set or in several.
    rng : Generator, int or None
        Source of randomness.
    size : int or tuple of int, optional
        Number of independent replications of each, along new first axes.

    Returns
    -------
    ndarray of int, shape (..., outputs) or (size, ..., outputs)

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or the counts do not fit it.

    Examples
    --------
    >>> sample_counts([[1.0, 0.0], [0.5, 0.5]], [10, 0], rng=0)
    array([10,  0])
    """
    channel = _validate.channel("channel", channel)
    counts = _validate.counts("counts", counts)
    if counts.shape[-1] != channel.shape[0]:
        raise ValueError(
            f"counts must hold one number for each of {channel.shape[0]} inputs, "
            f"got shape {counts.shape}"
        )
    size, rng = _validate.size(size), _validate.generator(rng)
    draws = () if size is None else size if isinstance(size, tuple) else (size,)
    shape = (*draws, *counts.shape[:-1])
    _validate.memory("size", *shape, channel.shape[1])
    rows = channel / channel.sum(axis=1, keepdims=True)
    total = np.zeros((*shape, channel.shape[1]), dtype=np.int64)
    for x, row in enumerate(rows):
        used = row > 0  # numpy gives what rounding leaves over to the last output
        total[..., used] += rng.multinomial(counts[..., x], row[used], size=shape)
    return total


def _side_by_side(matrices: Sequence[Array]) -> Array:
    result: NDArray[Any] = matrices[0]
    for matrix in matrices[1:]:
        result = np.kron(result, matrix)
    return result


def _channel_and_prior(channel: ArrayLike, prior: ArrayLike) -> tuple[Array, Array]:
    channel = _validate.channel("channel", channel)
    prior = _validate.distribution("prior", prior)
    if prior.shape[-1] != channel.shape[0]:
        raise ValueError(
            f"prior must be a law on the {channel.shape[0]} inputs of the channel, "
            f"got {prior.shape[-1]} probabilities"
        )
    return channel, prior
