"""Questions on accounting: what several releases spend together."""

import textwrap

from marking.private import Proof, Question, different

TITLE = "Accounting"
SYMBOLS = "epsilon, rho, delta, q"
CHAPTER = "in the chapter `accounting`"


def concentrated(rng):
    """One budget for many releases, by zero-concentrated privacy."""
    pure, gauss = different(rng, range(2, 12), 2)
    share, group = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    return Question(
        title="A ledger of concentrated privacy",
        text=(
            f"{pure} releases are each `epsilon`$/{share}$-differentially private, which makes each $\\frac12(\\varepsilon/{share})^2$-zero-concentrated, and {gauss} more are each "
            f"`rho`-zero-concentrated. Give `spent`, in `epsilon`, `rho` and `delta`: the level at which they are together $(\\cdot, \\delta)$-differentially private for a family of {group} people who "
            "change together, by adding up, by group privacy of zero-concentrated privacy, and then by the bound $\\rho' + 2\\sqrt{\\rho' \\ln(1/\\delta)}$."
        ),
        stub="spent = ...",
        solution=(
            f"total = {group**2} * ({pure} * (epsilon / {share}) ** 2 / 2 + {gauss} * rho)\n"
            "spent = total + 2 * sp.sqrt(total * sp.log(1 / delta))"
        ),
        hidden=textwrap.dedent(f"""
            def truth(epsilon, rho, delta):
                each = np.concatenate(
                    [np.tile((epsilon / {share}) ** 2 / 2, ({pure}, 1)), np.tile(rho, ({gauss}, 1))]
                )
                root = {group} * np.sqrt(each.sum(axis=0))
                return root * (root + 2 * np.sqrt(-np.log(delta)))


            ranges = {{"epsilon": (0.1, 1), "rho": (0.01, 0.3), "delta": (1e-8, 1e-3)}}
            equivalent(answer("spent"), truth, rng, **ranges)
        """),
        example="spent.subs({epsilon: 1, rho: 0.1, delta: 0.001})",
        check=(
            "[spent.subs({epsilon: 0.3, rho: 0.2, delta: 1e-5}),"
            " spent.subs({epsilon: 1, rho: 0.01, delta: 0.1})]"
        ),
        section=f"“Bounds that fit on a line” {CHAPTER}",
        minutes=25,
        difficulty="warm-up",
    )


def sampled(rng):
    """Releases from a random sample, several samples."""
    inside, outside = different(rng, range(2, 9), 2)
    parts, other = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    return Question(
        title="Samples of the data",
        text=(
            f"Every month a fresh sample is drawn, each person with chance `q`. On the sample {inside} releases are made, each $\\varepsilon/{parts}$-differentially private when one person is added or left "
            f"out. This goes on for {outside} months. Once, at the end, there is a release on all data that is ${other}\\varepsilon$-differentially private. Give `level`, in `epsilon` and `q`: the pure level "
            "of the whole by adding up, with the exact amplification $\\ln(1 + q(e^{\\varepsilon'} - 1))$ of each month's sample."
        ),
        stub="level = ...",
        solution=(
            f"month = sp.log(1 + q * (sp.exp({inside} * epsilon / {parts}) - 1))\n"
            f"level = {outside} * month + {other} * epsilon"
        ),
        hidden=textwrap.dedent(f"""
            def truth(epsilon, q):
                worst = np.exp(epsilon * {inside} / {parts})
                return np.log((1 - q + q * worst) ** {outside} * np.exp({other} * epsilon))


            equivalent(answer("level"), truth, rng, epsilon=(0.1, 2), q=(0.01, 0.9))
        """),
        example="level.subs({epsilon: 1, q: 0.1})",
        check="[level.subs({epsilon: 0.5, q: 0.02}), level.subs({epsilon: 2, q: 0.7})]",
        section=f"“A mechanism on a random sample has a smaller budget” {CHAPTER}",
        minutes=25,
    )


