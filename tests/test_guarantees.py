"""Definitions of privacy as values: levels, order, and every implication held to exact numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from minimaxdp import _validate, definitions, divergences, guarantees, privacy
from minimaxdp import randomized_response as rr
from minimaxdp.guarantees import (
    KL,
    ZCDP,
    Approximate,
    ApproximatePair,
    ChiSquare,
    ConditionalTesting,
    FinitePair,
    GaussianDP,
    GaussianPair,
    Guarantee,
    LaplacePair,
    Local,
    NonPrivate,
    Pure,
    Renyi,
    ResponsePair,
    Smooth,
    TotalVariation,
    rule,
    standard_guarantees,
)
from minimaxdp.guarantees._base import _RULES

# The least level that a finite channel with two inputs keeps, by exact computation. Of Gaussian
# privacy there is no closed form: the curve is compared at the corners of the channel's own.
EXACT = {
    Pure: lambda q: {"epsilon": privacy.dp_epsilon(q)},
    Approximate: lambda q, epsilon=None, delta=None: (
        {"epsilon": epsilon, "delta": float(privacy.privacy_profile(q, epsilon))}
        if delta is None
        else {"epsilon": float(privacy.epsilon_at_delta(q, delta)), "delta": delta}
    ),
    TotalVariation: lambda q: {"alpha": privacy.worst_divergence(q, divergences.total_variation)},
    KL: lambda q: {"level": privacy.worst_divergence(q, divergences.kl)},
    ChiSquare: lambda q: {"level": privacy.worst_divergence(q, divergences.chi_square)},
    Renyi: lambda q, order: {
        "order": order,
        "level": privacy.worst_divergence(q, divergences.renyi, order=order),
    },
    ZCDP: lambda q: {"rho": guarantees.zcdp_rho(q).high},
    Smooth: lambda q: {"epsilon": privacy.dp_epsilon(q), "distance": 1.0},
    ConditionalTesting: lambda q, eta: {"eta": eta, "level": definitions.chtp_epsilon(q, eta)},
    GaussianDP: lambda q: {"mu": gaussian_level(q)},
}
# Levels that are held, for the source and for the target of a rule.
HELD = {
    Approximate: [{"epsilon": 0.3}, {"epsilon": 1.2}, {"delta": 0.05}],
    Renyi: [{"order": 1.0}, {"order": 2.0}, {"order": 7.5}],
    ConditionalTesting: [{"eta": 0.05}, {"eta": 0.3}],
}
CHANNELS = [
    [[0.75, 0.25], [0.25, 0.75]],
    [[0.6, 0.3, 0.1], [0.3, 0.3, 0.4]],
    [[0.5, 0.2, 0.2, 0.1], [0.2, 0.5, 0.1, 0.2]],
    [[0.9, 0.1], [0.85, 0.15]],
]


def gaussian_level(q: Any) -> float:
    """The least mu whose curve lies below the channel's: it is enough at the corners."""
    from scipy.special import ndtri

    p, r = np.asarray(q)
    worst = 0.0
    for first, second in ((p, r), (r, p)):
        alpha, beta = privacy.tradeoff_curve(first, second)
        inside = (alpha > 0) & (alpha < 1) & (beta > 0) & (beta < 1)
        worst = max(worst, float((ndtri(1 - alpha[inside]) - ndtri(beta[inside])).max()))
    return worst


def exact(definition: type[Guarantee], channel: Any, held: dict[str, float]) -> Guarantee:
    return definition(**EXACT[definition](channel, **held))


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@pytest.mark.parametrize("pair", list(_RULES), ids=lambda p: f"{p[0].__name__}-{p[1].__name__}")
def test_what_follows_holds_for_every_channel_that_keeps_the_premise(
    pair: tuple[type[Guarantee], type[Guarantee]], channel: Any
) -> None:
    source, target = pair
    tried = 0
    for mine in HELD.get(source, [{}]):
        premise = exact(source, channel, mine)
        for held in HELD.get(target, [{}]):
            try:
                found = premise.implies(target, **held)
            except (TypeError, ValueError):
                continue  # this level cannot be held for this premise
            tried += 1
            truth = exact(target, channel, {k: getattr(found, k) for k in held})
            for name, level in truth.levels.items():
                slack = 1e-9 * (1 + abs(level))
                assert level <= getattr(found, name) + slack, (premise, found, truth)
    assert tried or source is ConditionalTesting  # its level may be too high to say anything


