"""The end of a support with a curator: two rounds, and where a chosen end errs most."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from minimaxdp import results, risk
from minimaxdp.guarantees import Pure
from minimaxdp.results import _two_rounds as two_rounds
from minimaxdp.results._endpoint import usual_target


def asked_plainly(rng, n, epsilon, option, theta):
    """Two rounds, one data set and one output at a time."""
    share, back = option
    first, x = share * epsilon, -np.sort(-rng.uniform(0, theta, n))
    m = usual_target(n, first)
    # The first round: uniform on the logarithmic scale of [1/n, 1], and an atom at zero.
    edges = np.log(np.clip(np.r_[1.0, x, 1 / n], 1 / n, 1.0))
    weight = -np.diff(edges) * np.exp(-first / 2 * abs(np.arange(n + 1) - m))
    atom = np.log(n) * np.exp(-first / 2 * max((x > 1 / n).sum() - m, 0))
    weight = np.r_[weight, atom]
    i = rng.choice(n + 2, p=weight / weight.sum())
    if i == n + 1:
        return theta
    name = np.exp(rng.uniform(edges[i + 1], edges[i])) / (1 - m / (n + 1))
    point = name * np.exp(-back * 4 * (2 / first + np.sqrt(m)) / n)
    heads = -np.expm1(-(1 - share) * epsilon)
    noise = rng.geometric(heads) - rng.geometric(heads)
    number = np.clip((x > point).sum() + noise, 0, n - 1)
    return abs(min(point / (1 - number / n), 1.0) - theta)


@pytest.mark.parametrize("theta", [0.3, 0.95])
def test_two_rounds_err_as_they_do_when_played_plainly(theta: float) -> None:
    n, epsilon, option, rng = 60, 2.0, (0.4, 0.3), np.random.default_rng(4)
    loss = partial(two_rounds._loss, n=n, epsilon=epsilon, rho=None, option=option, theta=theta)
    fast = risk.monte_carlo(loss, 4_000, rng=5)
    errors = [asked_plainly(rng, n, epsilon, option, theta) for _ in range(4_000)]
    error = np.hypot(np.std(errors) / np.sqrt(4_000), fast.standard_error)
    assert abs(fast.mean - np.mean(errors)) < 4.5 * error  # missed once in 10^5 runs


def test_a_bounded_range_keeps_zero_concentrated_privacy() -> None:
    rng, closest = np.random.default_rng(8), 0.0
    for rho in (0.01, 0.3, 2.0):
        budget = two_rounds.bounded_range_budget(rho)
        for _ in range(60):
            p = rng.dirichlet(np.ones(4))
            q = p * np.exp(budget * rng.choice([0.0, 1.0, rng.random()], 4))
            q /= q.sum()
            for order in (1.001, 1.5, 3.0, 20.0):
                renyi = np.log((q**order * p ** (1 - order)).sum()) / (order - 1)
                assert renyi <= order * rho * (1 + 1e-9)
                closest = max(closest, renyi / (order * rho))
    assert closest > 0.9  # three times as much would be too good


def test_the_error_of_a_chosen_end_is_largest_just_below_one() -> None:
    n, epsilon = 10**5, 2.0
    found = results.cell("endpoint", Pure(epsilon), results.Setting(n=n))
    run = results.exponential_endpoint_risk(n, Pure(epsilon), 0.99, replications=400, rng=2)
    at_one = results.exponential_endpoint_risk(n, Pure(epsilon), replications=400, rng=2)
    assert run.mean > 1.5 * at_one.mean
    assert found.method == "exponential mechanism, then a count" and found.risk < run.mean
