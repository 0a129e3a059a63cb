"""Questions on lower bounds and private means: how well one can do, and how to do it."""

import textwrap

import numpy as np
from marking.private import Question

TITLE = "Lower bounds and means"
SYMBOLS = "n, alpha, epsilon, r"
BOUNDS = "in the chapter `lower_bounds`"
MEANS = "in the chapter `mean_estimation`"


def pair(rng):
    """The best pair of laws, for a definition, a loss and a way to move the parameter."""
    size, order, power = (int(rng.integers(*span)) for span in ((3, 21), (2, 9), (2, 6)))
    # The distance of the parameters is `wide` times the power `bend` of the distance of the laws.
    words, wide, bend, code = [
        (
            f"The records are uniform on $[0, {size}]$ under $P_0$ and on $[0, {size} - s]$ under $P_1$, $0 < s < {size}$; the parameter is the end of the support.",
            f"{size}",
            (1, 1),
            f"{size} * q",
        ),
        (
            f"A record is 0 except with chance $p$, where $0 < p < 1$; then it is $r p^{{-1/{order}}}$ under $P_1$ and $-r p^{{-1/{order}}}$ under $P_0$, with a given `r` $> 0$. The parameter is the mean.",
            "2 * r",
            (order - 1, order),
            f"2 * r * q * q ** (-1 / {order})",
        ),
        (
            f"Records are uniform on $[0, 1]$ under $P_0$. Under $P_1$ their density is $1 + h$ on $[0, h^{{{order}}} / {size}]$, where $0 < h < 1$, and a smaller constant on the rest of $[0, 1]$. The parameter is the density at 0.",
            f"{size} ** sp.Rational(1, {order + 1})",
            (1, order + 1),
            f"({size} * q) ** (1 / {order + 1})",
        ),
    ][int(rng.integers(3))]
    spike = "r" in wide.split()
    symbol, level, rate, numerical, span = [
        (
            "alpha",
            "$\\alpha$-total-variation private, which makes $\\kappa = \\alpha$",
            "alpha",
            "alpha",
            "alpha=(0.2, 0.9)",
        ),
        (
            "epsilon",
            "$\\varepsilon$-differentially private, which makes $\\kappa = \\tanh \\frac\\varepsilon2$",
            "sp.tanh(epsilon / 2)",
            "np.tanh(epsilon / 2)",
            "epsilon=(0.4, 3)",
        ),
    ][int(rng.integers(2))]
    free = "what is free in the pair" if not spike else "$p$"
    arguments = f"n, {symbol}" + (", r" if spike else "")
    names = f"`n`, `{symbol}` and `r`" if spike else f"`n` and `{symbol}`"
    return Question(
        title="The best pair",
        text=(
            f"{words} A release of $n$ independent records is {level}: if $P_0$ and $P_1$ are $q$ apart in total variation, its two laws are at most $n \\kappa q$ apart. With parameters $g$ apart, every estimate "
            f"$\\hat\\theta$ from the release has $\\mathbb E |\\hat\\theta - \\theta|^{power} \\ge (\\frac g2)^{power} (1 - n \\kappa q)$ at one of the two. Choose {free} so that this bound is as large as possible, and give "
            f"`floor`, the bound there, in {names}, for $n \\kappa \\ge 20$."
        ),
        stub="floor = ...",
        solution=textwrap.dedent(f"""
            a = sp.Rational({power * bend[0]}, {bend[1]})
            best = a / ((a + 1) * n * {rate})
            half = {wide} / 2 * best ** (a / {power})
            floor = half**{power} / (a + 1)
        """),
        hidden=textwrap.dedent(f"""
            def truth({arguments}):
                rate = n * {numerical}
                q = np.linspace(0, 1, 60_002)[1:-1, None] / rate
                return ((({code}) / 2) ** {power} * (1 - rate * q)).max(axis=0)


            equivalent(answer("floor"), truth, rng, n=(120, 500), {span}{", r=(0.5, 3)" if spike else ""})
        """),
        example=f"floor.subs({{n: 100, {symbol}: 1{', r: 1' if spike else ''}}})",
        section=f"“A problem that is not in the table” {BOUNDS}",
        minutes=30,
        difficulty="warm-up",
    )


