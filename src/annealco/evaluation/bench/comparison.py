"""Compare methods on the test graphs of a set, or on graph files: one row per graph and method, written at once.

A `Bench` says what to compare, a `Comparison` runs what is missing in a folder, `rows_of` reads what is there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from glob import has_magic
from os import PathLike
from pathlib import Path
from typing import Any

from annealco.datasets import DATASETS, load_dataset
from annealco.datasets.cache import fingerprint
from annealco.datasets.registry import find_dataset
from annealco.datasets.splits import DEFAULT_COUNTS
from annealco.errors import GraphFileError, InputError
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.isolation import run_safely
from annealco.evaluation.bench.rows import FILES, Key, Row, key_of, read_rows, to_line
from annealco.evaluation.bench.tasks import Task, ratio
from annealco.evaluation.references import known_references
from annealco.evaluation.references.cases import (
    SEED,
    SPLIT,
    Case,
    Cases,
    load_cases,
    planted_reference,
    takes_instances,
)
from annealco.files import LineWriter, lock_folder
from annealco.graph.construction import Names
from annealco.graph.formats.named import read_named, with_names
from annealco.graph.graph import Graph
from annealco.optional import require
from annealco.problems import PROBLEMS, Problem, find_problem
from annealco.registry import absolute_place
from annealco.solving.many import files_of, run_on_cluster
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
        data: a key of `DATASETS`, or for files of the user's own what they are called: ``files:NAME``.
        problem: a name or place that `find_problem` takes, or a problem.
        entries: what to run.
        limit: only the first so many graphs, or instances of cuts.
        every: leave out all but the first of every so many of them, before they are counted: for cuts, seed nodes of
            more graphs instead of all of a few.
        seconds: time limit of every method that knows one.
        moves: instead of seconds, where a method counts moves.
        seed: of all random choices.
        threads: per method.
        data_root: the data folder, by default ``ANNEALCO_DATA``.
        options: of the problem, the same for all graphs; nodes by their labels.
        files: graph files and folders of them, where the data are no named set; `of_files` makes such a comparison.
        graphs: instead of files, those of a program.
        names: what files call their parts.
    """

    data: str
    problem: str | Problem
    entries: tuple[Entry, ...]
    limit: int | None = None
    seconds: float = 1.0
    moves: int | None = None
    seed: int = 0
    threads: int = 1
    data_root: str | PathLike[str] | None = None
    every: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    graphs: Graph | None = None
    names: Names = field(default_factory=Names)

    def __post_init__(self) -> None:
        if not self.data.startswith(FILES):
            find_dataset(self.data)
            self.names.taken(f"the set {self.data}")
        # Its checks of limits and options are those of `solve`.
        settings: dict[str, Any] = {"time_limit": self.seconds, "moves": self.moves, "seed": self.seed}
        Solver(self.chosen, options=dict(self.options), **settings)
        if self.seed > MAX_SEED:
            raise InputError(f"the seed must be at most {MAX_SEED}, which every solver takes; it is {self.seed}")
        if self.limit is not None and self.limit < 1:
            raise InputError(f"limit must be at least 1, it is {self.limit}")
        if self.every < 1:
            raise InputError(f"every must be at least 1, it is {self.every}")
        if self.threads < 1:
            raise InputError(f"threads must be at least 1, they are {self.threads}")

    @cached_property
    def chosen(self) -> Problem:
        """The problem, without the options; rows go by its name, so it must not be that of another."""
        return find_problem(self.problem, unmistakable=True)

    @cached_property
    def place(self) -> str | None:
        """What another process finds the problem by; None for a problem that is only here."""
        if isinstance(self.problem, str):
            return None if PROBLEMS.is_only_here(self.problem) else absolute_place(self.problem)
        name = self.problem.name
        return name if name in PROBLEMS.own and PROBLEMS[name] is self.problem else None

    @cached_property
    def cases(self) -> Cases:
        """The graphs, each with the problem on it."""
        if self.data.startswith(FILES):
            return _own_cases(self.chosen, self.options, self._own_graphs())
        dataset = find_dataset(self.data)
        if not self.options and (dataset.kind == "real" or takes_instances(self.chosen)):
            return load_cases(dataset, self.chosen, data_root=self.data_root)
        most = DEFAULT_COUNTS[SPLIT] if dataset.kind == "synthetic" else None
        count = min(self.limit * self.every, most) if self.limit and most else most
        graphs = load_dataset(self.data, SPLIT, count=count, seed=SEED, data_root=self.data_root)
        return Cases(self.chosen, graphs, options=self.options)

    def _own_graphs(self) -> Graph:
        """Return the graphs of the user's files or program, each with a name."""
        if self.graphs is not None:
            return with_names(self.graphs, "graph")
        if not self.files:
            raise InputError("there are no graph files to compare on")
        own = self.chosen.formats
        nodes = self.names.nodes
        table = Path(nodes) if isinstance(nodes, str | PathLike) else None
        found = {file: Path(each) for each in self.files for file in files_of(each, table, own)}
        try:
            graphs = read_named(list(found), formats=own, **self.names.given)
        except GraphFileError as error:
            if not found.get(Path(error.path), Path(error.path)).is_dir():
                raise
            rule = f"{error.rule}; in a folder every file with the extension of a graph file is read"
            raise GraphFileError(error.path, rule, line=error.line) from None
        if graphs.num_graphs == 0:
            raise InputError(f"there is no graph to compare on in {', '.join(self.files)}")
        return graphs

    def check(self, case: Case) -> None:
        """Raise an InputError that names every method that cannot take the problem."""
        found = [(entry.label, entry.refusal(case.problem, case.graph)) for entry in self.entries]
        refused = [f"{label} cannot solve {self.chosen.name} here: {why}" for label, why in found if why is not None]
        if refused:
            raise InputError("; ".join(refused))

    @property
    def options_text(self) -> str:
        """The options as rows have them."""
        options = {**self.chosen.option_values, **self.options}
        return json.dumps(options, sort_keys=True, default=str) if options else ""

    @property
    def is_published(self) -> bool:
        """Whether stored references and cells of the paper may be of this comparison: a named set, and no options."""
        return not (self.options or self.chosen.set_options or self.data.startswith(FILES))

    def keys(self, num_cases: int, sources: Sequence[str] = ()) -> list[tuple[Entry, Key]]:
        """Return all that there is to run, case by case: what is cut short is a table of fewer graphs.

        Args:
            num_cases: how many there are.
            sources: what each of them is called, where they are the user's own.
        """
        shared = (self.seed, self.seconds, self.moves, self.threads, self.options_text)
        return [
            (entry, Key(self.data, self.chosen.name, number, entry.label, *shared, sources[number] if sources else ""))
            for number in range(0, num_cases, self.every)[: self.limit]
            for entry in self.entries
        ]

    def has(self, case: int) -> bool:
        """Tell whether a case of this number is one of those that are compared."""
        return case % self.every == 0 and case // self.every < (self.limit or math.inf)

    def references(self) -> dict[int, tuple[float, str]]:
        """Return the stored reference of each case that has one, and what it is."""
        if not self.is_published:
            return {}
        known = known_references(find_dataset(self.data), self.chosen, None)
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
            yield Task(key, entry, case, graph, reference, self.place)


