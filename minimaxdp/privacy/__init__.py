r"""Definitions of privacy: the exact parameters of a mechanism, and the tests behind them.

A mechanism on a finite world is a row-stochastic matrix, row x the law of its output on input
x, together with a list of neighbours: pairs of inputs that it must not tell apart. For such a
matrix every definition of the book has a smallest parameter, computed here without a grid:

- likelihood ratios: :func:`pure_epsilon`, :func:`approximate_delta`,
  :func:`approximate_epsilon`, :func:`smooth_epsilon`, :func:`bounded_range`;
- divergences: :func:`divergence_level`, :func:`zcdp`;
- tests: :func:`tradeoff`, :func:`chtp_epsilon`;
- all at once: :func:`report`.

Laplace noise, Gaussian noise and randomized response have closed forms (:func:`laplace_delta`
and its kin), and a mechanism that can only be run is examined by :func:`audit`.
"""

from minimaxdp.guarantees import (
    approximate_to_chtp,
    approximate_to_total_variation,
    approximate_tradeoff,
    chtp_to_approximate,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_renyi,
    gaussian_sigma,
    gaussian_tradeoff,
    kl_to_total_variation,
    laplace_delta,
    laplace_epsilon,
    laplace_renyi,
    laplace_tradeoff,
    posterior_range,
    pure_to_zcdp,
    renyi_to_delta,
    response_delta,
    response_epsilon,
    response_renyi,
    worst_bit,
)
from minimaxdp.privacy._audit import Audit, audit
from minimaxdp.privacy._chtp import chtp_epsilon
from minimaxdp.privacy._neighbours import datasets, distances
from minimaxdp.privacy._parameters import (
    approximate_delta,
    approximate_epsilon,
    bounded_range,
    divergence_level,
    pure_epsilon,
    smooth_epsilon,
)
from minimaxdp.privacy._report import Report, report
from minimaxdp.privacy._tradeoff import tradeoff, tradeoff_curve
from minimaxdp.privacy._zcdp import Enclosure, supremum_over_orders, zcdp

__all__ = [
    "Audit",
    "Enclosure",
    "Report",
    "approximate_delta",
    "approximate_epsilon",
    "approximate_to_chtp",
    "approximate_to_total_variation",
    "approximate_tradeoff",
    "audit",
    "bounded_range",
    "chtp_epsilon",
    "chtp_to_approximate",
    "datasets",
    "distances",
    "divergence_level",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_renyi",
    "gaussian_sigma",
    "gaussian_tradeoff",
    "kl_to_total_variation",
    "laplace_delta",
    "laplace_epsilon",
    "laplace_renyi",
    "laplace_tradeoff",
    "posterior_range",
    "pure_epsilon",
    "pure_to_zcdp",
    "renyi_to_delta",
    "report",
    "response_delta",
    "response_epsilon",
    "response_renyi",
    "smooth_epsilon",
    "supremum_over_orders",
    "tradeoff",
    "tradeoff_curve",
    "worst_bit",
    "zcdp",
]
