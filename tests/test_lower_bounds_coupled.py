"""Private Le Cam, Assouad and Fano, and tracing: against exact programmes of small worlds."""

from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from scipy import stats

from minimaxdp import divergences
from minimaxdp import lower_bounds as lb
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    GaussianDP,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)

LINEAR = [
    Pure(0.1), Pure(0.5), Pure(2.0),
    Approximate(0.1, 0.02), Approximate(0.5, 1e-3), Approximate(2.0, 0.02),
    TotalVariation(0.05), TotalVariation(0.3),
    Local(Pure(0.1)), Local(Pure(0.5)), Local(Pure(2.0)),
]  # fmt: skip
SHARES = np.linspace(0.02, 1, 50)


def best_of_pairs(n, privacy):
    """Private Le Cam for the means q and -q of signs, at its best q."""
    return max(lb.private_le_cam(n, q, privacy, loss=q**2, form="squared") for q in SHARES)


@pytest.mark.parametrize("privacy", LINEAR, ids=str)
def test_pairs_tracing_and_information_stay_below_the_exact_risk_of_a_mean(privacy):
    for n in (1, 2, 4, 9):
        truth = lb.bernoulli_minimax(n, privacy).upper * (1 + 1e-9)
        assert best_of_pairs(n, privacy) <= truth
        if not isinstance(privacy, Local | TotalVariation):
            assert lb.tracing_floor(n, 1, privacy) <= truth
        if privacy.can_imply(Pure):
            assert lb.fisher_floor(n, 1, privacy) <= truth


@pytest.mark.parametrize(
    ("n", "privacy", "share"),
    [
        (1, Pure(0.5), 0.999),
        (9, Pure(0.1), 0.96),
        (4, Approximate(0.1, 0.02), 0.98),
        (4, TotalVariation(0.05), 0.999),
        (4, Local(Pure(0.5)), 0.97),
        (2, Local(Pure(2.0)), 0.45),
    ],
)
def test_private_le_cam_is_nearly_the_exact_risk_somewhere(n, privacy, share):
    truth = lb.bernoulli_minimax(n, privacy).upper
    assert share * truth <= best_of_pairs(n, privacy) <= truth * (1 + 1e-9)


@pytest.mark.parametrize(
    ("floor", "n", "privacy"),
    [
        (lb.tracing_floor, 1, Pure(0.1)),
        (lb.tracing_floor, 1, Approximate(0.1, 1e-3)),
        (lb.fisher_floor, 9, Pure(2.0)),
        (lb.fisher_floor, 4, Local(Pure(2.0))),
    ],
)
def test_three_times_a_floor_by_parts_would_be_too_much(floor, n, privacy):
    assert 3 * floor(n, 1, privacy) > lb.bernoulli_minimax(n, privacy).upper


WORLDS = list(
    product(
        [(1, 2), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3)],
        [0.3, 0.7, 1.0],
        [
            Pure(0.4),
            Pure(1.5),
            Approximate(0.5, 0.02),
            Approximate(1.5, 1e-3),
            TotalVariation(0.2),
            TotalVariation(0.45),
        ],
    )
)


def exact_error(n, m, p, privacy):
    """Least error of a private guess which of m laws (1 - p) P_0 + p P_v the records are from."""
    mixtures = np.column_stack([np.full(m, 1 - p), p * np.eye(m)])
    table, pairs = lb.histograms(m + 1, n)
    laws = lb.histogram_laws(table, mixtures)
    return lb.minimax_channel(laws, 1 - np.eye(m), privacy, pairs=pairs).risk


def test_private_fano_is_below_the_error_of_the_best_guess_in_every_small_world():
    found, close = 0, 0
    for (n, m), p, privacy in WORLDS:
        truth = exact_error(n, m, p, privacy)
        bound = lb.private_fano(n, p, privacy, m)
        assert bound <= max(truth, 0) + 1e-8, (n, m, p, privacy)
        found += 1
        close += 3 * bound > truth + 1e-8
    assert found == 108 and close > 90


