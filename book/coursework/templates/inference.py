"""Questions on inference: what a private release says, and how much a private test can see."""

import textwrap

import numpy as np
from marking.private import Question

TITLE = "Inference"
SYMBOLS = "theta, delta"
CHAPTER = "in the chapter `inference`"


def believed(rng):
    """What is to be believed after several reports of one bit."""
    below = int(rng.choice([3, 5, 7, 11, 13]))
    above = int(rng.integers(1, below))
    ones, zeros = (int(count) for count in rng.integers(1, 6, 2))
    share = f"sp.Rational({above}, {below})"
    lie, lie_one, lie_zero = [
        (f"says 1 with chance {above}/{below} and 0 otherwise", share, share),
        (
            "sends the bit of somebody else, a new person each time, which is 1 with chance `theta` as well",
            "theta",
            "theta",
        ),
        (
            f"sends the opposite of the bit with chance {above}/{below} and a 1 otherwise",
            f"(1 - {share})",
            "1",
        ),
    ][int(rng.integers(3))]
    asked, value, truth = [
        ("the chance that the bit is 1", "up / (up + down)", "special.expit(odds)"),
        (
            "the chance that the bit is 1 divided by the chance that it is 0",
            "up / down",
            "np.exp(odds)",
        ),
        (
            "the chance that one more report, made in the same way, says 1",
            "(up * one + down * zero) / (up + down)",
            "zero + (one - zero) * special.expit(odds)",
        ),
    ][int(rng.integers(3))]
    return Question(
        title="What the reports say",
        text=(
            f"A person's bit is 1 with chance `theta`. The person sends {ones + zeros} reports of it, with fresh chance each time: with chance `delta` the bit itself, and otherwise the person "
            f"{lie}. Of the reports {ones} said 1 and {zeros} said 0. Give `believed`, in `theta` and `delta`, both strictly between 0 and 1: {asked}, given these reports."
        ),
        stub="believed = ...",
        solution=textwrap.dedent(f"""
            one = delta + (1 - delta) * {lie_one}
            zero = (1 - delta) * {lie_zero}
            up = theta * one**{ones} * (1 - one) ** {zeros}
            down = (1 - theta) * zero**{ones} * (1 - zero) ** {zeros}
            believed = {value}
        """),
        hidden=textwrap.dedent(f"""
            def truth(theta, delta):
                one = 1 - (1 - delta) * (1 - {lie_one.replace("sp.Rational", "np.divide")})
                zero = {lie_zero.replace("sp.Rational", "np.divide")} * (1 - delta)
                odds = special.logit(theta) + {ones} * np.log(one / zero)
                odds = odds + {zeros} * (np.log1p(-one) - np.log1p(-zero))
                return {truth}


            equivalent(answer("believed"), truth, rng, theta=(0.05, 0.95), delta=(0.05, 0.95))
        """),
        example="believed.subs({theta: sp.Rational(1, 3), delta: sp.Rational(1, 2)})",
        section=f"“The Bayesian answer in six lines” {CHAPTER}",
        minutes=25,
        difficulty="warm-up",
    )


# Of each definition: its words, the bound on the chance of an event under a neighbour, and the
# largest chance to reject after one step, both for a level that is t times as large.
DEFINITIONS = {
    "pure": (
        "${a}$-differentially private",
        "np.exp(t * {a}) * u",
        "min(np.exp(t * {a}) * u, 1 - np.exp(-t * {a}) * (1 - u))",
    ),
    "approximate": (
        "$({a}, {d})$-differentially private",
        "np.exp(t * {a}) * u + t * {d}",
        "min(np.exp(t * {a}) * u + t * {d}, 1 - np.exp(-t * {a}) * (1 - t * {d} - u), 1)",
    ),
    "Gaussian": (
        "${a}$-Gaussian differentially private",
        "special.ndtr(special.ndtri(u) + t * {a})",
        "special.ndtr(special.ndtri(u) + t * {a})",
    ),
    "total variation": ("${d}$-total-variation private", "u + t * {d}", "min(u + t * {d}, 1)"),
}


