"""The tree tells the story: names, layers, sizes and what each part may know."""

import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import annealco
from annealco.problems import PROBLEMS

ROOT = Path(annealco.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
CONTAINER_PACKAGES = {"networkx", "igraph", "torch_geometric"}


def relative(path):
    return path.relative_to(ROOT).as_posix()


def imported(path):
    """Names of the packages that a module imports anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_module_is_named_for_nothing(path):
    assert path.stem not in {"utils", "util", "common", "core", "helpers", "misc", "base"}


def test_there_are_few_enough_modules_to_know_them():
    assert len(MODULES) <= 190


def test_a_module_name_means_one_thing():
    # Modules of the command line are named by their commands, which are named by what they run.
    named = [path for path in MODULES if path.stem != "__init__" and path.parent.name != "cli"]
    folders = {stem: [relative(path) for path in named if path.stem == stem] for stem in {path.stem for path in named}}
    # Each is the one of its folder: what can be found by name, and what it must keep to.
    twice = {stem: paths for stem, paths in folders.items() if len(paths) > 1 and stem not in {"contract", "registry"}}
    assert not twice


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_functions_stay_small(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
            assert node.end_lineno - first.lineno < 45, node.name


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_only_interop_knows_other_graph_containers(path):
    # Layers of torch_geometric are no containers, and it knows how to read the files of its own collection. networkx'
    # own algorithms are a method to compare with, and some files are read through it.
    others = {"datasets/readers.py", "models/erdos_layers.py", "baselines/external/networkx_approximation.py"}
    others.add("graph/formats/exchange.py")
    if not relative(path).startswith("graph/interop/") and relative(path) not in others:
        assert not imported(path) & CONTAINER_PACKAGES


@pytest.mark.parametrize("folder", ["energy", "models", "search", "bounds"])
def test_what_computes_never_compares_a_problem_s_name(folder):
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant):
                assert node.value not in PROBLEMS, f"{relative(path)}:{node.lineno}"


def test_problems_are_registered_under_their_file_s_name():
    files = {path.stem for path in (ROOT / "problems").glob("*.py")}
    assert set(PROBLEMS) <= files
    declared = {
        path.stem for path in (ROOT / "problems").glob("*.py") if "= Problem(" in path.read_text(encoding="utf-8")
    }
    assert declared == set(PROBLEMS)


def test_importing_the_package_is_light():
    program = "import sys, annealco, annealco.cli; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    )
    heavy = {"torch", "scipy", "networkx", "igraph", "torch_geometric", "matplotlib"}
    assert not loaded & heavy


def test_small_graphs_are_solved_without_heavy_imports():
    program = """
import sys, annealco
from annealco.graph.generators import rb_graph
import numpy as np
graph = rb_graph(np.random.default_rng(3), num_groups=25, group_size=12, tightness=0.5)
found = annealco.solve(graph, "mis", model="none", moves=10**7, time_limit=60)  # It ends when it is proven.
print(found.optimal, *sys.modules)
"""
    proven, *loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout.split()
    assert proven == "True"
    assert not set(loaded) & {"torch", "scipy.sparse", "networkx", "matplotlib"}


def test_public_names_exist_and_are_documented():
    for name in annealco.__all__:
        public = getattr(annealco, name)
        assert callable(public) or isinstance(public, Mapping), name
        assert public.__doc__, name


def test_version_is_that_of_the_changelog_or_unreleased():
    assert re.fullmatch(r"\d+\.\d+\.\d+", annealco.__version__)
