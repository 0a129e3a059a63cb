"""Figures with a slider: one matplotlib figure whose frames a reader leafs through.

Every frame is computed and drawn here, by the package; what runs in the browser only shows one
frame and hides the others. So the figure needs no network, works from the keyboard (it is the
browser's own slider) and cannot disagree with the functions that it shows.
"""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from minimaxdp import _validate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Slider", "slider"]

_SCRIPT = """
(function () {
  const figure = document.getElementById(NAME), texts = TEXTS, notes = NOTES;
  const input = figure.querySelector("input"), value = figure.querySelector("output");
  const note = figure.querySelector("[role=status]");
  const frames = [...figure.querySelectorAll("g[data-frame]")];
  function show() {
    frames.forEach(g => { g.style.display = g.dataset.frame === input.value ? "" : "none"; });
    value.textContent = texts[input.value];
    note.textContent = notes[input.value];
    input.setAttribute("aria-valuetext", texts[input.value]);
  }
  input.addEventListener("input", show);
  show();
})();
"""


@dataclass(frozen=True)
class Slider:
    """A figure with a slider, as made by `slider`; a notebook and the site show it as HTML.

    Parameters
    ----------
    name : str
        Its id on the page.
    page : str
        The HTML.
    notes : tuple of str
        What stands under each frame.

    Raises
    ------
    TypeError
        If an argument is not of its type.

    Examples
    --------
    >>> Slider("fig", "<figure></figure>", ("first", "second"))
    Slider('fig', 2 frames)
    """

    name: str
    page: str
    notes: tuple[str, ...]

    def __post_init__(self) -> None:
        _validate.instance("name", self.name, str)
        _validate.instance("page", self.page, str)
        for note in _validate.instance("notes", self.notes, tuple):
            _validate.instance("notes", note, str)

    def __repr__(self) -> str:
        return f"Slider({self.name!r}, {len(self.notes)} frames)"

    def _repr_html_(self) -> str:
        return self.page


def slider(
    name: str,
    values: Sequence[float],
    draw: Callable[[Axes, float], str],
    *,
    label: str,
    alt: str,
    form: str = "{:.2f}",
    start: int = 0,
    figsize: tuple[float, float] = (7.0, 3.6),
    **axes: object,
) -> Slider:
    """Draw one frame for each value of a parameter, and a slider that chooses among them.

    Parameters
    ----------
    name : str
        Id of the figure: letters, digits and hyphens, unique on its page.
    values : sequence of float, length at least 2
        The values of the parameter, in the order of the slider.
    draw : callable
        ``draw(ax, value)`` draws the frame and returns one sentence on what it shows. The labels
        of the first frame make the legend.
    label : str
        Name of the parameter, beside the slider.
    alt : str
        What the figure shows, for those who do not see it.
    form : str
        How a value is written, a format string.
    start : int
        Index of the frame that is shown first.
    figsize : tuple of float
        Width and height in inches, each from 0.5 to 50.
    **axes
        Set on the axes before the first frame: limits, scales, labels. All frames share them.

    Returns
    -------
    Slider

    Raises
    ------
    TypeError, ValueError
        If the name is no id, there are fewer than two values or they are no real numbers, `start`
        is none of their indices, `draw` is no function or returns no sentence, or a text is none.

    Examples
    --------
    >>> def draw(ax, slope):
    ...     ax.plot([0, 1], [0, slope])
    ...     return f"The line ends at {slope}."
    >>> figure = slider("line", [1, 2, 3], draw, label="slope", alt="A line", ylim=(0, 3))
    >>> figure
    Slider('line', 3 frames)
    >>> figure.notes[1]
    'The line ends at 2.'
    """
    from matplotlib import pyplot as plt

    texts = {"name": name, "label": label, "alt": alt, "form": form}
    for argument, text in texts.items():
        _validate.instance(argument, text, str)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", name):
        raise ValueError(f"name must be letters, digits and hyphens, got {name!r}")
    if np.ndim(_validate.real("values", values)) != 1 or len(values) < 2:
        raise ValueError("values must hold at least two numbers")
    draw = _validate.function("draw", draw)
    start = _validate.one_integer("start", start, minimum=0)
    if start >= len(values):
        raise ValueError(f"start must be below the number of values, {len(values)}, got {start}")
    if np.shape(_validate.real("figsize", figsize, minimum=0.5, maximum=50)) != (2,):
        raise ValueError(f"figsize must be a width and a height, got {figsize!r}")
    fig, ax = plt.subplots(figsize=figsize)
    try:
        ax.set(**axes)
        ax.set_autoscale_on(False)
        notes = []
        for i, value in enumerate(values):
            before = set(ax.get_children())
            notes.append(draw(ax, value))
            if not isinstance(notes[-1], str) or not notes[-1]:
                raise ValueError(f"draw must return a sentence, got {notes[-1]!r}")
            drawn = [artist for artist in ax.get_children() if artist not in before]
            for j, artist in enumerate(drawn):
                artist.set_gid(f"frame-{i}-{j}")
            if i == 0:
                # A name of matplotlib's own starts with an underscore.
                named = [a for a in drawn if not f"{a.get_label() or '_'}".startswith("_")]
        if named:
            ax.legend(handles=named)
        with plt.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
            buffer = io.StringIO()
            fig.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    finally:
        plt.close(fig)
    written = [form.format(value) for value in values]
    script = (
        _SCRIPT.replace("NAME", json.dumps(name))
        .replace("TEXTS", json.dumps(written))
        .replace("NOTES", json.dumps(notes))
    )
    page = (
        f'<figure class="slider" id="{name}">'
        f"{_inline(buffer.getvalue(), name, alt, start)}"
        f'<label>{html.escape(label)} = <output>{written[start]}</output> <input type="range" '
        f'min="0" max="{len(values) - 1}" step="1" value="{start}"></label>'
        f'<p role="status">{html.escape(notes[start])}</p></figure>'
        f"<script>{script}</script>"
    )
    return Slider(name, page, tuple(notes))


def _inline(svg: str, name: str, alt: str, start: int) -> str:
    """An SVG to stand in a page: ids of its own, a name to be read out, one frame visible."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg)

    def frame(tag: re.Match[str]) -> str:
        hidden = "" if int(tag[1]) == start else ' style="display:none"'
        return f'<g data-frame="{tag[1]}"{hidden}>'

    svg = re.sub(rf'<g id="{name}-frame-(\d+)-\d+">', frame, svg)
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt, quote=True)}"', 1)
