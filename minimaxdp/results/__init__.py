r"""Every problem of the book under every definition: floor, risk, ceiling, ratio.

- :func:`table` -- all cells at one :class:`Setting`, the widest open first; :func:`cell` -- one of
  them, under any guarantee of :mod:`minimaxdp.guarantees`;
- closed forms: :func:`closed_bounds` for numbers, :func:`formula` and :func:`formulas` for sympy,
  :func:`people_needed` and :func:`epsilon_needed` for the people or the budget that a risk asks
  for.

A floor is a lower bound on the minimax risk, a ceiling an upper bound.
"""

from minimaxdp.results._cells import Cell, Setting, closed_bounds, epsilon_needed, people_needed
from minimaxdp.results._endpoint import exponential_endpoint_risk
from minimaxdp.results._formulas import DEFINITIONS
from minimaxdp.results._problems import PROBLEMS, cell, table
from minimaxdp.results._sympy import SYMBOLS, Formula, at_budget, formula, formulas

__all__ = [
    "DEFINITIONS",
    "PROBLEMS",
    "SYMBOLS",
    "Cell",
    "Formula",
    "Setting",
    "at_budget",
    "cell",
    "closed_bounds",
    "epsilon_needed",
    "exponential_endpoint_risk",
    "formula",
    "formulas",
    "people_needed",
    "table",
]
