"""Fix the instances of the cut protocol: a graph, a seed node, and a box for the volume.

For each seed node s of a graph with volume vol(G), a share f = 0.1 + 0.85·U(0,1)·vol(ball)/vol(G) is drawn, where the
ball has the nodes within six steps of s, as far as the paper's network sees. The target is T = f·vol(G) rounded to an
integer, and the set with s in it must have a volume from 0.75·T to 1.25·T. A target that no set can meet is drawn
again. Seed nodes have neighbours, and are distinct where the graph has enough of them.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import as_file, files
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from annealco.arguments import as_integer
from annealco.arrays import has_sum_within
from annealco.datasets.load import load_dataset
from annealco.datasets.registry import find_dataset
from annealco.errors import InputError
from annealco.graph.formats.npz import dump_arrays, load_arrays
from annealco.graph.generators.presets import MAX_SEED
from annealco.graph.graph import Graph

RADIUS = 6
LEAST_SHARE, SHARE_RANGE = 0.1, 0.85
LOWER, UPPER = 0.75, 1.25
MAX_DRAWS = 1000
STORED_SETS = ("twitter", "facebook", "sf295-subset", "nci60")
"""Sets whose test instances are kept in the package."""


@dataclass(frozen=True, eq=False)
class CutInstances:
    """Instances of the cut protocol, graph by graph.

    Attributes:
        graph: [num_instances] number of the graph in its split.
        seed_node: [num_instances] the node that must be in the set, numbered in its graph.
        target: [num_instances] the target volume T.
    """

    graph: NDArray[np.int64]
    seed_node: NDArray[np.int64]
    target: NDArray[np.int64]

    @cached_property
    def volume(self) -> NDArray[np.float64]:
        """The bounds D0 = 0.75·T and D1 = 1.25·T of the volume, [num_instances, 2]."""
        return np.multiply.outer(self.target, [LOWER, UPPER]).astype(np.float64)

    def __len__(self) -> int:
        return len(self.graph)

    def __getitem__(self, index: slice | NDArray[np.generic]) -> CutInstances:
        return CutInstances(self.graph[index], self.seed_node[index], self.target[index])


def cut_instances(
    name: str,
    split: str = "test",
    *,
    seeds_per_graph: int | None = None,
    seed: int = 0,
    data_root: str | PathLike[str] | None = None,
) -> CutInstances:
    """Return the instances of a split, the same for every method.

    Those of the test splits that tables speak of are stored in the package; others are drawn.

    Args:
        name: a key of `DATASETS`.
        split: ``train``, ``validation``, ``test`` or ``all``.
        seeds_per_graph: by default that of the set: 10 for molecules, 30 for Twitter, 100 for Facebook.
        seed: of seed nodes, targets and the split.
        data_root: the data folder, by default ``ANNEALCO_DATA``.

    Example:
        >>> few = cut_instances("twitter")[:2]
        >>> few.graph.tolist(), few.volume.shape
        ([0, 0], (2, 2))
    """
    dataset = find_dataset(name)
    seeds = dataset.cut_seeds if seeds_per_graph is None else as_integer("seeds_per_graph", seeds_per_graph, 1, 2**20)
    if seeds is None:
        raise InputError(f"{name} has no number of seed nodes of its own; give seeds_per_graph")
    as_integer("seed", seed, 0, MAX_SEED)
    if (split, seed, seeds) == ("test", 0, dataset.cut_seeds) and name in STORED_SETS:
        return stored_instances(name)
    return draw_instances(load_dataset(name, split, seed=seed, data_root=data_root), seeds, name=name, seed=seed)


def draw_instances(graphs: Graph, seeds_per_graph: int, *, name: str, seed: int) -> CutInstances:
    """Draw instances on graphs; those of a graph depend on name, seed and its number alone.

    Args:
        graphs: a split.
        seeds_per_graph: instances a graph; a graph without edges has none.
        name: of the set.
        seed: of the draws.
    """
    rows = []
    for number, graph in enumerate(graphs):
        stream = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(f"cut {name}".encode()), number))
        rng = np.random.Generator(np.random.PCG64(stream))
        nodes = np.resize(rng.permutation(np.flatnonzero(graph.degree)), seeds_per_graph * (graph.num_edges > 0))
        balls = _ball_volumes(graph, nodes)
        targets = [_draw_target(graph, int(node), ball, rng) for node, ball in zip(nodes, balls, strict=True)]
        rows.append(np.stack([np.full(len(nodes), number), nodes, np.array(targets, np.int64)]))
    return CutInstances(*np.concatenate([np.zeros((3, 0), np.int64), *rows], axis=1).astype(np.int64))


def _ball_volumes(graph: Graph, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the volume within ``RADIUS`` steps of each node, [len(nodes)]."""
    from scipy.sparse import csr_array

    reached = np.zeros((graph.num_nodes, len(nodes)), dtype=np.float32)
    reached[nodes, np.arange(len(nodes))] = 1
    ones = np.ones(len(graph.indices), dtype=np.float32)
    adjacency = csr_array((ones, graph.indices, graph.indptr), shape=(graph.num_nodes, graph.num_nodes))
    for _ in range(RADIUS):
        reached = ((adjacency @ reached + reached) > 0).astype(np.float32)
    return graph.degree @ reached.astype(np.int64)


def _draw_target(graph: Graph, node: int, ball: int, rng: np.random.Generator) -> int:
    """Draw a target volume until some set with the node meets it."""
    whole = 2 * graph.num_edges
    for _ in range(MAX_DRAWS):
        share = LEAST_SHARE + SHARE_RANGE * rng.random() * ball / whole
        target = max(1, round(share * whole))
        if _is_feasible(graph, node, target, whole):
            return target
    raise InputError(f"no target volume was found for seed node {node} in {MAX_DRAWS:,} draws")


def _is_feasible(graph: Graph, node: int, target: int, whole: int) -> bool:
    """Tell whether a set with the node has a volume in the box of the target."""
    low, high = int(np.ceil(LOWER * target)), min(int(np.floor(UPPER * target)), whole)
    start = int(graph.degree[node])
    if not max(low, start) <= high:
        return False
    # Nodes added one by one cannot jump over a box that is wide enough.
    if start >= low or high - low >= graph.degree.max() - 1:
        return True
    return has_sum_within(np.delete(graph.degree, node), start, low, high)


def dump_instances(instances: CutInstances) -> bytes:
    """Return instances as a NumPy archive of small integers; the same instances give the same bytes."""
    arrays = {"graph": instances.graph, "seed_node": instances.seed_node, "target": instances.target}
    return dump_arrays({key: array.astype(np.min_scalar_type(array.max(initial=0))) for key, array in arrays.items()})


def stored_instances(name: str) -> CutInstances:
    """Read the instances of a test split from the package."""
    keys = ("graph", "seed_node", "target")
    with as_file(files("annealco.datasets") / "cuts" / f"{name}.npz") as path:
        arrays = load_arrays(path, keys.__contains__)
    return CutInstances(*(arrays[key].astype(np.int64) for key in keys))
