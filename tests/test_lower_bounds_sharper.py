"""The sharper floors: below the exact risk where it is known, close to it or to a method."""

from functools import partial
from itertools import product

import mpmath
import numpy as np
import pytest
import scipy.stats
from scipy import integrate, special
from scipy.optimize import linprog

from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp import results
from minimaxdp.guarantees import KL, ZCDP, Approximate, Local, NonPrivate, Pure, TotalVariation
from minimaxdp.lower_bounds import _bits as bits
from minimaxdp.lower_bounds import _blocks as blocks
from minimaxdp.lower_bounds import _local_means as local
from minimaxdp.lower_bounds import _power as power
from minimaxdp.lower_bounds import _sphere as sphere
from minimaxdp.results._projected import projected_reports
from minimaxdp.results._smoothed import smoothed_series


def exact(n, guarantee):
    """The minimax risk for n signs, from above: laws on [-1, 1] may be rounded to it."""
    return lb.bernoulli_minimax(n, guarantee).upper


def test_a_large_concentrated_budget_lets_a_test_change_its_mind():
    for rho in (1.0, 200.0, 300.0, 400.0, 700.0):
        p = np.array([0.0, 1e-3, 0.3, 1.0])
        after = power.power_step(ZCDP(rho))(p)
        assert np.all((p <= after) & (after <= 1)), rho
        assert rho == 1.0 or np.all(after[1:] == 1), rho


@pytest.mark.parametrize(("delta", "is_there"), [(0.01, True), (0.4, True), (0.65, False)])
def test_the_cube_asks_for_a_moment_of_order_two(delta, is_there):
    # The order is d - 2 ln(delta): 1 - 2 ln 0.4 = 2.8, 1 - 2 ln 0.65 = 1.9.
    assert ("cube" in lb.mean_floors(100, 1, Approximate(0.5, delta))) is is_there


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_no_floor_of_a_number_is_above_the_exact_minimax_risk(n, epsilon):
    pure = Pure(epsilon)
    for guarantee in (
        pure, Approximate(epsilon, 0.02), pure.implies(TotalVariation), Local(pure),
    ):  # fmt: skip
        truth = exact(n, guarantee)
        for name, floor in lb.mean_floors(n, 1, guarantee).items():
            assert floor <= truth * (1 + 1e-9), (name, guarantee)
    # What pure privacy implies asks for less, so that pure risks bound its floors as well.
    truth = exact(n, pure)
    for guarantee in (pure.implies(ZCDP), pure.implies(KL)):
        for name, floor in lb.mean_floors(n, 1, guarantee).items():
            assert floor <= truth * (1 + 1e-9), (name, guarantee)


# Settings where an argument is close to the truth: three times it would be too good to be true.
CLOSE_TO_EXACT = [
    ("cap", 2, Pure(0.1), 0.999),
    ("axes", 12, Pure(2.0), 0.80),
    ("axes", 12, TotalVariation(np.tanh(1.0)), 0.86),
    ("cube", 12, Pure(2.0), 0.80),
    ("cube", 12, Approximate(2.0, 0.02), 0.81),
    ("shannon", 1, Pure(0.1), 0.99),
    ("population", 1, Approximate(0.1, 0.02), 0.92),
    ("information", 2, Local(Pure(0.1)), 0.999),
    ("signs", 12, Pure(0.5), 0.99),
    ("signs", 5, Local(Pure(2.0)), 0.99),
]


@pytest.mark.parametrize(("name", "n", "guarantee", "share"), CLOSE_TO_EXACT)
def test_the_floors_are_close_to_the_exact_risk_somewhere(name, n, guarantee, share):
    floor, truth = lb.mean_floor(n, 1, guarantee, method=name), exact(n, guarantee)
    assert share * truth <= floor <= truth * (1 + 1e-9) < 3 * floor


# The risk of the best method over the floor, where the truth is not known; it may not grow.
CLOSE_TO_A_METHOD = [
    ("volume", 10**5, 200, 0.05, "pure", 29.9),
    ("volume", 1_000, 200, 0.05, "pure", 1.65),
    ("cap", 1_000, 200, 0.05, "pure", 1.52),
    ("axes", 10**12, 1, 1e-7, "pure", 1.03),
    ("axes", 10**12, 20, 1e-7, "zcdp", 1.03),
    ("cube", 10**4, 100, 0.02, "zcdp", 4.5),
    ("cube", 10**4, 100, 0.02, "kl", 5.3),
    ("cube", 10**4, 20, 0.02, "approximate", 23.9),
    ("shannon", 1_000, 200, 0.05, "zcdp", 8.3),
    ("shannon", 100, 200, 0.05, "zcdp", 1.1),
    ("population", 1_000, 200, 0.05, "approximate", 14.1),
    ("information", 1_000, 200, 0.5, "local", 1.15),
    ("sphere", 10**6, 200, 0.05, "local", 2.02),
    ("ball", 10**7, 2, 0.05, "local", 1.07),
    ("signs", 100, 2, 2.0, "local", 1.83),
    ("signs", 1_000, 2, 0.05, "pure", 2.55),
    ("signs", 100, 2, 0.05, "zcdp", 2.43),
    ("signs", 100, 2, 0.05, "approximate", 2.27),
]


