r"""The certificates of the book: what its statements claim of whole ranges, shown for all of them.

Each function finds its certificates with :mod:`minimaxdp.certify` and hands them out as one
:class:`Certified`, which says in words what they prove and verifies them anew.

- Inequalities: :func:`contraction_rises`, :func:`pinsker_sharpened`, :func:`orders_fall`,
  :func:`constants_hold`.
- Small worlds, whose minimax values are fractions: :func:`private_guesses`, :func:`private_counts`,
  :func:`optimal_tests`.
- Closed forms: :func:`unbiased_counts`, :func:`geometric_moments`, :func:`binomial_slopes`.
- Coverage at every proportion: :func:`covered_everywhere`.

:func:`all_certificates` collects them. Budgets are logarithms of whole numbers, so that all
probabilities are fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import scipy.stats

from minimaxdp import _validate
from minimaxdp.certify import (
    Refused,
    induction,
    inequality,
    optimum,
    polynomial_bound,
    vanishes,
)

__all__ = [
    "Certified",
    "all_certificates",
    "binomial_slopes",
    "constants_hold",
    "contraction_rises",
    "covered_everywhere",
    "geometric_moments",
    "optimal_tests",
    "orders_fall",
    "pinsker_sharpened",
    "private_counts",
    "private_guesses",
    "unbiased_counts",
]


@dataclass(frozen=True)
class Certified:
    """A statement about a whole range, with the certificates that prove it.

    Attributes
    ----------
    words : str
        What is proved.
    claims : tuple of str
        The statements of the book that it belongs to, by their names in the ledger.
    parts : dict
        By what each of them says, the certificates.

    Examples
    --------
    >>> print(unbiased_counts())
    certified for all n, all counts and all budgets: geometric noise with its two ends is \
