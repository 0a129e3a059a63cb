r"""Certificates: what is said for all is shown for all.

Three instruments, each of which finds a certificate and hands it out as an object that verifies
itself anew, without what was used to find it:

- :func:`inequality`: an elementary function is positive on a whole range, by ball arithmetic;
- :func:`optimum`: the least value of a linear programme is a fraction, by a primal and a dual
  solution in rational numbers;
- :func:`induction`: a sequence has a closed form for all n, by the base and the step.

For polynomials there is a fourth, :func:`polynomial_bound`: a lower bound on an interval by exact
Bernstein coefficients, which is how a coverage is certified for every proportion. A false
statement raises :class:`Refused` with a point or a box where it fails. A :class:`Certified` says in
words what several certificates prove together.

They need python-flint and sympy (extra ``certificates``), which load when first used.
"""

from minimaxdp.certify._identities import Induction, induction, vanishes
from minimaxdp.certify._inequalities import Inequality, Piece, inequality
from minimaxdp.certify._polynomials import PolynomialBound, polynomial_bound
from minimaxdp.certify._programmes import Optimum, optimum
from minimaxdp.certify._statements import Certified, Refused

__all__ = [
    "Certified",
    "Induction",
    "Inequality",
    "Optimum",
    "Piece",
    "PolynomialBound",
    "Refused",
    "induction",
    "inequality",
    "optimum",
    "polynomial_bound",
    "vanishes",
]
