from __future__ import annotations

from annealco.baselines import METHODS
from annealco.baselines.taken import problems_of
from annealco.problems import PROBLEMS

ALL = list(PROBLEMS)
SUMS = [name for name, problem in PROBLEMS.items() if problem.at_price is None]
INDEPENDENT = ["mis", "clique", "vertex_cover"]


def test_every_method_takes_what_it_is_for() -> None:
    taken = {name: problems_of(method) for name, method in METHODS.items()}
    for name in ("greedy", "mean_field", "search"):
        assert taken[name] == ALL
    for name in ("anneal", "sampling", "cp_sat", "highs", "scip", "gurobi"):
        assert taken[name] == SUMS
    for name in ("pagerank_nibble", "crd", "mqi", "simple_local"):
        assert taken[name] == ["cut", "conductance"]
    for name in ("online_mis", "redu_mis", "chils"):
        assert sorted(taken[name]) == sorted(INDEPENDENT)
    assert sorted(taken["greedy_fixed"]) == sorted([*INDEPENDENT, "mds"])
    assert sorted(taken["dwave"]) == sorted([*INDEPENDENT, "max_cut"])
    assert sorted(taken["networkx"]) == sorted(["mis", "clique", "mds"])
