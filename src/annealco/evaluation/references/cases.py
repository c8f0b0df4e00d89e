"""The cases that have a reference: each test graph of a set; for cuts each instance (graph, seed node, volume box)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from annealco.datasets import Dataset, load_dataset
from annealco.datasets.cut_instances import CutInstances, cut_instances
from annealco.datasets.splits import DEFAULT_COUNTS, members
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem

SPLIT, SEED = "test", 0

INSTANCE_OPTIONS = {"volume", "seed_node"}
"""What an instance of the cut protocol sets."""


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
        problem: without the options below.
        graphs: the split, or graphs of the user's own.
        instances: for problems that take those of the cut protocol.
        options: of the problem, the same for all graphs; nodes by their labels.
        sources: name and fingerprint of each graph of the user's own, [num_graphs]; none for a named set.
    """

    problem: Problem
    graphs: Graph
    instances: CutInstances | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.graphs.num_graphs if self.instances is None else len(self.instances)

    def __getitem__(self, number: int) -> Case:
        place = number if self.instances is None else int(self.instances.graph[number])
        one = self.graphs[place]
        graph = one.bare()
        planted = one.node_data.get("planted")
        hidden = () if planted is None else tuple(planted.nonzero()[0].tolist())
        if self.instances is None:
            return Case(number, self.problem.posed(self.options, one), graph, hidden)
        options: dict[str, Any] = {
            "volume": tuple(self.instances.volume[number].tolist()),
            "seed_node": int(self.instances.seed_node[number]),
        }
        return Case(number, self.problem.with_options(**options), graph, has_volume=True)


def load_cases(dataset: Dataset, problem: Problem, *, data_root: str | PathLike[str] | None = None) -> Cases:
    """Load the test split of a set, and the instances of the cut protocol where the problem takes them."""
    instances = _instances(dataset, problem, data_root)
    return Cases(problem, load_dataset(dataset.name, SPLIT, seed=SEED, data_root=data_root), instances)


def count_cases(dataset: Dataset, problem: Problem) -> int:
    """Return how many cases a set has, without its graphs; for cuts their number is known where they are stored."""
    if takes_instances(problem):
        return len(_instances(dataset, problem, None) or ())
    if dataset.kind == "synthetic":
        return DEFAULT_COUNTS[SPLIT]
    return len(members(dataset.name, SPLIT, dataset.graphs, SEED))


def takes_instances(problem: Problem) -> bool:
    """Tell whether a problem has the options that instances of the cut protocol set, and none of them is set yet."""
    names = {option.name for option in problem.options}
    return names >= INSTANCE_OPTIONS and not problem.set_options


def planted_reference(case: Case) -> tuple[float, str] | None:
    """Return the size of a planted set, which is the optimum of a packing without weights, or None.

    Generators plant for the problems of the package: what another one forbids may be less.
    """
    is_own = case.problem.name in PROBLEMS.own and not case.problem.set_options
    if not (case.planted and is_own and case.problem.sense == "max" and np.all(case.graph.node_weight == 1)):
        return None
    value = case.problem.score(case.graph, case.planted)
    if value is None or structure_of(case.problem.declare(case.graph)).kind != "packing":
        return None
    return value, "planted optimum"


def _instances(dataset: Dataset, problem: Problem, data_root: str | PathLike[str] | None) -> CutInstances | None:
    if not takes_instances(problem):
        return None
    if dataset.cut_seeds is None:
        raise InputError(f"{dataset.name} has no instances of {problem.name}: it has no number of seed nodes")
    return cut_instances(dataset.name, SPLIT, seed=SEED, data_root=data_root)