unbiased and has the variance V_s; 2 certificates, 2 pieces
    """

    words: str
    claims: tuple[str, ...]
    parts: dict[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.words, str):
            raise TypeError(f"words must be a text, got {self.words!r}")
        claims = tuple(_validate.items("claims", self.claims))
        if not all(isinstance(name, str) for name in claims):
            raise TypeError("claims must be names of the ledger")
        for name, part in _validate.mapping("parts", self.parts).items():
            if not callable(getattr(part, "verify", None)):
                raise TypeError(f"parts must be certificates, got {part!r} for {name!r}")
        _validate.freeze(self, claims=claims)

    @property
    def size(self) -> int:
        """Pieces, equations and parts of all certificates together."""
        return sum(getattr(part, "size", 1) for part in self.parts.values())

    def verify(self) -> bool:
        """Verify every certificate anew; True, or :class:`minimaxdp.certify.Refused`."""
        return all(part.verify() for part in self.parts.values())

    def __str__(self) -> str:
        return f"certified {self.words}; {len(self.parts)} certificates, {self.size} pieces"


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
        "for all budgets: K(x)/x^2 rises; and for all up to 1 it is below 1.252",
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
        "for all u in (0, 1): 2 u artanh u > 2 u^2, and it is convex and rising in u^2",
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
        "for all budgets and all orders: tanh(x)/x falls, and so does the ratio of divergence to "
        "order under randomized response",
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


# --- small worlds -------------------------------------------------------------------------------

Row = dict[int, Fraction]


@cache
def private_guesses() -> Certified:
    r"""The least probability of naming the wrong one of d categories, from a private report.

    It is :math:`\frac{d - 1}{d - 1 + e^\varepsilon}` for the worst category, as under k-ary
    randomized response; certified for 2 to 6 categories at budgets ln 2 and ln 3, as fractions.

    Returns
    -------
    Certified

    Examples
    --------
    >>> print(private_guesses().parts["4 categories, odds 3"])
    least value 1/2, by a solution with 17 entries and 56 multipliers
    """
    parts = {}
    for d in range(2, 7):
        same = [[Fraction(i == j) for j in range(d)] for i in range(d)]
        wrong = [[1 - v for v in row] for row in same]
        pairs = [(i, j) for j in range(d) for i in range(j)]
        for odds in (2, 3):
            value = Fraction(d - 1, d - 1 + odds)
            parts[f"{d} categories, odds {odds}"] = _least_risk(same, wrong, odds, pairs, value)
    return Certified(
        "against every private report: guessing one of 2 to 6 categories at budgets ln 2 and ln 3 "
        "errs with probability (d - 1)/(d - 1 + odds), at least",
        ("BD-eq9", "Smith-RR-ln2"),
        parts,
    )


@cache
def private_counts() -> Certified:
    r"""The minimax squared error of a curator's proportion, in worlds of a few people.

    One of the means 0, 1/4, 1/2, 3/4, 1 holds, n people draw their bits by it, and a curator at
    budget ln 3 answers one of 0, 1/8, ..., 1. The least largest risk is a fraction.

    Returns
    -------
    Certified

    Examples
    --------
    >>> [str(part.value) for part in private_counts().parts.values()][:3]
    ['3/16', '15/128', '757/9792']
    """
    means = [Fraction(k, 4) for k in range(5)]
    answers = [Fraction(k, 8) for k in range(9)]
    loss = [[(mean - answer) ** 2 for answer in answers] for mean in means]
    values = {1: "3/16", 2: "15/128", 3: "757/9792", 5: "133783/2856384"}
    parts = {
        f"{n} people": _least_risk(
            [_binomial(n, mean) for mean in means],
            loss,
            3,
            [(s, s + 1) for s in range(n)],
            Fraction(value),
        )
        for n, value in values.items()
    }
    return Certified(
        "against every private mechanism: the minimax squared error of a proportion among five, "
        "with 1, 2, 3 and 5 people at budget ln 3",
        ("BD-eq9", "thm-lb-geometric"),
        parts,
    )


@cache
def optimal_tests() -> Certified:
    r"""The greatest power of a private test of size 1/20 for a proportion.

    Of ten people, at budget ln 2 and delta 0 or 1/100, against 3/4 if the hypothesis is 1/2. The
    value claimed is the power of the test made from Tulap noise, computed in fractions.

    Returns
    -------
    Certified

    Examples
    --------
    >>> [round(float(-part.value), 6) for part in optimal_tests().parts.values()]
    [0.224882, 0.252984]
    """
    n, odds, size = 10, 2, Fraction(1, 20)
    null, other = _binomial(n, Fraction(1, 2)), _binomial(n, Fraction(3, 4))
    parts = {}
    for delta in (Fraction(0), Fraction(1, 100)):
        rows: list[Row] = [dict(enumerate(null))]
        sides = [size]
        for x in range(n):
            for s, t in ((x, x + 1), (x + 1, x)):
                # phi_s <= odds phi_t + delta, and the same of 1 - phi
                rows += [{s: Fraction(1), t: Fraction(-odds)}, {s: Fraction(odds), t: Fraction(-1)}]
                sides += [delta, odds - 1 + delta]
        rows += [{x: Fraction(1)} for x in range(n + 1)]
        sides += [Fraction(1)] * (n + 1)
        power = _tulap_power(null, other, size, Fraction(1, odds), delta)
        parts[f"delta {delta}"] = optimum([-v for v in other], (rows, sides), value=-power)
    return Certified(
        "against every private test: the power of the Tulap test of ten people, at budget ln 2 "
        "with delta 0 and 1/100, is the greatest",
        ("Boul-UMP",),
        parts,
    )


def _least_risk(
    laws: Sequence[Sequence[Fraction]],
    loss: Sequence[Sequence[Fraction]],
    odds: int,
    pairs: Sequence[tuple[int, int]],
    value: Fraction,
) -> Any:
    """The minimax risk over channels whose rows at neighbours have odds of at most that."""
    inputs, outputs = len(laws[0]), len(loss[0])
    risk = inputs * outputs
    rows: list[Row] = [
        {risk: Fraction(-1)}
        | {x * outputs + a: law[x] * of[a] for x in range(inputs) for a in range(outputs)}
        for law, of in zip(laws, loss, strict=True)
    ]
    for x, y in pairs:
        for s, t in ((x, y), (y, x)):
            rows += [
                {s * outputs + a: Fraction(1), t * outputs + a: Fraction(-odds)}
                for a in range(outputs)
            ]
    sums = [{x * outputs + a: 1 for a in range(outputs)} for x in range(inputs)]
    cost = [0] * risk + [1]
    return optimum(cost, (rows, [0] * len(rows)), (sums, [1] * inputs), [risk], value=value)


def _binomial(n: int, theta: Fraction) -> list[Fraction]:
    return [comb(n, x) * theta**x * (1 - theta) ** (n - x) for x in range(n + 1)]


def _tulap_power(
    null: list[Fraction], other: list[Fraction], size: Fraction, b: Fraction, delta: Fraction
) -> Fraction:
    """Power of the test F(x - m) whose margin m gives it that size, F the law of the noise."""
    # The noise keeps its central part of probability 1 - q.
    q = 2 * delta * b / (1 - b + 2 * delta * b)

    def law(z: Fraction) -> Fraction:
        if z > Fraction(1, 2):
            return 1 - law(-z)
        cell = round(z + Fraction(1, 10**9))  # halves belong to either cell
        whole = (b + (z - cell + Fraction(1, 2)) * (1 - b)) / (1 + b) * b**-cell
        return min(Fraction(1), max(Fraction(0), (whole - q / 2) / (1 - q)))

    def mean(weights: list[Fraction], m: Fraction) -> Fraction:
        return sum((w * law(x - m) for x, w in enumerate(weights)), Fraction(0))

    # Between two halves, and the places where F leaves 0 or reaches 1, the size is linear in m.
    low, high = Fraction(-60), Fraction(60)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(null, middle) > size else (low, middle)
    step = Fraction(1, 10**6)
    left, right = low - step, low + step
    at, over = mean(null, left), mean(null, right)
    m = left + (right - left) * (at - size) / (at - over)
    if mean(null, m) != size:
        raise Refused(f"the margin is not rational near {float(m)}", {"m": m})
    return mean(other, m)


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

    k, n = sympy.symbols("k n", integer=True, nonnegative=True)
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


# --- coverage -----------------------------------------------------------------------------------


@cache
def covered_everywhere() -> Certified:
    r"""That exact 95 % intervals for a proportion cover every proportion with 0.95 at least.

    For 20 people, from the count itself and from the count with two-sided geometric noise at
    budget ln 3, held to 0, ..., n. The ends are those of the inverted tests, rounded outward to
    thousandths. Between two ends the set of covering outcomes is fixed and its probability a
    polynomial, which is bounded exactly between all of its points.

    Returns
    -------
    Certified

    Examples
    --------
    >>> covered_everywhere().verify()
    True
    """
    n = 20
    plain = [[Fraction(x == z) for z in range(n + 1)] for x in range(n + 1)]
    noisy = [_held(x, n, Fraction(1, 3)) for x in range(n + 1)]
    parts = {}
    for name, rows in (("the count", plain), ("a noisy count", noisy)):
        ends = _inverted(rows, Fraction(1, 40))
        cuts = sorted({Fraction(0), Fraction(1), *(end for pair in ends for end in pair)})
        for low, high in zip(cuts, cuts[1:], strict=False):
            inside = [z for z, (a, b) in enumerate(ends) if a <= low and high <= b]
            covers = [sum((row[z] for z in inside), Fraction(0)) for row in rows]
            bound = polynomial_bound(covers, Fraction(19, 20), low, high)
            parts[f"{name}, proportions from {low} to {high}"] = bound
    return Certified(
        "for all proportions: exact intervals of 20 people, with and without noise at budget ln 3, "
        "cover with probability 0.95 at least",
        ("prop-den-band", "inf-interval"),
        parts,
    )


def _held(x: int, n: int, b: Fraction) -> list[Fraction]:
    """The law of a count with two-sided geometric noise, moved into 0, ..., n."""
    inner = [(1 - b) / (1 + b) * b ** abs(z - x) for z in range(1, n)]
    return [b**x / (1 + b), *inner, b ** (n - x) / (1 + b)]


def _inverted(rows: list[list[Fraction]], tail: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Ends of the intervals by inverting both tails, rounded outward to thousandths."""
    n = len(rows) - 1
    theta = np.arange(1001) / 1000
    laws = scipy.stats.binom.pmf(np.arange(n + 1), n, theta[:, None]) @ np.array(rows, dtype=float)
    at_least = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]
    at_most = np.cumsum(laws, axis=1)
    ends = []
    for z in range(n + 1):
        low = np.flatnonzero(at_least[:, z] > float(tail))[0]
        high = np.flatnonzero(at_most[:, z] > float(tail))[-1]
        ends.append(
            (Fraction(max(int(low) - 1, 0), 1000), Fraction(min(int(high) + 1, 1000), 1000))
        )
    return ends


# --- all of them --------------------------------------------------------------------------------

_FOUND: tuple[Callable[[], Certified], ...] = (
    contraction_rises,
    pinsker_sharpened,
    orders_fall,
    constants_hold,
    private_guesses,
    private_counts,
    optimal_tests,
    unbiased_counts,
    geometric_moments,
    binomial_slopes,
    covered_everywhere,
)


def all_certificates() -> dict[str, Certified]:
    """Every certificate of the book by the name of its function.

    Returns
    -------
    dict

    Examples
    --------
    >>> len(all_certificates())
    11
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
