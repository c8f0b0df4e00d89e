"""What kind of problem the terms of an instance make, read off them once: searches, bounds and losses all ask here.

| kind        | objective        | constraints                                                | examples             |
|-------------|------------------|------------------------------------------------------------|----------------------|
| `packing`   | gains            | pairs that exclude each other                              | independent set      |
| `covering`  | costs            | sets of which one member must be chosen; nodes kept out    | dominating set       |
| `quadratic` | linear and pairs | none                                                       | maximum cut          |
| `ranged`    | linear and pairs | one range of weights ≥ 0, and nodes that must be chosen    | cut in a volume box  |
| `other`     | anything else    |                                                            |                      |

A quotient is no kind of its own: it is told by instances, each of which has one of these kinds (`search/ratio.py`).

Of any kind a `Structure` also has the parts from which bounds are proven. Leaving out a constraint can only lower the
least cost, so that a constraint which is not understood is left out and the bound still holds; what an objective is
made of must be understood as a whole (`Structure.is_quadratic`).
"""

from __future__ import annotations

from functools import cached_property, reduce
from typing import Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

import numpy as np

from annealco.arrays import FloatArray, IntArray, PairArray, occurrences, scatter_sum
from annealco.energy.instance import Instance
from annealco.energy.terms import AllPairs, Cover, Linear, Pairs, Range, Term, unknown_term

