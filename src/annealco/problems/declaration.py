"""Declare a problem on graphs in any container: what a training loop of one's own begins with."""

from __future__ import annotations

from typing import Any

from annealco.energy import Instance
from annealco.problems import find_problem
from annealco.problems.problem import Problem


def declare(problem: str | Problem, source: Any, **options: Any) -> Instance:
    """Return the instance of a problem on graphs: its objective and constraints as terms.

    Nodes keep their order, so that logits of a PyG ``Batch`` fit the instance of that batch.

    Args:
        problem: a name in `PROBLEMS`, or a problem of your own.
        source: graphs in any container that `solve` takes, such as a ``Data`` or ``Batch`` of PyG.
        **options: of the problem, such as ``volume`` of ``cut``.

    Example:
        >>> instance = declare("mis", [[0, 1], [1, 2]])
        >>> instance.num_nodes, instance.value([1, 0, 1])
        (3, array([2.]))
    """
    chosen = find_problem(problem)
    graph = chosen.graphs_of(source)
    return chosen.posed(options, graph).declare(graph)
