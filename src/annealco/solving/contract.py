"""The contracts of searches and bounds, checked on small weighted graphs of all kinds of problems by enumeration.

`check_search` and `check_bound` need nothing but the search or the bound: both are about terms, so that the problems of
the package, and independent dominating sets, whose constraints are of two kinds, stand for all others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annealco._core import StopFlag
from annealco.bounds import BOUNDS, BoundKind, Ledger
from annealco.bounds.certify import cost_slack, cost_step
from annealco.clock import Budget, Trace
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem
from annealco.problems.small_graphs import small_graphs
from annealco.search import SEARCHES, Found, Search, SearchKind
from annealco.search.decode import decode

NUM_RANDOM, MAX_NODES = 6, 7
"""How many random graphs there are besides the fixed ones, and how many nodes they have at most."""

MOVES = 40
"""Of a call of a search."""

MANY_MOVES = 100_000
"""More than a search makes once it is told to stop."""

CONSTANT = 3.0
"""What every second instance that a search is given has besides its terms."""

TOLERANCE = 1e-9
"""How far a cost that a search carries along may be from the cost of its assignment, relative to its size."""


class SearchError(AssertionError):
    """Say which rule of the contract a search breaks, and on which instance."""


class BoundError(AssertionError):
    """Say which rule of the contract a bound breaks, and on which instance."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """An instance of one small graph, with all of its assignments."""

    name: str
    graph: Graph
    instance: Instance

    @cached_property
    def best(self) -> float:
        """The least cost of a feasible assignment, inf where there is none."""
        numbers = np.arange(2**self.instance.num_nodes)
        bits = (numbers[:, None] >> np.arange(self.instance.num_nodes) & 1).astype(np.bool_)
        feasible = self.instance.violations(bits)[:, 0] == 0
        return float(self.instance.cost.value(bits)[feasible, 0].min(initial=math.inf))

    def __str__(self) -> str:
        edges, weights = self.graph.edges.T.tolist(), self.graph.node_weight.tolist()
        return f"{self.name} on {self.instance.num_nodes} nodes, edges {edges}, node weights {weights}"


def check_search(search: str | SearchKind, *, problems: Sequence[Problem] | None = None, seed: int = 0) -> None:
    """Check that a search keeps the contract; return silently or raise.

    On every instance that it takes, from a feasible start: what it gives is feasible and never worse than the start,
    and costs what it says; moves are within the budget, 0 included; a further call goes on from the best so far; the
    same seed and moves give the same; a stop flag ends it; the start is left as it is; where it says ``solved``, no
    assignment is better. Graphs without nodes and edges are among the instances, and constants.

    Args:
        search: a name in `SEARCHES`, a place, or one of your own.
        problems: to try it on; those of the package and independent dominating sets by default.
        seed: of graphs and searches.

    Raises:
        SearchError: naming the first rule that is broken and the instance that breaks it.

    Example:
        >>> check_search("tabu")
    """
    kind, taken = SEARCHES.find(search), 0
    for number, plain in enumerate(_cases(problems, seed)):
        lifted = replace(plain.instance, constant=np.array([CONSTANT]))
        case = replace(plain, instance=lifted) if number % 2 else plain
        start = decode(case.instance, np.full(case.instance.num_nodes, 0.5), num_threads=1)
        if kind.takes(structure_of(case.instance)) and case.instance.violations(start)[0] == 0:
            taken += 1
            _SearchCase(kind, case, start, seed + number).check()
    if not taken:
        raise SearchError(f"{kind.name}: it takes none of the instances that it is tried on")


@dataclass(frozen=True, eq=False)
class _SearchCase:
    kind: SearchKind
    case: Enumerated
    start: np.ndarray[tuple[int], np.dtype[np.bool_]]
    seed: int

    def check(self) -> None:
        """Raise where a rule is broken."""
        search = self._begin()
        first, second, third = (self._run_honestly(search, moves) for moves in (0, MOVES, MOVES))
        self._require(second.cost <= first.cost + self._margin, "a further call gives something worse")
        self._require(third.cost <= second.cost + self._margin, "a further call gives something worse")
        again = self._begin()
        repeated = [self._run(again, Budget(moves=moves)) for moves in (0, MOVES, MOVES)]
        same = all(
            left.moves == right.moves and np.array_equal(left.assignment, right.assignment)
            for left, right in zip((first, second, third), repeated, strict=True)
        )
        self._require(same, "the same seed and moves give something else")
        self._check_stop()

    def _run_honestly(self, search: Search, moves: int) -> Found:
        """Go on with a search that says ``solved`` only where nothing is better."""
        found = self._run(search, Budget(moves=moves))
        better = self.case.best < found.cost - self._margin
        self._require(
            not (search.solved and better), f"it says solved at {found.cost:g}, but {self.case.best:g} is possible"
        )
        return found

    def _check_stop(self) -> None:
        stop = StopFlag()
        stop.set()
        found = self._run(self._begin(stop), Budget(moves=MANY_MOVES, stop=stop))
        self._require(found.moves < MANY_MOVES, f"it makes {found.moves} moves though the stop flag is set")

    def _begin(self, stop: StopFlag | None = None) -> Search:
        given = self.start.copy()
        search = self.kind.begin(self.case.instance, given, seed=self.seed, seconds=None, stop=stop)
        self._require(np.array_equal(given, self.start), "the start is changed")
        return search

    def _run(self, search: Search, budget: Budget) -> Found:
        """Go on with a search, and check what it gives by itself."""
        found = Found(*search.run(budget, -math.inf, Trace()))
        instance, bits = self.case.instance, np.array(found.assignment)
        right = bits.dtype == np.bool_ and bits.shape == (instance.num_nodes,)
        self._require(right, f"it gives {list(bits.shape)} of {bits.dtype}, not [{instance.num_nodes}] bools")
        most = budget.moves or 0
        self._require(0 <= found.moves <= most, f"it makes {found.moves} moves of a budget of {most}")
        chosen = np.flatnonzero(bits).tolist()
        self._require(bool(instance.violations(bits)[0] == 0), f"it gives {chosen}, which is not feasible")
        cost = float(instance.cost.value(bits)[0])
        honest = abs(cost - found.cost) <= self._margin
        self._require(honest, f"it says that {chosen} costs {found.cost:g}, it costs {cost:g}")
        begun = float(instance.cost.value(self.start)[0])
        self._require(cost <= begun + self._margin, f"it gives a cost of {cost:g}, the start has {begun:g}")
        return Found(found.moves, bits, cost)

    @property
    def _margin(self) -> float:
        return TOLERANCE * max(1.0, abs(self.case.best))

    def _require(self, ok: bool, rule: str) -> None:
        if not ok:
            raise SearchError(f"{self.kind.name}: {rule} ({self.case})")


def check_bound(
    bound: str | BoundKind, *, problems: Sequence[Problem] | None = None, seed: int = 0, seconds: float = 0.02
) -> None:
    """Check that a bound is never on the wrong side of the best assignment; return silently or raise.

    Every instance that it takes is tried with and without a known optimum as the target, and quickly. What holds on
    small graphs need not hold on large ones: a check is no proof, and a bound that is wrong is believed.

    Args:
        bound: a name in `BOUNDS`, a place, or one of your own.
        problems: to try it on; those of the package and independent dominating sets by default.
        seed: of graphs and proofs.
        seconds: that one which is not brief may take for an instance.

    Raises:
        BoundError: naming the first rule that is broken and the instance that breaks it.

    Example:
        >>> check_bound("gains")
    """
    kind, taken = BOUNDS.find(bound), 0
    for number, case in enumerate(_cases(problems, seed)):
        if not kind.takes(structure_of(case.instance)) or not math.isfinite(case.best):
            continue
        taken += 1
        for target, limit in ((math.inf, seconds), (case.best, seconds), (math.inf, 0.0)):
            _check_proof(kind, case, target, limit, seed + number)
    if not taken:
        raise BoundError(f"{kind.name}: it takes none of the instances that it is tried on")


def _check_proof(kind: BoundKind, case: Enumerated, target: float, seconds: float, seed: int) -> None:
    instance = case.instance
    ledger = Ledger(seconds=seconds, target=target, step=cost_step(instance), slack=cost_slack(instance))
    try:
        kind.prove(instance, ledger, seed=seed)
    except InputError as error:
        raise BoundError(f"{kind.name}: {error} ({case})") from error
    if ledger.cost > case.best:
        raise BoundError(
            f"{kind.name}: it proves a cost of {ledger.cost:g} at least, {case.best:g} is possible ({case})"
        )
    if ledger.complete and ledger.cost < case.best - TOLERANCE * max(1.0, abs(case.best)):
        raise BoundError(f"{kind.name}: it calls {ledger.cost:g} complete, the least cost is {case.best:g} ({case})")
    if math.isfinite(ledger.cost) and not ledger.method:
        raise BoundError(f"{kind.name}: it does not say by what method it proves ({case})")


def _cases(problems: Sequence[Problem] | None, seed: int) -> Iterator[Enumerated]:
    """Give instances of problems on small graphs; a graph that a declaration refuses is left out."""
    own = (PROBLEMS[name] for name in PROBLEMS.own)
    given = [each for each in own if each.at_price is None] if problems is None else problems
    for graph in small_graphs(np.random.default_rng(seed), num_random=NUM_RANDOM, max_nodes=MAX_NODES):
        for problem in given:
            try:
                yield Enumerated(problem.name, graph, problem.declare(graph))
            except InputError:
                continue
        if problems is None:
            yield Enumerated("independent domination", graph, _independent_domination(graph))


def _independent_domination(graph: Graph) -> Instance:
    """Declare the cheapest set that dominates all nodes, and of which no two are joined."""
    apart, dominating = PROBLEMS["mis"].declare(graph), PROBLEMS["mds"].declare(graph)
    return replace(dominating, constraints=(*dominating.constraints, *apart.constraints))
