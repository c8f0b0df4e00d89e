"""Solve max gain·x over matrix·x ≤ limit, x ≥ 0; what comes back is a proposal that others make a proof of."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from annealco.graph.segments import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

OPTIMAL = 0

SETUP, SETUP_EACH = 0.005, 4e-6
"""About how many seconds the solver takes before it looks at the clock: at least, and more for each matrix entry."""


IMPORT = 0.3
"""About how many seconds the first use in a process takes to import the solver, and matrices for it."""


class LinearSolution(NamedTuple):
    """A solution and its prices, both clipped at 0 and within the solver's tolerance of being optimal.

    Attributes:
        solution: x, [num_columns].
        price: dual values, [num_rows].
    """

    solution: FloatArray
    price: FloatArray


def affordable(num_entries: int, seconds: float) -> bool:
    """Tell whether there is time for a linear program; ask before anything of SciPy is imported for it.

    Args:
        num_entries: of its matrix.
        seconds: time limit.
    """
    return seconds > _setup(num_entries) + (0 if "scipy.optimize" in sys.modules else IMPORT)


def _setup(num_entries: int) -> float:
    return SETUP + SETUP_EACH * num_entries


def solve_linear_program(
    gain: FloatArray, matrix: csr_array, limit: FloatArray, *, seconds: float
) -> LinearSolution | None:
    """Return an optimal solution found by HiGHS, or None where time does not suffice.

    The solver cannot be interrupted; it looks at the clock between its steps, which are short for programs of up to
    some ten thousand entries.

    Args:
        gain: [num_columns].
        matrix: [num_rows, num_columns].
        limit: [num_rows], not negative where there are no columns.
        seconds: time limit.

    Example:
        >>> from scipy.sparse import csr_array
        >>> found = solve_linear_program(np.array([3.0, 1.0]), csr_array([[1.0, 1.0]]), np.array([2.0]), seconds=1)
        >>> found.solution.tolist(), found.price.tolist()
        ([2.0, 0.0], [3.0])
    """
    began = time.perf_counter()
    if not affordable(matrix.nnz, seconds):
        return None
    from scipy.optimize import linprog

    seconds -= _setup(matrix.nnz) + time.perf_counter() - began
    if seconds <= 0:
        return None
    if 0 in matrix.shape:
        return LinearSolution(np.zeros(matrix.shape[1]), np.zeros(matrix.shape[0]))
    found = linprog(-gain, A_ub=matrix, b_ub=limit, method="highs", options={"time_limit": seconds})
    if found.status != OPTIMAL:
        return None
    return LinearSolution(np.maximum(found.x, 0.0), np.maximum(-found.ineqlin.marginals, 0.0))
