"""All exact solvers agree with brute force, hence with each other, on many weighted instances of every problem."""

from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines import METHODS
from tests.baselines.instances import solved_instances
from tests.budgets import FAR
from tests.problems.sums import SUMS

EXACT = [method for method in METHODS.values() if method.needs == "exact" and method.is_installed]
INSTANCES = 200


@pytest.mark.slow
@pytest.mark.skipif(not EXACT, reason="no exact solver is installed")
@pytest.mark.parametrize("name", SUMS)
def test_solvers_agree_with_brute_force(name: str) -> None:
    count = 0
    for problem, graph, best in solved_instances(name, num_random=INSTANCES, seed=7):
        for method in EXACT:
            found = method.run(problem, graph, budget=FAR)
            assert found.proven, (method.name, found)
            assert found.assignment is not None
            assert problem.score(graph, np.flatnonzero(found.assignment).tolist()) == pytest.approx(best)
            assert found.bound == pytest.approx(best)
        count += 1
    assert count >= INSTANCES
