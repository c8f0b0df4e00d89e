"""Every peer that is installed solves small graphs, and what it calls optimal is."""

import numpy as np
import pytest
from peers import PEERS

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.budgets import ANY_MOMENT, FAR
from tests.problems.brute_force import best_score

EXACT = {"cp-sat", "highs", "scip", "gurobi"}


def random_graph(seed, *, weighted):
    rng = np.random.default_rng(seed)
    low, high = np.triu_indices(9, 1)
    kept = rng.random(len(low)) < 0.45
    weight = rng.integers(1, 10, 9) if weighted else np.ones(9)
    return Graph.from_edges(np.stack([low[kept], high[kept]]), 9, node_weight=weight)


CASES = [
    (peer.name, problem, weighted)
    for peer in PEERS.values()
    for problem in sorted(peer.problems)
    for weighted in (False, True)
    if peer.takes(problem, weighted=weighted)
]


@pytest.mark.parametrize(("method", "problem", "weighted"), CASES)
def test_answers_are_feasible_and_claims_of_optimality_true(method, problem, weighted):
    peer = PEERS[method]
    if not peer.is_installed:
        pytest.skip(f"{peer.package} is not installed")
    # An exact solver ends by its proof. Others are cut off, and may have found less than the best by then.
    seconds = FAR if method in EXACT else max(ANY_MOMENT, peer.least_seconds)
    for seed in range(2):
        graph = random_graph(seed, weighted=weighted)
        answer = peer.build(graph, problem)(seconds, 1)
        value = PROBLEMS[problem].score(graph, answer.nodes.tolist())
        assert value is not None
        best = best_score(PROBLEMS[problem], graph)
        sign = 1 if PROBLEMS[problem].sense == "max" else -1
        assert sign * value <= sign * best + 1e-9
        assert answer.proven == (method in EXACT)
        if answer.proven:
            assert value == pytest.approx(best)


def test_every_family_of_problems_has_an_open_peer():
    for problem in ("mis", "clique", "mds", "vertex_cover"):
        for weighted in (False, True):
            others = [peer for peer in PEERS.values() if peer.name != "annealco" and peer.is_open]
            assert any(peer.takes(problem, weighted=weighted) for peer in others)
