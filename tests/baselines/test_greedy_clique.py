"""A clique rule on the graph is the packing rule on its complement."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.greedy_clique import clique_fixed, clique_updated
from annealco.baselines.greedy_sets import as_arrays, pack_fixed, pack_updated
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search.cliques import as_partners
from annealco.search.covering import as_hitting_set

GRAPHS = small_graphs(np.random.default_rng(6), num_random=40, max_nodes=9)


@pytest.mark.parametrize("graph", GRAPHS, ids=range(len(GRAPHS)))
def test_rules_are_those_of_the_complement(graph: Graph) -> None:
    partners = as_partners(PROBLEMS["clique"].declare(graph))
    sets = as_hitting_set(PROBLEMS["mis"].declare(complement(graph)))
    assert partners is not None
    assert sets is not None
    arrays = as_arrays(sets)
    assert clique_fixed(partners).tolist() == pack_fixed(arrays).tolist()
    assert clique_updated(partners).tolist() == pack_updated(arrays).tolist()
