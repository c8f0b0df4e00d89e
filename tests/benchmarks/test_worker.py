import sys

import pytest
from search_quality import Task, run_task
from worker import Worker

from tests.budgets import ANY_MOMENT
from tests.waiting import PATIENCE


@pytest.fixture
def worker():
    made = Worker("annealco")
    yield made
    made.close()


@pytest.mark.processes
def test_tasks_are_solved_in_another_process_and_what_takes_too_long_is_given_up(worker):
    row = run_task(worker, Task("mis-rb-small", 0, "annealco", ANY_MOMENT))
    assert row["status"] == "ok"
    assert row["value"] > 0
    assert row["cpu"] > 0
    # It would search for days.
    assert worker.run("mis-rb-small", 0, 1e6, 0, patience=1e-6)["status"] == "over the hard limit"
    # The next task runs in another process.
    assert worker.run("mis-rb-small", 0, ANY_MOMENT, 0, patience=PATIENCE)["status"] == "ok"


def test_a_method_that_does_not_exist_cannot_start():
    assert Worker("nobody").run("mis-rb-small", 0, ANY_MOMENT, 0, patience=PATIENCE) == {"status": "cannot start"}
    assert "nobody" not in sys.modules
