"""Questions on k-anonymity: measured in several ways, and broken by what it does not speak of."""

import textwrap

from marking.private import Question, different

TITLE = "k-anonymity"
SYMBOLS = "n, N"
CHAPTER = "in the chapter `k_anonymity`"


def measure(rng):
    """A measure of a table, for a generalization of its own."""
    digits, width = int(rng.integers(1, 5)), int(rng.integers(6, 16))
    start, least = int(rng.integers(1, width)), int(rng.integers(3, 8))
    sexes = bool(rng.integers(2))
    asked, value, other = [
        (
            "the largest $k$ for which the table is $k$-anonymous",
            "min(len(ill) for ill in classes)",
            "min(sizes)",
        ),
        (
            "the largest $l$ for which the table is $l$-diverse, by the number of different conditions",
            "min(len(set(ill)) for ill in classes)",
            "min(len({rows[j][3] for j in mates}) for mates in alike)",
        ),
        (
            f"the number of people in classes of fewer than {least} people",
            f"sum(len(ill) for ill in classes if len(ill) < {least})",
            f"sum(size < {least} for size in sizes)",
        ),
        (
            "the number of people whose condition is certain, because everybody in their class has it",
            "sum(len(ill) for ill in classes if len(set(ill)) == 1)",
            "sum(all(rows[j][3] == rows[i][3] for j in mates) for i, mates in enumerate(alike))",
        ),
        (
            "the number of people whose condition is guessed right by someone who guesses for everybody the commonest condition of the class",
            "sum(max(ill.count(c) for c in ill) for ill in classes)",
            "round(sum(max(sum(rows[j][3] == rows[i][3] for j in mates) for i in mates) / len(mates) for mates in alike))",
        ),
        (
            "the least $t$ for which the table is $t$-close, in total variation",
            "max(sum(abs(ill.count(c) / len(ill) - whole.count(c) / len(whole)) for c in set(whole)) / 2 for ill in classes)",
            "max(0.5 * sum(abs(np.mean([rows[j][3] == c for j in mates]) - np.mean([row[3] == c for row in rows])) for c in 'abcd') for mates in alike)",
        ),
    ][int(rng.integers(6))]
    code, sex = f"(row[0][:{digits}], (row[1] - {start}) // {width}", ", row[2])" if sexes else ")"
    return Question(
        title="Measure it",
        text=(
            f"A table has rows `(zip, age, sex, condition)`: a text of five digits, a whole number from {start} on, and two texts. It is generalized: of the zip code the first {'digit is' if digits == 1 else f'{digits} digits are'} "
            f"kept, ages are put into intervals of {width} years, $[{start}, {start + width}), [{start + width}, {start + 2 * width}), \\dots$, and the sex is {'kept' if sexes else 'suppressed'}. "
            f"Classes are formed by these columns. Write `measured(rows)` for such a list of rows: {asked}."
        ),
        stub='def measured(rows):\n    """A number."""',
        solution=textwrap.dedent(f"""
            found = {{}}
            for row in rows:
                found.setdefault({code}{sex}, []).append(row[3])
            classes, whole = list(found.values()), [row[3] for row in rows]
            return {value}
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for people in (40, 120, 200, 200, 200, 200, 200, 200):
                codes = rng.choice(["13012", "13020", "13113", "14052", "24050"], people, p=rng.dirichlet(np.full(5, 3.0)))
                ages = {start} + rng.integers(0, {3 * width}, people)
                sexes, ill = rng.choice(["f", "m"], people), rng.choice(list("abcd"), people, p=[0.4, 0.3, 0.2, 0.1])
                cases.append(([(str(z), int(v), str(s), str(c)) for z, v, s, c in zip(codes, ages, sexes, ill)],))


            def truth(rows):
                ends = np.arange({start}, {start + 4 * width}, {width})
                place = np.digitize([row[1] for row in rows], ends).tolist()
                shown = [(row[0][:{digits}], at, row[2] if {sexes} else "*") for row, at in zip(rows, place)]
                alike = [[j for j, other in enumerate(shown) if one == other] for one in shown]
                sizes = list(map(len, alike))
                return {other}


            same(answer("measured"), truth, cases)
        """),
        example=f'measured([("13012", {start}, "f", "a")] * 3 + [("13012", {start + width - 1}, "m", "a"), ("24012", {start + width}, "m", "b")] * 2)',
        section=f"“The definition of k-anonymity” {CHAPTER}",
        minutes=25,
        difficulty="warm-up",
    )


