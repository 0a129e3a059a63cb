"""What is refused where it seldom is: each call reaches a check that nothing else asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sympy

from minimaxdp import (
    accounting,
    definitions,
    divergences,
    inference,
    k_anonymity,
    laplace,
    lower_bounds,
    mean_estimation,
    mechanisms,
    randomized_response,
    reconstruction,
    results,
    unbiased_bounds,
)
from minimaxdp import density_estimation as density
from minimaxdp._operations import NUMPY
from minimaxdp.accounting import _grids
from minimaxdp.book import explorables, small_worlds
from minimaxdp.certify import (
    Induction,
    Inequality,
    Piece,
    Refused,
    induction,
    inequality,
    optimum,
    polynomial_bound,
    vanishes,
)
from minimaxdp.certify import _inequalities as inequalities
from minimaxdp.certify import _polynomials as polynomials
from minimaxdp.certify._intervals import Outside, interval, precision
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ChiSquare,
    ConditionalTesting,
    FinitePair,
    Guarantee,
    LaplacePair,
    Local,
    Pure,
    Smooth,
    TotalVariation,
    renyi_to_approximate,
    rule,
)
from minimaxdp.lower_bounds._forms import mean_forms

x, y, n, b, p = sympy.symbols("x y n b p")
oo = sympy.oo
LONG = sum(x**i * n for i in range(250))
SEXES = pd.DataFrame({"sex": ["F", "M"]})
BOX = {x: (0, 1), y: (0, 1)}


def control(values: Any = (1.0, 2.0, 3.0), **given: Any) -> Any:
    return explorables.Control("size", values, "size", **given)


def noise_at(data: Any, points: Any) -> Any:
    return density.GaussianProcessDensity(1.0, 0.1).values(data, points)


def steps(closed: Any = n + 1, **given: Any) -> Any:
    told = {"step": p + 1, "base": (sympy.S.One,), "previous": (p,), "n": n, "start": 0}
    return induction(closed, **(told | given))


REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (TypeError, "release must state its privacy as a Guarantee, got 3",
     lambda: accounting.Budget(Pure(1.0)).spend(3)),
    (TypeError, "mechanism must have a privacy loss: release must be",
     lambda: accounting.Subsampled(SimpleNamespace(), 0.5)),
    (ValueError, "mechanism must have a privacy loss: release must promise",
     lambda: accounting.Subsampled(SimpleNamespace(privacy=KL(1.0)), 0.5)),
    (ValueError, "values must be numbers in one row, got shape (2, 2)",
     lambda: control([[1.0, 2.0], [3.0, 4.0]])),
    (TypeError, "names must be a sequence of str, got 'abc'", lambda: control(names="abc")),
    (TypeError, "names must be a sequence of str, got 3", lambda: control(names=3)),
    (TypeError, "definition must be one of Pure",
     lambda: definitions.guarantee_of(np.full((2, 2), 0.5), "pure")),
    (ValueError, "radii must be 3 numbers, got shape (2, 3)",
     lambda: density.PrivateHaar(1.0, 3).keep(np.zeros(7), 100, radii=np.zeros((2, 3)))),
    (ValueError, "data must be a vector, got shape (1, 1)", lambda: noise_at([[0.1]], [0.5])),
    (ValueError, "x must be a vector, got shape (1, 1)", lambda: noise_at([0.1], [[0.5]])),
    (ValueError, "x must have at most 4000 points, got 4001",
     lambda: noise_at([0.1], np.linspace(0, 1, 4001))),
    (ValueError, "weights must be a vector, got shape (1, 2)",
     lambda: density.GaussianMixture([[0.5, 0.5]], [0.0, 1.0], [1.0, 1.0])),
    (ValueError, "means and sigmas must share a shape (m, d), got (2, 1)",
     lambda: density.GaussianMixture([0.5, 0.5], [0.0, 1.0], [1.0, 1.0, 1.0])),
    (TypeError, "f must return a number for each",
     lambda: divergences.f_divergence([0.5, 0.5], [0.5, 0.5], lambda t: 0.0)),
    (TypeError, "f must return a number for each",
     lambda: divergences.f_divergence([0.5, 0.5], [0.5, 0.5], lambda t: np.array(["a"]))),
    (TypeError, "a guarantee must be of a definition", Guarantee),
    (TypeError, "target must be a definition, got 'ZCDP'",
     lambda: Pure(1.0).can_imply("ZCDP")),  # type: ignore[arg-type]
    (TypeError, "target must be a definition, got 'x'",
     lambda: rule(Pure, "x", "a theorem")),  # type: ignore[arg-type]
    (TypeError, "source must be a definition, got 3",
     lambda: rule(3, Pure, "a theorem")),  # type: ignore[arg-type]
    (ValueError, "orders must be a vector", lambda: renyi_to_approximate(2.0, 1.0, delta=1e-6)),
    (ValueError, "orders must be a vector",
     lambda: renyi_to_approximate([[2.0]], [[1.0]], delta=1e-6)),
    (ValueError, "alpha must be below 1", lambda: TotalVariation(1.0).implies(Approximate)),
    (TypeError, "'<=' not supported", lambda: Pure(1.0) <= 3),
    (TypeError, "'<' not supported", lambda: Pure(1.0) < 3),
    (ValueError, "domain must hold records of one shape",
     lambda: laplace.global_sensitivity(lambda z: z.mean(axis=1), [[1, 2], [3]], 2)),
    (TypeError, "query must turn records of the domain into numbers",
     lambda: laplace.global_sensitivity(lambda z: [object()] * len(z), [0, 1], 2)),  # type: ignore[arg-type]
    (ValueError, "columns must run along the first axis", lambda: lower_bounds.fisher_trace(3.0)),
    (ValueError, "records must be a table of people and coordinates, got (2, 2, 2)",
     lambda: lower_bounds.tracing_scores(np.zeros((2, 2, 2)), [0.0, 0.0], [0.0, 0.0])),
    (ValueError, "privacy must be of the relation replacement",
     lambda: results.cell("proportion", Pure(1.0, relation="add-remove"), results.Setting(n=10))),
    (ValueError, "sizes must be one number for each attribute, got [[2, 2]]",
     lambda: unbiased_bounds.marginal_workload([[2, 2]], 1)),
    (ValueError, "sizes must be one number for each attribute, got 2",
     lambda: unbiased_bounds.marginal_workload(2, 1)),
    (TypeError, "mechanism must have privatize or release",
     lambda: mechanisms.check_mechanism(SimpleNamespace(privacy=Pure(1.0)))),
    (ValueError, "columns must name at least one column",
     lambda: reconstruction.count_table(SEXES, SEXES, [])),
    (ValueError, "kinds must have columns of different names",
     lambda: reconstruction.solutions({}, pd.concat([SEXES, SEXES], axis=1))),
    (ValueError, "privacy must allow some lower bound",
     lambda: lower_bounds.mean_floor(10, 2, ConditionalTesting(0.5, 1.0), k=2)),
    (ValueError, "constant must leave a best grid of at most ten million cells",
     lambda: density.private_density([0.1, 0.9], 0.0, 1.0, 1.0, constant=1e20)),
    (ValueError, "privacy's epsilon must be a single number",
     lambda: results.formula("proportion", Pure(np.array([0.5, 3.0])))),
    # What an object of a large number holds only where it is asked for it.
    (ValueError, "d must leave arrays", lambda: randomized_response.KaryRR(1.0, 2**31).inputs),
    (ValueError, "d must leave arrays", lambda: randomized_response.KaryRR(1.0, 2**31).outputs),
    (ValueError, "d must leave arrays",
     lambda: randomized_response.HadamardResponse(1.0, 2**31).outputs),
    (ValueError, "n must leave arrays", lambda: unbiased_bounds.UnbiasedCount(1.0, 2**31).inputs),
    (ValueError, "n must leave arrays", lambda: lower_bounds.RankedMaximum(2**31, 0.1).neighbours),
    (ValueError, "n must leave arrays",
     lambda: mean_estimation.SubsetReports(2**31, 2, 1.0, 1).neighbours),
    (ValueError, "n must leave arrays",
     lambda: mean_estimation.LocatedMean(2**31, 1.0, 2.0, 1.0, 1.0, 50).neighbours),
    (ValueError, "n must leave arrays",
     lambda: mean_estimation.PrivateMean.calibrated(Pure(1.0), n=2**31, d=2).neighbours),
    (ValueError, "n must leave arrays",
     lambda: mean_estimation.CertifiedMean(2**31, 1.0, 0.5).neighbours),
    (ValueError, "n and alphabet must leave arrays", lambda: lower_bounds.histograms(1, 2**60)),
    # Certificates: by their form, then by what they say.
    (TypeError, "pieces must be a tuple",
     lambda: Inequality(x, {x: (1, 2)}, [Piece(F(1), F(2), "value")])),  # type: ignore[arg-type]
    (TypeError, "pieces must be of the class Piece", lambda: Inequality(x, {x: (1, 2)}, ((),))),
    (ValueError, "closed must have at most 400 operations", lambda: steps(LONG)),
    (ValueError, "step must have at most 400 operations", lambda: steps(step=LONG.subs(n, p))),
    (Refused, "closed is not shown to agree with the base at n = 0: -4",
     Induction(
         closed=n + 1, step=p + 1, base=(sympy.Integer(5),), previous=(p,), n=n, start=0).verify),
    (Refused, "at n = 0 it is off by 1/1000000000000000000000000000000",
     lambda: steps(n + 1 + sympy.Rational(1, 10**30))),
    (Refused, "expression is not shown to be positive at x = 1",
     Inequality((x - 1) ** 2, {x: (0, 2)}, (
         Piece(F(0), F(1), "right", 2), Piece(F(1), F(2), "left", 2))).verify),
    (Refused, "pieces must cover the range, but they end at 1",
     Inequality(x, {x: (0, 2)}, (Piece(F(0), F(1), "left", 1),)).verify),
    (Refused, "pieces must verify, but the box",
     Inequality(sympy.log(x) + y, {x: (-1, 1), y: (0, 1)}, ()).verify),
    (Refused, "expression is not decided on the ranges",  # its one zero is no fraction
     lambda: inequality((x - sympy.sqrt(2) / 2) ** 2 + (y - sympy.sqrt(3) / 3) ** 2, BOX)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "message", "call"),
    REFUSED,
    ids=[f"{i} {told[:20]}" for i, (_, told, _) in enumerate(REFUSED)],
)
def test_it_is_refused_by_name(
    kind: type[Exception], message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        call()


def failed(*_: Any, **__: Any) -> Any:
    return SimpleNamespace(status=1, success=False, x=None, message="time is over")


SEX_TABLE = pd.Series({"F": 1, "M": 1}).rename_axis("sex")
SOLVERS: list[tuple[str, type[Exception], Callable[[], Any]]] = [
    ("minimaxdp.certify._programmes.linprog", Refused,
     lambda: optimum([1, 1], at_most=([[-1, -2]], [-1]))),
    ("scipy.optimize.linprog", RuntimeError,
     lambda: reconstruction.from_subset_counts(np.eye(2, dtype=int), [1, 0])),
    ("scipy.optimize.milp", RuntimeError,
     lambda: reconstruction.solutions({"sex": SEX_TABLE}, SEXES)),
    ("scipy.optimize.milp", RuntimeError,
     lambda: reconstruction.closest({"sex": SEX_TABLE}, SEXES)),
    ("minimaxdp.inference._optimal_tests.linprog", RuntimeError,
     lambda: inference.optimal_power(0.8, 3, 0.5, 1.0, alpha=0.05)),
    ("minimaxdp.unbiased_bounds._counts.linprog", RuntimeError,
     lambda: unbiased_bounds.least_variance([0, 1, 2], 1.0, [-1.0, 0.0, 1.0, 3.0], at=1)),
    ("minimaxdp.lower_bounds._optimal_channel.linprog", ArithmeticError,
     lambda: lower_bounds.optimal_local_channel(lower_bounds.fisher_trace, 3, Local(Pure(1.0)))),
    ("minimaxdp.lower_bounds._exact.linprog", ArithmeticError,
     lambda: lower_bounds.minimax_channel(np.eye(2), 1 - np.eye(2), Pure(1.0))),
    ("minimaxdp.mean_estimation._plane.linprog", ArithmeticError,
     lambda: mean_estimation.plane_minimax(1, Pure(1.0))),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "call"), SOLVERS, ids=[f"{i}" for i in range(9)])
def test_a_solver_that_gives_up_is_told(
    name: str, kind: type[Exception], call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives_up(*_: Any, **__: Any) -> Any:
        return SimpleNamespace(status=1, success=False, x=None, message="time is over")

    call()
    monkeypatch.setattr(name, gives_up)
    with pytest.raises(kind, match="time is over"):
        call()


def test_an_answer_in_parts_of_people_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    half = SimpleNamespace(status=0, x=np.array([0.6, 1.4]), message="")
    monkeypatch.setattr("scipy.optimize.milp", lambda *_, **__: half)
    table = pd.Series({"F": 2, "M": 1}).rename_axis("sex")
    with pytest.raises(RuntimeError, match="its answer is not whole"):
        reconstruction.solutions({"sex": table}, SEXES)


# --- certificates: where a search gives up, and what a false one says -----------------------------


def test_a_search_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    lens = inequality(x * y - x - y + 2, BOX)
    boxes = 2 * lens.size - 1  # with those that were halved
    assert lens.size > 1
    line, parabola = (x - sympy.Rational(1, 3)) ** 2 + F(1, 1000), [F(1), F(-3, 5), F(1)]
    for file, limit, call in (
        (inequalities, boxes, lambda: inequality(lens.expression, BOX)),
        (inequalities, 1, lambda: inequality(line, {x: (0, 1)})),
        (polynomials, 1, lambda: polynomial_bound(parabola, F(9, 100))),  # halved once
    ):
        monkeypatch.setattr(file, "_MOST", limit)
        assert call().verify()
        monkeypatch.setattr(file, "_MOST", limit - 1)
        with pytest.raises(Refused, match="not decided"):
            call()


def test_a_power_of_which_half_is_asked_vanishes_with_the_whole() -> None:
    assert vanishes(b ** (n / 2) * b ** (n / 2) - b**n)
    assert not vanishes(b ** (n / 2) - b**n)


def test_one_piece_from_the_end_at_zero_reaches_to_infinity() -> None:
    assert inequality(-x, {x: (-oo, 0)}).pieces == (Piece(float("-inf"), F(0), "right", 1),)


def test_a_size_of_the_fiducial_test_is_enclosed_or_refused() -> None:
    found = inference.critical_value(3, 0.5, 1.0, method="jimi")
    low, high = (F(round((found + h) * 10**9), 10**9) for h in (-2e-6, 2e-6))
    told = small_worlds.FiducialSize(
        3, F(1), F(1, 2), low, high, F(527102, 10**7), F(527106, 10**7)
    )
    assert told.verify()
    for changed, message in (
        ({"low": low + F(4, 10**6), "high": high + F(4, 10**6)}, "low must not be rejected"),
        ({"low": low - F(4, 10**6), "high": high - F(4, 10**6)}, "high must be rejected"),
        ({"least": F(527103, 10**7)}, "least and most must bound the size"),
        ({"most": F(527105, 10**7)}, "least and most must bound the size"),
    ):
        with pytest.raises(Refused, match=message):
            replace(told, **changed).verify()


def test_only_few_people_leave_even_their_largest_count_unrejected() -> None:
    assert small_worlds._NeverRejects(30).verify()
    with pytest.raises(Refused, match="the largest count is rejected"):
        small_worlds._NeverRejects(40).verify()


def test_kinds_that_can_be_traded_are_no_only_solution() -> None:
    kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    tables = {name: reconstruction.count_table(kinds, kinds, [name]) for name in kinds}
    with pytest.raises(Refused, match="their kinds can be traded"):
        reconstruction.only_solution(tables, kinds, kinds)
    some = kinds.iloc[[0, 0, 2]]
    tables = {name: reconstruction.count_table(some, kinds, [name]) for name in kinds}
    found = reconstruction.only_solution(tables, kinds, some)
    assert found.verify()
    for changed, kind, message in (
        ({"cells": (-1, *found.cells[1:])}, ValueError, "cells must number cells from 0 to 3"),
        ({"cells": (4, *found.cells[1:])}, ValueError, "cells must number cells from 0 to 3"),
        ({"cells": (0.0, *found.cells[1:])}, ValueError, "cells must number cells from 0 to 3"),
        ({"inverse": (found.inverse[0][:1], *found.inverse[1:])}, ValueError, "a square matrix"),
        ({"inverse": tuple(tuple(map(float, row)) for row in found.inverse)}, TypeError,
         "inverse must hold fractions"),
    ):  # fmt: skip
        with pytest.raises(kind, match=message):
            replace(found, **changed)


def test_nobody_is_the_only_solution_of_empty_tables() -> None:
    nobody = SEXES.iloc[:0]
    table = reconstruction.count_table(nobody, SEXES, ["sex"])
    found = reconstruction.only_solution({"sex": table}, SEXES, nobody)
    assert found.verify() and (found.cells, found.inverse) == ((), ())


# --- values that no example reaches ---------------------------------------------------------------


def test_groups_and_forms_of_the_rarer_definitions() -> None:
    assert TotalVariation(0.4).group(2) == TotalVariation(0.8)
    assert TotalVariation(0.4).group(3) == TotalVariation(1.0)
    assert Smooth(0.5, 2.0).group(3) == Smooth(0.5, 6.0)
    assert Local(Pure(0.5)).group(3) == Local(Pure(1.5))
    assert ChiSquare(0.5).mu_squared_form() == pytest.approx(np.log(1.5))
    assert FinitePair([0.5, 0.5], [0.4, 0.6]) != 1
    assert density.GaussianProcessDensity(0.5, 0.1).privacy == ZCDP(0.5)


def test_noise_of_which_almost_all_is_cut_is_uniform_on_a_cell() -> None:
    noise = inference.Tulap(1.0, 1 - 2.0**-53)
    assert noise.cut()[0] == 0 and noise.variance == pytest.approx(1 / 12)


def test_two_people_of_whom_one_is_drawn_at_random_make_a_histogram() -> None:
    """Of all numbers of cells the best, each shrunk to the uniform density, from one person."""
    bins = np.arange(1.0, 7.0)
    bias = 1 / 12 / bins**2
    noise = bins - 1
    rest = 1 / 12 - bias
    best = (bias + rest * noise / np.maximum(rest + noise, 1e-300)).min()
    cell = results.cell("density", TotalVariation(0.5), results.Setting(n=2))
    assert cell.method == "shrunk histogram of a subset"
    assert cell.risk == pytest.approx(best)


def test_values_that_cannot_be_sorted_stay_in_their_order() -> None:
    made = k_anonymity.set_hierarchy(["b", 1, "a"], [["b", 1], ["a"]])
    assert made.values == ("b", 1, "a")


def test_a_budget_adds_up_what_has_a_pure_or_an_approximate_level() -> None:
    budget = accounting.Budget(Approximate(1.0, 1e-6), method="basic")
    with pytest.raises(ValueError, match="release must be stated as Pure or Approximate"):
        budget.spend(ZCDP(0.1))
    budget.spend(Pure(0.25))
    assert budget.left == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("name", "low", "high", "inside"),
    [
        ("logarithm", F(0), F(1), False), ("logarithm", F(1, 10**9), F(1), True),
        ("artanh", F(-1), F(0), False), ("artanh", F(0), F(1), False),
        ("artanh", F(-999, 1000), F(999, 1000), True),
        ("root", F(-1, 10**9), F(1), False), ("root", F(0), F(1), True),
        ("inverse", F(0), F(1), False), ("inverse", F(-1), F(0), False),
        ("inverse", F(-1), F(1), False), ("inverse", F(1, 10**9), F(1), True),
        ("inverse", F(-1), F(-1, 10**9), True),
    ],
)  # fmt: skip
def test_a_function_ends_where_it_is_defined(name: str, low: F, high: F, inside: bool) -> None:
    with precision(64):
        found = getattr(interval(low, high), name)
        if inside:
            assert found().low <= found().high
            return
        with pytest.raises(Outside):
            found()


def test_halving_ends_at_a_width_of_two_to_the_minus_sixty() -> None:
    for f, ranges, least in (
        ((x**2 - sympy.Rational(1, 2)) ** 2, {x: (0, 1)}, 60),
        ((x**2 - sympy.Rational(1, 2)) ** 2 + (y**2 - sympy.Rational(1, 3)) ** 2, BOX, 50),
    ):
        with pytest.raises(Refused, match="not decided") as told:
            inequality(f, ranges)
        widths = {high - low for low, high in told.value.where.values()}
        assert max(widths) == F(1, 2 ** (least + 1))


def test_a_formula_may_have_so_many_operations_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minimaxdp.certify._identities._LARGEST", 3)
    eight = 1 + x**2 + x**3 + x**4 + x**5
    assert (eight + y).count_ops() == 9 and not vanishes(eight + y)
    with pytest.raises(ValueError, match="formula must have at most 9 operations"):
        vanishes(eight + 2 * y)


def test_one_delta_among_others_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="delta must be 0 or at least"):
        accounting.compose(LaplacePair(0.1)).epsilon([0.1, 1e-26])


def test_a_programme_of_few_rows_and_many_outputs_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("minimaxdp.lower_bounds._exact._LARGEST_PROGRAMME", 14)
    with pytest.raises(ValueError, match="n and outputs must leave a programme"):
        lower_bounds.bernoulli_minimax(2, Pure(1.0), outputs=5)


@pytest.mark.parametrize("f", [x - sympy.tanh(x), x - sympy.log(1 + x), x * sympy.exp(-x)])
def test_what_is_shown_on_one_side_is_shown_on_the_other_by_the_mirror(f: Any) -> None:
    turned = {"left": "right", "right": "left", "value": "value", "slope": "slope"}
    right = inequality(f + x**4 / 1000, {x: (0, oo)}).pieces
    left = inequality(f.subs(x, -x) + x**4 / 1000, {x: (-oo, 0)}).pieces
    assert left == tuple(
        Piece(-piece.high, -piece.low, turned[piece.reason], piece.order)
        for piece in reversed(right)
    )


def test_losses_that_are_nearly_on_a_lattice_are_not_taken_for_one() -> None:
    for second, step in ((0.6, 0.3 / 23), (0.6 * (1 + 3e-6), 0.013)):
        # Losses of 0.3 and the second, either way.
        a, b = np.exp(-0.3), np.exp(-second)
        p = np.array([1.0, a, b, 1.0])
        q = np.array([a, 1.0, 1.0, b])
        pair = FinitePair(p / p.sum(), q / q.sum())
        assert _grids._aligned([(pair, 1)], [(0.0, 0.6)], 0.013) == pytest.approx(step)


def test_levels_of_which_some_are_without_delta_are_each_answered() -> None:
    mixed = Approximate(np.array([1.0, 1.0]), np.array([0.0, 1e-3]))
    found = mean_forms(NUMPY, 1000, 4, mixed, 1.0)["packing"]
    each = [mean_forms(NUMPY, 1000, 4, Approximate(1.0, d), 1.0)["packing"] for d in (0.0, 1e-3)]
    assert found == pytest.approx(np.array(each)) and each[0] != pytest.approx(each[1])


def test_integers_whose_range_is_no_integer_are_as_wide_as_others() -> None:
    far = [-9 * 10**18, -8 * 10**18, -1, 1, 8 * 10**18, 9 * 10**18]
    table = pd.DataFrame({"near": [0, 3, 1, 4, 2, 5], "far": far})
    made = k_anonymity.mondrian(table, ["near", "far"], 3)  # of two as wide the first is cut
    assert made["near"].tolist() == ["[0, 2]", "[3, 5]"] * 3


def test_a_release_that_no_proportion_explains_alone_leaves_the_end() -> None:
    """Both intervals meet in 0 alone: the difference is one that noise alone exceeds surely."""
    for released, alternative, p_value in (
        ([-1000.0, 5.0], "greater", 1.0), ([-1000.0, 5.0], "less", 1e-3),
        ([5.0, -1000.0], "less", 1.0), ([5.0, -1000.0], "greater", 1e-3),
    ):  # fmt: skip
        found = inference.two_sample_p_value(
            released, [10, 10], 1.0, nuisance="confidence", alternative=alternative
        )
        assert found == pytest.approx(p_value, rel=1e-9)
