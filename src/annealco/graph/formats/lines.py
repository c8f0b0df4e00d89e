"""Write edges and weights as lines of text that read back to the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.graph.graph import Graph


def number_text(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    Example:
        >>> number_text(2.0), number_text(0.1), number_text(-1e300)
        ('2', '0.1', '-1e+300')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def edge_lines(graph: Graph, names: NDArray[Any], *, prefix: str = "", larger_first: bool = False) -> str:
    r"""Return one line an edge, with its weight unless all are 1.

    Args:
        graph: the graph.
        names: [num_nodes] what the file calls the nodes.
        prefix: what each line begins with.
        larger_first: whether the end with the larger number comes first, as in a lower triangle.

    Example:
        >>> edge_lines(Graph.from_edges([[0, 1], [1, 2]]), np.arange(1, 4), prefix="e ")
        'e 1 2\ne 2 3\n'
    """
    first, second = (names[ends].tolist() for ends in (graph.edges[::-1] if larger_first else graph.edges))
    if np.all(graph.edge_weight == 1):
        return "".join(map(f"{prefix}%s %s\n".__mod__, zip(first, second, strict=True)))
    weight = map(number_text, graph.edge_weight.tolist())
    return "".join(map(f"{prefix}%s %s %s\n".__mod__, zip(first, second, weight, strict=True)))
