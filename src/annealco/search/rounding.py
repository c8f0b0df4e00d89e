"""Round probabilities, or draw from them, and repair what is not feasible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.energy import Instance
from annealco.graph.segments import FloatArray
from annealco.search.repair import repair

Bits = NDArray[np.bool_]


def rounded(
    instance: Instance,
    probability: FloatArray,
    seed: int = 0,  # noqa: ARG001 (there is no chance in it)
    *,
    num_threads: int | None = 1,
) -> Bits:
    """Choose what has p > ½ and repair it, as RUN-CSP is evaluated, [num_restarts, num_nodes].

    Its authors count the size less the conflicting pairs. Every node that repair takes out
    ends a conflict at least, so its set is never smaller than that.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = PROBLEMS["mis"].declare(Graph.from_edges([[0, 1], [1, 2]]))
        >>> rounded(path, np.array([[0.9, 0.8, 0.7], [0.4, 0.3, 0.6]])).tolist()
        [[True, False, True], [False, False, True]]
    """
    return repair(instance, probability > 0.5, num_threads=num_threads)


def drawn(instance: Instance, probability: FloatArray, seed: int = 0) -> Bits:
    """Draw a set from every row of probabilities and repair it, [num_restarts, num_nodes]."""
    uniform = np.random.default_rng(seed).random(probability.shape)
    return repair(instance, uniform < probability, num_threads=1)
