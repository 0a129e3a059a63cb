"""One function of a released count, over broadcast numbers of people and budgets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from minimaxdp import _validate
from minimaxdp._types import Array, Real

__all__ = ["per_setting"]


def per_setting(
    evaluate: Callable[[Array, int, float], Array],
    released: ArrayLike,
    n: ArrayLike,
    epsilon: ArrayLike,
) -> Real:
    """Checked arguments, broadcast; `evaluate` gets a vector of values for each pair (n, epsilon).

    Its tables depend on the pair alone, so that a thousand values of one survey cost one table.
    """
    shape = _validate.broadcast(released=released, n=n, epsilon=epsilon)
    values, people, budgets = (
        np.broadcast_to(part, shape).ravel() for part in (released, n, epsilon)
    )
    found = np.empty(values.size)
    pairs = np.stack([people.astype(float), budgets.astype(float)], axis=1)
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    for i, (one_n, one_epsilon) in enumerate(distinct):
        here = which.ravel() == i
        found[here] = evaluate(values[here].astype(float), int(one_n), float(one_epsilon))
    return np.reshape(found, shape)[()]
