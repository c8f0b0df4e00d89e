from __future__ import annotations

from dataclasses import replace

import pytest

from annealco.cli.solution_table import MOST_NODES, as_text, describe_set, percentage, show_solutions
from annealco.graph.graph import Graph
from annealco.solution import Solution
from tests.cli.program import Output

PATH = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
SOLVED = Solution(
    problem="mis",
    nodes=["a", "two words", 3],
    value=3.0,
    feasible=True,
    bound=3.0,
    gap=0.0,
    optimal=True,
    method="covering search + clique cover",
    seconds=0.126,
    seed=0,
    graph="path",
)


def test_one_graph_is_a_row_and_its_set(capsys: Output) -> None:
    show_solutions(PATH, [SOLVED])
    heading, _, row, blank, nodes = capsys.readouterr().out.splitlines()
    assert heading.split() == ["graph", "nodes", "edges", "value", "bound", "gap", "optimal", "method", "seconds"]
    assert " ".join(row.split()) == "path 4 2 3 3 0 % proven covering search + clique cover 0.13"
    assert (blank, nodes) == ("", "3 nodes: a two words 3")


def test_many_graphs_are_rows_and_a_mean(capsys: Output) -> None:
    open_one = replace(SOLVED, value=2.5, bound=None, gap=None, optimal=False, graph="[red]x[/red]\n")
    show_solutions(Graph.batch([PATH, PATH]), [SOLVED, open_one])
    *_, last_row, blank, mean = capsys.readouterr().out.splitlines()
    assert last_row.split()[:7] == ["[red]x[/red]\\n", "4", "2", "2.5", "-", "-", "-"]
    assert (blank, mean) == ("", "2 graphs: mean value 2.75, 1 proven optimal")


def test_only_the_first_graphs_may_be_solved(capsys: Output) -> None:
    show_solutions(Graph.batch([PATH, Graph.from_edges([[0], [1]])]), [SOLVED])
    assert len(capsys.readouterr().out.splitlines()) == 5
    show_solutions(Graph.batch([]), [])
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_long_sets_are_shortened() -> None:
    text = describe_set(replace(SOLVED, nodes=list(range(MOST_NODES + 5))))
    assert text.startswith(f"{MOST_NODES + 5} nodes: 0 1 2 ")
    assert text.endswith(f" {MOST_NODES - 1} and 5 more (see --json)")
    assert describe_set(replace(SOLVED, nodes=[])) == "0 nodes"
    assert describe_set(replace(SOLVED, nodes=["a\nb"])) == "1 node: a\\nb"


@pytest.mark.parametrize(
    ("value", "text"), [(-2.0, "-2"), (0.0, "0"), (1e6, "1000000"), (0.1 + 0.2, "0.3"), (None, "-")]
)
def test_values(value: float | None, text: str) -> None:
    assert as_text(value) == text


def test_only_a_gap_of_none_looks_like_none() -> None:
    assert [percentage(gap) for gap in (0.0, 1e-12, 0.0001, 0.0123, 1.0)] == [
        "0 %",
        "<0.01 %",
        "0.01 %",
        "1.23 %",
        "100.00 %",
    ]
