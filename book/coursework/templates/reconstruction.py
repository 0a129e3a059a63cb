"""Questions on reconstruction: what exact and nearly exact counts give away."""

import textwrap

from marking.private import Proof, Question, different

TITLE = "Reconstruction"
SYMBOLS = "a, n, E"
CHAPTER = "in the chapter `reconstruction`"

# What a table publishes of a list of whole ages, in words and in code.
PUBLISHED = {
    "the sum of the ages": "sum(x)",
    "the smallest age": "min(x)",
    "the largest age": "max(x)",
    "the number of even ages": "sum(v % 2 == 0 for v in x)",
    "the sum of the squares of the ages": "sum(v * v for v in x)",
    "the number of different ages": "len(set(x))",
    "the second smallest age": "sorted(x)[1]",
}


def worlds(rng):
    """How many data sets agree with what a table publishes."""
    chosen = sorted(different(rng, range(len(PUBLISHED)), 3))
    words = [list(PUBLISHED)[index] for index in chosen]
    codes = [PUBLISHED[word] for word in words]
    people, low = int(rng.integers(3, 5)), int(rng.integers(20, 60))
    high = low + int(rng.integers(7, 11))
    return Question(
        title="How many worlds agree",
        text=(
            f"A block has {people} people, whose ages are whole numbers from {low} to {high}. Three numbers are published: "
            f"{words[0]}, {words[1]} and {words[2]}. Write `worlds(first, second, third)`: how many multisets of ages agree with the three numbers, in this order."
        ),
        stub='def worlds(first, second, third):\n    """A whole number."""',
        solution=textwrap.dedent(f"""
            from itertools import combinations_with_replacement

            count = 0
            for x in combinations_with_replacement(range({low}, {high} + 1), {people}):
                count += ({codes[0]}, {codes[1]}, {codes[2]}) == (first, second, third)
            return count
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for _ in range(12):
                x = rng.integers({low}, {high} + 1, {people}).tolist()
                cases.append(({codes[0]}, {codes[1]}, {codes[2]}))
            # Numbers that no block has.
            cases += [(a + 1, b, c) for a, b, c in cases[:3]]


            def truth(first, second, third):
                found = set()
                for x in product(range({low}, {high} + 1), repeat={people}):
                    if {codes[0]} == first and {codes[1]} == second and {codes[2]} == third:
                        found.add(tuple(sorted(x)))
                return len(found)


            same(answer("worlds"), truth, cases)
        """),
        example=f"worlds({', '.join(map(str, _told(codes, people, low, high, 2)))})",
        check=f"[worlds(*told) for told in {sorted({_told(codes, people, low, high, step) for step in range(3, 18)})}]",
        section=f"“A census block” {CHAPTER}",
        minutes=40,
        difficulty="warm-up",
    )


def _told(codes, people, low, high, step):
    x = [low + (2 + step * index) % (high - low + 1) for index in range(people)]
    return tuple(eval(code, {"x": x}) for code in codes)


FAMILIES = {
    "the number of ones among the people {i} to {i} + {w}, counted round a table": "window",
    "the number of ones among all people but {i}": "others",
    "the number of ones among the people 0 to {i}": "prefix",
    "twice the bit of person {i} plus the number of ones among all people": "tilted",
}


def rebuild(rng):
    """Bits from exact counts of a family of subsets, in an order of its own."""
    word = list(FAMILIES)[int(rng.integers(len(FAMILIES)))]
    people = int(rng.choice([9, 11, 13]))
    width = int(rng.choice([2, 4]))
    step = int(rng.integers(2, people - 1))
    while people % step == 0 or step % 3 == 0 and people == 9:
        step = int(rng.integers(2, people - 1))
    weight = {
        "window": f"[[int((j - i) % {people} < {width}) for j in range({people})] for i in order]",
        "others": f"[[int(j != i) for j in range({people})] for i in order]",
        "prefix": f"[[int(j <= i) for j in range({people})] for i in order]",
        "tilted": f"[[1 + 2 * (j == i) for j in range({people})] for i in order]",
    }[FAMILIES[word]]
    said = word.replace("{i}", "$i$").replace("{w}", str(width - 1))
    setup = (
        f"order = [{step} * k % {people} for k in range({people})]\nqueries = np.array({weight})"
    )
    return Question(
        title="Everybody's bit",
        text=(
            f"{people} people, numbered from 0, hold a bit each. A firm publishes {people} exact numbers: the $k$-th, from $k = 0$ on, is {said}, where $i = {step} k$ modulo {people}. "
            "Write `rebuild(published)`: everybody's bit, as an array in the order of the people."
        ),
        stub='def rebuild(published):\n    """An array of 0 and 1."""',
        solution=f"{setup}\nreturn np.round(np.linalg.solve(queries, published)).astype(int)",
        hidden=f"{setup}\n"
        + textwrap.dedent(f"""
            bits = rng.integers(0, 2, (8, {people}))
            got = values(answer("rebuild"), [((queries @ row).tolist(),) for row in bits])
            for found, row in zip(got, bits, strict=True):
                near(found, row)
        """),
        example=f"rebuild({_published(setup, people, 3)})",
        check=f"[rebuild(told) for told in {[_published(setup, people, turn) for turn in (2, 4, 5)]}]",
        section=f"“Many accurate answers are the problem” {CHAPTER}",
        minutes=35,
    )