RESPONSE = [0.1, 1.0, 3.0]


@pytest.mark.parametrize("epsilon", RESPONSE)
@pytest.mark.parametrize("target", [t for s, t in _RULES if s is Pure], ids=lambda t: t.__name__)
def test_randomized_response_attains_what_pure_privacy_implies(
    target: type[Guarantee], epsilon: float
) -> None:
    for held in HELD.get(target, [{}]):
        found = Pure(epsilon).implies(target, **held)
        if any(value in (0.0,) for value in found.levels.values()):
            continue  # the held level leaves nothing to attain
        truth = exact(target, rr.BinaryRR(epsilon).channel(), held)
        assert "sharp" in found.theorem
        for name, level in truth.levels.items():
            assert level == pytest.approx(getattr(found, name), rel=1e-8), name


@pytest.mark.parametrize("epsilon", RESPONSE)
def test_largest_pure_budget_is_the_inverse_of_the_implication(epsilon: float) -> None:
    pure = Pure(epsilon)
    for target, held in [
        (ZCDP, {}), (KL, {}), (TotalVariation, {}), (ChiSquare, {}), (GaussianDP, {}),
        (Renyi, {"order": 3.0}), (Approximate, {"epsilon": epsilon / 2}), (Smooth, {}),
        (ConditionalTesting, {"eta": 0.1}),
    ]:  # fmt: skip
        follows = pure.implies(target, **held)
        assert float(follows.pure_epsilon()) == pytest.approx(epsilon, rel=1e-9), target


@pytest.mark.parametrize(
    "privacy_",
    [
        ZCDP(0.3), KL(0.3), Renyi(4.0, 0.3), ChiSquare(0.3), GaussianDP(0.7), TotalVariation(0.3),
        Approximate(0.5, 1e-5),
    ],
    ids=str,
)  # fmt: skip
def test_least_normal_noise_keeps_the_guarantee_exactly(privacy_: Guarantee) -> None:
    noisy = GaussianDP(1 / privacy_.gaussian_sigma())
    held = privacy_.held()
    if isinstance(privacy_, Renyi | ChiSquare):
        found = noisy.implies(ZCDP).implies(type(privacy_), **held)
    elif isinstance(privacy_, KL):
        found = noisy.implies(ZCDP).implies(KL)
    else:
        found = noisy.implies(type(privacy_), **held)
    for name, level in privacy_.levels.items():
        assert getattr(found, name) == pytest.approx(level, rel=1e-9)


def test_pure_privacy_is_kept_by_no_normal_noise() -> None:
    assert Pure(1.0).gaussian_sigma() == np.inf
    assert Approximate(1.0, 0.0).gaussian_sigma() == np.inf
    assert NonPrivate().gaussian_sigma() == 0.0
    assert NonPrivate().pure_epsilon() == np.inf


def test_closed_forms_lie_on_the_safe_side_of_the_sharp_levels() -> None:
    for g in (
        Pure(0.7), ZCDP(0.3), KL(0.3), Renyi(4.0, 0.3), GaussianDP(0.7), TotalVariation(0.3),
        Approximate(0.5, 1e-5), Smooth(0.3, 2.0), Local(Pure(0.7)),
    ):  # fmt: skip
        sharp = g.implies(TotalVariation).alpha
        assert sharp <= g.tv_form() * (1 + 1e-12) < 2 * sharp, g
        if g.mu_squared_form() is not None:
            assert g.mu_squared_form() <= (1 / g.gaussian_sigma()) ** 2 * (1 + 1e-12), g
        if g.pure_form() is not None:
            assert g.pure_form() <= g.pure_epsilon() * (1 + 1e-12), g


def test_closed_forms_take_symbols() -> None:
    import sympy as sp

    from minimaxdp._operations import sympy_operations

    m = sympy_operations()
    epsilon = sp.Symbol("epsilon", positive=True)
    assert Pure.symbolic().tv_form(m) == sp.tanh(epsilon / 2)
    assert Local.symbolic().pure_form(m) == epsilon


