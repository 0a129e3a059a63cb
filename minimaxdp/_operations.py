"""A formula written once and read twice: by numpy as numbers, by sympy as an expression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np

__all__ = ["NUMPY", "Operations", "sympy_operations"]


@dataclass(frozen=True)
class Operations:
    """What a formula may use: elementary functions, extremes, rounding.

    Attributes
    ----------
    exp, log, expm1, log1p, sqrt, sinh, cosh, tanh, floor, ceiling : callable
        Of one argument.
    largest, least : callable
        Maximum and minimum of two or more arguments.
    pi : number
        Or the symbol of it.
    """

    exp: Callable[..., Any]
    log: Callable[..., Any]
    expm1: Callable[..., Any]
    log1p: Callable[..., Any]
    sqrt: Callable[..., Any]
    sinh: Callable[..., Any]
    cosh: Callable[..., Any]
    tanh: Callable[..., Any]
    floor: Callable[..., Any]
    ceiling: Callable[..., Any]
    largest: Callable[..., Any]
    least: Callable[..., Any]
    pi: Any

    def survive(self, h: Any, n: Any) -> Any:
        """(1 - h)^(2n): what n people leave of an affinity of 1 - h, squared."""
        return self.exp(2 * n * self.log1p(-h))


NUMPY = Operations(
    exp=np.exp, log=np.log, expm1=np.expm1, log1p=np.log1p, sqrt=np.sqrt,
    sinh=np.sinh, cosh=np.cosh, tanh=np.tanh, floor=np.floor, ceiling=np.ceil,
    largest=lambda *a: reduce(np.maximum, a), least=lambda *a: reduce(np.minimum, a), pi=np.pi,
)  # fmt: skip


def sympy_operations() -> Operations:
    """The operations on expressions; whoever asks for them waits for sympy."""
    import sympy as sp

    def extreme(kind: Any, *terms: Any) -> Any:
        # Of numbers only: sympy would try for long to prove which of two formulas is larger.
        return kind(*terms, evaluate=all(sp.sympify(term).is_number for term in terms))

    return Operations(
        exp=sp.exp, log=sp.log, expm1=lambda x: sp.exp(x) - 1, log1p=lambda x: sp.log(1 + x),
        sqrt=sp.sqrt, sinh=sp.sinh, cosh=sp.cosh, tanh=sp.tanh, floor=sp.floor, ceiling=sp.ceiling,
        largest=partial(extreme, sp.Max), least=partial(extreme, sp.Min), pi=sp.pi,
    )  # fmt: skip
