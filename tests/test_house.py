"""The house as a whole: its layout, its lock, its two commands, and who may import whom."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minimaxdp"
GROUND_FLOOR = {
    "_types",
    "_validate",
    "cube",
    "divergences",
    "channels",
    "_operations",
    "guarantees",
    "risk",
    "rates",
    "plots",
    "sliders",
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Names of the package's own modules that a file imports, at the top level of the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "minimaxdp":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minimaxdp."):
            found.add(node.module.split(".")[1])
    return found


def own_name(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_imports_run_downward_and_in_no_circle() -> None:
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        name = own_name(path)
        graph.setdefault(name, set()).update(imports(path) - {name})
    for name in GROUND_FLOOR & set(graph):
        assert graph[name] <= GROUND_FLOOR, f"{name} looks up at {graph[name] - GROUND_FLOOR}"
    done: set[str] = set()
    while len(done) < len(graph):
        free = {name for name in graph if name not in done and graph[name] <= done}
        assert free, f"a circle among {set(graph) - done}"
        done |= free


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 600


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_what_is_public_is_listed_and_documented(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree)
    if path.stem.startswith("_"):
        return
    public = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    }
    listed = re.findall(r'^    "(\w+)",$|__all__ = \[(.+)\]', path.read_text(), flags=re.MULTILINE)
    names = {name for one, many in listed for name in (one, *re.findall(r'"(\w+)"', many)) if name}
    assert set(public) <= names, set(public) - names
    for name, node in public.items():
        doc = ast.get_docstring(node) or ""
        assert doc, name
        if isinstance(node, ast.FunctionDef):
            assert ">>>" in doc, f"{name} has no example"
            assert not node.args.args or "Parameters" in doc, name


LIGHT = [
    "channels",
    "_operations",
    "guarantees",
    "cube",
    "density_estimation",
    "divergences",
    "inference",
    "laplace",
    "lower_bounds",
    "mean_estimation",
    "results",
    "unbiased_bounds",
    "privacy",
    "randomized_response",
    "risk",
    "sweep",
]
HEAVY = {"sympy", "matplotlib", "pandas", "scipy.stats", "dask"}


def loaded(statement: str) -> set[str]:
    """The modules in memory after a statement in a fresh process."""
    command = [sys.executable, "-c", f"{statement}; import sys; print(*sys.modules)"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    return set(done.stdout.split())


def test_what_is_slow_to_import_loads_only_where_used() -> None:
    assert not HEAVY & loaded(f"from minimaxdp import {', '.join(LIGHT)}")
    assert not {"sympy", "matplotlib"} & loaded("from minimaxdp import k_anonymity")
    # The package by itself is a name and a version.
    assert not {"numpy", "scipy"} & loaded("import minimaxdp")


def test_the_two_commands_of_the_readme_are_those_that_run_everywhere() -> None:
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"```sh\n(.+?)\n```", readme, flags=re.DOTALL)
    assert len(commands) == 2 and all("\n" not in command for command in commands)
    assert "jupyter-book build" in commands[0] and "http.server" in commands[0]
    assert commands[1].endswith("pytest")
    script = (ROOT / ".ci" / "run").read_text()
    assert commands[1] in script
    assert commands[0].split(" && ")[2] in script


def test_the_lock_is_complete_and_names_no_host() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith(("#", "-e "))]
    assert all(re.match(r"[A-Za-z0-9._-]+==[^ ]+( ; .+)?$", pin) for pin in pins)
    locked = {re.split("==", pin)[0].lower().replace("_", "-") for pin in pins}
    wanted = project["dependencies"] + sum(project["optional-dependencies"].values(), [])
    assert {re.match(r"[A-Za-z0-9._-]+", want)[0].lower() for want in wanted} <= locked
    assert any(pin.startswith("jupyter-book==1.") for pin in pins)
    assert "://" not in "\n".join(lines)


def test_every_file_states_the_same_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f'__version__ = "{version}"' in (PACKAGE / "__init__.py").read_text()
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == version


def test_top_level_holds_what_the_layout_says_and_nothing_else() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    top = {line.split("/")[0] for line in listed.stdout.splitlines()}
    assert top <= {
        "book", "_config.yml", "_toc.yml", "minimaxdp", "tests", "requirements.txt", "README.md",
        "pyproject.toml", "LICENSE", "LICENSE-TEXT", "CITATION.cff", "CONTRIBUTING.md", ".ci",
        ".gitignore", "conftest.py",
    }  # fmt: skip
