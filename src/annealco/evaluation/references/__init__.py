"""Best-known values of the test splits, found by search and exact solvers, never by a network under test.

The package has a file for each set and problem; `extend_references` computes what is missing into the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import Any

from annealco.datasets import Dataset
from annealco.datasets.cache import cache_folder
from annealco.datasets.registry import find_dataset
from annealco.errors import InputError
from annealco.evaluation.references.best_value import best_known, choose_exact, complement_reference, is_better
from annealco.evaluation.references.cases import SEED, SPLIT, Cases, load_cases, planted_reference
from annealco.evaluation.references.store import Reference, append_references, read_references
from annealco.problems import Problem, find_problem
from annealco.search.protocol import count_threads
from annealco.solving.solver import Solver


def load_references(name: str, problem: str, *, folder: str | PathLike[str] | None = None) -> dict[int, Reference]:
    """Return the best-known value of each test graph that has one, by its number in the split.

    For ``cut`` they are of the instances of `cut_instances`: the least cut within the box, by the instance's number.

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
    found = known_references(find_dataset(name), find_problem(problem, unmistakable=True), folder)
    if not found:
        raise InputError(f"there are no references of {name} for {problem}; 'annealco data reference' makes them")
    return found


def known_references(dataset: Dataset, problem: Problem, folder: str | PathLike[str] | None) -> dict[int, Reference]:
    """Return the best of the package's and of the computed references, which may be none."""
    header = header_of(dataset, problem)
    with as_file(files("annealco.evaluation") / "references" / reference_file(dataset, problem)) as path:
        packaged = read_references(path, header)
    return best_rows(problem, [*packaged, *read_references(_path(dataset, problem, folder), header)])


def extend_references(
    name: str,
    problem: str,
    *,
    time_limit: float = 1.0,
    limit: int | None = None,
    again: bool = False,
    exact: str | None = None,
    exact_limit: float | None = None,
    num_threads: int | None = None,
    folder: str | PathLike[str] | None = None,
    data_root: str | PathLike[str] | None = None,
) -> Iterator[Reference]:
    """Compute the values that are missing, append each to a file as soon as it is there, and yield it.

    Args:
        name: a key of `DATASETS`.
        problem: a key of `PROBLEMS`.
        time_limit: seconds per graph for the set and for the bound; CPU seconds with one thread.
        limit: only the first so many test graphs, or instances.
        again: also try anew where the value is not proven.
        exact: ``cp_sat``, ``scip``, ``highs``, ``gurobi`` or ``none``; by default the first of the first three that is
            installed.
        exact_limit: seconds per graph for the exact solver, by default as many as the time limit.
        num_threads: graphs at once, by default one for each processor.
        folder: where the file is, by default in the cache.
        data_root: the data folder, by default ``ANNEALCO_DATA``.
    """
    dataset, chosen, method = find_dataset(name), find_problem(problem, unmistakable=True), choose_exact(exact)
    # A time limit that makes no sense is told before any graph is loaded.
    for seconds in (time_limit, time_limit if exact_limit is None else exact_limit):
        Solver(chosen, time_limit=seconds, num_threads=num_threads)
    cases = load_cases(dataset, chosen, data_root=data_root)
    known = known_references(dataset, chosen, folder)
    complement_of = _complement_source(cases, dataset, folder)
    wanted = range(len(cases) if limit is None else min(limit, len(cases)))
    missing = [each for each in wanted if each not in known or (again and not known[each].proven)]

    def find(number: int) -> Reference:
        case, earlier = cases[number], known.get(number)
        other = complement_of(number)
        if other is not None and (earlier is None or other.proven):
            return complement_reference(case, other)
        return best_known(
            case,
            time_limit=time_limit,
            exact=method,
            exact_limit=exact_limit,
            known=earlier,
            alone=num_threads == 1,
        )

    found = _in_order(find, missing, num_threads)
    yield from append_references(_path(dataset, chosen, folder), header_of(dataset, chosen), found)


def _complement_source(
    cases: Cases, dataset: Dataset, folder: str | PathLike[str] | None
) -> Callable[[int], Reference | None]:
    """Return a function from a case to the reference, with nodes, of the problem of complements, or to None."""
    # The best sets are the complements of that problem's best sets, and proofs carry over.
    if cases.problem.complement_of is None:
        return lambda _: None
    others = replace(cases, problem=cases.problem.complement_of)
    known = known_references(dataset, others.problem, folder)

    def find(number: int) -> Reference | None:
        case, row = others[number], known.get(number)
        planted = planted_reference(case)
        if planted is not None:
            return Reference(number, planted[0], True, planted[1], 0.0, case.planted)
        return row if row is not None and row.nodes is not None else None

    return find


def best_rows(problem: Problem, rows: Iterable[Reference]) -> dict[int, Reference]:
    """Return the best row of each case; of equal ones a proven one, and of these one with its nodes."""
    best: dict[int, Reference] = {}
    for row in rows:
        before = best.get(row.case)
        as_good = before is not None and row.value == before.value
        if (
            before is None
            or is_better(problem, row.value, before.value)
            or (as_good and _is_more_complete(row, before))
        ):
            best[row.case] = row
    return dict(sorted(best.items()))


def _is_more_complete(row: Reference, before: Reference) -> bool:
    """Tell whether a row is proven where the one before is not, or keeps its nodes where that does not."""
    return (row.proven, row.nodes is not None) > (before.proven, before.nodes is not None)


def _in_order(find: Callable[[int], Reference], numbers: list[int], num_threads: int | None) -> Iterator[Reference]:
    """Find references in parallel, and yield them in order, as soon as they are there."""
    with ThreadPoolExecutor(count_threads(num_threads)) as pool:
        tasks = [pool.submit(find, number) for number in numbers]
        try:
            for task in tasks:
                yield task.result()
        finally:
            # An error on one graph, or a caller who stops listening, must not wait for all the others.
            pool.shutdown(wait=True, cancel_futures=True)


def _path(dataset: Dataset, problem: Problem, folder: str | PathLike[str] | None) -> Path:
    return (cache_folder() / "references" if folder is None else Path(folder)) / reference_file(dataset, problem)


def reference_file(dataset: Dataset, problem: Problem) -> str:
    """Return the name of the file of a set and a problem."""
    return f"{dataset.name}-{problem.name}.jsonl"


def header_of(dataset: Dataset, problem: Problem) -> dict[str, Any]:
    """Return the first line of that file."""
    version = dataset.drawn.version if dataset.kind == "synthetic" else 1
    return {"set": dataset.name, "version": version, "split": SPLIT, "seed": SEED, "problem": problem.name}
