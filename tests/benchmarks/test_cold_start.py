"""The program that measures start-up."""

import json
import os

from cold_start import QUEENS, YARDSTICK, run

from tests.budgets import FAR


def test_a_new_process_proves_the_queens():
    solve = ["-m", "annealco", "solve", "mis", str(QUEENS), "--json", "--time-limit", str(FAR)]
    assert json.loads(run(solve, dict(os.environ)).printed)["optimal"]


def test_the_yardstick_imports_and_ends():
    assert run(["-c", YARDSTICK], dict(os.environ)).printed == ""
