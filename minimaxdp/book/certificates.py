r"""The certificates of the book: what its statements claim of whole ranges, shown for all of them.

Each function finds its certificates with :mod:`minimaxdp.certify` and hands them out together, with
the words of what they prove.

- Inequalities: :func:`contraction_rises`, :func:`pinsker_sharpened`, :func:`orders_fall`,
  :func:`constants_hold`, :func:`rates_hold`, :func:`steps_hold`.
- Closed forms: :func:`unbiased_counts`, :func:`geometric_moments`, :func:`binomial_slopes`.

:func:`all_certificates` collects them with those of :mod:`minimaxdp.book.small_worlds` and
:mod:`minimaxdp.book.compositions`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from minimaxdp.book.compositions import composed_epsilons
from minimaxdp.book.small_worlds import (
    covered_everywhere,
    fiducial_sizes,
    optimal_tests,
    private_counts,
    private_guesses,
)
from minimaxdp.certify import Certified, Refused, induction, inequality, vanishes

__all__ = [
    "all_certificates",
    "binomial_slopes",
    "constants_hold",
    "contraction_rises",
    "geometric_moments",
    "orders_fall",
    "pinsker_sharpened",
    "rates_hold",
    "steps_hold",
    "unbiased_counts",
]


# --- inequalities -------------------------------------------------------------------------------


@cache
def contraction_rises() -> Certified:
    r"""That :math:`K(\varepsilon) / \varepsilon^2` increases, and is below 1.252 up to 1.

    Here :math:`K = \max\{e^{-\varepsilon}, \frac{2}{e^\varepsilon + 2}\} (e^\varepsilon - 1)^2` is
    what local privacy leaves of a squared total variation. Both branches rise faster than the
    square: the derivatives of their logarithms, less that of the square, are positive factors times
    the functions that are certified to be positive.

    Returns
    -------
    Certified

    Examples
    --------
    >>> contraction_rises().verify()
    True
    """
    import sympy

    x = sympy.Symbol("x", positive=True)
    e = sympy.exp(x)
    rise = (x - 2) * e**2 + (5 * x - 2) * e + 4
    second = 2 * (e - 1) ** 2 / ((e + 2) * x**2)
    _same(sympy.diff(sympy.log(second), x) * x * (e - 1) * (e + 2), rise)
    first = 4 * sympy.sinh(x / 2) ** 2 / x**2
    slope = x * sympy.cosh(x / 2) - 2 * sympy.sinh(x / 2)
    _same(sympy.diff(sympy.log(first), x) * x * sympy.sinh(x / 2), slope)
    most = sympy.Rational(313, 250)
    every, small = {x: (0, sympy.oo)}, {x: (0, 1)}
    return Certified(
        "for all budgets x: the constant K(x) of contraction, over x^2, rises; and for x up to 1 "
        "it is below 1.252",
        ("lem-contraction", "lap-local-rate"),
        {
            "the first branch over its square rises": inequality(slope, every),
            "the second branch over its square rises": inequality(rise, every),
            "the first is below 1.252": inequality(most * x**2 * e - (e - 1) ** 2, small),
            "the second is below 1.252": inequality(
                most * x**2 * (e + 2) - 2 * (e - 1) ** 2, small
            ),
        },
    )


@cache
def pinsker_sharpened() -> Certified:
    r"""That :math:`2 u \operatorname{artanh} u` exceeds :math:`2 u^2` and is convex in :math:`u^2`.

    With :math:`u = \tanh t` the first is :math:`t > \tanh t`, and the second derivative with
    respect to :math:`u^2` has the sign of :math:`\sinh 2t \sinh^2 t + \sinh t \cosh t - t`.
    Jensen's inequality turns the second into bounds on total variation and on triangular
    discrimination.

    Returns
    -------
    Certified

    Examples
    --------
    >>> pinsker_sharpened().verify()
    True
    """
    import sympy

    t = sympy.Symbol("t", positive=True)
    sinh, cosh = sympy.sinh(t), sympy.cosh(t)
    value, square = 2 * t * sympy.tanh(t), sympy.tanh(t) ** 2
    slope = sympy.diff(value, t) / sympy.diff(square, t)
    bend = sympy.sinh(2 * t) * sinh**2 + sinh * cosh - t
    _same(sympy.diff(slope, t) * sinh**2, bend)
    every = {t: (0, sympy.oo)}
    return Certified(
        "for all u in (0, 1): 2 u artanh u exceeds 2 u^2, and is convex and rising in u^2",
        ("BD-Pinsker", "lem-lb-triangular"),
        {
            "artanh u > u": inequality(t - sympy.tanh(t), every),
            "the slope in the square is positive": inequality(cosh * sinh + t, every),
            "so is its second derivative": inequality(bend, every),
        },
    )


@cache
def orders_fall() -> Certified:
    r"""That :math:`\sup_{a > 1} D_a / a` under randomized response is its limit at order 1.

    With :math:`s = (a - \frac12)^2` the divergence times a - 1 is concave in s if tanh(x)/x falls,
    which is certified for all x. On a box of budgets and orders the difference is also certified to
    be positive directly, without that argument.

    Returns
    -------
    Certified

    Examples
    --------
    >>> orders_fall().verify()
    True
    """
    import sympy

    x, a = sympy.symbols("x a", positive=True)
    fall = sympy.sinh(2 * x) / 2 - x
    _same(-sympy.diff(sympy.tanh(x) / x, x) * x**2 * sympy.cosh(x) ** 2, fall)
    tangent = a * (a - 1) * x * sympy.tanh(x / 2)
    curve = sympy.log(sympy.cosh((a - sympy.Rational(1, 2)) * x)) - sympy.log(sympy.cosh(x / 2))
    return Certified(
        "for all budgets: tanh(x)/x falls, on which the supremum over orders rests; and at budgets "
        "from 1 to 4 and orders from 2 to 6 the divergence lies below its bound",
        ("priv-pure-zcdp",),
        {
            "tanh(x)/x falls": inequality(fall, {x: (0, sympy.oo)}),
            "x tanh(x/2) is below x^2/2": inequality(x / 2 - sympy.tanh(x / 2), {x: (0, sympy.oo)}),
            "the divergence, directly, on a box": inequality(
                tangent - curve, {x: (1, 4), a: (2, 6)}
            ),
        },
    )


@cache
def constants_hold() -> Certified:
    r"""The constants of the upper and lower bounds, for the whole range of the budget.

    Returns
    -------
    Certified

    Examples
    --------
    >>> constants_hold().verify()
    True
    """
    import sympy

    x = sympy.Symbol("x", positive=True)
    sinh = sympy.sinh(x / 4)
    golden = (sympy.sqrt(5) - 1) / 2
    small, every = {x: (0, 1)}, {x: (0, sympy.oo)}
    return Certified(
        "for all budgets up to 1, or all: the numbers 17/4, 3, 83 and 1/e in bounds on risks",
        ("Klein-RR-risk", "Klein-thm-multinomial", "thm-me-zcdp", "BD-Lem3", "BD-Prop1"),
        {
            # d G/(G - 1)^2 + 1 - 1/d <= (17/4) d/x^2, as (1 - 1/d)/d <= 1/4
            "17/4 in the risk of the unary encoding": inequality(
                17 * sinh**2 - x**2 * (1 + sinh**2), small
            ),
            "3 in the risk of the projected estimate": inequality(
                3 * sympy.sqrt(2) * sinh - x * sympy.cosh(x / 4), small
            ),
            "83 under zCDP": inequality((2 * 83 * golden**2 - sympy.pi * sympy.exp(3)) * x, small),
            # (k - 1) c_k = (1 - 1/k)^k is below 1/e; with 1 - 1/k = exp(-x)
            "1/e in the bias of truncation": inequality(x - 1 + sympy.exp(-x), every),
            "a half in the sum of errors": inequality(x / 2 - sympy.tanh(x / 2), every),
        },
    )


@cache
def rates_hold() -> Certified:
    r"""The constants with which lower bounds have the form of a rate: R/7, S/9 and 1/29.

    For categories both branches of :math:`4 \kappa(x)` are below :math:`C x^2` with C = 0.6634. So
    the tilts lose at most :math:`e^{-a N \tau^2 / k^2}`, where :math:`a = 2C / (1 - C/4)`, and with
    the choices of k and :math:`\tau` in the proof five constants are left to be compared. For
    Hölder densities three are left, one for each model.

    Returns
    -------
    Certified

    Examples
    --------
    >>> rates_hold().verify()
    True
    """
    import sympy

    x = sympy.Symbol("x", positive=True)
    exp, sinh, cosh = sympy.exp(x), sympy.sinh(x / 2), sympy.cosh(x / 2)
    most, a = sympy.Rational(3317, 5000), sympy.Rational(1591, 1000)
    if not 2 * most / (1 - most / 4) < a:
        raise Refused("the loss of the tilts is not below 1.591")
    small, orders = {x: (0, 1)}, {x: (0, 2)}
    first = most * x**2 * (1 + cosh) - 4 * sinh**2 * cosh
    second = most * x**2 * (exp + 2) * (1 + cosh) - 2 * (exp - 1) ** 2 * cosh
    factors = {"without privacy": "5/144", "with a curator": "1/16", "locally": "7/192"}
    gaps = {model: sympy.Rational(f) - sympy.Rational(1, 29) for model, f in factors.items()}
    return Certified(
        "for all budgets up to 1 and all n: the numbers 1/7 and 1/9 in the rates for categories; "
        "and for all Hölder orders up to 1 the number 29 in those for densities",
        ("Klein-thm-multinomial", "thm-den-rates"),
        {
            "the first branch of 4 kappa is below 0.6634 x^2": inequality(first, small),
            "so is the second": inequality(second, small),
            "ln(1 - h) > -h/(1 - h) as far as is needed": inequality(
                (1 - x) * sympy.log(1 - x) + x, {x: (0, most / 4)}
            ),
            "2/(3 e a) > 1/7, many people": inequality((14 - 3 * sympy.E * a) * x, small),
            "1/(2 e) > 1/7, few people": inequality((7 - 2 * sympy.E) * x, small),
            "1/(2 e sqrt a) > 1/7, between": inequality((49 - 4 * sympy.E**2 * a) * x, small),
            "1/(3 sqrt(2 e a)) > 1/9, many people": inequality((81 - 18 * sympy.E * a) * x, small),
            "1/(2 sqrt e) > 1/9, few people": inequality((81 - 4 * sympy.E) * x, small),
        }
        | {
            f"{factors[model]} exceeds 1/29, {model}": inequality(gap * 16 ** (-x), orders)
            for model, gap in gaps.items()
        },
    )


@cache
def steps_hold() -> Certified:
    r"""Numbers that proofs use on the way, for the whole range in which they use them.

    - Zero-concentrated privacy implies Gaussian privacy: the slope 2sM is below 4, where
      :math:`M \le 1.26` and :math:`s^2 \le \frac{z^2}2 + 0.92 + \ln(1 + z)` up to z = 1, and
      :math:`M \le \frac1z` beyond.
    - A packing of the sphere: :math:`(2^d - 1) e^{-d/2} > 1` from d = 2 on.
    - Gaussian noise for :math:`\delta \le \frac12`: with x = :math:`\sqrt{2 \ln(1.25/\delta)}`,
      :math:`x - \frac1{2x} > 0.9`, and the tail is below :math:`\delta`.
    - A private scale: twice the mean of a count is exceeded with probability
      :math:`(e/4)^{mp/8} < e^{-mp/24}`.
    - A private series: :math:`\varepsilon \coth \frac\varepsilon2 < \sqrt 5` up to 1.

    Returns
    -------
    Certified

    Examples
    --------
    >>> steps_hold().verify()
    True
    """
    import sympy

    x, rational = sympy.Symbol("x", positive=True), sympy.Rational
    log, exp = sympy.log, sympy.exp
    small, beyond, least = {x: (0, 1)}, {x: (1, sympy.oo)}, rational(27, 20)
    most, entropy = rational(63, 50), rational(23, 25)  # 1.26 and 0.92
    rise = exp((log(2) - rational(1, 2)) * x)
    return Certified(
        "for whole ranges: numbers on which proofs rest on the way, 4 and 1.26 in normal tails, 1 "
        "in packings, 0.9 in Gaussian noise, 24 in a private scale and the root of 5 in a series",
        ("def-gaussian", "BD-Prop4", "BD-Prop6", "prop-me-scale", "Klein-private-rate"),
        {
            "Gaussian privacy: M < 1.26": inequality((most - sympy.sqrt(sympy.pi / 2)) * x, small),
            "Gaussian privacy: ln sqrt(2 pi) < 0.92": inequality(
                (entropy - log(2 * sympy.pi) / 2) * x, small
            ),
            "Gaussian privacy: s M < 1.84 up to z = 1": inequality(
                rational(46, 25) ** 2 - most**2 * (x**2 / 2 + entropy + log(1 + x)), small
            ),
            "Gaussian privacy: s^2 M^2 < 2.2 beyond": inequality(
                rational(17, 10) * x**2 - entropy - log(1 + x), beyond
            ),
            "packing: (2^d - 1) exp(-d/2) > 1": inequality(
                exp(x / 2) * (rise - 1) - 1, {x: (rational(19, 10), sympy.oo)}
            ),
            "Gaussian noise: x > 1.35": inequality((2 * log(rational(5, 2)) - least**2) * x, small),
            "Gaussian noise: x - 1/(2x) > 0.9": inequality(
                x**2 - rational(9, 10) * x - rational(1, 2), {x: (least, sympy.oo)}
            ),
            "Gaussian noise: the tail is below delta": inequality(
                (rational(9, 8) * sympy.sqrt(2 * sympy.pi) - sympy.sqrt(sympy.E)) * x, small
            ),
            "private scale: ln 4 - 1 > 1/3": inequality((log(4) - rational(4, 3)) * x, small),
            "private series: x coth(x/2) < sqrt 5": inequality(
                5 * sympy.sinh(x / 2) ** 2 - x**2 * sympy.cosh(x / 2) ** 2, small
            ),
        },
    )


# --- closed forms -------------------------------------------------------------------------------


@cache
def unbiased_counts() -> Certified:
    r"""That the best unbiased count is unbiased and has the variance stated, for every n and s.

    The sums over outcomes up to and from the true count s obey recurrences of first order in s;
    their closed forms are shown by induction, and put together.

    Returns
    -------
    Certified

    Examples
    --------
    >>> unbiased_counts().verify()
    True
    """
    import sympy

    s, n, b, f = sympy.symbols("s n b f", positive=True)
    end = b / (1 - b)
    # Sums of b^(s - j) g(j) over outcomes j <= s, where all below 1 are reported as -end.
    first = s / (1 - b) - b / (1 - b) ** 2
    tail = b ** (s + 1) / (1 - b) ** 3  # of b^s times the rest of the square
    second = s**2 / (1 - b) - 2 * b * s / (1 - b) ** 2 + b * (1 + b) / (1 - b) ** 3 - tail
    parts = {
        "means": induction(first, b * f + s + 1, [-end / (1 - b)], s, [f]),
        "squares": induction(second, b * f + (s + 1) ** 2, [end**2 / (1 - b)], s, [f]),
    }
    # From above: outcome j is n less what stands at n - j, so its sums are those at n - s.
    weight = (1 - b) / (1 + b)
    above_first = n / (1 - b) - first.subs(s, n - s)
    above_second = n**2 / (1 - b) - 2 * n * first.subs(s, n - s) + second.subs(s, n - s)
    _same(weight * (first + above_first - s), s)
    variance = b / (1 - b) ** 2 * (2 - (b**s + b ** (n - s)) / (1 + b))
    _same(weight * (second + above_second - s**2) - s**2, variance)
    return Certified(
        "for all n, all counts and all budgets: geometric noise with its two ends is unbiased and "
        "has the variance V_s",
        ("ub-best-count",),
        parts,
    )


@cache
def geometric_moments() -> Certified:
    r"""The sums :math:`\sum_{k \le n} k^j b^k` for j = 0, 1, 2 and every n.

    Their limits are the moments from which those of two-sided geometric and staircase noise are
    made.

    Returns
    -------
    Certified

    Examples
    --------
    >>> geometric_moments().verify()
    True
    """
    import sympy

    n, b, f = sympy.symbols("n b f", positive=True)
    closed = (1 - b ** (n + 1)) / (1 - b)
    limits = [1 / (1 - b), b / (1 - b) ** 2, b * (1 + b) / (1 - b) ** 3]
    parts = {}
    for j, limit in enumerate(limits):
        base = [sympy.S.One if j == 0 else sympy.S.Zero]
        parts[f"power {j}"] = induction(closed, f + (n + 1) ** j * b ** (n + 1), base, n, [f])
        # b^n tends to 0 faster than any power of n rises.
        _same(closed.subs(b ** (n + 1), 0), limit)
        closed = b * sympy.diff(closed, b)
    return Certified(
        "for all n and all budgets: the first three moments of geometric noise, and with them "
        "those of the staircase",
        ("ub-best-count", "lap-exact"),
        parts,
    )


@cache
def binomial_slopes() -> Certified:
    r"""That the slope of a binomial tail is a single term, for all n and k < n.

    .. math:: \frac{d}{dp} \Pr(X \le k) = -n \binom{n - 1}k p^k (1 - p)^{n - 1 - k}

    So every binomial tail is monotone in p, and the probability of an interval of counts rises and
    then falls.

    Returns
    -------
    Certified

    Examples
    --------
    >>> binomial_slopes().verify()
    True
    """
    import sympy

    k, n = sympy.symbols("k n")
    p, f = sympy.symbols("p f", positive=True)
    slope = -n * sympy.binomial(n - 1, k) * p**k * (1 - p) ** (n - 1 - k)
    mass = sympy.binomial(n, k + 1) * p ** (k + 1) * (1 - p) ** (n - k - 1)
    base = -n * (1 - p) ** (n - 1)
    return Certified(
        "for all n, k < n and p: the slope of a binomial tail is one term, so that tails are "
        "monotone in p",
        ("prop-den-band", "inf-interval"),
        {"the slope": induction(slope, f + sympy.diff(mass, p), [base], k, [f])},
    )


# --- all of them --------------------------------------------------------------------------------

_FOUND: tuple[Callable[[], Certified], ...] = (
    contraction_rises,
    pinsker_sharpened,
    orders_fall,
    constants_hold,
    rates_hold,
    steps_hold,
    private_guesses,
    private_counts,
    optimal_tests,
    unbiased_counts,
    geometric_moments,
    binomial_slopes,
    covered_everywhere,
    fiducial_sizes,
    composed_epsilons,
)


def all_certificates() -> dict[str, Certified]:
    """Every certificate of the book by the name of its function.

    Returns
    -------
    dict
        Of :class:`minimaxdp.certify.Certified`, whose ranges may be infinite.

    Examples
    --------
    >>> len(all_certificates())
    15
    """
    return {find.__name__: find() for find in _FOUND}


def _same(left: Any, right: Any) -> None:
    """Refuse what is not an identity of formulas, in which budgets occur in quarters at most."""
    import sympy

    gap = left - right
    if gap.has(sympy.exp, sympy.sinh, sympy.cosh, sympy.tanh):
        quarters = {symbol: 4 * symbol for symbol in gap.atoms(sympy.Symbol)}
        hyperbolic = [sympy.sinh, sympy.cosh, sympy.tanh]
        gap = gap.subs(quarters, simultaneous=True).rewrite(hyperbolic, sympy.exp)
    if not vanishes(gap):
        raise Refused(f"left and right differ by {gap}")
