"""Measure what the networks of the package are worth on test graphs: alone, and in the search.

    python benchmarks/model_quality.py                          # all cells, hours of one core; needs ANNEALCO_DATA
    python benchmarks/model_quality.py --cells "mis rb-small"   # some, separated by commas
    python benchmarks/model_quality.py --table                  # print from the rows so far, run nothing

A cell is a problem and a set, and has four commands of `annealco bench`: the network alone, as it is shipped and with
many proposals and steps, without search; search alone, and search from a proposal of the network, at the time the
paper's method took. The summary that a command prints is a line in --out, with the command. Lines of networks that the
package had before do not count.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

from json_lines import Row, append, read_lines

from annealco.baselines.learned import RESTARTS
from annealco.evaluation.bench.comparison import FILE
from annealco.evaluation.bench.entries import digest
from annealco.evaluation.bench.rows import read_rows
from annealco.evaluation.bench.tasks import ratio
from annealco.models.pretrained import shipped_folder
from annealco.problems import find_problem

RESULTS = Path(__file__).parent / "results" / "model_quality.jsonl"
KINDS = SHIPPED, NETWORK, SEARCH, BOTH = "shipped", "network", "search", "both"
STEPS = 64
"""Of the networks as they are shipped."""


class Cell(NamedTuple):
    """A problem and a set: how many graphs, and what the methods are given.

    Attributes:
        problem: what is solved.
        data: on test graphs of this set.
        limit: so many graphs, or instances of cuts.
        every: the first of every so many.
        seconds: of search alone and of both: what the paper's method took, whose times for cuts are of all seed nodes.
        steps: of the network alone.
        restarts: of the network alone.
        threads: of search alone and of both.
    """

    problem: str
    data: str
    limit: int
    seconds: float
    every: int = 1
    steps: int = 512
    restarts: int = 32
    threads: int = 1

    @property
    def name(self) -> str:
        """What users type."""
        return f"{self.problem} {self.data}"

    @property
    def network(self) -> Path:
        """The folder of the network of the package: that for cuts serves conductance too."""
        return shipped_folder(find_problem(self.problem).learned_as)

    @property
    def commands(self) -> dict[str, str]:
        """The command of each row."""
        base = f"annealco bench {self.problem} --data {self.data} --limit {self.limit}"
        base += f" --every {self.every}" if self.every > 1 else ""
        timed = f"{base} --time-limit {self.seconds:g}"
        timed += f" --threads {self.threads} --methods" if self.threads > 1 else " --methods"
        alone = f"{base} --methods annealed"
        more = f"{alone} --restarts {self.restarts} --steps {self.steps}"
        return {
            # Where the network is given no more than it is shipped with, one row is both.
            SHIPPED: more if (self.restarts, self.steps) == (RESTARTS, STEPS) else alone,
            NETWORK: more,
            SEARCH: f"{timed} search",
            BOTH: f"{timed} annealed+search",
        }


LONG = {"restarts": 8, "steps": 2048}
"""On graphs of a thousand nodes few long runs are better than many (`model_ablation.py`)."""

CUTS = {"restarts": 32, "steps": 256}
"""The best of what 5,880 instances allow for (`cut_networks.py`)."""

CELLS = (
    Cell("mis", "rb-small", 100, 0.165),
    Cell("mis", "rb-large", 20, 2.045, **LONG),
    Cell("mis", "collab", 200, 0.01),
    Cell("mis", "twitter", 196, 0.02),
    Cell("clique", "rb-small-complement", 100, 0.262),
    Cell("clique", "rb-large-complement", 20, 0.594, **LONG, threads=2),
    Cell("clique", "collab", 200, 0.143),
    Cell("clique", "twitter", 196, 0.213),
    Cell("mds", "ba-small", 100, 0.12),
    Cell("mds", "ba-large", 20, 0.453, **LONG),
    Cell("mds", "collab", 200, 0.006),
    Cell("mds", "twitter", 196, 0.016),
    Cell("conductance", "sf295-subset", 200, 0.023, every=34, **CUTS),
    Cell("conductance", "facebook", 28, 2.9, every=50, restarts=RESTARTS, steps=STEPS),
    Cell("conductance", "twitter", 5880, 0.2, **CUTS),
)
"""Budgets of the network alone follow from validation graphs: few long runs on large graphs, many on others.