@pytest.mark.parametrize("loss", ["any", "convex", "squared"])
def test_private_le_cam_is_below_the_programme_of_two_laws(loss):
    """Two laws of a bit: naming the law, and a number, with absolute and with squared error."""
    outputs = np.linspace(-1, 1, 41)
    cost = {
        "any": 1 - np.eye(2),
        "convex": abs(np.array([-1, 1])[:, None] - outputs),
        "squared": (np.array([-1, 1])[:, None] - outputs) ** 2,
    }[loss]
    worlds, close = 0, 0
    for n, q, privacy in product([1, 2, 4], [0.2, 0.6, 1.0], LINEAR):
        if isinstance(privacy, Local):
            continue
        table, pairs = lb.histograms(2, n)
        two = [[0.5 + q / 2, 0.5 - q / 2], [0.5 - q / 2, 0.5 + q / 2]]
        laws = lb.histogram_laws(table, two)
        truth = lb.minimax_channel(laws, cost, privacy, pairs=pairs).risk
        bound = lb.private_le_cam(n, q, privacy, form=loss)
        assert bound <= truth + 1e-8, (n, q, privacy)
        worlds += 1
        close += 3 * bound > truth + 1e-8
    assert worlds == 72 and close >= 60


def local_transcripts(n, epsilon, q):
    """Laws of n randomized responses under the two laws of a bit."""
    keep = 1 / (1 + np.exp(-epsilon))
    one = 0.5 + q * (keep - 0.5)
    number = np.arange(n + 1)
    return stats.binom.pmf(number, n, one), stats.binom.pmf(number, n, 1 - one)


@pytest.mark.parametrize(
    ("n", "epsilon", "q"), list(product([1, 3, 30], [0.2, 1.0, 3.0], [0.1, 0.5, 1]))
)
def test_local_le_cam_holds_for_randomized_response(n, epsilon, q):
    first, second = local_transcripts(n, epsilon, q)
    distance = float(divergences.total_variation(first, second))
    privacy = Local(Pure(epsilon))
    assert 1 - lb.private_le_cam(n, q, privacy, form="convex") >= distance - 1e-12
    told = ((first - second) ** 2 / (2 * (first + second) + 1e-300)).sum()
    assert 1 - lb.private_le_cam(n, q, privacy, form="squared") >= told - 1e-12
    if n == 1 and q == 1:
        assert 1 - lb.private_le_cam(n, q, privacy) * 2 == pytest.approx(distance, rel=1e-9)


@pytest.mark.parametrize(("m", "epsilon"), list(product([2, 3, 8], [0.3, 1.0, 3.0])))
def test_local_fano_holds_for_randomized_categories(m, epsilon):
    error = (m - 1) / (np.exp(epsilon) + m - 1)
    assert lb.private_fano(1, 1.0, Local(Pure(epsilon)), m) <= error
    assert lb.private_fano(1, 1.0, Pure(epsilon), m) == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("mu", [0.1, 0.5, 1.5])
def test_groups_under_zcdp_hold_for_normal_noise(mu):
    """Normal noise is mu^2/2-zCDP, and b records move it by b mu."""
    for b in (1, 2, 5):
        distance = 2 * stats.norm.cdf(b * mu / 2) - 1
        assert distance <= lb.group_distance(b, ZCDP(mu**2 / 2))
        assert distance <= lb.group_distance(b, GaussianDP(mu)) * (1 + 1e-12)
        assert lb.group_distance(b, ZCDP(mu**2 / 2), squared=True) == pytest.approx(
            lb.group_distance(b, ZCDP(mu**2 / 2)) ** 2, rel=1e-9
        )


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 2.0, 3.0, 8.0])
def test_a_divergence_allows_the_distance_of_randomized_response(epsilon):
    """At rho = epsilon tanh(epsilon / 2), the divergence of randomized response, and not below."""
    t = np.tanh(epsilon / 2)
    found = lb.group_distance(1, ZCDP(epsilon * t))
    assert t * (1 - 1e-14) <= found <= t * (1 + 1e-11)


