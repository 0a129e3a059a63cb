"""Plain data between the kernel of a submission and the judge.

The text of `encode` and its helpers is sent to the kernel and runs there, so this module imports
nothing but the standard library at its head. `decode` and `evaluate` run in the judge; they build
numbers and lists, and never run code.
"""

import math

MOST_NODES = 20_000


def encode(value):
    """Turn an answer into JSON-ready data, or raise TypeError."""
    kind = type(value)
    if value is ...:  # as the question left it
        return None
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return {"list": [encode(item) for item in value]}
    if kind in (set, frozenset):
        return {"set": [encode(item) for item in value]}
    if kind is dict:
        return {"dict": [[encode(k), encode(v)] for k, v in value.items()]}
    module = kind.__module__.split(".")[0]
    if module == "numpy" and hasattr(value, "tolist"):
        return encode_array(value)
    if module == "sympy" and hasattr(value, "tolist"):
        return encode(value.tolist())
    if module == "sympy" and hasattr(value, "free_symbols"):
        return {"formula": encode_formula(value)}
    if module == "fractions":
        return {"formula": ["Rational", value.numerator, value.denominator]}
    if module in ("decimal", "mpmath") and hasattr(value, "__float__"):
        return float(value)
    if callable(value):
        return {"callable": True}
    return {"unknown": [kind.__name__, repr(value)[:500]]}


def encode_array(array):
    """An array or a numpy number, as nested lists."""
    data = array.tolist()
    if not isinstance(data, list):
        return encode(data)
    plain = getattr(array.dtype, "kind", "O") in "biuf"
    return {"array": data} if plain else {"list": [encode(item) for item in data]}


def encode_formula(expression):
    """A sympy expression as nested lists: its head, then its arguments."""
    import sympy

    if isinstance(expression, sympy.Symbol):
        return ["Symbol", expression.name]
    if isinstance(expression, sympy.Integer):
        return ["Integer", int(expression)]
    if isinstance(expression, sympy.Rational):
        return ["Rational", int(expression.p), int(expression.q)]
    if isinstance(expression, sympy.Float):
        return ["Float", float(expression)]
    head = type(expression).__name__
    return [head, *map(encode_formula, expression.args)]


class Unknown:
    """An answer of a kind that the marker does not read, for a person to look at."""

    def __init__(self, kind, shown):
        self.kind, self.shown = str(kind), str(shown)


class Remote:
    """A function that lives in the kernel of the submission."""

    def __init__(self, many):
        self.many = many


def decode(data, function=None):
    """What `encode` wrote: numbers, lists, sets, dicts and `Formula`."""
    if not isinstance(data, dict):
        return data
    ((kind, inner),) = data.items()
    if kind == "array" and isinstance(inner, list):
        return inner
    if kind == "list":
        return [decode(item) for item in inner]
    if kind == "set":
        return {hashable(decode(item)) for item in inner}
    if kind == "dict":
        return {hashable(decode(k)): decode(v) for k, v in inner}
    if kind == "formula":
        return Formula(inner)
    if kind == "unknown":
        return Unknown(*inner)
    if kind == "callable" and function is not None:
        return function
    raise TypeError("a function where a value was expected")


def hashable(value):
    """Lists become tuples, so that sets and keys of dicts may hold them."""
    return tuple(hashable(v) for v in value) if isinstance(value, list) else value


class Formula:
    """A formula in some symbols, to be compared by its values and not by its form."""

    def __init__(self, tree):
        self.tree = tree
        self.symbols = set()
        self.strange = set()
        self.size = 0
        self._measure(tree)

    def _measure(self, tree):
        self.size += 1
        if self.size > MOST_NODES or not isinstance(tree, list) or not tree:
            raise ValueError("not a formula of reasonable size")
        if tree[0] == "Symbol":
            self.symbols.add(tree[1])
        elif tree[0] in REPEATED:
            inner = Formula(tree[1])
            bounds = [Formula(part) for limit in tree[2:] for part in limit[2:]]
            self.size += inner.size + sum(bound.size for bound in bounds)
            bound_names = {limit[1][1] for limit in tree[2:]}
            self.symbols |= inner.symbols - bound_names
            self.strange |= inner.strange
            self.symbols.update(*(bound.symbols for bound in bounds))
        elif tree[0] not in ("Integer", "Rational", "Float"):
            if not any(tree[0] in known for known in (HEADS, CONSTANTS, FUNCTIONS, OF_TWO)):
                self.strange.add(str(tree[0]))
            for part in tree[1:]:
                self._measure(part)

    def __call__(self, **values):
        """Evaluate at arrays of numbers, one for each symbol; what has no real value is nan."""
        import numpy as np

        with np.errstate(all="ignore"):
            return evaluate(self.tree, values)