# For each definition: its words, and how far outputs are apart, in total variation and in
# triangular discrimination, if b people's records differ. `root(k)` solves 2 t artanh t = k.
APART = {
    "total variation": ("$\\alpha$-total-variation private", "min(1.0, b * level)", "{tv}"),
    "pure": ("$\\varepsilon$-differentially private", "math.tanh(b * level / 2)", "({tv}) ** 2"),
    "approximate": (
        "$(\\varepsilon, {delta})$-differentially private",
        "({slack} + math.tanh(b * level / 2) * (1 - {slack}))",
        "({slack} + math.tanh(b * level / 2) ** 2 * (1 - {slack}))",
    ),
    "zCDP": (
        "$\\rho$-zero-concentrated differentially private",
        "root(level * b**2)",
        "({tv}) ** 2",
    ),
    "KL": (
        "$\\kappa$-KL private, which is to say that neighbours have divergences of at most $\\kappa$ both ways",
        "min(1.0, b * root(level))",
        "({tv}) ** 2",
    ),
}
# The solution of 2 t artanh t = k, in two ways.
ROOT = """def root(k):
    low, high = 0.0, 1.0
    for _ in range(200):
        t = (low + high) / 2
        low, high = (low, t) if t == 1 or 2 * t * math.atanh(t) > k else (t, high)
    return low

"""
CHECK = """from scipy import optimize


def root(k):
    return math.tanh(optimize.brentq(lambda x: 2 * x * math.tanh(x) - k, 0, k + 2))


"""
LETTER = {
    "total variation": "\\alpha",
    "pure": "\\varepsilon",
    "approximate": "\\varepsilon",
    "zCDP": "\\rho",
    "KL": "\\kappa",
}


def coupled(rng):
    """Le Cam's bound for people who come in households."""
    kind = list(APART)[int(rng.integers(len(APART)))]
    delta = int(rng.integers(1, 60)) / 1000
    words, distance, discrimination = APART[kind]
    words = words.replace("{delta}", str(delta))
    small, large = sorted(int(people) for people in rng.choice(range(1, 7), 2, replace=False))
    more = int(rng.integers(0, 4))
    squared = bool(rng.integers(2))
    far = discrimination.replace("{tv}", distance) if squared else distance
    slack = f"min(1.0, {delta} * math.expm1(b * level) / math.expm1(level))"
    far = far.replace("{slack}", slack)
    first = "one person" if small == 1 else f"{small} people"
    homes = f"$n$ households of {first} and ${f'n + {more}' if more else 'n'}$ of {large} people"
    loss = "squared error" if squared else "absolute error"
    solving, checking = (ROOT, CHECK) if kind in ("zCDP", "KL") else ("", "")
    return Question(
        title="Households",
        text=(
            f"There are {homes}. All members of a household hold the same record, drawn from $P_0$ or from $P_1$, the same law for all households, which are independent. The parameters of the two laws are "
            f"`gap` apart on the line. A release of all records is {words}, with ${LETTER[kind]}$ = `level`, and neighbours differ in one person's record. Write `floor(p0, p1, gap, n, level)`, for two laws on finitely many values "
            f"given by lists of chances: the bound on the {loss} that private Le Cam on the line gives, without the factor $\\frac12$, if as many households as possible agree and the chapter's "
            f"{'$g(b)$' if squared else '$f(b)$'} is used for $b$ people whose records differ."
        ),
        stub='def floor(p0, p1, gap, n, level):\n    """A number."""',
        solution=solving
        + textwrap.dedent(f"""
            q = np.maximum(np.subtract(p0, p1), 0).sum()
            law = np.zeros(1 + {small} * n + {large} * (n + {more}))
            for i, chance in enumerate(stats.binom.pmf(np.arange(n + 1), n, q)):
                end = {small} * i + {large} * (n + {more}) + 1
                law[{small} * i : end : {large}] += chance * stats.binom.pmf(
                    np.arange(n + {more} + 1), n + {more}, q
                )
            mean = sum(chance * ({far}) for b, chance in enumerate(law))
            return (gap / 2) ** {2 if squared else 1} * (1 - mean)
        """),
        hidden=checking
        + textwrap.dedent(f"""
            def truth(p0, p1, gap, n, level):
                q, total = np.abs(p0 - p1).sum() / 2, 0.0
                for i, j in product(range(n + 1), range(n + {more} + 1)):
                    b = {small} * i + {large} * j
                    chance = stats.binom.pmf(i, n, q) * stats.binom.pmf(j, n + {more}, q)
                    total += chance * ({far})
                return (1 - total) * gap / 2{" * gap / 2" if squared else ""}


            cases = []
            for n in (1, 3, 4):
                p0, p1 = rng.dirichlet(np.full(3, 2.0), 2)
                cases.append((p0, p1, rng.uniform(0.5, 2), n, rng.uniform(0.02, 0.15)))
            same(answer("floor"), truth, cases)
        """),
        example="floor([0.5, 0.5], [0.25, 0.75], 2.0, 2, 0.1)",
        section=f"“Three theorems for every definition” {BOUNDS}",
        minutes=55,
        difficulty="starred",
    )


