"""The named sets of graphs: what each holds, where it comes from, and what must be true of it.

Each generator has a synthetic set and a variant with random node weights. Real sets are published collections of
graphs, read from files or converted from public archives.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from annealco.datasets.readers import read_ego_networks, read_facebook100, tu_reader
from annealco.datasets.splits import DEFAULT_COUNTS, first_number
from annealco.errors import InputError, did_you_mean
from annealco.graph.generators import GENERATORS, generate
from annealco.graph.graph import Graph

TOLERANCE = 0.0051
"""Published means have two digits behind the point."""

MAX_WEIGHT = 100
"""Node weights of a weighted set are uniform among the integers from 1 to this."""

MEASURED = 200
"""Training graphs at seed 0 whose mean numbers of nodes and edges are listed."""

_PLANTED = ("planted", "planted_size")


@dataclass(frozen=True)
class DrawnOrigin:
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
class StoredOrigin:
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
        origin: how its graphs are drawn, or where they are stored.
        problems: names of the problems it serves.
        source: where it comes from.
        licence: what its makers say about its use.
        graphs: number of graphs; of a drawn set, those of the three default splits.
        mean_nodes: mean number of nodes; of a drawn set, measured on the first graphs.
        mean_edges: mean number of edges without self-loops; of a drawn set, measured on the first graphs.
        published: graphs, mean nodes and mean edges as they are published, or None.
        note: what must be known before its figures are compared.
        cut_seeds: seed nodes per graph in the cut protocol, or None where it has none.
    """

    name: str
    title: str
    origin: DrawnOrigin | StoredOrigin
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
        return "synthetic" if isinstance(self.origin, DrawnOrigin) else "real"

    @property
    def drawn(self) -> DrawnOrigin:
        """How a synthetic set is drawn; an InputError for a real one."""
        if isinstance(self.origin, DrawnOrigin):
            return self.origin
        raise InputError(f"{self.name} is read from a file, it cannot be drawn")

    @property
    def stored(self) -> StoredOrigin:
        """Where a real set is stored; an InputError for a synthetic one."""
        if isinstance(self.origin, StoredOrigin):
            return self.origin
        raise InputError(f"{self.name} is drawn, it has no file")


def check_statistics(dataset: Dataset, graph: Graph, place: str) -> None:
    """Raise InputError unless the graphs of a stored set have the listed number and mean sizes.

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


def draw(origin: DrawnOrigin, split: str, *, seed: int, start: int, count: int) -> Graph:
    """Draw the graphs ``start .. start + count - 1`` of a split.

    The weighted variant of a set has the same graphs. What was planted in them is no optimum any longer and is left
    out.

    Example:
        >>> test = draw(DrawnOrigin("ba-small", weighted=True), "test", seed=0, start=3, count=1)
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


_SIZES: dict[str, tuple[float, float]] = {
    "rb-small": (225.73, 4038.91),
    "rb-small-complement": (228.18, 21828.48),
    "rb-small-unforced": (227.96, 4242.30),
    "rb-small-unforced-complement": (228.01, 21967.28),
    "rb-large": (1019.00, 50812.94),
    "rb-large-complement": (1009.54, 463674.15),
    "rb-large-unforced": (1008.27, 51396.56),
    "rb-large-unforced-complement": (1020.98, 476521.43),
    "ba-small": (248.30, 977.20),
    "er-small": (251.97, 4804.53),
    "regular-small": (245.91, 368.87),
    "ba-large": (1003.99, 3999.94),
    "er-large": (999.72, 75808.15),
    "regular-large": (995.05, 1492.58),
}

_PROBLEMS: dict[str, tuple[str, ...]] = {
    "rb": ("mis", "vertex_cover", "clique"),
    "complement": ("clique",),
    "ba": ("mds", "mis", "max_cut"),
    "er": ("mis", "clique", "max_cut"),
    "regular": ("mis", "max_cut"),
}
"""Problems by the first and, where it is listed, the last word of a generator's name."""


def _pair(generator: str) -> list[Dataset]:
    """Return the set of a generator, and its weighted variant."""
    words = generator.split("-")
    problems = _PROBLEMS.get(words[-1], _PROBLEMS[words[0]])
    # Node weights say nothing about a cut.
    weighable = tuple(problem for problem in problems if problem != "max_cut")
    title = GENERATORS[generator].description
    nodes, edges = _SIZES[generator]
    return [
        Dataset(
            name=generator + suffix,
            title=title + more,
            origin=DrawnOrigin(generator, weighted=bool(suffix)),
            problems=serves,
            source="drawn by annealco",
            licence="MIT, as annealco",
            graphs=sum(DEFAULT_COUNTS.values()),
            mean_nodes=nodes,
            mean_edges=edges,
            note=note,
        )
        for suffix, more, serves, note in (
            ("", "", problems, ""),
            (
                "-weighted",
                f", node weights 1-{MAX_WEIGHT}",
                weighable,
                f"The graphs of {generator} with uniform integer weights; no optimum is known in advance.",
            ),
        )
    ]


