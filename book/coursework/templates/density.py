"""Questions on densities: how many bins, what they miss, what people send, and what it tells."""

import textwrap

from marking.private import Question, different

TITLE = "Densities"
SYMBOLS = "beta, n, alpha"
CHAPTER = "in the chapter `density_estimation`"


def bins(rng):
    """The best number of bins, for a dimension, a noise and constants of its own."""
    bias, noise = different(rng, range(2, 20), 2)
    dimension = int(rng.integers(1, 4))
    said, people, power = [
        ("K^{2 d}}{n \\alpha^2}", "n * alpha**2", 2),
        ("K^{2 d}}{n^2 \\alpha^2}", "n**2 * alpha**2", 2),
        ("K^d}{n}", "n", 1),
    ][int(rng.integers(3))]
    power *= dimension
    asked, last = [
        ("the $K > 0$ at which this sum is least", "sides"),
        (
            "the number $K^d$ of all cells, for the $K > 0$ at which this sum is least",
            f"sides**{dimension}",
        ),
        (
            "the least value of this sum over $K > 0$",
            f"{bias} * sides ** (-2 * beta) + {noise} * sides**{power} / size",
        ),
    ][int(rng.integers(3))]
    kind = {"sides": 0, f"sides**{dimension}": 1}.get(last, 2)
    end = ["side", f"side**{dimension}", f"squared * (1 + 2 * beta / {power})"][kind]
    return Question(
        title="How many bins",
        text=(
            f"Records lie in $[0, 1]^d$ with $d = {dimension}$. For a density of smoothness $\\beta > 0$ a histogram with $K$ bins on each side, $K^d$ cells in all, has an integrated squared error of at most "
            f"$${bias} K^{{-2\\beta}} + \\frac{{{noise} {said}.$$ Give `best`, in `beta`, `n` and `alpha`, all positive: {asked}."
        ),
        stub="best = ...",
        solution=(
            f"size = {people}\n"
            f"sides = (sp.Rational({2 * bias}, {noise * power}) * beta * size) ** (1 / (2 * beta + {power}))\n"
            f"best = {last}"
        ),
        hidden=textwrap.dedent(f"""
            def truth(beta, n, alpha):
                # There the derivatives by ln K of the two terms cancel.
                gap = np.log(2 * beta * {bias} / {power}) - np.log({noise}) + np.log({people})
                side = np.exp(gap / (2 * beta + {power}))
                squared = {bias} / side ** (2 * beta)
                return {end}


            ranges = dict(beta=(0.3, 3), n=(50, 5000), alpha=(0.2, 2))
            equivalent(answer("best"), truth, rng, **ranges)
        """),
        example="best.subs({beta: 1, n: 100, alpha: 1})",
        check="[best.subs({beta: 2, n: 1000, alpha: 0.5}), best.subs({beta: 0.5, n: 90, alpha: 2})]",
        section=f"“How many bins?” {CHAPTER}",
        minutes=25,
        difficulty="warm-up",
    )


def missed(rng):
    """What bins miss of a density, exactly."""
    degree, high = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    flat, steep = different(rng, range(1, 10), 2)
    ends, code, other = [
        (f"$e_j = {high} j / K$", f"{high} * j / K", f"np.linspace(0, {high}, K + 1)"),
        (f"$e_j = {high} (j / K)^2$", f"{high} * (j / K) ** 2", f"np.linspace(0, {high**0.5!r}, K + 1) ** 2"),
        (
            f"$e_j = {high} (2^j - 1) / (2^K - 1)$",
            f"{high} * (2**j - 1) / (2**K - 1)",
            f"np.append(0, np.cumsum(2.0 ** np.arange(K))) * {high} / np.sum(2.0 ** np.arange(K))",
        ),
    ][int(rng.integers(3))]  # fmt: skip
    asked, part, join, right = [
        ("the integral of $(f - g)^2$ over the whole range", "square(b) - square(a)", "sum", "np.dot(w, gap**2)"),
        ("the supremum of $|f(x) - g(x)|$ over all $x$ that are not ends of a bin", "max(abs(gap(a)), abs(gap(b)))", "max", "np.abs(edge).max()"),
        ("the integral of $g^2$ over the whole range", "(b - a) * height**2", "sum", "(b - a) * level**2"),
        ("the mean of $f$ less the mean of $g$, both as densities on the whole range", "first(b) - first(a)", "sum", "np.dot(w, x * gap)"),
    ][int(rng.integers(4))]  # fmt: skip
    return Question(
        title="What the bins miss",
        text=(
            f"A density $f$ on $[0, {high}]$ is proportional to ${flat} + {steep} x^{degree}$. A histogram has $K$ bins with the ends {ends}, $j = 0, \\dots, K$. Its expectation, with private noise of mean 0 or without, is $g$: on "
            f"each bin the mean of $f$ there. Write `missed(K)`: {asked}."
        ).replace("x^1$", "x$"),
        stub='def missed(K):\n    """A number."""',
        solution=textwrap.dedent(f"""
            line = np.polynomial.Polynomial([{flat}] + [0] * {degree - 1} + [{steep}])
            f = line / line.integ()({high})
            ends, parts = [{code} for j in range(K + 1)], []
            for a, b in zip(ends, ends[1:]):
                height = (f.integ()(b) - f.integ()(a)) / (b - a)
                gap = f - height
                square, first = (gap * gap).integ(), (gap * np.polynomial.Polynomial([0, 1])).integ()
                parts.append({part})
            return {join}(parts)
        """),
        hidden=textwrap.dedent(f"""
            nodes, weights = np.polynomial.legendre.leggauss(12)
            mass = {flat} * {high} + {steep} * {high} ** {degree + 1} / {degree + 1}


            def f(x):
                return ({flat} + {steep} * x**{degree}) / mass


            def truth(K):
                ends, found = {other}, []
                for a, b in zip(ends[:-1], ends[1:], strict=True):
                    x, w = (a + b) / 2 + (b - a) / 2 * nodes, (b - a) / 2 * weights
                    level = np.dot(w, f(x)) / (b - a)
                    gap, edge = f(x) - level, f(np.array([a, b])) - level
                    found.append(float({right}))
                return {"max(found)" if join == "max" else "math.fsum(found)"}


            same(answer("missed"), truth, [(K,) for K in (1, 2, 3, 5, 8)])
        """),
        example="missed(2)",
        check="[missed(3), missed(6)]",
        section=f"“Its exact error” {CHAPTER}",
        minutes=35,
    )


