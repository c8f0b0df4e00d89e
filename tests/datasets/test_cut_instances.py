from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.datasets import load_dataset
from annealco.datasets.cut_instances import (
    RADIUS,
    STORED_SETS,
    cut_instances,
    draw_instances,
    dump_instances,
    stored_instances,
)
from annealco.datasets.registry import DATASETS
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems.cut import declare
from tests.datasets.samples import needs_data, paths


def test_boxes_are_those_of_the_protocol_and_can_be_met() -> None:
    graphs = generate("regular-small", count=3, seed=0)
    found = draw_instances(graphs, 20, name="x", seed=0)
    assert found.graph.tolist() == [0] * 20 + [1] * 20 + [2] * 20
    assert np.array_equal(found.volume, np.stack([0.75 * found.target, 1.25 * found.target], axis=1))
    for number, node, target, box in zip(found.graph, found.seed_node, found.target, found.volume, strict=True):
        graph = graphs[int(number)]
        same = nx.Graph(graph.edges.T.tolist())
        ball = nx.single_source_shortest_path_length(same, int(node), cutoff=RADIUS)
        reach = sum(same.degree[each] for each in ball) / (2 * graph.num_edges)
        assert (target + 0.5) / (2 * graph.num_edges) >= 0.1 - 1e-9
        assert (target - 0.5) / (2 * graph.num_edges) <= 0.1 + 0.85 * reach
        # The problem refuses boxes that no set can meet.
        declare(graph, volume=box, seed_node=int(node))


def test_seeds_are_distinct_where_there_are_enough() -> None:
    found = draw_instances(paths(), 5, name="x", seed=1)
    for number, size in enumerate(range(2, 12)):
        seeds = found.seed_node[found.graph == number].tolist()
        assert len(set(seeds)) == min(size, 5)


def test_stars_get_boxes_in_which_their_centre_fits() -> None:
    star = Graph.from_edges([[0] * 9, range(1, 10)])
    found = draw_instances(Graph.batch([star] * 20), 10, name="x", seed=0)
    for node, box in zip(found.seed_node, found.volume, strict=True):
        declare(star, volume=box, seed_node=int(node))


def test_isolated_nodes_and_graphs_without_edges_have_no_instances() -> None:
    empty, pair = Graph.from_edges([[], []], 3), Graph.from_edges([[1], [2]], 4)
    found = draw_instances(Graph.batch([empty, pair]), 6, name="x", seed=0)
    assert found.graph.tolist() == [1] * 6
    assert set(found.seed_node.tolist()) == {1, 2}


def test_name_seed_and_number_decide() -> None:
    graphs = paths()
    first = dump_instances(draw_instances(graphs, 3, name="x", seed=0))
    assert first == dump_instances(draw_instances(graphs, 3, name="x", seed=0))
    assert first != dump_instances(draw_instances(graphs, 3, name="y", seed=0))
    assert first != dump_instances(draw_instances(graphs, 3, name="x", seed=1))
    few = draw_instances(graphs[:4], 3, name="x", seed=0)
    assert dump_instances(few) == dump_instances(draw_instances(graphs, 3, name="x", seed=0)[:12])


@pytest.mark.parametrize(
    ("name", "graphs", "seeds"),
    [("twitter", 196, 30), ("facebook", 14, 100), ("sf295-subset", 694, 10), ("nci60", 3319, 10)],
)
def test_stored_instances_need_no_graphs(name: str, graphs: int, seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    found = cut_instances(name)
    assert len(found) == graphs * seeds
    assert np.array_equal(found.graph, np.repeat(np.arange(graphs), seeds))


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("name", STORED_SETS)
def test_stored_instances_are_what_is_drawn_and_can_be_met(name: str) -> None:
    graphs = load_dataset(name, "test")
    stored = stored_instances(name)
    drawn = draw_instances(graphs, DATASETS[name].cut_seeds or 0, name=name, seed=0)
    assert dump_instances(stored) == dump_instances(drawn)
    for start in range(0, len(stored), 97):
        instance = stored[start : start + 1]
        declare(graphs[instance.graph], volume=instance.volume, seed_node=instance.seed_node)


def test_any_set_has_instances_on_request() -> None:
    found = cut_instances("regular-small", "validation", seeds_per_graph=1)
    assert len(found) == 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "collab"}, "collab has no number of seed nodes of its own; give seeds_per_graph"),
        ({"name": "twitter", "seeds_per_graph": 0}, "seeds_per_graph must be at least 1"),
        ({"name": "twitter", "seed": -1}, "seed must be at least 0"),
        ({"name": "x"}, "unknown data set"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        cut_instances(**arguments)
