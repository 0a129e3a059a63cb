"""Questions on Laplace noise: sensitivity under rules of its own, accuracy, and what breaks it."""

import textwrap

from marking.private import Proof, Question, different

TITLE = "Laplace noise"
SYMBOLS = "d, r, lam, n, epsilon"
CHAPTER = "in the chapter `laplace`"


def tail(rng):
    """The law of an order statistic of several noises."""
    rank, two_sided = int(rng.integers(1, 3)), bool(rng.integers(2))
    factor, extra = int(rng.integers(1, 4)), int(rng.integers(0, 4))
    what = "absolute values" if two_sided else "values"
    one = "sp.exp(-r / lam)" if two_sided else "sp.exp(-r / lam) / 2"
    word = {1: "the largest", 2: "the second largest"}[rank]
    size = f"({factor} * d + {extra})"
    none = f"(1 - p) ** {size}"
    again = f" + {size} * p * (1 - p) ** ({size} - 1)" if rank == 2 else ""
    return Question(
        title="The worst of many",
        text=(
            f"There are ${factor} d + {extra}$ independent Laplace variables of scale $\\lambda$ (`lam`). Give `chance`, in `d` (a whole number from 2 on), `r` $> 0$ and `lam`: "
            f"the chance that {word} of their {what} exceeds $r$."
        ),
        stub="chance = ...",
        solution=f"p = {one}\nchance = 1 - {none}{' - ' + again[3:] if again else ''}",
        hidden=textwrap.dedent(f"""
            def truth(d, r, lam):
                p = np.exp(-r / lam) / {1 if two_sided else 2}
                return stats.binom.sf({rank - 1}, {factor} * d + {extra}, p)


            equivalent(answer("chance"), truth, rng, d=np.arange(2, 9), r=(0.3, 3), lam=(0.5, 2))
        """),
        example="chance.subs({d: 3, r: 1, lam: 2})",
        check="[chance.subs({d: 6, r: 2, lam: 1}), chance.subs({d: 2, r: 0.5, lam: 0.7})]",
        section=f"“Exact accuracy, of one answer and of many” {CHAPTER}",
        minutes=30,
        difficulty="warm-up",
    )


QUERIES = {
    "the sum of the squares of the records": "sum(v * v for v in x)",
    "the largest record": "max(x)",
    "the number of different records": "len(set(x))",
    "the sum of the absolute differences of records that follow each other": (
        "sum(abs(a - b) for a, b in zip(x, x[1:]))"
    ),
    "the product of the first and the last record": "x[0] * x[-1]",
    "the number of records above the first one": "sum(v > x[0] for v in x)",
    "twice the sum of the records minus the smallest": "2 * sum(x) - min(x)",
}


def sensitivity(rng):
    """Global sensitivity of a pair of queries, by a rule for who is a neighbour."""
    first, second = different(rng, range(len(QUERIES)), 2)
    words, codes = list(QUERIES), list(QUERIES.values())
    low, high = int(rng.integers(-2, 1)), int(rng.integers(1, 3))
    one, other = different(rng, range(2, 10), 2)
    rule, close = [
        ("differ in one record, which may become anything", "1"),
        ("differ in one record, by at most 1", "max(abs(a - b) for a, b in zip(x, y)) == 1"),
        ("differ by the exchange of two records that stand side by side", None),
    ][int(rng.integers(3))]
    if close is None:
        # Of the queries this one sees an exchange in data sets of every length.
        first, second = 5, (second if second != 5 else first)
        near = (
            "any(x[:i] + (x[i + 1], x[i]) + x[i + 2 :] == y and x != y for i in range(len(x) - 1))"
        )
    else:
        near = f"sum(a != b for a, b in zip(x, y)) == 1 and {close}"
    return Question(
        title="How far one person can move it",
        text=(
            f"Records are whole numbers from {low} to {high}, and their order matters. Two data sets of $n \\geq 2$ records are neighbours if they {rule}. Two numbers are released together: "
            f"{one} times {words[first]}, and {other} times {words[second]}. Write `scale(n, epsilon)`: the smallest scale of independent Laplace noise on both with which the release is $\\varepsilon$-differentially private "
            "for $n = 2$ and $3$."
        ),
        stub='def scale(n, epsilon):\n    """A number."""',
        solution=textwrap.dedent(f"""
            queries = [lambda x: {one} * ({codes[first]}), lambda x: {other} * ({codes[second]})]
            most = 0
            for x in product(range({low}, {high} + 1), repeat=n):
                for y in product(range({low}, {high} + 1), repeat=n):
                    if {near}:
                        gaps = [abs(query(x) - query(y)) for query in queries]
                        most = max(most, sum(gaps))
            return most / epsilon
        """),
        hidden=textwrap.dedent(f"""
            def queries(x):
                return np.array([{one} * ({codes[first]}), {other} * ({codes[second]})])


            def truth(n, epsilon):
                worlds = list(product(range({low}, {high} + 1), repeat=n))
                told = {{x: queries(x) for x in worlds}}
                gaps = [
                    np.abs(told[x] - told[y]).sum()
                    for x, y in combinations(worlds, 2)
                    if {near}
                ]
                return float(max(gaps)) / epsilon


            same(answer("scale"), truth, [(n, rng.uniform(0.2, 2)) for n in (2, 3)])
        """),
        example="scale(2, 1.0)",
        check="[scale(3, 1.3), scale(2, 0.7)]",
        section=f"“How far one person can move an answer” {CHAPTER}",
        minutes=40,
    )


