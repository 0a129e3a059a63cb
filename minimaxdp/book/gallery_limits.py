"""The figures that can be dragged, continued: anonymity, lower and upper bounds.

As in `minimaxdp.book.gallery`, each is one function without arguments, which a chapter calls.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.density_estimation import histogram_risk, ripple
from minimaxdp.guarantees import Pure
from minimaxdp.lower_bounds import le_cam, private_distance
from minimaxdp.mean_estimation import (
    bias_bound,
    noise_second_moment,
    risk_bound,
    truncation_radius,
)
from minimaxdp.unbiased_bounds import min_trace_ellipsoid, polytope

__all__ = ["ellipse", "histogram_bins", "truncation", "two_hospitals", "two_laws"]


def truncation() -> Explorable:
    """Chapter `mean_estimation`: where to cut, between the bias and the noise.

    The bias falls with the radius of truncation and the noise grows with it; sampling does not
    care. The best radius moves with the budget, and away from it the price is steep on one side.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = truncation()
    >>> figure
    Explorable('truncation', 205 states)
    >>> numbers = figure.numbers_at(radius=0)
    >>> round(numbers["total"], 5), round(numbers["best"], 5)
    (0.01221, 2.09805)
    """
    n, k = 1000, 4
    radii = np.geomspace(1, 16, 41)

    def factor(epsilon: float) -> float:
        return float(noise_second_moment(n, 1, Pure(epsilon)))

    def bias(radius: float) -> float:
        return float(bias_bound(radius, k)) ** 2

    def noise(radius: Any, epsilon: float) -> Any:
        return factor(epsilon) * radius**2

    def total(radius: float, epsilon: float) -> float:
        return float(risk_bound(radius, factor(epsilon), n, k))

    def best(epsilon: float) -> float:
        return float(truncation_radius(factor(epsilon), k))

    def least(epsilon: float) -> float:
        return total(best(epsilon), epsilon)

    span = (1e-6, 1.0)
    panel = Panel(
        "Parts of the risk against the radius",
        "radius ρ of truncation",
        "squared error",
        (1, 16),
        span,
        "log",
        "log",
    )
    panel.line(radii, [bias(r) for r in radii], "bias", "squared bias")
    panel.line(radii, lambda epsilon: noise(radii, epsilon), "noise", "noise")
    panel.line([1, 16], [1 / n, 1 / n], "sampling", "sampling")
    panel.line(
        radii, lambda epsilon: [total(r, epsilon) for r in radii], "truth", "their sum, at most 1"
    )
    panel.line(lambda epsilon: [best(epsilon)] * 2, span, "guide", "best radius")
    panel.point(lambda radius: radius, bias, "bias")
    panel.point(lambda radius: radius, noise, "noise")
    panel.point(lambda radius: radius, total, "here", drag="radius", along="x")
    return Explorable(
        "truncation",
        [
            Control("radius", radii, "radius ρ", "{:.2f}", 24),
            Control("epsilon", [0.03, 0.1, 0.3, 1, 3], "budget ε", "{:g}", 2),
        ],
        [panel],
        {
            "bias": bias,
            "noise": noise,
            "total": total,
            "best": best,
            "excess": lambda radius, epsilon: total(radius, epsilon) / least(epsilon),
        },
        "Squared bias at most {bias:.9f}, noise {noise:.5f}, sampling 0.00100: together "
        "{total:.5f}, or {excess:.2f} times the least. The best radius for ε = {epsilon} is "
        "{best:.2f}.",
        "Squared error against the radius of truncation, both logarithmic: the bias falls, the "
        "noise rises, sampling is level, and their sum has its minimum where falling and rising "
        "balance.",
    )


def two_laws() -> Explorable:
    """Chapter `lower_bounds`: two laws moved apart, and Le Cam's bound, which rises and falls.

    Close together they cost little when confused; far apart they are not confused. The bound is the
    product, and the best separation depends on budget and people.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = two_laws()
    >>> figure
    Explorable('two-laws', 240 states)
    >>> figure.numbers_at()["best"]
    0.075
    """
    n = 100
    halves = np.round(np.linspace(0.005, 0.3, 60), 4)

    @cache
    def confusion(separation: float, epsilon: float) -> float:
        """Least 1 - TV of the released values: twice the chance of a wrong guess."""
        return 1 - float(private_distance(n, Pure(epsilon), separation))

    def bound(separation: float, epsilon: float) -> float:
        return float(le_cam(separation**2, 1 - confusion(separation, epsilon), convex=True))

    @cache
    def best(epsilon: float) -> float:
        return float(max(halves, key=lambda half: bound(half, epsilon)))

    top = 6.0  # thousandths
    factors = Panel(
        "The two factors", "half the distance between the means", "factor", (0, 0.3), (0, 1)
    )
    factors.line(
        halves,
        lambda epsilon: [confusion(h, epsilon) for h in halves],
        "one",
        "1 − TV, at least",
    )
    factors.line(halves, halves**2 / 0.3**2, "other", "loss if confused, as a share of 0.09")
    factors.point(lambda separation: separation, lambda separation: separation**2 / 0.09, "other")
    factors.point(lambda separation: separation, confusion, "here", drag="separation", along="x")
    product = Panel(
        "Le Cam's bound", "half the distance between the means", "bound × 1000", (0, 0.3), (0, top)
    )
    product.line(
        halves,
        lambda epsilon: [1000 * bound(h, epsilon) for h in halves],
        "truth",
        "their product: Le Cam's bound",
    )
    product.line(lambda epsilon: [best(epsilon)] * 2, [0, top], "guide", "best separation")
    product.point(
        lambda separation: separation,
        lambda separation, epsilon: 1000 * bound(separation, epsilon),
        "here",
        drag="separation",
        along="x",
    )
    return Explorable(
        "two-laws",
        [
            Control("separation", halves, "half the distance", "{:.3f}", 5),
            Control("epsilon", [0.1, 0.2, 0.5, 1], "budget ε", "{:g}", 1),
        ],
        [factors, product],
        {
            "loss": lambda separation: separation**2,
            "confusion": confusion,
            "bound": bound,
            "best": best,
            "most": lambda epsilon: bound(best(epsilon), epsilon),
        },
        "Confusing the laws costs {loss:.5f}, and 1 − TV is at least {confusion:.3f}: no "
        "private mean of 100 people has a worst risk below {bound:.5f}. The "
        "best of these bounds is {most:.5f}, at {best:.3f}.",
        "Left, the loss if two laws are confused rises with their distance while 1 − TV "
        "falls. Right, the product of the two, a lower bound on the risk: it rises "
        "to a single peak and falls again.",
    )


def ellipse() -> Explorable:
    """Chapter `unbiased_bounds`: a body, its width in every direction, and the least ellipse.

    Drag a corner of the body, or turn the direction. The ellipse of the covariance must reach
    half the width of the body in every direction, and the least one touches it in a few.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = ellipse()
    >>> figure
    Explorable('ellipse', 481 states)
    >>> round(figure.numbers_at()["trace"], 4)
    2.5686
    """
    rest = np.array([[2.2, 1.0], [4.2, 1.6], [4.4, 2.6]])
    share, angles = np.linspace(0, 1, 13), np.arange(0.0, 181, 5)
    fine, turn = np.deg2rad(np.arange(0.0, 181, 3)), np.linspace(0, 2 * np.pi, 61)

    def body(corner: float) -> np.ndarray:
        """The quadrilateral, its last corner on the way from near the first to far away."""
        return np.vstack([rest, [2.9 - 1.6 * corner, 1.7 + 1.6 * corner]])

    @cache
    def root(corner: float) -> np.ndarray:
        return min_trace_ellipsoid(body(corner), fit="difference").root

    def around(corner: float) -> np.ndarray:
        """The difference body, corner by corner and round to the first."""
        points = body(corner)
        moves = (points[:, None] - points).reshape(-1, 2) / 2
        hull = moves[ConvexHull(moves).vertices]
        return np.vstack([hull, hull[:1]])

    def halves(corner: float, theta: ArrayLike) -> np.ndarray:
        normals = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        return np.asarray(polytope(body(corner)).width(normals)) / 2

    def supports(corner: float, theta: ArrayLike) -> np.ndarray:
        normals = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        return np.linalg.norm(normals @ root(corner), axis=-1)

    def rim(corner: float) -> np.ndarray:
        return root(corner) @ np.array([np.cos(turn), np.sin(turn)])

    def tangent(height: float, angle: float) -> np.ndarray:
        """Ends of a line at that height along the direction, about its foot."""
        t = np.deg2rad(angle)
        foot = height * np.array([np.cos(t), np.sin(t)])
        along = 1.6 * np.array([-np.sin(t), np.cos(t)])
        return np.stack([foot - along, foot + along], axis=1)

    def half(corner: float, angle: float) -> float:
        return float(halves(corner, np.deg2rad(angle)))

    def support(corner: float, angle: float) -> float:
        return float(supports(corner, np.deg2rad(angle)))

    plane = Panel(
        "The body, its half-differences and the ellipse around them",
        "first coordinate",
        "second coordinate",
        (-3.0, 5.2),
        (-1.9, 3.5),
    )
    plane.line(
        lambda corner: np.append(body(corner)[:, 0], rest[0, 0]),
        lambda corner: np.append(body(corner)[:, 1], rest[0, 1]),
        "truth",
        "body K",
    )
    plane.line(
        lambda corner: around(corner)[:, 0],
        lambda corner: around(corner)[:, 1],
        "floor",
        "half-differences",
    )
    plane.line(
        lambda corner: rim(corner)[0], lambda corner: rim(corner)[1], "ellipsoid", "least ellipse"
    )
    plane.line(
        lambda corner, angle: tangent(support(corner, angle), angle)[0],
        lambda corner, angle: tangent(support(corner, angle), angle)[1],
        "guide",
    )
    plane.point(
        lambda corner: body(corner)[3, 0],
        lambda corner: body(corner)[3, 1],
        "here",
        drag="corner",
    )
    sweep = Panel(
        "Support functions against the direction",
        "direction in degrees",
        "support function",
        (0, 180),
        (0, 2.6),
    )
    sweep.line(np.rad2deg(fine), lambda corner: halves(corner, fine), "floor")
    sweep.line(np.rad2deg(fine), lambda corner: supports(corner, fine), "ellipsoid")
    sweep.point(lambda angle: angle, half, "floor")
    sweep.point(lambda angle: angle, support, "here", drag="angle", along="x")
    return Explorable(
        "ellipse",
        [
            Control("angle", angles, "direction", "{:.0f}°", 6),
            Control("corner", share, "corner of the body", "{:.2f}", 4),
        ],
        [plane, sweep],
        {
            "half": half,
            "support": support,
            "trace": lambda corner: float((root(corner) ** 2).sum()),
        },
        "In this direction half the width of the body is {half:.3f} and the ellipse reaches "
        "{support:.3f}. The sum of the squared half-axes, which is the price in all directions "
        "together, is {trace:.3f}.",
        "Left, a quadrilateral, the polygon of its half-differences around the origin, and an "
        "ellipse that touches the polygon from outside. Right, the support functions of polygon "
        "and ellipse against the direction: the second lies above the first and touches it in a "
        "few directions.",
    )


def histogram_bins() -> Explorable:
    """Chapter `density_estimation`: the number of bins, and what goes wrong with the curve.

    The steps are what the histogram shows on average: their distance from the density is the bias.
    Lines above and below add two deviations of sampling, and then those of the noise too.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = histogram_bins()
    >>> figure
    Explorable('histogram-bins', 81 states)
    >>> figure.numbers_at()["best"]
    16.0
    """
    curve = ripple(0.8, 2)
    numbers = [1, 2, 3, 4, 6, 8, 12, 16, 24]
    fine = np.linspace(0, 1, 61)

    @cache
    def bias(bins: int) -> float:
        return float(curve.bias(bins))

    @cache
    def sampling(bins: int, n: int) -> float:
        return float(histogram_risk(curve.probabilities(bins), n, None, "none"))

    @cache
    def total(bins: int, n: int, epsilon: float) -> float:
        return float(histogram_risk(curve.probabilities(bins), n, epsilon, bias=bias(bins)))

    def noise(bins: int, n: int, epsilon: float) -> float:
        return total(bins, n, epsilon) - bias(bins) - sampling(bins, n)

    def steps(bins: int) -> np.ndarray:
        return np.repeat(np.linspace(0, 1, bins + 1), 2)[1:-1]

    def mean(bins: int) -> np.ndarray:
        return np.repeat(bins * curve.probabilities(bins), 2)

    def reach(bins: int, n: int, epsilon: float | None) -> np.ndarray:
        """Two standard deviations of each height: of sampling, or of the whole release."""
        p = curve.probabilities(bins)
        variance = p * (1 - p) / n
        if epsilon is not None:
            variance = variance + 8 / (n * epsilon**2)
        return np.repeat(2 * bins * np.sqrt(variance), 2)

    def whole(control: float) -> int:
        return int(control)

    shape = Panel("What is shown of the density", "value", "density", (0, 1), (-1, 3))
    for sign, label in ((1, "with sampling and noise"), (-1, "")):
        shape.line(
            lambda bins: steps(whole(bins)),
            lambda bins, people, epsilon, sign=sign: (
                mean(whole(bins)) + sign * reach(whole(bins), whole(people), epsilon)
            ),
            "noise",
            label,
        )
    for sign, label in ((1, "with sampling"), (-1, "")):
        shape.line(
            lambda bins: steps(whole(bins)),
            lambda bins, people, sign=sign: (
                mean(whole(bins)) + sign * reach(whole(bins), whole(people), None)
            ),
            "sampling",
            label,
        )
    shape.line(fine, curve.pdf(fine), "truth", "density")
    shape.line(
        lambda bins: steps(whole(bins)), lambda bins: mean(whole(bins)), "bias", "average histogram"
    )
    parts = Panel(
        "Parts of the risk against the number of bins",
        "bins",
        "squared error",
        (1, 24),
        (1e-5, 10),
        "log",
        "log",
    )
    parts.line(numbers, [max(bias(m), 1e-9) for m in numbers], "bias", "squared bias")
    parts.line(
        numbers[1:],
        lambda people: [sampling(m, whole(people)) for m in numbers[1:]],
        "sampling",
        "sampling",
    )
    parts.line(
        numbers[1:],
        lambda people, epsilon: [noise(m, whole(people), epsilon) for m in numbers[1:]],
        "noise",
        "noise",
    )
    parts.line(
        numbers,
        lambda people, epsilon: [total(m, whole(people), epsilon) for m in numbers],
        "truth",
        "their sum",
    )
    parts.point(
        lambda bins: bins,
        lambda bins, people, epsilon: total(whole(bins), whole(people), epsilon),
        "here",
        drag="bins",
        along="x",
    )
    return Explorable(
        "histogram-bins",
        [
            Control("bins", numbers, "number of bins", "{:.0f}", 5),
            Control("people", [10_000, 100_000, 1_000_000], "people n", "{:,.0f}", 1),
            Control("epsilon", [0.5, 1, 2], "budget ε", "{:g}", 1),
        ],
        [parts, shape],
        {
            "bias": lambda bins: bias(whole(bins)),
            "sampling": lambda bins, people: sampling(whole(bins), whole(people)),
            "noise": lambda bins, people, epsilon: noise(whole(bins), whole(people), epsilon),
            "total": lambda bins, people, epsilon: total(whole(bins), whole(people), epsilon),
            "best": lambda people, epsilon: min(
                numbers, key=lambda m: total(m, whole(people), epsilon)
            ),
        },
        "Expected integrated squared error {total:.4f}: squared bias {bias:.4f}, sampling "
        "{sampling:.5f}, noise {noise:.4f}. Of these numbers {best:.0f} is the best.",
        "Left, squared bias falls with the number of bins while sampling and noise rise, on "
        "logarithmic axes. Right, a density with two waves, the steps that a histogram shows on "
        "average, and lines around them, near for sampling and far for the noise: few bins miss "
        "the waves, many bins drown in noise.",
    )


def two_hospitals() -> Explorable:
    """Chapter `k_anonymity`: two tables, each k-anonymous, and what they tell together.

    A hundred people are in both tables. Each table alone keeps its promise; whoever holds both
    strikes out what is not possible in either, and k does not say how much is left.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = two_hospitals()
    >>> figure
    Explorable('two-hospitals', 8 states)
    >>> figure.numbers_at(k=0)
    {'first': 13.0, 'second': 15.0, 'both': 34.0, 'left_alone': 2.53, 'left': 1.92}
    """
    from statsmodels.datasets import fair

    from minimaxdp.k_anonymity import intersection_attack, linkage, mondrian

    known, secret = ["age", "yrs_married", "children", "educ"], "occupation"
    survey = fair.load_pandas().data[[*known, secret]]
    chosen = np.random.default_rng(0).choice(len(survey), 500, replace=False)
    rows = survey.iloc[chosen].reset_index(drop=True)
    tables = rows.iloc[:300], rows.iloc[[*range(100), *range(300, 500)]]
    people = rows.iloc[:100][known]
    sizes = [2, 3, 4, 5, 7, 10, 15, 20]

    @cache
    def candidates(k: int) -> list[np.ndarray]:
        """How many values stay possible for each person: after either table, and after both."""
        releases = [mondrian(table, known, k) for table in tables]
        found = [linkage(release, people, known, secret) for release in releases]
        found.append(intersection_attack(releases, people, known, secret))
        return [one["candidates"].map(len).to_numpy() for one in found]

    def certain(k: float, which: int) -> int:
        return int((candidates(int(k))[which] == 1).sum())

    def left(k: float, which: int) -> float:
        return float(candidates(int(k))[which].mean())

    exposed = Panel(
        "People whose value is certain, against k",
        "k of both tables",
        "certain, of 100",
        (2, 20),
        (0, 40),
    )
    open_values = Panel(
        "Values still possible, against k", "k of both tables", "values left, of 6", (2, 20), (0, 6)
    )
    for which, look, label in (
        (0, "one", "first table alone"),
        (1, "other", "second table alone"),
        (2, "truth", "both tables"),
    ):
        exposed.line(sizes, [certain(k, which) for k in sizes], look, label)
        open_values.line(sizes, [left(k, which) for k in sizes], look)
    open_values.line([2, 20], [6, 6], "guide", "nothing known")
    exposed.point(lambda k: k, lambda k: certain(k, 2), "here", drag="k", along="x")
    open_values.point(lambda k: k, lambda k: left(k, 2), "here", drag="k", along="x")
    return Explorable(
        "two-hospitals",
        [Control("k", sizes, "k", "{:.0f}", 3)],
        [exposed, open_values],
        {
            "first": lambda k: certain(k, 0),
            "second": lambda k: certain(k, 1),
            "both": lambda k: certain(k, 2),
            "left_alone": lambda k: left(k, 0),
            "left": lambda k: left(k, 2),
        },
        "Both tables are {k}-anonymous. The first alone makes {first:.0f} of 100 people certain, "
        "the second {second:.0f}, the two together {both:.0f}; of six values {left_alone:.2f} stay "
        "possible on average after the first, {left:.2f} after both.",
        "Left, the number of people whose value is certain, against k: up to k = 10 it is higher "
        "for both tables together than for either, and from k = 15 on it is zero. Right, the "
        "average number of values still possible: lower with both tables up to k = 15.",
    )
