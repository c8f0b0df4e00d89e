"""One graph, from its energy to its Solution: probabilities → sets → search → bound → search → plain score."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.bounds import Bound, bound_at_optimum, prove_bound
from annealco.bounds.certify import Slack, cost_slack, loosest_cost
from annealco.bounds.minimum_cut import QUOTIENT_SLACK, prove_quotient
from annealco.bounds.prove import takers
from annealco.clock import Budget, Trace, now
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.search.decode import decode
from annealco.search.ratio import Quotient, QuotientImprover
from annealco.search.searches import Improver, check_taken
from annealco.solving.initial_sets import (
    decoded_starts,
    decoding_of,
    even_probability,
    given_starts,
    graph_name,
    has_head_start,
    has_time_for_network,
    probabilities,
    trivial_starts,
)
from annealco.solving.solution import Solution, gap_between
from annealco.solving.solver import Solver

Restart = Improver | QuotientImprover
"""One start and what is searched from it."""

FIRST_SHARE, BOUND_SHARE = 0.05, 0.4
"""The search gets the first share of the time, the bound the second of what is left, the search the rest."""

DESCENT_SETUPS = 6
"""So many times what it takes to be set up a search needs until steps no longer gain much: on large graphs a bound
shares what is left after that."""

FIRST_SECONDS, FIRST_SETUPS = 1.0, 200
"""The first search takes at most this, and so many times what it takes to be set up: what is easily proven should not
wait for it."""

LEAST_SECONDS = 0.002
"""A search and a bound get at least this, however short the time: they settle small graphs in less."""

SCORE_SECONDS, SCORE_SHARE = 3e-8, 0.1
"""What the plain score of the answer takes per node and edge; below this share of the time the guess will do."""

LIST_SECONDS = 5e-8
"""What it takes per node to list the nodes of the answer; a first set may have none."""

SETUP_SECONDS = 1e-7
"""What a bound takes to be set up, per node and edge; searches have times of their own."""


def attempt(
    solver: Solver,
    graph: Graph,
    number: int,
    threads: int,
    *,
    start: NDArray[np.bool_] | None = None,
) -> Solution:
    """Decode, search, prove and score one graph.

    Args:
        solver: what to do.
        graph: one graph.
        number: its place among those that were given.
        threads: how many restarts may run at once.
        start: [num_nodes] the set that the first restart begins with, repaired where it is not feasible.
    """
    return attempt_from(solver, graph, number, threads, start=start)[0]


def attempt_from(
    solver: Solver,
    graph: Graph,
    number: int,
    threads: int,
    *,
    start: NDArray[np.bool_] | None = None,
    known: Bound | None = None,
) -> tuple[Solution, NDArray[np.bool_]]:
    """Do as `attempt` does with a bound that was proven before, and return the set [num_nodes] as well."""
    started, name = now(), graph_name(graph, number)
    solver = solver if has_time_for_network(solver, graph) else replace(solver, model="none")
    with _blaming(name):
        problem, instance = _pose(solver, graph)
        quotient = _quotient(problem, graph, instance)
        _check_choices(solver, instance, quotient)
    searched = partial(Improver, instance) if quotient is None else partial(QuotientImprover, quotient)
    begin = partial(searched, search=solver.search)
    with _blaming(name):
        given = given_starts(instance, start)
        trivial = given[:0] if len(given) or quotient is not None else trivial_starts(solver, graph, instance)
        given = np.concatenate([given, trivial])
        starts, ahead = _all_starts(
            solver, graph, instance, quotient, begin, given=given, threads=threads, started=started
        )
    solver = replace(solver, time_limit=solver.time_limit - _score_seconds(solver, problem, graph, starts[0]))
    seconds = solver.time_limit * min(1.0, threads / (len(starts) + len(ahead)))
    searches = _begin_all(solver, starts, partial(begin, started=started), seconds=seconds) + ahead
    size = graph.num_nodes + graph.num_edges
    bound, slack = _search_and_prove(
        solver, instance, searches, threads, started, size=size, known=known, has_set=not len(trivial)
    )
    best = _best(searches)
    value = problem.score(graph, np.flatnonzero(best.assignment).tolist())
    if value is None:
        raise InputError(f"no feasible set was found for {problem.name}", origin=f"graph {name}")
    proven = None if bound is None else bound.value
    gap = gap_between(value, proven, excused=slack.excused(value))
    solution = Solution(
        problem=problem.name,
        nodes=graph.labels[best.assignment].tolist(),
        value=value,
        feasible=True,
        bound=proven,
        gap=gap,
        optimal=gap == 0.0,
        method=_method(solver, best, bound),
        seconds=now() - started,
        seed=solver.seed,
        graph=name,
        trace=_as_values(instance, searches),
    )
    return solution, best.assignment


def _all_starts(
    solver: Solver,
    graph: Graph,
    instance: Instance,
    quotient: Quotient | None,
    begin: Callable[..., Restart],
    *,
    given: NDArray[np.bool_],
    threads: int,
    started: float,
) -> tuple[NDArray[np.bool_], list[Restart]]:
    """Return starts that are given and decoded ones, [num_starts, num_nodes], and searches that began meanwhile."""
    if len(given) == solver.restarts:
        return given, []
    others = replace(solver, restarts=solver.restarts - 1, seed=solver.seed + 1) if len(given) else solver
    with _ahead(others, instance, begin, threads, started) as ahead:
        rows = probabilities(others, graph, instance)
        decoded = decoded_starts(others, instance, quotient, rows, threads=threads, started=started)
    return np.concatenate([given, decoded[: others.restarts - len(ahead)] if ahead else decoded]), ahead


def _begin_all(
    solver: Solver, starts: NDArray[np.bool_], begin: Callable[..., Restart], *, seconds: float
) -> list[Restart]:
    """Return a search from each start [num_starts, num_nodes], which has so many seconds, and a seed of its own."""
    prepared = None if solver.moves is not None else seconds
    return [
        begin(each, seed=solver.seed + row, seconds=prepared, patience=solver.patience_of_restart(seconds))
        for row, each in enumerate(starts)
    ]


def _search_and_prove(
    solver: Solver,
    instance: Instance,
    searches: Sequence[Restart],
    threads: int,
    started: float,
    *,
    size: int,
    known: Bound | None,
    has_set: bool,
) -> tuple[Bound | None, Slack]:
    """Search for a while, prove a bound, and search until the time is over or the bound is met.

    Where what is left of the time is less than a search needs first on a graph of ``size`` nodes and edges, the first
    set is the answer, without another bound than one that is known. Where there is no set worth an answer yet, the
    search has its turn in any case.
    """
    bound, slack, setup = known, Slack(), SETUP_SECONDS * size
    if solver.bound:
        slack = QUOTIENT_SLACK if isinstance(searches[0], QuotientImprover) else cost_slack(instance)
    if has_set and _is_too_late(solver, searches[0].setup_seconds * size, started):
        return bound, slack
    if solver.polish:
        seconds = min(FIRST_SECONDS, LEAST_SECONDS + FIRST_SETUPS * setup)
        first = min(FIRST_SHARE, seconds / solver.time_limit) if solver.bound else 1.0
        _search(solver, searches, threads, started, share=first, target=_good_enough(solver, instance, bound, slack))
    cost = _best(searches).cost
    is_open = math.isfinite(cost) and cost > _good_enough(solver, instance, bound, slack)
    if solver.bound and is_open and not _is_too_late(solver, setup, started):
        left = solver.time_limit - (now() - started)
        seconds = bound_seconds(solver, left, searches[0].setup_seconds * size)
        bound = _better(instance, bound, _prove(solver, instance, _best(searches), seconds))
    if solver.polish and solver.bound:
        _search(solver, searches, threads, started, share=1.0, target=_good_enough(solver, instance, bound, slack))
        # An exact search may have come to its end meanwhile.
        bound = _better(instance, bound, _at_optimum(solver, instance, _best(searches)))
    return bound, slack


def _is_too_late(solver: Solver, setup: float, started: float) -> bool:
    """Tell whether what takes so many seconds to be set up does not fit into what is left of the time."""
    if setup <= LEAST_SECONDS:
        return False
    return solver.stop.is_set() or setup > solver.time_limit - (now() - started)


@contextmanager
def _ahead(
    solver: Solver, instance: Instance, begin: Callable[..., Restart], threads: int, started: float
) -> Iterator[list[Restart]]:
    """Let the search without a network begin while the network proposes; give it back, to go on with the others."""
    if not has_head_start(solver, threads):
        yield []
        return
    even = np.full((1, instance.num_nodes), even_probability(instance, solver.decode_order))
    start = decode(instance, even, **decoding_of(solver), num_threads=1)
    seed, seconds = solver.seed + solver.restarts - 1, solver.time_limit * min(1.0, threads / solver.restarts)
    patience, stop = solver.patience_of_restart(seconds), StopFlag()
    search = begin(start[0], seed=seed, started=started, seconds=seconds, patience=patience)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(search.improve, Budget(seconds=solver.time_limit, stop=stop))
        try:
            yield [search]
        finally:
            stop.set()
    running.result()


def _score_seconds(solver: Solver, problem: Problem, graph: Graph, start: NDArray[np.bool_]) -> float:
    """Return what to set aside for the plain score of the answer: a guess, or where that is much, what one takes."""
    guess = SCORE_SECONDS * (graph.num_nodes + graph.num_edges)
    if guess > SCORE_SHARE * solver.time_limit:
        begun = now()
        problem.score(graph, np.flatnonzero(start).tolist())
        guess = now() - begun + LIST_SECONDS * graph.num_nodes
    return min(guess, 0.5 * solver.time_limit)


def check_options(solver: Solver, graph: Graph, number: int) -> None:
    """Raise what `attempt` would raise about the options of the problem on this graph."""
    with _blaming(graph_name(graph, number)):
        _pose(solver, graph)


@contextmanager
def _blaming(name: str) -> Iterator[None]:
    """Name the graph in errors about it."""
    try:
        yield
    except InputError as error:
        raise InputError(error.rule, origin=f"graph {name}") from error


def _pose(solver: Solver, graph: Graph) -> tuple[Problem, Instance]:
    """Return the problem with its options on this graph, and its instance."""
    problem = solver.problem.posed(solver.options, graph)
    return problem, problem.declare(graph)


def _quotient(problem: Problem, graph: Graph, instance: Instance) -> Quotient | None:
    """Return the quotient that is a problem's score, or None where its score is what the instance says."""
    at_price = problem.at_price
    return None if at_price is None else Quotient(instance, lambda price: at_price(price).declare(graph))


