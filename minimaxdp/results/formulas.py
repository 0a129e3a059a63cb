r"""The closed forms as sympy expressions, to be derived from, printed, or sent to a browser."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

from minimaxdp.results.closed import CLOSED, Operations

if TYPE_CHECKING:
    import sympy as sp

__all__ = ["Formula", "SYMBOLS", "formula", "formulas"]

SYMBOLS = ("n", "d", "epsilon", "delta", "k", "beta")


@dataclass(frozen=True)
class Formula:
    """Floor and ceiling of one cell, in the symbols of :data:`SYMBOLS`.

    Attributes
    ----------
    floor, ceiling : sympy.Expr
        Built of powers, exp, log, sinh, tanh, Min, Max, floor and ceiling, all of which
        ``sympy.jscode`` can print.
    """

    floor: sp.Expr
    ceiling: sp.Expr


def formula(problem: str, definition: str) -> Formula:
    """Floor and ceiling of a cell as sympy expressions.

    Parameters
    ----------
    problem, definition : str
        As in ``minimaxdp.results.CLOSED``.

    Returns
    -------
    Formula

    Raises
    ------
    ValueError
        If there is no such cell.

    Examples
    --------
    >>> formula("bounded mean", "none").floor
    (sqrt(n) + 1)**(-2)
    """
    if (problem, definition) not in CLOSED:
        raise ValueError(f"problem and definition must name a cell, got {(problem, definition)!r}")
    import sympy as sp  # only who asks for expressions waits for sympy

    operations = Operations(
        sp.exp, sp.log, sp.sqrt, sp.sinh, sp.tanh, sp.floor, sp.ceiling, sp.Max, sp.Min,
        lambda h, n: (1 - h) ** (2 * n), sp.pi,
    )  # fmt: skip
    symbols = {name: sp.Symbol(name, positive=True) for name in SYMBOLS}
    low, high = CLOSED[problem, definition](operations, SimpleNamespace(**symbols))
    return Formula(sp.sympify(low), sp.sympify(high))


def formulas(problem: str | None = None) -> dict[tuple[str, str], Formula]:
    """All cells, or those of one problem: from (problem, definition) to :class:`Formula`.

    Parameters
    ----------
    problem : str, optional

    Returns
    -------
    dict
        Empty for a problem that is not in the table.

    Examples
    --------
    >>> list(formulas("unbiased mean"))
    [('unbiased mean', 'pure'), ('unbiased mean', 'zcdp'), ('unbiased mean', 'local')]
    """
    return {key: formula(*key) for key in CLOSED if problem in (None, key[0])}