def witness(rng):
    """A pair of counts and an event at which a test breaks its promise."""
    kind = list(DEFINITIONS)[int(rng.integers(len(DEFINITIONS)))]
    level, slack = int(rng.integers(20, 160)) / 100, int(rng.integers(5, 60)) / 500
    promise, bound, step = (
        part.replace("{a}", str(level)).replace("{d}", str(slack)) for part in DEFINITIONS[kind]
    )
    family = int(rng.integers(1, 4))
    people = "one person's bit" if family == 1 else f"the bits of at most {family} people"
    bound_now = bound.replace("t * ", "")
    more = (
        f" (neighbours are at least as hard to tell apart as normal variables of means 0 and {level} and variance 1)"
        if kind == "Gaussian"
        else ""
    )
    return Question(
        title="Break it: a test that is not private",
        text=(
            f"A test sees the number $x$ of ones among $n$ bits, $x = 0, \\dots, n$, and rejects with chance `phi[x]`. Neighbours are data sets that differ in {people}, and the decision of the test should be "
            f"{promise}{more}. Write `witness(phi)` for a list of $n + 1$ chances: a list `[x, y, decision]`, where the counts $x$ and $y$ belong to neighbours and the decision, 1 for "
            "rejecting and 0 for accepting, has a chance at $y$ that exceeds what its chance at $x$ allows by more than $10^{-9}$; and `None` if there is none. Any such list will do."
        ),
        stub='def witness(phi):\n    """A list of three whole numbers, or None."""',
        solution=textwrap.dedent(f"""
            for x, y in product(range(len(phi)), repeat=2):
                if 1 <= abs(x - y) <= {family}:
                    for decision in (0, 1):
                        u, v = (phi[k] if decision else 1 - phi[k] for k in (x, y))
                        if v > {bound_now} + 1e-9:
                            return [x, y, decision]
            return None
        """),
        hidden=textwrap.dedent(f"""
            def table(t, start, shape):
                # As steep as the promise allows at a level that is t times as large.
                u = start * rng.uniform(0.9, 1.1)
                phi = list(np.linspace(u, float({step}), {family}, endpoint=False))
                while len(phi) < 30 and phi[-1] < (0.4 if start < 0.1 else 0.97):
                    u = phi[-{family}]
                    phi.append(float({step}))
                # Up, down, or the one after the other.
                return [phi, phi[::-1], [*phi, *phi[::-1]]][shape]


            def excess(phi, x, y, decision):
                u, v = (phi[k] if decision else 1 - phi[k] for k in (x, y))
                return v - ({bound_now})


            cases = [(table(*kind),) for kind in product((0.999, 1.001), (0.02, 0.6), range(3))]
            found = values(answer("witness"), cases)
            for (phi,), told in zip(cases, found, strict=True):
                pairs = [
                    (x, y)
                    for x, y in product(range(len(phi)), repeat=2)
                    if 1 <= abs(x - y) <= {family}
                ]
                broken = max(excess(phi, *pair, d) for pair in pairs for d in (0, 1)) > 1e-9
                if not broken or told is None:
                    require((told is None) == (not broken), "it is private, or it is not")
                    continue
                require(isinstance(told, list) and len(told) == 3, "three numbers are asked for")
                x, y, decision = (number(part) for part in told)
                require((x, y) in pairs and decision in (0, 1), "this is no pair of neighbours")
                require(excess(phi, int(x), int(y), decision) > 1e-9, "the promise is kept here")
        """),
        example="witness([0.0, 0.0, 1.0, 1.0]) is None",
        section=f"“The steepest test that privacy allows” {CHAPTER}",
        minutes=40,
    )


# The distribution function of uncut Tulap noise, at an array z, for b.
TULAP = """k = np.round(np.abs({z}))
tail = b**k / (1 + b) * (b + (k - np.abs({z}) + 0.5) * (1 - b))"""


def statistic(rng):
    """A statistic in words and in code, and how far one record can move it, replaced or added."""
    up, down = (int(weight) for weight in rng.choice(range(2, 10), 2, replace=False))
    low, high = -int(rng.integers(1, 9)), int(rng.integers(1, 12))
    return [
        (
            f"{up} times the number of records above {high} minus {down} times the number of records below {low}",
            f"{up} * np.sum(np.asarray(x) > {high}) - {down} * np.sum(np.asarray(x) < {low})",
            f"sum({up} * (v > {high}) - {down} * (v < {low}) for v in x)",
            up + down,
            max(up, down),
        ),
        (
            f"the sum of the records, each cut to $[{low}, {high}]$ first",
            f"np.clip(x, {low}, {high}).sum()",
            f"sum(min(max(v, {low}), {high}) for v in x)",
            high - low,
            max(high, -low),
        ),
        (
            f"{up} times the number of records from {low} to {high}",
            f"{up} * np.sum((np.asarray(x) >= {low}) & (np.asarray(x) <= {high}))",
            f"sum({up} * ({low} <= v <= {high}) for v in x)",
            up,
            up,
        ),
    ][int(rng.integers(3))]


