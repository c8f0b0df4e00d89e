"""Draw the graphs of a synthetic set: those of its generator, with random weights where the set is weighted."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from annealco.graph.datasets.dataset import Drawn
from annealco.graph.datasets.splits import first_number
from annealco.graph.generators import generate
from annealco.graph.graph import Graph

MAX_WEIGHT = 100
"""Weights are uniform among the integers from 1 to this."""

_PLANTED = ("planted", "planted_size")


def draw(origin: Drawn, split: str, *, seed: int, start: int, count: int) -> Graph:
    """Draw the graphs ``start .. start + count - 1`` of a split.

    The weighted variant of a set has the same graphs. What was planted in them is no optimum any longer and is left
    out.

    Example:
        >>> test = draw(Drawn("ba-small", weighted=True), "test", seed=0, start=3, count=1)
        >>> sorted(test.node_data), bool(test.node_weight.max() <= 100)
        ([], True)
    """
    first = first_number(split) + start
    graph = generate(origin.generator, count=count, seed=seed, start=first)
    if not origin.weighted:
        return graph
    sizes = np.diff(graph.node_ptr).tolist()
    parts = [_weights(origin.generator, seed, first + place, size) for place, size in enumerate(sizes)]
    return replace(
        graph,
        node_weight=np.concatenate([np.zeros(0), *parts]),
        node_data={key: array for key, array in graph.node_data.items() if key not in _PLANTED},
        graph_data={key: array for key, array in graph.graph_data.items() if key not in _PLANTED},
    )


def _weights(generator: str, seed: int, number: int, size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Draw the weights of one graph, [size]; the stream is not that of its edges."""
    stream = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(f"{generator}-weighted".encode()), number))
    rng = np.random.Generator(np.random.PCG64(stream))
    return rng.integers(1, MAX_WEIGHT, size=size, endpoint=True).astype(np.float64)
