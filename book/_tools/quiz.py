"""The directive `quiz`: questions with a choice of answers, each of which is told why.

    ```{quiz}
    - ask: Which of these ...?
      answers:
        - say: The first.
          why: It is not, because ...
        - say: The second.
          why: It is, because ...
          right: true
    ```

On the site an answer is a radio button, and a button shows what the chosen one is told, and has it
read out; without a script choosing an answer does. In print every explanation stands under its answer.
"""

from __future__ import annotations

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


def read(text):
    """The questions of a quiz; refuse one that a reader could not learn from."""
    questions = yaml.load(
        text, yaml.BaseLoader
    )  # "10." is a sentence, not a number
    for question in questions:
        if set(question) != {"ask", "answers"}:
            raise ValueError(
                f"a question has ask and answers, not {sorted(question)}"
            )
        answers = question["answers"]
        if sum(answer.get("right") == "true" for answer in answers) != 1:
            raise ValueError(
                f"{question['ask']!r} needs exactly one right answer"
            )
        for answer in answers:
            if not {"say", "why"} <= set(answer) <= {"say", "why", "right"}:
                raise ValueError(
                    f"an answer has say and why, and right if it is: {answer}"
                )
    return questions


class question(nodes.Element):
    """One question; its first child is the legend."""


class asked(nodes.Element):
    """The text that asks."""


class answer(nodes.Element):
    """One answer with its button; attributes: group, id, right."""


class why(nodes.Element):
    """What an answer is told; attribute: right."""


class Quiz(SphinxDirective):
    has_content = True

    def run(self):
        number = self.env.new_serialno("quiz")
        quiz = nodes.container(classes=["quiz"])
        for i, entry in enumerate(read("\n".join(self.content))):
            group = f"quiz-{number}-{i}"
            node = question("", asked("", *self.inline(entry["ask"])))
            for j, offered in enumerate(entry["answers"]):
                right = offered.get("right") == "true"
                choice = answer(
                    "",
                    nodes.inline("", "", *self.inline(offered["say"])),
                    group=group,
                    choice=f"{group}-{j}",
                )
                told = why("", *self.inline(offered["why"]), right=right)
                node += [choice, told]
            quiz += node
        return [quiz]

    def inline(self, text):
        found, problems = self.state.inline_text(text, self.lineno)
        return [*found, *problems]


def open_question(self, node):
    self.body.append('<fieldset class="quiz-question">')


def close_question(self, node):
    self.body.append("</fieldset>\n")


def open_legend(self, node):
    self.body.append("<legend>")


def close_legend(self, node):
    self.body.append("</legend>\n")


def open_answer(self, node):
    self.body.append(
        f'<input type="radio" name="{node["group"]}" id="{node["choice"]}">'
        f'<label for="{node["choice"]}">'
    )


def close_answer(self, node):
    self.body.append("</label>")


def open_why(self, node):
    kind, verdict = (
        ("right", "Right.") if node["right"] else ("wrong", "Not so.")
    )
    self.body.append(
        f'<p class="quiz-why quiz-{kind}"><strong>{verdict}</strong> '
    )


def close_why(self, node):
    self.body.append("</p>\n")


def latex(before, after):
    """Visitors that write plain text around a node."""

    def visit(self, node):
        self.body.append(before(node))

    def depart(self, node):
        self.body.append(after)

    return visit, depart


def setup(app):
    app.add_node(
        question,
        html=(open_question, close_question),
        latex=latex(lambda node: "\n\n", "\n\n"),
    )
    app.add_node(
        asked,
        html=(open_legend, close_legend),
        latex=latex(lambda node: "\\textbf{", "}"),
    )
    app.add_node(
        answer,
        html=(open_answer, close_answer),
        latex=latex(lambda node: "\n\n$\\circ$ ", ""),
    )
    app.add_node(
        why,
        html=(open_why, close_why),
        latex=latex(
            lambda node: (
                " \\emph{" + ("Right. " if node["right"] else "Not so. ")
            ),
            "}",
        ),
    )
    app.add_directive("quiz", Quiz)
    app.add_js_file("quiz.js", loading_method="defer")
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
