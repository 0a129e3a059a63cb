r"""Definitions of privacy as values: what is promised, what follows, how much noise it takes.

- definitions: :class:`Pure`, :class:`Approximate`, :class:`ZCDP`, :class:`Renyi`,
  :class:`GaussianDP`, :class:`KL`, :class:`ChiSquare`, :class:`TotalVariation`,
  :class:`Smooth`, :class:`ConditionalTesting`, :class:`Local`, :class:`NonPrivate`; all of them
  are a :class:`Guarantee`, and :func:`standard_guarantees` lines them up at one budget;
- what follows from what: ``Pure(1.0).implies(ZCDP)``, and the bounds behind it
  (:func:`renyi_to_delta`, :func:`zcdp_to_approximate`, :func:`posterior_range` and their kin);
  a new implication is registered by :func:`rule`;
- what neighbours look like at worst: :class:`DominatingPair` and its kin, with their privacy
  losses; the zero-concentrated level of a channel (:func:`zcdp_rho`);
- closed forms for Laplace noise, normal noise and randomized response (:func:`laplace_delta`,
  :func:`gaussian_delta`, :func:`randomized_response_delta` and their kin).
"""

from minimaxdp.guarantees import _implications as _implications  # registers the rules
from minimaxdp.guarantees._base import Guarantee, rule
from minimaxdp.guarantees._closed_forms import (
    gaussian_delta,
    gaussian_epsilon,
    gaussian_renyi,
    gaussian_sigma,
    laplace_delta,
    laplace_epsilon,
    laplace_renyi,
    randomized_response_delta,
    randomized_response_epsilon,
    randomized_response_renyi,
)
from minimaxdp.guarantees._conversions import (
    Conversion,
    renyi_to_approximate,
    zcdp_to_approximate,
)
from minimaxdp.guarantees._definitions import (
    Approximate,
    ConditionalTesting,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    Smooth,
    TotalVariation,
    standard_guarantees,
)
from minimaxdp.guarantees._divergences import KL, ZCDP, ChiSquare, Renyi
from minimaxdp.guarantees._orders import Enclosure, supremum_over_orders, zcdp_rho
from minimaxdp.guarantees._pairs import (
    ApproximatePair,
    DominatingPair,
    FinitePair,
    GaussianPair,
    LaplacePair,
    ResponsePair,
)
from minimaxdp.guarantees._tradeoffs import (
    approximate_tradeoff,
    gaussian_tradeoff,
    laplace_tradeoff,
)
from minimaxdp.guarantees._worst_cases import (
    approximate_to_chtp,
    approximate_to_total_variation,
    chtp_to_approximate,
    kl_to_total_variation,
    posterior_range,
    pure_to_zcdp,
    renyi_to_delta,
    worst_binary_channel,
)

__all__ = [
    "KL",
    "ZCDP",
    "Approximate",
    "ApproximatePair",
    "ChiSquare",
    "ConditionalTesting",
    "Conversion",
    "DominatingPair",
    "Enclosure",
    "FinitePair",
    "GaussianDP",
    "GaussianPair",
    "Guarantee",
    "LaplacePair",
    "Local",
    "NonPrivate",
    "Pure",
    "Renyi",
    "ResponsePair",
    "Smooth",
    "TotalVariation",
    "approximate_to_chtp",
    "approximate_to_total_variation",
    "approximate_tradeoff",
    "chtp_to_approximate",
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
    "pure_to_zcdp",
    "renyi_to_approximate",
    "renyi_to_delta",
    "randomized_response_delta",
    "randomized_response_epsilon",
    "randomized_response_renyi",
    "rule",
    "standard_guarantees",
    "supremum_over_orders",
    "worst_binary_channel",
    "zcdp_rho",
    "zcdp_to_approximate",
]
