"""The example graphs are what their program makes, and the demonstration runs."""

from __future__ import annotations

import json
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


def test_the_demonstration_solves_trains_and_draws(tmp_path: Path) -> None:
    small = ["--time-limit", str(ANY_MOMENT), "--graphs", "4", "--epochs", "1", "--test-graphs", "1"]
    done = run_forked(run_program, "demo.py", "--out", str(tmp_path), *small)
    assert done.status == 0, done.err
    heading, *lines = done.out.splitlines()
    assert heading.split() == ["problem", "graph", "nodes", "edges", "value", "bound", "optimal", "seconds"]
    rows = [line.split() for line in lines[: lines.index("")] if not line.startswith("Pictures: ")]
    assert {problem for problem, *_ in rows} == set(PROBLEMS)
    pictures = {path.name for path in tmp_path.glob("*.png")}
    assert pictures == {"demo.png", *(f"{problem}-{graph}.png" for problem, graph, *_ in rows)}
    head = next(number for number, line in enumerate(lines) if line.startswith("method "))
    table = [(line[:27].strip(), float(line.split()[-1])) for line in lines[head + 1 :] if line[27:28] == " "]
    names = ["trained here, annealed", "trained here, not annealed", "network of the package"]
    assert [name for name, _ in table] == [*(name for name in names for _ in range(2)), "greedy", *["search"] * 3]
    assert all(0.5 < ratio <= 1 for _, ratio in table)
    assert lines[-1] == f"The picture: {tmp_path / 'demo.png'}"
    assert {path.parent.name for path in tmp_path.glob("network-*/run.png")} == {
        "network-annealed",
        "network-not-annealed",
    }


def run_notebook(name: str) -> None:
    """Run the cells in their order, as the last line of each would be shown."""
    import matplotlib as mpl

    mpl.use("Agg")
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {number}", "exec"), names)


NOTEBOOKS = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run(name: str) -> None:
    done = run_forked(run_notebook, name)
    assert done.status == 0, done.err


def test_notebooks_are_kept_without_outputs() -> None:
    assert NOTEBOOKS == ["solve_and_plot.ipynb", "the_toy.ipynb", "train_your_network.ipynb"]
    for name in NOTEBOOKS:
        content = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
        assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
        for cell in content["cells"]:
            assert cell["source"], name
            assert cell.get("outputs", []) == [], name


@pytest.mark.slow
@pytest.mark.processes
def test_graphs_go_through_ray_data(tmp_path: Path) -> None:
    for package in ("ray", "pyarrow", "pandas"):
        pytest.importorskip(package)
    done = run_forked(run_program, "ray_data.py", "--out", str(tmp_path))
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1].startswith("64 graphs, mean value ")


def test_the_same_answer_comes_from_every_container_and_file(tmp_path: Path) -> None:
    """By hand: Oslo for the road to Umea, Bergen for those to Aarhus and Turku, Odense for its own."""
    done = run_forked(run_program, "your_data.py", "--out", str(tmp_path))
    assert done.status == 0, done.err
    *answers, heading, first, second, third = done.out.splitlines()
    assert (heading, {first, second, third}) == ("node", {"Bergen", "Odense", "Oslo"})
    assert len(answers) >= 9
    assert all("['Bergen', 'Odense', 'Oslo'] for 10" in line for line in answers)
    assert {path.name for path in tmp_path.iterdir()} == {"roads.csv", "towns.csv", "answer.csv", "answer.png"}
