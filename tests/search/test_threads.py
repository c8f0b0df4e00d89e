import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from annealco.graph.errors import InputError
from annealco.search.threads import count_threads, result_of
from tests.waiting import PATIENCE


def test_the_number_of_threads_is_checked():
    assert count_threads(3) == 3
    assert count_threads(None) >= 1
    with pytest.raises(InputError, match="at least 1, it is 0"):
        count_threads(0)


@pytest.mark.processes
def test_a_signal_that_another_thread_receives_is_answered():
    answered = threading.Event()

    def work():
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return answered.wait(PATIENCE)

    before = signal.signal(signal.SIGINT, lambda *_: answered.set())
    try:
        with ThreadPoolExecutor(1) as pool:
            assert result_of(pool.submit(work))
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_of_a_task_is_raised_also_a_timeout():
    def fail():
        raise TimeoutError("its own")

    with ThreadPoolExecutor(1) as pool, pytest.raises(TimeoutError, match="its own"):
        result_of(pool.submit(fail))
