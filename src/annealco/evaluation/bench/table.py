"""Sum up the rows of a comparison: one line per method, with the cell of the paper's table beside it (`PaperCell`).

Ratios are obtained / reference or, for what is minimised, reference / obtained. The reference is the planted optimum or
the stored one; where there is none, the best of the methods compared, which is the optimum where one of them proves it
or a proven bound meets it.

Cells of the paper for cuts are cut / volume, the mean and deviation over seed nodes. Cells that cannot be right have an
``erratum``. The rows of others for cuts are those of Karalias and Loukas (2020), measured on other machines.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from annealco.evaluation.bench.comparison import Bench
from annealco.evaluation.bench.rows import Row
from annealco.evaluation.bench.tasks import ratio
from annealco.problems import PROBLEMS
from annealco.solving.solution import is_reached

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
    return [line.method, str(line.graphs), *figures, f"{line.wall:.4f}", f"{line.cpu:.4f}", _paper(line.paper)]


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
        f"limit: {budget}{bench.seconds:g} {kind} s a graph, {bench.threads} thread(s), seed {bench.seed}, for every "
        "method that knows a limit",
    ]
    if len({line.graphs for line in lines}) > 1:
        found.append("not all methods were run on all graphs yet: lines cannot be compared")
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
