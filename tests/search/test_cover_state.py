import time

import numpy as np
import pytest

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.cover_state import BEST, TOTAL, UNHIT, WEIGHT_SUM, begin
from annealco.search.covering import run
from annealco.search.hitting_set import as_hitting_set
from tests.search.test_hitting_set import COVERING, hits_all


def check_state(problem, state):
    """Recompute by loops what the search keeps up to date."""
    sets = [problem.members[a:b].tolist() for a, b in zip(problem.set_ptr, problem.set_ptr[1:], strict=False)]
    hits = [sum(state.chosen[i] for i in members) for members in sets]
    counted = [h for h, members in enumerate(sets) if len(members) != 2]
    assert state.hits[counted].tolist() == [hits[h] for h in counted]
    assert set(state.unhit[: state.number[UNHIT]].tolist()) == {h for h, count in enumerate(hits) if count == 0}
    assert state.number[WEIGHT_SUM] == state.weight.sum()
    assert state.cost[TOTAL] == pytest.approx(problem.cost[state.chosen].sum())
    for variable in range(len(problem.cost)):
        own = [h for h, members in enumerate(sets) if variable in members]
        wanted = 1 if state.chosen[variable] else 0
        assert state.score[variable] == sum(state.weight[h] for h in own if hits[h] == wanted)
        if state.buckets.key[variable] >= 0:
            assert state.chosen[variable]


@pytest.mark.parametrize("name", COVERING)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_kept_up_to_date_is_what_a_recount_gives(name, weighted):
    rng = np.random.default_rng(0)
    graph = generate("er-small", count=1, seed=3)
    if weighted:
        graph = graph.with_weights(node_weight=rng.integers(0, 5, graph.num_nodes))
    problem = as_hitting_set(PROBLEMS[name].declare(graph))
    state = begin(problem, rng.random(graph.num_nodes) < 0.5, seed=1)
    check_state(problem, state)
    for _ in range(6):
        run(problem, state, 50, -1.0)
        check_state(problem, state)
        assert hits_all(problem, state.best)
        assert state.cost[BEST] == pytest.approx(problem.cost[state.best].sum())


def test_weights_are_recounted_after_they_were_forgotten():
    complete = Graph.from_edges([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]])
    problem = as_hitting_set(PROBLEMS["vertex_cover"].declare(complete))
    state = begin(problem, np.ones(4, bool), seed=0)
    run(problem, state, 500, -1.0)
    check_state(problem, state)


def test_keeping_the_best_does_not_take_as_long_as_there_are_variables():
    # A cover of a path is improved at almost every move; copying it each time would be n times n.
    def seconds(size: int) -> float:
        path = Graph.from_edges([range(size - 1), range(1, size)])
        problem = as_hitting_set(PROBLEMS["vertex_cover"].declare(path))
        state = begin(problem, np.ones(size, bool), seed=0)
        run(problem, state, 1, -1.0)
        started = time.process_time()
        run(problem, state, 20_000, -1.0)
        return time.process_time() - started

    seconds(1_000)
    assert min(seconds(400_000) for _ in range(3)) < 12 * min(seconds(4_000) for _ in range(3))
