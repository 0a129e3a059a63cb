"""What a student sees of a question: how hard it is, what it needs, and tests that help."""

from __future__ import annotations

import re

import pytest
from coursework_runs import Rehearsal, headings, wrong_answers
from marking.sets import ProblemSet, about, names, role

SHARE = 0.6
HEAD = re.compile(
    r"^(Warm-up|Standard|★ Starred), (\d+) minutes\. Needs “(.+)” in the chapter `(\w+)`\.$"
)


@pytest.mark.parametrize("name", names())
def test_visible_tests_notice_most_listed_wrong_answers_and_no_right_one(name: str) -> None:
    rehearsal = Rehearsal(name)
    seen = rehearsal.seen(wrong_answers(name))
    print(f"\n{name}: {sum(seen.values())} of {len(seen)} wrong answers noticed")
    assert sum(seen.values()) >= SHARE * len(seen), [title for title in seen if not seen[title]]
    _, scope = rehearsal.student("another-student")
    assert not any(rehearsal.stops(test, scope) for test in rehearsal.visible)


@pytest.mark.parametrize("name", names())
def test_every_test_shows_an_example_or_a_check(name: str) -> None:
    for cell in ProblemSet.load(name).cells("test"):
        assert "assert" in cell.source.partition("### BEGIN")[0], about(cell)["grade_id"]


@pytest.mark.parametrize("name", names())
def test_every_question_says_how_hard_it_is_and_what_it_needs(name: str) -> None:
    questions = [
        cell.source
        for cell in ProblemSet.load(name).notebook.cells
        if role(cell) == "text" and cell.source.startswith("## ")
    ]
    kinds, minutes = [], 0
    for text in questions:
        kind, needed, section, chapter = HEAD.match(text.split("\n")[2]).groups()
        assert section in headings(chapter), section
        kinds.append(kind)
        minutes += int(needed)
    assert kinds.count("Warm-up") == kinds.count("★ Starred") == 1
    hours = {"four": 4, "five": 5, "six": 6}
    text = ProblemSet.load(name).notebook.cells[0].source
    said = re.search(r"\*\*Expect\*\* (?:four to )?(\w+) hours", text)[1]
    assert minutes == 60 * hours[said]


@pytest.mark.parametrize("name", names())
def test_a_lost_mark_comes_with_what_to_read(name: str) -> None:
    problem_set = ProblemSet.load(name)
    assert set(problem_set.needs) == set(problem_set.points)
    for test in problem_set.hidden:
        assert problem_set.advice(test, None) is None
        advice = problem_set.advice(test, "a value is not the right one")
        assert re.match(r"a value is not the right one \(read “.+” in the chapter \w+\)$", advice)