def publish(rng):
    """A truncated mean or sum of vectors, for a region and a definition of privacy."""
    d = int(rng.integers(2, 5))
    low, high = -int(rng.integers(1, 8)), int(rng.integers(2, 10))
    # The region, its code, its size from end to end and from 0 outwards, in the 1- and the 2-norm.
    cut = [
        (
            f"each coordinate is cut to $[{low}, {high}]$",
            f"np.clip(x, {low}, {high})",
            f"np.minimum(np.maximum(x, {low}), {high})",
            (f"{d * (high - low)}", f"{high - low} * math.sqrt({d})"),
            (f"{d * max(high, -low)}", f"{max(high, -low)} * math.sqrt({d})"),
        ),
        (
            f"each record is projected onto the ball of radius {high} about 0 in the Euclidean norm",
            f"x * np.minimum(1, {high} / np.maximum(1e-300, np.linalg.norm(x, axis=1, keepdims=True)))",
            f"x / np.maximum(1, np.sqrt((x**2).sum(axis=1))[:, None] / {high})",
            (f"{2 * high} * math.sqrt({d})", f"{2 * high}"),
            (f"{high} * math.sqrt({d})", f"{high}"),
        ),
        (
            f"each record is set to 0 unless the absolute values of its coordinates add up to at most {high}",
            f"x * (np.abs(x).sum(axis=1, keepdims=True) <= {high})",
            f"np.where(np.abs(x).sum(axis=1)[:, None] > {high}, 0, x)",
            (f"{2 * high}", f"{2 * high}"),
            (f"{high}", f"{high}"),
        ),
    ][int(rng.integers(3))]
    region, code, plain, across, out = cut
    what, exchange = [("mean", True), ("sum", True), ("sum", False)][int(rng.integers(3))]
    kind = ["pure", "zCDP", "Gaussian"][int(rng.integers(3))]
    change = (across if exchange else out)[0 if kind == "pure" else 1]
    change += " / len(x)" if what == "mean" else ""
    promise, draw, unit = {
        "pure": (
            "$\\varepsilon$-differentially private, for $\\varepsilon$ = `level`, by independent Laplace noise of one scale on the coordinates",
            "rng.laplace(0, change / level, (size, {d}))",
            "change / level",
        ),
        "zCDP": (
            "$\\rho$-zero-concentrated differentially private, for $\\rho$ = `level`, by independent Gaussian noise of one variance on the coordinates",
            "rng.normal(0, change / math.sqrt(2 * level), (size, {d}))",
            "change / math.sqrt(2 * level)",
        ),
        "Gaussian": (
            "$\\mu$-Gaussian differentially private (neighbours are at least as hard to tell apart as normal variables of means 0 and $\\mu$ and variance 1), for $\\mu$ = `level`, by independent Gaussian noise of one variance on the coordinates",
            "rng.normal(0, change / level, (size, {d}))",
            "change / level",
        ),
    }[kind]
    quantile = (
        "z"
        if kind == "pure"
        else "-np.sign(z) * np.log(2 * np.maximum(1e-300, special.ndtr(-np.abs(z))))"
    )
    rule = "replaced by any other" if exchange else "added or left out"
    return Question(
        title="Release it",
        text=(
            f"Records are vectors of {d} real numbers, the rows of `x`. Write `publish(x, level, size, rng)`: independent releases, as many as `size`, of the {what} of the records after {region}. Each release is to be "
            f"{promise}, as little as suffices for every data set, when one record may be {rule}{' and the number of records is public' if exchange else ''}. Draw from `rng` alone; a level that is not positive must end in an error."
        ),
        stub=f'def publish(x, level, size, rng):\n    """An array of shape (size, {d})."""',
        solution=textwrap.dedent(f"""
            if not level > 0:
                raise ValueError("level must be positive")
            x, change = np.asarray(x, dtype=float), {change}
            return ({code}).{what}(axis=0) + {draw.format(d=d)}
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for size, people in ((20, 8), (1, 1), ({8000 // d}, 20), (400, 1)):
                x = {high / d} * rng.normal(0.3, 2, (people, {d})) * rng.uniform(0.2, 2, (people, 1))
                cases.append((x, rng.uniform(0.2, 2), size))


            def extra(case, output):
                x, level, size = case
                change = {change}
                middle = ({plain}).sum(axis=0){" / len(x)" if what == "mean" else ""}
                z = (shaped(output, (size, {d})) - middle) / ({unit})
                # The same quantile of Laplace noise.
                return {quantile}


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(cases[0][0], level, 3, rng) for level in (0.0, -1.0)])
        """),
        example=f"np.shape(publish(np.eye({d}), 1.0, 3, np.random.default_rng(1))) == (3, {d})",
        section=f"“How much noise each definition needs” {MEANS}",
        minutes=40,
    )


