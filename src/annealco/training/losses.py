"""What training lowers: the problem's energy, annealed, or a loss of others that it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from torch import Tensor

from annealco.energy import Instance
from annealco.graph.segments import IntArray
from annealco.training.karalias_loukas import karalias_loukas
from annealco.training.satisfaction import satisfaction
from annealco.training.smooth_cut import l1, l2


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
