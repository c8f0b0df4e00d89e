"""A ring with chords: a small graph on which nothing is special, to warm up on and to ask methods about."""

from __future__ import annotations

import numpy as np

from annealco.graph.graph import Graph

CHORD = 7
"""How far a chord reaches round the ring."""


def ring_with_chords(num_nodes: int = 40) -> Graph:
    """Return a graph whose nodes all have four neighbours: reductions and enumeration leave it to whoever searches.

    Args:
        num_nodes: more than twice as many as a chord passes.

    Example:
        >>> ring_with_chords(16).degree.tolist() == [4] * 16
        True
    """
    node = np.arange(num_nodes)
    return Graph.from_edges([np.tile(node, 2), np.concatenate([(node + 1) % num_nodes, (node + CHORD) % num_nodes])])
