"""The contracts of searches and bounds, checked on small weighted graphs of all kinds of problems by enumeration.

`check_search` and `check_bound` need nothing but the search or the bound: both are about terms, so that the problems of
the package, and independent dominating sets, whose constraints are of two kinds, stand for all others.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.arguments import as_integer, as_python, fits
from annealco.bounds import BOUNDS, BoundKind, Ledger
from annealco.bounds.certify import cost_slack, cost_step
from annealco.clock import Budget, Trace, wait_for
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import ContractError, InputError, UserCodeError, in_one_line
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem, find_problems
from annealco.problems.contract import declared
from annealco.problems.small_graphs import small_graphs
from annealco.search import SEARCHES, Found, Search, SearchKind
from annealco.search.decode import decode

Answer = TypeVar("Answer")

NUM_RANDOM, MAX_NODES = 6, 7
"""How many random graphs there are besides the fixed ones, and how many nodes they have at most."""

MOVES = 40
"""Of a call of a search."""

MANY_MOVES = 100_000
"""More than a search makes once it is told to stop."""

CONSTANT = 3.0
"""What every second instance that a search is given has besides its terms."""

SECONDS = (0.0, 0.002)
"""Of calls of a search that have no limit of moves."""

LONG_SECONDS = 1e6
"""Of what only a stop flag can end."""

RUNNING_SECONDS = 0.01
"""After so many a search or proof is told to stop, if it has not ended by itself."""

PATIENCE = 60.0
"""Seconds after which a call that should have returned is said not to return: no busy machine takes as long."""

TOLERANCE = 1e-9
"""How far a cost that a search carries along may be from the cost of its assignment, relative to its size."""


class SearchError(ContractError):
    """Say which rule of the contract a search breaks, and on which instance."""


class BoundError(ContractError):
    """Say which rule of the contract a bound breaks, and on which instance."""


@dataclass(frozen=True, eq=False)
class Enumerated:
    """An instance of one small graph, with all of its assignments."""

    name: str
    graph: Graph
    instance: Instance
    before: list[NDArray[Any]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        # Other code is given these arrays, and may change them.
        self.before.extend(each.copy() for each in _arrays(self.instance))

    @property
    def is_unchanged(self) -> bool:
        """Whether all numbers of the instance are what they were."""
        return all(map(np.array_equal, _arrays(self.instance), self.before))

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


def _arrays(instance: Instance) -> list[NDArray[Any]]:
    """Return the arrays of an instance's terms and penalties."""
    terms = [*instance.objective, *(each.term for each in instance.constraints)]
    parts = [getattr(term, part.name) for term in terms for part in fields(term)]
    return [each for each in (*parts, *(each.penalty for each in instance.constraints)) if isinstance(each, np.ndarray)]


def check_search(
    search: str | SearchKind,
    *,
    problems: str | Problem | Iterable[str | Problem] | None = None,
    seed: int = 0,
    patience: float = PATIENCE,
) -> None:
    """Check that a search keeps the contract; return silently or raise.

    On every instance that it takes, from a feasible start: what it gives is feasible and never worse than the start,
    and costs what it says; moves are within the budget, 0 included; a further call goes on from the best so far; the
    same seed and moves give the same; it ends when its seconds are over, and when its stop flag is set, before it
    begins or while it runs; the start is left as it is; where it says ``solved``, no assignment is better. Graphs
    without nodes and edges are among the instances, and constants.

    Args:
        search: a name in `SEARCHES`, a place, or one of your own, which has a name of its own.
        problems: to try it on, by names, places or as they are; those of the package and independent dominating sets by
            default.
        seed: of graphs and searches.
        patience: seconds after which a call that should have returned is said not to return.

    Raises:
        SearchError: naming the first rule that is broken and the instance that breaks it, or what its code raised. It
            is an `InputError`.
        InputError: for what is no search, and for one with the name of one of the package.

    Example:
        >>> check_search("tabu")
    """
    as_integer("seed", seed, low=0)
    check_seconds("patience", patience)
    kind = SEARCHES.find(search)
    SEARCHES.check_name(kind)
    taken, interrupted = 0, set()
    for number, plain in enumerate(_cases(problems, seed)):
        lifted = replace(plain.instance, constant=np.array([CONSTANT]))
        case = replace(plain, instance=lifted) if number % 2 else plain
        start = decode(case.instance, np.full(case.instance.num_nodes, 0.5), num_threads=1)
        trial = _SearchCase(Calls(SearchError, kind.name, case, patience), kind, case, start, seed + number)
        if trial.is_taken() and case.instance.violations(start)[0] == 0:
            taken += 1
            trial.check()
            # To wait for a search to get under way takes a while: once per problem.
            if case.name not in interrupted and case.graph.num_edges:
                interrupted.add(case.name)
                trial.check_interrupt()
    if not taken:
        raise SearchError(f"{kind.name}: it takes none of the instances that it is tried on")


