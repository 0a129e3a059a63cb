"""Calls that no docstring makes, by public module, for what is on record.

Each reaches what the examples of the docstrings leave out. They are run as those are, and what they
print is asked of nobody here: the record says what comes out.
"""


def accounting() -> None:
    """
    >>> from minimaxdp.accounting import Budget, SampledPair, compose, dominating_pair, finite_pair
    >>> from minimaxdp.guarantees import ApproximatePair, FinitePair, GaussianPair, LaplacePair
    >>> from minimaxdp.guarantees import ZCDP, Approximate, GaussianDP, Pure, ResponsePair
    >>> from minimaxdp.laplace import DiscreteLaplace, ExactDiscreteGaussian, ExactDiscreteLaplace
    >>> noise = dominating_pair(DiscreteLaplace(0.1)), dominating_pair(DiscreteLaplace(1.0, 3))
    >>> whole = ExactDiscreteGaussian(3.0), ExactDiscreteLaplace(0.2)
    >>> exact = [dominating_pair(one) for one in whole]
    >>> response = dominating_pair([[0.5, 0.5], [0.4, 0.6]])
    >>> pair = finite_pair([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]])
    >>> edges = [-2.0, -0.5, -0.01, 0.0, 0.01, 0.5, 2.0]
    >>> rare = SampledPair(GaussianPair(1.0), 0.1), SampledPair(ApproximatePair(1.0, 0.1), 0.2)
    >>> known = SampledPair(LaplacePair(1.0), 0.3, "without replacement")
    >>> some = SampledPair(ApproximatePair(1.0, 0.1), 0.2, "without replacement"), rare[0].swapped
    >>> every = *rare, known, *some
    >>> parts = [(one.cells(edges), one.delta(0.05), one.impossible) for one in every]
    >>> turned = rare[1].swapped, rare[1].swapped.delta(0.01), rare[1].swapped.cells(edges)
    >>> many = compose(rare[0], times=100).delta(0.5), compose(known, times=40).epsilon(1e-5)
    >>> few = compose(ResponsePair(0.5), times=30).delta(1.0), compose(pair, times=12).delta(0.1)
    >>> most = compose([FinitePair([1.0, 0.0], [0.0, 1.0]), LaplacePair(0.5)]).delta(1.0)
    >>> budget = Budget(Approximate(1.0, 1e-6), method="basic")
    >>> budget.spend(Pure(0.3)), budget.spend(Approximate(0.1, 1e-7), times=2)
    (None, None)
    >>> left = budget.left, budget.releases, repr(budget)
    >>> other = Budget(ZCDP(0.5))
    >>> other.spend(GaussianDP(0.4), times=2), other.spend(Pure(0.2))
    (None, None)
    >>> left = other.left, other.releases, repr(other)
    """


def book() -> None:
    """
    >>> import numpy as np
    >>> from minimaxdp.book import experiments
    >>> cases = [("proportion", ("binary", "central"), 2), ("mean", ("local", "central"), 1)]
    >>> cases += [("frequencies", ("unary", "kary", "optimised", "hadamard"), 5)]
    >>> cases += [("histogram", experiments.EXPERIMENTS["histogram"].mechanisms, 5)]
    >>> for problem, mechanisms, d in cases:
    ...     for mechanism in mechanisms:
    ...         setting = {"problem": problem, "mechanism": mechanism, "n": 50, "d": d}
    ...         setting["epsilon"] = 0.8
    ...         known = experiments.exact_risk(**setting)
    ...         found = experiments.simulate(np.random.default_rng(5), 4, **setting)
    """


def density_estimation() -> None:
    """
    >>> import numpy as np
    >>> from minimaxdp import density_estimation as de
    >>> points = np.array([-1.3, -0.25, 0.0, 0.1, 0.26, 0.5, 0.74, 0.9, 1.6])
    >>> shapes = [de.rademacher(0.4), de.ripple(0.6, 2), de.linear(0.7), de.harmonic(3, 0.4)]
    >>> shapes += [de.spiky(0.2), de.boundary(2.0), de.holder(0.6), de.holder(0.9)]
    >>> pdf = [shape.pdf(np.clip(points, 0, 1)) for shape in shapes]
    >>> drawn = [(s.sample(6, rng=1), s.probabilities(7), s.bias(5)) for s in shapes]
    >>> data = np.random.default_rng(3).beta(2, 3, 400)
    >>> for method in de.HISTOGRAM_METHODS:
    ...     epsilon = None if method == "none" else 1.5
    ...     made = de.private_density(data, 0.0, 1.0, epsilon, method=method, bins=6, rng=2)
    ...     held = made.band(0.9), made.simultaneous_band(0.9), made.pdf(data[:9])
    ...     plain = de.Histogram(made.histogram.grid, epsilon, method)
    ...     told = plain.privacy, plain.neighbours
    >>> cases = [(n, beta) for n in (2, 50, 10**5) for beta in (0.6, 1.0, 2.5)]
    >>> best = [de.best_truncation(n, None, beta=beta) for n, beta in cases]
    >>> risk = de.series_risk(1000, [0.1, 0.2, -0.05, 0.3], None, tail=0.01)
    """


