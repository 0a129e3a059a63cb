r"""The mean under every definition of privacy: mechanisms, exact risks, ceilings.

- :func:`private_mean` -- from data, a declared moment and a budget to an estimate;
  :class:`PrivateMean` is the mechanism behind it: :func:`project`, average, add noise;
- noise: :class:`GaussianNoise`, :class:`CoordinateLaplace`, :class:`NormLaplace`; how much of it
  each definition asks for (:func:`energy_factor`) and how far to truncate (:func:`radius`);
- ceilings with constants: :func:`ceiling`, :func:`risk_bound`, and for bounded data the exact
  :func:`shrunk_ceiling`; truths beside them: :meth:`PrivateMean.risk`, :func:`spike_risk`,
  :func:`simulated_risk`;
- total variation alone: :func:`subset_mean`;
- nobody trusted: :class:`Cap` (the ball mechanism and PrivUnit),
  :class:`~minimaxdp.cube.Hypercube`, :func:`local_ceiling`.

The class of laws is :math:`\mathcal P_k = \{P : \mathbb E_P \|X\|_2^k \le r^k\}`, the loss squared
Euclidean; infinite k means data in a ball.
"""

from minimaxdp.mean_estimation.ceilings import (
    DEFINITIONS,
    ceiling,
    energy_factor,
    radius,
    risk_bound,
    shrinkage,
    shrunk_ceiling,
    spike_risk,
    subset_size,
)
from minimaxdp.mean_estimation.local import (
    METHODS,
    Cap,
    both_halves_epsilon,
    local_ceiling,
    local_energy,
)
from minimaxdp.mean_estimation.noise import CoordinateLaplace, GaussianNoise, NormLaplace
from minimaxdp.mean_estimation.release import (
    PrivateMean,
    private_mean,
    simulated_risk,
    subset_mean,
)
from minimaxdp.mean_estimation.truncation import (
    FiniteLaw,
    bias_bound,
    bias_constant,
    heavy_tail,
    project,
    spike,
)

__all__ = [
    "DEFINITIONS",
    "METHODS",
    "Cap",
    "CoordinateLaplace",
    "FiniteLaw",
    "GaussianNoise",
    "NormLaplace",
    "PrivateMean",
    "bias_bound",
    "bias_constant",
    "both_halves_epsilon",
    "ceiling",
    "energy_factor",
    "heavy_tail",
    "local_ceiling",
    "local_energy",
    "private_mean",
    "project",
    "radius",
    "risk_bound",
    "shrinkage",
    "shrunk_ceiling",
    "simulated_risk",
    "spike",
    "spike_risk",
    "subset_mean",
    "subset_size",
]
