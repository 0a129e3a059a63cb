"""The end of a support with a curator: some rounds, and where a chosen end errs most."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from minimaxdp import results, risk
from minimaxdp.guarantees import Local, Pure
from minimaxdp.results import _end_in_rounds as rounds
from minimaxdp.results import _few_people as few_people
from minimaxdp.results._endpoint import usual_target


def asked_plainly(rng, n, epsilon, option, theta):
    """Some rounds, one data set and one output at a time."""
    first, x = option.share * epsilon, -np.sort(-rng.uniform(0, theta, n))
    m = usual_target(n, first)
    # The first round: uniform on the logarithmic scale of [1/n, 1], and an atom at zero.
    edges = np.log(np.clip(np.r_[1.0, x, 1 / n], 1 / n, 1.0))
    weight = -np.diff(edges) * np.exp(-first / 2 * abs(np.arange(n + 1) - m))
    atom = np.log(n) * np.exp(-first / 2 * max((x > 1 / n).sum() - m, 0))
    weight = np.r_[weight, atom]
    i = rng.choice(n + 2, p=weight / weight.sum())
    if i == n + 1:
        return theta
    guess = np.exp(rng.uniform(edges[i + 1], edges[i])) / (1 - m / (n + 1))
    width = 4 * (2 / first + np.sqrt(m)) / n
    for share, back in option.counts:
        point = guess * np.exp(-back * width)
        noise = rng.geometric(1 - np.exp(-share * epsilon), 2) @ [1, -1]
        guess = point / (1 - np.clip((x > point).sum() + noise, 0, n - 1) / n)
        b = np.exp(-share * epsilon)  # of the noise, whose variance is 2 b/(1 - b)^2
        width = 4 * (np.sqrt(back * width * n) + np.sqrt(2 * b) / (1 - b)) / n
    return abs(min(guess, 1.0) - theta)


# At the first two most values are below 1/n.
@pytest.mark.parametrize(("n", "theta"), [(10, 0.12), (60, 0.03), (60, 0.3), (60, 0.95)])
@pytest.mark.parametrize("counts", [[(0.6, 0.3)], [(0.2, 0.4), (0.4, 0.2)]])
def test_rounds_err_as_they_do_when_played_plainly(n: int, theta: float, counts: list) -> None:
    epsilon, rng = 2.0, np.random.default_rng(4)
    option = rounds.Rounds(0.4, tuple(rounds.Count(*count) for count in counts))
    loss = partial(rounds._losses, n=n, epsilon=epsilon, rho=None, option=option, ends=(theta,))
    fast = risk.monte_carlo(loss, 4_000, rng=5)
    errors = [asked_plainly(rng, n, epsilon, option, theta) for _ in range(4_000)]
    error = np.hypot(np.std(errors) / np.sqrt(4_000), fast.standard_error[0])
    assert abs(fast.mean[0] - np.mean(errors)) < 4.5 * error  # missed once in 10^5 runs


def test_a_bounded_range_keeps_zero_concentrated_privacy() -> None:
    rng, closest = np.random.default_rng(8), 0.0
    for rho in (0.01, 0.3, 2.0):
        budget = rounds.bounded_range_budget(rho)
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
    assert found.method == "exponential mechanism, then two counts" and found.risk < run.mean


@pytest.mark.parametrize(("n", "epsilon", "theta"), [(7, 1.5, 0.8), (12, 3.0, 0.25)])
def test_the_law_of_two_stages_is_that_of_the_two_counts(n: int, epsilon: float, theta: float):
    rng, runs, c = np.random.default_rng(6), 20_000, 0.6
    first = round(n / 2)
    truth = np.exp(epsilon) / (1 + np.exp(epsilon))

    def responses(bits):
        """How many say yes, each of whom tells the truth with the probability of its budget."""
        return (bits == (rng.random(bits.shape) < truth)).sum(axis=1)

    x = rng.uniform(0, theta, (runs, n))
    yes = responses(rng.random((runs, first)) < x[:, :first])
    contrast = 2 * truth - 1
    start = np.clip(2 * (yes / first - (1 - truth)) / contrast, 0, 1)
    spread = 1 / (contrast * np.sqrt(first))
    cut, top = (start - c * spread)[:, None], np.minimum(1, start + c * spread)[:, None]
    rounded = rng.random((runs, n - first)) < np.minimum(1, x[:, first:] / top)
    again = responses(np.where(cut > 0, x[:, first:] > cut, rounded))
    law = few_people.two_stage_law(n, epsilon, c, np.array([theta])).reshape(first + 1, -1)
    assert law.sum() == pytest.approx(1)
    seen = np.zeros_like(law)
    np.add.at(seen, (yes, again), 1 / runs)
    error = np.sqrt(law * (1 - law) / runs) + 1e-4
    assert np.all(abs(seen - law) < 5.5 * error)  # missed once in 10^5 runs


def test_a_posterior_median_of_two_stages_is_better_than_other_methods_for_few_people():
    found = results.cell("endpoint", Local(Pure(2.0)), results.Setting(n=100))
    assert found.method == "two stages of responses, Bayes" and found.kind == "family"
    assert found.floor < found.risk < 0.75 * few_people.rounded_end(100, 2.0, True)
    twice = few_people.two_stage_end(100, 2.0)
    assert found.risk < twice.mean - 10 * twice.standard_error
