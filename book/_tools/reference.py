"""The directive that lists modules of the package: what each is, and every public name, as links."""

from __future__ import annotations

import importlib
from inspect import getdoc

from docutils import nodes
from sphinx.addnodes import pending_xref
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
                self.link("obj", public, target)
                if described
                else nodes.literal("", public)
            )
        return nodes.definition_list_item(
            "",
            nodes.term("", "", self.link("mod", name, f"minimaxdp.{name}")),
            nodes.definition("", nodes.paragraph("", summary), names),
        )

    def link(self, role, text, target):
        return pending_xref(
            "",
            nodes.literal("", text),
            refdomain="py",
            reftype=role,
            reftarget=target,
            refexplicit=True,
            refwarn=True,
            refdoc=self.env.docname,
        )


def setup(app):
    app.add_directive("modules", Modules)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
