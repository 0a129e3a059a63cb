"""Wrong answers that must lose these marks and no others."""

from marking.spoiled import spoiled

STOP = "    if not {0} > 0:\n        raise ValueError('{0} must be positive')\n"
HISTOGRAM = "def histogram(records, bins, epsilon, rng):\n"
RADIUS = "radius = -2 / BUDGET * math.log(-math.expm1(math.log(0.95) / BINS))"
WRONG = {
    "the bound of the accuracy theorem as an equality (E002-03)": (
        {"tail": f"tail = d * sp.exp(-r / lam)\n{RADIUS}"},
        ["tail-test"],
    ),
    "the radius of the union bound, with half the noise": (
        {"tail": "tail = 1 - (1 - sp.exp(-r / lam)) ** d\nradius = math.log(BINS / 0.05) / BUDGET"},
        ["radius-test"],
    ),
    "the radius of the union bound (E002-03)": (
        {
            "tail": "tail = 1 - (1 - sp.exp(-r / lam)) ** d\nradius = 2 * math.log(BINS / 0.05) / BUDGET"
        },
        ["radius-test"],
    ),
    "one coordinate": ({"tail": f"tail = sp.exp(-r / lam)\n{RADIUS}"}, ["tail-test"]),
    "averaging helps (E001-11)": ({"average": "average = 2 / (d * epsilon**2)"}, ["average-test"]),
    "averaging changes nothing": ({"average": "average = 2 / epsilon**2"}, ["average-test"]),
    "the variance of the mean noise, divided again (E000-12)": (
        {"local": "local = v / n + 8 * M**2 / (n**2 * alpha**2)"},
        ["local-test"],
    ),
    "noise without its own variance of two": (
        {"local": "local = v / n + 4 * M**2 / (n * alpha**2)"},
        ["local-test"],
    ),
    "sensitivity on the data": (
        {
            "scale": "def scale(answers, data, epsilon):\n"
            "    return max(\n        float(np.abs(np.subtract(answers[data], fy)).sum())\n"
            "        for y, fy in answers.items()\n"
            "        if sum(a != b for a, b in zip(data, y)) == 1\n    ) / epsilon"
        },
        ["scale-test"],
    ),
    "any two data sets are neighbours, in the largest coordinate": (
        {
            "scale": "def scale(answers, data, epsilon):\n"
            "    rows = np.array(list(answers.values()))\n    return np.ptp(rows) * 2.01 / epsilon"
        },
        ["scale-test"],
    ),
    "the printed generator (E002-09)": (
        {
            "noise": "def noise(scale, size, rng):\n    w = rng.random(size) - 0.5\n"
            "    return -scale * np.sign(w) * np.log(1 - np.abs(w))"
        },
        ["noise-test"],
    ),
    "the scale upside down (E000-23)": (
        {"noise": "def noise(scale, size, rng):\n    return rng.laplace(0, 1 / scale, size)"},
        ["noise-test"],
    ),
    "noise of one sign": (
        {"noise": "def noise(scale, size, rng):\n    return rng.exponential(scale, size)"},
        ["noise-test"],
    ),
    "one record added in place of one replaced (E001-07)": (
        {
            "histogram": "def histogram(records, bins, epsilon, rng):\n"
            "    return np.bincount(records, minlength=bins) + rng.laplace(0, 1 / epsilon, bins)"
        },
        ["histogram-test"],
    ),
    "noise where there is somebody": (
        {
            "histogram": "def histogram(records, bins, epsilon, rng):\n"
            "    counts = np.bincount(records, minlength=bins)\n"
            "    return counts + rng.laplace(0, 2 / epsilon, bins) * (counts > 0)"
        },
        ["histogram-test"],
    ),
    "the level in place of the spread": (
        {
            "attack": "def attack(answers, n, epsilon):\n"
            "    return (np.mean(answers, axis=1) > 0).astype(int)"
        },
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "scale": "def scale(answers, data, epsilon):\n    return 2.0",
            "noise": "def noise(scale, size, rng):\n    return np.zeros(size)",
            "histogram": "def histogram(records, bins, epsilon, rng):\n    return np.zeros(bins)",
            "attack": "def attack(answers, n, epsilon):\n    return np.ones(len(answers), dtype=int)",
        },
        ["scale-test", "noise-test", "histogram-test", "attack-test"],
    ),
    "noise shrunk for large counts": (
        {
            "histogram": HISTOGRAM
            + STOP.format("epsilon")
            + "    counts = np.bincount(records, minlength=bins)\n"
            "    return counts + rng.laplace(0, 2 / epsilon, bins) / np.maximum(1, counts)"
        },
        ["histogram-test"],
    ),
    "counts below zero cut off": (
        {
            "histogram": HISTOGRAM
            + STOP.format("epsilon")
            + "    counts = np.bincount(records, minlength=bins)\n"
            "    return np.maximum(counts + rng.laplace(0, 2 / epsilon, bins), 0)"
        },
        ["histogram-test"],
    ),
    "the last bin takes what is left, so that the total is exact": (
        {
            "histogram": HISTOGRAM
            + STOP.format("epsilon")
            + "    shown = np.bincount(records, minlength=bins) + rng.laplace(0, 2 / epsilon, bins)\n"
            "    shown[-1] += len(records) - shown.sum()\n    return shown"
        },
        ["histogram-test"],
    ),
    "the true counts when there is no budget": (
        {
            "histogram": HISTOGRAM + "    counts = np.bincount(records, minlength=bins)\n"
            "    return counts + (rng.laplace(0, 2 / epsilon, bins) if epsilon > 0 else 0)"
        },
        ["histogram-test"],
    ),
    **spoiled(
        "noise", "noise-test", "def noise(scale, size, rng):\n", "scale", "(size,)", "return z"
    ),
    **spoiled(
        "histogram",
        "histogram-test",
        HISTOGRAM + STOP.format("epsilon"),
        "2 / epsilon",
        "(bins,)",
        "return np.bincount(records, minlength=bins) + z",
    ),
}
