"""Questions on the definitions of privacy: what they bound, the least level, and how to refute one."""

import textwrap
from itertools import product

from marking.private import Question, different

TITLE = "Definitions of privacy"
SYMBOLS = "epsilon, q, s"
CHAPTER = "in the chapter `privacy`"


def belief(rng):
    """What an attacker can come to believe of three data sets."""
    near, far = different(rng, range(2, 8), 2)
    one, other = different(rng, range(1, 9), 2)
    releases, share = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    word, sign = [("largest", -1), ("smallest", 1)][int(rng.integers(2))]
    odds = bool(rng.integers(2))
    asked = f"{word} {'odds of $x$ against the two others' if odds else 'probability of $x$'}"
    return Question(
        title="What an attacker may conclude",
        text=(
            f"An attacker knows that the data set is $x$, $y$ or $z$. The data sets $x$ and $y$ differ in {near} records, and $x$ and $z$ differ in {far}. To the attacker $x$ has the probability `q`, $0 < q < 1$, "
            f"and the rest is divided between $y$ and $z$ in the proportion {one} : {other}. Then {releases} releases are made with independent noise. Each is $\\varepsilon/{share}$-differentially private, "
            f"$\\varepsilon > 0$, when one record may be replaced. Give `belief`, in `epsilon` and `q`: the {asked} at which the attacker can arrive, over all such releases and all outputs."
        ),
        stub="belief = ...",
        solution=(
            f"step = sp.exp({sign} * {releases} * epsilon / {share})\n"
            f"others = (1 - q) * ({one} * step**{near} + {other} * step**{far}) / {one + other}\n"
            f"belief = q / {'others' if odds else '(q + others)'}"
        ),
        hidden=textwrap.dedent(f"""
            def truth(epsilon, q):
                prior = np.array([q, (1 - q) * {one / (one + other)!r}, (1 - q) * {other / (one + other)!r}])
                distance = np.array([0, {near}, {far}])[:, None]
                joint = prior * np.exp({sign} * distance * {releases} * (epsilon / {share}))
                return joint[0] / joint[{1 if odds else 0}:].sum(axis=0)


            equivalent(answer("belief"), truth, rng, epsilon=(0.05, 1), q=(0.05, 0.95))
        """),
        example="belief.subs({epsilon: 1, q: 0.5})",
        check="[belief.subs({epsilon: 0.3, q: 0.2}), belief.subs({epsilon: 0.8, q: 0.7})]",
        section=f"“What an attacker may conclude” {CHAPTER}",
        minutes=25,
        difficulty="warm-up",
    )


# Who is a neighbour among six data sets, by their numbers i and j.
RELATIONS = {
    "Any two of them are neighbours": "True",
    "Two of them are neighbours if their numbers differ by 1": "abs(i - j) == 1",
    "Two of them are neighbours if their numbers differ by 1 or 2": "abs(i - j) <= 2",
    "Two of them are neighbours if their numbers differ by 1, and so are 0 and 5": "(i - j) % 6 in (1, 5)",
    "Two of them are neighbours if one is number 0": "i * j == 0",
    "Two of them are neighbours if one number is even and the other is odd": "(i - j) % 2 == 1",
    "Two of them are neighbours if their numbers differ in a single binary digit": "bin(i ^ j).count('1') == 1",
}


