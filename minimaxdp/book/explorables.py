"""Figures that a reader can drag: every number is computed here, the browser only chooses.

A figure is declared once: controls, each with its list of values; panels with lines, areas and
points, whose coordinates may depend on the controls; and numbers with a sentence that tells them.
From this come a picture for notebook and print, drawn by matplotlib, and the tables behind the
figure of the site. The control stands on a value of its list at all times, so that nothing is
interpolated and the page cannot disagree with the functions that it shows.
"""

from __future__ import annotations

import base64
import inspect
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from string import Formatter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minimaxdp import _validate
from minimaxdp._types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MIME", "Control", "Explorable", "Panel"]

MIME = "application/vnd.minimaxdp.explorable+json"

# The panel in the units of its SVG, four to a pixel where it is 340 pixels wide.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 1360, 1000, 224, 1316, 108, 828
_DASHES = {
    "-": "",
    "--": "28 16",
    "-.": "32 14 8 14",
    ":": "8 14",
    (0, (1, 1)): "8 8",
    (0, (5, 1, 1, 1, 1, 1)): "40 8 8 8 8 8",
}
_MOST_STATES = 5_000

Scale = Literal["linear", "log"]
Quantity = ArrayLike | Callable[..., Any]


@dataclass(frozen=True)
class Control:
    """What a reader sets: a list of values, from which a slider chooses one.

    Parameters
    ----------
    name : str
        As the functions of a figure call it: a Python identifier.
    values : sequence of float, length 2 to 1000
        The values, in the order of the slider.
    label : str
        What stands beside the slider.
    form : str
        How a value is written, a format string.
    start : int
        Index of the value at which the figure starts.
    names : sequence of str, optional
        What is written instead of the values, one name for each: a choice among kinds.

    Raises
    ------
    TypeError, ValueError
        If the name is no identifier, there are fewer than two values, `start` is none of their
        indices, or there are names, but not one for each value.

    Examples
    --------
    >>> Control("epsilon", [0.5, 1, 2], "budget ε", "{:.1f}", start=1).texts
    ('0.5', '1.0', '2.0')
    >>> Control("noise", [0, 1], "noise", names=("Laplace", "Gaussian")).texts
    ('Laplace', 'Gaussian')
    """

    name: str
    values: Sequence[float] | NDArray[Any]
    label: str
    form: str = "{:g}"
    start: int = 0
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        _validate.instance("name", self.name, str)
        if not self.name.isidentifier():
            raise ValueError(f"name must be an identifier, got {self.name!r}")
        values = np.asarray(_validate.real("values", self.values))
        if values.ndim != 1:
            raise ValueError(f"values must be numbers in one row, got shape {values.shape}")
        _validate.one_integer("the number of values", values.size, minimum=2, maximum=1000)
        object.__setattr__(self, "values", tuple(values.tolist()))
        _validate.instance("label", self.label, str)
        _validate.instance("form", self.form, str)
        try:
            self.form.format(self.values[0])
        except (IndexError, KeyError, ValueError, AttributeError) as error:
            raise ValueError(f"form must format one number, got {self.form!r}") from error
        start = _validate.one_integer("start", self.start, minimum=0)
        if start >= values.size:
            raise ValueError(f"start must be below the number of values, got {start}")
        _validate.freeze(self, start=start)
        if isinstance(self.names, str) or not isinstance(self.names, Sequence):
            raise TypeError(f"names must be a sequence of str, got {self.names!r}")
        names = tuple(_validate.instance("names", name, str) for name in self.names)
        if names and len(names) != values.size:
            raise ValueError(f"names must be one for each of {values.size} values, got {names!r}")
        object.__setattr__(self, "names", names)

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as they are written."""
        if self.names:
            return tuple(self.names)
        return tuple(self.form.format(value) for value in self.values)


@dataclass(frozen=True)
class _Mark:
    """One thing drawn in a panel; `at` holds its quantities."""

    kind: Literal["line", "area", "point"]
    look: str
    label: str
    at: dict[str, Quantity]
    drag: str = ""
    along: str = "xy"


@dataclass
class Panel:
    """One pair of axes; its methods add what is drawn, in that order.

    Every coordinate is a number, an array, or a function of controls, by their names:
    ``lambda cut, epsilon: ...``.

    Parameters
    ----------
    label : str
        What the panel shows, read out to those who do not see it.
    xlabel, ylabel : str
        What stands at the axes.
    xlim, ylim : pair of float
        Where they begin and end.
    xscale, yscale : {"linear", "log"}

    Raises
    ------
    TypeError, ValueError
        If a text is none, a pair does not increase, or a logarithmic axis does not begin above 0.

    Examples
    --------
    >>> panel = Panel("A line", "x", "y", (0, 1), (0, 2))
    >>> panel.line([0, 1], lambda slope: [0, slope], "truth", "a line")
    >>> panel.point(1, lambda slope: slope, "truth", drag="slope")
    """

    label: str
    xlabel: str
    ylabel: str
    xlim: tuple[float, float]
    ylim: tuple[float, float]
    xscale: Scale = "linear"
    yscale: Scale = "linear"
    _marks: list[_Mark] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("label", "xlabel", "ylabel"):
            _validate.instance(name, getattr(self, name), str)
        for axis in "xy":
            scale, limits = getattr(self, f"{axis}scale"), getattr(self, f"{axis}lim")
            _validate.choice(f"{axis}scale", scale, ("linear", "log"))
            above = 0.0 if scale == "log" else None
            pair = np.asarray(
                _validate.real(f"{axis}lim", limits, minimum=-1e300, maximum=1e300, above=above)
            )
            if pair.shape != (2,) or not pair[0] < pair[1]:
                raise ValueError(f"{axis}lim must be two increasing numbers, got {limits!r}")

    def line(self, x: Quantity, y: Quantity, look: str, label: str = "") -> None:
        """A line through points; a missing value (NaN) interrupts it.

        Parameters
        ----------
        x, y : array_like, shape (m,), or callable
        look : str
            A key of `minimaxdp.book.plots.LOOKS`.
        label : str
            Its entry in the legend, if any.
        """
        self._add("line", look, label, {"x": x, "y": y})

    def area(
        self,
        x: Quantity,
        y: Quantity,
        look: str,
        label: str = "",
        *,
        low: Quantity | None = None,
        high: Quantity | None = None,
    ) -> None:
        """The area between a line and the lower edge of the panel.

        Parameters
        ----------
        x, y : array_like, shape (m,), or callable
        look : str
            A key of `minimaxdp.book.plots.LOOKS`.
        label : str
            Its entry in the legend, if any.
        low, high : float or callable, optional
            Where it begins and ends; from edge to edge if not given.

        Examples
        --------
        >>> panel = Panel("A density", "x", "density", (0, 1), (0, 2))
        >>> panel.area([0, 1], [0, 2], "one", high=0.5)
        """
        edges = {
            "low": self.xlim[0] if low is None else low,
            "high": self.xlim[1] if high is None else high,
        }
        self._add("area", look, label, {"x": x, "y": y} | edges)

    def point(
        self,
        x: Quantity,
        y: Quantity,
        look: str,
        label: str = "",
        *,
        drag: str = "",
        along: Literal["x", "y", "xy"] = "xy",
    ) -> None:
        """A dot, which may be dragged.

        Parameters
        ----------
        x, y : float or callable
        look : str
            A key of `minimaxdp.book.plots.LOOKS`.
        label : str
            Its entry in the legend, if any.
        drag : str
            The control that a pointer in this panel sets: it takes the value at which the dot is
            nearest.
        along : {"x", "y", "xy"}
            In which direction nearness counts.
        """
        _validate.choice("along", along, ("x", "y", "xy"))
        _validate.instance("drag", drag, str)
        self._add("point", look, label, {"x": x, "y": y}, drag, along)

    def _add(
        self,
        kind: Literal["line", "area", "point"],
        look: str,
        label: str,
        at: dict[str, Quantity],
        drag: str = "",
        along: str = "xy",
    ) -> None:
        from minimaxdp.book.plots import LOOKS

        _validate.instance("label", label, str)
        _validate.choice("look", look, LOOKS)
        for name, value in at.items():
            if not callable(value) and np.ndim(_validate.real(name, value)) > 1:
                raise ValueError(f"{name} must be numbers in one row, got {value!r}")
        self._marks.append(_Mark(kind, look, label, at, drag, along))

    def _pixel(self, axis: str, values: Any) -> list[int | None]:
        """Coordinates in the units of the SVG, a little beyond its edges at most."""
        limits, scale = getattr(self, f"{axis}lim"), getattr(self, f"{axis}scale")
        ends, at = np.asarray(limits, dtype=float), np.asarray(values, dtype=float)
        if scale == "log":
            with np.errstate(divide="ignore", invalid="ignore"):
                ends, at = np.log(ends), np.log(at)
        share = np.clip((at - ends[0]) / (ends[1] - ends[0]), -0.5, 1.5)
        first, last = (_LEFT, _RIGHT) if axis == "x" else (_BOTTOM, _TOP)
        placed = np.atleast_1d(first + share * (last - first))
        return [None if np.isnan(p) else round(p) for p in placed.tolist()]

    def _ticks(self, axis: str) -> list[tuple[float, str]]:
        from matplotlib.ticker import MaxNLocator

        (low, high), scale = getattr(self, f"{axis}lim"), getattr(self, f"{axis}scale")
        if scale == "linear":
            ticks = [float(tick) for tick in MaxNLocator(5).tick_values(low, high)]
        else:
            decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            step, digits = (1, (1, 2, 5)) if len(decades) < 4 else (1 + len(decades) // 7, (1,))
            ticks = [float(f"{m}e{k}") for k in decades[::step] for m in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        return [(float(tick), _tick(tick)) for tick in inside]

    def _axis(self, axis: str) -> dict[str, Any]:
        ticks = [[self._pixel(axis, tick)[0], text] for tick, text in self._ticks(axis)]
        return {"label": getattr(self, f"{axis}label"), "ticks": ticks}


@dataclass(frozen=True)
class Explorable:
    """A figure that can be dragged, complete with its picture for notebook and print.

    Parameters
    ----------
    name : str
        Id of the figure: letters, digits and hyphens, unique on its page.
    controls : sequence of Control
        One to three; all states together at most 5000.
    panels : sequence of Panel
        One to three.
    numbers : mapping of str to number, text or callable
        What the figure says, by name; functions of controls as in a panel.
    says : str
        One sentence, with numbers and controls in braces: ``"At {epsilon} it is {risk:.3f}."``.
        Only ``.1f`` and ``.1%`` (any number of digits, with ``,`` before it for thousands)
        say how a number is written.
    alt : str
        What the picture shows, for those who do not see it.

    Raises
    ------
    TypeError, ValueError
        If a part is not of its type, a function asks for something that is no control, a number
        is not finite, or the sentence names what there is not.

    Examples
    --------
    >>> slope = Control("slope", [1, 2, 3], "slope")
    >>> panel = Panel("A line", "x", "y", (0, 1), (0, 3))
    >>> panel.line([0, 1], lambda slope: [0, slope], "truth", "a line")
    >>> end, says = {"end": lambda slope: slope}, "It ends at {end:.1f}."
    >>> figure = Explorable("line", [slope], [panel], end, says, "A line.")
    >>> figure
    Explorable('line', 3 states)
    >>> figure.numbers_at(slope=1), figure.sentence_at(slope=1)
    ({'end': 2.0}, 'It ends at 2.0.')
    """

    name: str
    controls: Sequence[Control]
    panels: Sequence[Panel]
    numbers: Mapping[str, Any]
    says: str
    alt: str
    _told: dict[str, _Table] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("name", "says", "alt"):
            _validate.instance(name, getattr(self, name), str)
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", self.name):
            raise ValueError(f"name must be letters, digits and hyphens, got {self.name!r}")
        for name, kind in (("controls", Control), ("panels", Panel)):
            parts = _validate.items(name, getattr(self, name))
            _validate.one_integer(f"the number of {name}", len(parts), minimum=1, maximum=3)
            for part in parts:
                _validate.instance(f"each of {name}", part, kind)
        if self._states > _MOST_STATES:
            raise ValueError(f"controls must have at most {_MOST_STATES} states together")
        _validate.mapping("numbers", self.numbers)
        told = {
            str(key): _table(value, self.controls, "numbers") for key, value in self.numbers.items()
        }
        for key, table in told.items():
            table.values[:] = [_number(key, value) for value in table.values]
        object.__setattr__(self, "_told", told)
        for _, key, form, _ in Formatter().parse(self.says):
            if key is None:
                continue
            if key not in told and key not in self._place:
                raise ValueError(f"says must name numbers and controls alone, got {key!r}")
            if form and not re.fullmatch(r",?\.\d[f%]", form):
                raise ValueError(f"says must write numbers as .2f or .1%, got {form!r}")

    def __repr__(self) -> str:
        return f"Explorable({self.name!r}, {self._states} states)"

    @property
    def _states(self) -> int:
        return int(np.prod([len(control.values) for control in self.controls]))

    @property
    def _place(self) -> dict[str, int]:
        return {control.name: i for i, control in enumerate(self.controls)}

    def _state(self, indices: Mapping[str, int]) -> list[int]:
        state = [control.start for control in self.controls]
        for name, index in indices.items():
            _validate.choice("control", name, self._place)
            control = self.controls[self._place[name]]
            most = len(control.values) - 1
            state[self._place[name]] = _validate.one_integer(name, index, minimum=0, maximum=most)
        return state

    def numbers_at(self, **indices: int) -> dict[str, Any]:
        """The numbers of one state: the index of each control, its start if not given.

        Parameters
        ----------
        **indices
            From the name of a control to the index of a value.
        """
        state = self._state(indices)
        return {name: table.at(state, self.controls) for name, table in self._told.items()}

    def sentence_at(self, **indices: int) -> str:
        """The sentence of one state.

        Parameters
        ----------
        **indices
            As for `numbers_at`.
        """
        state = self._state(indices)
        texts = {c.name: c.texts[i] for c, i in zip(self.controls, state, strict=True)}
        return self.says.format_map(texts | self.numbers_at(**indices))

    def data(self) -> dict[str, Any]:
        """What the script of the site draws the figure from: tables of pixels, numbers, texts."""
        return {
            "name": self.name,
            "alt": self.alt,
            "controls": [
                {"name": c.name, "label": c.label, "texts": list(c.texts), "start": c.start}
                for c in self.controls
            ],
            "panels": [
                {
                    "label": panel.label,
                    "x": panel._axis("x"),
                    "y": panel._axis("y"),
                    "marks": [self._pixels(panel, mark) for mark in panel._marks],
                }
                for panel in self.panels
            ],
            "numbers": {name: table.packed() for name, table in self._told.items()},
            "says": self.says,
        }

    def _pixels(self, panel: Panel, mark: _Mark) -> dict[str, Any]:
        """One mark in the units of the SVG."""
        from minimaxdp.book.plots import look

        style = look(mark.look)
        drawn: dict[str, Any] = {
            "kind": mark.kind,
            "color": style["color"],
            "dash": _DASHES[style["ls"]],
            "label": mark.label,
        }
        if mark.drag:
            _validate.choice("drag", mark.drag, self._place)
            drawn |= {"drag": self._place[mark.drag], "along": mark.along}
        for name, quantity in mark.at.items():
            table = _table(quantity, self.controls, name)
            axis = "y" if name == "y" else "x"
            pixels = [panel._pixel(axis, value) for value in table.values]
            one = mark.kind == "point" or name in ("low", "high")
            table.values[:] = [row[0] for row in pixels] if one else pixels
            drawn[name] = table.packed()
        return drawn

    def still(self) -> bytes:
        """The picture of the starting state, as PNG."""
        from matplotlib import pyplot as plt
        from PIL import Image

        from minimaxdp.book.plots import use_style

        entries = len({mark.label for panel in self.panels for mark in panel._marks if mark.label})
        height = (2.3 if len(self.panels) > 1 else 2.8) + 0.19 * entries
        letters: Any = dict.fromkeys(["font.size", "axes.titlesize", "axes.labelsize"], 9)
        with plt.rc_context():
            use_style()
            plt.rcParams.update(letters | {"lines.linewidth": 1.5})
            fig, axes = plt.subplots(1, len(self.panels), figsize=(5.0, height), squeeze=False)
            try:
                for panel, ax in zip(self.panels, axes[0], strict=True):
                    self._draw(panel, ax)
                fig.legend(loc="outside lower left", fontsize=9)
                buffer = io.BytesIO()
                fig.savefig(buffer, format="png", dpi=150)
            finally:
                plt.close(fig)
        small = io.BytesIO()  # few colours: a third of the weight
        picture = Image.open(buffer).convert("RGB").quantize(48)
        picture.save(small, format="png", optimize=True)
        return small.getvalue()

    def _draw(self, panel: Panel, ax: Axes) -> None:
        """One panel at the start, by matplotlib."""
        from matplotlib.patches import Rectangle
        from matplotlib.ticker import NullLocator

        from minimaxdp.book.plots import look

        ax.set(xscale=panel.xscale, yscale=panel.yscale, xlim=panel.xlim, ylim=panel.ylim)
        ax.set(xlabel=panel.xlabel)
        ax.set_title(panel.ylabel, loc="left")
        for axis, place in ((ax.xaxis, "x"), (ax.yaxis, "y")):
            ticks = panel._ticks(place)
            axis.set_ticks([at for at, _ in ticks], [text for _, text in ticks])
            axis.set_minor_locator(NullLocator())
        ax.set_autoscale_on(False)
        for mark in panel._marks:
            style, label = look(mark.look), mark.label or None
            at = {name: _at_start(value, self.controls, name) for name, value in mark.at.items()}
            if mark.kind == "line":
                ax.plot(at["x"], at["y"], label=label, **style)
            elif mark.kind == "point":
                ax.plot(at["x"], at["y"], "o", color=style["color"], label=label, ms=6, zorder=3)
            else:
                (bottom, top), width = panel.ylim, float(at["high"] - at["low"])
                shade: Any = {"color": style["color"], "alpha": 0.3, "lw": 0}
                filled = ax.fill_between(at["x"], bottom, at["y"], label=label, **shade)
                edges = ((float(at["low"]), bottom), width, top - bottom)
                filled.set_clip_path(Rectangle(*edges, transform=ax.transData))

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, str], dict[str, Any]]:
        picture = base64.b64encode(self.still()).decode()
        # As one text: a notebook would give each of the numbers a line of its own.
        data = json.dumps(self.data(), ensure_ascii=False, separators=(",", ":"))
        bundle = {"text/plain": repr(self), "image/png": picture, MIME: data}
        return bundle, {"image/png": {"alt": self.alt}}


@dataclass
class _Table:
    """The values of a quantity for all states of the controls on which it depends."""

    on: list[int]
    values: list[Any]

    def at(self, state: Sequence[int], controls: Sequence[Control]) -> Any:
        place = 0
        for i in self.on:
            place = place * len(controls[i].values) + state[i]
        return self.values[place]

    def packed(self) -> list[Any]:
        return [self.on, self.values]


def _asked(quantity: Callable[..., Any], controls: Sequence[Control], name: str) -> list[int]:
    """The controls on which a function depends: its arguments, but for those with a default."""
    place = {control.name: i for i, control in enumerate(controls)}
    arguments = inspect.signature(quantity).parameters.values()
    asked = [argument.name for argument in arguments if argument.default is argument.empty]
    for argument in asked:
        if argument not in place:
            raise ValueError(f"{name} must be functions of controls, got one of {argument!r}")
    return [place[argument] for argument in asked]


def _table(quantity: Any, controls: Sequence[Control], name: str) -> _Table:
    if not callable(quantity):
        return _Table([], [quantity])
    on = _asked(quantity, controls, name)
    return _Table(on, [quantity(*values) for values in product(*(controls[i].values for i in on))])


def _at_start(quantity: Any, controls: Sequence[Control], name: str) -> Array:
    if callable(quantity):
        on = [controls[i] for i in _asked(quantity, controls, name)]
        quantity = quantity(*(control.values[control.start] for control in on))
    return np.asarray(quantity, dtype=float)


def _number(name: str, value: Any) -> float | str:
    """A number to seven digits: what a page shows, alike on every machine."""
    if isinstance(value, str):
        return value
    return float(f"{_validate.one_real(f'numbers[{name!r}]', value):.7g}")


def _tick(value: float) -> str:
    """A tick as it is written: 0.1, 1, 1,000, and powers of ten beyond."""
    if value > 0 and not 1e-3 <= value < 1e4 and np.log10(value) % 1 == 0:
        power = f"{np.log10(value):.0f}"
        return "10" + power.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{value:,.10g}".replace("-", "−")