Kind = Literal["packing", "covering", "quadratic", "ranged", "other"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Structure:
    """What the terms of an instance are, as a whole; each part is read when it is first asked for.

    Attributes:
        node_ptr: [num_graphs + 1] node offsets.
        objective: terms of the objective.
        terms: terms of the constraints.
    """

    def __init__(self, node_ptr: IntArray, objective: tuple[Term, ...], terms: tuple[Term, ...]) -> None:
        """Keep the terms; an instance itself must not be kept, since structures are kept as long as instances live."""
        for term in (*objective, *terms):
            if not isinstance(term, Term):
                raise unknown_term(term, user="a structure")
        self.node_ptr = node_ptr
        self.objective = objective
        self.terms = terms

    @property
    def num_nodes(self) -> int:
        return int(self.node_ptr[-1])

    @cached_property
    def kind(self) -> Kind:
        """The kind of problem, see above."""
        if not self.is_quadratic:
            return "other"
        if not self.terms:
            return "quadratic"
        if self.is_linear and self.conflict_terms and np.all(self.node_cost <= 0):
            return "packing"
        if self.is_linear and self.cover_terms and np.all(self.node_cost >= 0):
            return "covering"
        return "ranged" if self.box is not None else "other"

    @cached_property
    def is_linear(self) -> bool:
        """Whether the objective has terms of single nodes only."""
        return all(isinstance(term, Linear) for term in self.objective)

    @cached_property
    def is_quadratic(self) -> bool:
        """Whether the objective has terms of single nodes and of listed pairs only."""
        return all(isinstance(term, (Linear, Pairs)) for term in self.objective)

    @cached_property
    def node_cost(self) -> FloatArray:
        """Sum of the objective's linear terms, [num_nodes]."""
        linear = (term.coefficient for term in self.objective if isinstance(term, Linear))
        return sum(linear, start=np.zeros(self.num_nodes))

    @cached_property
    def conflict_terms(self) -> tuple[Pairs | AllPairs, ...]:
        """The constraints, where there are some and each of their pairs excludes both nodes; else nothing."""
        found = tuple(term for term in self.terms if isinstance(term, (Pairs, AllPairs)) and _is_priced(term))
        return found if len(found) == len(self.terms) else ()

    @cached_property
    def cover_terms(self) -> tuple[Cover, ...]:
        """The constraints by which sets must be hit, where there are no others; else nothing.

        Constraints that keep nodes out do not count where these nodes are in no set and cost something: no search has
        a reason to choose them.
        """
        found = tuple(term for term in self.terms if isinstance(term, Cover) and _is_priced(term))
        others = [term for term in self.terms if not isinstance(term, Cover)]
        kept_out = [term for term in others if isinstance(term, Linear) and not np.any(term.coefficient < 0)]
        if len(found) + len(kept_out) < len(self.terms):
            return ()
        for nodes in (np.flatnonzero(term.coefficient) for term in kept_out):
            inside = np.zeros(self.num_nodes, np.bool_)
            inside[nodes] = True
            if np.any(self.node_cost[nodes] <= 0) or any(inside[term.members].any() for term in found):
                return ()
        return found

    @cached_property
    def all_conflict_but(self) -> PairArray | None:
        """The pairs [2, num_pairs] that may both be chosen, where the one constraint is that no others are."""
        if len(self.conflict_terms) == 1 and isinstance(self.conflict_terms[0], AllPairs):
            return self.conflict_terms[0].excluded
        return None

    @cached_property
    def box(self) -> Range | None:
        """The range of a sum of weights ≥ 0, where the constraints are one such range and nodes that are forced."""
        ranges = [term for term in self.terms if isinstance(term, Range) and _is_priced(term)]
        if len(ranges) != 1 or len(ranges) + len(self._forcing) != len(self.terms) or np.any(ranges[0].weight < 0):
            return None
        return ranges[0]

    @cached_property
    def forced(self) -> IntArray:
        """The nodes that must be chosen by constraints that say nothing else, each once and in order, [num_forced]."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *(term.members for term in self._forcing)]))

    @cached_property
    def _forcing(self) -> list[Cover]:
        covers = [term for term in self.terms if isinstance(term, Cover) and _is_priced(term)]
        return [term for term in covers if np.all(np.diff(term.set_ptr) == 1)]

    @cached_property
    def linear(self) -> FloatArray:
        """The objective's linear terms for bounds, [num_nodes]: where it is a sum of several, not above it."""
        linear = [term.coefficient for term in self.objective if isinstance(term, Linear)]
        return reduce(_add_below, linear) if linear else np.zeros(self.num_nodes)

    @cached_property
    def single(self) -> bool:
        """Whether the objective has one linear term at most.

        Then what it and the pairs leave of a node within rounding is nothing, as in a cut; of several terms a small one
        may be what is left.
        """
        return sum(isinstance(term, Linear) for term in self.objective) <= 1

    @cached_property
    def pairs(self) -> PairArray:
        """Pairs of the objective, [2, num_pairs]."""
        return _join_pairs([term.pairs for term in self.objective if isinstance(term, Pairs)])

    @cached_property
    def pair_value(self) -> FloatArray:
        """Their coefficients, [num_pairs]."""
        values = (term.coefficient for term in self.objective if isinstance(term, Pairs))
        return np.concatenate([np.zeros(0), *values])

    @cached_property
    def _relaxed(self) -> list[Term]:
        # A constraint with a negative coefficient can vanish with each of its items violated.
        return [term for term in self.terms if not np.any(term.coefficient < 0)]

    @cached_property
    def conflicts(self) -> PairArray:
        """Listed pairs of which at most one node can be chosen, whatever else must hold, [2, num_conflicts]."""
        return _join_pairs([_priced_pairs(term) for term in self._relaxed if isinstance(term, Pairs)])

    @cached_property
    def apart(self) -> tuple[AllPairs, ...]:
        """Constraints by which all pairs conflict but the excluded ones, whatever else must hold."""
        return tuple(term for term in self._relaxed if isinstance(term, AllPairs))

    @cached_property
    def _sets(self) -> tuple[IntArray, PairArray]:
        return _join_sets([term for term in self._relaxed if isinstance(term, Cover)])

    @property
    def set_ptr(self) -> IntArray:
        """Offsets into ``members`` of the sets in which some node must be chosen, [num_sets + 1]."""
        return self._sets[0]

    @property
    def members(self) -> PairArray:
        """Nodes of these sets, [num_members]."""
        return self._sets[1]

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """Constraints on weighted sums, whatever else must hold."""
        return tuple(term for term in self._relaxed if isinstance(term, Range) and np.any(term.coefficient > 0))


# The parts of a large instance take as long to read as some searches to begin, and many ask for them.
_CACHE: WeakKeyDictionary[Instance, Structure] = WeakKeyDictionary()


def structure_of(instance: Instance) -> Structure:
    """Return what the terms of an instance are as a whole, kept as long as the instance lives.

    Example:
        >>> from annealco.energy import Constraint
        >>> ptr = np.array([0, 3])
        >>> joined = Pairs(ptr, np.array([[0], [1]]), np.ones(1))
        >>> instance = Instance(ptr, (Linear(ptr, -np.ones(3)),), (Constraint(joined, np.ones(1)),), sense="max")
        >>> structure_of(instance).kind, structure_of(instance).conflicts.tolist()
        ('packing', [[0], [1]])
    """
    found = _CACHE.get(instance)
    if found is None:
        terms = tuple(constraint.term for constraint in instance.constraints)
        found = _CACHE.setdefault(instance, Structure(instance.node_ptr, instance.objective, terms))
    return found


def _is_priced(term: Term) -> bool:
    """Tell whether each item of a constraint counts where it is violated."""
    return bool(np.all(term.coefficient > 0))


def _add_below(total: FloatArray, part: FloatArray) -> FloatArray:
    """Return sums that are not above the exact ones: to lower a cost keeps a bound, and small parts may be lost."""
    rounded = total + part
    added = rounded - total
    lost = (total - (rounded - added)) + (part - added)
    return np.where(lost < 0, np.nextafter(rounded, -np.inf), rounded)


def _priced_pairs(term: Pairs) -> PairArray:
    priced = term.coefficient > 0
    return term.pairs if priced.all() else term.pairs[:, priced]


def _join_pairs(parts: list[PairArray]) -> PairArray:
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros((2, 0), np.int32), *parts], axis=1)


