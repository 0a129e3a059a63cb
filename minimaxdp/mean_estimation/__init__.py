r"""The mean under every definition of privacy: mechanisms, exact risks, ceilings.

- :func:`private_mean` -- from data, a declared moment and a guarantee to an estimate;
  :class:`PrivateMean` is the mechanism behind it: :func:`project_to_ball`, average, add noise;
- how much noise a definition asks for (:func:`noise_second_moment`) and how far to truncate
  (:func:`truncation_radius`);
- ceilings with constants: :func:`mean_ceiling`, :func:`risk_bound`, and for bounded data the exact
  :func:`shrunk_ceiling`; truths beside them: :meth:`PrivateMean.risk`, :func:`two_point_risk`,
  :func:`simulated_risk`;
- total variation alone: :func:`subset_mean`; a few people's private reports:
  :class:`SubsetReports`;
- nobody trusted: :class:`PrivUnit` (with the ball mechanism),
  :class:`~minimaxdp.hypercube.HypercubeMechanism`, :func:`local_mean_ceiling`;
- where the data lie, unknown: :class:`LocatedMean`, with the bound :func:`location_floor`; what an
  unbiased mean would cost: :func:`variance_floor`;
- a mean with an interval that holds for every law: :class:`CertifiedMean`;
- exact minimax risks in the plane, to hold the bounds to: :func:`plane_minimax`.

The class of laws is :math:`\mathcal P_k = \{P : \mathbb E_P \|X\|_2^k \le r^k\}`, the loss squared
Euclidean; infinite k means data in a ball. A ceiling is an upper bound on the minimax risk.
"""

from minimaxdp.mean_estimation._ceilings import (
    mean_ceiling,
    noise_second_moment,
    risk_bound,
    shrinkage_factor,
    shrunk_ceiling,
    subset_size,
    truncation_radius,
    two_point_risk,
)
from minimaxdp.mean_estimation._interval import CertifiedMean
from minimaxdp.mean_estimation._local import (
    REPORT_METHODS,
    PrivUnit,
    both_halves_epsilon,
    local_mean_ceiling,
    report_second_moment,
)
from minimaxdp.mean_estimation._located import LocatedMean, location_floor, variance_floor
from minimaxdp.mean_estimation._plane import PlaneMinimax, plane_minimax
from minimaxdp.mean_estimation._release import (
    PrivateMean,
    private_mean,
    simulated_risk,
    subset_mean,
)
from minimaxdp.mean_estimation._subset_reports import SubsetReports
from minimaxdp.mean_estimation._truncation import (
    FiniteLaw,
    bias_bound,
    bias_constant,
    heavy_tail,
    project_to_ball,
    two_point_law,
)

__all__ = [
    "REPORT_METHODS",
    "CertifiedMean",
    "FiniteLaw",
    "LocatedMean",
    "PlaneMinimax",
    "PrivUnit",
    "PrivateMean",
    "SubsetReports",
    "bias_bound",
    "bias_constant",
    "both_halves_epsilon",
    "heavy_tail",
    "local_mean_ceiling",
    "location_floor",
    "mean_ceiling",
    "noise_second_moment",
    "plane_minimax",
    "private_mean",
    "project_to_ball",
    "report_second_moment",
    "risk_bound",
    "shrinkage_factor",
    "shrunk_ceiling",
    "simulated_risk",
    "subset_mean",
    "subset_size",
    "truncation_radius",
    "two_point_law",
    "two_point_risk",
    "variance_floor",
]
