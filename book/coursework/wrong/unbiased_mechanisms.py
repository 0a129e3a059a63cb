"""Wrong answers that must lose these marks and no others."""

from marking.spoiled import spoiled

STOP = "    if not {0} > 0:\n        raise ValueError('{0} must be positive')\n"
CHI = "chi = sp.exp(-epsilon) * (sp.exp(epsilon) - 1) ** 2\n"
FLOOR = "floor = w / (4 * n * sp.sinh(epsilon / 2))\n"
GAUSS = "gauss = sp.sqrt(2 * tr / rho) / n\n"
WIDTH = """
def width(shape, direction):
    return {value}


mine_width = {mine}
"""
NORM = "2 * float(np.linalg.norm(np.transpose(shape) @ direction))"
MINE = "2 * float(np.linalg.norm(np.transpose(SHAPE) @ DIRECTION))"
NOISE = "def noise(shape, n, epsilon, size, rng):\n    d = len(shape)\n"
LEFT = (
    "def attack(released, others, shape):\n    others = np.asarray(others)\n"
    "    left = (len(others) + 1) * np.asarray(released) - others.sum(axis=0)\n"
)
WRONG = {
    "the divergence at small budgets": (
        {"constants": "chi = epsilon**2\n" + FLOOR + GAUSS},
        ["chi-test"],
    ),
    "the square of the largest excess": (
        {"constants": "chi = (sp.exp(epsilon) - 1) ** 2\n" + FLOOR + GAUSS},
        ["chi-test"],
    ),
    "a floor that is not square-rooted": (
        {"constants": CHI + "floor = (w / (4 * n * sp.sinh(epsilon / 2))) ** 2\n" + GAUSS},
        ["floor-test"],
    ),
    "n under the root (E004-02)": (
        {"constants": CHI + FLOOR + "gauss = sp.sqrt(2 * tr) / sp.sqrt(rho * n)"},
        ["gauss-test"],
    ),
    "the variance under p": (
        {
            "hcr": "def least_variance(p, q, y):\n    p, q, y = map(np.asarray, (p, q, y))\n"
            "    return float((y @ (p - q)) ** 2 / ((p - q) ** 2 / p).sum())"
        },
        ["hcr-test"],
    ),
    "an unsquared difference (E000-10)": (
        {
            "hcr": "def least_variance(p, q, y):\n    p, q, y = map(np.asarray, (p, q, y))\n"
            "    return float(abs(y @ (p - q)) / ((p - q) ** 2 / q).sum())"
        },
        ["hcr-test"],
    ),
    "the matrix not transposed": (
        {"width": WIDTH.format(value="2 * float(np.linalg.norm(shape @ direction))", mine=MINE)},
        ["width-test"],
    ),
    "the support function": (
        {
            "width": WIDTH.format(
                value=NORM.replace("2 * ", ""),
                mine=NORM.replace("2 * ", "")
                .replace("shape", "SHAPE")
                .replace("direction", "DIRECTION"),
            )
        },
        ["width-test", "mine-test"],
    ),
    "noise coordinate by coordinate (E004-04)": (
        {
            "noise": NOISE
            + "    z = rng.laplace(0, 2 * math.sqrt(d) / (n * epsilon), (size, d, d))\n"
            "    return (z * np.asarray(shape)).sum(axis=2)"
        },
        ["noise-test"],
    ),
    "the sensitivity of one coordinate": (
        {
            "noise": NOISE + "    z = rng.laplace(0, 2 / (n * epsilon), (size, d))\n"
            "    return z @ np.transpose(shape)"
        },
        ["noise-test"],
    ),
    "the matrix on the wrong side": (
        {
            "noise": NOISE + "    z = rng.laplace(0, 2 * math.sqrt(d) / (n * epsilon), (size, d))\n"
            "    return z @ np.asarray(shape)"
        },
        ["noise-test"],
    ),
    "noise and all": ({"attack": LEFT + "    return left"}, ["attack-test"]),
    "the part in the range": (
        {"attack": LEFT + "    return shape @ np.linalg.pinv(shape) @ left"},
        ["attack-test"],
    ),
    "hard-coded outputs": (
        {
            "hcr": "def least_variance(p, q, y):\n    return 0.1875",
            "width": WIDTH.format(value="2.0", mine="2.0"),
            "noise": NOISE + "    return np.zeros((size, d))",
            "attack": "def attack(released, others, shape):\n    return np.zeros(len(released))",
        },
        ["hcr-test", "width-test", "mine-test", "noise-test", "attack-test"],
    ),
    "a budget that is never looked at": (
        {
            "noise": NOISE
            + "    z = rng.laplace(0, 2 * math.sqrt(d) / abs(n * epsilon), (size, d))\n"
            "    return z @ np.transpose(shape)"
        },
        ["noise-test"],
    ),
    **spoiled(
        "noise",
        "noise-test",
        NOISE + STOP.format("epsilon"),
        "2 * math.sqrt(d) / (n * epsilon)",
        "(size, d)",
        "return z @ np.transpose(shape)",
    ),
}
