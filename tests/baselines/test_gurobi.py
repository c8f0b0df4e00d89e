from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.baselines.exact.gurobi import build
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines.backend import check_infeasible, check_limit, check_optima, check_out_of_time
from tests.problems.sums import SUMS

pytest.importorskip("gurobipy")


@pytest.mark.parametrize("problem", SUMS)
def test_optima_are_found_and_proven(problem: str) -> None:
    check_optima("gurobi", problem)


def test_a_limit_is_kept_and_a_start_not_lost() -> None:
    check_limit("gurobi")


def test_what_is_infeasible_is_said_to_be() -> None:
    check_infeasible(build)


def test_what_is_not_found_in_time_is_said_to_be() -> None:
    check_out_of_time(build)


def test_what_the_licence_does_not_allow_is_a_note() -> None:
    ring = np.arange(2500)
    found = METHODS["gurobi"].run(PROBLEMS["mis"], Graph.from_edges([ring, (ring + 1) % 2500]), budget=5)
    if found.assignment is None:
        assert found.note == "2,500 variables and 2,500 rows are more than Gurobi's licence here allows"
    else:
        assert found.assignment.sum() == 1250
