"""Wrong answers that must lose these marks and no others."""

CANDIDATES = """
def candidates(first, second, person):
    def listed(table):
        code, age = person
        return {{
            condition
            for pattern, low, high, condition in table
            if {match}
        }}

    return {join}


adi = {adi}
"""
MATCH = "low <= age < high and all(a in ('*', b) for a, b in zip(pattern, code))"


def candidates(
    join: str = "listed(first) & listed(second)",
    match: str = MATCH,
    adi: str = "candidates(FIRST, SECOND, ADI)",
) -> dict[str, str]:
    """The reference, with some part replaced."""
    return {"candidates": CANDIDATES.format(join=join, match=match, adi=adi)}


ADI = "{c for _, a, b, c in FIRST if a <= ADI[1] < b} & {c for _, a, b, c in SECOND if a <= ADI[1] < b}"
WRONG = {
    "the largest class": (
        {"anonymity": "def anonymity(rows):\n    return max(rows.count(row) for row in rows)"},
        ["anonymity-test"],
    ),
    "the number of classes": (
        {"anonymity": "def anonymity(rows):\n    return len(set(rows)) + len(rows)"},
        ["anonymity-test"],
    ),
    "the smallest interval in place of the grid (E001-08)": (
        {
            "generalize": "def generalize(rows, digits, width):\n"
            "    ages = [age for _, age in rows]\n"
            "    return [(c[:digits] + '*' * (5 - digits), min(ages), max(ages)) for c, a in rows]"
        },
        ["generalize-test"],
    ),
    "an age at the start of an interval": (
        {
            "generalize": "def generalize(rows, digits, width):\n    out = []\n"
            "    for c, a in rows:\n        low = (a - 1) // width * width\n"
            "        out.append((c[:digits] + '*' * (5 - digits), low, low + width))\n    return out"
        },
        ["generalize-test"],
    ),
    "either table": (candidates("listed(first) | listed(second)", adi=ADI), ["candidates-test"]),
    "the first table alone": (candidates("listed(first)", adi=ADI), ["candidates-test"]),
    "the zip forgotten": (candidates(match="low <= age < high", adi=ADI), ["candidates-test"]),
    "everybody's conditions": (candidates(adi="set(CONDITIONS)"), ["adi-test"]),
    "n other people": (
        {"unique": "unique = (1 - 1 / N) ** n\ncells = 1 / math.log(2)"},
        ["unique-test"],
    ),
    "the limit in place of the value": (
        {"unique": "unique = sp.exp(-n / N)\ncells = math.log(2)"},
        ["unique-test", "cells-test"],
    ),
    "the standard deviation in place of the standard error": (
        {
            "simulate": "def simulate(n, N, repeats, rng):\n"
            "    cells = rng.integers(0, N, (repeats, n)) + N * np.arange(repeats)[:, None]\n"
            "    counts = np.bincount(cells.ravel(), minlength=N * repeats).reshape(repeats, N)\n"
            "    shares = (counts == 1).sum(axis=1) / n\n    return shares.mean(), shares.std()"
        },
        ["simulate-test"],
    ),
    "cells with one person, a share of the cells": (
        {
            "simulate": "def simulate(n, N, repeats, rng):\n"
            "    cells = rng.integers(0, N, (repeats, n)) + N * np.arange(repeats)[:, None]\n"
            "    counts = np.bincount(cells.ravel(), minlength=N * repeats).reshape(repeats, N)\n"
            "    shares = (counts >= 1).sum(axis=1) / n\n"
            "    return shares.mean(), shares.std() / math.sqrt(repeats)"
        },
        ["simulate-test"],
    ),
    "always the lower end": (
        {"victim": "def victim(low, high, others):\n    return low"},
        ["victim-test"],
    ),
    "the lower end or nothing": (
        {"victim": "def victim(low, high, others):\n    return None if low in others else low"},
        ["victim-test"],
    ),
    "hard-coded outputs": (
        {
            "anonymity": "def anonymity(rows):\n    return 2",
            "generalize": "def generalize(rows, digits, width):\n    return [('130**', 20, 30)]",
            "simulate": "def simulate(n, N, repeats, rng):\n    return 0.4, 0.01",
            "victim": "def victim(low, high, others):\n    return 30",
        },
        ["anonymity-test", "generalize-test", "simulate-test", "victim-test"],
    ),
}