def worst(rng):
    """A law that loses as much to truncation as its moment allows."""
    order, declared = int(rng.integers(2, 7)), int(rng.integers(2, 30))
    part = int(rng.integers(2, 8))
    # What becomes of a large record t, and of what it loses the largest share of t^order.
    words, lost, share = [
        ("$\\rho$", "np.maximum(x - rho, 0)", "((k - 1) ** (k - 1) / k**k)"),
        ("0", "np.where(x > rho, x, 0)", "1"),
        ("$-\\rho$", "np.where(x > rho, x + rho, 0)", "2"),
        (f"$\\rho / {part}$", f"np.where(x > rho, x - rho / {part}, 0)", f"(1 - 1 / {part})"),
    ][int(rng.integers(4))]
    upward = bool(rng.integers(2))
    side = "" if upward else "-"
    if not upward:
        words = words.replace("$-", "$+").replace("$\\rho", "$-\\rho").replace("$+", "$")
    beyond = f"above $\\rho$ counts as {words}" if upward else f"below $-\\rho$ counts as {words}"
    place = "rho * k / (k - 1)" if "maximum" in lost else "rho * 1.0005"
    return Question(
        title="A law that truncation hurts",
        text=(
            f"Of a law it is declared that $\\mathbb E |X|^{order} \\le {declared}^{order}$. Before the mean is taken, a record {beyond}; others stay as they are. Write `worst(rho)`, for $\\rho \\ge {2 * declared}$: such a law whose mean moves by at least 0.99 of "
            f"the most that such laws allow, as a list of two lists, its values (at most ten) and their chances. The moment and the sum of the chances may be off by a relative error of $10^{{-9}}$."
        ),
        stub='def worst(rho):\n    """A list of two lists."""',
        solution=textwrap.dedent(f"""
            k = {order}
            t = {place}
            chance = ({declared} / t) ** k
            return [[{side}t, 0.0], [chance, 1 - chance]]
        """),
        hidden=textwrap.dedent(f"""
            k, cases = {order}, [(rng.uniform({2 * declared}, {9 * declared}),) for _ in range(6)]
            for (rho,), told in zip(cases, values(answer("worst"), cases), strict=True):
                require(isinstance(told, list) and len(told) == 2, "two lists are asked for")
                require(all(isinstance(row, list) for row in told), "two lists are asked for")
                x, p = (np.array([number(v) for v in row]) for row in told)
                require(len(x) == len(p) <= 10, "there are not as many chances as values")
                require((p >= 0).all() and abs(p.sum() - 1) <= 1e-9, "these are no chances")
                moment = p @ np.abs(x) ** k
                require(moment <= {declared}**k * (1 + 1e-9), "the moment is too large")
                x = {side}x
                moved = p @ ({lost})
                most = {share} * {declared}**k / rho ** (k - 1)
                require(moved >= 0.99 * most, "the mean moves less than it can")
        """),
        example=f"round(sum(worst({3 * declared}.0)[1]), 9)",
        section=f"“What truncation costs” {MEANS}",
        minutes=35,
    )


