from __future__ import annotations

import pytest

from annealco.baselines.exact.scip import build
from tests.baselines.backend import check_infeasible, check_limit, check_optima, check_out_of_time
from tests.problems.sums import SUMS

pytest.importorskip("pyscipopt")


@pytest.mark.parametrize("problem", SUMS)
def test_optima_are_found_and_proven(problem: str) -> None:
    check_optima("scip", problem)


def test_a_limit_is_kept_and_a_start_not_lost() -> None:
    check_limit("scip")


def test_what_is_infeasible_is_said_to_be() -> None:
    check_infeasible(build)


def test_what_is_not_found_in_time_is_said_to_be() -> None:
    check_out_of_time(build)
