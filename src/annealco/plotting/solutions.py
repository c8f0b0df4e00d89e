"""Draw a solution: a small graph with its set in colour, or the values found over time of a large one.

A sparse graph is drawn as nodes and edges, a dense one as its adjacency matrix with the set first: an independent set
is an empty square then, and a clique a full one.

Nodes are placed such that distances in the plane resemble distances in the graph: each component minimises the stress
Σ_{i<j} (|p_i − p_j| − d_ij)² / d_ij² over positions p, where d is the number of edges between two nodes, by
majorisation (Gansner, Koren and North, *Graph drawing by stress majorization*, 2004). The components then stand side by
side in rows. The same graph always gets the same positions.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annealco.errors import GraphFileError, InputError
from annealco.files import file_errors, store
from annealco.graph.graph import Graph
from annealco.graph.operations import connected_components, induced_subgraph
from annealco.plotting.style import check_drawing, new_figure
from annealco.problems import PROBLEMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


Points = NDArray[np.float64]

SMALL = 200
"""Graphs of at most this many nodes are drawn; of larger ones the values over time."""

DENSE = 4
"""Graphs with more edges per node than this are drawn as matrices: as lines they would hide each other."""

FEW = 12
"""Graphs of at most this many nodes are drawn as nodes and edges even where they are dense."""

MOST_LABELS = 60
"""Labels are drawn in graphs of at most this many nodes."""

# Colours that people with any kind of colour blindness can tell apart (Okabe and Ito).
CHOSEN, CROSSING, REST = "#D55E00", "#0072B2", "#C8C8C8"

ROUNDS = 200
ENOUGH = 1e-4
"""A round that lowers the stress by less than this share is the last."""

JITTER = 0.05
"""Nodes at equal positions would never separate: the first positions are shifted at random by this much."""

MARGIN = 1.0
"""Room between components, in edges."""

DATES: dict[str, dict[str, Any]] = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
"""The formats, and the metadata that keeps the date out: the same solution always makes the same bytes."""


class Drawn(Protocol):
    """What is drawn of a solution; `annealco.Solution` says what each attribute means."""

    @property
    def problem(self) -> str: ...
    @property
    def nodes(self) -> Sequence[Any]: ...
    @property
    def value(self) -> float: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def gap(self) -> float | None: ...
    @property
    def optimal(self) -> bool: ...
    @property
    def seconds(self) -> float: ...
    @property
    def graph(self) -> str: ...
    @property
    def trace(self) -> Sequence[tuple[float, float]]: ...


def check_picture(path: str | PathLike[str]) -> None:
    """Raise where no picture could be written, before any work is done for it.

    Raises:
        InputError: for an extension other than png, pdf and svg, where there is no such folder, where a folder has
            that name, where nothing can be written into the folder, and without matplotlib.
    """
    file = Path(path)
    if _format(file) not in DATES:
        raise GraphFileError(file, f"unknown extension {file.suffix!r} of a picture; choose one of {', '.join(DATES)}")
    with file_errors(file, "written"):
        if not file.parent.is_dir():
            raise GraphFileError(file, "cannot be written: no such folder")
        if file.is_dir():
            raise GraphFileError(file, "cannot be written: it is a folder")
        if file.exists() and not file.is_file():
            raise GraphFileError(file, "cannot be written: it is no regular file")
        # Permissions do not tell all: a file system may be full, or for reading only.
        TemporaryFile(dir=file.parent).close()
    check_drawing()


def draw_solution(graph: Graph, solution: Drawn, path: str | PathLike[str], *, places: ArrayLike | None = None) -> None:
    """Write a picture of a solution, which appears complete or not at all.

    Up to 200 nodes are drawn, with the set, the edges inside it and those between it and the rest in colours; nodes are
    as large as their weights, and edges of negative weight are dashed. Dense graphs are drawn as matrices. Of a larger
    graph the values found over time are drawn.

    Args:
        graph: one graph.
        solution: of this graph.
        path: where to; its extension tells the format: png, pdf or svg.
        places: [num_nodes, 2] where the nodes are, in units of about one edge; by default `place_nodes`. With places a
            dense graph is drawn as nodes and edges too.

    Raises:
        InputError: as `check_picture`, and where the file cannot be written.
    """
    file = Path(path)
    check_picture(file)
    from matplotlib import rc_context

    kind, content = _format(file), io.BytesIO()
    with rc_context({"svg.hashsalt": "annealco", "font.size": 9}), warnings.catch_warnings():
        # Labels may be in scripts that the font lacks; a picture with boxes is better than none.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = picture(graph, solution, places=places)
        figure.savefig(content, format=kind, dpi=150, metadata=DATES[kind])
    with file_errors(file, "written"):
        store(file, content.getvalue())


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def picture(graph: Graph, solution: Drawn, *, places: ArrayLike | None = None) -> Figure:
    """Make the figure that `draw_solution` writes."""
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    if graph.num_nodes > SMALL:
        _draw_trace(axes, solution)
    elif places is None and is_dense(graph):
        figure.set_size_inches(6.5, 7.2)
        _draw_matrix(axes, graph, solution)
    else:
        points = place_nodes(graph) if places is None else np.asarray(places, dtype=np.float64)
        wide, high = np.ptp(points, axis=0) + 1 if graph.num_nodes else (1, 1)
        figure.set_size_inches(7.5, 1.0 + float(np.clip(7.2 * high / wide, 2.5, 6.5)))
        _draw_graph(axes, graph, solution, points)
    # Names may hold dollar signs, which are no formulas here.
    figure.suptitle(
        f"{_heading(graph, solution)}\n{_verdict(solution)}", fontsize=10, linespacing=1.4, parse_math=False
    )
    entries = len(axes.get_legend_handles_labels()[0])
    if entries:
        # Entries of negative edges are long: five of them side by side do not fit.
        columns = 4 if entries <= 4 else 3
        spaces = {"columnspacing": 1.4, "labelspacing": 0.9}
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, **spaces)
    return figure


def draw_on(axes: Axes | None, graph: Graph, solution: Drawn) -> Axes:
    """Draw on axes that a user has, or on those of a new figure of pyplot, what `draw_solution` writes; return them.

    Raises:
        InputError: without matplotlib, and for what are no axes, such as the array of several.
    """
    check_drawing()
    from matplotlib.axes import Axes

    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(layout="constrained")[1]
    if not isinstance(axes, Axes):
        raise InputError(f"ax must be axes of matplotlib, it is {type(axes).__name__}")
    if graph.num_nodes > SMALL:
        _draw_trace(axes, solution)
    elif is_dense(graph):
        _draw_matrix(axes, graph, solution)
    else:
        _draw_graph(axes, graph, solution, place_nodes(graph))
    title = f"{_heading(graph, solution)}\n{_verdict(solution)}"
    axes.set_title(title, fontsize=10, linespacing=1.4, parse_math=False)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, markerscale=0.5)
    return axes


def _heading(graph: Graph, solution: Drawn) -> str:
    known = PROBLEMS.get(solution.problem)
    title = solution.problem if known is None else known.title
    # File names need not be text: what cannot be drawn becomes a question mark.
    name = solution.graph.encode(errors="replace").decode()
    name = name if len(name) <= 40 else name[:39] + "…"
    return f"{title}: {name} ({graph.num_nodes} nodes, {graph.num_edges} edges)"


def _verdict(solution: Drawn) -> str:
    """Return value, bound and gap as one line."""
    parts = [f"value {solution.value:.8g}"]
    if solution.bound is None or solution.gap is None:
        parts.append("no bound")
    else:
        parts.append(f"bound {solution.bound:.8g}")
        parts.append("proven optimal" if solution.optimal else f"gap {100 * solution.gap:.2g} %")
    return ", ".join([*parts, f"{solution.seconds:.2f} s"])


def is_dense(graph: Graph) -> bool:
    """Tell whether a graph is drawn as a matrix.

    Example:
        >>> complete = np.triu_indices(20, 1)
        >>> is_dense(Graph.from_edges(np.array(complete))), is_dense(Graph.from_edges([[0, 1], [1, 2]]))
        (True, False)
    """
    return graph.num_nodes > FEW and graph.num_edges > DENSE * graph.num_nodes


def _texts_and_set(graph: Graph, solution: Drawn) -> tuple[list[str], NDArray[np.bool_]]:
    """Return the label of each node, shortened, and whether it is in the set."""
    labels = graph.labels.tolist()
    texts = [str(label) if len(str(label)) <= 12 else str(label)[:11] + "…" for label in labels]
    members = set(solution.nodes)
    return texts, np.array([label in members for label in labels], dtype=bool)


def _draw_matrix(axes: Axes, graph: Graph, solution: Drawn) -> None:
    """Draw a square for each edge, in the rows and columns of its ends; the set comes first."""
    texts, chosen = _texts_and_set(graph, solution)
    order = np.argsort(~chosen, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    ends, negative = chosen[graph.edges].sum(axis=0), graph.edge_weight < 0
    for count, colour, text in ((2, CHOSEN, "inside"), (1, CROSSING, "between"), (0, REST, "outside")):
        for mask, sign in ((~negative, ""), (negative, ", negative")):
            u, v = rank[graph.edges[:, (ends == count) & mask]]
            if len(u):
                area = (280 / graph.num_nodes) ** 2
                face = "none" if sign else colour
                axes.scatter(
                    [*u, *v], [*v, *u], s=area, marker="s", c=face, edgecolors=colour, linewidths=0.8,
                    label=f"edges {text}{sign} ({len(u)})",
                )  # fmt: skip
    last, edge = graph.num_nodes - 0.5, chosen.sum() - 0.5
    axes.plot([-0.5, edge, edge], [edge, edge, -0.5], color="k", linewidth=1.2, label=f"set ({chosen.sum()})")
    axes.set(xlim=(-0.5, last), ylim=(last, -0.5), aspect="equal", xticks=[], yticks=[])
    if graph.num_nodes <= MOST_LABELS:
        shown = [texts[place] for place in order]
        size = min(8.0, 320 / graph.num_nodes)
        axes.set_yticks(range(len(shown)), shown, fontsize=size, parse_math=False)
        axes.set_xticks(range(len(shown)), shown, fontsize=size, rotation=90, parse_math=False)


def _draw_graph(axes: Axes, graph: Graph, solution: Drawn, places: Points) -> None:
    """Draw nodes and edges, the set in colour."""
    texts, chosen = _texts_and_set(graph, solution)
    # Short labels stand in the nodes, longer ones above smaller nodes.
    inside = max(map(len, texts), default=0) <= 3
    area = _relative_sizes(graph.node_weight) * min(260.0 if inside else 90.0, 9000 / max(graph.num_nodes, 1))
    for mask, face, line, text in ((chosen, CHOSEN, CHOSEN, "set"), (~chosen, "white", "#606060", "rest")):
        if mask.any():
            x, y = places[mask].T
            axes.scatter(
                x, y, s=area[mask], c=face, edgecolors=line, linewidths=0.8, zorder=3, label=f"{text} ({mask.sum()})"
            )
    _draw_edges(axes, places, graph, chosen[graph.edges].sum(axis=0))
    if graph.num_nodes <= MOST_LABELS:
        heights = np.zeros(len(area)) if inside else np.sqrt(area) / 2 + 5
        _draw_labels(axes, places, texts, heights, np.where(chosen & inside, "white", "#202020"))
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.06)
    axes.set_axis_off()


def _draw_edges(axes: Axes, places: Points, graph: Graph, ends: NDArray[np.int64]) -> None:
    """Draw edges by how many of their ends are in the set, negative ones dashed; the fewer of a kind, the clearer."""
    from matplotlib.collections import LineCollection

    negative = graph.edge_weight < 0
    for count, colour, text in ((2, CHOSEN, "inside"), (1, CROSSING, "between"), (0, REST, "outside")):
        for mask, style, sign in ((~negative, "-", ""), (negative, (0, (2, 2)), ", negative")):
            found = graph.edges[:, (ends == count) & mask]
            if found.shape[1]:
                lines = LineCollection(
                    list(places[found.T]),
                    colors=colour if count or not negative.any() else "#808080",
                    linestyles=[style],
                    alpha=float(np.clip(8 / np.sqrt(found.shape[1]), 0.12, 0.9)) if count < 2 else 1.0,
                    linewidths=float(np.clip(10 / np.sqrt(found.shape[1]), 0.7, 2.2)) if count else 0.8,
                    zorder=1 + count / 3,
                    label=f"edges {text}{sign} ({found.shape[1]})",
                )
                axes.add_collection(lines)


def _draw_labels(
    axes: Axes, places: Points, texts: list[str], heights: NDArray[np.float64], colours: NDArray[np.str_]
) -> None:
    """Write a label so many points above the middle of each node."""
    from matplotlib.patheffects import withStroke

    for place, text, height, colour in zip(places, texts, heights, colours, strict=True):
        axes.annotate(
            text,
            tuple(place),
            xytext=(0, height),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=7 if height or len(text) < 3 else 6,
            color=str(colour),
            zorder=4,
            parse_math=False,
            path_effects=[withStroke(linewidth=2, foreground="white")] if height else [],
        )


def _relative_sizes(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sizes between 0.6 and 1.6 that grow with the weights, 1 where all weigh the same."""
    if len(weight) == 0 or weight.min() == weight.max():
        return np.ones(len(weight))
    return np.asarray(0.6 + (weight - weight.min()) / (weight.max() - weight.min()))


