"""Small channels on which definitions of privacy are tried, drawn and named."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("repeatable")


def response(epsilon, d=2):
    """Randomized response among d answers."""
    matrix = np.where(np.eye(d, dtype=bool), np.exp(epsilon), 1.0)
    return matrix / matrix.sum(axis=1, keepdims=True)


def four_point(epsilon, delta):
    """The channel that spends a whole budget (epsilon, delta) on one bit."""
    low = (1 - delta) / (1 + np.exp(epsilon))
    high = (1 - delta) - low
    return np.array([[delta, high, low, 0.0], [0.0, low, high, delta]])


@st.composite
def finite_channels(draw, inputs=2, most=5, zeros=True):
    """Channels with some outputs that some inputs never give."""
    outputs = draw(st.integers(2, most))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    matrix = rng.dirichlet(np.full(outputs, draw(st.sampled_from([0.3, 1.0, 10.0]))), size=inputs)
    if zeros and draw(st.booleans()):
        matrix[rng.random(matrix.shape) < 0.2] = 0.0
        matrix[:, 0] += 1e-3
    return matrix / matrix.sum(axis=1, keepdims=True)


def events(k):
    """Every set of k outputs, one a row."""
    return np.array(list(product([0, 1], repeat=k)))
