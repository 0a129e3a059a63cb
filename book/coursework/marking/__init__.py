"""Mark the problem sets of the book: the answers of a submission against a judge it cannot reach.

A submission runs behind a wall, in processes of its own. What is hidden (reference values, inputs
drawn afresh, statistical tests) runs on this side of it in another process, the judge, which asks
for the student's objects and for values of the student's functions and gets plain data back.
Nothing that a cell does behind the wall changes the judge's mind.

- `wire`: plain data and formulas between the two processes
- `checks`: what a hidden test calls
- `noise`: mechanisms tested for the law, freshness and independence of their noise
- `spoiled`: wrong answers that every question for a mechanism must refuse
- `advice`: a name for what went wrong, if it is listed
- `sets`: a problem set read from its source, and submissions put back on the released skeleton
- `judge`: one hidden test, with fresh inputs
- `wall`: what a submission sees of the machine and may use of it
- `driver`: what runs behind the wall
- `sandbox`: the judge of one submission, in a process of its own, with limits
- `batch`: many submissions, each kept as soon as it is marked
- `collecting`: folders, and downloads from Moodle and Canvas
- `proofs`: what a person marks: a sheet, and pages without names
- `gradebook`: all sets in one table
- `course`: release, mark, export
- `private`: courses that count, drawn from templates by a secret
- `personal`: how students check themselves before they hand in
- `practice`: a student's own work on a practice set, judged by the same code
"""
