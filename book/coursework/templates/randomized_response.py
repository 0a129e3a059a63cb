"""Questions on randomized response: what a device gives away, what it tells, and what it costs."""

import textwrap

from marking.private import Question, different

TITLE = "Randomized response"
SYMBOLS = "n, theta, q"
CHAPTER = "in the chapter `randomized_response`"


def device(rng):
    """What is seen of several throws of a die gives away, in one of several senses."""
    times, most = int(rng.integers(2, 9)), int(rng.integers(3, 5))
    held, of = sorted(different(rng, range(2, 12), 2))
    tenths = int(rng.integers(11, 18))
    seen, code = [
        ("the number of reports that say yes", "yes"),
        ("whether all reports say yes", f"yes == {times}"),
        ("whether at least one report says yes", "yes > 0"),
        (
            f"the smaller of {most - 1} and the number of reports that say yes",
            f"min(yes, {most - 1})",
        ),
        ("whether the number of reports that say yes is even", "yes % 2"),
        ("whether all reports agree", f"yes in (0, {times})"),
    ][int(rng.integers(6))]
    asked, value, other = [
        (
            "the least $e^\\varepsilon$ for which what is seen is $\\varepsilon$-locally private",
            "max(max(one[z] / none[z], none[z] / one[z]) for z in one)",
            "np.exp(np.abs(np.log(p / q)).max())",
        ),
        (
            f"the least $\\delta$ for which what is seen is $(\\ln {tenths / 10}, \\delta)$-locally private, that is, for which every event has with the trait at most {tenths / 10} times its chance without it, plus $\\delta$, and the other way round",
            f"max(sum(max(p[z] - {tenths / 10} * q[z], 0) for z in one) for p, q in ((one, none), (none, one)))",
            f"np.maximum([p - {tenths / 10} * q, q - {tenths / 10} * p], 0).sum(axis=1).max()",
        ),
        (
            f"the largest probability of the trait that a reader can hold after what was seen, who held it to be {held}/{of} before",
            f"max({held} * one[z] / ({held} * one[z] + {of - held} * none[z]) for z in one)",
            f"(1 / (1 + {(of - held) / held!r} * (q / p).min()))",
        ),
        (
            f"the probability that a reader who guesses as well as possible is right about the trait, if it was {held}/{of} probable before",
            f"sum(max({held} * one[z], {of - held} * none[z]) for z in one) / {of}",
            f"0.5 + np.abs({held / of!r} * p - {1 - held / of!r} * q).sum() / 2",
        ),
    ][int(rng.integers(4))]
    return Question(
        title="What a die gives away",
        text=(
            "A die says what to report about a trait that a person has or has not. On `truth` of its sides the report is true, on `opposite` of its sides it is the opposite of the truth, on `yes` sides it is yes and "
            f"on `no` sides it is no, whatever the truth. All four are positive whole numbers, and all sides are equally likely. A person throws the die {times} times and makes {times} reports. A reader sees {seen}, "
            f"and nothing else. Write `given(truth, opposite, yes, no)`: {asked}."
        ),
        stub='def given(truth, opposite, yes, no):\n    """A number."""',
        solution=textwrap.dedent(f"""
            laws = []
            for positive in (truth + yes, opposite + yes):
                chance, law = positive / (truth + opposite + yes + no), dict()
                for yes_reports in range({times} + 1):
                    z = (lambda yes: {code})(yes_reports)
                    ways = math.comb({times}, yes_reports)
                    law[z] = law.get(z, 0) + ways * chance**yes_reports * (1 - chance) ** ({times} - yes_reports)
                laws.append(law)
            one, none = laws
            return {value}
        """),
        hidden=textwrap.dedent(f"""
            def law(chance):
                shown = dict()
                for reports in product((0, 1), repeat={times}):
                    yes = sum(reports)
                    shown.setdefault({code}, []).append(chance**yes * (1 - chance) ** ({times} - yes))
                return np.array([math.fsum(chances) for _, chances in sorted(shown.items())])


            def truth_of(truth, opposite, yes, no):
                sides = truth + opposite + yes + no
                p, q = law((truth + yes) / sides), law((opposite + yes) / sides)
                return float({other})


            cases = [tuple(rng.integers(1, 20, 4).tolist()) for _ in range(8)]
            same(answer("given"), truth_of, cases)
        """),
        example="given(5, 1, 2, 4)",
        # A delta may be 0, which no interval can hide.
        check="" if "delta" in asked else "[given(3, 2, 4, 1), given(7, 1, 1, 3)]",
        section=f"“What each person is promised” {CHAPTER}",
        minutes=30,
        difficulty="warm-up",
    )


