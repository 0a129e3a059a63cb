"""Histograms, releases and bounds: exact risks, laws and guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import assert_mean, assert_same_law
from scipy import integrate, optimize

from minimaxdp import privacy
from minimaxdp.density_estimation import (
    HISTOGRAM_METHODS,
    Density,
    Grid,
    Histogram,
    PrivateSeries,
    boundary,
    histogram_ceiling,
    histogram_risk,
    holder,
    linear,
    lipschitz_floor,
    optimal_bins,
    privacy_threshold,
    private_density,
    ripple,
    spiky,
    trigonometric,
)
from minimaxdp.lower_bounds import hellinger_contraction

DENSITIES = [linear(1.0), linear(-2.0), holder(0.5), holder(0.8), ripple(0.8), spiky(), boundary()]
DENSITIES.append(spiky(width=0.5))  # of which truncation leaves two thirds
each_density = pytest.mark.parametrize("f", DENSITIES, ids=lambda f: f.name)


@each_density
def test_a_density_knows_its_integrals(f: Density):
    x = np.linspace(0, 1, 2**17 + 1)
    y = f.pdf(x)
    assert y.min() >= 0 and y.max() <= f.maximum * (1 + 1e-12)
    running = integrate.cumulative_trapezoid(y, x, initial=0)
    np.testing.assert_allclose(f.cdf(x), running, atol=2e-8)
    # The trapezoid rule leaves the roughness below its step: an error of order step**(2 beta).
    np.testing.assert_allclose(integrate.trapezoid(y**2, x), f.squared_integral, rtol=1e-7)


@each_density
def test_the_bias_is_an_integral(f: Density):
    bins = 16
    heights = bins * f.probabilities(bins)
    x = (np.arange(2**16) + 0.5) / 2**16
    gap = f.pdf(x) - heights[(x * bins).astype(int)]
    np.testing.assert_allclose(f.bias(bins), (gap**2).mean(), rtol=1e-4, atol=1e-12)


@each_density
def test_draws_follow_the_density(f: Density):
    x = f.sample(20_000, rng=1)
    inside = x[:, None] < np.array([0.2, 0.34, 0.7])
    assert_mean(inside, f.cdf(np.array([0.2, 0.34, 0.7])))


def test_a_holder_density_has_its_order_and_no_more():
    for beta in (0.3, 0.5, 0.9):
        f = holder(beta)
        # Waves longer than a bin are straight in it and leave a term of order K**-2 exactly,
        # which 4 bias(2 K) - bias(K) removes.
        pure = [4 * f.bias(2 * k) - f.bias(k) for k in (2**7, 2**8)]
        assert pure[0] / pure[1] == pytest.approx(2 ** (2 * beta), rel=1e-5)


@pytest.mark.parametrize("beta", [0.2, 0.5, 0.9])
def test_the_waves_of_a_holder_density_have_their_heights(beta):
    c = 1 - 2**-beta
    one, two = holder(beta, levels=1), holder(beta, levels=2)
    x = np.array([0.0, 0.125, 0.25, 0.5, 0.75, 0.875])
    first = np.array([0, 0.5, 1, 0, -1, -0.5])
    second = np.array([0, 1, 0, 0, 0, -1])
    np.testing.assert_allclose(one.pdf(x), 1 + c * first, rtol=1e-14)
    np.testing.assert_allclose(two.pdf(x), 1 + c * (first + 2**-beta * second), rtol=1e-14)
    assert one.squared_integral == pytest.approx(1 + c**2 / 3, rel=1e-14)
    assert one.cdf(0.5) == pytest.approx(0.5 + c / 4, rel=1e-14)
    # By default 40 waves, whose heights add up to almost one.
    assert holder(beta).squared_integral == holder(beta, levels=40).squared_integral
    assert holder(beta).maximum == 2


def _risk_by_simulation(method, epsilon, p, n, runs, rng):
    h = Histogram(Grid(0.0, 2.0, p.size), epsilon, method)
    rng = np.random.default_rng(rng)
    if method == "subset":
        centres = (h.grid.edges[1:] + h.grid.edges[:-1]) / 2
        totals = [h.privatize(rng.choice(centres, size=n, p=p), rng=rng) for _ in range(runs)]
    else:
        totals = h.privatize_counts(rng.multinomial(n, p, size=runs), rng=rng)
    gap = h.heights(np.array(totals), n) - p / h.grid.volume
    return h.grid.volume * (gap**2).sum(axis=-1), h.risk(p, n)


@pytest.mark.parametrize("method", ["none", "central", "laplace", "unary", "subset"])
def test_exact_risk_agrees_with_simulation(method):
    p = np.array([0.4, 0.3, 0.2, 0.1, 0.0])
    epsilon = None if method == "none" else 0.8
    runs = 1_500 if method == "subset" else 20_000
    losses, exact = _risk_by_simulation(method, epsilon, p, 60, runs, 3)
    assert_mean(losses, exact)


@pytest.mark.parametrize("method", ["central", "laplace", "unary"])
def test_records_and_counts_have_one_law(method):
    h = Histogram(Grid(0.0, 1.0, 3), 1.1, method)
    data = np.array([0.1, 0.2, 0.5, 0.9, 1.0, 0.0])
    rng = np.random.default_rng(4)
    records = np.array([h.privatize(data, rng=rng) for _ in range(4_000)])
    counts = h.privatize_counts(h.grid.counts(data), rng=rng, size=4_000)
    for cell in range(3):
        assert_same_law(records[:, cell], counts[:, cell] + 0.0)
    reports = (
        np.array([h.reports(data, rng=rng).sum(axis=0) for _ in range(4_000)])
        if (method == "laplace")
        else records
    )
    assert_mean(reports, counts.mean(axis=0) if method != "laplace" else h.grid.counts(data))


def test_a_billion_people_cost_nothing_and_keep_the_exact_risk():
    p = boundary().probabilities(50)
    h = Histogram(Grid(0.0, 1.0, 50), 0.3, "laplace")
    rng = np.random.default_rng(5)
    totals = h.privatize_counts(rng.multinomial(10**9, p, size=1_000), rng=rng)
    losses = 50 * ((h.estimate(totals, 10**9) - p) ** 2).sum(axis=1)
    assert_mean(losses, h.risk(p, 10**9))
    # The private histogram integrates to one within its noise.
    mass = totals.sum(axis=1) / 10**9
    assert_mean(mass, 1.0)
    assert_mean((mass - 1) ** 2, 50 * 8 / (10**9 * 0.3**2))


@settings(derandomize=True, deadline=None)
@given(st.floats(0.05, 5), st.integers(1, 200), st.integers(0, 199), st.integers(0, 199))
def test_laplace_reports_are_private_at_every_output(epsilon, bins, first, second):
    a, b = np.zeros(bins), np.zeros(bins)
    a[first % bins] += 1
    b[second % bins] += 1
    z = np.random.default_rng(8).normal(scale=3, size=(50, bins))
    scale = 2 / epsilon
    loss = (abs(z - b) - abs(z - a)).sum(axis=1) / scale
    assert abs(loss).max() <= epsilon * (1 + 1e-9)
    if first % bins != second % bins:
        far = 5.0 * (a - b)
        assert (abs(far - b) - abs(far - a)).sum() / scale == pytest.approx(epsilon)


def test_an_audit_passes_the_true_scale_and_catches_a_hard_coded_one():
    def bin_report(scale):
        def mechanism(inside, rng, size):
            # Both bins that a change of record touches, combined into the worst statistic.
            two = rng.laplace(scale=scale, size=(size, 2)) + [inside, 1 - inside]
            return np.clip(two[:, 0], 0, 1) - np.clip(two[:, 1], 0, 1)

        return mechanism

    honest = privacy.audit(bin_report(2 / 0.5), 1, 0, runs=100_000, rng=1)
    hard_coded = privacy.audit(bin_report(2 / 4.0), 1, 0, runs=100_000, rng=1)
    assert not honest.refutes(0.5) and hard_coded.refutes(0.5)


def _first_of_two(method, epsilon):
    """One person's report by the mechanism itself, told in one number, many times over."""

    def mechanism(record, rng, size):
        if method == "series":
            features = np.repeat(trigonometric([record], 1), size, axis=0)
            return PrivateSeries(epsilon, 1).cube.privatize(features, rng=rng)[:, 0]
        local = Histogram(Grid(0.0, 1.0, 2), epsilon, method)
        if method == "subset":  # the set that is sent, as one bit for each bin
            where = np.full(size, local.grid.index([record])[0])
            two = np.atleast_2d(local.encoding.privatize(where, rng=rng))
            return two.reshape(size, -1)[:, 0]
        two = local.privatize_counts(local.grid.counts([record]), rng=rng, size=size)
        return np.clip(two[:, 0], 0, 1) - np.clip(two[:, 1], 0, 1)

    return mechanism


