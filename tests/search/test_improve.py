import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.problems import PROBLEMS
from annealco.search.budget import Budget
from annealco.search.improve import Improver


def improver(name="mds", seed=1):
    graph = generate("ba-small", count=1, seed=4)
    return graph, Improver(PROBLEMS[name].declare(graph), np.ones(graph.num_nodes, bool), seed=seed)


def test_an_improver_begins_with_what_it_was_given():
    graph, search = improver()
    assert search.cost == graph.num_nodes
    assert search.assignment.all()
    assert search.method == "decoding"
    _, infeasible = improver("mis")
    assert infeasible.cost == np.inf


def test_it_improves_goes_on_and_counts():
    graph, search = improver()
    search.improve(Budget(moves=200))
    first = search.cost
    search.improve(Budget(moves=3000))
    assert search.cost <= first < graph.num_nodes
    assert search.moves == 3200
    assert PROBLEMS["mds"].score(graph, np.flatnonzero(search.assignment)) == search.cost
    assert [cost for _, cost in search.trace.points] == sorted((c for _, c in search.trace.points), reverse=True)
    assert search.trace.points[-1][1] == search.cost
    assert search.method == "covering search"


def test_it_never_gets_worse():
    graph, search = improver("mis")
    search.improve(Budget(moves=20_000))
    best = search.assignment
    again = Improver(PROBLEMS["mis"].declare(graph), best, seed=9)
    again.improve(Budget(moves=1))
    assert again.cost <= search.cost


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_result(seed):
    (_, one), (_, two) = improver(seed=seed), improver(seed=seed)
    one.improve(Budget(moves=1000))
    two.improve(Budget(moves=1000))
    assert np.array_equal(one.assignment, two.assignment)
