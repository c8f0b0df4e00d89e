from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.clustering import (
    Box,
    ball,
    complaint,
    cut_and_volume,
    draw_seed,
    on_cut,
    read_box,
    reference_set,
    refuses,
)
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.conductance import conductance
from tests.baselines.clustering.graphs import conductance_of, middle, small
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


@pytest.mark.parametrize("graph", [*small(4), *middle()])
@pytest.mark.parametrize("radius", [0, 1, 2, 3])
def test_a_ball_is_what_a_search_reaches(graph, radius: int) -> None:
    theirs = nx.Graph(graph.edges.T.tolist())
    near = nx.single_source_shortest_path_length(theirs, 3, cutoff=radius)
    assert np.flatnonzero(ball(graph, 3, radius)).tolist() == sorted(near)


def test_a_reference_has_half_of_the_volume_at_most() -> None:
    for graph in [*small(6), *middle()]:
        for radius in (1, 2, 6):
            found = reference_set(graph, 2, radius)
            assert found[2]
            assert graph.degree[found].sum() <= graph.num_edges or found.sum() == 1
            assert any(np.array_equal(found, ball(graph, 2, steps)) for steps in range(radius + 1))


def test_cut_and_volume_are_those_of_the_conductance() -> None:
    for graph in small(6):
        chosen = ball(graph, 0, 1)
        cut, volume = cut_and_volume(graph, chosen)
        assert cut / volume == conductance(graph, np.flatnonzero(chosen).tolist())
