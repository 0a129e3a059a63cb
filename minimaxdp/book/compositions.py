r"""What many releases promise together, enclosed by sums in balls where the loss has a closed law.

:func:`composed_epsilons` certifies two of the intervals that the chapter on accounting prints;
:func:`minimaxdp.accounting.compose` computes them in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from minimaxdp import _validate
from minimaxdp.certify import Certified, Refused

__all__ = ["ComposedEpsilon", "composed_epsilons"]


@dataclass(frozen=True)
class ComposedEpsilon:
    r"""That the epsilon of k equal releases together, at a given delta, lies between two numbers.

    Delta falls in epsilon. For k randomized responses with budget b it is

    .. math:: \frac1{(1 + e^b)^k} \sum_{j \le k} \binom kj
              \big(e^{(k - j) b} - e^{\varepsilon + j b}\big)_+ ,

    and for k normal releases of level m, with :math:`\mu = m \sqrt k`,
    :math:`\Phi(\frac\mu2 - \frac\varepsilon\mu) - e^\varepsilon \Phi(-\frac\mu2 -
    \frac\varepsilon\mu)`. Both are enclosed in balls at the two numbers.

    Attributes
    ----------
    release : {"response", "normal"}
    times : int
        k, from 1 to 10,000.
    level : Fraction
        b or m, positive, at most 100.
    delta : Fraction
        In (0, 1).
    low, high : Fraction
        The two numbers, at least 0 and at most 1,000,000.

    Examples
    --------
    >>> half, tenth = Fraction(1, 2), Fraction(1, 10)
    >>> ComposedEpsilon("normal", 4, half, tenth, Fraction(1), Fraction(3, 2)).verify()
    True
    """

    release: str
    times: int
    level: Fraction
    delta: Fraction
    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        _validate.choice("release", self.release, ("response", "normal"))
        times = _validate.one_integer("times", self.times, minimum=1, maximum=10_000)
        _validate.freeze(self, times=times)
        _validate.fraction("level", self.level, above=0, maximum=100)
        _validate.fraction("delta", self.delta, above=0, below=1)
        low = _validate.fraction("low", self.low, minimum=0)
        high = _validate.fraction("high", self.high, maximum=10**6)
        _validate.fraction("high - low", high - low, above=0)

    def verify(self) -> bool:
        """Enclose delta at both numbers anew; True, or `Refused`."""
        from flint import ctx

        with ctx.workprec(256):
            if not self._delta(self.low) > _ball(self.delta):
                raise Refused(f"low must have a larger delta, got {self.low}", self.low)
            if not self._delta(self.high) < _ball(self.delta):
                raise Refused(f"high must have a smaller delta, got {self.high}", self.high)
        return True

    def _delta(self, epsilon: Fraction) -> Any:
        factor = _ball(epsilon).exp()
        if self.release == "normal":
            mu = _ball(self.level) * _ball(self.times).sqrt()
            shift = _ball(epsilon) / mu
            return _upper(shift - mu / 2) - factor * _upper(shift + mu / 2)
        odds, k = _ball(self.level).exp(), self.times
        terms = (
            comb(k, j) * (odds ** (k - j) - factor * odds**j).nonnegative_part()
            for j in range(k + 1)
        )
        return sum(terms, _ball(0)) / (1 + odds) ** k


@cache
def composed_epsilons() -> Certified:
    """The intervals of a thousand randomized responses and of a thousand normal releases.

    Each has level 0.1, at delta = 10^-6; the ends are those of `compose`.

    Returns
    -------
    Certified

    Examples
    --------
    >>> composed_epsilons().verify()
    True
    """
    from minimaxdp.accounting import compose
    from minimaxdp.guarantees import GaussianDP, Pure

    parts: dict[str, Any] = {}
    for release, guarantee in (("response", Pure(0.1)), ("normal", GaussianDP(0.1))):
        ends = compose(guarantee, times=1000).epsilon(1e-6)
        numbers = (Fraction(float(value)) for value in (0.1, 1e-6, *ends))
        parts[f"a thousand, {release}"] = ComposedEpsilon(release, 1000, *numbers)
    return Certified(
        "by sums in balls: the printed intervals hold the epsilon of a thousand randomized "
        "responses of budget 0.1 and of a thousand normal releases of level 0.1, at delta 1e-6",
        ("acc-rounding", "acc-optimal", "acc-gauss"),
        parts,
    )


def _upper(x: Any) -> Any:
    """The standard normal probability beyond x."""
    return (x / _ball(2).sqrt()).erfc() / 2


def _ball(value: Fraction | int) -> Any:
    from flint import arb, fmpq

    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))
