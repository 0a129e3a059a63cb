r"""Randomized response: people perturb their own answer before anyone sees it.

Mechanisms, each exactly epsilon-locally private:

- :class:`Binary` -- one bit, told truly with probability :math:`e^\varepsilon/(1+e^\varepsilon)`;
- :class:`Unary` -- one of d categories as d bits, each perturbed with budget epsilon/2;
- :class:`KAry` -- one of d categories, replaced by another one with some probability;
- :class:`SubsetSelection`, :class:`OptimisedUnary`, :class:`HadamardResponse` -- better
  encodings of many categories.

A mechanism perturbs records (`privatize`) or, with the same law and at a cost that does not
depend on their number, counts of records (`privatize_counts`); `estimate` inverts it without
bias, and `risk` is the exact expected squared error.
"""

from minimaxdp.randomized_response.binary import Binary, binary_variance
from minimaxdp.randomized_response.categorical import (
    KAry,
    Unary,
    effective_sample_size,
    kary_risk,
    project_to_simplex,
    unary_risk,
)
from minimaxdp.randomized_response.encodings import (
    HadamardResponse,
    OptimisedUnary,
    SubsetSelection,
    best_subset_size,
    hadamard_risk,
    optimised_unary_risk,
    subset_selection_risk,
)
from minimaxdp.randomized_response.evasion import evasive_survey_risk, survey_crossover

__all__ = [
    "Binary",
    "HadamardResponse",
    "KAry",
    "OptimisedUnary",
    "SubsetSelection",
    "Unary",
    "best_subset_size",
    "binary_variance",
    "effective_sample_size",
    "evasive_survey_risk",
    "hadamard_risk",
    "kary_risk",
    "optimised_unary_risk",
    "project_to_simplex",
    "subset_selection_risk",
    "survey_crossover",
    "unary_risk",
]
