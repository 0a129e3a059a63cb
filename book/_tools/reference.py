"""The directive that lists modules of the package: what each is, and every public name, as links."""

from __future__ import annotations

import importlib
from inspect import getdoc

from docutils import nodes
from drawn import code_link
from sphinx.util.docutils import SphinxDirective


class Modules(SphinxDirective):
    """One entry for each module named in the content, in that order."""

    has_content = True

    def run(self):
        return [nodes.definition_list("", *map(self.module, self.content.data))]

    def module(self, name):
        module = importlib.import_module(f"minimaxdp.{name}")
        summary = getdoc(module).split("\n\n")[0].replace("\n", " ")
        names = nodes.paragraph()
        for public in module.__all__:
            if names.children:
                names += nodes.Text(", ")
            target = f"minimaxdp.{name}.{public}"
            described = callable(getattr(module, public))
            names += (
                code_link(self.env.docname, "obj", target, public)
                if described
                else nodes.literal("", public)
            )
        link = code_link(self.env.docname, "mod", f"minimaxdp.{name}", name)
        return nodes.definition_list_item(
            "",
            nodes.term("", "", link),
            nodes.definition("", nodes.paragraph("", summary), names),
        )


def setup(app):
    app.add_directive("modules", Modules)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
