"""Turn probabilities into a set by conditional expectations.

Nodes are visited from the most probable to the least, each is set to the value with the lower conditional expected
energy, and later nodes see what earlier ones became. Of two conditional expectations the lower is at most their mean,
so E[f] never rises from Q to the set (Raghavan, 1988). `Range` terms take part in their normal closed form, for which
that holds up to the error of the form.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.energy import Instance
from annealco.graph.errors import InputError
from annealco.graph.segments import FloatArray, IntArray
from annealco.jit import inlined, kernel
from annealco.search.forms import ENERGY, VIOLATION, VIOLATION_TOLERANCE, Forms, compile_forms
from annealco.search.kernels import State, delta, fetch, load, new_state, rule_out, update
from annealco.search.repair import finish as repair_and_maximalise
from annealco.search.threads import for_each_graph

AHEAD = 6
"""A node's data is asked for this many visits before it is read, where its address is known only from other data."""

ROUNDED = np.uint64(28)
"""Conditional differences that agree but for this many of their last bits, 1 in 10⁷, count as equal."""

Order = Literal["probability", "confidence"]


def decode(
    instance: Instance,
    probability: ArrayLike,
    *,
    order: Order = "probability",
    penalty_scale: float = 1.0,
    finish: bool = True,
    num_threads: int | None = None,
) -> NDArray[np.bool_]:
    """Set every node to the value with the lower conditional expected energy; O(n log n + m) a row.

    Ties go to fewer expected violations, then to the more probable value. Nodes of equal probability are visited from
    the largest conditional difference in size, the most decided ones, to the smallest.

    Args:
        instance: one or many graphs.
        probability: [num_nodes], or [num_restarts, num_nodes] for independent rows.
        order: ``probability`` visits by descending p, ``confidence`` by descending |p − ½|.
        penalty_scale: multiple of the critical penalty in the energy.
        finish: whether to repair and maximalise, so that the result is feasible and no single flip improves it.
        num_threads: all processors by default; no result depends on it.

    Returns:
        Assignments in the shape of ``probability``.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]], 3)
        >>> decode(PROBLEMS["mis"].declare(path), [0.5, 0.4, 0.6]).tolist()
        [True, False, True]
    """
    rows = _check(instance, probability, order)
    forms = compile_forms(instance, penalty_scale)
    assignment = np.zeros(rows.shape, dtype=np.bool_)

    def run(work: tuple[State, int], first: int, last: int) -> None:
        state, row = work
        nodes = slice(forms.node_ptr[first], forms.node_ptr[last])
        load_graphs(forms, state, first, last)
        visits = _visits(forms, state, order, first, last)
        settle_graphs(forms, state, visits, first, last)
        assignment[row, nodes] = state.probability[nodes] > 0.5

    for_each_graph(
        instance.node_ptr, len(rows), lambda row: (new_state(forms, rows[row]), row), run, num_threads=num_threads
    )
    if finish:
        assignment = repair_and_maximalise(instance, assignment, num_threads=num_threads)
    return assignment.reshape(np.shape(probability))


def _check(instance: Instance, probability: ArrayLike, order: str) -> FloatArray:
    """Return the probabilities as rows, [num_restarts, num_nodes]."""
    if order not in get_args(Order):
        raise InputError(f"unknown order {order!r}; choose one of {', '.join(get_args(Order))}")
    given = np.asarray(probability, dtype=np.float64)
    if given.ndim not in {1, 2} or given.shape[-1] != instance.num_nodes:
        shape = f"[{instance.num_nodes}] or [num_restarts, {instance.num_nodes}]"
        raise InputError(f"probability must have shape {shape}, it has {list(given.shape)}")
    if not np.all((given >= 0) & (given <= 1)):
        raise InputError("probability must lie between 0 and 1")
    return np.atleast_2d(given)


def _visits(forms: Forms, state: State, order: Order, first: int, last: int) -> IntArray:
    """Return the nodes of some graphs in the order of visits, graph by graph."""
    start, stop = int(forms.node_ptr[first]), int(forms.node_ptr[last])
    given = state.probability[start:stop]
    key = -given if order == "probability" else -np.abs(given - 0.5)
    if last - first == 1:
        visits = np.argsort(key)
        ordered = key[visits]
        if np.all(ordered[1:] > ordered[:-1]):
            return start + visits
    decided = np.zeros(stop - start)
    measure_decision(forms, state, decided, first, last)
    # The leading bits of a floating point number grow with it, and flipped they fall.
    falling = ~decided.view(np.uint64) >> ROUNDED << ROUNDED
    if last - first == 1 and len(key) and ordered[0] == ordered[-1]:
        # Numbers with their places below them are sorted several times as fast as places by numbers.
        mixed = np.sort(falling | np.arange(len(key), dtype=np.uint64))
        return start + (mixed & ((np.uint64(1) << ROUNDED) - np.uint64(1))).astype(np.int64)
    owner = np.repeat(np.arange(last - first), np.diff(forms.node_ptr[first : last + 1]))
    return start + np.lexsort([falling, key, owner])


@kernel
def load_graphs(forms: Forms, state: State, first: int, last: int) -> None:
    """Load the graphs from first to last, without last."""
    for graph in range(first, last):
        load(forms, state, graph)


@kernel
def measure_decision(forms: Forms, state: State, decided: FloatArray, first: int, last: int) -> None:
    """Write the size of the conditional difference of every node, [num_nodes of these graphs]."""
    start = forms.node_ptr[first]
    for graph in range(first, last):
        for node in range(forms.node_ptr[graph], forms.node_ptr[graph + 1]):
            if node + AHEAD < forms.node_ptr[graph + 1]:
                fetch(forms, state, node + AHEAD, 0)
            decided[node - start] = abs(delta(forms, state, graph, node, ENERGY))


@kernel
def settle_graphs(forms: Forms, state: State, visits: IntArray, first: int, last: int) -> None:
    """Make the probabilities of some graphs bits, in the order of visits, one graph after the other."""
    start = forms.node_ptr[first]
    for graph in range(first, last):
        begin, end = forms.node_ptr[graph] - start, forms.node_ptr[graph + 1] - start
        certain = False
        for k in range(begin, end):
            certain = certain or state.probability[start + k] >= 1.0
        for k in range(begin, end):
            for stage in range(3):
                if k + (stage + 1) * AHEAD < end:
                    fetch(forms, state, visits[k + (stage + 1) * AHEAD], stage)
            bit = _better_bit(forms, state, graph, visits[k])
            if certain or bit > 0.0 or state.probability[visits[k]] == 0.0:
                update(forms, state, graph, visits[k], bit)
            else:
                # A node that was not certain when given stays what it becomes.
                rule_out(forms, state, graph, visits[k])


@inlined
def _better_bit(forms: Forms, state: State, graph: int, node: int) -> float:
    change = delta(forms, state, graph, node, ENERGY)
    if abs(change) > forms.tolerance[node]:
        return 1.0 if change < 0.0 else 0.0
    violations = delta(forms, state, graph, node, VIOLATION)
    if abs(violations) > VIOLATION_TOLERANCE:
        return 1.0 if violations < 0.0 else 0.0
    return 1.0 if state.probability[node] > 0.5 else 0.0
