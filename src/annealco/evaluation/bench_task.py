"""One row of a comparison: run an entry on a case, and score what it found by the problem's plain score."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from annealco import __version__
from annealco.baselines import Outcome
from annealco.baselines.shapes import shape_of
from annealco.evaluation.bench_entry import Entry
from annealco.evaluation.bench_rows import Key, Row
from annealco.evaluation.reference_cases import Case
from annealco.graph.errors import InputError
from annealco.graph.generators.ring import ring_with_chords
from annealco.problems import PROBLEMS, Problem
from annealco.problems.cut import conductance
from annealco.problems.ratios import ratios

WARM_SECONDS = 0.05
TRIES, CPU_TOLERANCE, LATE, LEAST_SHARE = 3, 0.1, 0.95, 0.1
"""How often a run is tried until its CPU seconds are within the tolerance; one that ended before this share of its
limit ended by itself; and the least share of a processor that is believed."""


@dataclass(frozen=True)
class Task:
    """One row to be: an entry on a case.

    Attributes:
        key: what the row is of.
        entry: what to run.
        case: what to run it on.
        graph: number of the graph, which several cases may share.
        reference: the value to compare with and what it is, or None.
    """

    key: Key
    entry: Entry
    case: Case
    graph: int
    reference: tuple[float, str] | None


def run_task(task: Task) -> Row:
    """Run an entry on a case, score what it found by the problem's plain score, and return the row."""
    key, case = task.key, task.case
    _warm(task.entry, key.problem, key.threads)
    found, cpu, budget = run_for_cpu(task, PROCESSOR)
    nodes = None if found.assignment is None else np.flatnonzero(found.assignment).tolist()
    value = None if nodes is None else case.problem.score(case.graph, nodes)
    reference, kind = task.reference or (None, None)
    return {
        **key._asdict(),
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


def planted_reference(case: Case) -> tuple[float, str] | None:
    """Return the size of a planted set, which is the optimum of a packing without weights, or None."""
    if not case.planted or not np.all(case.graph.node_weight == 1) or case.problem.sense != "max":
        return None
    value = case.problem.score(case.graph, case.planted)
    if value is None or shape_of(case.problem.declare(case.graph)) != "packing":
        return None
    return value, "planted optimum"


def _conductance(case: Case, nodes: list[int] | None) -> Row:
    """Return the paper's figure for cuts, of whatever set there is, in the box or not."""
    found = math.inf if nodes is None else conductance(case.graph, nodes)
    volume = None if nodes is None else int(case.graph.degree[nodes].sum())
    return {"conductance": found if math.isfinite(found) else None, "volume": volume}


@dataclass
class Processor:
    """What share of a processor this process had of late: others may use it too."""

    share: float = 1.0


PROCESSOR = Processor()


def run_for_cpu(task: Task, processor: Processor) -> tuple[Outcome, float, float]:
    """Run a task until the CPU seconds are what the limit says, or the method ends by itself.

    Methods know wall-clock limits: where others take the processor, the limit is stretched by the share that was left.

    Returns:
        What was found, its CPU seconds, and the wall-clock limit that was given.
    """
    key, found, cpu = task.key, Outcome(None), 0.0
    counted = key.moves is None and key.threads == 1
    budget = key.limit / processor.share if counted else key.limit
    for _ in range(TRIES):
        began = time.process_time()
        found = _outcome(task, budget)
        cpu = time.process_time() - began
        if not counted or found.seconds < LATE * budget:
            break
        processor.share = min(1.0, max(LEAST_SHARE, cpu / max(found.seconds, 1e-9)))
        if cpu > (1 - CPU_TOLERANCE) * key.limit:
            break
        budget = key.limit / processor.share
    return found, cpu, budget


def _outcome(task: Task, budget: float) -> Outcome:
    key, case = task.key, task.case
    try:
        return task.entry.run(
            case.problem, case.graph, budget=budget, seed=key.seed, threads=key.threads, moves=key.moves
        )
    except InputError as error:
        return Outcome(None, note=str(error))


_warmed: set[tuple[str, str, int]] = set()


def _warm(entry: Entry, problem: str, threads: int) -> None:
    """Load, or the first time ever compile, what an entry needs, on a small graph: limits are for solving."""
    if (entry.label, problem, threads) in _warmed:
        return
    _warmed.add((entry.label, problem, threads))
    with suppress(InputError):
        entry.run(PROBLEMS[problem], ring_with_chords(), budget=WARM_SECONDS, seed=0, threads=threads)
