"""Every method that is installed runs on every problem that it takes, and says so where a set is not feasible."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS, check_method
from annealco.baselines.method import problems_of
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import ANY_MOMENT, FAR

CASES = [(name, problem) for name, method in METHODS.items() for problem in problems_of(method)]


def graphs() -> list[Graph]:
    rng = np.random.default_rng(11)
    low, high = np.triu_indices(14, 1)
    kept = rng.random(len(low)) < 0.35
    plain = Graph.from_edges(np.stack([low[kept], high[kept]]), 14)
    weighted = plain.with_weights(node_weight=rng.integers(1, 9, 14), edge_weight=rng.integers(1, 5, plain.num_edges))
    return [plain, weighted]


@pytest.mark.parametrize(("name", "problem"), CASES)
def test_sets_are_feasible_or_the_note_says_why(name: str, problem: str) -> None:
    method, chosen = METHODS[name], PROBLEMS[problem]
    if not method.is_installed:
        pytest.skip(f"{method.package} is not installed")
    for graph in [each for each in (*graphs(), *chosen.some_graphs()) if chosen.takes(each)]:
        if method.refusal(chosen, graph) is not None:
            continue
        # What ends by moves or by a proof is not cut off.
        ends = method.counts_moves or method.needs == "exact"
        found = method.run(chosen, graph, budget=FAR if ends else ANY_MOMENT, moves=200, seed=1)
        assert found.assignment is not None, found.note
        assert found.assignment.shape == (graph.num_nodes,)
        assert found.assignment.dtype == bool
        score = chosen.score(graph, np.flatnonzero(found.assignment).tolist())
        assert score is not None or found.note
        assert found.seconds > 0
        # Nobody proves a quotient.
        assert chosen.at_price is None or (found.bound, found.proven) == (None, False)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_keeps_the_contract(name: str) -> None:
    if not METHODS[name].is_installed:
        pytest.skip(f"{METHODS[name].package} is not installed")
    check_method(METHODS[name])


@pytest.mark.parametrize("name", METHODS)
def test_quotients_are_refused_by_what_minimises_sums(name: str) -> None:
    """What takes them sees the numerator alone, or goes through the solver; exact solvers never do."""
    method, quotient = METHODS[name], PROBLEMS["conductance"]
    refusal = method.refusal(quotient, graphs()[0])
    if not method.takes_quotients:
        assert refusal == "it minimises sums, not quotients"
        if method.is_installed:
            with pytest.raises(InputError, match=f"{name} cannot solve conductance here: it minimises sums"):
                method.run(quotient, graphs()[0], budget=FAR)
    assert not (method.takes_quotients and method.needs == "exact")
