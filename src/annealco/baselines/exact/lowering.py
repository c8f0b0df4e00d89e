"""Write an instance as a mixed-integer linear program, the one form that every exact solver here takes.

It is done once per kind of term, so that a new problem gets exact solvers for free. Constraints become rows that must
hold. The objective stays what it is. A product of two bits becomes a variable y with y ≤ x_u and y ≤ x_v where it is
wanted, and y ≥ x_u + x_v − 1 where it costs; one side suffices for each sign. Or it is told by e = |x_u − x_v|, for
x_u x_v = (x_u + x_v − e) / 2: then a cut is the sum of what is cut. The linear relaxation is the same; a solver that
looks at one variable at a time sees far more in the one than in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco import _core
from annealco.arrays import FloatArray, IntArray, PairArray, scatter_sum, segment_sum
from annealco.bounds.certify import grid_step
from annealco.energy import AllPairs, Cover, Instance, Linear, Pairs, Range
from annealco.energy.terms import Term, unknown_term
from annealco.errors import InputError
from annealco.graph.operations import num_pairs


class Rows(NamedTuple):
    """Linear rows: lower ≤ Σ value·y ≤ upper.

    Attributes:
        start: [num_rows + 1] offsets into ``column`` and ``value``.
        column: [num_entries] variables.
        value: [num_entries] their coefficients.
        lower: [num_rows], −inf for none.
        upper: [num_rows], inf for none.
    """

    start: IntArray
    column: IntArray
    value: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def num_rows(self) -> int:
        return len(self.lower)


class Columns(NamedTuple):
    """Further variables, from 0 to infinity or 1, that follow from the nodes' at every optimum.

    Attributes:
        cost: [num_columns].
        most: [num_columns] upper bounds.
        values: gives them, [num_columns], for the bits of the nodes.
    """

    cost: FloatArray
    most: FloatArray
    values: Callable[[NDArray[Any]], FloatArray]


@dataclass(frozen=True, eq=False)
class Program:
    """Minimise cost·y within rows, where the first variables are the nodes' bits.

    Attributes:
        num_nodes: how many of the variables are bits.
        cost: [num_variables].
        most: [num_variables] upper bounds; the lower ones are 0.
        rows: what must hold.
        blocks: the variables behind the nodes'.
        constant: what every assignment costs besides; solvers do without it, and it is added to what they prove.
    """

    num_nodes: int
    cost: FloatArray
    most: FloatArray
    rows: Rows
    blocks: tuple[Columns, ...] = ()
    constant: float = 0.0

    @property
    def num_variables(self) -> int:
        return len(self.cost)

    @cached_property
    def step(self) -> float:
        """A step of which the cost of every assignment is a multiple, or 0 where none is known."""
        return grid_step(self.cost) if np.all(self.most <= 1) else 0.0

    def complete(self, assignment: NDArray[Any]) -> FloatArray:
        """Return all variables [num_variables] for the bits of the nodes [num_nodes]."""
        bits = np.asarray(assignment, dtype=np.float64)
        return np.concatenate([bits, *(block.values(bits) for block in self.blocks)])


def no_rows() -> Rows:
    """Return no rows at all."""
    return Rows(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))


def equal_rows(column: NDArray[Any], value: Sequence[float], *, lower: float, upper: float) -> Rows:
    """Return rows of equal length and equal coefficients.

    Args:
        column: [num_rows, length] variables.
        value: [length] coefficients.
        lower: of every row.
        upper: of every row.
    """
    count, length = column.shape
    return Rows(
        np.arange(count + 1, dtype=np.int64) * length,
        column.reshape(-1).astype(np.int64),
        np.tile(np.asarray(value, dtype=np.float64), count),
        np.full(count, lower),
        np.full(count, upper),
    )


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Return the rows of all parts, one part after the other."""
    parts = parts or [no_rows()]
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    rest = (np.concatenate(each) for each in list(zip(*parts, strict=True))[1:])
    return Rows(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), *rest)


def some_rows(rows: Rows, kept: NDArray[np.bool_]) -> Rows:
    """Return the rows that are kept, [num_rows]."""
    sizes = np.diff(rows.start)
    entry = np.repeat(kept, sizes)
    start = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
    return Rows(start, rows.column[entry], rows.value[entry], rows.lower[kept], rows.upper[kept])


MAX_PAIRS = 2 * 10**7
"""A term over all pairs is listed up to here."""

MAX_DENSE_NODES = 4096
"""Up to here a matrix of all pairs is searched for cliques; larger graphs keep their pairs."""


class Priced(NamedTuple):
    """An objective term: what the nodes' bits cost, and further variables with the rows that define them."""

    node_cost: FloatArray | float = 0.0
    columns: Columns | None = None
    rows: Rows | None = None


