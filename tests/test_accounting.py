"""Composed privacy: against rational arithmetic, closed forms, and other ways to a number."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import product
from math import comb, erf

import numpy as np
import pytest
from scipy import stats

from minimaxdp import accounting, channels, divergences, guarantees, privacy
from minimaxdp.accounting import (
    Budget,
    Composition,
    SampledPair,
    Subsampled,
    _compose,
    _grids,
    compose,
    dominating_pair,
    finite_pair,
    normal_limit,
)
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ApproximatePair,
    FinitePair,
    GaussianDP,
    GaussianPair,
    LaplacePair,
    Local,
    Pure,
    ResponsePair,
    TotalVariation,
)
from minimaxdp.laplace import (
    DiscreteLaplace,
    ExactDiscreteGaussian,
    Gaussian,
    Laplace,
    Staircase,
)
from minimaxdp.randomized_response import BinaryRR, KaryRR


@pytest.fixture
def on_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is counted: even two losses go through the convolution."""
    monkeypatch.setattr(_compose, "_MOST_COUNTS", 0)


def exact_delta(p: list[Fraction], q: list[Fraction], k: int, factor: Fraction) -> Fraction:
    total = Fraction(0)
    for outcome in product(range(len(p)), repeat=k):
        one, other = Fraction(1), Fraction(1)
        for i in outcome:
            one, other = one * p[i], other * q[i]
        total += max(one - factor * other, Fraction(0))
    return total


def worlds(zeros: bool) -> list[tuple[list[Fraction], list[Fraction], int]]:
    rng = np.random.default_rng(1)
    found = []
    for size, k in [(2, 1), (2, 5), (2, 7), (3, 2), (3, 5), (4, 3), (5, 3), (9, 2)]:
        for _ in range(3):
            rows = rng.integers(1, 20, size=(2, size))
            if zeros:
                rows[1, 0] = 0
            found.append((*([Fraction(int(v), int(r.sum())) for v in r] for r in rows), k))
    return found


def floats(law: list[Fraction]) -> list[float]:
    return [float(v) for v in law]


@pytest.mark.parametrize("zeros", [False, True])
def test_the_interval_holds_the_rational_delta_by_counts(zeros: bool) -> None:
    for p, q, k in worlds(zeros):
        several = compose(FinitePair(floats(p), floats(q)), times=k)
        for factor in (Fraction(1), Fraction(6, 5), Fraction(3)):
            exact = max(exact_delta(p, q, k, factor), exact_delta(q, p, k, factor))
            low, high = several.delta(float(np.log(float(factor))))
            assert low <= exact <= high
            assert high - low <= 1e-3 * high + 1e-15


@pytest.mark.usefixtures("on_the_grid")
@pytest.mark.parametrize("zeros", [False, True])
def test_the_interval_holds_the_rational_delta_on_the_grid(zeros: bool) -> None:
    for p, q, k in worlds(zeros):
        several = compose(FinitePair(floats(p), floats(q)), times=k)
        for factor in (Fraction(6, 5), Fraction(3)):
            exact = max(exact_delta(p, q, k, factor), exact_delta(q, p, k, factor))
            low, high = several.delta(float(np.log(float(factor))))
            assert low <= exact <= high
            assert high - low <= 2e-3 * high + 1e-15


@pytest.mark.usefixtures("on_the_grid")
def test_the_interval_holds_the_rational_epsilon_on_the_grid() -> None:
    for p, q, k in worlds(False):
        several = compose(FinitePair(floats(p), floats(q)), times=k)
        for factor in (Fraction(6, 5), Fraction(2)):
            delta = max(exact_delta(p, q, k, factor), exact_delta(q, p, k, factor))
            if delta < 1e-20 or delta >= 1:
                continue
            low, high = several.epsilon(float(delta))
            level = float(np.log(float(factor)))
            assert low <= level * (1 + 1e-12) and level * (1 - 1e-12) <= high


