"""Unknown location, bias against variance, an interval for every law; bounds that can fail."""

from itertools import product

import laws
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from scipy.special import gammaln

from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)

# --- every bound can fail -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def truths():
    """Settings with an upper bound on the minimax risk: programmes, or the best method."""
    found = []
    for n, epsilon in product((1, 6, 30), (0.3, 2.0)):
        pure = Pure(epsilon)
        exact = lb.bernoulli_minimax(n, pure).upper
        weaker = (pure, pure.implies(ZCDP), pure.implies(KL))
        found += [(p, n, 1, np.inf, exact) for p in weaker]
        for p in (Approximate(epsilon, 0.02), pure.implies(TotalVariation)):
            found.append((p, n, 1, np.inf, lb.bernoulli_minimax(n, p).upper))
    for n, d, epsilon, k in [
        (10, 200, 0.01, np.inf), (10**5, 20, 0.01, np.inf), (300, 2, 0.01, 2),
    ]:  # fmt: skip
        pure = Pure(epsilon)
        for p in (pure, Approximate(epsilon, 1e-6), pure.implies(ZCDP)):
            found.append((p, n, d, k, me.mean_ceiling(n, d, p, k)))
    for n, d, epsilon, k in [(10**7, 2, 0.01, 2), (10**7, 20, 0.1, np.inf)]:
        p = Local(Pure(epsilon))
        found.append((p, n, d, k, me.local_mean_ceiling(n, d, p, k)))
    return found


def test_three_times_any_lower_bound_is_too_much(truths):
    share: dict[str, float] = {}
    for p, n, d, k, truth in truths:
        plain = lb.mean_floor(n, d, NonPrivate(), k)
        for name, bound in lb.mean_floors(n, d, p, k).items():
            assert bound <= truth * (1 + 1e-9), (name, p, n, d, k)
            if name != "plain" and bound > plain:
                share[name] = max(share.get(name, 0.0), bound / truth)
    assert len(share) == 15
    assert min(share.values()) > 1 / 3, share


@pytest.mark.parametrize(
    "privacy", [Pure(0.5), Pure(1.5), TotalVariation(0.1), Approximate(0.5, 0.02)], ids=str
)
@pytest.mark.parametrize("n", [1, 3, 6])
def test_lower_bounds_in_the_plane(privacy, n):
    world = me.plane_minimax(n, privacy, outputs=7)
    assert 0 < world.lower <= world.upper <= 1 + 1e-9
    found = lb.mean_floors(n, 2, privacy)
    assert 3 * max(found.values()) > world.upper
    # Those on the axes, or on the corners of a square, are proved with these four records.
    axes = ("plain", "le_cam", "assouad", "axes", "cube")
    weaker = [privacy.implies(ZCDP), privacy.implies(KL)] if privacy.can_imply(ZCDP) else []
    for promise in (privacy, *weaker):
        for name, bound in lb.mean_floors(n, 2, promise).items():
            assert bound <= world.upper * (1 if name in axes else 2), (name, promise)


def test_the_plane_against_a_programme_without_symmetry():
    n, privacy = 2, Pure(0.7)
    records = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    side = np.linspace(-0.5, 0.5, 5)
    outputs = np.array([(u + v, u - v) for u, v in product(side, side)])
    world = me.plane_minimax(n, privacy, outputs=5)
    table, pairs = lb.histograms(4, n)
    turned = np.concatenate([world.laws[:, p] for p in _images()])
    data, means = lb.histogram_laws(table, turned), turned @ records
    loss = ((means[:, None] - outputs) ** 2).sum(axis=2)
    plain = lb.minimax_channel(data, loss, privacy, pairs=pairs).risk
    rounding = (np.sqrt(2) * (side[1] - side[0])) ** 2 / 2
    assert world.lower + rounding == pytest.approx(plain, rel=1e-6)
    # With a record 0 in the alphabet the risk is no larger.
    five = np.vstack([records, [0, 0]])
    table, pairs = lb.histograms(5, n)
    more = np.concatenate([np.c_[turned, np.zeros(len(turned))], _with_zero()])
    data, means = lb.histogram_laws(table, more), more @ five
    loss = ((means[:, None] - outputs) ** 2).sum(axis=2)
    wider = lb.minimax_channel(data, loss, privacy, pairs=pairs).risk
    assert wider <= world.upper * (1 + 1e-6)


