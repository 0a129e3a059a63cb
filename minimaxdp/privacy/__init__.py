r"""Differential privacy of a mechanism: its exact levels, the test behind them, and an audit.

A mechanism on a finite world is a row-stochastic matrix, row x the law of its output on input
x, together with a list of neighbours: pairs of inputs that it must not tell apart. Computed for
such a matrix, without a grid:

- small worlds and their neighbours: :func:`datasets`, :func:`distances`;
- likelihood ratios: :func:`dp_epsilon`, :func:`privacy_profile`, :func:`epsilon_at_delta`;
- tests: :func:`tradeoff`, :func:`tradeoff_curve`;
- divergences: :func:`worst_divergence`, and :func:`minimaxdp.guarantees.zcdp_rho`.

Closed forms for Laplace noise, Gaussian noise and randomized response are in
:mod:`minimaxdp.guarantees`, the levels of other definitions in :mod:`minimaxdp.definitions`; a
mechanism that can only be run is examined by :func:`audit`.
"""

from minimaxdp.privacy._audit import Audit, audit
from minimaxdp.privacy._neighbours import datasets, distances
from minimaxdp.privacy._parameters import (
    dp_epsilon,
    epsilon_at_delta,
    privacy_profile,
    worst_divergence,
)
from minimaxdp.privacy._tradeoff import tradeoff, tradeoff_curve

__all__ = [
    "Audit",
    "audit",
    "datasets",
    "distances",
    "dp_epsilon",
    "epsilon_at_delta",
    "privacy_profile",
    "tradeoff",
    "tradeoff_curve",
    "worst_divergence",
]
