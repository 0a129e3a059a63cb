"""The figures that can be dragged, one function for each: a cell of a chapter calls it, no more.

Each makes one point that a still picture cannot. What it draws and says comes from the package's
functions; what stands here is which of them, and where.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import stats

from minimaxdp import divergences, guarantees, privacy
from minimaxdp.book.explorables import Control, Explorable, Panel
from minimaxdp.guarantees import Local, Pure
from minimaxdp.inference import release_variance
from minimaxdp.laplace import Laplace
from minimaxdp.lower_bounds import multinomial_floors
from minimaxdp.randomized_response import (
    BinaryRR,
    hadamard_risk,
    kary_risk,
    subset_selection_risk,
    unary_risk,
)

__all__ = ["categories", "people", "rare_bits", "survey", "threshold", "two_counts"]

UNIT = (0.0, 1.0)


RELEASES = ("Laplace noise", "Gaussian noise", "randomized response", "one record at random")


def threshold() -> Explorable:
    r"""Chapter `privacy`: a threshold on two densities, and its point on the trade-off curve.

    One threshold is one test of which neighbour the data were, one point of the curve, and one
    line that supports the curve there: an :math:`(\varepsilon, \delta)`-guarantee. The four
    releases to choose from have the same total variation, one over the number of people: the best
    guess is right equally often. An output of randomized response, or of one record at random, is
    drawn as an interval, in which a threshold stands for the toss of a coin.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = threshold()
    >>> figure
    Explorable('threshold', 300 states)
    >>> figure.numbers_at(release=3)["delta"], figure.numbers_at(release=2)["delta"]
    (0.3333333, 0.0)
    """
    x, errors = np.linspace(-4, 6, 51), np.linspace(0, 1, 31) ** 2  # denser where it is steep

    @cache
    def pair(release: float, people: float) -> guarantees.DominatingPair:
        """The two laws of a release whose total variation is one over the number of people."""
        apart = 1 / people
        return [
            lambda: guarantees.LaplacePair(-2 * np.log1p(-apart)),
            lambda: guarantees.GaussianPair(2 * stats.norm.ppf((1 + apart) / 2)),
            lambda: guarantees.ResponsePair(2 * np.arctanh(apart)),
            lambda: guarantees.ApproximatePair(0.0, apart),
        ][int(release)]()

    @cache
    def laws(release: float, people: float) -> tuple[Any, Any]:
        """Two frozen laws on the drawn axis, the second tending to larger outputs."""
        apart = 1 / people
        if release < 2:
            law, shift = (
                (stats.laplace, -2 * np.log1p(-apart))
                if release == 0
                else (stats.norm, 2 * stats.norm.ppf((1 + apart) / 2))
            )
            return law(0.0), law(shift)
        edges, masses = (
            ([-4, 1, 6], [(1 + apart) / 2, (1 - apart) / 2])
            if release == 2
            else ([-4, -3.1, 5.1, 6], [apart, 1 - apart, 0.0])
        )
        first, second = (
            stats.rv_histogram((np.array(m), np.array(edges)), density=False)
            for m in (masses, masses[::-1])
        )
        return first, second

    def first(cut: float, release: float, people: float) -> float:
        return float(laws(release, people)[0].sf(cut))

    def second(cut: float, release: float, people: float) -> float:
        return float(laws(release, people)[1].cdf(cut))

    def log_ratio(cut: float, release: float, people: float) -> float:
        one, other = laws(release, people)
        return float(np.log(other.pdf(cut) / one.pdf(cut)))

    def level(cut: float, release: float, people: float) -> float:
        return abs(log_ratio(cut, release, people))

    def delta(cut: float, release: float, people: float) -> float:
        # At its own budget randomized response forgives nothing: rounding would leave 1e-17.
        return round(float(pair(release, people).delta(level(cut, release, people))), 15)

    def ends(cut: float, release: float, people: float) -> list[float]:
        """Where the line of the guarantee leaves the axis of misses, and that of false alarms."""
        far = 1 - delta(cut, release, people)
        near = far * float(np.exp(-level(cut, release, people)))
        return [far, near] if log_ratio(cut, release, people) >= 0 else [near, far]

    def misses(release: float, people: float) -> Any:
        """The trade-off curve, through the threshold tests of a fine grid."""
        if release == 3:
            return np.maximum(1 - 1 / people - errors, 0)
        known = pair(release, people)
        if isinstance(known, guarantees.LaplacePair | guarantees.GaussianPair):
            return known.tradeoff(errors)
        return guarantees.approximate_tradeoff(2 * np.arctanh(1 / people), errors)

    top = 0.55
    densities = Panel(
        "Densities of the output for two neighbours", "output", "density", (-4, 6), (0, top)
    )
    one, other = (
        lambda release, people, i=i: np.minimum(laws(release, people)[i].pdf(x), top)
        for i in (0, 1)
    )
    densities.area(x, one, "one", low=lambda cut: cut)
    densities.area(x, other, "other", high=lambda cut: cut)
    densities.line(x, one, "one", "without you (shaded: false alarm)")
    densities.line(x, other, "other", "with you (shaded: missed)")
    densities.line(lambda cut: [cut, cut], [0, 0.92 * top], "truth")
    densities.point(lambda cut: cut, 0.92 * top, "here", drag="cut", along="x")
    curve = Panel("Trade-off curve", "false alarm", "missed", (0, 1), (0, 1))
    curve.line([0, 1], [1, 0], "guide", "blind guess")
    curve.line(errors, misses, "truth", "best tests")
    curve.line(
        lambda cut, release, people: [0, ends(cut, release, people)[1]],
        lambda cut, release, people: [ends(cut, release, people)[0], 0],
        "approximate",
        "the guarantee (ε, δ) at this point",
    )
    curve.point(first, second, "here", drag="cut")
    return Explorable(
        "threshold",
        [
            Control("cut", np.round(np.linspace(-2.5, 3.5, 25), 2), "threshold", "{:.2f}", 15),
            Control("release", range(4), "release", start=1, names=RELEASES),
            Control("people", [20, 8, 3], "n: total variation 1/n", "{:.0f}", 2),
        ],
        [densities, curve],
        {"first": first, "second": second, "level": level, "delta": delta},
        "With {release}, deciding at {cut} gives a false alarm in {first:.1%} of cases and misses "
        "{second:.1%}. The line that touches the curve at this point is the guarantee with "
        "ε = {level:.2f} and δ = {delta:.4f}.",
        "Left, two overlapping densities with a threshold between them; the tails beyond it are "
        "shaded. Right, the trade-off curve of their best tests below the diagonal of blind "
        "guessing, with the point of this threshold and the line that supports the curve there.",
    )


def people() -> Explorable:
    """The front page: how many people the same accuracy takes, and what each kind of trust costs.

    A curator's noise is one draw for the whole survey, so that its price vanishes as the survey
    grows; where nobody is trusted, it is the same factor at every accuracy.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = people()
    >>> figure
    Explorable('people', 164 states)
    >>> figure.numbers_at()
    {'free': 1875.0, 'curator': 1917.0, 'local': 41052.0, 'price': 21.8944}
    """
    share = 0.25

    def needed(risk: Callable[[Any], Any], error: float) -> int:
        """The least number of people with which a falling risk is at most the error squared."""
        low, high = 0, 2**40
        while high - low > 1:
            tried = np.unique(np.linspace(low + 1, high, 65).astype(int))
            first = int(np.argmax(risk(tried) <= error**2))
            low, high = int(tried[first - 1]) if first else low, int(tried[first])
        return high

    @cache
    def free(error: float) -> int:
        return needed(lambda n: share * (1 - share) / n, error)

    @cache
    def curator(epsilon: float, error: float) -> int:
        return needed(lambda n: release_variance(share, n, epsilon), error)

    @cache
    def local(epsilon: float, error: float) -> int:
        return needed(lambda n: BinaryRR(epsilon).risk(share, n), error)

    budgets = np.round(np.geomspace(0.05, 5, 41), 3)
    panel = Panel(
        "People needed against the budget", "budget ε", "people", (0.05, 5), (50, 5e7), "log", "log"
    )
    parts: list[tuple[Callable[..., int], str, str]] = [
        (local, "local", "nobody is trusted: randomized response"),
        (curator, "curator", "one curator is trusted: Laplace noise"),
        (lambda epsilon, error: free(error), "no privacy", "no privacy"),
    ]
    for function, look, label in parts:
        panel.line(budgets, lambda error, f=function: [f(e, error) for e in budgets], look, label)
    panel.line(lambda epsilon: [epsilon, epsilon], [50, 5e7], "guide")
    for function, look, _ in parts:
        panel.point(lambda epsilon: epsilon, function, look, drag="epsilon", along="x")
    return Explorable(
        "people",
        [
            Control("epsilon", budgets, "budget ε", "{:.2g}", 20),
            Control("error", [0.05, 0.02, 0.01, 0.005], "standard error", "{:.1%}", 2),
        ],
        [panel],
        {
            "free": free,
            "curator": curator,
            "local": local,
            "price": lambda epsilon, error: local(epsilon, error) / free(error),
        },
        "To know a share of one quarter with a standard error of {error} takes {free:,.0f} "
        "people without privacy, {curator:,.0f} if they trust a curator with a budget of "
        "{epsilon}, and {local:,.0f} if they trust nobody: {price:.1f} times as many.",
        "Number of people needed against the privacy budget, both on logarithmic axes: level "
        "without privacy, hardly more with a trusted curator unless the budget is tiny, and far "
        "more, falling with the budget, where nobody is trusted.",
    )


def survey() -> Explorable:
    """Chapter `randomized_response`: what an answer gives away, and what a thousand are worth.

    The corridor in which the belief about one person may move and the number of plain answers that
    a thousand private ones replace are two faces of one budget.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = survey()
    >>> figure
    Explorable('survey', 225 states)
    >>> figure.numbers_at(prior=4)
    {'low': 0.2689414, 'high': 0.7310586, 'worth': 185.73}
    """
    share, asked = 0.3, 1000
    priors, budgets = np.linspace(0, 1, 51), 0.125 * 2 ** np.linspace(0, 6, 25)

    def low(epsilon: float, prior: float) -> float:
        return float(guarantees.posterior_range(prior, epsilon)[0])

    def high(epsilon: float, prior: float) -> float:
        return float(guarantees.posterior_range(prior, epsilon)[1])

    def worth(epsilon: float) -> float:
        """The number of plain answers with the same mean squared error."""
        return share * (1 - share) / float(BinaryRR(epsilon).risk(share, asked))

    belief = Panel(
        "Belief after an answer, against belief before", "belief before", "belief after", UNIT, UNIT
    )
    belief.line([0, 1], [0, 1], "guide", "nothing learned")
    for edge, label in ((1, "after a yes"), (0, "after a no")):
        look = ("other", "one")[1 - edge]
        belief.line(
            priors,
            lambda epsilon, i=edge: guarantees.posterior_range(priors, epsilon)[i],
            look,
            label,
        )
    belief.line(
        lambda prior: [prior, prior],
        lambda epsilon, prior: [low(epsilon, prior), high(epsilon, prior)],
        "truth",
    )
    belief.point(lambda prior: prior, low, "one")
    belief.point(lambda prior: prior, high, "other", drag="prior", along="x")
    price = Panel(
        "Worth of a thousand private answers",
        "budget ε",
        "plain answers",
        (0.125, 8),
        (0, 1000),
        "log",
    )
    price.line(
        budgets,
        [worth(e) for e in budgets],
        "randomized response",
        "worth of 1,000 private answers",
    )
    price.line([0.125, 8], [asked, asked], "no privacy", "1,000 plain answers")
    price.point(lambda epsilon: epsilon, worth, "here", drag="epsilon", along="x")
    return Explorable(
        "survey",
        [
            Control("epsilon", budgets, "budget ε", "{:.3g}", 12),
            Control("prior", np.round(np.linspace(0.1, 0.9, 9), 1), "belief before", "{:.0%}", 0),
        ],
        [belief, price],
        {"low": low, "high": high, "worth": worth},
        "Whoever believed {prior} believes between {low:.1%} and {high:.1%} after your answer, "
        "whatever it is. A thousand such answers are worth {worth:,.0f} plain ones.",
        "Left, the belief after a yes and after a no against the belief before: two arcs on either "
        "side of the diagonal. Right, the number of plain answers that a thousand private ones are "
        "worth, rising with the budget from almost none to nearly all.",
    )


def categories() -> Explorable:
    """Chapter `randomized_response`: which encoding, and how far it is from what any survey can do.

    Unprojected errors grow with the number of categories without end; the bound of the projected
    estimate and the lower bound level off, one above the other.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = categories()
    >>> figure
    Explorable('categories', 105 states)
    >>> figure.numbers_at(d=6)["least"] > 0.1
    True
    """
    numbers = [float(2**power) for power in range(1, 14, 2)]
    encodings = {
        "k-ary": (kary_risk, "randomized response"),
        "unary": (unary_risk, "unary"),
        "subset selection": (subset_selection_risk, "subset selection"),
        "Hadamard": (hadamard_risk, "Hadamard"),
    }

    def worst(risk: Callable[..., Any], n: float, epsilon: float, d: float) -> float:
        """Root of the risk at the uniform law, where every one of these risks is largest."""
        return float(np.sqrt(risk(epsilon, np.full(int(d), 1 / d), int(n))))

    def projected(n: float, epsilon: float, d: float) -> float:
        """What is proved of the projected unary estimate: two bounds, the smaller one."""
        flat = np.sqrt(np.log(d) / (2 * n)) / np.tanh(epsilon / 4)
        return min(float(np.sqrt(flat)), worst(unary_risk, n, epsilon, d))

    @cache
    def least(n: float, epsilon: float, d: float) -> float:
        """No survey has a smaller largest error; a bound for fewer categories holds for more."""
        floors = multinomial_floors(int(n), int(d), Local(Pure(epsilon)))
        here = float(np.sqrt(max(floors.values())))
        return max(here, least(n, epsilon, d / 4)) if d / 4 in numbers else here

    panel = Panel(
        "Largest error against the number of categories",
        "categories",
        "root mean squared error",
        (2, 8192),
        (1e-4, 100),
        "log",
        "log",
    )
    for label, (risk, look) in encodings.items():
        panel.line(
            numbers,
            lambda n, epsilon, risk=risk: [worst(risk, n, epsilon, d) for d in numbers],
            look,
            label,
        )
    panel.line(
        numbers,
        lambda n, epsilon: [projected(n, epsilon, d) for d in numbers],
        "ceiling",
        "unary, projected: at most",
    )
    panel.line(
        numbers,
        lambda n, epsilon: [least(n, epsilon, d) for d in numbers],
        "floor",
        "every survey: at least",
    )
    panel.point(lambda d: d, projected, "here", drag="d", along="x")
    return Explorable(
        "categories",
        [
            Control("n", np.array([1e3, 1e5, 1e7]), "people n", "{:,.0f}", 1),
            Control("epsilon", np.array([0.25, 0.5, 1, 2, 4]), "budget ε", "{:g}", 1),
            Control("d", numbers, "categories d", "{:,.0f}", 3),
        ],
        [panel],
        {"kary": lambda n, epsilon, d: worst(kary_risk, n, epsilon, d)}
        | {"unary": lambda n, epsilon, d: worst(unary_risk, n, epsilon, d)}
        | {"subset": lambda n, epsilon, d: worst(subset_selection_risk, n, epsilon, d)}
        | {"hadamard": lambda n, epsilon, d: worst(hadamard_risk, n, epsilon, d)}
        | {"projected": projected, "least": least},
        "With {d} categories the error is up to {kary:.1%} by k-ary randomized response, "
        "{unary:.1%} by unary encoding, {subset:.1%} by subset selection and {hadamard:.1%} by "
        "Hadamard response. The projected unary estimate has at most {projected:.1%}, and every "
        "survey has at least {least:.1%}.",
        "Both axes logarithmic: four rising lines, the errors of four encodings; a line that "
        "levels off, the bound for the projected estimate; and below all of them the lower "
        "bound, which levels off too.",
    )


def two_counts() -> Explorable:
    """Chapter `laplace`: two noisy counts side by side, and how much likelier each output is.

    The logarithm of the ratio of the densities is flat outside the two counts: no output gives
    away more than the budget, once for each person by whom the counts differ.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = two_counts()
    >>> figure
    Explorable('two-counts', 39 states)
    >>> figure.numbers_at()
    {'gap': 0.5, 'likelier': 1.648721, 'deviation': 2.828427}
    """
    grid, count = np.linspace(-18, 18, 145), 100
    budgets = 0.125 * 2 ** np.linspace(0, 3, 13)

    def density(epsilon: float) -> Any:
        return np.exp(Laplace(epsilon).log_density(grid))

    def gap(epsilon: float, other: float) -> float:
        """The largest logarithm of a ratio, over all outputs that are drawn."""
        noise = Laplace(epsilon)
        ratio = noise.log_density(count + grid - other) - noise.log_density(grid)
        return float(np.abs(ratio).max())

    laws = Panel("Densities of two noisy counts", "released count", "density", (90, 113), (0, 0.55))
    laws.line(count + grid, density, "one", "100 people have the illness")
    laws.line(lambda other: other + grid, density, "other", "the other count")
    laws.point(
        lambda other: other, lambda epsilon: density(epsilon)[72], "here", drag="other", along="x"
    )
    loss = Panel(
        "Logarithm of the ratio of the densities",
        "released count",
        "log ratio",
        (90, 113),
        (-3.5, 3.5),
    )
    promise = "ε, the promise for one person"
    loss.line([90, 113], lambda epsilon: [epsilon, epsilon], "guide", promise)
    loss.line([90, 113], lambda epsilon: [-epsilon, -epsilon], "guide")
    loss.line(
        lambda other: [90, count, other, 113],
        lambda epsilon, other: [
            -gap(epsilon, other),
            -gap(epsilon, other),
            gap(epsilon, other),
            gap(epsilon, other),
        ],
        "Laplace",
        "log ratio",
    )
    loss.point(lambda other: other, gap, "here", drag="epsilon", along="y")
    return Explorable(
        "two-counts",
        [
            Control("epsilon", budgets, "budget ε", "{:.3g}", 8),
            Control("other", range(101, 104), "the other count", "{:.0f}"),
        ],
        [laws, loss],
        {
            "gap": gap,
            "likelier": lambda epsilon, other: float(np.exp(gap(epsilon, other))),
            "deviation": lambda epsilon: float(np.sqrt(Laplace(epsilon).variance)),
        },
        "The noise has standard deviation {deviation:.1f}. No output is more than {likelier:.2f} "
        "times as likely under {other} as under 100: the log ratio never leaves ±{gap:.3f}.",
        "Left, two peaked densities side by side, of the released count when the true count is 100 "
        "and when it is another. Right, the logarithm of their ratio: level, then a straight climb "
        "between the two counts, then level again.",
    )


RARE = ("q = t / e", "q = t^(3/2)", "q = t exp(−1/t)", "q = t exp(−1/t²)")


def rare_bits() -> Explorable:
    """Chapter `definitions`: an alarm that becomes rarer, and which levels stay bounded.

    The alarm rings with probability t for one data set and q for its neighbour. Each way to let t
    fall to zero leaves some levels bounded and may drive others to infinity.

    Returns
    -------
    Explorable

    Examples
    --------
    >>> figure = rare_bits()
    >>> figure
    Explorable('rare-bits', 100 states)
    >>> figure.numbers_at(kind=0, step=24)["pure"]
    1.0
    """
    steps = np.arange(25)
    last = (1e-8, 1e-8, 0.005, 0.04)

    def alarm(kind: float, step: float) -> tuple[float, float]:
        """The two probabilities of the alarm."""
        i = int(kind)
        t = 0.4 * (last[i] / 0.4) ** (step / 24)
        return t, float([t / np.e, t**1.5, t * np.exp(-1 / t), t * np.exp(-1 / t**2)][i])

    @cache
    def levels(kind: float, step: float) -> dict[str, float]:
        t, q = alarm(kind, step)
        channel = [[t, 1 - t], [q, 1 - q]]
        return {
            "pure": privacy.dp_epsilon(channel),
            "zcdp": guarantees.zcdp_rho(channel).low,
            "renyi": privacy.worst_divergence(channel, divergences.renyi, order=3.0),
            "kl": privacy.worst_divergence(channel, divergences.kl),
            "variation": privacy.worst_divergence(channel, divergences.total_variation),
        }

    panel = Panel(
        "Levels of an alarm that becomes rarer",
        "steps toward a rarer alarm",
        "level",
        (0, 24),
        (1e-3, 1e3),
        yscale="log",
    )
    drawn = {
        "pure": ("pure", "pure"),
        "zcdp": ("zcdp", "zero-concentrated"),
        "renyi": ("renyi", "Rényi, order 3"),
        "kl": ("kl", "Kullback-Leibler"),
        "variation": ("total variation", "total variation"),
    }
    for name, (look, label) in drawn.items():
        panel.line(
            steps,
            lambda kind, name=name: np.clip([levels(kind, s)[name] for s in steps], 1e-3, 1e3),
            look,
            label,
        )
    panel.line(lambda step: [step, step], [1e-3, 1e3], "guide")
    panel.point(
        lambda step: step,
        lambda kind, step: min(levels(kind, step)["pure"], 1e3),
        "here",
        drag="step",
        along="x",
    )
    numbers: dict[str, Any] = {
        name: (lambda kind, step, name=name: levels(kind, step)[name]) for name in drawn
    }
    return Explorable(
        "rare-bits",
        [
            Control("kind", range(4), "alarm under the neighbour", start=1, names=RARE),
            Control("step", steps, "step", "{:.0f}", 12),
        ],
        [panel],
        numbers | {"t": lambda kind, step: alarm(kind, step)[0]},
        "With {kind} and t = {t:.8f}: pure {pure:.2f}, zero-concentrated {zcdp:.3f}, "
        "Rényi of order 3 {renyi:.3f}, Kullback-Leibler {kl:.4f}, total variation {variation:.4f}.",
        "Five curves against the steps toward a rarer alarm, on a logarithmic axis: the levels of "
        "pure, zero-concentrated, Rényi, Kullback-Leibler and total-variation privacy, of which "
        "some stay bounded and others grow, depending on how the alarm becomes rarer.",
    )
