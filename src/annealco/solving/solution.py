"""What solving a problem on one graph returns: a set, its value and bound; as a dictionary, a file, a picture, HTML."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors, store
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE = 2.0**53
"""Sums of whole numbers are exact up to here."""

UNKNOWN = 1e-9
"""How far apart, relative to their size, equal values can be that are sums of weights nobody knows any more."""

KEYS = ("graph", "problem", "nodes", "value", "feasible", "bound", "gap", "optimal", "method", "seconds", "seed")
"""What is written of a solution, in this order."""

MOST_NODES_SHOWN = 20
"""Nodes of a set that a notebook shows."""


@dataclass(frozen=True)
class Solution:
    """A feasible set, what it is worth, and how far from the optimum it can be.

    Attributes:
        problem: name of the problem.
        nodes: the set, in the labels of the user's graph.
        value: the problem's own plain score of the set.
        feasible: always True: an infeasible answer is never returned.
        bound: a proven bound on the optimum (above for a maximum, below for a minimum), or None.
        gap: how far value and bound are apart, relative to the larger, or None without a bound.
        optimal: whether value equals bound, but for what rounding explains, which proves the set optimal.
        method: what found the set and, behind a plus sign, what proved the bound.
        seconds: wall-clock time, the bound's included.
        seed: what the random choices were made with.
        graph: name or number of the graph among those that were given.
        trace: (seconds, value) of each improvement.
        source: the graphs that were given and the number of this one among them, for `plot`; None where it was solved
            elsewhere, or in a stream that keeps no graphs.
    """

    problem: str
    nodes: list[Any]
    value: float
    feasible: bool
    bound: float | None
    gap: float | None
    optimal: bool
    method: str
    seconds: float
    seed: int
    graph: str
    trace: list[tuple[float, float]] = field(default_factory=list, repr=False)
    source: tuple[Graph, int] | None = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return all but the trace in types that JSON has; labels as `plain_label` has them.

        Example:
            >>> import annealco, networkx
            >>> found = annealco.solve(networkx.path_graph(3), "mis").to_dict()
            >>> found["nodes"], found["value"], found["optimal"]
            ([0, 2], 2.0, True)
        """
        return {key: getattr(self, key) for key in KEYS} | {"nodes": [plain_label(node) for node in self.nodes]}

    def as_json(self) -> dict[str, Any]:
        """Return what the command line prints: `to_dict` under its name of version 0.1."""
        return self.to_dict()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the solution to a file, which appears complete or not at all; the extension tells the format.

        ``.json`` holds what `to_dict` returns. ``.csv`` holds the set: a heading ``node``, and a line for each label.

        Raises:
            InputError: for another extension, and where the file cannot be written.
        """
        if not isinstance(path, str | PathLike):
            raise InputError(f"the file of a solution must be a path, it is {path!r:.40}")
        file = Path(path)
        writer = _WRITERS.get(file.suffix.lower())
        if writer is None:
            choices = ", ".join(_WRITERS)
            raise GraphFileError(file, f"unknown extension {file.suffix!r} of a solution; choose one of {choices}")
        with file_errors(file, "written"):
            # Labels may hold what is no Unicode: JSON has the same escapes.
            store(file, writer(self).encode(errors="backslashreplace"))

    def plot(self, ax: Axes | None = None, *, graph: Any = None) -> Axes:
        """Draw the set in the graph, or for more than 200 nodes the values found over time; needs matplotlib.

        Args:
            ax: the axes to draw on, those of a new figure by default.
            graph: the graph in any container that `as_graph` takes, where the solution does not have it, such as one of
                `solve_many`.

        Returns:
            The axes.

        Raises:
            InputError: without matplotlib, and where the graph is not known or has other nodes.
        """
        from annealco.plotting.solutions import draw_on

        if graph is not None:
            drawn = as_graph(graph)
        elif self.source is not None:
            drawn = self.source[0][self.source[1]]
        else:
            raise InputError("this solution does not have its graph: plot(graph=...)")
        if drawn.num_graphs != 1 or not {*self.nodes} <= {*drawn.labels.tolist()}:
            raise InputError(f"the solution is not of this graph: its nodes are not those of {drawn!r}")
        return draw_on(ax, drawn, self)

    def __getstate__(self) -> dict[str, Any]:
        # Of many graphs only its own goes with a solution to another process.
        own = None if self.source is None else (self.source[0][self.source[1]], 0)
        return self.__dict__ | {"source": own}

    def _repr_html_(self) -> str:
        """Return a small table, which notebooks show."""
        shown = ", ".join(map(str, self.nodes[:MOST_NODES_SHOWN]))
        more = len(self.nodes) - MOST_NODES_SHOWN
        cells = {
            "graph": self.graph,
            "value": f"{self.value:.10g}",
            "bound": "none" if self.bound is None else f"{self.bound:.10g}",
            "gap": "unknown"
            if self.gap is None
            else "0, proven optimal"
            if self.optimal
            else f"{100 * self.gap:.3g} %",
            f"set ({len(self.nodes)})": shown + (f" and {more} more" if more > 0 else ""),
            "method": self.method,
            "seconds": f"{self.seconds:.3g}",
            "seed": str(self.seed),
        }
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(text)}</td></tr>"
            for name, text in cells.items()
        )
        return f"<table><caption>{escape(self.problem)}</caption>{rows}</table>"


def plain_label(label: Any) -> Any:
    """Return a node label as JSON can hold it: integers, finite numbers, text, true, false and null as they are.

    Tuples and lists become lists of such labels; anything else becomes the text that ``str`` makes of it.

    Example:
        >>> import numpy as np
        >>> [plain_label(label) for label in (np.int64(3), "a", (0, np.float32(0.5)), 2 + 1j)]
        [3, 'a', [0, 0.5], '(2+1j)']
    """
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, tuple | list):
        return [plain_label(each) for each in label]
    if label is None or isinstance(label, bool | str):
        return str(label) if isinstance(label, str) else label
    if isinstance(label, int):
        return int(label)
    return float(label) if isinstance(label, float) and math.isfinite(label) else str(label)


def _as_json_text(solution: Solution) -> str:
    return json.dumps(solution.to_dict(), ensure_ascii=False) + "\n"


def _as_csv_text(solution: Solution) -> str:
    """Return a line for each label: text as it is, other labels as JSON."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["node"])
    for label in solution.to_dict()["nodes"]:
        table.writerow([label if isinstance(label, str) else json.dumps(label)])
    return text.getvalue()