def _images():
    """What the symmetries of the square do to the four records."""
    return [
        [0, 1, 2, 3], [1, 0, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2],
        [2, 3, 0, 1], [2, 3, 1, 0], [3, 2, 0, 1], [3, 2, 1, 0],
    ]  # fmt: skip


def _with_zero():
    return np.random.default_rng(0).dirichlet(np.full(5, 0.5), 30)


CEILINGS = [
    (Pure(0.05), 10**5, 2, np.inf), (Pure(0.05), 10**5, 2, 4), (Pure(0.01), 10**4, 1, 2),
    (Pure(0.1).implies(ZCDP), 10**5, 20, np.inf), (Pure(0.01).implies(KL), 10**5, 20, np.inf),
    (Approximate(0.05, 1e-6), 10**5, 2, np.inf), (TotalVariation(0.01), 10**4, 2, np.inf),
]  # fmt: skip


@pytest.mark.parametrize(("privacy", "n", "d", "k"), CEILINGS, ids=str)
def test_a_third_of_a_ceiling_is_too_little(privacy, n, d, k):
    high = me.mean_ceiling(n, d, privacy, k)
    low = lb.mean_floor(n, d, privacy, k)
    C = me.noise_second_moment(n, d, privacy)
    if np.isfinite(k):  # the exact risk of a spike
        low = max(low, me.two_point_risk(me.truncation_radius(C, k), C, n, k))
    elif not isinstance(privacy, TotalVariation):  # or of a point on the sphere
        low = max(low, C)
    assert low <= high * (1 + 1e-9)
    assert low > high / 3


@pytest.mark.parametrize(("n", "d", "epsilon"), [(10**7, 2, 0.1), (10**7, 20, 0.1)])
def test_a_third_of_a_local_ceiling_is_too_little(n, d, epsilon):
    privacy = Local(Pure(epsilon))
    for k in (2, np.inf):
        high, low = me.local_mean_ceiling(n, d, privacy, k), lb.mean_floor(n, d, privacy, k)
        assert high / 3 < low <= high


def test_the_rate_under_zcdp_with_its_constant():
    near = []
    for d, k, rho, n in product([1, 2, 7, 400], [2, 5, np.inf], [1e-5, 0.01, 1.0], [1, 40, 10**5]):
        p = min(1, (5**0.5 - 1) / 2 * np.sqrt(d / rho) / n)
        told = rho * (n**2 * p**2 + n * p * (1 - p))
        head = d / 2 / np.e * np.exp(-2 / d * gammaln(d / 2 + 1))
        bound = p ** (2 - 2 / k) * head * np.exp(-2 * told / d)
        rate = min(1, (d / (n**2 * rho)) ** (1 - 1 / k))
        assert rate / 83 <= bound <= me.mean_ceiling(n, d, ZCDP(rho), k)
        near.append(83 * bound / rate)
    assert min(near) < 1.1


# --- where the data lie ---------------------------------------------------------------------------


def test_location_floor_is_below_every_channel_of_one_record():
    places = np.linspace(-1, 1, 21)
    loss = (places[:, None] - places) ** 2
    for epsilon in (0.2, 1.0, 3.0):
        exact = lb.minimax_channel(np.eye(21), loss, Pure(epsilon)).risk
        assert me.location_floor(1, 1, epsilon, 1.0) <= exact
    # A constant errs by at most R: a floor three times as high would be wrong.
    assert 1 / 3 < me.location_floor(1, 50, 0.01, 1.0) < 1
    n, d, epsilon, reach = 37, 3, 0.4, 11.0
    by_hand = reach**2 * d / (d + 2) * np.exp(-2 * n * epsilon / d)
    assert me.location_floor(n, d, epsilon, reach) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("m", [5, 15, 30])
