"""Run a solver in a process of its own, so that one that crashes, hangs or ignores its limit costs one cell of a table.

Only one worker runs at a time. Its process stays for the next task: imports and compiled kernels are not timed.
"""

from __future__ import annotations

import os
import time
from contextlib import redirect_stdout
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from instances import FAMILIES, draw
from peers import PEERS
from peers.answer import UnsupportedError

from annealco.graph.graph import Graph
from annealco.graph.operations import complement

START_SECONDS = 120.0
"""A first start may compile kernels."""

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"


class Worker:
    """A process that solves with one peer."""

    def __init__(self, method: str) -> None:
        self.method = method
        self._process: Any = None
        self._pipe: Any = None

    def run(self, family: str, index: int, seconds: float, seed: int, *, patience: float) -> dict[str, Any]:
        """Return what `_solve` does, or a status that says what went wrong within ``patience`` seconds."""
        if self._process is None and not self._start():
            return {"status": "cannot start"}
        self._pipe.send((family, index, seconds, seed))
        try:
            if self._pipe.poll(patience):
                return self._pipe.recv()
            status = "over the hard limit"
        except EOFError:
            status = "crashed"
        self.close()
        return {"status": status}

    def close(self) -> None:
        """End the process, at once."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> bool:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(self.method, theirs), daemon=True)
        self._process.start()
        # Else the end of their process would go unnoticed here.
        theirs.close()
        try:
            if self._pipe.poll(START_SECONDS) and self._pipe.recv():
                return True
        except EOFError:
            pass
        self.close()
        return False


def _serve(method: str, pipe: Connection) -> None:
    """Solve what comes through the pipe, silently."""
    if PEERS[method].pinned:
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    silence = os.open(os.devnull, os.O_WRONLY)
    # Compiled libraries print past Python's own stdout.
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    with redirect_stdout(None):
        for problem in PEERS[method].problems:
            PEERS[method].build(_tiny(problem), problem)(0.1, 0)
        pipe.send(True)
        while True:
            pipe.send(_solve(method, *pipe.recv()))


def _tiny(problem: str) -> Graph:
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]])
    return complement(path) if problem == "clique" else path


def _solve(method: str, family: str, index: int, seconds: float, seed: int) -> dict[str, Any]:
    """Solve one graph; score the answer by the problem's own plain score."""
    graph, problem = draw(family, index), FAMILIES[family].declared
    if graph.num_nodes > PEERS[method].most_nodes:
        return {"status": f"not supported: more than {PEERS[method].most_nodes} nodes"}
    begun = time.process_time()
    try:
        run = PEERS[method].build(graph, problem.name)
    except UnsupportedError as error:
        return {"status": f"not supported: {error}"}
    built, wall = time.process_time(), time.perf_counter()
    answer = run(seconds, seed)
    taken = {"cpu": time.process_time() - built, "wall": time.perf_counter() - wall, "build": built - begun}
    found = None if answer.nodes is None else np.asarray(answer.nodes).tolist()
    value = None if found is None else problem.score(graph, found)
    status = "nothing found" if found is None else "infeasible" if value is None else "ok"
    rounded = {name: round(amount, 4) for name, amount in taken.items()}
    return {"status": status, "value": value, "proven": bool(answer.proven and value is not None), **rounded}