@pytest.mark.parametrize("method", [*HISTOGRAM_METHODS[1:], "series"])
def test_an_audit_of_every_method_finds_most_of_the_budget_and_no_more(method):
    honest = privacy.audit(_first_of_two(method, 0.5), 0.0, 0.5, runs=60_000, rng=2)
    hard_coded = privacy.audit(_first_of_two(method, 0.7), 0.0, 0.5, runs=60_000, rng=2)
    assert honest.epsilon > 0.4 and not honest.refutes(0.5)
    assert hard_coded.refutes(0.5)


@pytest.mark.parametrize(
    "grid",
    [
        Grid(0.1, 0.7, 6),
        Grid(0.0, 1.0, 49),
        Grid(0.0, 1.0, 100),
        Grid(-3.3, 7.1, 997),
        Grid(1e6 + 0.1, 1e6 + 0.7, 1000),
        Grid(-1e-90, 1e-90, 7),
        Grid(1.0, 1.0 + 2**-40, 500),
    ],
    ids=str,
)
def test_the_edges_decide_the_bin(grid: Grid):
    edges, last = grid.edges, grid.bins - 1
    x = np.concatenate([edges, np.nextafter(edges[1:], -np.inf), np.nextafter(edges[:-1], np.inf)])
    x = np.append(x, np.random.default_rng(0).uniform(grid.low, grid.high, 1_000))
    wanted = np.minimum(np.searchsorted(edges, x, side="right") - 1, last)
    np.testing.assert_array_equal(grid.index(x), wanted)
    assert grid.index(edges).tolist() == [*range(grid.bins), last]


