"""How long the submissions of a class take, and how much memory; in the coursework environment.

.venv-coursework/bin/python tests/benchmarks/coursework.py [SET] [--students N ...] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book" / "coursework"), str(ROOT / "tests")]

import nbformat  # noqa: E402
import psutil  # noqa: E402
from coursework_runs import wrong_answers  # noqa: E402
from marking.course import mark, release  # noqa: E402
from marking.sets import ProblemSet, fill, reference  # noqa: E402


def watch(stop: threading.Event, peak: dict[str, float]) -> None:
    """Note the largest resident memory of this process and all below it."""
    own = psutil.Process()
    while not stop.wait(0.2):
        total = 0
        for process in [own, *own.children(recursive=True)]:
            try:
                total += process.memory_info().rss
            except psutil.Error:
                continue
        peak["bytes"] = max(peak["bytes"], total)


def seconds(name: str, students: int) -> float:
    """Mark a class: most right, some with a mistake, a few blank."""
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        release([name], base / "release")
        blank = nbformat.read(base / "release" / name / f"{name}.ipynb", as_version=4)
        right, wrong = reference(ProblemSet.load(name)), list(wrong_answers(name).values())
        (base / "submissions").mkdir()
        for index in range(students):
            answers = {} if index % 10 == 9 else right
            if index % 3 == 1 and answers:
                answers = right | wrong[index % len(wrong)][0]
            student = f"student-{index}"
            nbformat.write(fill(blank, answers, student), base / "submissions" / f"{student}.ipynb")
        begun = time.monotonic()
        table = mark(name, base / "submissions", base / "marks")
        took = time.monotonic() - begun
        assert len(table.read_text().splitlines()) == students + 1
        return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set", nargs="?", default="inference")
    parser.add_argument("--students", type=int, nargs="+", default=[60])
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    options = parser.parse_args()
    stop, peak = threading.Event(), {"bytes": 0.0}
    threading.Thread(target=watch, args=(stop, peak), daemon=True).start()
    took = [seconds(options.set, number) for number in options.students]
    stop.set()
    if options.json:
        found = {"set": options.set, "students": options.students, "seconds": took}
        print(json.dumps(found | {"mebibytes": peak["bytes"] / 2**20}))
        return
    for number, each in zip(options.students, took, strict=True):
        print(f"{number} submissions of {options.set} marked in {each / 60:.2f} min")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"load {load}; peak memory of all processes {peak['bytes'] / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
