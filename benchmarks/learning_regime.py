"""Look for graphs and time limits where a network of the package helps a search: larger graphs, other families, cuts.

    python benchmarks/learning_regime.py                           # all, some 3 minutes of an idle machine
    python benchmarks/learning_regime.py --families "mis er-1e4"   # some, separated by commas
    python benchmarks/learning_regime.py --table                   # print from the rows so far, run nothing

One thread. Every family has a few graphs that no network learned from, drawn from seeds of their own, or validation
graphs. On each: what decoding gives from even probabilities and from the network's, without search; then search alone
and search from a proposal of the network, at equal wall-clock time. A row a graph and time is added to --out; rows of
networks that the package had before do not count.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines

import annealco
from annealco.datasets import load_dataset
from annealco.evaluation.bench.entries import digest
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models.pretrained import shipped_folder
from annealco.problems import find_problem

RESULTS = Path(__file__).parent / "results" / "learning_regime.jsonl"
SEED = 7_000
"""Of the first graph; those of training count from 0."""

DECODED = 0.0
"""Stands for the time limit of decoding alone."""


class Family(NamedTuple):
    """Graphs of one kind.

    Attributes:
        problem: to be solved.
        draw: a graph from its number.
        limits: seconds.
        count: of graphs.
    """

    problem: str
    draw: Callable[[int], Graph]
    limits: tuple[float, ...] = (1.0, 3.0)
    count: int = 3

    @property
    def network(self) -> str:
        """Tells the network of the package from others."""
        return digest(str(shipped_folder(find_problem(self.problem).learned_as)))


def _drawn(make: Callable[[np.random.Generator], Graph]) -> Callable[[int], Graph]:
    return lambda number: make(np.random.default_rng(SEED + number))


def _college(number: int) -> Graph:
    """Return one of the larger validation graphs of Facebook."""
    graphs = load_dataset("facebook", "validation")
    return graphs[int(np.argsort(np.diff(graphs.node_ptr))[-1 - number])]


FAMILIES = {
    "mis er-1e4": Family("mis", _drawn(lambda rng: erdos_renyi(rng, num_nodes=10_000, edge_probability=1e-3))),
    "mds ba-1e4": Family("mds", _drawn(lambda rng: barabasi_albert(rng, num_nodes=10_000, attachment=4))),
    "cut facebook": Family("cut", _college, (0.5, 2.0), count=4),
    "conductance facebook": Family("conductance", _college, (0.5, 2.0), count=4),
}
"""What is tried, by what the table calls it."""


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    names = given.families.split(",")
    if unknown := set(names) - set(FAMILIES):
        parser.error(f"unknown families: {', '.join(sorted(unknown))}")
    torch.set_num_threads(1)
    for name in names if not given.table else ():
        for number in range(FAMILIES[name].count):
            own = rows_of(read_lines(given.out), name)
            done = {row["limit"] for row in own if row["graph"] == number}
            for row in measure(name, FAMILIES[name], number, done):
                append(given.out, row)
                print(row, flush=True)
    print(table(read_lines(given.out)))


def rows_of(rows: list[Row], name: str) -> list[Row]:
    """Return the rows of a family with the package's present network."""
    return [row for row in rows if (row["family"], row["network"]) == (name, FAMILIES[name].network)]


def measure(name: str, family: Family, number: int, done: set[float]) -> list[Row]:
    """Return the rows of a graph for the time limits that are not done."""
    limits = [limit for limit in (DECODED, *family.limits) if limit not in done]
    if not limits:
        return []
    graph = family.draw(number)
    drawn = annealco.PROBLEMS["cut"].draw(graph, SEED + number) if family.problem in {"cut", "conductance"} else {}
    options = {key: value[0].tolist() for key, value in drawn.items()}
    rows = []
    for limit in limits:
        timed: dict[str, Any] = {"polish": False} if limit == DECODED else {"time_limit": limit}
        row: Row = {"family": name, "network": family.network, "graph": number}
        row |= {"nodes": graph.num_nodes, "limit": limit}
        for model in ("none", "auto"):
            found = annealco.solve(
                graph, family.problem, model=model, bound=False, num_threads=1, **timed, **_labelled(graph, options)
            )
            row[model] = {"value": found.value, "seconds": found.seconds}
        rows.append(row)
    return rows


def _labelled(graph: Graph, options: dict[str, Any]) -> dict[str, Any]:
    """Return options with the user's label of the seed node, where there is one."""
    return {key: graph.labels[value] if key == "seed_node" else value for key, value in options.items()}


def table(rows: list[Row]) -> str:
    """Return Markdown: mean values, and on how many graphs which is better."""
    titles = ["problem and graphs", "time limit", "graphs", "without network", "with", "with is better on", "worse on"]
    lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
    for name, family in FAMILIES.items():
        sign = 1 if annealco.PROBLEMS[family.problem].sense == "max" else -1
        for limit in (DECODED, *family.limits):
            own = [row for row in rows_of(rows, name) if row["limit"] == limit]
            gains = [sign * (row["auto"]["value"] - row["none"]["value"]) for row in own]
            if own:
                means = [f"{mean(row[model]['value'] for row in own):.6g}" for model in ("none", "auto")]
                told = "decoding alone" if limit == DECODED else f"{limit:g} s"
                counts = [str(sum(gain > 0 for gain in gains)), str(sum(gain < 0 for gain in gains))]
                lines.append(f"| {' | '.join([name, told, str(len(own)), *means, *counts])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
