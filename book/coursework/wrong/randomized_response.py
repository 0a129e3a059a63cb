"""Wrong answers that must lose these marks and no others."""

WRONG = {
    "only the exact level counts": (
        {
            "levels": "satisfied = [level == math.log(TRUTH[0] / (TRUTH[1] - TRUTH[0])) for level in LEVELS]"
        },
        ["levels-test"],
    ),
    "the levels of somebody else": (
        {"levels": "satisfied = [False, False, True, True]"},
        ["levels-test"],
    ),
    "scaled and not centred": (
        {
            "invert": "a = (sp.exp(epsilon) + 1) / (sp.exp(epsilon) - 1)\nc = sp.Integer(0)\n"
            "variance = n * sp.exp(epsilon) / (sp.exp(epsilon) - 1) ** 2"
        },
        ["invert-test"],
    ),
    "the variance of one report, not inverted": (
        {
            "invert": "a = (sp.exp(epsilon) + 1) / (sp.exp(epsilon) - 1)\nc = 1 / (sp.exp(epsilon) - 1)\n"
            "variance = n * sp.exp(epsilon) / (sp.exp(epsilon) + 1) ** 2"
        },
        ["variance-test"],
    ),
    "misplaced parenthesis (E000-09)": (
        {
            "estimate": "def estimate(reports, alpha):\n    E = math.exp(alpha / 2)\n"
            "    return np.mean((reports - 1) / (1 + E), axis=0) * (E + 1) / (E - 1)"
        },
        ["estimate-test"],
    ),
    "unsquared risk (E000-10)": (
        {"risk": "E = sp.exp(alpha / 2)\nrisk = sp.sqrt((d * E / (E - 1) ** 2 + 1 - s) / n)"},
        ["risk-test"],
    ),
    "the printed bound in place of the risk (E000-10)": (
        {"risk": "E = sp.exp(alpha / 2)\nrisk = d / n * ((E + 1) / (E - 1)) ** 2"},
        ["risk-test"],
    ),
    "risk without d (E000-11)": (
        {"risk": "E = sp.exp(alpha / 2)\nrisk = (E / (E - 1) ** 2 + 1 - s) / n"},
        ["risk-test"],
    ),
    "each bit spends the whole budget": (
        {
            "report": "def report(categories, d, alpha, rng):\n"
            "    truth = np.arange(d) == np.asarray(categories)[:, None]\n"
            "    return (truth ^ (rng.random(truth.shape) < 1 / (1 + math.exp(alpha)))).astype(int)"
        },
        ["report-test"],
    ),
    "one flip for all bits of a person": (
        {
            "report": "def report(categories, d, alpha, rng):\n"
            "    truth = np.arange(d) == np.asarray(categories)[:, None]\n"
            "    return (truth ^ (rng.random((len(truth), 1)) < 1 / (1 + math.exp(alpha / 2)))).astype(int)"
        },
        ["report-test"],
    ),
    "a fair coin (E000-07)": (
        {
            "report": "def report(categories, d, alpha, rng):\n    return rng.integers(0, 2, (len(categories), d))"
        },
        ["report-test"],
    ),
    "the first report": (
        {"attack": "def attack(reports, epsilon):\n    return np.asarray(reports)[:, 0]"},
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "estimate": "def estimate(reports, alpha):\n    return np.full(np.shape(reports)[1], 1 / 3)",
            "attack": "def attack(reports, epsilon):\n    return np.ones(len(reports), dtype=int)",
            "report": "def report(categories, d, alpha, rng):\n    return np.ones((len(categories), d), dtype=int)",
        },
        ["estimate-test", "report-test", "attack-test"],
    ),
}