def guarantees() -> None:
    """
    >>> import numpy as np
    >>> from minimaxdp import guarantees as g
    >>> pairs = [(g.Pure(0.7), g.GaussianDP), (g.Pure(0.7), g.KL), (g.Pure(0.7), g.ChiSquare)]
    >>> pairs += [(g.Pure(0.7), g.TotalVariation), (g.Pure(0.7), g.ZCDP)]
    >>> pairs += [(g.Smooth(0.7, 2.5), g.Pure), (g.ZCDP(0.3), g.KL), (g.ZCDP(0.3), g.ChiSquare)]
    >>> pairs += [(g.ZCDP(0.3), g.TotalVariation), (g.KL(0.3), g.TotalVariation)]
    >>> pairs += [(g.Renyi(3.0, 0.4), g.KL), (g.Renyi(3.0, 0.4), g.ChiSquare)]
    >>> pairs += [(g.Renyi(3.0, 0.4), g.TotalVariation), (g.ChiSquare(0.4), g.KL)]
    >>> pairs += [(g.GaussianDP(0.6), g.TotalVariation), (g.GaussianDP(0.6), g.ZCDP)]
    >>> found = [one.implies(other) for one, other in pairs]
    >>> given = [
    ...     (g.Pure(0.7), g.Approximate, {"epsilon": 0.2}),
    ...     (g.Pure(0.7), g.Renyi, {"order": 2.5}),
    ...     (g.Pure(0.7), g.ConditionalTesting, {"eta": 0.3}),
    ...     (g.Approximate(0.9, 1e-3), g.Approximate, {"epsilon": 0.4}),
    ...     (g.Approximate(0.9, 1e-3), g.Approximate, {"delta": 0.05}),
    ...     (g.Approximate(0.9, 1e-3), g.ConditionalTesting, {"eta": 0.3}),
    ...     (g.ZCDP(0.3), g.Approximate, {"epsilon": 1.4}),
    ...     (g.ZCDP(0.3), g.Approximate, {"delta": 1e-5}),
    ...     (g.ZCDP(0.3), g.Renyi, {"order": 4.0}),
    ...     (g.KL(0.3), g.Renyi, {"order": 1.0}),
    ...     (g.KL(0.3), g.Approximate, {"epsilon": 0.8}),
    ...     (g.Renyi(3.0, 0.4), g.Renyi, {"order": 1.7}),
    ...     (g.Renyi(3.0, 0.4), g.Approximate, {"epsilon": 0.8}),
    ...     (g.ChiSquare(0.4), g.Renyi, {"order": 1.7}),
    ...     (g.GaussianDP(0.6), g.Approximate, {"epsilon": 0.8}),
    ...     (g.GaussianDP(0.6), g.Approximate, {"delta": 1e-4}),
    ...     (g.TotalVariation(0.3), g.Approximate, {}),
    ...     (g.TotalVariation(0.3), g.ConditionalTesting, {"eta": 0.4}),
    ... ]
    >>> found += [one.implies(other, **levels) for one, other, levels in given]
    >>> shown = [(repr(one), str(one), hash(one) == 0, one.theorem) for one in found]
    >>> every = [g.Pure(0.7), g.Approximate(0.9, 1e-3), g.ZCDP(0.3), g.Renyi(3.0, 0.4)]
    >>> every += [g.GaussianDP(0.6), g.KL(0.3), g.ChiSquare(0.4), g.TotalVariation(0.2)]
    >>> every += [g.Smooth(0.7, 2.5), g.Local(g.Pure(0.7)), g.NonPrivate()]
    >>> every += [g.ConditionalTesting(0.6, 0.5)]
    >>> def tried(call):
    ...     try:
    ...         return call()
    ...     except (TypeError, ValueError) as error:
    ...         return str(error)
    >>> forms = [
    ...     tried(call)
    ...     for one in every
    ...     for call in (
    ...         one.pure_epsilon, one.gaussian_sigma, one.tv_form, one.pure_form,
    ...         one.mu_squared_form, one.levels_as_arrays, one.held, one.symbolic,
    ...         lambda one=one: one.group(3), lambda one=one: one.under("add-remove"),
    ...     )
    ... ]
    >>> order = [[tried(lambda a=a, b=b: a <= b) for a in every] for b in every]
    >>> order = [[tried(lambda a=a, b=b: a < b) for a in every] for b in every]
    >>> tails = [g.gaussian_epsilon(delta, 0.7) for delta in (1e-300, 1e-285, 1e-12, 0.3)]
    """


