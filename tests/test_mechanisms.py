"""Every mechanism of the package keeps its word: found by discovery, held to one contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from minimaxdp import _validate, inference, laplace, mechanisms
from minimaxdp import density_estimation as de
from minimaxdp import lower_bounds as lb
from minimaxdp import mean_estimation as me
from minimaxdp import randomized_response as rr
from minimaxdp import unbiased_bounds as ub
from minimaxdp.guarantees import (
    ZCDP,
    Approximate,
    GaussianDP,
    Guarantee,
    Local,
    NonPrivate,
    Pure,
    TotalVariation,
)
from minimaxdp.hypercube import HypercubeMechanism
from minimaxdp.mechanisms import Mechanism, check_mechanism, find_mechanisms

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1]]
GRID = de.Grid(0.0, 1.0, 3)

# One line a mechanism: at a small, a middling and a large budget where it has one.
EXAMPLES: dict[str, list[Any]] = {
    "hypercube.HypercubeMechanism": [
        HypercubeMechanism(0.3, 3), HypercubeMechanism(1.0, 4, 2.0), HypercubeMechanism(4.0, 2),
    ],
    "density_estimation.Histogram": [
        *(de.Histogram(GRID, 1.0, method) for method in de.HISTOGRAM_METHODS if method != "none"),
        de.Histogram(GRID, None, "none"),
    ],
    "density_estimation.BinnedPolynomial": [
        de.BinnedPolynomial(1.0, 2, 0), de.BinnedPolynomial(0.5, 3, 1, "local"),
    ],
    "density_estimation.PrivateHaar": [
        de.PrivateHaar(1.0, 2), de.PrivateHaar(0.5, 2, "local"),
    ],
    "density_estimation.PrivateSeries": [de.PrivateSeries(1.0, 3), de.PrivateSeries(0.5, 2)],
    "inference.Tulap": [
        inference.Tulap(0.3), inference.Tulap(1.0, 0.01), inference.Tulap(3.0, 0.3),
    ],
    "laplace.DiscreteLaplace": [
        laplace.DiscreteLaplace(0.1), laplace.DiscreteLaplace(1.0, 3), laplace.DiscreteLaplace(5.0),
    ],
    "laplace.ExactDiscreteGaussian": [
        laplace.ExactDiscreteGaussian(0.5), laplace.ExactDiscreteGaussian(7.0, 2),
    ],
    "laplace.ExactDiscreteLaplace": [
        laplace.ExactDiscreteLaplace(0.1), laplace.ExactDiscreteLaplace(1.0, 3),
        laplace.ExactDiscreteLaplace(5.0),
    ],
    "laplace.ExponentialMechanism": [
        laplace.ExponentialMechanism(0.3), laplace.ExponentialMechanism(4.0, 2.0),
    ],
    "laplace.Gaussian": [laplace.Gaussian(4.0), laplace.Gaussian(1.0), laplace.Gaussian(0.3, 0.5)],
    "laplace.Laplace": [laplace.Laplace(0.1), laplace.Laplace(1.0, 0.5), laplace.Laplace(5.0, 9.0)],
    "laplace.LocalLaplace": [laplace.LocalLaplace(0.5, -1.0, 1.0), laplace.LocalLaplace(3.0, 0, 9)],
    "laplace.NoisyMaximum": [
        laplace.NoisyMaximum(0.3), laplace.NoisyMaximum(4.0, 2.0, "exponential"),
    ],
    "laplace.PrivateQuantile": [
        laplace.PrivateQuantile(0.3, [1.0, 2.0]), laplace.PrivateQuantile(4.0, [1.0, 2.0, 5.0]),
    ],
    "laplace.PrivatelyClippedMean": [
        laplace.PrivatelyClippedMean(0.3, [1.0, 2.0]),
        laplace.PrivatelyClippedMean(4.0, [1.0, 2.0, 5.0], 0.5, 2.0, 0.3),
    ],
    "laplace.SmoothMedian": [
        laplace.SmoothMedian(0.3, 0.0, 1.0), laplace.SmoothMedian(4.0, -1.0, 9.0, 1),
    ],
    "laplace.Staircase": [
        laplace.Staircase(0.3), laplace.Staircase.optimal(1.0, 2.0),
        laplace.Staircase(4.0, 1.0, 0.2),
    ],
    "lower_bounds.RankedMaximum": [lb.RankedMaximum(20, 0.3), lb.RankedMaximum(5, 0.05)],
    "mean_estimation.CertifiedMean": [
        me.CertifiedMean(20, 52.0, 1.0), me.CertifiedMean(3, 1.0, 0.3, 0.5),
    ],
    "mean_estimation.LocatedMean": [
        me.LocatedMean(8, 1.0, 4, 1.0, 20.0, 4), me.LocatedMean(30, 0.3, np.inf, 2.0, 9.0, 20),
    ],
    "mean_estimation.SubsetReports": [
        me.SubsetReports.optimal(12, 30, 0.05), me.SubsetReports.optimal(4, 3, 1.0),
    ],
    "mean_estimation.PrivUnit": [
        me.PrivUnit(1.0, 1), me.PrivUnit.optimal(2.0, 3), me.PrivUnit(0.5, 4, 2.0, 0.3),
    ],
    "mean_estimation.PrivateMean": [
        me.PrivateMean.calibrated(privacy, n=20, d=2, k=4)
        for privacy in (
            Pure(1.0), ZCDP(0.5), Approximate(1.0, 1e-3), TotalVariation(0.2), NonPrivate(),
        )
    ],
    "randomized_response.BinaryRR": [rr.BinaryRR(0.1), rr.BinaryRR(1.0), rr.BinaryRR(5.0)],
    "randomized_response.HadamardResponse": [
        rr.HadamardResponse(0.3, 3), rr.HadamardResponse(2.0, 9),
    ],
    "randomized_response.KaryRR": [rr.KaryRR(e, d) for e, d in ((0.1, 2), (1.0, 5), (5.0, 12))],
    "randomized_response.OptimizedUnary": [
        rr.OptimizedUnary(0.3, 2), rr.OptimizedUnary(2.0, 5),
    ],
    "randomized_response.SurveyDesign": [
        rr.SurveyDesign.forced(0.1, 0.3), rr.SurveyDesign.crosswise(0.2),
    ],
    "randomized_response.SubsetSelection": [
        rr.SubsetSelection(0.3, 4), rr.SubsetSelection(1.0, 6, 2), rr.SubsetSelection(4.0, 5),
    ],
    "randomized_response.SymmetricUnary": [
        rr.SymmetricUnary(0.3, 2), rr.SymmetricUnary(1.0, 4), rr.SymmetricUnary(4.0, 6),
    ],
    "unbiased_bounds.EllipsoidNoise": [
        ub.EllipsoidNoise.for_points(SQUARE, 10, ZCDP(0.5)),
        ub.EllipsoidNoise.for_points(SQUARE, 10, Pure(1.0)),
        ub.EllipsoidNoise.for_points(SQUARE, 10, Pure(1.0), "laplace"),
        ub.EllipsoidNoise.for_points(np.eye(3), 4, GaussianDP(1.0)),
    ],
    "unbiased_bounds.MatrixMechanism": [
        ub.MatrixMechanism.least(ub.range_workload(4), ZCDP(0.5, relation="add-remove")),
        ub.MatrixMechanism(
            np.eye(3), ub.tree_strategy(3), Approximate(1.0, 1e-3, relation="add-remove")
        ),
    ],
    "unbiased_bounds.UnbiasedCount": [ub.UnbiasedCount(0.3, 5), ub.UnbiasedCount(2.0, 20)],
}  # fmt: skip
CASES = [(name, mechanism) for name, found in EXAMPLES.items() for mechanism in found]


def test_every_exported_mechanism_is_held_to_the_contract() -> None:
    found = set(find_mechanisms())
    missing = found - set(EXAMPLES)
    assert not missing, (
        f"{sorted(missing)}: exported, but held to nothing; add a line with examples of it to "
        "EXAMPLES in tests/test_mechanisms.py"
    )
    assert not set(EXAMPLES) - found, "no such mechanism is exported any more: remove its line"


@pytest.mark.parametrize(("name", "mechanism"), CASES, ids=lambda x: repr(x)[:60])
def test_a_mechanism_keeps_its_word(
    name: str, mechanism: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = []

    def made(rng: Any, name: str = "rng", known: Any = _validate.generator) -> Any:
        fresh.append(rng is None)
        return known(rng, name)

    monkeypatch.setattr(_validate, "generator", made)
    contract = check_mechanism(mechanism)
    # Chance comes from the contract's seed, but where it asks for one run without.
    assert sum(fresh) <= ("seeds" in contract.checks)
    assert {"guarantee", "bad input"} <= set(contract.checks)
    if isinstance(mechanism, Mechanism) and hasattr(mechanism, "channel"):
        assert contract.checks["guarantee"].startswith("exact")


@pytest.mark.parametrize(("name", "mechanism"), CASES, ids=lambda x: repr(x)[:60])
def test_what_a_mechanism_promises_is_what_it_was_made_for(name: str, mechanism: Any) -> None:
    stated = mechanism.privacy
    assert isinstance(stated, Guarantee)
    epsilon = getattr(mechanism, "epsilon", None)
    if epsilon is not None and not getattr(mechanism, "delta", 0.0):
        assert stated in (Pure(epsilon), Local(Pure(epsilon)))


# --- the contract itself can fail --------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A mechanism as a reader may write it: a bit told truly with a given probability."""

    truth: float
    claim: float
    told: float | None = None

    @property
    def privacy(self) -> Guarantee:
        return Local(Pure(self.claim))

    inputs = (0, 1)
    outputs = (0, 1)

    def channel(self) -> Any:
        return [[self.truth, 1 - self.truth], [1 - self.truth, self.truth]]

    def privatize(self, bits: Any, *, rng: Any = None) -> Any:
        from minimaxdp import _validate

        bits = _validate.bits("bits", bits)
        flip = _validate.generator(rng).random(bits.shape) > (self.told or self.truth)
        return bits ^ flip


