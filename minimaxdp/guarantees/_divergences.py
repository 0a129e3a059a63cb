"""Definitions by one divergence between the laws of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import elementwise

from minimaxdp import _validate
from minimaxdp._operations import Operations
from minimaxdp._types import Real
from minimaxdp.guarantees._base import Guarantee, text
from minimaxdp.guarantees._closed_forms import randomized_response_renyi
from minimaxdp.guarantees._worst_cases import response_budget

__all__ = ["KL", "ZCDP", "ChiSquare", "Renyi"]


@dataclass(frozen=True, eq=False, repr=False)
class _FirstOrder(Guarantee):
    """One level, up to which the divergence of order 1 may go."""

    @property
    def _level(self) -> Any:
        (level,) = self.levels.values()
        return level

    def _check(self) -> dict[str, Any]:
        ((name, level),) = self.levels.items()
        return {name: _validate.epsilon(level, name)}

    def pure_epsilon(self) -> Real:
        """Budget of the randomized response that has this divergence."""
        return response_budget(self._level)

    def _gaussian_mu(self) -> Real:
        return np.sqrt(2 * np.asarray(self._level))[()]

    def _tv_form(self, m: Operations) -> Any:
        r"""Pinsker's :math:`\sqrt{\kappa/2}`."""
        return m.least(1, m.sqrt(self._level / 2))

    def _pure_form(self, m: Operations) -> Any:
        r""":math:`\sqrt{2 \kappa}`: pure privacy implies :math:`\kappa = \varepsilon^2/2`."""
        return m.sqrt(2 * self._level)

    def _mu_squared_form(self, m: Operations) -> Any:
        r""":math:`2 \kappa`, exact."""
        return 2 * self._level


@dataclass(frozen=True, eq=False, repr=False)
class ZCDP(_FirstOrder):
    r"""Zero-concentrated differential privacy.

    .. math:: D_a(M(x) \,\|\, M(x')) \le \rho\, a \quad \text{for all } a > 1,\ x \sim x'

    with the Rényi divergences :math:`D_a`.

    Parameters
    ----------
    rho : float or array_like
        Nats, positive and at most 700.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If rho is not a positive number, or the relation is unknown.

    Notes
    -----
    Bun and Steinke (2016); Tang's slides (claim ``Tang-zCDP``).

    Examples
    --------
    >>> print(ZCDP(0.5))
    0.5-zCDP
    >>> from minimaxdp.guarantees import Approximate
    >>> ZCDP(0.5).implies(Approximate, delta=1e-6)
    Approximate(5.221534, 1e-06)
    """

    rho: Any

    name: ClassVar[str] = "zcdp"
    symbol: ClassVar[str] = r"\rho"

    def _group(self, size: int) -> dict[str, Any]:
        return {"rho": size**2 * self.rho}

    def __str__(self) -> str:
        return f"{text(self.rho)}-zCDP"


@dataclass(frozen=True, eq=False, repr=False)
class KL(_FirstOrder):
    r"""Kullback-Leibler privacy.

    .. math:: D(M(x) \,\|\, M(x')) \le \kappa \quad \text{for all } x \sim x'

    Parameters
    ----------
    level : float or array_like
        Nats, positive and at most 700.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If the level is not a positive number, or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 5 with f(t) = t ln t (claim ``BD-Def5``).

    Examples
    --------
    >>> print(KL(0.5))
    0.5-KL
    """

    level: Any

    name: ClassVar[str] = "kl"
    symbol: ClassVar[str] = r"\kappa"

    def __str__(self) -> str:
        return f"{text(self.level)}-KL"


