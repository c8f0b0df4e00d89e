"""Mean-field annealing of one instance, then the decoder that networks use: the paper's MFA."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.on_instance import on_instance
from annealco.energy import Instance
from annealco.search.decode import decode
from annealco.search.mean_field import mean_field_annealing

SWEEPS = 1000
"""The temperature falls geometrically over so many sweeps, whatever the budget."""


def anneal_and_decode(instance: Instance, *, seed: int, threads: int, **_: object) -> NDArray[np.bool_]:
    """Return the set of one cooling, [num_nodes]; repeatable.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> star = Graph.from_edges([[0, 0, 0], [1, 2, 3]])
        >>> anneal_and_decode(PROBLEMS["mis"].declare(star), seed=0, threads=1).tolist()
        [False, True, True, True]
    """
    probability = mean_field_annealing(instance, num_sweeps=SWEEPS, seed=seed, num_threads=threads)
    return decode(instance, probability, num_threads=threads)


run = on_instance(anneal_and_decode)
"""A `Run` of mean-field annealing."""
