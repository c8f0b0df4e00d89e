"""What searches begin with: sets decoded from the probabilities that a network proposes, or from even ones, and starts.

A start is a set that a user gives: labels of nodes, a `Solution`, or a file of these. It need not be feasible.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.clock import now
from annealco.energy import Instance
from annealco.energy.structure import structure_of
from annealco.errors import GraphFileError, InputError, user_errors
from annealco.files import check_regular, file_errors
from annealco.graph.formats.text import MAX_BYTES, read_text
from annealco.graph.graph import Graph
from annealco.graph.interop import as_numpy
from annealco.models.compiled_field import StepSeconds
from annealco.problems import Problem
from annealco.registry import is_of_package
from annealco.search.decode import DEFAULT_ORDER, Order, decode
from annealco.search.ratio import Quotient, decode_quotient
from annealco.search.repair import repair
from annealco.search.searches import SEARCHES, default_search
from annealco.solving.solution import Solution, plain_label
from annealco.solving.solver import Solver

NETWORK_SHARE = 0.25
"""The most of the time limit in which a network that a search follows begins steps."""

LEAST_STEPS = 8
"""So many steps a network must have time for to be asked: what it proposes after fewer is mostly worse than what even
probabilities give (docs/design-notes/models.md)."""

START_SHARE, DECODED_AT_ONCE = 0.5, 16
"""The most of the time limit in which further starts are decoded, so many at once on each thread."""

DECODE_SECONDS, DECODE_SHARE = 1e-7, 0.05
"""What decoding takes per node and edge, about; where that is more than this share of the time limit, a search that
makes a start of its own gets a trivial one."""

RESTART_NOISE = 1e-3
"""Size of the random logits that tell restarts without a model apart: enough to break ties, too little for more."""


def probabilities(solver: Solver, graph: Graph, instance: Instance) -> NDArray[np.float64]:
    """Return the probabilities to decode, [num_starts, num_nodes]: the model's, or even ones but for noise, or both."""
    model, turned = solver.model, _turned(solver)
    if solver.trained is not None:
        seconds = NETWORK_SHARE * solver.time_limit if solver.is_timed else math.inf
        restarts = min(solver.restarts, _restarts_in_time(solver.trained.step_seconds, graph, seconds))
        model = solver.trained.with_settings(num_restarts=restarts, seed=solver.seed, seconds=seconds, stop=solver.stop)
    if callable(model):
        with user_errors("the model failed", is_own=is_of_package(model)):
            given = model(graph, instance if turned is None else turned.declare(graph))
        logits = _as_logits(given, graph.num_nodes) * (1.0 if turned is None else -1.0)
    elif solver.restarts == 1:
        return np.full((1, graph.num_nodes), even_probability(instance, solver.decode_order))
    else:
        noise = np.random.default_rng(solver.seed).normal(0, RESTART_NOISE, (solver.restarts, graph.num_nodes))
        noise[0] = 0.0
        logits = noise + _logit(even_probability(instance, solver.decode_order))
    if _has_plain_start(solver) or _compares_with_plain(solver, graph):
        even = _logit(even_probability(instance, solver.decode_order))
        logits = np.concatenate([logits, np.full((1, graph.num_nodes), even)])
    return 1 / (1 + np.exp(-np.clip(logits, -700, 700)))


def _turned(solver: Solver) -> Problem | None:
    """Return the problem of a network that proposes what is left out of a set; None where it proposes the set."""
    if solver.trained is None or solver.trained.problem == solver.problem.learned_as:
        return None
    return solver.problem.complement_of


