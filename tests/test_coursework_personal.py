"""How students check themselves: no right answer refused, wrong ones noticed, and how little it
gives away."""

from __future__ import annotations

import contextlib
import io
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp
from marking import personal, private
from marking.judge import setting
from marking.sets import ProblemSet, about, reference, role
from scipy import stats

CHECKED = ("accounting", "laplace", "reconstruction")
each_set = pytest.mark.parametrize("name", CHECKED)
CHEAP = private.CHEAP


@pytest.mark.parametrize(
    "forms",
    [
        [3, 3.0, np.int64(3), np.array(3), sp.Integer(3), Fraction(3), Fraction(6, 2)],
        [Fraction(1, 3), 1 / 3, sp.Rational(1, 3), np.float64(1) / 3, sp.Float(1) / 3],
        [True, 1, np.True_, sp.true],
        [[1, 2], (1, 2), np.array([1, 2]), np.array([1.0, 2.0]), sp.Matrix([1, 2]).T.tolist()[0]],
        [{1, 2}, {2, 1}, frozenset([2.0, 1]), {np.int64(1), sp.Integer(2)}],
        [{"a": 1, "b": [2]}, {"b": (2,), "a": True}],
        ["a", np.str_("a")],
    ],
)
def test_an_exact_answer_is_the_same_in_each_of_its_forms(forms: list) -> None:
    assert len({personal.canonical(form) for form in forms}) == 1


def test_different_answers_are_different() -> None:
    values = [0, 1, -1, "1", [1], {1}, {1: 1}, [[1]], [1, 1], [11], Fraction(1, 2), {1, 2}, [1, 2]]
    values += [[2, 1], [], [[]], set(), "", [1, [2]], ["1,2"], ["1", "2"], Fraction(1, 3), 0.3333]
    assert len({personal.canonical(value) for value in values}) == len(values)


def test_an_interval_holds_the_number_and_owes_it_nothing_else() -> None:
    """Where in its interval a number lies is uniform on the scale of logarithms, before the ends
    are rounded; by Massart's bound this refuses a right one with a chance of at most 1e-6."""
    rng, size = np.random.default_rng(5), 4_000
    numbers = np.exp(rng.normal(0, 20, size)) * rng.choice([-1, 1], size)
    places = []
    for number in map(float, numbers):
        offset = rng.random()
        low, high = personal.bracket(number, offset)
        assert low <= number <= high and abs(high - low) > 0.19 * abs(number)
        assert max(low / high, high / low) < personal.RATIO * 1.025
        places.append((math.log(abs(number), personal.RATIO) - offset) % 1)
    allowed = math.sqrt(math.log(2 / 1e-6) / (2 * size))
    assert stats.kstest(places, "uniform").statistic < allowed
    # For one number, too: every place of it in the interval is as likely as another.
    ends = [personal.bracket(7.0, offset) for offset in rng.random(size)]
    shares = [math.log(7.0 / low) / math.log(high / low) for low, high in ends]
    assert stats.kstest(shares, "uniform").statistic < allowed + 0.03


def told(value: object, right: object, chance: float = 0.0) -> str:
    """What a student reads of a value."""
    arguments = personal.arguments(right, np.random.default_rng(1), CHEAP, chance)
    names = setting((personal.TEXT,), "nobody") | {"value": value}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(f"personal_check(lambda: value, {arguments})", names)
    return shown.getvalue().strip()


@pytest.mark.parametrize(
    ("value", "right", "said"),
    [
        ([40, 30, 20], [40, 30, 20], "right, at these inputs"),
        (np.array([40.0, 30, 20]), [40, 30, 20], "right, at these inputs"),
        ([40, 30, 21], [40, 30, 20], "another value is right"),
        (None, [40, 30, 20], "the answer stopped with TypeError"),
        (0.5, 0.5, "neither too small nor too large"),
        (sp.Rational(1, 2), 0.5, "neither too small nor too large"),
        ([0.5], 0.5, "neither too small nor too large"),
        (1.0, 0.5, "number 1 is too large: at most 0.5"),
        (0.25, 0.5, "number 1 is too small: at least 0.4"),
        (-0.25, -0.5, "number 1 is too large: at most -0.4"),
        (math.nan, 0.5, "number 1 is too small"),
        ([0.5, 9.0], [0.5, 3.0], "number 2 is too large: at most 3."),
        ([0.5], [0.5, 3.0], "2 numbers are expected, got 1"),
        (sp.Symbol("x"), 0.5, "the answer stopped with TypeError"),
    ],
)
def test_a_student_reads_what_is_the_matter(value: object, right: object, said: str) -> None:
    assert told(value, right).startswith(said)


