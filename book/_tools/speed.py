"""How long each page of the built site takes to answer, and how much of that its formulas cost.

What is measured is the processor time of a page's own thread on a phone's screen, with its formulas and
with plain letters in their place; of three runs in turn the least counts.
Command: python speed.py [the folder of the built site]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from browsing import chromium, readable, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BUILT = Path(__file__).resolve().parents[2] / "_build" / "html"
PHONE = {"width": 390, "height": 844}
FORMULA = re.compile(
    r"(?:<noscript>)?<mjx-container.*?</mjx-container>(?:</noscript>)?", re.S
)
REPEATS = 3
# Two frames after everything is loaded, as what a reader does first has to wait for no more.
ANSWERS = """() => new Promise(done => {
  const frames = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  document.readyState === "complete" ? frames() : addEventListener("load", frames);
})"""


def without_formulas(html: str) -> str:
    """A page with as many plain letters as its formulas have glyphs."""
    return FORMULA.sub(lambda found: "x" * found[0].count("<mjx-c "), html)


def seconds(browser: Browser, url: str, html: str) -> float:
    """The processor time of a page's thread until it answers."""
    page = browser.new_page(viewport=PHONE)
    page.route(
        url, lambda route: route.fulfill(body=html, content_type="text/html")
    )
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(url, wait_until="commit")
    page.evaluate(ANSWERS)
    metrics = client.send("Performance.getMetrics")["metrics"]
    page.close()
    times = {metric["name"]: metric["value"] for metric in metrics}
    return times["TaskDuration"]


def main() -> None:
    """Print a line for each page with formulas, those with most of them first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, nargs="?", default=BUILT)
    site = parser.parse_args().site
    texts = {name: (site / name).read_text() for name in readable(site)}
    with serving(site) as address, chromium() as browser:
        for name in sorted(texts, key=lambda name: -texts[name].count("<mjx")):
            if "<mjx-c " in texts[name]:
                both = (texts[name], without_formulas(texts[name]))
                runs = [
                    [
                        seconds(browser, f"{address}/{name}", html)
                        for html in both
                    ]
                    for _ in range(REPEATS)
                ]
                formulas, none = map(min, zip(*runs, strict=True))
                print(
                    f"{name:40} {formulas:5.2f} s, {formulas / none:.2f} times"
                )


if __name__ == "__main__":
    main()