@pytest.mark.parametrize(("name", "n", "d", "epsilon", "definition", "apart"), CLOSE_TO_A_METHOD)
def test_the_distance_to_the_best_method_does_not_grow(name, n, d, epsilon, definition, apart):
    pure = Pure(epsilon)
    guarantee = {
        "pure": pure, "zcdp": pure.implies(ZCDP), "kl": pure.implies(KL),
        "approximate": Approximate(epsilon, 1e-6), "local": Local(pure),
    }[definition]  # fmt: skip
    floor = lb.mean_floor(n, d, guarantee, method=name)
    if definition == "local":
        risk = me.local_mean_ceiling(n, d, guarantee)
    else:
        risk = me.shrunk_ceiling(me.noise_second_moment(n, d, guarantee), n)
    # From below as well: an improvement is to be written down here.
    assert 0.97 * apart <= risk / floor <= apart


def test_the_longest_posterior_mean_is_that_of_the_best_cap():
    for d in (1, 2, 3, 20, 200, 1000):
        for x in (0.05, 1.0, 5.0, 30.0, *((160.0, 300.0) if d >= 200 else ())):
            length = me.PrivUnit.optimal(x, d).magnitude
            assert sphere.longest_mean(x, d) == pytest.approx(1 / length, rel=1e-6)
            assert sphere.longest_mean(x, d) >= (1 / length) * (1 - 1e-12)
        # All at once is as one by one: no budget ends the search of another one early.
        many = np.array([0.0, 0.05, 1.0, 30.0, 80.0, 1e4])
        alone = [float(sphere.longest_mean(x, d)) for x in many]
        np.testing.assert_allclose(sphere.longest_mean(many, d), alone, rtol=1e-9)
        assert alone[0] == 0.0 and alone[-1] == 1.0


@pytest.mark.parametrize("d", [1, 2, 3, 7, 60, 399])
def test_the_rate_of_the_sphere_is_that_of_bessel_functions(d):
    # The curve is convex: its tangents stay below it, and come close.
    for share in (0.01, 0.3, 1.0, 3.0):
        c = mpmath.mpf(share) * d
        log_z = mpmath.log(mpmath.hyp0f1(mpmath.mpf(d) / 2, c**2 / 4))
        a = mpmath.besseli(mpmath.mpf(d) / 2, c) / mpmath.besseli(mpmath.mpf(d) / 2 - 1, c)
        nats, truth = float(c * a - log_z), float(1 - a**2)
        assert 0.985 * truth <= sphere.least_distortion(nats, d) <= truth * (1 + 1e-7)


def test_bins_of_a_binomial_bound_the_mean_of_what_increases():
    for n, p in ((7, 0.3), (500, 0.02), (10**6, 0.4), (40, 1.0)):
        ends, mass = sphere.binomial_bins(n, p)
        assert mass.sum() == pytest.approx(1, abs=1e-12) and mass.min() >= -1e-15
        assert n * p * (1 - 1e-12) <= mass @ ends <= n * p + 0.5 * np.sqrt(n * p) + 1e-9


def vertices(inputs, epsilon):
    """The extreme channels: each column is exp(epsilon) on a set, up to a scale."""
    sets = np.array(list(product([0, 1], repeat=inputs)))[1:-1]
    return 1 + sets.T * np.expm1(epsilon)


def random_channel(rng, inputs, epsilon):
    """A random mixture of columns that makes rows sum to one: a vertex of a programme."""
    columns = vertices(inputs, epsilon)
    found = linprog(
        rng.standard_normal(columns.shape[1]) * columns.mean(axis=0),
        A_eq=columns,
        b_eq=np.ones(inputs),
    )
    assert found.status == 0
    return (columns * found.x)[:, found.x > 1e-9]


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_no_report_tells_more_than_its_rate(epsilon):
    rng, best, capacity = np.random.default_rng(7), 0.0, 0.0
    for _ in range(150):
        channel = random_channel(rng, 4, epsilon)
        prior, q = rng.dirichlet(np.ones(3)), rng.uniform(0.02, 1)
        for share in (q, 1.0):
            mixed = (1 - share) * channel[3] + share * channel[:3]
            law = prior @ mixed
            nats = (prior[:, None] * mixed * np.log(mixed / law)).sum()
            rate = local.information_rate(epsilon, share)
            assert nats <= rate * (1 + 1e-9)
            if share == 1.0:
                capacity = max(capacity, nats / rate)
            else:
                best = max(best, nats / rate)
    assert best > 0.55 and capacity > 0.7