def spread(rng):
    """The variance of what is made of several releases."""
    first, second, third = different(rng, range(1, 8), 3)
    a, b, c = different(rng, range(1, 6), 3)
    return Question(
        title="What is made of the releases",
        text=(
            f"Three counting queries of $n$ people are released with independent Laplace noise; the budget $\\varepsilon$ is split among them in the proportion {a} : {b} : {c}. One person is added or left out. Of the "
            f"releases $A, B, C$ the share ${first} A - {second} B + {third} C$, divided by $n$, is computed. Give `variance`, in `n` and `epsilon`, for fixed data."
        ),
        stub="variance = ...",
        solution=(
            f"unit = {a + b + c} / epsilon\n"
            f"variance = 2 * unit**2 * (sp.Rational({first}, {a}) ** 2 + sp.Rational({second}, {b}) ** 2 + sp.Rational({third}, {c}) ** 2) / n**2"
        ),
        hidden=textwrap.dedent(f"""
            def truth(n, epsilon):
                budgets = np.array([{a}, {b}, {c}])[:, None] * epsilon / {a + b + c}
                weights = np.array([{first}, -{second}, {third}])[:, None] / n
                return (weights**2 * stats.laplace.var(scale=1 / budgets)).sum(axis=0)


            equivalent(answer("variance"), truth, rng, n=(5, 500), epsilon=(0.1, 3))
        """),
        example="variance.subs({n: 10, epsilon: 1})",
        check="[variance.subs({n: 10, epsilon: 0.3}), variance.subs({n: 70, epsilon: 1})]",
        section=f"“The noise and its guarantee” {CHAPTER}",
        minutes=25,
    )


def release(rng):
    """A mechanism for a query with a range and a neighbourhood of its own."""
    low, high = int(rng.integers(-9, 0)), int(rng.integers(2, 12))
    kind = ["the sum", "the mean", "the sum of the squares"][int(rng.integers(3))]
    replaced = kind == "the mean" or bool(rng.integers(2))
    power = 2 if kind == "the sum of the squares" else 1
    ends = [low**power, high**power] + ([0] if power == 2 else [])
    span = max(ends) - min(ends) if replaced else max(map(abs, ends))
    rule = "replaced by another" if replaced else "added or left out"
    divide = " / len(x)" if kind == "the mean" else ""
    return Question(
        title="Release it",
        text=(
            f"Write `publish(x, epsilon, size, rng)`: independent releases, as many as `size`, of {kind} of the records, each cut to $[{low}, {high}]$ first, with as little Laplace noise as makes each release "
            f"$\\varepsilon$-differentially private when one record may be {rule}. Draw from `rng` alone; a budget that is not positive must end in an error."
        ),
        stub='def publish(x, epsilon, size, rng):\n    """An array of this size."""',
        solution=textwrap.dedent(f"""
            if not epsilon > 0:
                raise ValueError("epsilon must be positive")
            cut = np.clip(x, {low}, {high}) ** {power}
            return cut.sum(){divide} + rng.laplace(0, {span}{divide} / epsilon, size)
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for size, people in ((40, 8), (1, 1), (4000, 30), (4000, 1)):
                x = rng.normal({(low + high) / 2}, {high - low}, people)
                cases.append((x, rng.uniform(0.3, 2), size))


            def extra(case, output):
                x, budget, size = case
                cut = sum(min(max(v, {low}), {high}) ** {power} for v in x){divide}
                return (shaped(output, (size,)) - cut) * budget / ({span}{divide})


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(cases[0][0], budget, 3, rng) for budget in (0.0, -1.0)])
        """),
        example="np.shape(publish(np.array([1.0, 2.0]), 1.0, 3, np.random.default_rng(1))) == (3,)",
        # Next to no noise, and how wide it is: the standard deviation of 10^5 draws is off by 0.4 %.
        check=(
            "[publish(np.array([99.0, 1.0, 0.5]), 1e9, 1, np.random.default_rng(1))[0],"
            " np.std(publish(np.array([1.0, 2.0]), 0.5, 100_000, np.random.default_rng(2)))]"
        ),
        chance=0.03,
        section=f"“The clipped mean, end to end” {CHAPTER}",
        minutes=35,
    )


