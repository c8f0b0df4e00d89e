"""Best-known values of the test splits, computed by search with a proven bound, never by a network under test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from annealco.evaluation.reference_store import Reference, append_rows, read_rows
from annealco.graph.datasets import Dataset, load_dataset
from annealco.graph.datasets.folders import cache_folder
from annealco.graph.datasets.registry import find_dataset
from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import Problem
from annealco.solution import TOLERANCE, Solution
from annealco.solving import Solver, find_problem

SPLIT, SEED = "test", 0


def load_references(name: str, problem: str, *, folder: str | PathLike[str] | None = None) -> dict[int, Reference]:
    """Return the best-known value of each test graph that has one, by its number in the split.

    Args:
        name: a key of `DATASETS`.
        problem: a key of `PROBLEMS`.
        folder: what was computed beyond the package's own values, by default in the cache.

    Raises:
        InputError: where there are none at all.

    Example:
        >>> found = load_references("imdb", "mis")
        >>> len(found), all(each.proven for each in found.values())
        (200, True)
    """
    dataset, chosen = find_dataset(name), find_problem(problem)
    found = _best(chosen, [*_packaged(dataset, chosen), *_computed(dataset, chosen, folder)])
    if not found:
        raise InputError(f"there are no references of {name} for {problem}; 'annealco data reference' makes them")
    return found


def extend_references(
    name: str,
    problem: str,
    *,
    time_limit: float = 1.0,
    limit: int | None = None,
    again: bool = False,
    num_threads: int | None = None,
    folder: str | PathLike[str] | None = None,
    data_root: str | PathLike[str] | None = None,
) -> Iterator[Reference]:
    """Compute the values that are missing, append each to a file as soon as it is there, and yield it.

    Args:
        name: a key of `DATASETS`.
        problem: a key of `PROBLEMS`.
        time_limit: seconds a graph, for the set and for the bound.
        limit: only the first so many test graphs.
        again: also try anew where the value is not proven.
        num_threads: graphs at once, by default one for each processor.
        folder: where the file is, by default in the cache.
        data_root: the data folder, by default ``ANNEALCO_DATA``.
    """
    dataset, chosen = find_dataset(name), find_problem(problem)
    if chosen.node_options:
        raise InputError(f"references of {problem} need its options; they are not computed yet")
    solver = Solver(chosen, time_limit=time_limit, num_threads=num_threads)
    graphs = load_dataset(name, SPLIT, seed=SEED, data_root=data_root)
    known = _best(chosen, [*_packaged(dataset, chosen), *_computed(dataset, chosen, folder)])
    done = {number for number, each in known.items() if each.proven or not again}
    wanted = range(graphs.num_graphs if limit is None else min(limit, graphs.num_graphs))
    missing = np.array([number for number in wanted if number not in done], dtype=np.int64)
    yield from append_rows(_path(dataset, chosen, folder), _header(dataset, chosen), _solve(solver, graphs, missing))


def _solve(solver: Solver, graphs: Graph, missing: np.ndarray[Any, np.dtype[np.int64]]) -> Iterator[Reference]:
    plain = Graph(graphs.node_ptr, graphs.edges, graphs.node_weight, graphs.edge_weight)
    for number, solution in zip(missing.tolist(), solver.solve_each(plain[missing]), strict=True):
        yield _reference(solver.problem, graphs[number], number, solution)


def _reference(problem: Problem, graph: Graph, number: int, solution: Solution) -> Reference:
    """Return what was found, or what was planted where that is better."""
    nodes, value, method = tuple(sorted(map(int, solution.nodes))), solution.value, solution.method
    planted = graph.node_data.get("planted")
    hidden = () if planted is None else tuple(np.flatnonzero(planted).tolist())
    known = problem.score(graph, hidden) if hidden else None
    if known is not None and _is_better(problem, known, value):
        nodes, value, method = hidden, known, f"planted ({method})"
    bound = solution.bound
    proven = bound is not None and abs(value - bound) <= TOLERANCE * max(1.0, abs(value))
    return Reference(number, value, proven, method, round(solution.seconds, 3), nodes)


def _is_better(problem: Problem, first: float, second: float) -> bool:
    return first > second if problem.sense == "max" else first < second


def _best(problem: Problem, rows: Iterable[Reference]) -> dict[int, Reference]:
    """Return the best row of each graph; of equal ones a proven one."""
    best: dict[int, Reference] = {}
    for row in rows:
        before = best.get(row.graph)
        proves = before is not None and row.value == before.value and row.proven and not before.proven
        if before is None or proves or _is_better(problem, row.value, before.value):
            best[row.graph] = row
    return dict(sorted(best.items()))


def _packaged(dataset: Dataset, problem: Problem) -> list[Reference]:
    with as_file(files("annealco.evaluation") / "references" / _file_name(dataset, problem)) as path:
        return read_rows(path, _header(dataset, problem))


def _computed(dataset: Dataset, problem: Problem, folder: str | PathLike[str] | None) -> list[Reference]:
    return read_rows(_path(dataset, problem, folder), _header(dataset, problem))


def _path(dataset: Dataset, problem: Problem, folder: str | PathLike[str] | None) -> Path:
    return (cache_folder() / "references" if folder is None else Path(folder)) / _file_name(dataset, problem)


def _file_name(dataset: Dataset, problem: Problem) -> str:
    return f"{dataset.name}-{problem.name}.jsonl"


def _header(dataset: Dataset, problem: Problem) -> dict[str, Any]:
    version = dataset.drawn.version if dataset.kind == "synthetic" else 1
    return {"set": dataset.name, "version": version, "split": SPLIT, "seed": SEED, "problem": problem.name}
