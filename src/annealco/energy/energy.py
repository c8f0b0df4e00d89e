"""An energy: a sum of terms, its expectation under Q, and how much one flip can change it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from annealco.energy.terms import Term, as_bits
from annealco.graph.segments import FloatArray, IntArray, segment_max
from annealco.optional import require

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Energy:
    """f(x) = Σ terms, one number a graph.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        terms: what is summed.

    Example:
        >>> from annealco.energy.terms import Linear, Pairs
        >>> ptr = np.array([0, 2])
        >>> edge = Energy(ptr, (Linear(ptr, -np.ones(2)), Pairs(ptr, np.array([[0], [1]]), np.ones(1))))
        >>> edge.value([[0, 0], [0, 1], [1, 1]]).ravel().tolist()
        [0.0, -1.0, -1.0]
        >>> edge.flip_bound().tolist(), edge.lipschitz().tolist()
        ([1.0, 1.0], [1.0])
    """

    node_ptr: IntArray
    terms: tuple[Term, ...]

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        bits = as_bits(assignment)
        zero = np.zeros((*bits.shape[:-1], len(self.node_ptr) - 1))
        return sum((term.value(bits) for term in self.terms), start=zero)

    def expectation(self, logits: Tensor) -> Tensor:
        """Return E_Q[f], [num_graphs], where Q sets x_i = 1 with probability sigmoid(logits_i); differentiable.

        Further dimensions behind the first are independent: [num_nodes, k] gives [num_graphs, k].
        """
        require("an expectation", "torch")
        from annealco.energy.expectation import expectation

        return expectation(self.terms, self.node_ptr, logits)

    def field(self, logits: Tensor) -> Tensor:
        """Return E_Q[f | x_i = 1] − E_Q[f | x_i = 0] for every node, [num_nodes]; differentiable."""
        require("a field", "torch")
        from annealco.energy.expectation import field

        return field(self.terms, logits)

    def flip_bound(self) -> FloatArray:
        """Return a bound on the change of f by flipping each node, [num_nodes]; on simple graphs mostly reached.

        Intervals of the terms add up where their absolute bounds would be too wide: on an edge of weight 1 a flip
        changes −x_i by −1 and x_i x_j by 0 or 1, together by at most 1, not by 2.
        """
        low, high = np.zeros(int(self.node_ptr[-1])), np.zeros(int(self.node_ptr[-1]))
        for term in self.terms:
            least, most = term.flip_interval()
            low, high = low + least, high + most
        return np.maximum(np.abs(low), np.abs(high))

    def lipschitz(self) -> FloatArray:
        """Return the largest flip bound of each graph, [num_graphs], 0 for a graph without nodes: the paper's τ0."""
        return segment_max(self.flip_bound(), self.node_ptr)
