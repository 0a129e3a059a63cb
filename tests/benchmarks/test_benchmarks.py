"""Every contender of every task under pytest-benchmark; `run.py` makes the tables."""

from __future__ import annotations

import time
from typing import Any

import exact
import limits
import own
import peers
import pytest
from tasks import Contender, Task, info

TASKS = [*peers.TASKS, *limits.TASKS, *exact.TASKS, *own.TASKS]
PAIRS = [
    pytest.param(task, contender, target, id=f"{task.section}: {task.name} [{contender.name}]")
    for task in TASKS
    for contender, target in [*task.ours, *((other, None) for other in task.others)]
]
# At most so long for one contender, and at least so many rounds.
SECONDS, ROUNDS = 0.8, 3


def timed(benchmark: Any, work: Any) -> None:
    start = time.perf_counter()
    work()
    once = time.perf_counter() - start
    iterations = max(1, int(1e-3 / once))
    rounds = min(200, max(ROUNDS, int(SECONDS / (once * iterations))))
    benchmark.pedantic(work, rounds=rounds, iterations=iterations, warmup_rounds=1)


@pytest.mark.parametrize(("task", "contender", "target"), PAIRS)
def test_task(benchmark: Any, task: Task, contender: Contender, target: float | None) -> None:
    benchmark.group = f"{task.section}: {task.name}"
    work = contender.make()
    if task.agree and target is None:
        task.agree(task.ours[0][0].make()(), work())
    benchmark.extra_info |= info(task, contender, target)
    timed(benchmark, work)


@pytest.mark.parametrize(
    ("name", "make", "target"), [pytest.param(*row, id=row[0]) for row in own.SECONDS]
)
def test_seconds(benchmark: Any, name: str, make: Any, target: float) -> None:
    benchmark.group = "seconds"
    benchmark.extra_info |= {"section": "seconds", "task": name, "target": target}
    timed(benchmark, make())


@pytest.mark.parametrize(
    ("name", "make", "target"), [pytest.param(*row, id=row[0]) for row in own.MEBIBYTES]
)
def test_memory(benchmark: Any, name: str, make: Any, target: float) -> None:
    benchmark.group = "memory"
    work = make()
    value = own.peak(work)
    benchmark.extra_info |= {
        "section": "memory",
        "task": name,
        "target": target,
        "value": value,
    }
    benchmark.pedantic(work, rounds=1)
