"""The cases that have a reference: each test graph of a set; for cuts each instance (graph, seed node, volume box)."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from annealco.datasets import Dataset, load_dataset
from annealco.datasets.cut_instances import CutInstances, cut_instances
from annealco.datasets.splits import DEFAULT_COUNTS, members
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem

SPLIT, SEED = "test", 0


class Case(NamedTuple):
    """One problem with its options, on one graph.

    Attributes:
        number: of the graph or instance.
        problem: with its options set.
        graph: without labels, so that nodes are their numbers.
        planted: nodes that the generator planted, or none.
        has_volume: whether the volume of a set is of interest.
    """

    number: int
    problem: Problem
    graph: Graph
    planted: tuple[int, ...] = ()
    has_volume: bool = False


@dataclass(frozen=True, eq=False)
class Cases:
    """All cases of a set's test split.

    Attributes:
        problem: without options.
        graphs: the split.
        instances: for problems with a seed node.
    """

    problem: Problem
    graphs: Graph
    instances: CutInstances | None = None

    def __len__(self) -> int:
        return self.graphs.num_graphs if self.instances is None else len(self.instances)

    def __getitem__(self, number: int) -> Case:
        place = number if self.instances is None else int(self.instances.graph[number])
        one = self.graphs[place]
        graph = Graph(one.node_ptr, one.edges, one.node_weight, one.edge_weight)
        planted = one.node_data.get("planted")
        hidden = () if planted is None else tuple(planted.nonzero()[0].tolist())
        if self.instances is None:
            return Case(number, self.problem, graph, hidden)
        options: dict[str, Any] = {
            "volume": tuple(self.instances.volume[number].tolist()),
            "seed_node": int(self.instances.seed_node[number]),
        }
        return Case(number, self.problem.with_options(**options), graph, has_volume=True)


def load_cases(dataset: Dataset, problem: Problem, *, data_root: str | PathLike[str] | None = None) -> Cases:
    """Load the test split of a set, and the instances where the problem wants a seed node."""
    instances = _instances(dataset, problem, data_root)
    return Cases(problem, load_dataset(dataset.name, SPLIT, seed=SEED, data_root=data_root), instances)


def count_cases(dataset: Dataset, problem: Problem) -> int:
    """Return how many cases a set has, without its graphs; for cuts their number is known where they are stored."""
    if problem.node_options:
        return len(_instances(dataset, problem, None) or ())
    if dataset.kind == "synthetic":
        return DEFAULT_COUNTS[SPLIT]
    return len(members(dataset.name, SPLIT, dataset.graphs, SEED))


def planted_reference(case: Case) -> tuple[float, str] | None:
    """Return the size of a planted set, which is the optimum of a packing without weights, or None."""
    if not case.planted or not np.all(case.graph.node_weight == 1) or case.problem.sense != "max":
        return None
    value = case.problem.score(case.graph, case.planted)
    if value is None or structure_of(case.problem.declare(case.graph)).kind != "packing":
        return None
    return value, "planted optimum"


def _instances(dataset: Dataset, problem: Problem, data_root: str | PathLike[str] | None) -> CutInstances | None:
    if not problem.node_options:
        return None
    if dataset.cut_seeds is None:
        raise InputError(f"{dataset.name} has no instances of {problem.name}: it has no number of seed nodes")
    return cut_instances(dataset.name, SPLIT, seed=SEED, data_root=data_root)