def lower(instance: Instance) -> Program:
    """Return the linear program of an instance of one graph; its cost is what is minimised, whatever the sense.

    Example:
        >>> from annealco.graph.graph import Graph
        >>> from annealco.problems import PROBLEMS
        >>> triangle = Graph.from_edges([[0, 0, 1], [1, 2, 2]])
        >>> program = lower(PROBLEMS["mis"].declare(triangle))
        >>> program.cost.tolist(), np.sort(program.rows.column).tolist(), program.rows.upper.tolist()
        ([-1.0, -1.0, -1.0], [0, 1, 2], [1.0])
    """
    if instance.num_graphs != 1:
        raise InputError(f"a linear program is of one graph, this instance has {instance.num_graphs}")
    cost, most = [np.zeros(instance.num_nodes)], [np.ones(instance.num_nodes)]
    rows, blocks, count = [], list[Columns](), instance.num_nodes
    # What single nodes cost is known before pairs are looked at.
    for term in sorted(instance.objective, key=lambda term: not isinstance(term, Linear)):
        if type(term) not in _OBJECTIVE:
            raise unknown_term(term, user="a linear program")
        priced = _OBJECTIVE[type(term)](term, count, cost[0])
        cost[0] = cost[0] + priced.node_cost
        if priced.columns is not None and priced.rows is not None:
            cost.append(priced.columns.cost)
            most.append(priced.columns.most)
            blocks.append(priced.columns)
            rows.append(priced.rows)
            count += len(priced.columns.cost)
    for constraint in instance.constraints:
        if np.any(constraint.term.coefficient < 0) and not isinstance(constraint.term, Linear):
            raise InputError("a constraint with negative coefficients is not one row an item; it cannot be lowered")
        if type(constraint.term) not in _CONSTRAINT:
            raise unknown_term(constraint.term, user="a linear program")
        rows.append(_CONSTRAINT[type(constraint.term)](constraint.term))
    constant = 0.0 if instance.constant is None else float(instance.constant[0])
    joined = np.concatenate(cost), np.concatenate(most), join_rows(rows)
    return Program(instance.num_nodes, *joined, tuple(blocks), constant)


def _listed(term: AllPairs) -> Pairs:
    """Return the pairs of a term that lists none."""
    every = int(num_pairs(term.node_ptr).sum()) - term.excluded.shape[1]
    if every > MAX_PAIRS:
        raise InputError(f"the graph has {every:,} pairs that are not joined, more than {MAX_PAIRS:,} rows can tell")
    return term.listed()


def _at_most_one(term: Pairs) -> Rows:
    """Of each pair at most one node."""
    return _within_cliques(term.pairs[:, term.coefficient > 0], int(term.node_ptr[-1]), chosen=True)


def _within_cliques(pairs: PairArray, num_nodes: int, *, chosen: bool) -> Rows:
    """Of each clique at most one node that is chosen, or at most one that is not."""
    start, member = clique_rows(pairs, num_nodes)
    sizes, none = np.diff(start), np.full(len(start) - 1, np.inf)
    ones = np.ones(len(member))
    if chosen:
        return Rows(start, member, ones, -none, np.ones(len(sizes)))
    return Rows(start, member, ones, sizes - 1.0, none)


def clique_rows(pairs: PairArray, num_nodes: int) -> tuple[IntArray, IntArray]:
    """Cover pairs [2, num_pairs] by cliques that grow greedily by the node that covers most new pairs.

    One row per clique instead of one per pair: the relaxation is far tighter, and every solver here gains by it.

    Returns:
        Offsets [num_cliques + 1] and members [num_members]. Every two nodes of a clique are a pair, and every pair is
        in some clique. Takes O(num_nodes) per member.

    Example:
        >>> start, member = clique_rows(np.array([[0, 0, 1, 2], [1, 2, 2, 3]]), 4)
        >>> sorted(sorted(each.tolist()) for each in np.split(member, start[1:-1]))
        [[0, 1, 2], [2, 3]]
    """
    if num_nodes > MAX_DENSE_NODES or pairs.shape[1] == 0:
        return 2 * np.arange(pairs.shape[1] + 1, dtype=np.int64), pairs.T.reshape(-1).astype(np.int64)
    low, high = pairs.astype(np.int32)
    start, member = _core.clique_rows(num_nodes, low, high, _core.Clock())
    return start, member.astype(np.int64)


def _at_least_one(term: Cover) -> Rows:
    """Of each set at least one member; pairs together, as cliques of which all members but one are chosen."""
    kept = term.coefficient > 0
    sizes = np.diff(term.set_ptr)
    paired, rest = kept & (sizes == 2), kept & (sizes != 2)
    pairs = term.members[paired[term.set_of_member]].reshape(-1, 2).T
    member = term.members[rest[term.set_of_member]].astype(np.int64)
    start = np.concatenate([[0], np.cumsum(sizes[rest])]).astype(np.int64)
    hit = Rows(start, member, np.ones(len(member)), np.ones(len(start) - 1), np.full(len(start) - 1, np.inf))
    return join_rows([_within_cliques(pairs, int(term.node_ptr[-1]), chosen=False), hit])


def _within_range(term: Range) -> Rows:
    """The weighted sum within its range."""
    if term.coefficient[0] == 0:
        return no_rows()
    return _sum_row(term.weight, term.lower, term.upper)


def _sum_row(weight: FloatArray, lower: FloatArray, upper: FloatArray) -> Rows:
    column = np.flatnonzero(weight)
    return Rows(np.array([0, len(column)]), column, weight[column], lower.astype(float), upper.astype(float))


