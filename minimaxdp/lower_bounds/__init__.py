r"""Lower bounds on minimax risk: what no procedure can beat, with explicit constants.

- from estimation to testing: :func:`le_cam`, :func:`le_cam_mixtures`, :func:`fano`,
  :func:`assouad`, and packings (:func:`sphere_packing`);
- the same under privacy, for samples that differ in few records, under every definition:
  :func:`private_le_cam`, :func:`private_assouad`, :func:`private_fano`, and what a group of records
  can change, :func:`group_distance`;
- many dimensions by integration by parts: :func:`tracing_floor` and :func:`fisher_floor`, with the
  scores of the attack, :func:`tracing_scores` and :func:`member_bound`;
- what privacy does to a distance: :func:`private_distance` (total variation),
  :func:`packing_error` (differential privacy), :func:`local_contraction` and its kin (local);
- floors, one function a problem, under any definition of :mod:`minimaxdp.guarantees`:
  :func:`mean_floor`, :func:`multinomial_floor`, :func:`endpoint_floor`, :func:`density_floor`;
  :func:`mean_floors`, :func:`proportion_floors`, :func:`multinomial_floors` and
  :func:`endpoint_floors` name the argument behind each, :func:`holder_density_floor` is for
  densities on an interval;
- a method that meets one of them: :class:`RankedMaximum`;
- exact minimax risks and the channels that have them, by linear programming:
  :func:`minimax_channel`, :func:`bernoulli_minimax`, :func:`optimal_local_channel`.

A floor is a lower bound on the minimax risk. Called by its bare name it is the best one known here;
``variant="paper"`` is the one that a document prints.
"""

from minimaxdp.lower_bounds._blocks import multinomial_floors
from minimaxdp.lower_bounds._categories import multinomial_floor
from minimaxdp.lower_bounds._coupled import (
    group_distance,
    private_assouad,
    private_fano,
    private_le_cam,
)
from minimaxdp.lower_bounds._densities import bump_energy, density_floor
from minimaxdp.lower_bounds._endpoint_floors import RankedMaximum, endpoint_floors
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
    mean_floors,
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
from minimaxdp.lower_bounds._proportions import proportion_floors
from minimaxdp.lower_bounds._testing import (
    assouad,
    fano,
    le_cam,
    le_cam_mixtures,
    packing_error,
    private_distance,
)
from minimaxdp.lower_bounds._tracing import (
    fisher_floor,
    member_bound,
    tracing_floor,
    tracing_scores,
)
from minimaxdp.lower_bounds._waves import holder_density_floor

__all__ = [
    "BernoulliMinimax",
    "Minimax",
    "RankedMaximum",
    "assouad",
    "bernoulli_minimax",
    "bump_energy",
    "contraction_coefficient",
    "density_floor",
    "endpoint_floor",
    "endpoint_floors",
    "extremal_channel",
    "fano",
    "fisher_floor",
    "fisher_trace",
    "group_distance",
    "hellinger_contraction",
    "histogram_laws",
    "holder_density_floor",
    "histograms",
    "le_cam",
    "le_cam_mixtures",
    "local_contraction",
    "log_binary_packing_size",
    "mean_floor",
    "mean_floors",
    "member_bound",
    "minimax_channel",
    "multinomial_floor",
    "multinomial_floors",
    "optimal_local_channel",
    "packing_error",
    "privacy_crossover_level",
    "privacy_crossover_n",
    "private_assouad",
    "private_distance",
    "private_fano",
    "private_le_cam",
    "proportion_floors",
    "separation",
    "sphere_packing",
    "sphere_packing_size",
    "subset_maximum",
    "subset_maximum_risk",
    "tracing_floor",
    "tracing_scores",
    "tv_modulus",
    "variation_utility",
]
