"""The search: every place of the book with its words, and a page that ranks them.

A place is what a reader may look for and can be led to: a chapter, a section, a numbered statement,
a term of the glossary, an entry of the errata, a name of the package. Its words are those of the
page without listings, formulas in Unicode (`words`), so that ρ is found as ρ and as rho. The places
of a page are collected when it is written, into a file beside its doctree, so that a build that
writes few pages still knows all. `_static/search_places.js` holds them all, is asked for by the page
of results, and by another once one searches from there, and `_static/search.js` ranks them. Both are scripts: the search works from a
folder too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from words import plain

# Other names by which a term is looked for; a letter is the one of the book.
ALSO = {
    "approximate differential privacy": ["δ", "(ε, δ)"],
    "budget": ["ε", "privacy loss"],
    "conditional hypothesis testing privacy": ["CHT", "η"],
    "differential privacy": ["DP"],
    "divergence privacy": ["κ"],
    "kernel estimator": ["KDE"],
    "k-ary randomized response": ["kRR", "generalized randomized response"],
    "local model": ["LDP", "local differential privacy"],
    "minimax risk": ["minimax"],
    "privacy loss": ["PLD", "privacy loss distribution"],
    "privacy profile": ["δ(ε)"],
    "randomized response": ["RR"],
    "sensitivity": ["global sensitivity"],
    "total-variation privacy": ["α", "TV"],
    "Tulap law": ["canonical noise distribution"],
    "zero-concentrated privacy": ["zCDP", "ρ"],
}
# Their rows name what stands elsewhere; only their headings are places.
LISTS = ("book/ledger", "book/standing", "book/map", "book/api")
ERRATUM = re.compile(r"E\d{3}-\d+")


def is_statement(node):
    """Whether a node is a numbered box: a theorem, a definition, an exercise."""
    return isinstance(node, nodes.Element) and (
        bool(node.get("countertype")) or is_exercise(node)
    )


def is_exercise(node):
    return "exercise" in node.get("classes", [])


def is_solution(node):
    return isinstance(node, nodes.Element) and "solution" in node.get(
        "classes", []
    )


def is_section(node):
    """Whether a node is a section with a heading; the boxes keep their text in sections without."""
    return isinstance(node, nodes.section) and isinstance(
        node.next_node(), nodes.title
    )


def stands_alone(node):
    """Whether a node is no part of the text of the section around it."""
    return (
        is_section(node)
        or is_statement(node)
        or is_solution(node)
        or isinstance(node, nodes.title | addnodes.desc | addnodes.glossary)
    )


def number(env, docname, kind, node):
    """The number of a box, as in "6.1"."""
    numbers = env.toc_fignumbers.get(docname, {}).get(kind, {})
    return ".".join(map(str, numbers.get(node["ids"][0], ())))


def named(env, docname, node):
    """The kind and number of a box, and its title: ("Theorem 6.1", "Le Cam")."""
    kind = "exercise" if is_exercise(node) else node["countertype"]
    head = f"{kind.title()} {number(env, docname, kind, node)}"
    if is_exercise(node):
        own = [
            child
            for child in node.findall(nodes.Element)
            if child.tagname == "exercise_subtitle"
        ]
        return head, plain(own[0]) if own else ""
    title = node.next_node(nodes.title)
    return head, plain(title, has_class("standing")).strip("() ")


def has_class(name):
    """A test of nodes for one class."""
    return lambda node: name in node.get("classes", [])


def body(node):
    """The words of a box without its title and the line below it."""
    return plain(node.children[-1], has_class("about"))


def text_of(section):
    """The words of a section that are no place of their own."""
    own = [child for child in section.children if not stands_alone(child)]
    return " ".join(plain(child, stands_alone) for child in own).strip()


def places(app, docname, doctree):
    """Each place of a page: kind, title, address, other names, words."""
    page = plain(doctree.next_node(nodes.title))
    numbers = app.env.toc_secnumbers.get(docname, {}).get("", ())
    chapter = ".".join(map(str, numbers))

    def place(kind, title, anchor, text, also=()):
        where = f"{docname}.html" + (f"#{anchor}" if anchor else "")
        return {
            "k": kind,
            "t": title,
            "u": where,
            "p": page,
            "a": list(also),
            "x": text,
        }

    for node in doctree.findall(nodes.Element):
        if is_section(node):
            text = "" if docname in LISTS else text_of(node)
            title = plain(
                node.children[node.first_child_matching_class(nodes.title)]
            )
            if isinstance(node.parent, nodes.document):
                also = [f"chapter {chapter}"] if chapter else []
                kind = "api" if docname.startswith("book/api/") else "page"
                yield place(kind, title, "", text, also)
            elif entry := ERRATUM.match(title):
                yield place(
                    "erratum", title, entry[0].lower(), text, [entry[0]]
                )
            elif not docname.startswith("book/api/"):
                yield place("section", title, node["ids"][0], text)
        elif is_statement(node):
            head, title = named(app.env, docname, node)
            also = [title] if title else []
            title = f"{head} ({title})" if title else head
            kind = "exercise" if is_exercise(node) else "statement"
            yield place(
                kind,
                title,
                node["ids"][0],
                body(node),
                [head, *also, node["ids"][0]],
            )
        elif (
            isinstance(node, nodes.term)
            and "glossary" in node.parent.parent["classes"]
        ):
            title = plain(node)
            text = plain(node.parent.children[-1])
            yield place(
                "term", title, node["ids"][0], text, ALSO.get(title, [])
            )
        elif isinstance(node, addnodes.desc_signature) and node["ids"]:
            name = node["ids"][0].removeprefix("minimaxdp.")
            first = node.parent.children[-1].next_node(nodes.paragraph)
            short = name.rpartition(".")[2]
            also = [short, short.replace("_", " ")]
            yield place(
                "api", name, node["ids"][0], plain(first) if first else "", also
            )
        elif isinstance(node, nodes.row) and node["ids"]:
            cells = [plain(cell) for cell in node.children]
            yield place(
                "erratum", cells[0], node["ids"][0], "; ".join(cells[1:])
            )


def folder(app):
    return Path(app.doctreedir) / "places"


def collect(app, pagename, templatename, context, doctree):
    """Keep the places of a page that is being written."""
    if doctree is not None and pagename in app.env.found_docs:
        path = folder(app) / f"{pagename}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        found = [*places(app, pagename, doctree)]
        path.write_text(json.dumps(found, ensure_ascii=False))


def in_reading_order(app):
    """The pages in the order of the table of contents."""

    def below(name):
        yield name
        for child in app.env.toctree_includes.get(name, []):
            yield from below(child)

    return dict.fromkeys(below(app.config.root_doc))


def write(app, exception):
    """Write the places of all pages into one script."""
    if exception is not None or app.builder.format != "html":
        return
    found = []
    for name in in_reading_order(app):
        for place in json.loads((folder(app) / f"{name}.json").read_text()):
            # An empty field is not written; a page is not said to stand on itself.
            alone = place["p"] == place["t"]
            found.append(
                {
                    k: v
                    for k, v in place.items()
                    if v and not (k == "p" and alone)
                }
            )
    target = Path(app.outdir) / "_static" / "search_places.js"
    target.write_text(
        "window.minimaxdpPlaces = [\n"
        + ",\n".join(json.dumps(place, ensure_ascii=False) for place in found)
        + "\n];\n"
    )


def start(app):
    """Make no index of Sphinx's own: its page of results is kept, and ranks these places."""
    if app.builder.format == "html":
        app.builder.search = False


def page_of_results(app):
    yield "search", {}, "search.html"


def load(app, pagename, templatename, context, doctree):
    """Load the places on the page of results; mark no words on the page that a result leads to."""
    if "script_files" in context:
        # In place: what is added to the page below goes into the same list.
        context["script_files"][:] = [
            script
            for script in context["script_files"]
            if "sphinx_highlight"
            not in str(getattr(script, "filename", script))
        ]
    if pagename == "search":
        app.add_js_file("search_places.js")
    app.add_js_file("search.js", loading_method="defer")


def setup(app):
    app.connect("builder-inited", start)
    app.connect("html-collect-pages", page_of_results)
    app.connect("html-page-context", collect)
    app.connect("html-page-context", load)
    app.connect("build-finished", write)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
