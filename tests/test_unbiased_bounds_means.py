"""Unbiased means of vectors in a ball: floors against programmes and against methods."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import gammaln

from minimaxdp import mean_estimation as me
from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
    standard_guarantees,
)


def least_unbiased(n, epsilon, delta):
    """Least worst variance of an unbiased mechanism for the mean of n signs, on a wide grid."""
    outputs = np.linspace(-8, 8, 161) if epsilon > 0 else np.linspace(-20, 20, 201)
    inputs, size = n + 1, outputs.size
    means = 2 * np.arange(inputs) / n - 1
    edges = [(i, i + 1) for i in range(n)] + [(i + 1, i) for i in range(n)]
    slack = len(edges) * size if delta > 0 else 0
    width = inputs * size + slack + 1
    rows, limits, equal, right = [], [], [], []
    for s in range(inputs):
        row = np.zeros(width)
        row[s * size : (s + 1) * size] = (outputs - means[s]) ** 2
        row[-1] = -1
        rows.append(row)
        limits.append(0.0)
        for values, target in ((np.ones(size), 1.0), (outputs, means[s])):
            row = np.zeros(width)
            row[s * size : (s + 1) * size] = values
            equal.append(row)
            right.append(target)
    for e, (i, j) in enumerate(edges):
        for a in range(size):
            row = np.zeros(width)
            row[i * size + a], row[j * size + a] = 1, -np.exp(epsilon)
            if delta > 0:
                row[inputs * size + e * size + a] = -1
            rows.append(row)
            limits.append(0.0)
        if delta > 0:
            row = np.zeros(width)
            row[inputs * size + e * size : inputs * size + (e + 1) * size] = 1
            rows.append(row)
            limits.append(delta)
    cost = np.zeros(width)
    cost[-1] = 1
    found = linprog(cost, np.array(rows), limits, np.array(equal), right)
    assert found.status == 0
    return found.fun


@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.8), (2, 0.8), (3, 1.5)])
def test_no_floor_is_above_the_least_variance_of_all_unbiased_mechanisms(n, epsilon):
    pure = Pure(epsilon)
    truth = least_unbiased(n, epsilon, 0.0)
    for guarantee in (pure, pure.implies(ZCDP), pure.implies(KL)):
        for name, floor in ub.unbiased_mean_floors(n, 1, guarantee).items():
            assert floor <= truth * (1 + 1e-6), (name, guarantee)
    assert max(ub.unbiased_mean_floors(n, 1, pure).values()) * 3 > truth
    truth = least_unbiased(n, epsilon, 0.05)
    for name, floor in ub.unbiased_mean_floors(n, 1, Approximate(epsilon, 0.05)).items():
        assert floor <= truth * (1 + 1e-6), name
    tv = TotalVariation(np.tanh(epsilon / 2))
    truth = least_unbiased(n, 0.0, float(tv.alpha))
    for name, floor in ub.unbiased_mean_floors(n, 1, tv).items():
        assert floor <= truth * (1 + 1e-6), name
    assert max(ub.unbiased_mean_floors(n, 1, tv).values()) * 3 > truth


# The error of the best method over each floor at a setting; it may not grow, and three times the
# floor would be above the method or leave the written range.
DISTANCES = [
    ("cap", "pure", 10, 200, 2.0, 4.87),
    ("cap", "pure", 20, 200, 0.05, 2.01),
    ("counts", "pure", 10**7, 2, 0.5, 1.54),
    ("pairs", "pure", 100, 20, 0.5, 21.5),
    ("pairs", "zcdp", 10**5, 200, 0.05, 1.001),
    ("pairs", "kl", 10**5, 200, 0.05, 1.001),
    ("pairs", "approximate", 10**5, 200, 0.05, 12.1),
    ("pairs", "tv", 10, 200, 2.0, 1.53),
    ("shannon", "zcdp", 10, 200, 2.0, 4.04),
    ("shannon", "kl", 10, 200, 2.0, 4.04),
    ("cap", "approximate", 10, 200, 2.0, 16.8),
    ("counts", "tv", 10**5, 200, 0.05, 2.23),
    ("report", "local", 100, 20, 0.5, 1.01),
]


@pytest.mark.parametrize(("name", "definition", "n", "d", "epsilon", "apart"), DISTANCES)
def test_the_distance_to_the_best_method_does_not_grow(name, definition, n, d, epsilon, apart):
    guarantee = next(g for g in standard_guarantees(epsilon, 1e-6) if g.name == definition)
    floor = ub.unbiased_mean_floors(n, d, guarantee)[name]
    if definition == "local":
        error = me.report_second_moment(d, epsilon) / n
    else:
        error = float(me.noise_second_moment(n, d, guarantee))
        error = min(error, me.SubsetReports.optimal(n, d, epsilon).error)
        if definition == "tv" and (m := me.subset_size(n, guarantee)):
            error = min(error, (n - m) / (m * (n - 1)))
    assert 0.98 * apart <= error / floor <= apart


def test_the_largest_floor_is_the_floor_and_nothing_has_none():
    for guarantee in standard_guarantees(0.3, 1e-6)[1:]:
        found = ub.unbiased_mean_floors(50, 7, guarantee)
        assert ub.unbiased_mean_floor(50, 7, guarantee) == max(found.values())
        assert next(iter(found.values())) == max(found.values())
    with pytest.raises(ValueError, match=r"^privacy\b"):
        ub.unbiased_mean_floor(50, 7, NonPrivate())
    with pytest.raises(ValueError, match=r"^privacy's epsilon\b"):
        ub.unbiased_mean_floors(50, 7, Pure([0.1, 0.2]))
    # One sign by randomized response, whose variance is exact.
    one = ub.unbiased_mean_floor(1, 1, Local(Pure(1.0)))
    assert one == pytest.approx(1 / np.tanh(0.5) ** 2 - 1)


@pytest.mark.parametrize("d", [401, 1_000, 3_000])
def test_the_bound_keeps_up_with_the_noise_in_many_dimensions(d):
    noise = 4 * d * (d + 1) / (10**6 * 0.01) ** 2
    assert noise / ub.unbiased_mean_floor(10**6, d, Pure(0.01)) < 26
    normal = ZCDP(1e-4)
    error = float(me.noise_second_moment(10**4, d, normal))
    assert error / ub.unbiased_mean_floor(10**4, d, normal) < 1.1


@pytest.mark.parametrize("level", [1e-9, 1e-14, 1e-18, 1e-30])
@pytest.mark.parametrize("d", [1, 2, 30, 500])
def test_a_budget_of_next_to_nothing_has_no_floor_above_its_noise(level, d):
    for guarantee in (Pure(level), ZCDP(level), KL(level)):
        noise = float(me.noise_second_moment(10, d, guarantee))
        assert ub.unbiased_mean_floor(10, d, guarantee) <= noise * (1 + 1e-9), guarantee


@pytest.mark.parametrize("epsilon", [0.3, 0.6])
def test_one_record_of_less_than_half_a_sphere_by_hand(epsilon):
    # A person's vector is hidden up to e^epsilon < 2: at most that times the upper half's height.
    d, delta = 20, 1e-12
    height = np.exp(gammaln(d / 2) - gammaln((d + 1) / 2)) / np.sqrt(np.pi)
    mean = np.exp(epsilon) / 2 * height + np.sqrt(delta)
    found = ub.unbiased_mean_floors(1, d, Approximate(epsilon, delta))["cap"]
    assert found == pytest.approx(mean**-2 - 1, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(2, 2), (1_000, 200), (1_000, 10**4), (10**5, 3)])
@pytest.mark.parametrize("epsilon", [20.0, 100.0, 700.0])
def test_no_floor_is_negative_at_a_large_budget(n, d, epsilon):
    floors = ub.unbiased_mean_floors(n, d, Pure(epsilon))
    assert min(floors.values()) >= 0
    assert max(floors.values()) <= ub.unbiased_mean_floor(n, d, Pure(epsilon)) * (1 + 1e-12)
