"""Tables that a reader can search, sort, and see whole on a phone.

Those of data frames get the markup of the others: a box that scrolls, headings that are none where
they are empty, numbers that line up. A numbering of the rows goes where it says nothing: when it
counts from zero, or the rows can be sorted. What sorts and filters is `_static/tables.js`.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

FRAME = re.compile(r'<table border="1" class="dataframe">.*?</table>', re.S)
STYLE = re.compile(r"<style scoped>.*?</style>", re.S)
EMPTY = re.compile(r"<th\b[^>]*>\s*(?:<p>\s*</p>)?\s*</th>")
NUMBER = re.compile(r"[-+−]?[\d,.]*\d(?:e[-+]?\d+)?\s*%?|-|NaN|inf|", re.I)
SORTABLE = 12  # rows


def counts_rows(names, sortable):
    """Whether the names of the rows are numbers that a reader can do without."""
    for start in (0, 1) if sortable else (0,):
        if names == [str(start + i) for i in range(len(names))]:
            return True
    return False


def mend_frame(text):
    """The table of a data frame, in the markup of the site's other tables."""
    soup = BeautifulSoup(text, "html.parser")
    table, heads = soup.table, soup.select("thead tr")
    rows = soup.select("tbody tr")
    del table["border"]
    for row in heads:
        del row["style"]
    names = [
        [cell.get_text(strip=True) for cell in row.find_all("th")]
        for row in rows
    ]
    flat = all(len(name) == 1 for name in names) and len(heads) == 1
    if flat and counts_rows([name[0] for name in names], len(rows) >= SORTABLE):
        for row in [*heads, *rows]:
            row.find("th").decompose()
    for cell in soup.select("tbody th"):
        cell["scope"] = "rowgroup" if cell.get("rowspan") else "row"
    columns = list(zip(*(row.find_all("td")[::-1] for row in rows)))
    for place, column in enumerate(columns):
        if all(NUMBER.fullmatch(cell.get_text(strip=True)) for cell in column):
            shown = [row.find_all("th")[::-1] for row in heads]
            for cell in [
                *column,
                *(row[place] for row in shown if place < len(row)),
            ]:
                cell["class"] = "number"
    return f'<div class="pst-scrollable-table-container">{soup}</div>'


def mend(body):
    """All tables of a page."""
    body = STYLE.sub("", body)
    body = FRAME.sub(lambda found: mend_frame(found[0]), body)
    return EMPTY.sub("<td></td>", body)


def mend_page(app, pagename, templatename, context, doctree):
    if "<table" in context.get("body", ""):
        context["body"] = mend(context["body"])


def setup(app):
    app.add_js_file("tables.js", loading_method="defer")
    app.connect("html-page-context", mend_page)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