def radius(rng):
    """The error of a truncated mean on given data, and the best radius, for a curator to see."""
    people = int(rng.integers(18, 28))
    visits = np.sort(rng.geometric(0.25, people) - 1)
    visits[-3:] += rng.integers(10, 60, 3)
    data = [int(v) for v in rng.permutation(visits)]
    times = int(rng.integers(2, 6))
    level = int(rng.integers(4, 30)) / 10
    clip = bool(rng.integers(2))
    cut, code = [
        ("counts as 0", "x * (x <= rho)"),
        ("counts as $\\rho$", "np.minimum(x, rho)"),
    ][clip]
    kind = ["pure", "zCDP", "Gaussian"][int(rng.integers(3))]
    words, variance, other = {
        "pure": (
            f"${level}$-differentially private, by independent Laplace noise",
            f"2 * (rho * {times} / (len(x) * {level})) ** 2 / {times}",
            f"stats.laplace.var(scale=rho / people / ({level} / {times})) / {times}",
        ),
        "zCDP": (
            f"${level}$-zero-concentrated differentially private, by independent Gaussian noise",
            f"(rho / len(x)) ** 2 / (2 * {level})",
            f"(rho / people) ** 2 / (2 * {level} / {times}) / {times}",
        ),
        "Gaussian": (
            f"${level}$-Gaussian differentially private, by independent Gaussian noise (neighbours are as hard to tell apart as normal variables of variance 1 whose means are {level} apart)",
            f"(rho / (len(x) * {level})) ** 2",
            f"(rho / people / {level} * math.sqrt({times})) ** 2 / {times}",
        ),
    }[kind]
    return Question(
        title="The radius that would have been best",
        text=(
            f"How often {people} people went to a doctor in a year: `{data}`. A number above a declared radius $\\rho$ {cut}. The mean of the numbers that result is released {times} times with fresh noise; each release gets the same share of the budget, and "
            f"together they are {words}, when one number may be replaced by another that is not negative. The average of the releases estimates the mean of the numbers as they are. Write `best(limit)`: the pair of the whole radius from 1 to `limit` with the least mean "
            "squared error for these people, over the noise alone, and of that error. (A curator may not use it: the radius tells something about the data.)"
        ),
        stub='def best(limit):\n    """A pair of numbers."""',
        solution=textwrap.dedent(f"""
            x = np.array({data})
            errors = {{}}
            for rho in range(1, limit + 1):
                bias = ({code}).mean() - x.mean()
                errors[rho] = bias**2 + {variance}
            rho = min(errors, key=errors.get)
            return [rho, errors[rho]]
        """),
        hidden=textwrap.dedent(f"""
            people, total = {people}, {sum(data)}


            def truth(limit):
                found = []
                for rho in range(1, limit + 1):
                    kept = sum({"min(v, rho)" if clip else "v if v <= rho else 0"} for v in {data})
                    noise = {other}
                    found.append((((total - kept) / people) ** 2 + noise, rho))
                error, rho = min(found)
                return np.array([rho, error])


            same(answer("best"), truth, [(limit,) for limit in (1, 2, 3, 5, 8, 12, 20, 40, 90)])
        """),
        example="best(2)",
        section=f"“The best radius” {MEANS}",
        minutes=35,
    )


TEMPLATES = [pair, coupled, publish, worst, radius]
