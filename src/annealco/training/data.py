"""What a network learns from: graphs, the problem on them, and batches.

**Graphs** are named data sets or files, split into train, validation and test. Named sets have their own splits; a
part of a real set leaves out graphs that are in a later part too. Files are shuffled and split 60/20/20. In both cases
a part depends on the name (or the files), the part and the seed alone. Names joined by +, or in a list, are a mixture,
in equal shares or in those that are given: ``rb-small:3+twitter`` has three graphs of the one to one of the other.

**Instances** are a problem on graphs, with options drawn for each graph where the problem draws some: a cut is asked
for with another seed node and volume every time, and a network that has learned one box only fails on others.

**Batches** are shuffled, declared, shared out to processes and made ahead of their use. The order of an epoch depends
on the seed and the epoch alone, so a run can begin anywhere. Each process takes its part of every batch: many processes
compute the same batch as one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from annealco.datasets import DATASETS, load_dataset
from annealco.energy import Instance
from annealco.errors import InputError
from annealco.graph.construction import Names
from annealco.graph.formats import Format, read_graph
from annealco.graph.formats.named import graph_files
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from annealco.problems import Problem, find_problem
from annealco.terminal import watched

SPLITS = {"train": 0.6, "validation": 0.2, "test": 0.2}
"""The parts, and their shares of the graphs in files."""

Source = Any
"""A name of a data set, a file or a folder of them, a list of either, or graphs in any container."""


def load_graphs(
    source: Source,
    split: str,
    count: int | None = None,
    seed: int = 0,
    problem: Problem | None = None,
    **names: Any,
) -> Graph:
    """Return the graphs of one part of a data set.

    Args:
        source: a name in `DATASETS` or several joined by + (each with its share behind a colon where they are not
            equal), a graph file, a folder of graph files, a list of names or of files and folders, or graphs in any
            container that `as_graph` takes.
        split: ``train``, ``validation`` or ``test``.
        count: how many graphs of a set that is drawn on demand, and the most of others; all by default.
        seed: of the draws, and of the shuffle of files.
        problem: whose containers and formats of files are read too.
        **names: what files and containers call their parts, as in `as_graph`; sets have no use for them.

    Raises:
        InputError: for an unknown name or split, unreadable files, and too few graphs to split.

    Example:
        >>> load_graphs("ba-small", "train", 2).num_graphs  # doctest: +SKIP
        2
    """
    if split not in SPLITS:
        raise InputError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if count is not None and count < 1:
        raise InputError(f"a data set needs at least 1 graph for {split}, {count} are asked for")
    given = source if isinstance(source, Graph) else as_source(source, problem, **names)
    sets = [] if isinstance(given, Graph) else [name for name in given if _is_set(name)]
    if sets and len(sets) == len(given):
        Names(**names).taken(f"the set {sets[0]}")
        return _mixture("+".join(sets).split("+"), split, count, seed)
    if sets:
        other = next(name for name in given if name not in sets)
        raise InputError(f"sets can be mixed with sets only: {sets[0]!r} is one, {other!r} is none")
    graphs = given if isinstance(given, Graph) else _read(given, () if problem is None else problem.formats, **names)
    return graphs[_part(graphs.num_graphs, split, seed)[:count]]


def as_source(data: Source, problem: Problem | None = None, **names: Any) -> list[str] | Graph:
    """Return names and paths as a list of text, and what holds graphs, for any problem or for this one, as graphs.

    Example:
        >>> as_source("rb-small"), as_source([[(0, 1), (1, 2)], [(0, 1)]])
        (['rb-small'], Graph(2 graphs, 5 nodes, 3 edges))
    """
    given = [data] if isinstance(data, str | PathLike) else data
    if isinstance(given, Graph):
        return as_graph(given, **names)
    own = None if problem is None else problem.read_own(given, **names)
    if own is not None:
        return _bare(own.graphs)
    if not isinstance(given, list | tuple) or not all(isinstance(each, str | PathLike) for each in given):
        return _bare(as_graph(given, **names))
    paths = [fspath(each) for each in given]
    if not paths:
        raise InputError("no data is given")
    if "" in paths:
        raise InputError("the name of data must not be empty")
    return paths


def _is_set(name: str) -> bool:
    """Tell whether a name is that of a set, or of several; a file of the same name comes before several."""
    return name in DATASETS or (not _exists(name) and ("+" in name or name.partition(":")[0] in DATASETS))


def _load_set(name: str, split: str, count: int | None, seed: int) -> Graph:
    if DATASETS[name].kind == "synthetic":
        return load_dataset(name, split, count=count, seed=seed)
    return _without_twins(name, split, seed)[:count]


def _without_twins(name: str, split: str, seed: int) -> Graph:
    """Return a part of a real set without the graphs that stand, node by node the same, in a later part too.

    Real sets hold many graphs several times: what is learned from must not be what is tested on. Comparisons test on
    the part that no seed gives, whatever was trained with: its graphs are left out too.
    """
    graphs = load_dataset(name, split, seed=seed)
    last = list(SPLITS)[-1]
    later = list(SPLITS)[list(SPLITS).index(split) + 1 :]
    others = [load_dataset(name, other, seed=seed) for other in later]
    if split != last:
        others.append(load_dataset(name, last))
    taken = {fingerprint(each) for part in others for each in part}
    return graphs[np.flatnonzero([fingerprint(each) not in taken for each in graphs])]


def _mixture(parts: list[str], split: str, count: int | None, seed: int) -> Graph:
    """Return shares of some sets, one after the other; a set that has fewer graphs gives all it has."""
    # A set that is named twice gives twice as many graphs, not the same ones twice.
    shares: Counter[str] = Counter()
    for name, share in map(_share, parts):
        shares[name] += share
    if len(shares) == 1 or count is None:
        loaded = [_load_set(name, split, count, seed) for name in shares]
        return loaded[0] if len(loaded) == 1 else Graph.batch(loaded)
    ends = [count * end // shares.total() for end in accumulate(shares.values(), initial=0)]
    counts = [last - first for first, last in pairwise(ends)]
    if min(counts) < 1:
        raise InputError(f"{count} graphs for {split} are too few for the shares of {'+'.join(parts)}")
    return Graph.batch([_load_set(name, split, own, seed) for name, own in zip(shares, counts, strict=True)])


def _share(part: str) -> tuple[str, int]:
    """Return the name and the share of a part of a mixture, 1 where none is given."""
    name, colon, share = part.partition(":")
    if name not in DATASETS:
        raise InputError(f"no set {name!r} to mix; choose of {', '.join(DATASETS)}")
    if colon and not re.fullmatch("[1-9][0-9]{0,5}", share):
        raise InputError(f"the share of {name} in a mixture must be a whole number from 1 to 999999, it is {share!r}")
    return name, int(share or 1)


def _part(total: int, split: str, seed: int) -> Any:
    """Return the positions of the graphs of a part, in ascending order."""
    if total < len(SPLITS):
        raise InputError(f"at least {len(SPLITS)} graphs are needed to split them, there are {total}")
    names = list(SPLITS)
    # Every part gets a graph, however few there are.
    inner = np.round(np.cumsum([SPLITS[name] for name in names])[:-1] * total).astype(int)
    inner = np.clip(inner, [1, 2], [total - 2, total - 1])
    order = np.random.default_rng(seed).permutation(total)
    return np.sort(np.split(order, inner)[names.index(split)])


def _read(paths: list[str], formats: Sequence[Format], **names: Any) -> Graph:
    files = [file for path in paths for file in _files(Path(path), path, formats)]
    return _bare(Graph.batch([read_graph(file, formats=formats, **names) for file in watched(files, "reading")]))


def _bare(graphs: Graph) -> Graph:
    """Leave out names and labels of nodes, which are of no use here, and slow to slice."""
    kept = {"planted": graphs.node_data["planted"]} if "planted" in graphs.node_data else {}
    bare = graphs.bare()
    return replace(bare, node_data={**bare.node_data, **kept})


def _files(path: Path, given: str, formats: Sequence[Format]) -> list[Path]:
    """Return a file, or the graph files of a folder by name."""
    if not _exists(path):
        choices = ", ".join(DATASETS)
        raise InputError(f"no data {given!r}: it is neither a file or folder nor one of {choices}")
    return graph_files(path, formats=formats)


def _exists(path: str | Path) -> bool:
    """Tell whether there is such a file or folder; of a name that none can have there is not."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def fingerprint(graphs: Graph) -> str:
    """Return a digest of nodes, edges, weights and coefficients, by which graphs are known again."""
    digest = hashlib.sha256()
    for array in (graphs.node_ptr, graphs.edges, graphs.node_weight, graphs.edge_weight):
        digest.update(np.ascontiguousarray(array).data)
    for key, array in graphs.coefficients.items():
        digest.update(key.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Drawn:
    """A problem on a batch of graphs.

    Attributes:
        problem: without the options that were drawn.
        options: each one value a graph, [num_graphs, ...]; none where the problem draws none.
    """

    problem: Problem
    options: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, part: slice) -> Drawn:
        """Return the problem on some of the graphs."""
        return Drawn(self.problem, {name: values[part] for name, values in self.options.items()})

    @cached_property
    def posed(self) -> Problem:
        """The problem with the options of these graphs."""
        return self.problem.with_options(**self.options) if self.options else self.problem


