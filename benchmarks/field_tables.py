"""Measure the networks of the package on the sets that later papers use, beside the figures that they publish.

    python benchmarks/field_tables.py                              # all cells, hours of one core
    python benchmarks/field_tables.py --graphs 10                  # the first graphs of each
    python benchmarks/field_tables.py --cells "mis rb-small-unforced" --kinds network
    python benchmarks/field_tables.py --table                      # print from the rows so far, run nothing

A cell is a problem and a set, whose test graphs are solved in three ways: by the network alone, which is decoded and
not searched, by search alone, and by search from a proposal of the network, the last two for the CPU time of the cell.
Budgets of the networks follow from validation graphs (`model_ablation.py`). Every graph has a row in --out, and a run
goes on where it was killed, ten graphs of all cells before the next ten. Published figures are means over the graphs of
others, drawn from the same families: absolute sizes differ from ours by what the draws differ, so the ratio to the best
known value of each graph stands beside. Graphs with weights on their nodes are sets of the package, of which nobody
publishes figures.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from json_lines import Row, append, read_lines
from model_ablation import weights_of

import annealco
from annealco.datasets import load_dataset
from annealco.evaluation.processor_share import run_for_cpu
from annealco.evaluation.references import load_references
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models.compiled_field import CompiledModel, load_compiled
from annealco.models.pretrained import shipped_folder
from annealco.problems import PROBLEMS

RESULTS = Path(__file__).parent / "results" / "field_tables.jsonl"
KINDS = NETWORK, SEARCH, BOTH = "network", "search", "both"
TOGETHER = 10
"""So many graphs of every cell are measured before the next."""


class Budget(NamedTuple):
    """What a network alone is given."""

    restarts: int
    steps: int
    round_steps: int
    fresh: float


SHORT = Budget(restarts=8, steps=128, round_steps=16, fresh=0.3)
SMALL = Budget(restarts=8, steps=1024, round_steps=16, fresh=0.3)
LONG = Budget(restarts=1, steps=7168, round_steps=16, fresh=0.15)
LARGE = Budget(restarts=8, steps=2048, round_steps=16, fresh=0.15)
COVERS = Budget(restarts=8, steps=1536, round_steps=8, fresh=0.3)
LARGE_COVERS = Budget(restarts=8, steps=4096, round_steps=8, fresh=0.3)
CUTS = Budget(restarts=8, steps=4096, round_steps=16, fresh=0.5)
LARGE_CUTS = Budget(restarts=8, steps=8192, round_steps=16, fresh=0.5)
"""Half a second or less on small graphs, five or less on large ones."""


class Cell(NamedTuple):
    """A problem and a set.

    Attributes:
        problem: what is solved.
        data: test graphs of this set.
        graphs: at most so many.
        budget: of the network alone.
        seconds: CPU seconds of search alone and of both.
        learned: best published figure of a learned method, where there is one.
        other: published figure of a solver, likewise.
        goal: least ratio of the network alone to the best known value that we aim at.
    """

    problem: str
    data: str
    graphs: int
    budget: Budget
    seconds: float
    learned: str = ""
    other: str = ""
    goal: float | None = None

    @property
    def name(self) -> str:
        """Tell cells apart."""
        return f"{self.problem} {self.data}"


ER_SET, ER_NODES, ER_PROBABILITY, ER_SEED = "er-700-800", (700, 800), 0.15, 7_000
"""Erdős–Rényi graphs as difference-based solvers draw them; they are no set of the package."""

PLANTED = {("mis", "rb-small"), ("mis", "rb-large")}
"""Cells whose optimum was hidden in the graphs."""

CELLS = (
    Cell("mis", "rb-small", 100, SHORT, 0.05, "0.898 (0.165 s GPU)", "", 0.98),
    Cell("mis", "rb-large", 20, LONG, 2.0, "0.848 (2.0 s GPU)", "", 0.95),
    Cell("mis", "rb-small-unforced", 100, SMALL, 0.5, "20.05", "KaMIS 20.10", 0.999),
    Cell("mis", "rb-large-unforced", 20, LARGE, 5.0, "42.1", "KaMIS 43.15", 0.985),
    Cell("clique", "rb-small-unforced", 100, SMALL, 0.5, "19.08", "", 0.999),
    Cell("clique", "rb-large-unforced", 20, LARGE, 5.0, "40.2", "FLD 40.63", 0.99),
    Cell("mds", "ba-small", 100, COVERS, 0.5, "27.90", "Gurobi 27.84", 0.999),
    Cell("mds", "ba-large", 20, LARGE_COVERS, 5.0, "103.84", "Gurobi 103.8", 0.998),
    Cell("max_cut", "ba-small", 100, CUTS, 0.5, "734.6", "Gurobi 732.5", 0.999),
    Cell("max_cut", "ba-large", 20, LARGE_CUTS, 5.0, "2,979", "Gurobi 2,944", 0.999),
    Cell("mis", ER_SET, 20, LARGE, 5.0, "43 to 44", "KaMIS 44.87", 1.0),
    Cell("mis", "rb-small-weighted", 100, SMALL, 0.5),
    Cell("mis", "rb-large-weighted", 20, LARGE, 5.0),
    Cell("clique", "rb-small-complement-weighted", 100, SMALL, 0.5),
    Cell("mds", "ba-small-weighted", 100, COVERS, 0.5),
    Cell("mds", "ba-large-weighted", 20, LARGE_COVERS, 5.0),
)


def main() -> None:
    """Run the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default=",".join(cell.name for cell in CELLS), help="separated by commas")
    parser.add_argument("--kinds", default=",".join(KINDS), help="separated by commas")
    parser.add_argument("--graphs", type=int, help="at most so many of each cell")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    cells, kinds = given.cells.split(","), given.kinds.split(",")
    for what, named, known in (("cells", cells, [cell.name for cell in CELLS]), ("kinds", kinds, KINDS)):
        if unknown := set(named) - set(known):
            parser.error(f"unknown {what}: {', '.join(sorted(unknown))}; choose from {', '.join(known)}")
    if not given.table:
        chosen = [cell for cell in CELLS if cell.name in cells and has_network(cell)]
        for row in measure(chosen, kinds, read_lines(given.out), most=given.graphs):
            append(given.out, row)
            print(row, flush=True)
    print(table(read_lines(given.out)))


