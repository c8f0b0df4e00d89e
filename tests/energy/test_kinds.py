"""The kind of problem that terms make together, without a problem's name."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from annealco.baselines.exact.lowering import lower
from annealco.baselines.external import as_quadratic_form, is_quadratic
from annealco.baselines.method import takes_kinds
from annealco.bounds.certify import term_size
from annealco.energy import AllPairs, Constraint, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.compiled import compile_terms
from annealco.energy.structure import KINDS, Structure, structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models.compiled_field import _graph_of_item
from annealco.problems import PROBLEMS, Problem
from annealco.solving.solve import solve
from tests.budgets import BRIEF
from tests.problems.sums import PRICED, SUMS

SQUARE = Graph.from_edges([[0, 1, 2, 0], [1, 2, 3, 3]])
EXPECTED = {
    "mis": "packing",
    "clique": "packing",
    "mds": "covering",
    "vertex_cover": "covering",
    "cut": "ranged",
    PRICED: "ranged",
    "max_cut": "quadratic",
    "qubo": "quadratic",
    "ising": "quadratic",
    "set_cover": "covering",
    "hitting_set": "covering",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_problem_has_a_kind(name: str) -> None:
    problem = SUMS.get(name) or PROBLEMS[name]
    kinds = {structure_of(problem.declare(graph)).kind for graph in problem.some_graphs()}
    assert kinds == {EXPECTED[name]}


def test_forced_nodes_stay_ranged() -> None:
    seeded = PROBLEMS["cut"].with_options(volume=(2, 6), seed_node=1)
    assert structure_of(seeded.declare(SQUARE)).kind == "ranged"


def test_mixed_constraints_and_signs_are_other() -> None:
    ptr = np.array([0, 2])
    box = Constraint(Range(ptr, np.array([1.0, -1.0]), np.zeros(1), np.ones(1), np.ones(1)), np.ones(1))
    assert structure_of(Instance(ptr, (Linear(ptr, np.ones(2)),), (box,))).kind == "other"
    either = Constraint(Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))
    assert structure_of(Instance(ptr, (Linear(ptr, np.array([1.0, -1.0])),), (either,))).kind == "other"
    assert structure_of(Instance(ptr, (Linear(ptr, np.ones(2)),), (either,))).kind == "covering"


def test_what_is_refused_says_both_kinds() -> None:
    refuses = takes_kinds("packing", "covering")
    assert refuses(PROBLEMS["mis"], SQUARE) is None
    assert refuses(PROBLEMS["max_cut"], SQUARE) == "it takes packing and covering problems, this one is quadratic"
    assert set(EXPECTED.values()) < set(KINDS)


PTR = np.array([0, 3])


def constraint(term) -> Constraint:
    return Constraint(term, np.ones_like(term.coefficient))


@pytest.mark.parametrize(
    "term",
    [
        Pairs(PTR, np.array([[0, 1], [1, 2]]), np.array([1.0, 0.0])),
        AllPairs(PTR, np.array([1.0, 0.0, 1.0])),
        Cover(PTR, np.array([0, 2, 3]), np.array([0, 1, 2]), np.array([0.0, 1.0])),
        Range(PTR, np.ones(3), np.ones(1), np.ones(1), np.zeros(1)),
    ],
    ids=lambda term: type(term).__name__,
)
def test_an_item_that_does_not_count_makes_another_kind(term) -> None:
    # Searches and proofs by reductions would take it for a constraint, and leave optima out.
    sign = -1.0 if isinstance(term, Pairs | AllPairs) else 1.0
    assert structure_of(Instance(PTR, (Linear(PTR, sign * np.ones(3)),), (constraint(term),))).kind == "other"


def test_items_that_do_not_count_leave_no_optimum_out() -> None:
    free = Pairs(PTR, np.array([[0, 1], [1, 2]]), np.array([1.0, 0.0]))

    def declare(graph: Graph) -> Instance:
        return Instance(PTR, (Linear(PTR, -np.array([1.0, 5.0, 5.0])),), (constraint(free),), sense="max")

    def score(graph: Graph, nodes) -> float | None:
        return None if {0, 1} <= set(nodes) else sum([1.0, 5.0, 5.0][node] for node in nodes)

    problem = Problem("free", "one pair is free", "max", declare, score)
    found = solve(Graph.from_edges([[0, 1], [1, 2]]), problem, **BRIEF)
    assert (found.value, found.bound) == (10.0, 10.0)


def test_structures_are_read_once_and_do_not_keep_their_instances() -> None:
    instance = PROBLEMS["mis"].declare(SQUARE)
    assert structure_of(instance) is structure_of(instance)
    assert structure_of(instance) is not structure_of(PROBLEMS["mis"].declare(SQUARE))
    watched = weakref.ref(instance)
    del instance
    gc.collect()
    assert watched() is None


def test_forced_nodes_and_allowed_pairs_are_told() -> None:
    both = Cover(PTR, np.array([0, 1, 2]), np.array([2, 0]), np.ones(2))
    box = Range(PTR, np.ones(3), np.ones(1), np.full(1, 2.0), np.ones(1))
    found = structure_of(Instance(PTR, (), (constraint(both), constraint(box))))
    assert (found.kind, found.forced.tolist(), found.box) == ("ranged", [0, 2], box)
    larger = Cover(PTR, np.array([0, 1, 3]), np.array([2, 0, 1]), np.ones(2))
    assert structure_of(Instance(PTR, (), (constraint(larger),))).forced.tolist() == []
    joined = np.array([[0], [1]])
    clique = Instance(PTR, (), (constraint(AllPairs(PTR, np.ones(3), joined)),))
    assert structure_of(clique).all_conflict_but.tolist() == [[0], [1]]
    assert structure_of(PROBLEMS["mis"].declare(SQUARE)).all_conflict_but is None


@dataclass(frozen=True, eq=False)
class Cubes:
    """A kind of term that nobody knows."""

    node_ptr: np.ndarray
    coefficient: np.ndarray

    def value(self, assignment):
        return np.zeros(1)

    def flip_interval(self):
        return np.zeros(3), np.zeros(3)


UNKNOWN = Cubes(PTR, np.ones(3))


def meets_a_loss() -> None:
    Energy(PTR, (UNKNOWN,)).expectation(torch.zeros(3))


@pytest.mark.parametrize(
    "meet",
    [
        lambda: Instance(PTR, (UNKNOWN,)),
        lambda: Instance(PTR, (), (constraint(UNKNOWN),)),
        lambda: Structure(PTR, (UNKNOWN,), ()),
        lambda: compile_terms((UNKNOWN,), PTR),
        lambda: term_size(UNKNOWN),
        lambda: _graph_of_item(UNKNOWN),
        lambda: is_quadratic(UNKNOWN),
        lambda: as_quadratic_form(Energy(PTR, (UNKNOWN,))),
        lambda: lower(SimpleNamespace(num_graphs=1, num_nodes=3, objective=(UNKNOWN,), constraints=(), constant=None)),
        meets_a_loss,
    ],
)
def test_terms_of_unknown_kinds_are_refused_by_whoever_meets_them(meet) -> None:
    with pytest.raises(InputError, match="knows no term of kind Cubes; the kinds are Linear, Pairs"):
        meet()