def test_the_capacity_is_attained_by_a_continuum():
    # A secret on a circle, reported likelier on an arc around it.
    for epsilon in (0.3, 1.0, 4.0):
        u = np.linspace(0.001, 0.999, 999)
        top, low = np.exp(epsilon) / (1 + u * np.expm1(epsilon)), 1 / (1 + u * np.expm1(epsilon))
        nats = u * top * np.log(top) + (1 - u) * low * np.log(low)
        assert nats.max() == pytest.approx(float(local.capacity(epsilon)), rel=1e-5)


def test_the_chord_is_above_the_entropy():
    for epsilon in (1e-4, 0.009, 0.011, 0.5, 3.0):
        t = np.exp(-epsilon) + np.geomspace(1e-6, 50, 400)
        left = special.xlogy(t, t) - t + 1
        assert np.all(left <= local.chord(epsilon) * (t - 1) ** 2 * (1 + 1e-6) + 1e-15)


def test_the_tails_of_a_tangential_coordinate():
    kappa, length, probability, lever = local._tangent_laws(5)
    rng = np.random.default_rng(3)
    i = int(np.argmin(abs(kappa - 5)))
    # Rejection: a uniform direction kept with probability exp(kappa (w - 1)).
    x = rng.standard_normal((10**6, 5))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    x = x[rng.random(len(x)) < np.exp(kappa[i] * (x[:, 0] - 1))]
    error = 5 / np.sqrt(len(x))
    assert abs(x[:, 0].mean() - length[i]) < error
    assert probability[i, 0] == pytest.approx(0.5, abs=1e-6)
    assert abs(np.maximum(x[:, 1], 0).mean() - lever[i, 0]) < error


def test_the_first_mode_of_a_ball():
    assert local.first_zero(-0.5) == pytest.approx(np.pi / 2)
    assert local.first_zero(0.5) == pytest.approx(np.pi, rel=1e-9)
    for order in (0.0, 1.0, 2.0, 5.0, 14.0):
        assert local.first_zero(order) == pytest.approx(special.jn_zeros(int(order), 1)[0])


@pytest.mark.parametrize("d", [1, 2, 5, 40])
def test_caps_by_quadrature(d):
    for gamma in (0.0, 0.2, 0.7):
        q, lever = sphere.tail(gamma, d)
        if d == 1:
            assert q == lever == 0.5
            continue
        low = np.arcsin(gamma)
        weight = integrate.quad(lambda a: np.cos(a) ** (d - 2), -np.pi / 2, np.pi / 2)[0]
        mass = integrate.quad(lambda a: np.cos(a) ** (d - 2), low, np.pi / 2)[0]
        mean = integrate.quad(lambda a: np.sin(a) * np.cos(a) ** (d - 2), low, np.pi / 2)[0]
        assert q == pytest.approx(mass / weight) and lever == pytest.approx(mean / weight)
        height = sphere.cap_height(-np.log(q), d)
        assert height == pytest.approx(lever / q, rel=1e-6)


# --- proportions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("n", [3, 10])
def test_no_floor_of_a_proportion_is_above_the_exact_risk(n, epsilon):
    pure = Pure(epsilon)
    truths = {
        g: exact(n, g) / 4
        for g in (pure, Approximate(epsilon, 0.02), pure.implies(TotalVariation), Local(pure))
    }
    truths |= {pure.implies(ZCDP): truths[pure], pure.implies(KL): truths[pure]}
    for guarantee, truth in truths.items():
        found = lb.proportion_floors(n, guarantee)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for name, floor in found.items():
            assert floor <= truth * (1 + 1e-9), (name, guarantee)
    # Three times the Bayes risk, or the pair's, would be above the truth.
    assert lb.proportion_floors(n, pure)["bayes"] > 0.95 * truths[pure]
    assert lb.proportion_floors(n, Local(pure))["bayes"] > 0.97 * truths[Local(pure)]


@pytest.mark.parametrize(
    ("name", "n", "guarantee", "share"),
    [
        ("pair", 3, Approximate(0.1, 0.02), 0.99),
        ("pair", 10, TotalVariation(0.05), 0.95),
        ("window", 24, TotalVariation(0.05), 0.69),
        ("fisher", 24, Pure(2.0), 0.5),
        ("fisher", 24, Local(Pure(2.0)), 0.52),
    ],
)
def test_the_floors_of_a_proportion_are_close_somewhere(name, n, guarantee, share):
    floor, truth = 4 * lb.proportion_floors(n, guarantee)[name], exact(n, guarantee)
    assert share * truth <= floor <= truth * (1 + 1e-9) < 3 * floor