def test_a_bad_centre_is_as_improbable_as_stated(m):
    law = me.FiniteLaw([-1.0, 0.0, 3.0], [0.19, 0.8, 0.01])
    centre = float(law.mean[0])
    moment = float(law.probabilities @ (law.points[:, 0] - centre) ** 4)
    mean = me.LocatedMean(60, 1.0, 4, moment**0.25, 40.0, m)
    grid = np.linspace(-40.0, 40.0, mean.points)
    assert grid[1] - grid[0] <= mean.r / 2
    bad = abs(grid - centre) > mean.window + 4**0.25 * mean.r
    near = abs(law.points[:, 0][:, None] - grid) <= mean.window
    table, _ = lb.histograms(3, m)
    odds = np.exp(mean.epsilon / 2 * (table @ near))
    share = odds[:, bad].sum(axis=1) / odds.sum(axis=1)
    wrong = lb.histogram_laws(table, [law.probabilities])[0] @ share
    assert 0 < wrong <= mean.failure <= 1


def test_failure_by_hand():
    mean = me.LocatedMean(50, 0.8, 3, 2.0, 100.0, 12)
    by_hand = sum(
        stats.binom.pmf(f, 12, 0.25) * min(1, mean.points * np.exp(-0.8 * (12 - 2 * f) / 2))
        for f in range(13)
    )
    assert mean.failure == pytest.approx(by_hand, rel=1e-12)
    assert mean.points == 201
    bounded = me.LocatedMean(50, 0.8, np.inf, 2.0, 100.0, 12)
    assert bounded.failure == pytest.approx(min(1, 201 * np.exp(-0.8 * 6)), rel=1e-12)


@pytest.mark.parametrize("k", [2.0, 4.0, np.inf])
def test_the_risk_of_a_located_mean_is_below_its_ceiling(k):
    law = me.two_point_law(k, 0.02) if k < np.inf else me.FiniteLaw([-1.0, 1.0], [0.5, 0.5])
    place = 12_345.0
    mean = me.LocatedMean.calibrated(600, 0.7, k=k, r=1.0, reach=2e4)
    assert mean.failure < 1e-3
    rng = np.random.default_rng(4)
    runs = [
        mean.release(place + law.sample(600, rng=rng)[:, 0], rng=rng)[0] - place - law.mean[0]
        for _ in range(200)
    ]
    square = np.square(runs)
    # Error rate 3e-7, in a normal approximation.
    assert square.mean() - 5 * square.std() / 14 <= mean.ceiling
    known = me.mean_ceiling(600, 1, Pure(0.7), k)
    assert mean.ceiling >= known


