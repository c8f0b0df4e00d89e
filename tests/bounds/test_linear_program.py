import subprocess
import sys
import time

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from annealco.bounds.linear_program import solve_linear_program


def test_solution_and_prices_have_the_same_value():
    rng = np.random.default_rng(0)
    for _ in range(10):
        matrix = (rng.random((8, 12)) < 0.4).astype(float)
        matrix[0] = 1.0
        gain, limit = rng.uniform(0, 3, 12), rng.uniform(1, 4, 8)
        found = solve_linear_program(gain, csr_array(matrix), limit, seconds=5)
        assert (matrix @ found.solution <= limit + 1e-6).all()
        assert (found.price @ matrix >= gain - 1e-6).all()
        assert gain @ found.solution == pytest.approx(limit @ found.price)


def test_nothing_to_decide_or_no_time():
    empty = solve_linear_program(np.zeros(0), csr_array((3, 0)), np.ones(3), seconds=1)
    assert empty.solution.shape == (0,)
    assert empty.price.tolist() == [0.0, 0.0, 0.0]
    assert solve_linear_program(np.ones(1), csr_array([[1.0]]), np.ones(1), seconds=0) is None


def test_an_unbounded_program_gives_nothing():
    assert solve_linear_program(np.ones(2), csr_array([[1.0, 0.0]]), np.ones(1), seconds=1) is None


def test_a_program_that_takes_long_is_given_up_in_time():
    rng = np.random.default_rng(0)
    matrix = random_array((1500, 1500), density=0.02, rng=rng, format="csr")
    arguments = rng.uniform(1, 2, 1500), csr_array(matrix), rng.uniform(1, 2, 1500)
    solve_linear_program(*arguments, seconds=0.05)
    began = time.process_time()
    assert solve_linear_program(*arguments, seconds=0.3) is None
    assert time.process_time() - began < 0.3 + 0.1


def test_without_time_for_it_the_solver_is_not_even_imported():
    program = """
import sys
import numpy as np
from scipy.sparse import csr_array
from annealco.bounds.linear_program import solve_linear_program
for seconds in (0.05, 60):
    found = solve_linear_program(np.ones(1), csr_array([[1.0]]), np.ones(1), seconds=seconds)
    print(found is not None, "scipy.optimize" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True", "True"]
