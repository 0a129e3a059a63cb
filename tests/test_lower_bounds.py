"""Lower bounds: best constants by linear programming, and never above an exact risk."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import binom, multinomial

from minimaxdp import channels, divergences, lower_bounds, privacy
from minimaxdp import randomized_response as rr
from minimaxdp.guarantees import Local, NonPrivate, Pure, TotalVariation

property_test = settings(max_examples=40, deadline=None, derandomize=True)
EPSILONS = [0.01, 0.3, 0.6, np.log(2), 0.8, 1.0, 2.0, 5.0]  # on both sides of ln 2, and at it


def local_floor(n, epsilon, d, norm="l2"):
    """What the contraction alone says about d categories."""
    privacy = Local(Pure(epsilon))
    return lower_bounds.multinomial_floor(n, d, privacy, norm=norm, method="contraction")


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_local_contraction_is_the_value_of_the_linear_programme(epsilon):
    # Densities (x, y) of two rows against an output law lie in a hexagon, over whose
    # vertices the convex (x - y)^2 is greatest; weights m make three laws of them.
    e = np.exp(epsilon)
    x, y = np.array([(1 / e, 1 / e), (1 / e, 1), (1, 1 / e), (1, e), (e, 1), (e, e)]).T
    solution = linprog(-((x - y) ** 2), A_eq=[np.ones(6), x, y], b_eq=[1, 1, 1], method="highs")
    assert solution.status == 0
    assert lower_bounds.local_contraction(epsilon) == pytest.approx(-solution.fun, rel=1e-9)


@given(st.floats(1e-6, 350))
@property_test
def test_local_contraction_is_its_formula(epsilon):
    e = np.exp(epsilon)
    formula = max(1 / e, 2 / (e + 2)) * np.expm1(epsilon) ** 2
    assert lower_bounds.local_contraction(epsilon) == pytest.approx(formula, rel=1e-13)
    classical = min(4, e**2) * np.expm1(epsilon) ** 2
    assert lower_bounds.local_contraction(epsilon) < classical
    paper = lower_bounds.local_contraction(epsilon, variant="paper")
    assert paper == pytest.approx(classical, rel=1e-13)


def test_contractions_at_the_ends():
    for small in (1e-3, 1e-6, 1e-12):
        assert lower_bounds.local_contraction(small) == pytest.approx(small**2, rel=small)
        assert lower_bounds.hellinger_contraction(small) == pytest.approx(small**2 / 8, rel=small)
    # Before exp(700) becomes infinite the leading terms are 2 exp(eps) and exp(eps) / 2.
    assert lower_bounds.local_contraction(700) == pytest.approx(2 * np.exp(700), rel=1e-12)
    assert lower_bounds.hellinger_contraction(700) == pytest.approx(np.exp(700) / 2, rel=1e-12)
    values = lower_bounds.local_contraction(np.geomspace(1e-6, 700, 200))
    assert np.all(np.diff(values) > 0)


def staircase_channel(rng, inputs, epsilon):
    """A vertex of the polytope of private channels: each column is c or c exp(epsilon)."""
    patterns = np.array(list(product([1.0, np.exp(epsilon)], repeat=inputs))).T
    solution = linprog(rng.random(patterns.shape[1]), A_eq=patterns, b_eq=np.ones(inputs))
    assert solution.status == 0
    used = solution.x > 1e-12
    channel = patterns[:, used] * solution.x[used]
    return channel / channel.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("epsilon", [0.2, 0.69, 1.0, 3.0])
@pytest.mark.parametrize("inputs", [2, 3, 4])
def test_no_private_channel_exceeds_the_contraction(epsilon, inputs):
    rng, attained = np.random.default_rng(inputs), {"chi": 0.0, "hellinger": 0.0}
    for _ in range(12):
        channel = staircase_channel(rng, inputs, epsilon)
        assert privacy.dp_epsilon(channel) <= epsilon * (1 + 1e-9)
        # Points and nearby laws, against every kind of output law.
        laws = np.vstack([np.eye(inputs), rng.dirichlet(np.full(inputs, 0.5), size=4)])
        outputs = channels.marginal(channel, laws)
        for i, j in product(range(len(laws)), repeat=2):
            tv = divergences.total_variation(laws[i], laws[j])
            if tv == 0:
                continue
            difference = (outputs[i] - outputs[j]) ** 2
            chi = (difference / outputs).sum(axis=1).max()  # against the worst reference
            assert chi >= divergences.chi_square(outputs[i], outputs[j]) * (1 - 1e-12)
            hellinger = divergences.squared_hellinger(outputs[i], outputs[j])
            attained["chi"] = max(attained["chi"], chi / tv**2)
            attained["hellinger"] = max(attained["hellinger"], hellinger / tv**2)
    chi = attained["chi"] / lower_bounds.local_contraction(epsilon)
    hellinger = attained["hellinger"] / lower_bounds.hellinger_contraction(epsilon)
    assert 0.5 < chi <= 1 + 1e-9  # near enough to the bound for the test to bite
    assert hellinger <= 1 + 1e-9
    # From epsilon = 1.9 on the constant exceeds 1, which no squared Hellinger distance does.
    assert hellinger > 0.25 or epsilon > 1.9


@pytest.mark.parametrize("epsilon", [0.1, 0.5, np.log(2)])
def test_randomized_response_attains_the_contraction(epsilon):
    e = np.exp(epsilon)
    row, other = np.array([e, 1]) / (1 + e), np.array([1, e]) / (1 + e)
    assert divergences.chi_square(row, other) == pytest.approx(
        lower_bounds.local_contraction(epsilon), rel=1e-12
    )


@pytest.mark.parametrize(("n", "d"), [(1, 2), (5, 2), (20, 2), (4, 3), (3, 4)])
def test_multinomial_is_the_constant_risk_of_a_posterior_mean(n, d):
    counts = np.array([c for c in product(range(n + 1), repeat=d) if sum(c) == n])
    estimates = (counts + np.sqrt(n) / d) / (n + np.sqrt(n))
    laws = [np.full(d, 1 / d), np.eye(d)[0], *np.random.default_rng(0).dirichlet(np.ones(d), 4)]
    for theta in laws:
        mass = multinomial.pmf(counts, n, theta)
        brute = mass @ ((estimates - theta) ** 2).sum(axis=1)
        floor = lower_bounds.multinomial_floor(n, d, NonPrivate())
        assert floor == pytest.approx(brute, rel=1e-12)


def h_rate(epsilon, k):
    return 4 * lower_bounds.hellinger_contraction(epsilon) / k**2


@pytest.mark.parametrize("n", [1, 10, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
@pytest.mark.parametrize("d", [2, 3, 8, 21])
def test_local_bound_is_optimal_over_pairs_and_tilts(n, epsilon, d):
    best = {"l1": 0.0, "l2": 0.0}
    for k in range(2, d + 1, 2):
        rate = h_rate(epsilon, k)

        def l2(delta, k=k, rate=rate):
            h = rate * delta**2
            return delta**2 / k * np.exp(2 * n * np.log1p(-h)) if h < 1 else 0.0

        def l1(delta, rate=rate):
            h = rate * delta**2
            same = np.exp(2 * n * np.log1p(-h)) if h < 1 else 0.0
            return delta * (1 - np.sqrt(1 - same))

        for name, bound in (("l1", l1), ("l2", l2)):
            coarse = np.geomspace(1e-7, 1, 400)
            top = coarse[np.argmax([bound(delta) for delta in coarse])]
            fine = minimize_scalar(
                lambda delta, bound=bound: -bound(delta),
                bounds=(0.9 * top, min(1, 1.1 * top)),
                method="bounded",
                options={"xatol": 1e-12},
            )
            best[name] = max(best[name], -fine.fun, bound(1.0))
    l2, l1 = (local_floor(n, epsilon, d, norm) for norm in ("l2", "l1"))
    assert l2 == pytest.approx(best["l2"], rel=1e-9)
    assert 0.995 * best["l1"] <= l1 <= best["l1"] * (1 + 1e-9)


@pytest.mark.parametrize("n", [1, 5, 50, 500])
@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0, 5.0])
def test_local_bound_is_below_the_bayes_risk_of_two_points(n, epsilon):
    # For d = 2: the laws (1 +- delta) / 2 through randomized response, each as likely.
    mechanism, counts, rate = rr.BinaryRR(epsilon), np.arange(n + 1), h_rate(epsilon, 2)
    gap = mechanism.truth_probability - mechanism.flip_probability
    for norm, squared in (("l2", 1 / (rate * (2 * n + 1))), ("l1", 1 / (6 * rate * n))):
        delta = min(1.0, np.sqrt(squared))
        one, two = (binom.pmf(counts, n, 0.5 + sign * gap * delta / 2) for sign in (1, -1))
        total = one + two
        if norm == "l2":  # the posterior mean, whose loss is 2 delta^2 a posterior variance
            product_ = np.divide(one * two, total, out=np.zeros_like(total), where=total > 0)
            bayes = delta**2 * product_.sum()
        else:  # the posterior median: the likelier law, wrong by 2 delta
            bayes = delta * np.minimum(one, two).sum()
        bound = local_floor(n, epsilon, 2, norm)
        assert 0 < bound <= bayes * (1 + 1e-12)


@pytest.mark.parametrize("d", [2, 3, 7, 20])
def test_local_bound_is_below_the_risk_of_every_mechanism(d):
    n = np.array([1, 10, 1000, 10**6])
    epsilon = np.geomspace(0.01, 10, 13)[:, None]
    l2, l1 = local_floor(n, epsilon, d), local_floor(n, epsilon, d, "l1")
    laws = np.vstack(
        [np.full(d, 1 / d), np.eye(d)[0], np.random.default_rng(d).dirichlet(np.ones(d), 20)]
    )
    for function in (rr.unary_risk, rr.kary_risk):
        risks = function(epsilon[..., None], laws, n[:, None])
        worst = risks.max(axis=-1)
        np.testing.assert_array_equal(risks.argmax(axis=-1), 0)  # the uniform law
        assert l2.shape == worst.shape == (13, 4)
        assert np.all(l2 < worst)
        assert np.all(l1 < np.sqrt(d * worst))  # Cauchy and Schwarz, then Jensen


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("d", [2, 5, 12])
def test_local_bound_falls_with_people_and_budget(norm, d):
    n = np.unique(np.geomspace(1, 10**9, 60).astype(int))
    values = local_floor(n, 0.5, d, norm)
    assert np.all(np.diff(values) <= 0) and values[-1] < values[0] / 1000
    values = local_floor(1000, np.geomspace(1e-3, 10, 60), d, norm)
    assert np.all(np.diff(values) <= 0) and values[-1] < values[0] / 100
    # The bounds over pairs of d categories are among those of d + 1.
    assert np.all(np.diff(local_floor(1000, 0.5, np.arange(2, d + 2), norm)) >= 0)


@pytest.mark.parametrize("norm", ["l1", "l2"])
@pytest.mark.parametrize("epsilon", [1e-8, 50.0, 700.0])
def test_local_bound_at_extreme_budgets(norm, epsilon):
    value = local_floor(10, epsilon, 6, norm)
    assert np.isfinite(value) and value > 0
    if epsilon < 1:  # nothing is learnt: delta = 1 on one pair, or on all pairs
        assert value == pytest.approx({"l1": 1.0, "l2": 0.5}[norm], rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_local_bound_of_many_people_with_a_huge_budget_has_no_warning(norm):
    # The contraction is past 1e300 there, and what is left of a floor next to nothing.
    assert 0 <= local_floor(10**9, 700.0, 5, norm) < 1e-100


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 4.0])
@pytest.mark.parametrize(("n", "d"), [(3, 2), (50, 3), (10**4, 9)])
def test_a_local_floor_is_the_best_of_what_local_privacy_allows(n, d, epsilon):
    privacy = Local(Pure(epsilon))
    parts = [
        lower_bounds.multinomial_floor(n, d, NonPrivate()),
        lower_bounds.multinomial_floor(n, d, TotalVariation(np.tanh(epsilon / 2))),
        local_floor(n, epsilon, d),
    ]
    assert lower_bounds.multinomial_floor(n, d, privacy) == pytest.approx(max(parts), rel=1e-12)
    closed = lower_bounds.multinomial_floor(n, d, privacy, variant="closed")
    assert parts[0] <= closed <= max(parts) * (1 + 1e-12)


BAD = [
    (lambda v: lower_bounds.multinomial_floor(5, 3, Pure(1.0), **v), {"norm": "max"}, "norm"),
    (lambda v: lower_bounds.multinomial_floor(5, 3, Pure(1.0), **v), {"norm": "l1"}, "privacy"),
    (
        lambda v: lower_bounds.multinomial_floor(5, 3, Pure(1.0), **v),
        {"method": "contraction"},
        "privacy",
    ),
    (
        lambda v: lower_bounds.multinomial_floor(5, 3, NonPrivate(), **v),
        {"method": "assouad"},
        "method",
    ),
    (lambda v: lower_bounds.multinomial_floor(5, 3, Pure(1.0), **v), {"method": "fano"}, "method"),
    (
        lambda v: lower_bounds.multinomial_floor(5, 3, Pure(1.0), **v),
        {"variant": "paper"},
        "variant",
    ),
    (lambda v: lower_bounds.local_contraction(1.0, **v), {"variant": "closed"}, "variant"),
    (lambda v: lower_bounds.multinomial_floor(5, 3, v), 1.0, "privacy"),
]


@pytest.mark.parametrize(("call", "value", "name"), BAD)
def test_bad_input_is_named(call, value, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call(value)


@pytest.mark.parametrize("method", ["assouad", "contraction"])
def test_the_absolute_loss_has_one_argument_only(method):
    ask = {"norm": "l1", "method": method}
    if method == "contraction":
        assert lower_bounds.multinomial_floor(5, 3, Local(Pure(1.0)), **ask) > 0
        return
    with pytest.raises(ValueError, match=r"^method\b"):
        lower_bounds.multinomial_floor(5, 3, Local(Pure(1.0)), **ask)
