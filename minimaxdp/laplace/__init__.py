r"""Additive noise: how much a query may move, and how much noise hides the move.

- sensitivity: :func:`global_sensitivity` by enumeration over a finite domain,
  :func:`standard_sensitivity` and :func:`ball_sensitivity` by formula;
- mechanisms of a trusted curator, each an :class:`AdditiveMechanism`: :class:`Laplace`,
  :class:`Gaussian`, :class:`DiscreteLaplace`, :class:`Staircase`;
- laws of noise for vectors: :class:`GaussianNoise`, :class:`LaplaceNoise`,
  :class:`L2LaplaceNoise`;
- the mechanism of a person who trusts nobody: :class:`LocalLaplace`;
- choosing: :class:`ExponentialMechanism`, :class:`NoisyMaximum`, :class:`PrivateQuantile`, and a
  mean whose clip is chosen so, :class:`PrivatelyClippedMean`;
- noise for the data at hand: :class:`SmoothMedian`;
- exact integer noise: :class:`ExactDiscreteLaplace`, :class:`ExactDiscreteGaussian`;
- accuracy: :func:`simultaneous_radius`, :func:`union_radius`, :func:`expected_maximum`.

:class:`ExactDiscreteLaplace` and :class:`ExactDiscreteGaussian` release what their theorem speaks
of: integers, drawn without rounding from the operating system's cryptographic generator. All other
mechanisms here are for study. Their guarantees are theorems about real numbers, but a computer adds
doubles, and which doubles can come out depends on what went in: the low bits of a release alone may
tell two neighbouring data sets apart (Mironov 2012). The generators of numpy are no cryptographic
ones, either.

In the examples ``rng=0`` makes the numbers reproducible, and nothing else: whoever knows the
seed can take the noise off again, so that a release with a fixed seed is not private at all.
"""

from minimaxdp.laplace._accuracy import (
    expected_maximum,
    log_maximum_tail,
    simultaneous_radius,
    union_radius,
)
from minimaxdp.laplace._additive import AdditiveMechanism
from minimaxdp.laplace._discrete_and_staircase import DiscreteLaplace, Staircase
from minimaxdp.laplace._integer_noise import ExactDiscreteGaussian, ExactDiscreteLaplace
from minimaxdp.laplace._local import LocalLaplace, laplace_sum
from minimaxdp.laplace._mechanisms import Gaussian, Laplace
from minimaxdp.laplace._private_clip import (
    ClipErrors,
    PrivatelyClippedMean,
    PrivateQuantile,
    clip_errors,
)
from minimaxdp.laplace._selection import ExponentialMechanism, NoisyMaximum
from minimaxdp.laplace._sensitivity import (
    ball_sensitivity,
    global_sensitivity,
    standard_sensitivity,
)
from minimaxdp.laplace._smooth_median import SmoothMedian
from minimaxdp.laplace._vector_noise import GaussianNoise, L2LaplaceNoise, LaplaceNoise, Noise

__all__ = [
    "AdditiveMechanism",
    "ClipErrors",
    "DiscreteLaplace",
    "ExactDiscreteGaussian",
    "ExactDiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "GaussianNoise",
    "L2LaplaceNoise",
    "Laplace",
    "LaplaceNoise",
    "LocalLaplace",
    "Noise",
    "NoisyMaximum",
    "PrivateQuantile",
    "PrivatelyClippedMean",
    "SmoothMedian",
    "Staircase",
    "ball_sensitivity",
    "clip_errors",
    "expected_maximum",
    "global_sensitivity",
    "laplace_sum",
    "log_maximum_tail",
    "simultaneous_radius",
    "standard_sensitivity",
    "union_radius",
]