def price(rng):
    """The variance of the unbiased estimate that undoes a device."""
    yes, no, turned = different(rng, range(1, 10), 3)
    sides, times = yes + no + turned, int(rng.integers(2, 6))
    drawn, second = bool(rng.integers(2)), int(rng.integers(2, 6))
    asked, factor = [
        ("the share of people with the trait", "1"),
        ("the number of people with the trait", "n**2"),
        (
            f"the share, less the share that the same method finds among ${second}n$ other people, of whom all this is true as well",
            f"(1 + sp.Rational(1, {second}))",
        ),
    ][int(rng.integers(3))]
    who = (
        "drawn independently from a population in which a share $\\theta$ (`theta`) has the trait"
        if drawn
        else "given, and a share $\\theta$ (`theta`) of them has the trait"
    )
    sampling = " + theta * (1 - theta)" if drawn else ""
    return Question(
        title="What undoing the flips costs",
        text=(
            f"With chance $q$ a report is true. Otherwise a die decides, with {sides} equally likely sides: on {yes} of them the report is yes, on {no} it is no, and on {turned} it is the opposite of the truth. Each of $n$ people "
            f"makes {times} reports, all with independent chance. The people are {who}. The mean of all reports, shifted and multiplied by the constants that make it unbiased, estimates the share of people with the trait. "
            f"Give `variance`, in `n`, `theta` and `q`, where $0 < \\theta < 1$ and $\\frac12 < q < 1$: the variance of the estimate of {asked}."
        ),
        stub="variance = ...",
        solution=textwrap.dedent(f"""
            one = q + (1 - q) * sp.Rational({yes}, {sides})
            none = (1 - q) * sp.Rational({yes + turned}, {sides})
            within = theta * one * (1 - one) + (1 - theta) * none * (1 - none)
            variance = {factor} * (within / ({times} * (one - none) ** 2){sampling}) / n
        """),
        hidden=textwrap.dedent(f"""
            def truth(n, theta, q):
                one, none = q + (1 - q) * {yes / sides}, (1 - q) * {(yes + turned) / sides}
                # Of the sum of one person's reports: the law of total variance.
                spread = sum(
                    share * stats.binom.var({times}, chance)
                    for share, chance in ((theta, one), (1 - theta, none))
                )
                if {drawn}:
                    spread = spread + theta * (1 - theta) * ({times} * (one - none)) ** 2
                each = spread / ({times} * (one - none)) ** 2
                return each / n * {factor.replace("sp.Rational(1, ", "np.reciprocal(1.0 * ")}


            equivalent(answer("variance"), truth, rng, n=(2, 500), theta=(0.05, 0.95), q=(0.55, 0.95))
        """),
        example="variance.subs({n: 10, theta: 0.25, q: 0.75})",
        check="[variance.subs({n: 5, theta: 0.5, q: 0.6}), variance.subs({n: 80, theta: 0.1, q: 0.9})]",
        section=f"“Undoing the flips” {CHAPTER}",
        minutes=40,
    )


def _encoding(rng):
    """A way to write one of `size` categories as bits: in words, in code, and how many bits."""
    size, width = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    kinds = [
        ("bit $j$ is 1 if $j$ is the category", "j == h", size),
        ("bit $j$ is 1 if $j$ is less than the category", "j < h", size - 1),
        (
            f"bit $j$ is 1 if the category is one of the {width} numbers that begin with $j$, where 0 comes after {size - 1}",
            f"(h - j) % {size} < {width}",
            size,
        ),
        (
            f"bit $j$ is 1 if $j$ is at most {width - 1} away from the category",
            f"abs(j - h) < {width}",
            size,
        ),
        (
            f"bit $j$ is 1 if {width} times the category, plus $j$, leaves the remainder 0, 1 or 2 when divided by {size}",
            f"({width} * h + j) % {size} < 3",
            size,
        ),
    ]
    return size, *kinds[int(rng.integers(len(kinds)))]


