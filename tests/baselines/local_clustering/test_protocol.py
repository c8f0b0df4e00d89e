from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.local_clustering.protocol import Box, complaint, draw_seed, on_cut, read_box, refuses
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines.local_clustering.graphs import conductance_of, middle
from tests.budgets import FAR

PATH = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
CUT = PROBLEMS["cut"].with_options(volume=(2, 4), seed_node=1)
METHODS_HERE = ["pagerank_nibble", "crd", "mqi", "simple_local"]


def test_box_and_seed_are_read_off_the_instance() -> None:
    assert read_box(CUT.declare(PATH)) == (Box(2.0, 4.0), [1])
    assert read_box(PROBLEMS["cut"].declare(PATH)) == (Box(2.0, 3.0), [])


def test_a_method_gets_them_and_its_set_is_passed_on_with_what_is_wrong() -> None:
    seen = []

    def everything(graph, seed, box):
        seen.append((seed, box))
        return np.array([True, False, True, True])

    found = on_cut(everything)(CUT, PATH, budget=FAR, seed=0)
    assert seen == [(1, Box(2.0, 4.0))]
    assert found.assignment is not None
    assert found.assignment.tolist() == [True, False, True, True]
    assert found.note == "without the seed node"
    assert complaint(PATH, np.ones(4, bool), Box(2, 4), [1]) == "volume 6 is outside 2:4"
    assert complaint(PATH, np.array([True, True, False, False]), Box(2, 4), [1]) == ""


def test_without_a_seed_node_one_is_drawn() -> None:
    lonely = Graph.from_edges([[1], [2]], 5)
    assert {draw_seed(lonely, seed) for seed in range(20)} == {1, 2}
    assert draw_seed(lonely, 3) == draw_seed(lonely, 3)


def test_what_is_no_cut_is_refused() -> None:
    assert refuses(CUT, PATH) is None
    assert refuses(PROBLEMS["mis"], PATH) == "it is for cuts within volume bounds"
    for weight in (0.5, -1.0, 0.0):
        weighted = PATH.with_weights(edge_weight=np.full(3, weight))
        assert refuses(CUT, weighted) == "it takes whole edge weights above 0"
    with pytest.raises(InputError, match="mqi cannot solve mis here: it is for cuts within volume bounds"):
        METHODS["mqi"].run(PROBLEMS["mis"], PATH, budget=FAR)


@pytest.mark.parametrize("name", METHODS_HERE)
def test_every_method_is_registered_and_says_when_it_is_outside(name: str) -> None:
    for graph in middle():
        volume = int(graph.degree.sum())
        for share in (0.1, 0.4):
            box = (0.75 * share * volume, 1.25 * share * volume)
            problem = PROBLEMS["cut"].with_options(volume=box, seed_node=5)
            found = METHODS[name].run(problem, graph, budget=FAR, seed=0)
            assert found.assignment is not None
            score = problem.score(graph, np.flatnonzero(found.assignment).tolist())
            assert (score is None) == (found.note != "")
            assert 0 < conductance_of(graph, found.assignment) <= 1