def has_network(cell: Cell) -> bool:
    """Tell whether the package has a network for a cell."""
    try:
        shipped_folder(*PROBLEMS[cell.problem].learned_from)
    except annealco.InputError:
        return False
    return True


def measure(cells: list[Cell], kinds: list[str], rows: list[Row], *, most: int | None = None) -> Iterator[Row]:
    """Yield the rows that are missing, ten graphs of every cell and kind at a time."""
    counts = {cell: min(cell.graphs, most or cell.graphs) for cell in cells}
    for first in range(0, max(counts.values(), default=0), TOGETHER):
        for cell in cells:
            numbers = range(first, min(first + TOGETHER, counts[cell]))
            done = {(row["kind"], row["graph"]) for row in rows if is_of(row, cell, row["kind"])}
            missing = [(kind, number) for kind in kinds for number in numbers if (kind, number) not in done]
            graphs = list(test_graphs(cell.data, counts[cell])) if missing else []
            for kind, number in missing:
                value, seconds = solved(cell, kind, graphs[number], seed=number)
                told = {"graph": number, "value": value, "cpu": round(seconds, 4)}
                yield {"cell": cell.name, "kind": kind, **identity(cell, kind), **told}


def test_graphs(name: str, count: int) -> Graph:
    """Return the first test graphs of a set."""
    if name != ER_SET:
        return load_dataset(name, "test", count=count)
    drawn = []
    for number in range(count):
        rng = np.random.default_rng([ER_SEED, number])
        size = int(rng.integers(*ER_NODES, endpoint=True))
        drawn.append(erdos_renyi(rng, num_nodes=size, edge_probability=ER_PROBABILITY))
    return Graph.batch(drawn)


