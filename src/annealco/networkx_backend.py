"""Run functions of ``networkx.approximation`` on annealco, as its backend ``annealco``.

    >>> import networkx as nx
    >>> sorted(max_clique(convert_from_nx(nx.lollipop_graph(4, 2)), time_limit=0.1))
    [0, 1, 2, 3]

`BackendInterface` is what networkx loads when ``backend="annealco"`` is first used. The conventions are those of
networkx: nodes are the user's own objects, the result is a set of them, ``weight`` names a node attribute, and a node
without it weighs 1.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.errors import InputError
from annealco.graph.construction import from_labelled
from annealco.graph.graph import Graph
from annealco.graph.interop import to_networkx
from annealco.networkx_info import FUNCTIONS
from annealco.problems import find_problem
from annealco.solving.solve import solve_each
from annealco.solving.solver import TIME_LIMIT, Solver

UNDIRECTED_ONLY = ("maximum_independent_set", "max_clique", "min_weighted_dominating_set")
SIMPLE_ONLY = ("maximum_independent_set", "max_clique")
"""Functions that networkx refuses directed graphs and multigraphs for; a vertex cover takes both."""

WEIGHTED = ("min_weighted_dominating_set", "min_weighted_vertex_cover")
"""Functions that take the name of a node attribute."""


@dataclasses.dataclass(frozen=True, eq=False)
class BackendGraph:
    """A networkx graph as the functions here need it.

    Attributes:
        simple: its nodes and edges, without weights, direction, self-loops and parallels.
        looped: [num_nodes] whether a node has a self-loop.
        attributes: values of node attributes by the position of the node; nodes without one are left out.
        complete: whether all attributes of the nodes are there.
        directed: whether edges had a direction.
        multigraph: whether it could have parallel edges.
    """

    simple: Graph
    looped: NDArray[np.bool_]
    attributes: Mapping[Any, Mapping[int, Any]]
    complete: bool
    directed: bool
    multigraph: bool

    __networkx_backend__ = "annealco"

    def is_directed(self) -> bool:
        """Tell networkx whether to refuse it."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Tell networkx whether to refuse it."""
        return self.multigraph

    def __len__(self) -> int:
        return self.simple.num_nodes