def exact(rng):
    """The exact delta of several reports, by their privacy loss."""
    kinds = sorted(different(rng, range(2, 12), 2))
    times = [int(value) for value in rng.integers(2, 5, 2)]
    lost = int(rng.integers(0, 3))
    return Question(
        title="The exact delta",
        text=(
            f"A person sends the same bit {times[0]} times by randomized response of budget {kinds[0] / 10} and {times[1]} times by randomized response of budget {kinds[1] / 10}, with fresh chance "
            f"each time. Besides, with chance {lost}/100 the bit is also sent in the clear, and it is seen that it was. Write `delta(epsilon)`: the smallest $\\delta$ for which the whole is "
            "$(\\varepsilon, \\delta)$-differentially private."
        ),
        stub='def delta(epsilon):\n    """A number."""',
        solution=textwrap.dedent(f"""
            total = 0.0
            for i in range({times[0]} + 1):
                for j in range({times[1]} + 1):
                    p = stats.binom.pmf(i, {times[0]}, special.expit({kinds[0] / 10}))
                    p *= stats.binom.pmf(j, {times[1]}, special.expit({kinds[1] / 10}))
                    loss = (2 * i - {times[0]}) * {kinds[0] / 10} + (2 * j - {times[1]}) * {kinds[1] / 10}
                    total += p * max(0.0, -math.expm1(epsilon - loss))
            return {lost} / 100 + (1 - {lost} / 100) * total
        """),
        hidden=textwrap.dedent(f"""
            budgets = [{kinds[0] / 10}] * {times[0]} + [{kinds[1] / 10}] * {times[1]}


            def truth(level):
                excess = {lost} / 100
                for reports in product((0, 1), repeat=len(budgets)):
                    one = zero = 1 - {lost} / 100
                    for report, budget in zip(reports, budgets):
                        true = 1 / (1 + math.exp(-budget))
                        one *= true if report else 1 - true
                        zero *= 1 - true if report else true
                    excess += max(0.0, one - math.exp(level) * zero)
                return excess


            # Small levels among them: there delta is that of a small total.
            spans = ((0.0, 0.2), (0.2, 0.6), (0.6, 1.0), (1.0, sum(budgets)))
            same(answer("delta"), truth, [(rng.uniform(*span),) for span in spans], atol=1e-12)
        """),
        example="delta(0.1)",
        check="[delta(0.0), delta(0.3)]",
        section=f"“Losses of several releases add up” {CHAPTER}",
        minutes=50,
        difficulty="starred",
    )


def ledger(rng):
    """A filter with rules of its own."""
    costs = dict(zip("cms", different(rng, range(1, 8), 3)))
    crowd = int(rng.integers(2, 5))
    words = {"c": "count", "m": "mean", "s": "sum"}
    told = ", ".join(f"a {words[kind]} costs {cost}" for kind, cost in costs.items())
    table = {words[kind]: cost for kind, cost in costs.items()}
    return Question(
        title="A ledger with parallel composition",
        text=(
            f"Every person belongs to one of {crowd} regions, numbered from 0, and never changes it. A release is a pair `(kind, region)`, where `region` is a number or `None` for a release on everybody. "
            f"In units of a tenth, {told}. Write `admit(releases, limit)`: go through the releases in order, make each that keeps what every single person has spent at `limit` tenths or below, skip the "
            "others, and return the list of the places (from 0) of those made."
        ),
        stub='def admit(releases, limit):\n    """A list of whole numbers."""',
        solution=textwrap.dedent(f"""
            spent, made = [0] * {crowd}, []
            for place, (kind, region) in enumerate(releases):
                hit = range({crowd}) if region is None else [region]
                cost = {table!r}[kind]
                if all(spent[i] + cost <= limit for i in hit):
                    for i in hit:
                        spent[i] += cost
                    made.append(place)
            return made
        """),
        hidden=textwrap.dedent(f"""
            cost = {table!r}
            cases = []
            for _ in range(8):
                regions = [None, *range({crowd})]
                releases = [
                    (str(rng.choice(list(cost))), regions[rng.integers(len(regions))])
                    for _ in range(25)
                ]
                cases.append((releases, int(rng.integers(10, 40))))


            def truth(releases, limit):
                made = []
                for place in range(len(releases)):
                    tried = [releases[i] for i in [*made, place]]
                    worst = max(
                        sum(cost[kind] for kind, region in tried if region in (None, here))
                        for here in range({crowd})
                    )
                    if worst <= limit:
                        made.append(place)
                return tuple(made)


            same(answer("admit"), truth, cases)
        """),
        example='admit([("sum", 0), ("sum", 1), ("count", None), ("mean", 0), ("sum", 1)], 9)',
        check=(
            "[admit([(kind, place) for place in (0, None, 1) for kind in kinds] * 3, limit)"
            " for kinds in product(['sum', 'mean', 'count'], repeat=2) for limit in (12, 25)]"
        ),
        section=f"“A budget for releases that are not known in advance” {CHAPTER}",
        minutes=30,
    )