# --- order, equality, words --------------------------------------------------------------------


def test_one_guarantee_is_below_another_if_it_implies_it() -> None:
    chain = [
        Local(Pure(0.5)), Pure(0.5), Pure(1.0), Approximate(1.0, 1e-9), Approximate(1.0, 1e-6),
        NonPrivate(),
    ]  # fmt: skip
    for i, low in enumerate(chain):
        for high in chain[i + 1 :]:
            assert low < high and low <= high and high > low and high >= low
            assert not high <= low
    assert Pure(1.0) <= ZCDP(0.4622) and not Pure(1.0) <= ZCDP(0.4621)
    assert not ZCDP(0.5) <= Pure(100.0)
    assert Renyi(3.0, 0.4) <= Renyi(2.0, 0.5) and not Renyi(2.0, 0.4) <= Renyi(3.0, 0.5)
    assert ConditionalTesting(0.1, 0.3) <= ConditionalTesting(0.2, 0.3)


def test_equal_guarantees_are_one_key_whatever_they_came_from() -> None:
    assert Pure(1) == Pure(1.0) != Pure(1.0, relation="add-remove")
    assert len({Pure(1.0), Pure(1.0).implies(Pure), Pure(2.0)}) == 2
    assert ZCDP(0.5) == GaussianDP(1.0).implies(ZCDP)
    levels = Pure(np.array([0.5, 1.0]))
    assert levels == Pure([0.5, 1.0]) != Pure([0.5, 2.0])
    assert hash(levels) == hash(Pure([0.5, 1.0]))
    with pytest.raises(ValueError, match="read-only"):
        levels.epsilon[0] = 3.0


def test_levels_broadcast() -> None:
    found = Pure([0.5, 1.0]).implies(TotalVariation)
    np.testing.assert_allclose(found.alpha, np.tanh([0.25, 0.5]), rtol=1e-15)
    sigma = ZCDP([0.5, 2.0]).gaussian_sigma(2.0)
    np.testing.assert_allclose(sigma, [2.0, 1.0])
    with pytest.raises(ValueError, match=r"^epsilon and delta must broadcast, got"):
        Approximate([0.5, 1.0], [1e-6, 1e-7, 1e-8])


def test_a_guarantee_says_what_it_is() -> None:
    assert repr(Pure(1, relation="add-remove")) == "Pure(1.0, relation='add-remove')"
    assert str(Local(Pure(1.0))) == "local 1-DP" and repr(Local(Pure(1.0))) == "Local(Pure(1.0))"
    assert repr(ZCDP([0.5, 1.0])) == "ZCDP([0.5, 1.0])"
    assert eval(repr(Approximate(1.0, 1e-6))) == Approximate(1.0, 1e-6)
    names = {g.name for g in vars(guarantees).values() if isinstance(g, type) and g is not Guarantee
             and issubclass(g, Guarantee)}  # fmt: skip
    assert len(names) == 12 and "" not in names


def test_the_theorem_goes_with_what_follows() -> None:
    assert "randomized response" in Pure(1.0).implies(ZCDP).theorem
    through = Smooth(0.5, 2.0).implies(ZCDP)
    assert through == Pure(1.0).implies(ZCDP)
    assert (
        through.theorem
        == f"the metric between neighbours; sharp; then {Pure(1.0).implies(ZCDP).theorem}"
    )
    assert Pure(1.0).theorem == ""


# --- neighbours, groups ------------------------------------------------------------------------


def test_replacing_a_record_is_a_group_of_two() -> None:
    assert Pure(0.5, relation="add-remove").under("replacement") == Pure(1.0)
    assert ZCDP(0.5, relation="add-remove").under("replacement") == ZCDP(2.0)
    assert GaussianDP(0.5, relation="add-remove") <= GaussianDP(1.0)
    assert not Pure(0.5) <= Pure(0.5, relation="add-remove")
    both = Approximate(1.0, 1e-6, relation="add-remove").under("replacement")
    assert both.epsilon == 2.0 and both.delta == pytest.approx((1 + np.e) * 1e-6, rel=1e-12)
    with pytest.raises(ValueError, match="^relation must be 'replacement'"):
        Pure(0.5).under("add-remove")
    with pytest.raises(ValueError, match="^size must be 1: kl says nothing"):
        KL(0.5).group(2)