def publish(rng):
    """A statistic with the noise that is canonical for a definition of privacy."""
    words, code, plain, replaced, added = statistic(rng)
    exchange = bool(rng.integers(2))
    family = int(rng.integers(1, 4))
    span = family * (replaced if exchange else added)
    slack = int(rng.integers(10, 60)) / 1000
    kind = ["pure", "approximate", "Gaussian"][int(rng.integers(3))]
    promise = {
        "pure": "$\\varepsilon$-differentially private, for $\\varepsilon$ = `level`",
        "approximate": f"$(\\varepsilon, {slack})$-differentially private, for $\\varepsilon$ = `level`",
        "Gaussian": "$\\mu$-Gaussian differentially private, for $\\mu$ = `level`",
    }[kind]
    if kind == "Gaussian":
        noise = "return value + rng.normal(0, change / level, size)"
        tail = "p = special.ndtr(-np.abs(z) * level)"
        law = "normal noise"
    else:
        cut = f"2 * {slack} * b / (1 - b + 2 * {slack} * b)" if kind == "approximate" else "0.0"
        law = "$\\mathrm{Tulap}(0, b, q)$ noise times a number"
        noise = textwrap.dedent("""
            b, kept = math.exp(-level), np.empty(0)
            q = CUT
            while len(kept) < size:
                z = rng.geometric(1 - b, 2 * size) - rng.geometric(1 - b, 2 * size)
                z = z + rng.uniform(-0.5, 0.5, 2 * size)
                TULAP
                kept = np.append(kept, z[tail > q / 2])
            return value + change * kept[:size]
        """).strip()
        noise = noise.replace("TULAP", TULAP.format(z="z").replace("\n", "\n    "))
        noise = noise.replace("CUT", cut)
        tail = f"b, q = math.exp(-level), 0.0\nq = {cut}\n{TULAP.format(z='z')}\np = (tail - q / 2) / (1 - q)"
    people = "one record" if family == 1 else f"up to {family} records"
    rule = "added or left out"
    if exchange:
        rule = "replaced by another" if family == 1 else "replaced by others"
    return Question(
        title="The noise of the best test",
        text=(
            f"Write `publish(x, level, size, rng)`: independent releases, as many as `size`, of {words}. Records are whole numbers. Each release is to be {promise}, when {people} may be "
            f"{rule}; add the canonical noise of this definition, {law}, as little as keeps the promise for the largest change of the statistic. Draw from `rng` alone; a level that is not positive must end in an error."
        ),
        stub='def publish(x, level, size, rng):\n    """An array of this size."""',
        solution=(
            'if not level > 0:\n    raise ValueError("level must be positive")\n'
            f"value, change = {code}, {span}\n{noise}"
        ),
        hidden=textwrap.dedent("""
            cases = []
            for size, people in ((40, 8), (1, 1), (4000, 30), (4000, 1)):
                x = rng.integers(-15, 20, people)
                cases.append((x, rng.uniform(0.3, 2), size))


            def extra(case, output):
                x, level, size = case
                z = (shaped(output, (size,)) - (PLAIN)) / SPAN
                TAIL
                # The same quantile of Laplace noise.
                return -np.sign(z) * np.log(2 * np.clip(p, 1e-300, 0.5))


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(cases[0][0], level, 3, rng) for level in (0.0, -1.0)])
        """)
        .replace("PLAIN", plain)
        .replace("SPAN", str(span))
        .replace("TAIL", tail.replace("\n", "\n    ")),
        example="np.shape(publish(np.array([1, 2]), 1.0, 3, np.random.default_rng(1))) == (3,)",
        section=f"“The steepest test that privacy allows” {CHAPTER}",
        minutes=45,
    )