def attack(rng):
    """Noise whose scale depends on the data."""
    what = [
        "the range of the records",
        "the number of different records",
        "the largest absolute record",
    ][int(rng.integers(3))]
    small, large = int(rng.integers(1, 5)), int(rng.integers(40, 90))
    power = int(rng.integers(1, 3))
    weeks = int(rng.integers(12, 20))
    return Question(
        title="Break it: noise measured on the data",
        text=(
            f"Every week a town publishes a number with fresh Laplace noise of scale $s{'^2' if power == 2 else ''} / \\varepsilon$ on it, where $s$ is {what}. The number itself stays the same for a town, and you do not know it. In some towns $s = {small}$, in "
            f"the others $s = {large}$. Write `told(answers, epsilon)` for an array with a row of {weeks} weekly answers for each town: an array of the likeliest $s$ of every town, when both are equally likely and the number "
            "is taken to be the median of the row."
        ),
        stub='def told(answers, epsilon):\n    """An array with an s for each row."""',
        solution=textwrap.dedent(f"""
            answers = np.asarray(answers, dtype=float)
            far = np.abs(answers - np.median(answers, axis=1, keepdims=True)).mean(axis=1)
            quiet, loud = {small**power} / epsilon, {large**power} / epsilon
            cut = np.log(loud / quiet) / (1 / quiet - 1 / loud)
            return np.where(far > cut, {large}, {small})
        """),
        hidden=textwrap.dedent(f"""
            towns, budget = 300, rng.uniform(0.3, 2)
            held = rng.choice([{small}, {large}], towns)
            noise = rng.laplace(size=(towns, {weeks})) * held[:, None] ** {power} / budget
            shown = rng.uniform(-500, 500, (towns, 1)) + noise
            # Some rows between the two.
            shown[:100] = shown[:100, :1] + (shown[:100] - shown[:100, :1]) * rng.uniform(0.2, 1, (100, 1))


            def truth(rows, budget):
                far = np.abs(rows - np.median(rows, axis=1)[:, None])
                fits = [
                    stats.laplace.logpdf(far, scale=s**{power} / budget).sum(axis=1)
                    for s in ({small}, {large})
                ]
                return np.where(fits[1] > fits[0], {large}, {small})


            same(answer("told"), truth, [(shown, budget)])
        """),
        example=f"told(np.arange({weeks}.0)[None, :] * np.array([[0.1], [{large**power}]]), 1.0)",
        check=(
            f"told(np.random.default_rng(3).laplace(size=(40, {weeks}))"
            f" * {small**power} * {(large / small) ** power:.0f} ** np.random.default_rng(4).random((40, 1)), 1.0)"
        ),
        section=f"“Sensitivity measured on the data” {CHAPTER}",
        minutes=45,
        difficulty="starred",
    )


