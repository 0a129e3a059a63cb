"""Monte Carlo: the same numbers whoever computes; errors, intervals and exponents that hold."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from laws import ERROR_RATE
from scipy.stats import binomtest, chi2

from minimaxdp.risk import Exponent, MonteCarlo, PowerLaw, fit_power_law, monte_carlo


def normal_losses(rng, size):
    return rng.normal(3.0, 2.0, size)


def two_columns(rng, size):
    return np.column_stack([rng.random(size), rng.exponential(5.0, size)])


def assert_covers(hits, level):
    """The exact binomial test does not reject the level."""
    assert binomtest(int(np.sum(hits)), np.size(hits), level).pvalue > ERROR_RATE


def test_numbers_do_not_depend_on_the_workers():
    alone = monte_carlo(two_columns, 2_500, rng=1)
    with ThreadPoolExecutor(2) as pool:
        results = [
            monte_carlo(two_columns, 2_500, rng=1, workers=2),
            monte_carlo(two_columns, 2_500, rng=1, workers=pool.map),
            monte_carlo(two_columns, 2_500, rng=np.random.default_rng(1)),
            monte_carlo(two_columns, 2_500, rng=np.random.SeedSequence(1)),
        ]
    for result in results:
        np.testing.assert_array_equal(result.mean, alone.mean)
        np.testing.assert_array_equal(result.standard_error, alone.standard_error)


def test_numbers_depend_on_seed_and_block():
    assert monte_carlo(normal_losses, 100, rng=1) == monte_carlo(normal_losses, 100, rng=1)
    assert monte_carlo(normal_losses, 100, rng=1) != monte_carlo(normal_losses, 100, rng=2)
    assert monte_carlo(normal_losses, 100, rng=1) != monte_carlo(normal_losses, 100, rng=1, block=7)


def test_blocks_cut_the_replications_and_draw_apart():
    sizes, firsts = [], []

    def loss(rng, size):
        losses = rng.random(size)
        sizes.append(size)
        firsts.append(losses[0])
        return losses

    assert monte_carlo(loss, 25, rng=0, block=10).replications == 25
    assert sizes == [10, 10, 5]
    assert len(set(firsts)) == 3


def test_mean_and_standard_error_are_those_of_the_losses():
    drawn = []

    def loss(rng, size):
        drawn.append(two_columns(rng, size))
        return drawn[-1]

    result = monte_carlo(loss, 25, rng=0, block=10)
    losses = np.concatenate(drawn)
    np.testing.assert_allclose(result.mean, losses.mean(axis=0), rtol=1e-15)
    variance = ((losses - losses.mean(axis=0)) ** 2).sum(axis=0) / 24  # unbiased: n - 1
    np.testing.assert_allclose(result.standard_error**2, variance / 25, rtol=1e-14)


def test_standard_error_estimates_the_known_one():
    m = 20_000
    result = monte_carlo(normal_losses, m, rng=2)
    # For normal losses (m - 1) s^2 / sigma^2 is chi-square with m - 1 degrees of freedom.
    statistic = (m - 1) * m * result.standard_error**2 / 2.0**2
    tail = min(chi2.cdf(statistic, m - 1), chi2.sf(statistic, m - 1))
    assert 2 * tail > ERROR_RATE


@pytest.mark.parametrize("replications", [2, 5, 50])
def test_interval_covers_normal_losses_at_its_level(replications):
    runs = [monte_carlo(normal_losses, replications, rng=seed) for seed in range(3_000)]
    for level in (0.5, 0.95):
        ends = np.array([run.interval(level) for run in runs])
        assert_covers((ends[:, 0] <= 3) & (ends[:, 1] >= 3), level)


def test_interval_is_symmetric_and_grows_with_the_level():
    result = MonteCarlo(np.array([1.0, 5.0]), np.array([0.1, 0.2]), 10)
    low, high = result.interval(0.9)
    np.testing.assert_allclose(low + high, [2, 10])
    np.testing.assert_allclose((high - low) / 2, 1.8331129 * np.array([0.1, 0.2]), rtol=1e-7)
    assert np.all(result.interval(0.99)[1] > high)


def test_z_score():
    np.testing.assert_array_equal(
        MonteCarlo(np.array([1.0, 2.0]), np.array([0.5, 0.25]), 9).z_score([0.0, 3.0]), [2, -4]
    )


def test_agrees_with_rejects_a_wrong_value():
    result = monte_carlo(normal_losses, 10_000, rng=3)
    assert result.agrees_with(3.0)
    assert not result.agrees_with(3.0 + 10 * 2 / 100)
    assert not result.agrees_with(3.0 - 10 * 2 / 100)
    with pytest.raises(ValueError, match="^value must be finite, got nan"):
        result.agrees_with(np.nan)


def test_agrees_with_rejects_at_its_error_rate():
    runs = [monte_carlo(normal_losses, 10, rng=seed) for seed in range(3_000)]
    assert_covers([not run.agrees_with(3.0, error_rate=0.2) for run in runs], 0.2)


def test_agrees_with_splits_the_rate_among_columns():
    # Two columns at rate 0.1 are two tests at 0.05, with the limit 1.96 instead of 1.645.
    many = 10**9
    assert MonteCarlo(np.array([1.9, 0.0]), np.ones(2), many).agrees_with(0.0, error_rate=0.1)
    assert not MonteCarlo(np.array([2.0, 0.0]), np.ones(2), many).agrees_with(0.0, error_rate=0.1)
    assert not MonteCarlo(1.9, 1.0, many).agrees_with(0.0, error_rate=0.1)
    assert not MonteCarlo(0.0, 1.0, many).agrees_with([0.0, 2.0], error_rate=0.1)


def test_a_constant_loss_agrees_with_itself_alone():
    result = monte_carlo(lambda rng, size: np.full(size, 0.5), 100, rng=0)
    assert result.standard_error == 0
    assert result.agrees_with(0.5)
    assert not result.agrees_with(0.6)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda rng, size: 1.0, r"loss must return shape \(10,\) or \(10, columns\), got \(\)"),
        (lambda rng, size: rng.random(size + 1), r"loss must return shape .* got \(11,\)"),
        (lambda rng, size: rng.random((2, size)), r"loss must return shape .* got \(2, 10\)"),
        (lambda rng, size: rng.random((size, 1, 1)), r"loss must return shape .* got \(10, 1, 1\)"),
        (lambda rng, size: np.full(size, np.nan), "loss must return finite values"),
        (lambda rng, size: np.full(size, np.inf), "loss must return finite values"),
    ],
)
def test_bad_losses_are_refused(loss, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        monte_carlo(loss, 10)


def grid():
    n, epsilon, d = np.meshgrid([10, 100, 1000], [0.1, 0.5, 2.0], [2, 8, 64])
    return {"n": n.ravel(), "epsilon": epsilon.ravel(), "d": d.ravel()}


@pytest.mark.parametrize("weighted", [False, True])
def test_fit_recovers_an_exact_power_law(weighted):
    x = grid()
    values = 0.3 * x["n"] ** -1.0 * x["epsilon"] ** -2.0 * x["d"] ** 1.5
    # Unequal weights must not matter where every point lies on the law.
    errors = values * np.linspace(0.01, 1, values.size) if weighted else None
    fit = fit_power_law(values, standard_errors=errors, **x)
    assert list(fit.exponents) == ["n", "epsilon", "d"]
    for exponent, true in zip(fit.exponents.values(), [-1, -2, 1.5], strict=True):
        assert exponent.estimate == pytest.approx(true, rel=1e-12)
        assert exponent.low <= exponent.estimate <= exponent.high
    assert fit.constant == pytest.approx(0.3, rel=1e-12)
    np.testing.assert_allclose(fit(**x), values, rtol=1e-12)
    assert fit.misfit == pytest.approx(1) if weighted else np.isnan(fit.misfit)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_exponents_cover_at_their_level(weighted):
    # Log-normal noise is normal in the logarithm, where both kinds of interval are exact;
    # with equal variances for the residuals, unequal ones for the weights.
    # Five points leave two degrees of freedom, where Student's law is far from normal.
    x = {"n": np.geomspace(10, 1e5, 5), "epsilon": np.array([0.1, 0.5, 0.2, 2.0, 0.4])}
    rng, hits = np.random.default_rng(4), []
    law = 2.0 / x["n"] * x["epsilon"] ** -2.0
    noise = np.linspace(0.001, 0.1, law.size) if weighted else np.full(law.size, 0.05)
    for _ in range(1_500):
        values = law * np.exp(noise * rng.standard_normal(law.size))
        errors = values * noise if weighted else None
        fit = fit_power_law(values, standard_errors=errors, level=0.8, **x)
        hits.append([-1 in fit.exponents["n"], -2 in fit.exponents["epsilon"]])
    for column in np.transpose(hits):
        assert_covers(column, 0.8)


def test_misfit_is_uniform_on_a_power_law():
    n, rng = np.geomspace(10, 1e5, 9), np.random.default_rng(5)
    p_values = []
    for _ in range(1_500):
        values = 3 / n * np.exp(0.02 * rng.standard_normal(9))
        p_values.append(fit_power_law(values, standard_errors=0.02 * values, n=n).misfit)
    for level in (0.1, 0.5, 0.9):
        assert_covers(np.array(p_values) < level, level)


def test_misfit_is_small_on_a_curve_that_is_no_power_law():
    n = np.geomspace(10, 1e5, 9)
    values = 1 / n + 30 / n**2
    assert fit_power_law(values, standard_errors=0.02 * values, n=n).misfit < ERROR_RATE


def test_weights_follow_the_errors():
    # The last point is off but known to be: it hardly moves the weighted fit.
    n = np.array([1.0, 10.0, 100.0, 1000.0])
    values = 1 / n * [1, 1, 1, 5]
    weighted = fit_power_law(values, standard_errors=values * [1e-3, 1e-3, 1e-3, 10.0], n=n)
    assert weighted.exponents["n"].estimate == pytest.approx(-1, abs=1e-6)
    assert fit_power_law(values, n=n).exponents["n"].estimate > -0.85


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1, 2, 3], {}, "factors must hold at least one regressor"),
        ([1, 2, 3], {"n": [2, 2, 2]}, "factors must vary independently"),
        ([1, 2, 3, 4], {"n": [1, 2, 3, 4], "m": [1, 4, 9, 16]}, "factors must vary independently"),
        ([1, 2], {"n": [1, 2]}, "factors must vary independently over more than 2 values"),
        ([1, 2, 3], {"n": [1, 2]}, r"n must have the shape of values, \(3,\), got \(2,\)"),
        ([[1, 2, 3]], {"n": [1, 2, 3]}, r"values must be a vector, got shape \(1, 3\)"),
        (1.0, {"n": 1.0}, r"values must be a vector, got shape \(\)"),
        (
            [1, 2, 3],
            {"n": [1, 2, 3], "standard_errors": [1, 1]},
            r"standard_errors must have the shape of values, \(3,\), got \(2,\)",
        ),
    ],
)
def test_degenerate_designs_are_refused(values, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        fit_power_law(values, **options)


def test_an_exponent_prints_with_its_interval():
    exponent = fit_power_law([1, 0.5, 0.25], n=[1, 2, 4]).exponents["n"]
    assert f"{exponent:.1f}" == "-1.0 [-1.0, -1.0]"
    assert f"{exponent}".startswith("-1.000 [")


def test_an_exact_power_law_without_standard_errors_has_no_misfit():
    # Nothing was measured that the residuals, here zero, could be compared with.
    fit = fit_power_law([1, 2, 4], n=[1, 2, 4])
    assert np.isnan(fit.misfit)
    assert fit.exponents["n"].estimate == pytest.approx(1, rel=1e-14)
    tested = fit_power_law([1, 2, 4], n=[1, 2, 4], standard_errors=[1, 1, 1])
    assert tested.misfit == pytest.approx(1, rel=1e-12)


def test_the_score_of_losses_that_never_vary():
    constant = monte_carlo(lambda rng, size: np.full(size, 2.0), 10, rng=0)
    assert constant.z_score([1.0, 2.0, 3.0]).tolist() == [np.inf, 0.0, -np.inf]
    assert constant.agrees_with(2.0) and not constant.agrees_with(3.0)


def test_every_source_of_randomness_gives_its_own_stream():
    seeded = [
        monte_carlo(normal_losses, 50, rng=rng, block=20).mean
        for rng in (5, np.random.default_rng(5), np.random.SeedSequence(5))
    ]
    assert len(set(seeded)) == 1


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda r: r.z_score(np.nan), ValueError, "value must be finite, got nan"),
        (lambda r: r.z_score("1"), TypeError, "value must be real numbers"),
        (lambda r: r.agrees_with(np.inf), ValueError, "value must be finite, got inf"),
        (lambda r: r.agrees_with(1, error_rate=[0.1]), ValueError, "error_rate must be a single"),
        (lambda r: r.interval([0.9]), ValueError, "level must be a single number"),
        (lambda r: monte_carlo(3, 10), TypeError, "loss must be callable, got 3"),
        (lambda r: monte_carlo(normal_losses, 10, rng="a"), TypeError, "rng must be a Generator"),
        (lambda r: monte_carlo(normal_losses, 10, rng=True), TypeError, "rng must be a Generator"),
        (lambda r: monte_carlo(normal_losses, 10**10), ValueError, "replications must leave arr"),
        (lambda r: monte_carlo(normal_losses, 10**8, block=1), ValueError, "block must leave arr"),
        (
            lambda r: monte_carlo(lambda rng, size: ["a"] * size, 10),
            TypeError,
            "loss must return real numbers",
        ),
        (
            lambda r: monte_carlo(lambda rng, size: np.ones((size, size)), 5, block=2),
            ValueError,
            "loss must return as many columns every time",
        ),
        (
            lambda r: fit_power_law([1, 2, 3], n=[1, 2, 4], standard_errors=[1e-320, 1, 1]),
            ValueError,
            "standard_errors must be at least",
        ),
        (lambda r: fit_power_law([1, 2, 3], n=[1, 2, 4])(m=1), ValueError, "factors must be n, go"),
        (lambda r: fit_power_law([1, 2, 3], n=[1, 2, 4])(n=0), ValueError, "n must be greater tha"),
    ],
)
def test_bad_input_is_named(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call(monte_carlo(normal_losses, 10, rng=0))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: MonteCarlo(np.nan, 0.1, 10), ValueError, "mean must be finite"),
        (lambda: MonteCarlo(1.0, -0.1, 10), ValueError, "standard_error must be at least 0"),
        (lambda: MonteCarlo(1.0, 0.1, 1), ValueError, "replications must be at least 2"),
        (lambda: MonteCarlo([1, 2], [1, 2, 3], 9), ValueError, "mean and standard_error must br"),
        (lambda: "a" in Exponent(1.0, 0.5, 1.5), TypeError, "value must be real numbers"),
        (
            lambda: monte_carlo(normal_losses, 9, workers=1025),
            ValueError,
            "workers must be at most",
        ),
        (
            lambda: monte_carlo(normal_losses, 9, workers=lambda f, tasks: [1.0]),
            TypeError,
            "workers must return one result",
        ),
        (
            lambda: monte_carlo(normal_losses, 9, workers=lambda f, tasks: None),
            TypeError,
            "workers must return one result for each task",
        ),
        (
            lambda: PowerLaw(1.0, dict.fromkeys("ab", Exponent(1, 1, 1)), 1)(a=[1, 2], b=[1, 2, 3]),
            ValueError,
            "a and b must broadcast",
        ),
    ],
)
def test_records_and_workers_are_checked_by_name(call, kind, message):
    with pytest.raises(kind, match=f"^{message}"):
        call()


def test_a_power_law_beyond_the_range_of_a_double_is_no_nan():
    law = PowerLaw(3.0, {"n": Exponent(-2, -2, -2), "d": Exponent(2, 2, 2)}, 0.5)
    assert law(n=1e200, d=1e200) == pytest.approx(3.0, rel=1e-12)
    assert law(n=1e-200, d=1.0) == np.inf and law(n=1e200, d=1.0) == 0