def test_groups_by_hand():
    assert lb.group_distance(3, TotalVariation(0.2)) == pytest.approx(0.6)
    assert lb.group_distance([0, 8], TotalVariation(0.2)).tolist() == [0, 1]
    t = np.tanh(0.5)
    delta = 0.01 * (1 + np.exp(0.5))
    assert lb.group_distance(2, Approximate(0.5, 0.01)) == pytest.approx(t + delta * (1 - t))
    squared = lb.group_distance(2, Approximate(0.5, 0.01), squared=True)
    assert squared == pytest.approx(t**2 + delta * (1 - t**2))
    kappa = 2 * t * np.arctanh(t)
    assert lb.group_distance([1, 2, 9], KL(kappa)) == pytest.approx([t, min(1, 2 * t), 1])
    found = lb.group_distance([0, 1, 2, 9], KL(kappa), squared=True)
    assert found == pytest.approx([0, t**2, min(1, 2 * t) ** 2, 1])


def test_the_root_of_the_triangular_discrimination_is_a_distance():
    """So b steps of a Kullback-Leibler level cost at most b times one step."""
    rng = np.random.default_rng(20)
    for outputs in (2, 3, 8):
        P, Q, R = rng.dirichlet(np.full(outputs, 0.4), size=(3, 500)) + 1e-12
        there, back, along = (
            np.sqrt(((p - q) ** 2 / (2 * (p + q))).sum(axis=1)) for p, q in ((P, Q), (Q, R), (P, R))
        )
        assert np.all(along <= (there + back) * (1 + 1e-12))


@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0])
def test_groups_under_kl_hold_for_normal_noise(mu):
    y = np.linspace(-12, 18, 60_001)
    for b in (1, 2, 4):
        p, q = stats.norm.pdf(y), stats.norm.pdf(y - b * mu)
        T = ((p - q) ** 2 / (2 * (p + q) + 1e-300)).sum() * (y[1] - y[0])
        assert lb.group_distance(b, KL(mu**2 / 2), squared=True) >= T


def test_assouad_adds_signs():
    for privacy in LINEAR:
        one = lb.private_le_cam(20, 0.05, privacy, loss=0.01, form="squared")
        many = lb.private_assouad(20, 0.05, privacy, 7, loss=0.01, form="squared")
        assert many == pytest.approx(7 * one, rel=1e-12)


def test_assouad_is_below_the_best_mechanism_of_categories():
    """Two people, three pairs of categories; the signs move a mass q/3 each."""
    for epsilon, q in product([0.5, 2.0], [0.5, 1.0]):
        signs = np.array(list(product([-1, 1], repeat=2)))
        laws = np.concatenate([(1 + q * signs) / 4, (1 - q * signs) / 4], axis=1)
        table, pairs = lb.histograms(4, 2)
        samples = lb.histogram_laws(table, laws)
        outputs = np.array(list(product([-1, -0.5, 0, 0.5, 1], repeat=2))) * q
        cost = ((q * signs[:, None] - outputs) ** 2).sum(axis=-1)
        truth = lb.minimax_channel(samples, cost, Pure(epsilon), pairs=pairs).risk
        bound = lb.private_assouad(2, q / 2, Pure(epsilon), 2, loss=q**2, form="squared")
        assert bound <= truth + 1e-9 and 3 * bound > truth