def _pairs(term: Pairs, first: int, node_cost: FloatArray) -> Priced:
    """One variable a pair, of the kind by which single variables tell more about the cost."""
    half = -term.coefficient / 2
    shift = -scatter_sum(np.tile(half, 2), term.pairs.reshape(-1), int(term.node_ptr[-1]))
    by_products = np.minimum(node_cost, 0).sum() + np.minimum(term.coefficient, 0).sum()
    by_differences = np.minimum(node_cost + shift, 0).sum() + np.minimum(half, 0).sum()
    if by_products >= by_differences:
        return _products(term, first)
    return _differences(term.pairs.astype(np.int64), half, first)._replace(node_cost=shift)


def _differences(pairs: IntArray, price: FloatArray, first: int) -> Priced:
    """One variable |x_u − x_v| a pair, defined from the side that its sign needs."""
    low, high = pairs
    every = np.stack([first + np.arange(len(price)), low, high], axis=1)
    rows = [equal_rows(every[price > 0], (1, *signs), lower=0, upper=np.inf) for signs in ((-1, 1), (1, -1))]
    rows.append(equal_rows(every[price < 0], (1, -1, -1), lower=-np.inf, upper=0))
    rows.append(equal_rows(every[price < 0], (1, 1, 1), lower=-np.inf, upper=2))
    columns = Columns(price, np.ones(len(price)), lambda bits: np.abs(bits[low] - bits[high]))
    return Priced(columns=columns, rows=join_rows(rows))


def _products(term: Pairs, first: int) -> Priced:
    """One variable x_u x_v a pair, defined from the side that its sign needs."""
    price, pairs = term.coefficient, term.pairs.astype(np.int64)
    own = first + np.arange(len(price))
    low, high = pairs
    wanted, costly = price < 0, price > 0
    rows = [equal_rows(np.stack([own, end], axis=1)[wanted], (1, -1), lower=-np.inf, upper=0) for end in pairs]
    rows.append(equal_rows(np.stack([low, high, own], axis=1)[costly], (1, 1, -1), lower=-np.inf, upper=1))
    columns = Columns(price, np.ones(len(price)), lambda bits: bits[low] * bits[high])
    return Priced(columns=columns, rows=join_rows(rows))


def _missed_sets(term: Cover, first: int, node_cost: FloatArray) -> Priced:  # noqa: ARG001 (it has its own)
    """One variable a set, 1 where no member is chosen."""
    price, count = term.coefficient, len(term.coefficient)
    own = first + np.arange(count)
    start = term.set_ptr + np.arange(count + 1)
    column = np.insert(term.members.astype(np.int64), term.set_ptr[:-1], own)
    # A price paid: own + Σ x ≥ 1. A price gained: own + x ≤ 1 for each member.
    missed = some_rows(Rows(start, column, np.ones(len(column)), np.ones(count), np.full(count, np.inf)), price > 0)
    gained = (price < 0)[term.set_of_member]
    pairs = np.stack([own[term.set_of_member], term.members.astype(np.int64)], axis=1)[gained]
    hit = equal_rows(pairs, (1, 1), lower=-np.inf, upper=1)

    def values(bits: NDArray[Any]) -> FloatArray:
        return np.asarray(segment_sum(bits[term.members], term.set_ptr) == 0, dtype=np.float64)

    return Priced(columns=Columns(price, np.ones(count), values), rows=join_rows([missed, hit]))


def _excess(term: Range, first: int, node_cost: FloatArray) -> Priced:  # noqa: ARG001 (it has its own)
    """One variable for what is above the range, one for what is below."""
    price = np.full(2, float(term.coefficient[0]))
    if price[0] < 0:
        raise InputError("a range whose violation is wanted is not convex; it cannot be lowered")
    inside = np.flatnonzero(term.weight)
    column, value = np.append(inside, [first, first + 1]), np.append(term.weight[inside], [-1.0, 1.0])
    row = Rows(np.array([0, len(column)]), column, value, term.lower.astype(float), term.upper.astype(float))

    def values(bits: NDArray[Any]) -> FloatArray:
        total = float(term.weight @ bits)
        return np.array([max(total - term.upper[0], 0.0), max(term.lower[0] - total, 0.0)])

    return Priced(columns=Columns(price, np.full(2, np.inf), values), rows=row)


_OBJECTIVE: dict[type[Term], Callable[[Any, int, FloatArray], Priced]] = {
    Linear: lambda term, first, node_cost: Priced(node_cost=term.coefficient),  # noqa: ARG005 (no variable of its own)
    Pairs: _pairs,
    AllPairs: lambda term, first, node_cost: _pairs(_listed(term), first, node_cost),
    Cover: _missed_sets,
    Range: _excess,
}

_CONSTRAINT: dict[type[Term], Callable[[Any], Rows]] = {
    Linear: lambda term: _sum_row(term.coefficient, np.zeros(1), np.zeros(1)),
    Pairs: _at_most_one,
    AllPairs: lambda term: _at_most_one(_listed(term)),
    Cover: _at_least_one,
    Range: _within_range,
}