def test_percentages_fall_into_the_bin_that_they_open():
    assert Grid(0.1, 0.7, 6).index([0.3]).tolist() == [2]
    assert Grid(0.0, 1.0, 100).index([0.29, 0.58]).tolist() == [29, 58]


@pytest.mark.parametrize(
    ("low", "high", "bins", "digits"),
    [(0.0, 1.0, 100, 2), (0.0, 60.0, 600, 1), (-3.3, 7.1, 104, 1), (0.1, 0.7, 6, 1),
     (1e-3, 2e-3, 1000, 6), (-50.0, 1e4, 201_000, 2)],
)  # fmt: skip
def test_records_in_decimals_fall_into_the_bins_that_their_decimals_name(low, high, bins, digits):
    ends = [float(f"{low + k * (high - low) / bins:.{digits}f}") for k in range(bins + 1)]
    grid = Grid(low, high, bins)
    assert grid.edges.tolist() == ends
    assert grid.index(ends[:-1]).tolist() == list(range(bins))
    assert grid.index(ends[1:]).tolist() == [*range(1, bins), bins - 1]


def test_a_grid_of_one_cell_has_any_dimension():
    assert Grid(0.0, 1.0, 1, 90).index(np.full((2, 90), 0.5)).tolist() == [0, 0]


