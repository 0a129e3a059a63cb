"""What a benchmark compares: tasks, who does them, and the target of each pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[], object]


@dataclass(frozen=True)
class Contender:
    """One way to do a task.

    Attributes
    ----------
    name : str
        Whose it is, as it is written in the table.
    make : callable
        Does what is not timed (imports, data) and returns the work that is.
    units : float
        How many units of the task one call does; a contender that goes record by record does
        fewer, and the table compares times per unit.
    pays : str
        What its time buys that ours does not.
    """

    name: str
    make: Callable[[], Work]
    units: float = 1
    pays: str = ""


@dataclass(frozen=True)
class Task:
    """One piece of work, done by the package in one or more ways and by others.

    Attributes
    ----------
    section : str
        The table it stands in.
    name, unit : str
        What is done, and what its times are counted by.
    ours : dict of Contender to float
        With the target of each: of theirs / ours at least, where `faster`; else of
        ours / theirs at most.
    others : list of Contender
    faster : bool
    reasons : dict of str to str
        By the name of ours, or of theirs: why the target is missed, where it is.
    agree : callable
        Compares the results of ours and theirs where both are exact; raises if they differ.
    """

    section: str
    name: str
    unit: str
    ours: list[tuple[Contender, float]]
    others: list[Contender]
    faster: bool = True
    reasons: dict[str, str] = field(default_factory=dict)
    agree: Callable[[Any, Any], None] | None = None


def info(task: Task, contender: Contender, target: float | None) -> dict[str, Any]:
    """What the tables say of a contender; others than ours have no target."""
    return {
        "section": task.section,
        "task": task.name,
        "unit": task.unit,
        "who": contender.name,
        "units": contender.units,
        "target": target,
        "faster": task.faster,
        "pays": contender.pays,
        "reason": task.reasons.get(contender.name, ""),
    }
