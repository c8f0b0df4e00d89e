"""What is minimised: an energy, which is a sum of terms, and an instance, whose energy has a cost and penalties.

An instance says what to minimise, what must hold, and the smallest penalties by which the minimum of one energy keeps
what must hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.arrays import FloatArray, IntArray, segment_max, segment_sum
from annealco.energy.terms import Range, RangeMethod, Term, as_bits, unknown_term, with_coefficient
from annealco.errors import InputError
from annealco.optional import require

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, eq=False)
class Energy:
    """f(x) = Σ terms, one number a graph.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        terms: what is summed.
        constant: [num_graphs] what every assignment has besides; None for nothing.

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
    constant: FloatArray | None = None

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Evaluate [..., num_nodes] bits to [..., num_graphs]."""
        bits = as_bits(assignment)
        zero = np.zeros((*bits.shape[:-1], len(self.node_ptr) - 1))
        total = sum((term.value(bits) for term in self.terms), start=zero)
        return total if self.constant is None else total + self.constant

    def expectation(self, logits: Tensor) -> Tensor:
        """Return E_Q[f], [num_graphs], where Q sets x_i = 1 with probability sigmoid(z_i) of its logit z_i.

        It is differentiable. Further dimensions behind the first are independent: [num_nodes, k] gives [num_graphs, k].
        """
        require("an expectation", "torch")
        from annealco.energy.expectation import expectation

        return expectation(self.terms, self.node_ptr, logits, constant=self.constant)

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


Sense = Literal["min", "max"]


@dataclass(frozen=True, eq=False)
class Constraint:
    """A term ψ ≥ 0 that must vanish, and the critical penalty β of each of its items.

    Attributes:
        term: ψ with the coefficients that count violations, so that it still counts where β is 0.
        penalty: β in the shape of ``term.coefficient``; the energy carries β·ψ.
    """

    term: Term
    penalty: FloatArray

    def __post_init__(self) -> None:
        if self.penalty.shape != self.term.coefficient.shape:
            shapes = f"{list(self.term.coefficient.shape)}, it has {list(self.penalty.shape)}"
            raise InputError(f"Constraint.penalty must have the shape of its term's coefficient, {shapes}")
        if not np.all(self.penalty >= 0):
            raise InputError(f"Constraint.penalty must not be negative, the least is {self.penalty.min():g}")


@dataclass(frozen=True, eq=False)
class Instance:
    """A problem on given graphs: minimise the cost while every constraint's term is 0.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        objective: terms whose sum, and the constant, is the cost c.
        constraints: what must vanish.
        sense: whether users read the cost as c (``min``) or as −c (``max``).
        exact: [num_graphs], whether the minimum of the energy at the critical penalty is proven to be the constrained
            optimum; None where it always is.
        constant: [num_graphs] what every assignment costs besides the terms; None for nothing.

    Example:
        >>> from annealco.energy.terms import Linear
        >>> ptr = np.array([0, 2])
        >>> left_out = Instance(ptr, (Linear(ptr, -np.ones(2)),), constant=np.array([2.0]))
        >>> left_out.value([[0, 0], [0, 1]]).ravel().tolist()
        [2.0, 1.0]
    """

    node_ptr: IntArray
    objective: tuple[Term, ...]
    constraints: tuple[Constraint, ...] = ()
    sense: Sense = "min"
    exact: NDArray[np.bool_] | None = None
    constant: FloatArray | None = None

    def __post_init__(self) -> None:
        for term in (*self.objective, *(each.term for each in self.constraints)):
            if not isinstance(term, Term):
                raise unknown_term(term, user="an instance")
        if self.constant is None:
            return
        given = np.asarray(self.constant)
        if given.shape != (self.num_graphs,) or given.dtype.kind not in "iuf" or not np.all(np.isfinite(given)):
            raise InputError(
                f"Instance.constant must be [{self.num_graphs}] finite numbers, it is {self.constant!r:.60}"
            )

    @property
    def num_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def num_nodes(self) -> int:
        return int(self.node_ptr[-1])

    def energy(self, penalty_scale: float = 1.0, *, range_method: RangeMethod | None = None) -> Energy:
        """Return f = c + scale·β·ψ.

        Args:
            penalty_scale: 1 is the critical penalty; the paper's ablation goes from 0 to 5.
            range_method: how `Range` terms take their expectation, where not as declared.
        """
        if not 0 <= penalty_scale < float("inf"):
            raise InputError(f"the penalty scale must not be negative or infinite, it is {penalty_scale}")
        with np.errstate(over="ignore"):
            prices = [penalty_scale * c.penalty * c.term.coefficient for c in self.constraints]
            if not all(np.isfinite(each.sum()) for each in prices):
                raise InputError(f"the penalty scale {penalty_scale:g} is too large, penalties would be infinite")
        penalised = (with_coefficient(c.term, price) for c, price in zip(self.constraints, prices, strict=True))
        terms = (*self.objective, *penalised)
        if range_method is not None:
            terms = tuple(replace(term, method=range_method) if isinstance(term, Range) else term for term in terms)
        return Energy(self.node_ptr, terms, self.constant)

    @property
    def cost(self) -> Energy:
        """What is minimised where all constraints hold: the objective and the constant."""
        return Energy(self.node_ptr, self.objective, self.constant)

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Return the cost in the user's sense, [..., num_graphs], whether feasible or not."""
        cost = self.cost.value(assignment)
        return cost if self.sense == "min" else -cost + 0.0

    def violations(self, assignment: ArrayLike) -> FloatArray:
        """Return how much the constraints are violated, [..., num_graphs]: 0 exactly where feasible."""
        return Energy(self.node_ptr, tuple(constraint.term for constraint in self.constraints)).value(assignment)

    def lipschitz(self, penalty_scale: float = 1.0) -> FloatArray:
        """Return the largest flip bound of each graph, [num_graphs]: no flip changes the energy by more."""
        return self.energy(penalty_scale).lipschitz()


def objective_scale(instance: Instance) -> FloatArray:
    """Return the most that a flip of each node changes the objective, [num_nodes]: the unit of its field.

    A node that the objective ignores gets the mean of its graph, and 1 where all are ignored.

    Example:
        >>> from annealco.energy.terms import Linear
        >>> ptr = np.array([0, 3])
        >>> objective_scale(Instance(ptr, (Linear(ptr, np.array([-2.0, 4.0, 0.0])),))).tolist()
        [2.0, 4.0, 2.0]
    """
    bound = Energy(instance.node_ptr, instance.objective).flip_bound()
    counts = np.diff(instance.node_ptr)
    mean = segment_sum(bound, instance.node_ptr) / np.maximum(counts, 1)
    fallback = np.repeat(np.where(mean > 0, mean, 1.0), counts)
    return np.where(bound > 0, bound, fallback)
