"""The core works where PyTorch is not installed, and what needs it says so in one line.

Every test runs a process of its own whose imports refuse PyTorch and what is built on it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import annealco
from annealco.models.pretrained import WEIGHTS, shipped_folder
from tests.problems.sums import ON_GRAPHS

REFUSED = ("torch", "lightning", "lightning_fabric", "pytorch_lightning", "torch_geometric")
REFUSE = f"""
import sys

class Refuse:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {REFUSED}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Refuse)
"""
COMMAND = """
from annealco.__main__ import main
sys.exit(main())
"""
HINT = "needs PyTorch: pip install 'annealco[learn]'"
GRAPHS = Path(__file__).parents[1] / "examples" / "graphs"
VALUES = {"mis": 2.0, "clique": 2.0, "mds": 2.0, "cut": 2.0, "conductance": 0.5, "vertex_cover": 3.0, "max_cut": 4.0}
VALUES |= {"qubo": 0.0, "ising": -3.0}
"""Of a cycle of five nodes; cuts have a volume of 4 to 6, conductance one of 4."""
OPTIONS = {"cut": {"volume": (4, 6)}, "conductance": {"volume": (4, 4)}}


def run(program: str, *arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", REFUSE + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("problem", ON_GRAPHS)
def test_every_problem_is_solved(problem: str) -> None:
    done = run(f"""
import annealco
cycle = annealco.Graph.from_edges([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
solution = annealco.solve(cycle, {problem!r}, moves=1000, time_limit=60, **{OPTIONS.get(problem, {})})
print(solution.value, solution.feasible)
""")
    assert (done.stdout, done.stderr) == (f"{VALUES[problem]} True\n", "")


def test_public_names_can_be_imported_and_say_what_they_need() -> None:
    done = run("""
from annealco import *
for name, call in {"train": lambda: train("mis", "rb-small"), "load": lambda: load("runs/mis")}.items():
    try:
        call()
    except InputError as error:
        print(error)
print(isinstance(0, TrainedModel))
""")
    assert done.stdout.splitlines() == [f"annealco.train {HINT}", f"annealco.load {HINT}", "False"], done.stderr


def test_a_problem_is_checked_but_for_its_expectations() -> None:
    done = run("import annealco; annealco.check_problem(annealco.PROBLEMS['mis'])")
    assert done.returncode == 0
    assert f"checking expectations of mis {HINT}" in done.stderr


def test_an_expectation_says_what_it_needs() -> None:
    done = run("""
import annealco
energy = annealco.PROBLEMS["mis"].declare(annealco.as_graph([[0], [1]])).energy()
for function in (energy.expectation, energy.field):
    try:
        function([0.0, 0.0])
    except annealco.InputError as error:
        print(error)
""")
    assert done.stdout.splitlines() == [f"an expectation {HINT}", f"a field {HINT}"], done.stderr


def test_the_networkx_backend_solves() -> None:
    done = run("""
import networkx as nx
print(len(nx.approximation.maximum_independent_set(nx.path_graph(5), backend="annealco")))
""")
    assert (done.stdout, done.stderr) == ("3\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "problems"],
        ["list", "methods"],
        ["list", "schedules"],
        ["data", "list"],
        ["data", "info", str(GRAPHS / "queens.col")],
        ["data", "make", "rb-small", "--count", "2", "--out", "graphs"],
        ["solve", "mis", str(GRAPHS / "queens.col"), "--time-limit", "60", "--json"],
    ],
    ids=" ".join,
)
def test_commands_that_need_no_network(arguments: list[str], tmp_path: Path) -> None:
    done = run(COMMAND, *arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_searches_are_compared_and_reported(tmp_path: Path) -> None:
    bench = ["bench", "mis", "--data", "rb-small", "--limit", "2", "--methods", "greedy,search", "--moves", "100"]
    done = run(COMMAND, *bench, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["method"] for line in done.stdout.splitlines()] == ["greedy", "search"]
    assert run(COMMAND, "report", "bench", folder=tmp_path).returncode == 0


def test_networks_of_the_package_are_compared(tmp_path: Path) -> None:
    bench = ["bench", "mis", "--data", "ba-small", "--limit", "1", "--methods", "annealed,annealed+search"]
    done = run(COMMAND, *bench, "--moves", "100", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["method"].partition("#")[0] for line in done.stdout.splitlines()] == [
        "annealed",
        "annealed+search",
    ]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["train", "mis", "--data", "rb-small"], "training"),
        (["solve", "mis", str(GRAPHS / "queens.col"), "--model", "other"], "the network in other"),
        (["bench", "mis", "--data", "rb-small", "--methods", "annealed=other"], "a network"),
        (["bench", "mis", "--data", "rb-small", "--limit", "1", "--methods", "sampling"], "sampling"),
        (["list", "models"], "a network"),
        (["reproduce", "toy"], "reproducing toy"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_what_needs_a_network_says_so_in_one_line(arguments: list[str], what: str, tmp_path: Path) -> None:
    # A folder of a network that is not the core's.
    (tmp_path / "other").mkdir()
    content = {"format": "annealco model", "version": 1, "problem": "mis", "model": "erdos", "settings": {}}
    (tmp_path / "other" / "model.json").write_text(json.dumps(content))
    done = run(COMMAND, *arguments, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"annealco: {what} {HINT}\n"
    assert list(tmp_path.rglob("*.json*")) == [tmp_path / "other" / "model.json"]


@pytest.mark.parametrize("problem", ["mis", "clique", "mds"])
def test_a_network_of_the_package_proposes_what_it_does_beside_torch(problem: str) -> None:
    program = f"""
import annealco
graph = annealco.read_graph({str(GRAPHS / "queens.col")!r})
solution = annealco.solve(graph, {problem!r}, model="auto", restarts=3, polish=False, bound=False, seed=2)
print(solution.nodes, solution.method)
"""
    alone = run(program)
    assert (alone.returncode, alone.stderr) == (0, "")
    graph, folder = annealco.read_graph(GRAPHS / "queens.col"), shipped_folder(problem)
    settings: dict[str, Any] = {"restarts": 3, "polish": False, "bound": False, "seed": 2}
    beside = annealco.solve(graph, problem, model=annealco.load(folder), **settings)
    assert alone.stdout == f"{beside.nodes} {beside.method}\n"


@pytest.mark.parametrize("model", ["auto", str(WEIGHTS / "field-mis")])
def test_the_command_solves_with_a_network(model: str) -> None:
    arguments = ["solve", "mis", str(GRAPHS / "queens.col"), "--model", model, "--time-limit", "60", "--json"]
    done = run(COMMAND, *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    solution = json.loads(done.stdout)
    assert (solution["feasible"], solution["value"]) == (True, 6.0)
    assert solution["method"].startswith("field + ")
