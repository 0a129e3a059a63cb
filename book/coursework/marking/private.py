"""A private course: sets that count, drawn from templates by a secret that stays in their folder.

A template is a function of a numpy generator that returns a `Question`; a file of templates holds
them in the list `TEMPLATES`, one file for each set. What a template draws is more than numbers:
what is published, which rule holds, who counts as a neighbour. The sets stand in the folder as
sources like those of the practice sets, so release and marking are the same.
"""

from __future__ import annotations

import hashlib
import runpy
import secrets
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
import numpy as np

from . import personal
from .judge import generator, judge, local, setting
from .sets import COURSE, ProblemSet, about, reference, role, split

SECRET = "secret"
TEMPLATES = COURSE / "templates"
POINTS = 20
# A copied answer must fail in at least four of five.
OTHERS = 5
MOST_COPIED = 1
# Of personal checks that nobody will see.
CHEAP = 2
SETUP = '''import hashlib
import math
from itertools import combinations, product

import numpy as np
import sympy as sp
from scipy import special, stats


def personal():
    """A generator of your own: your id decides its numbers."""
    text = f"{{STUDENT.strip().lower()}}/{name}/{course}"
    return np.random.default_rng(list(hashlib.sha256(text.encode()).digest()))


mine = personal()
{symbols} = sp.symbols("{symbols}", positive=True)'''
HEAD = """# {title}

Write your id in the next cell and run it, then answer in the cells that say so. Use numpy, scipy,
sympy and the standard library alone. A question for code or a formula ends in an example with its
right value: see that yours agrees. Most have a personal check below it, which is not marked: it
tells at other inputs whether an exact answer is right, or whether a number is too large or too
small. When your work is marked, functions are asked for values at other inputs again, and a
formula is compared by its values. Relative errors allowed: $10^{{-7}}$ in numbers, $10^{{-8}}$ in
formulas. Proofs are read by a person, who does not see your name. {points} points, about {minutes}
minutes."""
# A line of the notebook that is no part of what is marked.
CHECK = """# Check yourself: this cell is not marked.
personal_check(lambda: {check}, {told})"""
DIFFICULTIES = ("warm-up", "standard", "starred")


@dataclass(frozen=True)
class Question:
    """One question, as a template draws it.

    Attributes
    ----------
    title, text : str
        In Markdown; the text says everything that the answer needs.
    stub, solution : str
        The cell as students get it, and what replaces its last line in the reference.
    hidden : str
        The hidden test, in the words of `marking/checks.py` and `marking/noise.py`.
    example : str
        An expression in the answer's names; the students see it with its right value.
    section : str
        Where the book explains what is needed, as in: “Heading” in the chapter `page`.
    minutes : int
    difficulty : str
        "warm-up", "standard" or "starred".
    check : str
        An expression in the answer's names at other inputs than the example's. The students see it
        with a slow hash of its right value, if that is exact and one of very many, or with an
        interval round each of its numbers; empty for none.
    chance : float
        How far two right answers to the check may be apart, as a share, if they are simulated.
    """

    title: str
    text: str
    stub: str
    solution: str
    hidden: str
    example: str
    section: str
    minutes: int
    difficulty: str = "standard"
    check: str = ""
    chance: float = 0.0

    def __post_init__(self) -> None:
        _refuse_incomplete(
            self, ("title", "text", "stub", "solution", "hidden", "example", "section")
        )


@dataclass(frozen=True)
class Proof:
    """One question whose answer is a written proof, as a template draws it.

    Attributes
    ----------
    title, text, section, minutes, difficulty
        As those of a `Question`.
    rubric : dict
        What earns points, in words, and how many each; the students see it.
    solution : str
        A complete proof, in Markdown, for whoever marks.
    """

    title: str
    text: str
    rubric: dict[str, int]
    solution: str
    section: str
    minutes: int
    difficulty: str = "standard"

    def __post_init__(self) -> None:
        _refuse_incomplete(self, ("title", "text", "solution", "section"))
        if not self.rubric or not all(part > 0 for part in self.rubric.values()):
            raise ValueError(f"rubric must give points above 0 in {self.title!r}: {self.rubric}")

    @property
    def points(self) -> int:
        return sum(self.rubric.values())