@pytest.mark.parametrize(
    ("guarantee", "share"),
    [
        (Pure(0.5), 0.88), (Approximate(0.5, 0.02), 0.91), (TotalVariation(0.24), 0.89),
        (Pure(2.0), 0.95), (Approximate(2.0, 0.02), 0.96), (TotalVariation(0.76), 0.94),
    ],
)  # fmt: skip
def test_tests_that_grow_as_they_may_are_close_to_the_exact_risk(guarantee, share):
    floor, truth = power.counted_floor(12.0, 1.0, guarantee), exact(12, guarantee)
    assert share * truth <= floor <= truth * (1 + 1e-9) < 3 * floor


def test_signs_that_few_hold_are_no_easier_than_the_mean_over_their_number():
    # Given their number, the geometric count has the least Bayes risk, for every prior.
    n, q, pure = 12, 0.5, Pure(0.5)
    risks = [1.0] + [bits.least_favourable(k, 0.5, False)[1] for k in range(1, n + 1)]
    mass = special.binom(n, np.arange(n + 1)) / 2**n
    floor = power.counted_floor(float(n), q, pure)
    assert 0.8 * (mass @ risks) <= floor <= mass @ risks
    assert floor > 1.2 * max(bits.bit_floors(n, q, pure)[name] for name in ("window", "fisher"))


@pytest.mark.parametrize(
    ("n", "epsilon", "reach"), [(12, 0.5, 0.3), (40, 0.2, 0.5), (40, 1.0, 0.1)]
)
def test_of_a_mean_near_zero_the_geometric_count_knows_no_less(n, epsilon, reach):
    pure = Pure(epsilon)
    floor = power.counted_floor(float(n), 1.0, pure, reach)
    counts, best = np.arange(n + 1), 0.0
    noise = np.arange(-60 * n, 60 * n + 1)  # two-sided geometric, cut to [0, n]
    share = np.exp(-epsilon * abs(noise)) * np.tanh(epsilon / 2)
    channel = np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        np.add.at(channel[i], np.clip(i + noise, 0, n), share)
    for b in (-1.5, -0.5, 0.0, 1.0):
        atoms, prior = power._prior(n, pure, b, reach)
        assert np.abs(atoms).max() <= reach
        law = prior[:, None] * scipy.stats.binom.pmf(counts, n, (1 + atoms[:, None]) / 2)
        seen = law @ channel
        # The Bayes risk after the mechanism that is best for every prior.
        best = max(best, prior @ atoms**2 - np.sum((atoms @ seen) ** 2 / seen.sum(axis=0)))
    assert floor == pytest.approx(best, rel=1e-8) and floor <= best


@pytest.mark.parametrize(
    ("n", "epsilon", "reach", "b", "share"),
    [(5000, 0.05, 0.02, -1.5, 0.98), (2000, 0.02, 0.5, -1.5, 0.7), (2000, 0.02, 0.5, -0.5, 0.98),
     (300, 0.05, 1.0, -1.5, 0.8), (300, 0.05, 1.0, -0.5, 0.95)],
)  # fmt: skip
def test_tests_on_a_grid_are_no_better_than_the_geometric_count(n, epsilon, reach, b, share):
    # Also where a prior has nearly all its weight far from the middle.
    pure = Pure(epsilon)
    prior = power._prior(n, pure, b, reach)
    floor = power._count_risk(power._orbits(pure, 1), n, *prior)
    truth = power._geometric_risk(epsilon, n, *prior)
    assert share * truth < floor <= truth


def test_a_wave_is_a_sign_that_some_people_hold():
    x, height = np.linspace(0, 1, 20_001), 0.125
    half = x % 0.5
    wave = height * (1 - abs(half / 0.25 - 1)) * np.where(x < 0.5, 1, -1)
    for h in (height, 0.4, 1.0):
        share = abs(wave) / h
        assert share.max() <= 1 + 1e-12
        assert np.trapezoid(share, x) == pytest.approx(height / (2 * h), rel=1e-6)
        for a in (-1.0, 0.3):
            mixed = share * (1 + h * a * np.sign(wave)) + 1 - share
            np.testing.assert_allclose(mixed, 1 + a * wave, atol=1e-12)


def test_the_power_of_a_test_grows_no_faster_than_its_definition_allows():
    p = np.linspace(0.001, 0.999, 199)
    for guarantee in (
        Pure(0.7), Approximate(0.7, 0.01), TotalVariation(0.3), ZCDP(0.2), KL(0.2),
    ):  # fmt: skip
        step = power.power_step(guarantee)
        most = step(p)
        assert np.all(most > p) and np.all(most <= 1) and np.all(np.diff(most, 2) <= 1e-8)
        # A step back undoes a step, where the step does not end at one.
        inside = most < 1 - 1e-9
        assert np.allclose(1 - step(1 - most[inside]), p[inside], atol=1e-8)
    p = p[p < 0.9]
    nats = special.xlogy(p, p / (q := power.power_step(KL(0.2))(p)))
    nats += special.xlogy(1 - p, (1 - p) / (1 - q))
    there = special.xlogy(q, q / p) + special.xlogy(1 - q, (1 - q) / (1 - p))
    assert np.allclose(np.maximum(nats, there), 0.2, rtol=1e-6)