def releases(rng):
    """Noise for many answers under one budget, made and not only named."""
    count, weight = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    high = int(rng.integers(3, 20))
    replaced = bool(rng.integers(2))
    span = 2 * high if replaced else high
    rule = "replaced by another" if replaced else "added or left out"
    return Question(
        title="Spend it",
        text=(
            f"Numbers are cut to $[-{high}, {high}]$, and their sum is released {count} times with independent Laplace noise each time. One number may be {rule}. The first release gets {weight} times as much of "
            "the budget as each of the others. Write `publish(x, epsilon, times, rng)`: an array with as many rows as `times`, all with noise of their own. Each row holds these releases, the first one first, which together are exactly "
            "$\\varepsilon$-differentially private. Draw from `rng` alone; a budget that is not positive must end in an error."
        ),
        stub=f'def publish(x, epsilon, times, rng):\n    """An array of shape (times, {count})."""',
        solution=textwrap.dedent(f"""
            if not epsilon > 0:
                raise ValueError("epsilon must be positive")
            weights = np.array([{weight}] + [1] * {count - 1})
            scales = {span} * weights.sum() / (epsilon * weights)
            return np.clip(x, -{high}, {high}).sum() + rng.laplace(0, scales, (times, {count}))
        """),
        hidden=textwrap.dedent(f"""
            shares = np.array([{weight}, *[1] * {count - 1}]) / ({weight} + {count} - 1)
            cases = []
            for times, people in ((10, 6), (1, 1), (4000, 20), (4000, 3)):
                numbers = {high} * rng.normal(0.3, 2, people)
                cases.append((numbers, rng.uniform(0.2, 2), times))


            def extra(case, output):
                numbers, budget, times = case
                cut = sum(min(max(v, -{high}), {high}) for v in numbers)
                return (shaped(output, (times, {count})) - cut) * budget * shares / {span}


            def first(case, output):
                return extra(case, output)[:, :1]


            # By itself too: a share that is too large elsewhere must not make up for it.
            for noise in (extra, first):
                additive(answer("publish"), cases, noise, rng, level=5e-7)
            withholds(answer("publish"), [(cases[0][0], budget, 3, rng) for budget in (0.0, -1.0)])
        """),
        example=f"np.shape(publish(np.array([1.0, 2.0]), 1.0, 3, np.random.default_rng(1))) == (3, {count})",
        # Next to no noise, and how wide it is: the deviation of 4,000 draws is off by 1.8 %.
        check=(
            "[publish(np.array([99.0, 1.5]), 1e9, 1, np.random.default_rng(1))[0, 0], "
            "*np.std(publish(np.array([1.0]), 0.5, 4_000, np.random.default_rng(2)), axis=0)]"
        ),
        chance=0.15,
        section=f"“A budget for releases that are not known in advance” {CHAPTER}",
        minutes=35,
    )