def _published(setup, people, turn):
    import numpy as np

    names = {"np": np}
    exec(setup, names)
    return (names["queries"] @ (np.arange(people) % turn == 0)).tolist()


def confused(rng):
    """The chance that a random subset does not tell two data sets apart."""
    more, apart = int(rng.integers(1, 6)), int(rng.integers(-3, 4))
    rows = int(rng.integers(2, 5))
    return Question(
        title="Two data sets that a random count does not separate",
        text=(
            f"A data set $x$ has $a$ ones where $y$ has zeros, and $y$ has $a + {more}$ ones where $x$ has zeros; elsewhere they agree. A subset of the people is drawn, each person with chance "
            f"$\\frac12$. Give `chance`, in `a` (a whole number from 3 on), the chance that in {rows} independent such subsets the count of ones in $x$ exceeds that in $y$ by exactly {apart} every time."
        ),
        stub="chance = ...",
        solution=f"chance = (sp.binomial(2 * a + {more}, a + {more} + {apart}) / 2 ** (2 * a + {more})) ** {rows}",
        hidden=textwrap.dedent(f"""
            def truth(a):
                out = []
                for size in a:
                    ups = stats.binom.pmf(np.arange(size + 1), size, 0.5)
                    downs = stats.binom.pmf(np.arange(size + {more} + 1), size + {more}, 0.5)
                    law = np.convolve(ups, downs[::-1])
                    out.append(law[size + {more} + {apart}] ** {rows})
                return np.array(out)


            equivalent(answer("chance"), truth, rng, rtol=1e-8, a=np.arange(3, 20))
        """),
        example="chance.subs(a, 4)",
        check="[chance.subs(a, 7), chance.subs(a, 12)]",
        section=f"“Where the attack ends” {CHAPTER}",
        minutes=40,
        difficulty="starred",
    )


def bounded(rng):
    """What bounded noise gives away when a question is repeated."""
    below, above = different(rng, range(1, 7), 2)
    grid = int(rng.choice([1, 2, 3]))
    people = int(rng.integers(30, 60))
    return Question(
        title="Break it: bounded noise",
        text=(
            f"A count of ones among {people} people is published again and again. The noise of each answer is drawn afresh from the multiples of {grid} between "
            f"$-{below * grid}$ and ${above * grid}$, both included. Write `possible(answers)`: the set of the counts that agree with all answers."
        ),
        stub='def possible(answers):\n    """A set of whole numbers."""',
        solution=textwrap.dedent(f"""
            counts = set()
            for count in range({people} + 1):
                noise = [x - count for x in answers]
                inside = all(-{below * grid} <= z <= {above * grid} for z in noise)
                if inside and all(z % {grid} == 0 for z in noise):
                    counts.add(count)
            return counts
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for times in (1, 2, 2, 3, 5, 20):
                count = int(rng.choice([0, {people}, rng.integers({people})]))
                noise = {grid} * rng.integers(-{below}, {above} + 1, times)
                cases.append(((count + noise).tolist(),))


            def truth(answers):
                span = {grid} * np.arange(-{below}, {above} + 1)
                left = [set((x - span).tolist()) for x in answers]
                return {{c for c in set.intersection(*left) if 0 <= c <= {people}}}


            same(answer("possible"), truth, cases)
        """),
        example=f"sorted(possible([{people // 2}, {people // 2 + grid}]))",
        check=f"[possible(told) for told in {[_heard(people, grid, below, above, k) for k in range(2, 8)]}]",
        section=f"“Where the attack ends” {CHAPTER}",
        minutes=25,
    )


def _heard(people, grid, below, above, k):
    count = people // k
    return [count - grid * (k % (below + 1)), count + grid * (k % (above + 1))]


