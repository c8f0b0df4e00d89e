from __future__ import annotations

import threading

import numpy as np
import pytest

from annealco.problems import PROBLEMS
from annealco.training.batches import Batches, Share, ahead, epoch_order, make_batch
from tests.training.small_runs import small_graphs
from tests.waiting import PATIENCE


def test_an_epoch_has_every_graph_once_in_an_order_of_its_own() -> None:
    first, again, next_one = (epoch_order(11, 4, 5, epoch) for epoch in (0, 0, 1))
    assert [each.tolist() for each in first] == [each.tolist() for each in again]
    assert sorted(np.concatenate(first)) == list(range(11))
    assert np.concatenate(first).tolist() != np.concatenate(next_one).tolist()


@pytest.mark.parametrize("world_size", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_shares_make_up_the_batch(size: int, world_size: int) -> None:
    positions = np.arange(size) + 3
    parts = [positions[Share(rank, world_size).of(positions)] for rank in range(world_size)]
    assert np.concatenate(parts).tolist() == positions.tolist()
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_batch_knows_its_part_of_the_whole() -> None:
    graphs = small_graphs(6)
    positions = np.array([4, 0, 2])
    found = [make_batch(graphs, PROBLEMS["mis"], positions, Share(rank, 2)) for rank in range(2)]
    assert all(batch.whole.equals(graphs[positions]) for batch in found)
    for batch in found:
        labels = np.arange(batch.whole.num_nodes)[batch.nodes]
        assert len(labels) == batch.graph.num_nodes == batch.instance.num_nodes
        assert np.array_equal(batch.whole.degree[batch.nodes], batch.graph.degree)
    assert sum(batch.graph.num_nodes for batch in found) == graphs[positions].num_nodes
    assert sum(batch.weight.sum() for batch in found) == 3


def test_a_process_without_a_graph_takes_one_that_does_not_count() -> None:
    batches = [make_batch(small_graphs(3), PROBLEMS["mis"], np.array([1]), Share(rank, 2)) for rank in range(2)]
    assert sorted(batch.weight.tolist() for batch in batches) == [[0.0], [1.0]]
    assert all(batch.graph.num_graphs == 1 for batch in batches)


def test_batches_begin_where_they_are_told() -> None:
    batches = Batches(small_graphs(11), PROBLEMS["mis"], batch_size=4, seed=2)
    assert batches.num_batches == 3
    whole = [(batch.epoch, batch.number, batch.graph.edges.tolist()) for batch in batches]
    batches.start = 1
    assert [(batch.epoch, batch.number, batch.graph.edges.tolist()) for batch in batches] == whole[1:]
    batches.epoch, batches.start = 1, 0
    assert [(batch.epoch, batch.number) for batch in batches] == [(1, 0), (1, 1), (1, 2)]


def test_the_next_item_is_made_while_one_is_used() -> None:
    made, begun = [], threading.Event()

    def make(item: int) -> int:
        made.append(item)
        if item == 1:
            begun.set()
        return item * item

    found = ahead(make, [0, 1, 2])
    assert next(found) == 0
    assert begun.wait(PATIENCE)
    assert list(found) == [1, 4]
    assert list(ahead(make, [])) == []


def test_an_error_while_making_reaches_the_user() -> None:
    def make(item: int) -> int:
        return 1 // item

    found = ahead(make, [1, 0, 2])
    assert next(found) == 1
    with pytest.raises(ZeroDivisionError):
        next(found)
