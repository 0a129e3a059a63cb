r"""The closed forms as sympy expressions, to be derived from, printed, or sent to a browser."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING

from minimaxdp import _validate
from minimaxdp._operations import sympy_operations
from minimaxdp.guarantees import KL, ZCDP, Approximate, Guarantee, Local, Pure, TotalVariation
from minimaxdp.results._formulas import CLOSED, form_of

if TYPE_CHECKING:
    import sympy as sp

__all__ = ["SYMBOLS", "Formula", "at_budget", "formula", "formulas"]

SYMBOLS = ("n", "d", "epsilon", "delta", "k", "beta")


@dataclass(frozen=True)
class Formula:
    """Floor and ceiling of one cell, in n, d, k, beta and the levels of the definition.

    Attributes
    ----------
    floor, ceiling : sympy.Expr
        Built of powers, exp, log, sinh, tanh, Min, Max, floor and ceiling, all of which
        ``sympy.jscode`` can print.
    """

    floor: sp.Expr
    ceiling: sp.Expr


def formula(problem: str, definition: type[Guarantee] | Guarantee) -> Formula:
    """Floor and ceiling of a cell as sympy expressions.

    Parameters
    ----------
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    definition : type or Guarantee
        One of ``minimaxdp.results.DEFINITIONS``, whose levels are symbols of the same name, or a
        guarantee with levels of its own, such as :func:`at_budget` makes.

    Returns
    -------
    Formula

    Raises
    ------
    TypeError, ValueError
        If there is no such cell.

    Examples
    --------
    >>> from minimaxdp.guarantees import NonPrivate, TotalVariation
    >>> formula("bounded mean", NonPrivate).floor
    (sqrt(n) + 1)**(-2)
    >>> sorted(map(str, formula("endpoint", TotalVariation).floor.free_symbols))
    ['alpha', 'n']
    """
    if isinstance(definition, type) and issubclass(definition, Guarantee):
        definition = definition.symbolic()
    form = form_of(problem, definition, "definition")
    _validate.single_levels(definition)
    import sympy as sp  # only who asks for expressions waits for sympy

    names = ("n", "d", "k", "beta")
    numbers = SimpleNamespace(**{name: sp.Symbol(name, positive=True) for name in names})
    low, high = form(sympy_operations(), numbers, definition)
    return Formula(sp.sympify(low), sp.sympify(high))


def at_budget(definition: type[Guarantee]) -> Guarantee:
    """A definition at the level that pure privacy implies, in the symbols epsilon and delta.

    Parameters
    ----------
    definition : type
        One of ``minimaxdp.results.DEFINITIONS``.

    Returns
    -------
    Guarantee
        With expressions for levels; for :func:`formula` alone.

    Raises
    ------
    ValueError
        If the definition is not in the table.

    Examples
    --------
    >>> at_budget(ZCDP).rho
    epsilon*tanh(epsilon/2)
    """
    if not any(definition is found for _, found in CLOSED):
        raise ValueError(f"definition must be in the table, got {definition!r}")
    import sympy as sp

    epsilon = sp.Symbol("epsilon", positive=True)
    alpha = sp.tanh(epsilon / 2)
    made = definition.symbolic()
    levels = {
        Pure: {"epsilon": epsilon}, ZCDP: {"rho": epsilon * alpha}, KL: {"level": epsilon * alpha},
        TotalVariation: {"alpha": alpha}, Approximate: {}, Local: {},
    }  # fmt: skip
    _validate.freeze(made, **levels.get(definition, {}))
    return made


def formulas(problem: str | None = None) -> dict[tuple[str, str], Formula]:
    """All cells, or those of one problem, at one budget: from (problem, definition's name).

    Parameters
    ----------
    problem : str, optional
        One of ``minimaxdp.results.PROBLEMS``.

    Returns
    -------
    dict of (str, str) to Formula
        In :data:`SYMBOLS`, each definition :func:`at_budget`.

    Raises
    ------
    TypeError, ValueError
        If there is no such problem.

    Examples
    --------
    >>> list(formulas("unbiased mean"))[:2]
    [('unbiased mean', 'pure'), ('unbiased mean', 'approximate')]
    """
    if problem is not None:
        _validate.choice("problem", problem, [name for name, _ in CLOSED])
    return {
        (name, definition.name): formula(name, at_budget(definition))
        for name, definition in CLOSED
        if problem in (None, name)
    }
