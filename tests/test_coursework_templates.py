"""Right and wrong answers to drawn questions, whatever was drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from coursework_runs import RUNS
from marking import private
from marking.sets import ProblemSet, reference

SECRETS = max(1, RUNS // 100)
# What replaces a part of the reference, as regular expressions; \g<0> is the part itself.
START = r"^(def .*\n    \"\"\".*\"\"\")"
NOISE = {
    "a tenth too much noise": (r"\n    (.*change = .*)", r"\n    \1\n    change = 1.1 * change"),
    "a tenth too little noise": (r"\n    (.*change = .*)", r"\n    \1\n    change = 0.9 * change"),
    "a fixed seed": (START, r"\1\n    rng = np.random.default_rng(1)"),
    "a generator of its own": (START, r"\1\n    rng = np.random.default_rng()"),
    "a negative budget taken as positive": (START, r"\1\n    level = abs(level)"),
    "a release that is off": (r"return ", "return 10 * change + "),
}
COLUMNS = {
    "one noise for all coordinates": (
        r"\(size, (\d)\)\)",
        r"(size, 1)).repeat(\1, axis=1)",
    ),
    "the same noise twice": (
        r"return (.*)",
        r"return np.resize((\1)[: size // 2 + 1], np.shape(\1))",
    ),
}
WRONG = {
    ("inference", "believed"): {
        "no prior": (r"= theta \* one", "= one"),
        "zeros counted as ones": (r"\(1 - (one|zero)\) \*\*", r"\1 **"),
        "no truth among the reports of a one": (r"one = delta \+ ", "one = "),
        "ones of a zero bit kept in full": (r"zero = \(1 - delta\)", "zero = 1 - delta / 2"),
        "one report less": (r"(one|zero)\*\*(\d)", r"\1**(\2 - 1)"),
    },
    ("inference", "witness"): {
        "always None": (START, r"\1\n    return None"),
        "always the same": (START, r"\1\n    return [0, 1, 1]"),
        "one direction and one decision": (
            r"abs\((x - y)\)(.*\n.*)\(0, 1\)",
            r"\1\2(1,)",
        ),
        "fewer neighbours": (r"<= (\d):", r"< \1:"),
        "more neighbours": (r"<= (\d):", r"<= \1 + 1:"),
        "a larger tolerance": ("1e-9", "1e-3"),
    },
    ("inference", "publish"): NOISE
    | {
        "each noise twice": (r"size\)", "size // 2 + 1).repeat(2)[:size]"),
        "clipped": (
            r"return (.*)",
            r"return np.clip(\1, *(value + (change * np.array([-2, 2]) / level)))",
        ),
    },
    ("inference", "table"): {
        "totals ignored": (r"cells = np\..*\.reshape", "cells = shown.reshape"),
        "shares as weights": (r"\.0\*\*2", ".0"),
        "equal weights": (r"weights = .*", "weights = np.ones(len(design))"),
        "rounded": (r"(cells = )(np.*)", r"\1np.round(\2)"),
    },
    ("inference", "power"): {
        "another level": (r"level = .*", "level = epsilon"),
        "half the size": (r"- alpha", "- alpha / 2"),
        "the other error": (r"return float\((.*)\)$", r"return float(1 - (\1))"),
        "a test that is not randomized": ("x - m\\)", "x - np.round(m))"),
        "sided": (r"\n    under, over = \(", r"\n    theta0, theta1 = theta1, theta0\n\g<0>"),
    },
    ("minimax_and_means", "pair"): {
        "the bound without its share": (r" / \(a \+ 1\)$", ""),
        "the whole distance": (r"\*\*(\d) / \(a", r"**\1 * 2 ** \1 / (a"),
        "half of the best distance": (r"best = ", "best = sp.Rational(1, 2) * "),
        "Le Cam's factor": (r"floor = half", "floor = sp.Rational(1, 2) * half"),
    },
    ("minimax_and_means", "coupled"): {
        "twice the distance": (r"\.sum\(\)", ".sum() * 2"),
        "the whole gap": (r"gap / 2", "gap"),
        "the mean number in place of its law": (
            r"mean = sum\(chance \* (.*) for b.*\)",
            r"b = law @ np.arange(len(law))\n    mean = \1",
        ),
        "Le Cam's factor": (r"return \(gap", "return 0.5 * (gap"),
        "one household less": (r"q = ", "n = n - 1\n    q = "),
    },
    ("minimax_and_means", "publish"): NOISE | COLUMNS,
    ("minimax_and_means", "worst"): {
        "far beyond": (r"t = ", "t = 1.5 * "),
        "not beyond": (r"t = .*", "t = rho"),
        "more than the moment": (r"\*\* k", "** k * 1.01"),
        "the other side": (r"\[\[-?t", lambda found: "[[t" if "-" in found[0] else "[[-t"),
        "two sides": (r"return .*", "return [[t, -t, 0.0], [chance / 2, chance / 2, 1 - chance]]"),
        "chances that lack the rest": (r", 1 - chance", ", 0.0"),
    },
    ("minimax_and_means", "radius"): {
        "no bias": (r"bias\*\*2 \+ ", ""),
        "no square": (r"bias\*\*2", "abs(bias)"),
        "the range from end to end twice": (r"\(rho", "(2 * rho"),
        "one radius less": (r"limit \+ 1", "limit"),
        "no noise": (r"bias\*\*2 \+ .*", "bias**2"),
    },
    ("unbiased_mechanisms", "floor"): {
        "half the width": ("width = ", "width = sp.Rational(1, 2) * "),
        "no root": (r"n \* root", "n * root**2"),
        "one record": (r"\* n ", "* 1 "),
        "the first side of the direction": (r"width = .*", "width = sp.Integer(5)"),
    },
    ("unbiased_mechanisms", "relabelled"): {
        "geometric noise as it is": (r" - gathered", ""),
        "one end": (r"gathered = \(.*? \+ b \*\* \(n.*\) /", "gathered = b ** s /"),
        "the square forgotten": (r"(\d+) \* b", r"math.sqrt(\1) * b"),
        "one outcome too many": (r"\(s \+ ", "(s + 1 + "),
        "half": (r"return (\d+)", r"return 0.5 * \1"),
    },
    ("unbiased_mechanisms", "publish"): NOISE
    | COLUMNS
    | {"round noise": (" @ shape.T", ""), "the transpose": ("shape.T", "shape")},
    ("unbiased_mechanisms", "neighbour"): {
        "the first place": (r", i, end", ", 0, end"),
        "the last place": (r", i, end", ", n - 1, end"),
        "outside": (r"end.tolist", "(1.01 * end + 0.1).tolist"),
        "the record that was there": (r"end.tolist", "x[i].tolist"),
        "the least move": (r"max\(moves", "min(moves"),
    },
    ("unbiased_mechanisms", "weights"): {
        "equal weights": (
            r"weights = weights / weights.sum\(\)",
            "weights = np.full(len(z), 1 / len(z))",
        ),
        "no scaling": (r" \* np.sqrt\(.*?\)", ""),
        "scaled by the prices": (r"np.sqrt\((.*?)\) /", r"np.array(\1) /"),
        "not a probability": (r"weights = weights / weights.sum\(\)", "weights = 2 * weights"),
    },
}


def drawn(name: str, template: str, runs: int) -> Iterator[ProblemSet]:
    """One question of a template, drawn again and again."""
    title, symbols, kinds = private.templates(private.TEMPLATES / f"{name}.py")
    (kind,) = (kind for kind in kinds if kind.__name__ == template)
    for run in range(runs):
        question = kind(private.draws(f"wrong {run}", f"{name}/{template}"))
        yield ProblemSet(name, private.notebook(name, title, symbols, [question], f"{run}"))


@pytest.mark.parametrize(("name", "template"), WRONG)
def test_right_answers_keep_their_marks_and_wrong_ones_lose_them(name: str, template: str) -> None:
    for run, problem_set in enumerate(drawn(name, template, SECRETS)):
        ((key, right),) = reference(problem_set).items()
        assert not any(private.verdicts(problem_set, {key: right}, "a", f"{run}").values()), run
        for title, (part, instead) in WRONG[name, template].items():
            wrong = re.sub(part, instead, right, flags=re.MULTILINE)
            with np.errstate(all="ignore"):
                (reason,) = private.verdicts(
                    problem_set, {key: wrong}, "a", f"{run}", False
                ).values()
            assert reason is not None, (run, title, wrong)
