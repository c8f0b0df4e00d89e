"""`SEARCHES` by name, the choice among them by the structure of an instance, and the best that one has found so far.

By default the first of the package takes an instance that says it does: nodes of which few pairs may both be chosen go
to the search for cliques, hitting set problems to the covering search; what else has constraints is annealed and
searched by tabu search in turns, as are large quadratic functions of many pairs. Quadratic functions of few pairs are
annealed with recombination, and what is left is annealed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from operator import attrgetter

import numpy as np

from annealco._core import Patience, StopFlag
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of
from annealco.errors import InputError
from annealco.registry import Registry
from annealco.search.protocol import Bits, Search, SearchKind


def _complaint(given: object) -> str | None:
    return None if isinstance(given, SearchKind) else "it must be an annealco.search.SearchKind"


SEARCHES: Registry[SearchKind] = Registry(
    "search",
    "annealco.searches",
    {
        "cliques": "annealco.search.cliques:CLIQUES",
        "covering": "annealco.search.covering:COVERING",
        "alternating": "annealco.search.tabu:ALTERNATING",
        "recombination": "annealco.search.annealing:RECOMBINATION",
        "annealing": "annealco.search.annealing:ANNEALING",
        "tabu": "annealco.search.tabu:TABU",
    },
    _complaint,
    name_of=attrgetter("name"),
)
"""Every search by its name; of those of the package the first that takes an instance is the default.

Entry points ``annealco.searches`` add to it; what they bring is used where it is named.
"""


def default_search(structure: Structure) -> SearchKind:
    """Return the first search of the package that takes an instance; the last ones take all.

    Example:
        >>> from annealco.energy import Linear
        >>> ptr = np.array([0, 2])
        >>> default_search(structure_of(Instance(ptr, (Linear(ptr, np.ones(2)),)))).name
        'annealing'
    """
    return next(kind for kind in map(SEARCHES.__getitem__, SEARCHES.own) if kind.takes(structure))


def check_taken(search: SearchKind, structure: Structure) -> None:
    """Raise where a search does not take an instance.

    Raises:
        InputError: with the searches of the package that do.
    """
    with SEARCHES.blaming(search, search.name):
        taken = search.takes(structure)
    if not taken:
        fit = ", ".join(name for name in SEARCHES.own if SEARCHES[name].takes(structure))
        raise InputError(
            f"the search {search.name} does not take this instance ({structure.kind}); choose one of {fit}"
        )


def choose_search(
    instance: Instance,
    start: Bits,
    seed: int,
    *,
    search: SearchKind | None = None,
    seconds: float | None = None,
    stop: StopFlag | None = None,
) -> Search:
    """Begin a search of an instance of one graph.

    Args:
        instance: of one graph.
        start: [num_nodes] the assignment to begin with.
        seed: for the search.
        search: which; the default for the structure of the instance where it is None.
        seconds: that the search will have; reductions stop when they have taken their share of it.
        stop: once it is set, reductions end with what they have.

    Raises:
        InputError: where the search does not take the instance.
    """
    structure = structure_of(instance)
    if search is None:
        search = default_search(structure)
    check_taken(search, structure)
    return search.begin(instance, start, seed=seed, seconds=seconds, stop=stop)


class Improver:
    """A search on one graph that can be asked for its best, and continued.

    Attributes:
        assignment: [num_nodes] the best so far.
        cost: its cost, infinite where it is not feasible.
        moves: how many moves were made.
        trace: when which cost was reached.
        method: the title of the search, once it has begun.
    """

    least_seconds = 0.002
    """In which it gets under way on a small graph."""

    def __init__(
        self,
        instance: Instance,
        start: Bits,
        *,
        seed: int,
        search: SearchKind | None = None,
        started: float | None = None,
        seconds: float | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Begin with an assignment.

        Args:
            instance: of one graph.
            start: [num_nodes] the assignment.
            seed: for the search.
            search: which; the default for the structure of the instance where it is None.
            started: clock reading from which the trace counts; now by default.
            seconds: that all calls of `improve` will have together, None where nothing may depend on the clock.
            patience: how long all calls may go on in vain.
        """
        self.instance = instance
        self.kind = default_search(structure_of(instance)) if search is None else search
        self.seed = seed
        self.seconds = seconds
        self.patience = patience
        self.moves = 0
        self.trace = Trace() if started is None else Trace(started)
        self.assignment = start
        self.cost = self._cost_of(start) if self._is_feasible(start) else math.inf
        self.trace.record(self.cost)
        self.method = "decoding"
        self._search: Search | None = None

    def begin(self, stop: StopFlag | None = None) -> Search:
        """Return the search, set up by the first call; once the flag is set, set-up ends with what it has."""
        if self._search is None:
            start = self.assignment.copy()
            with SEARCHES.blaming(self.kind, self.kind.name):
                self._search = choose_search(
                    self.instance, start, self.seed, search=self.kind, seconds=self.seconds, stop=stop
                )
            self.method = self.kind.title
        return self._search

    def improve(self, budget: Budget, *, target: float = -math.inf) -> None:
        """Search until the budget or the patience is spent, or the cost reaches the target, a known lower bound."""
        if self.patience is not None and self.patience.is_over:
            return
        begun, budget = now(), replace(budget, patience=self.patience)
        search = self.begin(budget.stop)
        with SEARCHES.blaming(self.kind, self.kind.name):
            moves, found, claimed = search.run(budget.after(now() - begun), target, self.trace)
            self.moves += moves
            assignment = self._checked(found)
        # A search adds to its cost and takes from it millions of times, which weights off any grid do not survive.
        if claimed < math.inf and (cost := self._cost_of(assignment)) < self.cost and self._is_feasible(assignment):
            self.assignment, self.cost = assignment, cost

    def adopt(self, assignment: Bits) -> bool:
        """Take an assignment [num_nodes] of others, if it is feasible and cheaper; tell whether it is."""
        if not self._is_feasible(assignment) or not (cost := self._cost_of(assignment)) < self.cost:
            return False
        self.assignment, self.cost = assignment, cost
        self.trace.record(cost)
        return True

    @property
    def setup_seconds(self) -> float:
        """What the search takes to be set up, per node and edge of a graph."""
        with SEARCHES.blaming(self.kind, self.kind.name):
            seconds = self.kind.setup_seconds(structure_of(self.instance))
        if not isinstance(seconds, (int, float)) or not seconds >= 0:
            rule = "must say by setup_seconds how many seconds it takes to be set up"
            raise InputError(f"the search {self.kind.name} {rule}, it says {seconds!r:.40}")
        return float(seconds)

    def _checked(self, found: object) -> Bits:
        """Return an assignment as bits; a search of a user's own may give anything."""
        # A copy: a search may go on in the array that it gave.
        given = np.array(found)
        if given.dtype != np.bool_ or given.shape != (self.instance.num_nodes,):
            wanted, seen = f"[{self.instance.num_nodes}] bools", f"{list(given.shape)} of {given.dtype}"
            raise InputError(f"the search {self.kind.name} must give {wanted}, it gives {seen}")
        return given

    def _is_feasible(self, assignment: Bits) -> bool:
        return bool(self.instance.violations(assignment)[0] == 0)

    def _cost_of(self, assignment: Bits) -> float:
        return float(self.instance.cost.value(assignment)[0])

    @property
    def solved(self) -> bool:
        """Whether the search left nothing to look at, so that the best is an optimum."""
        with SEARCHES.blaming(self.kind, self.kind.name):
            return self._search is not None and bool(self._search.solved)
