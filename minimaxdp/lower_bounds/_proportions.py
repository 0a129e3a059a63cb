r"""A proportion: every lower bound on its squared error, by the name of the argument."""

from __future__ import annotations

from minimaxdp import _validate
from minimaxdp.guarantees import Guarantee, NonPrivate
from minimaxdp.lower_bounds._bits import bit_floors
from minimaxdp.lower_bounds._curator_means import largest_first
from minimaxdp.lower_bounds._means import mean_floors

__all__ = ["proportion_floors"]


def proportion_floors(n: int, privacy: Guarantee) -> dict[str, float]:
    r"""Lower bounds on the minimax squared error of a proportion in [0, 1], by their argument.

    A quarter of those of a mean in one dimension (:func:`mean_floors`), and of

    ==========  ======================================  ==========================================
    name        needs                                   bound for a sign of mean a in [-1, 1]
    ==========  ======================================  ==========================================
    bayes       pure or local pure privacy, n to 2,000  exact Bayes risk over all mechanisms, for
                                                        the best of several priors
    pair        any                                     :math:`\max_R R^2 (1 - \mathbb E t^2)` for
                                                        the means :math:`\pm R`, t the posterior
                                                        mean of the sign
    window      any                                     :math:`\frac12 \int_0^2 h (1 - \frac h2)
                                                        (1 - \mathrm{TV}(h))\, dh` (Ziv and Zakai)
    tests       a curator, n to 2,000                   Bayes risk of tests that grow in the count
                                                        as fast as privacy allows, for some priors
    fisher      any                                     :math:`\max_R (\min\{n^2 T, \frac{n}{1 -
                                                        R^2}\} + \frac{\pi^2}{R^2})^{-1}`
                                                        (van Trees)
    ==========  ======================================  ==========================================

    Parameters
    ----------
    n : int
        Number of people, at least 1.
    privacy : Guarantee
        Of single levels; a curator's with a total-variation level, or ``Local(Pure(epsilon))``.

    Returns
    -------
    dict of str to float
        The largest first; "plain" is the exact risk without privacy.

    Raises
    ------
    TypeError, ValueError
        If a parameter is out of its range.

    Notes
    -----
    Stated and proved in the part "Going further" of the chapter on lower bounds.

    Examples
    --------
    >>> from minimaxdp.guarantees import Pure
    >>> found = proportion_floors(100, Pure(0.05))
    >>> next(iter(found)), found["bayes"] > 2 * found["packing"]
    ('bayes', True)
    """
    n = _validate.one_integer("n", n, minimum=1)
    found = {name: value / 4 for name, value in mean_floors(n, 1, privacy).items()}
    found.pop("signs", None)  # named by what is said of one sign
    privacy = privacy.under("replacement")
    if not isinstance(privacy, NonPrivate):
        for name, value in bit_floors(float(n), 1.0, privacy).items():
            found[name] = value / 4
    return largest_first(found)
