"""The annealed loss of the paper.

    L_τ(Q) = E_Q[f] − τ H(Q),        H(Q) = −Σ_i φ_i log φ_i + (1 − φ_i) log(1 − φ_i),

is, up to a constant and the factor τ, the Kullback–Leibler divergence from Q to P_τ ∝ exp(−f/τ). At τ → ∞ its minimum
is the uniform distribution, at τ = 0 one that sits on the minimisers of f.
"""

from __future__ import annotations

import torch
from torch import Tensor

from annealco.energy.distribution import ProductDistribution
from annealco.graph.segments import IntArray
from annealco.training.losses import Expected


def free_energy(energy: Expected, logits: Tensor, temperature: float | Tensor) -> Tensor:
    """Return E_Q[f] − τ H(Q); differentiable.

    One temperature serves all graphs, as in the paper: larger graphs have larger energies and more entropy alike, both
    being sums over nodes. A tensor that broadcasts against the result gives each graph its own.

    Args:
        energy: f.
        logits: [num_nodes] or [num_nodes, num_samples].
        temperature: τ.

    Returns:
        [num_graphs] or [num_graphs, num_samples].

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> edge = PROBLEMS["mis"].declare(Graph.from_edges([[0], [1]])).energy()
        >>> round(free_energy(edge, torch.zeros(2), 1.0).item(), 4)  # −2/2 + 1/4 − 2 log 2
        -2.1363
    """
    return energy.expectation(logits) - temperature * entropy(energy.node_ptr, logits)


def entropy(node_ptr: IntArray, logits: Tensor) -> Tensor:
    """Return H(Q) in nats: [num_nodes, ...] logits to [num_graphs, ...]."""
    owner = _graph_of_node(node_ptr, logits.device)
    each = ProductDistribution(logits).entropy
    return each.new_zeros(len(node_ptr) - 1, *logits.shape[1:]).index_add(0, owner, each)


def _graph_of_node(node_ptr: IntArray, device: torch.device) -> Tensor:
    sizes = torch.as_tensor(node_ptr[1:] - node_ptr[:-1], device=device)
    return torch.repeat_interleave(torch.arange(len(sizes), device=device), sizes)