@pytest.mark.usefixtures("on_the_grid")
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-12, 1e-20])
def test_the_grid_agrees_with_closed_forms(delta: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for k, epsilon in [(1000, 0.1), (30, 1.0), (10_000, 0.01)]:
        low, high = compose(Pure(epsilon), times=k).epsilon(delta)
        monkeypatch.setattr(_compose, "_MOST_COUNTS", 2_000_000)
        exact = compose(Pure(epsilon), times=k).epsilon(delta)
        monkeypatch.setattr(_compose, "_MOST_COUNTS", 0)
        assert low <= exact.high and exact.low <= high
        assert high - low <= 1e-3 * high
    # Normal losses beside one that says nothing, so that they are convolved.
    nothing = FinitePair([0.5, 0.5], [0.5, 0.5])
    for mu in (0.3, 2.0):
        low, high = compose([GaussianPair(mu), nothing]).epsilon(delta)
        exact = guarantees.gaussian_epsilon(delta, 1 / mu)
        assert low * (1 - 1e-9) <= exact <= high * (1 + 1e-9)
        assert high - low <= 1e-3 * high + 1e-12


@pytest.mark.parametrize(
    "release",
    [
        Laplace(0.1),
        Gaussian(10.0),
        BinaryRR(0.1),
        KaryRR(0.1, 5),
        DiscreteLaplace(0.1, 3),
        ExactDiscreteGaussian(15.0),
        Subsampled(Gaussian(1.0), 0.01),
        Subsampled(Gaussian(1.0), 0.01, "without replacement"),
        Subsampled(Laplace(1.0), 0.02),
    ],
    ids=repr,
)
def test_a_thousand_releases_within_one_part_in_a_thousand(release: object) -> None:
    low, high = compose(release, times=1000).epsilon(1e-6)
    assert 0 < low <= high <= low * (1 + 1.001e-3)


def test_agreement_with_figures_of_another_accountant() -> None:
    # dp-accounting 0.6, privacy loss distributions on a grid of 1e-5, rounded up.
    peers = [
        (Laplace(0.1), 18.95028737),
        (Gaussian(10.0), 19.42369726),
        (Subsampled(Gaussian(1.0), 0.01), 2.12451525),
        (Subsampled(Laplace(1.0), 0.01), 1.28640752),
        (ExactDiscreteGaussian(20.0), 8.30836417),
        (BinaryRR(0.1), 19.35065657),
    ]
    for release, theirs in peers:
        low, high = compose(release, times=1000).epsilon(1e-6)
        assert low <= theirs * (1 + 1e-9)
        assert high >= theirs * (1 - 1e-3)


def test_counts_against_the_whole_channel() -> None:
    flips = channels.power(BinaryRR(0.6).channel(), 6)
    for level in (0.0, 0.4, 2.0):
        exact = privacy.privacy_profile(flips, level, [[0, 63]])
        low, high = compose(BinaryRR(0.6), times=6).delta(level)
        assert low <= exact <= high and high - low < 1e-8


def test_best_composition_of_approximate_privacy() -> None:
    # Kairouz, Oh and Viswanath: 1 - (1 - delta)^k (1 - delta of the pure part).
    for k, epsilon, delta in [(20, 0.2, 1e-4), (3, 1.0, 0.01)]:
        pure = compose(Pure(epsilon), times=k).delta(0.5).high
        expected = 1 - (1 - delta) ** k * (1 - pure)
        found = compose(Approximate(epsilon, delta), times=k).delta(0.5)
        assert found.low <= expected * (1 + 1e-9) and expected * (1 - 1e-9) <= found.high
        assert found.high == pytest.approx(expected, rel=1e-6)


def test_different_budgets_against_the_product() -> None:
    pairs = [ResponsePair(e) for e in (0.2, 0.5, 0.9)]
    p, q = np.ones(1), np.ones(1)
    for pair in pairs:
        p, q = np.outer(p, pair.p).ravel(), np.outer(q, pair.q).ravel()
    for level in (0.0, 0.5, 1.2):
        exact = divergences.hockey_stick(p, q, level)
        low, high = compose(pairs).delta(level)
        assert low <= exact <= high and high - low <= 1e-8


def test_zero_delta_is_the_sum_of_the_largest_losses() -> None:
    assert compose([Pure(0.3), LaplacePair(0.2)], times=5).epsilon(0).high == pytest.approx(2.5)
    assert compose(GaussianDP(0.1)).epsilon(0).high == np.inf
    assert compose(Approximate(0.1, 1e-3), times=10).epsilon(1e-6).high == np.inf
    sampled = compose(Subsampled(Laplace(1.0), 0.1), times=3).epsilon(0).high
    assert sampled == pytest.approx(3 * np.log1p(0.1 * np.expm1(1.0)))


def test_arrays_and_order_of_the_ends() -> None:
    several = compose([Laplace(0.1), Gaussian(20.0)], times=20)
    levels = np.array([[0.1, 0.5], [1.0, 3.0]])
    low, high = several.delta(levels)
    assert low.shape == high.shape == (2, 2)
    assert np.all(np.diff(high.ravel()) <= 0) and np.all(low <= high)
    deltas = np.array([1e-9, 1e-6, 1e-3])
    assert np.all(np.diff(several.epsilon(deltas).high) < 0)
    here = several.delta(1.0)
    assert several.epsilon(here.high).low <= 1.0 <= several.epsilon(here.low).high
    assert several.guarantee(delta=1e-6) == Approximate(several.epsilon(1e-6).high, 1e-6)


def test_a_pair_for_a_channel_of_several_inputs() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        matrix = rng.dirichlet(np.full(4, 0.6), size=3)
        pair = finite_pair(matrix)
        for level in (0.0, 0.3, 1.0, 2.5):
            exact = privacy.privacy_profile(matrix, level)
            assert pair.delta(level) == pytest.approx(exact, rel=1e-9, abs=1e-12)
    two = rng.dirichlet(np.ones(3), size=2)
    assert finite_pair(two) == FinitePair(*two)


def test_which_pair_stands_for_what() -> None:
    assert dominating_pair(Laplace(0.5)) == LaplacePair(0.5)
    assert dominating_pair(Gaussian(2.0)) == GaussianPair(0.5)
    assert dominating_pair(Local(Pure(0.5))) == ResponsePair(0.5)
    assert dominating_pair(TotalVariation(0.1)) == ApproximatePair(0.0, 0.1)
    assert dominating_pair(Staircase(0.7)) == ResponsePair(0.7)
    noise = dominating_pair(DiscreteLaplace(0.6, 3))
    assert noise.losses[0] == pytest.approx([-0.6, -0.2, 0.2, 0.6])
    law = ExactDiscreteGaussian(3.0)
    points = np.arange(-80, 82)
    p, q = (np.exp(law.log_probability(points - s)) for s in (0, 1))
    for level in (0.0, 0.5, 1.0):
        exact = np.maximum(p - np.exp(level) * q, 0).sum()
        assert dominating_pair(law).delta(level) == pytest.approx(exact, rel=1e-9)


def test_laplace_noise_on_a_vector_is_dominated_by_one_number() -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        b, a = np.sort(rng.uniform(0.05, 2.0, size=2))
        for level in rng.uniform(0, a + b, size=3):
            # Claim acc-vector: what splitting the difference over two coordinates saves.
            saved = np.exp((level - a - b) / 2) * min(b, (a + b - level) / 2) / 2
            found = compose([LaplacePair(a), LaplacePair(b)]).delta(level)
            exact = dominating_pair(Laplace(a + b)).delta(level) - saved
            assert found.low * (1 - 1e-9) <= exact <= found.high * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0])