def of_files(files: Sequence[str], **settings: Any) -> Bench:
    """Return a comparison on graph files and folders of them; the settings are those of `Bench`.

    Example:
        >>> of_files(["graphs/queens.col", "more"], problem="mis", entries=()).data
        'files:queens.col+1'
    """
    more = f"+{len(files) - 1}" if len(files) > 1 else ""
    first = Path(files[0])
    while has_magic(first.name):
        # A pattern is called by its folder: the name of the comparison is that of a folder of rows, too.
        first = first.parent
    return Bench(data=f"{FILES}{first.resolve().name}{more}", files=tuple(files), **settings)


def bench_on(data: Sequence[str], **settings: Any) -> Bench:
    """Return a comparison on a named set, which stands alone and comes before a file, or on files; see `Bench`.

    Example:
        >>> bench_on(["rb-small"], problem="mis", entries=()).data, bench_on(["./a"], problem="mis", entries=()).data
        ('rb-small', 'files:a')
    """
    named = [name for name in data if name in DATASETS]
    if named and len(data) > 1:
        raise InputError(f"a comparison is on one set or on files: {named[0]!r} is a set")
    # What is neither is told by whoever looks for a set of that name.
    are_files = not named and (len(data) > 1 or Path(data[0]).exists() or has_magic(data[0]) or _is_path(data[0]))
    return of_files(data, **settings) if are_files else Bench(data=data[0], **settings)