NOISES = {
    "weighted": (
        "A query has two coordinates, and two neighbours differ in the first by at most {one} and in the second by at most {other}. Independent Laplace noise of scale ${first}/\\varepsilon$ is put on the first and of scale "
        "${second}/\\varepsilon$ on the second.",
        "The log-ratio of the densities at an output $y$ is $\\frac\\varepsilon{{{first}}}(|y_1 - f_1(x')| - |y_1 - f_1(x)|) + \\frac\\varepsilon{{{second}}}(|y_2 - f_2(x')| - |y_2 - f_2(x)|)$. By the triangle inequality the first "
        "part is at most $\\frac{{{one}}}{{{first}}}\\varepsilon$ and the second at most $\\frac{{{other}}}{{{second}}}\\varepsilon$.",
        "\\frac{{{one}}}{{{first}}} + \\frac{{{other}}}{{{second}}}",
        "Take neighbours at both largest differences and, in each coordinate, $y_i$ beyond $f_i(x)$ as seen from $f_i(x')$: both triangle inequalities are equalities.",
    ),
    "geometric": (
        "A query has whole numbers as values, and two neighbours differ in it by at most {one}. A whole number $Z$ with $\\Pr(Z = z)$ proportional to $e^{{-{first}\\varepsilon|z|/{second}}}$ is put on it.",
        "The chance of the output $y$ is proportional to $e^{{-{first}\\varepsilon|y - f(x)|/{second}}}$, with the same constant for all data sets. By the triangle inequality the log-ratio is at most "
        "$\\frac{{{first}}}{{{second}}}\\varepsilon|f(x) - f(x')|$, and the query moves by at most {one}.",
        "\\frac{{{first} \\cdot {one}}}{{{second}}}",
        "Take neighbours at the largest difference and $y$ at $f(x)$ or beyond it as seen from $f(x')$: the triangle inequality is an equality.",
    ),
    "cube": (
        "A query has {one} coordinates, and between two neighbours none of them moves by more than {other}. A random vector with a density proportional to $e^{{-{first}\\varepsilon\\max_i|z_i|/{second}}}$ is put on it.",
        "The log-ratio of the densities at an output $y$ is $\\frac{{{first}}}{{{second}}}\\varepsilon(\\max_i|y_i - f_i(x')| - \\max_i|y_i - f_i(x)|)$, which by the triangle inequality of this norm is at most "
        "$\\frac{{{first}}}{{{second}}}\\varepsilon\\max_i|f_i(x) - f_i(x')|$, and that maximum is at most {other}.",
        "\\frac{{{first} \\cdot {other}}}{{{second}}}",
        "Take neighbours at which a coordinate, say the first, moves by the largest difference, and $y$ with $y_1$ beyond $f_1(x)$ as seen from $f_1(x')$, and further from both than any other coordinate from its values: both maxima are those of the first coordinate, and the inequality is an equality on an open set.",
    ),
}
FLAWED = {
    "noise that is uniform on $[-{c}, {c}]$": (
        "For two neighbours with different values the outputs of the one that lie further than {c} from the value of the other have a positive chance under the first and chance 0 under the second, so no $e^\\varepsilon$ is "
        "large enough. There are such outputs, for the two intervals have the same length and different ends."
    ),
    "normal noise of mean 0 and variance ${c}$": (
        "For neighbours with values $a > b$ the log-ratio of the densities at $y$ is $((y - b)^2 - (y - a)^2)/{two} = (a - b)(2y - a - b)/{two}$, which exceeds every $\\varepsilon$ for large $y$; all $y$ beyond that point are an event "
        "of positive chance that breaks the definition."
    ),
    "noise with the density $\\max(0, {c} - |z|)/{square}$": (
        "Let neighbours have values $a > b$. Outputs $y$ in $[b + {c}, a + {c})$, or those of them that are above $a - {c}$, have a positive density under $a$ and none under $b$: an event of positive chance under the one and "
        "chance 0 under the other."
    ),
}


def prove(rng):
    """The level of a noise, and a noise that has none."""
    words, proof, level, tight = NOISES[list(NOISES)[int(rng.integers(len(NOISES)))]]
    flawed = list(FLAWED)[int(rng.integers(len(FLAWED)))]
    keys = ("one", "other", "first", "second")
    names = dict(zip(keys, map(int, rng.choice(range(2, 12), 4, replace=False)), strict=True))
    c = int(rng.integers(2, 30))
    names |= {"c": c, "two": 2 * c, "square": c * c}
    words, proof, level, tight, noise, why = (
        text.format(**names) for text in (words, proof, level, tight, flawed, FLAWED[flawed])
    )
    return Proof(
        title="Prove it",
        text=(
            f"{words} (a) Prove that the release is $k\\varepsilon$-differentially private for a number $k$, and give it. (b) Show that no smaller $k$ will do if two neighbours attain all differences named. "
            f"(c) Show that a number that differs between some two neighbours, with {noise} on it, is $\\varepsilon$-differentially private for no $\\varepsilon$."
        ),
        rubric={
            "(a) the ratio of the densities or chances, the triangle inequality, and the right $k$": 2,
            "(b) two neighbours and outputs of positive chance at which the ratio is attained": 1,
            "(c) an event, with its chance under both data sets": 1,
        },
        solution=(
            f"(a) {proof} So $k = {level}$; summing or integrating over an event keeps the factor. (b) {tight} Such outputs have a positive chance, so the factor is attained on an event. (c) {why}"
        ),
        section=f"“The noise and its guarantee” {CHAPTER}",
        minutes=40,
    )


TEMPLATES = [tail, sensitivity, spread, release, attack, prove]
