"""Batches of one epoch: shuffled, declared, shared out to processes, made ahead of their use.

The order of an epoch depends on the seed and the epoch alone, so a run can begin anywhere. Each process takes its part
of every batch: many processes compute the same batch as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.training.drawn import draw

Item = TypeVar("Item")
Made = TypeVar("Made")
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Share:
    """Which of the processes that train together this one is."""

    rank: int = 0
    world_size: int = 1

    def of(self, positions: Positions) -> slice:
        """Return this process's part of a batch; parts differ by one at most."""
        bounds = np.linspace(0, len(positions), self.world_size + 1).round().astype(int)
        return slice(int(bounds[self.rank]), int(bounds[self.rank + 1]))


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch, and the part of it that this process works on.

    Attributes:
        whole: the graphs of all processes: random features are drawn for it, so that a graph's do not depend on how
            many processes there are.
        graph: this process's part.
        nodes: where its nodes are in the whole.
        instance: the problem on ``graph``.
        weight: [num_graphs] 1, or 0 where a process has no graph of its own but must take part in the sum of gradients.
        epoch: which epoch it is of.
        number: which batch of the epoch it is.
    """

    whole: Graph
    graph: Graph
    nodes: slice
    instance: Instance
    weight: NDArray[np.float32]
    epoch: int = 0
    number: int = 0


def make_batch(
    graphs: Graph,
    problem: Problem,
    positions: Positions,
    share: Share,
    *,
    seed: int = 0,
    epoch: int = 0,
    number: int = 0,
) -> Batch:
    """Take graphs out of a data set, and declare the problem on this process's part of them.

    Options that the problem draws depend on seed, epoch and number, and not on how many processes there are.
    """
    whole = graphs[positions]
    own = share.of(positions)
    weight = 1.0 if own.stop > own.start else 0.0
    first, last = (own.start, own.stop) if weight else (0, 1)
    part = whole if (first, last) == (0, whole.num_graphs) else whole[first:last]
    return Batch(
        whole=whole,
        graph=part,
        nodes=slice(int(whole.node_ptr[first]), int(whole.node_ptr[last])),
        instance=draw(problem, whole, seed, epoch, number)[first:last].posed.declare(part),
        weight=np.full(part.num_graphs, weight, dtype=np.float32),
        epoch=epoch,
        number=number,
    )


def epoch_order(num_graphs: int, batch_size: int, seed: int, epoch: int) -> list[Positions]:
    """Return the positions of the graphs of each batch, [batch_size] but for the last one, which may be smaller.

    Example:
        >>> [len(each) for each in epoch_order(10, 4, seed=0, epoch=3)]
        [4, 4, 2]
    """
    order = np.random.default_rng([seed, epoch]).permutation(num_graphs)
    return [order[start : start + batch_size] for start in range(0, num_graphs, batch_size)]


def ahead(make: Callable[[Item], Made], items: Sequence[Item]) -> Iterator[Made]:
    """Map a function over items, each one in a thread of its own while the one before is used."""
    if not items:
        return
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(make, items[0])
        for item in items[1:]:
            ready, coming = coming.result(), pool.submit(make, item)
            yield ready
        yield coming.result()


class Batches(Iterable[Batch]):
    """The batches of an epoch, from a position that can be set.

    Attributes:
        epoch: which epoch comes next.
        start: the first batch of it.
        share: which process this is.
    """

    def __init__(self, graphs: Graph, problem: Problem, *, batch_size: int, seed: int) -> None:
        self.graphs = graphs
        self.problem = problem
        self.batch_size = batch_size
        self.seed = seed
        self.epoch = 0
        self.start = 0
        self.share = Share()

    @property
    def num_batches(self) -> int:
        """Number of batches of a whole epoch."""
        return -(-self.graphs.num_graphs // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        epoch, start = self.epoch, self.start
        order = epoch_order(self.graphs.num_graphs, self.batch_size, self.seed, epoch)

        def make(number: int) -> Batch:
            where = {"seed": self.seed, "epoch": epoch, "number": number}
            return make_batch(self.graphs, self.problem, order[number], self.share, **where)

        return ahead(make, range(start, len(order)))