# --- many people, many dimensions -----------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: lb.private_le_cam(10**9, 1e-8, Approximate(0.1, 1e-12), form="squared"),
        lambda: lb.private_le_cam(10**9, 0.3, ZCDP(1e-12)),
        lambda: lb.private_le_cam(10**9, 1e-4, Local(Pure(700.0))),
        lambda: lb.private_assouad(10**9, 1e-7, Pure(0.1), 10**4, form="squared"),
        lambda: lb.private_fano(10**9, 1e-5, Pure(0.1), 1e4, log=True),
        lambda: lb.private_fano(10**9, 1e-5, Approximate(0.1, 1e-12), 1e4, log=True),
        lambda: lb.private_fano(10**9, 1e-4, Local(Pure(0.1)), 1e4, log=True),
        lambda: lb.tracing_floor(10**9, 10**4, Approximate(0.1, 1e-12)),
        lambda: lb.fisher_floor(10**9, 10**4, Local(Pure(0.1))),
    ],
)
@pytest.mark.filterwarnings("error")
def test_large_worlds_are_quick_and_finite(call):
    call()
    spent = []
    for _ in range(3):
        start = time.process_time()
        value = call()
        spent.append(time.process_time() - start)
    assert 0 <= value <= 1e4 and np.isfinite(value)
    assert min(spent) < 0.05


@pytest.mark.parametrize("d", [1, 10, 1_000])
def test_tracing_has_its_limits(d):
    many = 10**8
    for privacy, c in (
        (Pure(0.2), np.sinh(0.1)),
        (ZCDP(0.02), np.sqrt(np.expm1(0.04))),
        (Approximate(0.2, 1e-12), np.sinh(0.2)),
    ):
        limit = d / (many * c) ** 2
        assert 0.95 * limit * (1 - 3e-4) < lb.tracing_floor(many, d, privacy) < limit
    assert lb.tracing_floor(1, 10**6, Pure(1e-3)) > 0.99
    assert lb.tracing_floor(1_000, d, Approximate(0.2, 1e-3)) == 0  # whoever is shown is traced


@pytest.mark.parametrize(("n", "d", "a"), list(product([10, 1_000], [1, 50], [0.3, 2.0, 40.0])))
def test_tracing_is_its_maximum(n, d, a):
    privacy = Approximate(0.3, 1e-6)
    c, w = lb.member_bound(privacy)
    here = (1 - n * w) ** 2 / (np.sqrt(a + 1) + n * c / np.sqrt(d) * (a + 1) / a) ** 2
    assert lb.tracing_floor(n, d, privacy) >= here * (1 - 1e-3)


@pytest.mark.parametrize("d", [3, 40])
def test_the_fingerprint_of_an_estimate_is_its_identity(d):
    """Stein's identity: members' scores add up to a E <theta, M> less what outsiders leave.

    2,000 worlds; the two means agree within five standard errors, error rate below 1e-6.
    """
    rng, n, power = np.random.default_rng(1), 8, 0.5
    a = 2 * (power + 1)
    theta = 2 * rng.beta(power + 1, power + 1, (2_000, d)) - 1
    x = np.where(rng.random((2_000, n, d)) < (1 + theta[:, None]) / 2, 1.0, -1.0)
    released = np.clip(0.7 * x.mean(axis=1) + rng.normal(0, 0.3, (2_000, d)), -1, 1)
    members = ((x - theta[:, None]) * released[:, None]).sum(axis=(1, 2))
    aligned = a * (theta * released).sum(axis=1)
    difference = members - aligned
    assert abs(difference.mean()) < 5 * difference.std() / np.sqrt(2_000)
    assert aligned.mean() > 10 * difference.std() / np.sqrt(2_000)


