r"""Small worlds, where the best private mechanism is known exactly, as a theorem in fractions.

- minimax values: :func:`private_guesses`, :func:`private_counts`; the greatest power:
  :func:`optimal_tests`;
- coverage at every proportion: :func:`covered_everywhere`;
- the exact size of an approximate test, enclosed: :func:`fiducial_sizes`.

Budgets are logarithms of whole numbers, so that all probabilities are fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import scipy

from minimaxdp import _validate
from minimaxdp.certify import Certified, Refused, optimum, polynomial_bound

__all__ = [
    "FiducialSize",
    "covered_everywhere",
    "fiducial_sizes",
    "optimal_tests",
    "private_counts",
    "private_guesses",
]

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
        ("BD-eq9", "rr-guess"),
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
        "against every private mechanism that answers in eighths: the minimax squared error of a "
        "proportion among five, with 1, 2, 3 and 5 people at budget ln 3",
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
        "against every private test: the power of the Tulap test of ten people, of 1/2 against 3/4 "
        "with size 1/20, at budget ln 2 with delta 0 and 1/100, is the greatest",
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
        "for all proportions: exact intervals of 20 people, rounded outward to thousandths, with "
        "and without geometric noise at budget ln 3, cover with probability 0.95 at least",
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


# --- sizes of the fiducial test ------------------------------------------------------------------


@dataclass(frozen=True)
class FiducialSize:
    r"""That the one-sided fiducial test has a size within bounds.

    It rejects where :math:`H_z(\theta) \le \frac1{20}`, and H falls in z. So the least rejected z
    lies between two numbers where H is above and below the level, and the size between the chances
    to exceed them. H is an integral, which is enclosed in balls.

    Attributes
    ----------
    n : int
    epsilon, theta : Fraction
    low, high : Fraction
        They enclose the least count that is rejected.
    least, most : Fraction
        Bounds on the size.

    Examples
    --------
    >>> bounds = Fraction(10375, 1000), Fraction(10377, 1000), Fraction(5, 100), Fraction(6, 100)
    >>> FiducialSize(30, Fraction(1), Fraction(1, 5), *bounds).verify()
    True
    """

    n: int
    epsilon: Fraction
    theta: Fraction
    low: Fraction
    high: Fraction
    least: Fraction
    most: Fraction

    def __post_init__(self) -> None:
        n = _validate.one_integer("n", self.n, minimum=1, maximum=200)
        _validate.freeze(self, n=n)
        _validate.fraction("epsilon", self.epsilon, above=0, maximum=100)
        _validate.fraction("theta", self.theta, above=0, below=1)
        low = _validate.fraction("low", self.low, above=0)
        high = _validate.fraction("high", self.high, below=10 * n + 1000)
        _validate.fraction("high - low", high - low, above=0)
        least = _validate.fraction("least", self.least)
        _validate.fraction("most - least", _validate.fraction("most", self.most) - least, above=0)

    def verify(self) -> bool:
        """Enclose both integrals and both chances anew; True, or `Refused`."""
        from flint import ctx

        level = Fraction(1, 20)
        with ctx.workprec(64):
            if not self._law(self.low) > _ball(level):
                raise Refused(f"low must not be rejected, got {self.low}", {"z": self.low})
            if not self._law(self.high) < _ball(level):
                raise Refused(f"high must be rejected, got {self.high}", {"z": self.high})
            inside = self._chance(self.high) >= _ball(self.least)
            if not (inside and self._chance(self.low) <= _ball(self.most)):
                raise Refused("least and most must bound the size", {"z": (self.low, self.high)})
        return True

    def _law(self, z: Fraction) -> Any:
        """A ball around the fiducial probability of [0, theta], given the release z."""
        from flint import acb, arb

        epsilon, place, n, half = (_ball(v) for v in (self.epsilon, z, self.n, Fraction(1, 2)))
        mirrored = self.theta > Fraction(1, 2)  # the series of the beta law is short below a half
        argument = acb(_ball(1 - self.theta if mirrored else self.theta))
        tolerance = arb("1e-9")
        cuts = sorted({Fraction(j) for j in range(self.n + 1)} | ({z} if z < self.n else set()))
        total = (-epsilon * place).exp() / 2
        for low, high in zip(cuts, cuts[1:], strict=False):
            side = -1 if high <= z else 1

            def density(t: Any, _: bool, side: int = side) -> Any:
                first, second = t + half, acb(n) - t + half
                if mirrored:
                    first, second = second, first
                share = argument.beta_lower(first, second, regularized=True)
                below = 1 - share if mirrored else share
                return below * ((acb(place) - t) * (side * epsilon)).exp()

            ends = acb(_ball(low)), acb(_ball(high))
            part = acb.integral(density, *ends, rel_tol=tolerance, abs_tol=tolerance)
            total += epsilon / 2 * part.real
        return total

    def _chance(self, z: Fraction) -> Any:
        """A ball around the chance that the release is z at least."""
        total = _ball(0)
        for x, mass in enumerate(_binomial(self.n, self.theta)):
            tail = (-_ball(self.epsilon) * _ball(abs(z - x))).exp() / 2
            total += _ball(mass) * (tail if z >= x else 1 - tail)
        return total


@dataclass(frozen=True)
class _NeverRejects:
    """That even the largest of n counts leaves [0, 19/20] more than a twentieth."""

    n: int

    def verify(self) -> bool:
        a, b, rest = (_ball(v) for v in (self.n + Fraction(1, 2), Fraction(1, 2), Fraction(1, 20)))
        if not 1 - rest.beta_lower(b, a, regularized=True) > rest:
            raise Refused("the largest count is rejected")
        return True


@cache
def fiducial_sizes() -> Certified:
    """The sizes of the fiducial test that the book states, enclosed as it states them.

    The enclosures are computed by `verify` alone, which takes half a minute.

    Returns
    -------
    Certified

    Examples
    --------
    >>> print(fiducial_sizes())
    certified by integrals enclosed in balls: five sizes of the fiducial test to the last digit, \
and a sixth below 0.048; 7 certificates, 7 pieces
    """
    from minimaxdp.inference import critical_value

    one, near = Fraction(1), Fraction(1, 200_000)
    stated = (
        (30, one, Fraction(1, 2), Fraction(5075, 10**5)),
        (30, one, Fraction(1, 5), Fraction(5072, 10**5)),
        (30, one, Fraction(19, 20), Fraction(5302, 10**5)),
        (100, one, Fraction(99, 100), Fraction(5313, 10**5)),
        (30, Fraction(1, 10), Fraction(1, 2), Fraction(5002, 10**5)),
        (30, Fraction(5), Fraction(3, 10), None),
    )
    parts: dict[str, Any] = {"the nearest count never rejects": _NeverRejects(30)}
    for n, epsilon, theta, size in stated:
        bounds = (Fraction(0), Fraction(48, 1000)) if size is None else (size - near, size + near)
        found = critical_value(n, float(theta), float(epsilon), method="jimi")
        low, high = (Fraction(round((found + h) * 10**9), 10**9) for h in (-2e-6, 2e-6))
        name = f"n = {n}, epsilon = {epsilon}, theta = {theta}"
        parts[name] = FiducialSize(n, epsilon, theta, low, high, *bounds)
    return Certified(
        "by integrals enclosed in balls: five sizes of the fiducial test to the last digit, and a "
        "sixth below 0.048",
        ("Boul-JIMI-size",),
        parts,
    )


def _ball(value: Fraction | int) -> Any:
    from flint import arb, fmpq

    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))
