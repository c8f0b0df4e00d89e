import sys
import time

import pytest
from search_quality import Task, run_task
from worker import Worker


@pytest.fixture
def worker():
    made = Worker("annealco")
    yield made
    made.close()


def test_a_task_is_solved_in_another_process_and_timed(worker):
    row = run_task(worker, Task("mis-rb-small", 0, "annealco", 0.3))
    assert row["status"] == "ok"
    assert row["value"] >= 18
    assert 0.2 < row["cpu"] < 0.6


def test_what_takes_too_long_is_given_up_and_the_next_task_runs(worker):
    assert worker.run("mis-rb-small", 0, 0.1, 0, patience=20)["status"] == "ok"
    started = time.perf_counter()
    assert worker.run("mis-rb-large", 0, 60.0, 0, patience=0.5)["status"] == "over the hard limit"
    assert time.perf_counter() - started < 5
    assert worker.run("mis-rb-small", 0, 0.1, 0, patience=20)["status"] == "ok"


def test_a_method_that_does_not_exist_cannot_start():
    assert Worker("nobody").run("mis-rb-small", 0, 0.1, 0, patience=5) == {"status": "cannot start"}
    assert "nobody" not in sys.modules
