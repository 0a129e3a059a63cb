"""Questions on unbiased mechanisms: what being right on average costs, and noise with a shape."""

import textwrap
from itertools import combinations

import numpy as np
from marking.private import Question

TITLE = "Unbiased mechanisms"
SYMBOLS = "n, epsilon, rho, mu"
CHAPTER = "in the chapter `unbiased_bounds`"


def lengths(rng, count, low=2, high=10):
    return [int(value) for value in rng.choice(range(low, high), count, replace=False)]


def floor(rng):
    """The bound on the standard deviation in one direction, for a body and a definition."""
    d, times = int(rng.integers(2, 4)), int(rng.integers(2, 8))
    v, sides = lengths(rng, d), lengths(rng, d)
    v[0] = -v[0]
    # The width of the body along v, derived and by its corners or by a formula.
    words, width, check = [
        (
            "the box $" + " \\times ".join(f"[0, {side}]" for side in sides) + "$",
            " + ".join(f"{side} * {abs(c)}" for side, c in zip(sides, v, strict=True)),
            f"np.ptp([np.dot(c, {v}) for c in product(*[(0, s) for s in {sides}])])",
        ),
        (
            f"the ball $\\lVert x \\rVert_2 \\le {sides[0]}$",
            f"2 * {sides[0]} * sp.sqrt({sum(c * c for c in v)})",
            f"{2 * sides[0]} * np.linalg.norm({v})",
        ),
        (
            f"the cross polytope $\\lVert x \\rVert_1 \\le {sides[0]}$",
            f"2 * {sides[0]} * {max(map(abs, v))}",
            f"{sides[0]} * np.ptp([*{v}, *[-c for c in {v}]])",
        ),
        (
            f"the simplex with the corners 0 and {', '.join(f'${side} e_{i + 1}$' for i, side in enumerate(sides))}",
            f"max({[s * c for s, c in zip(sides[1:], v[1:], strict=True)]}) + {-sides[0] * v[0]}",
            f"np.ptp([0, *np.multiply({v}, {sides})])",
        ),
    ][int(rng.integers(4))]
    promise, symbol, root, chi = [
        (
            f"${times} \\varepsilon$-differentially private",
            "epsilon",
            f"2 * sp.sinh({times} * epsilon / 2)",
            f"2 * np.cosh({times} * epsilon) - 2",
        ),
        (
            f"${times} \\rho$-zero-concentrated differentially private",
            "rho",
            f"sp.sqrt(sp.exp({2 * times} * rho) - 1)",
            f"np.expm1({2 * times} * rho)",
        ),
        (
            f"${times} \\mu$-Gaussian differentially private (what it releases about neighbours can be made of a normal variable of variance 1 whose mean is 0 for one and ${times} \\mu$ for the other)",
            "mu",
            f"sp.sqrt(sp.exp({times**2} * mu**2) - 1)",
            f"np.expm1(({times} * mu) ** 2)",
        ),
    ][int(rng.integers(3))]
    where, half = [
        ("every data set", 2),
        ("every data set that holds a record at which $v^\\top x$ is largest on $K$", 1),
    ][int(rng.integers(2))]
    asked, square = [("standard deviation", ""), ("variance", "**2")][int(rng.integers(2))]
    return Question(
        title="In one direction",
        text=(
            f"A mechanism $M$ is unbiased for the mean of $n$ records from $K$, {words} in $\\mathbb R^{d}$, and {promise} when one record is replaced. Let $v = ({', '.join(map(str, v))})$. Give `floor`, in `n` and `{symbol}`: the lower bound on the {asked} of "
            f"$v^\\top M$ that the inequality of Hammersley, Chapman and Robbins proves for {where}, with the neighbour that gives most."
        ),
        stub="floor = ...",
        solution=f"width = {width}\nroot = {root}\nfloor = (width / ({half} * n * root)){square}",
        hidden=textwrap.dedent(f"""
            def truth(n, {symbol}):
                return ({check} / n / {half}) ** 2 / ({chi})


            equivalent(answer("floor"), {"truth" if square else f"lambda n, {symbol}: np.sqrt(truth(n, {symbol}))"}, rng, n=(1, 50), {symbol}=(0.05, 0.6))
        """),
        example=f"floor.subs({{n: 10, {symbol}: sp.Rational(1, 2)}})",
        section=f"“How far one record moves the mean” {CHAPTER}",
        minutes=30,
        difficulty="warm-up",
    )