def _draw_trace(axes: Axes, solution: Drawn) -> None:
    """Draw the best value over time, and the bound."""
    from matplotlib.ticker import MaxNLocator

    points = [*solution.trace, (solution.seconds, solution.value)]
    seconds, values = np.array(points).T
    # The clock of a first point can read 0, which a logarithmic axis cannot show.
    seconds = np.maximum(seconds, 1e-4)
    axes.step(seconds, values, where="post", color=CHOSEN, marker="o", markersize=3, label="best value")
    if solution.bound is not None:
        axes.axhline(solution.bound, color=CROSSING, linestyle="--", label="proven bound")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=bool((values == np.round(values)).all())))
    axes.set_xlabel("seconds")
    axes.set_ylabel("value")
    axes.grid(visible=True, color="#E6E6E6")
    axes.spines[["top", "right"]].set_visible(False)


def place_nodes(graph: Graph) -> Points:
    """Return the position of each node, [num_nodes, 2], with edges about 1 long.

    Takes O(n²) memory and O(n³) time: meant for a few hundred nodes.

    Example:
        >>> places = place_nodes(Graph.from_edges([[0, 1], [1, 2]]))
        >>> np.round(np.linalg.norm(places[[0, 1, 2]] - places[[1, 2, 0]], axis=1), 2).tolist()
        [1.0, 1.0, 2.0]
    """
    component = connected_components(graph)
    members = [np.flatnonzero(component == number) for number in range(component.max(initial=-1) + 1)]
    members.sort(key=len, reverse=True)
    places = np.zeros((graph.num_nodes, 2))
    drawn = [_rotate(_minimise_stress(_distances(induced_subgraph(graph, nodes)))) for nodes in members]
    for nodes, points, corner in zip(members, drawn, _corners([np.ptp(each, axis=0) for each in drawn]), strict=True):
        places[nodes] = points - points.min(axis=0) + corner
    return places


