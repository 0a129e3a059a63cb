"""Changes of the package that change nothing: what `mutation` does not count."""

from __future__ import annotations

_BETA = "  # the series of the beta law is short below a half"
# Changes that no test can notice, because they change nothing that can be seen:
# (file, the line as it is, the line as changed, the reason), the lines without their indentation.
EQUIVALENT: list[tuple[str, str, str, str]] = [
    (
        "inference/_optimal_tests.py",
        "return np.where(fewer.sf(z) < 0.5, above, below)",
        "return np.where(fewer.sf(z) <= 0.5, above, below)",
        "at a half both sums are the same chance",
    ),
    (
        "density_estimation/_histograms.py",
        "totals = counts.sum(axis=-1)",
        "totals = counts.mean(axis=-1)",
        "of equally many cells: they are only compared with each other",
    ),
    (
        "reconstruction/_tables.py",
        "high = np.where(high < 0, some.counts.max(), high)",
        "high = np.where(high < 1, some.counts.max(), high)",
        "a cell whose table says 0 is brought back to 0 by that table",
    ),
    (
        "book/certificates.py",
        'x, rational = sympy.Symbol("x", positive=True), sympy.Rational',
        'x, rational = sympy.Symbol("x", ), sympy.Rational',
        "each range says so as well",
    ),
    (
        "lower_bounds/_bits.py",
        "e = level + 2 * np.sqrt(level) + 1e-300",
        "e = level + 2 * np.sqrt(level) + 1.0",
        "Newton's method from another start",
    ),
    (
        "reconstruction/_tables.py",
        "high = np.where(high < 0, some.counts.max(), high)",
        "high = np.where(high <= 0, some.counts.max(), high)",
        "a cell whose table says 0 is brought back to 0 by that table",
    ),
    (
        "unbiased_bounds/_ellipsoids.py",
        "_, singular, rows = np.linalg.svd(cloud, full_matrices=False)",
        "_, singular, rows = np.linalg.svd(cloud, full_matrices=True)",
        "there are as many points as dimensions, and the rows are the same",
    ),
    (
        "channels.py",
        "np.append(np.zeros(k * m), 1.0),",
        "np.append(np.ones(k * m), 1.0),",
        "the rows of a kernel sum to one: a constant is added to what is minimised",
    ),
    (
        "book/small_worlds.py",
        "mirrored = self.theta > Fraction(1, 2)" + _BETA,
        "mirrored = self.theta >= Fraction(1, 2)" + _BETA,
        "a half is its own mirror image",
    ),
    (
        "randomized_response/_enclosure.py",
        "_BITS = (128, 256, 512, 1024)  # of the balls, until the enclosure is narrow",
        "_BITS = (128, 257, 512, 1024)  # of the balls, until the enclosure is narrow",
        "one bit more",
    ),
    (
        "lower_bounds/_testing.py",
        "reach = 9 * np.sqrt(n * p * (1 - p)) + 30",
        "reach = 9 * np.sqrt(n * p + (1 - p)) + 30",
        "a wider window: the counts beside the other weigh less than 1e-16",
    ),
    (
        "k_anonymity/_measures.py",
        "counts = np.bincount(keys) if classes * m <= max(4 * ids.size, 2**16) else None",
        "counts = np.bincount(keys) if classes * m <= max(4 * ids.size, 2*16) else None",
        "two ways to the same counts: from a small table on, the other",
    ),
    (
        "results/_few_people.py",
        "return _median_error(lambda ends: normal_law(n, sigma, ends - 1))",
        "return _median_error(lambda ends: normal_law(n, sigma, ends * 1))",
        "the same problem in a mirror",
    ),
    (
        "guarantees/_closed_forms.py",
        "fraction = np.maximum(s, 4.0)",
        "fraction = np.maximum(s, 5.0)",
        "another start of a continued fraction that has converged: no digit of any value moves",
    ),
    (
        "lower_bounds/_curator_means.py",
        "if privacy.can_imply(ZCDP) and (rho := level(privacy, ZCDP)) < 300:",
        "if privacy.can_imply(ZCDP) and (rho := level(privacy, ZCDP)) <= 300:",
        "exp(600) is never the least that one person tells",
    ),
    (
        "guarantees/_pairs.py",
        "same = len(self.losses[0]) == len(there.losses[0]) and all(",
        "same = len(self.losses[0]) == len(there.losses[1]) and all(",
        "losses and their masses are as many",
    ),
    (
        "lower_bounds/_densities.py",
        "shares, np.atleast_1d(log_binary_packing_size(pairs, shares)), strict=True",
        "shares, np.atleast_1d(log_binary_packing_size(pairs, shares)), strict=False",
        "one size for each share",
    ),
    (
        "inference/_release_laws.py",
        "return np.where(np.isinf(z), z < 0, np.minimum(tail, 1.0))[()]",
        "return np.where(np.isinf(z), z < 1, np.minimum(tail, 1.0))[()]",
        "z is infinite",
    ),
    (
        "inference/_release_laws.py",
        "return np.where(np.isinf(z), z > 0, np.minimum(tail, 1.0))[()]",
        "return np.where(np.isinf(z), z > 1, np.minimum(tail, 1.0))[()]",
        "z is infinite",
    ),
    (
        "_validate.py",
        "if array.dtype != bool and np.bitwise_or.reduce(array, axis=None) not in (0, 1):",
        "if array.dtype != bool and np.bitwise_or.reduce(array, axis=None) not in (1, 1):",
        "zeros alone are then looked at one by one, and none of them is refused",
    ),
    (
        "guarantees/_orders.py",
        "slope = np.where(width > 0, rise / width, 0.0)  # ends may round to one double",
        "slope = np.where(width > 0, rise / width, 1.0)  # ends may round to one double",
        "where both ends are one number, b is that number, and the slope cancels",
    ),
    (
        "mechanisms.py",
        "assert gap <= scipy.stats.norm.isf(ERROR_RATE / 2) * np.sqrt(fourth / runs), (",
        "assert gap < scipy.stats.norm.isf(ERROR_RATE / 2) * np.sqrt(fourth / runs), (",
        "a drawn variance is that number with probability zero",
    ),
    (
        "hypercube.py",
        "pairs = x.reshape(-1, 2, step)",
        "pairs = x.reshape(-2, 2, step)",
        "any negative length is the one that is left",
    ),
    (
        "accounting/_pairs.py",
        "if np.allclose(p, q[::-1], rtol=1e-9, atol=_ROUNDING):",
        "if np.allclose(p, q[::-1],  atol=_ROUNDING):",
        "pairs come in both orders, so that their hull is symmetric but for rounding",
    ),
    (
        "guarantees/_implications.py",
        'delta = _validate.real("delta", delta, minimum=0, below=1)',
        'delta = _validate.real("delta", delta, minimum=0, )',
        "Approximate refuses it in the same words",
    ),
    (
        "mean_estimation/_plane.py",
        "edges = np.concatenate([pairs, pairs[:, ::-1]]) if epsilon < np.inf else pairs[:0]",
        "edges = np.concatenate([pairs, pairs[:, ::-1]]) if epsilon < np.inf else pairs[:1]",
        "at an infinite epsilon a pair asks of two probabilities that one be at least 0",
    ),
    (
        "mean_estimation/_plane.py",
        'method="highs",',
        "",
        "it is the solver that scipy takes by itself",
    ),
    (
        "privacy/_audit.py",
        "size = len(outputs[0])",
        "size = len(outputs[1])",
        "both inputs are run equally often",
    ),
    (
        "laplace/_integer_noise.py",
        "found = np.zeros(size, dtype=np.int64)",
        "found = np.zeros(size, )",
        "counts times a denominator of at most 2^40 are exact in doubles, and end among integers",
    ),
    (
        "laplace/_integer_noise.py",
        "z = np.arange(1, ceil(40 * np.sqrt(square)) + 2, dtype=float)",
        "z = np.arange(1, ceil(40 * np.sqrt(square)) + 4, dtype=float)",
        "beyond forty standard deviations a term is below e^-800",
    ),
    (
        "accounting/_grids.py",
        "return np.log(np.exp(exponents, out=exponents).sum(axis=1)) + largest[:, 0]",
        "return np.log(np.exp(exponents, ).sum(axis=1)) + largest[:, 0]",
        "the array is not used again, and only saves one more",
    ),
    (
        "unbiased_bounds/_ellipsoids.py",
        "return int((abs(even @ rows.T).max(axis=0) > 16 * len(ranges) * _EPS).sum())",
        "return int((abs(even @ rows.T).max(axis=0) > 32 * len(ranges) * _EPS).sum())",
        "a first guess: axes are added until they hold every point",
    ),
    (
        "density_estimation/_histograms.py",
        "if digits < 16 and max(10**digits, *map(abs, whole)) * 2 * self.bins < 2**53:",
        "if digits < 16 and max(10/digits, *map(abs, whole)) * 2 * self.bins < 2**53:",
        "ends below one in so many cells are right but for the last digit either way",
    ),
    (
        "certify/_inequalities.py",
        "return Fraction(end) + (1 if other > 0 else -1)",
        "return Fraction(end) + (1 if other > 1 else -1)",
        "a float among ends is infinite",
    ),
    (
        "density_estimation/_adaptive.py",
        "kept = [np.where(e > t, y, 0.0) for y, e, t in zip(parts, squares, least, strict=True)]",
        "kept = [np.where(e > t, y, 0.0) for y, e, t in zip(parts, squares, least, )]",
        "a part, its square and its radius for each level",
    ),
    (
        "inference/_optimal_tests.py",
        "return np.minimum(1.0, 2 * np.minimum(above, below))",
        "return np.minimum(2.0, 2 * np.minimum(above, below))",
        "the two sum to one, so that the smaller is at most a half, but for rounding",
    ),
    (
        "mean_estimation/_plane.py",
        "key = np.sort(cell[edges[:, 0]] * (size + 1) + cell[edges[:, 1]], axis=1)",
        "key = np.sort(cell[edges[:, 0]] * (size + 1) + cell[edges[:, 1]], )",
        "of two axes this is the last, along which numpy sorts by itself",
    ),
]
