"""Privacy and statistical risk: the package that the book *minimaxdp* runs on.

Each chapter of the book has a module of the same name here; below them stand

- :mod:`minimaxdp.guarantees` -- definitions of privacy as values,
- :mod:`minimaxdp.divergences` -- distances between probability laws,
- :mod:`minimaxdp.channels` -- finite channels as row-stochastic matrices,
- :mod:`minimaxdp.hypercube` -- one private report of many coordinates,
- :mod:`minimaxdp.risk` -- Monte Carlo with standard errors, fitted exponents,
- :mod:`minimaxdp.certify` -- certificates for whole ranges (extra ``certificates``),
- :mod:`minimaxdp.rates` -- bias balanced against variance in sympy (extra ``symbolic``),

above them :mod:`minimaxdp.results`, which gathers floors, risks and ceilings into one table,
:mod:`minimaxdp.sweep`, which simulates whole grids of settings, and
:mod:`minimaxdp.mechanisms`, which holds any mechanism to its word; and apart from the theory
:mod:`minimaxdp.book`, what the pages share (extra ``figures``).

A *floor* is a lower bound on the minimax risk and a *ceiling* an upper bound; the bare name is the
best one known here, ``variant="paper"`` the one that a document prints. Where a function
takes a guarantee, n and d stand before it. Logarithms are natural and budgets in nats throughout.

Everything here is for study. Mechanisms that draw doubles leak through their low bits (Mironov
2012), and none of them draws its noise from a cryptographic source: to release data about people,
use a library that is made for it.

Import the module you need, as in ``from minimaxdp import randomized_response``, or write
``import minimaxdp`` and name it in full: modules load when they are first asked for. sympy,
matplotlib and pandas load only with what needs them, and scipy.stats, which takes longer to load
than all the rest, when a function first needs it: hence ``scipy.stats.norm`` in full wherever it is
used.
"""

__version__ = "0.2.0"

__all__ = [
    "accounting",
    "book",
    "certify",
    "channels",
    "definitions",
    "density_estimation",
    "divergences",
    "guarantees",
    "hypercube",
    "inference",
    "k_anonymity",
    "laplace",
    "lower_bounds",
    "mean_estimation",
    "mechanisms",
    "privacy",
    "randomized_response",
    "rates",
    "reconstruction",
    "results",
    "risk",
    "sweep",
    "unbiased_bounds",
]


def __getattr__(name: str) -> object:
    """A module of the package, loaded when it is first asked for."""
    if name in __all__:
        from importlib import import_module

        return import_module(f"minimaxdp.{name}")
    raise AttributeError(f"module 'minimaxdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
