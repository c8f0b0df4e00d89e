"""Instances to learn from: a problem on graphs, with options of its own for each graph where it draws some.

Who asks for cuts names a seed node and a volume, other ones every time: a network that has learned one box only is at a
loss with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from annealco.graph.graph import Graph
from annealco.problems import Problem


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
        return self.problem.with_options(**self.options)


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
