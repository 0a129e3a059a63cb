"""The designs that real surveys use, all of them one channel for one bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._tails import binomial_bounds
from minimaxdp._types import Array, Real, Rng
from minimaxdp.guarantees import Guarantee, Local, NonPrivate, Pure

__all__ = ["SurveyDesign"]


@dataclass(frozen=True)
class SurveyDesign:
    r"""A survey question with a random part: the two probabilities of hearing *yes*.

    .. math:: \Pr(\text{yes}) = c + (s - c)\, \pi, \qquad
              \varepsilon = \max\Big\{\Big|\ln\frac sc\Big|, \Big|\ln\frac{1 - s}{1 - c}\Big|\Big\}

    where c is the probability of *yes* from a person without the trait, s from one with it, and
    :math:`\pi` the share of people with the trait. One of the two answers may give away more than
    the other; :attr:`budgets` has both.

    Parameters
    ----------
    yes_without, yes_with : float
        The probabilities c and s, in [0, 1] and different.

    Raises
    ------
    TypeError, ValueError
        If a probability lies outside [0, 1], or the two are equal.

    Notes
    -----
    Statement ``rr-designs``. Where an answer proves something (c or s is 0 or 1), nothing is
    promised and :attr:`privacy` says so.

    Examples
    --------
    A die forces *yes* on 1 and *no* on 6; 831 of 2,435 people said *yes*:

    >>> die = SurveyDesign.forced(yes=1 / 6, no=1 / 6)
    >>> round(die.epsilon, 3), round(die.estimate(831, 2435), 3)
    (1.609, 0.262)
    """

    yes_without: float
    yes_with: float

    def __post_init__(self) -> None:
        bounds = {"minimum": 0, "maximum": 1}
        c = _validate.one_real("yes_without", self.yes_without, **bounds)
        s = _validate.one_real("yes_with", self.yes_with, **bounds)
        if c == s:
            raise ValueError(f"yes_with must differ from yes_without, got {s} for both")
        _validate.freeze(self, yes_without=c, yes_with=s)

    @classmethod
    def warner(cls, truth: float) -> SurveyDesign:
        """One of two opposite statements is drawn; the one about the trait with this probability.

        Examples
        --------
        >>> SurveyDesign.warner(0.75).yes_with
        0.75
        """
        truth = _uneven("truth", truth)
        return cls(1 - truth, truth)

    @classmethod
    def forced(cls, yes: float, no: float) -> SurveyDesign:
        """With these probabilities the answer is fixed; otherwise it is the truth.

        Examples
        --------
        >>> SurveyDesign.forced(0.2, 0.2)
        SurveyDesign(yes_without=0.2, yes_with=0.8)
        """
        yes, no = _share("yes", yes), _share("no", no)
        if yes + no > 1 - 1e-12:
            raise ValueError(f"yes + no must be less than 1, got {yes} + {no}")
        return cls(yes, 1 - no)

    @classmethod
    def unrelated(cls, sensitive: float, innocent: float) -> SurveyDesign:
        """Either the sensitive question, with probability `sensitive`, or an innocent one.

        `innocent` is the known share of people whose answer to the other question is *yes*.

        Examples
        --------
        >>> SurveyDesign.unrelated(0.5, 0.5)
        SurveyDesign(yes_without=0.25, yes_with=0.75)
        """
        sensitive = _validate.one_real("sensitive", sensitive, minimum=1e-12, maximum=1)
        innocent = _share("innocent", innocent)
        return cls((1 - sensitive) * innocent, sensitive + (1 - sensitive) * innocent)

    @classmethod
    def crosswise(cls, innocent: float) -> SurveyDesign:
        """Two questions, one answer: *the same to both* (yes) or *different* (no).

        `innocent` is the known share of people whose answer to the innocent question is *yes*.

        Examples
        --------
        >>> SurveyDesign.crosswise(0.25)
        SurveyDesign(yes_without=0.75, yes_with=0.25)
        """
        innocent = _uneven("innocent", innocent)
        return cls(1 - innocent, innocent)

    @classmethod
    def triangular(cls, innocent: float) -> SurveyDesign:
        """Two questions, one answer: *yes to at least one* (yes) or *no to both* (no).

        `innocent` is the known share of people whose answer to the innocent question is *yes*.
        A *no* proves that the trait is absent, so that nothing is promised.

        Examples
        --------
        >>> SurveyDesign.triangular(0.25)
        SurveyDesign(yes_without=0.25, yes_with=1.0)
        """
        return cls(_validate.one_real("innocent", innocent, minimum=0, below=1), 1.0)

    @property
    def budgets(self) -> tuple[float, float]:
        """How far a *yes*, and how far a *no*, can move the log odds of the trait; infinite
        if it proves something."""
        rows = self.channel()
        with np.errstate(divide="ignore"):
            yes, no = abs(np.log(rows[0]) - np.log(rows[1]))[::-1]
        return float(yes), float(no)

    @property
    def epsilon(self) -> float:
        """The local budget: the larger of the two, infinite if an answer proves something."""
        return max(self.budgets)

    @property
    def privacy(self) -> Guarantee:
        """Local pure privacy at epsilon, exactly; none if an answer proves something."""
        return Local(Pure(self.epsilon)) if np.isfinite(self.epsilon) else NonPrivate()

    @property
    def inputs(self) -> NDArray[np.int64]:
        """Without and with the trait, in the order of the rows of the channel."""
        return np.arange(2)

    @property
    def outputs(self) -> NDArray[np.int64]:
        """*No* and *yes*, in the order of the columns of the channel."""
        return np.arange(2)

    def channel(self) -> Array:
        """The design as a matrix, shape (2, 2): row the trait, column the answer."""
        yes = np.array([self.yes_without, self.yes_with])
        return np.column_stack([1 - yes, yes])

    def privatize(self, bits: ArrayLike, *, rng: Rng = None) -> NDArray[np.uint8]:
        """Answers of people with these traits, each drawn by itself.

        Parameters
        ----------
        bits : array_like of 0 and 1, any shape
        rng : Generator, int or None

        Returns
        -------
        ndarray of uint8, same shape

        Examples
        --------
        >>> SurveyDesign.forced(0.2, 0.2).privatize([0, 1, 1, 0], rng=0).shape
        (4,)
        """
        bits = _validate.bits("bits", bits)
        chance = np.array([self.yes_without, self.yes_with])[bits]
        return (_validate.generator(rng).random(bits.shape) < chance).astype(np.uint8)

    def estimate(self, yes: ArrayLike, n: ArrayLike) -> Real:
        r"""Unbiased estimate of the share with the trait, :math:`(\text{yes}/n - c) / (s - c)`.

        It may leave [0, 1]; if it does so by many standard errors, people did not follow the
        design.

        Parameters
        ----------
        yes, n : array_like of int
            How many of n people answered *yes*.

        Returns
        -------
        float or ndarray

        Raises
        ------
        TypeError, ValueError
            If there are more answers than people, or no people.
        """
        yes, n = _answers(yes, n)
        return (yes / n - self.yes_without) / (self.yes_with - self.yes_without)

    def standard_error(self, yes: ArrayLike, n: ArrayLike) -> Real:
        r"""Estimated standard error, :math:`\sqrt{\hat\lambda (1 - \hat\lambda) / n} / |s - c|`.

        Parameters and errors as for :meth:`estimate`; :math:`\hat\lambda` is the share of *yes*.

        Examples
        --------
        >>> round(float(SurveyDesign.warner(0.7).standard_error(60, 125)), 3)
        0.112
        """
        yes, n = _answers(yes, n)
        share = yes / n
        return np.sqrt(share * (1 - share) / n) / abs(self.yes_with - self.yes_without)

    def interval(self, yes: int, n: int, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the share in the population, of at least this coverage.

        Clopper and Pearson's for the share of *yes*, carried over and cut to [0, 1]: exact, if
        people follow the design.

        Raises
        ------
        TypeError, ValueError
            If a count is out of range or the level lies outside (0, 1).

        Examples
        --------
        >>> low, high = SurveyDesign.forced(1 / 6, 1 / 6).interval(831, 2435)
        >>> round(low, 3), round(high, 3)
        (0.234, 0.291)
        """
        n = _validate.one_integer("n", n, minimum=1)
        yes = _validate.one_integer("yes", yes, minimum=0, maximum=n)
        level = _validate.one_real("level", level, above=0, below=1)
        ends = binomial_bounds(yes, yes, n, (1 - level) / 2)
        carried = (np.array(ends) - self.yes_without) / (self.yes_with - self.yes_without)
        low, high = np.sort(np.clip(carried, 0, 1))
        return float(low), float(high)

    @_validate.broadcasting
    def risk(self, theta: ArrayLike, n: ArrayLike) -> Real:
        r"""Mean squared error for n independent people of whom a share theta has the trait.

        .. math:: \frac{\lambda (1 - \lambda)}{n (s - c)^2}, \qquad \lambda = c + (s - c) \theta

        Examples
        --------
        >>> round(float(SurveyDesign.warner(0.75).risk(0.5, 100)), 12)
        0.01
        """
        theta = _validate.real("theta", theta, minimum=0, maximum=1)
        n = _validate.integer("n", n, minimum=1)
        gap = self.yes_with - self.yes_without
        heard = self.yes_without + gap * theta
        return heard * (1 - heard) / gap**2 / n


def _share(name: str, value: float) -> float:
    return _validate.one_real(name, value, minimum=0, maximum=1)


def _uneven(name: str, value: float) -> float:
    value = _share(name, value)
    if value == 0.5:
        raise ValueError(f"{name} must differ from 0.5: a fair coin carries nothing")
    return value


def _answers(yes: ArrayLike, n: ArrayLike) -> tuple[Array, Array]:
    n = np.asarray(_validate.integer("n", n, minimum=1))
    yes = np.asarray(_validate.integer("yes", yes, minimum=0))
    _validate.broadcast(yes=yes, n=n)
    if np.any(yes > n):
        raise ValueError(f"yes must be at most n, got {yes.max()} of {n.min()}")
    return yes, n
