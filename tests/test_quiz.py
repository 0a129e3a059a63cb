"""Every chapter ends with a quiz whose answers all say why."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
import quiz
from notebooks import numbered


def quizzes(path: Path) -> list[str]:
    cells = nbformat.read(path, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.findall(r"^```\{quiz\}\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.parametrize("path", numbered(), ids=lambda path: path.stem)
def test_chapter_has_a_quiz_that_teaches(path: Path) -> None:
    (text,) = quizzes(path)
    questions = quiz.read(text)
    assert len(questions) >= 3
    for question in questions:
        told = [answer["why"] for answer in question["answers"]]
        assert len(told) >= 3 and min(map(len, told)) >= 40 and len(set(told)) == len(told)
    # The right answer does not always stand in the same place.
    places = {
        next(i for i, answer in enumerate(question["answers"]) if answer.get("right"))
        for question in questions
    }
    assert len(places) >= 2


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("- ask: a\n  answers: [{say: b, why: c}]", "exactly one right answer"),
        ("- ask: a\n  answers: [{say: b, right: true}]", "say and why"),
        ("- answers: [{say: b, why: c, right: true}]", "ask and answers"),
    ],
)
def test_quiz_that_does_not_teach_is_refused(text: str, condition: str) -> None:
    with pytest.raises(ValueError, match=condition):
        quiz.read(text)
