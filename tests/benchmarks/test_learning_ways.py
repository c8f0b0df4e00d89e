from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from learning_ways import ANEW_SHARE, balls, decided_anew, region, restricted, scattered
from paired_sites import PAIRED_SITES, draw

from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.problems import check_problem, find_problem
from annealco.search.repair import repair
from annealco.search.searches import default_search
from annealco.solving.initial_sets import even_probability


def posed(name: str, seed: int):
    """Return a small graph and its instance, with weights that are not all the same."""
    rng = np.random.default_rng(seed)
    if name == "paired_sites":
        graph = draw(rng, num_nodes=8, average_degree=3.0)
        return graph, PAIRED_SITES.declare(graph)
    graph = erdos_renyi(rng, num_nodes=8, edge_probability=0.4)
    graph = graph.with_weights(node_weight=rng.integers(1, 9, 8))
    return graph, find_problem(name).declare(graph)


@pytest.mark.parametrize("name", ["mis", "mds", "cut", "max_cut", "paired_sites"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_left_of_an_instance_agrees_with_it_on_every_set(name: str, seed: int) -> None:
    _, instance = posed(name, seed)
    rng = np.random.default_rng(seed)
    start = repair(instance, rng.random(8) < 0.5, num_threads=1)
    part = rng.random(8) < 0.6
    left, free = restricted(instance, start, part)
    some = np.array(list(product([False, True], repeat=len(free))), dtype=np.bool_).reshape(-1, len(free))
    whole = np.repeat((start & ~part)[None], len(some), axis=0)
    whole[:, free] = some
    change = instance.cost.value(whole)[:, 0] - left.cost.value(some)[:, 0]
    assert change == pytest.approx(np.full(len(some), change[0]))
    feasible = left.violations(some)[:, 0] == 0
    assert (feasible == (instance.violations(whole)[:, 0] == 0)).all()
    assert feasible.any()


def test_nodes_that_a_chosen_node_excludes_are_not_free() -> None:
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5)
    chosen, part = (np.isin(np.arange(5), nodes) for nodes in ([0], [1, 2, 3]))
    assert restricted(find_problem("mis").declare(path), chosen, part)[1].tolist() == [2, 3]


def test_terms_that_are_not_known_are_refused() -> None:
    graph = generate("ba-small", count=1, seed=0)
    none = np.zeros(graph.num_nodes, dtype=np.bool_)
    with pytest.raises(InputError, match="an instance of which a part is fixed"):
        restricted(find_problem("clique").declare(graph), none, ~none)


@pytest.mark.parametrize("name", ["mis", "mds", "cut", "paired_sites"])
def test_what_is_decided_anew_is_feasible_and_asks_only_for_the_part(name: str) -> None:
    graph, instance = posed(name, 1)
    start = repair(instance, np.ones(8, dtype=np.bool_), num_threads=1)
    asked = []

    def propose(some: Graph, left, seconds: float, seed: int):
        asked.append((some.labels.tolist(), left.num_nodes, seconds, seed))
        return np.full(some.num_nodes, even_probability(left))

    part = np.arange(8) < 5
    anew = decided_anew(graph, instance, start, part, propose, seconds=2.0, seed=3)
    [(labels, size, seconds, seed)] = asked
    assert set(labels) <= set(range(5))
    assert (size, seconds, seed) == (len(labels), 2.0, 3)
    assert instance.violations(anew)[0] == 0


def test_balls_grow_around_centres_until_there_are_enough() -> None:
    path = Graph.from_edges([range(9), range(1, 10)])
    centres = np.array([4, 0, 9])
    assert np.flatnonzero(balls(path, centres, 3, radius=1)).tolist() == [3, 4, 5]
    assert np.flatnonzero(balls(path, centres, 5, radius=1)).tolist() == [0, 1, 3, 4, 5]
    assert np.flatnonzero(balls(path, centres, 99, radius=1)).tolist() == [0, 1, 3, 4, 5, 8, 9]


def test_parts_are_a_share_of_the_nodes() -> None:
    graph = generate("ba-large", count=1, seed=0)
    for part in (scattered, region):
        found = part(graph, np.random.default_rng(1))
        assert found.mean() == pytest.approx(ANEW_SHARE, abs=0.05)


def test_only_the_general_search_takes_the_problem_of_a_users_own() -> None:
    check_problem(PAIRED_SITES)
    structure = structure_of(PAIRED_SITES.declare(draw(np.random.default_rng(0), num_nodes=50)))
    assert (structure.kind, default_search(structure).name) == ("other", "alternating")
