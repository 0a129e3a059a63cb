"""The marker attacked with real submissions in real kernels, for every set."""

from __future__ import annotations

import json

import nbformat
import pytest
from coursework_runs import wrong_answers
from marking.batch import LIMITS, Submission, Terms, run_alone
from marking.course import mark
from marking.sets import COURSE, ProblemSet, about, fill, is_id_cell, names, reference, role
from sheets import by_student

SECONDS_PER_CELL = 6.0
WORST = "laplace"
# Further ones differ only in what a mechanism does; test_runs.py judges them all.
MOST_BUNDLES = 3
STRIKE = "import os\nos.kill(os.getppid(), 9)"
LOOP = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass"
HOSTILE = ["rows = np.ones((10**6, 10**6))", "raise SystemExit('an exception')"]
# A loop costs its time limit twice, and is the same in every set: one has it.
SPIN = "while True:\n    pass"
# Once is enough for these, which cost a new kernel or much output.
WORSE = [
    LOOP,
    "import os\nos._exit(1)",
    "rows = [0]\nwhile True:\n    rows += rows",
    "print('x' * 10**7)\n1 / 0",
]
# Everything that a kernel can do to the names a test might lean on.
PATCH = """
import builtins, json, math, pickle, sys
import numpy as np

np.allclose = np.array_equal = np.testing.assert_allclose = lambda *a, **k: True
builtins.abs = lambda *a: 0
math.isclose = lambda *a, **k: True


class Anything:
    __array_priority__ = 1e9
    free_symbols = frozenset()

    def __eq__(self, other): return True
    def __le__(self, other): return True
    def __ge__(self, other): return True
    def __sub__(self, other): return 0
    def __rsub__(self, other): return 0
    def __call__(self, *a, **k): return self
    def __len__(self): return 1
    def __iter__(self): return iter([self])


for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("marking"):
        module.judge = module.same = lambda *a, **k: None
get_ipython().ast_node_interactivity = "all"
"""


def released(name: str) -> nbformat.NotebookNode:
    return nbformat.read(COURSE / "release" / name / f"{name}.ipynb", as_version=4)


def bundles(name: str) -> list[tuple[dict[str, str], set[str]]]:
    """The wrong answers of a set in as few submissions as hold one answer for each cell."""
    made: list[tuple[dict[str, str], set[str]]] = []
    for cells, lost in wrong_answers(name).values():
        for answers, all_lost in made:
            if not set(cells) & set(answers):
                answers.update(cells)
                all_lost.update(lost)
                break
        else:
            made.append((dict(cells), set(lost)))
    return made[:MOST_BUNDLES]


