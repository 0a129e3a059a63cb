"""Integer noise drawn exactly: every layer of the sampler, given an exact one below it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
import pytest
from scipy import stats

from minimaxdp.guarantees import ZCDP, Pure
from minimaxdp.laplace import DiscreteLaplace, ExactDiscreteGaussian, ExactDiscreteLaplace
from minimaxdp.laplace import _integer_noise as inner


class Again(Exception):
    """The script of chances is used up, or a rejection begins a new round."""


SIZE: dict[str, Callable[..., int]] = {
    "_below": lambda bound, size, words: size,
    "_happens": lambda a, b, words: a.size,
    "_run": lambda size, words: size,
    "_laplace": lambda s, t, size, words: size,
}


DROPPED = 1e-12  # a path of outcomes that is less likely is not followed


def law(
    monkeypatch: pytest.MonkeyPatch,
    run: Callable[[], Any],
    chances: dict[str, Callable[..., list[tuple[Any, float]]]],
    least: float = DROPPED,
    rounds: str = "",
) -> tuple[dict[Any, float], float]:
    """The exact law of a sampler of one draw, with the named layers below it as given.

    Every path of outcomes is followed until its probability is below `least`, or until the layer
    `rounds` is asked a second time; what was not followed is the second result.
    """
    script: list[Any] = []
    state = {"place": 0, "asked": 0}

    def layer(name: str) -> Callable[..., Any]:
        def play(*arguments: Any) -> Any:
            size = SIZE[name](*arguments)
            if size == 0:
                return np.zeros(0, dtype=bool if name == "_happens" else np.int64)
            assert size == 1
            if name == rounds:
                state["asked"] += 1
                if state["asked"] > 1:
                    raise Again([])
            if state["place"] == len(script):
                raise Again(chances[name](*arguments))
            state["place"] += 1
            return np.array([script[state["place"] - 1]])

        return play

    for name in chances:
        monkeypatch.setattr(inner, name, layer(name))
    found: dict[Any, float] = defaultdict(float)
    lost, paths = 0.0, [((), 1.0)]
    while paths:
        path, weight = paths.pop()
        script[:] = path
        state.update(place=0, asked=0)
        try:
            found[run()] += weight
        except Again as more:
            branches = more.args[0]
            if not branches or weight < least:
                lost += weight
            else:
                paths += [((*path, value), weight * chance) for value, chance in branches]
    return found, lost


def uniform(bound: int, *_: Any) -> list[tuple[int, float]]:
    return [(value, 1 / bound) for value in range(bound)]


def coin(a: Any, b: int, *_: Any) -> list[tuple[bool, float]]:
    chance = exp(-int(a[0]) / b)
    return [(True, chance), (False, 1 - chance)]


def run_of(*_: Any) -> list[tuple[int, float]]:
    return [(k, exp(-k) * (1 - exp(-1))) for k in range(40)]


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 8, 1000])
def test_integers_below_a_bound_are_equally_likely(bound: int) -> None:
    bits = max((bound - 1).bit_length(), 1)
    calls = []

    def words(size: int) -> Any:  # first every pattern of the leading bits once, then zeros
        calls.append(size)
        patterns = np.arange(2**bits if len(calls) == 1 else size, dtype=np.uint64)
        return patterns << np.uint64(64 - bits) if len(calls) == 1 else np.zeros(size, np.uint64)

    found = inner._below(bound, 2**bits, words)
    if bound == 1:
        assert not calls and not found.any()
        return
    counts = np.bincount(found, minlength=bound)
    assert len(counts) == bound and np.all(counts[1:] == 1)
    assert counts[0] == 1 + 2**bits - bound  # what was drawn again


def test_a_large_bound_is_kept() -> None:
    found = inner._below(2**62, 1000, inner._words(1))
    assert found.min() >= 0 and found.max() > 2**61 and found.dtype == np.int64


@pytest.mark.parametrize("a, b", [(0, 1), (1, 1), (1, 2), (2, 3), (1, 6), (5, 6), (6, 6)])
def test_something_happens_with_its_exponential_probability(
    monkeypatch: pytest.MonkeyPatch, a: int, b: int
) -> None:
    happens = inner._happens

    def told_apart(bound: int, *_: Any) -> list[tuple[int, float]]:
        """Uniform below the bound, with values together that the comparison takes for the same."""
        if bound != b:
            return [(0, 1 / bound), (1, 1 - 1 / bound)]
        groups = [(0, min(a, 1)), (1, max(a - 1, 0)), (b - 1, b - a)]
        if a == 0:  # 0 itself is no success, but counts when the bound is k
            groups = [(0, 1), (b - 1, b - 1)]
        return [(value, size / b) for value, size in groups if size]

    found, lost = law(
        monkeypatch,
        lambda: bool(happens(np.array([a]), b, None)[0]),
        {"_below": told_apart},
        1e-9,
    )
    assert lost < 1e-6
    assert found[True] <= exp(-a / b) + 1e-12 and exp(-a / b) <= found[True] + lost + 1e-12


def test_a_run_is_geometric(monkeypatch: pytest.MonkeyPatch) -> None:
    run = inner._run
    found, lost = law(monkeypatch, lambda: int(run(1, None)[0]), {"_happens": coin})
    assert lost < 1e-11
    for k in range(20):
        assert found[k] == pytest.approx(exp(-k) * (1 - exp(-1)), rel=1e-9)


@pytest.mark.parametrize("s, t", [(1, 1), (1, 2), (2, 3), (5, 1), (3, 7)])
def test_laplace_draws_have_the_stated_law(monkeypatch: pytest.MonkeyPatch, s: int, t: int) -> None:
    draw = inner._laplace
    layers = {"_below": uniform, "_happens": coin, "_run": run_of}
    # A rejected round is followed by one of the same law, so that one round tells it.
    found, _ = law(monkeypatch, lambda: int(draw(s, t, 1, None)[0]), layers, rounds="_happens")
    total = sum(found.values())
    for z in range(-6, 7):
        exact = exp(DiscreteLaplace(s / t).log_probability(z))
        assert found[z] / total == pytest.approx(exact, rel=1e-9, abs=DROPPED)


@pytest.mark.parametrize("p, q", [(1, 4), (1, 1), (4, 1), (7, 3), (50, 1)])
def test_gaussian_draws_have_the_stated_law(
    monkeypatch: pytest.MonkeyPatch, p: int, q: int
) -> None:
    draw = inner._gaussian

    def laplace(s: int, t: int, *_: Any) -> list[tuple[int, float]]:
        noise = DiscreteLaplace(s / t)
        return [(z, exp(noise.log_probability(z))) for z in range(-60, 61)]

    layers = {"_laplace": laplace, "_happens": coin, "_run": run_of}
    found, _ = law(monkeypatch, lambda: int(draw(p, q, 1, None)[0]), layers, rounds="_laplace")
    total = sum(found.values())
    z = np.arange(-60, 61)
    exact = np.exp(-(z**2) * q / (2 * p))
    exact /= exact.sum()
    for k in range(-5, 6):
        assert found[k] / total == pytest.approx(exact[z == k][0], rel=1e-8, abs=DROPPED)


def test_products_do_not_overflow_at_the_ends_of_the_range() -> None:
    wide = ExactDiscreteGaussian(20_000.0)
    p, q = wide.sigma_squared.numerator, wide.sigma_squared.denominator
    for sigma in (1e-3, 0.999, 1.001, 3.1415926, 999.999, 20_000.0):
        square = ExactDiscreteGaussian(sigma).sigma_squared
        p, q = square.numerator, square.denominator
        t = inner.isqrt(p // q) + 1
        assert 2 * p * q * t**2 < 2**63
        assert Fraction(str(sigma)) ** 2 <= square <= Fraction(str(sigma)) ** 2 * Fraction(501, 500)
    noise = wide.privatize(np.zeros(20_000, dtype=int), rng=1)
    assert stats.kstest(noise, stats.norm(0, 20_000).cdf).pvalue > 1e-6


def test_a_decimal_budget_is_the_decimal() -> None:
    assert ExactDiscreteLaplace(0.1).exact_rate == Fraction(1, 10)
    assert ExactDiscreteLaplace(0.1, 3).exact_rate == Fraction(1, 30)
    assert ExactDiscreteLaplace(Fraction(1, 3)).exact_rate == Fraction(1, 3)
    rounded = ExactDiscreteLaplace(1 / 3)
    assert rounded.exact_rate == Fraction(333_333_333, 10**9)  # down, never up
    assert rounded.privacy == Pure(0.333333333)


def test_the_discrete_gaussian_keeps_what_the_normal_law_promises() -> None:
    mechanism = ExactDiscreteGaussian(1.5, sensitivity=2)
    assert mechanism.privacy == ZCDP(2**2 / (2 * 1.5**2)) == ZCDP(mechanism.rho)
    z = np.arange(-80, 81)
    here = np.asarray(mechanism.log_probability(z))
    assert np.exp(here).sum() == pytest.approx(1, rel=1e-12)
    assert np.exp(here) @ z**2 == pytest.approx(mechanism.variance, rel=1e-12)
    there = np.asarray(mechanism.log_probability(z - 2))
    for order in (1.1, 2.0, 5.0, 20.0):
        divergence = np.log(np.exp(order * here + (1 - order) * there).sum()) / (order - 1)
        assert divergence <= mechanism.rho * order * (1 + 1e-9)
        # Orders whose shift is a whole number of steps attain it.
        if order * 2 % 1 == 0:
            assert divergence == pytest.approx(mechanism.rho * order, rel=1e-6)


def test_without_a_seed_the_bits_come_from_the_operating_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def urandom(size: int) -> bytes:
        asked.append(size)
        return bytes(np.random.default_rng(len(asked)).bytes(size))

    monkeypatch.setattr(os, "urandom", urandom)
    mechanism = ExactDiscreteLaplace(0.5)
    mechanism.privatize(np.zeros(100, dtype=int), rng=3)
    assert not asked
    mechanism.privatize(np.zeros(100, dtype=int))
    assert sum(asked) >= 800


def test_shapes_and_types() -> None:
    for mechanism in (ExactDiscreteLaplace(1.0), ExactDiscreteGaussian(1.0)):
        assert isinstance(mechanism.privatize(5, rng=0), int)
        found = mechanism.privatize([[1, 2, 3], [4, 5, 6]], rng=0)
        assert found.shape == (2, 3) and found.dtype == np.int64


@pytest.mark.parametrize(
    ("make", "kind", "condition"),
    [
        (lambda: ExactDiscreteLaplace(0.0), ValueError, "epsilon must be at least 1e-09"),
        (lambda: ExactDiscreteLaplace(701), ValueError, "epsilon must be at most 700"),
        (lambda: ExactDiscreteLaplace("1"), TypeError, "epsilon must be real numbers"),
        (lambda: ExactDiscreteLaplace(Fraction(-1, 2)), ValueError, "epsilon must be greater"),
        (lambda: ExactDiscreteLaplace(Fraction(1, 2**41)), ValueError, "fraction of numbers up"),
        (lambda: ExactDiscreteLaplace(1.0, 0), ValueError, "sensitivity must be at least 1"),
        (lambda: ExactDiscreteLaplace(1.0, 1.5), TypeError, "sensitivity must be integers"),
        (lambda: ExactDiscreteGaussian(1e-4), ValueError, "sigma must be at least 0.001"),
        (lambda: ExactDiscreteGaussian(20_001), ValueError, "sigma must be at most 20000"),
        (lambda: ExactDiscreteGaussian(1.0, 2**32), ValueError, "sensitivity must be at most"),
        (lambda: ExactDiscreteLaplace(1.0).privatize(0.5), TypeError, "answer must be integers"),
        (lambda: ExactDiscreteLaplace(1.0).privatize([]), ValueError, "answer must be integers"),
        (lambda: ExactDiscreteLaplace(1.0).privatize(1, rng=-1), ValueError, "rng must be"),
    ],
)
def test_bad_input_is_refused(make: Callable[[], Any], kind: type, condition: str) -> None:
    with pytest.raises(kind, match=condition):
        make()


@pytest.mark.parametrize("answer", [2**62 + 987654, -(2**62) - 987654, [1, 4.25], 4.25])
def test_a_message_does_not_show_the_answer(answer: Any) -> None:
    for mechanism in (ExactDiscreteLaplace(1.0), ExactDiscreteGaussian(1.0)):
        with pytest.raises((TypeError, ValueError)) as caught:
            mechanism.privatize(answer, rng=0)
        assert "4.25" not in str(caught.value) and "46116860" not in str(caught.value)


def test_many_draws_a_second() -> None:
    from time import process_time

    for mechanism in (ExactDiscreteLaplace(0.1), ExactDiscreteGaussian(14.0)):
        start = process_time()
        mechanism.privatize(np.zeros(200_000, dtype=int))
        assert 200_000 / (process_time() - start) > 1e5


def test_answers_from_minus_to_plus_two_to_the_62_are_taken() -> None:
    mechanism = ExactDiscreteLaplace(1)
    ends = np.array([-(2**62), 2**62])
    assert np.all(abs(np.asarray(mechanism.privatize(ends, rng=0)) - ends) < 2**20)
    for answer in (-(2**62) - 1, 2**62 + 1):
        with pytest.raises(ValueError, match=r"answer must be integers within 2\*\*62"):
            mechanism.privatize(answer, rng=0)