# What holds of each release, what then holds of both, why, and how far that is attained.
DEFINITIONS = {
    "pure": (
        "is $c\\varepsilon$-differentially private",
        "${sum}\\varepsilon$-differentially private",
        "The joint chance of $(y, z)$ is $p(y)\\,q_y(z) \\le e^{{{one}\\varepsilon}} p'(y) \\cdot e^{{{other}\\varepsilon}} q'_y(z)$; sum over an event.",
        "the bound is attained: give two releases of one bit for which nothing smaller is true",
        "Let both be randomized response of the same bit with fresh chance, of budgets ${one}\\varepsilon$ and ${other}\\varepsilon$. The chance that both reports are 1 has the ratio "
        "$e^{{{one}\\varepsilon}} e^{{{other}\\varepsilon}}$ between the bits 1 and 0.",
    ),
    "variation": (
        "has output laws at a distance of at most $c\\tau$ in total variation, for all neighbours",
        "at a distance of at most ${sum}\\tau$ in total variation",
        "Write $Q_y$ for the law of the second output, and $E_y$ for the outputs $z$ with $(y, z) \\in E$. The two chances of $E$ differ by "
        "$\\sum_y p(y)(Q_y(E_y) - Q'_y(E_y)) + \\sum_y (p(y) - p'(y)) Q'_y(E_y)$. The first sum is a mean of numbers of at most ${other}\\tau$; the second is at most ${one}\\tau$, as $Q'_y(E_y)$ lies in $[0, 1]$.",
        "even $1 - (1 - {one}\\tau)(1 - {other}\\tau)$ will do, if ${one}\\tau$ and ${other}\\tau$ are at most 1",
        "Couple the first outputs so that they are equal with a chance of at least $1 - {one}\\tau$, and, where they are equal to $y$, the second ones so that they are equal with a chance of at least $1 - {other}\\tau$. Both "
        "agree with a chance of at least the product, and the distance is at most the chance that they do not.",
    ),
    "chi": (
        "has output laws with $\\sum_y p(y)^2/p'(y) \\le 1 + c\\kappa$, for all neighbours, where no chance is 0",
        "such that this sum is at most $(1 + {one}\\kappa)(1 + {other}\\kappa)$",
        "The sum is $\\sum_y \\frac{{p(y)^2}}{{p'(y)}} \\sum_z \\frac{{q_y(z)^2}}{{q'_y(z)}}$. The inner sum is at most $1 + {other}\\kappa$ for every $y$, and then the outer one is at most $1 + {one}\\kappa$.",
        "the bound is attained if the second release does not look at the first, and both attain theirs at the same neighbours",
        "Then $q_y = q$ for all $y$, and the double sum is the product of $\\sum_y p^2/p' = 1 + {one}\\kappa$ and $\\sum_z q^2/q' = 1 + {other}\\kappa$.",
    ),
}
AFTER = {
    "pass on both outputs, with one and the same symbol in place of each output from a set $S$": "$g$ puts the symbol in place of outputs in $S$",
    "pass on only the larger one of the two outputs, which are numbers": "$g$ is the maximum",
    "pass on only the second output, and beside it the result of a coin thrown afresh": "$g$ forgets the first output and adds a coin that owes nothing to the data",
}


def prove(rng):
    """Two releases, the second chosen by the first, in three definitions."""
    each, both, why, more, because = DEFINITIONS[list(DEFINITIONS)[int(rng.integers(3))]]
    one, other = (int(value) for value in rng.choice(range(1, 12), 2, replace=False))
    names = {"one": one, "other": other, "sum": one + other}
    both, why, more, because = (text.format(**names) for text in (both, why, more, because))
    done = list(AFTER)[int(rng.integers(len(AFTER)))]
    return Proof(
        title="Prove it",
        text=(
            f"All outputs are discrete. Say that a release has level $c$ if it {each}. A first release of level {one} has the chances $p(y)$ on one data set and $p'(y)$ on its neighbour. Its output $y$ decides "
            f"which release comes second; each that may come has level {other}, with the chances $q_y(z)$ and $q'_y(z)$. (a) Prove that the pair of outputs is {both}. (b) Prove that {more}. "
            f"(c) A curator would {done}. Prove in one line that what (a) says of the pair holds of this too."
        ),
        rubric={
            "(a) the joint law of both outputs, and a bound that holds for each first output": 2,
            "(b)": 1,
            "(c) what is passed on as a function of the pair and of chance, and what that does": 1,
        },
        solution=(
            f"(a) {why} (b) {because} (c) What is passed on is $g(y, z)$, where {AFTER[done]}: a function of the pair, and of chance independent of the data. All three quantities (the largest log-ratio of chances of an event, the "
            "total variation, the sum of $p^2/p'$) can only become smaller, the last one by the Cauchy-Schwarz inequality."
        ),
        section=f"“Losses of several releases add up” {CHAPTER}",
        minutes=40,
    )


TEMPLATES = [concentrated, sampled, exact, ledger, releases, prove]