def _refuse_incomplete(question: Question | Proof, names: tuple[str, ...]) -> None:
    if question.difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty must be warm-up, standard or starred: {question.difficulty}")
    if not question.minutes > 0:
        raise ValueError(f"minutes must be positive, got {question.minutes}")
    for name in names:
        if not getattr(question, name).strip():
            raise ValueError(f"{name} must not be empty in {question.title!r}")


Template = Callable[[np.random.Generator], Question | Proof]


def different(rng: np.random.Generator, of: Sequence[int], count: int) -> list[int]:
    """Draw this many different whole numbers, in an order that is drawn too.

    Examples
    --------
    >>> different(np.random.default_rng(1), range(2, 12), 3)
    [6, 5, 9]
    """
    return [int(value) for value in rng.choice(of, count, replace=False)]


def templates(path: Path) -> tuple[str, str, list[Template]]:
    """The title, the symbols and the templates of a file."""
    names = runpy.run_path(str(path))
    missing = {"TITLE", "SYMBOLS", "TEMPLATES"} - set(names)
    if missing:
        raise ValueError(f"{path.name} must define {sorted(missing)}")
    return names["TITLE"], names["SYMBOLS"], names["TEMPLATES"]


def draws(secret: str, name: str) -> np.random.Generator:
    """The generator of a set: nobody who lacks the secret can tell its numbers."""
    return np.random.default_rng(list(hashlib.sha256(f"{secret}\n{name}".encode()).digest()))


def build(name: str, path: Path, secret: str) -> nbformat.NotebookNode:
    """The source notebook of a set, drawn by a secret."""
    title, symbols, kinds = templates(path)
    rng = draws(secret, name)
    # What each template draws does not depend on the others.
    questions = [kind(np.random.default_rng(int(rng.integers(2**62)))) for kind in kinds]
    questions.sort(key=lambda question: DIFFICULTIES.index(question.difficulty))
    return notebook(name, title, symbols, questions, secret, personal.COST)


def notebook(
    name: str,
    title: str,
    symbols: str,
    questions: list[Question | Proof],
    secret: str,
    cost: int = personal.COST,
) -> nbformat.NotebookNode:
    """The source notebook of these questions, in nbgrader's format.

    cost: of a try at a personal check, as the parameter n of scrypt.
    """
    minutes = sum(question.minutes for question in questions)
    course = hashlib.sha256(f"public\n{secret}\n{name}".encode()).hexdigest()[:8]
    setup = SETUP.format(name=name, course=course, symbols=symbols)
    points = _shares(questions)
    head = HEAD.format(title=title, points=sum(points), minutes=minutes)
    cells = [
        nbformat.v4.new_markdown_cell(head),
        nbformat.v4.new_code_cell(
            '# Your id, as you use it to hand in.\nSTUDENT = "nobody"', id="id"
        ),
        _cell("variant", setup, locked=True),
    ]
    if any(isinstance(question, Question) and question.check for question in questions):
        cells.append(_cell("tools", personal.TEXT.rstrip(), locked=True))
    for number, (question, worth) in enumerate(zip(questions, points, strict=True), start=1):
        if isinstance(question, Proof):
            cells += _proof_cells(f"q{number}", _heading(number, question), question)
        else:
            rng = draws(f"{secret}/personal", f"{name}/{number}")
            cells += _question_cells(number, question, worth, setup, (rng, cost))
    for index, cell in enumerate(cells):
        if "nbgrader" not in cell.metadata:
            cell.id = f"text-{index}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )


def _shares(questions: list[Question | Proof]) -> list[int]:
    """The points of each question: those of the rubric of a proof, and like shares of the rest."""
    rest = POINTS - sum(question.points for question in questions if isinstance(question, Proof))
    others = sum(isinstance(question, Question) for question in questions)
    if others == 0:
        rest = 0
    elif rest < others:
        raise ValueError(f"rubrics leave {rest} of {POINTS} points to {others} other questions")
    # The last ones, which are the hardest, get a point more if there is something over.
    shares = iter([(rest + index) // others for index in range(others)])
    return [q.points if isinstance(q, Proof) else next(shares) for q in questions]


def _heading(number: int, question: Question | Proof) -> str:
    kind = {"starred": "★ Starred"}.get(question.difficulty, question.difficulty.capitalize())
    return (
        f"## {number}. {question.title}\n\n"
        f"{kind}, {question.minutes} minutes. Needs {question.section}.\n\n{question.text}\n\n"
    )


def _question_cells(
    number: int,
    question: Question,
    points: int,
    setup: str,
    hiding: tuple[np.random.Generator, int],
) -> list[nbformat.NotebookNode]:
    """A question, its answer, its test, and the students' check of themselves, if it has one."""
    key, answer = f"q{number}", _answer(question)
    names = setting((setup,), "nobody")
    exec(answer, names)
    value = _value(question.example, names)
    text = f"Example: `{question.example}` is `{value!r}`. *{points} points.*"
    check = f"given = np.array({question.example}, dtype=float)\n"
    check += f"assert np.allclose(given, {value!r}), given"
    hidden = f"{check}\n### BEGIN HIDDEN TESTS\n{question.hidden.strip()}\n### END HIDDEN TESTS"
    cells = [
        nbformat.v4.new_markdown_cell(_heading(number, question) + text),
        _cell(key, answer, solution=True),
        _cell(f"{key}-test", hidden, locked=True, grade=True, points=points),
    ]
    told = question.check and personal.arguments(
        _value(question.check, names), *hiding, question.chance
    )
    if told:
        source = CHECK.format(check=question.check, told=told)
        cells.append(_cell(f"{key}-check", source, locked=True))
    return cells


def _proof_cells(key: str, heading: str, proof: Proof) -> list[nbformat.NotebookNode]:
    """A question for a proof with its rubric, and the place for it, where the source has one."""
    parts = [f"- {points}: {what}" for what, points in proof.rubric.items()]
    rubric = f"*{proof.points} points:*\n\n" + "\n".join(parts)
    place = nbformat.v4.new_markdown_cell(f"**Reference.** {proof.solution.strip()}", id=key)
    place.metadata["nbgrader"] = _known(
        key, grade=True, solution=True, locked=False, points=proof.points
    )
    return [nbformat.v4.new_markdown_cell(heading + rubric), place]


def _answer(question: Question) -> str:
    """The answer's cell of the source: the stub with the solution in it."""
    stub = question.stub.rstrip()
    indent = "    " if stub.lstrip().startswith("def ") else ""
    body = "\n".join(f"{indent}{line}".rstrip() for line in question.solution.strip().split("\n"))
    return f"{stub}\n{indent}### BEGIN SOLUTION\n{body}\n{indent}### END SOLUTION"


def _value(expression: str, names: dict[str, object]) -> object:
    value = eval(expression, names)
    if hasattr(value, "free_symbols"):
        value = float(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _cell(
    key: str,
    source: str,
    *,
    locked: bool = False,
    grade: bool = False,
    solution: bool = False,
    points: int | None = None,
) -> nbformat.NotebookNode:
    cell = nbformat.v4.new_code_cell(source, id=key)
    cell.metadata["nbgrader"] = _known(
        key, grade=grade, solution=solution, locked=locked, points=points
    )
    return cell


def _known(
    key: str, *, grade: bool, solution: bool, locked: bool, points: int | None
) -> dict[str, object]:
    """What nbgrader knows of a cell."""
    known = {"grade": grade, "grade_id": key, "locked": locked, "schema_version": 3}
    known |= {"solution": solution, "task": False}
    return known | ({} if points is None else {"points": points})


def new_course(folder: Path, secret: str | None = None) -> list[Path]:
    """Make a private course in a folder that no git work tree holds; return its sources."""
    folder = folder.resolve()
    refuse_inside_git(folder)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} must be empty or absent")
    (folder / "templates").mkdir(parents=True)
    folder.chmod(0o700)
    secret = secret or secrets.token_hex(16)
    (folder / SECRET).write_text(f"{secret}\n")
    (folder / SECRET).chmod(0o600)
    return draw_sets(folder)


def template_files(folder: Path) -> dict[str, Path]:
    """The files of templates by the names of their sets, the folder's own before the book's."""
    files = {path.stem: path for path in sorted(TEMPLATES.glob("*.py"))}
    return files | {path.stem: path for path in sorted((folder / "templates").glob("*.py"))}


def known_secret(folder: Path) -> str:
    """The secret of a private course."""
    path = folder / SECRET
    if not path.is_file():
        raise ValueError(f"{folder} is no private course: it has no file {SECRET}")
    return path.read_text().strip()


def check_course(folder: Path) -> list[str]:
    """What is wrong with the templates of a private course."""
    secret = known_secret(folder)
    found = []
    for name, path in template_files(folder).items():
        found += check(name, path, secret)
    return found


def draw_sets(folder: Path) -> list[Path]:
    """Write the sources of every set, from the book's templates and those of the folder itself."""
    secret, written = known_secret(folder), []
    for name, path in (files := template_files(folder)).items():
        target = folder / "source" / name / f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(nbformat.writes(build(name, path, secret)) + "\n")
        written.append(target)
    (folder / "order.txt").write_text("\n".join(files) + "\n")
    return written


def refuse_inside_git(folder: Path) -> None:
    """Refuse a folder that git would pick up: what is secret must not be pushed by mistake."""
    inside = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if any((parent / ".git").exists() for parent in (inside, *inside.parents)):
        raise ValueError(f"{folder} must be outside every git work tree")
    try:
        command = ["git", "-C", str(inside), "rev-parse", "--is-inside-work-tree"]
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:  # no git here
        return
    if done.returncode == 0:
        raise ValueError(f"{folder} must be outside every git work tree")


def verdicts(
    problem_set: ProblemSet,
    answers: dict[str, str],
    student: str,
    seed: str,
    visible: bool = True,
) -> dict[str, str | None]:
    """Judge trusted answers in this process: the reason for each lost test, or None.

    Without the visible tests the hidden ones must see by themselves what is wrong.
    """
    names = setting(problem_set.setup, student)
    scope = dict(names)
    found: dict[str, str | None] = {}
    for cell in problem_set.cells("answer", "test"):
        key = about(cell)["grade_id"]
        if role(cell) == "answer":
            try:
                exec(answers.get(key, "raise NotImplementedError()"), scope)
            except Exception:  # as in a notebook: what follows meets undefined names
                continue
        else:
            try:
                exec(split(cell.source)[0] if visible else "", dict(scope))
            except Exception as error:
                found[key] = f"the visible test stopped with {type(error).__name__}"
                continue
            rng = generator(seed, student, key)
            found[key] = judge(problem_set.hidden[key], names, local(scope), rng)
    return found


def check(name: str, path: Path, secret: str) -> list[str]:
    """What is wrong with a file of templates: nothing, if the list is empty.

    Each template is drawn `OTHERS` + 1 times. Its reference must pass, a blank must fail, and an
    answer copied from one draw must fail in at least four of five others: by the hidden test alone.
    Of proofs the reference of one draw must not be that of more than one other.
    """
    title, symbols, kinds = templates(path)
    wrong = []
    for place, kind in enumerate(kinds):
        rng = draws(f"{secret}/check", f"{name}/{place}")
        drawn = [kind(np.random.default_rng(int(rng.integers(2**62)))) for _ in range(OTHERS + 1)]
        label = f"{name}, {drawn[0].title}"
        sets = [
            ProblemSet(name, notebook(name, title, symbols, [one], secret, CHEAP)) for one in drawn
        ]
        found = _copied_proofs(drawn) if sets[0].proofs else _judged(sets, drawn)
        wrong += [f"{label}: {line}" for line in found]
    return wrong


def _judged(sets: list[ProblemSet], drawn: list[Question]) -> list[str]:
    """What is wrong with the draws of one template for a question."""
    wrong, answers = [], [reference(one) for one in sets]
    for index, (one, right) in enumerate(zip(sets, answers, strict=True)):
        (reason,) = verdicts(one, right, "a-student", f"right {index}").values()
        if reason is not None:
            wrong.append(f"the reference fails: {reason}")
        (reason,) = verdicts(one, {}, "a-student", f"blank {index}", False).values()
        if reason is None:
            wrong.append("a blank passes")
        if drawn[index].check and not one.cells("check"):
            wrong.append("check has too few possible values, or 0: ask for a list of several")
    copied = 0
    for index, one in enumerate(sets[1:]):
        (reason,) = verdicts(one, answers[0], "a-student", f"copy {index}", False).values()
        copied += reason is None
    return wrong + _too_often(copied)


def _copied_proofs(drawn: list[Proof]) -> list[str]:
    return _too_often(sum(one.solution == drawn[0].solution for one in drawn[1:]))


def _too_often(copied: int) -> list[str]:
    too_often = copied > MOST_COPIED
    return [f"an answer copied passes in {copied} of {OTHERS} other draws"] if too_often else []