MARGINS = {
    "rows": ("the {rows} row totals", "the row totals {many}", ["rows"]),
    "columns": ("the {columns} column totals", "the column totals {many}", ["columns"]),
    "both": (
        "the {rows} row totals and the {columns} column totals",
        "the row totals {many} and the column totals {many}",
        ["rows", "columns"],
    ),
    "row and total": (
        "the total of the first row and the total of all cells",
        "the total of the first row {many} and the total of all cells {many}",
        ["row", "all"],
    ),
}


def table(rng):
    """The best estimates of cells from a table that was published with its margins."""
    rows, columns = int(rng.integers(2, 5)), int(rng.integers(3, 5))
    name = list(MARGINS)[int(rng.integers(len(MARGINS)))]
    words, getting, parts = MARGINS[name]
    few, many = (int(share) for share in rng.choice(range(2, 9), 2, replace=False))
    known = {
        "rows": np.kron(np.eye(rows), np.ones(columns)),
        "columns": np.kron(np.ones(rows), np.eye(columns)),
        "row": (np.arange(rows * columns) < columns).astype(float)[None, :],
        "all": np.ones((1, rows * columns)),
    }
    queries = np.concatenate([known[part] for part in parts])
    cells = rng.integers(0, 15, rows * columns)
    shown = np.round(cells + rng.laplace(0, 4, cells.size), 1)
    sums = np.round(queries @ cells + rng.laplace(0, 4, len(queries)), 1)
    lists = {
        "rows": f"[[int(j // {columns} == i) for j in range({cells.size})] for i in range({rows})]",
        "columns": f"[[int(j % {columns} == i) for j in range({cells.size})] for i in range({columns})]",
        "row": f"[[int(j < {columns}) for j in range({cells.size})]]",
        "all": f"[[1] * {cells.size}]",
    }
    sums_code = " + ".join(lists[part] for part in parts)
    grid = shown.reshape(rows, columns).tolist()
    told = words.format(rows=rows, columns=columns)
    return Question(
        title="Cells that agree with their totals",
        text=(
            f"A person stands in one cell of a table with {rows} rows and {columns} columns. The cells were published with independent Laplace noise, and so were {told}, with Laplace noise "
            f"of their own. Of the parts of the budget the cells got {few}, {getting.format(many=many)}; one person may be added or left out.\n\nCells: `{grid}`.\n\nTotals, in this order: `{sums.tolist()}`.\n\n"
            f"Give `cells`, a table of {rows} rows and {columns} columns like the first: of all linear unbiased estimates of the true cells from all these numbers, those with the least variance. Negative ones stay as they are."
        ),
        stub="cells = ...",
        solution=textwrap.dedent(f"""
            shown = np.array({grid}).ravel()
            totals = np.array({sums.tolist()})
            design = np.array(np.eye({cells.size}).tolist() + {sums_code})
            weights = np.repeat([{few}.0**2, {many}.0**2], [{cells.size}, {len(sums)}])
            both = np.concatenate([shown, totals]) * weights
            cells = np.linalg.solve(design.T * weights @ design, design.T @ both).reshape({rows}, {columns})
        """),
        hidden=textwrap.dedent(f"""
            shown, totals = np.array({grid}).ravel(), np.array({sums.tolist()})
            queries = np.array({queries.astype(int).tolist()})
            # By the covariance of the totals with the cells; variances in units of their own.
            gap = {many**2} * queries @ queries.T + {few**2} * np.eye(len(totals))
            moved = {many**2} * queries.T @ np.linalg.solve(gap, totals - queries @ shown)
            near(answer("cells"), (shown + moved).reshape({rows}, {columns}))
        """),
        example="np.sum(cells)",
        section=f"“Tables with negative entries” {CHAPTER}",
        minutes=40,
    )


