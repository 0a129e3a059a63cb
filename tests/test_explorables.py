"""Figures that a reader can drag: what is declared, and what a browser makes of it.

Each figure of the gallery stands here on a page of its own, opened as a file; the numbers that it
shows are compared with the package's functions, called anew.
"""

from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image
from scipy import stats
from statsmodels.datasets import fair

from minimaxdp import accounting, guarantees, privacy
from minimaxdp.book import gallery, gallery_bounds, gallery_inference, gallery_limits, gallery_noise
from minimaxdp.book.explorables import MIME, Control, Explorable, Panel
from minimaxdp.density_estimation import Grid, Histogram, ripple
from minimaxdp.inference import (
    TulapRelease,
    coverage,
    critical_function,
    one_sided_power,
    optimal_power,
    release_variance,
)
from minimaxdp.k_anonymity import intersection_attack, k_of, linkage, mondrian
from minimaxdp.laplace import Laplace
from minimaxdp.lower_bounds import multinomial_floors, private_distance
from minimaxdp.mean_estimation import bias_bound, noise_second_moment, truncation_radius
from minimaxdp.randomized_response import (
    BinaryRR,
    HadamardResponse,
    KaryRR,
    SubsetSelection,
    SymmetricUnary,
)
from minimaxdp.unbiased_bounds import min_trace_ellipsoid

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

STATIC = Path(__file__).resolve().parents[1] / "book" / "_static"


# --- what is declared ----------------------------------------------------------------------------


def control(**changes: Any) -> Control:
    return Control(**{"name": "slope", "values": [1, 2, 3], "label": "slope"} | changes)


def panel() -> Panel:
    panel = Panel("A line", "x", "y", (0, 1), (0, 4))
    panel.line([0, 0.5, 1], lambda slope: [0, slope / 2, slope], "truth", "line")
    panel.area([0, 1], lambda slope: [0, slope], "one", high=lambda slope: slope / 4)
    panel.point(1, lambda slope: slope, "here", drag="slope")
    return panel


def figure(**changes: Any) -> Explorable:
    parts = {"name": "line", "controls": [control()], "panels": [panel()], "alt": "A line."}
    parts |= {"numbers": {"end": lambda slope: slope / 3}, "says": "Ends at {end:.2f}."}
    return Explorable(**parts | changes)


def test_tables_hold_every_state_in_the_units_of_the_picture() -> None:
    data = figure().data()
    line, area, point = data["panels"][0]["marks"]
    assert line["x"] == [[], [[224, 770, 1316]]]
    assert line["y"] == [[0], [[828, 738, 648], [828, 648, 468], [828, 558, 288]]]
    assert area["low"] == [[], [224]] and area["high"] == [[0], [497, 770, 1043]]
    assert point["y"] == [[0], [648, 468, 288]] and point["drag"] == 0
    assert data["numbers"] == {"end": [[0], [0.3333333, 0.6666667, 1.0]]}


def test_logarithms_of_an_axis_and_gaps_of_a_line() -> None:
    log = Panel("A line", "x", "y", (1, 100), (1, 100), "log", "log")
    log.line([1, 10, 100], lambda slope: [1, math.nan, 1e6], "truth")
    mark = figure(panels=[log]).data()["panels"][0]["marks"][0]
    assert mark["x"] == [[], [[224, 770, 1316]]]
    assert mark["y"] == [[0], [[828, None, -252]] * 3]


def test_numbers_and_sentence_of_a_state() -> None:
    made = figure()
    assert made.numbers_at() == {"end": 0.3333333} and made.numbers_at(slope=2) == {"end": 1.0}
    assert made.sentence_at(slope=1) == "Ends at 0.67."


def test_output_is_a_small_picture_with_its_data_and_alike_each_time() -> None:
    before = plt.get_fignums(), dict(plt.rcParams)
    (bundle, metadata), (again, _) = figure()._repr_mimebundle_(), figure()._repr_mimebundle_()
    assert bundle == again and set(bundle) == {"text/plain", "image/png", MIME}
    assert metadata["image/png"] == {"alt": "A line."}
    picture = Image.open(io.BytesIO(base64.b64decode(bundle["image/png"])))
    assert picture.size[0] == 750 and len(np.unique(np.asarray(picture.convert("L")))) > 10
    assert (plt.get_fignums(), dict(plt.rcParams)) == before