def relabelled(rng):
    """The variance of a noisy count whose extreme outcomes are gathered, without a bias."""
    below, above, weight, family = (
        int(rng.integers(*span)) for span in ((0, 5), (0, 5), (2, 12), (1, 4))
    )
    what, arguments, gather, check = [
        (
            "the variance of the answer when $s$ people hold a one",
            "s, n, epsilon",
            "at(s)",
            "of(s)",
        ),
        (
            "the largest variance of the answer, over the numbers $s = 0, \\dots, n$ of ones",
            "n, epsilon",
            "max(at(s) for s in range(n + 1))",
            "max(map(of, range(n + 1)))",
        ),
        (
            "the mean of the variance of the answer, when the people's bits are independent and fair",
            "n, epsilon",
            "float(stats.binom.pmf(np.arange(n + 1), n, 0.5) @ at(np.arange(n + 1)))",
            "sum(math.comb(n, s) * of(s) for s in range(n + 1)) / 2**n",
        ),
    ][int(rng.integers(3))]
    share = "" if family == 1 else f" / {family}"
    last = f"n + {above}" if above else "n"
    return Question(
        title="Gather the ends",
        text=(
            f"Of $n$ people $s$ hold a one. Two-sided geometric noise, $\\Pr(j) = \\frac{{1 - b}}{{1 + b}} b^{{|j|}}$ for whole $j$ with $b = e^{{-\\varepsilon{share}}}$, is added to $s$. All outcomes of ${-below}$ or below are reported as one number, all of ${last}$ or above as "
            f"one other number, the rest as they are; then the report is multiplied by {weight}. The two numbers are such that the answer is unbiased for ${weight} s$, for every $s$ from 0 to $n \\ge 2$. Write `variance({arguments})`: {what}."
        ),
        stub=f'def variance({arguments}):\n    """A number."""',
        solution=textwrap.dedent(f"""
            b = math.exp(-epsilon{share})

            def at(s):
                gathered = (b ** (s + {below}) + b ** (n - s + {above})) / (1 + b)
                return {weight**2} * b / (1 - b) ** 2 * (2 - gathered)

            return {gather}
        """),
        hidden=textwrap.dedent(f"""
            def truth({arguments}):
                b, far = math.exp(-epsilon{share}), 60 + int(60 * {family} / epsilon)
                y = np.arange(-far, n + far + 1)
                low, high = y <= {-below}, y >= n + {above}
                laws = (1 - b) / (1 + b) * b ** abs(y - np.arange(n + 1)[:, None])
                # The two numbers by the two equations at s = 0 and s = n.
                ends = np.array([laws[[0, n]][:, part].sum(axis=1) for part in (low, high)]).T
                rest = laws[[0, n]] @ (y * ~(low | high))
                first, second = np.linalg.solve(ends, np.array([0, n]) - rest)
                told = np.where(low, first, np.where(high, second, y))

                def of(s):
                    return {weight**2} * laws[s] @ (told - s) ** 2

                return {check}


            cases = []
            for n in (2, 3, 5, 9):
                s, budget = int(rng.integers(n + 1)), rng.uniform(0.4, 2)
                cases.append(({"s, " if arguments[0] == "s" else ""}n, budget))
            same(answer("variance"), truth, cases)
        """),
        example=f"variance({'1, ' if arguments[0] == 's' else ''}3, 1.0)",
        section=f"“The best private count” {CHAPTER}",
        minutes=45,
    )


# Unit bodies: words, how far it reaches from end to end and from 0, in the 1- and in the 2-norm,
# and a way to draw a point of it.
UNITS = [
    (
        "the ball $\\lVert z \\rVert_2 \\le 1$",
        ("2 * math.sqrt({d})", "2"),
        ("math.sqrt({d})", "1"),
        "z / np.linalg.norm(z, axis=1, keepdims=True)",
    ),
    (
        "the cube $[-1, 1]^{d}$",
        ("2 * {d}", "2 * math.sqrt({d})"),
        ("{d}", "math.sqrt({d})"),
        "np.clip(z, -1, 1)",
    ),
    (
        "the cube $[0, 1]^{d}$",
        ("{d}", "math.sqrt({d})"),
        ("{d}", "math.sqrt({d})"),
        "np.clip(z, 0, 1)",
    ),
    (
        "the cross polytope $\\lVert z \\rVert_1 \\le 1$",
        ("2", "2"),
        ("1", "1"),
        "z / np.abs(z).sum(axis=1, keepdims=True)",
    ),
    (
        "the simplex with the corners $e_1, \\dots, e_{d}$",
        ("2", "math.sqrt(2)"),
        ("1", "1"),
        "np.abs(z) / np.abs(z).sum(axis=1, keepdims=True)",
    ),
]


