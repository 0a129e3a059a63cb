"""Right answers to drawn questions keep their marks, and wrong ones that come to mind lose them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from marking import private
from marking.sets import reference
from test_coursework_templates import SECRETS, drawn

# What replaces a part of the reference, as regular expressions; \g<0> is the part itself.
START = r"^def .*\n    \"\"\".*\"\"\""


def noise(scale: str) -> dict[str, tuple[str, str]]:
    """Mechanisms that are not private enough, or noisier than they need be, or not random."""
    return {
        "a tenth too little noise": (scale, r"\g<0>0.9 * "),
        "a tenth too much noise": (scale, r"\g<0>1.1 * "),
        "a fixed seed": (START, r"\g<0>\n    rng = np.random.default_rng(1)"),
        "a generator of its own": (START, r"\g<0>\n    rng = np.random.default_rng()"),
        "an answer without a budget": (r"if not (\w+) > 0:", r"\1 = abs(\1) or 0.5\n    \g<0>"),
    }


WRONG = {
    ("definitions", "belief"): {
        "one release": (r"(\(-?1) \* \d \*", r"\1 *"),
        "the two others equally likely": (r"\(\d( .*) \+ \d( .*)\) / \d+", r"(1\1 + 1\2) / 2"),
        "the other end": (r"sp\.exp\(", "sp.exp(-"),
    },
    ("definitions", "level"): {
        "all of the output": (r"@ groups", "@ np.eye(7)"),
        "the mean over the pairs": (r"max\(most, (.*)\)$", r"most + \1 / 36"),
    },
    ("definitions", "publish"): noise(r"scale = ")
    | {"no cut": (r"np\.clip\(x, .*\)$", "np.asarray(x)")},
    ("definitions", "witness"): {
        "one list": (r"return x, y", "return x, x"),
        "the lists exchanged": (r"return x, y", "return y, x"),
        "a threshold out of reach": (r"(return .*)", r"\1 + (-1) ** (y > x) * 1e6"),
    },
    ("definitions", "audit"): {
        "no delta": (r"\(low - 0.\d+\)", "low"),
        "bounds on two sides": (r"error = 0.0, (.*)", r"error = 0.0, \1 / 2"),
        "no bounds": (r"low = .*", "low = hits / len(one)"),
    },
    ("definitions", "rare"): {
        "never in the clear": (r"delta = .*", "delta = total"),
        "half of it": (r"delta = ", "delta = sp.Rational(1, 2) * "),
    },
    ("k_anonymity", "measure"): {
        "intervals from 0 on": (r"row\[1\] - \d+", "row[1]"),
        "one class": (r"classes, whole = .*?, \[", "classes, whole = [[r[3] for r in rows]], ["),
    },
    ("k_anonymity", "crowd"): {
        "cells of one kind": (r"sp\.Rational\(.*?\)", "sp.Rational(1, 2)"),
        "as few cells of the second kind": (r"p = share / cells", "p = share / N"),
    },
    ("k_anonymity", "background"): {
        "nobody knows anything": (r" if .*\]", "]"),
        "the other answer": (r"Fraction\(sum\((.*)\), ", r"1 - Fraction(sum(\1), "),
    },
    ("k_anonymity", "together"): {
        "one table alone": (r"return first \+ here", "return first"),
        "one too many": (r"return ", "return here[:1] + "),
        "everybody has it": (r"\+ 10 \+ i % \d", ""),
    },
    ("k_anonymity", "counts"): noise(r"scale = ")
    | {"one noise for all tables": (r"\(times, (\d), 2\)", r"(1, \1, 2)")},
    ("randomized_response", "device"): {
        "no opposite": (r"opposite \+ yes\)", "yes)"),
        "no side that says no": (r" \+ no\)", ")"),
    },
    ("randomized_response", "price"): {
        "one report": (r"\d \* \(one - none", "(one - none"),
        "no opposite": (r"none = .*", "none = 1 - one"),
    },
    ("randomized_response", "report"): {
        "a tenth too much": (r"special\.expit\(", r"\g<0>1.1 * "),
        "a tenth too little": (r"special\.expit\(", r"\g<0>0.9 * "),
        "a fixed seed": noise("")["a fixed seed"],
        "one coin for all bits": (r"rng\.random\(true\.shape\)", "rng.random((len(true), 1))"),
        "an answer without a budget": noise("")["an answer without a budget"],
    },
    ("randomized_response", "worst"): {
        "the least": (r"max\(found", "min(found"),
        "categories from 0 on": (r"\[\d+ \+ one, \d+ \+ other", "[one, other"),
    },
    ("randomized_response", "shares"): {
        "not undone": (r"people = .*", "people = np.asarray(counts, dtype=float)"),
        "rounded": (r"(people = )(.*)", r"\1np.round(\2)"),
    },
    ("randomized_response", "guess"): {
        "the other bit": (r"odds > 0", "odds < 0"),
        "nothing from silence": (r"odds \+= .*-1.*", "pass"),
        "one die": (r"if month < \d+ else .*", ""),
    },
    ("density", "bins"): {
        "another power": (r"\(2 \* beta \+", "(2 * beta + 1 +"),
        "smoothness 1": (r" \* beta \* size", " * size"),
    },
    ("density", "missed"): {
        "no density": (r"f = .*", "f = line"),
        "one bin": (r"range\(K \+ 1\)", "(0, K)"),
    },
    ("density", "send"): noise(r"rng\.laplace\(0, ")
    | {
        "one noise for a row": (r", held\.shape", ", (len(held), 1)"),
        "bins closed on the right": (r"(digitize\(.*?\])\)", r"\1, right=True)"),
    },
    ("density", "broken"): {
        "one list": (r"return x, .*", "return x, x"),
        "too far": (r"\*x\[:-1\], .*\]", "*x[:-1], 0.0]"),
    },
    ("density", "energy"): {
        "everybody with themselves": (r" - own| - 3 \* s \* q \+ 2 \* c", ""),
        "the number of pairs": (r" \* \(n - 1\)", " * n"),
    },
    ("accounting", "releases"): noise(r"scales = ") | {"equal shares": (r"\[\d\] \+", "[1] +")},
}


@pytest.mark.parametrize(("name", "template"), WRONG)
def test_right_answers_keep_their_marks_and_wrong_ones_lose_them(name: str, template: str) -> None:
    for run, problem_set in enumerate(drawn(name, template, SECRETS)):
        ((key, right),) = reference(problem_set).items()
        assert not any(private.verdicts(problem_set, {key: right}, "a", f"{run}").values()), run
        for title, (part, instead) in WRONG[name, template].items():
            wrong = re.sub(part, instead, right, flags=re.MULTILINE)
            assert wrong != right, (title, right)
            with np.errstate(all="ignore"):
                found = private.verdicts(problem_set, {key: wrong}, "a", f"{run}", False)
            assert all(found.values()), (run, title, wrong)
