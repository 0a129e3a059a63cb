r"""Randomized response: people perturb their own answer before anyone sees it.

Mechanisms, each exactly epsilon-locally private:

- :class:`BinaryRR` -- one bit, told truly with probability :math:`e^\varepsilon/(1+e^\varepsilon)`;
- :class:`SymmetricUnary` -- one of d categories as d bits, each perturbed with budget epsilon/2;
- :class:`KaryRR` -- one of d categories, replaced by another one with some probability;
- :class:`SubsetSelection`, :class:`OptimizedUnary`, :class:`HadamardResponse` -- better
  encodings of many categories;
- :class:`SurveyDesign` -- one bit through any design that surveys use: Warner's, forced response,
  an unrelated question, crosswise, triangular.

Anonymous reports are more private than signed ones: :func:`shuffled_delta` says how much, exactly,
and :func:`shuffled_enclosure` between which two numbers it lies whatever is rounded.

A mechanism perturbs records (`privatize`) or, with the same law and at a cost that does not
depend on their number, counts of records (`privatize_counts`); `estimate` inverts it without
bias, and `risk` is the exact expected squared error.

The mechanisms are for study. A report is a bit or a category and carries no low bits of a double,
but whether it is true is decided by a uniform double, whose steps of 2^-53 round the
probabilities: at budgets beyond some 36 nats, where a lie is rarer than such a step, the
guarantee is lost. The generators of numpy are no cryptographic ones.

In the examples ``rng=0`` makes the numbers reproducible, and nothing else: whoever knows the
seed knows which reports are false, so that a release with a fixed seed is not private at all.
"""

from minimaxdp.randomized_response._binary import BinaryRR, binary_variance
from minimaxdp.randomized_response._categorical import (
    KaryRR,
    SymmetricUnary,
    effective_sample_size,
    kary_risk,
    project_to_simplex,
    unary_risk,
)
from minimaxdp.randomized_response._designs import SurveyDesign
from minimaxdp.randomized_response._enclosure import shuffled_enclosure
from minimaxdp.randomized_response._encodings import (
    HadamardResponse,
    OptimizedUnary,
    SubsetSelection,
    hadamard_risk,
    optimized_unary_risk,
    subset_selection_risk,
)
from minimaxdp.randomized_response._evasion import evasive_survey_risk, survey_crossover
from minimaxdp.randomized_response._shared import Encoding, best_subset_size
from minimaxdp.randomized_response._shuffle import (
    clones_epsilon,
    shuffled_budget,
    shuffled_delta,
    shuffled_epsilon,
)

__all__ = [
    "BinaryRR",
    "Encoding",
    "HadamardResponse",
    "KaryRR",
    "OptimizedUnary",
    "SubsetSelection",
    "SurveyDesign",
    "SymmetricUnary",
    "best_subset_size",
    "binary_variance",
    "clones_epsilon",
    "effective_sample_size",
    "evasive_survey_risk",
    "hadamard_risk",
    "kary_risk",
    "optimized_unary_risk",
    "project_to_simplex",
    "shuffled_budget",
    "shuffled_delta",
    "shuffled_enclosure",
    "shuffled_epsilon",
    "subset_selection_risk",
    "survey_crossover",
    "unary_risk",
]
