"""The definitions of privacy of the book, each a class whose instances are guarantees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import erfinv, log_ndtr

from minimaxdp import _validate
from minimaxdp._operations import Operations
from minimaxdp._types import Real
from minimaxdp.guarantees._base import Guarantee, text
from minimaxdp.guarantees._closed_forms import gaussian_sigma
from minimaxdp.guarantees._divergences import KL, ZCDP

__all__ = [
    "Approximate",
    "ConditionalTesting",
    "GaussianDP",
    "Local",
    "NonPrivate",
    "Pure",
    "Smooth",
    "TotalVariation",
    "standard_guarantees",
]


@dataclass(frozen=True, eq=False, repr=False)
class NonPrivate(Guarantee):
    """No promise at all: the definition that every mechanism keeps.

    Examples
    --------
    >>> Pure(1.0) <= NonPrivate()
    True
    """

    name: ClassVar[str] = "none"

    def _check(self) -> dict[str, Any]:
        return {}

    def pure_epsilon(self) -> Real:
        """Infinite: no noise is needed."""
        return np.inf

    def _gaussian_mu(self) -> Real:
        return np.inf

    def _derive(self, target: type[Guarantee], given: dict[str, Any], seen: set[type]) -> Any:
        return self if target is NonPrivate else None

    def __str__(self) -> str:
        return "no privacy"


@dataclass(frozen=True, eq=False, repr=False)
class Pure(Guarantee):
    r"""Pure differential privacy.

    .. math:: P(M(x) \in A) \le e^\varepsilon P(M(x') \in A) \quad \text{for all } A,\ x \sim x'

    Parameters
    ----------
    epsilon : float or array_like
        Nats, positive and at most 700.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a positive number, or the relation is unknown.

    Notes
    -----
    Dwork, McSherry, Nissim and Smith (2006); Barber and Duchi (2014), Definition 1 (claims
    ``BD-Def1``, ``Smith-DP-def``).

    Examples
    --------
    >>> print(Pure(1.0))
    1-DP
    >>> Pure(0.5) < Pure(1.0) < Approximate(1.0, 1e-6)
    True
    """

    epsilon: Any

    name: ClassVar[str] = "pure"
    symbol: ClassVar[str] = r"\varepsilon"

    def _check(self) -> dict[str, Any]:
        return {"epsilon": _validate.epsilon(self.epsilon)}

    def _group(self, size: int) -> dict[str, Any]:
        return {"epsilon": size * self.epsilon}

    def pure_epsilon(self) -> Real:
        """The level itself."""
        return self.epsilon

    def _tv_form(self, m: Operations) -> Any:
        r""":math:`\tanh(\varepsilon/2)`, sharp."""
        return m.tanh(self.epsilon / 2)

    def _pure_form(self, m: Operations) -> Any:
        """The level itself."""
        return self.epsilon

    def __str__(self) -> str:
        return f"{text(self.epsilon)}-DP"


@dataclass(frozen=True, eq=False, repr=False)
class Approximate(Guarantee):
    r"""Approximate differential privacy.

    .. math:: P(M(x) \in A) \le e^\varepsilon P(M(x') \in A) + \delta

    Parameters
    ----------
    epsilon : float or array_like
        Nats, from 0 to 700.
    delta : float or array_like
        From 0 to below 1.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If a level lies outside its range, both are 0, or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 3 (claim ``BD-Def3``).

    Examples
    --------
    >>> print(Approximate(1.0, 1e-6))
    (1, 1e-06)-DP
    >>> Approximate(1.0, 1e-6).implies(TotalVariation)
    TotalVariation(0.462117695)
    """

    epsilon: Any
    delta: Any

    name: ClassVar[str] = "approximate"
    symbol: ClassVar[str] = r"\varepsilon, \delta"
    needs_choice: ClassVar[bool] = True

    def _check(self) -> dict[str, Any]:
        epsilon = _validate.real("epsilon", self.epsilon, minimum=0, maximum=700)
        delta = _validate.real("delta", self.delta, minimum=0, below=1)
        _validate.broadcast(epsilon=epsilon, delta=delta)
        if np.any((np.asarray(epsilon) == 0) & (np.asarray(delta) == 0)):
            raise ValueError("epsilon must be greater than 0 where delta is 0, got 0")
        return {"epsilon": epsilon, "delta": delta}

    def _group(self, size: int) -> dict[str, Any]:
        # (e^(k eps) - 1)/(e^eps - 1) terms of a geometric sum, each a delta.
        shares = np.exp(np.multiply.outer(self.epsilon, np.arange(size))).sum(axis=-1)
        return {
            "epsilon": size * self.epsilon,
            "delta": np.minimum(self.delta * shares, 1 - 2**-53),
        }

    def pure_epsilon(self) -> Real:
        r"""The budget of randomized response with this delta: its exponential is
        :math:`(e^\varepsilon + \delta)/(1 - \delta)`."""
        return self.epsilon + np.log1p(self.delta * np.exp(-self.epsilon)) - np.log1p(-self.delta)

    def _gaussian_mu(self) -> Real:
        spent = np.asarray(self.delta) > 0  # without a delta no normal noise will do
        mu = 1 / gaussian_sigma(self.epsilon, np.where(spent, self.delta, 0.5))
        return np.where(spent, mu, 0.0)[()]

    def _tv_form(self, m: Operations) -> Any:
        r""":math:`\delta + (1 - \delta) \tanh(\varepsilon/2)`, sharp."""
        return self.delta + (1 - self.delta) * m.tanh(self.epsilon / 2)

    def _pure_form(self, m: Operations) -> Any:
        """Epsilon."""
        return self.epsilon

    def _mu_squared_form(self, m: Operations) -> Any:
        r"""From :math:`\rho + 2 \sqrt{\rho \ln(1/\delta)} = \varepsilon` (Bun and Steinke 2016)."""
        log = -m.log(self.delta)
        return 2 * (self.epsilon / (m.sqrt(self.epsilon + log) + m.sqrt(log))) ** 2

    def __str__(self) -> str:
        return f"({text(self.epsilon)}, {text(self.delta)})-DP"


@dataclass(frozen=True, eq=False, repr=False)
class GaussianDP(Guarantee):
    r"""Gaussian differential privacy.

    .. math:: T(M(x), M(x'))(\alpha) \ge \Phi\big(\Phi^{-1}(1 - \alpha) - \mu\big)

    Neighbours are at least as hard to tell apart as N(0, 1) and N(mu, 1).

    Parameters
    ----------
    mu : float or array_like
        Positive and at most 37.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If mu lies outside its range, or the relation is unknown.

    Notes
    -----
    Dong, Roth and Su (2022).

    Examples
    --------
    >>> print(GaussianDP(1.0))
    1-GDP
    >>> GaussianDP(1.0).implies(ZCDP)
    ZCDP(0.5)
    """

    mu: Any

    name: ClassVar[str] = "gaussian"
    symbol: ClassVar[str] = r"\mu"

    def _check(self) -> dict[str, Any]:
        return {"mu": _validate.real("mu", self.mu, above=0, maximum=37)}

    def _group(self, size: int) -> dict[str, Any]:
        return {"mu": size * self.mu}

    def pure_epsilon(self) -> Real:
        r""":math:`\ln \frac{\Phi(\mu/2)}{\Phi(-\mu/2)}`: the corner of the region on the curve."""
        half = np.asarray(self.mu) / 2
        return (log_ndtr(half) - log_ndtr(-half))[()]

    def _gaussian_mu(self) -> Real:
        return self.mu

    def _tv_form(self, m: Operations) -> Any:
        r""":math:`\mu/\sqrt{2 \pi}`, which the exact distance does not exceed."""
        return m.least(1, self.mu / m.sqrt(2 * m.pi))

    def _mu_squared_form(self, m: Operations) -> Any:
        """The squared level, exact."""
        return self.mu**2

    def __str__(self) -> str:
        return f"{text(self.mu)}-GDP"


@dataclass(frozen=True, eq=False, repr=False)
class TotalVariation(Guarantee):
    r"""Total-variation privacy.

    .. math:: |P(M(x) \in A) - P(M(x') \in A)| \le \alpha \quad \text{for all } A,\ x \sim x'

    Parameters
    ----------
    alpha : float or array_like
        Above 0 and at most 1.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If alpha lies outside (0, 1], or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 4 (claim ``BD-Def4``).

    Examples
    --------
    >>> print(TotalVariation(0.3))
    0.3-TV
    >>> TotalVariation(0.5).gaussian_sigma()
    0.741301109
    """

    alpha: Any

    name: ClassVar[str] = "tv"
    symbol: ClassVar[str] = r"\alpha"

    def _check(self) -> dict[str, Any]:
        return {"alpha": _validate.real("alpha", self.alpha, above=0, maximum=1)}

    def _group(self, size: int) -> dict[str, Any]:
        return {"alpha": np.minimum(size * np.asarray(self.alpha), 1.0)[()]}

    def pure_epsilon(self) -> Real:
        r""":math:`2\, \mathrm{artanh}\, \alpha`; infinite at 1, where nothing is promised."""
        with np.errstate(divide="ignore"):
            return 2 * np.arctanh(np.asarray(self.alpha))[()]

    def _gaussian_mu(self) -> Real:
        return 2 * np.sqrt(2) * erfinv(np.asarray(self.alpha))[()]

    def _tv_form(self, m: Operations) -> Any:
        """The level itself."""
        return self.alpha

    def _pure_form(self, m: Operations) -> Any:
        r""":math:`\ln\frac{1 + \alpha}{1 - \alpha}`, exact."""
        return m.log(1 + self.alpha) - m.log(1 - self.alpha)

    def _mu_squared_form(self, m: Operations) -> Any:
        r""":math:`4 \alpha^2`, by Pinsker's inequality."""
        return 4 * self.alpha**2

    def __str__(self) -> str:
        return f"{text(self.alpha)}-TV"


@dataclass(frozen=True, eq=False, repr=False)
class Smooth(Guarantee):
    r"""Metric differential privacy, which Barber and Duchi call smooth.

    .. math:: P(M(x) \in A) \le e^{\varepsilon\, d(x, x')} P(M(x') \in A)
              \quad \text{for all } A,\ x,\ x'

    Parameters
    ----------
    epsilon : float or array_like
        Nats for each unit of distance, positive and at most 700.
    distance : float or array_like
        The largest distance between neighbours, positive; 1 for the number of records that
        differ.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If a level lies outside its range, or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 2 (claim ``BD-Def2``); Chatzikokolakis, Andrés, Bordenabe
    and Palamidessi (2013).

    Examples
    --------
    >>> Smooth(0.5, distance=2.0).implies(Pure)
    Pure(1.0)
    """

    epsilon: Any
    distance: Any = 1.0

    name: ClassVar[str] = "smooth"
    symbol: ClassVar[str] = r"\varepsilon"

    def _check(self) -> dict[str, Any]:
        epsilon = _validate.epsilon(self.epsilon)
        distance = _validate.real("distance", self.distance, above=0)
        _validate.broadcast(epsilon=epsilon, distance=distance)
        _validate.epsilon(epsilon * distance, "epsilon times distance")
        return {"epsilon": epsilon, "distance": distance}

    def held(self) -> dict[str, Any]:
        """None: the distance belongs to the metric."""
        return {}

    def _group(self, size: int) -> dict[str, Any]:
        return {"distance": size * self.distance}

    def pure_epsilon(self) -> Real:
        """Epsilon times the distance: between neighbours the definitions agree."""
        return self.epsilon * self.distance

    def _tv_form(self, m: Operations) -> Any:
        r""":math:`\tanh(\varepsilon d/2)`, sharp."""
        return m.tanh(self.epsilon * self.distance / 2)

    def _pure_form(self, m: Operations) -> Any:
        """Epsilon times the distance."""
        return self.epsilon * self.distance

    def __str__(self) -> str:
        return f"{text(self.epsilon)}-metric DP, neighbours {text(self.distance)} apart"


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTesting(Guarantee):
    r"""Conditional hypothesis testing privacy, of every post-processing.

    .. math:: \Big\| \frac{Q(\cdot \cap A \mid x)}{Q(A \mid x)} - \frac{Q(\cdot \cap A \mid x')}
              {Q(A \mid x')} \Big\|_{TV} \le \epsilon
              \quad \text{for all } A \text{ of mass at least } \eta

    Parameters
    ----------
    eta : float or array_like
        Least mass of the event that is known, above 0 and at most 1.
    level : float or array_like
        The bound, above 0 and at most 1.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If a level lies outside its range, or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 8 (claim ``BD-Def8``).

    Examples
    --------
    >>> ConditionalTesting(0.01, 0.25).implies(Approximate)
    Approximate(1.02165125, 0.01)
    """

    eta: Any
    level: Any

    name: ClassVar[str] = "conditional testing"
    symbol: ClassVar[str] = r"\eta, \epsilon"
    needs_choice: ClassVar[bool] = True

    def _check(self) -> dict[str, Any]:
        return {
            "eta": _validate.real("eta", self.eta, above=0, maximum=1),
            "level": _validate.real("level", self.level, above=0, maximum=1),
        }

    def pure_epsilon(self) -> Real:
        """Twice the area tangent of the level: conditioning keeps the ratio of probabilities."""
        with np.errstate(divide="ignore"):
            return 2 * np.arctanh(np.asarray(self.level))[()]

    def __str__(self) -> str:
        return f"{text(self.level)}-conditional testing on events of mass {text(self.eta)}"


@dataclass(frozen=True, eq=False, repr=False)
class Local(Guarantee):
    r"""A guarantee to each person: any two values of their own record are neighbours.

    Nobody is trusted; what the curator makes of the reports keeps the same guarantee for data
    sets that differ in one record.

    Parameters
    ----------
    inner : Guarantee
        What each person's report keeps.

    Raises
    ------
    TypeError
        If it is not a guarantee, or itself local.

    Notes
    -----
    Klein's article, local privacy (claim ``Klein-LDP``).

    Examples
    --------
    >>> Local(Pure(1.0)) <= Pure(1.0), Pure(1.0) <= Local(Pure(1.0))
    (True, False)
    """

    inner: Any

    name: ClassVar[str] = "local"
    symbol: ClassVar[str] = r"\varepsilon"

    def _check(self) -> dict[str, Any]:
        inner = _validate.instance("inner", self.inner, Guarantee)
        if isinstance(inner, Local):
            raise TypeError(f"inner must not be local already, got {inner!r}")
        return {"inner": inner}

    def pure_epsilon(self) -> Real:
        """Of each report."""
        return self.inner.pure_epsilon()

    def _gaussian_mu(self) -> Real:
        return self.inner._gaussian_mu()

    def _tv_form(self, m: Operations) -> Any:
        """Of each report, and so of all of them between data sets."""
        return self.inner._tv_form(m)

    def _pure_form(self, m: Operations) -> Any:
        """Of each report."""
        return self.inner._pure_form(m)

    def _group(self, size: int) -> dict[str, Any]:
        return {"inner": self.inner.group(size)}

    @classmethod
    def symbolic(cls) -> Local:
        """Local pure privacy with the symbol epsilon."""
        made = object.__new__(cls)
        _validate.freeze(made, relation="replacement", theorem="", inner=Pure.symbolic())
        return made

    def _derive(self, target: type[Guarantee], given: dict[str, Any], seen: set[type]) -> Any:
        return self if target is Local else self.inner._derive(target, given, seen)

    def _can_imply(self, target: type[Guarantee]) -> bool:
        return target is Local or self.inner._can_imply(target)

    def _follows(self, other: Guarantee) -> bool:
        return self.inner._follows(other.inner if isinstance(other, Local) else other)

    def __str__(self) -> str:
        return f"local {self.inner}"


def standard_guarantees(epsilon: float, delta: float) -> tuple[Guarantee, ...]:
    r"""What a budget is worth under each definition of the table of results.

    Pure privacy at epsilon implies all but the last, which implies it: so a ceiling under one
    holds under those after it, and a floor under one under those before it.

    Parameters
    ----------
    epsilon : float
        Nats, from 1e-150 to 700.
    delta : float
        Strictly between 0 and 1.

    Returns
    -------
    tuple of Guarantee
        No privacy, pure, approximate, zero-concentrated, Kullback-Leibler, total-variation and
        local privacy.

    Raises
    ------
    TypeError, ValueError
        If a number lies outside its range.

    Examples
    --------
    >>> [str(privacy) for privacy in standard_guarantees(0.2, 1e-6)][:4]
    ['no privacy', '0.2-DP', '(0.2, 1e-06)-DP', '0.0199336-zCDP']
    """
    # So small a budget that its square underflows is worth nothing under the other definitions.
    pure = Pure(_validate.one_real("epsilon", epsilon, minimum=1e-150, maximum=700))
    delta = _validate.one_real("delta", delta, above=0, below=1)
    return (
        NonPrivate(), pure, Approximate(pure.epsilon, delta), pure.implies(ZCDP),
        pure.implies(KL), pure.implies(TotalVariation), Local(pure),
    )  # fmt: skip
