r"""Every parameter of a finite mechanism on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate, divergences
from minimaxdp.definitions._chtp import chtp_epsilon
from minimaxdp.definitions._ratios import bounded_range, metric_dp_epsilon
from minimaxdp.guarantees import Enclosure, zcdp_rho
from minimaxdp.privacy._neighbours import Pairs
from minimaxdp.privacy._parameters import (
    dp_epsilon,
    epsilon_at_delta,
    privacy_profile,
    worst_divergence,
)

__all__ = ["Report", "report"]


@dataclass(frozen=True)
class Report:
    """The smallest parameter of each definition; printed, it is a table.

    Attributes
    ----------
    pure : float
        Smallest epsilon of pure differential privacy.
    smooth : float or None
        Smallest epsilon of smooth privacy, where distances were given.
    delta_at : dict of float to float
        Smallest delta for each epsilon.
    epsilon_at : dict of float to float
        Smallest epsilon for each delta.
    total_variation, kl, chi_square : float
        Largest divergence between neighbours.
    renyi : dict of float to float
        Largest Renyi divergence of each order.
    zcdp : Enclosure
        Smallest rho of zero-concentrated privacy.
    bounded_range : float
        Largest spread of the log-likelihood ratio.
    chtp : dict of float to float
        Level of conditional testing, of every post-processing, for each eta.
    """

    pure: float
    smooth: float | None
    delta_at: dict[float, float]
    epsilon_at: dict[float, float]
    total_variation: float
    kl: float
    chi_square: float
    renyi: dict[float, float]
    zcdp: Enclosure
    bounded_range: float
    chtp: dict[float, float]

    def __str__(self) -> str:
        rows = [("pure differential privacy", "epsilon", self.pure)]
        if self.smooth is not None:
            rows.append(("smooth differential privacy", "epsilon", self.smooth))
        rows += [
            (f"approximate, epsilon = {given:g}", "delta", value)
            for given, value in self.delta_at.items()
        ]
        rows += [
            (f"approximate, delta = {given:g}", "epsilon", value)
            for given, value in self.epsilon_at.items()
        ]
        rows += [
            ("total variation", "alpha", self.total_variation),
            ("Kullback-Leibler", "epsilon", self.kl),
            ("chi-square", "epsilon", self.chi_square),
        ]
        rows += [(f"Renyi, order {a:g}", "epsilon", value) for a, value in self.renyi.items()]
        rows += [
            (f"zero-concentrated, at order {self.zcdp.order:.4g}", "rho", self.zcdp.low),
            ("bounded range", "range", self.bounded_range),
        ]
        rows += [
            (f"conditional testing, eta = {eta:g}", "epsilon", value)
            for eta, value in self.chtp.items()
        ]
        width = max(len(name) for name, _, _ in rows)
        return "\n".join(
            f"{name:<{width}}  {letter:<8} {value:.6g}" for name, letter, value in rows
        )


def report(
    channel: ArrayLike,
    pairs: Pairs = None,
    *,
    epsilons: Sequence[float] = (0.5, 1.0),
    deltas: Sequence[float] = (1e-6, 1e-2),
    orders: Sequence[float] = (2.0, 10.0),
    etas: Sequence[float] = (1e-2,),
    distances: ArrayLike | None = None,
) -> Report:
    """Every parameter of a mechanism, each the smallest for which the definition holds.

    Parameters
    ----------
    channel : array_like, shape (inputs, outputs)
        Row-stochastic: row x is the law of the output on input x.
    pairs : array_like of int, shape (m, 2), optional
        Neighbours by row number, each compared in both orders; by default every two rows.
    epsilons, deltas : sequence of float
        Where approximate privacy is evaluated: at least 0, and between 0 and 1.
    orders : sequence of float
        Of Renyi divergences, positive; ``numpy.inf`` is allowed.
    etas : sequence of float
        Masses of the events of conditional testing, from 1e-300 to 1.
    distances : array_like, shape (inputs, inputs), optional
        Asks for smooth privacy under this metric.

    Returns
    -------
    Report

    Raises
    ------
    TypeError, ValueError
        If the matrix is not row-stochastic or another argument lies outside its range.

    Notes
    -----
    Barber and Duchi (2014), Definitions 1 to 8 (claims ``BD-Def1`` to ``BD-Def8``).

    Examples
    --------
    >>> print(report([[0.75, 0.25], [0.25, 0.75]], epsilons=[1], deltas=[0.1], orders=[2]))
    pure differential privacy        epsilon  1.09861
    approximate, epsilon = 1         delta    0.0704295
    approximate, delta = 0.1         epsilon  0.955511
    total variation                  alpha    0.5
    Kullback-Leibler                 epsilon  0.549306
    chi-square                       epsilon  1.33333
    Renyi, order 2                   epsilon  0.847298
    zero-concentrated, at order 1    rho      0.549306
    bounded range                    range    2.19722
    conditional testing, eta = 0.01  epsilon  0.5
    """
    # All of them first: a generator, say, would be used up by its check and leave nothing.
    _values("epsilons", epsilons, minimum=0)
    _values("deltas", deltas, minimum=0, maximum=1)
    _values("orders", orders, above=0, infinite=True)
    _values("etas", etas, minimum=1e-300, maximum=1)
    return Report(
        pure=dp_epsilon(channel, pairs),
        smooth=None if distances is None else metric_dp_epsilon(channel, distances),
        delta_at={e: float(privacy_profile(channel, e, pairs)) for e in epsilons},
        epsilon_at={d: float(epsilon_at_delta(channel, d, pairs)) for d in deltas},
        total_variation=worst_divergence(channel, divergences.total_variation, pairs),
        kl=worst_divergence(channel, divergences.kl, pairs),
        chi_square=worst_divergence(channel, divergences.chi_square, pairs),
        renyi={a: worst_divergence(channel, divergences.renyi, pairs, order=a) for a in orders},
        zcdp=zcdp_rho(channel, pairs),
        bounded_range=bounded_range(channel, pairs),
        chtp={eta: chtp_epsilon(channel, eta, pairs) for eta in etas},
    )


def _values(name: str, values: Sequence[float], **bounds: Any) -> None:
    """A list of numbers in a range, possibly an empty one."""
    empty = isinstance(values, Sequence) and not values
    if not empty and np.ndim(_validate.real(name, values, **bounds)) != 1:
        raise ValueError(f"{name} must be a sequence of numbers, got {values!r}")
