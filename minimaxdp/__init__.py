"""Privacy and statistical risk: the package that the book *minimaxdp* runs on.

Each chapter of the book has a module of the same name here; below them stand

- :mod:`minimaxdp.divergences` -- distances between probability laws,
- :mod:`minimaxdp.channels` -- finite channels as row-stochastic matrices,
- :mod:`minimaxdp.cube` -- one private report of many coordinates,
- :mod:`minimaxdp.risk` -- Monte Carlo with standard errors, fitted exponents,
- :mod:`minimaxdp.rates` -- bias balanced against variance in sympy,
- :mod:`minimaxdp.plots` -- the one figure style of the book,

and beside them :mod:`minimaxdp.notation`, which converts between the conventions of the documents,
and :mod:`minimaxdp.sweep`, which simulates whole grids of settings, on one machine or on many.

and above them :mod:`minimaxdp.results`, which gathers floors, risks and ceilings into one table.

Import the module you need, as in ``from minimaxdp import randomized_response``;
sympy, matplotlib and pandas load only with :mod:`~minimaxdp.rates`, :mod:`~minimaxdp.plots`
and :mod:`~minimaxdp.k_anonymity`, and scipy.stats, which takes longer to load than all the rest,
when a function first needs it: hence ``scipy.stats.norm`` in full wherever it is used.
Logarithms are natural and budgets are in nats throughout.
"""

__version__ = "0.1.0"
