r"""Sweeps: simulated risks over a grid of settings, on one machine or on many, interruptible.

- the grid: :func:`grid`; the run: :func:`run`, on the calling thread, on processes, or on
  anything with a ``submit`` method, such as ``dask.distributed.Client.get_executor()``;
- the table: :func:`read`, which gives a :class:`Result` for each cell of the grid, whether the
  sweep is finished or not; :func:`frame` makes a table of pandas of them;
- what to simulate: any function of the form that :func:`run` describes, such as
  :func:`minimaxdp.book.experiments.simulate`, the problems of the book.

The replications of a cell are cut into chunks, and each chunk draws from a stream of its own,
named by the seed, the number of the cell and the number of the chunk. Who computes which chunk,
in which order, and how often the run was killed in between leaves no trace in the numbers.
"""

from minimaxdp.sweep._engine import grid, run
from minimaxdp.sweep._table import Result, frame, read

__all__ = ["Result", "frame", "grid", "read", "run"]