@pytest.mark.parametrize("size", [2, 3])
def test_group_privacy_holds_on_a_chain_of_channels(size: int) -> None:
    # Three steps along a path of inputs, each neighbour to the next.
    from minimaxdp.unbiased_bounds import UnbiasedCount

    channel = UnbiasedCount(0.7, 4).channel()
    ends = channel[[0, size]]
    path = [[i, i + 1] for i in range(size)]
    assert privacy.dp_epsilon(ends) <= Pure(0.7).group(size).epsilon + 1e-12
    delta = float(privacy.privacy_profile(channel, 0.3, path))
    grouped = Approximate(0.3, delta).group(size)
    assert float(privacy.privacy_profile(ends, grouped.epsilon)) <= grouped.delta + 1e-12


def test_standard_guarantees_follow_from_the_pure_one() -> None:
    none, pure, approximate, zcdp, kl, tv, local = standard_guarantees(0.3, 1e-6)
    assert all(pure <= weaker for weaker in (approximate, zcdp, kl, tv, none))
    assert local <= pure


# --- a definition of the reader's own ----------------------------------------------------------


def test_a_new_definition_is_one_class_and_its_rules() -> None:
    @dataclass(frozen=True, eq=False, repr=False)
    class Hellinger(Guarantee):
        level: Any
        name: ClassVar[str] = "hellinger"

        def _check(self) -> dict[str, Any]:
            return {"level": _validate.real("level", self.level, above=0, maximum=1)}

    try:

        @rule(Hellinger, TotalVariation, "Le Cam's inequality")
        def _(g: Hellinger) -> Guarantee:
            return TotalVariation(np.sqrt(g.level * (2 - g.level)))

        assert Hellinger(0.02).implies(TotalVariation).alpha == pytest.approx(0.19899749)
        assert Hellinger(0.02) <= TotalVariation(0.2) and Hellinger(0.02) < Hellinger(0.03)
        # What follows from total variation follows from it, without another line.
        assert Hellinger(0.02).implies(Approximate, epsilon=1.0).delta == pytest.approx(0.19899749)
    finally:
        _RULES.pop((Hellinger, TotalVariation), None)


def test_any_two_guarantees_can_be_compared() -> None:
    every = [
        NonPrivate(), Pure(0.3), Smooth(0.3), Smooth(0.2, 2.5), Approximate(0.3, 1e-6), ZCDP(0.05),
        KL(0.05), Renyi(2.0, 0.1), ChiSquare(0.1), GaussianDP(0.3), TotalVariation(0.1),
        ConditionalTesting(0.01, 0.2), Local(Pure(0.3)),
    ]  # fmt: skip
    for one, other in product(every, repeat=2):
        assert (one <= other) in (True, False)
        assert one <= one
    assert Pure(0.3) <= Smooth(0.3) and not Pure(0.3) <= Smooth(0.29)
    assert ConditionalTesting(0.01, 0.25) <= Approximate(1.1, 0.01)


# --- dominating pairs --------------------------------------------------------------------------

PAIRS = [
    GaussianPair(0.8), GaussianPair(3.0), LaplacePair(0.5), LaplacePair(4.0), ResponsePair(1.0),
    ResponsePair(2.0, d=5), ApproximatePair(0.7, 0.1), FinitePair([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.3])
def test_the_profile_is_an_expectation_of_the_loss(pair: Any, epsilon: float) -> None:
    # delta(eps) = E (1 - e^(eps - L))_+ = integral over x > eps of e^(eps - x) P(L > x).
    top = 60.0
    stops = sorted(
        {epsilon, *np.clip([pair.epsilon] if hasattr(pair, "epsilon") else [], epsilon, top)}
    )
    if isinstance(pair, FinitePair):
        losses, mass = pair.losses
        value = float((mass * np.maximum(-np.expm1(epsilon - losses), 0)).sum())
    else:
        value = quad(
            lambda x: np.exp(epsilon - x) * (1 - pair.loss_cdf(x)), epsilon, top,
            points=stops, limit=500, epsabs=1e-13,
        )[0]  # fmt: skip
    assert value == pytest.approx(float(pair.delta(epsilon)), abs=1e-10)


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_divergences_rise_with_the_order_up_to_the_largest_loss(pair: Any) -> None:
    if isinstance(pair, ApproximatePair):
        assert pair.renyi(2.0) == np.inf
        return
    orders = np.array([1.0, 1.5, 2.0, 10.0, 100.0])
    values = np.array([float(pair.renyi(a)) for a in orders])
    assert np.all(np.diff(values) >= 0)


def test_randomized_response_as_a_pair_is_two_rows_of_its_channel() -> None:
    for d in (2, 3, 7):
        rows = rr.KaryRR(1.3, d).channel()[:2] if d > 2 else rr.BinaryRR(1.3).channel()
        pair = ResponsePair(1.3, d=d)
        for epsilon in (0.0, 0.5, 1.0):
            expected = float(privacy.privacy_profile(rows, epsilon))
            assert float(pair.delta(epsilon)) == pytest.approx(expected, abs=1e-14)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.floats(0.01, 3), st.floats(0, 0.5), st.floats(0, 4))
