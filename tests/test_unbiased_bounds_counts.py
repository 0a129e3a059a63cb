"""One count: closed form, mechanism, linear programme, certificate, and the floors below them."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_frequencies, assert_mean
from scipy.optimize import linprog

from minimaxdp import privacy
from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import ZCDP, Approximate, Local, NonPrivate, Pure, TotalVariation

property_test = settings(max_examples=40, deadline=None, derandomize=True)
epsilons = st.floats(1e-3, 8)


@given(epsilons, st.integers(1, 12))
@property_test
def test_mechanism_is_private_unbiased_and_has_its_variance(epsilon, n):
    best = ub.UnbiasedCount(epsilon, n)
    law, y, s = best.channel(), best.outputs, np.arange(n + 1)
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-12)
    for one, other in pairwise(law):
        assert privacy.dp_epsilon(np.stack([one, other])) <= epsilon * (1 + 1e-9)
    np.testing.assert_allclose(law @ y, s, atol=1e-9 / epsilon)
    moments = ((y - s[:, None]) ** 2 * law).sum(axis=1)
    np.testing.assert_allclose(moments, best.variance(s), rtol=1e-9)


def test_probabilities_below_the_least_double_are_zero_and_the_others_keep_the_guarantee():
    law = ub.UnbiasedCount(40.0, 60).channel()
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=1e-12)
    assert law[60, 0] == 0
    both = np.minimum(law[1:], law[:-1]) > 1e-300
    assert abs(np.log(law[1:][both]) - np.log(law[:-1][both])).max() <= 40 * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-4, 0.5, 3.0, 40.0, 600.0])
@pytest.mark.parametrize(("n", "s"), [(1, 0), (4, 1), (50, 25), (10**6, 10**6)])
def test_closed_form_to_twelve_digits(n, s, epsilon):
    with mpmath.workdps(60):
        b = mpmath.exp(-mpmath.mpf(epsilon))
        exact = b / (1 - b) ** 2 * (2 - (b**s + b ** (n - s)) / (1 + b))
        assert abs(mpmath.mpf(float(ub.count_variance(n, s, epsilon))) / exact - 1) < 1e-12


@pytest.mark.parametrize("b", [Fraction(1, 20), Fraction(1, 2), Fraction(7, 8), Fraction(99, 100)])
def test_certificate_holds_and_gives_the_closed_form(b):
    for n in range(1, 8):
        for s in range(n + 1):
            variance, slack = ub.count_certificate(n, s, b)
            assert slack == 0
            assert variance == b / (1 - b) ** 2 * (2 - (b**s + b ** (n - s)) / (1 + b))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("epsilon", [np.log(2), np.log(3), 2.0])
def test_linear_programme_finds_nothing_better(n, epsilon):
    best = ub.UnbiasedCount(epsilon, n)
    outputs = np.union1d(best.outputs, np.linspace(-2, n + 2, 4 * n + 17))
    for s in range(n + 1):
        found = ub.least_variance(np.arange(n + 1), epsilon, outputs, s)
        assert found == pytest.approx(float(best.variance(s)), rel=1e-8)


def test_every_floor_is_below_the_exact_optimum_and_above_its_half():
    settings_checked = 0
    for n in (1, 2, 3, 5, 10, 100):
        for epsilon in (1e-3, 0.1, 0.5, 1.0, 3.0):
            s = np.arange(n + 1)
            exact = ub.count_variance(n, s, epsilon)
            pure = Pure(epsilon)
            floor = ub.directional_floor(n, n, pure, extreme=True) ** 2  # counts: width n
            assert np.all(floor <= exact * (1 + 1e-12)) and np.all(exact <= 2 * floor)
            assert np.all(ub.query_floor(s, pure) <= exact * (1 + 1e-12))
            slide = ub.directional_floor(n, n, pure) ** 2
            assert np.all(exact >= 4 * slide * (1 - 1e-12)) and np.all(exact <= 8 * slide)
            settings_checked += n + 1
    assert settings_checked >= 50


def test_query_floor_of_a_threshold_is_below_the_programme():
    f = np.array([0, 0, 0, 1, 1])
    for epsilon in (0.5, 1.0, 2.0):
        outputs = np.linspace(-6, 7, 261)
        found = np.array([ub.least_variance(f, epsilon, outputs, s) for s in range(5)])
        floor = ub.query_floor(f, Pure(epsilon))
        assert np.all(floor <= found * (1 + 1e-9))
        assert floor[2] == pytest.approx(1 / (4 * np.sinh(epsilon / 2) ** 2), rel=1e-12)


def test_query_floor_by_brute_force_and_without_overflow():
    f, epsilon = np.random.default_rng(0).normal(size=6), 0.8
    for s in range(6):
        brute = max(
            (f[t] - f[s]) ** 2 / (4 * np.sinh(abs(t - s) * epsilon / 2) ** 2)
            for t in range(6)
            if t != s
        )
        assert ub.query_floor(f, Pure(epsilon))[s] == pytest.approx(brute, rel=1e-12)
    assert np.all(np.isfinite(ub.query_floor(np.arange(3_000), Pure(0.5))))
    # What each report keeps, all of them keep together.
    np.testing.assert_array_equal(ub.query_floor(f, Local(Pure(0.8))), ub.query_floor(f, Pure(0.8)))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.4])
def test_approximate_floor_is_the_exact_optimum_over_a_grid(epsilon, delta):
    if epsilon == delta == 0:
        return
    tau = np.tanh(epsilon / 2)
    s = delta + (1 - delta) * tau**2
    spread = np.array([-1, -tau, tau, 1]) / (2 * s) + 0.5
    outputs = np.union1d(spread, np.linspace(-8, 9, 35))
    k = len(outputs)
    # min (Var_0 + Var_1) / 2 over pairs, slacks for the parts beyond exp(epsilon).
    eye, e = np.eye(k), np.exp(epsilon)
    zero = np.zeros((k, k))
    ratios = np.block([[eye, -e * eye, -eye, zero], [-e * eye, eye, zero, -eye]])
    totals = np.kron([[0, 0, 1, 0], [0, 0, 0, 1]], np.ones(k))
    solved = linprog(
        np.concatenate([outputs**2 / 2, (outputs - 1) ** 2 / 2, np.zeros(2 * k)]),
        A_ub=np.vstack([ratios, totals]),
        b_ub=np.append(np.zeros(2 * k), [delta, delta]),
        A_eq=np.vstack(
            [
                np.kron([[1, 0, 0, 0], [0, 1, 0, 0]], np.ones(k)),
                np.kron([[1, 0, 0, 0], [0, 1, 0, 0]], outputs),
            ]
        ),
        b_eq=[1, 1, 0, 1],
    )
    assert solved.status == 0
    floor = float(ub.approximate_floor(1, Approximate(epsilon, delta)))
    assert solved.fun == pytest.approx(floor, rel=1e-7)
    if epsilon == 0:
        assert ub.approximate_floor(1, TotalVariation(delta)) == floor


def test_approximate_floor_takes_gaps_and_levels_that_fit_together():
    levels = Approximate(1.0, np.array([0.0, 1e-6, 0.1]))
    found = ub.approximate_floor(np.array([[1.0], [2.0]]), levels)
    assert found.shape == (2, 3) and np.allclose(found[1], 4 * found[0], rtol=1e-14, atol=0)
    with pytest.raises(ValueError, match="gap and privacy must"):
        ub.approximate_floor(np.array([1.0, 2.0]), levels)


def test_approximate_floor_contains_pure_privacy_and_its_digits():
    for epsilon in (1e-6, 0.5, 20.0, 600.0):
        pure = Pure(epsilon)
        floor = ub.max_chi_divergence(pure) ** -2
        for stated in (pure, Approximate(epsilon, 0.0), Local(pure)):
            assert ub.approximate_floor(1, stated) == pytest.approx(floor, rel=1e-12)


def test_floors_broadcast_over_levels():
    gap, epsilon, delta = np.array([1.0, 2.0]), np.array([0.1, 1.0])[:, None], 1e-3
    table = ub.approximate_floor(gap, Approximate(epsilon, delta))
    assert table.shape == (2, 2)
    assert table[1, 1] == pytest.approx(
        ub.approximate_floor(2.0, Approximate(1.0, delta)), rel=1e-12
    )
    table = ub.directional_floor(gap, 3, Pure(epsilon))
    assert table[0, 1] == pytest.approx(ub.directional_floor(2.0, 3, Pure(0.1)), rel=1e-12)
    table = ub.packing_floor(np.array([10, 1_000]), 20, Pure(epsilon))
    assert table[0, 1] == pytest.approx(ub.packing_floor(1_000, 20, Pure(0.1)), rel=1e-12)


def test_under_approximate_privacy_one_variance_may_vanish():
    found = ub.least_variance([0, 1], 0.5, [0, 1, 10.0], at=0, delta=0.1)
    assert found == pytest.approx(0, abs=1e-12)
    assert ub.least_variance([0, 1], 0.5, [0, 1, 9.0], at=0) == np.inf


def test_reports_follow_the_law():
    best, size = ub.UnbiasedCount(0.7, 4), 200_000
    for s in (0, 1, 4):
        reports = best.privatize(np.full(size, s), rng=s)
        assert_mean(reports, s)
        places = np.searchsorted(best.outputs, reports - 1e-9)
        assert_frequencies(np.bincount(places, minlength=5), best.channel()[s])
    assert best.privatize(2, rng=0) in best.outputs


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ub.count_variance(2, 3, 1.0), ValueError, "count must be at most n"),
        (lambda: ub.count_variance(2, 1, 0.0), ValueError, "epsilon must be at least"),
        (lambda: ub.count_variance(2, 1.0, 1.0), TypeError, "count must be integers"),
        (lambda: ub.UnbiasedCount(0.0, 3), ValueError, "epsilon"),
        (lambda: ub.UnbiasedCount(1.0, 0), ValueError, "n must be at least 1"),
        (lambda: ub.UnbiasedCount(1.0, 3).privatize(4), ValueError, "count must be at most 3"),
        (lambda: ub.UnbiasedCount(1.0, 3).privatize(1, rng=1.5), TypeError, "rng must be"),
        (lambda: ub.UnbiasedCount(1.0, 3).privatize(1, rng=True), TypeError, "rng must be"),
        (lambda: ub.UnbiasedCount(1.0, 10**6).channel(), ValueError, "n must leave arrays"),
        (lambda: ub.UnbiasedCount(1.0, 10**10).outputs, ValueError, "n must leave arrays"),
        (
            lambda: ub.least_variance(np.arange(5_000), 1.0, np.arange(10_000), 0),
            ValueError,
            "outputs must leave arrays",
        ),
        (lambda: ub.least_variance([0], 1.0, [0, 1], 0), ValueError, "at least two"),
        (lambda: ub.least_variance([0, 1], 1.0, [0, 1], 2), ValueError, "at must be at most 1"),
        (lambda: ub.least_variance([0, 1], 1.0, [0, 1], 0, delta=1), ValueError, "delta"),
        (lambda: ub.count_certificate(13, 0, Fraction(1, 2)), ValueError, "at most 12"),
        (lambda: ub.count_certificate(3, 4, Fraction(1, 2)), ValueError, "count must be at most"),
        (lambda: ub.count_certificate(3, 1, 0.5), TypeError, "b must be a Fraction"),
        (lambda: ub.count_certificate(3, 1, Fraction(1)), ValueError, "b must be less than 1"),
        (lambda: ub.approximate_floor(1, 1.0), TypeError, "^privacy must be a Guarantee"),
        (lambda: ub.approximate_floor(1, ZCDP(1.0)), ValueError, "^privacy must be pure, approx"),
        (
            lambda: ub.approximate_floor(1, NonPrivate()),
            ValueError,
            "^privacy must be pure, approx",
        ),
        (lambda: ub.approximate_floor(-1, Pure(1.0)), ValueError, "^gap must be at least 0"),
        (lambda: ub.query_floor([1], Pure(1.0)), ValueError, "^values must be at least two"),
        (lambda: ub.query_floor([1, 2], Pure([1.0, 2.0])), ValueError, "^privacy must be a single"),
        (lambda: ub.query_floor([1, 2], 1.0), TypeError, "^privacy must be a Guarantee"),
    ],
)
def test_bad_input_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
