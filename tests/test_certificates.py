"""The certificates of the book verify, in time, and say what other code computes."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from math import comb, exp, log

import numpy as np
import pytest
from ledger import load

from minimaxdp.accounting import compose
from minimaxdp.book import certificates, small_worlds
from minimaxdp.book.compositions import ComposedEpsilon
from minimaxdp.certify import Certified, Refused
from minimaxdp.divergences import renyi
from minimaxdp.guarantees import (
    GaussianDP,
    Guarantee,
    Pure,
    kl_to_total_variation,
    pure_to_zcdp,
)
from minimaxdp.inference import optimal_power
from minimaxdp.laplace import DiscreteLaplace
from minimaxdp.lower_bounds import minimax_channel

ALL = certificates.all_certificates()
CLAIMS = load()


def test_the_whole_set_verifies_in_less_than_a_minute() -> None:
    began = time.process_time()
    assert all(found.verify() for found in ALL.values())
    assert time.process_time() - began < 60


@pytest.mark.parametrize("name", ALL)
def test_a_certificate_belongs_to_statements_of_the_ledger(name: str) -> None:
    found = ALL[name]
    assert found.claims and set(found.claims) <= set(CLAIMS)
    assert found.size >= len(found.parts) >= 1
    assert str(found).startswith("certified ")


def test_the_functions_certified_are_those_of_the_package() -> None:
    """What the inequalities are about, by the package's own functions at a few budgets."""
    for epsilon in (0.1, 1.0, 3.0):
        p = np.array([1, exp(epsilon)]) / (1 + exp(epsilon))
        orders = np.array([1.01, 2, 8])
        assert np.all(renyi(p, p[::-1], orders) / orders < pure_to_zcdp(epsilon))
        assert np.sqrt(pure_to_zcdp(epsilon) / 2) > kl_to_total_variation(pure_to_zcdp(epsilon))


def test_the_fractions_are_those_that_the_package_computes() -> None:
    n, means, answers = 3, np.arange(5) / 4, np.arange(9) / 8
    laws = [[comb(n, s) * t**s * (1 - t) ** (n - s) for s in range(n + 1)] for t in means]
    loss = (means[:, None] - answers) ** 2
    pairs = np.column_stack([np.arange(n), np.arange(1, n + 1)])
    found = minimax_channel(laws, loss, Pure(log(3)), pairs=pairs)
    assert found.risk == pytest.approx(float(ALL["private_counts"].parts["3 people"].value))


def test_the_power_is_that_of_the_linear_programme() -> None:
    for part, delta in zip(ALL["optimal_tests"].parts.values(), (0.0, 0.01), strict=True):
        found, _ = optimal_power(0.75, 10, 0.5, log(2), delta)
        assert found == pytest.approx(float(-part.value))


@pytest.mark.parametrize("part", ALL["composed_epsilons"].parts.values(), ids=lambda p: p.release)
def test_an_epsilon_outside_its_interval_is_refused(part: ComposedEpsilon) -> None:
    width = part.high - part.low
    for low, high, told in (
        (part.high, part.high + width, "low must have a larger delta"),
        (part.low - width, part.low, "high must have a smaller delta"),
    ):
        with pytest.raises(Refused, match=told):
            replace(part, low=low, high=high).verify()


@pytest.mark.parametrize(
    ("release", "expected"), [("response", Pure(0.7)), ("normal", GaussianDP(0.7))]
)
def test_a_few_releases_have_the_delta_of_their_sum_in_balls(
    release: str, expected: Guarantee
) -> None:
    part = ComposedEpsilon(release, 7, *map(Fraction, (0.7, 0.5, 0.0, 1.0)))
    for epsilon in (0.0, 0.5, 2.0):
        low, high = compose(expected, times=7).delta(epsilon)
        assert low <= float(part._delta(Fraction(epsilon))) <= high


def test_closed_forms_have_the_moments_of_the_noise() -> None:
    b = 0.4
    closed = [part.closed for part in ALL["geometric_moments"].parts.values()]
    symbols = {str(s): s for s in closed[0].free_symbols}
    sums = [float(part.subs({symbols["b"]: b, symbols["n"]: 200})) for part in closed]
    variance = 2 * (1 - b) / (1 + b) * sums[2]
    assert variance == pytest.approx(DiscreteLaplace(-log(b)).variance)
    assert sums[0] == pytest.approx(1 / (1 - b))


def test_what_is_not_so_is_not_among_them() -> None:
    import sympy

    x = sympy.Symbol("x")
    with pytest.raises(Refused, match="differ"):
        certificates._same(sympy.sinh(2 * x), sympy.sinh(x) * sympy.cosh(x))
    same = [[1, 0], [0, 1]]
    wrong = [[0, 1], [1, 0]]
    with pytest.raises(Refused, match="least value, which is 1/4"):
        small_worlds._least_risk(same, wrong, 3, [(0, 1)], small_worlds.Fraction(1, 5))
    for arguments, told in (
        ((1, (), {}), "words"), (("", 3, {}), "claims"), (("", [3], {}), "claims"),
        (("", (), []), "parts"), (("", (), {"a": 3}), "parts"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=told):
            Certified(*arguments)
