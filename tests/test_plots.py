"""Figures: the numbers on the axes are those given, and the colours can be told apart."""

import matplotlib as mpl

mpl.use("Agg")

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from scipy.stats import norm

from minimaxdp.book import plots

X = np.array([1.0, 10.0, 100.0])


@pytest.fixture
def ax():
    with mpl.rc_context():
        yield plt.subplots()[1]
        plt.close("all")


def test_style_sets_what_it_says():
    with mpl.rc_context():
        plots.use_style()
        assert list(mpl.rcParams["figure.figsize"]) == [5.0, 3.3]
        assert not mpl.rcParams["axes.spines.top"] and not mpl.rcParams["axes.spines.right"]
        assert mpl.rcParams["axes.grid"] and not mpl.rcParams["legend.frameon"]
        assert mpl.rcParams["figure.facecolor"] == mpl.rcParams["savefig.facecolor"] == "white"
        ends = ("labelsize", ".fontsize")
        sizes = [mpl.rcParams[key] for key in mpl.rcParams if key.endswith(ends)]
        assert mpl.rcParams["font.size"] >= 9
        assert all(size >= 9 for size in sizes if isinstance(size, int | float))
        cycle = list(mpl.rcParams["axes.prop_cycle"])
        assert {style["color"] for style in cycle} <= set(plots.COLORS.values())
        for key in ("color", "linestyle"):  # each line differs from all others in both
            assert len({str(style[key]) for style in cycle}) == len(cycle) == 6


def test_a_look_is_a_colour_of_the_book_and_a_dash(ax):
    for name, (color, dash) in plots.LOOKS.items():
        (line,) = ax.plot([1, 2], [1, 2], **plots.look(name))
        assert line.get_color() == plots.COLORS[color]
        assert plots.look(name)["ls"] == dash
    with pytest.raises(ValueError, match="name must be one of .*Laplace"):
        plots.look("laplacian")


@pytest.mark.parametrize(
    "together",
    [
        ("no privacy", "randomized response", "direct question"),
        ("unary", "optimized unary", "subset selection", "Hadamard", "randomized response"),
        ("Laplace", "discrete Laplace", "staircase", "Gaussian", "Tulap", "no privacy"),
        ("pure", "approximate", "zcdp", "renyi", "gaussian dp", "total variation"),
        ("curator", "local", "no privacy"),
        ("truth", "floor", "ceiling"),
        ("bias", "sampling", "noise", "truth"),
        ("one", "other", "guide"),
    ],
)
def test_what_is_drawn_together_differs_in_colour_and_in_dash(together):
    colors, dashes = zip(*(plots.LOOKS[name] for name in together), strict=True)
    assert len(set(colors)) >= len(together) - 1 and len(set(map(str, dashes))) == len(together)


def test_style_draws_lines_apart():
    with mpl.rc_context():
        plots.use_style()
        ax = plt.subplots()[1]
        lines = [ax.plot([1, 2], [k, k])[0] for k in range(6)]
        # matplotlib hides custom dashes behind "--"; the pattern itself tells them apart.
        looks = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}
        assert len(looks) == 6
        dashes = [line._unscaled_dash_pattern[1] or (1,) for line in lines]
        assert min(length for dash in dashes for length in dash) > 0  # strokes and gaps are seen
        plt.close("all")


def test_loglog_draws_a_line_through_the_points(ax):
    plots.loglog(ax, X, 3 / X, label="rate", color="red")
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([X, 3 / X]))
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert (line.get_label(), line.get_color()) == ("rate", "red")


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_loglog_draws_simulated_points_with_their_intervals(ax, level):
    errors = np.array([0.3, 0.02, 0.001])
    plots.loglog(ax, X, 3 / X, standard_error=errors, level=level, label="simulated")
    (container,) = ax.containers
    points, _, (bars,) = container.lines
    np.testing.assert_array_equal(points.get_xydata(), np.column_stack([X, 3 / X]))
    assert points.get_linestyle() == "None" and points.get_marker() == "o"
    reach = norm.ppf((1 + level) / 2) * errors
    for x, y, r, segment in zip(X, 3 / X, reach, bars.get_segments(), strict=True):
        np.testing.assert_allclose(segment, [[x, y - r], [x, y + r]], rtol=1e-14)