@dataclass(frozen=True, eq=False, repr=False)
class Renyi(Guarantee):
    r"""Rényi differential privacy of one order.

    .. math:: D_a(M(x) \,\|\, M(x')) \le r \quad \text{for all } x \sim x'

    Parameters
    ----------
    order : float or array_like
        The order a, at least 1 and finite; 1 is :class:`KL`.
    level : float or array_like
        The bound r in nats, positive and at most 700.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If a level lies outside its range, or the relation is unknown.

    Notes
    -----
    Mironov (2017).

    Examples
    --------
    >>> print(Renyi(2.0, 0.5))
    0.5-Rényi DP of order 2
    >>> ZCDP(0.5).implies(Renyi, order=8.0)
    Renyi(8.0, 4.0)
    """

    order: Any
    level: Any

    name: ClassVar[str] = "renyi"
    symbol: ClassVar[str] = "a, r"
    needs_choice: ClassVar[bool] = True

    def _check(self) -> dict[str, Any]:
        return {
            "order": _validate.real("order", self.order, minimum=1),
            "level": _validate.epsilon(self.level, "level"),
        }

    def _levels_within(self, other: Guarantee) -> bool:
        assert isinstance(other, Renyi)  # divergences rise with the order
        return bool(np.all(np.asarray(self.order) >= other.order)) and bool(
            np.all(np.asarray(self.level) <= other.level)
        )

    def pure_epsilon(self) -> Real:
        """Budget of the randomized response that has this divergence."""
        order, level = np.broadcast_arrays(self.order, self.level)
        # D_a lies between the divergences of orders 1 and infinity, eps tanh(eps/2) and eps.
        found = elementwise.find_root(
            lambda e, order, level: randomized_response_renyi(order, e) - level,
            (level * 1.0, response_budget(level) * (1 + 1e-12)),
            args=(order, level),
            tolerances={"xrtol": 1e-14},
        )
        return found.x[()]

    def _gaussian_mu(self) -> Real:
        return np.sqrt(2 * np.asarray(self.level) / self.order)[()]

    def _tv_form(self, m: Operations) -> Any:
        """Pinsker's, since the divergence of order 1 is smaller."""
        return m.least(1, m.sqrt(self.level / 2))

    def _pure_form(self, m: Operations) -> Any:
        r"""The larger of r and :math:`\sqrt{2r/a}`: pure privacy keeps D below epsilon and below
        :math:`a \varepsilon^2/2`."""
        return m.largest(self.level, m.sqrt(2 * self.level / self.order))

    def _mu_squared_form(self, m: Operations) -> Any:
        r""":math:`2 r / a`, exact."""
        return 2 * self.level / self.order

    def __str__(self) -> str:
        return f"{text(self.level)}-Rényi DP of order {text(self.order)}"


@dataclass(frozen=True, eq=False, repr=False)
class ChiSquare(Guarantee):
    r"""Privacy by the chi-square divergence, on which every unbiased floor rests.

    .. math:: \chi^2(M(x) \,\|\, M(x')) \le c \quad \text{for all } x \sim x'

    Parameters
    ----------
    level : float or array_like
        The bound c, positive and finite.
    relation : {"replacement", "add-remove"}
        Which inputs are neighbours.

    Raises
    ------
    TypeError, ValueError
        If the level is not a positive number, or the relation is unknown.

    Notes
    -----
    Barber and Duchi (2014), Definition 5 with f(t) = (t - 1)^2; Tang's slides (claims
    ``BD-Def5``, ``Tang-chi2DP``).

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> Pure(1.0).implies(ChiSquare)
    ChiSquare(1.08616127)
    """

    level: Any

    name: ClassVar[str] = "chi-square"
    symbol: ClassVar[str] = r"\chi^2"

    def _check(self) -> dict[str, Any]:
        return {"level": _validate.real("level", self.level, above=0)}

    def pure_epsilon(self) -> Real:
        """Budget of the randomized response that has this divergence."""
        return 2 * np.arcsinh(np.sqrt(np.asarray(self.level)) / 2)[()]

    def _gaussian_mu(self) -> Real:
        return np.sqrt(np.log1p(np.asarray(self.level)))[()]

    def _mu_squared_form(self, m: Operations) -> Any:
        r""":math:`\ln(1 + c)`, exact."""
        return m.log1p(self.level)

    def __str__(self) -> str:
        return f"{text(self.level)}-chi-square"