def test_grid_in_two_dimensions():
    grid = Grid(-1.0, 1.0, 2, 2)
    points = np.array([[-1.0, -1.0], [0.0, 0.5], [1.0, -0.5], [0.99, 1.0]])
    assert grid.index(points).tolist() == [0, 3, 2, 3]
    assert grid.counts(points).tolist() == [1, 0, 1, 2]
    assert grid.volume == 1.0 and grid.cells == 4


@pytest.mark.parametrize("method, epsilon", [("none", None), ("central", 0.2), ("laplace", 2.0)])
@pytest.mark.parametrize("d", [1, 2])
def test_optimal_bins_are_optimal(method, epsilon, d):
    for n in (1, 50, 10_000):
        best = optimal_bins(n, epsilon, method, d=d)
        risks = [
            histogram_ceiling(float(k) ** d, n, epsilon, method, d=d)
            for k in range(1, 2 * best + 9)
        ]
        assert int(np.argmin(risks)) + 1 == best


@settings(derandomize=True, deadline=None, max_examples=50)
@given(st.floats(-1, 1), st.integers(1, 60), st.integers(1, 10**6), st.floats(0.01, 4))
def test_the_ceiling_holds_for_lipschitz_densities(slope, bins, n, epsilon):
    f = linear(slope)
    for method in ("central", "laplace"):
        exact = histogram_risk(f.probabilities(bins), n, epsilon, method, bias=f.bias(bins))
        ceiling = histogram_ceiling(bins, n, epsilon, method)
        assert exact <= ceiling * (1 + 1e-9)
        floor = lipschitz_floor(n, epsilon, "central" if method == "central" else "local")
        assert floor <= ceiling


def test_the_ceiling_in_two_dimensions_holds():
    # f = 1 + ((x - 1/2) + (y - 1/2)) / sqrt 2 has gradient of norm one everywhere: equality.
    bins = 4
    x = (np.arange(400) + 0.5) / 400
    f = 1 + (x[:, None] + x - 1) / np.sqrt(2)
    cells = f.reshape(bins, 100, bins, 100)
    bias = ((cells - cells.mean(axis=(1, 3), keepdims=True)) ** 2).mean()
    ceiling = histogram_ceiling(bins**2, 10**9, None, "none", d=2) - (bins**2 - 1) / 10**9
    assert bias <= ceiling and bias == pytest.approx(1 / 12 / bins**2, rel=1e-3)


def _wave(x, m, slope):
    return slope / m / 4 * (1 - 4 * abs(np.mod(m * x + 0.25, 1) - 0.5))


@pytest.mark.parametrize("m, slope", [(1, 1.0), (3, 1.0), (2, 5.0)])
def test_the_steps_of_the_floor(m, slope):
    x = (np.arange(6 * 10**5) + 0.5) / 6e5
    g, w = _wave(x, m, slope), 1 / m
    assert abs(g.mean()) < 1e-9
    assert (g[x < w] ** 2).sum() / 6e5 == pytest.approx(slope**2 * w**3 / 48, rel=1e-5)
    assert abs(g[x < w]).sum() / 6e5 == pytest.approx(slope * w**2 / 8, rel=1e-5)
    hellinger = (1 - np.sqrt(1 - g[x < w] ** 2)).sum() / 6e5
    height = slope * w / 4
    bound = slope**2 * w**3 / 48 / (1 + np.sqrt(max(0.0, 1 - height**2)))
    assert hellinger <= bound * (1 + 1e-6)


