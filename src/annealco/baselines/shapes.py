"""Tell by its terms what kind of problem an instance is, so that methods know it without its name.

| shape       | objective                        | constraints                                          |
|-------------|----------------------------------|------------------------------------------------------|
| `packing`   | gains                            | pairs that exclude each other                        |
| `covering`  | costs                            | sets of which one member must be chosen              |
| `quadratic` | linear and pairs                 | none                                                 |
| `ranged`    | linear and pairs                 | one range of weights ≥ 0, and nodes that are forced  |
| `other`     | anything else                    |                                                      |
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from annealco.baselines.method import Refusal
from annealco.energy import AllPairs, Cover, Instance, Linear, Pairs, Range
from annealco.graph.graph import Graph
from annealco.problems import Problem

Shape = Literal["packing", "covering", "quadratic", "ranged", "other"]
SHAPES: tuple[Shape, ...] = get_args(Shape)


def shape_of(instance: Instance) -> Shape:
    """Return the shape of an instance.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> edge = Graph.from_edges([[0], [1]])
        >>> [shape_of(PROBLEMS[name].declare(edge)) for name in ("mis", "mds", "max_cut", "cut")]
        ['packing', 'covering', 'quadratic', 'ranged']
    """
    terms = [constraint.term for constraint in instance.constraints]
    if not all(isinstance(term, Linear | Pairs) for term in instance.objective):
        return "other"
    if not terms:
        return "quadratic"
    linear = [term.coefficient for term in instance.objective if isinstance(term, Linear)]
    if len(linear) == len(instance.objective):
        cost = sum(linear, start=np.zeros(instance.num_nodes))
        if np.all(cost <= 0) and all(isinstance(term, Pairs | AllPairs) for term in terms):
            return "packing"
        if np.all(cost >= 0) and all(isinstance(term, Cover) for term in terms):
            return "covering"
    ranges = [term for term in terms if isinstance(term, Range)]
    forced = [term for term in terms if isinstance(term, Cover) and np.all(np.diff(term.set_ptr) == 1)]
    whole = len(ranges) == 1 and len(ranges) + len(forced) == len(terms)
    return "ranged" if whole and np.all(ranges[0].weight >= 0) else "other"


def takes_shapes(*shapes: Shape) -> Refusal:
    """Return what refuses every problem whose instance has another shape."""

    def refuse(problem: Problem, graph: Graph) -> str | None:
        shape = shape_of(problem.declare(graph))
        return None if shape in shapes else f"it takes {' and '.join(shapes)} problems, this one is {shape}"

    return refuse
