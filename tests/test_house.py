"""The house as a whole: its layout, its lock, its two commands, and who may import whom."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

import minimaxdp

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minimaxdp"
GROUND_FLOOR = {
    "certify",
    "_types",
    "_coins",
    "_doubles",
    "_search",
    "_tails",
    "_validate",
    "divergences",
    "channels",
    "_operations",
    "guarantees",
    "risk",
    "rates",
    "hypercube",
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
        above = graph[name] - GROUND_FLOOR
        assert not above, f"{name} looks up at {above}: move what it needs to the ground floor"
    for name in set(graph) - {"__init__", "book"}:
        assert "book" not in graph[name], f"{name} must not need what serves only the pages"
    done: set[str] = set()
    while len(done) < len(graph):
        free = {name for name in graph if name not in done and graph[name] <= done}
        assert free, f"a circle among {set(graph) - done}: move what they share below them"
        done |= free


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= 600, f"{path.name} has {lines} lines: split it where it changes its subject"


def test_files_inside_a_module_are_not_its_face() -> None:
    for path in MODULES:
        inner = len(path.relative_to(PACKAGE).parts) > 1 and path.name != "__init__.py"
        if inner and own_name(path) != "book":  # whose files are what its readers import
            assert path.name.startswith("_"), f"rename {path.name} to _{path.name}"
        assert ast.get_docstring(ast.parse(path.read_text())), f"{path} says not what it is for"


def faces() -> list[tuple[str, str, Any]]:
    """Everything that a module exports: its module, its name, and what it is."""
    names = [name for name in minimaxdp.__all__ if name != "book"]
    names += [f"book.{path.stem}" for path in (PACKAGE / "book").glob("[a-z]*.py")]
    modules = {name: import_module(f"minimaxdp.{name}") for name in names}
    return [(m, name, getattr(face, name)) for m, face in modules.items() for name in face.__all__]


def test_what_is_public_is_documented_with_an_example() -> None:
    for module, name, thing in faces():
        where = f"{module}.{name}"
        if inspect.isfunction(thing) or inspect.isclass(thing):
            doc = inspect.getdoc(thing) or ""
            assert doc, f"{where} has no docstring"
        if inspect.isfunction(thing):
            assert ">>>" in doc, f"add an example that runs to the docstring of {where}"
            told = "Parameters\n---" in doc or not inspect.signature(thing).parameters
            assert told, f"say in the docstring of {where} what its parameters are"


def test_what_a_module_defines_in_public_it_exports() -> None:
    for path in MODULES:
        if path.name.startswith("_") or own_name(path) == "book":
            continue
        public = {
            node.name
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        }
        hidden = public - set(import_module(f"minimaxdp.{path.stem}").__all__)
        assert not hidden, f"{path.name}: add {hidden} to __all__, or underscore them"


def test_a_public_name_has_one_meaning() -> None:
    meanings: dict[str, dict[int, str]] = {}
    for module, name, thing in faces():
        meanings.setdefault(name, {})[id(thing)] = f"{module}.{name}"
    twice = [sorted(of.values()) for of in meanings.values() if len(of) > 1]
    assert not twice, f"rename one of each: {twice}"


def test_a_public_thing_has_one_name() -> None:
    names: dict[int, set[str]] = {}
    for _, name, thing in faces():
        if inspect.isfunction(thing) or inspect.isclass(thing):
            names.setdefault(id(thing), set()).add(name)
    assert all(len(of) == 1 for of in names.values()), [of for of in names.values() if len(of) > 1]


# The variance and the risks of classes that are made from epsilon take it first, as those do.
LIKE_ITS_CLASS = {
    "binary_variance",
    "effective_sample_size",
    "hadamard_risk",
    "kary_risk",
    "optimized_unary_risk",
    "subset_selection_risk",
    "unary_risk",
}


def test_people_stand_before_dimensions_and_both_before_the_privacy() -> None:
    order = {"n": 0, "d": 1, "privacy": 2, "epsilon": 2}
    for module, name, thing in faces():
        if inspect.isfunction(thing) and name not in LIKE_ITS_CLASS:
            parameters = inspect.signature(thing).parameters.values()
            needed = [p.name for p in parameters if p.default is p.empty]
            ranks = [order[name] for name in needed if name in order]
            assert ranks == sorted(ranks), f"{module}.{name}: put n before d before the budget"


def test_a_radius_is_never_called_rho() -> None:
    for module, name, thing in faces():
        doc = inspect.getdoc(thing) or "" if callable(thing) else ""
        found = re.search(r"^rho : .*\n(?:    .*\n)*?    .*radius", doc, flags=re.MULTILINE)
        assert not found, f"{module}.{name}: call the radius r; rho is the level of zCDP"


LIGHT = [
    "accounting",
    "certify",
    "channels",
    "_operations",
    "guarantees",
    "definitions",
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
HEAVY = {"flint", "sympy", "matplotlib", "pandas", "scipy.stats", "dask"}


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
    names = {re.match(r"[A-Za-z0-9._-]+", want)[0].lower() for want in wanted} - {"minimaxdp"}
    assert names <= locked, f"add to requirements.txt: {sorted(names - locked)}"
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
        ".gitignore", "conftest.py", "CHANGELOG.md", "VISION.md", ".gitattributes",
        "MANIFEST.in", "RELEASING.md", "paper",
        ".pre-commit-config.yaml",
    }  # fmt: skip
