"""Wrong answers that must lose these marks and no others."""

VARIANCE = "variance = theta * (1 - theta) / n + 2 / (epsilon * n) ** 2"
MGF = "mgf = (1 - theta + theta * sp.exp(t)) / (1 - t**2 / epsilon**2) ** (1 / n)"
MATCH = """
def match(share, n, epsilon, size, rng):
    noise = rng.laplace(0, 1 / (epsilon * n), size)
    k = np.clip(np.round(n * (share - noise)), 0, n)
    {result}
"""
PVALUE = """
def p_value(z, n, theta, epsilon):
    x = np.arange(n + 1)
    return float(stats.binom.pmf(x, n, theta) @ {cdf})


mine_p = {mine}
"""
MINE = (
    "float(stats.binom.pmf(np.arange(PEOPLE + 1), PEOPLE, 0.3)"
    " @ tulap_cdf(np.arange(PEOPLE + 1) - RELEASED, BUDGET))"
)
WRONG = {
    "the printed variance (E002-16)": (
        {"moments": f"variance = (theta * (1 - theta) + 2 / epsilon**2) / n\n{MGF}"},
        ["variance-test"],
    ),
    "the printed generating function (E002-14)": (
        {"moments": f"{VARIANCE}\nmgf = (1 - theta + theta * sp.exp(t)) / (1 - t**2 / epsilon**2)"},
        ["mgf-test"],
    ),
    "the chance of a true report (E002-02)": (
        {"posterior": "posterior = sp.Rational(1, 2) + delta"},
        ["posterior-test"],
    ),
    "continuous noise": (
        {"tulap": "def tulap_cdf(x, epsilon):\n    return stats.laplace.cdf(x, scale=1 / epsilon)"},
        ["tulap-test", "pvalue-test", "mine-test"],
    ),
    "half of the budget": (
        {
            "tulap": "def tulap_cdf(x, epsilon):\n"
            "    x, b = np.asarray(x, dtype=float), math.exp(-epsilon / 2)\n"
            "    k = np.round(np.abs(x))\n"
            "    tail = b**k / (1 + b) * (b + (k - np.abs(x) + 0.5) * (1 - b))\n"
            "    return np.where(x <= 0, tail, 1 - tail)"
        },
        ["tulap-test", "pvalue-test", "mine-test"],
    ),
    "the other tail": (
        {"pvalue": PVALUE.format(cdf="tulap_cdf(z - x, epsilon)", mine=MINE)},
        ["pvalue-test"],
    ),
    "the noise ignored": (
        {
            "pvalue": "def p_value(z, n, theta, epsilon):\n"
            "    return float(stats.binom.sf(z - 1, n, theta))\n\n\n"
            "mine_p = p_value(RELEASED, PEOPLE, 0.3, BUDGET)"
        },
        ["pvalue-test", "mine-test"],
    ),
    "a uniform division is the next beta law (E002-08)": (
        {"match": MATCH.format(result="return rng.beta(k + 1, n - k + 1)")},
        ["match-test"],
    ),
    "the printed generator (E002-09)": (
        {
            "match": "def match(share, n, epsilon, size, rng):\n    w = rng.random(size) - 0.5\n"
            "    noise = -np.sign(w) * np.log(1 - np.abs(w)) / (epsilon * n)\n"
            "    k = np.clip(np.round(n * (share - noise)), 0, n)\n"
            "    return rng.beta(k + 0.5, n - k + 0.5)"
        },
        ["match-test"],
    ),
    "ranks that are not whole (E002-11)": (
        {
            "match": "def match(share, n, epsilon, size, rng):\n"
            "    k = np.clip(n * (share - rng.laplace(0, 1 / (epsilon * n), size)), 0, n)\n"
            "    return rng.beta(k + 0.5, n - k + 0.5)"
        },
        ["match-test"],
    ),
    "zero and one beyond the ends (E002-12)": (
        {
            "match": "def match(share, n, epsilon, size, rng):\n"
            "    free = share - rng.laplace(0, 1 / (epsilon * n), size)\n"
            "    k = np.clip(np.round(n * free), 0, n)\n    draws = rng.beta(k + 0.5, n - k + 0.5)\n"
            "    return np.where(free > 1, 1.0, np.where(free < 0, 0.0, draws))"
        },
        ["match-test"],
    ),
    "a guess where nothing is certain": (
        {
            "attack": "def attack(released, others, n, epsilon):\n"
            "    return (n * np.asarray(released) - others > 0.5).astype(int)"
        },
        ["attack-test"],
    ),
    "nothing is ever certain": (
        {
            "attack": "def attack(released, others, n, epsilon):\n    return np.full(len(others), -1)"
        },
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "tulap": "def tulap_cdf(x, epsilon):\n    return np.full(np.shape(x), 0.5)",
            "pvalue": "def p_value(z, n, theta, epsilon):\n    return 0.05\n\n\nmine_p = 0.5",
            "match": "def match(share, n, epsilon, size, rng):\n    return np.full(size, share)",
        },
        ["tulap-test", "pvalue-test", "mine-test", "match-test"],
    ),
    "a fixed seed": (
        {
            "match": MATCH.format(result="return rng.beta(k + 0.5, n - k + 0.5)").replace(
                "    noise", "    rng = np.random.default_rng(1)\n    noise", 1
            )
        },
        ["match-test"],
    ),
    "one noise for all draws": (
        {
            "match": MATCH.format(result="return rng.beta(k + 0.5, n - k + 0.5)")
            .replace("(epsilon * n), size)", "(epsilon * n))")
            .replace("n - k + 0.5)", "n - k + 0.5, size)")
        },
        ["match-test"],
    ),
    "the point in the middle": (
        {"match": MATCH.format(result="return (k + 0.5) / (n + 1)")},
        ["match-test"],
    ),
}