def check_seconds(name: str, seconds: float) -> None:
    """Refuse what are no seconds."""
    if not fits(as_python(seconds), float) or not 0 <= seconds < math.inf:
        raise InputError(f"{name} must be a finite number of seconds from 0 on, it is {seconds!r:.40}")


@dataclass(frozen=True, eq=False)
class Calls:
    """Calls of a user's code in a check: whatever it does, one line names it, what was asked, and on what.

    Attributes:
        error: that is raised.
        name: of what is checked.
        case: on what.
        patience: seconds after which a call is said not to return.
    """

    error: type[ContractError]
    name: str
    case: object
    patience: float

    def require(self, ok: bool, rule: str) -> None:
        """Raise unless a rule holds."""
        if not ok:
            raise self.error(f"{self.name}: {rule} ({self.case})")

    def ask(
        self, call: Callable[[], Answer], step: str, *, stop: StopFlag | None = None, running: bool = False
    ) -> Answer:
        """Return what a call gives.

        Args:
            call: of the user's code.
            step: of the contract: what is asked.
            stop: that the call is to end by.
            running: whether the flag is set only when the call is under way.
        """
        task = wait_for(call, RUNNING_SECONDS if running else self.patience)
        if not task.done() and stop is not None:
            stop.set()
            wait([task], timeout=self.patience if running else 0)
        if not task.done():
            told = f", though its stop flag {'was set meanwhile' if running else 'is set'}" if stop is not None else ""
            self.require(False, f"{step} it did not return within {self.patience:g} seconds{told}")
        failure = task.exception()
        if isinstance(failure, KeyboardInterrupt | self.error):
            raise failure
        if isinstance(failure, UserCodeError):
            # It is named here already.
            failure = failure.__cause__ or failure
        if failure is not None:
            raise self.error(f"{self.name}: {step} it failed: {in_one_line(failure)} ({self.case})") from failure
        return task.result()


@dataclass(frozen=True, eq=False)
class _SearchCase:
    calls: Calls
    kind: SearchKind
    case: Enumerated
    start: np.ndarray[tuple[int], np.dtype[np.bool_]]
    seed: int

    def is_taken(self) -> bool:
        """Tell whether the search takes the instance."""
        structure = structure_of(self.case.instance)
        return bool(self.calls.ask(lambda: self.kind.takes(structure), "asked what it takes"))

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
        self._check_seconds()
        self._check_stop()
        self._require(self.case.is_unchanged, "the instance is changed")

    def check_interrupt(self) -> None:
        """Raise where a flag that is set while the search runs does not end it."""
        stop = StopFlag()
        self._run(self._begin(stop, seconds=LONG_SECONDS), Budget(seconds=LONG_SECONDS, stop=stop), running=True)

    def _run_honestly(self, search: Search, moves: int) -> Found:
        """Go on with a search that says ``solved`` only where nothing is better."""
        found = self._run(search, Budget(moves=moves))
        better = self.case.best < found.cost - self._margin
        solved = self.calls.ask(lambda: bool(search.solved), "asked whether it is solved")
        self._require(not (solved and better), f"it says solved at {found.cost:g}, but {self.case.best:g} is possible")
        return found

    def _check_seconds(self) -> None:
        for seconds in SECONDS:
            self._run(self._begin(seconds=seconds), Budget(seconds=seconds))

    def _check_stop(self) -> None:
        stop = StopFlag()
        stop.set()
        found = self._run(self._begin(stop), Budget(moves=MANY_MOVES, stop=stop))
        self._require(found.moves < MANY_MOVES, f"it makes {found.moves} moves though the stop flag is set")

    def _begin(self, stop: StopFlag | None = None, *, seconds: float | None = None) -> Search:
        given, instance = self.start.copy(), self.case.instance

        def begin() -> Search:
            return self.kind.begin(instance, given, seed=self.seed, seconds=seconds, stop=stop)

        search = self.calls.ask(begin, "asked to begin", stop=stop)
        self._require(np.array_equal(given, self.start), "the start is changed")
        return search

    def _run(self, search: Search, budget: Budget, *, running: bool = False) -> Found:
        """Go on with a search, and check what it gives by itself."""

        def run() -> Found:
            moves, assignment, cost = search.run(budget, -math.inf, Trace())
            return Found(operator.index(moves), np.array(assignment), float(cost))

        found = self.calls.ask(run, f"asked to search for {_described(budget)}", stop=budget.stop, running=running)
        instance, bits = self.case.instance, found.assignment
        right = bits.dtype == np.bool_ and bits.shape == (instance.num_nodes,)
        self._require(right, f"it gives {list(bits.shape)} of {bits.dtype}, not [{instance.num_nodes}] bools")
        most = math.inf if budget.moves is None else budget.moves
        self._require(0 <= found.moves <= most, f"it makes {found.moves} moves of a budget of {most:g}")
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
        self.calls.require(ok, rule)