@pytest.mark.parametrize("model, epsilon", [("none", None), ("central", 0.01), ("local", 0.5)])
def test_the_floor_uses_the_best_number_of_cells(model, epsilon):
    for n in (100, 10**4, 10**6):
        m = np.arange(1, 5_000)
        w = 1.0 / m
        h = w**3 / 48 / (1 + np.sqrt(1 - (w / 4) ** 2))
        values = [w**2 / 96 * np.exp(2 * n * np.log1p(-h))]
        if model == "central":
            values.append(w**2 / 48 * (1 - n * np.tanh(epsilon / 2) * w**2 / 8))
        if model == "local":
            t = w**2 / 8
            same = 2 * n * np.log1p(-hellinger_contraction(epsilon) * t**2)
            values.append(w**2 / 96 * np.exp(same))
        best = np.max(values)
        found = lipschitz_floor(n, epsilon, model)
        assert found <= best * (1 + 1e-12)
        assert found >= 0.98 * best


@pytest.mark.parametrize("slope", [1.0, 30.0, 400.0])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 3000])
def test_no_number_of_waves_beats_that_of_the_private_floors(n, slope):
    cells = np.arange(max(1, np.ceil(slope / 4)), 4_000)
    energy = slope**2 / cells**2 / 48
    for epsilon in np.geomspace(1e-3, 3, 25):
        shown = hellinger_contraction(epsilon) * slope**2 / 64 / cells**4
        told = np.where(shown < 1, 0.5 * (1 - np.minimum(shown, 1)) ** (2 * n), 0)
        assert lipschitz_floor(n, epsilon, "local", constant=slope) >= (
            (energy * told).max() * (1 - 1e-9)
        )
        told = 1 - n * np.tanh(epsilon / 2) * slope / 8 / cells**2
        assert lipschitz_floor(n, epsilon, "central", constant=slope) >= (
            (energy * told).max() * (1 - 1e-9)
        )


def test_floors_have_the_rates():
    n = np.array([10**8, 10**10])

    def ratio(values):
        return np.log(values[1] / values[0]) / np.log(100)

    assert ratio(lipschitz_floor(n)) == pytest.approx(-2 / 3, abs=1e-2)
    assert ratio(lipschitz_floor(n, 1e-4, "central")) == pytest.approx(-1, abs=5e-2)
    assert ratio(lipschitz_floor(n, 1.0, "local")) == pytest.approx(-1 / 2, abs=1e-2)