def test_the_size_of_the_first_stage_is_the_best():
    mean = me.LocatedMean.calibrated(5_000, 0.5, k=4, r=1.0, reach=1e4)
    for m in (mean.m // 2, 2 * mean.m, 4_000):
        assert mean.ceiling <= me.LocatedMean(5_000, 0.5, 4, 1.0, 1e4, m).ceiling
    # A useless mean is no worse than the constant 0.
    assert me.LocatedMean.calibrated(3, 0.1, k=4, r=1.0, reach=1e4).ceiling == 1e8


# --- bias against variance ------------------------------------------------------------------------


def least_variance(n, epsilon, p, apart):
    """Least variance at 0 of a private number whose mean moves by `apart` under a spike."""
    outputs = np.linspace(-8, 8, 161)
    weight = stats.binom.pmf(np.arange(n + 1), n, p)
    size, cells = outputs.size, (n + 1) * outputs.size
    rows = [-np.kron(weight, outputs)]
    steps = [(i, i + 1) for i in range(n)]
    for i, j in steps + [(j, i) for i, j in steps]:
        block = np.zeros((size, n + 1, size))
        block[:, i], block[:, j] = np.exp(-epsilon) * np.eye(size), -np.eye(size)
        rows.extend(block.reshape(size, cells))
    rest = np.zeros(cells - size)
    found = linprog(
        np.r_[outputs**2, rest],
        A_ub=np.array(rows),
        b_ub=np.r_[-apart, np.zeros(len(rows) - 1)],
        A_eq=np.vstack([np.kron(np.eye(n + 1), np.ones(size)), np.r_[outputs, rest]]),
        b_eq=np.r_[np.ones(n + 1), 0],
    )
    return found.fun if found.status == 0 else np.inf


@pytest.mark.parametrize(("n", "epsilon"), [(1, 1.0), (2, 1.0), (3, 0.7)])
@pytest.mark.parametrize("bias", [0.05, 0.15])
def test_variance_floor_against_all_channels(n, epsilon, bias):
    # The class has k = 2; at each spike the mean must move by sqrt(p) - 2 bias.
    floor = me.variance_floor(bias, n, 1, epsilon, 2)
    shares = np.geomspace(4 * bias**2 * 1.05, 1, 6)
    exact = max(least_variance(n, epsilon, p, np.sqrt(p) - 2 * bias) for p in shares)
    assert np.isfinite(exact)
    found = max(
        (np.sqrt(p) - 2 * bias) ** 2 / (4 * np.sinh(n * np.log1p(p * np.expm1(epsilon)) / 2) ** 2)
        for p in shares
    )
    assert found <= floor * 1.001  # the floor has the best spike of a finer grid
    assert found <= exact * (1 + 1e-9)
    assert 3 * found > exact


def test_variance_floor_in_its_limits():
    for k, d in product([2, 3, 8], [1, 5]):
        n, epsilon, bias = 1_000, 0.01, 1e-9
        limit = d * (1 - 1 / k) ** 2 * (1 / (2 * k * bias)) ** (2 / (k - 1))
        limit /= (n * np.expm1(epsilon)) ** 2
        assert me.variance_floor(bias, n, d, epsilon, k) == pytest.approx(limit, rel=1e-2)
        radius = (me.bias_constant(k) / bias) ** (1 / (k - 1))
        assert me.bias_bound(radius, k) == pytest.approx(bias)
        spent = me.noise_second_moment(n, d, Pure(epsilon)) * radius**2
        assert limit <= spent <= 33 * (d + 1) / 2 * limit
    assert me.variance_floor(0.6, 10, 1, 1.0, 2) == 0  # a constant has this bias
    # The best share of spikes is no double any more, the least that is tried asks for much still.
    assert me.variance_floor(1e-200, 10, 1, 1.0, 2) > 1e250
    units = me.variance_floor(0.02 * 7, 30, 2, 0.3, 3, 7.0)
    assert units == pytest.approx(49 * me.variance_floor(0.02, 30, 2, 0.3, 3), rel=1e-9)


# --- an interval for every law --------------------------------------------------------------------


@pytest.mark.parametrize(
    "mean",
    [
        me.CertifiedMean(1_000, 52.0, 1.0),
        me.CertifiedMean(200, 1.0, 3.0, 0.5),
        me.CertifiedMean(30, 1.0, 0.2, 0.9, 0.8),
        me.CertifiedMean(1, 1.0, 5.0, 0.5),
    ],
    ids=str,
)
def test_coverage_of_two_point_laws(mean):
    value = mean.bound * np.array([1.0, 0.5, 0.05])[:, None]
    p = np.array([0.0, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0])
    assert mean.coverage(value, p).min() >= mean.level


def test_an_interval_too_short_is_found_out():
    mean = me.CertifiedMean(1_000, 1.0, 1.0)
    short = me.CertifiedMean(1_000, 1.0, 1.0, level=0.001)
    assert short.half_width(0.5) < mean.half_width(0.5) / 2
    assert short.coverage(1.0, 0.5) < 0.95


def test_coverage_by_simulation():
    mean = me.CertifiedMean(400, 10.0, 2.0, 0.6, 0.01)
    rng = np.random.default_rng(2)
    runs = []
    for _ in range(4_000):
        x = 10.0 * (rng.random(400) < 0.2)
        low, high = mean.interval(mean.release(x, rng=rng))
        runs.append(float(low <= 2 <= high))
    assert 0.3 < np.mean(runs) < 0.95
    laws.assert_mean(np.array(runs), mean.coverage(10.0, 0.2))


def test_the_half_width_by_hand():
    n, bound, epsilon, share, level, square = 300, 4.0, 0.5, 0.6, 0.9, 1.7
    mean = me.CertifiedMean(n, bound, epsilon, share, level)
    b1, b2 = bound / (n * 0.3), bound**2 / (n * 0.2)
    assert mean.scales == pytest.approx((b1, b2))
    sure, rest = np.log(5 / 0.1), np.log(2.5 / 0.1)
    # The largest second moment that is not refuted, by bisection.
    grid = np.linspace(0, 200, 2_000_001)
    kept = grid - square <= np.sqrt(2 * sure * (bound**2 * grid / n + 2 * b2**2)) + b2 * sure
    top = grid[kept].max()
    spread = min(top, bound**2 / 4) / n + 2 * b1**2
    half = np.sqrt(2 * spread * rest) + rest * max(b1, bound / 3 / n)
    assert mean.half_width(square) == pytest.approx(half, rel=1e-6)
    many = me.CertifiedMean(10**6, bound, epsilon, share, level)  # where the cap is not reached
    b1, b2 = bound / (1e6 * 0.3), bound**2 / (1e6 * 0.2)
    kept = grid - square <= np.sqrt(2 * sure * (bound**2 * grid / 1e6 + 2 * b2**2)) + b2 * sure
    spread = grid[kept].max() / 1e6 + 2 * b1**2
    half = np.sqrt(2 * spread * rest) + rest * max(b1, bound / 3e6)
    assert many.half_width(square) == pytest.approx(half, rel=1e-4)


def test_what_is_released_has_its_noise_and_its_cut():
    mean = me.CertifiedMean(3, 2.0, 1.0, 0.5)
    x, rng = [-5.0, 1.0, 9.0], np.random.default_rng(0)
    runs = np.array([mean.release(x, rng=rng) for _ in range(20_000)])
    assert mean.scales == pytest.approx((4 / 3, 8 / 3))
    laws.assert_mean(runs[:, 0], 1.0)
    laws.assert_mean(runs[:, 1], 5 / 3)
    laws.assert_mean(abs(runs[:, 0] - 1), 4 / 3)
    laws.assert_mean(abs(runs[:, 1] - 5 / 3), 8 / 3)
    both = mean.interval(runs[:5])
    assert both.shape == (5, 2) and np.all((both >= 0) & (both <= 2))
    assert np.array_equal(both[2], mean.interval(runs[2]))


ONE = {"n": 10, "epsilon": 1.0, "k": 4, "r": 1.0, "reach": 5.0, "m": 3}
BAD = [
    (lambda: me.plane_minimax(9, Pure(1.0)), "n"),
    (lambda: me.plane_minimax(2, Pure(1.0), outputs=1), "outputs"),
    (lambda: me.plane_minimax(2, 1.0), "privacy"),
    (lambda: me.plane_minimax(2, ZCDP(1.0)), "privacy"),
    (lambda: me.LocatedMean(**ONE | {"n": 1}), "n"),
    (lambda: me.LocatedMean(**ONE | {"m": 10}), "m"),
    (lambda: me.LocatedMean(**ONE | {"reach": 0.5}), "reach"),
    (lambda: me.LocatedMean(**ONE | {"reach": 1e7}), "reach"),
    (lambda: me.LocatedMean(**ONE | {"k": 1.0}), "k"),
    (lambda: me.LocatedMean(**ONE | {"epsilon": 0.0}), "epsilon"),
    (lambda: me.LocatedMean(**ONE | {"r": np.nan}), "r"),
    (lambda: me.LocatedMean(**ONE).release([1.0]), "data"),
    (lambda: me.LocatedMean(**ONE).release([np.inf] * 10), "data"),
    (lambda: me.location_floor(0, 1, 1.0, 1.0), "n"),
    (lambda: me.location_floor(1, 1, 1.0, 0.0), "reach"),
    (lambda: me.variance_floor(0.0, 1, 1, 1.0, 2), "bias"),
    (lambda: me.variance_floor(0.1, 1, 1, 1.0, 1.5), "k"),
    (lambda: me.variance_floor(0.1, 1, 1, 1.0, np.inf), "k"),
    (lambda: me.CertifiedMean(0, 1.0, 1.0), "n"),
    (lambda: me.CertifiedMean(5, -1.0, 1.0), "bound"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0, 1.0), "share"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0, 0.5, 1.0), "level"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0).release([1.0, 2.0]), "data"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0).half_width(np.nan), "square"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0).interval([1.0, 2.0, 3.0]), "released"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0).coverage(2.0, 0.5), "value"),
    (lambda: me.CertifiedMean(5, 1.0, 1.0).coverage(1.0, 1.5), "p"),
]


@pytest.mark.parametrize(("call", "name"), BAD)
def test_bad_input_is_named(call, name):
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call()