def publish(rng):
    """The noise of a body's shape, for a sum or a mean, and for a definition of privacy."""
    d = int(rng.integers(2, 4))
    words, across, out, inside = UNITS[int(rng.integers(len(UNITS)))]
    words = words.replace("{d}", str(d))
    what, exchange = [("mean", True), ("sum", True), ("sum", False)][int(rng.integers(3))]
    pure = bool(rng.integers(2))
    # Never symmetric, not even with its columns in another order.
    upper = rng.integers(5, 10, (d, d)) * rng.choice([-1, 1], (d, d))
    matrix = np.triu(upper, 1) + np.diag(lengths(rng, d, 2, 6))
    matrix = matrix[:, rng.permutation(d)].tolist()
    change = (across if exchange else out)[0 if pure else 1].replace("{d}", str(d))
    change += " / len(x)" if what == "mean" else ""
    promise, unit, draw, quantile = [
        (
            "$\\rho$-zero-concentrated differentially private, for $\\rho$ = `level`, where $Z$ has independent normal coordinates of one variance",
            "change / math.sqrt(2 * level)",
            "rng.normal(0, {unit}, (size, {d}))",
            "-np.sign(z) * np.log(2 * np.maximum(1e-300, special.ndtr(-np.abs(z))))",
        ),
        (
            "$\\varepsilon$-differentially private, for $\\varepsilon$ = `level`, where $Z$ has independent Laplace coordinates of one scale",
            "change / level",
            "rng.laplace(0, {unit}, (size, {d}))",
            "z",
        ),
    ][pure]
    rule = "replaced by any other of the body" if exchange else "added or left out"
    return Question(
        title="Noise of the body's shape",
        text=(
            f"Records, the rows of `x`, are points $U z$ with $z$ from {words}, where $U$ = `{matrix}` (a list of rows). Write `publish(x, level, size, rng)`: independent releases, as many as `size`, of the {what} of the records plus noise $U Z$. Each release is to be "
            f"{promise}, as little as suffices for every data set of such records, when one record may be {rule}{' and the number of records is public' if exchange else ''}. Draw from `rng` alone; a level that is not positive must end in an error."
        ),
        stub=f'def publish(x, level, size, rng):\n    """An array of shape (size, {d})."""',
        solution=textwrap.dedent(f"""
            if not level > 0:
                raise ValueError("level must be positive")
            shape, change = np.array({matrix}), {change}
            z = {draw.format(unit=unit, d=d)}
            return np.{what}(x, axis=0) + z @ shape.T
        """),
        hidden=textwrap.dedent(f"""
            shape, cases = np.array({matrix}), []
            for size, people in ((20, 8), (1, 2), ({8000 // d}, 20), (400, 3)):
                z = rng.normal(size=(people, {d}))
                z = {inside}
                cases.append((z @ shape.T, rng.uniform(0.2, 2), size))


            def extra(case, output):
                x, level, size = case
                change = {change}
                z = shaped(output, (size, {d})) - np.ones(len(x)) @ x{" / len(x)" if what == "mean" else ""}
                z = np.linalg.solve(shape, z.T).T / ({unit})
                # The same quantile of Laplace noise.
                return {quantile}


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(cases[0][0], level, 3, rng) for level in (0.0, -1.0)])
        """),
        example=f"np.shape(publish(np.zeros((4, {d})), 1.0, 3, np.random.default_rng(1))) == (3, {d})",
        section=f"“Pure privacy: a root of the dimension is missing” {CHAPTER}",
        minutes=45,
    )