def mechanisms() -> None:
    """
    >>> from minimaxdp.laplace import DiscreteLaplace, Gaussian, Laplace
    >>> from minimaxdp.mean_estimation import PrivUnit
    >>> from minimaxdp.mechanisms import check_mechanism
    >>> some = Laplace(0.8, 2.0), DiscreteLaplace(0.7, 2), Gaussian(1.3), PrivUnit(1.0, 3, 1.0, 0.2)
    >>> kept = [check_mechanism(one, runs=2_000) for one in some]
    """


def reconstruction() -> None:
    """
    >>> import numpy as np
    >>> import pandas as pd
    >>> from minimaxdp import reconstruction as rc
    >>> kinds = pd.DataFrame({"sex": ["F", "F", "M", "M"], "adult": [True, False] * 2})
    >>> people = kinds.iloc[[0, 0, 2, 3]]
    >>> tables = {name: rc.count_table(people, kinds, [name]) for name in kinds}
    >>> every = rc.solutions(tables, kinds, limit=20)
    >>> told = every.certain, len(every)
    >>> off = {name: table + [1, 0] for name, table in tables.items()}
    >>> near = rc.closest(off, kinds)
    """


def results() -> None:
    """
    >>> from minimaxdp import guarantees as g
    >>> from minimaxdp.results import Setting, cell
    >>> curator = [g.NonPrivate(), g.Pure(0.8), g.Approximate(0.8, 1e-4), g.ZCDP(0.2), g.KL(0.2)]
    >>> curator += [g.TotalVariation(0.3), g.TotalVariation(0.01), g.TotalVariation(0.5)]
    >>> local = [g.Local(g.Pure(0.8)), g.Local(g.Pure(4.0))]
    >>> made = [cell("multinomial", one, Setting(n=40, d=2)) for one in curator + local]
    >>> made += [cell("multinomial", one, Setting(n=40, d=5)) for one in curator + local]
    >>> made += [cell("bounded mean", one, Setting(n=6, d=2)) for one in curator + local]
    >>> made += [cell("moment mean", one, Setting(n=60, d=2, k=3.0)) for one in curator + local]
    >>> made += [cell("density", one, Setting(n=50, beta=0.7)) for one in curator + local]
    >>> made += [cell("density", one, Setting(n=2)) for one in curator + local]
    >>> made += [cell("endpoint", one, Setting(n=30)) for one in local]
    >>> one, pure, edge = g.Local(g.Pure(1.0)), g.Pure(1.0), g.Local(g.Pure(30.0))
    >>> ends = [("endpoint", one, 150), ("endpoint", one, 151), ("proportion", pure, 25)]
    >>> ends += [("proportion", pure, 26), ("endpoint", pure, 100), ("endpoint", pure, 101)]
    >>> ends += [("endpoint", g.Pure(0.05), 2000), ("endpoint", g.Pure(0.001), 500)]
    >>> ends += [("proportion", edge, 50), ("proportion", one, 2000), ("proportion", one, 2001)]
    >>> ends += [("endpoint", one, 2000), ("endpoint", one, 2001)]
    >>> made += [cell(problem, privacy, Setting(n=n)) for problem, privacy, n in ends]
    >>> kept = [(one.gap, one.ratio, one.definition) for one in made]
    """


def risk() -> None:
    """
    >>> from minimaxdp.risk import fit_power_law
    >>> values, people = [1.0, 0.52, 0.27, 0.12], [10.0, 20.0, 40.0, 90.0]
    >>> fitted = fit_power_law(values, n=people, standard_errors=[0.1, 0.05, 0.02, 0.01])
    >>> fitted = fit_power_law(values, n=people, d=[1.0, 2.0, 2.0, 5.0], level=0.8)
    >>> shown = [f"{one:.2f}" for one in fitted.exponents.values()]
    """


def unbiased_bounds() -> None:
    """
    >>> import numpy as np
    >>> from minimaxdp import unbiased_bounds as ub
    >>> from minimaxdp.guarantees import ZCDP, Pure
    >>> rng = np.random.default_rng(4)
    >>> thin = np.array([[1.0, 0.2, 3e-9], [0.3, 1.0, -2e-9], [-0.7, 0.4, 5e-9], [0.1, -1.0, 0.0]])
    >>> flat = thin * [1.0, 1e-7, 1.0], thin[:, [0, 1, 1]] + thin[:, [2, 2, 2]]
    >>> many = rng.normal(size=(60, 2)), rng.normal(size=(230, 3)) ** 3
    >>> for cloud in (thin, *flat, *many):
    ...     for fit in ("fixed", "free", "difference"):
    ...         found = ub.min_trace_ellipsoid(cloud, fit=fit)
    ...         kept = found.gap, found.rank, found.root, found.matrix, found.gauge(found.centre)
    """
