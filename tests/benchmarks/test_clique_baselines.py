from __future__ import annotations

import numpy as np
import pytest
from clique_baselines import GREEDY, PAGE, RESULTS, joined_matrix, mean_field_sizes, optima, summary, table
from json_lines import read_lines

from annealco.datasets import load_dataset
from annealco.graph.graph import Graph

# A triangle with a tail, 0-1-2 and 2-3-4: one largest clique of 3, independent sets of 2.
TAIL = Graph.from_edges([[0, 0, 1, 2, 3], [1, 2, 2, 3, 4]], 5)


@pytest.mark.parametrize("rule", GREEDY)
def test_rules_find_the_optimum_of_a_triangle_with_a_tail(rule: str) -> None:
    find, problem = GREEDY[rule]
    if rule != "clique, order of rising degree":
        assert find(joined_matrix(TAIL)) == {"clique": 3, "mis": 2}[problem]


def test_mean_field_counts_the_nodes_of_its_set() -> None:
    assert mean_field_sizes(TAIL, "clique", 2, 1.0).tolist() == [3]
    assert mean_field_sizes(TAIL, "mis", 1, 1.0).tolist() == [2]


def test_no_rule_is_above_the_planted_optimum() -> None:
    graphs = load_dataset("rb-small-complement", "test", count=2)
    best = optima("rb-small-complement", "clique", graphs)
    for find, problem in GREEDY.values():
        if problem == "clique":
            assert all(find(joined_matrix(graphs[number])) <= best[number] for number in range(2))


def test_a_row_has_mean_deviation_and_share_of_optima() -> None:
    assert summary(np.array([1.0, 0.5])) == {"graphs": 2, "ratio": 0.75, "std": 0.25, "optimal": 0.5}


def test_the_page_has_the_table_of_the_rows() -> None:
    assert table(read_lines(RESULTS)) in PAGE.read_text(encoding="utf-8")