def test_discrete_laplace_noise_on_a_vector_is_dominated_by_one_number(epsilon: float) -> None:
    points = np.arange(-300, 301)

    def law(shift: int) -> np.ndarray:
        return DiscreteLaplace(epsilon).log_probability(points - shift)

    p = np.add.outer(law(0), law(0))
    for a, b in [(1, 1), (2, 1), (2, 2), (4, 3)]:
        one = dominating_pair(DiscreteLaplace(epsilon * (a + b), a + b))
        q = np.add.outer(law(a), law(b))
        for level in np.linspace(0, epsilon * (a + b), 8):
            both = np.maximum(np.exp(p) - np.exp(level + q), 0).sum()
            assert both <= one.delta(level) + 1e-12


def test_normal_integer_noise_on_a_vector_is_not_dominated_by_one_number() -> None:
    points = np.arange(-60, 61)

    def law(shift: int) -> np.ndarray:
        return np.exp(ExactDiscreteGaussian(0.5).log_probability(points - shift))

    apart = [np.multiply.outer(law(0), law(0)), np.multiply.outer(law(3), law(4))]  # 5 in norm
    level = 30.0
    both = np.maximum(apart[0] - np.exp(level) * apart[1], 0).sum()
    one = np.maximum(law(0) - np.exp(level) * law(5), 0).sum()
    assert both > one + 0.05
    with pytest.raises(ValueError, match="release must have sensitivity 1"):
        dominating_pair(ExactDiscreteGaussian(0.5, 5))