def test_a_geometric_count_and_a_best_estimate_are_minimax_for_a_proportion():
    for n, epsilon, local_model, apart in (
        (100, 0.05, False, 1.04), (100, 0.5, False, 1.01), (1_000, 0.05, False, 1.01),
        (100, 0.5, True, 1.02), (1_000, 0.5, True, 1.01),
    ):  # fmt: skip
        low, high = bits.least_favourable(n, epsilon, local_model)
        assert low <= high <= apart * low
    # At few people the programme over all channels finds the same.
    low, high = bits.least_favourable(12, 0.5, False)
    found = lb.bernoulli_minimax(12, Pure(0.5))
    assert low <= found.upper and found.lower <= high


def test_the_law_of_a_geometric_count():
    n, epsilon = 5, 0.7
    law = bits.sign_law(n, epsilon, False, np.array([-1.0, 0.2, 1.0]))
    k, b = np.arange(n + 1), np.exp(-epsilon)
    channel = (1 - b) / (1 + b) * b ** abs(k[:, None] - k)
    channel[:, [0, -1]] /= 1 - b
    assert np.allclose(channel.sum(axis=1), 1) and np.allclose(law.sum(axis=1), 1)
    assert np.allclose(law[[0, 2]], channel[[0, n]])
    assert np.allclose(law[1], special.binom(n, k) * 0.6**k * 0.4 ** (n - k) @ channel)


@pytest.mark.parametrize("epsilon", [0.3, 1.5])
def test_groups_of_records_under_pure_and_approximate_privacy(epsilon):
    # The pair that is farthest apart: reveal with probability delta, else randomized response.
    for b in (1, 2, 5):
        assert bits.group_distance(b, Pure(epsilon)) == pytest.approx(np.tanh(b * epsilon / 2))
        one = Approximate(epsilon, 1e-3)
        delta = 1e-3 * np.expm1(b * epsilon) / np.expm1(epsilon)
        distance = delta + (1 - delta) * np.tanh(b * epsilon / 2)
        assert bits.group_distance(b, one) == pytest.approx(min(distance, b * 1.0))
    assert np.all(np.diff(bits.group_distance(np.arange(200), Approximate(0.1, 1e-5))) >= 0)
    level = np.geomspace(1e-30, 50, 40)
    t = bits.response_distance(level)
    inside = (level > 1e-11) & (t < 1 - 1e-9)
    assert np.allclose(2 * t[inside] * np.arctanh(t[inside]), level[inside], rtol=1e-6)


# --- categories and ends --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("d", "n", "epsilon"), [(2, 2, 0.5), (3, 2, 0.5), (3, 3, 1.0), (3, 1, 0.3)]
)
def test_no_floor_of_categories_is_above_the_programme(d, n, epsilon):
    table, pairs = lb.histograms(d, n)
    laws = np.array([x for x in product(np.arange(7) / 6, repeat=d) if abs(sum(x) - 1) < 1e-9])
    outputs = np.array([x for x in product(np.arange(13) / 12, repeat=d) if abs(sum(x) - 1) < 1e-9])
    loss = ((laws[:, None] - outputs) ** 2).sum(axis=-1)
    samples = lb.histogram_laws(table, laws)
    pure = Pure(epsilon)
    truth = {}
    for guarantee in (pure, Approximate(epsilon, 0.01), TotalVariation(np.tanh(epsilon / 2))):
        truth[guarantee] = lb.minimax_channel(samples, loss, guarantee, pairs=pairs).risk
    truth |= {pure.implies(ZCDP): truth[pure], pure.implies(KL): truth[pure]}
    for guarantee, risk in truth.items():
        found = lb.multinomial_floors(n, d, guarantee)
        assert list(found.values()) == sorted(found.values(), reverse=True)
        for name, floor in found.items():
            # Outputs on a grid cost the programme something; laws on a grid make it a bound.
            assert floor <= risk * (1 + 1e-9), (name, guarantee)
    assert 3 * lb.multinomial_floors(n, d, pure)["blocks"] > truth[pure]
    assert 3 * lb.multinomial_floors(n, d, pure)["pairs"] > truth[pure]


@pytest.mark.parametrize(
    ("name", "n", "d", "guarantee", "apart"),
    [
        ("blocks", 100, 200, Pure(0.05), 1.21),
        ("blocks", 100, 200, Approximate(0.05, 1e-6), 1.72),
        ("blocks", 100, 200, Pure(0.05).implies(ZCDP), 2.45),
        ("blocks", 100, 200, Pure(0.05).implies(KL), 5.6),
        ("blocks", 100, 200, Pure(0.05).implies(TotalVariation), 1.84),
        ("blocks", 100, 200, Local(Pure(0.05)), 1.02),
        ("simplex", 10**5, 200, Pure(0.05), 2.47),
        ("simplex", 10**9, 20, Local(Pure(0.5)), 1.02),
    ],
)
def test_the_floors_of_categories_stay_close_to_a_method(name, n, d, guarantee, apart):
    found = lb.multinomial_floors(n, d, guarantee)[name]
    risk = results.cell("multinomial", guarantee, results.Setting(n=n, d=d)).risk
    assert 0.96 * apart <= risk / found <= apart


