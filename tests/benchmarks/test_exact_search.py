"""What the page about exact search shows: rows of three benchmarks."""

from __future__ import annotations

from pathlib import Path

import bound_gaps
import clique_proofs
import numpy as np
import pytest
import small_proofs
from json_lines import read_lines

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

PAGE = Path(__file__).parents[2] / "docs" / "design-notes" / "exact-search.md"
TAIL = Graph.from_edges([[0, 0, 1, 2, 3], [1, 2, 2, 3, 4]], 5)


def test_the_peers_find_a_triangle() -> None:
    assert [run(TAIL)["value"] for run in clique_proofs.PEERS.values()] == [3, 3]


@pytest.mark.parametrize("benchmark", [clique_proofs, small_proofs])
def test_the_page_has_the_table_of_the_rows(benchmark) -> None:
    assert "\n".join(benchmark.table()) in PAGE.read_text(encoding="utf-8")


def test_the_page_has_what_the_bound_takes_from_the_search() -> None:
    assert "\n".join(bound_gaps.share_lines()) in PAGE.read_text(encoding="utf-8")
    gaps = "\n".join(bound_gaps.table()).replace(bound_gaps.VERSION, "after")
    assert gaps in PAGE.read_text(encoding="utf-8")


def test_all_graphs_of_the_sets_are_proven() -> None:
    own = [row for row in read_lines(clique_proofs.RESULTS) if row["method"] == "annealco"]
    assert {row["set"] for row in own} >= {*clique_proofs.SETS, *clique_proofs.LARGE}
    assert all(row["proven"] for row in own if row["set"] in clique_proofs.SETS)


@pytest.mark.parametrize("problem", PROBLEMS.own)
def test_instances_are_drawn_from_their_seed(problem: str) -> None:
    one, two = (small_proofs.draw(problem, 20, "sparse", 1) for _ in range(2))
    assert np.array_equal(one.edges, two.edges)
    assert np.array_equal(one.node_weight, two.node_weight)
    PROBLEMS[problem].declare(one)