def _rows(size, code, columns):
    """The bits of every category."""
    made = eval(f"lambda h, j: int({code})")
    return [[made(h, j) for j in range(columns)] for h in range(size)]


def report(rng):
    """A report of bits, for an encoding and neighbours of its own."""
    size, words, code, columns = _encoding(rng)
    surveys, step = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    step = size - 1 if step > 3 else step
    rows = _rows(size, code, columns)
    moved = max(
        sum(a != b for a, b in zip(rows[h], rows[other]))
        for h in range(size)
        for other in range(size)
        if abs(h - other) <= step
    )
    close = (
        "between any two categories"
        if step == size - 1
        else f"between two categories whose numbers differ by at most {step}"
    )
    return Question(
        title="Report it",
        text=(
            f"Each person belongs to one of {size} categories, 0 to {size - 1}, and writes it as {columns} bits, with $j$ from 0 to {columns - 1}: {words}. Every bit is reported truly with one and the same chance, the largest for which the "
            f"promise below holds, and flipped otherwise, independently of all others. Everybody takes part in {surveys} such surveys, with independent chance, and all {surveys} reports of a person together are to be $\\varepsilon$-locally private {close}: no set of reports may be more than $e^\\varepsilon$ times as likely under the one as under the "
            "other. Write `report(categories, epsilon, rng)`: the reported bits of one survey, for an array of categories. Draw from `rng` alone; a budget that is not positive must end in an error."
        ),
        stub=f'def report(categories, epsilon, rng):\n    """An array of shape (n, {columns}) of 0 and 1."""',
        solution=textwrap.dedent(f"""
            if not epsilon > 0:
                raise ValueError("epsilon must be positive")
            h, j = np.asarray(categories)[:, None], np.arange({columns})
            true = {code}
            return (true ^ (rng.random(true.shape) > special.expit(epsilon / {moved * surveys}))).astype(int)
        """),
        hidden=textwrap.dedent(f"""
            table = np.array({rows})
            held, budget = rng.integers(0, {size}, 8000), rng.uniform(1.15, 1.7) * {moved * surveys}
            chance = 1 / (1 + math.exp(-budget / {moved * surveys}))
            bits(answer("report"), (held[:60], budget), (held, budget), table[held], chance, rng)
            withholds(answer("report"), [(held[:60], budget, rng) for budget in (0.0, -1.0)])
        """),
        example=f"np.shape(report(np.array([0, 1, 2]), 1.0, np.random.default_rng(1))) == (3, {columns})",
        # The share of ones among many bits is off by less than 0.5 %.
        check="np.mean(report(np.zeros(100_000, dtype=int), 9.0, np.random.default_rng(2)))",
        chance=0.03,
        section=f"“Many categories” {CHAPTER}",
        minutes=40,
    )