def test_most_of_the_squared_posteriors_at_given_nats():
    rng = np.random.default_rng(5)
    for s in (3, 10, 200):
        for size in (0.1, 1.0, 10.0):
            posterior = rng.dirichlet(np.full(s, size), size=300)
            nats = (np.log(s) - special.entr(posterior).sum(axis=1)).mean()
            squares = (posterior**2).sum(axis=1).mean()
            assert squares <= blocks._concentration(nats, s)
        # One atom and the rest flat attains it, where the bound is strictly concave.
        atom = 0.9
        flat = np.r_[atom, np.full(s - 1, (1 - atom) / (s - 1))]
        nats = np.log(s) - special.entr(flat).sum()
        assert (flat**2).sum() == pytest.approx(blocks._concentration(nats, s), rel=0.05)


def test_very_many_categories_may_be_nearly_known():
    s = 10**6
    for atom in (0.6, 0.9, 0.999):
        rest = (1 - atom) / (s - 1)
        nats = np.log(s) + atom * np.log(atom) + (1 - atom) * np.log(rest)
        assert atom**2 + (1 - atom) * rest <= blocks._concentration(nats, s)
    for n in (10**5, 10**8):  # the projected unary survey
        ceiling = np.sqrt(np.log(s) / (2 * n)) / np.tanh(0.1 / 4)
        assert max(lb.multinomial_floors(n, s, Local(Pure(0.1))).values()) < ceiling


def test_a_projection_costs_no_more_than_its_bound():
    rng = np.random.default_rng(6)
    n, d, epsilon = 2_000, 60, 0.8
    bound = projected_reports(n, d, epsilon)
    mechanism = rr.SubsetSelection(epsilon, d)
    for theta in (np.full(d, 1 / d), np.r_[1.0, np.zeros(d - 1)], rng.dirichlet(np.ones(d) / 5)):
        errors = []
        for _ in range(40):
            people = rng.choice(d, size=n, p=theta)
            reports = mechanism.privatize(people, rng=rng)
            y = mechanism.estimate(mechanism.tally(reports), n)
            errors.append(((rr.project_to_simplex(y) - theta) ** 2).sum())
        assert np.mean(errors) <= bound
    assert bound < 30 * np.mean(errors)


@pytest.mark.parametrize(("m", "n"), [(4, 2), (3, 3)])
def test_no_floor_of_an_end_is_above_the_programme(m, n):
    # Uniform on the first k of m points: like the end of an interval, a mixture with what is new.
    ends = np.arange(1, m + 1) / m
    laws = np.tril(np.ones((m, m))) / np.arange(1, m + 1)[:, None]
    table, pairs = lb.histograms(m, n)
    samples, loss = lb.histogram_laws(table, laws), abs(ends[:, None] - np.arange(13) / 12)
    for guarantee in (Pure(0.5), Approximate(0.5, 0.05), TotalVariation(0.24)):
        found = lb.minimax_channel(samples, loss, guarantee, pairs=pairs)
        up = partial(power._up, n, guarantee)
        (floor,) = power.end_risks(np.log(ends), np.asarray(found.prior)[None], up)
        assert 0.87 * found.risk < floor <= found.risk * (1 + 1e-9)


@pytest.mark.parametrize("privacy", [Pure(0.5), Approximate(0.3, 0.01), ZCDP(0.1), KL(0.1)])
def test_where_few_records_change_a_test_rises_less(privacy):
    n, h = 40, np.array([0.0, 0.02, 0.1])
    risen, p = power._up(n, privacy, h), power._POWERS
    # By hand, record after record; and never more than where their number does not vary.
    step, some = power.power_step(privacy), p[::50]
    for i in range(h.size):
        expected, at = np.zeros(some.size), some
        for k in range(n + 1):
            expected += scipy.stats.binom.pmf(k, n, -np.expm1(-h[i])) * at
            at = step(at)
        np.testing.assert_allclose(risen[i, ::50], expected, rtol=1e-6)
    x, grown = power._growth(privacy)
    smooth = np.interp(np.interp(p, grown, x) + n * h[:, None], x, grown, right=1.0)
    assert np.all(risen <= smooth + 1e-5) and np.all(risen[2, 250:350] < smooth[2, 250:350])