def _distances(graph: Graph) -> Points:
    """Return the number of edges between each two nodes of a connected graph, [num_nodes, num_nodes]."""
    from scipy.sparse import csgraph, csr_array

    shape = (graph.num_nodes, graph.num_nodes)
    adjacency = csr_array((np.ones(len(graph.indices)), graph.indices, graph.indptr), shape=shape)
    return np.asarray(csgraph.shortest_path(adjacency, unweighted=True))


def _minimise_stress(distances: Points) -> Points:
    """Return positions of low stress, [num_nodes, 2]."""
    num_nodes = len(distances)
    if num_nodes == 1:
        return np.zeros((1, 2))
    apart = np.where(np.eye(num_nodes, dtype=bool), np.inf, distances)
    weight = apart**-2.0
    # The Laplacian L of the weights does not change, so its inverse on centred points is computed once.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1 / num_nodes)
    points, stress = _first_guess(distances), np.inf
    for _ in range(ROUNDS):
        lengths = np.linalg.norm(points[:, None] - points, axis=2)
        before, stress = stress, float((weight * (lengths - distances) ** 2).sum())
        if stress > (1 - ENOUGH) * before:
            break
        pull = np.divide(1 / apart, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        points = inverse @ (pull.sum(axis=1)[:, None] * points - pull @ points)
    return points


def _first_guess(distances: Points) -> Points:
    """Return the two main axes of the distances (classical scaling), shifted a little."""
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, axes = np.linalg.eigh(-centred / 2)
    points = axes[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    return np.asarray(points + np.random.default_rng(0).normal(0, JITTER, points.shape))


def _rotate(points: Points) -> Points:
    """Turn points such that their longest extent lies along the first axis."""
    centred = points - points.mean(axis=0)
    return np.asarray(centred @ np.linalg.svd(centred, full_matrices=False)[2].T) if len(points) > 1 else centred


def _corners(boxes: list[Points]) -> list[Points]:
    """Return the lower left corner of each box, in rows of about the shape of a screen."""
    sizes = np.array(boxes).reshape(-1, 2) + MARGIN
    width = max(sizes[:, 0].max(initial=0), 1.3 * np.sqrt(sizes.prod(axis=1).sum()))
    corners, across, top, height = [], 0.0, 0.0, 0.0
    for wide, high in sizes.tolist():
        if across > 0 and across + wide > width:
            across, top, height = 0.0, top - height, 0.0
        corners.append(np.array([across, top - high]))
        across, height = across + wide, max(height, high)
    return corners