def _check_choices(solver: Solver, instance: Instance, quotient: Quotient | None) -> None:
    """Raise where the search or the bounds that a user chose do not take the instance.

    Of a quotient, they are asked at price 0.
    """
    structure = structure_of(instance if quotient is None else quotient.at(math.inf))
    if solver.search is not None and solver.polish:
        check_taken(solver.search, structure)
    if solver.bounds is not None and solver.bound:
        takers(solver.bounds, structure, named=True)


def _search(
    solver: Solver,
    searches: Sequence[Restart],
    threads: int,
    started: float,
    *,
    share: float,
    target: float = -math.inf,
) -> None:
    """Let every restart search, as many at once as there are threads, for this share of the time that is left."""
    left = max(LEAST_SECONDS, share * (solver.time_limit - (now() - started)))
    turns = math.ceil(len(searches) / threads)
    moves = None if solver.moves is None else int(share * solver.moves)
    if min(each.cost for each in searches) <= target:
        return
    until = now() + left

    def run(each: Restart) -> None:
        # The first has its turn in any case. To begin takes a while too, so of many restarts the last may have none.
        if each is not searches[0] and (now() >= until or solver.stop.is_set()):
            return
        some = None if moves is None else max(0, moves - each.moves)
        # A turn in which a search cannot get under way would be lost: rather fewer turns.
        seconds = min(max(each.least_seconds, left / turns), until - now())
        each.improve(Budget(seconds=max(LEAST_SECONDS, seconds), moves=some, stop=solver.stop), target=target)

    if threads == 1 or len(searches) == 1:
        for each in searches:
            run(each)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, searches))


