"""What every definition of privacy has in common: a level, an order, what it implies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from minimaxdp import _validate
from minimaxdp._operations import NUMPY, Operations
from minimaxdp._types import Real

__all__ = ["RELATIONS", "Guarantee", "Relation", "rule", "text"]

Relation = Literal["replacement", "add-remove"]
RELATIONS: tuple[Relation, ...] = ("replacement", "add-remove")

G = TypeVar("G", bound="Guarantee")
Rule = Callable[..., "Guarantee"]

# From (what is promised, what follows) to the function that finds the level.
_RULES: dict[tuple[type[Guarantee], type[Guarantee]], Rule] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Guarantee:
    r"""A promise about the output laws of neighbouring inputs: a definition with its level.

    Levels are numbers, or arrays over which every bound broadcasts. One guarantee is at most
    another, ``a <= b``, if whatever keeps a keeps b. A definition of the reader's own is a
    subclass: a frozen dataclass whose fields are its levels, checked in ``_check``; a bound
    asks it for what it needs, and most of it follows from :meth:`implies`.

    Parameters
    ----------
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours: data sets that differ in the value of one record, or in its
        presence.

    Attributes
    ----------
    theorem : str
        Where the guarantee was derived from another one: the theorem used, and whether it is
        sharp.
    """

    relation: Relation = field(default="replacement", kw_only=True)
    theorem: str = field(default="", kw_only=True)

    name: ClassVar[str] = ""
    symbol: ClassVar[str] = ""
    # Whether a level must be held before another one follows, as delta is for epsilon.
    needs_choice: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _validate.choice("relation", self.relation, RELATIONS)
        _validate.instance("theorem", self.theorem, str)
        checked = {name: _plain(value) for name, value in self._check().items()}
        _validate.broadcast(**{n: v for n, v in checked.items() if not isinstance(v, Guarantee)})
        _validate.freeze(self, **checked)

    def _check(self) -> dict[str, Any]:
        """The checked levels by name."""
        raise TypeError("a guarantee must be of a definition, such as Pure(1.0)")

    @property
    def levels(self) -> dict[str, Any]:
        """The levels by name, in the order in which they are written."""
        return {name: getattr(self, name) for name in self._names()}

    @classmethod
    def _names(cls) -> list[str]:
        return [f.name for f in fields(cls) if f.name not in ("relation", "theorem")]

    def held(self) -> dict[str, Any]:
        """The levels that are held while the last one is found.

        Examples
        --------
        >>> from minimaxdp.guarantees import Approximate, Pure
        >>> Pure(1.0).held(), Approximate(1.0, 1e-6).held()
        ({}, {'epsilon': 1.0})
        """
        return dict(list(self.levels.items())[:-1])

    def levels_as_arrays(self) -> dict[str, Any]:
        """The levels of numbers by name, those of an inner guarantee among them, as arrays."""
        found: dict[str, Any] = {}
        for name, value in self.levels.items():
            inner = isinstance(value, Guarantee)
            found |= value.levels_as_arrays() if inner else {name: np.asarray(value)}
        return found

    def implies(self, target: Any, **given: float) -> Any:
        r"""What follows: the guarantee at its best known level, or whether one follows.

        Parameters
        ----------
        target : type or Guarantee
            A definition, such as ``ZCDP``: the answer is the least level of it that follows. A
            guarantee, such as ``ZCDP(0.5)``: the answer is True if it follows.
        **given
            For a definition of two levels, the one that is held: ``delta=1e-6`` or
            ``epsilon=1`` for ``Approximate``, ``order=2`` for ``Renyi``, ``eta=0.01`` for
            ``ConditionalTesting``.

        Returns
        -------
        Guarantee or bool
            A guarantee carries the theorem it came by in its attribute `theorem`.

        Raises
        ------
        TypeError, ValueError
            If the target is no definition, if nothing of it follows, or a level that must be
            held is missing.

        Examples
        --------
        >>> from minimaxdp.guarantees import Pure, ZCDP
        >>> Pure(1.0).implies(ZCDP)
        ZCDP(0.462117157)
        >>> Pure(1.0).implies(ZCDP(0.5)), ZCDP(0.5).implies(Pure(1.0))
        (True, False)
        """
        if isinstance(target, Guarantee):
            return self._follows(target)
        if not _is_definition(target):
            raise TypeError(f"target must be a definition or a guarantee, got {target!r}")
        found = self._derive(target, given, set())
        if found is None:
            raise ValueError(f"target must follow from {self}, but {target.__name__} does not")
        return found

    def can_imply(self, target: type[Guarantee]) -> bool:
        """Whether some level of a definition follows.

        Examples
        --------
        >>> from minimaxdp.guarantees import Pure, ZCDP
        >>> Pure(1.0).can_imply(ZCDP), ZCDP(0.5).can_imply(Pure)
        (True, False)
        """
        if not _is_definition(target):
            raise TypeError(f"target must be a definition, got {target!r}")
        return self._can_imply(target)

    def _can_imply(self, target: type[Guarantee]) -> bool:
        return _path(type(self), target, set())

    def group(self: G, size: int) -> G:
        """The guarantee for groups of records that change together.

        Parameters
        ----------
        size : int
            Number of records, at least 1.

        Returns
        -------
        Guarantee
            Of the same definition.

        Raises
        ------
        TypeError, ValueError
            If the size is not a positive integer, or the definition says nothing about groups.

        Examples
        --------
        >>> from minimaxdp.guarantees import Pure, ZCDP
        >>> Pure(0.5).group(3), ZCDP(0.5).group(3)
        (Pure(1.5), ZCDP(4.5))
        """
        size = _validate.one_integer("size", size, minimum=1)
        if size == 1:
            return self
        levels = self._group(size)
        try:
            return replace(self, theorem="group privacy", **levels)
        except ValueError as error:
            raise ValueError(f"size must leave the levels in their ranges: {error}") from None

    def _group(self, size: int) -> dict[str, Any]:
        raise ValueError(f"size must be 1: {self.name} says nothing about groups by itself")

    def under(self: G, relation: Relation) -> G:
        """The guarantee under another relation of neighbours.

        Replacing a record is removing one and adding one: a group of two.

        Parameters
        ----------
        relation : {"replacement", "add-remove"}

        Returns
        -------
        Guarantee

        Raises
        ------
        ValueError
            If nothing follows: from replacement to add-remove.

        Examples
        --------
        >>> from minimaxdp.guarantees import Pure
        >>> Pure(0.5, relation="add-remove").under("replacement")
        Pure(1.0)
        """
        _validate.choice("relation", relation, RELATIONS)
        if relation == self.relation:
            return self
        if relation == "add-remove":
            raise ValueError("relation must be 'replacement': a record's presence is not covered")
        return replace(self.group(2), relation=relation)

    # What mechanisms need: the noise that keeps the definition.

    def pure_epsilon(self) -> Real:
        r"""Largest epsilon whose pure differential privacy implies this guarantee.

        Returns
        -------
        float or ndarray
            Nats; infinite without privacy.
        """
        raise ValueError(f"privacy must have a pure budget that implies it, got {self}")

    def gaussian_sigma(self, sensitivity: float = 1.0) -> Real:
        r"""Least standard deviation of normal noise that keeps the guarantee.

        Parameters
        ----------
        sensitivity : float
            Largest l2-distance between the answers of neighbours, positive.

        Returns
        -------
        float or ndarray
            Infinite if no normal noise keeps it.

        Examples
        --------
        >>> from minimaxdp.guarantees import ZCDP
        >>> ZCDP(0.5).gaussian_sigma(2.0)
        2.0
        """
        sensitivity = _validate.one_real("sensitivity", sensitivity, above=0)
        with np.errstate(divide="ignore", over="ignore"):
            return sensitivity / np.asarray(self._gaussian_mu())[()]

    def _gaussian_mu(self) -> Real:
        """Largest shift, in standard deviations, between normal laws that keep the guarantee."""
        return 0.0

    # The same in closed form, as numbers or symbols; a subclass writes those with an underscore.

    def tv_form(self, m: Operations = NUMPY) -> Any:
        r"""Closed form of a total-variation distance that neighbours keep.

        Parameters
        ----------
        m : Operations
            Those of numpy, or of sympy.

        Returns
        -------
        float, ndarray or sympy.Expr
            Sharp where the sharp level has a closed form, by Pinsker's inequality elsewhere.

        Raises
        ------
        TypeError, ValueError
            If the definition has no such form.

        Examples
        --------
        >>> from minimaxdp.guarantees import ZCDP
        >>> ZCDP(0.5).tv_form()
        0.5
        """
        return self._tv_form(_validate.instance("m", m, Operations))

    def pure_form(self, m: Operations = NUMPY) -> Any:
        r"""Closed form of an epsilon whose pure privacy implies the guarantee.

        Parameters
        ----------
        m : Operations
            Those of numpy, or of sympy.

        Returns
        -------
        float, ndarray, sympy.Expr or None
            At most :meth:`pure_epsilon`; None if the definition has no such form.

        Examples
        --------
        >>> from minimaxdp.guarantees import ZCDP
        >>> ZCDP(0.5).pure_form(), ZCDP(0.5).pure_epsilon()
        (1.0, 1.0436)
        """
        return self._pure_form(_validate.instance("m", m, Operations))

    def mu_squared_form(self, m: Operations = NUMPY) -> Any:
        r"""Closed form of a squared shift of normal laws that keeps the guarantee.

        Parameters
        ----------
        m : Operations
            Those of numpy, or of sympy.

        Returns
        -------
        float, ndarray, sympy.Expr or None
            Of standard deviation one; None if no normal noise keeps the definition.

        Examples
        --------
        >>> from minimaxdp.guarantees import ZCDP
        >>> ZCDP(0.5).mu_squared_form()
        1.0
        """
        return self._mu_squared_form(_validate.instance("m", m, Operations))

    def _tv_form(self, m: Operations) -> Any:
        raise ValueError(f"privacy must bound total variation in closed form, got {self}")

    def _pure_form(self, m: Operations) -> Any:
        return None

    def _mu_squared_form(self, m: Operations) -> Any:
        return None

    @classmethod
    def symbolic(cls: type[G]) -> G:
        """The definition with sympy symbols, named like its levels, in place of numbers.

        Examples
        --------
        >>> from minimaxdp.guarantees import ZCDP
        >>> ZCDP.symbolic().rho
        rho
        """
        import sympy as sp

        made = object.__new__(cls)
        symbols = {name: sp.Symbol(name, positive=True) for name in cls._names()}
        _validate.freeze(made, relation="replacement", theorem="", **symbols)
        return made

    def __le__(self, other: object) -> bool:
        return self._follows(other) if isinstance(other, Guarantee) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Guarantee):
            return NotImplemented
        return self._follows(other) and not other._follows(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guarantee) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        inside = [_shown(value) for value in self.levels.values()]
        if self.relation != "replacement":
            inside.append(f"relation={self.relation!r}")
        return f"{type(self).__name__}({', '.join(inside)})"

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        values = tuple(
            value if not isinstance(value, np.ndarray) else (value.shape, value.tobytes())
            for value in self.levels.values()
        )
        return (type(self), self.relation, *values)

    def _follows(self, other: Guarantee) -> bool:
        """Whether the other guarantee follows, by the best implication known here."""
        if not other.levels:  # nothing is promised
            return True
        if self.relation != other.relation:
            return other.relation == "replacement" and self._follows_in_pairs(other)
        if type(self) is type(other) and self._levels_within(other):
            return True
        if not self.can_imply(type(other)):
            return False
        try:
            found = self._derive(type(other), other.held(), set())
        except ValueError:  # nothing follows at the level that is held
            return False
        return found is not None and found._levels_within(other)

    def _follows_in_pairs(self, other: Guarantee) -> bool:
        try:
            return self.under("replacement")._follows(other)
        except ValueError:
            return False

    def _levels_within(self, other: Guarantee) -> bool:
        """Whether no level exceeds the other's, in the definition's own order."""
        return all(
            bool(np.all(np.asarray(a) <= b))
            for a, b in zip(self.levels.values(), other.levels.values(), strict=True)
        )

    def _derive(self, target: type[Guarantee], given: dict[str, Any], seen: set[type]) -> Any:
        """The best level of the target along any path of implications that needs no choice."""
        if target.name == "none":  # nothing follows from anything
            return replace(target(), relation=self.relation)
        own = self.levels
        same = (name in own and np.array_equal(own[name], value) for name, value in given.items())
        if type(self) is target and all(same):
            return self
        direct = _RULES.get((type(self), target))
        if direct is not None:
            return replace(direct(self, **given), relation=self.relation)
        for (source, between), step in _RULES.items():
            if source is not type(self) or between in seen or between.needs_choice:
                continue
            if not _path(between, target, seen | {source}):
                continue
            middle = replace(step(self), relation=self.relation)
            found = middle._derive(target, given, seen | {source})
            if found is not None:
                return replace(found, theorem=f"{middle.theorem}; then {found.theorem}")
        return None


def rule(source: type[Guarantee], target: type[Guarantee], theorem: str) -> Callable[[Rule], Rule]:
    """Register how the level of one definition follows from another, and by which theorem.

    Parameters
    ----------
    source, target : type
        Definitions.
    theorem : str
        The statement and its source; "sharp" where no smaller level follows.

    Returns
    -------
    callable
        A decorator for a function from a guarantee (and levels that are held) to a guarantee.

    Raises
    ------
    TypeError
        If a definition or the theorem is none.

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure, Smooth
    >>> def smooth_is_pure(g, Pure=Pure):
    ...     return Pure(g.epsilon * g.distance)
    >>> register = rule(Smooth, Pure, "the metric between neighbours; sharp")
    >>> _ = register(smooth_is_pure)
    >>> Smooth(0.5, 2.0).implies(Pure)
    Pure(1.0)
    """
    for name, kind in (("source", source), ("target", target)):
        if not _is_definition(kind):
            raise TypeError(f"{name} must be a definition, got {kind!r}")
    _validate.instance("theorem", theorem, str)

    def register(function: Rule) -> Rule:
        def derive(guarantee: Guarantee, **given: Any) -> Guarantee:
            try:
                found = function(guarantee, **given)
            except TypeError as error:
                if "argument" not in str(error):
                    raise
                wanted = function.__code__.co_varnames[1 : function.__code__.co_argcount]
                raise TypeError(
                    f"given must be {' or '.join(wanted) or 'nothing'} for "
                    f"{target.__name__}, got {sorted(given) or 'nothing'}"
                ) from None
            return replace(found, theorem=theorem)

        _RULES[source, target] = derive
        return function

    return register


def _is_definition(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Guarantee)


def _path(source: type[Guarantee], target: type[Guarantee], seen: set[type]) -> bool:
    """Whether rules lead from one definition to another."""
    if target.name == "none" or source is target or (source, target) in _RULES:
        return True
    return any(
        _path(between, target, seen | {source})
        for first, between in list(_RULES)
        if first is source and between not in seen and not between.needs_choice
    )


def _plain(value: Any) -> Any:
    """A Python number, or an array that cannot be changed behind the guarantee's back."""
    if isinstance(value, Guarantee) or np.ndim(value) == 0:
        return value.item() if isinstance(value, np.generic | np.ndarray) else value
    array = np.array(value, dtype=float)
    array.setflags(write=False)
    return array


def _shown(value: Any) -> str:
    return repr(value.tolist()) if isinstance(value, np.ndarray) else repr(value)


def text(value: Any) -> str:
    """A level for a label."""
    return f"{value:g}" if np.ndim(value) == 0 else f"{np.shape(value)} levels"
