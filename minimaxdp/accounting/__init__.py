r"""Accounting: what many releases about the same people promise together.

The privacy loss of two laws P and Q is :math:`\ln\frac{dP}{dQ}(Y)` with Y from P; losses of
releases add up.

- :func:`compose` adds the losses of any mechanisms, and :class:`Composition` reads epsilon and
  delta off the sum as an :class:`Interval` whose upper end is safe;
- :func:`dominating_pair` and :func:`finite_pair` find the two laws to compare,
  :class:`Subsampled` and :class:`SampledPair` those of a mechanism on a random sample;
- :func:`advanced_epsilon` and :func:`normal_limit` bound the sum in closed form; from
  zero-concentrated and Rényi budgets lead :func:`minimaxdp.guarantees.zcdp_to_approximate` and
  :func:`minimaxdp.guarantees.renyi_to_approximate`;
- :class:`Budget` is spent release by release.
"""

from minimaxdp.accounting._bounds import NormalLimit, advanced_epsilon, normal_limit
from minimaxdp.accounting._budget import Budget
from minimaxdp.accounting._compose import Composition, Interval, compose
from minimaxdp.accounting._pairs import SampledPair, Subsampled, dominating_pair, finite_pair

__all__ = [
    "Budget",
    "Composition",
    "Interval",
    "NormalLimit",
    "SampledPair",
    "Subsampled",
    "advanced_epsilon",
    "compose",
    "dominating_pair",
    "finite_pair",
    "normal_limit",
]
