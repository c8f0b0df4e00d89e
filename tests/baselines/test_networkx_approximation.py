from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.external import networkx_approximation
from annealco.baselines.external.networkx_approximation import APPROXIMATIONS, fault, refuses
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines.instances import solved_instances
from tests.budgets import FAR

STAR = Graph.from_edges([[0, 0, 0], [1, 2, 3]])


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_sets_are_feasible_and_no_better_than_the_best(name: str) -> None:
    for problem, graph, best in solved_instances(name, num_random=8, seed=3):
        if graph.num_nodes and refuses(problem, graph) is None:
            found = METHODS["networkx"].run(problem, graph, budget=FAR)
            assert found.assignment is not None
            value = problem.score(graph, np.flatnonzero(found.assignment).tolist())
            assert value is not None
            sign = 1 if problem.sense == "max" else -1
            assert sign * value <= sign * best + 1e-9
            assert (found.note == "") == (name != "mds" or fault() == "")


def test_weights_and_other_problems_are_refused() -> None:
    assert refuses(PROBLEMS["cut"], STAR) == "it is for mis, clique, mds only"
    weighted = STAR.with_weights(node_weight=[1, 2, 3, 4])
    assert refuses(PROBLEMS["mis"], weighted) == "it takes no node weights"
    assert refuses(PROBLEMS["mds"], weighted) is None


def test_the_fault_is_told_of_versions_that_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nx, "__version__", "3.6.1")
    assert "networkx 3.6.1 chooses dominating nodes by the wrong ratio" in fault()
    monkeypatch.setattr(nx, "__version__", "3.7")
    assert fault() == ""
    assert networkx_approximation.RIGHT_FROM == (3, 6, 2)


def test_networkx_itself_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    if "annealco" not in nx.utils.backends.backends:
        pytest.skip("the backend is not installed")
    monkeypatch.setattr(nx.config.backend_priority, "algos", ["annealco"])
    found = METHODS["networkx"].run(PROBLEMS["clique"], STAR, budget=FAR)
    assert found.assignment is not None
    assert found.assignment.sum() == 2