def _ends(rng):
    """The ends of some bins of unequal widths."""
    widths, ends = different(rng, range(1, 8), int(rng.integers(3, 6))), [0]
    for width in widths:
        ends.append(ends[-1] + width)
    return ends


def send(rng):
    """What each person sends, for numbers and a promise of its own."""
    ends = _ends(rng)
    count = len(ends) - 1
    words, code, columns = [
        ("entry $j$ is 1 if the record is in bin $j$, and 0 if not", "float(k == j)", count),
        (
            "entry $j$ is one divided by the width of bin $j$ if the record is in it, and 0 if not",
            "(k == j) / (ends[j + 1] - ends[j])",
            count,
        ),
        (
            "entry $j$ is 1 if the record is in one of the bins 0 to $j$, and 0 if not",
            "float(k <= j)",
            count - 1,
        ),
        (
            "entry $j$ is the number of the record's bin if that is at most $j$, and 0 if it is larger",
            "float(k * (k <= j))",
            count,
        ),
        (
            "entry $j$ is the distance between the middle of the record's bin and the middle of bin $j$",
            "abs(ends[k] + ends[k + 1] - ends[j] - ends[j + 1]) / 2",
            count,
        ),
    ][int(rng.integers(5))]
    reach, weeks = int(rng.integers(1, ends[-1] + 1)), int(rng.integers(1, 6))
    made = eval(f"lambda k, j, ends: {code}")
    rows = [[made(k, j, ends) for j in range(columns)] for k in range(count)]
    # Two bins hold records that are close enough if the gap between them is smaller than the reach.
    moved = max(
        sum(abs(a - b) for a, b in zip(rows[k], rows[other]))
        for k in range(count)
        for other in range(k, count)
        if k == other or ends[other] - ends[k + 1] < reach
    )
    said = ", ".join(f"$[{a}, {b})$" for a, b in zip(ends, ends[1:]))
    close = (
        "any two records"
        if reach >= ends[-1]
        else f"any two records that are at most {reach} apart"
    )
    often = (
        "A person's row is"
        if weeks == 1
        else f"A person sends such a row in each of {weeks} weeks, about the same record and with independent noise. All {weeks} rows together are"
    )
    return Question(
        title="Person by person",
        text=(
            f"Records lie in $[0, {ends[-1]})$, and the bins are {said}, numbered from 0. A person forms the row of {columns} numbers, $j = 0, \\dots, {columns - 1}$, in which {words}, and adds independent Laplace noise of one scale "
            f"to all of them: the smallest for which the promise below holds. {often} to be $\\alpha$-locally private between {close}. Write `send(x, alpha, rng)`: the rows of one week, for an array of records. Draw from `rng` "
            "alone; a budget that is not positive must end in an error."
        ),
        stub=f'def send(x, alpha, rng):\n    """An array of shape (n, {columns})."""',
        solution=textwrap.dedent(f"""
            if not alpha > 0:
                raise ValueError("alpha must be positive")
            ends = {ends}
            rows = np.array([[{code} for j in range({columns})] for k in range({count})])
            held = rows[np.digitize(x, ends[1:-1])]
            return held + rng.laplace(0, {weeks * moved!r} / alpha, held.shape)
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for people in (12, 1, {8000 // columns}, 900):
                x = rng.uniform(0, {ends[-1]}, people)
                # The bins are half-open.
                x[::3] = rng.choice({ends[:-1]}, len(x[::3]))
                # In the long cases noise that does not hide a record in the wrong bin.
                cases.append((x, rng.uniform(0.5, 2) * ({8 * weeks * moved!r} if people > 99 else 1)))


            def extra(case, output):
                x, budget = case
                clean, rows = {rows}, []
                for v in x:
                    (k,) = [k for k, (a, b) in enumerate(zip({ends[:-1]}, {ends[1:]})) if a <= v < b]
                    rows.append(clean[k])
                return (shaped(output, (len(x), {columns})) - np.array(rows)) * budget / {weeks * moved!r}


            additive(answer("send"), cases, extra, rng)
            withholds(answer("send"), [(cases[0][0], budget, rng) for budget in (0.0, -1.0)])
        """),
        example=f"np.shape(send(np.array([0.5, {ends[-1] - 0.5}]), 1.0, np.random.default_rng(1))) == (2, {columns})",
        # The standard deviation of 10^5 draws is off by 0.4 %.
        check="np.std(send(np.full(100_000, 0.5), 0.5, np.random.default_rng(2))[:, 0])",
        chance=0.03,
        section=f"“The private histogram” {CHAPTER}",
        minutes=45,
    )