# --- samples --------------------------------------------------------------------------------------


BASES = [LaplacePair(1.2), GaussianPair(0.8), ResponsePair(0.7), ApproximatePair(0.5, 0.01)]


@pytest.mark.parametrize("base", BASES, ids=repr)
@pytest.mark.parametrize("rate", [0.01, 0.3, 1.0])
def test_cells_of_a_sample_sum_to_its_profile(base: object, rate: float) -> None:
    edges = np.concatenate([[-np.inf], np.linspace(-9, 9, 2**16), [np.inf]])
    for sampling in ("poisson", "without replacement"):
        pair = SampledPair(base, rate, sampling)
        for side in (pair, pair.swapped):
            p, q = side.cells(edges)
            assert p.sum() + side.impossible == pytest.approx(1.0, abs=1e-12)
            for level in (0.0, 0.2, 0.9):
                if sampling != "poisson" and rate == 1 and level == 0:
                    continue
                by_cells = np.maximum(p - np.exp(level) * q, 0).sum() + side.impossible
                assert by_cells == pytest.approx(side.delta(level), rel=2e-4, abs=1e-9)


def test_a_full_sample_is_no_sample() -> None:
    for base in BASES[:3]:
        for sampling in ("poisson", "without replacement"):
            whole = compose(SampledPair(base, 1.0, sampling), times=5).delta(0.7)
            plain = compose(base, times=5).delta(0.7)
            assert whole.low <= plain.high and plain.low <= whole.high


def test_samples_against_all_samples() -> None:
    rng = np.random.default_rng(5)
    n, m, rate = 4, 2, 0.3
    subsets = [[i for i in range(n) if b[i]] for b in product([0, 1], repeat=n)]
    poisson = [(s, rate ** len(s) * (1 - rate) ** (n - len(s))) for s in subsets]
    fixed = [(s, 1 / comb(n, m)) for s in subsets if len(s) == m]
    near = [[j, j + 1] for j in range(n)]

    def run(matrix: np.ndarray, records: list[int], samples: list) -> np.ndarray:
        return sum(w * matrix[sum(records[i] for i in s)] for s, w in samples)

    for _ in range(10):
        matrix = rng.dirichlet(np.full(3, 1.5), size=n + 1)
        base = finite_pair(matrix, near)
        assert base.swapped is base
        by_coin, by_size = SampledPair(base, rate), SampledPair(base, 0.5, "without replacement")
        for ones in range(1, n):
            one = [1] * ones + [0] * (n - ones)
            other = [1] * (ones - 1) + [0] * (n - ones + 1)
            without = [([i for i in s if i], w) for s, w in poisson]
            with_it, missing = run(matrix, one, poisson), run(matrix, one, without)
            a, b = run(matrix, one, fixed), run(matrix, other, fixed)
            for level in (0.0, 0.1, 0.3, 0.8):
                for p, q, pair in [
                    (with_it, missing, by_coin),
                    (missing, with_it, by_coin.swapped),
                    (a, b, by_size),
                    (b, a, by_size),
                ]:
                    found = divergences.hockey_stick(p, q, level)
                    assert found <= pair.delta(level) + 1e-12


