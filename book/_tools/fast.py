"""Keep the build fast: once for the whole site what Sphinx does anew for each page or reference."""

from __future__ import annotations

from functools import cached_property, lru_cache

from docutils import nodes
from sphinx import addnodes


class Remembering:
    """An environment whose doctrees, which take long to load, are kept for the next who reads one."""

    def __init__(self, env):
        self._env = env
        self.get_doctree = lru_cache(maxsize=4)(env.get_doctree)

    def __getattr__(self, name):
        return getattr(self._env, name)


def keep_doctrees(app, env):
    """Numbers of figures are looked up in the page that holds them: load it once, not each time."""
    domain, kept = env.get_domain("std"), Remembering(env)
    resolve = domain._resolve_numref_xref
    domain._resolve_numref_xref = lambda _, *rest: resolve(kept, *rest)


class Sidebar:
    """The list of all pages, drawn from contents without the headings inside each of them.

    The theme takes those headings out of the sidebar again; before, Sphinx has copied all of them
    for every page of the site.
    """

    def __init__(self, builder):
        self.env = builder.env
        self.draw = builder._get_local_toctree

    @cached_property
    def contents(self):
        return {name: pages_only(toc) for name, toc in self.env.tocs.items()}

    def __call__(self, *args, **options):
        whole = self.env.tocs
        self.env.tocs = self.contents
        try:
            return self.draw(*args, **options)
        finally:
            self.env.tocs = whole


def pages_only(toc):
    """A page's own contents with its title and the pages listed on it, and no other heading."""
    short = toc.deepcopy()
    first = next(short.findall(nodes.list_item), None)
    for kind in (nodes.list_item, nodes.bullet_list):
        for node in list(short.findall(kind)):
            if node not in (short, first) and not list(
                node.findall(addnodes.toctree)
            ):
                node.parent.remove(node)
    return short


def draw_sidebars(app, env):
    if app.builder.format == "html":
        app.builder._get_local_toctree = Sidebar(app.builder)


def setup(app):
    for speed in (keep_doctrees, draw_sidebars):
        app.connect("env-check-consistency", speed)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
