r"""Every problem of the book under every definition: floor, risk, ceiling, ratio.

- :func:`table` -- all cells at one :class:`Setting`, the widest open first;
- one function per problem, called with a definition: :func:`proportion`, :func:`multinomial`,
  :func:`bounded_mean`, :func:`moment_mean`, :func:`support`, :func:`density`,
  :func:`unbiased_mean`; :func:`cell` finds them by name;
- closed forms: :func:`closed_bounds` for numbers, :func:`formula` and :func:`formulas` for sympy,
  :func:`people_needed` for the number of people that a risk asks for.

At the budget epsilon each definition stands at the level that epsilon-differential privacy
implies (:func:`levels`).
"""

from minimaxdp.results.cells import Cell, Setting, closed_bounds, levels, people_needed
from minimaxdp.results.closed import CLOSED, DEFINITIONS
from minimaxdp.results.formulas import SYMBOLS, Formula, formula, formulas
from minimaxdp.results.problems import (
    PROBLEMS,
    bounded_mean,
    cell,
    density,
    moment_mean,
    multinomial,
    proportion,
    support,
    table,
    unbiased_mean,
)
from minimaxdp.results.support import exponential_end_risk

__all__ = [
    "CLOSED",
    "DEFINITIONS",
    "PROBLEMS",
    "SYMBOLS",
    "Cell",
    "Formula",
    "Setting",
    "bounded_mean",
    "cell",
    "closed_bounds",
    "density",
    "exponential_end_risk",
    "formula",
    "formulas",
    "levels",
    "moment_mean",
    "multinomial",
    "people_needed",
    "proportion",
    "support",
    "table",
    "unbiased_mean",
]
