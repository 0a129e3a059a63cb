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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import numpy as np

from .judge import generator, judge, local, setting
from .sets import COURSE, ProblemSet, about, reference, role, split

SECRET = "secret"
TEMPLATES = COURSE / "templates"
POINTS = 20
# A copied answer must fail in at least four of five.
OTHERS = 5
MOST_COPIED = 1
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
sympy and the standard library alone. Each question ends in an example with its right value: see
that yours agrees. When your work is marked, functions are asked for values at other inputs, and a
formula is compared by its values. Relative errors allowed: $10^{{-7}}$ in numbers, $10^{{-8}}$ in
formulas. {points} points, about {minutes} minutes."""


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

    def __post_init__(self) -> None:
        if self.difficulty not in ("warm-up", "standard", "starred"):
            raise ValueError(f"difficulty must be warm-up, standard or starred: {self.difficulty}")
        if not self.minutes > 0:
            raise ValueError(f"minutes must be positive, got {self.minutes}")
        for name in ("title", "text", "stub", "solution", "hidden", "example", "section"):
            if not getattr(self, name).strip():
                raise ValueError(f"{name} must not be empty in {self.title!r}")


Template = Callable[[np.random.Generator], Question]


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
    rank = {"warm-up": 0, "standard": 1, "starred": 2}
    questions.sort(key=lambda question: rank[question.difficulty])
    return notebook(name, title, symbols, questions, secret)


def notebook(
    name: str, title: str, symbols: str, questions: list[Question], secret: str
) -> nbformat.NotebookNode:
    """The source notebook of these questions, in nbgrader's format."""
    minutes = sum(question.minutes for question in questions)
    course = hashlib.sha256(f"public\n{secret}\n{name}".encode()).hexdigest()[:8]
    setup = SETUP.format(name=name, course=course, symbols=symbols)
    cells = [
        nbformat.v4.new_markdown_cell(HEAD.format(title=title, points=POINTS, minutes=minutes)),
        nbformat.v4.new_code_cell(
            '# Your id, as you use it to hand in.\nSTUDENT = "nobody"', id="id"
        ),
        _cell("variant", setup, locked=True),
    ]
    shares = [POINTS // len(questions)] * len(questions)
    for index in range(POINTS - sum(shares)):
        shares[-1 - index] += 1
    for number, (question, points) in enumerate(zip(questions, shares, strict=True), start=1):
        key = f"q{number}"
        answer = _answer(question)
        value = _example(setup, answer, question.example)
        kind = {"starred": "★ Starred"}.get(question.difficulty, question.difficulty.capitalize())
        text = (
            f"## {number}. {question.title}\n\n"
            f"{kind}, {question.minutes} minutes. Needs {question.section}.\n\n{question.text}\n\n"
            f"Example: `{question.example}` is `{value!r}`. *{points} points.*"
        )
        check = f"given = np.array({question.example}, dtype=float)\n"
        check += f"assert np.allclose(given, {value!r}), given"
        hidden = f"{check}\n### BEGIN HIDDEN TESTS\n{question.hidden.strip()}\n### END HIDDEN TESTS"
        cells += [
            nbformat.v4.new_markdown_cell(text),
            _cell(key, answer, solution=True),
            _cell(f"{key}-test", hidden, locked=True, grade=True, points=points),
        ]
    for index, cell in enumerate(cells):
        if "nbgrader" not in cell.metadata:
            cell.id = f"text-{index}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )


def _answer(question: Question) -> str:
    """The answer's cell of the source: the stub with the solution in it."""
    stub = question.stub.rstrip()
    indent = "    " if stub.lstrip().startswith("def ") else ""
    body = "\n".join(f"{indent}{line}".rstrip() for line in question.solution.strip().split("\n"))
    return f"{stub}\n{indent}### BEGIN SOLUTION\n{body}\n{indent}### END SOLUTION"


def _example(setup: str, answer: str, example: str) -> object:
    names = setting((setup,), "nobody")
    exec(answer, names)
    value = eval(example, names)
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
    known = {"grade": grade, "grade_id": key, "locked": locked, "schema_version": 3}
    known |= {"solution": solution, "task": False}
    cell.metadata["nbgrader"] = known | ({} if points is None else {"points": points})
    return cell


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
    """
    title, symbols, kinds = templates(path)
    wrong = []
    for place, kind in enumerate(kinds):
        rng = draws(f"{secret}/check", f"{name}/{place}")
        sets, answers = [], []
        for _ in range(OTHERS + 1):
            question = kind(np.random.default_rng(int(rng.integers(2**62))))
            sets.append(ProblemSet(name, notebook(name, title, symbols, [question], secret)))
            answers.append(reference(sets[-1]))
        label = f"{name}, {sets[0].notebook.cells[3].source.splitlines()[0][6:]}"
        for index, (drawn, right) in enumerate(zip(sets, answers, strict=True)):
            (reason,) = verdicts(drawn, right, "a-student", f"right {index}").values()
            if reason is not None:
                wrong.append(f"{label}: the reference fails: {reason}")
            (reason,) = verdicts(drawn, {}, "a-student", f"blank {index}", False).values()
            if reason is None:
                wrong.append(f"{label}: a blank passes")
        copied = 0
        for index, drawn in enumerate(sets[1:]):
            (reason,) = verdicts(drawn, answers[0], "a-student", f"copy {index}", False).values()
            copied += reason is None
        if copied > MOST_COPIED:
            wrong.append(f"{label}: an answer copied passes in {copied} of {OTHERS} other draws")
    return wrong
