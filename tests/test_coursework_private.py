"""Private courses: drawn by a secret, marked like the others, and nowhere in the tree."""

from __future__ import annotations

import re
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from coursework_runs import headings
from marking import personal, private
from marking.sets import COURSE, ProblemSet, names, reference

ROOT = COURSE.parents[1]
SETS = sorted(path.stem for path in private.TEMPLATES.glob("*.py"))
TEXT = {".py", ".md", ".ipynb", ".yml", ".txt", ".toml"}


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Personal checks cost a moment to try, and to make; not here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(personal, "COST", private.CHEAP)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of a secret that nobody knows."""
    folder = tmp_path_factory.mktemp("private") / "course"
    private.new_course(folder)
    return folder


@pytest.fixture(scope="module")
def tree() -> str:
    """Every text of the tree, without white space."""
    parts = []
    for place in ("book", "minimaxdp", "tests"):
        for path in (ROOT / place).rglob("*"):
            if path.suffix in TEXT and path.is_file():
                parts.append("".join(path.read_text(errors="ignore").split()))
    return "\n".join(parts)


def test_there_are_sets_with_five_templates_each() -> None:
    assert {*names(), "accounting", "reconstruction"} <= set(SETS)
    for name in SETS:
        assert len(private.templates(private.TEMPLATES / f"{name}.py")[2]) >= 5


def test_a_course_has_its_sets_and_keeps_its_secret_to_its_owner(folder: Path) -> None:
    assert sorted(names(folder)) == SETS
    assert folder.stat().st_mode & 0o077 == 0
    assert (folder / private.SECRET).stat().st_mode & 0o077 == 0
    assert len((folder / private.SECRET).read_text().strip()) == 32


@pytest.mark.parametrize("name", SETS)
def test_references_get_full_marks_and_blanks_none(folder: Path, name: str) -> None:
    problem_set = ProblemSet.load(name, folder)
    assert sum(problem_set.points.values()) == private.POINTS
    for student in ("anna", "ben"):
        seed = secrets.token_hex(8)
        right = private.verdicts(problem_set, reference(problem_set), student, seed)
        assert set(right) == set(problem_set.hidden)
        assert not any(right.values()), right
        assert all(private.verdicts(problem_set, {}, student, seed).values())


@pytest.mark.parametrize("name", SETS)
def test_no_answer_stands_in_the_tree(folder: Path, name: str, tree: str) -> None:
    for key, answer in reference(ProblemSet.load(name, folder)).items():
        body = "".join(answer.partition('"""\n')[2].split() or answer.split())
        assert len(body) > 20 and body not in tree, key


@pytest.mark.long
@pytest.mark.parametrize("secret", ["one", "two"])
@pytest.mark.parametrize("name", SETS)
def test_templates_keep_their_rules(name: str, secret: str) -> None:
    assert private.check(name, private.TEMPLATES / f"{name}.py", secret) == []


@pytest.mark.parametrize("name", SETS)
def test_the_secret_alone_decides_a_set(name: str) -> None:
    path = private.TEMPLATES / f"{name}.py"
    one, same, other = (nbformat.writes(private.build(name, path, s)) for s in ("a", "a", "b"))
    assert one == same != other


@pytest.mark.parametrize("name", SETS)
def test_every_set_has_a_warm_up_and_a_starred_question_and_names_what_it_needs(name: str) -> None:
    cells = private.build(name, private.TEMPLATES / f"{name}.py", "a").cells
    questions = [cell.source for cell in cells if cell.source.startswith("## ")]
    heads = [text.split("\n\n")[1] for text in questions]
    assert sum(head.startswith("Warm-up, ") for head in heads) == 1
    assert sum(head.startswith("★ Starred, ") for head in heads) == 1
    for head, text in zip(heads, questions, strict=True):
        section, chapter = re.search(
            r" minutes. Needs “(.+)” in the chapter `(\w+)`\.$", head
        ).groups()
        assert section in headings(chapter)
        # What is not proved is shown at one input.
        assert ("Example: `" in text) != (" points:*\n\n- " in text)


def test_a_course_inside_git_or_in_a_full_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="outside every git work tree"):
        private.new_course(ROOT / "private-course")
    assert not (ROOT / "private-course").exists()
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    with pytest.raises(ValueError, match="outside every git work tree"):
        private.new_course(tmp_path / "repository" / "deep" / "course")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(ValueError, match="must be empty"):
        private.new_course(tmp_path / "full")
    with pytest.raises(ValueError, match="no private course"):
        private.draw_sets(tmp_path / "full")


