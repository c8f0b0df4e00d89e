"""The contract that every method keeps, checked against brute force on small graphs.

`check_method` needs nothing but the method. On small graphs of many shapes and weights it checks that

* what the method takes and refuses is consistent: asking twice gives one answer, what is refused raises an
  `InputError`, and what is taken does not;
* an answer is an assignment of the right shape that the problem's plain score accepts, or a note says why not;
* a bound is none or honest: no set is better; what is called proven is the optimum;
* a run is repeatable where the method says so;
* a graph without nodes is solved or refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np

from annealco.arguments import as_integer
from annealco.baselines.method import Method, Outcome
from annealco.errors import ContractError, InputError, UserCodeError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem, find_problems
from annealco.problems.contract import declared, graphs_to_check
from annealco.problems.small_graphs import small_graphs
from annealco.solving.contract import PATIENCE, Calls, check_seconds

BUDGET, MOVES = 0.05, 200
"""Seconds and moves per graph: every graph has at most 7 nodes."""

EVERY = 4
"""Of the sixty small graphs, so many are left out for each that is taken."""

TOLERANCE = 1e-6
"""How far a bound may be on the wrong side of the optimum, relative to its size."""


class MethodError(ContractError):
    """Say which rule of the contract a method breaks, on which problem and graph."""


def check_method(
    method: str | Method,
    problems: str | Problem | Iterable[str | Problem] | None = None,
    graphs: Sequence[Any] | None = None,
    *,
    seed: int = 0,
    budget: float = BUDGET,
    patience: float = PATIENCE,
) -> None:
    """Check that a method keeps the contract; return silently or raise.

    Args:
        method: a name in `METHODS`, a place, or any method, which has a name of its own.
        problems: to check it on, by names, places or as they are with their options set; by default those of the
            package. It must take one of them.
        graphs: single graphs of at most 12 nodes, in any container that `solve` takes; by default examples of each
            problem, or small ones of many kinds.
        seed: of the graphs and of the method.
        budget: seconds per run, for methods that use a clock.
        patience: seconds after which a run that should have ended is said not to end.

    Raises:
        MethodError: naming the first rule that is broken, and the problem and graph that break it, or what its code
            raised. It is an `InputError`.
        InputError: for what is no method, for one with the name of one of the package, and where a package that it
            needs is not installed.

    Example:
        >>> from annealco.baselines import check_method
        >>> check_method("greedy")
    """
    # The registry lists methods that this module checks.
    from annealco.baselines import METHODS

    as_integer("seed", seed, low=0)
    check_seconds("budget", budget)
    check_seconds("patience", patience)
    found = METHODS.find(method)
    METHODS.check_name(found)
    found.check_installed()
    given = None if graphs is None else graphs_to_check(graphs)

    def offered(problem: Problem) -> list[Graph]:
        small = (problem.examples or small_graphs)(np.random.default_rng(seed)) if given is None else []
        return [*small[:2], *small[2::EVERY]] if given is None else given

    asked = [PROBLEMS[name] for name in PROBLEMS.own] if problems is None else find_problems(problems)
    taken = [
        _check_run(found, problem, graph, seed=seed, budget=budget, patience=patience)
        for problem in asked
        for graph in offered(problem)
        if _is_posed(problem, graph)
    ]
    if not any(taken):
        raise MethodError(f"{found.name}: it takes none of {', '.join(problem.name for problem in asked)}")


def _is_posed(problem: Problem, graph: Graph) -> bool:
    """Tell whether a problem can be declared on a graph."""
    if graph.num_graphs != 1 or graph.num_nodes > 12:
        raise MethodError(f"check_method takes single graphs of at most 12 nodes, not {graph}")
    return declared(problem, graph) is not None


def _check_run(method: Method, problem: Problem, graph: Graph, *, seed: int, budget: float, patience: float) -> bool:
    """Check one problem on one graph, and tell whether the method takes it."""
    shape = f"{graph.num_nodes} nodes, edges {graph.edges.T.tolist()}"
    weights = f"node weights {graph.node_weight.tolist()}, edge weights {graph.edge_weight.tolist()}"
    calls = Calls(MethodError, method.name, f"{problem.name} on {shape}, {weights}", patience)
    require = calls.require

    def solve() -> Outcome | InputError:
        try:
            return method.run(problem, graph, budget=budget, seed=seed, moves=MOVES)
        except UserCodeError:
            raise
        except InputError as error:
            return error

    def run() -> Outcome | InputError:
        return calls.ask(solve, f"asked to solve within {budget:g} seconds or {MOVES} moves")

    refusal, again = (calls.ask(lambda: method.refusal(problem, graph), "asked what it takes") for _ in range(2))
    require(refusal is None or (isinstance(refusal, str) and bool(refusal)), "a refusal must say why")
    require(again == refusal, "it refuses at one time and takes at another")
    found = run()
    if refusal is not None:
        require(isinstance(found, InputError), "it solves what it refuses")
        return False
    if isinstance(found, InputError):
        require(False, f"it takes the problem and then raises: {found}")
        return False
    require(isinstance(found, Outcome), f"it returns a {type(found).__name__}, not an Outcome")
    for rule in _faults(problem, graph, found):
        require(False, rule)
    if method.repeatable or method.counts_moves:
        other = run()
        same = isinstance(other, Outcome) and _same(found.assignment, other.assignment)
        require(same, f"two runs with the seed {seed} give two sets, and it says that it is repeatable")
    return True


def _faults(problem: Problem, graph: Graph, found: Outcome) -> Iterable[str]:
    """Yield what is wrong with an outcome."""
    bits = found.assignment
    value = None
    if bits is not None:
        if not isinstance(bits, np.ndarray) or bits.shape != (graph.num_nodes,) or bits.dtype != np.bool_:
            yield f"the assignment must be [{graph.num_nodes}] bools"
            return
        value = problem.score(graph, np.flatnonzero(bits).tolist())
    if value is None and not found.note:
        yield "there is no feasible set, and no note says why" if bits is None else "the set is not feasible"
    optimum = _optimum(problem, graph)
    if found.proven and not (value is not None and optimum is not None and _is_near(value, optimum)):
        yield f"it calls {value} proven, and the optimum is {optimum}"
    if found.bound is not None and optimum is not None:
        beyond = optimum - found.bound if problem.sense == "max" else found.bound - optimum
        if beyond > TOLERANCE * max(1.0, abs(optimum)):
            yield f"its bound is {found.bound:g}, but the optimum is {optimum:g}"


def _optimum(problem: Problem, graph: Graph) -> float | None:
    """Return the best score of all sets, or None where none is feasible."""
    nodes = range(graph.num_nodes)
    sets = chain.from_iterable(combinations(nodes, size) for size in range(graph.num_nodes + 1))
    scores = [score for score in (problem.score(graph, chosen) for chosen in sets) if score is not None]
    choose = max if problem.sense == "max" else min
    return choose(scores) if scores else None


def _is_near(value: float, other: float) -> bool:
    return abs(value - other) <= TOLERANCE * max(1.0, abs(other))


def _same(first: object, second: object) -> bool:
    return (first is None and second is None) or np.array_equal(np.asarray(first), np.asarray(second))
