"""Figures with a slider: every frame is there, one is seen, and the page is the same each time."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest
from bs4 import BeautifulSoup

from minimaxdp.book.sliders import slider


def draw(ax: plt.Axes, slope: float) -> str:
    ax.plot([0, 1], [0, slope], label=f"slope {slope}")
    ax.plot([0, 1], [slope, 0])
    return f"One end at {slope} & <another>."


def figure(**changes: object):  # noqa: ANN201
    options = {"label": "slope", "alt": 'Lines "crossing"', "ylim": (0, 3), "xlim": (0, 1)}
    arguments = {"name": "lines", "values": [1, 2, 3], "draw": draw} | options | changes
    return slider(**arguments)


def test_every_frame_is_drawn_and_one_is_seen() -> None:
    page = BeautifulSoup(figure(start=1)._repr_html_(), "html.parser")
    groups = page.select("g[data-frame]")
    assert [g["data-frame"] for g in groups] == ["0", "0", "1", "1", "2", "2"]
    assert [g["data-frame"] for g in groups if "style" not in g.attrs] == ["1", "1"]
    assert len({g.find("path")["d"] for g in groups}) == 6


def test_control_is_the_browsers_own_and_named() -> None:
    page = BeautifulSoup(figure(start=2)._repr_html_(), "html.parser")
    control = page.select_one("label input[type=range]")
    assert (control["min"], control["max"], control["value"]) == ("0", "2", "2")
    assert "slope = 3.00" in page.select_one("label").text
    assert page.select_one("[role=status]").text == "One end at 3 & <another>."
    assert page.select_one("svg")["aria-label"] == 'Lines "crossing"'


def test_labels_of_the_first_frame_make_one_legend() -> None:
    texts = [t.text.strip() for t in BeautifulSoup(figure()._repr_html_(), "html.parser")("text")]
    assert [t for t in texts if t.startswith("slope")] == ["slope 1"]


def test_two_figures_share_no_id_and_no_reference_leads_astray() -> None:
    both = figure()._repr_html_() + figure(name="other")._repr_html_()
    ids = re.findall(r'\bid="([^"]+)"', both)
    assert len(ids) == len(set(ids))
    wanted = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', both)
    assert wanted and {a or b for a, b in wanted} <= set(ids)


def test_page_is_the_same_each_time_and_leaves_no_figure_open() -> None:
    before = plt.get_fignums()
    assert figure()._repr_html_() == figure()._repr_html_()
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("changes", "condition"),
    [
        ({"name": "a b"}, "name must be"),
        ({"name": "1"}, "name must be"),
        ({"values": [1]}, "at least two"),
        ({"start": 3}, "start must be below"),
        ({"start": -1}, "start"),
        ({"draw": lambda ax, value: None}, "must return a sentence"),
    ],
)
def test_bad_input_is_refused_and_leaves_no_figure_open(changes: dict, condition: str) -> None:
    before = plt.get_fignums()
    with pytest.raises(ValueError, match=condition):
        figure(**changes)
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("changes", "condition"),
    [
        ({"name": 3}, "name must be a str, got 3"),
        ({"label": None}, "label must be a str, got None"),
        ({"alt": b"x"}, "alt must be a str"),
        ({"form": 2}, "form must be a str, got 2"),
        ({"draw": "draw"}, "draw must be callable, got 'draw'"),
        ({"values": ["a", "b"]}, "values must be real numbers"),
        ({"start": 0.0}, "start must be integers"),
    ],
)
def test_wrong_types_are_refused(changes: dict, condition: str) -> None:
    with pytest.raises(TypeError, match=f"^{condition}"):
        figure(**changes)
