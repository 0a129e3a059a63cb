"""Encodings of many categories: exact privacy, exact laws, exact risks."""

from itertools import product

import laws
import numpy as np
import pytest
from scipy.linalg import hadamard

from minimaxdp import privacy
from minimaxdp import randomized_response as rr
from minimaxdp.randomized_response import (
    HadamardResponse,
    OptimizedUnary,
    SubsetSelection,
    best_subset_size,
    hadamard_risk,
    optimized_unary_risk,
    subset_selection_risk,
)

MECHANISMS = [HadamardResponse, OptimizedUnary, SubsetSelection]


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("epsilon", "d"), [(0.01, 3), (1.0, 2), (1.0, 5), (4.0, 7), (30.0, 4)])
def test_the_guarantee_is_exact(mechanism, epsilon, d):
    channel = mechanism(epsilon, d).channel()
    np.testing.assert_allclose(channel.sum(axis=1), 1, rtol=1e-12)
    assert privacy.dp_epsilon(channel) == pytest.approx(epsilon, rel=1e-9)


def bits(mechanism):
    """Which categories each report speaks for, one row a report."""
    if isinstance(mechanism, SubsetSelection):
        return mechanism._subsets()
    if isinstance(mechanism, OptimizedUnary):
        return np.array(list(product([0, 1], repeat=mechanism.d)))
    return (hadamard(mechanism.reports)[:, 1 : mechanism.d + 1] + 1) // 2


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("epsilon", "d"), [(0.3, 4), (2.0, 5)])
def test_risk_and_unbiasedness_by_enumeration(mechanism, epsilon, d):
    encoding = mechanism(epsilon, d)
    theta = np.random.default_rng(d).dirichlet(np.ones(d))
    law, spoken = theta @ encoding.channel(), bits(encoding)
    one = np.array([encoding.estimate(row, 1) for row in spoken])  # each report alone
    np.testing.assert_allclose(law @ one, theta, atol=1e-12)
    brute = law @ ((one - theta) ** 2).sum(axis=1)
    assert encoding.risk(theta, 1) == pytest.approx(brute, rel=1e-10)
    assert encoding.risk(theta, 7) == pytest.approx(brute / 7, rel=1e-10)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("d", [2, 6])
def test_records_follow_the_channel(mechanism, d):
    encoding = mechanism(0.8, d)
    for x in (0, d - 1):
        reports = encoding.privatize(np.full(20_000, x), rng=x + 1)
        if reports.ndim == 1:
            seen = np.bincount(reports, minlength=encoding.reports)
        else:
            order = {tuple(row): i for i, row in enumerate(bits(encoding).tolist())}
            places = [order[tuple(row)] for row in reports.tolist()]
            seen = np.bincount(places, minlength=len(order))
        laws.assert_frequencies(seen, encoding.channel()[x])


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_counts_follow_the_records(mechanism):
    encoding, data = mechanism(1.0, 5), np.repeat([0, 1, 3], [20, 5, 15])
    counts = np.bincount(data, minlength=5)
    rng = np.random.default_rng(9)
    through = encoding.privatize_counts(counts, rng=rng, size=3000)
    record = np.array([encoding.tally(encoding.privatize(data, rng=rng)) for _ in range(3000)])
    assert through.shape == (3000, 5)
    for j in range(5):
        laws.assert_same_law(through[:, j], record[:, j] + 0.0)
    laws.assert_mean([encoding.estimate(t, 40) for t in through], counts / 40)


def test_tally_of_hadamard_reports_is_a_count_of_signs():
    encoding = HadamardResponse(1.0, 11)
    reports = np.random.default_rng(0).integers(0, 16, 500)
    signs = hadamard(16)[1:12][:, reports]
    np.testing.assert_array_equal(encoding.tally(reports), (signs == 1).sum(axis=1))


@pytest.mark.parametrize("d", [2, 3, 8, 50])
def test_subset_selection_is_best_and_its_size_too(d):
    epsilon, uniform = np.geomspace(1e-3, 12, 40), np.full(d, 1 / d)
    best = subset_selection_risk(epsilon, uniform, 1)
    every = np.array([subset_selection_risk(epsilon, uniform, 1, w=w) for w in range(1, d)])
    np.testing.assert_allclose(best, every.min(axis=0), rtol=1e-12)
    e, w = np.exp(epsilon), best_subset_size(d, epsilon)
    closed = (d - 1) ** 2 * (w * e + d - w) ** 2 / (d * w * (d - w) * (e - 1) ** 2)
    np.testing.assert_allclose(best, closed, rtol=1e-9)
    for other in (rr.unary_risk, rr.kary_risk, optimized_unary_risk, hadamard_risk):
        assert np.all(best <= other(epsilon, uniform, 1) * (1 + 1e-12))


def test_numbers_of_the_literature():
    uniform = np.full(6, 1 / 6)
    got = [subset_selection_risk(e, uniform, 1) for e in (0.3, 1.0, 2.5)]
    np.testing.assert_allclose(got, [188, 15.7, 2.0], rtol=0.02)
    assert optimized_unary_risk(2.0, [1.0] + [0.0] * 9, 1) == pytest.approx(
        10 * 4 * np.exp(2) / np.expm1(2) ** 2 + 1, rel=1e-12
    )
    assert hadamard_risk(1e-4, uniform, 1) == pytest.approx(6 * 4e8, rel=1e-6)


BAD = [
    (lambda: SubsetSelection(1.0, 4, 4), ValueError, "w"),
    (lambda: SubsetSelection(0.0, 4), ValueError, "epsilon"),
    (lambda: SubsetSelection(1.0, 40, 20).channel(), ValueError, "d must leave"),
    (lambda: OptimizedUnary(1.0, 1), ValueError, "d"),
    (lambda: OptimizedUnary(1.0, 17).channel(), ValueError, "d"),
    (lambda: OptimizedUnary(1.0, 3).tally([[0, 1]]), ValueError, "reports"),
    (lambda: SubsetSelection(1.0, 3).tally([[0, 1]]), ValueError, "reports"),
    (lambda: HadamardResponse(1.0, 5000).channel(), ValueError, "d"),
    (lambda: HadamardResponse(1.0, 3).tally([4]), ValueError, "reports"),
    (lambda: HadamardResponse(1.0, 3).privatize([3]), ValueError, "categories"),
    (lambda: HadamardResponse(1.0, 3).risk([0.5, 0.5], 1), ValueError, "theta"),
    (lambda: subset_selection_risk(1.0, [1.0], 1), ValueError, "theta"),
    (lambda: subset_selection_risk(1.0, [0.5, 0.5], 1, w=2), ValueError, "w"),
    (lambda: best_subset_size(1, 1.0), ValueError, "d"),
]


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=name):
        call()


@pytest.mark.parametrize(("d", "w"), [(2, 1), (5, 2), (50, 17)])
def test_the_contrast_of_subsets_keeps_its_digits(d, w):
    exact = SubsetSelection(1.0, d, w)
    assert exact.contrast == pytest.approx(exact.member_probability - exact.other_probability)
    for epsilon in (1e-20, 1e-100):
        tiny = SubsetSelection(epsilon, d, w)
        assert tiny.contrast == pytest.approx(epsilon * w * (d - w) / (d * (d - 1)), rel=1e-12)
        estimate = tiny.estimate(10 * np.eye(d, dtype=int)[0], n=10)
        assert estimate[0] == pytest.approx((1 - w / d) / tiny.contrast, rel=1e-12)