def worst(rng):
    """The report that gives away most."""
    size, words, code, columns = _encoding(rng)
    first = int(rng.integers(1, 60))
    rows = _rows(size, code, columns)
    return Question(
        title="Break it: the report that says most",
        text=(
            f"Categories are numbered from {first} to {first + size - 1}. A person writes $h$, the category less {first}, as {columns} bits, with $j$ from 0 to {columns - 1}: {words.replace('the category', '$h$')}. A bit that is 1 "
            "is reported as 1 with chance $p$, and a bit that is 0 with chance $q$, where $0 < q < p < 1$; all bits are independent. A firm promises for the whole report the level of a single bit. Write `worst(p, q)`: two "
            "categories, by their own numbers, and a report of all bits, for which the chance of the report under the first category, divided by that under the second, is as large as possible."
        ),
        stub='def worst(p, q):\n    """A triple: a category, another one, and a list of 0 and 1."""',
        solution=textwrap.dedent(f"""
            rows = [[int({code}) for j in range({columns})] for h in range({size})]
            found = []
            for one, other in product(range({size}), repeat=2):
                told = [a if a != b else 1 for a, b in zip(rows[one], rows[other])]
                loss = sum(
                    math.log(p / q) if a else math.log((1 - q) / (1 - p))
                    for a, b in zip(rows[one], rows[other])
                    if a != b
                )
                found.append((loss, [{first} + one, {first} + other, told]))
            return max(found)[1]
        """),
        hidden=textwrap.dedent(f"""
            rows = np.array({rows})
            cases = []
            for _ in range(4):
                q, p = np.sort(rng.uniform(0.02, 0.98, 2))
                cases += [(float(p), float(q)), (float(1 - q), float(1 - p))]
            for (p, q), got in zip(cases, values(answer("worst"), cases), strict=True):
                require(isinstance(got, list) and len(got) == 3, "a triple is asked for")
                one, other = (number(h) - {first} for h in got[:2])
                inside = all(h in range({size}) for h in (one, other))
                require(inside, "there is no such category")
                told = [number(bit) for bit in got[2]] if isinstance(got[2], list) else []
                require(len(told) == {columns} and set(told) <= {{0, 1}}, "a list of bits is asked for")
                # For each category the chance of a one, and of a zero.
                chances = np.where(rows == 1, p, q)
                logs = np.log(np.where(np.array(told) == 1, chances, 1 - chances)).sum(axis=1)
                least = np.log([chances, 1 - chances])
                gaps = (least[:, :, None] - least[:, None]).max(axis=0).sum(axis=2).max()
                near(logs[int(one)] - logs[int(other)], gaps)
        """),
        example="len(worst(0.75, 0.25)[2])",
        section=f"“A bit that is drawn twice” {CHAPTER}",
        minutes=35,
    )


