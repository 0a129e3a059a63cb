"""The benchmark page shows what was measured, and every row of it meets its target or says why."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "tests" / "benchmarks"
MEASURED = json.loads((ROOT / "book" / "benchmarks.json").read_text())
ROWS = MEASURED["rows"] + MEASURED["book"]
SECTIONS = ["peers", "limits", "exact", "own", "seconds", "memory", "imports", "chapters"]


def tables() -> list[list[str]]:
    """The committed tables of the page, as the text of their rows."""
    page = nbformat.read(ROOT / "book" / "benchmarks.ipynb", as_version=4)
    found = []
    for cell in page.cells:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                body = BeautifulSoup(output.data["text/html"], "html.parser").find("tbody")
                found.append([row.get_text(" ", strip=True) for row in body.find_all("tr")])
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['section']}: {row['task']}")
def test_row_meets_its_target_or_says_why(row: dict) -> None:
    sense, limit = re.fullmatch(r"at (least|most) ([\d.]+)", row["target"]).groups()
    value = row["ratio"] if "ratio" in row else row["value"]
    assert row["met"] == (value >= float(limit) if sense == "least" else value <= float(limit))
    assert row["met"] or len(row["reason"]) >= 40
    assert not (row["met"] and row["reason"])
    if "ratio" in row:
        mine, theirs = row["our_seconds"], row["other_seconds"]
        ratio = theirs / mine if sense == "least" else mine / theirs
        assert value == pytest.approx(ratio, rel=0.01)


def test_tables_of_the_page_are_those_of_the_file() -> None:
    shown = tables()
    compared = [table for table in shown if any(re.search("[≥≤]", row) for row in table)]
    parts = [
        ["peers"],
        ["limits"],
        ["exact"],
        ["own"],
        ["seconds", "memory"],
        ["imports"],
        ["chapters"],
    ]
    wanted = [[row for row in ROWS if row["section"] in part] for part in parts]
    assert [len(table) for table in compared] == [len(rows) for rows in wanted]
    for table, rows in zip(compared, wanted, strict=True):
        for text, row in zip(table, rows, strict=True):
            value = row["ratio"] if "ratio" in row else row["value"]
            spelled = f"{value:,.0f}" if "ratio" in row and value >= 100 else f"{value:.3g}"
            sign, limit = re.search("([≥≤])\xa0([0-9.]+)", text).groups()
            assert f" {spelled}" in text, (text, row)
            assert row["target"] == f"at {'least' if sign == '≥' else 'most'} {limit}"
            assert text.endswith("missed") == (not row["met"])
            if row["task"] in text:  # a task of several rows is named at the first
                assert (" *" in text) == row.get("turns", False)
    fits = [table for table in shown if any("by counts" in row for row in table)]
    assert [len(table) for table in fits] == [len(MEASURED["scaling"])]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The tasks that need no peer; beside it the other files of tasks can be imported."""
    monkeypatch.syspath_prepend(str(CODE))
    yield importlib.import_module("own")
    for name in ("exact", "limits", "own", "peers", "tasks"):
        sys.modules.pop(name, None)


def tasks(own: ModuleType) -> list:
    return [
        *(
            task
            for name in ("peers", "limits", "exact")
            for task in importlib.import_module(name).TASKS
        ),
        *own.TASKS,
    ]


def test_every_task_was_measured(own: ModuleType) -> None:
    wanted = {
        (task.section, task.name, ours.name, other.name)
        for task in tasks(own)
        for ours, _ in task.ours
        for other in task.others
    }
    found = {
        (row["section"], row["task"], row["ours"], row["other"])
        for row in MEASURED["rows"]
        if "other" in row
    }
    assert found == wanted
    absolute = {(s, row[0]) for s in ("seconds", "memory") for row in _budgets(own, s)}
    assert absolute == {(r["section"], r["task"]) for r in MEASURED["rows"] if "value" in r}


def _budgets(own: object, section: str) -> list:
    return own.SECONDS if section == "seconds" else own.MEBIBYTES


@pytest.mark.long
def test_everything_of_ours_that_is_measured_still_runs(own: ModuleType) -> None:
    for task in tasks(own):
        for ours, _ in task.ours:
            ours.make()()
    for _, make, _ in own.SECONDS:
        make()()


def test_rows_measured_in_turn_stand_in_the_places_of_the_old_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(CODE))
    import run

    limit = {"section": "limits", "ours": "minimaxdp", "value": 1}
    old = [limit | {"task": "a", "other": "3 uniforms"}, limit | {"task": "b", "other": "x"}]
    new = [limit | {"task": "a", "other": "1 uniform", "value": 2}, limit | {"task": "c"}]
    assert run.merged(old, new) == [new[0], old[1], new[1]]
    pairs = [{"section": "peers", "task": "a", "other": name} for name in "xy"]
    assert run.merged(pairs, [pairs[1] | {"value": 3}]) == [pairs[0], pairs[1] | {"value": 3}]
    counts = [0, 0]

    def work(i: int) -> None:
        counts[i] += 1
        assert 0 <= counts[0] - counts[1] <= 1  # in turn

    least = run.shortest([lambda: work(0), lambda: work(1)], 5, 0.0)
    assert counts == [5, 5] and all(0 <= seconds < 1 for seconds in least)
    for name in ("run", "scaling", "tasks"):
        sys.modules.pop(name)


def test_marking_grows_with_the_class_and_meets_its_target() -> None:
    marker = MEASURED["marker"]
    students, seconds = marker["students"], marker["seconds"]
    assert max(students) == 60 and seconds[students.index(60)] < 600
    exponent = np.polyfit(np.log(students), np.log(seconds), 1)[0]
    assert 0.5 < exponent < 1.15  # each submission is run alone; the first costs a start


def test_every_chapter_is_timed() -> None:
    pages = {path.stem for path in (ROOT / "book").glob("*.ipynb")} - {"benchmarks"}
    assert {row["task"] for row in ROWS if row["section"] == "chapters"} == pages
    assert {row["section"] for row in ROWS} == set(SECTIONS)


def test_versions_are_those_of_the_requirements() -> None:
    lines = (CODE / "requirements.txt").read_text().splitlines()
    pins = dict(line.lower().split("==") for line in lines if "==" in line)
    for name, version in MEASURED["versions"].items():
        assert name == "minimaxdp" or pins[name] == version
    book = (ROOT / "requirements.txt").read_text().splitlines()
    for name in ("numpy", "scipy", "pandas"):
        assert f"{name}=={pins[name]}" in book
    cluster = (ROOT / "tests" / "cluster" / "requirements.txt").read_text()
    for text in ("\n".join(lines), cluster):
        assert "://" not in text and not re.search(r"(?<!\w)/\w+/", text)


def test_machine_is_described_but_not_named() -> None:
    for about in {"machine", "turns"} & set(MEASURED):
        assert set(MEASURED[about]) == {"processor", "cores", "memory", "system", "python"}
    text = (ROOT / "book" / "benchmarks.json").read_text()
    assert not re.search(
        r"/(home|root|tmp|work|Users)/|\b\d+\.\d+\.\d+\.\d+\b(?<!0\.2\.3\.1)", text
    )


def test_plain_pytest_leaves_benchmarks_and_cluster_alone(request: pytest.FixtureRequest) -> None:
    assert {"benchmarks", "cluster"} <= set(request.config.getini("norecursedirs"))
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    assert (
        "tests/benchmarks/run.py" in contributing
        and "pytest -o addopts= tests/cluster" in contributing
    )
    assert "pytest -o addopts= tests/cluster" in (ROOT / ".ci" / "run").read_text()
