import numpy as np
import pytest

from annealco.attempt import attempt
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving import Solver


def test_trees_are_proven_by_reductions():
    tree = Graph.from_edges([[0, 0, 1, 1, 2], [1, 2, 3, 4, 5]])
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=60), tree, 7, 1)
    assert solution.optimal
    assert solution.method == "covering search + reductions"
    assert solution.graph == "7"
    assert solution.seconds < 40


def test_names_of_graphs_are_kept():
    named = Graph.from_edges([[0], [1]], graph_data={"name": np.array(["karate"])})
    assert attempt(Solver(PROBLEMS["mis"], time_limit=0.1), named, 0, 1).graph == "karate"


def test_proven_optima_end_the_search_early():
    graph = generate("rb-small", count=1, seed=1)
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=20), graph, 0, 1)
    assert solution.optimal
    assert solution.value == graph.graph_data["planted_size"][0]
    assert solution.seconds < 19


def test_without_a_bound_nothing_is_claimed():
    graph = generate("rb-small", count=1, seed=1)
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=0.1, bound=False), graph, 0, 1)
    assert (solution.bound, solution.gap, solution.optimal) == (None, None, False)


@pytest.mark.parametrize("threads", [1, 3])
def test_restarts_share_the_time(threads):
    graph = generate("rb-small-unforced", count=1, seed=1)
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=0.4, restarts=5), graph, 0, threads)
    assert solution.seconds < 1.5
    values = [value for _, value in solution.trace]
    assert values == sorted(values)
    assert values[-1] == solution.value
