"""Compare methods (`bench`), and sum up the rows: one line per method, beside the paper's table (`PaperCell`).

Ratios are obtained / reference or, for what is minimised, reference / obtained. The reference is the planted optimum or
the stored one; where there is none, the best of the methods compared, which is the optimum where one of them proves it
or a proven bound meets it.

Cells of the paper for cuts are cut / volume, the mean and deviation over seed nodes. Cells that cannot be right have an
``erratum``. The rows of others for cuts are those of Karalias and Loukas (2020), measured on other machines.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from os import PathLike, fspath
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from annealco.errors import InputError
from annealco.evaluation.bench.comparison import (
    Bench,
    Cluster,
    Comparison,
    Spread,
    bench_on,
    rows_of,
    run_here,
)
from annealco.evaluation.bench.entries import parse_entries
from annealco.evaluation.bench.rows import FILES, Row
from annealco.evaluation.bench.tasks import ratio
from annealco.graph.construction import WEIGHT, Names
from annealco.problems import PROBLEMS, Problem, find_problem
from annealco.solving.solution import is_reached
from annealco.solving.solve import read_source
from annealco.terminal import watched

BEST_OF_ALL = "best of these methods"
PROVEN_HERE = "proven by these methods"
PROVEN = frozenset({"optimum", "planted optimum"})

CUT = "cut / volume"


@dataclass(frozen=True)
class Line:
    """What a method did on all graphs that it was run on.

    Attributes:
        method: its label.
        graphs: how many rows it has.
        ratio: mean ratio to the references; no feasible set counts as 0.
        ratio_std: its deviation over graphs.
        best: share of the graphs where the reference is reached.
        feasible: share of the graphs with a feasible set.
        conductance: mean cut / volume for cuts, feasible or not: over graphs, then over seed nodes.
        conductance_std: its deviation over seed nodes.
        wall: mean seconds of solving.
        cpu: mean CPU seconds of the whole call.
        paper: the paper's cell, or None.
    """

    method: str
    graphs: int
    ratio: float
    ratio_std: float
    best: float
    feasible: float
    conductance: float | None
    conductance_std: float | None
    wall: float
    cpu: float
    paper: PaperCell | None

    def as_json(self) -> dict[str, Any]:
        """Return what a line of JSON holds."""
        return {**asdict(self), "paper": None if self.paper is None else self.paper._asdict()}


def bench(
    problem: str | Problem,
    graphs: Any,
    methods: str | Sequence[str],
    *,
    time_limit: float = 1.0,
    moves: int | None = None,
    limit: int | None = None,
    every: int = 1,
    seed: int = 0,
    threads: int = 1,
    model: str | None = None,
    restarts: int | None = None,
    steps: int | None = None,
    decode_order: str | None = None,
    data_root: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
    ray: str | None = None,
    progress: bool = False,
    node_weight: Any = WEIGHT,
    edge_weight: Any = WEIGHT,
    ends: tuple[Any, Any] | None = None,
    nodes: Any = None,
    **options: Any,
) -> list[Row]:
    """Run methods on graphs, and return a row for each graph and method, which `pandas.DataFrame` takes as they are.

    Args:
        problem: a name in `PROBLEMS`, a place, or a problem of your own.
        graphs: a file, a folder or a pattern of files, or a list of these; the name of a set, for its test graphs; or
            graphs in any container that `as_graph` takes.
        methods: names of ``annealco list methods`` or places, as a list or with commas between; own networks as
            ``annealed=DIR``.
        time_limit: seconds per graph, for methods with a limit.
        moves: instead of seconds, where a method counts them: repeatable.
        limit: use only the first N graphs.
        every: use every N-th graph.
        seed: of all random choices.
        threads: per method.
        model: the network of names without one, a folder, or the class of your own networks.
        restarts: proposals of networks per graph.
        steps: of recurrent networks.
        decode_order: in which what networks propose is decoded, as in `solve`; by default that of the method.
        data_root: folder with the real sets, by default ``ANNEALCO_DATA``.
        out: a folder for the rows, from which the same call goes on, and which ``annealco report`` reads; by default
            nothing is written.
        ray: the address of a Ray cluster, or ``local``.
        progress: whether to show a bar where stderr is a terminal.
        node_weight: attribute or column that the node weights are read from, as in `solve`; None ignores weights.
        edge_weight: the same of the edges.
        ends: the two columns of a DataFrame or a CSV file that hold the ends of edges.
        nodes: a table of the nodes, as in `solve`.
        **options: of the problem; nodes by the user's labels.

    Returns:
        Rows with ``method``, ``value``, ``bound``, ``wall``, ``cpu`` and more. ``name`` is that of the graph,
        ``reference`` the planted or stored optimum or the best of these methods, ``reference_kind`` which, and whether
        a method or a bound proves it; ``ratio`` is how near the value comes to it, 0 without a feasible set.

    Raises:
        InputError: for bad arguments and graphs, and for methods that cannot take the problem.

    Example:
        >>> import networkx
        >>> rows = bench("mis", networkx.path_graph(3), "greedy,search", moves=50)
        >>> [(row["name"], row["method"], row["value"], row["ratio"]) for row in rows]
        [('graph', 'greedy', 2.0, 1.0), ('graph', 'search', 2.0, 1.0)]
    """
    chosen = comparison_of(
        problem,
        graphs,
        methods,
        time_limit=time_limit,
        moves=moves,
        limit=limit,
        every=every,
        seed=seed,
        threads=threads,
        model=model,
        restarts=restarts,
        steps=steps,
        decode_order=decode_order,
        data_root=data_root,
        names=Names(node_weight, edge_weight, ends, nodes),
        options=options,
    )
    spread = run_here if ray is None else Cluster(ray, threads=threads)
    if out is None:
        found = _rows_in_memory(chosen, spread, progress=progress)
    else:
        run = Comparison(chosen, out)
        deque(_watched(run.rows(spread), len(run.missing), progress=progress), maxlen=0)
        found = rows_of(chosen, out)
    order = [entry.label for entry in chosen.entries]
    rows = sorted(with_references(chosen, found), key=lambda row: (row["case"], order.index(row["method"])))
    own = chosen.cases.graphs.graph_data.get("name") if chosen.data.startswith(FILES) else None
    return rows if own is None else [{"name": str(own[row["case"]]), **row} for row in rows]


def comparison_of(
    problem: str | Problem,
    graphs: Any,
    methods: str | Sequence[str],
    *,
    names: Names,
    options: Mapping[str, Any],
    model: str | None,
    restarts: int | None,
    steps: int | None,
    decode_order: str | None,
    time_limit: float,
    **settings: Any,
) -> Bench:
    """Return the comparison that the arguments of `bench`, or those of the command line, ask for."""
    if not isinstance(methods, str) and not (
        isinstance(methods, list | tuple) and all(isinstance(each, str) for each in methods)
    ):
        raise InputError(f"methods must be names, as a list or with commas between, they are {methods!r:.40}")
    listed = methods if isinstance(methods, str) else ",".join(methods)
    usage = {"model": model, "restarts": restarts, "steps": steps, "decode_order": decode_order}
    entries = parse_entries(listed, problem=problem, **usage)
    settings |= {"problem": problem, "entries": tuple(entries), "seconds": time_limit, "options": options}
    given = [graphs] if isinstance(graphs, str | PathLike) else graphs
    if isinstance(given, list | tuple) and given and all(isinstance(each, str | PathLike) for each in given):
        return bench_on([fspath(each) for each in given], names=names, **settings)
    read = read_source(graphs, find_problem(problem), **names.given)
    return Bench(data=f"{FILES}graphs", graphs=read, **settings)


def _rows_in_memory(chosen: Bench, spread: Spread, *, progress: bool) -> list[Row]:
    cases = chosen.cases
    if len(cases):
        chosen.check(cases[0])
    keys = chosen.keys(len(cases), cases.sources)
    return list(_watched(spread(chosen.tasks(cases, keys)), len(keys), progress=progress))


def _watched(rows: Iterable[Row], total: int, *, progress: bool) -> Iterable[Row]:
    return watched(rows, "comparing", total=total) if progress else rows


def with_references(bench: Bench, rows: list[Row]) -> list[Row]:
    """Return the rows with references and ratios; where none is known, the best of the methods here is taken."""
    problem = bench.chosen
    choose = max if problem.sense == "max" else min
    values: dict[int, list[float]] = {}
    bounds: dict[int, list[float]] = {}
    for row in rows:
        if row["value"] is not None:
            values.setdefault(row["case"], []).append(row["value"])
        proof = row["value"] if row.get("proven") else row.get("bound")
        if proof is not None:
            bounds.setdefault(row["case"], []).append(proof)
    found = []
    for row in rows:
        reference, kind = row["reference"], row["reference_kind"]
        best = choose(values[row["case"]]) if row["case"] in values else None
        # What is better than the best known so far is the best known from now on.
        if best is not None and kind not in PROVEN and (reference is None or choose(best, reference) != reference):
            is_proven = any(is_reached(best, bound) for bound in bounds.get(row["case"], ()))
            reference, kind = best, PROVEN_HERE if is_proven else BEST_OF_ALL
        known = 0.0 if reference is None else ratio(problem, row["value"], reference)
        found.append({**row, "reference": reference, "reference_kind": kind, "ratio": known})
    return found


def at_reference(row: Row) -> bool:
    """Tell whether a row that `with_references` returned has a set as good as its reference, or a better one."""
    if row["value"] is None or row["reference"] is None:
        return False
    return row["ratio"] > 1 or is_reached(row["value"], row["reference"])


def summarise(bench: Bench, rows: list[Row]) -> list[Line]:
    """Return a line for each entry that has rows, in the order of the entries."""
    complete = with_references(bench, rows)
    lines = []
    for entry in bench.entries:
        own = [row for row in complete if row["method"] == entry.label]
        if own:
            # Published figures of a quotient stand in the table of its numerator, whose networks it takes.
            name = bench.chosen.learned_as if bench.chosen.name in PROBLEMS.own and bench.is_published else ""
            lines.append(_line(entry.label, own, paper_cell(name, bench.data, entry.name, limit=bench.seconds)))
    return lines


def _line(label: str, rows: list[Row], cell: PaperCell | None) -> Line:
    ratios = [row["ratio"] for row in rows]
    mean, deviation = by_seed(rows)
    return Line(
        method=label,
        graphs=len(rows),
        ratio=fmean(ratios),
        ratio_std=pstdev(ratios),
        best=fmean(at_reference(row) for row in rows),
        feasible=fmean(row["feasible"] for row in rows),
        conductance=mean,
        conductance_std=deviation,
        wall=fmean(row["wall"] for row in rows),
        cpu=fmean(row["cpu"] for row in rows),
        paper=cell,
    )


def by_seed(rows: list[Row]) -> tuple[float | None, float | None]:
    """Return mean and deviation over seed nodes of the conductance averaged over graphs; None where there is none.

    The first instance of every graph is one seed, the second the next, and so on: the paper's protocol.
    """
    # Where the instances were run again with other random choices, each run has its first instance.
    seen: Counter[tuple[int, int | None]] = Counter()
    seeds: dict[int, list[float]] = {}
    for row in sorted(rows, key=lambda each: each["case"]):
        place = row["graph"], row.get("seed")
        number = seen[place]
        seen[place] += 1
        if row.get("conductance") is not None:
            seeds.setdefault(number, []).append(row["conductance"])
    if not seeds:
        return None, None
    means = [fmean(values) for values in seeds.values()]
    return fmean(means), pstdev(means)


def as_cells(line: Line, headings: list[str]) -> list[str]:
    """Return a line as the cells of a table with these headings, which are those of `columns`."""
    figures = [f"{line.ratio:.4f} ± {line.ratio_std:.4f}", f"{line.best:.1%}", f"{line.feasible:.1%}"]
    if CUT in headings:
        # A method without any set has no cut.
        figures.append("-" if line.conductance is None else f"{line.conductance:.3f} ± {line.conductance_std:.3f}")
    return [line.method, str(line.graphs), *figures, _seconds(line.wall), _seconds(line.cpu), _paper(line.paper)]


def _seconds(value: float) -> str:
    """Return seconds in at most six characters below 1,000: nobody asks for tenths of milliseconds of a minute."""
    return f"{value:.4f}" if value < 10 else f"{value:.2f}"


def columns(lines: list[Line]) -> list[str]:
    """Return the headings."""
    conductance = [CUT] if any(line.conductance is not None for line in lines) else []
    return ["method", "graphs", "ratio", "at reference", "feasible", *conductance, "wall s", "CPU s", "paper"]


def _paper(cell: PaperCell | None) -> str:
    if cell is None:
        return "-"
    return f"{cell.mean:.3f} ± {cell.std:.3f} in {cell.seconds:g} s{'*' * bool(cell.erratum)}"


def notes(bench: Bench, rows: list[Row], lines: list[Line]) -> list[str]:
    """Say what the table compares with, and under which limits."""
    kinds = Counter({row["case"]: row["reference_kind"] for row in with_references(bench, rows)}.values())
    compared = ", ".join(f"{kind or 'none'} ({count})" for kind, count in sorted(kinds.items(), key=str))
    budget = f"{bench.moves} moves where they are counted, else " if bench.moves is not None else ""
    # Limits are stretched where others use the processor too, as long as it is one.
    kind = "CPU" if bench.threads == 1 else "wall-clock"
    found = [
        f"references by graph: {compared}",
        f"limit, for methods that have one: {budget}{bench.seconds:g} {kind} s per graph; threads: {bench.threads}; "
        f"seed: {bench.seed}",
    ]
    if len({line.graphs for line in lines}) > 1:
        found.append("not all methods were run on all graphs: only lines of as many graphs can be compared")
    # Where there is a set, its column of feasibility says enough.
    found += sorted({row["note"] for row in rows if row["value"] is None and row.get("volume") is None} - {""})[:3]
    found += [
        f"* the paper's {line.method}: {line.paper.erratum}" for line in lines if line.paper and line.paper.erratum
    ]
    return found


ALIASES = {"sf295-subset": "sf295"}
"""Sets that stand for one of the paper's."""


class PaperCell(NamedTuple):
    """A cell of a table.

    Attributes:
        problem: a key of ``PROBLEMS``.
        data: a key of ``DATASETS``.
        method: the name here; exact solvers with their seconds behind ``@``.
        mean: of the ratio, or of the conductance.
        std: its deviation.
        seconds: a graph.
        erratum: why the cell cannot be right, or nothing.
    """

    problem: str
    data: str
    method: str
    mean: float
    std: float
    seconds: float
    erratum: str = ""


@cache
def paper_cells() -> tuple[PaperCell, ...]:
    """Read all cells."""
    text = (files("annealco.evaluation") / "paper_tables.json").read_text(encoding="utf-8")
    return tuple(PaperCell(**row) for row in json.loads(text))


def paper_cell(problem: str, data: str, method: str, *, limit: float) -> PaperCell | None:
    """Return the cell of a method, of an exact solver with the same limit, or None.

    Example:
        >>> paper_cell("mis", "rb-small", "greedy_fixed", limit=1.0).mean
        0.761
    """
    named = {(cell.problem, cell.data, cell.method): cell for cell in paper_cells()}
    data = ALIASES.get(data, data)
    return named.get((problem, data, method)) or named.get((problem, data, f"{method}@{limit:g}"))
