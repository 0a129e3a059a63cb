"""Measure everything and write book/benchmarks.json, then execute the page that shows it.

    python tests/benchmarks/run.py [--book PYTHON] [--keep PART ...]
    python tests/benchmarks/run.py --turns WORD ...

Run it from the root of the clone, with the Python that has tests/benchmarks/requirements.txt,
on a machine that does nothing else; it takes some twelve minutes. `--book` names the Python that
has the book's own requirements (.venv/bin/python by default), which times the imports and the
chapters and executes the page; `--marker` the one that has the coursework's, which times the
marking of classes of three sizes. `--keep` leaves parts of the last run as they are: rows, scaling,
book or marker. `--turns` measures only the rows and curves whose name holds one of the words, and
leaves all others as they are. It is for a machine that does other work too: who does a task takes
turns with the others, the turn that took least of the processor counts, and the page marks the row.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import scaling
from tasks import info

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DATA = ROOT / "book" / "benchmarks.json"
PAGE = ROOT / "book" / "benchmarks.ipynb"
LIBRARIES = ["numpy", "scipy", "pandas"]
SECTIONS = ["peers", "limits", "exact", "own", "seconds", "memory"]
Rows = list[dict[str, Any]]
PEERS = [
    "opendp", "diffprivlib", "pure-ldp", "multi-freq-ldpy", "dp-accounting", "autodp", "pycanon",
    "pytest-benchmark",
]  # fmt: skip
IMPORT_SECONDS, CHAPTER_SECONDS = 0.5, 30.0
CLASSES = (6, 20, 60)  # students


def machine() -> dict[str, Any]:
    """The machine in words that name nobody's."""
    model = platform.processor() or platform.machine()
    about = Path("/proc/cpuinfo")
    if about.exists():
        lines = [line for line in about.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory": f"{gibibytes:.0f} GiB",
        "system": platform.system(),
        "python": platform.python_version(),
    }


def rows() -> list[dict[str, Any]]:
    """Everything that pytest-benchmark measures, as rows with their targets."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmarks.json"
        options = [
            "-o",
            "addopts=",
            "-q",
            "-p",
            "no:cacheprovider",
            "--benchmark-columns=min,rounds",
        ]
        code = pytest.main([*options, str(HERE), f"--benchmark-json={path}"])
        if code != 0:
            sys.exit(int(code))
        measured = json.loads(path.read_text())["benchmarks"]
    return tabulated(measured)


def in_turn(words: list[str], rounds: int = 7, budget_of_seconds: float = 6.0) -> Rows:
    """Rows of the tasks whose name holds one of the words, all contenders of a task in turn."""
    import exact
    import limits
    import own
    import peers

    found = []
    for task in [*peers.TASKS, *limits.TASKS, *exact.TASKS, *own.TASKS]:
        if not any(word in f"{task.section}: {task.name}" for word in words):
            continue
        contenders = [*task.ours, *((other, None) for other in task.others)]
        works = [contender.make() for contender, _ in contenders]
        first = [work() for work in works]
        for result in first[len(task.ours) :]:
            if task.agree:
                task.agree(first[0], result)
        best = shortest(works, rounds, budget_of_seconds)
        found += tabulated(
            [
                {"group": task.name, "stats": {"min": least}, "extra_info": info(task, *pair)}
                for least, pair in zip(best, contenders, strict=True)
            ]
        )
    for name, make, target in own.SECONDS:
        if any(word in name for word in words):
            work = make()
            work()
            found.append(limited("seconds", name, shortest([work], rounds, 6.0)[0], target))
    return [row | {"turns": True} for row in found]


def shortest(works: list[Any], rounds: int, seconds: float) -> list[float]:
    """The least processor time of each, in turn: so many rounds, more while the time is not up."""
    best, until, done = [float("inf")] * len(works), time.perf_counter() + seconds, 0
    while done < rounds or time.perf_counter() < until:
        for i, work in enumerate(works):
            start = time.process_time()
            work()
            best[i] = min(best[i], time.process_time() - start)
        done += 1
    return best


def merged(old: Rows, new: Rows) -> Rows:
    """The old rows with the new ones in their places, or at the end of their sections."""
    fresh = {key(row): row for row in new}
    rows = [fresh.pop(key(row), row) for row in old]
    return sorted([*rows, *fresh.values()], key=lambda row: SECTIONS.index(row["section"]))


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a row from the others; who draws less than before stands in the same place."""
    other = row.get("other") if row["section"] != "limits" else None
    return row["section"], row["task"], row.get("ours"), other