def _described(budget: Budget) -> str:
    return f"{budget.seconds:g} seconds" if budget.moves is None else f"{budget.moves:,} moves"


def check_bound(
    bound: str | BoundKind,
    *,
    problems: str | Problem | Iterable[str | Problem] | None = None,
    seed: int = 0,
    seconds: float = 0.02,
    patience: float = PATIENCE,
) -> None:
    """Check that a bound is never on the wrong side of the best assignment; return silently or raise.

    Every instance that it takes is tried with and without a known optimum as the target, quickly, and with a stop flag
    that is set before it begins or while it runs, which must end it. What holds on small graphs need not hold on large
    ones: a check is no proof, and a bound that is wrong is believed.

    Args:
        bound: a name in `BOUNDS`, a place, or one of your own, which has a name of its own.
        problems: to try it on, by names, places or as they are; those of the package and independent dominating sets by
            default.
        seed: of graphs and proofs.
        seconds: that one which is not brief may take for an instance.
        patience: seconds after which a proof that should have ended is said not to end.

    Raises:
        BoundError: naming the first rule that is broken and the instance that breaks it, or what its code raised. It is
            an `InputError`.
        InputError: for what is no bound, and for one with the name of one of the package.

    Example:
        >>> check_bound("gains")
    """
    as_integer("seed", seed, low=0)
    check_seconds("seconds", seconds)
    check_seconds("patience", patience)
    kind = BOUNDS.find(bound)
    BOUNDS.check_name(kind)
    taken, interrupted = 0, set()
    for number, whole in enumerate(_cases(problems, seed)):
        # Proofs are about the terms.
        case = replace(whole, instance=replace(whole.instance, constant=None))
        calls, structure = Calls(BoundError, kind.name, case, patience), structure_of(case.instance)
        takes = calls.ask(partial(kind.takes, structure), "asked what it takes")
        if not takes or not math.isfinite(case.best):
            continue
        taken += 1
        for target, limit in ((math.inf, seconds), (case.best, seconds), (math.inf, 0.0)):
            _check_proof(calls, kind, case, target=target, seconds=limit, seed=seed + number)
        _check_proof(calls, kind, case, seed=seed + number, stop=StopFlag())
        if case.name not in interrupted and case.graph.num_edges:
            interrupted.add(case.name)
            _check_proof(calls, kind, case, seed=seed + number, stop=StopFlag(), running=True)
    if not taken:
        raise BoundError(f"{kind.name}: it takes none of the instances that it is tried on")


def _check_proof(
    calls: Calls,
    kind: BoundKind,
    case: Enumerated,
    *,
    seed: int,
    target: float = math.inf,
    seconds: float = LONG_SECONDS,
    stop: StopFlag | None = None,
    running: bool = False,
) -> None:
    instance = case.instance
    if stop is not None and not running:
        stop.set()
    step, slack = cost_step(instance), cost_slack(instance)
    ledger = Ledger(seconds=seconds, target=target, step=step, slack=slack, stop=stop)
    asked = f"asked to prove within {seconds:g} seconds"
    calls.ask(lambda: kind.prove(instance, ledger, seed=seed), asked, stop=stop, running=running)
    wrong = f"it proves a cost of {ledger.cost:g} at least, {case.best:g} is possible"
    calls.require(case.is_unchanged, "the instance is changed")
    calls.require(ledger.cost <= case.best, wrong)
    complete = not ledger.complete or ledger.cost >= case.best - TOLERANCE * max(1.0, abs(case.best))
    calls.require(complete, f"it calls {ledger.cost:g} complete, the least cost is {case.best:g}")
    calls.require(bool(ledger.method) or not math.isfinite(ledger.cost), "it does not say by what method it proves")


def _cases(problems: str | Problem | Iterable[str | Problem] | None, seed: int) -> Iterator[Enumerated]:
    """Give instances of problems on their examples, or on small graphs but for those that a declaration refuses."""
    own = [PROBLEMS[name] for name in PROBLEMS.own]
    given = [each for each in own if each.at_price is None] if problems is None else find_problems(problems)
    for graph in small_graphs(np.random.default_rng(seed), num_random=NUM_RANDOM, max_nodes=MAX_NODES):
        for problem in given:
            instance = declared(problem, graph) if problem.examples is None else None
            if instance is not None:
                yield Enumerated(problem.name, graph, instance)
        if problems is None:
            yield Enumerated("independent domination", graph, _independent_domination(graph))
    for problem in given:
        for graph in () if problem.examples is None else problem.examples(np.random.default_rng(seed)):
            instance = declared(problem, graph)
            if instance is not None:
                yield Enumerated(problem.name, graph, instance)


def _independent_domination(graph: Graph) -> Instance:
    """Declare the cheapest set that dominates all nodes, and of which no two are joined."""
    apart, dominating = PROBLEMS["mis"].declare(graph), PROBLEMS["mds"].declare(graph)
    return replace(dominating, constraints=(*dominating.constraints, *apart.constraints))