# --- bounds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("k", [1, 10, 300])
def test_bounds_stand_in_their_order(k: int, epsilon: float) -> None:
    best = compose(Pure(epsilon), times=k).epsilon(1e-6)
    assert best.high <= accounting.advanced_epsilon(k, epsilon, 1e-6) * (1 + 1e-9)
    assert compose(Laplace(epsilon), times=k).epsilon(1e-6).low <= best.high
    rho = k * guarantees.pure_to_zcdp(epsilon)
    assert best.low <= guarantees.zcdp_to_approximate(rho, delta=1e-6).epsilon


def test_the_normal_limit_errs_by_less_than_it_says() -> None:
    for pair, k in [(LaplacePair(0.5), 40), (ResponsePair(0.2), 200), (GaussianPair(1.0), 1)]:
        limit = normal_limit(pair, k)
        for level in np.linspace(0, 2 * limit.mean, 5):
            exact, band = compose(pair, times=k).delta(level), limit.delta(level)
            assert band.low <= exact.high and exact.low <= band.high
    flip = normal_limit(ResponsePair(0.4), 7)
    assert flip.mean == pytest.approx(7 * 0.4 * np.tanh(0.2))
    assert flip.variance == pytest.approx(7 * (0.4 / np.cosh(0.2)) ** 2)
    third = stats.bernoulli(1 / (1 + np.exp(-0.4)))
    skew = third.expect(lambda x: abs(x - third.mean()) ** 3) / third.std() ** 3
    assert flip.error == pytest.approx(0.4748 * skew / np.sqrt(7))


def test_conversions_are_vectors_and_no_order_does_better() -> None:
    rho = np.array([0.01, 0.5, 3.0])[:, None]
    delta = np.array([1e-12, 1e-6, 1e-2])
    found = guarantees.zcdp_to_approximate(rho, delta=delta)
    assert found.epsilon.shape == found.order.shape == (3, 3)
    orders = 1 + np.geomspace(1e-4, 1e4, 5000)
    curve = guarantees.renyi_to_approximate(
        orders, (rho * orders)[:, None, :], delta=np.broadcast_to(delta, (3, 3))
    )
    assert np.all(found.epsilon <= curve.epsilon * (1 + 1e-9))
    assert np.allclose(found.epsilon, curve.epsilon, rtol=1e-4)
    back = guarantees.zcdp_to_approximate(rho, epsilon=found.epsilon)
    assert np.allclose(back.delta, np.broadcast_to(delta, (3, 3)), rtol=1e-6)
    for r, d, e in [(0.5, 1e-6, found.epsilon[1, 1]), (3.0, 1e-2, found.epsilon[2, 2])]:
        assert guarantees.gaussian_epsilon(d, 1 / np.sqrt(2 * r)) < e


def test_small_budgets_convert_by_their_scale() -> None:
    """As rho falls, delta at epsilon = 3 sqrt(rho) becomes a constant times sqrt(rho)."""
    rho = np.array([1e-12, 1e-30, 1e-100, 1e-150])
    found = guarantees.zcdp_to_approximate(rho, epsilon=3 * np.sqrt(rho)).delta / np.sqrt(rho)
    assert np.allclose(found, found[0], rtol=1e-5)


# --- budgets --------------------------------------------------------------------------------------


def test_a_budget_adds_in_each_way() -> None:
    pure = Budget(Pure(1.0))
    pure.spend(Pure(0.3), times=3)
    assert pure.left == pytest.approx(0.1) and pure.affords(Laplace(0.05)) == 2
    concentrated = Budget(ZCDP(0.5))
    concentrated.spend(Gaussian(2.0), times=3)
    assert concentrated.left == pytest.approx(0.125)
    basic = Budget(Approximate(1.0, 1e-5), "basic")
    basic.spend(Approximate(0.2, 4e-6), times=2)
    assert basic.affords(Approximate(0.1, 4e-6)) == 0 and basic.affords(Pure(0.1)) == 6
    by_rho = Budget(Approximate(1.0, 1e-6), "zcdp").affords(Gaussian(30.0))
    exactly = Budget(Approximate(1.0, 1e-6)).affords(Gaussian(30.0))
    mu = 1 / guarantees.gaussian_sigma(1.0, 1e-6)
    assert exactly == int(900 * mu**2) > by_rho


