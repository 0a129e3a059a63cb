"""The coursework without nbgrader: sources, releases, variants, and the checks of the marker."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import zipfile

import nbformat
import numpy as np
import pandas as pd
import pytest
import sympy as sp
from coursework_runs import Rehearsal, wrong_answers
from marking import checks, wire
from marking.checks import Wrong
from marking.judge import generator, setting
from marking.sets import (
    COURSE,
    ProblemSet,
    about,
    fill,
    names,
    read_submission,
    rebuild,
    reference,
    role,
    split,
)
from scipy import stats

from minimaxdp import (
    density_estimation,
    inference,
    k_anonymity,
    laplace,
    lower_bounds,
    privacy,
    randomized_response,
)
from minimaxdp.guarantees import TotalVariation

NAMES = names()
each_set = pytest.mark.parametrize("name", NAMES)
RNG_SEED = 12


def released(name: str) -> nbformat.NotebookNode:
    return nbformat.read(COURSE / "release" / name / f"{name}.ipynb", as_version=4)


def solved(name: str, student: str = "a-student") -> dict:
    """The names that the reference answers define."""
    return Rehearsal(name).student(student)[1]


# Sources


@each_set
def test_source_is_clean_and_in_the_format(name: str) -> None:
    path = COURSE / "source" / name / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert path.read_text() == nbformat.writes(notebook) + "\n"
    keys = [about(cell)["grade_id"] for cell in notebook.cells if "grade_id" in about(cell)]
    assert len(set(keys)) == len(keys) == sum(bool(about(cell)) for cell in notebook.cells)
    for cell in notebook.cells:
        assert not cell.get("outputs") and cell.get("execution_count") is None
        assert "grade_id" not in about(cell) or cell.id == about(cell)["grade_id"]
        opens, ends = cell.source.count("### BEGIN"), cell.source.count("### END")
        assert opens == ends and (opens > 0) == (role(cell) in ("answer", "test"))


@each_set
def test_set_mixes_the_kinds_of_question(name: str) -> None:
    problem_set = ProblemSet.load(name)
    text = "\n".join(cell.source for cell in problem_set.cells("text"))
    hidden = "\n".join(problem_set.hidden.values())
    questions = re.findall(r"^## \d\. (.+)$", text, flags=re.MULTILINE)
    assert 4 <= len(questions) <= 8
    assert problem_set.proofs and sum(problem_set.points.values()) == 20
    assert "equivalent(" in hidden, "no symbolic derivation"
    assert "same(" in hidden, "no function on hidden inputs"
    assert re.search(r"\b(law|estimate|frequency|additive|bits)\(", hidden), "no statistical test"
    assert sum(title.startswith("Break it") for title in questions) == 1
    rubrics = re.findall(r"^\*(\d) points?(: |, 1 for each part)", text, flags=re.MULTILINE)
    assert len(rubrics) == len(problem_set.proofs)
    stated = sum(int(points) for points in re.findall(r"\*(\d) points?[.:,]", text))
    assert stated == 20


def test_exercises_of_the_lecture_and_the_quiz_have_their_place() -> None:
    text = "\n".join(cell.source for name in NAMES for cell in ProblemSet.load(name).cells("text"))
    for place in (
        "lecture, exercise I)",
        "lecture, first estimator",
        "lecture, proof of equivalence",
        "lecture, exercise 1",
        "lecture, exercise 2",
        "lecture, exercise 3",
        "lecture, Adi",
        "What is privacy, and which situation is",
        "What is the cost of privacy in terms of the optimal rate?",
    ):
        assert place in text, place


def test_misprints_of_the_documents_are_among_the_wrong_answers() -> None:
    listed = " ".join(title for name in NAMES for title in wrong_answers(name))
    for entry in ("E000-09", "E000-10", "E000-22", "E002-09", "sensitivity on the data"):
        assert entry in listed
    for name in NAMES:
        assert "hard-coded outputs" in wrong_answers(name)
        tests = {test for _, lost in wrong_answers(name).values() for test in lost}
        assert tests == set(ProblemSet.load(name).hidden), "a test that no wrong answer fails"


# Releases


@each_set
def test_release_holds_no_solution_and_no_hidden_test(name: str) -> None:
    text = (COURSE / "release" / name / f"{name}.ipynb").read_text()
    assert "BEGIN" not in text and "rng.uniform" not in text.replace("default_rng", "")
    blank = {about(c).get("grade_id"): c.source for c in released(name).cells}
    for cell in ProblemSet.load(name).notebook.cells:
        key = about(cell).get("grade_id")
        if role(cell) == "test":
            assert blank[key].rstrip() == split(cell.source)[0]
        elif role(cell) == "proof":
            assert blank[key] == "YOUR ANSWER HERE"
        elif role(cell) == "answer":
            assert "raise NotImplementedError()" in blank[key]
        elif role(cell) == "setup":
            assert blank[key] == cell.source


@each_set
def test_download_runs_and_stops_only_at_the_blanks(name: str) -> None:
    scope: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in released(name).cells:
            if role(cell) in ("student", "setup"):
                exec(cell.source, scope)
            elif role(cell) == "answer" and "def " not in cell.source:
                with pytest.raises(NotImplementedError):
                    exec(cell.source, dict(scope))


@each_set
def test_download_with_the_reference_answers_passes_its_own_tests(name: str) -> None:
    scope: dict = {}
    filled = fill(released(name), reference(ProblemSet.load(name)), "somebody")
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in filled.cells:
            if cell.cell_type == "code":
                exec(cell.source, scope)


def test_archive_holds_the_releases() -> None:
    with zipfile.ZipFile(COURSE / "release" / "problem_sets.zip") as archive:
        assert sorted(archive.namelist()) == sorted(f"{name}.ipynb" for name in NAMES)
        for name in NAMES:
            path = COURSE / "release" / name / f"{name}.ipynb"
            assert archive.read(f"{name}.ipynb") == path.read_bytes()


def test_pages_offer_every_set_and_name_every_command() -> None:
    page, guide = ((COURSE / f"{name}.md").read_text() for name in ("index", "instructor"))
    for name in NAMES:
        assert f"<release/{name}/{name}.ipynb>" in page
    for command in ("course.py release", "course.py mark laplace", "course.py marks"):
        assert command in guide


def test_marking_has_its_own_complete_lock_and_its_stage() -> None:
    lines = (COURSE / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert len(pins) > 80 and "nbgrader==0.9.6" in pins
    assert all(re.match(r"[A-Za-z0-9._-]+==[^ ]+( ; .+)?$", pin) for pin in pins)
    assert "://" not in "\n".join(lines)
    wanted = (COURSE / "requirements.in").read_text().split()
    assert {want.split("==")[0] for want in wanted} <= {pin.split("==")[0] for pin in pins}
    stages = (COURSE.parents[1] / ".ci" / "run").read_text()
    guide = (COURSE / "instructor.md").read_text()
    for command in ("pip install", "pytest -o addopts="):
        assert f".venv-coursework/bin/{command}" in stages
        assert f".venv-coursework/bin/{command}" in guide


# Variants


@each_set
def test_id_decides_the_variant(name: str) -> None:
    problem_set = ProblemSet.load(name)

    def variant(student: str) -> str:
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            setting(problem_set.setup, student)
        return shown.getvalue()

    assert variant("ada") == variant(" Ada ")
    assert len({variant(f"student-{index}") for index in range(20)}) >= 18


def test_inputs_depend_on_the_marker_the_student_and_the_question() -> None:
    drawn = {generator(a, b, c).random() for a in "xy" for b in "pq" for c in "12"}
    assert len(drawn) == 8 and generator("x", "p", "1").random() in drawn


# Submissions


def test_rebuilding_restores_what_is_locked_and_keeps_what_is_the_students() -> None:
    blank = released("laplace")
    answers = reference(ProblemSet.load("laplace"))
    submission = fill(blank, answers, "friend")
    own = nbformat.v4.new_code_cell("helper = 1")
    place = next(
        i for i, cell in enumerate(submission.cells) if about(cell).get("grade_id") == "scale"
    )
    submission.cells.insert(place, own)
    for cell in submission.cells:
        if role(cell) in ("test", "setup"):
            cell.source = "pass"
    whole = rebuild(blank, submission, "me")
    sources = [cell.source for cell in whole.cells]
    assert sources[0] == "STUDENT = 'me'" and sources.count("pass") == 0
    assert sources.index("helper = 1") < sources.index(answers["scale"])
    kept = [c.source for c in blank.cells if about(c).get("locked")]
    assert [c.source for c in whole.cells if about(c).get("locked")] == kept


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff\xfe",
        b'{"cells": [',
        b"[]",
        b'{"cells": 3, "nbformat": 4}',
        b" " * 6_000_000,
    ],
)
def test_what_is_not_a_notebook_is_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(ValueError, match="the file is"):
        read_submission(data)


# Formulas and data from the other process

x, y = sp.symbols("x y", positive=True)


@pytest.mark.parametrize(
    "form",
    [
        (sp.exp(x) - 1) ** 2 * sp.exp(-x) / y,
        4 * sp.sinh(x / 2) ** 2 / y,
        (2 * sp.cosh(x) - 2) / y,
        sp.expand((sp.exp(x) - 1) ** 2) / (y * sp.exp(x)),
        sp.simplify(4 * sp.sinh(x / 2) ** 2 / y).rewrite(sp.exp),
        (sp.coth(x / 2) ** 2 - 1) ** -1 * 4 / y,
        sp.exp(sp.log(4) + 2 * sp.log(sp.sinh(x / 2)) - sp.log(y)),
    ],
)
def test_every_form_of_a_formula_is_right(form: sp.Expr) -> None:
    truth = lambda x, y: (2 * np.cosh(x) - 2) / y  # noqa: E731
    for seed in range(50):
        checks.equivalent(form, truth, np.random.default_rng(seed), x=(0.2, 3), y=(0.5, 9))


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (x**2 / y, "another value"),
        ((2 * sp.cosh(x) - 2) / y * (1 + sp.Float(1e-6)), "another value"),
        (sp.zoo, "closed form"),
        (x + sp.Symbol("z"), "unknown symbols"),
        (sp.Integral(sp.exp(x * y), (x, 0, 1)), "closed form"),
        (sp.Pow(9, sp.Pow(9, sp.Symbol("x")), evaluate=False), "another value"),
        ("(2*cosh(x) - 2)/y", "formula is asked for"),
        ([1, 2], "formula is asked for"),
        (float("nan"), "another value"),
    ],
)
def test_a_wrong_formula_is_refused_with_a_reason(wrong: object, reason: str) -> None:
    with pytest.raises(Wrong, match=reason):
        checks.equivalent(
            wrong,
            lambda x, y: (2 * np.cosh(x) - 2) / y,
            np.random.default_rng(1),
            x=(0.2, 3),
            y=(0.5, 9),
        )


def test_a_formula_too_large_or_of_a_strange_kind_never_reaches_python() -> None:
    deep: list = ["Symbol", "x"]
    for _ in range(wire.MOST_NODES + 1):
        deep = ["Add", deep, ["Integer", 1]]
    for tree in (deep, "x", [], ["Add", "x"], 3):
        with pytest.raises((ValueError, RecursionError)):
            wire.Formula(tree)
    with pytest.raises(ValueError, match="closed form"):
        wire.Formula(["__import__", ["Symbol", "os"]])(os=1.0)
    with pytest.raises(TypeError):
        wire.decode({"callable": True})


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        "text",
        [1, [2.0, "a"]],
        {1, 2},
        {"a": [1]},
        np.arange(6).reshape(2, 3),
        np.float64(2),
    ],
)
def test_plain_data_survives_the_way(value: object) -> None:
    back = wire.decode(json.loads(json.dumps(wire.encode(value))))
    assert back == (value.tolist() if hasattr(value, "tolist") else value)


# Statistical tests at their level: the bounds are conservative, refusals are rarer than the level


def test_right_samples_are_refused_at_most_as_often_as_stated() -> None:
    rng, runs, level = np.random.default_rng(RNG_SEED), 2_000, 0.05

    def draw() -> int:
        return rng.binomial(300, 0.3)

    def refused(check: object) -> int:
        count = 0
        for _ in range(runs):
            try:
                check()
            except Wrong:
                count += 1
        return count

    found = {
        "law": refused(lambda: checks.law(rng.random(300), lambda x: x, 300, level=level)),
        "atoms": refused(
            lambda: checks.law(
                rng.integers(0, 4, 300), lambda x: (x + 1) / 4, 300, atoms=range(4), level=level
            )
        ),
        "mean": refused(lambda: checks.mean(rng.random(300), 0.5, 0, 1, 300, level=level)),
        "frequency": refused(lambda: checks.frequency(draw(), 300, 0.3, level=level)),
        "at_least": refused(lambda: checks.at_least(draw(), 300, 0.3, level=level)),
        "estimate": refused(
            lambda: checks.estimate([rng.normal(0, 0.1), 0.1], 0.0, 0.1, level=level)
        ),
    }
    most = stats.binom.isf(1e-6, runs, level)
    assert all(count <= most for count in found.values()), found
    # The test of a law has power: it is not merely silent.
    assert found["law"] >= 10 and found["estimate"] >= 50


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: checks.law([0.5] * 300, lambda x: x, 300), "right law"),
        (lambda: checks.law([0.5] * 299, lambda x: x, 300), "shape"),
        (lambda: checks.law([math.nan] * 300, lambda x: x, 300), "finite"),
        (lambda: checks.law(["a"] * 3, lambda x: x, 3), "numbers"),
        (lambda: checks.law([0.5] * 300, lambda x: x, 300, atoms=[0, 1]), "possible"),
        (lambda: checks.mean([2.0] * 300, 0.5, 0, 1, 300), "range"),
        (lambda: checks.estimate([0.0, 1.0], 0.0, 0.1), "standard error"),
        (lambda: checks.estimate(0.0, 0.0, 0.1), "pair"),
        (lambda: checks.number(True), "finite number"),
        (lambda: checks.number(math.inf), "finite number"),
        (lambda: checks.near([1, 2], 1.0), "finite number"),
        (lambda: checks.near([1, 2], np.zeros(3)), "shape"),
        (lambda: checks.same(3, abs, [(1,)]), "function"),
        (lambda: checks.same(lambda a: 1 / 0, abs, [(1,)]), "ZeroDivisionError"),
        (lambda: checks.same(lambda a: None, abs, [(1,)]), "finite number"),
    ],
)
def test_checks_refuse_with_a_reason(call: object, reason: str) -> None:
    with pytest.raises(Wrong, match=reason):
        call()


# The reference against the package: two roads to each answer


def value(formula: sp.Expr, **numbers: float) -> float:
    return float(formula.subs({symbol: numbers[symbol.name] for symbol in formula.free_symbols}))


def test_definitions_agree_with_the_package() -> None:
    names, rng = solved("definitions"), np.random.default_rng(RNG_SEED)
    table = rng.dirichlet(np.ones(4), 3)
    assert names["pure"](table) == pytest.approx(privacy.dp_epsilon(table))
    assert names["approximate"](table, 0.4) == pytest.approx(privacy.privacy_profile(table, 0.4))


def test_k_anonymity_agrees_with_the_package() -> None:
    names, rows = solved("k_anonymity"), [("a", 1)] * 3 + [("b", 1)] * 2
    table = pd.DataFrame(rows, columns=["zip", "age"])
    assert names["anonymity"](rows) == k_anonymity.k_of(table, ["zip", "age"]) == 2


def test_randomized_response_agrees_with_the_package() -> None:
    names = solved("randomized_response")
    theta = np.array([0.2, 0.3, 0.5])
    package = randomized_response.unary_risk(0.7, theta, 40)
    mine = value(names["risk"], n=40, d=3, alpha=0.7, s=float(theta @ theta))
    assert mine == pytest.approx(float(package))
    reports = np.random.default_rng(RNG_SEED).integers(0, 2, (40, 3))
    unary = randomized_response.SymmetricUnary(epsilon=0.7, d=3)
    assert names["estimate"](reports, 0.7) == pytest.approx(unary.estimate(reports.sum(axis=0), 40))


def test_laplace_agrees_with_the_package() -> None:
    names = solved("laplace")
    tail = math.exp(laplace.log_maximum_tail(1.5, 7, 0.8))
    assert value(names["tail"], r=1.5, lam=0.8, d=7) == pytest.approx(tail)
    radius = laplace.simultaneous_radius(names["BINS"], 0.05, 2 / names["BUDGET"])
    # The package's radius is that of the stated bound, conservative beside the exact one.
    assert names["radius"] <= radius * (1 + 1e-9) <= names["radius"] * 1.05


def test_inference_agrees_with_the_package() -> None:
    names = solved("inference")
    points = np.linspace(-4, 4, 33)
    assert names["tulap_cdf"](points, 0.9) == pytest.approx(inference.Tulap(0.9).cdf(points))
    package = inference.p_value(7.3, 20, 0.3, 0.9)
    assert names["p_value"](7.3, 20, 0.3, 0.9) == pytest.approx(package)
    variance = value(names["variance"], theta=0.3, n=20, epsilon=0.9)
    assert variance == pytest.approx(inference.release_variance(0.3, 20, 0.9))
    draws = names["match"](0.35, 6, 0.8, 20_000, np.random.default_rng(RNG_SEED))
    law = lambda t: inference.jimi_cdf(t, 6 * 0.35, 6, 0.8, form="rounded")  # noqa: E731
    checks.law(draws, law, 20_000)


def test_minimax_agrees_with_the_package() -> None:
    names = solved("minimax_and_means")
    floor = value(names["floor"], n=50, alpha=0.1)
    package = lower_bounds.endpoint_floor(50, TotalVariation(0.1), variant="paper")
    assert floor == pytest.approx(float(package))
    p0, p1 = [0.6, 0.4], [0.55, 0.45]
    package = lower_bounds.le_cam(0.5, 10 * 0.1 * 0.05)
    assert names["two_points"](p0, p1, 1.0, 10, 0.1) == pytest.approx(float(package))


def test_density_agrees_with_the_package() -> None:
    names, law = solved("density"), np.array([0.1, 0.2, 0.3, 0.4])
    mine = value(names["variance"], K=4, n=60, alpha=0.7, q=float(law @ law))
    assert mine == pytest.approx(float(density_estimation.histogram_risk(law, 60, 0.7)))