def test_members_score_no_more_than_privacy_allows_and_the_exact_mean_gives_them_away():
    """Gaussian noise; 400 worlds of 50 people, error rate of each comparison below 1e-6."""
    rng, n, d = np.random.default_rng(2), 50, 200
    theta = rng.uniform(-1, 1, d)
    x = np.where(rng.random((400, n, d)) < (1 + theta) / 2, 1.0, -1.0)
    exact = x.mean(axis=1)
    inside = np.array([lb.tracing_scores(x[i], exact[i], theta).mean() for i in range(400)])
    own = (1 - theta**2).sum() / n
    assert abs(inside.mean() - own) < 5 * inside.std() / 20
    for rho in (0.01, 0.5):
        c, w = lb.member_bound(ZCDP(rho))
        sigma = 2 * np.sqrt(d) / n / np.sqrt(2 * rho)  # a record moves the mean by 2 sqrt(d)/n
        noisy = exact + rng.normal(0, sigma, (400, d))
        scores = np.array([lb.tracing_scores(x[i], noisy[i], theta).mean() for i in range(400)])
        error = ((noisy - theta) ** 2).sum(axis=1).mean()
        limit = c * np.sqrt(error) + w
        assert scores.mean() - 5 * scores.std() / 20 <= limit


PURE, LOCAL = Pure(0.1), Local(Pure(1.0))
BAD = [
    (lambda: lb.group_distance(-1, PURE), ValueError, "b"),
    (lambda: lb.group_distance(1, LOCAL), ValueError, "privacy must be a curator's"),
    (lambda: lb.group_distance(1, NonPrivate()), ValueError, "privacy must imply TotalVariation"),
    (lambda: lb.group_distance(1, Pure([0.1, 0.2])), ValueError, "privacy's epsilon"),
    (lambda: lb.group_distance(1, PURE, squared=1), TypeError, "squared"),
    (lambda: lb.private_le_cam(0, 0.1, PURE), ValueError, "n"),
    (lambda: lb.private_le_cam(3, 1.1, PURE), ValueError, "q"),
    (lambda: lb.private_le_cam(3, 0.1, 0.1), TypeError, "privacy"),
    (lambda: lb.private_le_cam(3, 0.1, PURE, loss=-1), ValueError, "loss"),
    (lambda: lb.private_le_cam(3, 0.1, PURE, form="cubed"), ValueError, "form"),
    (lambda: lb.private_le_cam(3, 0.1, Local(ZCDP(1.0))), ValueError, "privacy must imply Pure"),
    (lambda: lb.private_assouad(3, 0.1, PURE, 0), ValueError, "m"),
    (lambda: lb.private_fano(3, 0.1, PURE, 1), ValueError, "m"),
    (lambda: lb.private_fano(3, 0.1, PURE, 4, log=1), TypeError, "log"),
    (lambda: lb.private_fano(3, np.nan, PURE, 4), ValueError, "q"),
    (lambda: lb.tracing_floor(3, 0, PURE), ValueError, "d"),
    (lambda: lb.tracing_floor(3, 2, TotalVariation(0.1)), ValueError, "privacy must be approx"),
    (lambda: lb.tracing_floor(3, 2, LOCAL), ValueError, "privacy must be a curator's"),
    (lambda: lb.fisher_floor(3, 2, Approximate(0.1, 0.1)), ValueError, "privacy must have delta"),
    (lambda: lb.fisher_floor(3, 2, Local(ZCDP(1.0))), ValueError, "privacy must be Local"),
    (lambda: lb.member_bound("pure"), TypeError, "privacy"),
    (lambda: lb.tracing_scores([1, 1], [0, 0, 0], [0, 0]), ValueError, "released"),
    (lambda: lb.tracing_scores([1, 1], [0, 0], [0]), ValueError, "theta"),
]


@pytest.mark.parametrize(("call", "error", "name"), BAD)
def test_bad_input_is_named(call, error, name):
    with pytest.raises(error, match=rf"^{name}"):
        call()


def test_a_packing_error_under_a_delta_that_is_too_large_is_nothing():
    privacy = Approximate(1.0, 1e-6)
    assert lb.packing_error(1_000, 0.9, 2.0, privacy, variant="paper") == 0.0
    assert lb.packing_error(1_000, 0.9, 2.0, privacy) == 0.0