BROKEN = {
    "a copy passes": ("x + 1", "x + 1", "an answer copied passes in 5 of 5"),
    "the reference fails": ("x + {k} + 1", "x + {k}", "the reference fails"),
    "a blank passes": ("x + {k}", None, "a blank passes"),
}
OWN = '''
from marking.private import Question

TITLE, SYMBOLS = "Own questions", "a, b"


def add(rng):
    k = int(rng.integers(1, 10**6))
    return Question(
        title="Add",
        text="Add.",
        stub='def add(x):\\n    """A number."""',
        solution=f"return {solution}",
        hidden=f{hidden!r},
        example="add(1)",
        section="the chapter on nothing",
        minutes=5,
    )


TEMPLATES = [add]
'''


@pytest.mark.parametrize("kind", [None, *BROKEN])
def test_own_questions_are_checked_before_they_are_drawn(tmp_path: Path, kind: str | None) -> None:
    solution, truth, reason = BROKEN[kind] if kind else ("x + {k}", "x + {k}", None)
    hidden = f"same(answer('add'), lambda x: {truth}, [(3,), (5,)])" if truth else "pass"
    course = tmp_path / "course"
    private.new_course(course, secret="fixed")
    text = OWN.replace("{solution}", solution).replace("{hidden!r}", repr(hidden))
    (course / "templates" / "own.py").write_text(text)
    found = private.check("own", course / "templates" / "own.py", "fixed")
    if kind is None:
        assert found == []
        assert "own" in [path.stem for path in private.draw_sets(course)]
        assert "own" in names(course)
    else:
        assert any(reason in line for line in found), found


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"difficulty": "hard"}, "difficulty must be"),
        ({"minutes": 0}, "minutes must be positive"),
        ({"hidden": " "}, "hidden must not be empty"),
    ],
)
def test_a_question_without_its_parts_is_refused(change: dict, reason: str) -> None:
    parts = dict.fromkeys(
        ("title", "text", "stub", "solution", "hidden", "example", "section"), "x"
    )
    with pytest.raises(ValueError, match=reason):
        private.Question(**{**parts, "minutes": 5, **change})


def test_a_file_of_templates_must_be_complete(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("TITLE = 'x'")
    with pytest.raises(ValueError, match="own.py must define"):
        private.templates(tmp_path / "own.py")


# Proofs

PROOF = {
    "title": "Prove it",
    "text": "Prove it.",
    "rubric": {"(a) this": 2, "(b) that": 1},
    "solution": "As is known.",
    "section": "“This” in the chapter `that`",
    "minutes": 9,
}


def test_a_proof_has_its_rubric_and_its_points() -> None:
    question = private.Question("t", "t", "x = ...", "x = 1.5", "pass", "x", "s", 5)
    notebook = private.notebook(
        "own", "t", "a, b", [question, private.Proof(**PROOF), question], "s"
    )
    made = ProblemSet("own", notebook)
    assert made.points == {"q1-test": 8, "q2": 3, "q3-test": 9} and made.proofs == ("q2",)
    (words,) = [cell.source for cell in made.cells("text") if "Prove it." in cell.source]
    assert "*3 points:*\n\n- 2: (a) this\n- 1: (b) that" in words
    assert made.needs["q2"] == "“This” in the chapter that"
    assert reference(made)["q2"] == "**Reference.** As is known."


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"rubric": {}}, "rubric must give points"),
        ({"rubric": {"(a)": 0}}, "rubric must give points"),
        ({"solution": ""}, "solution must not be empty"),
        ({"difficulty": "hard"}, "difficulty must be"),
        ({"minutes": -1}, "minutes must be positive"),
    ],
)
def test_a_proof_without_its_parts_is_refused(change: dict, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        private.Proof(**{**PROOF, **change})


def test_rubrics_that_leave_no_points_are_refused() -> None:
    question = private.Question("t", "t", "x = ...", "x = 1.5", "pass", "x", "s", 5)
    greedy = private.Proof(**PROOF | {"rubric": {"all": 20}})
    with pytest.raises(ValueError, match="leave 0 of 20 points to 1 other questions"):
        private.notebook("own", "t", "a, b", [question, greedy], "s")


def test_a_proof_that_is_the_same_for_every_secret_is_told(tmp_path: Path) -> None:
    text = f"""
from marking.private import Proof
TITLE, SYMBOLS = "t", "a, b"
TEMPLATES = [lambda rng: Proof(**{PROOF!r})]
"""
    (tmp_path / "own.py").write_text(text)
    found = private.check("own", tmp_path / "own.py", "fixed")
    assert found == ["own, Prove it: an answer copied passes in 5 of 5 other draws"]


def test_a_check_of_few_possible_values_is_told(tmp_path: Path) -> None:
    text = OWN.replace("{solution}", "x + {k}").replace(
        "f{hidden!r}", "f\"same(answer('add'), lambda x: x + {k}, [(3,), (5,)])\""
    )
    (tmp_path / "own.py").write_text(text.replace("minutes=5", 'minutes=5, check="add(1) > 0"'))
    found = private.check("own", tmp_path / "own.py", "fixed")
    assert found and all("check has too few possible values" in line for line in found)
