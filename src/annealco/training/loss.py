"""The annealed loss of the paper.

    L_τ(Q) = E_Q[f] − τ H(Q),        H(Q) = −Σ_i φ_i log φ_i + (1 − φ_i) log(1 − φ_i),

is, up to a constant and the factor τ, the Kullback–Leibler divergence from Q to P_τ ∝ exp(−f/τ). At τ → ∞ its minimum
is the uniform distribution, at τ = 0 one that sits on the minimisers of f.

What training lowers: the problem's energy, annealed, or a loss of others that it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from annealco.arrays import IntArray
from annealco.energy import Instance
from annealco.energy.expectation import ProductDistribution
from annealco.training.published_losses import karalias_loukas, l1, l2, satisfaction


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


class Expected(Protocol):
    """A function of Q, one number a graph: an expectation, or what others put in its place."""

    @property
    def node_ptr(self) -> IntArray:
        """[num_graphs + 1] node offsets."""

    def expectation(self, logits: Tensor) -> Tensor:
        """Return [num_graphs, ...] for logits [num_nodes, ...]; differentiable."""


class Loss(NamedTuple):
    """A loss.

    Attributes:
        of: what is lowered on an instance, at a multiple of the critical penalty.
        annealed: whether it has a temperature.
        rounded: whether its networks are validated by rounding and repair, as they are used, instead of conditional
            decoding, which makes sets of any probabilities, also of those that say nothing.
    """

    of: Callable[[Instance, float], Expected]
    annealed: bool
    rounded: bool = False


LOSSES: dict[str, Loss] = {
    "energy": Loss(Instance.energy, annealed=True),
    "kl": Loss(karalias_loukas, annealed=False),
    "run_csp": Loss(satisfaction, annealed=False, rounded=True),
    "l1": Loss(l1, annealed=False),
    "l2": Loss(l2, annealed=False),
}
"""By name: E[f] − τ H of the paper; the losses of Karalias and Loukas, of RUN-CSP, and of the L1 and L2 networks."""