def determined(rng):
    """Whose value exact answers determine, in arithmetic modulo a prime or in whole numbers."""
    modulus = int(rng.choice([2, 3, 5, 7]))
    first = int(rng.integers(1, 50))
    return Question(
        title="Who is exposed",
        text=(
            f"Each person $j$ holds a secret $s_j$ in $\\{{0, \\dots, {modulus - 1}\\}}$, all values possible. Published are the numbers $\\sum_j q_{{ij}} s_j$ modulo {modulus}, for the rows $i$ of a "
            f"matrix $q$ with entries from 0 to {modulus - 1}. Write `exposed(q)`: the set of the people whose secret follows from the published numbers, whatever they are. "
            f"The people are numbered from {first} on, in the order of the columns."
        ),
        stub='def exposed(q):\n    """A set of numbers of people."""',
        solution=textwrap.dedent(f"""
            rows, lead = [[int(v) % {modulus} for v in row] for row in q], 0
            people = len(rows[0])
            pivots = []
            for column in range(people):
                place = next((i for i in range(lead, len(rows)) if rows[i][column]), None)
                if place is None:
                    continue
                rows[lead], rows[place] = rows[place], rows[lead]
                turn = pow(rows[lead][column], -1, {modulus})
                rows[lead] = [v * turn % {modulus} for v in rows[lead]]
                for i in range(len(rows)):
                    if i != lead:
                        times = rows[i][column]
                        rows[i] = [(v - times * w) % {modulus} for v, w in zip(rows[i], rows[lead])]
                pivots.append(column)
                lead += 1
            return {{c + {first} for i, c in enumerate(pivots) if sum(map(bool, rows[i])) == 1}}
        """),
        hidden=textwrap.dedent(f"""
            cases = []
            for _ in range(10):
                people = 4
                table = rng.integers(0, {modulus}, (3, people))
                table[2] = (table[0] + rng.integers(0, {modulus}) * np.eye(people)[rng.integers(4)])
                cases.append((table % {modulus},))


            def truth(q):
                # Exposed are those who are 0 in every secret that publishes nothing but zeros.
                worlds = np.array(list(product(range({modulus}), repeat=4)))
                quiet = worlds[((worlds @ np.asarray(q).T) % {modulus} == 0).all(axis=1)]
                return {{j + {first} for j in range(4) if not quiet[:, j].any()}}


            same(answer("exposed"), truth, cases)
        """),
        example="sorted(exposed([[1, 1, 0], [1, 0, 0]]))",
        check=f"[exposed(table) for table in {[_table(modulus, k) for k in range(1, 6)]}]",
        section=f"“A linear programme that rebuilds almost every bit” {CHAPTER}",
        minutes=40,
    )


def _table(modulus, k):
    # Two people are told from the rest by rows that differ in their columns alone.
    row = [(k * j * j + j + 1) % modulus for j in range(6)]
    first, second = k % 2, 5 - k % 3
    return [row] + [
        [(v + (j == one)) % modulus for j, v in enumerate(row)] for one in (first, second)
    ]


# What is published, why it gives all differences, how often the first bit is in one number, and what
# published instead would not do.
PROVED = {
    "sets": (
        "the count of ones in every set of {size} of them",
        "For two people $i \\ne j$ take {less} others: the set of these with $i$ and that with $j$ have counts that differ by $x_i - x_j$.",
        "only the count of ones among all people is published",
        "Two data sets with a single 1, at different people, agree.",
    ),
    "windows": (
        "for each of them, as they sit round a table, the count of ones among {size} people in a row, of whom this one is the first",
        "Two windows that begin side by side have counts that differ by $x_{{i + {size}}} - x_i$, where places count modulo {people}. As {size} and {people} have no common factor, steps of {size} lead from each person to every "
        "other one, and the differences along the way add up.",
        "there are {multiple} people at the table, and {size} in a row as before",
        "Let the places $0, {size}, 2 \\cdot {size}, \\dots$ hold the ones in one data set, and each place after one of these in the other. As {size} divides {multiple}, every window holds exactly one 1 in both.",
    ),
    "rest": (
        "for each of them the count of ones among all the others",
        "With $T$ ones in all, the numbers $T - x_i$ and $T - x_j$ differ by $x_j - x_i$.",
        "only the differences $x_i - x_j$ are published, for all pairs",
        "If nobody has a 1, or everybody, all differences are 0.",
    ),
}


def prove(rng):
    """That counts determine every bit, also when they are a little off, and counts that do not."""
    kind = list(PROVED)[int(rng.integers(len(PROVED)))]
    size = int(rng.choice([2, 3, 5]))
    people = size * int(rng.integers(3, 7)) + int(rng.integers(1, size))
    names = {"size": size, "less": size - 1, "people": people, "multiple": people - people % size}
    published, why, instead, twins = (text.format(**names) for text in PROVED[kind])
    times = people - 1 if kind == "rest" else size
    parts = int(rng.integers(4, 21))
    return Proof(
        title="Prove it",
        text=(
            f"{people} people hold a bit each, $x_0, \\dots, x_{{{people - 1}}}$. Published is {published}. (a) Prove that this determines every bit. (b) Show that it would not if {instead}: name two data sets that agree. "
            f"(c) Now each published number is off by less than $\\frac1{{{parts}}}$, by an unknown amount of its own. Prove that every bit is still determined."
        ),
        rubric={
            "(a) all differences of two bits from the counts, and then the bits themselves": 2,
            "(b) two data sets, and why they agree": 1,
            "(c) which differences are rounded, and why the last step survives": 1,
        },
        solution=(
            f"(a) {why} So all differences are known. A published number is ${times}x_0$ plus a sum of such differences, which gives $x_0$ and with it every bit. (b) {twins} (c) The difference of two published numbers is off by less "
            f"than $\\frac2{{{parts}}} \\le \\frac12$ and is a whole number, so rounding gives it exactly, and all differences of two bits are known as before. A published number is then ${times}x_0$ plus a known number, off by less "
            f"than $\\frac1{{{parts}}}$: its values for $x_0 = 0$ and $x_0 = 1$ are {times} apart, so it tells which."
        ),
        section=f"“Many accurate answers are the problem” {CHAPTER}",
        minutes=40,
    )


TEMPLATES = [worlds, rebuild, confused, bounded, determined, prove]
