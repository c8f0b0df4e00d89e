from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.search_methods import anneal, anneal_and_decode, as_bits, run_search, run_solver
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving.solve import solve_each
from annealco.solving.solver import Solver
from tests.baselines.instances import solved_instances
from tests.budgets import BRIEF, FAR, MOVES
from tests.problems.sums import CUTS, ON_GRAPHS, SUMS


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_sets_are_feasible_and_the_seed_repeats_them(name: str) -> None:
    for problem, graph, _ in solved_instances(name, num_random=8, seed=1):
        instance = problem.declare(graph)
        first = anneal_and_decode(instance, seed=3, threads=1)
        assert problem.score(graph, np.flatnonzero(first).tolist()) is not None
        assert first.tolist() == anneal_and_decode(instance, seed=3, threads=1).tolist()


def test_it_is_at_least_what_the_paper_reports() -> None:
    graphs = generate("rb-small", count=30, seed=0)
    sizes = [anneal_and_decode(PROBLEMS["mis"].declare(graph), seed=0, threads=1).sum() for graph in graphs]
    assert np.mean(sizes / graphs.graph_data["planted_size"]) > 0.784


@pytest.mark.parametrize("name", SUMS)
def test_most_small_optima_are_found(name: str) -> None:
    reached = []
    for problem, graph, best in list(solved_instances(name, num_random=6, seed=4))[::5]:
        found = anneal(problem.declare(graph), budget=FAR, moves=MOVES, seed=0, threads=1)
        value = problem.score(graph, np.flatnonzero(found).tolist())
        assert value is not None
        reached.append(value == pytest.approx(best))
    # Single flips do not lead everywhere in a narrow volume box.
    assert np.mean(reached) > (0.7 if name in CUTS else 0.99)


def test_moves_are_kept_and_put_to_use() -> None:
    graph = generate("rb-small", count=1, seed=4)
    instance = PROBLEMS["mis"].declare(graph)
    few, many = (anneal(instance, budget=FAR, moves=moves, seed=0, threads=1) for moves in (100, 20 * MOVES))
    assert few.sum() < many.sum()
    assert many.sum() >= 0.9 * graph.graph_data["planted_size"][0]


def test_without_time_there_is_a_feasible_set() -> None:
    instance = PROBLEMS["mis"].declare(generate("rb-small", count=1, seed=4))
    found = anneal(instance, budget=1e-9, seed=0, threads=1)
    assert instance.violations(found)[0] == 0


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_small_optima_are_found_and_nothing_is_claimed(name: str) -> None:
    # Nodes with labels of their own are among them: bits are by number.
    for problem, graph, best in list(solved_instances(name, num_random=6, seed=4))[::5]:
        found = run_search(problem, graph, budget=FAR, moves=MOVES, seed=0)
        assert found.assignment is not None
        assert problem.score(graph, np.flatnonzero(found.assignment).tolist()) == pytest.approx(best)
        assert (found.bound, found.proven) == (None, False)


def test_a_solver_with_a_bound_passes_it_on() -> None:
    path = Graph.from_edges([[0, 1], [1, 2]], node_labels=["c", "b", "a"])
    found = run_solver(Solver(PROBLEMS["mis"], **BRIEF), path)
    assert found.assignment is not None
    assert (found.assignment.tolist(), found.bound, found.proven) == ([True, False, True], 2.0, True)


def test_moves_make_it_repeatable() -> None:
    graph = generate("ba-small", count=1, seed=2)
    solver = Solver(PROBLEMS["mds"], time_limit=FAR, moves=500, bound=False, seed=5, num_threads=1)
    first, second = run_solver(solver, graph), run_solver(solver, graph)
    assert first.assignment is not None
    assert second.assignment is not None
    assert first.assignment.tolist() == second.assignment.tolist()


def test_every_thread_has_a_restart() -> None:
    graph = generate("rb-small", count=1, seed=2)
    found = run_search(PROBLEMS["mis"], graph, budget=FAR, seed=2, threads=2, moves=200)
    two = Solver(PROBLEMS["mis"], time_limit=FAR, moves=200, restarts=2, bound=False, seed=2, num_threads=1)
    one = Solver(PROBLEMS["mis"], time_limit=FAR, moves=200, bound=False, seed=2, num_threads=1)
    sizes = [np.count_nonzero(each.assignment) for each in (found, run_solver(two, graph), run_solver(one, graph))]
    assert sizes[0] == sizes[1] > sizes[2]


def test_improvements_are_told_up_to_the_value() -> None:
    graph = generate("rb-small", count=1, seed=2)
    found = run_search(PROBLEMS["mis"], graph, budget=FAR, moves=MOVES, seed=0)
    assert found.assignment is not None
    values = [value for _, value in found.trace]
    assert values == sorted(set(values))
    assert values[-1] == found.assignment.sum()
    assert 0 <= found.trace[-1][0] <= found.seconds


def test_bits_of_no_nodes() -> None:
    [nothing] = solve_each(Solver(PROBLEMS["mis"], bound=False), Graph.from_edges(np.zeros((2, 0), int), 0))
    assert as_bits(nothing, 0).tolist() == []
