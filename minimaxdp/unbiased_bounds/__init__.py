r"""Unbiased private mechanisms: what none of them can beat.

- bodies by their support functions: :class:`ConvexBody`, made by :func:`ellipsoid`,
  :func:`hypercube_body`, :func:`cross_polytope`, :func:`simplex`, :func:`polytope`,
  :func:`zonotope`, :func:`image`, :func:`minkowski_sum`;
- floors with constants: :func:`max_chi_divergence`, :func:`directional_floor`,
  :func:`unbiased_floor`, :func:`average_floor`, :func:`query_floor`, :func:`approximate_floor`,
  :func:`packing_floor`;
  for the mean of vectors in a ball, all of its arguments: :func:`unbiased_mean_floors`;
- the ellipsoid of least trace around a cloud, certified: :func:`min_trace_ellipsoid`;
- noise of its shape: :class:`EllipsoidNoise`;
- many linear queries of one table of counts: :func:`prefix_workload`, :func:`range_workload`,
  :func:`marginal_workload`, what nothing beats, :func:`workload_floor`, and the
  :class:`MatrixMechanism` with any strategy, such as :func:`tree_strategy`;
- the exact optimum for a count: :func:`count_variance`, :class:`UnbiasedCount`,
  :func:`least_variance`, :func:`count_certificate`.
"""

from minimaxdp.unbiased_bounds._convex_bodies import (
    ConvexBody,
    cross_polytope,
    ellipsoid,
    hypercube_body,
    image,
    minkowski_sum,
    polytope,
    simplex,
    zonotope,
)
from minimaxdp.unbiased_bounds._counts import (
    UnbiasedCount,
    count_certificate,
    count_variance,
    least_variance,
)
from minimaxdp.unbiased_bounds._ellipsoids import MinTraceEllipsoid, min_trace_ellipsoid
from minimaxdp.unbiased_bounds._floors import (
    UnbiasedFloor,
    approximate_floor,
    average_floor,
    directional_floor,
    max_chi_divergence,
    packing_floor,
    query_floor,
    unbiased_floor,
)
from minimaxdp.unbiased_bounds._means import unbiased_mean_floor, unbiased_mean_floors
from minimaxdp.unbiased_bounds._noise import EllipsoidNoise
from minimaxdp.unbiased_bounds._workloads import (
    MatrixMechanism,
    WorkloadFloor,
    marginal_workload,
    prefix_workload,
    range_workload,
    tree_strategy,
    workload_floor,
)

__all__ = [
    "ConvexBody",
    "EllipsoidNoise",
    "MatrixMechanism",
    "MinTraceEllipsoid",
    "UnbiasedCount",
    "UnbiasedFloor",
    "WorkloadFloor",
    "approximate_floor",
    "average_floor",
    "count_certificate",
    "count_variance",
    "cross_polytope",
    "hypercube_body",
    "directional_floor",
    "ellipsoid",
    "image",
    "min_trace_ellipsoid",
    "least_variance",
    "marginal_workload",
    "minkowski_sum",
    "max_chi_divergence",
    "packing_floor",
    "polytope",
    "prefix_workload",
    "query_floor",
    "range_workload",
    "simplex",
    "tree_strategy",
    "unbiased_floor",
    "unbiased_mean_floor",
    "unbiased_mean_floors",
    "workload_floor",
    "zonotope",
]
