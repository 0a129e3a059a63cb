"""Gap and time of the least ellipsoid and of the floor that it gives.

python tests/benchmarks/unbiased_bounds.py
"""

from __future__ import annotations

import time

import numpy as np

from minimaxdp.guarantees import ZCDP
from minimaxdp.unbiased_bounds import min_trace_ellipsoid, unbiased_floor


def main() -> None:
    rng = np.random.default_rng(0)
    limits = {50: (1e-8, "10 s"), 100: (1e-6, "none")}
    for d, (target, seconds) in limits.items():
        normal = rng.normal(size=(10_000, d))
        clouds = {
            "round": normal,
            "long": normal * np.geomspace(1, 100, d),
        }
        if d == 50:  # all points near contacts: the hardest kind
            clouds["spherical"] = normal / np.linalg.norm(normal, axis=1, keepdims=True)
        for name, points in clouds.items():
            for fit in ("fixed", "free"):
                start = time.perf_counter()
                found = min_trace_ellipsoid(points, fit=fit)
                spent = time.perf_counter() - start
                print(
                    f"10^4 points, d = {d}, {name} cloud, {fit} centre: gap {found.gap:.1e} "
                    f"(target: {target:g}) in {spent:.2f} s (target: {seconds})"
                )
        start = time.perf_counter()
        gap = unbiased_floor(clouds["round"], 1_000, ZCDP(0.5)).gap
        spent = time.perf_counter() - start
        print(f"floor from {len(normal)} points, d = {d}: gap {gap:.1e} in {spent:.2f} s")


if __name__ == "__main__":
    main()