def _is_path(name: str) -> bool:
    """Tell a path from the name of a set, which has neither slashes nor an ending.

    Example:
        >>> _is_path("graphs/a"), _is_path("a.csv"), _is_path("rb-small")
        (True, True, False)
    """
    return "/" in name or Path(name).suffix != ""


def _own_cases(problem: Problem, options: Mapping[str, Any], graphs: Graph) -> Cases:
    """Tell each graph from others by its name and its fingerprint."""
    sources: list[str] = []
    taken: set[str] = set()
    for number, name in enumerate(graphs.graph_data["name"].tolist()):
        one = graphs[number]
        source = f"{name} {fingerprint(one.bare())[:16]}"
        # The same graph may be there twice.
        sources.append(source if source not in taken else f"{source} #{number}")
        taken.add(source)
    return Cases(problem, graphs, options=problem.with_labels(options, graphs), sources=tuple(sources))


class Comparison:
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
        self._cases = bench.cases
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
        with lock_folder(self.path.parent):
            # Another comparison may have ended since.
            self.missing = self._find_missing()
            writer = LineWriter(self.path)
            for row in (spread or run_here)(self.bench.tasks(self._cases, self.missing)):
                writer.write(to_line(row))
                yield row

    def _find_missing(self) -> list[tuple[Entry, Key]]:
        done = {key_of(row).identity for row in read_rows(self.path)}
        wanted = self.bench.keys(len(self._cases), self._cases.sources)
        return [(entry, key) for entry, key in wanted if key.identity not in done]


def rows_of(bench: Bench, out: str | PathLike[str]) -> list[Row]:
    """Return the rows of a comparison among all that are in a folder.

    Rows without a reference get the one that is stored by now. Rows of files have the numbers that these have now.
    """
    labels = {entry.label for entry in bench.entries}
    shared = (bench.chosen.name, bench.seed, bench.seconds, bench.moves, bench.threads, bench.options_text)
    own = bench.cases.sources if bench.data.startswith(FILES) else ()
    numbers = {source: number for number, source in enumerate(own)}
    found = []
    for row in read_rows(Path(out) / FILE):
        key = key_of(row)
        same = (key.problem, key.seed, key.limit, key.moves, key.threads, key.options) == shared
        if key.source in numbers:
            row |= {"data": bench.data, "case": numbers[key.source], "graph": numbers[key.source]}
        elif key.source or key.data != bench.data:
            continue
        if same and key.method in labels and bench.has(row["case"]):
            found.append(row)
    return with_stored_references(bench, found)


def with_stored_references(bench: Bench, rows: Iterable[Row]) -> list[Row]:
    """Return rows of a comparison, those without a reference with the one that is stored by now."""
    listed = list(rows)
    # Those of a large set take a second to read.
    stored = bench.references() if any(row["reference"] is None for row in listed) else {}
    return [row if row["reference"] is not None else _compared(bench, row, stored.get(row["case"])) for row in listed]


def _compared(bench: Bench, row: Row, reference: tuple[float, str] | None) -> Row:
    if reference is None:
        return row
    value, kind = reference
    figure = ratio(bench.chosen, row["value"], value)
    return {**row, "reference": value, "reference_kind": kind, "ratio": figure}


def run_here(tasks: Iterable[Task]) -> Iterator[Row]:
    """Run tasks one after the other."""
    for task in tasks:
        yield run_safely(task)


class Cluster:
    """A Ray cluster as a `Spread`; this process alone writes rows, one for each task that comes back.

    A solver that takes its process down would do so at every try, so it has one of its own there too.

    Attributes:
        address: of the cluster; ``local`` starts one on this machine and ends it after.
        threads: processors that each task takes.
    """

    def __init__(self, address: str, *, threads: int = 1) -> None:
        require("a cluster", "ray")
        self.address, self.threads = address, threads

    def __call__(self, tasks: Iterable[Task]) -> Iterator[Row]:
        """Run tasks on the cluster, and yield rows as they come back."""
        sent = ((None, (task,)) for task in tasks)
        for _, row in run_on_cluster(run_safely, sent, self.address, threads=self.threads):
            yield row
