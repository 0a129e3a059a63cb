"""One hidden test, with inputs drawn afresh."""

import hashlib

import numpy as np

from . import advice, checks, noise
from .checks import Wrong
from .wire import Formula, decode, encode

# The words that a hidden test knows beside the names of the set's own locked cells.
WORDS = {
    name: getattr(checks, name)
    for name in (
        "Wrong",
        "at_least",
        "equal",
        "equivalent",
        "estimate",
        "frequency",
        "law",
        "mean",
        "near",
    )
    + ("number", "require", "same", "values")
} | {name: getattr(noise, name) for name in noise.__all__}


def generator(seed, student, question):
    """The judge's generator: nobody who lacks the marker's seed can tell its numbers."""
    text = f"{seed}\n{student}\n{question}"
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng(int.from_bytes(digest))


def setting(setup, student):
    """The names that the set's locked cells define for this student."""
    names = {"STUDENT": student}
    for source in setup:
        exec(source, names)
    return names


def judge(hidden, names, answer, rng):
    """Run a hidden test; return None if the answer passes and the reason if it does not.

    hidden: the test, as text or compiled; names: what the locked cells define; answer: a function
    from the name of a student's object to the object, or to a stand-in for it.
    """
    kept = []
    scope = {**names, **WORDS, "answer": advice.recording(answer, kept), "rng": rng}
    try:
        exec(hidden, scope)
    except Wrong as refusal:
        reason = str(refusal) or "the answer is not the right one"
        title = advice.name_of(kept, scope.get("LISTED", {}), names)
        return f"{reason}: {title}" if title else reason
    except RecursionError:
        return "the answer is nested too deeply"
    except Exception as error:  # a test must survive whatever an answer is
        return f"the answer could not be judged ({type(error).__name__}: {error})"[:300]
    return None


def local(names):
    """Answers that live in this process: for the reference, never for a submission."""

    def answer(name):
        if name not in names:
            raise Wrong(f"{name} is not defined")
        value = names[name]
        if callable(value) and not hasattr(value, "free_symbols"):
            return value
        try:
            return decode(encode(value))
        except TypeError as error:
            raise Wrong(str(error)) from None

    return answer


__all__ = ["Formula", "generator", "judge", "local", "setting"]