Facebook, where a graph takes many seconds, has the network as it is shipped.
"""


def main() -> None:
    """Run the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", default=",".join(cell.name for cell in CELLS))
    parser.add_argument("--kinds", default=",".join(KINDS), help="rows of each cell; timed ones want an idle machine")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    parser.add_argument("--runs", type=Path, default=Path("runs/model_quality"), help="rows of single graphs")
    given = parser.parse_args()
    wanted = given.cells.split(",")
    if unknown := set(wanted) - {cell.name for cell in CELLS}:
        parser.error(f"unknown cells: {', '.join(sorted(unknown))}")
    kinds = given.kinds.split(",")
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"unknown kinds: {', '.join(sorted(unknown))}; choose from {', '.join(KINDS)}")
    for cell in CELLS if not given.table else ():
        for kind in kinds if cell.name in wanted else ():
            if not any(is_of(row, cell, kind) for row in read_lines(given.out)):
                append(given.out, run(cell, kind, given.runs))
    print(table(read_lines(given.out)))


def run(cell: Cell, kind: str, runs: Path) -> Row:
    """Run a command and return the summary that it prints."""
    command = cell.commands[kind]
    folder = runs / cell.name.replace(" ", "-")
    program = [sys.executable, "-m", *shlex.split(command), "--json", "--out", str(folder)]
    done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True)
    [line] = [json.loads(each) for each in done.stdout.splitlines()]
    own = [each for each in read_rows(folder / FILE) if each["method"] == line["method"]]
    own = own if kind in {SHIPPED, NETWORK} else [each for each in own if each["limit"] == cell.seconds]
    row = {"cell": cell.name, "kind": kind, "command": command, **line, "to_99": to_99(cell, own)}
    print(row, flush=True)
    return row


def to_99(cell: Cell, rows: list[Row]) -> float | None:
    """Return the median of the CPU seconds in which a search has 99 % of the reference; None where most have less."""
    problem = find_problem(cell.problem)
    times = [
        next(
            (
                at * row["cpu"] / row["wall"]
                for at, value in row["trace"]
                if ratio(problem, value, row["reference"]) >= 0.99
            ),
            math.inf,
        )
        for row in rows
        if row.get("trace") and row["reference"] is not None
    ]
    found = median(times) if times else math.inf
    return None if math.isinf(found) else round(found, 5)


def is_of(row: Row, cell: Cell, kind: str) -> bool:
    """Tell whether a row is what a command of a cell prints with the package's present networks."""
    if (row["cell"], row["command"]) != (cell.name, cell.commands[kind]):
        return False
    return kind == SEARCH or digest(str(cell.network)) in row["method"]


def table(rows: list[Row]) -> str:
    """Return Markdown: ratios or cut / volume, each with its CPU seconds a graph, who is ahead, and times to 99 %."""
    titles = ["problem", "set", "graphs", "paper", "network as shipped", "network alone", "search alone", "both"]
    titles += ["both is", "search to 99 %", "both"]
    head = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    lines = []
    for cell in CELLS:
        found = {kind: row for row in rows for kind in cell.commands if is_of(row, cell, kind)}
        if len(found) == len(cell.commands):
            paper = found[NETWORK]["paper"]
            cells = [cell.problem, cell.data, str(found[NETWORK]["graphs"]), shown(paper["mean"], paper["seconds"])]
            cells += [shown(worth(row), row["cpu"]) for row in (found[kind] for kind in cell.commands)]
            cells.append(
                standing(worth(found[SEARCH]), worth(found[BOTH]), is_less_better=cell.problem == "conductance")
            )
            cells += [waited(found[kind].get("to_99")) for kind in (SEARCH, BOTH)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*head, *lines])


def worth(row: Row) -> float:
    """Return what a row is judged by: cut / volume for cuts, the ratio elsewhere."""
    return float(row["ratio"] if row["conductance"] is None else row["conductance"])


def standing(search: float, both: float, *, is_less_better: bool) -> str:
    """Tell where search with a network stands against search alone, to the digits that the table shows."""
    gain = round(both, 4) - round(search, 4)
    gain = -gain if is_less_better else gain
    return "level" if gain == 0 else "ahead" if gain > 0 else "behind"


def waited(seconds: float | None) -> str:
    """Write a time that may not have been enough."""
    return "-" if seconds is None else f"{1000 * seconds:.3g} ms"


def shown(value: float, seconds: float) -> str:
    """Write a value with its time."""
    return f"{value:.4f} ({seconds:.3g} s)"


if __name__ == "__main__":
    main()
