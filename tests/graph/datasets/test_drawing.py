from __future__ import annotations

import numpy as np

from annealco.graph.datasets.dataset import Drawn
from annealco.graph.datasets.drawing import draw
from annealco.graph.datasets.splits import first_number
from annealco.graph.generators import generate


def test_training_graphs_are_the_first_of_the_generator() -> None:
    plain = draw(Drawn("rb-small"), "train", seed=3, start=2, count=3)
    assert plain.equals(generate("rb-small", count=3, seed=3, start=2))
    assert plain.node_data["planted"].any()


def test_splits_and_seeds_differ() -> None:
    sets = [
        draw(Drawn("ba-small"), split, seed=seed, start=0, count=2) for split in ("train", "test") for seed in (0, 1)
    ]
    assert len({each.edges.tobytes() for each in sets}) == 4
    assert sets[2].equals(generate("ba-small", count=2, seed=0, start=first_number("test")))


def test_weights_are_integers_of_their_own_stream_on_the_same_graphs() -> None:
    whole = draw(Drawn("rb-small", weighted=True), "train", seed=0, start=0, count=40)
    assert np.array_equal(whole.edges, generate("rb-small", count=40, seed=0).edges)
    assert set(whole.node_weight.tolist()) == set(range(1, 101))
    assert abs(whole.node_weight.mean() - 50.5) < 5 * np.sqrt((100**2 - 1) / 12 / whole.num_nodes)
    assert np.all(whole.edge_weight == 1)
    part = draw(Drawn("rb-small", weighted=True), "train", seed=0, start=7, count=2)
    assert part.equals(whole[7:9])
    other = draw(Drawn("rb-small", weighted=True), "train", seed=1, start=0, count=1)
    assert not np.array_equal(other.node_weight[:100], whole.node_weight[:100])


def test_what_was_planted_is_no_optimum_of_weights() -> None:
    weighted = draw(Drawn("rb-small", weighted=True), "train", seed=0, start=0, count=1)
    assert set(weighted.node_data) == {"group"}
    assert set(weighted.graph_data) == {"num_groups"}


def test_no_graphs_can_be_drawn() -> None:
    assert draw(Drawn("rb-small", weighted=True), "train", seed=0, start=0, count=0).num_graphs == 0