@pytest.mark.parametrize(
    ("limit", "method", "release", "fits"),
    [
        (Pure(700.0), None, Pure(400.0), 1),
        (ZCDP(700.0), None, ZCDP(400.0), 1),
        (Approximate(700.0, 0.5), "basic", Pure(400.0), 1),
        (Approximate(700.0, 0.9), "basic", Approximate(0.1, 0.5), 1),
        (Approximate(700.0, 1 - 2**-53), "basic", Approximate(0.1, 0.6), 1),
        (Approximate(700.0, 1e-6), "zcdp", ZCDP(500.0), 1),
        (Approximate(700.0, 1e-6), "exact", Pure(500.0), 1),
    ],
)
def test_a_budget_ends_also_where_levels_end(limit, method, release, fits) -> None:
    budget = Budget(limit, method)
    assert budget.affords(release) == fits
    budget.spend(release, times=fits)
    with pytest.raises(ValueError, match="release must fit the budget"):
        budget.spend(release)


@pytest.mark.parametrize("limit", [Pure(1.0), ZCDP(1.0), Approximate(1.0, 1e-6)], ids=repr)
def test_what_is_spent_is_stated_for_the_budgets_neighbours(limit) -> None:
    limit = dataclasses.replace(limit, relation="add-remove")
    budget = Budget(limit)
    budget.spend(Pure(0.25, relation="add-remove"))
    assert budget.spent.relation == "add-remove"
    assert budget.spent <= limit


def test_what_does_not_fit_is_not_booked() -> None:
    budget = Budget(Approximate(1.0, 1e-6))
    assert budget.spent is None and budget.left == 1.0
    budget.ask(Gaussian(10.0), 3.0, rng=1)
    before = (budget.releases, budget.left)
    with pytest.raises(ValueError, match="release must fit the budget"):
        budget.ask(Laplace(0.9), 3.0, rng=1)
    assert (budget.releases, budget.left) == before