def power(rng):
    """The largest power of a private test, by the noise that climbs as fast as privacy allows."""
    kind = ["pure", "approximate", "Gaussian"][int(rng.integers(3))]
    above, below = (int(value) for value in rng.choice([2, 3, 5, 7, 11], 2, replace=False))
    slack = int(rng.integers(2, 20)) / 400
    pool = int(rng.integers(1, 5))
    larger, missed = bool(rng.integers(2)), bool(rng.integers(2))
    part = f"\\frac{{{above}}}{{{below}}}"
    promise = {
        "pure": f"${part} \\varepsilon$-differentially private",
        "approximate": f"$({part} \\varepsilon, {slack})$-differentially private",
        "Gaussian": f"${part} \\varepsilon$-Gaussian differentially private",
    }[kind]
    step = DEFINITIONS[kind][2].replace("{a}", "level").replace("{d}", str(slack))
    delta = slack if kind == "approximate" else 0.0
    if kind == "Gaussian":
        climb = "return special.ndtr(level * z)"
    else:
        climb = f"q = 2 * {delta} * b / (1 - b + 2 * {delta} * b)\n{TULAP.format(z='z')}\n"
        climb += "return np.clip((np.where(z <= 0, tail, 1 - tail) - q / 2) / (1 - q), 0, 1)"
    turn = "" if larger else "[::-1]"
    pools = (
        "Each of $n$ people has a trait"
        if pool == 1
        else f"$n$ pools of {pool} people each are tested, and a pool is positive if somebody in it has a trait, which each person has"
    )
    unit, count = ("person", "people with it") if pool == 1 else ("pool", "positive pools")
    return Question(
        title="As much as a private test can see",
        text=(
            f"{pools} independently with chance $\\theta$. A test of $\\theta = \\theta_0$ against {'larger' if larger else 'smaller'} $\\theta$ sees the data through a release that is {promise}, when the result of one {unit} may "
            f"be replaced. Write `{'missed' if missed else 'power'}(alpha, n, theta0, theta1, epsilon)`, for $0 < \\alpha < 1$ and $\\theta_1 {'>' if larger else '<'} \\theta_0$: of all such tests that reject with chance at most $\\alpha$ at $\\theta_0$, the "
            f"{'least chance to accept' if missed else 'largest chance to reject'} at $\\theta_1$. (It is enough to look at tests of the number of {count}.)"
        ),
        stub=f'def {"missed" if missed else "power"}(alpha, n, theta0, theta1, epsilon):\n    """A number."""',
        solution=textwrap.dedent("""
            from scipy import optimize

            level = ABOVE * epsilon / BELOW
            b, x = math.exp(-level), np.arange(n + 1)

            def climbing(z):
                CLIMB

            under, over = (
                stats.binom.pmf(x, n, 1 - (1 - t) ** POOL)TURN for t in (theta0, theta1)
            )
            far = n + 80 / level + 80
            m = optimize.brentq(lambda m: under @ climbing(x - m) - alpha, -far, far, xtol=1e-13)
            return RESULT
        """)
        .replace("CLIMB", climb.replace("\n", "\n    "))
        .replace("ABOVE", str(above))
        .replace("BELOW", str(below))
        .replace("POOL", str(pool))
        .replace("TURN", turn)
        .replace("RESULT", f"float({'1 - ' if missed else ''}over @ climbing(x - m))"),
        hidden=textwrap.dedent(f"""
            from scipy import optimize


            def truth(alpha, n, theta0, theta1, epsilon):
                level, x = epsilon * {above} / {below}, np.arange(n + 1)
                under, over = (
                    stats.binom.pmf(x, n, 1 - (1 - share) ** {pool}){turn}
                    for share in (theta0, theta1)
                )

                def climb(first, u):
                    phi, t = [0.0] * first + [u], 1
                    while len(phi) <= n:
                        u = phi[-1]
                        phi.append(float({step}))
                    return np.array(phi)

                # The first count with a chance to be rejected, then that chance.
                for first in range(n, -1, -1):
                    most = {delta} if first else 1.0
                    if under @ climb(first, most) >= alpha:
                        break
                gap = lambda v: under @ climb(first, math.exp(v)) - alpha
                u = math.exp(optimize.brentq(gap, -600, math.log(most), xtol=1e-13))
                return {"1 - " if missed else ""}over @ climb(first, u)


            cases = []
            for n in (1, 4, 12, 30):
                shares = np.sort(rng.uniform(0.05, 0.6, 2)){turn}
                budget = {below / above} * rng.uniform(0.2, 1.2)
                cases.append((rng.uniform(0.02, 0.2), n, *shares, budget))
            same(answer("{"missed" if missed else "power"}"), truth, cases, rtol=1e-7)
        """),
        example=f"{'missed' if missed else 'power'}(0.05, 2, {'0.3, 0.6' if larger else '0.6, 0.3'}, 1.0)",
        section=f"“No private test is more powerful” {CHAPTER}",
        minutes=60,
        difficulty="starred",
    )


TEMPLATES = [believed, witness, publish, table, power]