def neighbour(rng):
    """The replacement that moves the mean farthest in a direction."""
    d = int(rng.integers(2, 5))
    middle, sides = rng.integers(-9, 10, d).tolist(), rng.integers(1, 9, d).tolist()
    corners = rng.integers(-9, 10, (d + int(rng.integers(2, 5)), d)).tolist()
    ends = " \\times ".join(f"[{m - s}, {m + s}]" for m, s in zip(middle, sides, strict=True))
    aside = [middle[0] - sides[0], *middle[1:]]
    along = [2] + [1] * (d - 1)
    # The body: words, its farthest point along v, whether y lies in it, a draw of a point, its
    # support function, and a point that is far from the middle.
    words, far, held, point, support, low = [
        (
            f"the box ${ends}$",
            f"np.array({middle}) + np.array({sides}) * np.sign(v)",
            f"(abs(y - {middle}) <= np.array({sides}) + 1e-9).all()",
            f"{middle} + rng.uniform(-1, 1, {d}) * {sides}",
            f"v @ {middle} + abs(v) @ {sides}",
            aside,
        ),
        (
            f"the ball of radius {sides[0]} about $({', '.join(map(str, middle))})$ in the Euclidean norm",
            f"np.array({middle}) + {sides[0]} * v / np.linalg.norm(v)",
            f"np.linalg.norm(y - {middle}) <= {sides[0]} + 1e-9",
            f"{middle} + rng.uniform(-1, 1, {d}) * {sides[0]} / {d}",
            f"v @ {middle} + {sides[0]} * math.sqrt(v @ v)",
            aside,
        ),
        (
            f"the points whose coordinates differ from those of $({', '.join(map(str, middle))})$ by absolute values that add up to at most {sides[0]}",
            f"np.array({middle}) + {sides[0]} * np.eye({d})[np.argmax(abs(v))] * np.sign(v[np.argmax(abs(v))])",
            f"np.abs(y - {middle}).sum() <= {sides[0]} + 1e-9",
            f"{middle} + rng.uniform(-1, 1, {d}) * {sides[0]} / {d}",
            f"v @ {middle} + {sides[0]} * max(abs(v))",
            aside,
        ),
        (
            f"the corners $z$ = `{corners}` and nothing else",
            f"max(np.array({corners}), key=lambda z: z @ v)",
            f"min(np.abs(y - z).max() for z in np.array({corners})) <= 1e-9",
            f"{corners}[rng.integers({len(corners)})]",
            f"(np.array({corners}) @ v).max()",
            min(corners, key=lambda corner: np.dot(corner, along)),
        ),
    ][int(rng.integers(4))]
    only, rule = [
        ("any", "Any record may be replaced."),
        ("first", "Only the first $\\lfloor n/2 \\rfloor$ records may be replaced."),
        ("last", "Only the last three records may be replaced."),
    ][int(rng.integers(3))]
    picked = {"any": "range(n)", "first": "range(n // 2)", "last": "range(n - 3, n)"}[only]
    what, gain, best = [
        (
            "as far as possible, in either direction",
            "abs(gain)",
            "max(up - v @ x[i], v @ x[i] + down)",
        ),
        ("as far up as possible", "gain", "up - v @ x[i]"),
        ("as far down as possible", "-gain", "v @ x[i] + down"),
    ][int(rng.integers(3))]
    return Question(
        title="The neighbour that is hardest to hide",
        text=(
            f"Records, the rows of an array `x` with $n \\ge 4$ rows, belong to $K$: {words}. Write `neighbour(x, v)`, for a vector $v$ of {d} coordinates: a list `[i, record]` of the place, from 0 on, and the new record, a list of {d} numbers, of a replacement "
            f"that moves $v^\\top f$ {what}, where $f$ is the mean of the records. {rule} The new record must belong to $K$, up to $10^{{-9}}$. If several are best, any will do."
        ),
        stub='def neighbour(x, v):\n    """A list of a place and a record."""',
        solution=textwrap.dedent(f"""
            x, v, n = np.asarray(x, dtype=float), np.asarray(v, dtype=float), len(x)

            def far(v):
                return {far}

            moves = []
            for i in {picked}:
                for end in (far(v), far(-v)):
                    gain = v @ (end - x[i])
                    moves.append(({gain}, i, end.tolist()))
            return list(max(moves)[1:])
        """),
        hidden=textwrap.dedent(f"""
            def support(v):
                return {support}


            cases = []
            for n in (4, 5, 7, 10, 16, 25):
                x = np.array([{point} for _ in range(n)], dtype=float)
                cases.append((x, rng.normal(size={d})))
            for (x, v), told in zip(cases, values(answer("neighbour"), cases), strict=True):
                require(isinstance(told, list) and len(told) == 2, "a place and a record are asked for")
                n, place = len(x), number(told[0])
                require(place in {picked}, "this record may not be replaced")
                require(np.shape(told[1]) == ({d},), "a record of {d} numbers is asked for")
                y = np.array([number(part) for part in told[1]])
                require({held}, "the new record is not in the body")
                gain, up, down = v @ (y - x[int(place)]), support(v), support(-v)
                most = max({best} for i in {picked})
                require({gain} >= most - 1e-7 * (1 + abs(most)), "the mean can be moved farther")
        """),
        example=f"np.dot({along}, neighbour(np.array([{low}] * 6), np.array({along}))[1])",
        section=f"“How far one record moves the mean” {CHAPTER}",
        minutes=35,
    )


