r"""One cell at a time: a problem, a guarantee, and what is known about the risk."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._operations import NUMPY
from minimaxdp._search import least_budget, least_integer
from minimaxdp._types import Real
from minimaxdp.guarantees import Guarantee, Local, NonPrivate, Pure, standard_guarantees
from minimaxdp.results._formulas import Bounds, form_of

__all__ = ["Cell", "Setting", "closed_bounds", "epsilon_needed", "people_needed"]

MOST = 2**50  # more people than any census, and still exact in the arithmetic of a browser
KINDS = ("exact", "family", "bound", "simulated")
BUDGETS = 1e-9, 30.0  # in nats: below it a survey of 2^50 people is worth nothing


@dataclass(frozen=True)
class Setting:
    r"""The numbers at which the table is evaluated, but for the level of privacy.

    Parameters
    ----------
    n : int
        Number of people, at least 2.
    d : int
        Dimension of the mean, number of categories; at least 2.
    k : float
        Bounded moment of "moment mean", from 2 to 1000.
    beta : float
        Smoothness of the density, in (0, 1].

    Raises
    ------
    TypeError, ValueError
        If a number lies outside its range.

    Examples
    --------
    >>> Setting(n=500).d
    20
    """

    n: int = 1_000
    d: int = 20
    k: float = 4.0
    beta: float = 1.0

    def __post_init__(self) -> None:
        _validate.freeze(
            self,
            n=_validate.one_integer("n", self.n, minimum=2, maximum=MOST),
            d=_validate.one_integer("d", self.d, minimum=2, maximum=10**6),
            k=_validate.one_real("k", self.k, minimum=2, maximum=1000),
            beta=_validate.one_real("beta", self.beta, above=0, maximum=1),
        )


@dataclass(frozen=True)
class Cell:
    """What is known about one problem under one guarantee.

    Attributes
    ----------
    problem : str
    privacy : Guarantee
        What every method of the competition keeps.
    method : str
        The best method of the package.
    floor : float
        Lower bound: no private method has a smaller worst risk.
    risk : float
        Worst risk of the method: exact, over a family of laws, or simulated, as `kind` says.
    ceiling : float
        Proved upper bound on the worst risk of the method, or of a simpler one.
    kind : {"exact", "family", "bound", "simulated"}
        "family": largest exact risk over the hardest laws known; "bound": the ceiling itself.
    standard_error : float
        Of a simulated risk, else 0.
    binds : str
        The argument behind the floor, as the functions that list the floors name it.
    """

    problem: str
    privacy: Guarantee
    method: str
    floor: float
    risk: float
    ceiling: float
    kind: str = "exact"
    standard_error: float = field(default=0.0)
    binds: str = "closed form"

    def __post_init__(self) -> None:
        _validate.instance("privacy", self.privacy, Guarantee)
        _validate.choice("kind", self.kind, KINDS)
        for name in ("problem", "method", "binds"):
            _validate.instance(name, getattr(self, name), str)
        numbers = ("floor", "risk", "ceiling", "standard_error")
        checked = {
            name: _validate.one_real(name, getattr(self, name), minimum=0) for name in numbers
        }
        _validate.freeze(self, **checked)

    @property
    def definition(self) -> str:
        """Name of the definition."""
        return self.privacy.name

    @property
    def ratio(self) -> float:
        """Ceiling over floor: how far the theory leaves the answer open; infinite over 0."""
        return _over(self.ceiling, self.floor)

    @property
    def gap(self) -> float:
        """Risk over floor: how much a better method could win at most; infinite over 0."""
        return _over(self.risk, self.floor)


def _over(high: float, low: float) -> float:
    """A ratio, one where nothing is lost because nothing is promised."""
    if low > 0:
        return high / low
    return np.inf if high > 0 else 1.0


def closed_bounds(problem: str, privacy: Guarantee, **parameters: ArrayLike) -> tuple[Real, Real]:
    """Floor and ceiling of a cell by their closed forms, for numbers or arrays.

    Parameters
    ----------
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    privacy : Guarantee
        Of one of ``minimaxdp.results.DEFINITIONS``; its levels broadcast too.
    **parameters : array_like
        n, d, k, beta; those left out are as in :class:`Setting`.

    Returns
    -------
    (floor, ceiling)

    Raises
    ------
    TypeError, ValueError
        If there is no such cell, or a parameter is unknown or lies outside its range.

    Notes
    -----
    The same formulas give the expressions of :func:`~minimaxdp.results.formula`.

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> low, high = closed_bounds("bounded mean", Pure(0.2), n=np.array([100, 10_000]), d=5)
    >>> np.all(low < high)
    True
    """
    form = bounds_of(problem, privacy)
    values: dict[str, Any] = asdict(Setting())
    unknown = set(parameters) - set(values)
    if unknown:
        raise ValueError(f"parameters must be among {', '.join(values)}, got {sorted(unknown)}")
    values |= parameters
    checked = {
        "n": np.asarray(_validate.integer("n", values["n"], minimum=1, maximum=MOST)) * 1.0,
        "d": np.asarray(_validate.integer("d", values["d"], minimum=2, maximum=10**6)) * 1.0,
        "k": np.asarray(_validate.real("k", values["k"], minimum=2, maximum=1000)),
        "beta": np.asarray(_validate.real("beta", values["beta"], above=0, maximum=1)),
    }
    _validate.broadcast(**checked, **privacy.levels_as_arrays())
    with np.errstate(over="ignore", divide="ignore"):  # infinite noise: a constant is better
        low, high = form(NUMPY, SimpleNamespace(**checked), privacy)
    return np.asarray(low)[()], np.asarray(high)[()]


def bounds_of(problem: str, privacy: Guarantee) -> Bounds:
    """The closed forms of a cell, by the problem's name and the kind of guarantee."""
    form = form_of(problem, privacy)
    if isinstance(privacy, Local) and not isinstance(privacy.inner, Pure):
        raise ValueError(f"privacy must be Local(Pure(epsilon)) where it is local, got {privacy!r}")
    if privacy.relation != "replacement":
        raise ValueError(f"privacy must be of the relation replacement, got {privacy!r}")
    return form