def tabulated(measured: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each of ours beside each of the others, and what has a budget beside it."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in measured:
        groups.setdefault(one["group"], []).append(one)
    found = []
    for name, group in groups.items():
        if name in ("seconds", "memory"):
            found += [budget(one) for one in group]
            continue
        ours = [one for one in group if one["extra_info"]["target"] is not None]
        others = [one for one in group if one["extra_info"]["target"] is None]
        found += [pair(one, other) for one in ours for other in others]
    return found


def pair(ours: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    about, peer = ours["extra_info"], other["extra_info"]
    mine = ours["stats"]["min"] / about["units"]
    theirs = other["stats"]["min"] / peer["units"]
    ratio = theirs / mine if about["faster"] else mine / theirs
    met = ratio >= about["target"] if about["faster"] else ratio <= about["target"]
    return {
        "section": about["section"],
        "task": about["task"],
        "unit": about["unit"],
        "ours": about["who"],
        "other": peer["who"],
        "other_units": peer["units"],
        "our_seconds": rounded(mine),
        "other_seconds": rounded(theirs),
        "ratio": rounded(ratio, 3),
        "target": f"{'at least' if about['faster'] else 'at most'} {about['target']:g}",
        "met": met,
        "reason": "" if met else peer["reason"],
        "pays": peer["pays"],
    }


def budget(one: dict[str, Any]) -> dict[str, Any]:
    about = one["extra_info"]
    value = about.get("value", one["stats"]["min"])
    return limited(about["section"], about["task"], value, about["target"])


def limited(
    section: str, task: str, value: float, target: float, reason: str = ""
) -> dict[str, Any]:
    met = value <= target
    unit = "MiB" if section == "memory" else "s"
    return {
        "section": section,
        "task": task,
        "unit": unit,
        "value": rounded(value, 3),
        "target": f"at most {target:g}",
        "met": met,
        "reason": "" if met else reason,
    }


def book(python: str) -> list[dict[str, Any]]:
    """Imports and chapters against their budgets, measured in the book's own environment."""
    command = [python, str(HERE / "book.py")]
    cost = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout)
    return budgeted(cost)


def budgeted(cost: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of what the book costs."""
    libraries = cost["imports"].pop(cost["libraries"])
    because = f"numpy and scipy.stats alone take {libraries:.2f} s of it, whoever imports them"
    return [
        *(
            limited("imports", statement, seconds, IMPORT_SECONDS, because)
            for statement, seconds in cost["imports"].items()
        ),
        *(
            limited("chapters", name, seconds, CHAPTER_SECONDS)
            for name, seconds in cost["chapters"].items()
        ),
    ]


def rounded(value: float, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--book", default=str(ROOT / ".venv" / "bin" / "python"))
    marking = ROOT / ".venv-coursework" / "bin" / "python"
    parser.add_argument("--marker", default=str(marking))
    parser.add_argument(
        "--keep", nargs="*", default=[], choices=["rows", "scaling", "book", "marker"]
    )
    parser.add_argument("--turns", nargs="+", default=[])
    options = parser.parse_args()
    for part in () if options.turns else ("book", "marker"):
        if part not in options.keep and not Path(getattr(options, part)).exists():
            parser.error(f"--{part} must name a Python that exists, got {getattr(options, part)}")
    start = time.perf_counter()
    last = json.loads(DATA.read_text()) if options.keep or options.turns else {}
    if options.turns:
        result = last | {
            "turns": machine(),
            "rows": merged(last["rows"], in_turn(options.turns)),
            "scaling": merged_curves(last["scaling"], list(scaling.measure(options.turns))),
        }
    else:
        result = everything(options, last)
    DATA.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{DATA.relative_to(ROOT)} written after {time.perf_counter() - start:.0f} s")
    tools = ROOT / "book" / "_tools" / "notebooks.py"
    subprocess.run([options.book, str(tools), str(PAGE)], check=True, cwd=ROOT)
    silent = [
        row["task"]
        for row in result["rows"] + result["book"]
        if not row["met"] and not row["reason"]
    ]
    if silent:
        sys.exit(f"missed without a reason: {', '.join(silent)}")


def merged_curves(old: Rows, new: Rows) -> Rows:
    """The old curves with the new ones in their places."""
    fresh = {(curve["axis"], curve["name"]): curve for curve in new}
    curves = [fresh.pop((curve["axis"], curve["name"]), curve) for curve in old]
    return [*curves, *fresh.values()]


def everything(options: argparse.Namespace, last: dict[str, Any]) -> dict[str, Any]:
    """All rows and curves, less what is kept of the last run."""
    return {
        "machine": machine(),
        "versions": {name: version(name) for name in ["minimaxdp", *LIBRARIES, *PEERS]},
        "rows": last["rows"] if "rows" in options.keep else rows(),
        "scaling": last["scaling"] if "scaling" in options.keep else list(scaling.measure()),
        "book": last["book"] if "book" in options.keep else book(options.book),
        "marker": last["marker"] if "marker" in options.keep else marker(options.marker),
    }


def marker(python: str) -> dict[str, Any]:
    """How long classes of some sizes take to mark, behind the wall."""
    command = [python, str(HERE / "coursework.py"), "--json", "--students", *map(str, CLASSES)]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    found["seconds"] = [rounded(seconds, 3) for seconds in found["seconds"]]
    return found | {"mebibytes": rounded(found["mebibytes"])}


if __name__ == "__main__":
    main()
