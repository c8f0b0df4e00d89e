"""An instance: what to minimise, what must hold, and the smallest penalties that make one energy of both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy.energy import Energy
from annealco.energy.terms import Range, RangeMethod, Term, with_coefficient
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, IntArray

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
    """A problem on given graphs: minimise the objective while every constraint's term is 0.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        objective: terms whose sum c is minimised.
        constraints: what must vanish.
        sense: whether users read the objective as c (``min``) or as −c (``max``).
        exact: [num_graphs], whether the minimum of the energy at the critical penalty is proven to be the constrained
            optimum; None where it always is.
    """

    node_ptr: IntArray
    objective: tuple[Term, ...]
    constraints: tuple[Constraint, ...] = ()
    sense: Sense = "min"
    exact: NDArray[np.bool_] | None = None

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
        return Energy(self.node_ptr, terms)

    def value(self, assignment: ArrayLike) -> FloatArray:
        """Return the objective in the user's sense, [..., num_graphs], whether feasible or not."""
        cost = Energy(self.node_ptr, self.objective).value(assignment)
        return cost if self.sense == "min" else -cost + 0.0

    def violations(self, assignment: ArrayLike) -> FloatArray:
        """Return how much the constraints are violated, [..., num_graphs]: 0 exactly where feasible."""
        return Energy(self.node_ptr, tuple(constraint.term for constraint in self.constraints)).value(assignment)

    def lipschitz(self, penalty_scale: float = 1.0) -> FloatArray:
        """Return the largest flip bound of each graph, [num_graphs]: no flip changes the energy by more."""
        return self.energy(penalty_scale).lipschitz()
