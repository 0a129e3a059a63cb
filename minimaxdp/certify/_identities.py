r"""Closed forms of recurrences, for all n by induction.

The base and the step of an induction are identities between formulas without a sum. Each becomes
a rational function once powers such as :math:`b^n` and ratios of factorials are read as variables
of their own, and a rational function is zero if its numerator, expanded, has no term left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from minimaxdp import _validate
from minimaxdp.certify._statements import Refused, expression, symbols_of

__all__ = ["Induction", "induction", "vanishes"]

_TRIED = 12  # members of a sequence that are computed before anything is proved
_LARGEST = 400  # operations in a formula


@dataclass(frozen=True)
class Induction:
    r"""That a sequence has a closed form, for all n from some start on.

    .. math:: F_{n + r} = \Phi(F_n, \dots, F_{n + r - 1}, n), \quad F_m, \dots, F_{m + r - 1}
              \text{ given} \qquad\Longrightarrow\qquad F_n = G(n) \text{ for all } n \ge m

    It holds as an identity in the other variables, wherever both sides are defined.

    Attributes
    ----------
    closed : sympy.Expr
        The closed form G.
    step : sympy.Expr
        :math:`\Phi`, in n and the symbols `previous`.
    base : tuple of sympy.Expr
        The first r members.
    n : sympy.Symbol
    previous : tuple of sympy.Symbol
        They stand for :math:`F_n, \dots, F_{n + r - 1}` in the step.
    start : int

    Examples
    --------
    >>> import sympy
    >>> n, f = sympy.symbols("n f")
    >>> Induction(n * (n + 1) / 2, f + n + 1, (sympy.Integer(0),), n, (f,), 0).verify()
    True
    """

    closed: Any
    step: Any
    base: tuple[Any, ...]
    n: Any
    previous: tuple[Any, ...]
    start: int = 0

    def __post_init__(self) -> None:
        closed, step = expression("closed", self.closed), expression("step", self.step)
        base = tuple(expression("base", value) for value in _validate.items("base", self.base))
        previous = tuple(_symbol("previous", s) for s in _validate.items("previous", self.previous))
        n = _symbol("n", self.n)
        start = _validate.one_integer("start", self.start, minimum=-1000, maximum=1000)
        if not base or len(base) != len(previous):
            raise ValueError(
                f"previous must have a symbol for each of the base values, at least one, got "
                f"{len(previous)} and {len(base)}"
            )
        if len({n, *previous}) != 1 + len(previous):
            raise ValueError("previous must be symbols that differ from each other and from n")
        if set(previous) & closed.free_symbols or any(
            {n, *previous} & v.free_symbols for v in base
        ):
            raise ValueError("closed and base must not contain what stands for earlier members")
        for name, formula in (("closed", closed), ("step", step)):
            if formula.count_ops() > _LARGEST:
                raise ValueError(f"{name} must have at most {_LARGEST} operations")
        _validate.freeze(
            self, closed=closed, step=step, base=base, previous=previous, n=n, start=start
        )

    def at(self, k: Any) -> Any:
        """The closed form at a number or a formula."""
        import sympy

        try:
            return self.closed.subs(self.n, expression("k", sympy.sympify(k, strict=True)))
        except sympy.SympifyError:
            raise TypeError(f"k must be a number or a formula, got {k!r}") from None

    def differences(self) -> tuple[Any, ...]:
        """What has to vanish: a difference for each base value, then that of the step."""
        r = len(self.base)
        base = [self.at(self.start + i) - value for i, value in enumerate(self.base)]
        before = {self.previous[i]: self.at(self.n + i) for i in range(r)}
        return (*base, self.at(self.n + r) - self.step.subs(before, simultaneous=True))

    def verify(self) -> bool:
        """Check base and step; True, or `Refused`."""
        *base, step = self.differences()
        for i, difference in enumerate(base):
            if not vanishes(difference):
                raise Refused(
                    f"closed is not shown to agree with the base at {self.n} = {self.start + i}: "
                    f"{difference}",
                    {str(self.n): self.start + i},
                )
        if not vanishes(step):
            raise Refused(f"closed is not shown to keep the step: {step}", {str(self.n): self.n})
        return True

    def __str__(self) -> str:
        return f"F({self.n}) = {self.closed} for all {self.n} >= {self.start}, by induction"


def induction(
    closed: Any,
    step: Any,
    base: Sequence[Any],
    n: Any,
    previous: Sequence[Any],
    start: int = 0,
) -> Induction:
    r"""Show that a sequence which is given by a recurrence has a closed form.

    .. math:: F_{n + r} = \Phi(F_n, \dots, F_{n + r - 1}, n) \quad\text{and } r \text{ values}
              \qquad\Longrightarrow\qquad F_n = G(n) \text{ for all } n \ge m

    A sum :math:`F_n = \sum_{k \le n} a_k` is the case :math:`\Phi = F_n + a_{n + 1}`.

    Parameters
    ----------
    closed : sympy.Expr
        The closed form G, of n and parameters: sums, products, powers, exp, factorials, binomials.
    step : sympy.Expr
        :math:`\Phi`, of n, the symbols `previous` and parameters.
    base : sequence of sympy.Expr, shape (r,)
        The members at start, ..., start + r - 1.
    n : sympy.Symbol
        The index.
    previous : sequence of sympy.Symbol, shape (r,)
        What stands in the step for the r members before.
    start : int
        The first index m.

    Returns
    -------
    Induction
        The certificate, verified.

    Raises
    ------
    TypeError, ValueError
        If an argument is no formula, or they do not fit together.
    Refused
        If the closed form is wrong, with a member of the sequence where it fails and the values of
        the parameters there; or if base or step cannot be shown.

    Examples
    --------
    >>> import sympy
    >>> n, f, b = sympy.symbols("n f b")
    >>> print(induction((1 - b ** (n + 1)) / (1 - b), f + b ** (n + 1), [sympy.S.One], n, [f]))
    F(n) = (1 - b**(n + 1))/(1 - b) for all n >= 0, by induction
    """
    import sympy

    base = [sympy.Integer(v) if type(v) is int else v for v in _validate.items("base", base)]
    certificate = Induction(
        closed, step, tuple(base), n, tuple(_validate.items("previous", previous)), start
    )
    _tried(certificate)
    certificate.verify()
    return certificate


def _tried(claim: Induction) -> None:
    """Refuse a closed form that is wrong for one of the first members, at some parameters."""
    import sympy

    formulas = (claim.closed, claim.step, *claim.base)
    others = {s for part in formulas for s in symbols_of(part)} - {claim.n, *claim.previous}
    chosen = {
        s: sympy.Integer(30 + i) if s.is_integer else sympy.Rational(2 + i, 7 + 3 * i)
        for i, s in enumerate(sorted(others, key=str))
    }
    members = [value.subs(chosen) for value in claim.base]
    r = len(members)
    for i in range(_TRIED):
        at = claim.start + i
        if i >= r:
            now = dict(zip(claim.previous, members[i - r : i], strict=True)) | {claim.n: at - r}
            members.append(claim.step.subs(chosen).subs(now, simultaneous=True))
        gap = sympy.simplify(claim.at(at).subs(chosen) - members[i])
        if gap.is_zero is False or (
            gap.is_number and not gap.is_zero and abs(gap.evalf(30)) > 1e-20
        ):
            where = {str(claim.n): at} | {str(s): v for s, v in chosen.items()}
            raise Refused(
                f"closed is not what step, base, n, previous and start give: at {claim.n} = {at} "
                f"it is off by {gap}" + (f" at {chosen}" if chosen else ""),
                where,
            )


def vanishes(formula: Any) -> bool:
    r"""Whether a formula is zero identically.

    It is read as a rational function of its variables and of powers such as :math:`b^n` and
    :math:`e^x`. True is a proof; False may also mean that it is zero for another reason.

    Parameters
    ----------
    formula : sympy.Expr
        Sums, products, powers, exp, factorials and binomials.

    Returns
    -------
    bool

    Raises
    ------
    TypeError, ValueError
        If it is no formula of sympy, or has rounded or infinite numbers.

    Examples
    --------
    >>> import sympy
    >>> b, n = sympy.symbols("b n")
    >>> vanishes(b ** (n + 1) - b * b**n), vanishes(b ** (n + 1) - b**n)
    (True, False)
    """
    import sympy

    formula = expression("formula", formula)
    if formula.count_ops() > _LARGEST**2:
        raise ValueError(f"formula must have at most {_LARGEST**2} operations")
    if formula.has(sympy.factorial, sympy.binomial, sympy.gamma):
        formula = sympy.gammasimp(formula.rewrite(sympy.gamma))
    atoms: dict[Any, Any] = {}

    def plain(part: Any) -> Any:
        if part.is_Pow and not part.exp.is_Integer or isinstance(part, sympy.exp):
            base, exponent = part.as_base_exp()
            terms = sympy.Add.make_args(sympy.expand(exponent))
            return sympy.Mul(*[_power(base, term, atoms, plain) for term in terms])
        if not part.args:
            return part
        return part.func(*[plain(argument) for argument in part.args])

    numerator, _ = sympy.fraction(sympy.together(plain(formula)))
    return bool(sympy.expand(numerator) == 0)


def _power(base: Any, term: Any, atoms: dict[Any, Any], plain: Any) -> Any:
    """base**term: a variable to an integer power, one for each base and shape of the exponent."""
    import sympy

    share, shape = term.as_coeff_Mul()
    if shape == 1 and share.is_Integer:
        return plain(base) ** share
    if not share.is_Integer:
        share, shape = sympy.S.One, term
    atom = atoms.setdefault((base, shape), sympy.Dummy())
    return atom**share


def _symbol(name: str, value: Any) -> Any:
    if getattr(value, "is_Symbol", False) is not True:
        raise TypeError(f"{name} must be a symbol of sympy, got {_validate._brief(value)}")
    return value
