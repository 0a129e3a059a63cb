"""Wrong answers that must lose these marks and no others."""

STOP = "    if not {0} > 0:\n        raise ValueError('{0} must be positive')\n"


def reporting(flips: str, stop: str = STOP.format("alpha")) -> tuple[dict[str, str], list[str]]:
    """The reference, with other flips."""
    head = "def report(categories, d, alpha, rng):\n" + stop
    truth = "    truth = np.arange(d) == np.asarray(categories)[:, None]\n"
    chance = "    chance = 1 / (1 + math.exp(alpha / 2))\n"
    code = f"{head}{truth}{chance}    {flips}\n    return (truth ^ flips).astype(int)"
    return {"report": code}, ["report-test"]


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
    "a fixed seed": reporting("flips = np.random.default_rng(1).random(truth.shape) < chance"),
    "a seed of few values": reporting(
        "flips = np.random.default_rng(int(rng.integers(8))).random(truth.shape) < chance"
    ),
    "another generator than the one given": reporting(
        "flips = np.random.default_rng().random(truth.shape) < chance"
    ),
    "a budget ten per cent too large": reporting(
        "flips = rng.random(truth.shape) < 1 / (1 + math.exp(0.55 * alpha))"
    ),
    "a budget ten per cent too small": reporting(
        "flips = rng.random(truth.shape) < 1 / (1 + math.exp(0.45 * alpha))"
    ),
    "the same number of flips in every column": reporting(
        "grid = np.arange(len(truth))[:, None] < round(chance * len(truth))\n"
        "    flips = rng.permuted(np.broadcast_to(grid, truth.shape).copy(), axis=0)"
    ),
    "the first bit never flipped": reporting(
        "flips = rng.random(truth.shape) < chance\n    flips[:, 0] = False"
    ),
    "the first person never flipped": reporting(
        "flips = rng.random(truth.shape) < chance\n    flips[0] = False"
    ),
    "the same flips for everybody": reporting(
        "flips = np.broadcast_to(rng.random(d) < chance, truth.shape)"
    ),
    "the same flips for two neighbours": reporting(
        "flips = rng.random(truth.shape) < chance\n    flips[1::2] = flips[: len(flips) // 2 * 2 : 2]"
    ),
    "only the true bit flipped": reporting("flips = truth & (rng.random(truth.shape) < chance)"),
    "only the other bits flipped": reporting("flips = ~truth & (rng.random(truth.shape) < chance)"),
    "the chances exchanged": reporting("flips = rng.random(truth.shape) >= chance"),
    "a budget that is never looked at": reporting(
        "flips = rng.random(truth.shape) < 1 / (1 + math.exp(abs(alpha) / 2))", stop=""
    ),
    "the truth when there is no budget": reporting(
        "flips = (rng.random(truth.shape) < chance) & (alpha > 0)", stop=""
    ),
}
