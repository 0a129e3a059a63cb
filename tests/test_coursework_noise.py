"""The tests of the coursework's mechanisms: their exact error rates, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from coursework_runs import wrong_answers
from marking import noise
from marking.checks import LEVEL, Wrong
from marking.spoiled import SPOILED
from scipy import stats

CASES = [(1.5, 20), (0.4, 1), (1.5, 4000), (0.4, 3400)]
MECHANISMS = {
    "randomized_response": ["report-test"],
    "laplace": ["noise-test", "histogram-test"],
    "minimax_and_means": ["release-test"],
    "unbiased_mechanisms": ["noise-test"],
    "density": ["privatize-test"],
}


def standard(case: tuple, output: object) -> np.ndarray:
    return noise.shaped(output, case[1:]) / case[0]


def right(scale: float, size: int, rng: np.random.Generator) -> np.ndarray:
    return rng.laplace(0, scale, size)


def refusal(function: object, seed: int, level: float = LEVEL) -> str | None:
    rng = np.random.default_rng(seed)
    try:
        noise.additive(function, CASES, standard, rng, level=level)
    except Wrong as wrong:
        return str(wrong)
    return None


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_ten_per_cent_of_scale_are_seen_with_probability_99_per_cent_by_the_exact_law(
    factor: float,
) -> None:
    low, high = noise._gamma(noise.ENOUGH, LEVEL / noise.PARTS)
    total = stats.gamma(noise.ENOUGH, scale=factor)
    assert total.cdf(low) + total.sf(high) >= 0.99


def test_the_quantiles_share_out_the_level() -> None:
    share = LEVEL / noise.PARTS
    size = noise.ENOUGH
    low, high = noise._kolmogorov(size, share)
    assert stats.kstwo.sf(high, size) <= share * 1.001
    assert stats.kstwo.cdf(low, size) <= share * 1.001
    for chance in (0.2, 0.5, 0.77):
        low, high = noise._binomial(size, chance, share)
        assert stats.binom.cdf(low - 1, size, chance) + stats.binom.sf(high, size, chance) <= share


def test_right_noise_is_refused_at_most_as_often_as_stated() -> None:
    runs, level = 150, 0.2
    refused = sum(refusal(right, seed, level) is not None for seed in range(runs))
    assert refused <= stats.binom.isf(1e-6, runs, level)
    assert refused >= 1, "the test has no power at a level of a fifth"


@pytest.mark.parametrize("title", SPOILED)
def test_spoiled_noise_is_refused(title: str) -> None:
    names = {"np": np, "stats": stats}
    exec(
        f"def spoiled(b, size, rng):\n    form = (size,)\n    {SPOILED[title]}\n    return z", names
    )
    reasons = [refusal(names["spoiled"], seed) for seed in range(5)]
    assert None not in reasons, reasons


def test_noise_must_be_drawn_often_enough_to_be_tested() -> None:
    with pytest.raises(ValueError, match="8000 draws"):
        noise.additive(right, CASES[:1], standard, np.random.default_rng(1))


def test_rows_columns_and_calls_must_be_independent() -> None:
    rng = np.random.default_rng(5)
    share = LEVEL / noise.PARTS
    z = rng.laplace(size=(3000, 3))
    noise._independent([z], share)
    for where, block in {
        "columns": z @ np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]]),
        "rows": np.repeat(z[:1500], 2, axis=0),
    }.items():
        with pytest.raises(Wrong, match=where):
            noise._independent([block], share)
    call = rng.laplace(size=(300, 1))
    with pytest.raises(Wrong, match="calls"):
        noise._independent([call, 1.5 * call], share)


def test_a_mechanism_without_budget_may_stop_or_say_nothing() -> None:
    noise.withholds(lambda budget: math.log(budget), [(0.0,), (-1.0,)])
    noise.withholds(lambda budget: np.full(3, np.nan), [(0.0,)])
    noise.withholds(lambda budget: None, [(0.0,)])
    with pytest.raises(Wrong, match="budget"):
        noise.withholds(lambda budget: np.array([np.inf, 3.0]), [(0.0,)])


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_question_for_a_mechanism_has_ten_wrong_answers_of_different_kinds(name: str) -> None:
    for test in MECHANISMS[name]:
        titles = [title for title, (_, lost) in wrong_answers(name).items() if test in lost]
        assert len(titles) >= 10, (test, titles)


def test_the_contract_refuses_bits_of_another_law() -> None:
    def report(categories, d, alpha, rng, factor=1.0):  # noqa: ANN001, ANN202
        truth = np.arange(d) == np.asarray(categories)[:, None]
        return truth ^ (rng.random(truth.shape) < factor / (1 + math.exp(alpha / 2)))

    rng = np.random.default_rng(3)
    noise.contract(report, 0.8, 2, rng)
    with pytest.raises(Wrong, match="does not follow its law"):
        noise.contract(lambda *case: report(*case, factor=0.7), 0.8, 2, rng)
    with pytest.raises(Wrong, match="shape"):
        noise.contract(lambda *case: report(*case)[:, :1], 0.8, 2, rng)