def test_the_threshold_balances_noise_and_sampling():
    n = 10**6
    cells = (n / 6) ** (1 / 3)
    epsilon = privacy_threshold(n)
    assert 8 * cells**2 / (n * epsilon) ** 2 == pytest.approx(cells / n, rel=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("constant", [0.5, 3.0])
def test_the_threshold_is_at_the_best_number_of_cells(d, constant):
    n = 10**7

    def ceiling(log_cells):
        cells = np.exp(log_cells)
        return float(histogram_ceiling(cells, n, None, "none", constant=constant, d=d))

    cells = np.exp(optimize.minimize_scalar(ceiling, bounds=(0.1, 30), method="bounded").x)
    epsilon = privacy_threshold(n, d=d, constant=constant)
    assert epsilon == pytest.approx(np.sqrt(8 * cells / n), rel=1e-4)
    # There the term of the curator's noise is that of sampling.
    whole = (constant**2 * n / 6) ** (d / (d + 2))
    private = histogram_ceiling(whole, n, epsilon, "central", constant=constant, d=d)
    plain = histogram_ceiling(whole, n, None, "none", constant=constant, d=d)
    assert private - plain == pytest.approx(whole / n, rel=1e-9)
    both = privacy_threshold(n, d=d, constant=[constant, 2 * constant])
    assert both[0] == epsilon and both[1] > epsilon


@pytest.mark.parametrize("method", ["none", "central", "laplace", "unary", "subset"])
def test_a_release_is_a_density_with_an_honest_band(method):
    f, n, bins = boundary(), 4_000, 6
    epsilon = None if method == "none" else (0.05 if method == "central" else 2.0)
    truth = bins * f.probabilities(bins)
    rng = np.random.default_rng(9)
    covered, losses = [], []
    for _ in range(400):
        out = private_density(
            f.sample(n, rng=rng), 0, 1, epsilon, method=method, bins=bins, rng=rng
        )
        assert out.heights.min() >= 0
        assert (out.heights * out.histogram.grid.volume).sum() == pytest.approx(1)
        gap = ((out.raw - truth) ** 2).mean()
        assert ((out.heights - truth) ** 2).mean() <= gap * (1 + 1e-9)
        low, high = out.band(0.9)
        covered.append(((low <= truth) & (truth <= high)).mean())
        losses.append(gap)
    assert_mean(covered, 0.9)
    assert np.mean(losses) ** 0.5 == pytest.approx(out.error, rel=0.12)


@pytest.mark.parametrize("method", ["none", "central", "laplace", "unary"])
def test_replications_come_in_any_shape(method):
    h = Histogram(Grid(0.0, 1.0, 2), None if method == "none" else 1.0, method)
    assert h.privatize_counts([3, 4], rng=0).shape == (2,)
    flat = h.privatize_counts([3, 4], rng=0, size=6)
    table = h.privatize_counts([3, 4], rng=0, size=(2, 3))
    assert flat.shape == (6, 2) and table.shape == (2, 3, 2)
    np.testing.assert_array_equal(h.privatize_counts([3, 4], rng=0, size=(6,)), flat)


def test_floors_and_bins_at_the_ends_of_their_ranges():
    for n in (1, 10**18):
        for constant in (1e-100, 1.0, 1e100):
            values = [
                lipschitz_floor(n, constant=constant),
                lipschitz_floor(n, 1e-100, "central", constant=constant),
                lipschitz_floor(n, 700.0, "local", constant=constant),
            ]
            assert np.all(np.isfinite(values)) and min(values) >= 0
    assert optimal_bins(10, 1.0, d=1000) == 1
    assert boundary(1e-100).squared_integral == pytest.approx(1, rel=1e-12)


GRID = Grid(0.0, 1.0, 2)
LAPLACE = Histogram(GRID, 1.0, "laplace")


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Grid(1.0, 1.0, 3), "high"),
        (lambda: Grid(0.0, np.inf, 3), "high"),
        (lambda: Grid(0.0, 1.0, 0), "bins"),
        (lambda: Grid(0.0, 1.0, 1000, 3), "bins"),
        (lambda: Grid(0.0, 1.0, 3, 10**9), "bins must make"),
        (lambda: Grid(1.0, 1.0 + 1e-15, 100), "bins must be wide"),
        (lambda: Grid(-1e308, 1e308, 3), "high - low must leave"),
        (lambda: Grid(0.0, 1e60, 3, 2), "high - low must leave"),
        (lambda: Grid(0.0, 1e-320, 3), "high - low must leave"),
        (lambda: Histogram(3, 1.0), "grid must be a Grid"),
        (lambda: Histogram(GRID, 1e-320), "epsilon must be at least"),
        (lambda: Histogram(GRID, 1.0, np.array(["laplace"])), "method must be"),
        (lambda: Histogram(GRID, None, "none").encoding, "method must be"),
        (lambda: Histogram(GRID, None, "none").budget, "method must be"),
        (lambda: LAPLACE.privatize([0.5], rng="abc"), "rng must be"),
        (lambda: LAPLACE.privatize_counts([1, 1], rng=True), "rng must be"),
        (lambda: LAPLACE.privatize_counts([1, 1], size="a"), "size must be"),
        (lambda: LAPLACE.privatize_counts([1, 1], size=-1), "size must be"),
        (lambda: LAPLACE.privatize_counts([1, 1], size=10**10), "size must leave"),
        (lambda: Histogram(Grid(0, 1, 10**6), 1.0).reports(np.ones(10**4)), "data must leave"),
        (lambda: linear().sample(10**11), "n must leave"),
        (lambda: linear().sample(5, rng=1.5), "rng must be"),
        (lambda: linear().probabilities(10**10), "bins must leave"),
        (lambda: Density("flat", 1.0, np.sin, 1.0, 1.0), "pdf must be callable"),
        (lambda: Density("flat", np.sin, "cdf", 1.0, 1.0), "cdf must be callable"),
        (lambda: Density("flat", np.sin, np.sin, np.nan, 1.0), "squared_integral must be"),
        (lambda: Density("flat", np.sin, np.sin, 1.0, 0.0), "maximum must be"),
        (lambda: boundary(1e-320), "rate must be at least"),
        (lambda: spiky(1e-320), "width must be at least"),
        (lambda: spiky(1.1), "width must be at most 1"),
        (lambda: holder(0.5, levels=41), "levels must be at most 40"),
        (lambda: histogram_risk([0.5, 0.5], 10, 1e-320), "epsilon must be at least"),
        (lambda: histogram_risk([0.5, 0.5], 10, 1.0, volume=1e-320), "volume must be at least"),
        (lambda: histogram_ceiling(1e308, 10, 1.0), "cells must be at most"),
        (lambda: histogram_ceiling(4, 10, 1.0, constant=1e308), "constant must be at most"),
        (lambda: optimal_bins(10, 1.0, constant=1e308), "constant must be at most"),
        (lambda: lipschitz_floor(10, constant=1e308), "constant must be at most"),
        (lambda: lipschitz_floor(10, 1.0, "local", constant=1e160), "constant must be at most"),
        (lambda: lipschitz_floor(10, 1.0, np.array(["local"])), "model must be"),
        (lambda: privacy_threshold(10, constant=1e308), "constant must be at most"),
        (lambda: private_density([0.5], 0, 1, 1.0, rng=-1), "rng must be"),
        (lambda: private_density([0.5], 0, 1, 1.0, constant=1e308), "constant must be at most"),
        (lambda: GRID.counts([0.5, 1.5]), "data"),
        (lambda: GRID.counts([np.nan]), "data"),
        (lambda: GRID.counts([]), "data"),
        (lambda: Grid(0.0, 1.0, 2, 2).index([0.5]), "data"),
        (lambda: Histogram(GRID, None, "laplace"), "epsilon"),
        (lambda: Histogram(GRID, 1.0, "none"), "epsilon"),
        (lambda: Histogram(GRID, -1.0), "epsilon"),
        (lambda: Histogram(GRID, 1.0, "other"), "method"),
        (lambda: LAPLACE.privatize_counts([1, 2, 3]), "counts"),
        (lambda: LAPLACE.privatize_counts([[1, 2], [2, 2]]), "counts"),
        (lambda: LAPLACE.estimate([1.0], 2), "totals"),
        (lambda: Histogram(GRID, 1.0, "unary").reports([0.1]), "method"),
        (lambda: Histogram(GRID, 1.0, "subset").privatize_counts([1, 1]), "method"),
        (lambda: histogram_ceiling(4, 10, 1.0, "subset"), "method"),
        (lambda: histogram_ceiling(4, 10, 1.0, "central", beta=2.0), "beta"),
        (lambda: lipschitz_floor(10, 1.0, "none"), "epsilon"),
        (lambda: lipschitz_floor(10, 1.0, "global"), "model"),
        (lambda: holder(1.0), "beta"),
        (lambda: linear(3.0), "slope"),
        (lambda: private_density([0.5], 0, 1, 1.0).band(1.0), "level"),
        (lambda: private_density([[[0.5]]], 0, 1, 1.0), "data"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


@pytest.mark.parametrize("n", [1, 10, 10**6])
def test_at_the_largest_budget_the_local_floor_is_the_one_without_privacy(n):
    assert lipschitz_floor(n, 700.0, "local") == lipschitz_floor(n, None, "none")
