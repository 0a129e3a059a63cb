"""What the book itself costs, measured with the Python of the book: imports and chapters.

Prints one JSON object; `run.py` calls it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_tools"))
IMPORT = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
MODULES = [
    "channels",
    "divergences",
    "privacy",
    "randomized_response",
    "laplace",
    "inference",
    "lower_bounds",
    "mean_estimation",
    "unbiased_bounds",
    "density_estimation",
    "results",
    "k_anonymity",
    "risk",
    "sweep",
]


def imported(statement: str) -> float:
    """Seconds of an import in a fresh process, the least of five."""
    command = [sys.executable, "-c", IMPORT.format(statement)]
    runs = [subprocess.run(command, check=True, capture_output=True, cwd=ROOT) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def chapters() -> dict[str, float]:
    """Seconds of each page of the book that is a notebook, from a fresh kernel to its end."""
    from notebooks import chapters as pages
    from notebooks import execute

    seconds = {}
    for path in pages():
        if path.stem != "benchmarks":
            start = time.perf_counter()
            execute(path)
            seconds[path.stem] = time.perf_counter() - start
    return seconds


def main() -> None:
    libraries = "import numpy, scipy.stats"
    statements = ["import minimaxdp", *(f"from minimaxdp import {name}" for name in MODULES)]
    imports = {statement: imported(statement) for statement in [*statements, libraries]}
    print(json.dumps({"imports": imports, "libraries": libraries, "chapters": chapters()}))


if __name__ == "__main__":
    main()