def test_a_mechanism_of_the_readers_own_is_checked_by_the_same_call() -> None:
    found = check_mechanism(Reader(0.75, np.log(3)))
    assert found.checks["guarantee"] == "exact, by the channel"


def test_a_promise_that_is_too_bold_is_found_exactly() -> None:
    with pytest.raises(AssertionError, match=r"promises local 1\.09-DP but keeps only 1\.09861-DP"):
        check_mechanism(Reader(0.75, 1.09))


def test_a_law_that_is_not_the_stated_one_is_found() -> None:
    with pytest.raises(AssertionError, match="does not follow its law"):
        check_mechanism(Reader(0.75, np.log(3), told=0.8))


class LoudLaplace(laplace.Laplace):
    """Half the noise that its density tells of."""

    def privatize(self, answer: Any, *, rng: Any = None) -> Any:
        return answer + (super().privatize(answer, rng=rng) - answer) / 2


class BoldLaplace(laplace.Laplace):
    @property
    def privacy(self) -> Guarantee:
        return Pure(self.epsilon * 0.9)


class BoldGaussian(laplace.Gaussian):
    @property
    def privacy(self) -> Guarantee:
        return GaussianDP(self.sensitivity / self.sigma * 0.97)


class Biased(laplace.DiscreteLaplace):
    """Right in law but for a shift that nobody told of."""

    def privatize(self, answer: Any, *, rng: Any = None) -> Any:
        return super().privatize(answer, rng=rng) + 1