def test_the_power_before_a_rise_is_never_too_high():
    p = power._POWERS
    for risen, before in (
        (np.sqrt(p), lambda q: q**2),
        (np.minimum(1.0, 1.7 * p), lambda q: q / 1.7),
        (p, lambda q: q),
        (np.minimum(1.0, p + 0.1), lambda q: np.maximum(0.0, q - 0.1)),
    ):
        below, truth = power._before(risen), before(p)
        reached = p < risen[-1]
        assert np.all(below[reached] <= truth[reached] * (1 + 1e-9) + 1e-15)
        assert np.all(below[reached] >= 0.99 * truth[reached] - 2e-3)


def test_a_window_is_found_where_privacy_hides_nearly_everything():
    # At n alpha <= 1 the window of all ends is useless: nothing is left of the distance.
    assert lb.endpoint_floors(50, TotalVariation(0.02))["window"] > 0.1


@pytest.mark.parametrize(
    ("n", "epsilon", "over"), [(100, 0.05, 1.64), (10**5, 0.05, 1.50), (10**7, 0.5, 1.46)]
)
def test_tests_at_every_threshold_beat_windows_under_pure_privacy(n, epsilon, over):
    found = lb.endpoint_floors(n, Pure(epsilon))
    assert over < found["tests"] / found["window"] < over + 0.06
    if n * epsilon > 10**3:  # where windows have ln(2)/(n epsilon), at small budgets
        assert 0.95 / (n * epsilon) < found["tests"] < 1.07 / (n * epsilon)


def test_the_end_of_a_support():
    for n in (1, 2, 10, 10**5):
        scaled = float(results.closed_bounds("endpoint", NonPrivate(), n=n)[1])
        floor = lb.endpoint_floors(n, NonPrivate())["bayes"]
        assert floor <= scaled
        assert floor > (scaled / 3 if n > 2 else 0)
    for n, level, apart in ((1_000, 0.025, 1.35), (10**5, 0.245, 1.31)):
        risk = lb.RankedMaximum(n, level).risk()
        assert 0.97 * apart < risk / lb.endpoint_floors(n, TotalVariation(level))["window"] < apart
    # Amended constants of n times the error, at the levels tanh(epsilon/2).
    for epsilon, constant in ((0.05, 10.502), (0.5, 1.513), (2.0, 0.843)):
        risk = lb.RankedMaximum(10**6, np.tanh(epsilon / 2)).risk()
        assert 10**6 * risk == pytest.approx(constant, rel=2e-3)


@pytest.mark.long
def test_a_random_rank_is_private_and_errs_as_it_says():
    # Values on a grid of few points: the law of the output is that of the ranks.
    chosen = lb.RankedMaximum(4, 0.3)
    values = np.array([0.1, 0.3, 0.5, 0.9])
    worst = 0.0
    for x in product(values, repeat=4):
        for y in values:
            one, two = (np.sort(data)[::-1] for data in (x, (y, *x[1:])))
            laws = []
            for data in (one, two):
                law = np.zeros(5)
                for rank, p in enumerate(chosen.probabilities):
                    law[np.argmax(values == data[rank]) if rank < 4 else 4] += p
                laws.append(law)
            worst = max(worst, abs(laws[0] - laws[1]).sum() / 2)
    assert worst <= 0.3 + 1e-12 and worst > 0.29
    for n, alpha in ((10**7, 1e-9), (3, 0.1), (7, 0.3), (5, 1.0)):
        ranks = lb.RankedMaximum(n, alpha).probabilities[:-1]
        assert np.all(np.diff(ranks) <= 1e-15) and ranks[0] <= alpha * (1 + 1e-12)
    few, rng = lb.RankedMaximum(8, 0.3), np.random.default_rng(0)
    errors = np.array([abs(few.privatize(rng.random(8), rng=rng) - 1) for _ in range(8_000)])
    assert abs(errors.mean() - few.risk()) < 5 * errors.std() / np.sqrt(errors.size)
    with pytest.raises(ValueError, match=r"^values\b"):
        few.privatize([0.5])
    rare = lb.RankedMaximum(3, 0.1)  # else one half
    drawn = np.array([rare.privatize([0.1, 0.2, 0.3], rng=rng) for _ in range(2_000)])
    assert abs(np.mean(drawn == 0.5) - 0.7) < 5 * np.sqrt(0.7 * 0.3 / 2_000)


# --- densities ------------------------------------------------------------------------------------


def test_a_wave_is_a_sign_seen_with_the_probability_that_is_named():
    for beta, m in ((1.0, 3), (0.5, 4)):
        width, height = 1 / m, 2 ** (-1 - beta) * m**-beta
        x = np.linspace(0, width, 200_001)
        half = x % (width / 2)
        wave = height * (1 - abs(half / (width / 4) - 1)) * np.where(x < width / 2, 1, -1)
        assert np.trapezoid(abs(wave), x) == pytest.approx(width * height / 2, rel=1e-4)
        assert np.trapezoid(wave**2, x) == pytest.approx(width * height**2 / 3, rel=1e-4)
        steps = np.random.default_rng(1).integers(0, x.size, (2, 4_000))
        apart = abs(x[steps[0]] - x[steps[1]])
        assert np.all(abs(wave[steps[0]] - wave[steps[1]]) <= apart**beta * (1 + 1e-6) + 1e-9)