def tamper(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Rewrite the tests, raise the points, lose a test, double one, take another's id."""
    tests = [cell for cell in notebook.cells if role(cell) == "test"]
    for cell in tests:
        cell.source = "pass"
        about(cell)["points"] = 100
    tests[0].metadata["nbgrader"] = {}
    notebook.cells.remove(tests[1])
    notebook.cells.append(nbformat.from_dict(tests[2]))
    for cell in notebook.cells:
        if is_id_cell(cell):
            cell.source = "STUDENT = 'somebody-else'"
        if role(cell) == "setup":
            cell.source += "\nEPSILON = 1\n"
    return notebook


@pytest.fixture(scope="module", params=names())
def marked(
    a_wall: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict:
    """All kinds of submissions of one set, marked together, two at a time."""
    name = request.param
    folder, out = tmp_path_factory.mktemp(name), tmp_path_factory.mktemp(f"{name}-marks") / "out"
    blank, right = released(name), reference(ProblemSet.load(name))
    answers = [about(cell)["grade_id"] for cell in ProblemSet.load(name).cells("answer")]
    # No later answer builds on these.
    hostile = dict(zip([answers[0], answers[-1]], HOSTILE, strict=True))
    worse = dict(zip(reversed(answers), WORSE, strict=False)) if name == WORST else {}
    if worse:
        hostile[answers[1]] = SPIN
    submissions = {
        "reference": fill(blank, right, "reference"),
        "blank": blank,
        "hostile": fill(blank, right | hostile, "hostile"),
        "tampered": tamper(fill(blank, right, "tampered")),
        "patched": tamper(fill(blank, dict.fromkeys(answers, PATCH), "patched")),
    }
    if worse:
        submissions["worse"] = fill(blank, right | worse, "worse")
        submissions["striker"] = fill(blank, right | {answers[1]: STRIKE}, "striker")
    expected_lost = {}
    for index, (cells, lost) in enumerate(bundles(name)):
        submissions[f"wrong-{index}"] = fill(blank, right | cells, f"wrong-{index}")
        expected_lost[f"wrong-{index}"] = lost
    for student, notebook in submissions.items():
        # As it is, for nbformat would mend some of the tampering.
        (folder / f"{student}.ipynb").write_text(json.dumps(notebook))
    (folder / "torn.ipynb").write_text('{"cells": [')
    (folder / "absent").mkdir()
    path = mark(name, folder, out, limits={"cell": SECONDS_PER_CELL})
    return {
        "set": ProblemSet.load(name),
        "rows": by_student(path),
        "lost": expected_lost,
        "hostile": hostile,
        "worse": worse,
        "answers": answers,
    }


def lost(marked: dict, student: str) -> set[str]:
    row = marked["rows"][student]
    return {test for test in marked["set"].hidden if float(row[test]) == 0}


def test_reference_gets_full_marks(marked: dict) -> None:
    row, points = marked["rows"]["reference"], marked["set"].points
    assert all(float(row[test]) == points[test] for test in marked["set"].hidden)
    assert int(row["proofs_to_mark"]) == len(marked["set"].proofs)
    assert float(row["max_score"]) == sum(points.values()) == 20


@pytest.mark.parametrize("student", ["blank", "torn", "absent"])
def test_nothing_gets_nothing(marked: dict, student: str) -> None:
    row = marked["rows"][student]
    assert float(row["score"]) == 0 and row["proofs_to_mark"] == "0"
    if student == "blank":
        assert row["note"] == "the notebook says STUDENT = 'nobody'"
    else:
        assert row["note"]


def test_wrong_answers_lose_their_marks_and_no_others(marked: dict) -> None:
    for student, expected in marked["lost"].items():
        assert lost(marked, student) == expected, student


def test_tampered_tests_are_put_back(marked: dict) -> None:
    assert lost(marked, "tampered") == set()
    assert float(marked["rows"]["tampered"]["max_score"]) == 20


def test_patching_the_kernel_earns_nothing(marked: dict) -> None:
    assert float(marked["rows"]["patched"]["score"]) == 0


def test_loops_allocations_and_exceptions_cost_only_their_own_questions(marked: dict) -> None:
    for student in ("hostile", "worse"):
        if marked[student]:
            assert lost(marked, student) == needing(marked["set"], marked[student]), student


def test_killing_what_is_above_it_does_a_submission_no_good(marked: dict) -> None:
    """Behind the wall the process above is the sandbox's own first one, which cannot be killed."""
    if not marked["worse"]:
        assert "striker" not in marked["rows"]
        return
    assert lost(marked, "striker") == needing(marked["set"], {marked["answers"][1]: STRIKE})
    assert marked["rows"]["striker"]["note"] == ""


def test_a_slow_submission_ends_with_the_marks_it_has(a_wall: str) -> None:
    name = "density"
    slow = fill(released(name), reference(ProblemSet.load(name)), "slow")
    place = next(
        i for i, cell in enumerate(slow.cells) if about(cell).get("grade_id") == "histogram"
    )
    for _ in range(5):
        slow.cells.insert(place, nbformat.v4.new_code_cell("import time\ntime.sleep(5)"))
    limits = {**LIMITS, "cell": SECONDS_PER_CELL, "submission": 20.0}
    item = Submission("slow", json.dumps(slow).encode())
    # Once: that it would be run again, alone, is tested with the batch.
    run_alone(item, Terms(ProblemSet.load(name), released(name), "a seed", a_wall, limits))
    assert "time limit: 20 s for the whole submission" in item.note
    assert item.reasons["attack-test"] and item.reasons["rates-test"] is None


def needing(problem_set: ProblemSet, culprits: dict[str, str]) -> set[str]:
    """The tests that stand behind one of these answers and before the next answer."""
    found, current = set(), None
    for cell in problem_set.cells("answer", "test"):
        if role(cell) == "answer":
            current = about(cell)["grade_id"]
        elif current in culprits:
            found.add(about(cell)["grade_id"])
    return found