def convert_from_nx(
    graph: Any,
    *,
    node_attrs: Mapping[Any, Any] | None = None,
    preserve_node_attrs: bool = False,
    **_others: Any,
) -> BackendGraph:
    """Read nodes, edges and the node attributes that are asked for.

    Args:
        graph: a networkx graph of any kind.
        node_attrs: names of node attributes to keep.
        preserve_node_attrs: whether to keep all of them.
        **_others: what networkx says about edge and graph attributes, which no function here reads.
    """
    labels = list(graph)
    number = {label: position for position, label in enumerate(labels)}
    ends = np.array([(number[u], number[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
    looped = np.zeros(len(labels), dtype=bool)
    looped[ends[ends[:, 0] == ends[:, 1], 0]] = True
    edges = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0).T
    names = {name for data in graph.nodes.values() for name in data} if preserve_node_attrs else set(node_attrs or ())
    return BackendGraph(
        simple=from_labelled(
            edges, labels, node_weight=[1] * len(labels), edge_weight=[1] * edges.shape[1], origin="networkx graph"
        ),
        looped=looped,
        attributes={
            name: {place: data[name] for place, data in enumerate(graph.nodes.values()) if name in data}
            for name in names
        },
        complete=preserve_node_attrs,
        directed=graph.is_directed(),
        multigraph=graph.is_multigraph(),
    )


def convert_to_nx(result: Any, **_others: Any) -> Any:
    """Return a result as it is; a graph as a simple undirected ``networkx.Graph``, which may have self-loops."""
    if not isinstance(result, BackendGraph):
        return result
    labels, graph = result.simple.labels.tolist(), to_networkx(result.simple)
    graph.add_edges_from((label, label) for label, loop in zip(labels, result.looped, strict=True) if loop)
    for name, values in result.attributes.items():
        for position, value in values.items():
            graph.nodes[labels[position]][name] = value
    return graph


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Tell whether a function takes a graph of this kind, or why not."""
    graph, _ = _arguments(args, kwargs)
    if name not in FUNCTIONS:
        return f"annealco has no {name}"
    if name in UNDIRECTED_ONLY and graph is not None and graph.is_directed():
        return "not implemented for directed type"
    if name in SIMPLE_ONLY and graph is not None and graph.is_multigraph():
        return "not implemented for multigraph type"
    return True


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Tell whether it pays: always, because the sets are better than those of networkx; it takes negative weights."""
    graph, weight = _arguments(args, kwargs)
    if name in WEIGHTED and weight is not None and any(map(_is_negative, _values(graph, weight))):
        return "weights must not be negative"
    return can_run(name, args, kwargs)


def _arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the graph and the name of the weights, None where they are not given."""
    graph, weight = (*args, None, None)[:2]
    return kwargs.get("G", graph), kwargs.get("weight", weight)


def _values(graph: Any, weight: Any) -> Iterable[Any]:
    """Return the values of a node attribute, where nodes have it."""
    if isinstance(graph, BackendGraph):
        return graph.attributes.get(weight, {}).values()
    return (data[weight] for data in graph.nodes.values() if weight in data)


def _is_negative(value: Any) -> bool:
    # A comparison with a NaN that is a decimal is an error.
    return isinstance(value, Real | Decimal) and not math.isnan(value) and value < 0


def maximum_independent_set(G: BackendGraph, **settings: Any) -> set[Any]:  # noqa: N803 (what networkx calls it)
    """Return a large set of nodes of which no two are joined; a self-loop joins no two."""
    return _solve(G.simple, "mis", **settings)


def max_clique(G: BackendGraph, **settings: Any) -> set[Any]:  # noqa: N803
    """Return a large set of nodes of which each two are joined."""
    return _solve(G.simple, "clique", **settings)


def min_weighted_dominating_set(G: BackendGraph, weight: Any = None, **settings: Any) -> set[Any]:  # noqa: N803
    """Return a light set such that every node is in it or has a neighbour in it."""
    return _solve(_weighted(G, weight), "mds", **settings)


def min_weighted_vertex_cover(G: BackendGraph, weight: Any = None, **settings: Any) -> set[Any]:  # noqa: N803
    """Return a light set that holds an end of every edge; the node of a self-loop is in it."""
    graph, low, high = _weighted(G, weight), *G.simple.edges
    # Edges at a node that is in the set anyway are covered: without them it is isolated, and never chosen again.
    open_edges = ~(G.looped[low] | G.looped[high])
    rest = dataclasses.replace(graph, edges=graph.edges[:, open_edges], edge_weight=graph.edge_weight[open_edges])
    return _solve(rest, "vertex_cover", **settings) | set(graph.labels[G.looped].tolist())


def _weighted(graph: BackendGraph, weight: Any) -> Graph:
    """Return the graph with a node attribute as weights, 1 at nodes without it."""
    if weight is None or (graph.complete and weight not in graph.attributes):
        return graph.simple
    if weight not in graph.attributes:
        raise InputError(f"the graph was converted without the node attribute {weight!r}", origin="networkx graph")
    given = graph.attributes[weight]
    values = [given.get(position, 1) for position in range(len(graph))]
    return from_labelled(
        graph.simple.edges.astype(np.int64),
        graph.simple.labels.tolist(),
        node_weight=values,
        edge_weight=graph.simple.edge_weight.tolist(),
        origin="networkx graph",
    )


def _solve(
    graph: Graph,
    problem: str,
    *,
    time_limit: float = TIME_LIMIT,
    restarts: int = 1,
    seed: int = 0,
    num_threads: int | None = None,
) -> set[Any]:
    solver = Solver(
        problem=find_problem(problem), time_limit=time_limit, restarts=restarts, seed=seed, num_threads=num_threads
    )
    [solution] = solve_each(solver, graph)
    return set(solution.nodes)


BackendInterface = SimpleNamespace(
    convert_from_nx=convert_from_nx,
    convert_to_nx=convert_to_nx,
    can_run=can_run,
    should_run=should_run,
    maximum_independent_set=maximum_independent_set,
    max_clique=max_clique,
    min_weighted_dominating_set=min_weighted_dominating_set,
    min_weighted_vertex_cover=min_weighted_vertex_cover,
)
"""What networkx sees: conversion, and functions by the names it knows them by."""
