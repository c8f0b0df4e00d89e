"""Ising model: the least c + Σ h_i s_i + Σ J_ij s_i s_j over spins s = ±1, with fields h and couplings J of any sign.

The signs are those of dimod: no minus sign in front, so that a negative coupling favours equal spins. A solution's
nodes are the spins that are +1. How a graph holds fields, couplings and offset, and what can be read, is told in
`annealco.problems.qubo`: J are edge weights, h is the node data ``linear``. Fields and couplings can also be given
together, ``annealco.solve((h, J), "ising")``. Besides ``.qubo`` and ``.coo``, files of rudy are read (``.rudy``,
``.mc``: ``n m``, then lines ``i j coupling``, spins from 1).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import numpy as np

from annealco.arrays import segment_sum
from annealco.energy import Instance, Linear, Pairs
from annealco.graph.graph import Graph
from annealco.problems.problem import Problem, as_node_mask
from annealco.problems.qubo import coefficients_of, formats_of, read, with_random_coefficients


def declare(graph: Graph) -> Instance:
    """f(x) = c − Σ h_i + Σ J_ij + Σ 2 (h_i − Σ_j J_ij) x_i + Σ 4 J_ij x_i x_j, by s = 2 x − 1. No constraint."""
    field, offset = coefficients_of(graph, "SPIN")
    constant = offset - segment_sum(field, graph.node_ptr) + segment_sum(graph.edge_weight, graph.edge_ptr)
    return Instance(
        node_ptr=graph.node_ptr,
        objective=(
            Linear(graph.node_ptr, 2 * (field - graph.weighted_degree)),
            Pairs(graph.node_ptr, graph.edges, 4 * graph.edge_weight),
        ),
        sense="min",
        constant=constant,
    )


def score(graph: Graph, nodes: Collection[int]) -> float | None:
    """Return the energy of the spins of which these nodes are up, with the offset."""
    spin = np.where(as_node_mask(graph, nodes), 1.0, -1.0)
    field, offset = coefficients_of(graph, "SPIN")
    low, high = graph.edges
    return float(offset[0] + (field * spin).sum() + (graph.edge_weight * spin[low] * spin[high]).sum())


ISING = Problem(
    name="ising",
    title="Ising model, spins of least energy",
    sense="min",
    declare=declare,
    score=score,
    read=partial(read, vartype="SPIN"),
    formats=formats_of("SPIN"),
    examples=partial(with_random_coefficients, vartype="SPIN"),
)
