"""One row of a comparison: run an entry on a case, and score what it found by the problem's plain score.

A task can be written as a line of JSON, arrays in base64, for another process to read back. The problem goes by the
name or place that the user gave (`Task.place`); one that was given as an object has none, and stays in this process.
"""

from __future__ import annotations

import base64
import json
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco import __version__
from annealco.baselines import Outcome
from annealco.errors import InputError
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.rows import MAY_LACK, Key, Row
from annealco.evaluation.processor_share import run_for_cpu
from annealco.evaluation.references.cases import Case
from annealco.graph.generators.presets import ring_with_chords
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem, find_problem
from annealco.problems.conductance import conductance
from annealco.problems.problem import ratios
from annealco.registry import absolute_place

WARM_SECONDS = 0.05


@dataclass(frozen=True)
class Task:
    """One row to be: an entry on a case.

    Attributes:
        key: what the row is of.
        entry: what to run.
        case: what to run it on.
        graph: number of the graph, which several cases may share.
        reference: the value to compare with and what it is, or None.
        place: what another process finds the problem by; by default its name, None where there is nothing.
    """

    key: Key
    entry: Entry
    case: Case
    graph: int
    reference: tuple[float, str] | None
    place: str | None = ""

    def __reduce__(self) -> Any:
        # A problem from a file of the user's own has functions that another process cannot find by their names.
        return super().__reduce__() if self.place is None else (task_from_line, (task_to_line(self),))


def answer_task(task: Task) -> Row:
    """Return the row of a task, with a note where its solver raised an error."""
    try:
        return run_task(task)
    except Exception as error:  # noqa: BLE001 (solvers raise whatever they like)
        said = " ".join(str(error).split())
        failed = Outcome(None, note=f"the solver failed: {type(error).__name__}: {said}")
        return row_of(task, failed, cpu=0.0, budget=task.key.limit)


def run_task(task: Task) -> Row:
    """Run an entry on a case, score what it found by the problem's plain score, and return the row."""
    _warm(task.entry, task.case.problem, task.key.threads)
    found, cpu, budget = _run(task)
    return row_of(task, found, cpu=cpu, budget=budget)


def row_of(task: Task, found: Outcome, *, cpu: float, budget: float) -> Row:
    """Return the row of what was found, scored by the problem's plain score.

    Args:
        task: what was run.
        found: the outcome.
        cpu: CPU seconds that it took.
        budget: wall-clock limit that was given.
    """
    key, case = task.key, task.case
    nodes = None if found.assignment is None else np.flatnonzero(found.assignment).tolist()
    value = None if nodes is None else case.problem.score(case.graph, nodes)
    reference, kind = task.reference or (None, None)
    return {
        **{field: value for field, value in key._asdict().items() if field not in MAY_LACK or value},
        **({} if key.problem in PROBLEMS.own else {"sense": case.problem.sense}),
        "graph": task.graph,
        "value": value,
        "feasible": value is not None,
        "reference": reference,
        "reference_kind": kind,
        "ratio": None if reference is None else ratio(case.problem, value, reference),
        "wall": round(found.seconds, 6),
        "cpu": round(cpu, 6),
        "budget": round(budget, 6),
        "bound": found.bound,
        "proven": found.proven and value is not None,
        "note": found.note,
        "version": __version__,
        **(_conductance(case, nodes) if case.has_volume else {}),
        **({"trace": [[round(at, 6), reached] for at, reached in found.trace]} if found.trace else {}),
    }


def ratio(problem: Problem, value: float | None, reference: float) -> float:
    """Return how near a value is to a reference: 1 at it, less below, 0 without a feasible set.

    Example:
        >>> ratio(PROBLEMS["mis"], 18.0, 20.0), ratio(PROBLEMS["mds"], 25.0, 20.0), ratio(PROBLEMS["mds"], None, 20.0)
        (0.9, 0.8, 0.0)
    """
    return float(ratios(problem, np.array(math.nan if value is None else value), np.array(reference)))


