"""Speed of Laplace noise, as ratios within one run.

python tests/benchmarks/laplace.py
"""

from __future__ import annotations

import numpy as np
from randomized_response import peak_mebibytes, seconds

from minimaxdp.laplace import Laplace, LocalLaplace


def main() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(10**6)
    curator, local = Laplace(1.0), LocalLaplace(1.0, 0.0, 1.0)

    draws = seconds(lambda: rng.laplace(size=10**6))
    for name, work in [
        ("a curator's", lambda: curator.privatize(values, rng=rng)),
        ("local", lambda: local.privatize(values, rng=rng)),
    ]:
        ratio = seconds(work) / draws
        print(f"{name} noise, 10^6 values: {ratio:.2f} times the draws (target: at most 1.5)")
    peak = peak_mebibytes(lambda: local.privatize(values, rng=rng))
    print(f"local noise, 10^6 values: {peak:.0f} MiB at the peak, the result included")

    time = seconds(lambda: local.privatize_mean(0.5, 10**9, rng=rng, size=1_000))
    print(f"local mean, n = 10^9, 1000 replications: {1000 * time:.2f} ms (target: under 1 s)")


if __name__ == "__main__":
    main()
