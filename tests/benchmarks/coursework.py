"""How long sixty submissions take, and how much memory; in the coursework environment.

.venv-coursework/bin/python tests/benchmarks/coursework.py [SET]
"""

from __future__ import annotations

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

SUBMISSIONS = 60


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


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "inference"
    stop, peak = threading.Event(), {"bytes": 0.0}
    threading.Thread(target=watch, args=(stop, peak), daemon=True).start()
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        started = time.monotonic()
        release([name], base / "release")
        released = time.monotonic()
        blank = nbformat.read(base / "release" / name / f"{name}.ipynb", as_version=4)
        right, wrong = reference(ProblemSet.load(name)), list(wrong_answers(name).values())
        (base / "submissions").mkdir()
        for index in range(SUBMISSIONS):
            # A class: most right, some with a mistake, a few blank.
            answers = {} if index % 10 == 9 else right
            if index % 3 == 1 and answers:
                answers = right | wrong[index % len(wrong)][0]
            student = f"student-{index}"
            nbformat.write(fill(blank, answers, student), base / "submissions" / f"{student}.ipynb")
        begun = time.monotonic()
        table = mark(name, base / "submissions", base / "marks")
        ended = time.monotonic()
        print(f"{name}: released in {released - started:.1f} s")
        rows = len(table.read_text().splitlines()) - 1
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"{rows} submissions marked in {(ended - begun) / 60:.2f} min (load {load})")
    stop.set()
    print(f"peak memory of all processes {peak['bytes'] / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
