"""Mark the problem sets of the book: the answers of a submission against a judge it cannot reach.

A submission runs in a kernel of its own. What is hidden (reference values, inputs drawn afresh,
statistical tests) runs in another process, the judge, which asks the kernel for the student's
objects and for values of the student's functions and gets plain data back. Nothing that a cell does
to its own kernel changes the judge's mind.

- `wire`: plain data and formulas between the two processes
- `checks`: what a hidden test calls
- `sets`: a problem set read from its source, and submissions put back on the released skeleton
- `judge`: one hidden test, with fresh inputs
- `sandbox`: one submission in its own process, with limits
- `course`: release, mark, export
"""
