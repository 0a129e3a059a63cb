"""A listed wrong answer is told by its name, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from coursework_runs import Rehearsal, wrong_answers
from marking import advice, wire
from marking.judge import generator, judge, local
from marking.sets import ProblemSet, names

SHARE = 0.9


@pytest.mark.long
@pytest.mark.parametrize("name", names())
def test_listed_wrong_answers_are_named(name: str) -> None:
    rehearsal, explained = Rehearsal(name), ProblemSet.load(name).explained
    given, scope = rehearsal.student("a-student")
    listed = {k: v for k, v in wrong_answers(name).items() if k != "hard-coded outputs"}
    named, asked, strange = 0, 0, []
    for title, (cells, lost) in listed.items():
        other = dict(scope)
        for code in rehearsal.changed(title, cells):
            try:
                exec(code, other)
            except Exception:
                continue
        for test in lost:
            rng = generator("seed", "a-student", test)
            reason = judge(explained[test], given, local(other), rng)
            if reason is None:
                # The question's own words, not the judge's, say what is wrong.
                assert rehearsal.stops(test, other), (title, test)
                continue
            said = [k for k in listed if test in listed[k][1] and reason.endswith(f": {k}")]
            asked += 1
            named += bool(said)
            if not said:
                strange.append((title, test, reason))
    print(f"\n{name}: {named} of {asked} wrong answers named; not {strange}")
    assert named >= SHARE * asked, strange


def test_a_wrong_answer_that_is_not_listed_has_no_name() -> None:
    rehearsal, explained = Rehearsal("laplace"), ProblemSet.load("laplace").explained
    given, scope = rehearsal.student("a-student")
    rng = np.random.default_rng(1)
    other = {**scope, "average": scope["average"] * 17}
    reason = judge(explained["average-test"], given, local(other), rng)
    assert reason == "the formula has another value"


def test_answers_are_compared_by_value() -> None:
    x, y = sp.symbols("x y", positive=True)

    def sent(value: object) -> object:
        return wire.decode(wire.encode(value))

    assert advice.same_answer(sent((x + y) ** 2), sent(x**2 + 2 * x * y + y**2))
    assert not advice.same_answer(sent(x), sent(y))
    assert not advice.same_answer(sent(x), sent(x + sp.Rational(1, 10**6)))
    assert advice.same_answer(sent(sp.Integer(2)), 2.0)
    assert advice.same_answer(sent({"a", "b"}), {"b", "a"})
    assert not advice.same_answer([1.0], [1.0, 2.0])
    assert not advice.same_answer(sent(object()), 1.0)