def _join_sets(terms: list[Cover]) -> tuple[IntArray, PairArray]:
    """Return offsets and members of the sets with a price."""
    if len(terms) == 1 and np.all(terms[0].coefficient > 0):
        return terms[0].set_ptr.astype(np.int64, copy=False), terms[0].members.astype(np.int32, copy=False)
    lengths, members = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for term in terms:
        priced = term.coefficient > 0
        lengths.append(np.diff(term.set_ptr)[priced])
        members.append(term.members[priced[term.set_of_member]].astype(np.int32))
    return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64), np.concatenate(members)


class Expansion(NamedTuple):
    """Sets of at most two nodes written out, by c (1 − x_u) (1 − x_v) = c − c x_u − c x_v + c x_u x_v.

    What is left over is a constant of each graph, [num_graphs].
    """

    linear: Linear
    pairs: Pairs
    constant: FloatArray


def has_small_sets(term: Cover) -> bool:
    """Tell whether no set has more than two members."""
    return bool(np.all(np.diff(term.set_ptr) <= 2))


def expand(term: Cover) -> Expansion:
    """Return a term of small sets written out.

    Example:
        >>> edge = Cover(np.array([0, 2]), np.array([0, 2]), np.array([0, 1]), np.array([5.0]))
        >>> linear, pairs, constant = expand(edge)
        >>> linear.coefficient.tolist(), pairs.coefficient.tolist(), constant.tolist()
        ([-5.0, -5.0], [5.0], [5.0])
    """
    members, coefficient = term.members, term.coefficient
    linear = -_sums_by_member(term)
    constant = scatter_sum(coefficient, term.graph_of_set, len(term.node_ptr) - 1)
    if len(members) < 2 * len(coefficient):
        sizes = np.diff(term.set_ptr)
        members, coefficient = members[np.repeat(sizes == 2, sizes)], coefficient[sizes == 2]
    pairs = Pairs(term.node_ptr, members.reshape(-1, 2).T, coefficient)
    return Expansion(Linear(term.node_ptr, linear), pairs, constant)


def _sums_by_member(term: Cover) -> FloatArray:
    """Return the sum of the coefficients of the sets that each node is in, [num_nodes]."""
    size, coefficient = int(term.node_ptr[-1]), term.coefficient
    if len(coefficient) and coefficient.min() == coefficient.max():
        return occurrences(term.members, size).astype(np.float64) * float(coefficient[0])
    return scatter_sum(coefficient[term.set_of_member], term.members, size)