def level(rng):
    """The exact level of what is seen of a finite mechanism, for a definition and a relation."""
    relation = list(RELATIONS)[int(rng.integers(len(RELATIONS)))]
    part, times = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    seen, code = [
        (f"its remainder modulo {part}", f"y % {part}"),
        (f"the smaller of it and {part}", f"min(y, {part})"),
        (f"its distance from {part}", f"abs(y - {part})"),
        ("the whole part of its half", "y // 2"),
    ][int(rng.integers(4))]
    tenths, order = int(rng.integers(1, 10)), int(rng.integers(2, 6))
    asked, loss, other = [
        (
            "the smallest $\\varepsilon$ for which what is seen is $\\varepsilon$-differentially private",
            "np.log(p / q).max()",
            "max(math.log(a / b) for a, b in pairs)",
        ),
        (
            f"the smallest $\\delta$ for which what is seen is $({tenths / 10}, \\delta)$-differentially private",
            f"np.maximum(p - math.exp({tenths / 10}) * q, 0).sum()",
            f"sum(max(a - math.exp({tenths / 10}) * b, 0) for a, b in pairs)",
        ),
        (
            "the largest total variation distance between what is seen for neighbours",
            "abs(p - q).sum() / 2",
            "1 - sum(min(a, b) for a, b in pairs)",
        ),
        (
            f"the largest Rényi divergence of order {order}, $\\frac{{1}}{{{order - 1}}} \\ln \\sum_z p(z)^{{{order}}} p'(z)^{{{1 - order}}}$, between the laws $p$ and $p'$ of what is seen for neighbours, in either order",
            f"np.log((p**{order} * q ** (1.0 - {order})).sum()) / {order - 1}",
            f"math.log(sum(b * (a / b) ** {order} for a, b in pairs)) / {order - 1}",
        ),
    ][int(rng.integers(4))]
    often = {1: "run once", 2: "run twice, with independent chance", 3: "run three times, with independent chance"}[times]  # fmt: skip
    whole = "" if times == 1 else " of each run"
    return Question(
        title="The level of what is seen",
        text=(
            f"A mechanism has seven outputs, 0 to 6, and is a table of six rows: row $i$ is the law of the output for data set $i$, from 0 to 5, all entries positive. {relation}. "
            f"The mechanism is {often}. Of the output{whole} only {seen} is seen. Write `level(table)`: {asked}."
        ),
        stub='def level(table):\n    """A number."""',
        solution=textwrap.dedent(f"""
            groups = np.array([[{code} == z for z in range(7)] for y in range(7)])
            once = np.asarray(table) @ groups
            once = once[:, once[0] > 0]
            laws = once
            for _ in range({times} - 1):
                laws = (laws[:, :, None] * once[:, None, :]).reshape(6, -1)
            most = 0.0
            for i, p in enumerate(laws):
                for j, q in enumerate(laws):
                    if {RELATIONS[relation]}:
                        most = max(most, float({loss}))
            return most
        """),
        hidden=textwrap.dedent(f"""
            def law(row):
                law = dict()
                for y, chance in enumerate(row):
                    law[{code}] = law.get({code}, 0.0) + chance
                return [math.prod(chances) for chances in product(law.values(), repeat={times})]


            def truth(table):
                laws, found = [law(row) for row in table.tolist()], [0.0]
                for i, j in product(range(6), repeat=2):
                    if i != j and {RELATIONS[relation]}:
                        pairs = list(zip(laws[i], laws[j], strict=True))
                        found.append({other})
                return max(found)


            tables = [0.02 + rng.dirichlet(np.ones(7), 6) for _ in range(6)]
            cases = [(table / table.sum(axis=1, keepdims=True),) for table in tables]
            same(answer("level"), truth, cases)
        """),
        example="level(np.array([np.roll([9, 5, 3, 1, 1, 2, 1], i) for i in range(6)]) / 22)",
        check=(
            "[level(np.array([np.roll([40, 1, 1, 2, 1, 1, 1], step * i) for i in range(6)]) / 47)"
            " for step in (1, 3)]"
        ),
        section=f"“Whatever is done with the output” {CHAPTER}",
        minutes=45,
    )


# A noise, its guarantee at a level, and its scale there. What the test compares with is computed in
# another way where there is one: the total variation of a symmetric noise with one mode and its shift
# by a distance is the chance that the noise is at most half of it.
NOISES = {
    "pure Laplace": (
        "Laplace noise",
        "every release is `level`-differentially private",
        "{span} / level",
        "rng.laplace(size=size)",
        "{span} / level",
        "stats.laplace",
    ),
    "pure logistic": (
        "logistic noise, whose distribution function at $z$ is $1 / (1 + e^{-z/b})$ for a scale $b$,",
        "every release is `level`-differentially private",
        "{span} / level",
        "rng.logistic(size=size)",
        "{span} / level",
        "stats.logistic",
    ),
    "mild Laplace": (
        "Laplace noise",
        "every release is $({cut}, \\delta)$-differentially private with $\\delta$ = `level` $< 1$",
        "{span} / ({cut} - 2 * math.log(1 - level))",
        "rng.laplace(size=size)",
        "{span} / ({cut} + 2 * stats.expon.ppf(level))",
        "stats.laplace",
    ),
    "close Laplace": (
        "Laplace noise",
        "{tv}",
        "-{span} / (2 * math.log(1 - level))",
        "rng.laplace(size=size)",
        "{span} / (2 * stats.laplace.ppf((1 + level) / 2))",
        "stats.laplace",
    ),
    "close Gauss": (
        "Gaussian noise",
        "{tv}",
        "{span} / (2 * special.ndtri((1 + level) / 2))",
        "rng.standard_normal(size)",
        "{span} / (2 * stats.norm.ppf((1 + level) / 2))",
        "stats.norm",
    ),
    "close logistic": (
        "logistic noise, whose distribution function at $z$ is $1 / (1 + e^{-z/b})$ for a scale $b$,",
        "{tv}",
        "{span} / (4 * math.atanh(level))",
        "rng.logistic(size=size)",
        "{span} / (2 * stats.logistic.ppf((1 + level) / 2))",
        "stats.logistic",
    ),
    "close uniform": (
        "noise that is uniform on an interval with the middle 0",
        "{tv}",
        "{span} / level",
        "rng.uniform(-0.5, 0.5, size)",
        "{span} / (2 * stats.uniform(-0.5, 1).ppf((1 + level) / 2))",
        "stats.uniform(-0.5, 1)",
    ),
}
CLOSE = "the laws of a release at two neighbours have a total variation distance of at most `level` $< 1$"
SUMMANDS = {
    "the sum of the records": "{v}",
    "the sum of the squares of the records": "{v} ** 2",
    "the sum of the absolute values of the records": "abs({v})",
    "the sum of the cubes of the records": "{v} ** 3",
}


