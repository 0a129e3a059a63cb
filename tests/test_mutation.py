"""The mutator: every change is another program that compiles, and texts are left alone."""

from __future__ import annotations

import ast
from pathlib import Path

import mutation
import pytest
import reach
from equivalent_mutants import EQUIVALENT
from mutation import Mutant, draw, mutants, near, places
from reach import PACKAGE, Reach, spans

SOURCE = '''
"""A text with 1 + 1 and max(1, 2)."""
import numpy as np

__all__ = ["f", 3]
LIMIT = 3 | 4
T = TypeVar("T", bound=int)
Both = int | float


@cached(maxsize=4)
def f(x: Literal[1], flag: bool = True, scale: float = 2.5) -> Literal[2]:
    """The docstring says 3 < 4."""
    bound: Literal[5] = 7
    if x < 0 and not flag or x is None:  # a comment with x < 0 and more
        raise ValueError(f"x must be at least {0 + 0}, not {-1}")
    é = (x) + (  # + and -
        np.exp(x, out=é, where=x)
    )
    é **= 2
    text = f"{x + 1}"
    return -np.sinh(x) * max(é, x, key=abs) // é.sum(axis=0)
'''


def changed() -> list[tuple[str, str, str]]:
    """Kind, line before, line after, of every change of the text above."""
    found = [mutant for place in places("f.py", SOURCE) for mutant in mutants(place, SOURCE)]
    return [(mutant.kind, mutant.before, mutant.after) for mutant in found]


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        ("default", "def f(x: Literal[1], flag: bool = False, scale: float = 2.5) -> Literal[2]:"),
        ("default", "def f(x: Literal[1], flag: bool = True, scale: float = 5.0) -> Literal[2]:"),
        ("constant", "bound: Literal[5] = 14"),
        ("comparison", "if x <= 0 and not flag or x is None:  # a comment with x < 0 and more"),
        ("comparison", "if x < 0 and not flag or x is not None:  # a comment with x < 0 and more"),
        ("and/or", "if x < 0 or not flag or x is None:  # a comment with x < 0 and more"),
        ("and/or", "if x < 0 and not flag and x is None:  # a comment with x < 0 and more"),
        ("not", "if x < 0 and  flag or x is None:  # a comment with x < 0 and more"),
        ("operator", "é = (x) - (  # + and -"),
        ("name", "np.expm1(x, out=é, where=x)"),
        ("keyword", "np.exp(x,  where=x)"),
        ("keyword", "np.exp(x, out=é, )"),
        ("operator", "é *= 2"),
        ("sign", "return np.sinh(x) * max(é, x, key=abs) // é.sum(axis=0)"),
        ("name", "return -np.tanh(x) * max(é, x, key=abs) // é.sum(axis=0)"),
        ("name", "return -np.sinh(x) * min(é, x, key=abs) // é.sum(axis=0)"),
        ("name", "return -np.sinh(x) * max(é, x, key=abs) // é.mean(axis=0)"),
        ("operator", "return -np.sinh(x) / max(é, x, key=abs) // é.sum(axis=0)"),
        ("operator", "return -np.sinh(x) * max(é, x, key=abs) / é.sum(axis=0)"),
        ("keyword", "return -np.sinh(x) * max(é, x, key=abs) // é.sum()"),
    ],
)
def test_each_operator_makes_its_change(kind: str, after: str) -> None:
    assert (kind, after) in [(found, line) for found, _, line in changed()]


def test_texts_types_and_messages_are_left_alone() -> None:
    lines = [before for _, before, _ in changed()]
    for word in ('"""', "__all__", "Both", "TypeVar", "@cached", "raise", 'f"'):
        assert not [line for line in lines if word in line]
    after = [line for _, _, line in changed()]
    assert not [line for line in after if "def f" in line and "Literal[1]" not in line]
    assert not [line for line in after if "bound:" in line and "Literal[5]" not in line]


