r"""Definitions of privacy: the exact parameters of a mechanism, and the tests behind them.

A mechanism on a finite world is a row-stochastic matrix, row x the law of its output on input
x, together with a list of neighbours: pairs of inputs that it must not tell apart. For such a
matrix every definition of the book has a smallest parameter, computed here without a grid:

- likelihood ratios: :func:`dp_epsilon`, :func:`privacy_profile`,
  :func:`epsilon_at_delta`, :func:`metric_dp_epsilon`, :func:`bounded_range`;
- divergences: :func:`worst_divergence`, :func:`zcdp`;
- tests: :func:`tradeoff`, :func:`chtp_epsilon`;
- any definition as a value: :func:`guarantee_of`; all at once: :func:`report`.

Closed forms for Laplace noise, Gaussian noise and randomized response are in
:mod:`minimaxdp.guarantees`; a mechanism that can only be run is examined by :func:`audit`.
"""

from minimaxdp.privacy._audit import Audit, audit
from minimaxdp.privacy._chtp import chtp_epsilon
from minimaxdp.privacy._least import guarantee_of
from minimaxdp.privacy._neighbours import datasets, distances
from minimaxdp.privacy._parameters import (
    bounded_range,
    dp_epsilon,
    epsilon_at_delta,
    metric_dp_epsilon,
    privacy_profile,
    worst_divergence,
)
from minimaxdp.privacy._report import Report, report
from minimaxdp.privacy._tradeoff import tradeoff, tradeoff_curve
from minimaxdp.privacy._zcdp import Enclosure, supremum_over_orders, zcdp

__all__ = [
    "Audit",
    "Enclosure",
    "Report",
    "privacy_profile",
    "epsilon_at_delta",
    "audit",
    "bounded_range",
    "chtp_epsilon",
    "datasets",
    "distances",
    "worst_divergence",
    "guarantee_of",
    "dp_epsilon",
    "report",
    "metric_dp_epsilon",
    "supremum_over_orders",
    "tradeoff",
    "tradeoff_curve",
    "zcdp",
]
