"""Write a task of a comparison as a line of JSON, arrays in base64, so that another process can read it back."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco.evaluation.bench_entry import Entry
from annealco.evaluation.bench_rows import Key
from annealco.evaluation.bench_task import Task
from annealco.evaluation.reference_cases import Case
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS


def task_to_line(task: Task) -> str:
    """Return the line of a task; its problem is one of `PROBLEMS`, options and all."""
    case, graph = task.case, task.case.graph
    message = {
        "key": list(task.key),
        "entry": [task.entry.label, task.entry.name, task.entry.folder],
        "graph": task.graph,
        "reference": task.reference,
        "case": [case.number, list(case.planted), case.has_volume],
        "problem": [case.problem.name, case.problem.option_values],
        "integers": [_as_text(each.astype(np.int64)) for each in (graph.node_ptr, graph.edges)],
        "weights": [_as_text(each.astype(np.float64)) for each in (graph.node_weight, graph.edge_weight)],
    }
    return json.dumps(message)


def task_from_line(line: str) -> Task:
    """Return the task of a line."""
    message = json.loads(line)
    node_ptr, edges = (_as_array(text, np.int64) for text in message["integers"])
    node_weight, edge_weight = (_as_array(text, np.float64) for text in message["weights"])
    graph = Graph(node_ptr, edges.reshape(2, -1), node_weight, edge_weight)
    name, options = message["problem"]
    problem = PROBLEMS[name].with_options(**options) if options else PROBLEMS[name]
    number, planted, has_volume = message["case"]
    return Task(
        key=Key(*message["key"]),
        entry=Entry(*message["entry"]),
        case=Case(number, problem, graph, tuple(planted), has_volume),
        graph=message["graph"],
        reference=None if message["reference"] is None else (message["reference"][0], message["reference"][1]),
    )


def _as_text(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _as_array(text: str, kind: type) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype=kind)
