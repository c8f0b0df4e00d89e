from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from annealco.baselines.external import as_quadratic_form, conflict_graph, is_quadratic, refuses, takes_independent_sets
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from tests.problems.sums import ON_GRAPHS

STAR = Graph.from_edges([[0, 0, 0], [1, 2, 3]])


@pytest.mark.parametrize(("name", "inverted"), [("mis", False), ("clique", False), ("vertex_cover", True)])
def test_conflicts_are_the_pairs_that_exclude_each_other(name: str, inverted: bool) -> None:
    for graph in small_graphs(np.random.default_rng(2), num_random=8):
        found = conflict_graph(PROBLEMS[name].declare(graph))
        expected = complement(graph) if name == "clique" else graph
        assert found.graph.edges.tolist() == expected.edges.tolist()
        assert found.graph.node_weight.tolist() == graph.node_weight.tolist()
        assert found.inverted == inverted


def test_sets_are_turned_back() -> None:
    assert conflict_graph(PROBLEMS["mis"].declare(STAR)).as_bits(np.array([1, 3])).tolist() == [
        False,
        True,
        False,
        True,
    ]
    cover = conflict_graph(PROBLEMS["vertex_cover"].declare(STAR)).as_bits(np.array([1, 2, 3]))
    assert cover.tolist() == [True, False, False, False]


def test_other_problems_and_weights_are_refused() -> None:
    with pytest.raises(InputError, match="no independent set problem"):
        conflict_graph(PROBLEMS["mds"].declare(STAR))
    plain, heavy = takes_independent_sets(weighted=False), takes_independent_sets(weighted=True)
    taken = {name for name in ON_GRAPHS if plain(PROBLEMS[name], STAR) is None}
    assert taken == {"mis", "clique", "vertex_cover"}
    weighted = STAR.with_weights(node_weight=[1, 2, 3, 4])
    assert plain(PROBLEMS["mis"], weighted) == "it takes no node weights"
    assert heavy(PROBLEMS["mis"], weighted) is None
    assert heavy(PROBLEMS["mis"], STAR.with_weights(node_weight=[0.5] * 4)) == "it takes whole node weights"


@pytest.mark.parametrize("name", ["mis", "clique", "vertex_cover", "max_cut"])
def test_the_form_is_the_energy_on_every_assignment(name: str) -> None:
    for graph in small_graphs(np.random.default_rng(3), num_random=10, max_nodes=6):
        energy = PROBLEMS[name].declare(graph).energy(1.5)
        form = as_quadratic_form(energy)
        for bits in product([0.0, 1.0], repeat=graph.num_nodes):
            x = np.array(bits)
            value = form.linear @ x + (form.value * x[form.pairs[0]] * x[form.pairs[1]]).sum() + form.constant
            assert value == pytest.approx(energy.value(x)[0])
        assert np.all(form.pairs[0] < form.pairs[1])


def test_what_is_not_quadratic_is_refused() -> None:
    assert {name for name in ON_GRAPHS if refuses(PROBLEMS[name], STAR) is None} == {
        "mis",
        "clique",
        "vertex_cover",
        "max_cut",
        "qubo",
        "ising",
    }
    assert refuses(PROBLEMS["mds"], STAR) == "its energy is not quadratic"
    # Neighbourhoods of two nodes at most are pairs.
    assert refuses(PROBLEMS["mds"], Graph.from_edges([[0], [1]])) is None
    [box] = [constraint.term for constraint in PROBLEMS["cut"].declare(STAR).constraints]
    assert not is_quadratic(box)
