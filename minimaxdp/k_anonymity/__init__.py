"""Tables, generalisation, and the attacks that break k-anonymity.

A table has quasi-identifiers, which an attacker may know from elsewhere, and a sensitive column.
Tables are pandas DataFrames, and the caller names the columns.

- What a table looks like: :func:`k_of`, :func:`diversity`, :func:`closeness`, ...
- How values are coarsened: :func:`intervals`, :func:`prefixes`, :func:`set_hierarchy`,
  :func:`tree_hierarchy`.
- Algorithms: :func:`minimal_generalizations` over the lattice of levels, :func:`mondrian`.
- Attacks: :func:`linkage`, :func:`homogeneity`, :func:`background_knowledge`,
  :func:`intersection_attack`, :func:`minimality_attack`.
- What a noisy release teaches: :func:`laplace_posterior`; what differential privacy promises
  instead: :func:`minimaxdp.guarantees.posterior_range`.
- The lecture's tables: :func:`hospital_a`, :func:`hospital_b`.
"""

from minimaxdp.k_anonymity._attacks import (
    background_knowledge,
    common_prefix,
    homogeneity,
    intersection_attack,
    linkage,
    minimality_attack,
    smallest_interval,
    sole_ends,
)
from minimaxdp.k_anonymity._bayes import laplace_posterior
from minimaxdp.k_anonymity._data import hospital_a, hospital_b
from minimaxdp.k_anonymity._generalize import (
    Lattice,
    generalize,
    minimal_generalizations,
    mondrian,
)
from minimaxdp.k_anonymity._hierarchies import (
    Hierarchy,
    intervals,
    prefixes,
    set_hierarchy,
    tree_hierarchy,
)
from minimaxdp.k_anonymity._labels import covers
from minimaxdp.k_anonymity._measures import (
    class_sizes,
    classes,
    closeness,
    diversity,
    information_loss,
    k_of,
    uniqueness,
)

__all__ = [
    "Hierarchy",
    "Lattice",
    "k_of",
    "background_knowledge",
    "class_sizes",
    "classes",
    "closeness",
    "covers",
    "common_prefix",
    "diversity",
    "generalize",
    "homogeneity",
    "hospital_a",
    "hospital_b",
    "information_loss",
    "intersection_attack",
    "smallest_interval",
    "intervals",
    "laplace_posterior",
    "linkage",
    "minimal_generalizations",
    "minimality_attack",
    "mondrian",
    "prefixes",
    "set_hierarchy",
    "sole_ends",
    "tree_hierarchy",
    "uniqueness",
]
