"""Wrong answers that must lose these marks and no others."""

from marking.spoiled import spoiled

STOP = "    if not {0} > 0:\n        raise ValueError('{0} must be positive')\n"
MEAN = "def private_mean(x, rho, epsilon, size, rng):\n    x = np.asarray(x)\n"
MINE = "mine_floor = 1 / (16 * PEOPLE * LEVEL)"
WRONG = {
    "a factor of two in the contraction": (
        {"floor": f"best = 1 / (4 * n * alpha)\nfloor = 1 / (32 * n * alpha)\n{MINE}"},
        ["floor-test"],
    ),
    "the wrong pair for the right floor": (
        {"floor": f"best = 2 / (n * alpha)\nfloor = 1 / (16 * n * alpha)\n{MINE}"},
        ["floor-test"],
    ),
    "somebody else's numbers": (
        {
            "floor": "best = 1 / (2 * n * alpha)\nfloor = 1 / (16 * n * alpha)\n"
            "mine_floor = 1 / (16 * 100 * 0.1)"
        },
        ["mine-test"],
    ),
    "total variation without the half": (
        {
            "points": "def two_points(p0, p1, gap, n, alpha):\n"
            "    return gap / 4 * (1 - min(1.0, n * alpha * np.abs(np.subtract(p0, p1)).sum()))"
        },
        ["points-test"],
    ),
    "a floor below zero": (
        {
            "points": "def two_points(p0, p1, gap, n, alpha):\n"
            "    return gap / 4 * (1 - n * alpha * np.abs(np.subtract(p0, p1)).sum() / 2)"
        },
        ["points-test"],
    ),
    "the exponent with the other sign (E000-22)": (
        {"cut": "cut = r * (n**2 * epsilon**2 / (8 * (k - 1))) ** (-1 / (2 * k))"},
        ["cut-test"],
    ),
    "the order without its constant": (
        {"cut": "cut = r * (n * epsilon) ** (1 / k)"},
        ["cut-test"],
    ),
    "the smallest record (E003-02)": (
        {"largest": "largest = theta**2 * (1 - 2 / (n + 1) + 2 / ((n + 1) * (n + 2)))"},
        ["largest-test"],
    ),
    "unsquared risk": ({"largest": "largest = theta / (n + 1)"}, ["largest-test"]),
    "sensitivity on the data": (
        {
            "release": MEAN + "    cut = np.clip(x, -rho, rho)\n"
            "    return cut.mean() + rng.laplace(0, np.ptp(cut) / (len(x) * epsilon), size)"
        },
        ["release-test"],
    ),
    "nothing cut": (
        {
            "release": MEAN
            + "    return x.mean() + rng.laplace(0, 2 * rho / (len(x) * epsilon), size)"
        },
        ["release-test"],
    ),
    "the scale upside down (E000-23)": (
        {
            "release": MEAN + "    cut = np.clip(x, -rho, rho)\n"
            "    return cut.mean() + rng.laplace(0, 2 * rho * epsilon * len(x), size)"
        },
        ["release-test"],
    ),
    "always the output": (
        {"attack": "def attack(output, others):\n    return output"},
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "points": "def two_points(p0, p1, gap, n, alpha):\n    return 1.0",
            "release": MEAN + "    return np.zeros(size)",
            "attack": "def attack(output, others):\n    return None",
        },
        ["points-test", "release-test", "attack-test"],
    ),
    "a clip at the upper end alone": (
        {
            "release": MEAN + STOP.format("epsilon") + "    cut = np.minimum(x, rho)\n"
            "    return cut.mean() + rng.laplace(0, 2 * rho / (len(x) * epsilon), size)"
        },
        ["release-test"],
    ),
    "records beyond the ends left out": (
        {
            "release": MEAN + STOP.format("epsilon") + "    cut = x[np.abs(x) <= rho]\n"
            "    return cut.mean() + rng.laplace(0, 2 * rho / (len(x) * epsilon), size)"
        },
        ["release-test"],
    ),
    "the release cut and not the records": (
        {
            "release": MEAN + STOP.format("epsilon") + "    b = 2 * rho / (len(x) * epsilon)\n"
            "    return np.clip(x.mean() + rng.laplace(0, b, size), -rho, rho)"
        },
        ["release-test"],
    ),
    "the sensitivity of records of one sign": (
        {
            "release": MEAN + STOP.format("epsilon") + "    cut = np.clip(x, -rho, rho)\n"
            "    return cut.mean() + rng.laplace(0, rho / (len(x) * epsilon), size)"
        },
        ["release-test"],
    ),
    "the true mean when there is no budget": (
        {
            "release": MEAN + "    cut = np.clip(x, -rho, rho)\n    b = 2 * rho / len(x)\n"
            "    return cut.mean() + (rng.laplace(0, b / epsilon, size) if epsilon > 0 else 0)"
        },
        ["release-test"],
    ),
    **spoiled(
        "release",
        "release-test",
        MEAN + STOP.format("epsilon"),
        "2 * rho / (len(x) * epsilon)",
        "(size,)",
        "return np.clip(x, -rho, rho).mean() + z",
    ),
}