def draw(problem: Problem, graphs: Graph, *seed: int) -> Drawn:
    """Draw the options of every graph; those that a user has set stay as they are.

    Args:
        problem: any.
        graphs: a batch.
        *seed: numbers that together decide what is drawn.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> triangle = Graph.from_edges([[0, 0, 1], [1, 2, 2]])
        >>> draw(PROBLEMS["cut"], triangle, 0, 1).options["volume"].shape, draw(PROBLEMS["mis"], triangle, 0).options
        ((1, 2), {})
    """
    if problem.draw is None or problem.set_options:
        return Drawn(problem)
    one = int(np.random.SeedSequence(seed).generate_state(1)[0])
    return Drawn(problem, problem.draw(graphs, one))


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


def batches_of_epoch(
    graphs: Graph, problem: Problem, share: Share, *, batch_size: int, seed: int, epoch: int, start: int = 0
) -> Iterator[Batch]:
    """Yield the batches of an epoch from a position on, each made while the one before is used."""
    order = epoch_order(graphs.num_graphs, batch_size, seed, epoch)

    def make(number: int) -> Batch:
        return make_batch(graphs, problem, order[number], share, seed=seed, epoch=epoch, number=number)

    return ahead(make, range(start, len(order)))


def trainable_problem(problem: str | Problem) -> Problem:
    """Return a problem by its name, or the one that was given.

    Raises:
        InputError: for an unknown name, for a quotient: no energy is its expectation; and for a problem of the user's
            own with the name of one of the package, whose networks would be taken for one another's.
    """
    problem = find_problem(problem, unmistakable=True)
    if problem.at_price is not None:
        other = f"train {problem.learned_as}, whose networks propose sets for it too"
        raise InputError(f"{problem.name} is a quotient, which no network learns: {other}")
    return problem
