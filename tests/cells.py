"""What is asked of the cells of the book."""

from __future__ import annotations

import ast


def assert_it_can_fail(source: str) -> None:
    """A cell asserts something, and nothing about constants alone."""
    asserted = [n.test for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Assert)]
    assert asserted, "the cell asserts nothing"
    for test in asserted:
        assert any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(test))
