r"""Lower bounds on minimax risk: what no procedure can beat, with explicit constants.

- from estimation to testing: :func:`le_cam`, :func:`le_cam_mixtures`, :func:`fano`,
  :func:`assouad`, and packings (:func:`sphere_packing`);
- what privacy does to a distance: :func:`private_distance` (total variation),
  :func:`packing_error` (differential privacy), :func:`local_contraction` and its kin (local);
- floors, one function a problem, under any definition of :mod:`minimaxdp.guarantees`:
  :func:`mean_floor`, :func:`multinomial_floor`, :func:`endpoint_floor`, :func:`density_floor`;
- exact minimax risks and the channels that have them, by linear programming:
  :func:`minimax_channel`, :func:`bernoulli_minimax`, :func:`optimal_local_channel`.

A floor is a lower bound on the minimax risk. Called by its bare name it is the best one known here;
``variant="paper"`` is the one that a document prints.
"""

from minimaxdp.lower_bounds._categories import multinomial_floor
from minimaxdp.lower_bounds._densities import bump_energy, density_floor
from minimaxdp.lower_bounds._endpoints import (
    endpoint_floor,
    subset_maximum,
    subset_maximum_risk,
)
from minimaxdp.lower_bounds._exact import (
    BernoulliMinimax,
    Minimax,
    bernoulli_minimax,
    histogram_laws,
    histograms,
    minimax_channel,
)
from minimaxdp.lower_bounds._local import (
    contraction_coefficient,
    extremal_channel,
    hellinger_contraction,
    local_contraction,
)
from minimaxdp.lower_bounds._means import (
    mean_floor,
    privacy_crossover_level,
    privacy_crossover_n,
    tv_modulus,
)
from minimaxdp.lower_bounds._optimal_channel import (
    fisher_trace,
    optimal_local_channel,
    variation_utility,
)
from minimaxdp.lower_bounds._packing import (
    log_binary_packing_size,
    separation,
    sphere_packing,
    sphere_packing_size,
)
from minimaxdp.lower_bounds._testing import (
    assouad,
    fano,
    le_cam,
    le_cam_mixtures,
    packing_error,
    private_distance,
)

__all__ = [
    "BernoulliMinimax",
    "Minimax",
    "assouad",
    "bernoulli_minimax",
    "bump_energy",
    "contraction_coefficient",
    "density_floor",
    "endpoint_floor",
    "extremal_channel",
    "fano",
    "fisher_trace",
    "hellinger_contraction",
    "histogram_laws",
    "histograms",
    "le_cam",
    "le_cam_mixtures",
    "local_contraction",
    "log_binary_packing_size",
    "mean_floor",
    "minimax_channel",
    "multinomial_floor",
    "optimal_local_channel",
    "packing_error",
    "privacy_crossover_level",
    "privacy_crossover_n",
    "private_distance",
    "separation",
    "sphere_packing",
    "sphere_packing_size",
    "subset_maximum",
    "subset_maximum_risk",
    "tv_modulus",
    "variation_utility",
]
