"""What training lowers: the problem's energy, annealed, or the loss that it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from torch import Tensor

from annealco.energy import Instance
from annealco.graph.segments import IntArray
from annealco.training.pair_mass import pair_mass


class Expected(Protocol):
    """A function on assignments that has an expectation under Q, one number a graph."""

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
    """

    of: Callable[[Instance, float], Expected]
    annealed: bool


LOSSES: dict[str, Loss] = {"energy": Loss(Instance.energy, annealed=True), "kl": Loss(pair_mass, annealed=False)}
"""By name: E[f] − τ H of the paper, and the loss of Karalias and Loukas."""