def _conductance(case: Case, nodes: list[int] | None) -> Row:
    """Return the paper's figure for cuts, of whatever set there is, in the box or not."""
    found = math.inf if nodes is None else conductance(case.graph, nodes)
    volume = None if nodes is None else int(case.graph.degree[nodes].sum())
    return {"conductance": found if math.isfinite(found) else None, "volume": volume}


def _run(task: Task) -> tuple[Outcome, float, float]:
    """Return what was found, its CPU seconds, and the wall-clock limit that was given."""
    key = task.key
    if key.moves is None and key.threads == 1:
        return run_for_cpu(lambda budget: _outcome(task, budget), key.limit)
    began = time.process_time()
    found = _outcome(task, key.limit)
    return found, time.process_time() - began, key.limit


def _outcome(task: Task, budget: float) -> Outcome:
    key, case = task.key, task.case
    try:
        return task.entry.run(
            case.problem, case.graph, budget=budget, seed=key.seed, threads=key.threads, moves=key.moves
        )
    except InputError as error:
        return Outcome(None, note=str(error))


_warmed: set[tuple[str, str, int]] = set()


def _warm(entry: Entry, problem: Problem, threads: int) -> None:
    """Load what an entry needs, on a small graph: limits are for solving."""
    if (entry.label, problem.name, threads) in _warmed:
        return
    _warmed.add((entry.label, problem.name, threads))
    # Options of a case, such as a seed node, need not be possible there.
    plain = PROBLEMS[problem.name] if problem.name in PROBLEMS.own else problem
    with suppress(InputError):
        entry.run(plain, ring_with_chords(), budget=WARM_SECONDS, seed=0, threads=threads)


def task_to_line(task: Task) -> str:
    """Return the line of a task; its problem must have a place."""
    case, graph, entry = task.case, task.case.graph, task.entry
    message = {
        "key": list(task.key),
        "entry": asdict(entry) | {"name": absolute_place(entry.name)},
        "graph": task.graph,
        "reference": task.reference,
        "case": [case.number, list(case.planted), case.has_volume],
        "problem": [task.place or case.problem.name, case.problem.option_values],
        "integers": [_as_text(each.astype(np.int64)) for each in (graph.node_ptr, graph.edges)],
        "weights": [_as_text(each.astype(np.float64)) for each in (graph.node_weight, graph.edge_weight)],
        "node_data": _as_texts(graph, graph.node_data),
        "graph_data": _as_texts(graph, graph.graph_data),
    }
    return json.dumps(message)


def task_from_line(line: str) -> Task:
    """Return the task of a line."""
    message = json.loads(line)
    node_ptr, edges = (_as_array(text, np.int64) for text in message["integers"])
    node_weight, edge_weight = (_as_array(text, np.float64) for text in message["weights"])
    node_data, graph_data = (
        {key: _as_array(text, dtype) for key, (dtype, text) in message[kind].items()}
        for kind in ("node_data", "graph_data")
    )
    graph = Graph(node_ptr, edges.reshape(2, -1), node_weight, edge_weight, None, node_data, graph_data)
    place, options = message["problem"]
    problem = find_problem(place).posed(options)
    number, planted, has_volume = message["case"]
    return Task(
        key=Key(*message["key"]),
        entry=Entry(**message["entry"]),
        case=Case(number, problem, graph, tuple(planted), has_volume),
        graph=message["graph"],
        reference=None if message["reference"] is None else (message["reference"][0], message["reference"][1]),
        place=place,
    )


def _as_text(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _as_texts(graph: Graph, data: Mapping[str, NDArray[Any]]) -> dict[str, tuple[str, str]]:
    """Return type and content of the data that problems read, by name."""
    return {key: (data[key].dtype.str, _as_text(data[key])) for key in graph.coefficients if key in data}


def _as_array(text: str, kind: type | str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype=kind)
