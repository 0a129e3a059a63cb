r"""One cell at a time: a problem, a definition, and what is known about the risk."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

from minimaxdp import _validate
from minimaxdp.results.closed import CLOSED, numpy_operations

__all__ = [
    "Cell",
    "Setting",
    "closed_bounds",
    "levels",
    "people_needed",
]

MOST = 2**50  # more people than any census, and still exact in the arithmetic of a browser


@dataclass(frozen=True)
class Setting:
    r"""The numbers at which the table is evaluated.

    Parameters
    ----------
    n : int
        Number of people, at least 2.
    d : int
        Dimension, or number of categories, at least 2.
    epsilon : float
        Budget in nats, positive; the other definitions stand at the level that it implies
        (:func:`levels`).
    delta : float
        Of approximate privacy, strictly between 0 and 1.
    k : float
        Bounded moment of the moment-bounded mean, at least 2, finite.
    beta : float
        Hoelder exponent of the density, in (0, 1].

    Raises
    ------
    TypeError, ValueError
        If a number is out of its range.

    Examples
    --------
    >>> Setting(n=100).epsilon
    0.2
    """

    n: int = 1_000
    d: int = 20
    epsilon: float = 0.2
    delta: float = 1e-6
    k: float = 4.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        checked = {
            "n": _validate.one_integer("n", self.n, minimum=2),
            "d": _validate.one_integer("d", self.d, minimum=2),
            "epsilon": _validate.one_epsilon(self.epsilon),
            "delta": _validate.one_real("delta", self.delta, above=0, below=1),
            "k": _validate.one_real("k", self.k, minimum=2),
            "beta": _validate.one_real("beta", self.beta, above=0, maximum=1),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Cell:
    """What is known about one problem under one definition.

    Attributes
    ----------
    problem, definition : str
    method : str
        The best method of the package.
    floor : float
        No private method has a smaller worst risk.
    risk : float
        Worst risk of the method: exact, over a family of laws, or simulated, as `kind` says.
    ceiling : float
        Proved upper bound on the worst risk of the method, or of a simpler one.
    kind : {"exact", "family", "bound", "simulated"}
        "family": largest exact risk over the hardest laws known; "bound": the ceiling itself.
    standard_error : float
        Of a simulated risk, else 0.
    """

    problem: str
    definition: str
    method: str
    floor: float
    risk: float
    ceiling: float
    kind: str = "exact"
    standard_error: float = field(default=0.0)

    @property
    def ratio(self) -> float:
        """Ceiling over floor: how far the theory leaves the answer open."""
        return self.ceiling / self.floor

    @property
    def gap(self) -> float:
        """Risk over floor: how much a better method could win at most."""
        return self.risk / self.floor


def levels(epsilon: float) -> dict[str, float]:
    r"""The level of every definition that epsilon-differential privacy implies.

    Parameters
    ----------
    epsilon : float
        Nats, positive.

    Returns
    -------
    dict
        From definition to level: epsilon itself for "pure", "approximate" and "local".

    Raises
    ------
    TypeError, ValueError
        If epsilon is not positive and finite.

    Examples
    --------
    >>> round(levels(1.0)["tv"], 4), round(levels(1.0)["zcdp"], 4)
    (0.4621, 0.4621)
    """
    epsilon = _validate.one_epsilon(epsilon)
    alpha = float(np.tanh(epsilon / 2))
    return {
        "pure": epsilon, "approximate": epsilon, "zcdp": epsilon * alpha, "kl": epsilon * alpha,
        "tv": alpha, "local": epsilon,
    }  # fmt: skip


def closed_bounds(problem: str, definition: str, **parameters: Any) -> tuple[Any, Any]:
    """Floor and ceiling of a cell by their closed forms, for numbers or arrays.

    Parameters
    ----------
    problem, definition : str
        As in ``minimaxdp.results.CLOSED``.
    **parameters : array_like
        n, d, epsilon, delta, k, beta; those left out are as in :class:`Setting`.

    Returns
    -------
    (floor, ceiling)

    Raises
    ------
    ValueError
        If there is no such cell.

    Notes
    -----
    The same text gives the expressions of :func:`~minimaxdp.results.formula`.

    Examples
    --------
    >>> low, high = closed_bounds("bounded mean", "pure", n=np.array([100, 10_000]), d=5)
    >>> bool(np.all(low < high))
    True
    """
    if (problem, definition) not in CLOSED:
        raise ValueError(f"problem and definition must name a cell, got {(problem, definition)!r}")
    values = asdict(Setting())
    unknown = set(parameters) - set(values)
    if unknown:
        raise ValueError(f"parameters must be among {', '.join(values)}, got {sorted(unknown)}")
    values |= {name: np.asarray(value, dtype=float) for name, value in parameters.items()}
    low, high = CLOSED[problem, definition](numpy_operations(), SimpleNamespace(**values))
    return np.asarray(low)[()], np.asarray(high)[()]


def people_needed(problem: str, definition: str, risk: float, **parameters: Any) -> int | None:
    """How many people bring the ceiling of a cell down to a risk.

    The number is doubled until the ceiling is at most the risk, then bisected: with one person
    fewer the ceiling is above it.

    Parameters
    ----------
    problem, definition : str
        As in ``minimaxdp.results.CLOSED``.
    risk : float
        In the loss of the problem, positive.
    **parameters : float
        d, epsilon, delta, k, beta; those left out are as in :class:`Setting`.

    Returns
    -------
    int or None
        At least 2; None if 2^50 people do not suffice.

    Raises
    ------
    ValueError
        If there is no such cell, a parameter is unknown or out of range, or the risk is not
        positive.

    Examples
    --------
    >>> people_needed("proportion", "none", 1e-4), people_needed("proportion", "local", 1e-4)
    (2401, 250666)
    """
    risk = _validate.one_real("risk", risk, above=0)
    if "n" in parameters:
        raise ValueError("n must not be given: it is what is asked for")
    closed_bounds(problem, definition, **parameters)  # names are checked before values
    setting = asdict(Setting(**parameters)) | {"n": 2}

    def enough(n: int) -> bool:
        return bool(closed_bounds(problem, definition, **(setting | {"n": n}))[1] <= risk)

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
