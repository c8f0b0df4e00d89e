"""Declare a problem on graphs in any container: what a training loop of one's own begins with."""

from __future__ import annotations

from typing import Any

from annealco.energy import Instance
from annealco.graph.construction import WEIGHT
from annealco.problems import find_problem
from annealco.problems.problem import Problem


def declare(
    problem: str | Problem,
    source: Any,
    *,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    **options: Any,
) -> Instance:
    """Return the instance of a problem on graphs: its objective and constraints as terms.

    Nodes keep their order, so that logits of a PyG ``Batch`` fit the instance of that batch.

    Args:
        problem: a name in `PROBLEMS`, or a problem of your own.
        source: graphs in any container that `solve` takes, such as a ``Data`` or ``Batch`` of PyG.
        node_weight: attribute or column that the node weights are read from, as in `as_graph`; None ignores weights.
        edge_weight: the same of the edges.
        ends: the two columns of a DataFrame that hold the ends of edges.
        nodes: a table of the nodes of pairs, of a dict, or of a DataFrame, as in `as_graph`.
        **options: of the problem, such as ``volume`` of ``cut``.

    Example:
        >>> instance = declare("mis", [(0, 1), (1, 2)])
        >>> instance.num_nodes, instance.value([1, 0, 1])
        (3, array([2.]))
    """
    chosen = find_problem(problem)
    graph = chosen.graphs_of(source, node_weight=node_weight, edge_weight=edge_weight, ends=ends, nodes=nodes)
    return chosen.posed(options, graph).declare(graph)
