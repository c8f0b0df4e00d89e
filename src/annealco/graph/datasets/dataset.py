"""Say what a named set of graphs is: what it holds, where it comes from, and what must be true of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph

TOLERANCE = 0.0051
"""Published means have two digits behind the point."""


@dataclass(frozen=True)
class Drawn:
    """A set that is drawn at random, the same graphs for the same seed.

    Attributes:
        generator: a name in `GENERATORS`.
        weighted: whether the nodes get random integer weights.
        version: changes whenever the same seed gives other graphs than before.
    """

    generator: str
    weighted: bool = False
    version: int = 1


@dataclass(frozen=True)
class Stored:
    """A set that is read from a file.

    Attributes:
        file: its name in the data folder.
        url: the public archive it can be made from, or None where there is none.
        convert: makes graphs of the downloaded archive.
    """

    file: str
    url: str | None = None
    convert: Callable[[Path], Graph] | None = None


@dataclass(frozen=True)
class Dataset:
    """A named set of graphs.

    Attributes:
        name: what commands and recipes call it.
        title: one line for people.
        origin: how its graphs are had.
        problems: names of the problems it serves.
        source: where it comes from.
        licence: what its makers say about its use.
        graphs: number of graphs; of a drawn set, those of the three default splits.
        mean_nodes: mean number of nodes; of a drawn set, measured on the first graphs.
        mean_edges: mean number of edges without self-loops; of a drawn set, measured on the first graphs.
        published: graphs, mean nodes and mean edges as they are published, or None.
        note: what must be known before its figures are compared.
        cut_seeds: seed nodes a graph in the cut protocol, or None where it has none.
    """

    name: str
    title: str
    origin: Drawn | Stored
    problems: tuple[str, ...]
    source: str
    licence: str
    graphs: int
    mean_nodes: float
    mean_edges: float
    published: tuple[int, float, float] | None = None
    note: str = ""
    cut_seeds: int | None = None

    @property
    def kind(self) -> str:
        return "synthetic" if isinstance(self.origin, Drawn) else "real"

    @property
    def drawn(self) -> Drawn:
        """How a synthetic set is drawn; an InputError for a real one."""
        if isinstance(self.origin, Drawn):
            return self.origin
        raise InputError(f"{self.name} is read from a file, it cannot be drawn")

    @property
    def stored(self) -> Stored:
        """Where a real set is stored; an InputError for a synthetic one."""
        if isinstance(self.origin, Stored):
            return self.origin
        raise InputError(f"{self.name} is drawn, it has no file")


def check_statistics(dataset: Dataset, graph: Graph, place: str) -> None:
    """Raise InputError unless the graphs of a stored set have the size that they should.

    Args:
        dataset: a stored set.
        graph: all its graphs.
        place: the file that errors name.
    """
    if graph.num_graphs != dataset.graphs:
        raise InputError(f"{dataset.name} has {dataset.graphs:,} graphs, this has {graph.num_graphs:,}", origin=place)
    expected = {"nodes": dataset.mean_nodes, "edges": dataset.mean_edges}
    found = np.array([graph.num_nodes, graph.num_edges]) / max(graph.num_graphs, 1)
    for (what, mean), value in zip(expected.items(), found.tolist(), strict=True):
        if abs(mean - value) > TOLERANCE:
            raise InputError(f"{dataset.name} has {mean:,} {what} on average, this has {value:,.2f}", origin=place)
