r"""Unbiased private mechanisms: what none of them can beat.

- bodies by their support functions: :class:`Body`, made by :func:`ellipsoid`, :func:`cube`,
  :func:`cross_polytope`, :func:`simplex`, :func:`polytope`, :func:`zonotope`, :func:`image`,
  :func:`minkowski_sum`;
- floors with constants: :func:`root_chi_square`, :func:`direction_floor`,
  :func:`unbiased_floor`, :func:`query_floor`, :func:`approximate_floor`, :func:`packing_floor`;
- the ellipsoid of least trace around a cloud, certified: :func:`least_ellipsoid`;
- noise of its shape: :class:`EllipsoidNoise`;
- the exact optimum for a count: :func:`count_variance`, :class:`UnbiasedCount`,
  :func:`least_variance`, :func:`count_certificate`.
"""

from minimaxdp.unbiased_bounds.bodies import (
    Body,
    cross_polytope,
    cube,
    ellipsoid,
    image,
    minkowski_sum,
    polytope,
    simplex,
    zonotope,
)
from minimaxdp.unbiased_bounds.counts import (
    UnbiasedCount,
    count_certificate,
    count_variance,
    least_variance,
)
from minimaxdp.unbiased_bounds.floors import (
    UnbiasedFloor,
    approximate_floor,
    direction_floor,
    packing_floor,
    query_floor,
    root_chi_square,
    unbiased_floor,
)
from minimaxdp.unbiased_bounds.least import LeastEllipsoid, least_ellipsoid
from minimaxdp.unbiased_bounds.noise import EllipsoidNoise

__all__ = [
    "Body",
    "EllipsoidNoise",
    "LeastEllipsoid",
    "UnbiasedCount",
    "UnbiasedFloor",
    "approximate_floor",
    "count_certificate",
    "count_variance",
    "cross_polytope",
    "cube",
    "direction_floor",
    "ellipsoid",
    "image",
    "least_ellipsoid",
    "least_variance",
    "minkowski_sum",
    "packing_floor",
    "polytope",
    "query_floor",
    "root_chi_square",
    "simplex",
    "unbiased_floor",
    "zonotope",
]