def _as_logits(given: ArrayLike, num_nodes: int) -> NDArray[np.float64]:
    """Return what a model gave as rows, [num_rows, num_nodes]; a tensor may have a gradient."""
    try:
        logits = np.atleast_2d(np.asarray(as_numpy(given), dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"a model must give numbers, not {type(given).__name__}") from None
    if logits.ndim != 2 or logits.shape[1] != num_nodes or not len(logits):
        raise InputError(f"a model must give logits of [{num_nodes}] or some rows of them, not {list(logits.shape)}")
    if not np.isfinite(logits).all():
        raise InputError("a model must give finite logits")
    return logits


def even_probability(instance: Instance, order: Order = DEFAULT_ORDER) -> float:
    """Return what every node is chosen with where nothing is known: a half, or less where there are large sets to hit.

    A set is then hit once on average. With a half, large sets are as good as hit whatever a node does, and to decoding
    all nodes are alike. In the steepest order all nodes together count for less than one, so that the first choices are
    those of a greedy algorithm.

    Example:
        >>> from annealco.problems import PROBLEMS
        >>> star = Graph.from_edges([[0, 0, 0, 0], [1, 2, 3, 4]])
        >>> [even_probability(PROBLEMS[name].declare(star)) for name in ("mis", "vertex_cover")]
        [0.5, 0.5]
        >>> round(1 / even_probability(PROBLEMS["mds"].declare(star)), 9)
        2.6
        >>> 1 / even_probability(PROBLEMS["mis"].declare(star), "steepest")
        6.0
    """
    if order == "steepest":
        return 1 / (instance.num_nodes + 1)
    sizes = np.diff(structure_of(instance).set_ptr)
    return 1 / max(2.0, float(sizes.mean())) if len(sizes) else 0.5


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


def has_time_for_network(solver: Solver, graph: Graph) -> bool:
    """Tell whether enough steps of a network, if there is one that a search follows, fit into its share of time."""
    if solver.trained is None or not solver.is_timed:
        return True
    return solver.trained.step_seconds.several(graph, LEAST_STEPS) <= NETWORK_SHARE * solver.time_limit


def _restarts_in_time(step: StepSeconds, graph: Graph, seconds: float) -> int:
    """Return how many restarts of a network can make enough steps in so many seconds; one can in any case."""
    if math.isinf(seconds):
        return sys.maxsize
    each = LEAST_STEPS * step.per_restart * max(1, graph.num_nodes)
    return 1 + max(0, int((seconds - step.several(graph, LEAST_STEPS)) / each))


def _has_plain_start(solver: Solver) -> bool:
    """Tell whether the last of several searches begins without the network's proposals, in case they mislead."""
    return solver.trained is not None and solver.polish and solver.restarts > 1


def _compares_with_plain(solver: Solver, graph: Graph) -> bool:
    """Tell whether the only search begins with the better of two sets, the network's and that of even probabilities.

    Where to decode another row takes much of the time, it begins with the network's.
    """
    if solver.trained is None or not solver.polish or solver.restarts > 1:
        return False
    return not solver.is_timed or _decode_seconds(graph) <= DECODE_SHARE * solver.time_limit


def _decode_seconds(graph: Graph) -> float:
    return DECODE_SECONDS * (graph.num_nodes + graph.num_edges)


def has_head_start(solver: Solver, threads: int) -> bool:
    """Tell whether that search may begin while the network still proposes: on a thread of its own, if time counts."""
    return _has_plain_start(solver) and solver.is_timed and threads > 1


def decoded_starts(
    solver: Solver,
    instance: Instance,
    quotient: Quotient | None,
    rows: NDArray[np.float64],
    *,
    threads: int,
    started: float,
) -> NDArray[np.bool_]:
    """Decode probabilities, and of what a network proposed keep the best, so many that each has its time.

    Args:
        solver: what to do.
        instance: of one graph.
        quotient: where that is what counts.
        rows: [num_rows, num_nodes], of which the last ones may be left out where there are too many for the time.
        threads: how many rows may be decoded at once.
        started: clock reading when the time began.

    Returns:
        Sets, [num_starts, num_nodes].
    """
    if quotient is not None and not solver.polish:
        starts = decode_quotient(quotient, rows, **decoding_of(solver), num_threads=threads)
    else:
        starts = _decoded_in_time(solver, instance, rows, threads, started)
    # A restart of a network may propose often.
    if solver.trained is None or len(starts) <= solver.restarts:
        return starts
    cost = instance.energy().value(starts).sum(axis=1) if quotient is None else quotient.costs(starts)
    if _has_plain_start(solver) and len(starts) == len(rows):
        cost[-1] = -math.inf
    return starts[np.sort(np.argsort(cost, kind="stable")[: solver.restarts])]


def _decoded_in_time(
    solver: Solver, instance: Instance, rows: NDArray[np.float64], threads: int, started: float
) -> NDArray[np.bool_]:
    """Decode rows, some at once, until half of the time has passed or the user wants an end."""
    until = started + START_SHARE * solver.time_limit if solver.is_timed else math.inf
    parts: list[NDArray[np.bool_]] = []
    for first in range(0, len(rows), DECODED_AT_ONCE * threads):
        if parts and (now() >= until or solver.stop.is_set()):
            break
        some = rows[first : first + DECODED_AT_ONCE * threads]
        parts.append(decode(instance, some, **decoding_of(solver), num_threads=threads))
    return np.concatenate(parts)


def decoding_of(solver: Solver) -> dict[str, Any]:
    """Return how probabilities are decoded."""
    return {"penalty_scale": solver.penalty_scale, "order": solver.decode_order}


def trivial_starts(solver: Solver, graph: Graph, instance: Instance) -> NDArray[np.bool_]:
    """Return a feasible set at no cost as rows, [0 or 1, num_nodes], where the search makes a better one sooner.

    No network proposes anything then, and there is one restart.
    """
    none = np.zeros((0, instance.num_nodes), dtype=np.bool_)
    is_plain = solver.trained is None and not callable(solver.model) and solver.restarts == 1
    if not is_plain or not solver.is_timed or _decode_seconds(graph) <= DECODE_SHARE * solver.time_limit:
        return none
    structure = structure_of(instance)
    search = default_search(structure) if solver.search is None else solver.search
    with SEARCHES.blaming(search, search.name):
        starts_itself = search.starts_itself(structure)
    # Of gains with pairs that exclude each other nothing need be chosen, and all nodes hit every set.
    return np.full((1, instance.num_nodes), structure.kind == "covering") if starts_itself else none


def given_starts(instance: Instance, start: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return a start that was given as rows of feasible sets, [0 or 1, num_nodes].

    A set that is feasible stays as it is; another is repaired, and left out where no feasible set comes of it.
    """
    none = np.zeros((0, instance.num_nodes), dtype=np.bool_)
    if start is None:
        return none
    if instance.violations(start)[0] != 0:
        start = repair(instance, start, num_threads=1)
        if instance.violations(start)[0] != 0:
            return none
    return start[None]


class Starts(NamedTuple):
    """Sets to begin with.

    Attributes:
        sets: [num_graphs] bits of each graph's nodes, [num_nodes], or None where a graph has no start.
        seed: the largest that the sets were found with, None where it is not known.
    """

    sets: list[NDArray[np.bool_] | None]
    seed: int | None = None


def graph_name(graph: Graph, number: int) -> str:
    """Return the name of a graph, or its place among those that were given."""
    return str(graph.graph_data["name"][0]) if "name" in graph.graph_data else str(number)


def as_starts(start: Any, graphs: Graph, problem: str, *, many: bool) -> Starts:
    """Return starts that were given as labels of nodes, or as solutions.

    Args:
        start: labels or a `Solution`; for many graphs a list of these, in which None is for a graph without a start.
        graphs: that they are of.
        problem: its name; solutions of another one are refused.
        many: whether a list is wanted.

    Raises:
        InputError: for another number of starts than graphs, and for labels that are no nodes of their graph.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]])
        >>> as_starts([2, 0], path, "mis", many=False).sets[0].tolist()
        [True, False, True]
    """
    each = start if many else [start]
    if not isinstance(each, Sequence) or isinstance(each, str):
        raise InputError(f"start must be a list with the nodes of each graph, it is {start!r:.40}")
    if len(each) != graphs.num_graphs:
        raise InputError(f"there are {len(each)} starts for {graphs.num_graphs} graphs")
    solutions = [one for one in each if isinstance(one, Solution)]
    for other in (one.problem for one in solutions if one.problem != problem):
        raise InputError(f"the start is a solution of {other}, not of {problem}")
    sets = [
        None if one is None else _as_set(graphs[number], number, one.nodes if isinstance(one, Solution) else one)
        for number, one in enumerate(each)
    ]
    return Starts(sets, max((one.seed for one in solutions), default=None))


def _as_set(graph: Graph, number: int, nodes: Any) -> NDArray[np.bool_]:
    """Return which nodes have the labels that are given, [num_nodes]."""
    origin = f"graph {graph_name(graph, number)}"
    if isinstance(nodes, str) or not isinstance(nodes, Iterable):
        raise InputError(f"start must be labels of nodes, it is {nodes!r:.40}", origin=origin)
    labels = as_numpy(nodes).tolist() if hasattr(nodes, "dtype") else list(nodes)
    if any(isinstance(each, bool) for each in labels) and graph.labels.dtype != np.bool_:
        raise InputError("start must be labels of nodes, not which of them are chosen", origin=origin)
    chosen = np.zeros(graph.num_nodes, dtype=np.bool_)
    number_of = _Numbers(graph)
    for label in labels:
        try:
            chosen[number_of[label]] = True
        except KeyError:
            raise InputError(number_of.complaint(label), origin=origin) from None
    return chosen


class _Numbers:
    """Numbers of the nodes of a graph by their labels, and where asked for by these as text."""

    def __init__(self, graph: Graph, *, as_text: bool = False) -> None:
        self._labels = graph.labels.tolist()
        self._number = {label: node for node, label in enumerate(self._labels)}
        self._by_text = {str(label): node for node, label in enumerate(self._labels)} if as_text else {}

    def __getitem__(self, label: Any) -> int:
        """Return a number; lists, as JSON has them, are tuples."""
        label = tuple(label) if isinstance(label, list) else label
        try:
            return self._number[label]
        except (KeyError, TypeError):
            return self._by_text[str(label)]

    def complaint(self, label: Any) -> str:
        """Say that there is no such node, and which is meant perhaps."""
        close = get_close_matches(str(label), map(str, self._labels), 1)
        return f"the start has {label!r:.40}, which is no node" + (f"; did you mean {close[0]}?" if close else "")


def read_starts(path: Path, graphs: Graph, problem: str) -> Starts:
    """Read starts from a file: what ``annealco solve --json`` prints, lists of labels as JSON, or a label per line.

    Lines of ``--json`` are of the graph that they name; of several for one graph the last counts. A single one is of a
    single graph, whatever it is called. Lists are of the graphs in their order. Labels may be written as text.

    Args:
        path: of the file.
        graphs: that the starts are of.
        problem: its name; starts of another one are refused.

    Raises:
        GraphFileError: naming file, line and rule.
    """
    text = _text_of(path)
    sets: list[NDArray[np.bool_] | None] = [None] * graphs.num_graphs
    names = graphs.graph_data.get("name", np.arange(graphs.num_graphs)).tolist()
    places = {str(name): number for number, name in enumerate(names)}
    rows, seeds = list(_rows_of(path, text)), []
    for number, (line, row) in enumerate(rows):
        place, nodes = number, row
        if isinstance(row, dict):
            nodes = row.get("nodes")
            seeds += _checked_seed(path, line, row, problem)
            # A single graph may be called by another name by now.
            if "graph" in row and len(rows) + graphs.num_graphs > 2:
                place = _place_of(path, line, row["graph"], places)
        if not isinstance(nodes, list):
            raise GraphFileError(path, "a start must have a list of nodes", line=line)
        if place >= graphs.num_graphs:
            raise GraphFileError(path, f"it has {len(rows)} starts for {graphs.num_graphs} graphs", line=line)
        sets[place] = _read_set(path, line, graphs[place], nodes)
    return Starts(sets, max(seeds, default=None))


def _text_of(path: Path) -> str:
    with file_errors(path, "read"):
        check_regular(path, MAX_BYTES)
        text = read_text(path).content.decode() if path.stat().st_size else ""
    if not text.strip():
        raise GraphFileError(path, "the file is empty; write [] for the empty set")
    return text


@dataclass(frozen=True)
class NamedStarts:
    """Sets to begin with in a stream of graphs, which are not known before they come: each is found by its name.

    Attributes:
        nodes: labels by the name of the graph; under None those of the only graph, whatever it is called.
        seed: the largest that the sets were found with, None where it is not known.
        path: of the file that they were read from, None where a program gave them.
        lines: where nodes stand in the file, by the name of the graph.
    """

    nodes: Mapping[str | None, Any]
    seed: int | None = None
    path: Path | None = None
    lines: Mapping[str | None, int | None] = field(default_factory=dict)

    @property
    def is_for_one(self) -> bool:
        """Whether there is one start, which names no graph."""
        return None in self.nodes

    @cached_property
    def digest(self) -> str:
        """What tells these starts from others."""
        rows = sorted(
            ([name or "", [plain_label(each) for each in nodes]] for name, nodes in self.nodes.items()), key=str
        )
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]

    def has(self, name: str) -> bool:
        """Tell whether a graph of this name has a start."""
        return self.is_for_one or name in self.nodes

    def part(self, names: Iterable[str]) -> NamedStarts:
        """Return the starts of these graphs."""
        kept = {name: self.nodes[name] for name in (None, *names) if name in self.nodes}
        return replace(self, nodes=kept)

    def of(self, graph: Graph) -> NDArray[np.bool_] | None:
        """Return the start of a graph [num_nodes], or None where it has none.

        Raises:
            InputError: for a label that is no node of the graph.
        """
        if not self.has(graph_name(graph, 0)):
            return None
        name = None if self.is_for_one else graph_name(graph, 0)
        if self.path is None:
            return _as_set(graph, 0, self.nodes[name])
        return _read_set(self.path, self.lines[name], graph, self.nodes[name])

    def check_number(self, num_graphs: int) -> None:
        """Raise where there are several graphs for a start that names none."""
        if self.is_for_one and num_graphs > 1:
            rule = f"a start that names no graph is for one, these are {num_graphs}; give lines of --json"
            raise InputError(rule) if self.path is None else GraphFileError(self.path, rule)


def named_starts(start: Any, problem: str) -> NamedStarts:
    """Return the starts of a stream.

    Args:
        start: a file as `read_starts` takes it, a `Solution` or a list of these, which name their graphs, labels of
            nodes or solutions by the names of graphs, or labels of nodes for a single graph.
        problem: its name; starts of another one are refused.

    Raises:
        InputError: for what is no start, and as `read_starts`.

    Example:
        >>> path = Graph.from_edges([[0, 1], [1, 2]], graph_data={"name": ["road"]})
        >>> named_starts({"road": [2, 0]}, "mis").of(path).tolist()
        [True, False, True]
    """
    if isinstance(start, str | PathLike):
        return _named_in_file(Path(start), problem)
    each = [start] if isinstance(start, Solution) else start
    if isinstance(each, list | tuple) and each and all(isinstance(one, Solution) for one in each):
        each = {one.graph: one for one in each}
    given: dict[str | None, Any] = dict(each) if isinstance(each, Mapping) else {None: each}
    solutions = [one for one in given.values() if isinstance(one, Solution)]
    for other in (one.problem for one in solutions if one.problem != problem):
        raise InputError(f"the start is a solution of {other}, not of {problem}")
    nodes: dict[str | None, list[Any]] = {}
    for name, one in given.items():
        labels = one.nodes if isinstance(one, Solution) else one
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise InputError(f"start must be labels of nodes, or these by names of graphs, it is {labels!r:.40}")
        nodes[name] = as_numpy(labels).tolist() if hasattr(labels, "dtype") else list(labels)
    return NamedStarts(nodes, max((one.seed for one in solutions), default=None))


def _named_in_file(path: Path, problem: str) -> NamedStarts:
    """Read starts whose graphs are not there yet; lists without names are of a single graph."""
    rows, seeds = list(_rows_of(path, _text_of(path))), []
    nodes: dict[str | None, Any] = {}
    lines: dict[str | None, int | None] = {}
    for line, row in rows:
        name, own = None, row
        if isinstance(row, dict):
            own, name = row.get("nodes"), str(row["graph"]) if "graph" in row else None
            seeds += _checked_seed(path, line, row, problem)
        if not isinstance(own, list):
            raise GraphFileError(path, "a start must have a list of nodes", line=line)
        if name is None and len(rows) > 1:
            raise GraphFileError(path, f"of {len(rows)} starts in a stream each must name its graph", line=line)
        nodes[name], lines[name] = own, line
    return NamedStarts(nodes, max(seeds, default=None), path, lines)


def _checked_seed(path: Path, line: int | None, row: dict[str, Any], problem: str) -> list[int]:
    """Return the seed of a row, if it has one, which must be of the problem."""
    if row.get("problem", problem) != problem:
        raise GraphFileError(path, f"the start is of {row['problem']!r:.40}, not of {problem}", line=line)
    if "seed" not in row:
        return []
    if type(row["seed"]) is not int or row["seed"] < 0:
        raise GraphFileError(path, f"the seed must be a whole number from 0, it is {row['seed']!r:.40}", line=line)
    return [row["seed"]]


def _place_of(path: Path, line: int | None, name: object, places: dict[str, int]) -> int:
    """Return the number of the graph of a name."""
    if str(name) in places:
        return places[str(name)]
    close = get_close_matches(str(name), places, 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise GraphFileError(path, f"no graph is called {name!r:.40}{hint}", line=line)


class _Lines(list[str]):
    """Labels, one per line; lines without any are left out."""

    def __init__(self, text: str) -> None:
        lines = [(number, each.strip()) for number, each in enumerate(text.splitlines(), 1) if each.strip()]
        super().__init__(each for _, each in lines)
        self.numbers = [number for number, _ in lines]


def _rows_of(path: Path, text: str) -> Iterator[tuple[int | None, Any]]:
    """Yield objects with nodes, or lists of nodes, and the lines that they are in where each has its own."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        if not text.lstrip().startswith(("{", "[")):
            yield None, _Lines(text)
            return
        for line, each in enumerate(text.splitlines(), 1):
            if each.strip():
                yield line, _read_line(path, line, each)
        return
    if isinstance(whole, list) and whole and all(isinstance(each, list | dict) for each in whole):
        yield from ((None, each) for each in whole)
    elif isinstance(whole, list | dict):
        yield None, whole
    else:
        yield None, _Lines(text)


def _read_line(path: Path, line: int, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        said = getattr(error, "msg", "it is nested too deeply")
        raise GraphFileError(path, f"this is no JSON: {said}", line=line) from None


def _read_set(path: Path, line: int | None, graph: Graph, nodes: list[Any]) -> NDArray[np.bool_]:
    chosen, number_of = np.zeros(graph.num_nodes, dtype=np.bool_), _Numbers(graph, as_text=True)
    for place, label in enumerate(nodes):
        try:
            chosen[number_of[label]] = True
        except KeyError:
            where = nodes.numbers[place] if isinstance(nodes, _Lines) else line
            raise GraphFileError(path, number_of.complaint(label), line=where) from None
    return chosen
