r"""The least level of any definition that a finite mechanism keeps, as a guarantee."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from minimaxdp import _validate, divergences
from minimaxdp.definitions._chtp import chtp_epsilon
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ChiSquare,
    ConditionalTesting,
    Guarantee,
    Pure,
    Renyi,
    TotalVariation,
    zcdp_rho,
)
from minimaxdp.privacy._neighbours import Pairs
from minimaxdp.privacy._parameters import (
    dp_epsilon,
    epsilon_at_delta,
    privacy_profile,
    worst_divergence,
)

__all__ = ["guarantee_of"]


def guarantee_of(
    channel: ArrayLike, definition: type[Guarantee], pairs: Pairs = None, **held: float
) -> Guarantee:
    r"""The least level of a definition that a finite mechanism keeps.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    definition : type
        ``Pure``, ``Approximate``, ``TotalVariation``, ``KL``, ``ChiSquare``, ``Renyi``, ``ZCDP`` or
        ``ConditionalTesting``.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.
    **held : float
        The level that is held, of a definition with two: ``epsilon`` or ``delta``, ``order``,
        ``eta``.

    Returns
    -------
    Guarantee
        Exact; of zero-concentrated privacy an upper bound within a relative 1e-9.

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic, the definition has no exact level here, or no finite
        level of it is kept.

    Examples
    --------
    >>> flip = [[0.75, 0.25], [0.25, 0.75]]
    >>> guarantee_of(flip, TotalVariation), guarantee_of(flip, Approximate, epsilon=1.0)
    (TotalVariation(0.5), Approximate(1.0, 0.0704))
    """
    known: dict[type[Guarantee], Callable[..., Guarantee]] = {
        Pure: lambda: Pure(dp_epsilon(channel, pairs)),
        TotalVariation: lambda: TotalVariation(_level(channel, pairs, "total_variation")),
        KL: lambda: KL(_level(channel, pairs, "kl")),
        ChiSquare: lambda: ChiSquare(_level(channel, pairs, "chi_square")),
        Renyi: lambda order: Renyi(order, _level(channel, pairs, "renyi", order=order)),
        ZCDP: lambda: ZCDP(zcdp_rho(channel, pairs).high),
        Approximate: lambda **held: _approximate(channel, pairs, **held),
        ConditionalTesting: lambda eta: ConditionalTesting(eta, chtp_epsilon(channel, eta, pairs)),
    }
    names = ", ".join(kind.__name__ for kind in known)
    if not isinstance(definition, type):
        raise TypeError(f"definition must be one of {names}, got {definition!r}")
    if definition not in known:
        raise ValueError(f"definition must be one of {names}, got {definition!r}")
    return known[definition](**held)


def _level(channel: ArrayLike, pairs: Pairs, name: str, **parameters: Any) -> float:
    return worst_divergence(channel, getattr(divergences, name), pairs, **parameters)


def _approximate(
    channel: ArrayLike, pairs: Pairs, epsilon: float | None = None, delta: float | None = None
) -> Guarantee:
    if (epsilon is None) == (delta is None):
        raise ValueError("held must be either epsilon or delta for Approximate")
    if delta is None:
        epsilon = _validate.one_real("epsilon", epsilon, minimum=0)
        return Approximate(epsilon, float(privacy_profile(channel, epsilon, pairs)))
    delta = _validate.one_real("delta", delta, minimum=0, below=1)
    return Approximate(float(epsilon_at_delta(channel, delta, pairs)), delta)