def test_an_answer_within_the_budget_is_the_mechanisms_own() -> None:
    answer = Budget(Pure(1.0)).ask(Laplace(0.5), 10.0, rng=7)
    assert answer == Laplace(0.5).privatize(10.0, rng=7)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: compose([]), ValueError, "releases must hold at least one"),
        (lambda: compose(3.0), TypeError, "release must be a mechanism"),
        (lambda: compose(Pure(0.1), times=0), ValueError, "times must be at least 1"),
        (lambda: compose([Pure(0.1)] * 3, times=5000), ValueError, "releases must be at most"),
        (lambda: compose(ZCDP(0.1)), ValueError, "release must promise something"),
        (lambda: compose(KL(0.1)), ValueError, "release must promise something"),
        (
            lambda: compose([Pure(0.1), Pure(0.1, relation="add-remove")]),
            ValueError,
            "one relation of neighbours",
        ),
        (
            lambda: compose([Laplace(0.1), Subsampled(Laplace(0.1), 0.5)]),
            ValueError,
            "one relation of neighbours",
        ),
        (
            lambda: compose(Pure(0.1), relation="add-remove"),
            ValueError,
            "relation must be that of the releases",
        ),
        (lambda: compose(Pure(0.1), relation="both"), ValueError, "relation must be one of"),
        (lambda: compose([[0.5, 0.6], [0.5, 0.5]]), ValueError, "release must sum to one"),
        (lambda: compose(Pure([0.1, 0.2])), ValueError, "must be a single number"),
        (lambda: compose(Pure(0.1)).epsilon(1.0), ValueError, "delta must be less than 1"),
        (lambda: compose(Pure(0.1)).epsilon(-0.1), ValueError, "delta must be at least 0"),
        (lambda: compose(Pure(0.1)).epsilon(1e-30), ValueError, "delta must be 0 or at least"),
        (lambda: compose(Pure(0.1)).delta(-1.0), ValueError, "epsilon must be at least 0"),
        (lambda: compose(Pure(0.1)).delta(np.inf), ValueError, "epsilon must be finite"),
        (lambda: compose(Pure(0.1)).delta(1.0, rtol=0), ValueError, "rtol must be at least"),
        (lambda: compose(Pure(0.1)).guarantee(), ValueError, "epsilon or delta must be given"),
        (lambda: Composition(()), TypeError, "parts must be a tuple"),
        (lambda: Composition(((1, 2),)), TypeError, "parts must be pairs of laws"),
        (lambda: Subsampled(Laplace(1.0), 1.5), ValueError, "rate must be at most 1"),
        (lambda: Subsampled(Laplace(1.0), -0.1), ValueError, "rate must be greater than 0"),
        (lambda: Subsampled(Laplace(1.0), 0.1, "often"), ValueError, "sampling must be one of"),
        (lambda: Subsampled(Pure(1.0), 0.1), ValueError, "mechanism must be stated under"),
        (
            lambda: SampledPair(FinitePair([0.9, 0.1], [0.5, 0.5]), 0.1),
            ValueError,
            "base must be a symmetric pair",
        ),
        (lambda: SampledPair(1.0, 0.1), TypeError, "base must be a pair of laws"),
        (lambda: finite_pair([[0.5, 0.5]]), ValueError, "channel must have at least two inputs"),
        (lambda: normal_limit(ApproximatePair(0.1, 0.1), 5), ValueError, "must have finite losses"),
        (lambda: normal_limit(1.0, 5), TypeError, "pair must be a pair of laws"),
        (lambda: Budget(KL(1.0)), TypeError, "limit must be Pure, ZCDP or Approximate"),
        (lambda: Budget(Pure(1.0), "exact"), ValueError, "method must be one of basic"),
        (lambda: Budget(Pure(1.0)).spend(Gaussian(1.0)), ValueError, "must follow"),
        (
            lambda: Budget(Pure(1.0)).spend(Pure(0.1, relation="add-remove")),
            ValueError,
            "release must be stated for 'replacement'",
        ),
        (lambda: Budget(Pure(1.0)).ask(Pure(0.1), 3), TypeError, "must have privatize"),
        (
            lambda: guarantees.zcdp_to_approximate(1.0),
            ValueError,
            "epsilon or delta must be given",
        ),
        (
            lambda: guarantees.renyi_to_approximate([1.0], [1.0], delta=0.1),
            ValueError,
            "orders must be greater than 1",
        ),
        (
            lambda: guarantees.renyi_to_approximate([2.0, 3.0], [1.0], delta=0.1),
            ValueError,
            "levels must have 2 entries",
        ),
    ],
)
def test_bad_input_is_refused_by_name(call: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_sensitivities_of_added_noise_may_be_those_of_one_record_more_or_less() -> None:
    mixed = compose([Laplace(0.1), Subsampled(Laplace(0.1), 0.5)], relation="add-remove")
    assert mixed.relation == "add-remove"
    assert mixed.guarantee(delta=1e-6).relation == "add-remove"


def test_equal_releases_are_one_pair_and_channels_of_any_type_are_read() -> None:
    channel = ((0.6, 0.4), (0.4, 0.6))
    apart = accounting.compose([Pure(0.1) for _ in range(3)])
    assert apart.parts == accounting.compose(Pure(0.1), times=3).parts
    for form in (channel, list(map(list, channel)), tuple(map(list, channel)), np.array(channel)):
        assert accounting.compose([form, form]).parts[0][1] == 2


@pytest.mark.parametrize("least", [1e-7, 1e-5, 3e-4, 0.07, 1.0, 55.0, 9e4, 1e5, 1e7])
def test_the_search_in_two_stages_finds_the_best_of_all_tilts(least):
    def seek(tilts):
        return float(tilts[abs(np.log(tilts / least)).argmin()])

    assert _grids._where_least(seek) == seek(_grids._TILTS)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64, 99])