def test_a_change_is_another_program_with_the_same_texts() -> None:
    drawn = [*draw(8, seed=1, only="laplace"), *draw(8, seed=1, only="risk")]
    assert len(set(drawn)) == 16
    for mutant in drawn:
        source = (PACKAGE / mutant.file).read_text()
        before, after = ast.parse(source), ast.parse(mutant.apply(source))
        assert ast.dump(before) != ast.dump(after)
        assert _texts(before) == _texts(after)
        assert mutant.before != mutant.after


def _texts(tree: ast.AST) -> list[str | None]:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    return [ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, kinds)]


def test_a_seed_names_a_sample() -> None:
    assert draw(5, seed=2, only="hypercube") == draw(5, seed=2, only="hypercube")
    assert draw(5, seed=2, only="hypercube") != draw(5, seed=3, only="hypercube")
    assert {mutant.file for mutant in draw(5, seed=2, only="hypercube")} == {"hypercube.py"}


def test_a_change_meets_the_tests_of_its_module() -> None:
    fuzz = "tests/test_fuzz.py::test_bad_values_end_in_a_named_error"
    mine = ["minimaxdp/laplace/_local.py::minimaxdp.laplace", "tests/test_laplace.py::test_a[1]"]
    mine += [
        "tests/test_laplace_local.py::test_b",
        f"{fuzz}[laplace]",
    ]
    others = [
        "tests/test_recorded.py::test_a[laplace]",
        f"{fuzz}[laplaces]",
        "tests/test_laplaces.py::test_c",
        "minimaxdp/laplaces.py::d",
    ]
    assert near("laplace/_local.py", mine + others) == mine
    assert near("_validate.py", ["tests/test_validate.py::test_a"]) != []
    assert near("risk.py", ["minimaxdp/risk.py::minimaxdp.risk.monte_carlo"]) != []


def test_a_line_has_a_statement_functions_and_a_file() -> None:
    def around(line: int) -> list[tuple[int, int]]:
        return [(span.start, span.stop - 1) for span in spans(SOURCE, line)]

    whole = (1, SOURCE.count("\n") + 1)
    assert around(7) == [(7, 7), whole]  # a constant of the module
    assert around(18) == [(17, 19), (12, 22), whole]  # a statement of three lines
    assert around(15) == [(15, 15), (12, 22), whole]  # the head of a condition
    assert around(12) == [(12, 12), (12, 22), whole]  # a default


def test_the_quickest_tests_of_a_line_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "PACKAGE", PACKAGE.parent / "tests" / "none")
    monkeypatch.setattr(Path, "read_text", lambda path: SOURCE)
    # Which test is the first to import a file says nothing of what it asks.
    imported = {7: ["first"], 12: ["first"]}
    lines = {"f.py": {17: ["slow", "quick", "gone"], 19: ["middle"], 22: ["other"]} | imported}
    found = Reach(lines, {"slow": 9.0, "middle": 2.0, "quick": 1.0, "other": 0.5, "first": 0.1})
    assert found.tests("f.py", 18) == ["quick", "middle", "slow"]  # the lines of one statement
    assert found.tests("f.py", 12) == ["other", "quick", "middle", "slow"]  # of the function
    assert found.tests("f.py", 7) == ["other", "quick", "middle", "slow"]  # of the file
    assert found.tests("f.py", 22) == ["other"] and found.tests("g.py", 1) == []
    assert found.within(["quick", "middle", "slow"], 3.0) == ["quick", "middle"]
    assert found.within(["slow", "quick"], 3.0) == ["slow"]  # never none


def test_an_equivalent_change_is_known_by_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = Mutant("cube.py", 1, 0, 1, "operator", "-", "a + 0", "a - 0")
    assert not mutant.reason
    monkeypatch.setattr(mutation, "EQUIVALENT", [("cube.py", "a + 0", "a - 0", "zero")])
    assert mutant.reason == "zero"


@pytest.mark.parametrize("change", EQUIVALENT, ids=lambda change: change[0])
def test_a_change_that_is_none_is_one_of_a_line_that_stands(change: tuple) -> None:
    file, before, after, reason = change
    lines = [line.strip() for line in (PACKAGE / file).read_text().splitlines()]
    assert before in lines and before != after and reason