def solved(cell: Cell, kind: str, graph: Graph, *, seed: int) -> tuple[float, float]:
    """Return the value of a graph's set, scored anew, and CPU seconds."""
    common: dict[str, Any] = {"bound": False, "num_threads": 1, "seed": seed}
    if kind == NETWORK:
        budget = cell.budget
        model = network(cell).with_settings(num_steps=budget.steps, round_steps=budget.round_steps, fresh=budget.fresh)
        begun = time.process_time()
        found = annealco.solve(
            graph, cell.problem, model=model, restarts=budget.restarts, polish=False, time_limit=1e6, **common
        )
        return found.value, time.process_time() - begun
    model = network(cell) if kind == BOTH else "none"
    found, seconds, _ = run_for_cpu(
        lambda limit: annealco.solve(graph, cell.problem, model=model, time_limit=limit, **common), cell.seconds
    )
    return found.value, seconds


def network(cell: Cell) -> CompiledModel:
    """Return the network of the package for a cell."""
    found = load_compiled(shipped_folder(*PROBLEMS[cell.problem].learned_from))
    assert found is not None
    return found


def identity(cell: Cell, kind: str) -> Row:
    """Return what a row depends on beside its graph."""
    if kind == SEARCH:
        return {"seconds": cell.seconds}
    told: Row = {"network": weights_of(cell.problem)}
    return {**told, **cell.budget._asdict()} if kind == NETWORK else {**told, "seconds": cell.seconds}


def is_of(row: Row, cell: Cell, kind: str) -> bool:
    """Tell whether a row is of a cell as it is measured now."""
    if (row["cell"], row["kind"]) != (cell.name, kind) or (kind != SEARCH and not has_network(cell)):
        return False
    return all(row.get(key) == value for key, value in identity(cell, kind).items())


def table(rows: list[Row]) -> str:
    """Return Markdown: mean size, ratio to the best known values and CPU seconds of each way, beside published ones."""
    titles = ["problem", "set", "graphs", "best known", "published, learned", "published, other"]
    titles += ["network alone", "goal", "search alone", "both"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for cell in CELLS:
        found = {kind: {row["graph"]: row for row in rows if is_of(row, cell, kind)} for kind in KINDS}
        numbers = sorted(set.intersection(*(set(each) for each in found.values())))
        if not numbers:
            continue
        best = best_known(cell, rows, numbers)
        shown = [_shown(cell, [found[kind][number] for number in numbers], best) for kind in KINDS]
        head = [
            cell.problem,
            cell.data,
            str(len(numbers)),
            f"{fmean(best):,.2f}",
            cell.learned or "-",
            cell.other or "-",
        ]
        goal = "-" if cell.goal is None else f"≥ {cell.goal}"
        lines.append(f"| {' | '.join([*head, shown[0], goal, *shown[1:]])} |")
    return "\n".join(lines)


def best_known(cell: Cell, rows: list[Row], numbers: list[int]) -> list[float]:
    """Return the best known value of graphs: the reference of the package, or the best of all rows."""
    better = max if PROBLEMS[cell.problem].sense == "max" else min
    known = references(cell, max(numbers) + 1)
    found = []
    for number in numbers:
        values = [row["value"] for row in rows if (row["cell"], row["graph"]) == (cell.name, number)]
        found.append(better([*values, known[number]] if number in known else values))
    return found


def references(cell: Cell, count: int) -> dict[int, float]:
    """Return the best known values of the first graphs: of the package, planted ones, or none."""
    if cell.data == ER_SET:
        return {}
    if (cell.problem, cell.data) in PLANTED:
        return dict(enumerate(test_graphs(cell.data, count).graph_data["planted_size"].astype(float).tolist()))
    return {number: each.value for number, each in load_references(cell.data, cell.problem).items()}


def _shown(cell: Cell, rows: list[Row], best: list[float]) -> str:
    values = [row["value"] for row in rows]
    pairs = zip(values, best, strict=True)
    ratios = [value / known if PROBLEMS[cell.problem].sense == "max" else known / value for value, known in pairs]
    return f"{fmean(values):,.2f}, {fmean(ratios):.4f} ({fmean(row['cpu'] for row in rows):.3g} s)"


if __name__ == "__main__":
    main()