def test_powers_of_a_spectrum_are_as_exact_as_their_bound_says(count):
    real, imaginary = Fraction(1), Fraction(0)  # of (3 + 2i) / 4, to the count
    for _ in range(count):
        real, imaginary = (3 * real - 2 * imaginary) / 4, (2 * real + 3 * imaginary) / 4
    found = _grids._power(np.array([0.75 + 0.5j]), count)[0]
    off = (Fraction(found.real) - real) ** 2 + (Fraction(found.imag) - imaginary) ** 2
    assert off <= 5 * (count * Fraction(1, 2**53)) ** 2 * (real**2 + imaginary**2)


@pytest.mark.parametrize("rare", [1e-3, 1e-300, 1e-310, 5e-324])
def test_losses_between_two_nodes_are_rounded_up(rare):
    pair = guarantees.FinitePair([0.9, 0.1], [1 - rare, rare])
    loss = pair.losses[0][-1]
    grid = _grids._rounded_up(pair, -0.35, 0.7, 1200)
    near = abs(grid.losses - loss) < 0.7
    assert grid.p[near].sum() == pytest.approx(0.1, rel=1e-12)
    mean = (grid.p[near] * np.exp(loss - grid.losses[near])).sum()
    # In the cell the mean of exp(-loss) is kept, or falls where it is no double.
    assert mean < 0.1 * (1 + 1e-9) and (rare < 1e-307 or mean > 0.1 * (1 - 1e-9))
    assert rare > 1e-307 or np.all(grid.losses[near] > loss)


@pytest.mark.parametrize("mu", [1e-8, 1e-3])
def test_a_normal_limit_of_a_gaussian_loses_no_digits(mu: float) -> None:
    delta = accounting.NormalLimit(mu**2 / 2, mu**2, 0.0).normal_delta(0.0)
    assert delta == pytest.approx(erf(mu / 2**1.5), rel=1e-14)


DISJOINT = FinitePair([1.0, 0.0], [0.0, 1.0])


@pytest.mark.parametrize("shown", [DISJOINT, SampledPair(DISJOINT, 1.0)])
@pytest.mark.parametrize("others", [[], [LaplacePair(0.5)], [TotalVariation(0.1)]])
def test_what_gives_everything_away_leaves_no_promise(shown: object, others: list[object]) -> None:
    together = compose([shown, *others], times=3)
    assert together.delta([0.0, 5.0]).low.tolist() == [1.0, 1.0]
    assert together.epsilon([0.0, 0.5]).low.tolist() == [np.inf, np.inf]
    with pytest.raises(ValueError, match="epsilon must leave a delta below 1"):
        together.guarantee(epsilon=1.0)


def test_a_delta_that_rounds_to_one_is_not_promised() -> None:
    """0.5**100 of the secret is kept: no double below one is as large as its complement."""
    with pytest.raises(ValueError, match="epsilon must leave a delta below 1"):
        compose(Approximate(0.1, 0.5), times=100).guarantee(epsilon=5.0)


def test_a_rare_sample_at_a_large_epsilon() -> None:
    base, rate = guarantees.GaussianPair(30.0), 1e-20
    pair = accounting.SampledPair(base, rate)
    for epsilon in (300.0, 600.0):  # ln(1 + (e^eps - 1)/r) = eps + ln(1/r)
        inner = epsilon + 20 * np.log(10)
        assert pair.delta(epsilon) == pytest.approx(rate * base.delta(inner), rel=1e-12)
    # No base is asked beyond 700, where its delta is an upper bound.
    assert pair.delta([690.0, 700.0]) == pytest.approx(rate * base.delta(700.0))
    tiny = accounting.SampledPair(base, 5e-324)
    assert 0 <= tiny.delta(1.0) <= 5e-324