def crowd(rng):
    """How many people are nearly alone, when cells are not equally likely."""
    common, seldom = different(rng, range(1, 10), 2)
    times, size = int(rng.integers(2, 10)), int(rng.integers(2, 6))
    asked, term, other = [
        (
            f"the expected number of people who share their cell with fewer than {size} others",
            f"n * share * sum(sp.binomial(n - 1, j) * p**j * (1 - p) ** (n - 1 - j) for j in range({size}))",
            f"n * share * stats.binom.cdf({size - 1}, n - 1, p)",
        ),
        (
            f"the expected number of cells with exactly {size} people",
            f"cells * sp.binomial(n, {size}) * p**{size} * (1 - p) ** (n - {size})",
            f"cells * stats.binom.pmf({size}, n, p)",
        ),
        (
            f"the expected number of cells with at least one and at most {size} people",
            f"cells * sum(sp.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(1, {size + 1}))",
            f"cells * (stats.binom.cdf({size}, n, p) - stats.binom.pmf(0, n, p))",
        ),
        (
            f"the expected number of sets of {size} people who are all in one cell",
            f"cells * sp.binomial(n, {size}) * p**{size}",
            f"special.binom(n, {size}) * share * p ** {size - 1}",
        ),
    ][int(rng.integers(4))]
    whole = common + seldom
    return Question(
        title="How many are nearly alone",
        text=(
            f"A table has $N + {times}N$ cells. Each of $n$ people falls into one of the first $N$ with chance {common}/{whole}, and into one of the other ${times}N$ with chance {seldom}/{whole}; within each of "
            f"the two kinds all cells are equally likely. People fall independently of each other. Give `expected`, in `n` (a whole number from 6 on) and `N` (a whole number from 2 on): {asked}."
        ),
        stub="expected = ...",
        solution=textwrap.dedent(f"""
            expected = 0
            for share, cells in ((sp.Rational({common}, {whole}), N), (sp.Rational({seldom}, {whole}), {times} * N)):
                p = share / cells
                expected += {term}
        """),
        hidden=textwrap.dedent(f"""
            def truth(n, N):
                total = 0.0
                for share, cells in (({common} / {whole}, N), ({seldom} / {whole}, {times} * N)):
                    p = share / cells
                    total = total + {other}
                return total


            equivalent(answer("expected"), truth, rng, n=np.arange(6, 40), N=np.arange(2, 30))
        """),
        example="expected.subs({n: 10, N: 3})",
        check="[expected.subs({n: 7, N: 2}), expected.subs({n: 25, N: 8})]",
        section=f"“Attack 1: linking” {CHAPTER}",
        minutes=35,
    )


CONDITIONS = ["asthma", "cancer", "flu"]


def background(rng):
    """What is left of a class when the reader knows something about its members."""
    target, *names = different(rng, range(5), 5)
    one, two = different(rng, range(3), 2)
    asked, known = CONDITIONS[one], CONDITIONS[two]
    a, b, c, d = names
    first, second = different(rng, range(7), 2)
    facts = [
        (f"persons {a} and {b} have different conditions", f"c[{a}] != c[{b}]"),
        (f"person {c} does not have {asked}", f"c[{c}] != {asked!r}"),
        (
            f"at most one of the persons {a}, {b} and {c} has {asked}",
            f"[c[{a}], c[{b}], c[{c}]].count({asked!r}) <= 1",
        ),
        (
            f"exactly one of the persons {target} and {d} has {known}",
            f"(c[{target}] == {known!r}) != (c[{d}] == {known!r})",
        ),
        (
            f"person {a} or person {d} has {known}, or both have",
            f"(c[{a}] == {known!r} or c[{d}] == {known!r})",
        ),
        (
            f"person {target} has the condition of person {b} or that of person {c}",
            f"c[{target}] in (c[{b}], c[{c}])",
        ),
        (
            f"if person {b} has {known}, then person {target} has not",
            f"(c[{b}] != {known!r} or c[{target}] != {known!r})",
        ),
    ]
    (said, rule), (more, also) = facts[first], facts[second]
    return Question(
        title="What is left of a class",
        text=(
            f"Five people, numbered from 0 to 4, are a class of a table. The table shows the five conditions that they have, each {', '.join(CONDITIONS[:2])} or {CONDITIONS[2]}, in an order that says nothing: to a reader all ways to "
            f"give the five rows to the five people are equally likely. Now the reader learns that {said}, and that {more}. Write `belief(conditions)`, for the list of the five conditions: the probability that "
            f"person {target} has {asked}. The list always agrees with what the reader learns."
        ),
        stub='def belief(conditions):\n    """A number from 0 to 1."""',
        solution=textwrap.dedent(f"""
            from fractions import Fraction
            from itertools import permutations

            left = [c for c in permutations(conditions) if {rule} and {also}]
            return Fraction(sum(c[{target}] == {asked!r} for c in left), len(left))
        """),
        hidden=textwrap.dedent(f"""
            worlds = dict()
            for c in product({CONDITIONS!r}, repeat=5):
                if {rule} and {also}:
                    worlds.setdefault(tuple(sorted(c)), []).append(c[{target}] == {asked!r})
            # Lists that leave a doubt, and a few others.
            doubt = [key for key, hits in worlds.items() if 0 < sum(hits) < len(hits)]
            keys = [doubt[i] for i in rng.permutation(len(doubt))] + list(worlds)[:2]
            cases = [([str(v) for v in rng.permutation(key)],) for key in keys]
            same(
                answer("belief"),
                lambda conditions: float(np.mean(worlds[tuple(sorted(conditions))])),
                cases,
            )
        """),
        example=f"float(belief({_agreeing(rule, also)}))",
        section=f"“Attack 3: background knowledge” {CHAPTER}",
        minutes=35,
    )


