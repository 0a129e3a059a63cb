r"""Inference on a proportion from one private count: tests, intervals, and what they deliver.

- the noise: :class:`Tulap`; the law of what is released: :class:`TulapRelease`,
  :class:`LaplaceRelease`;
- tests: :func:`p_value`, :func:`critical_value`, :func:`power`, :func:`unbiased_region`,
  :func:`unbiased_test`, :func:`unbiased_power`, and the linear programme :func:`optimal_power`;
- intervals: :func:`interval`, :func:`confidence_bound`, :func:`coverage`,
  :func:`expected_length`, :func:`acceptance`;
- the normal approximation: :func:`release_variance`, :func:`normal_p_value`,
  :func:`normal_distance`;
- fiducial laws without privacy (:func:`solution_interval`, :func:`selection_draws`,
  :func:`fiducial_cdf`, :func:`fiducial_interval`) and with it (:func:`jimi_cdf`,
  :func:`jimi_draws`);
- clipped means: :func:`clipped_release`, :func:`clipped_interval`, :func:`match`,
  :func:`threshold_mean`.

A released value is always a count plus noise; divided by n it is a proportion.
"""

from minimaxdp.inference.clipping import (
    clipped_interval,
    clipped_release,
    match,
    threshold_mean,
)
from minimaxdp.inference.fiducial import (
    fiducial_cdf,
    fiducial_interval,
    selection_draws,
    solution_interval,
)
from minimaxdp.inference.intervals import (
    METHODS,
    acceptance,
    confidence_bound,
    coverage,
    critical_value,
    expected_length,
    interval,
    power,
)
from minimaxdp.inference.jimi import jimi_cdf, jimi_draws
from minimaxdp.inference.normal import normal_distance, normal_p_value, release_variance
from minimaxdp.inference.release import LaplaceRelease, TulapRelease
from minimaxdp.inference.tulap import Tulap
from minimaxdp.inference.ump import (
    optimal_power,
    p_value,
    unbiased_power,
    unbiased_region,
    unbiased_test,
)

__all__ = [
    "METHODS",
    "LaplaceRelease",
    "Tulap",
    "TulapRelease",
    "acceptance",
    "clipped_interval",
    "clipped_release",
    "confidence_bound",
    "coverage",
    "critical_value",
    "expected_length",
    "fiducial_cdf",
    "fiducial_interval",
    "interval",
    "jimi_cdf",
    "jimi_draws",
    "match",
    "normal_distance",
    "normal_p_value",
    "optimal_power",
    "p_value",
    "power",
    "release_variance",
    "selection_draws",
    "solution_interval",
    "threshold_mean",
    "unbiased_power",
    "unbiased_region",
    "unbiased_test",
]