def broken(rng):
    """Two data sets that a histogram with too little noise tells apart for certain."""
    ends = _ends(rng)
    count, least = len(ends) - 1, int(rng.integers(1, 4))
    reach, bound = int(rng.integers(1, 10)) / 10, least + int(rng.integers(2, 6))
    modulus = int(rng.integers(3, 7))
    rest = int(rng.integers(modulus))
    rule, exact = [
        (f"counts above {bound}, which are large", f"count > {bound}"),
        (f"counts below {bound}, which are rounded anyway", f"count < {bound}"),
        (f"counts that leave the remainder {rest} when divided by {modulus}, to save time", f"count % {modulus} == {rest}"),
        (f"a count of exactly {bound}, which is public anyway", f"count == {bound}"),
    ][int(rng.integers(4))]  # fmt: skip
    place = int(rng.integers(1, count))
    said = ", ".join(f"$[{a}, {b})$" for a, b in zip(ends, ends[1:]))
    spare = next(k for k in range(count) if k not in (place - 1, place))
    # So many in the bin that one person leaves: the count before or after is one without noise.
    many = {
        f"count > {bound}": f"n - {least * (count - 1)}",
        f"count < {bound}": f"{least + 1}",
        f"count == {bound}": f"{bound}",
    }.get(exact, f"next(m for m in range({least + 1}, {least + 2 + modulus}) if m % {modulus} == {rest})")  # fmt: skip
    fewest = least * count + bound + modulus + 2
    return Question(
        title="Break it: noise where it seems to matter",
        text=(
            f"Records lie in $[0, {ends[-1]})$. A firm publishes the counts of the bins {said}. It adds independent Laplace noise to the counts, but not to {rule}. Show that this keeps no promise of privacy: write `witness(n)`, for "
            f"$n \\geq {fewest}$, which returns two lists of $n$ records that differ in a single place, by at most {reach}, and that the output tells apart for certain: a reader who knows the two lists and the rule sees, with probability one, which of them it was. In "
            f"both lists every bin must hold at least {least} record{'s' * (least > 1)}."
        ),
        stub='def witness(n):\n    """A pair of lists of n numbers."""',
        solution=textwrap.dedent(f"""
            middles = [(a + b) / 2 for a, b in zip({ends}, {ends[1:]})]
            many = {many}
            x = [middle for k, middle in enumerate(middles) for _ in range({least}) if k != {place - 1}]
            x += [middles[{spare}]] * (n - len(x) - many)
            x += [{ends[place]} - {reach / 4}] * many
            return x, [*x[:-1], {ends[place]} + {reach / 4}]
        """),
        hidden=textwrap.dedent(f"""
            def without_noise(x):
                counts = [sum(a <= v < b for v in x) for a, b in zip({ends}, {ends[1:]})]
                require(min(counts) >= {least}, "a bin holds too few records")
                return [count if {exact} else None for count in counts]


            cases = [({fewest} + k,) for k in (0, 1, *rng.integers(2, 40, 3).tolist())]
            for (n,), got in zip(cases, values(answer("witness"), cases), strict=True):
                pair = isinstance(got, list) and [isinstance(part, list) for part in got] == [True, True]
                require(pair, "two lists are asked for")
                x, y = ([number(v) for v in part] for part in got)
                require(len(x) == len(y) == n, "a list does not have n records")
                require(all(0 <= v < {ends[-1]} for v in x + y), "a record is out of range")
                gaps = [abs(a - b) for a, b in zip(x, y) if a != b]
                near_by = len(gaps) == 1 and gaps[0] <= {reach} + 1e-9
                require(near_by, "the lists differ by more than one record, by too much, or not at all")
                # A count with noise is a whole number with probability zero.
                require(without_noise(x) != without_noise(y), "the output does not tell them apart")
        """),
        example=f"[len(part) for part in witness({fewest})]",
        section=f"“Five ways to get it wrong” {CHAPTER}",
        minutes=35,
    )


