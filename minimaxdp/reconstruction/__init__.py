"""Reconstruction: the records behind tables and counts that were published without noise.

- Tables of counts: :func:`count_table` makes one, :func:`solutions` lists all data sets that agree
  with several, and :func:`closest` finds one that agrees best when they contradict each other;
  :func:`only_solution` certifies that there is no other.
- Counts of subsets: :func:`from_subset_counts` rebuilds a bit for each person, and
  :func:`wrong_bits_bound` says how many of them can be wrong.
"""

from minimaxdp.reconstruction._only import OnlySolution, only_solution
from minimaxdp.reconstruction._subsets import (
    Reconstruction,
    from_subset_counts,
    wrong_bits_bound,
)
from minimaxdp.reconstruction._tables import Solutions, closest, count_table, solutions

__all__ = [
    "OnlySolution",
    "Reconstruction",
    "Solutions",
    "closest",
    "count_table",
    "from_subset_counts",
    "only_solution",
    "solutions",
    "wrong_bits_bound",
]
