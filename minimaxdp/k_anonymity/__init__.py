"""Tables, generalisation, and the attacks that break k-anonymity.

A table has quasi-identifiers, which an attacker may know from elsewhere, and a sensitive column.
Tables are pandas DataFrames, and the caller names the columns.

- What a table looks like: :func:`anonymity`, :func:`diversity`, :func:`closeness`, ...
- How values are coarsened: :func:`intervals`, :func:`prefixes`, :func:`sets`, :func:`tree`.
- Algorithms: :func:`minimal_generalizations` over the lattice of levels, :func:`mondrian`.
- Attacks: :func:`linkage`, :func:`homogeneity`, :func:`background_knowledge`,
  :func:`intersection`, :func:`minimality`.
- What differential privacy promises instead: :func:`posterior_bounds`.
- The lecture's tables: :func:`hospital_a`, :func:`hospital_b`.
"""

from minimaxdp.k_anonymity.attacks import (
    background_knowledge,
    digits,
    homogeneity,
    intersection,
    interval,
    linkage,
    minimality,
    sole_ends,
)
from minimaxdp.k_anonymity.bayes import laplace_posterior, posterior_bounds
from minimaxdp.k_anonymity.data import hospital_a, hospital_b
from minimaxdp.k_anonymity.generalize import (
    Lattice,
    generalize,
    minimal_generalizations,
    mondrian,
)
from minimaxdp.k_anonymity.hierarchies import Hierarchy, intervals, prefixes, sets, tree
from minimaxdp.k_anonymity.measures import (
    anonymity,
    class_sizes,
    classes,
    closeness,
    diversity,
    information_loss,
    uniqueness,
)
from minimaxdp.k_anonymity.notation import covered

__all__ = [
    "Hierarchy",
    "Lattice",
    "anonymity",
    "background_knowledge",
    "class_sizes",
    "classes",
    "closeness",
    "covered",
    "digits",
    "diversity",
    "generalize",
    "homogeneity",
    "hospital_a",
    "hospital_b",
    "information_loss",
    "intersection",
    "interval",
    "intervals",
    "laplace_posterior",
    "linkage",
    "minimal_generalizations",
    "minimality",
    "mondrian",
    "posterior_bounds",
    "prefixes",
    "sets",
    "sole_ends",
    "tree",
    "uniqueness",
]