def energy(rng):
    """An unbiased estimate of an integral of a power, from what people sent."""
    ends = _ends(rng)
    widths = [b - a for a, b in zip(ends, ends[1:])]
    weights = different(rng, range(2, 30), len(widths))
    asked, weight, order = [
        (f"$\\int f^2$, if the density $f$ is constant on each of the bins, whose widths are {', '.join(map(str, widths))}", f"int(i == j) / {widths}[i]", 2),
        (f"$\\int f^3$, if the density $f$ is constant on each of the bins, whose widths are {', '.join(map(str, widths))}", f"1 / {widths}[i] ** 2", 3),
        (f"$\\sum_j w_j p_j^2$ with the weights {', '.join(map(str, weights))}", f"int(i == j) * {weights}[i]", 2),
        (f"$\\sum_j w_j p_j^3$ with the weights {', '.join(map(str, weights))}", f"{weights}[i]", 3),
        (f"$\\sum_j w_j p_j p_{{j+1}}$, over all bins but the last, with the weights {', '.join(map(str, weights[:-1]))}", f"int(j == i + 1) * {weights}[i]", 2),
        (f"the mean of $|s_i - s_j|$ for the bins $i$ and $j$ of two people drawn independently, where the bins have the scores {', '.join(map(str, weights))}", f"abs({weights}[i] - {weights}[j])", 2),
    ][int(rng.integers(6))]  # fmt: skip
    size = len(widths)
    if order == 2:
        solution = textwrap.dedent(f"""
            z = np.asarray(rows, dtype=float)
            n, total = len(z), z.sum(axis=0)
            table = np.array([[{weight} for j in range({size})] for i in range({size})])
            own = np.einsum("pi,ij,pj->", z, table, z)
            return (total @ table @ total - own) / (n * (n - 1))
        """)
        term = f"sum({weight} * one[i] * two[j] for i in range({size}) for j in range({size}))"
        many = "one, two"
    else:
        solution = textwrap.dedent(f"""
            z = np.asarray(rows, dtype=float)
            n, (s, q, c) = len(z), (np.sum(z**power, axis=0) for power in (1, 2, 3))
            weights = np.array([{weight} for i in range({size})])
            return weights @ (s**3 - 3 * s * q + 2 * c) / (n * (n - 1) * (n - 2))
        """)
        term = f"sum({weight} * one[i] * two[i] * three[i] for i in range({size}))"
        many = "one, two, three"
    return Question(
        title="A square that noise does not swell",
        text=(
            f"There are {size} bins, and bin $j$ has the unknown probability $p_j$. Each of $n \\geq {order}$ people, independently of the others, sends a row of {size} numbers whose expectation is $(p_0, \\dots, p_{{{size - 1}}})$: "
            f"the indicators of the bins, plus independent noise of mean 0 whose law nobody tells you. Write `unbiased(rows)`, for the array of shape $(n, {size})$: the estimate of {asked}. It must be unbiased whatever the law of the noise, and "
            f"it must be the mean, over all ordered choices of {order} different people, of one and the same function of their rows, which is linear in each row."
        ),
        stub='def unbiased(rows):\n    """A number."""',
        solution=solution,
        hidden=textwrap.dedent(f"""
            from itertools import permutations


            def truth(rows):
                return float(np.mean([{term} for {many} in permutations(rows.tolist(), {order})]))


            cases = []
            for people in ({order}, 4, 5, 6):
                cases.append((np.eye({size})[rng.integers(0, {size}, people)] + rng.laplace(0, 2, (people, {size})),))
            same(answer("unbiased"), truth, cases, atol=1e-9)
        """),
        example=f"unbiased(np.arange({4.0 * size}).reshape(4, {size}) % 5)",
        check=f"[unbiased(np.arange({5 * size}).reshape(5, {size}) ** 2 % 11), unbiased(np.arange({7 * size}).reshape(7, {size}) ** 3 % 13)]",
        section=f"“Its exact error” {CHAPTER}",
        minutes=60,
        difficulty="starred",
    )


TEMPLATES = [bins, missed, send, broken, energy]
