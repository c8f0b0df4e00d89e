"""Spread the tasks of a comparison over a Ray cluster.

The driver alone writes rows, one for each task that comes back, so none is doubled; Ray runs a task again whose worker
was lost, and what it gives up is run again by the driver's next call, which finds its row missing. A solver that takes
its process down would do so at every try, so it has one of its own here too (`annealco.evaluation.bench.isolation`).
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Iterator
from typing import Any

from annealco.errors import InputError
from annealco.evaluation.bench.isolation import run_safely
from annealco.evaluation.bench.rows import Row
from annealco.evaluation.bench.tasks import Task
from annealco.optional import require

RETRIES = 5
"""How often a task is run again after its worker was lost."""

PATIENCE = 5.0
"""Seconds to wait for an answer at an address."""

AHEAD = 4
"""Tasks in flight for each processor: graphs are sent when they are needed."""


class Cluster:
    """A Ray cluster as a `Spread`.

    Attributes:
        address: of the cluster; ``local`` starts one on this machine and ends it after.
        threads: processors that each task takes.
    """

    def __init__(self, address: str, *, threads: int = 1) -> None:
        require("a cluster", "ray")
        self.address, self.threads = address, threads

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Run tasks on the cluster, and yield rows as they come back."""
        import ray

        _connect(self.address)
        try:
            remote = ray.remote(num_cpus=self.threads, max_retries=RETRIES)(run_safely)
            most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)) // self.threads)
            yield from _in_flight(remote, iter(tasks), most)
        finally:
            ray.shutdown()


def check_address(address: str) -> None:
    """Raise an InputError where nobody listens at HOST:PORT; Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and port.isdigit()):
        return
    try:
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise InputError(f"no Ray cluster at {address!r}: {error}") from None


def _connect(address: str) -> None:
    import ray

    check_address(address)
    try:
        if address == "local":
            ray.init(address="local", include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        else:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise InputError(f"no Ray cluster at {address!r}: {' '.join(str(error).split())[:200]}") from None


def _in_flight(remote: Any, tasks: Iterator[Task], most: int) -> Iterator[Row]:
    """Keep so many tasks running, and yield what is done."""
    import ray

    running: list[Any] = []
    for task in tasks:
        running.append(remote.remote(task))
        if len(running) >= most:
            done, running = ray.wait(running, num_returns=1)
            yield from ray.get(done)
    while running:
        done, running = ray.wait(running, num_returns=1)
        yield from ray.get(done)