def shares(rng):
    """What the counts of reports tell, for a device with many categories."""
    size = int(rng.integers(4, 8))
    part = int(rng.integers(3, 9))
    truth = int(rng.integers(part // 2 + 1, part))
    one, other = different(rng, range(size), 2)
    scores = different(rng, range(1, 30), size)
    otherwise, code = [
        (f"the next category, with 0 after {size - 1}", f"int(y == (x + 1) % {size})"),
        ("one of the other categories, each equally likely", f"int(y != x) / {size - 1}"),
        ("one of all the categories, each equally likely", f"1 / {size}"),
        (f"category {one}", f"int(y == {one})"),
        (
            f"the category before or the one after, each equally likely, where 0 comes after {size - 1}",
            f"int((y - x) % {size} in (1, {size - 1})) / 2",
        ),
        (
            f"category {one} or category {other}, each equally likely",
            f"int(y in ({one}, {other})) / 2",
        ),
    ][int(rng.integers(6))]
    asked, value, right, kind = [
        ("the numbers of people in all the categories", "people", "n * found", "An array."),
        (
            f"the share of category {one} less that of category {other}",
            f"(people[{one}] - people[{other}]) / sum(counts)",
            f"found[{one}] - found[{other}]",
            "A number.",
        ),
        (
            f"the mean score, where the categories have the scores {', '.join(map(str, scores))} in this order",
            f"people @ {scores} / sum(counts)",
            f"float(np.dot({scores}, found))",
            "A number.",
        ),
    ][int(rng.integers(3))]
    return Question(
        title="Undo it",
        text=(
            f"There are {size} categories, 0 to {size - 1}. With chance {truth}/{part} a person reports the true one, and otherwise {otherwise}. Write `undone(counts)`, for the list of the numbers of people who reported "
            f"each category: the unbiased estimate of {asked}. For a given number of people it is linear in the counts, and its expectation is right for all data. Do not cut or round it."
        ),
        stub=f'def undone(counts):\n    """{kind}"""',
        solution=textwrap.dedent(f"""
            table = [[{truth} / {part} * (x == y) + {part - truth} / {part} * {code} for x in range({size})] for y in range({size})]
            people = np.linalg.solve(np.array(table), np.asarray(counts, dtype=float))
            return {value}
        """),
        hidden=textwrap.dedent(f"""
            def truth(counts):
                n, law = sum(counts), np.zeros(({size}, {size}))
                for x in range({size}):
                    law[x, x] += {truth} / {part}
                    for y in range({size}):
                        law[x, y] += (1 - {truth} / {part}) * {code}
                found = np.linalg.inv(law).T @ np.array(counts) / n
                return {right}


            same(answer("undone"), truth, [(rng.integers(0, 300, {size}).tolist(),) for _ in range(6)], atol=1e-8)
        """),
        example=f"undone({[10 * (index + 1) for index in range(size)]})",
        section=f"“Many categories” {CHAPTER}",
        minutes=35,
    )


def guess(rng):
    """The best guess of a bit from many reports by two devices, some of them missing."""
    months = different(rng, range(4, 10), 2)
    prior, of = sorted(different(rng, range(2, 12), 2))
    dice = [different(rng, range(1, 9), 3) for _ in range(2)]
    with_bit, without = different(rng, range(1, 9), 2)
    told = [
        f"{many} months by a die that commands the truth, yes and no on {true}, {yes} and {no} of its sides"
        for many, (true, yes, no) in zip(months, dice)
    ]
    # The chance of a yes, of people with the bit and of people without it.
    laws = [((true + yes) / (true + yes + no), yes / (true + yes + no)) for true, yes, no in dice]
    return Question(
        title="Break it: the survey that comes back",
        text=(
            f"A person's bit never changes; it is 1 with chance {prior}/{of}. Every month there is a survey, with independent chance: for {told[0]}, and then for {told[1]} (all sides are equally likely; yes is 1, no is 0). In every month, "
            f"independently of all else, people whose bit is 1 do not answer with chance {with_bit}/10, and people whose bit is 0 with chance {without}/10; a missing answer is $-1$. Write `guess(reports)`, for an array "
            "with a row for each person and a column for each month, in their order: the likelier bit of everybody. Rows for which both bits are equally likely do not occur."
        ),
        stub='def guess(reports):\n    """An array of 0 and 1."""',
        solution=textwrap.dedent(f"""
            reports = np.asarray(reports)
            odds = np.full(len(reports), math.log({prior} / {of - prior}))
            for month in range({sum(months)}):
                truth, yes, no = {dice[0]} if month < {months[0]} else {dice[1]}
                column = reports[:, month]
                odds += np.where(column == 1, math.log((truth + yes) / yes), 0.0)
                odds += np.where(column == 0, math.log(no / (truth + no)), 0.0)
                missing = math.log({with_bit} / {without}), math.log({10 - with_bit} / {10 - without})
                odds += np.where(column == -1, *missing)
            return (odds > 0).astype(int)
        """),
        hidden=textwrap.dedent(f"""
            # People of every kind, so that many rows are near the border.
            early, late, gone = rng.random((3, 400, 1))
            chance = np.where(np.arange({sum(months)}) < {months[0]}, early, late)
            reports = (rng.random(chance.shape) < chance).astype(int)
            reports[rng.random(chance.shape) < gone] = -1


            def chances(laws, lost):
                rows = []
                for month in range({sum(months)}):
                    yes = laws[int(month >= {months[0]})]
                    rows.append([(1 - lost) * (1 - yes), (1 - lost) * yes, lost])
                return np.array(rows)


            def likelihood(laws, lost):
                table = chances(laws, lost)
                # A missing answer, -1, is the last entry of a row.
                return np.prod(table[np.arange({sum(months)}), reports], axis=1)


            one = likelihood({[law[0] for law in laws]!r}, {with_bit / 10}) * {prior / of!r}
            none = likelihood({[law[1] for law in laws]!r}, {without / 10}) * {1 - prior / of!r}
            clear = np.abs(np.log(one / none)) > 1e-6
            reports, right = reports[clear], (one > none)[clear].astype(int)
            (got,) = values(answer("guess"), [(reports,)])
            require(np.shape(got) == right.shape, "a guess for every person is asked for")
            equal([int(bit) for bit in got], right)
        """),
        example=f"guess(np.array([[1] * {sum(months)}, [0] * {sum(months)}]))",
        section=f"“What one report gives away” {CHAPTER}",
        minutes=55,
        difficulty="starred",
    )


TEMPLATES = [device, price, report, worst, shares, guess]