def test_the_approximate_pair_has_the_profile_of_the_region(
    epsilon: float, delta: float, at: float
) -> None:
    expected = Approximate(epsilon, delta).implies(Approximate, epsilon=at).delta
    assert float(ApproximatePair(epsilon, delta).delta(at)) == pytest.approx(expected, abs=1e-12)


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: Pure(0.0), ValueError, "^epsilon must be greater than 0"),
        (lambda: Pure("1"), TypeError, "^epsilon must be real numbers"),
        (lambda: Pure(1.0, relation="swap"), ValueError, "^relation must be one of replacement"),
        (lambda: Approximate(0.0, 0.0), ValueError, "^epsilon must be greater than 0 where"),
        (lambda: Approximate(1.0, 1.0), ValueError, "^delta must be less than 1"),
        (lambda: TotalVariation(1.1), ValueError, "^alpha must be at most 1"),
        (lambda: GaussianDP(40.0), ValueError, "^mu must be at most 37"),
        (lambda: Local(1.0), TypeError, "^inner must be a Guarantee, got 1.0"),
        (lambda: Local(Local(Pure(1.0))), TypeError, "^inner must not be local already"),
        (lambda: Pure(1.0).implies("zcdp"), TypeError, "^target must be a definition"),
        (lambda: ZCDP(0.5).implies(Pure), ValueError, "^target must follow from 0.5-zCDP"),
        (lambda: ZCDP(0.5).implies(Approximate), ValueError, "^given must be either epsilon"),
        (lambda: Pure(1.0).implies(Renyi), TypeError, "^given must be order for Renyi"),
        (lambda: Pure(1.0).implies(ZCDP, order=2), TypeError, "^given must be nothing for ZCDP"),
        (lambda: ZCDP(0.5).gaussian_sigma(0.0), ValueError, "^sensitivity must be greater than 0"),
        (lambda: GaussianPair(-1.0), ValueError, "^mu must be at least 1e-150"),
        (lambda: FinitePair([0.5, 0.5], [1.0]), ValueError, "^p and q must be two laws on one set"),
    ],
)  # fmt: skip
def test_bad_levels_are_refused_by_name(call: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("mu", [1e5, 1e7, 5.4e8, 2.0**31, 1e11])
def test_the_epsilon_of_hardly_any_noise_is_a_number(mu: float) -> None:
    delta = 0.126936737507
    found = guarantees.gaussian_epsilon(delta, 1.0, mu)
    from scipy.special import ndtri

    # epsilon = mu^2/2 - mu ndtri(delta), up to O(1).
    assert found == pytest.approx(mu**2 / 2 - mu * ndtri(delta), rel=1e-8)


def test_an_approximate_guarantee_trades_its_levels_for_several_at_once() -> None:
    stated, wanted = Approximate(1.0, 0.1), np.array([0.1, 0.5, 0.6])
    found = stated.implies(Approximate, delta=wanted)
    each = [stated.implies(Approximate, delta=delta).epsilon for delta in wanted]
    np.testing.assert_allclose(found.epsilon, each, rtol=1e-12)
    with pytest.raises(ValueError, match="^delta must be less than 1"):
        stated.implies(Approximate, delta=np.array([0.5, 1.0]))