_WRITERS: dict[str, Callable[[Solution], str]] = {".json": _as_json_text, ".csv": _as_csv_text}
"""What makes the content of a file, by its extension."""


def gap_between(value: float, bound: float | None, *, excused: float = 0.0) -> float | None:
    """Return |value − bound| relative to the larger of the two, 0 where they are equal, None without a bound.

    Args:
        value: of a set.
        bound: on it, or a reference.
        excused: a difference that rounding explains, see `annealco.bounds.certify.Slack`; 0 where sums are exact.

    Example:
        >>> gap_between(9, 10), gap_between(0, 0), gap_between(3, None), gap_between(0.3, 0.1 + 0.2, excused=1e-15)
        (0.1, 0.0, None, 0.0)
    """
    if bound is None:
        return None
    apart = abs(value - bound)
    return 0.0 if apart <= excused else apart / max(abs(value), abs(bound))


def is_reached(value: float, reference: float) -> bool:
    """Tell whether a value is a reference, of which only the number is left: exactly so where both are whole.

    Example:
        >>> is_reached(1e12, 1e12 + 1), is_reached(0.3, 0.1 + 0.2)
        (False, True)
    """
    size = max(abs(value), abs(reference))
    whole = float(value).is_integer() and float(reference).is_integer() and size < WHOLE
    return gap_between(value, reference, excused=0.0 if whole else UNKNOWN * size) == 0.0
