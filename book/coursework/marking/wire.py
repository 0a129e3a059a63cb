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
    if module == "sympy" and hasattr(value, "free_symbols"):
        return {"formula": encode_formula(value)}
    if module == "fractions":
        return {"formula": ["Rational", value.numerator, value.denominator]}
    if callable(value):
        return {"callable": True}
    raise TypeError(f"an answer of type {kind.__name__} cannot be marked")


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

    if isinstance(expression, sympy.MatrixBase):
        rows = expression.tolist()
        return ["Matrix", *[["row", *map(encode_formula, r)] for r in rows]]
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
        self.size = 0
        self._measure(tree)

    def _measure(self, tree):
        self.size += 1
        if self.size > MOST_NODES or not isinstance(tree, list) or not tree:
            raise ValueError("not a formula of reasonable size")
        if tree[0] == "Symbol":
            self.symbols.add(tree[1])
        elif tree[0] not in ("Integer", "Rational", "Float"):
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
    raise ValueError(f"{head} is not part of a closed form")


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
}


def _functions():
    import numpy as np

    return {
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
    FUNCTIONS = _functions()
except ImportError:  # in a kernel without numpy, which only encodes
    FUNCTIONS = {}
