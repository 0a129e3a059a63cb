r"""The cousins of differential privacy: the least level of each definition that a mechanism keeps.

A mechanism on a finite world is a row-stochastic matrix, as in :mod:`minimaxdp.privacy`, where the
levels of pure and of approximate privacy are found. Here are those of their relatives:

- likelihood ratios: :func:`metric_dp_epsilon`, :func:`bounded_range`;
- tests after an event is known: :func:`chtp_epsilon`;
- any definition as a value: :func:`guarantee_of`; all of them at once: :func:`report`.

What one definition implies about another is known to :mod:`minimaxdp.guarantees`.
"""

from minimaxdp.definitions._chtp import chtp_epsilon
from minimaxdp.definitions._least import guarantee_of
from minimaxdp.definitions._ratios import bounded_range, metric_dp_epsilon
from minimaxdp.definitions._report import Report, report

__all__ = [
    "Report",
    "bounded_range",
    "chtp_epsilon",
    "guarantee_of",
    "metric_dp_epsilon",
    "report",
]