SYNTHETIC: tuple[Dataset, ...] = tuple(dataset for generator in GENERATORS for dataset in _pair(generator))


_TU = "https://www.chrsmrrs.com/graphkerneldatasets"
_SNAP = "https://snap.stanford.edu/data/twitter.tar.gz"
_FACEBOOK = "https://archive.org/download/oxford-2005-facebook-matrix/facebook100.zip"
_YANARDAG = "Yanardag and Vishwanathan, KDD 2015; TUDataset"
_NO_TERMS = "none stated"
_NCI = "PubChem bioassays of the NCI-60 screen, by Pan et al., TKDE 2015 and 2016"
_CITE = "none stated; the authors ask for citation"


def _tu(name: str) -> StoredOrigin:
    return StoredOrigin(f"{name}.npz", f"{_TU}/{name}.zip", tu_reader(name))


REAL: tuple[Dataset, ...] = (
    Dataset(
        name="collab",
        title="ego networks of scientific collaboration",
        origin=_tu("COLLAB"),
        problems=("mis", "clique", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=5000,
        mean_nodes=74.49,
        mean_edges=2457.22,
        published=(5000, 74.49, 2457.78),
        note="The published mean counts 2,837 self-loops, which are dropped here.",
    ),
    Dataset(
        name="twitter",
        title="the 973 ego networks of SNAP ego-Twitter",
        origin=StoredOrigin("TWITTER.npz", _SNAP, read_ego_networks),
        problems=("mis", "clique", "mds", "cut"),
        source="McAuley and Leskovec, NIPS 2012; SNAP ego-Twitter",
        licence=_CITE,
        graphs=973,
        mean_nodes=131.76,
        mean_edges=1709.32,
        published=(973, 131.76, 1709.33),
        note="Arcs without direction, without 22 self-loops and without the ego; not TUDataset's "
        "TWITTER-Real-Graph-Partial.",
        cut_seeds=30,
    ),
    Dataset(
        name="facebook",
        title="the 70 colleges of Facebook100 with fewer than 15,000 nodes",
        origin=StoredOrigin("FACEBOOK100.npz", _FACEBOOK, read_facebook100),
        problems=("cut",),
        source="Traud, Mucha and Porter, Physica A 2012",
        licence=_CITE,
        graphs=70,
        mean_nodes=7252.71,
        mean_edges=276411.19,
        published=(70, 7252.71, 276411.19),
        cut_seeds=100,
    ),
    Dataset(
        name="imdb",
        title="ego networks of actors who played together (IMDB-BINARY)",
        origin=_tu("IMDB-BINARY"),
        problems=("mis", "clique", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=1000,
        mean_nodes=19.77,
        mean_edges=96.53,
        published=(1000, 19.77, 96.53),
    ),
    Dataset(
        name="reddit",
        title="discussion threads as graphs of users (REDDIT-BINARY)",
        origin=_tu("REDDIT-BINARY"),
        problems=("mis", "vertex_cover", "mds"),
        source=_YANARDAG,
        licence=_NO_TERMS,
        graphs=2000,
        mean_nodes=429.63,
        mean_edges=497.75,
        published=(2000, 429.63, 497.75),
    ),
    Dataset(
        name="sf295",
        title="molecules screened against the cell line SF-295, the full set",
        origin=_tu("SF-295"),
        problems=("cut",),
        source="PubChem bioassay 47; TUDataset",
        licence=_NO_TERMS,
        graphs=40271,
        mean_nodes=26.06,
        mean_edges=28.09,
        published=(40271, 26.06, 28.09),
        cut_seeds=10,
    ),
    Dataset(
        name="sf295-subset",
        title="molecules screened against SF-295, a part only: 3,470 of 40,271",
        origin=StoredOrigin("SF-295-subset.npz"),
        problems=("cut",),
        source=_NCI,
        licence=_CITE,
        graphs=3470,
        mean_nodes=30.00,
        mean_edges=32.73,
        note="A part only, half of it active molecules, which are larger than those of SF-295 (published: 40,271 "
        "graphs, 26.06 nodes, 28.09 edges). graph_data['representative'] marks 1,827 graphs with its class shares.",
        cut_seeds=10,
    ),
    Dataset(
        name="nci60",
        title="molecules of nine NCI-60 screens, a stand-in for SF-295",
        origin=StoredOrigin("NCI60.npz"),
        problems=("cut",),
        source=_NCI,
        licence=_CITE,
        graphs=16589,
        mean_nodes=26.95,
        mean_edges=29.29,
        note="A stand-in for SF-295, not SF-295; it contains sf295-subset. graph_data['representative'] marks 13,555 "
        "graphs with its class shares.",
        cut_seeds=10,
    ),
)


DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in (*SYNTHETIC, *REAL)}
"""The sets by name."""


def find_dataset(name: str) -> Dataset:
    """Return a set by its name, or raise an error that lists the names."""
    if name not in DATASETS:
        raise InputError(
            f"unknown data set {name!r}; {did_you_mean(name, DATASETS)}choose one of {', '.join(DATASETS)}"
        )
    return DATASETS[name]