def people_needed(problem: str, privacy: Guarantee, risk: float, **parameters: float) -> int | None:
    """How many people bring the ceiling of a cell down to a risk.

    The number is doubled until the ceiling is at most the risk, then bisected: with one person
    fewer the ceiling is above it.

    Parameters
    ----------
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    privacy : Guarantee
        Of one of ``minimaxdp.results.DEFINITIONS``.
    risk : float
        In the loss of the problem, positive.
    **parameters : float
        d, k, beta; those left out are as in :class:`Setting`.

    Returns
    -------
    int or None
        At least 2; None if 2^50 people do not suffice.

    Raises
    ------
    TypeError, ValueError
        If there is no such cell, a parameter is unknown or out of range, or the risk is not
        positive.

    Examples
    --------
    >>> from minimaxdp.guarantees import Local, NonPrivate, Pure
    >>> [people_needed("proportion", g, 1e-4) for g in (NonPrivate(), Local(Pure(0.2)))]
    [2401, 250666]
    """
    risk = _validate.one_real("risk", risk, above=0)
    if "n" in parameters:
        raise ValueError("n must not be given: it is what is asked for")
    bounds_of(problem, privacy)
    _validate.single_levels(privacy)
    Setting(**parameters)  # type: ignore[arg-type]  # single numbers, in their ranges

    def enough(n: int) -> bool:
        return bool(closed_bounds(problem, privacy, **parameters, n=n)[1] <= risk)

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    return least_integer(enough, low, high)


def epsilon_needed(
    problem: str,
    definition: type[Guarantee],
    risk: float,
    *,
    delta: float = 1e-6,
    **parameters: float,
) -> float | None:
    r"""How large a budget brings the ceiling of a cell down to a risk.

    The definition stands at the level that :math:`\varepsilon`-differential privacy implies. The
    budget is found by bisection, to one part in 10^9: it suffices, and just below it the ceiling is
    above the risk. (The ceiling of a density, whose number of bins is whole, is not monotone, so
    that a much smaller budget may suffice too.)

    Parameters
    ----------
    problem : str
        One of ``minimaxdp.results.PROBLEMS``.
    definition : type
        One of ``minimaxdp.results.DEFINITIONS``, but for :class:`NonPrivate`.
    risk : float
        In the loss of the problem, positive.
    delta : float
        Of approximate privacy, in (0, 1).
    **parameters : float
        n, d, k, beta; those left out are as in :class:`Setting`.

    Returns
    -------
    float or None
        Nats, from 1e-9 to 30; None if a budget of 30 does not suffice.

    Raises
    ------
    TypeError, ValueError
        If there is no such cell, a parameter is unknown or out of range, or the risk is not
        positive.

    Examples
    --------
    >>> from minimaxdp.guarantees import Local, Pure
    >>> [round(epsilon_needed("proportion", g, 1e-4, n=10_000), 3) for g in (Pure, Local)]
    [0.016, 1.085]
    """
    risk = _validate.one_real("risk", risk, above=0)
    delta = _validate.one_real("delta", delta, above=0, below=1)
    Setting(**parameters)  # type: ignore[arg-type]  # single numbers, in their ranges

    def promises(epsilon: float) -> dict[type[Guarantee], Guarantee]:
        found = {type(privacy): privacy for privacy in standard_guarantees(epsilon, delta)}
        del found[NonPrivate]
        return found

    if not isinstance(definition, type) or definition not in promises(1.0):
        raise ValueError(f"definition must be in the table and private, got {definition!r}")
    bounds_of(problem, promises(1.0)[definition])

    def enough(epsilon: float) -> bool:
        return bool(closed_bounds(problem, promises(epsilon)[definition], **parameters)[1] <= risk)

    return least_budget(enough, *BUDGETS, rtol=1e-9)
