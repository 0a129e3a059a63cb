"""Ways to spoil a mechanism: the wrong answers that every question for one must refuse."""

# Each makes `z`, noise of scale `b` and of the shape `form`, from the generator `rng`.
SPOILED = {
    "a fixed seed": "z = np.random.default_rng(1).laplace(0, b, form)",
    "a seed of few values": "z = np.random.default_rng(int(rng.integers(8))).laplace(0, b, form)",
    "another generator than the one given": "z = np.random.default_rng().laplace(0, b, form)",
    "a grid of quantiles": (
        "u = rng.permutation((np.arange(np.prod(form)) + 0.25) / np.prod(form)).reshape(form)\n"
        "    z = stats.laplace.ppf(u, scale=b)"
    ),
    "one draw in each of many equal parts": (
        "u = rng.permutation(np.arange(np.prod(form)) + rng.random(np.prod(form)))\n"
        "    z = stats.laplace.ppf(u.reshape(form) / np.prod(form), scale=b)"
    ),
    "tails cut at five scales": "z = np.clip(rng.laplace(0, b, form), -5 * b, 5 * b)",
    "tails drawn again from four scales on": (
        "z = stats.laplace.ppf(rng.uniform(np.exp(-4) / 2, 1 - np.exp(-4) / 2, form), scale=b)"
    ),
    "ten per cent too little noise": "z = rng.laplace(0, 0.9 * b, form)",
    "ten per cent too much noise": "z = rng.laplace(0, 1.1 * b, form)",
    "normal noise of the right variance": "z = rng.normal(0, b * np.sqrt(2), form)",
    "uniform noise of the right variance": "z = rng.uniform(-b * np.sqrt(6), b * np.sqrt(6), form)",
    "one noise for all": "z = np.full(form, rng.laplace(0, b))",
    "noise mirrored": (
        "z = rng.laplace(0, b, int(np.prod(form)))\n"
        "    z[len(z) // 2 :] = -z[: len(z) - len(z) // 2]\n    z = z.reshape(form)"
    ),
    "the first value without noise": "z = rng.laplace(0, b, form)\n    z.flat[0] = 0",
    "rounded noise": "z = np.round(rng.laplace(0, b, form), 2)",
    "noise of one sign": "z = rng.exponential(b, form)",
}


def spoiled(name, test, before, scale, form, after):
    """The listed ways in one answer: `before`, then `z` of this scale and form, then `after`.

    name: of the answer's cell; test: of the one that must refuse. Indented as in a function.
    """
    return {
        f"{name}: {title}": (
            {name: f"{before}    b, form = {scale}, {form}\n    {code}\n    {after}"},
            [test],
        )
        for title, code in SPOILED.items()
    }