class Sharp(rr.BinaryRR):
    """An estimate that forgets a share of the flips."""

    def estimate(self, reported_ones: Any, n: int) -> Any:
        return super().estimate(reported_ones, n) * 0.9


class Careless(laplace.Laplace):
    """Whose arguments are not checked, and whose mask is dropped."""

    def privatize(self, answer: Any, *, rng: Any = None) -> Any:
        generator = np.random.default_rng(rng)
        return np.asarray(answer) + generator.laplace(scale=self.scale, size=np.shape(answer))


class Deaf(laplace.Laplace):
    """Whose seed is not heard."""

    def privatize(self, answer: Any, *, rng: Any = None) -> Any:
        return super().privatize(answer, rng=None if isinstance(rng, int) else rng)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        (LoudLaplace(1.0), "does not follow its law"),
        (BoldLaplace(1.0), "a ratio of densities reaches"),
        (BoldGaussian(1.0), "promises delta"),
        (Biased(1.0), "does not follow its law|has a bias"),
        (Sharp(1.0), "estimates"),
        (Careless(1.0), "goes through|without its name"),
        (Deaf(1.0), "the same seed must give the same output"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_a_broken_mechanism_is_caught(mechanism: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check_mechanism(mechanism)


class BoldUnit(me.PrivUnit):
    @property
    def privacy(self) -> Guarantee:
        return Local(Pure(self.epsilon / 2))


def test_an_audit_finds_a_promise_that_nothing_else_can_check() -> None:
    with pytest.raises(AssertionError, match="an audit finds epsilon"):
        check_mechanism(BoldUnit(2.0, 2))


class Open:
    """Adds one, whatever it is given."""

    privacy = Pure(1.0)

    def privatize(self, value: Any, *, rng: Any = None) -> Any:
        if rng is not None and rng != 0:
            _validate.generator(rng)
        return 1.0 + np.random.default_rng(0 if rng is None else rng).laplace()


class OpenSeed(Open):
    def privatize(self, value: Any, *, rng: Any = None) -> Any:
        _validate.real("value", value)
        if isinstance(value, np.ma.MaskedArray):
            raise TypeError("value must not be masked")
        return float(np.random.default_rng(abs(hash(rng))).laplace()) + 0 * np.sum(value)


def test_a_mechanism_that_says_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="^neighbours must be given: nothing says"):
        check_mechanism(Open())
    with pytest.raises(ValueError, match="^neighbours must be inputs of the mechanism"):
        check_mechanism(laplace.Laplace(1.0), neighbours=("a", "b"))
    with pytest.raises(AssertionError, match="bad input 'text' goes through and gives"):
        check_mechanism(Open(), neighbours=(0.0, 1.0))
    with pytest.raises(AssertionError, match="the seed 'seed' goes through"):
        check_mechanism(OpenSeed(), neighbours=(0.0, 0.5))


def test_what_is_no_mechanism_is_refused() -> None:
    with pytest.raises(TypeError, match="^mechanism must state its privacy"):
        check_mechanism(3)
    with pytest.raises(ValueError, match="^runs must be at least 1000"):
        check_mechanism(rr.BinaryRR(1.0), runs=10)


def test_one_outcome_that_a_law_rules_out_is_enough():
    law = np.array([0.5, 0.5, 0.0])
    mechanisms._fits("fair", np.array([100.0, 101.0, 0.0]), law, "here", 1)
    with pytest.raises(AssertionError, match="'odd' at here gives what its law rules out"):
        mechanisms._fits("odd", np.array([100.0, 100.0, 1.0]), law, "here", 1)


def test_neighbours_differ_in_one_record():
    for asked in EXAMPLES["mean_estimation.SubsetReports"]:
        one, two = asked.neighbours
        assert (one != two).any(axis=1).sum() == 1
    for ranked in EXAMPLES["lower_bounds.RankedMaximum"]:
        one, two = map(set, ranked.neighbours)
        assert one ^ two == {max(one), min(two)}


@pytest.mark.parametrize("degree", [-1, 11])
def test_a_degree_out_of_range_is_refused(degree):
    with pytest.raises(ValueError, match="^degree "):
        de.BinnedPolynomial(1.0, 2, degree)


def test_a_histogram_of_nobody_is_refused():
    with pytest.raises(ValueError, match="^n "):
        de.Histogram(GRID, 1.0).estimate([0, 0, 0], 0)


def test_points_at_which_a_law_is_summed_up_lie_evenly_about_zero() -> None:
    for noise in (laplace.LaplaceNoise(2.0, 1), laplace.GaussianNoise(0.1, 1)):
        points, step = mechanisms._grid(noise)
        assert np.array_equal(points, -points[::-1]) and np.allclose(np.diff(points), step)
