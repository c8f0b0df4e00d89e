"""Compare what solvers find in the same CPU seconds: ours without a network against the solvers of others.

python benchmarks/search_quality.py --budgets 0.1 --count 10      # everybody on ten graphs of every family
python benchmarks/search_quality.py --goals                       # what the project's goals need, on many graphs
python benchmarks/search_quality.py --table                       # Markdown from the rows so far, nothing is run

Rows are appended to --out as they come; a row that is there is not run again. Run it on a machine with one processor
to spare: solvers know wall-clock limits, so where others take the processor the limit is stretched until the CPU time
is what the budget says.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from goals import GOALS
from instances import FAMILIES
from json_lines import Row, append, read_lines
from peers import PEERS
from quality_table import tables
from worker import Worker

BUDGETS = (0.1, 1.0, 10.0)
PATIENCE_FACTOR = 3.0
TRIES = 4
CPU_TOLERANCE = 0.1


class Task(NamedTuple):
    """One cell: a method on a graph of a family for so many CPU seconds."""

    family: str
    index: int
    method: str
    budget: float
    seed: int = 0


def main() -> None:
    """Read the command line, run what is missing, or print the tables."""
    options = _parse()
    rows = read_lines(options.out)
    if not options.table:
        tasks = list(_goal_tasks()) if options.goals else list(_all_tasks(options))
        done = {task_of(row) for row in rows}
        run_all([task for task in dict.fromkeys(tasks) if task not in done], options.out)
    print(tables(read_lines(options.out)))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3, help="graphs of each family")
    parser.add_argument("--seeds", type=int, default=1, help="runs of every method on each graph")
    parser.add_argument("--budgets", type=_numbers, default=BUDGETS, help="CPU seconds, separated by commas")
    parser.add_argument("--methods", type=_names(PEERS), default=tuple(PEERS), help=", ".join(PEERS))
    parser.add_argument("--instances", type=_names(FAMILIES), default=tuple(FAMILIES), help=", ".join(FAMILIES))
    parser.add_argument("--out", type=Path, default=Path("search_quality.jsonl"), help="rows, as JSON lines")
    parser.add_argument("--goals", action="store_true", help="run what the goals need")
    parser.add_argument("--table", action="store_true", help="print the tables, run nothing")
    return parser.parse_args()


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def _names(known: Iterable[str]) -> Any:
    def read(text: str) -> tuple[str, ...]:
        unknown = [part for part in text.split(",") if part not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"unknown {unknown[0]!r}; choose from {', '.join(known)}")
        return tuple(text.split(","))

    return read


def _all_tasks(options: argparse.Namespace) -> Iterator[Task]:
    """List the cells, graph by graph, so that an interrupted run has a complete table of fewer graphs."""
    for index in range(options.count):
        for family in options.instances:
            for method in options.methods:
                peer = PEERS[method]
                # What knows no limit runs once, under the largest budget.
                limits = [limit for limit in options.budgets if limit >= peer.least_seconds]
                budgets = limits if peer.anytime else [max(BUDGETS)]
                if peer.takes(FAMILIES[family].problem, weighted=FAMILIES[family].weighted):
                    seeds = range(options.seeds)
                    yield from (Task(family, index, method, budget, seed) for budget in budgets for seed in seeds)


def _goal_tasks() -> Iterator[Task]:
    for index in range(max(goal.count for goal in GOALS)):
        for goal in GOALS:
            if index < goal.count:
                yield from (Task(goal.family, index, "annealco", goal.budget, seed) for seed in range(goal.seeds))
                yield from (Task(goal.family, index, method, budget) for method, budget in goal.references)


def task_of(row: Row) -> Task:
    """Return the cell that a row fills."""
    return Task(row["family"], row["index"], row["method"], row["budget"], row.get("seed", 0))


def run_all(tasks: list[Task], out: Path) -> None:
    """Run the tasks one after the other, and append a row for each."""
    workers = {task.method: Worker(task.method) for task in tasks}
    missing = [method for method in workers if not PEERS[method].is_installed]
    if missing:
        print(f"not installed and left out: {', '.join(missing)}")
    tasks = [task for task in tasks if task.method not in missing]
    started, share = time.perf_counter(), 1.0
    try:
        for number, task in enumerate(tasks, start=1):
            row = {**task._asdict(), **run_task(workers[task.method], task, share=share)}
            share = share_of(row, share)
            append(out, row)
            spent = time.perf_counter() - started
            print(f"{number}/{len(tasks)} {spent:.0f} s {tuple(task)} {row['status']} {row.get('value')}", flush=True)
    finally:
        for worker in workers.values():
            worker.close()


def run_task(worker: Worker, task: Task, *, share: float = 1.0) -> Row:
    """Run a task until the CPU seconds are what the budget says, or the solver ends by itself or ignores its limit.

    Args:
        worker: of the task's method.
        task: what to run.
        share: of a processor that is to be expected.
    """
    row: Row = {}
    for _ in range(TRIES):
        limit = task.budget / share
        patience = PATIENCE_FACTOR * limit + PEERS[task.method].patience
        row = worker.run(task.family, task.index, limit, task.seed, patience=patience) | {"limit": round(limit, 4)}
        if "cpu" not in row:
            return row
        cut_short = row["wall"] > 0.95 * limit or row["value"] is None
        starved = row["cpu"] < (1 - CPU_TOLERANCE) * task.budget and cut_short
        spoilt = row["cpu"] > (1 + CPU_TOLERANCE) * task.budget and share < 1
        if not starved and not spoilt:
            return row
        share = 1.0 if spoilt else share_of(row, share)
    return row


def share_of(row: Row, before: float) -> float:
    """Return the share of a processor that a run had, or what it was before where that cannot be told."""
    return min(1.0, row["cpu"] / row["wall"]) if row.get("wall", 0.0) > 0.05 else before


if __name__ == "__main__":
    main()
