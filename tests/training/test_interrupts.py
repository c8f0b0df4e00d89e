from __future__ import annotations

import os
import pickle
import signal
import threading

import pytest

from annealco.training.interrupts import Interrupt


@pytest.mark.processes
def test_the_first_interrupt_is_noted_and_the_second_raises() -> None:
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    with interrupt.listening():
        assert interrupt.listens_here
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.noted
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert not interrupt.listens_here


@pytest.mark.processes
def test_a_thread_does_not_listen() -> None:
    interrupt, found = Interrupt(), []

    def run() -> None:
        with interrupt.listening():
            found.append(interrupt.listens_here)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False]


@pytest.mark.processes
def test_it_travels_to_another_process() -> None:
    assert not pickle.loads(pickle.dumps(Interrupt())).noted