def _prove(solver: Solver, instance: Instance, best: Restart, seconds: float) -> Bound | None:
    """Prove a bound, and let the search have a better set that the proof comes upon."""
    if isinstance(best, QuotientImprover):
        proven = _prove_quotient(solver, best, seconds)
    else:
        proven = _prove_sum(solver, instance, best, seconds)
    # Nothing that the clock decides may get into an answer that is limited by moves.
    if solver.is_timed and proven is not None and proven.assignment is not None:
        best.adopt(proven.assignment)
    return proven


def _prove_sum(solver: Solver, instance: Instance, best: Improver, seconds: float) -> Bound | None:
    """Prove a bound on a sum."""
    if (bound := _at_optimum(solver, instance, best)) is not None:
        return bound
    value = best.cost if instance.sense == "min" else -best.cost
    return prove_bound(
        instance,
        bounds="all" if solver.bounds is None else solver.bounds,
        time_limit=seconds,
        gap=solver.gap,
        target=value,
        known=best.assignment,
        seed=solver.seed,
        stop=solver.stop,
    )


def _at_optimum(solver: Solver, instance: Instance, best: Restart) -> Bound | None:
    """Return the bound that a search proves by having nothing left to look at."""
    # Where a user chose the bounds, nothing else is to prove one. A quotient is no sum.
    if not best.solved or solver.bounds is not None or isinstance(best, QuotientImprover):
        return None
    return bound_at_optimum(instance, best.cost, best.kind.proof if solver.search is None else solver.search.name)


