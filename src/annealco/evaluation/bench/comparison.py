"""Compare methods on the test graphs of a set: one row a graph and method, each as soon as it is there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from annealco.datasets import load_dataset
from annealco.datasets.registry import find_dataset
from annealco.datasets.splits import DEFAULT_COUNTS
from annealco.errors import InputError
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.isolation import run_safely
from annealco.evaluation.bench.rows import Key, Row, key_of, read_rows, to_line
from annealco.evaluation.bench.tasks import Task, ratio
from annealco.evaluation.references import known_references
from annealco.evaluation.references.cases import SEED, SPLIT, Case, Cases, load_cases, planted_reference
from annealco.files import LineWriter, held
from annealco.problems import find_problem
from annealco.solving.solver import Solver

FILE = "rows.jsonl"

MAX_SEED = 2**31 - 1
"""Solvers of others take no larger ones."""


Spread = Callable[[Iterable[Task]], Iterator[Row]]
"""Run tasks somewhere, and yield their rows in any order, none twice and none lost."""


@dataclass(frozen=True)
class Bench:
    """What to compare.

    Attributes:
        data: a key of `DATASETS`.
        problem: a key of `PROBLEMS`.
        entries: what to run.
        limit: only the first so many graphs, or instances of cuts.
        every: leave out all but the first of every so many of them, before they are counted: for cuts, seed nodes of
            more graphs instead of all of a few.
        seconds: time limit of every method that knows one.
        moves: instead of seconds, where a method counts moves.
        seed: of all random choices.
        threads: that each method may use.
        data_root: the data folder, by default ``ANNEALCO_DATA``.
    """

    data: str
    problem: str
    entries: tuple[Entry, ...]
    limit: int | None = None
    seconds: float = 1.0
    moves: int | None = None
    seed: int = 0
    threads: int = 1
    data_root: str | PathLike[str] | None = None
    every: int = 1

    def __post_init__(self) -> None:
        find_dataset(self.data)
        # Its checks of the limits are those of `solve`.
        Solver(find_problem(self.problem), time_limit=self.seconds, moves=self.moves, seed=self.seed)
        if self.seed > MAX_SEED:
            raise InputError(f"the seed must be at most {MAX_SEED}, which every solver takes; it is {self.seed}")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"limit must be at least 1, it is {self.limit}")
        if self.every < 1:
            raise InputError(f"every must be at least 1, it is {self.every}")
        if self.threads < 1:
            raise InputError(f"threads must be at least 1, they are {self.threads}")

    def cases(self) -> Cases:
        """Load the graphs."""
        dataset, problem = find_dataset(self.data), find_problem(self.problem)
        if dataset.kind == "synthetic" and not problem.node_options:
            most = DEFAULT_COUNTS[SPLIT]
            count = min(self.limit * self.every, most) if self.limit else most
            return Cases(problem, load_dataset(self.data, SPLIT, count=count, seed=SEED))
        return load_cases(dataset, problem, data_root=self.data_root)

    def check(self, case: Case) -> None:
        """Raise an InputError that names every method that cannot take the problem."""
        found = [(entry.label, entry.refusal(case.problem, case.graph)) for entry in self.entries]
        refused = [f"{label} cannot solve {self.problem} here: {why}" for label, why in found if why is not None]
        if refused:
            raise InputError("; ".join(refused))

    def keys(self, num_cases: int) -> list[tuple[Entry, Key]]:
        """Return all that there is to run, case by case: what is cut short is a table of fewer graphs."""
        shared = (self.seed, self.seconds, self.moves, self.threads)
        return [
            (entry, Key(self.data, self.problem, number, entry.label, *shared))
            for number in range(0, num_cases, self.every)[: self.limit]
            for entry in self.entries
        ]

    def has(self, case: int) -> bool:
        """Tell whether a case of this number is one of those that are compared."""
        return case % self.every == 0 and case // self.every < (self.limit or math.inf)

    def references(self) -> dict[int, tuple[float, str]]:
        """Return the stored reference of each case that has one, and what it is."""
        known = known_references(find_dataset(self.data), find_problem(self.problem), None)
        return {number: (each.value, "optimum" if each.proven else "best known") for number, each in known.items()}

    def tasks(self, cases: Cases, wanted: Iterable[tuple[Entry, Key]]) -> Iterator[Task]:
        """Yield tasks with their cases and references, one by one: many large graphs at once would be too much."""
        stored = self.references()
        case, reference = None, None
        for entry, key in wanted:
            if case is None or case.number != key.case:
                case = cases[key.case]
                reference = planted_reference(case) or stored.get(key.case)
            graph = key.case if cases.instances is None else int(cases.instances.graph[key.case])
            yield Task(key, entry, case, graph, reference)


class Run:
    """What is missing in a folder, ready to be run: everything that can be refused has been looked at.

    Attributes:
        bench: what to compare.
        path: the file of rows.
        missing: what is to be run.
    """

    def __init__(self, bench: Bench, out: str | PathLike[str]) -> None:
        self.bench, self.path = bench, Path(out) / FILE
        # A damaged file is told before graphs are drawn.
        read_rows(self.path)
        self._cases = bench.cases()
        if len(self._cases):
            bench.check(self._cases[0])
        self.missing = self._find_missing()

    def rows(self, spread: Spread | None = None) -> Iterator[Row]:
        """Run what is missing, append each row to the file as soon as it is there, and yield it.

        Args:
            spread: runs the tasks; by default one after the other, here.

        Raises:
            InputError: where another comparison is writing to the folder.
        """
        with held(self.path.parent):
            # Another comparison may have ended since.
            self.missing = self._find_missing()
            writer = LineWriter(self.path)
            for row in (spread or run_here)(self.bench.tasks(self._cases, self.missing)):
                writer.write(to_line(row))
                yield row

    def _find_missing(self) -> list[tuple[Entry, Key]]:
        done = {key_of(row) for row in read_rows(self.path)}
        return [(entry, key) for entry, key in self.bench.keys(len(self._cases)) if key not in done]


def rows_of(bench: Bench, out: str | PathLike[str]) -> list[Row]:
    """Return the rows of a comparison among all that are in a folder.

    Rows without a reference get the one that is stored by now.
    """
    labels = {entry.label for entry in bench.entries}
    shared = (bench.data, bench.problem, bench.seed, bench.seconds, bench.moves, bench.threads)
    found = []
    for row in read_rows(Path(out) / FILE):
        key = key_of(row)
        same = (key.data, key.problem, key.seed, key.limit, key.moves, key.threads) == shared
        if same and key.method in labels and bench.has(key.case):
            found.append(row)
    return with_stored_references(bench, found)


def with_stored_references(bench: Bench, rows: Iterable[Row]) -> list[Row]:
    """Return rows of a comparison, those without a reference with the one that is stored by now."""
    stored = bench.references()
    return [row if row["reference"] is not None else _compared(bench, row, stored.get(row["case"])) for row in rows]


def _compared(bench: Bench, row: Row, reference: tuple[float, str] | None) -> Row:
    if reference is None:
        return row
    value, kind = reference
    figure = ratio(find_problem(bench.problem), row["value"], value)
    return {**row, "reference": value, "reference_kind": kind, "ratio": figure}


def run_here(tasks: Iterable[Task]) -> Iterator[Row]:
    """Run tasks one after the other."""
    for task in tasks:
        yield run_safely(task)
