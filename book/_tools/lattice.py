"""The table of results on a lattice of settings, computed once and shipped with the site.

`python book/_tools/lattice.py` computes it again (some minutes) and writes `book/lattice.json`. A
test computes a few of its settings afresh and compares every number.

Each setting holds one list for each row, [floor, risk, ceiling, how, method, argument]: three
numbers of four digits, and indices into the lists of words.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

PATH = Path(__file__).parents[1] / "lattice.json"
NUMBERS = {
    "n": [10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000],
    "d": [2, 20, 200],
    "epsilon": [0.05, 0.2, 0.5, 1.0, 2.0],
}
DELTA, BETA, MOMENTS = 1e-6, 1.0, (2.0, 4.0)
KINDS = ("exact", "family", "bound", "simulated")


def rows():
    """Name, problem and moment of every row of problems."""
    from minimaxdp import results

    for problem in results.PROBLEMS:
        if problem == "moment mean":
            for k in MOMENTS:
                yield f"{problem}, k = {k:g}", problem, k
        else:
            yield problem, problem, 4.0


def at(n, d, epsilon):
    """The cells of a setting: (row, definition) and what is known."""
    from minimaxdp import results
    from minimaxdp.guarantees import standard_guarantees

    for name, problem, k in rows():
        setting = results.Setting(n=n, d=d, k=k, beta=BETA)
        for privacy in standard_guarantees(epsilon, DELTA):
            if problem == "unbiased mean" and privacy.name == "none":
                continue
            yield (name, privacy.name), results.cell(problem, privacy, setting)


def digits(value):
    """Four of them, which is more than the page shows."""
    return float(f"{value:.4g}")


def compute():
    """The whole lattice."""
    words = {"method": [], "argument": []}
    names, settings = None, []

    def place(kind, word):
        if word not in words[kind]:
            words[kind].append(word)
        return words[kind].index(word)

    for n, d, epsilon in product(*NUMBERS.values()):
        found = dict(at(n, d, epsilon))
        names = names or list(found)
        assert list(found) == names
        settings.append(
            [
                [
                    *map(digits, (cell.floor, cell.risk, cell.ceiling)),
                    KINDS.index(cell.kind),
                    place("method", cell.method),
                    place("argument", cell.binds),
                ]
                for cell in found.values()
            ]
        )
    return {
        "numbers": NUMBERS,
        "rows": [list(name) for name in names],
        "kinds": KINDS,
        **words,
        "settings": settings,
    }


def load():
    return json.loads(PATH.read_text(encoding="utf-8"))


if __name__ == "__main__":
    text = json.dumps(compute(), separators=(",", ":"), ensure_ascii=False)
    PATH.write_text(text.replace("]],[[", "]],\n[[") + "\n", encoding="utf-8")