def test_the_floor_of_a_density_is_below_its_methods():
    for n, epsilon in ((10, 0.5), (1_000, 0.05)):
        pure = Pure(epsilon)
        for guarantee, apart in (
            (NonPrivate(), 13.1), (pure, 4.55), (pure.implies(ZCDP), 4.25), (Local(pure), 1.05),
            (pure.implies(TotalVariation), 4.7), (Approximate(epsilon, 1e-6), 4.55),
        ):  # fmt: skip
            risk = results.cell("density", guarantee, results.Setting(n=n)).risk
            floor = lb.holder_density_floor(n, guarantee)
            assert floor <= risk <= apart * floor
    # With next to no privacy left to spend the uniform density is nearly the best.
    floor, risk = (
        lb.holder_density_floor(1_000, Local(Pure(0.05))),
        results.cell("density", Local(Pure(0.05)), results.Setting(n=1_000)).risk,
    )
    assert floor < risk < 1.04 * floor and risk < 1 / 12


def test_the_smoothed_series_has_the_risk_it_says():
    n, rng = 500, np.random.default_rng(2)
    bound = smoothed_series(n, NonPrivate())
    assert smoothed_series(10**9, NonPrivate()) == pytest.approx(0.424 * 1e-6, rel=0.02)
    mu = min(np.geomspace(0.3, 0.02 * n ** (-1 / 3), 40), key=lambda mu: abs(mu**2 - bound / 3))
    j = np.arange(1, int(1 / (np.pi * mu)) + 1)
    weight = 1 - np.pi * j * mu
    # The steepest density, by inversion; its cosine coefficients are known.
    truth = np.where(j % 2 == 1, -2 * np.sqrt(2) / (np.pi * j) ** 2, 0.0)
    losses = []
    for _ in range(400):
        u = rng.random(n)
        x = (np.sqrt(1 + 8 * u) - 1) / 2  # density x + 1/2
        found = weight * np.sqrt(2) * np.cos(np.pi * np.outer(x, j)).mean(axis=0)
        losses.append(((found - truth) ** 2).sum() + 1 / 12 - (truth**2).sum())
    assert bound / 3 < np.mean(losses) < bound


@pytest.mark.parametrize(
    ("n", "q", "epsilon"), [(10, 1.0, 0.5), (1_000, 0.01, 0.2), (50, 0.3, 3.0)]
)
def test_van_trees_bound_of_a_sign_by_hand(n, q, epsilon):
    best, t = 0.0, np.tanh(epsilon / 2) ** 2
    for r in (0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.97):
        pairs = n * q * (n * q + 1 - q)  # the mean of the square of the number of signs
        told = min(t / (1 - t * r**2) * pairs, n * q / (1 - r**2))
        best = max(best, 1 / (told + np.pi**2 / r**2))
    assert bits.bit_floors(n, q, Pure(epsilon))["fisher"] == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize(("n", "d", "rho"), [(30, 5, 0.05), (200, 3, 1e-4)])
def test_van_trees_bound_of_a_simplex_by_hand(n, d, rho):
    best = 0.0
    for a, r in product((2.3, 2.6, 3.0, 4.0, 6.0, 10.0), (0.3, 0.6, 0.85, 0.95)):
        prior = (d - 1) * (a * d - 1) * (a * d - 2) / ((a - 2) * r**2)
        told = d / (1 - r) * min(n * (d - 1), n**2 * (np.exp(2 * rho) - 1))
        best = max(best, (d - 1) ** 2 / (told + prior))
    assert blocks._simplex(float(n), d, ZCDP(rho)) == pytest.approx(best, rel=1e-12)


def test_ends_of_which_nothing_is_learnt_cost_what_the_prior_says():
    s = np.linspace(-2.0, 0.0, 30)
    priors = np.vstack([np.random.default_rng(5).dirichlet(np.full(30, 0.3), 20), np.eye(30)])
    found = power.end_risks(s, priors, lambda h: np.tile(power._POWERS, (h.size, 1)))
    ends = np.exp(s)
    apart = np.abs(ends[:, None] - ends)
    exact = (priors @ apart).min(axis=1)  # at a median
    assert np.all(found <= exact * (1 + 1e-12)) and np.all(found >= exact * (1 - 1e-3))


def test_a_sign_that_nothing_is_told_of_is_guessed():
    # A level that rounds to nothing, and so does what it is multiplied with.
    found = bits.bit_floors(1.0, 0.25, TotalVariation(5e-324))
    assert found["pair"] == pytest.approx(1.0, rel=1e-12)
