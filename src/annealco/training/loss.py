"""The annealed loss of the paper, and the registry of losses that training can lower.

    L_τ(Q) = E_Q[f] − τ H(Q),        H(Q) = −Σ_i φ_i log φ_i + (1 − φ_i) log(1 − φ_i),

is, up to a constant and the factor τ, the Kullback–Leibler divergence from Q to P_τ ∝ exp(−f/τ). At τ → ∞ its minimum
is the uniform distribution, at τ = 0 one that sits on the minimisers of f.

`annealed_loss` is for a training loop of one's own, `free_energy` the same per graph. `LOSSES` has it beside the losses
of others that it is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from annealco.arguments import as_python, fits
from annealco.arrays import IntArray
from annealco.energy import Instance
from annealco.energy.expectation import ProductDistribution
from annealco.errors import InputError
from annealco.training.published_losses import karalias_loukas, l1, l2, satisfaction


def annealed_loss(
    logits: Tensor, instance: Instance | Expected, temperature: float | Tensor, *, penalty_scale: float = 1.0
) -> Tensor:
    """Return E_Q[f] − τ H(Q), the mean over graphs and samples; differentiable.

    Args:
        logits: of the nodes being chosen, [num_nodes] or [num_nodes, num_samples].
        instance: the problem on the graphs (`annealco.declare`), or an energy of it.
        temperature: τ, not negative, or one per graph, [num_graphs].
        penalty_scale: multiple of the critical penalty, where an instance is given.

    Returns:
        A scalar.

    Raises:
        InputError: where the logits are not those of the instance's nodes, and for a temperature or penalty scale that
            is no finite number from 0 on.

    Example:
        >>> from annealco.problems.declaration import declare
        >>> logits = torch.zeros(2, requires_grad=True)
        >>> loss = annealed_loss(logits, declare("mis", [[0], [1]]), temperature=1.0)
        >>> loss.backward()
        >>> round(loss.item(), 4), logits.grad.tolist()
        (-2.1363, [-0.125, -0.125])
    """
    energy = _as_energy(instance, penalty_scale)
    num_graphs, num_nodes = len(energy.node_ptr) - 1, int(energy.node_ptr[-1])
    if not isinstance(logits, Tensor) or logits.dim() not in {1, 2} or logits.shape[0] != num_nodes:
        found = list(logits.shape) if isinstance(logits, Tensor) else type(logits).__name__
        raise InputError(f"logits must have shape [{num_nodes}] or [{num_nodes}, num_samples], these have {found}")
    if not logits.is_floating_point():
        raise InputError(f"logits must be floating point, these are {logits.dtype}")
    if num_graphs == 0 or (logits.dim() == 2 and logits.shape[1] == 0):
        # The mean of nothing would be NaN.
        raise InputError(
            f"a loss needs a graph and a sample, there are {num_graphs} graphs and logits {list(logits.shape)}"
        )
    _check_temperature(temperature, num_graphs)
    if isinstance(temperature, Tensor) and temperature.dim() == 1 and logits.dim() == 2:
        temperature = temperature.unsqueeze(1)
    return free_energy(energy, logits, temperature).mean()


def _as_energy(instance: Instance | Expected, penalty_scale: float) -> Expected:
    """Return the energy of an instance at a multiple of its critical penalty, or the energy that is given."""
    scale = as_python(penalty_scale)
    if not fits(scale, float) or not 0 <= scale < math.inf:
        raise InputError(f"the penalty scale must be a finite number from 0 on, it is {penalty_scale!r:.40}")
    if isinstance(instance, Instance):
        return instance.energy(scale)
    if not (hasattr(instance, "expectation") and hasattr(instance, "node_ptr")):
        raise InputError(f"instance must be what annealco.declare returns, or an energy, it is {instance!r:.40}")
    if scale != 1.0:
        raise InputError("a penalty scale is for an instance: an energy that is given has its penalties already")
    return instance


def _check_temperature(temperature: float | Tensor, num_graphs: int) -> None:
    """Refuse what is no temperature, nor one for each graph."""
    rule = f"the temperature must be a finite number from 0 on, or [{num_graphs}] of them"
    if isinstance(temperature, Tensor):
        if temperature.dim() > 1 or (temperature.dim() == 1 and temperature.shape[0] != num_graphs):
            raise InputError(f"{rule}, it has shape {list(temperature.shape)}")
        lowest, highest = float(temperature.min()), float(temperature.max())
        if temperature.dtype == torch.bool or not 0 <= lowest <= highest < math.inf:
            raise InputError(f"{rule}, it is {temperature.tolist()!r:.60}")
    elif not fits(as_python(temperature), float) or not 0 <= temperature < math.inf:
        raise InputError(f"{rule}, it is {temperature!r:.40}")


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
        annealed: whether it is the energy, which has a temperature.
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