@pytest.mark.parametrize(
    ("make", "condition"),
    [
        (lambda: control(name="a b"), "name must be an identifier"),
        (lambda: control(values=[1]), "number of values must be at least 2"),
        (lambda: control(start=3), "start must be below"),
        (lambda: control(form="{:d}"), "form must format one number"),
        (lambda: control(names=["one"]), "names must be one for each of 3"),
        (lambda: Panel("A", "x", "y", (1, 0), (0, 1)), "xlim must be two increasing"),
        (lambda: Panel("A", "x", "y", (0, 1), (0, 1), "log"), "xlim must be greater than 0"),
        (lambda: panel().line([0, 1], [0, 1], "pink"), "look must be one of"),
        (lambda: panel().line([[0, 1]], [0, 1], "truth"), "x must be numbers in one row"),
        (lambda: panel().point(0, 1, "truth", along="z"), "along must be one of"),  # type: ignore[arg-type]
        (lambda: figure(name="1"), "name must be letters"),
        (lambda: figure(controls=[]), "number of controls must be at least 1"),
        (lambda: figure(controls=[control(values=range(1000), name=n) for n in "ab"]), "states"),
        (
            lambda: figure(numbers={"end": lambda other: other}),
            "numbers must be functions of contr",
        ),
        (lambda: figure(numbers={"end": math.inf}), "must be finite"),
        (lambda: figure(says="{other}"), "says must name numbers and controls alone"),
        (lambda: figure(says="{end:.3g}"), "says must write numbers as"),
        (lambda: figure().numbers_at(slope=3), "slope must be at most 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make: Callable[[], object], condition: str) -> None:
    with pytest.raises(ValueError, match=condition):
        make()


# --- the gallery in a browser --------------------------------------------------------------------

Values = dict[str, float]
# name: how it is made, and its numbers by the package's functions at given values of the controls
GALLERY: dict[str, tuple[Callable[[], Explorable], Callable[[Values], Values]]] = {}


def gallery_figure(make: Callable[[], Explorable], name: str) -> Callable[..., Any]:
    def register(numbers: Callable[[Values], Values]) -> Callable[[Values], Values]:
        GALLERY[name] = make, numbers
        return numbers

    return register


@gallery_figure(gallery.threshold, "threshold")
def _(at: Values) -> Values:
    cut, apart, release = at["cut"], 1 / at["people"], at["release"]
    if release == 0:  # Laplace noise
        u = guarantees.LaplacePair(-2 * np.log1p(-apart)).epsilon
        first, second = stats.laplace.sf(cut), stats.laplace.cdf(cut - u)
        level = abs(abs(cut) - abs(cut - u))
        delta = guarantees.laplace_delta(level, 1 / u)
        assert np.isclose(second, guarantees.laplace_tradeoff(u, first))
    elif release == 1:  # Gaussian noise
        mu = 1 / guarantees.gaussian_sigma(0.0, apart)
        level = abs(mu * cut - mu**2 / 2)
        delta = guarantees.gaussian_delta(level, 1 / mu)
        first, second = stats.norm.sf(cut), guarantees.gaussian_tradeoff(mu, stats.norm.sf(cut))
    elif release == 2:  # randomized response: a coin decides within an answer
        response = BinaryRR.from_delta(apart / 2)
        level, delta = response.epsilon, 0.0
        first = (6 - cut) / 5 * (1 - apart) / 2 if cut >= 1 else 1 - (cut + 4) / 5 * (1 + apart) / 2
        second = privacy.tradeoff(response.channel(), first)
    else:  # one record at random: nothing but chance unless it is drawn
        level, delta = 0.0, apart
        first, second = (1 - apart) * (5.1 - cut) / 8.2, (1 - apart) * (cut + 3.1) / 8.2
        drawn = [[apart, 1 - apart, 0], [0, 1 - apart, apart]]
        assert np.isclose(second, privacy.tradeoff(drawn, first))
    return {"first": first, "second": second, "level": level, "delta": delta}


@gallery_figure(gallery.rare_bits, "rare-bits")
def _(at: Values) -> Values:
    kind, last = int(at["kind"]), (1e-8, 1e-8, 0.005, 0.04)[int(at["kind"])]
    t = 0.4 * (last / 0.4) ** (at["step"] / 24)
    apart = [1.0, -math.log(t) / 2, 1 / t, 1 / t**2][kind]  # ln(t/q)
    q = t * math.exp(-apart)
    stay = math.log1p(-q) - math.log1p(-t)  # ln of the other ratio
    kl = max(t * apart - (1 - t) * stay, (1 - q) * stay - q * apart)
    rising = np.logaddexp(math.log(t) + 2 * apart, math.log1p(-t) - 2 * stay) / 2
    falling = np.logaddexp(math.log(q) - 2 * apart, math.log1p(-q) + 2 * stay) / 2
    return {
        "t": t,
        "pure": max(apart, stay),
        "variation": t - q,
        "kl": kl,
        "renyi": max(rising, falling),
    }


@gallery_figure(gallery.people, "people")
def _(at: Values) -> Values:
    epsilon, error = at["epsilon"], at["error"]
    free = math.ceil(round(3 / 16 / error**2, 6))
    local = math.ceil(round(float(BinaryRR(epsilon).risk(0.25, 1)) / error**2, 6))
    n = 3 / 32 / error**2
    n += math.sqrt(n**2 + 2 / (epsilon * error) ** 2)  # 3/16 n + 2/epsilon^2 = (error n)^2
    curator = math.ceil(n)
    assert release_variance(0.25, curator, epsilon) <= error**2
    assert release_variance(0.25, curator - 1, epsilon) > error**2
    return {"free": free, "curator": curator, "local": local, "price": local / free}


@gallery_figure(gallery.survey, "survey")
def _(at: Values) -> Values:
    epsilon, prior = at["epsilon"], at["prior"]
    odds = prior / (1 - prior) * np.exp([-epsilon, epsilon])
    answer = BinaryRR(epsilon).channel()
    after = prior * answer[1] / (prior * answer[1] + (1 - prior) * answer[0])
    low, high = odds / (1 + odds)
    assert np.allclose(after, [low, high])  # both ends of the corridor are attained
    return {"low": low, "high": high, "worth": 0.21 / BinaryRR(epsilon).risk(0.3, 1000)}


@gallery_figure(gallery.two_counts, "two-counts")
def _(at: Values) -> Values:
    gap = at["epsilon"] * (at["other"] - 100)
    return {
        "gap": gap,
        "likelier": np.exp(gap),
        "deviation": Laplace(at["epsilon"]).variance ** 0.5,
    }


VISITS = np.repeat([0.0, 1.0, 3.0, 8.0, 30.0], [400, 300, 200, 90, 10])


@gallery_figure(lambda: gallery_noise.clipped_mean(VISITS), "clipped-mean")
def _(at: Values) -> Values:
    clipped = np.minimum(VISITS, at["clip"])
    bias = (clipped.mean() - VISITS.mean()) ** 2
    noise = Laplace(at["epsilon"], at["clip"] / at["n"]).variance
    total = bias + clipped.var() / at["n"] + noise
    shares = {"clipping": bias, "sampling": clipped.var() / at["n"], "privacy": noise}
    return {"error": total**0.5} | {name: part / total for name, part in shares.items()}


@gallery_figure(gallery_noise.subset_counts, "subset-counts")
def _(at: Values) -> Values:
    m, noise = int(at["m"]), at["noise"]
    subsets = np.random.default_rng(0).integers(0, 2, (m, 64))
    solve = np.linalg.pinv(subsets.astype(float))  # least squares, as a matrix
    rebuilt = stats.norm.sf(-0.5 / (noise * np.linalg.norm(solve, axis=1)))
    told = stats.norm.sf(-0.5 * np.linalg.norm(subsets, axis=0) / noise)
    return {"squares": rebuilt.mean(), "best": told.mean(), "unit": noise / math.sqrt(m)}


@gallery_figure(gallery.categories, "categories")
def _(at: Values) -> Values:
    n, epsilon, d = int(at["n"]), at["epsilon"], int(at["d"])
    uniform = np.full(d, 1 / d)
    told = {
        "kary": KaryRR(epsilon, d).risk(uniform, n),
        "unary": SymmetricUnary(epsilon, d).risk(uniform, n),
        "subset": SubsetSelection(epsilon, d).risk(uniform, n),
        "hadamard": HadamardResponse(epsilon, d).risk(uniform, n),
    }
    flat = (
        (math.exp(epsilon / 2) + 1) / (math.exp(epsilon / 2) - 1) * math.sqrt(math.log(d) / 2 / n)
    )
    told["projected"] = min(flat, told["unary"])
    fewer = [2**power for power in range(1, 14, 2) if 2**power <= d]  # a bound for some is for all
    told["least"] = max(
        max(multinomial_floors(n, k, guarantees.Local(guarantees.Pure(epsilon))).values())
        for k in fewer
    )
    assert told["least"] <= min(told.values())
    return {name: math.sqrt(risk) for name, risk in told.items()}


@gallery_figure(gallery_noise.many_releases, "many-releases")
def _(at: Values) -> Values:
    k, epsilon = int(at["k"]), at["epsilon"]
    laplace = accounting.compose([Laplace(epsilon)] * k).guarantee(delta=1e-6).epsilon
    best = accounting.compose(guarantees.Pure(epsilon), times=k).epsilon(1e-6).high
    rho = guarantees.ZCDP(k * epsilon * math.tanh(epsilon / 2))
    by_rho = rho.implies(guarantees.Approximate, delta=1e-6).epsilon
    advanced = k * epsilon * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * k * math.log(1e6))
    total = k * epsilon
    return {
        "basic": total,
        "advanced": min(advanced, total),
        "zcdp": min(by_rho, total),
        "optimal": best,
        "laplace": laplace,
    }


@gallery_figure(gallery_limits.truncation, "truncation")
def _(at: Values) -> Values:
    factor = 8 / (1000 * at["epsilon"]) ** 2
    assert np.isclose(factor, noise_second_moment(1000, 1, guarantees.Pure(at["epsilon"])))
    bias, noise = bias_bound(at["radius"], 4) ** 2, factor * at["radius"] ** 2
    total, best = min(1, bias + noise + 0.001), truncation_radius(factor, 4)
    least = min(1, bias_bound(best, 4) ** 2 + factor * best**2 + 0.001)
    return {"bias": bias, "noise": noise, "total": total, "best": best, "excess": total / least}


@gallery_figure(gallery_inference.noisy_count, "noisy-count")
def _(at: Values) -> Values:
    count, epsilon = at["count"], at["epsilon"]
    power = one_sided_power([0.5, 0.7], 40, 0.5, epsilon)
    assert np.isclose(power[0], 0.05)  # the test has its level
    tail = TulapRelease(40, 0.5, epsilon).sf(count)
    # Most powerful of level 5% without privacy: the same test with a budget that hides nothing.
    free, _ = optimal_power(0.7, 40, 0.5, 30)
    plain = stats.binomtest(int(count), 40, 0.5, alternative="greater").pvalue
    return {"private": tail, "plain": plain, "power": power[1], "free": free}


@gallery_figure(gallery_inference.rival_test, "rival-test")
def _(at: Values) -> Values:
    theta, epsilon, share = at["theta"], at["epsilon"], at["share"]
    best = one_sided_power(theta, 20, 0.3, epsilon)
    other = one_sided_power(theta, 20, 0.3, epsilon * share) if share else 0.05
    assert (best >= other) == (theta >= 0.3)
    rival = critical_function(20, 0.3, epsilon * share) if share else np.full(21, 0.05)
    above = critical_function(20, 0.3, epsilon) > rival
    assert np.count_nonzero(np.diff(above)) == 1  # they cross once
    return {"best": best, "other": other, "crossing": np.flatnonzero(above)[0]}


@gallery_figure(gallery_inference.exact_coverage, "exact-coverage")
def _(at: Values) -> Values:
    methods = {"normal": "normal", "fiducial": "jimi", "ignore": "ignore"}
    return {
        name: coverage(at["theta"], int(at["n"]), at["epsilon"], method=method)
        for name, method in methods.items()
    }


@gallery_figure(gallery_limits.two_laws, "two-laws")
def _(at: Values) -> Values:
    def bound(half: np.ndarray) -> np.ndarray:
        return half**2 * (1 - private_distance(100, guarantees.Pure(at["epsilon"]), half))

    half, halves = at["separation"], np.round(np.linspace(0.005, 0.3, 60), 4)
    best = halves[bound(halves).argmax()]
    told = {"loss": half**2, "confusion": bound(half) / half**2, "bound": bound(half)}
    return told | {"best": best, "most": bound(halves).max()}


@gallery_figure(gallery_bounds.caps, "caps")
def _(at: Values) -> Values:
    # The first coordinate of a uniform direction, and the best threshold by trying.
    x, d = at["x"], int(at["d"])
    high = np.linspace(0, 1, 20_001)
    law = stats.beta((d - 1) / 2, (d - 1) / 2, loc=-1, scale=2)
    share = law.sf(high)
    lever = (1 - high**2) ** ((d - 1) / 2) * law.pdf(0) / (d - 1)
    means = np.expm1(x) * lever / (1 + np.expm1(x) * share)
    best = means.max()
    assert abs(high[means.argmax()] - best) < 0.01 or d == 2
    return {"length": best, "left": 1 - best**2, "share": law.sf(best)}


@gallery_figure(gallery_limits.ellipse, "ellipse")
def _(at: Values) -> Values:
    corner, turn = at["corner"], np.deg2rad(at["angle"])
    points = [[2.2, 1.0], [4.2, 1.6], [4.4, 2.6], [2.9 - 1.6 * corner, 1.7 + 1.6 * corner]]
    theta, body = np.array([np.cos(turn), np.sin(turn)]), np.array(points)
    moves = (body[:, None] - body).reshape(-1, 2) / 2
    found = min_trace_ellipsoid(moves, fit="fixed")
    half, support = (moves @ theta).max(), np.sqrt(theta @ found.matrix @ theta)
    assert support >= half * (1 - 1e-8)
    return {"half": half, "support": support, "trace": np.trace(found.matrix)}


@gallery_figure(gallery_limits.histogram_bins, "histogram-bins")
def _(at: Values) -> Values:
    bins, n, epsilon = int(at["bins"]), int(at["people"]), at["epsilon"]
    curve = ripple(0.8, 2)
    masses, bias = curve.probabilities(bins), curve.bias(bins)
    sampling = bins * (masses * (1 - masses)).sum() / n
    total = Histogram(Grid(0, 1, bins), epsilon).risk(masses, n, bias=bias)
    return {"bias": bias, "sampling": sampling, "noise": total - bias - sampling, "total": total}


@gallery_figure(gallery_limits.two_hospitals, "two-hospitals")
def _(at: Values) -> Values:
    known, k = ["age", "yrs_married", "children", "educ"], int(at["k"])
    survey = fair.load_pandas().data
    rows = survey.iloc[np.random.default_rng(0).choice(len(survey), 500, replace=False)]
    rows = rows.reset_index(drop=True)[[*known, "occupation"]]
    releases = [mondrian(rows[:300], known, k), mondrian(rows.drop(range(100, 300)), known, k)]
    assert min(k_of(release, known) for release in releases) >= k
    both = intersection_attack(releases, rows[:100][known], known, "occupation")["candidates"]
    alone = [linkage(r, rows[:100][known], known, "occupation")["candidates"] for r in releases]
    told = {
        name: (one.map(len) == 1).sum()
        for name, one in zip(("first", "second"), alone, strict=True)
    }
    told |= {"both": (both.map(len) == 1).sum(), "left": both.map(len).mean()}
    assert all(a <= b for one in alone for a, b in zip(both.map(len), one.map(len), strict=True))
    return told | {"left_alone": alone[0].map(len).mean()}


gallery_test = pytest.mark.parametrize("name", GALLERY)


@pytest.fixture(scope="module")
def made() -> Callable[[str], Explorable]:
    return cache(lambda name: GALLERY[name][0]())


@pytest.fixture(scope="module")
def output(made: Callable[[str], Explorable]) -> Callable[[str], dict[str, str]]:
    return cache(lambda name: made(name)._repr_mimebundle_()[0])


PAGE = """<!doctype html>
<html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>figure</title><style>
html {{ --pst-color-text-base: {ink}; --pst-color-background: {paper}; --pst-color-border: #777;
  background: {paper}; color: {ink}; }}
body {{ margin: 16px; }} figure {{ margin: 0; }}
</style><link rel="stylesheet" href="{static}/explorable.css">
<main class="bd-content"><figure><img src="data:image/png;base64,{png}" alt="{alt}"><script
type="application/json" class="explorable-data">{data}</script></figure></main>
<script src="{static}/explorable.js"></script></html>"""
THEMES = {"light": ("#222", "#fff"), "dark": ("#ccc", "#111")}


@pytest.fixture
def shown(
    browser: Browser, tmp_path: Path, output: Callable[[str], dict[str, str]]
) -> Iterator[Callable[..., Page]]:
    """Open a figure of the gallery as a file; no error, and no request to anywhere."""
    context = browser.new_context()
    errors: list[str] = []

    def open_page(name: str, theme: str = "light", width: int = 1200) -> Page:
        bundle = output(name)
        ink, paper = THEMES[theme]
        text = PAGE.format(
            theme=theme,
            ink=ink,
            paper=paper,
            static=STATIC.as_uri(),
            png=bundle["image/png"],
            alt="A figure.",
            data=bundle[MIME].replace("</", "<\\/"),
        )
        (tmp_path / "page.html").write_text(text)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda r: r.url.startswith(("file:", "data:")) or errors.append(r.url))
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield open_page
    context.close()
    assert not errors


def agrees(root: Locator, figure: Explorable, name: str) -> dict[str, int]:
    """The numbers and the sentence of a figure are those of the package; its state."""
    sliders = root.locator("input[type=range]")
    state = {c.name: int(sliders.nth(i).input_value()) for i, c in enumerate(figure.controls)}
    expected = GALLERY[name][1]({c.name: c.values[state[c.name]] for c in figure.controls})
    shown = {key: root.get_attribute(f"data-{key}") for key in figure.numbers}
    assert set(expected) <= set(shown)
    for key, value in expected.items():
        assert float(shown[key]) == pytest.approx(float(value), rel=1e-5, abs=1e-6), (key, state)
    assert root.locator("[role=status]").inner_text() == figure.sentence_at(**state)
    for i, one in enumerate(figure.controls):
        assert sliders.nth(i).get_attribute("aria-valuetext") == one.texts[state[one.name]]
    return state


@gallery_test
@pytest.mark.parametrize("theme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_figure_agrees_with_the_package_at_every_key(
    shown: Callable[..., Page], made: Callable[[str], Explorable], name: str, theme: str
) -> None:
    page, one = shown(name, theme, 1200 if theme == "light" else 360), made(name)
    root = page.locator(f"#{name}")
    start = agrees(root, one, name)
    assert start == {control.name: control.start for control in one.controls}
    for i, slider in enumerate(root.locator("input[type=range]").all()):
        slider.focus()
        own, last = one.controls[i].name, len(one.controls[i].values) - 1
        moves = [("ArrowRight", min(start[own] + 1, last)), ("End", last)]
        if theme == "light":  # in the dark, on a phone, the script is the same
            moves += [("ArrowLeft", last - 1), ("Home", 0), ("ArrowRight", 1)]
        for key, place in moves:
            page.keyboard.press(key)
            assert agrees(root, one, name)[own] == place, key


@pytest.mark.long
@gallery_test
def test_figure_follows_the_pointer(
    shown: Callable[..., Page], made: Callable[[str], Explorable], name: str
) -> None:
    page, one = shown(name), made(name)
    root = page.locator(f"#{name}")
    assert root.locator("svg.draggable").count(), "something must be there to drag"
    for svg in root.locator("svg.draggable").all():
        box = svg.bounding_box()
        assert box
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        page.mouse.down()
        states = []
        for share in (0.2, 0.4, 0.6, 0.9):
            page.mouse.move(box["x"] + share * box["width"], box["y"] + (1 - share) * box["height"])
            states.append(str(agrees(root, one, name)))
        page.mouse.up()
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
        assert str(agrees(root, one, name)) == states[-1] and len(set(states)) >= 3


@pytest.mark.long
@gallery_test
def test_figure_fits_a_phone_and_print_shows_the_picture(
    shown: Callable[..., Page], name: str
) -> None:
    page = shown(name, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    root, picture = page.locator(f"#{name}"), page.locator("img")
    letters = (
        "texts => texts.map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)"
    )
    assert min(root.locator(".panel > svg text").evaluate_all(letters)) >= 12
    cut = """svg => [...svg.querySelectorAll("text")].filter(t => {
        const a = t.getBoundingClientRect(), b = svg.getBoundingClientRect();
        return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1; })
        .map(t => t.textContent)"""
    for svg in root.locator(".panel > svg").all():
        assert svg.evaluate(cut) == [], "words cut off"
    assert root.is_visible() and not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible() and not root.is_visible()


@gallery_test
def test_output_weighs_at_most_sixty_kilobytes(
    output: Callable[[str], dict[str, str]], name: str
) -> None:
    assert len(json.dumps(output(name), ensure_ascii=False).encode()) <= 60_000


def test_every_figure_of_the_gallery_is_held_to_the_package() -> None:
    tested = {name.replace("-", "_") for name in GALLERY}
    galleries = (gallery, gallery_bounds, gallery_inference, gallery_limits, gallery_noise)
    assert {name for module in galleries for name in module.__all__} <= tested


def test_without_a_script_the_picture_stands(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    bundle, _ = figure()._repr_mimebundle_()
    blank = dict.fromkeys(("theme", "ink", "paper"), "")
    text = PAGE.format(
        **blank, static=STATIC.as_uri(), png=bundle["image/png"], alt="A line.", data=""
    )
    (tmp_path / "page.html").write_text(text)
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.locator("img").is_visible()
    context.close()
