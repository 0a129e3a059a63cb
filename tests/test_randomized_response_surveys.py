"""Survey designs, and anonymous reports: against rational arithmetic and against each other."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from minimaxdp import divergences, privacy
from minimaxdp.guarantees import Approximate, Local, NonPrivate, Pure
from minimaxdp.randomized_response import (
    BinaryRR,
    SurveyDesign,
    _enclosure,
    clones_epsilon,
    shuffled_budget,
    shuffled_delta,
    shuffled_enclosure,
    shuffled_epsilon,
)
from minimaxdp.randomized_response._enclosure import _first, _outward, _tied_term, enclosed

# --- designs ----------------------------------------------------------------------------------

DESIGNS = {
    "warner": SurveyDesign.warner(0.7),
    "forced": SurveyDesign.forced(1 / 6, 1 / 6),
    "lopsided": SurveyDesign.forced(0.1, 0.3),
    "unrelated": SurveyDesign.unrelated(0.5, 2 / 3),
    "crosswise": SurveyDesign.crosswise(0.25),
}
design = pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)


@design
def test_a_design_spends_what_its_channel_spends(design: SurveyDesign) -> None:
    assert design.epsilon == pytest.approx(privacy.dp_epsilon(design.channel()), rel=1e-13)
    assert design.privacy == Local(Pure(design.epsilon))
    yes, no = design.budgets
    assert design.epsilon == max(yes, no)
    assert yes == pytest.approx(abs(np.log(design.yes_with / design.yes_without)), rel=1e-13)


@design
def test_the_estimate_of_a_design_is_unbiased_with_the_stated_risk(design: SurveyDesign) -> None:
    n, theta = 7, 0.3
    heard = design.yes_without + (design.yes_with - design.yes_without) * theta
    law = np.array([comb(n, k) * heard**k * (1 - heard) ** (n - k) for k in range(n + 1)])
    estimate = design.estimate(np.arange(n + 1), n)
    assert law @ estimate == pytest.approx(theta, rel=1e-12)
    assert law @ (estimate - theta) ** 2 == pytest.approx(design.risk(theta, n), rel=1e-12)


def test_designs_that_are_one_channel() -> None:
    assert SurveyDesign.warner(0.75).channel() == pytest.approx(BinaryRR(np.log(3)).channel())
    assert SurveyDesign.crosswise(0.25).channel() == pytest.approx(
        SurveyDesign.warner(0.25).channel()
    )
    assert SurveyDesign.unrelated(2 / 3, 0.5).channel() == pytest.approx(
        SurveyDesign.forced(1 / 6, 1 / 6).channel()
    )


# Counts of surveys that were taken, with their published estimates.
@pytest.mark.parametrize(
    ("design", "yes", "n", "share", "error", "epsilon"),
    [
        (DESIGNS["forced"], 831, 2435, 0.262, 0.014, np.log(5)),
        (DESIGNS["warner"], 60, 125, 0.450, 0.112, np.log(7 / 3)),
        (DESIGNS["unrelated"], 165, 411, 0.136, 0.048, np.log(4)),
        (DESIGNS["crosswise"], 198, 310, 0.223, 0.055, np.log(3)),
    ],
    ids=["Nigeria", "alcohol", "bullied", "plagiarism"],
)
def test_real_surveys(design, yes, n, share, error, epsilon) -> None:
    assert design.estimate(yes, n) == pytest.approx(share, abs=6e-4)
    assert design.standard_error(yes, n) == pytest.approx(error, abs=6e-4)
    assert design.epsilon == pytest.approx(epsilon, rel=1e-12)
    low, high = design.interval(yes, n)
    assert low < share < high


def test_the_interval_of_a_design_covers_exactly() -> None:
    design, n = SurveyDesign.crosswise(0.3), 40
    for theta in (0.0, 0.05, 0.4, 1.0):
        heard = design.yes_without + (design.yes_with - design.yes_without) * theta
        law = [comb(n, k) * heard**k * (1 - heard) ** (n - k) for k in range(n + 1)]
        ends = [design.interval(k, n, 0.9) for k in range(n + 1)]
        covered = [low - 1e-12 <= theta <= high + 1e-12 for low, high in ends]
        assert np.dot(law, covered) >= 0.9


def test_an_answer_that_proves_something_is_not_private() -> None:
    for lopsided in (
        SurveyDesign.forced(1 / 3, 0),
        SurveyDesign.triangular(1 / 3),
        SurveyDesign(0, 1),
    ):
        assert lopsided.privacy == NonPrivate() and lopsided.epsilon == np.inf
    assert SurveyDesign.forced(1 / 3, 0).budgets[0] == pytest.approx(np.log(3))
    # No to both questions is said by nobody with the trait, yes to at least one by all of them.
    assert SurveyDesign.triangular(1 / 3).channel() == pytest.approx(
        np.array([[2 / 3, 1 / 3], [0, 1]])
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SurveyDesign(0.5, 0.5), "yes_with must differ from yes_without"),
        (lambda: SurveyDesign(-0.1, 0.5), "yes_without must be"),
        (lambda: SurveyDesign.warner(0.5), "truth must differ from 0.5"),
        (lambda: SurveyDesign.forced(0.6, 0.4), r"yes \+ no must be less than 1"),
        (lambda: SurveyDesign.unrelated(0, 0.5), "sensitive must be at least 1e-12"),
        (lambda: SurveyDesign.triangular(1.0), "innocent must be less than 1"),
        (lambda: SurveyDesign.warner(0.7).estimate(11, 10), "yes must be at most n"),
        (lambda: SurveyDesign.warner(0.7).standard_error(1, 0), "n must be at least 1"),
        (lambda: SurveyDesign.warner(0.7).interval(11, 10), "yes must be at most 10"),
        (lambda: SurveyDesign.warner(0.7).interval(1, 10, 1.0), "level must be less than 1"),
    ],
)
def test_bad_surveys_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --- shuffling --------------------------------------------------------------------------------


def law(n: int, ones: int, truth: Fraction) -> list[Fraction]:
    """Number of reported ones among n people, by adding one person after the other."""
    found = [Fraction(1)]
    for person in range(n):
        chance = truth if person < ones else 1 - truth
        padded = [Fraction(0), *found, Fraction(0)]
        found = [padded[s + 1] * (1 - chance) + padded[s] * chance for s in range(len(found) + 1)]
    return found


def exceeds(p: list[Fraction], q: list[Fraction], factor: Fraction) -> Fraction:
    return sum((max(a - factor * b, Fraction(0)) for a, b in zip(p, q, strict=True)), Fraction(0))


def exact_delta(n: int, ones: int, odds: Fraction, factor: Fraction) -> Fraction:
    """By the definition: two data sets that differ in one person, both orders."""
    truth = odds / (1 + odds)
    without, with_ = law(n, ones, truth), law(n, ones + 1, truth)
    return max(exceeds(without, with_, factor), exceeds(with_, without, factor))


def exact_bound(n: int, odds: Fraction, factor: Fraction) -> Fraction:
    """The reader is told who spoke the truth: the mean over the number of coins."""
    truth = odds / (1 + odds)
    coin = 2 * (1 - truth)
    total = Fraction(0)
    for coins in range(n):
        chance = comb(n - 1, coins) * coin**coins * (1 - coin) ** (n - 1 - coins)
        others = [Fraction(comb(coins, s), 2**coins) for s in range(coins + 1)]
        up, down = [Fraction(0), *others], [*others, Fraction(0)]
        p = [truth * a + (1 - truth) * b for a, b in zip(up, down, strict=True)]
        q = [(1 - truth) * a + truth * b for a, b in zip(up, down, strict=True)]
        total += chance * exceeds(p, q, factor)
    return total


@pytest.mark.parametrize("n", [1, 2, 7, 20, 50])
@pytest.mark.parametrize("odds", [2, 5, 40])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), Fraction(9, 5)])
def test_delta_against_rational_arithmetic(n: int, odds: int, factor: Fraction) -> None:
    budget, epsilon = np.log(odds), np.log(float(factor))
    bound = exact_bound(n, Fraction(odds), factor)
    assert shuffled_delta(n, budget, epsilon) == pytest.approx(float(bound), rel=1e-12)
    for ones in {0, n // 2, n - 1}:
        exact = exact_delta(n, ones, Fraction(odds), factor)
        found = shuffled_delta(n, budget, epsilon, ones=ones)
        assert found == pytest.approx(float(exact), rel=1e-12)
        assert exact <= bound


@pytest.mark.parametrize("n", [1, 2, 7, 20, 50])
@pytest.mark.parametrize("odds", [2, 5, 40])
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(3, 2), Fraction(9, 5)])
def test_the_enclosure_holds_the_rational_delta(n: int, odds: int, factor: Fraction) -> None:
    from flint import arb, ctx, fmpq

    exact = exact_bound(n, Fraction(odds), factor)
    ratio = arb(fmpq(factor.numerator, factor.denominator))
    for bits in (64, 128):
        with ctx.workprec(bits):
            low, high = enclosed(n, arb(odds), ratio)
            assert low.lower() <= fmpq(exact.numerator, exact.denominator) <= high.upper()
            found = _outward(low, high)
        assert Fraction(found.low) <= exact <= Fraction(found.high)
        assert found.high - found.low <= 1e-12 * found.high


@pytest.mark.parametrize("n", [1, 30, 1_000, 10**5])
@pytest.mark.parametrize("budget", [0.3, 2.0, 9.0, 60.0])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.9])
def test_the_enclosure_is_narrow_and_near_the_rounded_delta(
    n: int, budget: float, share: float
) -> None:
    low, high = shuffled_enclosure(n, budget, share * budget)
    assert 0 <= low <= high <= 1
    if high > 1e-40:
        assert high - low <= 1e-12 * high
        assert shuffled_delta(n, budget, share * budget) == pytest.approx(low, rel=1e-8)


@pytest.mark.parametrize("below", [10, 400])
@pytest.mark.parametrize("above", [10, 400])
def test_the_enclosure_allows_for_the_numbers_of_coins_that_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch, below: int, above: int
) -> None:
    n, middle = 1_000, 238
    low, high = shuffled_enclosure(n, 2.0, 0.1)
    near = lambda people, chance: (max(0, middle - below), min(people, middle + above))  # noqa: E731
    monkeypatch.setattr(_enclosure, "_mass_range", near)
    part = shuffled_enclosure(n, 2.0, 0.1)
    if below == above == 400:
        assert part == pytest.approx((low, high), rel=1e-12)
    else:
        assert part.low < 0.9 * low and 1.1 * high < part.high < 1


def test_a_term_that_may_be_zero_is_found_and_counted() -> None:
    from flint import arb

    a, b, coins = Fraction(1, 7), Fraction(2, 5), 9
    mass = [Fraction(comb(coins, s), 2**coins) for s in range(coins + 1)]
    for k in (4, 6):
        for s in (k, k - 1):
            found = _tied_term(a, b, coins, k, s, mass[k - 1])
            assert found == a * mass[s - 1] - b * mass[s]
    assert _first(arb(0.7), coins) == (7, 7)  # the ball around 7 has its middle below
    assert _first(arb(0.75), coins) == (8, 0)
    for radius in (1e-3, -1e-3):
        assert _first(arb(0.7 + radius, 2e-3), coins)[1] == 7
    # Balls so wide that two terms may be 0 tell nothing.
    assert [float(end) for end in enclosed(50, arb(5, 0.5), arb(1.5))] == [0, 1]


def test_one_person_keeps_nothing_of_a_large_budget() -> None:
    # The odds of the last outcome differ from their limit by less than a double can tell.
    assert shuffled_delta(1, 60.0, 54.0) == pytest.approx(1 - np.exp(-6.0), rel=1e-12)
    assert shuffled_delta(5, 60.0, 54.0) == pytest.approx(1 - np.exp(-6.0), rel=1e-12)
    assert shuffled_budget(5, Approximate(54.0, 1e-6)) == pytest.approx(54, abs=1e-5)


@pytest.mark.parametrize("budget", [1e-30, 1e-200])
def test_a_budget_that_rounds_away_beside_one_is_enclosed_with_more_bits(budget: float) -> None:
    slope = shuffled_enclosure(10, 1e-6, 1e-7).low / 1e-6  # delta is linear there
    low, high = shuffled_enclosure(10, budget, 0.1 * budget)
    assert 0 < low <= high < low * (1 + 1e-12)
    assert low / budget == pytest.approx(slope, rel=1e-5)


def test_where_no_number_of_bits_is_enough_all_is_enclosed() -> None:
    for budget in (1e-310, 5e-324):
        assert shuffled_enclosure(10, budget, 0.0) == (0.0, 1.0)


def test_the_enclosure_is_zero_from_the_local_budget_on() -> None:
    assert shuffled_enclosure(7, 1.0, 1.0) == (0.0, 0.0)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_the_bound_holds_for_every_data_set(n: int) -> None:
    budgets, epsilons = np.array([0.2, 1.0, 3.0])[:, None], np.array([0.0, 0.1, 0.9])
    bound = shuffled_delta(n, budgets, epsilons)
    worst = np.max([shuffled_delta(n, budgets, epsilons, ones=ones) for ones in range(n)], axis=0)
    assert bound.shape == (3, 3) and np.all(worst <= bound * (1 + 1e-12))


def test_at_zero_delta_is_a_total_variation_distance() -> None:
    bit = BinaryRR(1.3)
    reports = [
        np.convolve(*[np.array(row) for row in rows])
        for rows in ((bit.channel()[0], bit.channel()[1]), (bit.channel()[1], bit.channel()[1]))
    ]
    assert shuffled_delta(2, 1.3, 0.0, ones=1) == pytest.approx(
        divergences.total_variation(*reports), rel=1e-12
    )


def test_a_budget_within_the_promise_needs_no_others() -> None:
    assert shuffled_delta(100, 1.0, 1.0) == shuffled_delta(100, 1.0, 2.0, ones=3) == 0
    assert shuffled_budget(1, Approximate(1.0, 1e-6)) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("n", [10, 1_000, 10**6])
@pytest.mark.parametrize("budget", [0.5, 2.0, 6.0])
def test_epsilon_and_budget_invert_delta(n: int, budget: float) -> None:
    epsilon = shuffled_epsilon(n, budget, 1e-6)
    assert 0 < epsilon <= budget
    assert shuffled_delta(n, budget, epsilon) == pytest.approx(1e-6, rel=1e-6)
    assert shuffled_budget(n, Approximate(epsilon, 1e-6)) == pytest.approx(budget, rel=1e-6)
    assert epsilon <= clones_epsilon(n, budget, 1e-6)


def test_ends_of_the_range() -> None:
    assert shuffled_epsilon(10**6, 0.01, 0.5) == 0
    assert shuffled_budget(1, Approximate(120.0, 1e-6)) == 120
    assert clones_epsilon(10, 3.0, 1e-6) == 3.0  # too few people: nothing is gained


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shuffled_delta(0, 1.0, 0.5), "n must be at least 1"),
        (lambda: shuffled_delta(5, 0.0, 0.5), "budget must be greater than 0"),
        (lambda: shuffled_delta(5, 1.0, -0.5), "epsilon must be at least 0"),
        (lambda: shuffled_delta(5, 1.0, 0.5, ones=5), "ones must be at most 4"),
        (lambda: shuffled_enclosure(10**8, 1.0, 0.5), "n must be at most"),
        (lambda: shuffled_enclosure(5, 1.0, -0.5), "epsilon must be at least 0"),
        (lambda: shuffled_epsilon(5, 1.0, 0.0), "delta must be greater than 0"),
        (lambda: shuffled_budget(0, Approximate(1.0, 1e-6)), "n must be at least 1"),
        (lambda: shuffled_budget(5, Approximate(1.0, 0.0)), "privacy.delta must be greater"),
        (lambda: clones_epsilon(5, 1.0, 1.0), "delta must be less than 1"),
    ],
)
def test_bad_shuffles_are_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_promise_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="privacy must be"):
        shuffled_budget(5, Pure(1.0))
