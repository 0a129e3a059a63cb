r"""Density estimation: kernels, histograms and orthogonal series, private and not.

- :func:`private_density` -- from data, a declared range and a budget to a released density with
  its error; :class:`Histogram` on a :class:`Grid` is the mechanism behind it;
- :class:`PrivateSeries` -- orthogonal series through
  :class:`~minimaxdp.hypercube.HypercubeMechanism`;
- :func:`kernel_density` and its exact risk :func:`kernel_mise`, without privacy;
- exact risks (:func:`histogram_risk`, :func:`series_risk`), a ceiling over Hoelder densities
  (:func:`histogram_ceiling`) and a floor over Lipschitz ones (:func:`lipschitz_floor`);
- :class:`PrivateHaar` for unknown smoothness, :class:`BinnedPolynomial` for more than one
  derivative, and :class:`GaussianProcessDensity`, a private function;
- the integral of a squared density without interaction and with it (:func:`product_integral`,
  :func:`interactive_integral`), and what each is worth;
- test densities whose bins, norms and coefficients are known: :class:`Density`.

Budgets are at least 1e-100 nats here: the squares of the scales of their noise are doubles.
"""

from minimaxdp.density_estimation._adaptive import PrivateHaar
from minimaxdp.density_estimation._bounds import lipschitz_floor, privacy_threshold
from minimaxdp.density_estimation._densities import (
    Density,
    boundary,
    harmonic,
    holder,
    linear,
    rademacher,
    ripple,
    spiky,
)
from minimaxdp.density_estimation._functional import GaussianProcessDensity
from minimaxdp.density_estimation._histograms import (
    HISTOGRAM_METHODS,
    Grid,
    Histogram,
    histogram_ceiling,
    histogram_risk,
    optimal_bins,
)
from minimaxdp.density_estimation._kernels import (
    GaussianMixture,
    best_bandwidth,
    gaussian_kernel,
    kernel_density,
    kernel_mise,
)
from minimaxdp.density_estimation._polynomials import (
    BinnedPolynomial,
    binned_polynomial_ceiling,
)
from minimaxdp.density_estimation._quadratic import (
    HaarLevel,
    group_sizes,
    haar_level,
    interactive_ceiling,
    interactive_integral,
    interactive_simulation,
    product_integral,
    product_variance,
)
from minimaxdp.density_estimation._release import Release, private_density
from minimaxdp.density_estimation._series import (
    PrivateSeries,
    best_truncation,
    coefficients,
    ellipsoid_norm,
    series_risk,
    trigonometric,
)

__all__ = [
    "HISTOGRAM_METHODS",
    "BinnedPolynomial",
    "Density",
    "GaussianMixture",
    "GaussianProcessDensity",
    "Grid",
    "HaarLevel",
    "Histogram",
    "PrivateHaar",
    "PrivateSeries",
    "Release",
    "best_bandwidth",
    "best_truncation",
    "binned_polynomial_ceiling",
    "boundary",
    "coefficients",
    "ellipsoid_norm",
    "gaussian_kernel",
    "group_sizes",
    "haar_level",
    "harmonic",
    "histogram_ceiling",
    "histogram_risk",
    "holder",
    "interactive_ceiling",
    "interactive_integral",
    "interactive_simulation",
    "kernel_density",
    "kernel_mise",
    "linear",
    "lipschitz_floor",
    "optimal_bins",
    "privacy_threshold",
    "private_density",
    "product_integral",
    "product_variance",
    "rademacher",
    "ripple",
    "series_risk",
    "spiky",
    "trigonometric",
]
