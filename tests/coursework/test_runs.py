"""Many runs of every problem set: right answers pass, listed wrong ones do not."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest
from coursework_runs import RUNS, WRONG_RUNS, count
from marking.sets import names


@pytest.fixture(scope="module")
def counts() -> dict[str, dict]:
    with ProcessPoolExecutor(2) as pool:
        return dict(zip(names(), pool.map(count, names()), strict=True))


@pytest.mark.parametrize("name", names())
def test_no_right_answer_is_refused_in_any_run(name: str, counts: dict[str, dict]) -> None:
    refused = counts[name]["refused"]
    print(f"\n{name}: {sum(refused.values())} of {RUNS * len(refused)} right answers refused")
    assert len(refused) >= 6 and not any(refused.values()), counts[name]["reasons"]


@pytest.mark.parametrize("name", names())
def test_every_listed_wrong_answer_is_caught_in_every_run(name: str, counts: dict) -> None:
    caught = counts[name]["caught"]
    print(f"\n{name}: {sum(caught.values())} of {WRONG_RUNS * len(caught)} wrong answers caught")
    assert {k: WRONG_RUNS - n for k, n in caught.items() if n < WRONG_RUNS} == {}


@pytest.mark.parametrize("name", names())
def test_no_listed_wrong_answer_loses_more_than_its_marks(name: str, counts: dict) -> None:
    assert counts[name]["robbed"] == []
