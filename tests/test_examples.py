"""The example graphs are what their program makes, and the demonstration runs."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from annealco import PROBLEMS, read_graph
from tests.budgets import ANY_MOMENT
from tests.forked import run_forked

EXAMPLES = Path(__file__).parents[1] / "examples"
GRAPHS = runpy.run_path(str(EXAMPLES / "graphs" / "make.py"))["GRAPHS"]
README = (EXAMPLES / "graphs" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", GRAPHS)
def test_files_hold_what_the_program_makes(name: str) -> None:
    found, made = read_graph(EXAMPLES / "graphs" / name), GRAPHS[name]()
    assert found.equals(made)
    assert max(graph.num_nodes for graph in found) <= 60


def test_every_file_is_told_of_and_every_problem_has_one() -> None:
    files = {path.name for path in (EXAMPLES / "graphs").iterdir() if path.suffix not in {".py", ".md"}}
    listed = re.findall(r"^\| `([^`]+)` \|[^|]+\| (`[^|]+`) \|", README, re.MULTILINE)
    assert [name for name, _ in listed] == list(GRAPHS)
    assert set(GRAPHS) == files - {"__pycache__"}
    assert {problem for _, cell in listed for problem in re.findall(r"`(\w+)`", cell)} == set(PROBLEMS)


def run_program(name: str, *arguments: str) -> None:
    sys.path.insert(0, str(EXAMPLES))
    sys.argv = [name, *arguments]
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def test_the_demonstration_solves_and_draws_them_all(tmp_path: Path) -> None:
    done = run_forked(run_program, "demo.py", "--out", str(tmp_path / "demo"), "--time-limit", str(ANY_MOMENT))
    assert done.status == 0, done.err
    heading, *rows, last = done.out.splitlines()
    assert " ".join(heading.split()) == "problem graph nodes edges value bound gap optimal seconds method"
    assert [row.split()[0] for row in rows].count("mis") == 6
    assert {row.split()[0] for row in rows} == set(PROBLEMS)
    assert last.startswith("Pictures: ")
    pictures = {path.name for path in (tmp_path / "demo").iterdir()}
    assert pictures == {f"{row.split()[0]}-{row.split()[1]}.png" for row in rows}


@pytest.mark.slow
@pytest.mark.processes
def test_graphs_go_through_ray_data(tmp_path: Path) -> None:
    for package in ("ray", "pyarrow", "pandas"):
        pytest.importorskip(package)
    done = run_forked(run_program, "ray_data.py", "--out", str(tmp_path))
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1].startswith("64 graphs, mean value ")


def test_the_demonstration_of_learning_compares_four_networks(tmp_path: Path) -> None:
    small = ["--graphs", "4", "--epochs", "1", "--test-graphs", "1"]
    done = run_forked(run_program, "learning.py", "--out", str(tmp_path), *small)
    assert done.status == 0, done.err
    *_, head, none, annealed, other, shipped, last = done.out.splitlines()
    assert head.split() == ["network", "mean", "ratio", "least", "training", "CPU", "s"]
    names = [line[:15].strip() for line in (none, annealed, other, shipped)]
    assert names == ["no network", "annealed", "not annealed", "of the package"]
    assert all(0.5 < float(line[15:].split()[0]) <= 1 for line in (none, annealed, other, shipped))
    assert last.startswith("Pictures of the trainings: ")
    assert {path.parent.name for path in tmp_path.glob("network */run.png")} == {
        "network annealed",
        "network not annealed",
    }


def test_the_same_answer_comes_from_every_container_and_file(tmp_path: Path) -> None:
    """By hand: Oslo for the road to Umea, Bergen for those to Aarhus and Turku, Odense for its own."""
    done = run_forked(run_program, "your_data.py", "--out", str(tmp_path))
    assert done.status == 0, done.err
    *answers, heading, first, second, third = done.out.splitlines()
    assert (heading, {first, second, third}) == ("node", {"Bergen", "Odense", "Oslo"})
    assert len(answers) >= 9
    assert all("['Bergen', 'Odense', 'Oslo'] for 10" in line for line in answers)
    assert {path.name for path in tmp_path.iterdir()} == {"roads.csv", "towns.csv", "answer.csv", "answer.png"}
