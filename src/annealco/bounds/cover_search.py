"""Bring down the number of classes of a partition, one after the other, with restarts."""

from __future__ import annotations

import numpy as np

from annealco.bounds.partial_cover import OUT, ClashMatrix, PartialCover, search, start_search
from annealco.graph.segments import IntArray

PATIENCE = 10
"""Moves a node without fewer nodes out than before, after which a search is shaken."""

SHAKEN = 0.2
"""Share of the classes that are emptied then."""


class CoverSearch:
    """A search for ever smaller partitions into classes without clashes.

    Args:
        clash: [num_nodes, num_nodes], which two nodes cannot share a class.
        label: [num_nodes] a partition into classes 0, 1, ... without clashes.
        seed: of the random choices; the same seed and number of moves give the same partitions.

    Attributes:
        label: [num_nodes] the smallest partition so far.
    """

    def __init__(self, clash: ClashMatrix, label: IntArray, *, seed: int) -> None:
        self.clash = clash
        self.label = label
        self._rng = np.random.default_rng(seed)
        self._fewest, self._since = len(label), 0
        self._aim()

    @property
    def num_classes(self) -> int:
        return int(self.label.max(initial=-1)) + 1

    def run(self, moves: int) -> int:
        """Make up to so many moves, but stop at a smaller partition; return how many, 0 where none can be smaller."""
        if self.num_classes <= 1:
            return 0
        before = int(self._cover.tally[2])
        complete = search(self.clash, self._cover, moves)
        done = int(self._cover.tally[2]) - before
        if complete:
            self.label = self._cover.label.copy()
            self._aim()
            return max(done, 1)
        if self._cover.tally[1] < self._fewest:
            self._fewest, self._since = int(self._cover.tally[1]), int(self._cover.tally[2])
        elif self._cover.tally[2] - self._since > PATIENCE * len(self.label):
            self._shake()
        return done

    def _aim(self) -> None:
        """Dissolve the smallest class and look for one class less."""
        size = np.bincount(self.label)
        rank = np.empty(len(size), np.int64)
        rank[np.argsort(-size, kind="stable")] = np.arange(len(size))
        self._begin(rank[self.label], max(len(size) - 1, 0))

    def _shake(self) -> None:
        label, num_classes = self._cover.label, len(self._cover.clashes)
        emptied = self._rng.random(num_classes) < SHAKEN
        self._begin(np.where((label != OUT) & emptied[label], OUT, label), num_classes)

    def _begin(self, label: IntArray, num_classes: int) -> None:
        seed = int(self._rng.integers(2**62))
        self._cover: PartialCover = start_search(self.clash, label, num_classes, seed)
        self._fewest, self._since = int(self._cover.tally[1]), 0