def publish(rng):
    """A mechanism with a noise, a definition, a statistic and neighbours of its own."""
    noise, promise, scale, draw, right, law = list(NOISES.values())[int(rng.integers(len(NOISES)))]
    words, summand = list(SUMMANDS.items())[int(rng.integers(len(SUMMANDS)))]
    low = int(rng.integers(-9, 5))
    high, cut = low + int(rng.integers(3, 13)), int(rng.integers(1, 10)) / 10
    replaced, group = bool(rng.integers(2)), int(rng.integers(1, 4))
    ends = [eval(summand.format(v=v), {"v": v}) for v in (low, high, *([0] if low < 0 < high else []))]  # fmt: skip
    span = group * (max(ends) - min(ends) if replaced else max(map(abs, ends)))
    who = "one record" if group == 1 else f"up to {group} records"
    rule = "replacing" if replaced else "adding or leaving out"
    spread = "(0.3, 2)" if "`level`-" in promise else "(0.1, 0.6)"
    return Question(
        title="Release it",
        text=(
            f"Write `publish(x, level, size, rng)`: independent releases, as many as `size`, of {words}, each record cut to $[{low}, {high}]$ first, with {noise} of the smallest scale for which "
            f"{promise.format(cut=cut, tv=CLOSE)}. Two data sets are neighbours if one is made from the other by {rule} {who}; both have at least four records. Draw from `rng` alone; a level that is not positive must end in an error."
        ),
        stub='def publish(x, level, size, rng):\n    """An array of this size."""',
        solution=textwrap.dedent(f"""
            if not level > 0:
                raise ValueError("level must be positive")
            cut = np.clip(x, {low}, {high})
            scale = {scale.format(span=span, cut=cut)}
            return np.sum({summand.format(v="cut")}) + scale * {draw}
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for size, people in ((40, 8), (1, 4), (4000, 300), (4000, 5)):
                x = rng.normal({high}, {2 * (high - low)}, people)
                cases.append((x, rng.uniform(*{spread}), size))


            def extra(case, output):
                x, level, size = case
                cut = [min(max(v, {low}), {high}) for v in x]
                true = math.fsum({summand.format(v="v")} for v in cut)
                z = (shaped(output, (size,)) - true) / ({right.format(span=span, cut=cut)})
                # In units in which it is Laplace noise.
                return np.sign(z) * -np.log(np.maximum(2 * {law}.sf(np.abs(z)), 1e-300))


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(cases[0][0], level, 3, rng) for level in (0.0, -0.3)])
        """),
        example="np.shape(publish(np.arange(5.0), 0.5, 3, np.random.default_rng(1))) == (3,)",
        # The standard deviation of 10^5 draws is off by 0.4 %.
        check="np.std(publish(np.arange(5.0), 0.4, 100_000, np.random.default_rng(2)))",
        chance=0.03,
        section=f"“Forgiving rare outputs” {CHAPTER}",
        minutes=40,
    )


