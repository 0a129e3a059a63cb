"""One helper for all statistical tests: fixed seeds, exact nulls, a stated error rate.

Each test rejects a true claim with probability at most ERROR_RATE; with a fixed seed it either
always passes or always fails.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

ERROR_RATE = 1e-6


def assert_mean(sample: ArrayLike, expected: ArrayLike) -> None:
    """The columns of a sample have the expected means (t test, Bonferroni over columns)."""
    sample = np.asarray(sample, dtype=float)
    error = sample.std(axis=0, ddof=1) / np.sqrt(len(sample))
    gap = abs(sample.mean(axis=0) - expected)
    columns = np.size(gap)
    limit = stats.t.isf(ERROR_RATE / columns / 2, len(sample) - 1) * error
    assert np.all(gap <= limit), f"mean {sample.mean(axis=0)} is not {expected}"


def assert_frequencies(observed: ArrayLike, probabilities: ArrayLike) -> None:
    """Counts of outcomes follow the probabilities (chi-square test; impossible ones absent)."""
    observed, probabilities = np.asarray(observed), np.asarray(probabilities, dtype=float)
    assert np.all(observed[probabilities == 0] == 0), "an impossible outcome was observed"
    observed, probabilities = observed[probabilities > 0], probabilities[probabilities > 0]
    expected = observed.sum() * probabilities / probabilities.sum()
    assert expected.min() >= 5, "too few expected observations for the chi-square law"
    p_value = stats.chisquare(observed, expected).pvalue
    assert p_value > ERROR_RATE, f"frequencies {observed} do not follow {probabilities}"


def assert_same_law(first: ArrayLike, second: ArrayLike) -> None:
    """Two samples of numbers come from one law (two-sample Kolmogorov-Smirnov test)."""
    p_value = stats.ks_2samp(np.ravel(first), np.ravel(second)).pvalue
    assert p_value > ERROR_RATE, f"two laws differ (p = {p_value:.1e})"