def bound_seconds(solver: Solver, left: float, setup: float) -> float:
    """Return how long a bound may take: its share of what is left, or all of it where no search follows.

    Args:
        solver: whose bound it is.
        left: seconds until the limit.
        setup: what the search takes to be set up on this graph.
    """
    share = BOUND_SHARE * (left - DESCENT_SETUPS * setup) if solver.polish else left
    if solver.polish and (patience := solver.patience_of_restart(solver.time_limit)) is not None:
        # A search that waits no longer than this for something better has no proof that waits longer.
        share = min(share, patience.seconds_left)
    return max(LEAST_SECONDS, share)


def _prove_quotient(solver: Solver, best: QuotientImprover, seconds: float) -> Bound | None:
    """Prove a bound on a quotient."""
    quotient = best.quotient
    proven = prove_quotient(
        quotient.at,
        quotient.span,
        quotient.costs,
        known=best.assignment,
        bounds="all" if solver.bounds is None else solver.bounds,
        time_limit=seconds,
        gap=solver.gap,
        seed=solver.seed,
        stop=solver.stop,
    )
    is_least = quotient.numerator.sense == "min"
    return None if proven is None else replace(proven, value=proven.value if is_least else -proven.value)


def _best(searches: Sequence[Restart]) -> Restart:
    return min(searches, key=lambda each: each.cost)


def _better(instance: Instance, one: Bound | None, other: Bound | None) -> Bound | None:
    """Return the better of two bounds, of which the first comes first where they are equal."""
    if one is None or other is None:
        return other if one is None else one
    is_better = other.value > one.value if instance.sense == "min" else other.value < one.value
    return other if is_better else one


def _good_enough(solver: Solver, instance: Instance, bound: Bound | None, slack: Slack) -> float:
    """Return a cost that meets the bound, or is within the gap that is asked for."""
    if bound is None:
        return -math.inf
    cost = bound.value if instance.sense == "min" else -bound.value
    return loosest_cost(cost, solver.gap) + slack.excused(cost)


def bound_of(solution: Solution) -> Bound | None:
    """Return the bound of a solution, and what proved it, which comes last in its method."""
    return None if solution.bound is None else Bound(solution.bound, solution.method.rpartition(" + ")[2])


def _method(solver: Solver, best: Restart, bound: Bound | None) -> str:
    found = best.method if solver.polish else "decoding"
    parts = [found] if bound is None else [found, bound.method]
    if solver.trained is not None:
        parts.insert(0, solver.trained.name)
    return " + ".join(parts)


def _as_values(instance: Instance, searches: Sequence[Restart]) -> list[tuple[float, float]]:
    """Join the traces of all restarts, in the user's sense."""
    joined = Trace()
    joined.join(each.trace for each in searches)
    sign = 1.0 if instance.sense == "min" else -1.0
    return [(seconds, sign * cost) for seconds, cost in joined.points]
