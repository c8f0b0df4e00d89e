"""Print solutions for people."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np

from annealco.graph.graph import Graph
from annealco.solution import Solution
from annealco.terminal import counted, printable, show, show_table

COLUMNS = ("graph", "nodes", "edges", "value", "bound", "gap", "optimal", "method", "seconds")
NUMBERS = ("nodes", "edges", "value", "bound", "gap", "seconds")

MOST_NODES = 60
"""Nodes of a set that are printed; more are counted."""


def show_solutions(graphs: Graph, solutions: Sequence[Solution]) -> None:
    """Print a table, then the set of a single graph or the average over many.

    Args:
        graphs: those that were given.
        solutions: those of the first graphs, or of all of them.
    """
    sizes = zip(np.diff(graphs.node_ptr).tolist(), np.diff(graphs.edge_ptr).tolist(), strict=True)
    rows = [_row(each, *size) for each, size in zip(solutions, sizes, strict=False)]
    show_table(COLUMNS, rows, numbers=NUMBERS)
    if len(solutions) == 1:
        show("\n" + describe_set(solutions[0]))
    if len(solutions) > 1:
        show("\n" + _describe_all(solutions))


def _row(solution: Solution, num_nodes: int, num_edges: int) -> list[str]:
    return [
        solution.graph,
        str(num_nodes),
        str(num_edges),
        as_text(solution.value),
        as_text(solution.bound),
        "-" if solution.gap is None else percentage(solution.gap),
        "proven" if solution.optimal else "-",
        solution.method,
        f"{solution.seconds:.2f}",
    ]


def as_text(value: float | None) -> str:
    """Write a value with the digits it needs, ten at most.

    Example:
        >>> as_text(20.0), as_text(1234567.25), as_text(1 / 3), as_text(None)
        ('20', '1234567.25', '0.3333333333', '-')
    """
    return "-" if value is None else f"{value:.10g}"


def percentage(gap: float) -> str:
    """Write a gap in per cent, such that only one of 0 looks like 0.

    Example:
        >>> percentage(0.0), percentage(0.0512), percentage(1e-7)
        ('0 %', '5.12 %', '<0.01 %')
    """
    if gap == 0:
        return "0 %"
    return "<0.01 %" if gap < 0.0001 else f"{100 * gap:.2f} %"


def describe_set(solution: Solution) -> str:
    """Write the size of a set and its nodes, or the first of them.

    Example:
        >>> blank = {"value": 2.0, "feasible": True, "bound": None, "gap": None, "optimal": False, "method": ""}
        >>> describe_set(Solution("mis", ["a", "c"], **blank, seconds=0.1, seed=0, graph="path"))
        '2 nodes: a c'
    """
    shown = "".join(f" {printable(str(node))}" for node in solution.nodes[:MOST_NODES])
    more = len(solution.nodes) - MOST_NODES
    rest = f" and {more} more (see --json)" if more > 0 else ""
    return counted(len(solution.nodes), "node") + ":" * bool(shown) + shown + rest


def _describe_all(solutions: Sequence[Solution]) -> str:
    proven = sum(each.optimal for each in solutions)
    mean = as_text(fmean(each.value for each in solutions))
    return f"{counted(len(solutions), 'graph')}: mean value {mean}, {proven} proven optimal"
