r"""The mean under every definition of privacy: mechanisms, exact risks, ceilings.

- :func:`private_mean` -- from data, a declared moment and a guarantee to an estimate;
  :class:`PrivateMean` is the mechanism behind it: :func:`project_to_ball`, average, add noise;
- how much noise a definition asks for (:func:`noise_second_moment`) and how far to truncate
  (:func:`truncation_radius`);
- ceilings with constants: :func:`mean_ceiling`, :func:`risk_bound`, and for bounded data the exact
  :func:`shrunk_ceiling`; truths beside them: :meth:`PrivateMean.risk`, :func:`two_point_risk`,
  :func:`simulated_risk`;
- total variation alone: :func:`subset_mean`;
- nobody trusted: :class:`PrivUnit` (with the ball mechanism),
  :class:`~minimaxdp.hypercube.HypercubeMechanism`, :func:`local_mean_ceiling`.

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
from minimaxdp.mean_estimation._local import (
    REPORT_METHODS,
    PrivUnit,
    both_halves_epsilon,
    local_mean_ceiling,
    report_second_moment,
)
from minimaxdp.mean_estimation._release import (
    PrivateMean,
    private_mean,
    simulated_risk,
    subset_mean,
)
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
    "FiniteLaw",
    "PrivUnit",
    "PrivateMean",
    "bias_bound",
    "bias_constant",
    "both_halves_epsilon",
    "heavy_tail",
    "local_mean_ceiling",
    "mean_ceiling",
    "noise_second_moment",
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
]