def evaluate(tree, values):
    """The value of a formula at numbers: only the heads listed here mean anything."""
    import numpy as np

    head, *parts = tree
    if head == "Symbol":
        return values[parts[0]]
    if head in ("Integer", "Float"):
        return float(parts[0])
    if head == "Rational":
        return parts[0] / parts[1]
    if head in CONSTANTS:
        return CONSTANTS[head]
    if head in REPEATED:
        return repeated(head, parts, values)
    if head == "Piecewise":
        return piecewise(parts, values)
    numbers = [evaluate(part, values) for part in parts]
    if head == "Add":
        return sum(numbers)
    if head == "Mul":
        return math.prod(numbers)
    if head == "Pow":
        return np.power(np.float64(numbers[0]), numbers[1])
    if head in ("Max", "Min"):
        pairwise = np.maximum if head == "Max" else np.minimum
        return pairwise.reduce(np.broadcast_arrays(*numbers))
    if head in FUNCTIONS and len(numbers) == 1:
        return FUNCTIONS[head](numbers[0])
    if head in OF_TWO and len(numbers) == 2:
        return OF_TWO[head](*numbers)
    if head in ("And", "Or"):
        join = np.logical_and if head == "And" else np.logical_or
        return join.reduce(np.broadcast_arrays(*numbers))
    raise ValueError(f"{head} is not part of a closed form")


def repeated(head, parts, values):
    """A finite sum or product over one index, from whole numbers to whole numbers."""
    import numpy as np

    inner, *limits = parts
    if len(limits) != 1:
        raise ValueError(f"a {head} of several indices is not part of a closed form")
    _, (_, name), low, high = limits[0]
    ends = np.broadcast_arrays(*(evaluate(end, values) for end in (low, high)))
    first, last = (np.atleast_1d(end).astype(float) for end in ends)
    if not (np.isfinite(first) & np.isfinite(last) & (last - first < MOST_TERMS)).all():
        raise ValueError(f"a {head} of so many terms is not part of a closed form")
    if (first != np.round(first)).any() or (last != np.round(last)).any():
        raise ValueError(f"a {head} has bounds that are not whole numbers")
    total = np.full(first.shape, 0.0 if head == "Sum" else 1.0)
    for step in range(int((last - first).max(initial=-1)) + 1):
        term = np.broadcast_to(evaluate(inner, {**values, name: first + step}), total.shape)
        inside = first + step <= last
        total = np.where(inside, total + term if head == "Sum" else total * term, total)
    return total if np.ndim(ends[0]) else total[0]


def piecewise(parts, values):
    """The value beside the first condition that holds, and nan where none does."""
    import numpy as np

    pairs = [(evaluate(value, values), evaluate(rule, values)) for _, value, rule in parts]
    arrays = np.broadcast_arrays(*(x for pair in pairs for x in pair))
    return np.select([x.astype(bool) for x in arrays[1::2]], arrays[::2], np.nan)


CONSTANTS = {
    "Zero": 0.0,
    "One": 1.0,
    "NegativeOne": -1.0,
    "Half": 0.5,
    "Pi": math.pi,
    "Exp1": math.e,
    "EulerGamma": 0.5772156649015329,
    "Infinity": math.inf,
    "NegativeInfinity": -math.inf,
    "GoldenRatio": (1 + math.sqrt(5)) / 2,
    "Catalan": 0.915965594177219,
    "BooleanTrue": True,
    "BooleanFalse": False,
}
REPEATED = ("Sum", "Product")
HEADS = ("Add", "Mul", "Pow", "Max", "Min", "And", "Or", "Piecewise", "ExprCondPair")
MOST_TERMS = 10_000


def _functions():
    import numpy as np
    from scipy import special

    of_two = {
        "binomial": special.binom,
        "beta": special.beta,
        "StrictLessThan": np.less,
        "LessThan": np.less_equal,
        "StrictGreaterThan": np.greater,
        "GreaterThan": np.greater_equal,
        "Equality": np.equal,
        "Unequality": np.not_equal,
        "Mod": np.mod,
        "atan2": np.arctan2,
        "RisingFactorial": special.poch,
        "FallingFactorial": lambda x, k: special.poch(x - k + 1, k),
        "lowergamma": lambda a, x: special.gammainc(a, x) * special.gamma(a),
        "uppergamma": lambda a, x: special.gammaincc(a, x) * special.gamma(a),
    }
    return of_two, {
        "gamma": special.gamma,
        "loggamma": special.gammaln,
        "factorial": lambda x: special.gamma(x + 1),
        "digamma": special.digamma,
        "harmonic": lambda x: special.digamma(x + 1) + np.euler_gamma,
        "erf": special.erf,
        "erfc": special.erfc,
        "floor": np.floor,
        "ceiling": np.ceil,
        "Not": np.logical_not,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "cot": lambda x: 1 / np.tan(x),
        "sec": lambda x: 1 / np.cos(x),
        "csc": lambda x: 1 / np.sin(x),
        "exp": np.exp,
        "log": np.log,
        "Abs": np.abs,
        "sign": np.sign,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "coth": lambda x: 1 / np.tanh(x),
        "sech": lambda x: 1 / np.cosh(x),
        "csch": lambda x: 1 / np.sinh(x),
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
    }


try:
    OF_TWO, FUNCTIONS = _functions()
except ImportError:  # in a kernel without numpy, which only encodes
    OF_TWO, FUNCTIONS = {}, {}
