"""What the pages of the book share, apart from the theory: figures, experiments, notation.

- :mod:`minimaxdp.book.plots` -- the one figure style (needs matplotlib),
- :mod:`minimaxdp.book.explorables` -- figures that a reader can drag: how one is declared,
- :mod:`minimaxdp.book.gallery` -- those of the chapters, one function for each,
- :mod:`minimaxdp.book.gallery_inference` -- those of inference,
- :mod:`minimaxdp.book.gallery_limits` -- those of anonymity, inference and limits,
- :mod:`minimaxdp.book.gallery_bounds` -- those of bounds in many dimensions,
- :mod:`minimaxdp.book.gallery_noise` -- those of noise,
- :mod:`minimaxdp.book.experiments` -- the problems of the book's sweeps,
- :mod:`minimaxdp.book.notation` -- conversions between the conventions of the documents.
"""