@pytest.mark.parametrize(
    ("x", "y", "options", "message"),
    [
        ([0, 1], [1, 1], {}, "x must be greater than 0, got 0"),
        ([1, 2], [1, -1], {}, "y must be greater than 0, got -1"),
        ([1, 2], [1, np.nan], {}, "y must be finite, got nan"),
        ([], [], {}, "x must not be empty"),
        ([1], [1], {"standard_error": [-1]}, "standard_error must be at least 0, got -1"),
        ([1], [1], {"standard_error": [1], "level": 1.5}, "level must be less than 1, got 1.5"),
        ([1], [1], {"standard_error": [1], "level": 0}, "level must be greater than 0, got 0"),
    ],
)
def test_loglog_refuses(ax, x, y, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        plots.loglog(ax, x, y, **options)
    assert not ax.lines and not ax.containers


def test_sandwich_draws_its_three_curves(ax):
    low, mid, high = 1 / X, 2 / X, 4 / X
    ratio = plots.sandwich(
        ax, X, floor=low, ceiling=high, risk=mid, names=("lower", "exact", "upper")
    )
    np.testing.assert_array_equal(ratio, [4, 4, 4])
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert list(drawn) == ["upper", "exact", "lower"]  # the legend lists them from above
    for name, values in (("lower", low), ("exact", mid), ("upper", high)):
        np.testing.assert_array_equal(drawn[name], values)
    assert len({line.get_linestyle() for line in ax.lines}) == 3
    (band,) = ax.collections
    edge = {tuple(vertex) for vertex in band.get_paths()[0].vertices}
    assert edge == set(zip(X, low, strict=True)) | set(zip(X, high, strict=True))


def test_an_exact_risk_is_drawn_in_one_line_whatever_was_drawn_before(ax):
    ax.set_prop_cycle(linestyle=[":", "-."])
    plots.sandwich(ax, X, floor=1 / X, ceiling=4 / X, risk=2 / X)
    assert ax.lines[1].get_linestyle() == "-"


def test_sandwich_draws_a_simulated_risk_with_bars(ax):
    # A simulated point may fall outside by chance: it is drawn, not judged.
    plots.sandwich(
        ax,
        X,
        floor=1 / X,
        ceiling=4 / X,
        risk=0.9 / X,
        standard_error=0.1 / X,
        names=("l", "r", "u"),
    )
    (container,) = ax.containers
    np.testing.assert_array_equal(container.lines[0].get_ydata(), 0.9 / X)
    assert container.get_label() == "r"


def test_sandwich_accepts_a_bound_attained_up_to_rounding(ax):
    plots.sandwich(ax, X, floor=X, ceiling=2 * X, risk=X * (1 - 1e-15))
    plots.sandwich(ax, X, floor=X, ceiling=2 * X, risk=2 * X * (1 + 1e-15))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": [0, 1, 2]}, "x must be greater than 0, got 0"),
        ({"floor": 0 * X}, "floor must be greater than 0, got 0"),
        ({"ceiling": -X}, "ceiling must be greater than 0, got -1"),
        ({"risk": [1, np.inf, 1]}, "risk must be finite, got inf"),
        ({"risk": [2, 2, 0.9]}, "risk must lie between floor and ceiling"),
        ({"risk": [2, 4.1, 2]}, "risk must lie between floor and ceiling"),
        ({"floor": [1, 1, 4.1]}, "floor must not exceed ceiling"),
        ({"floor": [1, 1, 4.1], "standard_error": X}, "floor must not exceed ceiling"),
    ],
)
def test_sandwich_refuses(ax, change, message):
    given = {"x": X, "floor": [1, 1, 1], "risk": [2, 2, 2], "ceiling": [4, 4, 4]} | change
    with pytest.raises(ValueError, match=f"^{message}"):
        plots.sandwich(ax, given.pop("x"), **given)
    assert not ax.lines and not ax.collections  # refused before anything is drawn


# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
# Lab distance; 2.3 is just noticeable side by side, and thin lines need several times that.
TOLD_APART = 15


def linear(color):
    rgb = np.array(to_rgb(color))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE Lab of linear sRGB under D65."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(rgb, 0, 1) / (to_xyz @ np.ones(3))
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def cycle_colors():
    with mpl.rc_context():
        plots.use_style()
        return mpl.rcParams["axes.prop_cycle"].by_key()["color"]


@pytest.mark.parametrize("vision", VISION)
def test_cycle_colors_are_told_apart(vision):
    seen = {color: lab(VISION[vision] @ linear(color)) for color in cycle_colors()}
    for first, second in combinations(seen, 2):
        distance = np.linalg.norm(seen[first] - seen[second])
        assert distance >= TOLD_APART, f"{first} and {second} are {distance:.1f} apart"


def test_lab_of_known_colors():
    np.testing.assert_allclose(lab(linear("white")), [100, 0, 0], atol=1e-9)
    np.testing.assert_allclose(lab(linear("red")), [53.24, 80.09, 67.20], atol=0.02)


@pytest.mark.parametrize("name", plots.COLORS)
def test_colors_contrast_with_white(name):
    luminance = np.array([0.2126, 0.7152, 0.0722]) @ linear(plots.COLORS[name])
    assert 1.05 / (luminance + 0.05) >= 3  # WCAG 2.1, graphical objects


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda ax: plots.loglog(3, [1, 2], [1, 2]), TypeError, "ax must be a Axes, got 3"),
        (lambda ax: plots.loglog(ax, [1, 2], [1, 2, 3]), ValueError, "y must be as long as x"),
        (
            lambda ax: plots.loglog(ax, [1, 2], [1, 2], standard_error=[1, 2, 3]),
            ValueError,
            "standard_error must have the shape of y",
        ),
        (
            lambda ax: plots.loglog(ax, [1, 2], [1, 2], level=[0.9, 0.95]),
            ValueError,
            "level must be a single number",
        ),
        (
            lambda ax: plots.sandwich(ax, [1, 2], floor=1, risk=[1, 1], ceiling=[2, 2]),
            ValueError,
            r"floor must have the shape of x, \(2,\), got \(\)",
        ),
        (
            lambda ax: plots.sandwich(ax, [1, 2], floor=[1, 1], risk=[1], ceiling=[2, 2]),
            ValueError,
            "risk must have the shape of x",
        ),
        (
            lambda ax: plots.sandwich(
                ax, [1, 2], floor=[1, 1], risk=[1, 1], ceiling=[2, 2], names=("a", "b")
            ),
            TypeError,
            "names must be three words",
        ),
    ],
)
def test_shapes_and_types_are_checked_before_anything_is_drawn(call, kind, message):
    fig, ax = plt.subplots()
    with pytest.raises(kind, match=f"^{message}"):
        call(ax)
    assert not ax.lines and not ax.collections and ax.get_xscale() == "linear"
    plt.close(fig)
