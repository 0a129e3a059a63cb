r"""Inference on a proportion from one private count: tests, intervals, and what they deliver.

- the noise: :class:`Tulap`; the law of what is released: :class:`TulapRelease`,
  :class:`LaplaceRelease`;
- tests: :func:`p_value`, :func:`critical_value`, :func:`one_sided_power`, :func:`unbiased_region`,
  :func:`unbiased_test`, :func:`unbiased_power`, what an optimal test does with each count
  (:func:`critical_function`), the linear programme :func:`optimal_power`, and how many people a
  test needs (:func:`people_for_power`);
- intervals: :func:`interval`, :func:`confidence_bound`, :func:`coverage`,
  :func:`expected_length`, :func:`acceptance`, and the budget that a length needs
  (:func:`budget_for_length`);
- two proportions: :class:`TwoSampleTest`, :func:`two_sample_p_value`;
- a noisy covariate: :func:`attenuation`, :func:`corrected_slope`, :func:`slope_interval`;
- the normal approximation: :func:`release_variance`, :func:`normal_p_value`,
  :func:`normal_distance`;
- fiducial laws without privacy (:func:`solution_interval`, :func:`selection_draws`,
  :func:`fiducial_cdf`, :func:`fiducial_quantile`, :func:`fiducial_interval`) and with it
  (:func:`jimi_cdf`, :func:`jimi_quantile`, :func:`jimi_draws`);
- clipped means: :func:`clipped_release`, :func:`clipped_interval`, :func:`match`,
  :func:`threshold_mean`.

A released value is always a count plus noise; divided by n it is a proportion.

What privatizes here (:meth:`Tulap.privatize`, :func:`clipped_release`) is for study. The
guarantees are theorems about real numbers, but a computer adds doubles, and the low bits of a sum
of doubles may tell what was added to (Mironov 2012). Tulap noise is added to a count as whole
numbers first, which avoids this particular leak while the noise is below 2^53 and delta is 0; its
whole and its fractional part still come from samplers in doubles.

In the examples ``rng=0`` makes the numbers reproducible, and nothing else: whoever knows the
seed can take the noise off again, so that a release with a fixed seed is not private at all.
"""

from minimaxdp.inference._clipping import (
    clipped_interval,
    clipped_release,
    match,
    threshold_mean,
)
from minimaxdp.inference._covariates import attenuation, corrected_slope, slope_interval
from minimaxdp.inference._fiducial import (
    fiducial_cdf,
    fiducial_interval,
    fiducial_quantile,
    selection_draws,
    solution_interval,
)
from minimaxdp.inference._intervals import (
    INTERVAL_METHODS,
    TEST_METHODS,
    acceptance,
    budget_for_length,
    confidence_bound,
    coverage,
    critical_value,
    expected_length,
    interval,
    one_sided_power,
)
from minimaxdp.inference._jimi import jimi_cdf, jimi_draws, jimi_quantile
from minimaxdp.inference._normal import normal_distance, normal_p_value, release_variance
from minimaxdp.inference._optimal_tests import (
    critical_function,
    optimal_power,
    p_value,
    people_for_power,
    unbiased_power,
    unbiased_region,
    unbiased_test,
)
from minimaxdp.inference._release_laws import LaplaceRelease, TulapRelease
from minimaxdp.inference._tulap import Tulap
from minimaxdp.inference._two_samples import TwoSampleTest, two_sample_p_value

__all__ = [
    "INTERVAL_METHODS",
    "TEST_METHODS",
    "LaplaceRelease",
    "Tulap",
    "TulapRelease",
    "TwoSampleTest",
    "acceptance",
    "budget_for_length",
    "attenuation",
    "clipped_interval",
    "clipped_release",
    "confidence_bound",
    "corrected_slope",
    "coverage",
    "critical_function",
    "critical_value",
    "expected_length",
    "fiducial_cdf",
    "fiducial_interval",
    "fiducial_quantile",
    "interval",
    "jimi_cdf",
    "jimi_draws",
    "jimi_quantile",
    "match",
    "normal_distance",
    "normal_p_value",
    "optimal_power",
    "p_value",
    "people_for_power",
    "one_sided_power",
    "release_variance",
    "selection_draws",
    "slope_interval",
    "solution_interval",
    "threshold_mean",
    "two_sample_p_value",
    "unbiased_power",
    "unbiased_region",
    "unbiased_test",
]