def weights(rng):
    """Weights that certify the least weighted error for the records of a firm."""
    d = int(rng.integers(2, 4))
    count = int(rng.integers(4, 7))
    records = rng.integers(-9, 10, (count, d))
    pairs = np.array([x - y for x, y in combinations(records, 2)])
    while np.linalg.matrix_rank(pairs) < d:  # then the body would be flat
        records = rng.integers(-9, 10, (count, d))
        pairs = np.array([x - y for x, y in combinations(records, 2)])
    prices = [int(rng.integers(*span)) for span in ((2, 5), (12, 20), (60, 99))]
    prices = [int(price) for price in rng.permutation(prices)[:d]]
    rows = records.tolist()
    price = " + ".join(f"{c} \\Delta_{i + 1}^2" for i, c in enumerate(prices))
    return Question(
        title="A certificate for the least error",
        text=(
            f"A record is one of the {count} points `{rows}`. The mean $f$ of the records is released without bias, as $M$, and with $\\Delta = M - f$ the error is counted as $\\mathbb E({price})$. For the plain sum of squares the chapter finds the least ellipsoid around the half-differences of the "
            "points. Here let $z_{ij}$ be the half-differences of the points $i < j$, each coordinate scaled so that the error becomes the plain sum of squares. Give `weights`, a list of a probability for every pair, in the order of `combinations`, with which both sides "
            f"of the duality for the least ellipsoid agree up to one part in a thousand: $z_{{ij}}^\\top M_w^{{-1/2}} z_{{ij}} \\le 1.001\\, \\mathrm{{tr}}\\, M_w^{{1/2}}$ for all pairs, where $M_w = \\sum w_{{ij}} z_{{ij}} z_{{ij}}^\\top$. Their sum may be off 1 by $10^{{-9}}$."
        ),
        stub="weights = ...",
        solution=textwrap.dedent(f"""
            points = np.array({rows}) * np.sqrt({prices}) / 2
            z = np.array([x - y for x, y in combinations(points, 2)])
            weights = np.full(len(z), 1 / len(z))
            for _ in range(20_000):
                values, turn = np.linalg.eigh(z.T * weights @ z)
                pull = ((z @ turn) ** 2 / np.sqrt(values)).sum(axis=1) / np.sqrt(values).sum()
                if pull.max() < 1.0005:
                    break
                weights = weights * pull
            weights = weights / weights.sum()
        """),
        hidden=textwrap.dedent(f"""
            w = np.array([number(share) for share in answer("weights")])
            sides = np.diag(np.sqrt({prices}))
            z = np.array([np.subtract(x, y) @ sides / 2 for x, y in combinations({rows}, 2)])
            require(w.shape == (len(z),), "one probability for every pair is asked for")
            require((w >= 0).all() and abs(w.sum() - 1) <= 1e-9, "these are no probabilities")
            spread = sum(share * np.outer(x, x) for share, x in zip(w, z))
            require(np.linalg.eigvalsh(spread)[0] > 1e-9, "M_w is singular")
            # The root by the singular values of the weighted points.
            _, s, turn = np.linalg.svd(np.sqrt(w)[:, None] * z, full_matrices=False)
            worst = max(((turn @ x) ** 2 / s).sum() for x in z)
            require(worst <= 1.001 * s.sum(), "the two sides differ by more than they may")
        """),
        example="round(sum(weights), 9)",
        section=f"“The least ellipsoid, with a certificate” {CHAPTER}",
        minutes=60,
        difficulty="starred",
    )


TEMPLATES = [floor, relabelled, publish, neighbour, weights]
