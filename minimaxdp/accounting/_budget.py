"""A budget that is spent release by release."""

from __future__ import annotations

from typing import Any, Literal

from minimaxdp import _validate
from minimaxdp._search import least_integer
from minimaxdp._types import Rng
from minimaxdp.accounting._compose import _relation, compose
from minimaxdp.guarantees import ZCDP, Approximate, Guarantee, Local, Pure, zcdp_to_approximate

__all__ = ["Budget"]

Method = Literal["exact", "zcdp", "basic"]
_ROUNDING = 1e-12
_MOST = 10_000


class Budget:
    r"""A promise to be kept over many releases: ask, and see what is left.

    Parameters
    ----------
    limit : Guarantee
        What all releases together may spend: ``Pure``, ``ZCDP`` or ``Approximate``.
    method : {"exact", "zcdp", "basic"}, optional
        How the releases are added up. Pure budgets are added ("basic"), zero-concentrated ones
        too ("zcdp"). For ``Approximate``, "exact" composes the privacy losses (the default),
        "zcdp" adds zero-concentrated budgets and converts at the end, and "basic" adds epsilons
        and deltas.

    Raises
    ------
    TypeError, ValueError
        If the limit is none of the three, or the method does not fit it.

    Notes
    -----
    The limit and every amount are fixed in advance; a budget whose amounts depend on earlier
    outputs (a privacy filter) needs the condition of Rogers, Roth, Ullman and Vadhan (2016).
    A pair of laws is fixed for each release, and what it is asked may depend on all before.

    Examples
    --------
    >>> from minimaxdp.laplace import Laplace
    >>> budget = Budget(Approximate(1.0, 1e-6))
    >>> answer = budget.ask(Laplace(0.1), 42.0, rng=0)
    >>> round(budget.spent.epsilon, 3), budget.affords(Laplace(0.1))
    (0.1, 9)
    """

    def __init__(self, limit: Guarantee, method: Method | None = None) -> None:
        _validate.instance("limit", limit, Guarantee)
        if not isinstance(limit, Pure | ZCDP | Approximate):
            raise TypeError(f"limit must be Pure, ZCDP or Approximate, got {limit!r}")
        _validate.single_levels(limit)
        allowed: dict[type, tuple[Method, ...]] = {
            Pure: ("basic",),
            ZCDP: ("zcdp",),
            Approximate: ("exact", "zcdp", "basic"),
        }
        ways = allowed[type(limit)]
        if method is None:
            method = ways[0]
        _validate.choice("method", method, ways)
        self.limit, self.method = limit, method
        self._releases: list[Any] = []

    def __repr__(self) -> str:
        return f"Budget({self.limit!r}, {self.method!r}, releases={len(self._releases)})"

    @property
    def releases(self) -> tuple[Any, ...]:
        """What was released so far."""
        return tuple(self._releases)

    @property
    def spent(self) -> Guarantee | None:
        """The promise of all releases so far; None before the first."""
        if not self._releases:
            return None
        amounts = self._amounts(self._releases)
        # What fits but for rounding has spent the limit.
        levels = {name: min(amounts[name], level) for name, level in self.limit.levels.items()}
        return type(self.limit)(**levels, relation=self.limit.relation)

    @property
    def left(self) -> float:
        """What is left of the level that is spent: epsilon, or rho."""
        level = next(iter(self.limit.levels))
        used = self.spent
        return float(getattr(self.limit, level) - (getattr(used, level) if used else 0.0))

    def affords(self, release: Any, most: int = _MOST) -> int:
        """How many more releases of this kind the budget allows.

        Parameters
        ----------
        release : Mechanism, Guarantee or DominatingPair
        most : int
            Where the search ends, from 1 to ten thousand.

        Returns
        -------
        int

        Examples
        --------
        >>> Budget(Pure(1.0)).affords(Pure(0.3))
        3
        """
        most = _validate.one_integer("most", most, minimum=1, maximum=_MOST)
        most = min(most, _MOST - len(self._releases))
        self._amounts([release])  # says what is wrong with it
        low, high = 0, 1
        while high <= most and self._fits([release] * high):
            low, high = high, 2 * high
        high = min(high, most + 1)
        return least_integer(lambda times: not self._fits([release] * times), low, high) - 1

    def spend(self, release: Any, times: int = 1) -> None:
        """Book a release that is run elsewhere.

        Parameters
        ----------
        release : Mechanism, Guarantee or DominatingPair
        times : int
            How often it is run, at least 1.

        Raises
        ------
        ValueError
            If the budget does not allow it; nothing is booked then.

        Examples
        --------
        >>> budget = Budget(Pure(700.0))
        >>> budget.spend(Pure(0.4), times=2)
        >>> round(budget.left, 12)
        699.2
        """
        times = _validate.one_integer("times", times, minimum=1, maximum=_MOST)
        if len(self._releases) + times > _MOST:
            raise ValueError(f"times must leave at most {_MOST} releases in all, got {times}")
        self._refuse_beyond(release, times)
        self._releases += [release] * times

    def ask(self, mechanism: Any, answer: Any, *, rng: Rng = None) -> Any:
        """Run a mechanism on its input, and book it.

        Parameters
        ----------
        mechanism : Mechanism
        answer : object
            What its `privatize` (or `release`) takes. One call is one release.
        rng : Generator, int or None

        Returns
        -------
        object
            The private output.

        Raises
        ------
        TypeError, ValueError
            If it cannot be run, or the budget does not allow it; nothing is released then.

        Examples
        --------
        >>> from minimaxdp.laplace import Laplace
        >>> round(Budget(Pure(700.0)).ask(Laplace(0.5), 10.0, rng=1), 3)
        10.047
        """
        run = getattr(mechanism, "privatize", None) or getattr(mechanism, "release", None)
        if run is None:
            raise TypeError(f"mechanism must have privatize or release, got {mechanism!r}")
        self._refuse_beyond(mechanism, 1)
        found = run(answer, rng=rng)
        self._releases.append(mechanism)
        return found

    def _refuse_beyond(self, release: Any, times: int) -> None:
        more = [release] * times
        if not self._fits(more):
            amounts = self._amounts(self._releases + more)
            total = ", ".join(f"{name} = {amount:g}" for name, amount in amounts.items())
            raise ValueError(
                f"release must fit the budget {self.limit} with times = {times}: {self.left:g} is "
                f"left, and {release!r} would make it {total}"
            )

    def _fits(self, more: list[Any]) -> bool:
        amounts = self._amounts(self._releases + more)
        return all(
            amounts[name] <= level * (1 + _ROUNDING) for name, level in self.limit.levels.items()
        )

    def _amounts(self, releases: list[Any]) -> dict[str, float]:
        """What releases take in the levels of the limit, also where no promise goes so far."""
        relation = _relation(releases, None)
        if relation != self.limit.relation:
            raise ValueError(
                f"release must be stated for {self.limit.relation!r}, as the budget is, got "
                f"{relation!r}"
            )
        limit = self.limit
        if self.method == "exact":
            assert isinstance(limit, Approximate)
            return {"epsilon": compose(releases).epsilon(limit.delta).high, "delta": limit.delta}
        stated = [_stated(release) for release in releases]
        if isinstance(limit, Pure):
            return {"epsilon": sum(s.implies(Pure).epsilon for s in stated)}
        if self.method == "zcdp":
            rho = sum(s.implies(ZCDP).rho for s in stated)
            if isinstance(limit, ZCDP):
                return {"rho": rho}
            converted = zcdp_to_approximate(rho, delta=limit.delta)
            return {"epsilon": float(converted.epsilon), "delta": limit.delta}
        pairs = [_basic(s) for s in stated]
        return {"epsilon": sum(p.epsilon for p in pairs), "delta": sum(p.delta for p in pairs)}


def _stated(release: Any) -> Guarantee:
    found = release if isinstance(release, Guarantee) else getattr(release, "privacy", None)
    if not isinstance(found, Guarantee):
        raise TypeError(f"release must state its privacy as a Guarantee, got {release!r}")
    return found.inner if isinstance(found, Local) else found


def _basic(stated: Guarantee) -> Approximate:
    if isinstance(stated, Approximate):
        return stated
    if stated.can_imply(Pure):
        return stated.implies(Approximate)
    raise ValueError(f"release must be stated as Pure or Approximate to be added up, got {stated}")
