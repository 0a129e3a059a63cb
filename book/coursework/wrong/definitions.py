"""Wrong answers that must lose these marks and no others."""

LEVELS = """
def pure(channel):
    {pure}


def approximate(channel, epsilon):
    channel = np.asarray(channel)
    excess = channel[:, None, :] - math.exp(epsilon) * channel[None, :, :]
    return float(np.maximum(excess, 0).{total}(axis=-1).max())


def variation(channel):
    channel = np.asarray(channel)
    return float(abs(channel[:, None, :] - channel[None, :, :]).sum(axis=-1).max()){half}
"""
PURE = (
    "used = channel[:, channel.max(axis=0) > 0]\n"
    "    return float(np.log(used.max(axis=0) / used.min(axis=0)).max())"
)


def levels(pure: str = PURE, total: str = "sum", half: str = " / 2") -> dict[str, str]:
    """The reference, with some part replaced."""
    return {"levels": LEVELS.format(pure=pure, total=total, half=half)}


WRONG = {
    "two of the four inequalities": (
        {
            "region": "def possible(p, q, epsilon):\n"
            "    return p <= math.exp(epsilon) * q and q <= math.exp(epsilon) * p"
        },
        ["region-test"],
    ),
    "one side only": (
        {
            "region": "def possible(p, q, epsilon):\n"
            "    e = math.exp(epsilon)\n    return p <= e * q and 1 - q <= e * (1 - p)"
        },
        ["region-test"],
    ),
    "the gap at small budgets": (
        {"gap": "gap = epsilon / 2\ncorner = 1 / (1 + sp.exp(-epsilon))"},
        ["gap-test"],
    ),
    "the gap from one inequality": (
        {"gap": "gap = 1 - sp.exp(-epsilon)\ncorner = sp.Integer(1)"},
        ["gap-test"],
    ),
    "a ratio in the printed direction only": (
        levels(
            pure="p, q = channel[0], channel[-1]\n    return float(np.log(p[q > 0] / q[q > 0]).min())"
        ),
        ["pure-test"],
    ),
    "zero over zero": (
        levels(pure="return float(np.log(channel.max(axis=0) / channel.min(axis=0)).max())"),
        ["pure-test"],
    ),
    "delta from single outputs (E001-01)": (levels(total="max"), ["approximate-test"]),
    "total variation without the half": (levels(half=""), ["variation-test"]),
    "a fair coin is not private, a bit each is (E000-07)": (
        {"quiz": "private = {i for i, j in enumerate(ORDER) if j in {0, 3, 6, 7, 9}}"},
        ["quiz-test"],
    ),
    "noise makes unbounded data private (E000-24)": (
        {"quiz": "private = {i for i, j in enumerate(ORDER) if j in {0, 1, 2, 3, 7, 9}}"},
        ["quiz-test"],
    ),
    "the scale grows with the budget (E000-23)": (
        {"quiz": "private = {i for i, j in enumerate(ORDER) if j in {0, 1, 3, 4, 7, 9}}"},
        ["quiz-test"],
    ),
    "a loss drawn at the wrong count": (
        {
            "losses": "def losses(sigma, size, rng):\n    z = sigma * rng.standard_normal(size)\n"
            "    return (z - 0.5) / sigma**2"
        },
        ["losses-test"],
    ),
    "a loss with a variance that is not squared": (
        {
            "losses": "def losses(sigma, size, rng):\n"
            "    return 0.5 / sigma**2 + rng.standard_normal(size) / sigma**0.5"
        },
        ["losses-test"],
    ),
    "the middle of the two counts (E003-06)": (
        {"witness": "def witness(sigma, epsilon):\n    return 0.5"},
        ["witness-test"],
    ),
    "hard-coded outputs": (
        {
            "region": "def possible(p, q, epsilon):\n    return True",
            "losses": "def losses(sigma, size, rng):\n    return np.full(size, 0.5)",
            "witness": "def witness(sigma, epsilon):\n    return 2.0",
        },
        ["region-test", "losses-test", "witness-test"],
    ),
    "only the first two rows compared": (
        levels(
            pure="p, q = channel[:2, channel[:2].min(axis=0) > 0]\n"
            "    return float(abs(np.log(p / q)).max())"
        ),
        ["pure-test"],
    ),
    "only the first and the last row compared": (
        levels(
            pure="p, q = channel[[0, -1]]\n    p, q = p[q > 0], q[q > 0]\n"
            "    return float(abs(np.log(p / q)).max())"
        ),
        ["pure-test"],
    ),
    "only rows that follow each other compared": (
        levels(
            pure="used = channel[:, channel.max(axis=0) > 0]\n"
            "    return float(abs(np.diff(np.log(used), axis=0)).max())"
        ),
        ["pure-test"],
    ),
    "all rows compared with the first, and not with each other": (
        levels(
            pure="used = channel[:, channel.max(axis=0) > 0]\n"
            "    return float(abs(np.log(used / used[0])).max())"
        ),
        ["pure-test"],
    ),
    "delta between the first row and the others": (
        {
            "levels": levels()["levels"].replace(
                "excess = channel[:, None, :] - ", "excess = channel[:1, None, :] - "
            )
        },
        ["approximate-test"],
    ),
    "total variation of the first and the last row": (
        {
            "levels": levels()["levels"].replace(
                "abs(channel[:, None, :] - channel[None, :, :]).sum(axis=-1).max()",
                "abs(channel[0] - channel[-1]).sum()",
            )
        },
        ["variation-test"],
    ),
    "losses from a fixed seed": (
        {
            "losses": "def losses(sigma, size, rng):\n    rng = np.random.default_rng(2)\n"
            "    return (0.5 / sigma + rng.standard_normal(size)) / sigma"
        },
        ["losses-test"],
    ),
    "losses on a grid of quantiles": (
        {
            "losses": "def losses(sigma, size, rng):\n    u = (np.arange(size) + 0.25) / size\n"
            "    return (0.5 / sigma + rng.permutation(stats.norm.ppf(u))) / sigma"
        },
        ["losses-test"],
    ),
    "losses cut at three standard deviations": (
        {
            "losses": "def losses(sigma, size, rng):\n"
            "    z = np.clip(rng.standard_normal(size), -3, 3)\n"
            "    return (0.5 / sigma + z) / sigma"
        },
        ["losses-test"],
    ),
    "losses ten per cent too narrow": (
        {
            "losses": "def losses(sigma, size, rng):\n"
            "    return (0.5 / sigma + 0.9 * rng.standard_normal(size)) / sigma"
        },
        ["losses-test"],
    ),
    **{
        f"the constant {threshold} as a witness": (
            {"witness": f"def witness(sigma, epsilon):\n    return {threshold}"},
            ["witness-test"],
        )
        for threshold in (1.0, 10.0, 30.0, 70.0, 1e3, 1e9, 1e300)
    },
    "a threshold where the loss is the budget, without its half": (
        {"witness": "def witness(sigma, epsilon):\n    return sigma**2 * epsilon - 0.5"},
        ["witness-test"],
    ),
}