# Numbers that a firm publishes of a list, whose sensitivity is easily taken for too small.
STATISTICS = {
    "the sum of the squares of the records": "sum(v * v for v in x)",
    "the largest record minus the smallest": "max(x) - min(x)",
    "the sum of the absolute differences of records that follow each other": (
        "sum(abs(a - b) for a, b in zip(x, x[1:]))"
    ),
    "the product of the first and the last record": "x[0] * x[-1]",
    "the product of the largest and the smallest record": "max(x) * min(x)",
    "the sum of the records, each times its place from 1 on": (
        "sum(i * v for i, v in enumerate(x, start=1))"
    ),
    "the largest sum of the first few records, at least one": (
        "max(sum(x[:i]) for i in range(1, len(x) + 1))"
    ),
    "the sum of the products of every two records": "(sum(x) ** 2 - sum(v * v for v in x)) / 2",
}


def witness(rng):
    """Neighbours and an event that refute a promise of pure privacy."""
    words, code = list(STATISTICS.items())[int(rng.integers(len(STATISTICS)))]
    people, low = int(rng.integers(3, 6)), int(rng.integers(-9, 1))
    high = int(rng.integers(2, 12))
    step = int(rng.integers(1, (high - low) // 2 + 1))
    kind = ["replaced", "moved", "dropped"][int(rng.integers(3))]
    above = bool(rng.integers(2))
    x, y, gap = _far_apart(code, people, low, high, step if kind == "moved" else None, kind)
    if not above:
        x, y = y, x
    claimed = round(gap * int(rng.integers(17, 20)) / 20, 2)
    one, rule = {
        "replaced": (
            f"of {people} records and differ in a single record",
            f"len(x) == len(y) == {people} and sum(a != b for a, b in zip(x, y)) == 1",
        ),
        "moved": (
            f"of {people} records and differ in a single record, by at most {step}",
            f"len(x) == len(y) == {people} and sum(a != b for a, b in zip(x, y)) == 1 and sum(abs(a - b) for a, b in zip(x, y)) <= {step}",
        ),
        "dropped": (
            f"one of {people} records and one of {people + 1}, and the shorter list is the longer one without one of its records",
            f"sorted((len(x), len(y))) == [{people}, {people + 1}] and any(z[:i] + z[i + 1 :] in (x, y) for z in (x, y) if len(z) == {people + 1} for i in range({people + 1}))",
        ),
    }[kind]
    side = "above" if above else "below"
    return Question(
        title="Break it: a sensitivity that is too small",
        text=(
            f"A firm holds lists of records from ${low}$ to ${high}$, any real numbers, in which the order matters. Two lists are neighbours if they are {one}. The firm publishes {words}, with Laplace noise of "
            f"scale ${claimed} / \\varepsilon$, and calls it $\\varepsilon$-differentially private. Prove it wrong: write `witness(epsilon)`, which returns neighbours $x$ and $y$ and a threshold $t$ such that the output "
            f"at $x$ is {side} $t$ with more than $e^\\varepsilon$ times the chance that it has at $y$. At $x$ this chance must be at least 1/1000, for $\\varepsilon$ from 0.2 to 3."
        ),
        stub='def witness(epsilon):\n    """A triple (x, y, t): two lists and a number."""',
        solution=textwrap.dedent(f"""
            x, y = {x!r}, {y!r}
            return x, y, {code}
        """),
        hidden=textwrap.dedent(f"""
            def published(x):
                return {code}


            cases = [(rng.uniform(0.2, 3),) for _ in range(6)]
            for (budget,), got in zip(cases, values(answer("witness"), cases), strict=True):
                triple = isinstance(got, list) and [isinstance(part, list) for part in got[:2]] == [True, True]
                require(triple and len(got) == 3, "two lists and a number are asked for")
                x, y = ([number(v) for v in part] for part in got[:2])
                t = number(got[2])
                require(all({low} <= v <= {high} for v in x + y), "a record is out of range")
                require({rule}, "the lists are no neighbours")
                noise = stats.laplace(scale={claimed} / budget)
                here, there = (noise.{"sf" if above else "cdf"}(t - published(z)) for z in (x, y))
                require(here >= 0.001, "the event has too small a chance at x")
                require(here > math.exp(budget) * there * (1 + 1e-9), "the event shows nothing")
        """),
        example="[len(part) for part in witness(1.0)[:2]]",
        section=f"“One output at a time” {CHAPTER}",
        minutes=40,
    )


def _far_apart(code, people, low, high, step, kind):
    """Neighbours with small records whose published numbers are far apart, the larger one first."""
    published = eval(f"lambda x: {code}")
    marks, best = sorted({low, high, min(max(0, low), high)}), (0, None, None)
    for x in product(marks, repeat=people + (kind == "dropped")):
        for i, v in enumerate(x):
            if kind == "dropped":
                others = [x[:i] + x[i + 1 :]]
            else:
                near = [w for w in (v - step, v + step) if low <= w <= high] if step else marks
                others = [(*x[:i], w, *x[i + 1 :]) for w in near if w != v]
            for y in others:
                gap = published(x) - published(y)
                if abs(gap) > best[0]:
                    best = (abs(gap), x, y) if gap > 0 else (abs(gap), y, x)
    return list(best[1]), list(best[2]), best[0]


EVENTS = {
    "the output is at least {t}": "z >= {t}",
    "the output is at most {t}": "z <= {t}",
    "the output differs from {t} by at most 1": "abs(z - {t}) <= 1",
    "the output is even": "z % 2 == 0",
    "the output is a multiple of 3": "z % 3 == 0",
}


def audit(rng):
    """What the runs of a program prove of its level."""
    words, code = list(EVENTS.items())[int(rng.integers(len(EVENTS)))]
    t, percent = int(rng.integers(4, 9)), int(rng.integers(1, 11))
    leak, both = int(rng.integers(1, 10)) / 200, bool(rng.integers(2))
    bounds = 4 if both else 2
    inside = next(z for z in range(12) if eval(code.format(t=t), {"z": z}))
    outside = next(z for z in range(12) if not eval(code.format(t=t), {"z": z}))
    orders = (
        "Do this in both orders of the two data sets, with two bounds for each, and return the larger of the two levels."
        if both
        else "Use this order of the two data sets alone."
    )
    pairs = "((first, second), (second, first))" if both else "((first, second),)"
    return Question(
        title="Audit a program",
        text=(
            f"A program was run many times on each of two neighbouring data sets; `first` and `second` are the lists of its outputs, which are whole numbers. Before the runs the event was chosen that {words.format(t=t)}. "
            f"Take the bounds of Clopper and Pearson for its chance: a lower one, $p$, on the first data set and an upper one, $q$, on the second, each wrong with a chance of at most ${percent / 100} / {bounds}$. They contradict "
            f"$(\\varepsilon, {leak})$-differential privacy if $p > e^\\varepsilon q + {leak}$. Write `certified(first, second)`: the least $\\varepsilon \\geq 0$ that they do not contradict. {orders}"
        ),
        stub='def certified(first, second):\n    """A number."""',
        solution=textwrap.dedent(f"""
            most, error = 0.0, {percent / 100} / {bounds}
            for one, two in {pairs}:
                hits, seen = (sum(bool({code.format(t=t)}) for z in runs) for runs in (one, two))
                low = stats.beta.ppf(error, hits, len(one) - hits + 1) if hits else 0.0
                high = stats.beta.isf(error, seen + 1, len(two) - seen) if seen < len(two) else 1.0
                if low > {leak}:
                    most = max(most, math.log((low - {leak}) / high))
            return most
        """),
        hidden=textwrap.dedent(f"""
            def bound(runs, side):
                hits = sum(1 for z in runs if {code.format(t=t)})
                test = stats.binomtest(hits, len(runs))
                # Two sides, each wrong with the chance that one side may have.
                return test.proportion_ci(1 - {2 * percent / 100 / bounds!r}, method="exact")[side]


            def truth(first, second):
                found = [1.0]
                for one, two in {pairs}:
                    found.append((bound(one, 0) - {leak}) / bound(two, 1))
                return math.log(max(found))


            cases = []
            for most in (0.3, 0.3, 0.3, 0.95, 0.95, 0.95):
                sizes, chances = rng.integers(150, 400, 2), rng.uniform((0.5, 0.05), (0.95, most))
                runs = []
                for size, chance in zip(sizes, chances, strict=True):
                    z = np.arange(12)
                    hit = z[[bool({code.format(t=t)}) for z in range(12)]]
                    rest = np.setdiff1d(z, hit)
                    inside = rng.random(size) < chance
                    runs.append(np.where(inside, rng.choice(hit, size), rng.choice(rest, size)).tolist())
                cases.append(tuple(runs))
            same(answer("certified"), truth, cases)
        """),
        example=f"certified([{inside}] * 60 + [{outside}] * 9, [{inside}] * 8 + [{outside}] * 40)",
        check=f"[certified([{inside}] * 90 + [{outside}] * 5, [{inside}] * 9 + [{outside}] * 60), certified([{inside}] * 70, [{inside}] * 2 + [{outside}] * 99)]",
        section=f"“Auditing a mechanism” {CHAPTER}",
        minutes=35,
    )


def rare(rng):
    """The exact delta of a release by a formula."""
    leak = int(rng.integers(1, 10))
    if rng.integers(2):
        kinds, reports = int(rng.integers(3, 7)), int(rng.integers(2, 4))
        lost = int(rng.integers(1, 6))
        what = (
            f"A person of one of {kinds} categories sends {reports} reports with independent chance: each names the true category with chance $e^s / (e^s + {kinds - 1})$, and each other one with chance "
            f"$1 / (e^s + {kinds - 1})$. A report is lost on its way with chance {lost}/10, and it is seen that it was. Any two categories are neighbours."
        )
        solution = textwrap.dedent(f"""
            base, total = 1 / (sp.exp(s) + {kinds - 1}), 0
            for i in range({reports} + 1):
                for j in range({reports} + 1 - i):
                    for gone in range({reports} + 1 - i - j):
                        rest = {reports} - i - j - gone
                        ways = math.factorial({reports}) * {kinds - 2} ** rest
                        for many in (i, j, gone, rest):
                            ways = sp.Rational(ways, math.factorial(many))
                        ways *= sp.Rational({lost}, 10) ** gone * (sp.Rational({10 - lost}, 10) * base) ** (i + j + rest)
                        if i > j:
                            total += ways * sp.Max(0, sp.exp(i * s) - sp.exp(epsilon + j * s))
        """).strip()
        laws = textwrap.dedent(f"""
            names, base = range(-1, {kinds}), 1 / (np.exp(s) + {kinds - 1})
            for sent in product(names, repeat={reports}):
                p = q = 1.0
                for name in sent:
                    p = p * ({lost / 10} if name < 0 else {1 - lost / 10} * base * np.exp(s * (name == 0)))
                    q = q * ({lost / 10} if name < 0 else {1 - lost / 10} * base * np.exp(s * (name == 1)))
                total += np.maximum(p - np.exp(epsilon) * q, 0)
        """).strip()
    else:
        family, weight = int(rng.integers(2, 5)), int(rng.integers(2, 4))
        shift = family * weight
        what = (
            f"In a count every person counts {weight} times. Noise $Z$ is added, a whole number with $\\Pr(Z = z)$ proportional to $e^{{-s|z|}}$, and the sum is published. "
            f"Two data sets are neighbours if one is the other without the members of a family of up to {family} people."
        )
        solution = textwrap.dedent(f"""
            a, shift = sp.exp(-s), {shift}
            total = sp.Max(0, 1 - sp.exp(epsilon - shift * s)) / (1 + a)
            for i in range(1, (shift + 1) // 2):
                total += (1 - a) / (1 + a) * a**i * sp.Max(0, 1 - sp.exp(epsilon - (shift - 2 * i) * s))
        """).strip()
        laws = textwrap.dedent(f"""
            for z in range(-{shift}, 250):
                p, q = (np.tanh(s / 2) * np.exp(-s * abs(z + move)) for move in (0, {shift}))
                total += np.maximum(p - np.exp(epsilon) * q, 0)
        """).strip()
    return Question(
        title="The exact price of rare outputs",
        text=(
            f"{what} Besides, with chance {leak}/100, independent of all the rest, the data are published in the clear. Give `delta`, in `epsilon` and `s`, both positive: the smallest $\\delta$ for which all this is "
            "$(\\varepsilon, \\delta)$-differentially private. `sp.Max` may be used."
        ),
        stub="delta = ...",
        solution=f"{solution}\ndelta = sp.Rational({leak}, 100) + sp.Rational({100 - leak}, 100) * total",
        hidden="\n".join(
            (
                "def truth(epsilon, s):\n    total = 0.0",
                textwrap.indent(laws, "    "),
                f"    return {leak / 100} + {1 - leak / 100} * total\n\n",
                'equivalent(answer("delta"), truth, rng, epsilon=(0.1, 0.6), s=(0.3, 1.5))',
            )
        ),
        example="delta.subs({epsilon: 0.5, s: 1})",
        check="[delta.subs({epsilon: 0.2, s: 0.7}), delta.subs({epsilon: 0.4, s: 1.2})]",
        section=f"“Forgiving rare outputs” {CHAPTER}",
        minutes=60,
        difficulty="starred",
    )


TEMPLATES = [belief, level, publish, witness, audit, rare]
