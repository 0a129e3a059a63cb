"""Choosing privately, clips chosen so, and noise for the data at hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from laws import assert_frequencies, assert_mean
from scipy import stats

from minimaxdp.laplace import (
    ExponentialMechanism,
    NoisyMaximum,
    PrivatelyClippedMean,
    PrivateQuantile,
    SmoothMedian,
    clip_errors,
)

CHOOSERS = [
    ExponentialMechanism(1.3, 0.7),
    NoisyMaximum(1.3, 0.7),
    NoisyMaximum(1.3, 0.7, "exponential"),
]
SCORES = np.array([0.0, -1.2, 0.4, -7.0])


@pytest.mark.parametrize("choose", CHOOSERS, ids=repr)
def test_draws_follow_the_exact_law(choose: Any) -> None:
    law = choose.probabilities(SCORES)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    drawn = choose.privatize(np.tile(SCORES, (40_000, 1)), rng=1)
    assert_frequencies(np.bincount(drawn, minlength=4), law)
    assert isinstance(int(choose.privatize(SCORES, rng=2)), int)


@pytest.mark.parametrize("choose", CHOOSERS, ids=repr)
def test_the_guarantee_holds_for_every_move_and_is_nearly_attained(choose: Any) -> None:
    base = np.array([0.0, 0.3, -40.0])
    worst = 0.0
    for move in product([-0.7, 0.0, 0.7], repeat=3):
        ratio = np.log(choose.probabilities(base)) - np.log(choose.probabilities(base + move))
        worst = max(worst, float(abs(ratio).max()))
    assert worst <= 1.3 * (1 + 1e-6)
    assert worst > 0.55  # a good part of it is spent


def test_two_candidates_by_hand() -> None:
    gap, epsilon = 1.5, 2.0  # in units of the sensitivity: the noise has scale one
    assert ExponentialMechanism(epsilon).probabilities([gap, 0])[1] == pytest.approx(
        1 / (1 + np.exp(gap)), rel=1e-12
    )
    # P(W' - W > gap) for Laplace and for exponential variables.
    assert NoisyMaximum(epsilon).probabilities([gap, 0])[1] == pytest.approx(
        np.exp(-gap) * (2 + gap) / 4, rel=1e-9
    )
    assert NoisyMaximum(epsilon, noise="exponential").probabilities([gap, 0])[1] == pytest.approx(
        np.exp(-gap) / 2, rel=1e-9
    )


def test_exponential_noise_loses_no_more_than_the_exponential_mechanism() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        scores = rng.normal(scale=3, size=6)
        best = scores.max()
        loss = [best - float(c.probabilities(scores) @ scores) for c in CHOOSERS]
        assert loss[2] <= loss[0] * (1 + 1e-9)


def test_the_score_of_a_quantile_moves_by_at_most_one() -> None:
    for level in (0.0, 0.3, 0.9):
        choose = PrivateQuantile(1.0, [0.5, 1.0, 2.0], level)
        sets = list(product([0.0, 1.0, 1.5, 3.0], repeat=3))
        for x in sets:
            for i, y in product(range(3), [0.0, 1.0, 1.5, 3.0]):
                other = [*x[:i], y, *x[i + 1 :]]
                assert abs(choose.scores(x) - choose.scores(other)).max() <= 1
                ratio = np.log(choose.probabilities(x) / choose.probabilities(other))
                assert abs(ratio).max() <= 1 + 1e-12


def test_the_rank_is_as_close_as_promised() -> None:
    x = np.random.default_rng(4).exponential(size=2_000)
    choose = PrivateQuantile(0.2, np.linspace(0.1, 5, 40), 0.9)
    law, errors = choose.probabilities(x), -choose.scores(x)
    for beta in (0.5, 0.05, 1e-3):
        assert law[errors > errors.min() + choose.rank_error(beta)].sum() <= beta
    assert choose.rank_error(0.05) == pytest.approx(10 * np.log(800))


def test_the_parts_of_the_error_of_a_clip() -> None:
    rng = np.random.default_rng(5)
    x = rng.exponential(3, size=501) - 1
    for low, clip, n, epsilon in [(0.0, 2.0, 50, 0.3), (-0.5, 40.0, 7, 2.0), (0.0, 1e-3, 1, 1.0)]:
        parts = clip_errors(x, clip, n, epsilon, low=low)
        clipped = np.clip(x, low, clip)
        assert parts.clipping == pytest.approx((clipped.mean() - x.mean()) ** 2, rel=1e-9)
        assert parts.sampling == pytest.approx(clipped.var() / n, rel=1e-9)
        assert parts.privacy == pytest.approx(2 * ((clip - low) / (n * epsilon)) ** 2, rel=1e-12)
        assert parts.total == parts.clipping + parts.sampling + parts.privacy
    table = clip_errors(x, np.array([1.0, 2.0, 3.0])[:, None], np.array([10, 20]), 1.0)
    assert np.shape(table.clipping) == np.shape(table.sampling) == np.shape(table.privacy) == (3, 2)
    single = clip_errors([5.0], 2.0, 10, 1.0)
    assert (single.clipping, single.sampling) == (9.0, 0.0)


def test_the_risk_of_a_privately_clipped_mean_is_what_it_does() -> None:
    x = np.random.default_rng(6).exponential(4, size=300)
    mechanism = PrivatelyClippedMean(2.0, [1, 3, 10, 30], level=0.8, multiple=1.5, share=0.25)
    assert mechanism.choice.epsilon == 0.5 and mechanism.noise_epsilon == 1.5
    np.testing.assert_array_equal(mechanism.clips, [1.5, 4.5, 15, 45])
    rng = np.random.default_rng(7)
    errors = [(mechanism.privatize(x, rng=rng) - x.mean()) ** 2 for _ in range(4_000)]
    assert_mean(errors, mechanism.risk(x))
    law, by_clip = mechanism.clip_law(x), mechanism.squared_errors(x)
    assert mechanism.risk(x) == pytest.approx(law @ by_clip)
    clipped = np.minimum(x, 15)
    wanted = (clipped.mean() - x.mean()) ** 2 + 2 * (15 / 300 / 1.5) ** 2
    assert by_clip[2] == pytest.approx(wanted, rel=1e-9)


def local_sensitivity(x: tuple[float, ...], domain: list[float]) -> float:
    def median(y: tuple[float, ...]) -> float:
        return sorted(y)[(len(y) - 1) // 2]

    return max(
        abs(median(x) - median((*x[:i], y, *x[i + 1 :]))) for i in range(len(x)) for y in domain
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_smooth_sensitivity_is_its_definition(n: int) -> None:
    domain = [0.0, 0.2, 0.5, 1.0]
    mechanism = SmoothMedian(1.2, 0.0, 1.0)
    sets = list(product(domain, repeat=n))
    local = {x: local_sensitivity(x, domain) for x in sets}
    for x in sets:
        smooth = max(
            np.exp(-mechanism.beta * sum(u != v for u, v in zip(x, y, strict=True))) * local[y]
            for y in sets
        )
        assert mechanism.smooth_sensitivity(x) == pytest.approx(smooth, rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 3, 8])
@pytest.mark.parametrize("epsilon", [0.2, 3.0])
def test_the_median_keeps_its_promise_in_a_small_world(degrees: int, epsilon: float) -> None:
    domain = [0.0, 0.1, 1.0]
    mechanism = SmoothMedian(epsilon, 0.0, 1.0, degrees)
    outputs = np.concatenate([np.linspace(-3, 4, 141), np.geomspace(5, 1e8, 40)])
    outputs = np.concatenate([outputs, -outputs])
    for x in product(domain, repeat=3):
        for i, y in product(range(3), domain):
            other = [*x[:i], y, *x[i + 1 :]]
            ratio = mechanism.log_density(x, outputs) - mechanism.log_density(other, outputs)
            assert abs(ratio).max() <= epsilon * (1 + 1e-12)


def test_the_median_is_drawn_from_its_density() -> None:
    mechanism, x = SmoothMedian(1.0, 0.0, 10.0), [1.0, 4.0, 4.5, 5.0, 9.0]
    rng = np.random.default_rng(8)
    drawn = np.array([mechanism.privatize(x, rng=rng) for _ in range(3_000)])
    assert stats.kstest(drawn, stats.t(3, loc=4.5, scale=mechanism.scale(x)).cdf).pvalue > 1e-6
    assert np.exp(mechanism.log_density(x, 4.5)) == pytest.approx(
        stats.t.pdf(0, 3) / mechanism.scale(x)
    )


def test_a_crowded_middle_needs_little_noise_and_never_none() -> None:
    ties = np.full(40_001, 5.0)
    mechanism = SmoothMedian(1.0, 0.0, 10.0)
    assert 0 < mechanism.smooth_sensitivity(ties) <= 1e-11
    assert mechanism.smooth_sensitivity([0.0, 0.0, 10.0]) == 10.0
    outside, inside = [-5.0, 3.0, 50.0], [0.0, 3.0, 10.0]
    assert mechanism.smooth_sensitivity(outside) == mechanism.smooth_sensitivity(inside)


X = [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("make", "condition"),
    [
        (lambda: ExponentialMechanism(0.0), "epsilon must be greater than 0"),
        (lambda: ExponentialMechanism(1.0, -1.0), "sensitivity must be greater"),
        (lambda: ExponentialMechanism(1.0).privatize(3.0), "scores must have the candidates"),
        (lambda: NoisyMaximum(1.0, noise="gumbel"), "noise must be one of"),
        (lambda: NoisyMaximum(1.0).probabilities([X, X]), "scores must be a vector"),
        (lambda: PrivateQuantile(1.0, [1.0, 1.0, 2.0]), "candidates must be distinct"),
        (lambda: PrivateQuantile(1.0, [2.0, 1.0]), "in increasing order"),
        (lambda: PrivateQuantile(1.0, [2.0]), "candidates must be a vector of at least 2"),
        (lambda: PrivateQuantile(1.0, X, 1.5), "level must be at most 1"),
        (lambda: PrivateQuantile(1.0, X).privatize([]), "x must be finite numbers, at least one"),
        (lambda: PrivateQuantile(1.0, X).privatize([X]), "x must be a vector of records"),
        (lambda: PrivateQuantile(1.0, X).rank_error(1.0), "beta must be less than 1"),
        (lambda: PrivatelyClippedMean(1.0, [0.0, 1.0]), "candidates must be greater than 0"),
        (lambda: PrivatelyClippedMean(1.0, X, share=1.0), "share must be less than 1"),
        (lambda: PrivatelyClippedMean(1.0, X, multiple=0.0), "multiple must be greater than 0"),
        (lambda: PrivatelyClippedMean(1.0, X).privatize([]), "x must be finite numbers"),
        (lambda: clip_errors(X, 0.0, 10, 1.0), "clip must be greater than low = 0"),
        (lambda: clip_errors(X, 1.0, 10, 1.0, low=2.0), "clip must be greater than low = 2, got 1"),
        (lambda: SmoothMedian(1.0, 0, 1).log_density(X, 1e101), "released must be at most"),
        (lambda: clip_errors(X, [1.0, 2.0], [1, 2, 3], 1.0), "must broadcast"),
        (lambda: SmoothMedian(1.0, 1.0, 0.0), "high must be greater than low"),
        (lambda: SmoothMedian(1.0, 0.0, 1.0, 0), "degrees must be at least 1"),
        (lambda: SmoothMedian(1.0, 0.0, 1.0).privatize([]), "x must be finite numbers"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], Any], condition: str) -> None:
    with pytest.raises(ValueError, match=condition):
        make()


@pytest.mark.parametrize("value", [np.nan, np.inf, "98765", None])
def test_a_message_does_not_show_a_record(value: Any) -> None:
    for run in (
        PrivateQuantile(1.0, X).privatize,
        PrivatelyClippedMean(1.0, X).privatize,
        SmoothMedian(1.0, 0.0, 1.0).privatize,
        ExponentialMechanism(1.0).privatize,
        NoisyMaximum(1.0).privatize,
    ):
        messages = set()
        for records in ([98765.0, value], [1.0, 2.0, value, 98765.0]):
            with pytest.raises((TypeError, ValueError)) as caught:
                run(records, rng=0)
            messages.add(str(caught.value))
        assert len(messages) == 1 and "98765" not in messages.pop()


def test_candidates_are_the_mechanisms_own() -> None:
    given = np.array([1.0, 2.0])
    choose = PrivateQuantile(1.0, given)
    given[0] = 5.0
    assert choose.candidates[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        choose.candidates[0] = 3.0