def _agreeing(rule, also):
    """The conditions of a class with all three of them which agrees with both facts."""
    from itertools import product

    for c in product(CONDITIONS, repeat=5):
        if len(set(c)) == 3 and eval(f"{rule} and {also}", {"c": c}):
            return sorted(c)
    raise ValueError("the facts contradict each other")


def together(rng):
    """People whom two releases protect one by one, and together do not."""
    few, narrow = int(rng.integers(1, 4)), int(rng.integers(3, 8))
    many, wide = int(rng.integers(4, 6)), int(rng.integers(15, 31))
    diverse, ill = int(rng.integers(2, 5)), int(rng.integers(1, 40))
    code = "".join(str(digit) for digit in rng.integers(1, 9, 5))
    start = int(rng.integers(0, 3))
    age = int(rng.integers(30, 70))
    inner = range((age - start) // narrow * narrow + start, ((age - start) // narrow + 1) * narrow + start)  # fmt: skip
    outer = range((age - start) // wide * wide + start, ((age - start) // wide + 1) * wide + start)
    far = next(a for a in outer if a not in inner)
    other = code[:few] + str(int(code[few]) + 1) + code[few + 1 :]
    rules = [(few, narrow), (many, wide)]
    if rng.integers(2):
        rules.reverse()
    told = [
        f"keeps the first {digits} digit{'s' * (digits > 1)} of the zip code and puts ages into intervals of {width} years"
        for digits, width in rules
    ]
    return Question(
        title="Break it: two good tables",
        text=(
            f"People are `(zip, age, condition)`: a text of five digits, a whole number from {start} to 99, and a whole number. Two tables of the same people are published, both with the conditions. The first "
            f"{told[0]}; the second {told[1]}. All intervals are half-open, and the first one starts at {start}. Write `people(k)`, for $k \\geq {diverse}$: a list of at most $2k + 1$ people such that both tables are "
            f'$k$-anonymous and {diverse}-diverse (each class has at least {diverse} different conditions). The person at the head of the list is `("{code}", {age}, {ill})`, and {ill} must be the only condition that '
            "occurs in this person's class in both tables."
        ),
        stub='def people(k):\n    """A list of triples (zip, age, condition)."""',
        solution=textwrap.dedent(f"""
            first = [("{code}", {age}, {ill})]
            here = [("{other}", {age}, {ill} + 1 + i % {diverse}) for i in range(k)]
            there = [("{code}", {far}, {ill} + 10 + i % {diverse}) for i in range(k)]
            return first + here + there
        """),
        hidden=textwrap.dedent(f"""
            cases = [(k,) for k in ({diverse}, *rng.integers({diverse + 1}, 15, 3).tolist())]
            for (k,), rows in zip(cases, values(answer("people"), cases), strict=True):
                triples = isinstance(rows, list) and all(isinstance(row, list) and len(row) == 3 for row in rows)
                require(triples and 0 < len(rows) <= 2 * k + 1, "a list of at most 2k + 1 triples is asked for")
                codes = all(isinstance(row[0], str) and row[0].isdigit() and len(row[0]) == 5 for row in rows)
                require(codes, "a zip code is a text of five digits")
                table = [(row[0], number(row[1]), number(row[2])) for row in rows]
                fit = all({start} <= age <= 99 and age % 1 == 0 and ill % 1 == 0 for _, age, ill in table)
                require(fit, "an age or a condition is not possible")
                require(table[0] == ("{code}", {age}, {ill}), "another person is at the head of the list")
                shared = []
                for digits, width in {rules!r}:
                    classes = dict()
                    for zip_code, age, ill in table:
                        key = zip_code[:digits], math.floor((age - {start}) / width)
                        classes.setdefault(key, []).append(ill)
                    shown = list(classes.values())
                    require(min(map(len, shown)) >= k, "a table is not k-anonymous")
                    require(min(len(set(ill)) for ill in shown) >= {diverse}, "a table is not diverse")
                    # The first class is that of the first person.
                    shared.append(set(shown[0]))
                require(len(shared[0] & shared[1]) == 1, "the two tables leave more than one condition")
        """),
        example="len(people(5)) <= 11",
        section=f"“Attack 4: two releases” {CHAPTER}",
        minutes=50,
        difficulty="starred",
    )


def counts(rng):
    """A table of private counts, for cells and neighbours of its own."""
    edges = [int(rng.integers(15, 25))]
    for _ in range(int(rng.integers(2, 5))):
        edges.append(edges[-1] + int(rng.integers(4, 15)))
    cells, visits = len(edges) - 1, int(rng.integers(2, 6))
    rule, moved = [
        ("the answer of one person changes", 2),
        ("the age of one person, the answer, or both change", 2),
        ("one person is added or left out", 1),
        (f"up to {visits} people of one household are added or left out", visits),
        (f"the answers of up to {visits} people of one household change", 2 * visits),
    ][int(rng.integers(5))]
    whole = bool(rng.integers(2))
    weight = int(rng.integers(2, 10))
    shown = [
        ("the number of people with this answer", 1),
        (f"{weight} times the number of people with this answer", weight),
    ][int(rng.integers(2))]
    span, budget = (
        moved * shown[1],
        "all the tables together are" if whole else "each of the tables is",
    )
    said = ", ".join(f"$[{low}, {high})$" for low, high in zip(edges, edges[1:]))
    return Question(
        title="A better promise",
        text=(
            f"Ages are whole numbers from {edges[0]} to {edges[-1] - 1}, and the classes are {said}. Each person gives an answer, 0 or 1. A table of shape $({cells}, 2)$ has for each class and each answer {shown[0]}, "
            f"with independent Laplace noise on every entry. Write `publish(ages, answers, epsilon, times, rng)`: as many such tables as `times`, with independent noise of one scale, the smallest for which {budget} "
            f"$\\varepsilon$-differentially private if {rule}. Draw from `rng` alone; a budget that is not positive must end in an error."
        ),
        stub=f'def publish(ages, answers, epsilon, times, rng):\n    """An array of shape (times, {cells}, 2)."""',
        solution=textwrap.dedent(f"""
            if not epsilon > 0:
                raise ValueError("epsilon must be positive")
            ages, answers = np.asarray(ages), np.asarray(answers)
            table = [np.histogram(ages[answers == told], {edges})[0] for told in (0, 1)]
            scale = {span}{" * times" if whole else ""} / epsilon
            return {shown[1]} * np.transpose(table) + rng.laplace(0, scale, (times, {cells}, 2))
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            # Counts that stand out from noise that is shared among many tables.
            for times, people in ((10, 9), (1, 1), *[({1500 // cells}, 20_000)] * 3, (10, 0)):
                ages, answers = rng.integers({edges[0]}, {edges[-1]}, people), rng.integers(0, 2, people)
                cases.append((ages, answers, rng.uniform(0.3, 2), times))


            def extra(case, output):
                ages, answers, budget, times = case
                z = shaped(output, (times, {cells}, 2)).copy()
                for place, (low, high) in enumerate(zip({edges[:-1]}, {edges[1:]})):
                    held = answers[(low <= ages) & (ages < high)]
                    z[:, place] -= {shown[1]} * np.array([(held == 0).sum(), (held == 1).sum()])
                return z.reshape(times, -1) * budget / {span}{" / times" if whole else ""}


            additive(answer("publish"), cases, extra, rng)
            withholds(answer("publish"), [(*cases[0][:2], budget, 2, rng) for budget in (0.0, -1.0)])
        """),
        example=f"np.shape(publish(np.array([{edges[0]}, {edges[1]}]), np.array([0, 1]), 1.0, 3, np.random.default_rng(1))) == (3, {cells}, 2)",
        # The standard deviation of 10^5 draws is off by 0.4 %.
        check=f"np.std(publish(np.array([{edges[0]}]), np.array([0]), 0.5, 25_000, np.random.default_rng(2)))",
        chance=0.03,
        section=f"“What a promise must say” {CHAPTER}",
        minutes=35,
    )


TEMPLATES = [measure, crowd, background, together, counts]
