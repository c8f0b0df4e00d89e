import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from annealco.bounds.packing import Packing
from annealco.bounds.small_packing import improve_small
from annealco.graph.generators import generate
from annealco.graph.operations import complement
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph, rows_of
from tests.problems.brute_force import best_score


def improve(graph, *, complemented, seconds=1.0, **settings):
    book = ledger(seconds, step=1.0, **settings)
    improve_small(Packing(graph.node_weight, rows_of(graph), complemented), book, seed=0)
    return book


@pytest.mark.parametrize("seed", range(4))
def test_listed_and_unlisted_conflicts_prove_the_same_optimum(seed):
    graph = random_graph(seed, 12, 0.5)
    graph = graph.with_weights(node_weight=np.random.default_rng(seed).integers(1, 9, 12))
    best = best_score(PROBLEMS["mis"], graph)
    assert improve(graph, complemented=False).cost == -best
    assert improve(complement(graph), complemented=True).cost == -best


def test_groups_of_a_forced_graph_are_a_proof():
    graph = generate("rb-small", count=1, seed=11)
    size = int(graph.graph_data["planted_size"][0])
    book = improve(graph, complemented=False, target=-float(size))
    assert book.cost == -size
    assert book.seconds_left > 0.5


def test_branching_ends_early_with_the_optimum_of_a_sparse_graph():
    graph = generate("ba-small", count=1, seed=7)
    ends = np.zeros((graph.num_edges, graph.num_nodes))
    ends[np.arange(graph.num_edges)[:, None], graph.edges.T] = 1
    one = LinearConstraint(ends, ub=1)
    solved = milp(-np.ones(graph.num_nodes), integrality=np.ones(graph.num_nodes), bounds=Bounds(0, 1), constraints=one)
    assert improve(graph, complemented=False, seconds=3.0).cost == round(solved.fun)
