from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.exact.highs import build
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines.backend import check_infeasible, check_limit, check_optima, check_out_of_time
from tests.problems.brute_force import best_score
from tests.problems.sums import SUMS

pytest.importorskip("highspy")


@pytest.mark.parametrize("problem", SUMS)
def test_optima_are_found_and_proven(problem: str) -> None:
    check_optima("highs", problem)


def test_a_limit_is_kept_and_a_start_not_lost() -> None:
    check_limit("highs")


def test_what_is_infeasible_is_said_to_be() -> None:
    check_infeasible(build)


def test_what_is_not_found_in_time_is_said_to_be() -> None:
    check_out_of_time(build)


def test_products_are_not_presolved_away() -> None:
    # With continuous products HiGHS 1.14.0 calls a cut of 10.24 optimal here.
    edges = [[0, 0, 1, 1, 1, 2, 3], [1, 4, 2, 3, 4, 3, 4]]
    weight = np.array([2.94733379, 1.67781239, 5.37796796, 1.23668876, 5.8125296, 5.18964357, 2.42507797]) / 2
    graph = Graph.from_edges(edges, edge_weight=weight)
    cut = PROBLEMS["cut"].with_options(volume=(9, 9), seed_node=0)
    assert METHODS["highs"].run(cut, graph, budget=20).bound == pytest.approx(best_score(cut, graph))
