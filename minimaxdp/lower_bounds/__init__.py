r"""Lower bounds on minimax risk: what no procedure can beat, with explicit constants.

- from estimation to testing: :func:`le_cam`, :func:`le_cam_mixtures`, :func:`fano`,
  :func:`assouad`, and packings (:func:`sphere_packing`);
- what privacy does to a distance: :func:`private_distance` (total variation),
  :func:`packing_error` (differential privacy), :func:`local_contraction` and its kin (local);
- floors: the mean (:func:`mean_tv`, :func:`mean_tv_axes`, :func:`mean_dp`, :func:`mean_zcdp`,
  :func:`mean_local`), the end of a support (:func:`support_tv`), a density (:func:`density_dp`),
  category probabilities (:func:`multinomial_tv`, :func:`multinomial_local`);
- exact minimax risks and the channels that have them, by linear programming:
  :func:`minimax_channel`, :func:`bernoulli_minimax`, :func:`staircase`.
"""

from minimaxdp.lower_bounds.concentrated import (
    mean_tv_axes,
    mean_zcdp,
    mean_zcdp_plain,
    multinomial_tv,
)
from minimaxdp.lower_bounds.densities import bump_energy, density_dp, density_nonprivate
from minimaxdp.lower_bounds.exact import (
    BernoulliMinimax,
    Minimax,
    bernoulli_minimax,
    histogram_laws,
    histograms,
    minimax_channel,
)
from minimaxdp.lower_bounds.local import (
    classical_contraction,
    contraction_coefficient,
    extremal_channel,
    hellinger_contraction,
    local_contraction,
    multinomial,
    multinomial_local,
)
from minimaxdp.lower_bounds.means import (
    free_level,
    mean_dp,
    mean_dp_sharp,
    mean_local,
    mean_nonprivate,
    mean_tv,
    mean_tv_sharp,
    people_needed,
    tv_modulus,
)
from minimaxdp.lower_bounds.packing import (
    log_binary_packing_size,
    separation,
    sphere_packing,
    sphere_packing_size,
)
from minimaxdp.lower_bounds.staircase import fisher_trace, staircase, variation_utility
from minimaxdp.lower_bounds.supports import (
    subset_maximum,
    subset_maximum_risk,
    support_tv,
    support_tv_sharp,
)
from minimaxdp.lower_bounds.testing import (
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
    "classical_contraction",
    "contraction_coefficient",
    "density_dp",
    "density_nonprivate",
    "extremal_channel",
    "fano",
    "fisher_trace",
    "free_level",
    "hellinger_contraction",
    "histogram_laws",
    "histograms",
    "le_cam",
    "le_cam_mixtures",
    "local_contraction",
    "log_binary_packing_size",
    "mean_dp",
    "mean_dp_sharp",
    "mean_local",
    "mean_nonprivate",
    "mean_tv",
    "mean_tv_axes",
    "mean_tv_sharp",
    "mean_zcdp",
    "mean_zcdp_plain",
    "minimax_channel",
    "multinomial",
    "multinomial_local",
    "multinomial_tv",
    "packing_error",
    "people_needed",
    "private_distance",
    "separation",
    "sphere_packing",
    "sphere_packing_size",
    "staircase",
    "subset_maximum",
    "subset_maximum_risk",
    "support_tv",
    "support_tv_sharp",
    "tv_modulus",
    "variation_utility",
]
