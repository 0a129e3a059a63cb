"""Right answers in any form: whatever a student may write down, the marker reads or hands on."""

from __future__ import annotations

import decimal
import fractions
import json
import re

import numpy as np
import pytest
import sympy as sp
from marking import checks, wire
from marking.checks import FOR_A_PERSON, Undecided, Wrong
from marking.sets import ProblemSet, about, names, role

k, m = sp.symbols("k m", positive=True)
j = sp.Symbol("j", integer=True)
WHOLE = np.arange(2, 9)


def sent(value: object) -> object:
    """A value as it arrives from the kernel of a submission."""
    return wire.decode(json.loads(json.dumps(wire.encode(value))))


@pytest.mark.parametrize(
    ("form", "truth"),
    [
        (sp.gamma(m + 1), lambda k, m: np.array([float(sp.factorial(int(x))) for x in m])),
        (sp.factorial(m), lambda k, m: np.array([float(sp.gamma(int(x) + 1)) for x in m])),
        (sp.Product(j, (j, 1, m)), lambda k, m: np.array([float(sp.factorial(int(x))) for x in m])),
        (sp.Sum(j, (j, 1, m)), lambda k, m: m * (m + 1) / 2),
        (sp.Sum(k * j, (j, 1, m)), lambda k, m: k * m * (m + 1) / 2),
        (sp.binomial(m, 2), lambda k, m: m * (m - 1) / 2),
        (sp.beta(m, 2), lambda k, m: 1 / (m * (m + 1))),
        (sp.Piecewise((k, k < 1), (m, True)), lambda k, m: np.where(k < 1, k, m)),
        (sp.Piecewise((k, sp.And(k < 1, m > 3)), (m, True)), None),
        (sp.RisingFactorial(k, 2), lambda k, m: k * (k + 1)),
        (sp.FallingFactorial(m, 2), lambda k, m: m * (m - 1)),
        (sp.floor(k), lambda k, m: np.floor(k)),
        (sp.erf(k), lambda k, m: np.array([float(sp.erf(x)) for x in k])),
        (sp.harmonic(m), lambda k, m: np.array([float(sp.harmonic(int(x))) for x in m])),
    ],
)
def test_special_functions_are_read(form: sp.Expr, truth: object) -> None:
    if truth is None:
        truth = lambda k, m: np.where((k < 1) & (m > 3), k, m)  # noqa: E731
    for seed in range(5):
        rng = np.random.default_rng(seed)
        checks.equivalent(sent(form), truth, rng, k=(0.2, 2.0), m=WHOLE)
        with pytest.raises(Wrong, match="another value"):
            checks.equivalent(sent(form * (1 + k / 10**6)), truth, rng, k=(0.2, 2.0), m=WHOLE)


@pytest.mark.parametrize(
    "value",
    [
        0.75,
        sp.Rational(3, 4),
        sp.Float(0.75),
        sp.sqrt(sp.Rational(9, 16)),
        np.float32(0.75),
        np.array(0.75),
        np.array([0.75]),
        np.array([[0.75]]),
        [0.75],
        (sp.Rational(3, 4),),
        sp.Matrix([[sp.Rational(3, 4)]]),
        fractions.Fraction(3, 4),
        decimal.Decimal("0.75"),
        sp.Integral(m, (m, 0, sp.sqrt(sp.Rational(3, 2)))).doit(),
    ],
)
def test_a_number_is_right_in_every_form(value: object) -> None:
    checks.near(sent(value), 0.75)
    checks.near(sent(value), np.array([0.75]))
    checks.same(lambda: value, lambda: 0.75, [()])
    checks.equivalent(sent(value), lambda k: 0.75 + 0 * k, np.random.default_rng(1), k=(1.0, 2.0))
    with pytest.raises(Wrong, match="right one"):
        checks.near(sent(value), 0.75 * (1 + 1e-6))


@pytest.mark.parametrize(
    "value",
    [
        [True, False],
        (np.True_, np.False_),
        [sp.true, sp.false],
        np.array([True, False]),
        np.array([sp.true, sp.false], dtype=object),
        [sp.Integer(1), sp.Integer(0)],
        sp.Array([1, 0]),
    ],
)
def test_booleans_and_arrays_are_right_in_every_form(value: object) -> None:
    checks.equal(sent(value), [True, False])
    checks.near(sent(value), np.array([1.0, 0.0]))
    with pytest.raises(Wrong, match="right one"):
        checks.equal(sent(value), [True, True])


def test_an_answer_that_is_a_truth_value_is_no_number() -> None:
    for value in (True, sp.true, np.True_):
        with pytest.raises(Wrong, match="finite number"):
            checks.near(sent(value), 1.0)


@pytest.mark.parametrize(
    "value",
    [
        sp.Integral(sp.exp(-(m**2) * k), (m, 0, 1)),
        sp.hyper((1, k), (2,), m / 9),
        sp.Product(j, (j, 1, k)),
        (-1) ** (k / 2) * (-1) ** (-k / 2 + 1) * -k,
        object(),
    ],
)
def test_what_cannot_be_decided_goes_to_a_person_with_a_note(value: object) -> None:
    with pytest.raises(Undecided) as found:
        checks.equivalent(
            sent(value), lambda k, m: k, np.random.default_rng(2), k=(1.1, 1.9), m=WHOLE
        )
    assert str(found.value).startswith(FOR_A_PERSON) and len(str(found.value)) > 40


def test_an_unknown_kind_among_the_values_of_a_function_goes_to_a_person() -> None:
    with pytest.raises(Undecided, match="of type object"):
        checks.same(lambda a: object(), abs, [(1,)])
    with pytest.raises(Undecided, match="of type object"):
        checks.same(lambda a: [1, object()], lambda a: np.ones(2), [(1,)])


def test_sums_of_too_many_terms_are_not_evaluated() -> None:
    with pytest.raises(Undecided, match="so many terms"):
        checks.equivalent(
            sent(sp.Sum(1 / j, (j, 1, 10**9 * m))), lambda m: m, np.random.default_rng(1), m=WHOLE
        )


@pytest.mark.parametrize("name", names())
def test_tolerances_are_printed_in_the_questions(name: str) -> None:
    cells = ProblemSet.load(name).notebook.cells
    assert "$10^{-7}$ in numbers, $10^{-8}$ in formulas" in cells[0].source
    question = ""
    for cell in cells:
        if role(cell) == "text":
            question = cell.source
        elif role(cell) == "test":
            for digits in re.findall(r"rtol=1e-(\d)", cell.source):
                assert f"10^{{-{digits}}}" in question, about(cell)["grade_id"]
