"""Solvers of other packages, and the two forms in which they take an instance.

`run_external` writes an instance down as the solver wants it, then solves. Only solving is timed: what a Python
interface costs is not held against a solver. `conflict_graph` gives an instance as an independent set problem, the one
that most solvers know; `as_quadratic_form` gives an energy as a·x + Σ b_uv x_u x_v, where it is one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray, IntArray
from annealco.baselines.method import Assignment, Outcome, Refusal
from annealco.energy import AllPairs, Cover, Energy, Instance, Linear, Pairs, Range, Term
from annealco.energy.structure import expand, has_small_sets, structure_of
from annealco.energy.terms import unknown_term
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.covering import as_hitting_set


class SolveInstance(Protocol):
    """Return the bits of the best feasible set of so many seconds, [num_nodes], or None where there is none."""

    def __call__(self, seconds: float, seed: int) -> Assignment | None: ...


BuildInstance = Callable[[Instance], SolveInstance]
"""Write an instance of one graph down for a solver."""


def run_external(
    build: BuildInstance,
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,  # noqa: ARG001 (these solvers have one)
    start: Assignment | None = None,  # noqa: ARG001 (and take no start)
    note: str = "",
) -> Outcome:
    """Declare, build, solve; `annealco.baselines.method.SolveGraph` tells what is given."""
    solve = build(problem.declare(graph))
    begun = time.perf_counter()
    found = solve(budget, seed)
    seconds = time.perf_counter() - begun
    return Outcome(found, note=note if found is not None else "nothing feasible was found", seconds=seconds)


class ConflictGraph(NamedTuple):
    """A graph whose independent sets are the feasible sets, or what these leave out.

    Attributes:
        graph: with the weights of the nodes.
        inverted: whether a feasible set is what an independent set leaves out, as a vertex cover is.
    """

    graph: Graph
    inverted: bool

    def as_bits(self, independent: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return the feasible set of an independent set, [num_nodes]."""
        chosen = np.zeros(self.graph.num_nodes, np.bool_)
        chosen[independent] = True
        return ~chosen if self.inverted else chosen


def conflict_graph(instance: Instance) -> ConflictGraph:
    """Return the conflict graph of an instance of one graph, its own or that of all pairs that exclude each other."""
    sets = as_hitting_set(instance)
    if sets is None or np.any(np.diff(sets.set_ptr) != 2):
        raise InputError("this is no independent set problem, or its pairs are too many to list")
    pairs = np.unique(np.sort(sets.members.reshape(-1, 2), axis=1), axis=0).T
    return ConflictGraph(Graph.from_edges(pairs, instance.num_nodes, node_weight=sets.cost), not sets.inverted)


def takes_independent_sets(*, weighted: bool) -> Refusal:
    """Return what refuses all but independent sets and what they stand for, and, unless it takes them, weights."""

    def refuse(problem: Problem, graph: Graph) -> str | None:
        structure = structure_of(problem.declare(graph))
        two = np.all(np.diff(structure.set_ptr) == 2)
        if structure.kind != "packing" and not (structure.kind == "covering" and two):
            return "it is for independent sets, cliques and vertex covers"
        if weighted and not np.all(graph.node_weight == np.round(graph.node_weight)):
            return "it takes whole node weights"
        return None if weighted or np.all(graph.node_weight == 1) else "it takes no node weights"

    return refuse


class QuadraticForm(NamedTuple):
    """a·x + Σ b_uv x_u x_v + c.

    Attributes:
        linear: a, [num_nodes].
        pairs: [2, num_pairs] with u < v; a pair may be listed again.
        value: b, [num_pairs].
        constant: c.
    """

    linear: FloatArray
    pairs: IntArray
    value: FloatArray
    constant: float


def is_quadratic(term: Term) -> bool:
    """Tell whether a term has products of two bits at most."""
    if isinstance(term, Cover):
        return has_small_sets(term)
    if isinstance(term, Linear | Pairs | AllPairs | Range):
        return not isinstance(term, Range)
    raise unknown_term(term, user="a quadratic form")


def refuses(problem: Problem, graph: Graph) -> str | None:
    """Refuse energies that are not quadratic."""
    terms = problem.declare(graph).energy().terms
    return None if all(map(is_quadratic, terms)) else "its energy is not quadratic"


def as_quadratic_form(energy: Energy) -> QuadraticForm:
    """Return the form of an energy of one graph whose terms are all quadratic.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> as_quadratic_form(PROBLEMS["vertex_cover"].declare(path).energy())[0].tolist()
        [0.0, -1.0, 0.0]
    """
    linear = np.zeros(int(energy.node_ptr[-1]))
    constant = 0.0 if energy.constant is None else float(energy.constant.sum())
    pairs, value = [np.zeros((2, 0), np.int64)], [np.zeros(0)]
    for term in energy.terms:
        if isinstance(term, Linear):
            linear += term.coefficient
        elif isinstance(term, Cover):
            single, products, missed = expand(term)
            linear += single.coefficient
            constant += float(missed.sum())
            pairs.append(products.pairs.astype(np.int64))
            value.append(products.coefficient)
        elif isinstance(term, Pairs | AllPairs):
            listed = term.listed()
            pairs.append(listed.pairs.astype(np.int64))
            value.append(listed.coefficient)
        elif isinstance(term, Range):
            raise InputError("a range of weights is no quadratic form")
        else:
            raise unknown_term(term, user="a quadratic form")
    ends = np.concatenate(pairs, axis=1)
    return QuadraticForm(linear, np.sort(ends, axis=0), np.concatenate(value), constant)
