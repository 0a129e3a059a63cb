"""Execute the chapters and write them in normal form.

    python book/_tools/notebooks.py                 # every chapter
    python book/_tools/notebooks.py book/NAME.ipynb # the chapters named
    python book/_tools/notebooks.py --form NAMES    # only the normal form, nothing is run

A notebook in normal form depends on its sources and its results alone: cell ids come from the
cell's text, timings and machine details are dropped, so that a second run changes no byte. Its
pictures have a palette of 256 colours, a third of the bytes; no reader sees the difference.
"""

from __future__ import annotations

import base64
import hashlib
import io
import sys
from pathlib import Path

import nbformat
from contents import pages
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

BOOK = Path(__file__).resolve().parents[1]
# The README shows the figure of the landing page.
COVER_PAGE, COVER = BOOK / "index.ipynb", BOOK / "_static" / "cover.png"
METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
KEPT_CELL_METADATA = ("tags", "mystnb")
SECONDS_PER_CELL = 120


def chapters() -> list[Path]:
    """Every notebook that is a page of the book."""
    return sorted(BOOK.glob("*.ipynb"))


def numbered() -> list[Path]:
    """The numbered chapters, in the order of the book."""
    return [BOOK.parent / f"{page}.ipynb" for page in pages(numbered=True)]


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Bring a notebook into normal form, in place."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(METADATA)
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        cell.source = cell.source.rstrip()
        digest = hashlib.sha256(
            f"{cell.cell_type}\n{cell.source}".encode()
        ).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
        cell.metadata = nbformat.from_dict(
            {
                key: cell.metadata[key]
                for key in KEPT_CELL_METADATA
                if key in cell.metadata
            }
        )
        if cell.cell_type == "code":
            cell.outputs = normal_outputs(cell.outputs)
    return notebook


def execute(path: Path) -> NotebookNode:
    """Run a notebook in its own folder and return it in normal form; an error is raised."""
    notebook = normalise(nbformat.read(path, as_version=4))
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=SECONDS_PER_CELL,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    return normalise(notebook)


def first_picture(notebook: NotebookNode) -> bytes:
    """The first PNG image among a notebook's outputs."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                return base64.b64decode(output.data["image/png"])
    raise ValueError("the notebook has no picture")


def normal_outputs(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs without what changes from run to run: how a stream is split, metadata."""
    return [_normal_output(output) for output in _joined(outputs)]


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Merge neighbouring pieces of one stream, which a kernel splits at random moments."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last
            and output.output_type == last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _normal_output(output: NotebookNode) -> NotebookNode:
    if "metadata" in output:
        # Glued values carry their name here; an image's size belongs to the style.
        output.metadata = nbformat.from_dict(
            {
                key: value
                for key, value in output.metadata.items()
                if key == "scrapbook"
            }
        )
    if "image/png" in output.get("data", {}):
        output.data["image/png"] = _light(output.data["image/png"])
    return output


def _light(png: str) -> str:
    """A picture with a palette; one that has it already is left as it is."""
    picture = Image.open(io.BytesIO(base64.b64decode(png)))
    if picture.mode == "P":
        return png
    written = io.BytesIO()
    drawn = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    drawn.save(written, "PNG", optimize=True)
    return base64.b64encode(written.getvalue()).decode()


def main(arguments: list[str]) -> None:
    names = [name for name in arguments if name != "--form"]
    for path in [Path(name) for name in names] or chapters():
        if "--form" in arguments:
            notebook = normalise(nbformat.read(path, as_version=4))
        else:
            notebook = execute(path)
        nbformat.write(notebook, path)
        print(path)
        if path.resolve() == COVER_PAGE:
            COVER.write_bytes(first_picture(notebook))


if __name__ == "__main__":
    main(sys.argv[1:])
