"""What the pages of the book share, apart from the theory: figures, sliders, experiments, notation.

- :mod:`minimaxdp.book.plots` -- the one figure style (needs matplotlib),
- :mod:`minimaxdp.book.sliders` -- figures one can move, drawn once and stored in the page,
- :mod:`minimaxdp.book.experiments` -- the problems of the book's sweeps,
- :mod:`minimaxdp.book.notation` -- conversions between the conventions of the documents.
"""
