from itertools import product

import numpy as np
import pytest

from annealco.energy import Constraint, Cover, Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.small_graphs import small_graphs
from annealco.search import hitting_set
from annealco.search.hitting_set import as_hitting_set

COVERING = ["mis", "clique", "mds", "vertex_cover"]


def hits_all(problem, chosen):
    sets = [problem.members[a:b] for a, b in zip(problem.set_ptr, problem.set_ptr[1:], strict=False)]
    return all(any(chosen[i] for i in members) for members in sets)


@pytest.mark.parametrize("name", COVERING)
def test_hitting_sets_are_the_feasible_sets_and_cost_the_same(name):
    for graph in small_graphs(np.random.default_rng(0), num_random=12, max_nodes=5):
        instance = PROBLEMS[name].declare(graph)
        problem = as_hitting_set(instance)
        offset = graph.node_weight.sum() if problem.inverted else 0.0
        for bits in product((0, 1), repeat=graph.num_nodes):
            chosen = [1 - bit for bit in bits] if problem.inverted else list(bits)
            feasible = instance.violations(bits)[0] == 0
            assert hits_all(problem, chosen) == feasible
            cost = sum(c * y for c, y in zip(problem.cost, chosen, strict=True))
            value = instance.value(bits)[0]
            assert cost == pytest.approx(offset - value if problem.inverted else value)


@pytest.mark.parametrize("name", COVERING)
def test_sets_of_each_variable_and_partners_mirror_the_members(name):
    graph = Graph.from_edges([[0, 0, 1, 2, 2], [1, 2, 2, 3, 4]], num_nodes=6)
    problem = as_hitting_set(PROBLEMS[name].declare(graph))
    for variable in range(6):
        start, stop = problem.variable_ptr[variable], problem.variable_ptr[variable + 1]
        for each, partner in zip(problem.sets[start:stop], problem.partner[start:stop], strict=True):
            members = problem.members[problem.set_ptr[each] : problem.set_ptr[each + 1]].tolist()
            assert variable in members
            assert partner == (sum(members) - variable if len(members) == 2 else -1)
    assert len(problem.sets) == len(problem.members)


@pytest.mark.parametrize("name", ["cut", "max_cut"])
def test_other_problems_are_none(name):
    assert as_hitting_set(PROBLEMS[name].declare(Graph.from_edges([[0], [1]]))) is None


def test_mixed_constraints_and_mixed_signs_are_none():
    ptr = np.array([0, 2])
    pair = Constraint(Pairs(ptr, np.array([[0], [1]]), np.ones(1)), np.ones(1))
    cover = Constraint(Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))
    assert as_hitting_set(Instance(ptr, (Linear(ptr, -np.ones(2)),), (pair, cover))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.array([1.0, -1.0])),), (cover,))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.ones(2)),), (pair,))) is None
    assert as_hitting_set(Instance(ptr, (Linear(ptr, np.ones(2)),), ())) is None


def test_pairs_of_a_large_sparse_graph_are_not_listed(monkeypatch):
    graph = Graph.from_edges([[0], [1]], num_nodes=100_000)
    assert as_hitting_set(PROBLEMS["clique"].declare(graph)) is None
    monkeypatch.setattr(hitting_set, "MAX_LISTED_PAIRS", 2)
    assert as_hitting_set(PROBLEMS["clique"].declare(Graph.from_edges([[0], [1]], num_nodes=3))) is not None
    assert as_hitting_set(PROBLEMS["clique"].declare(Graph.from_edges([[0], [1]], num_nodes=4))) is None