@pytest.mark.parametrize(
    "value",
    [True, 7, 4_999, [1, 0, 1], {2, 3}, "ab", Fraction(3, 8), 0.0, [0.5, 0.0], math.inf, []],
)
def test_of_few_possible_values_nothing_is_told(value: object) -> None:
    assert personal.arguments(value, np.random.default_rng(1), CHEAP) is None


@pytest.mark.parametrize("value", [5_000, [9] * 4, {1, 15}, "abc", Fraction(80, 81), [True] * 14])
def test_of_many_possible_values_a_hash_is_told_that_is_slow_and_salted(value: object) -> None:
    one, other = (personal.arguments(value, np.random.default_rng(seed), CHEAP) for seed in (1, 2))
    assert one != other and one.endswith(f"cost={CHEAP}")
    # 64 MiB for every try, which is what makes it slow wherever it is made.
    assert personal.COST * 8 * 128 >= 2**26


# The sets of private courses


@cache
def checked(name: str, secret: str) -> tuple[ProblemSet, dict[str, str]]:
    """A set, and what its checks tell of the references."""
    kinds = private.templates(private.TEMPLATES / f"{name}.py")
    rng = private.draws(secret, name)
    drawn = [kind(np.random.default_rng(int(rng.integers(2**62)))) for kind in kinds[2]]
    made = ProblemSet(name, private.notebook(name, *kinds[:2], drawn, secret, CHEAP))
    return made, said(made, reference(made))


def said(made: ProblemSet, answers: dict[str, str]) -> dict[str, str]:
    """What the checks of a set tell of these answers."""
    found = {}
    names = setting(made.setup, "anna")
    for cell in made.cells("answer", "check"):
        key, shown = about(cell)["grade_id"], io.StringIO()
        if role(cell) == "answer":
            with contextlib.suppress(NotImplementedError):
                exec(answers.get(key, "raise NotImplementedError()"), names)
        else:
            with contextlib.redirect_stdout(shown), np.errstate(all="ignore"):
                exec(cell.source, names)
            found[key] = shown.getvalue().strip()
    return found


@each_set
def test_checks_accept_every_reference_and_need_no_marker(name: str) -> None:
    made, verdicts = checked(name, "a secret")
    assert set(verdicts.values()) <= {
        "right, at these inputs",
        "neither too small nor too large",
    }, verdicts
    assert "marking" not in "\n".join(made.setup)
    blank = said(made, dict.fromkeys(reference(made), "pass"))
    assert not set(blank.values()) & set(verdicts.values())


@each_set
def test_checks_notice_answers_copied_from_another_course(name: str) -> None:
    """Most of them; a copy may be right at the inputs of a check, and not be a right answer."""
    made, verdicts = checked(name, "a secret")
    other, _ = checked(name, "another secret")
    found = said(made, reference(other))
    noticed = [key for key, words in found.items() if words not in verdicts.values()]
    print(f"\n{name}: {len(noticed)} of {len(found)} copied answers noticed")
    assert len(noticed) >= 0.6 * len(found), found


@each_set
def test_every_question_has_a_check_and_every_set_a_proof(name: str) -> None:
    made, verdicts = checked(name, "a secret")
    assert len(verdicts) == len(made.hidden) >= 5 and len(made.proofs) == 1


def test_a_check_is_no_part_of_what_is_marked() -> None:
    made, _ = checked("laplace", "a secret")
    assert not set(made.points) & {about(cell)["grade_id"] for cell in made.cells("check")}
    assert not any("personal_check(lambda" in source for source in made.setup)
