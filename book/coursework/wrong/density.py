"""Wrong answers that must lose these marks and no others."""

from marking.spoiled import spoiled

STOP = "    if not {0} > 0:\n        raise ValueError('{0} must be positive')\n"
A = "a = -2 * beta / (2 * beta + 1)\n"
B = "b = -2 * beta / (2 * beta + 2)\n"
BINS = "bins = (beta * n * alpha**2) ** (1 / (2 * beta + 2))"
MINE = "\nmine_variance = 10 / PEOPLE * 0.9 + 800 / (PEOPLE * BUDGET**2)"
SEND = (
    "def privatize(bins, K, alpha, rng):\n"
    "    held = np.arange(K) == np.asarray(bins)[:, None]\n    return held + "
)
WRONG = {
    "the sign of the exponent of K (E000-22)": (
        {"rates": A + B + "bins = (beta * n * alpha**2) ** (-1 / (2 * beta + 2))"},
        ["bins-test"],
    ),
    "privacy costs people and not rate": (
        {"rates": A + "b = -2 * beta / (2 * beta + 1)\n" + BINS},
        ["rates-test"],
    ),
    "the order without its constant": (
        {"rates": A + B + "bins = (n * alpha**2) ** (1 / (2 * beta + 2))"},
        ["bins-test"],
    ),
    "sampling without K (E000-21)": (
        {"variance": "variance = (1 - q) / n + 8 * K**2 / (n * alpha**2)" + MINE},
        ["variance-test"],
    ),
    "one noise for everybody (E000-19)": (
        {"variance": "variance = K / n * (1 - q) + 8 * K**3 / (n**2 * alpha**2)" + MINE},
        # The number is held to the formula.
        ["variance-test", "mine-test"],
    ),
    "noise without its own variance of two": (
        {
            "variance": "variance = K / n * (1 - q) + 4 * K**2 / (n * alpha**2)\n"
            "mine_variance = 10 / PEOPLE * 0.9 + 400 / (PEOPLE * BUDGET**2)"
        },
        ["variance-test", "mine-test"],
    ),
    "bins on the unit interval (E000-17)": (
        {
            "histogram": "def histogram(x, M, K):\n"
            "    return np.histogram(x, bins=K, range=(0, 1))[0] * K / len(x)"
        },
        ["histogram-test"],
    ),
    "closed bins (E000-18)": (
        {
            "histogram": "def histogram(x, M, K):\n"
            "    x, low = np.asarray(x)[:, None], np.arange(K) * M / K\n"
            "    return ((x >= low) & (x <= low + M / K)).mean(axis=0) * K / M"
        },
        ["histogram-test"],
    ),
    "one row of noise for everybody (E000-19)": (
        {"privatize": SEND + "rng.laplace(0, 2 / alpha, K)"},
        ["privatize-test"],
    ),
    "one noise for each person": (
        {"privatize": SEND + "rng.laplace(0, 2 / alpha, (len(held), 1))"},
        ["privatize-test"],
    ),
    "noise for one bin and not for two": (
        {"privatize": SEND + "rng.laplace(0, 1 / alpha, held.shape)"},
        ["privatize-test"],
    ),
    "the scale upside down (E000-23)": (
        {"privatize": SEND + "rng.laplace(0, alpha, held.shape)"},
        ["privatize-test"],
    ),
    "the largest entry": (
        {"attack": "def attack(sent):\n    return np.argmax(sent, axis=1)"},
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "histogram": "def histogram(x, M, K):\n    return np.ones(K)",
            "privatize": "def privatize(bins, K, alpha, rng):\n    return np.zeros((len(bins), K))",
            "attack": "def attack(sent):\n    return np.zeros(len(sent), dtype=int)",
        },
        ["histogram-test", "privatize-test", "attack-test"],
    ),
    "a budget that is never looked at": (
        {"privatize": SEND + "rng.laplace(0, 2 / abs(alpha), held.shape)"},
        ["privatize-test"],
    ),
    **spoiled(
        "privatize",
        "privatize-test",
        "def privatize(bins, K, alpha, rng):\n" + STOP.format("alpha"),
        "2 / alpha",
        "(len(bins), K)",
        "return (np.arange(K) == np.asarray(bins)[:, None]) + z",
    ),
}
