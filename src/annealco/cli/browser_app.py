"""The command `annealco app`: a page in the browser that solves a graph and shows how.

Streamlit runs this file as the page. Why Streamlit: an uploaded file stays in memory until its tab is closed, the page
needs no other server, and a run is a program that reads top to bottom. The server listens on this machine only. Graphs
are data, read by the readers of the command line; one is written to a folder of its own while it is read, and nothing
is kept.
"""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, product, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annealco.cli.exit_status import INTERRUPTED
from annealco.optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from annealco.arrays import FloatArray
    from annealco.energy import Instance
    from annealco.graph.graph import Graph
    from annealco.problems import Problem
    from annealco.solving.solution import Solution

ADDRESS = "127.0.0.1"
PORT = 8501

MOST_MEGABYTES = 5
MOST_NODES, MOST_EDGES = 5_000, 100_000
MOST_SECONDS = 30
"""Limits of the page: size of a file, size of a graph, time of a search."""

MOST_DRAWN, MOST_WEIGHT = 60, 1e12
"""Nodes that can be drawn by clicks, and what none of their numbers reaches."""

MOST_SHOWN = 500
"""Nodes of a set that are written on the page; the files have all."""

WATCHED = ("mean field", "network of the package")
"""Whose probabilities are shown; networks were trained for some problems only."""

NUM_SWEEPS, NUM_FRAMES = 1000, 20
NETWORK_STEPS = (1, 2, 4, 8, 16, 32, 64)
FIRST_ROUND = 0.25
"""Seconds of the first part of a search; every further part takes twice as long."""


def serve_app(
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine.")] = PORT,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a tab.")] = True,
) -> None:
    """Open a page in the browser that solves a graph and shows how.

    The page is at http://127.0.0.1:PORT, for this machine only. Ctrl-C ends it.
    """
    require("annealco app", "streamlit", "matplotlib")
    settings = {
        "server.address": ADDRESS,
        "server.port": port,
        "server.headless": not browser,
        "server.maxUploadSize": MOST_MEGABYTES,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "viewer",
        "client.showErrorDetails": "none",
        "runner.magicEnabled": False,
    }
    given = [f"--{name}={str(value).lower()}" for name, value in settings.items()]
    command = [sys.executable, "-m", "streamlit", "run", __file__, *given]
    with subprocess.Popen(command) as server:  # noqa: S603 (all words are ours)
        # A signal to this process must end the server too, which waits for open connections on its own.
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            status = server.wait()
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        finally:
            server.kill()
    raise typer.Exit(status)


def _interrupt(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


@dataclass(frozen=True)
class Input:
    """A graph to solve.

    Attributes:
        name: what it is called on the page.
        graph: one graph.
        places: [num_nodes, 2] where its nodes are drawn, or None.
    """

    name: str
    graph: Graph
    places: FloatArray | None = None


def queens(side: int = 8) -> Input:
    """Return a board whose squares are joined where a queen on one attacks the other.

    Example:
        >>> queens(3).graph
        Graph(9 nodes, 28 edges)
    """
    import numpy as np

    from annealco.graph.graph import Graph

    squares = list(enumerate(product(range(side), range(side))))
    pairs = ((i, j, a[0] - b[0], a[1] - b[1]) for (i, a), (j, b) in combinations(squares, 2))
    attacks = [(i, j) for i, j, down, across in pairs if 0 in {down, across} or abs(down) == abs(across)]
    places = np.array([(column, -row) for _, (row, column) in squares], dtype=np.float64)
    return Input(f"queens on a board of {side} × {side}", Graph.from_edges(np.array(attacks).T, side * side), places)


def spins(side: int = 7) -> Input:
    """Return a square lattice whose edges weigh +1 or −1."""
    import numpy as np

    from annealco.graph.graph import Graph

    place = np.arange(side * side).reshape(side, side)
    ends = [np.stack([place[:, :-1], place[:, 1:]]), np.stack([place[:-1], place[1:]])]
    edges = np.concatenate([each.reshape(2, -1) for each in ends], axis=1)
    weight = np.random.default_rng(0).choice([-1.0, 1.0], edges.shape[1])
    points = np.array([(node % side, -(node // side)) for node in range(side * side)], dtype=np.float64)
    return Input(f"spins on a lattice of {side} × {side}", Graph.from_edges(edges, edge_weight=weight), points)


def drawn(name: str, kind: str, **settings: Any) -> Input:
    """Return a random graph of a kind, always the same."""
    import numpy as np

    from annealco.graph import generators

    return Input(name, getattr(generators, kind)(np.random.default_rng(0), **settings))


EXAMPLES: dict[str, Callable[[], Input]] = {
    "Queens on a board (try mis)": queens,
    "Scale-free network (try mds)": lambda: drawn("scale-free", "barabasi_albert", num_nodes=60, attachment=2),
    "Spins on a lattice (try ising, max_cut)": spins,
    "Hidden set (try mis, vertex_cover)": lambda: drawn(
        "hidden set", "rb_graph", num_groups=12, group_size=5, tightness=0.3
    ),
    "3-regular graph (try max_cut)": lambda: drawn("3-regular", "random_regular", num_nodes=50, degree=3),
}
"""Graphs to begin with."""


def read_upload(name: str, content: bytes, problem: Problem) -> Input:
    """Read a graph from the bytes of a file.

    Args:
        name: what the user calls the file; nothing but its extension is used for a path.
        content: of the file.
        problem: whose own formats are read too.

    Raises:
        InputError: for a file that is too large, of no known format or damaged, for several graphs, and for a graph
            that is too large.
    """
    from annealco.errors import InputError
    from annealco.graph.formats import FORMATS, read_graph

    shown = Path(name.replace("\\", "/")).name[-80:] or "file"
    if len(content) > MOST_MEGABYTES * 2**20:
        raise InputError(f"{shown}: at most {MOST_MEGABYTES} MB are read here, it has {len(content) / 2**20:.1f}")
    known = sorted({each for entry in (*problem.formats, *FORMATS.values()) for each in entry.extensions})
    plain = shown.lower().removesuffix(".gz")
    extension = next((each for each in sorted(known, key=len, reverse=True) if plain.endswith(each)), None)
    if extension is None:
        raise InputError(f"{shown}: unknown extension; choose one of {' '.join(known)}")
    with tempfile.TemporaryDirectory(prefix="annealco-app-") as folder:
        path = Path(folder) / f"graph{extension}{'.gz' if shown.lower().endswith('.gz') else ''}"
        path.write_bytes(content)
        try:
            graph = read_graph(path, formats=problem.formats)
        except InputError as error:
            raise InputError(str(error).replace(str(path), shown)) from None
    return checked(Input(shown, graph))


def checked(given: Input) -> Input:
    """Return what was given, where it is one graph within the limits of the page."""
    from annealco.errors import InputError

    graph = given.graph
    if graph.num_graphs != 1:
        raise InputError(f"{given.name}: one graph is solved here, the file has {graph.num_graphs}")
    if graph.num_nodes > MOST_NODES or graph.num_edges > MOST_EDGES:
        limits = f"at most {MOST_NODES:,} nodes and {MOST_EDGES:,} edges are solved here"
        raise InputError(f"{given.name}: {limits}, it has {graph.num_nodes:,} and {graph.num_edges:,}")
    return given


def read_typed(text: str, problem: Problem) -> Input:
    """Read edges that were typed, as an edge list."""
    return replace(read_upload("typed.edges", text.encode(), problem), name="typed graph")


def read_drawing(drawing: Any) -> Input:
    """Read a graph that was drawn: nodes as (x, y, weight) and edges as (node, node, weight), y downwards.

    What a browser sends is checked as a file is. Nodes are called 1, 2, ... as on the canvas.

    Raises:
        InputError: where it is no such drawing, and for too many nodes.

    Example:
        >>> read_drawing({"nodes": [[10, 20, 1], [30, 20, 2.5]], "edges": [[0, 1, 1]]}).graph.node_weight.tolist()
        [1.0, 2.5]
    """
    import numpy as np

    from annealco.errors import InputError
    from annealco.graph.graph import Graph

    rows = [drawing.get(name) if isinstance(drawing, dict) else None for name in ("nodes", "edges")]
    if not all(isinstance(each, list) and all(map(_is_drawn, each)) for each in rows):
        raise InputError(f"drawing: nodes and edges must be lists of three numbers below {MOST_WEIGHT:g} each")
    nodes, edges = (np.array(each, dtype=np.float64).reshape(-1, 3) for each in rows)
    if len(nodes) > MOST_DRAWN:
        raise InputError(f"drawing: at most {MOST_DRAWN} nodes can be drawn, it has {len(nodes)}")
    ends = edges[:, :2]
    if not (np.isin(ends, np.arange(len(nodes))).all() and (ends[:, 0] != ends[:, 1]).all()):
        raise InputError("drawing: an edge must join two of the nodes")
    if len({*map(frozenset, ends.tolist())}) != len(ends):
        raise InputError("drawing: two nodes must be joined by one edge at most")
    graph = Graph.from_edges(
        ends.T.astype(np.int64),
        len(nodes),
        node_weight=nodes[:, 2],
        edge_weight=edges[:, 2],
        node_labels=np.arange(1, len(nodes) + 1),
        origin="drawing",
    )
    return Input("drawn graph", graph, nodes[:, :2] * [1, -1])


def _is_drawn(row: object) -> bool:
    """Tell whether a row of a drawing has three numbers."""
    if not isinstance(row, list) or len(row) != 3:
        return False
    return all(type(each) in {int, float} and abs(each) < MOST_WEIGHT for each in row)


def annealed_frames(instance: Instance, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield what to write above a frame, and the probabilities [num_nodes], while mean-field annealing cools down."""
    from annealco.search.mean_field import as_temperatures, mean_field_annealing

    schedule = as_temperatures(instance, None, NUM_SWEEPS, 1.0)
    for frame in range(1, NUM_FRAMES + 1):
        sweeps = frame * NUM_SWEEPS // NUM_FRAMES
        # The same seed takes the same steps: after its first sweeps a run is where the whole one is by then.
        probability = mean_field_annealing(instance, schedule=schedule[:sweeps], seed=seed)
        yield f"mean field, τ = {schedule[sweeps - 1, 0]:.3g}", probability


def network_frames(problem: Problem, graph: Graph, instance: Instance, seed: int) -> Iterator[tuple[str, FloatArray]]:
    """Yield the same of the network of the package after more and more steps."""
    import numpy as np

    from annealco.solving.solve import find_model

    model: Any = find_model("auto", problem)
    for steps in NETWORK_STEPS:
        logits = model.with_settings(num_restarts=1, num_steps=steps, seed=seed)(graph, instance)
        yield f"network, step {steps}", 1 / (1 + np.exp(-logits[-1].astype(np.float64)))


def improved(given: Input, problem: Problem, options: dict[str, Any], seconds: float, seed: int) -> Iterator[Solution]:
    """Yield better and better solutions of one graph; each part of the search begins with the best set so far."""
    from annealco.solving.solution import gap_between
    from annealco.solving.solve import solve

    found: Any = None
    spent, part = 0.0, FIRST_ROUND
    while spent < seconds:
        limit = min(part, seconds - spent)
        last, found = found, solve(given.graph, problem, time_limit=limit, start=found, seed=seed, **options)
        seed += 1
        bounds = [each.bound for each in (last, found) if each is not None and each.bound is not None]
        if bounds and not found.optimal:
            best = min(bounds) if problem.sense == "max" else max(bounds)
            gap = gap_between(found.value, best)
            found = replace(found, bound=best, gap=gap, optimal=gap == 0)
        spent += limit
        yield replace(found, graph=given.name, seconds=spent)
        if found.optimal:
            return
        part *= 2


def probability_figure(given: Input, places: FloatArray | None, title: str, probability: FloatArray) -> Figure:
    """Draw the probability of each node as its colour; of a graph too large to draw, how many nodes have which."""
    import numpy as np
    from matplotlib.collections import LineCollection

    from annealco.plotting.style import label_axes, new_figure

    figure = new_figure(5.0, 4.4)
    axes = figure.add_subplot()
    if places is not None and len(places):
        wide, high = np.ptp(places, axis=0) + 1
        figure.set_size_inches(5.0, 0.6 + float(np.clip(4.0 * high / wide, 1.8, 4.0)))
    if places is None:
        axes.hist(probability, bins=20, range=(0, 1), color="#0072B2")
        label_axes(axes, title=title, x="φ, the probability of a node", y="nodes")
        return figure
    edges = list(places[given.graph.edges.T])
    # Few edges are drawn as lines that can be seen, many as a background.
    clear = float(np.clip(10 / np.sqrt(max(len(edges), 1)), 0.4, 1.0))
    axes.add_collection(LineCollection(edges, colors="#909090", linewidths=1.4 * clear, alpha=clear, zorder=1))
    size = min(160.0, 9000 / max(given.graph.num_nodes, 1))
    shown = axes.scatter(
        places[:, 0], places[:, 1], c=probability, s=size, cmap="cividis", vmin=0, vmax=1, edgecolors="k", zorder=2
    )
    axes.set(aspect="equal")
    axes.set_title(title, fontsize=10)
    axes.axis("off")
    figure.colorbar(shown, ax=axes, label="φ, the probability of a node", shrink=0.8)
    return figure


def set_figure(given: Input, solution: Solution) -> Figure:
    """Draw a set as `Solution.plot` does, smaller: half of a page is narrower than what that is drawn for."""
    from matplotlib import rc_context

    from annealco.plotting.solutions import picture

    with rc_context({"font.size": 8}):
        figure = picture(given.graph, solution, places=given.places)
    wide, high = figure.get_size_inches()
    # Title and legend stay as high as they are.
    figure.set_size_inches(0.8 * wide, 0.8 * high + 0.4)
    return figure


def progress_figure(solutions: list[Solution]) -> Figure:
    """Draw value and bound over the seconds of the search, from 0 to a little behind the last."""
    from matplotlib.ticker import MaxNLocator

    from annealco.plotting.style import COLOURS, label_axes, new_figure

    figure = new_figure(5.0, 3.0)
    axes = figure.add_subplot()
    end = 1.15 * max(each.seconds for each in solutions)
    values = [(each.seconds, each.value) for each in solutions]
    bounds = [(each.seconds, each.bound) for each in solutions if each.bound is not None]
    if bounds:
        # Wide and hollow below the values: where both are the same, both are seen.
        points = zip(*bounds, (end, bounds[-1][1]), strict=True)
        style: dict[str, Any] = {
            "marker": "s",
            "markersize": 10,
            "markerfacecolor": "none",
            "linewidth": 4,
            "alpha": 0.5,
        }
        axes.step(*points, where="post", color=COLOURS[0], markevery=range(len(bounds)), label="bound", **style)
    points = zip(*values, (end, values[-1][1]), strict=True)
    axes.step(*points, where="post", color=COLOURS[1], marker="o", markevery=range(len(values)), label="value")
    label_axes(axes, title="best value and proven bound", x="seconds of search", y="")
    axes.set_xlim(0, end)
    if all(float(value).is_integer() for _, value in [*values, *bounds]):
        axes.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.legend(fontsize=8)
    return figure


def page() -> None:
    """Write the page; Streamlit calls this after every change of an input."""
    import streamlit as st

    from annealco.errors import InputError

    st.set_page_config(page_title="annealco", layout="wide")
    st.title("annealco")
    try:
        given, problem, options = inputs(st)
        with st.sidebar:
            seconds = st.slider("Seconds of search", 1, MOST_SECONDS, 3)
            seed = int(st.number_input("Seed", 0, 2**31 - 1, 0))
            watched = st.radio("Watch", WATCHED, horizontal=True)
        st.caption(f"{problem.title}: {given.graph.num_nodes:,} nodes, {given.graph.num_edges:,} edges")
        is_wanted = st.button("Solve", type="primary")
        if is_wanted:
            st.session_state.pop("answer", None)
            answer = run(st, given, problem, options, seconds=seconds, seed=seed, watched=watched)
            st.session_state["answer"] = answer
        elif "answer" in st.session_state and st.session_state["answer"].is_of(given, problem, options):
            answer = st.session_state["answer"]
            show(st, answer)
        else:
            st.caption("Problem, graph and settings are chosen at the left; on a narrow screen » opens them.")
            st.stop()
        tell(st, answer)
    except InputError as error:
        # Not as Markdown: names and labels are the user's, and could hold pictures of other servers.
        st.error("This cannot be solved:")
        st.code(str(error), language=None, wrap_lines=True)


def inputs(st: Any) -> tuple[Input, Problem, dict[str, Any]]:
    """Ask for a graph, a problem and its options."""
    from annealco.errors import InputError
    from annealco.problems import PROBLEMS

    with st.sidebar:
        name = st.selectbox("Problem", list(PROBLEMS), format_func=lambda each: f"{each}: {PROBLEMS[each].title}")
        problem = PROBLEMS[name]
        written = {option.name: st.text_input(option.name, help=option.help) for option in problem.options}
        source = st.radio("Graph", ["example", "upload", "type", "draw"], horizontal=True)
        if source == "example":
            given = EXAMPLES[st.selectbox("Example", list(EXAMPLES))]()
        elif source == "upload":
            formats = "CSV, edge list, DIMACS, METIS, GraphML, npz and others"
            file = st.file_uploader(f"A file of at most {MOST_MEGABYTES} MB: {formats}")
            if file is None:
                st.stop()
            given = read_upload(file.name, file.getvalue(), problem)
        elif source == "type":
            text = st.text_area("Edges, one per line", "a b\nb c\nc d\nd a\nd e", max_chars=100_000)
            given = read_typed(text, problem)
    if source == "draw":
        given = drawn_by_hand(st)
    options = {}
    for option in problem.options:
        if written[option.name]:
            try:
                options[option.name] = option.parse(written[option.name])
            except InputError as error:
                raise InputError(f"{option.name}: {error}") from None
    return given, problem, problem.with_labels(options, given.graph)


def drawn_by_hand(st: Any) -> Input:
    """Show a canvas to draw a graph on, and return what is on it."""
    html, script = (Path(__file__).with_name(f"drawing.{kind}").read_text(encoding="utf-8") for kind in ("html", "js"))
    canvas = st.components.v2.component("annealco_drawing", html=html, js=script)
    st.caption(
        "Click on the canvas for a node. Click two nodes one after the other to join them, or to part them. "
        "Click a node or an edge to weight or remove it."
    )
    # The canvas forgets what is on it when another source is chosen; this session does not.
    begun = st.session_state.get("drawing", {"nodes": [], "edges": []})
    told = canvas(key="canvas", data={"drawing": begun, "most": MOST_DRAWN}, on_drawing_change=lambda: None)
    drawing = begun if told.drawing is None else told.drawing
    given = read_drawing(drawing)
    st.session_state["drawing"] = drawing
    if not given.graph.num_nodes:
        st.stop()
    return given


@dataclass(frozen=True)
class Answer:
    """What a run leaves on the page: the solution, and png pictures of probabilities, set and progress.

    Attributes:
        given: what was solved.
        problem: by what name.
        options: of the problem.
    """

    given: Input
    problem: str
    options: dict[str, Any]
    solution: Solution
    probability: bytes
    best: bytes
    progress: bytes

    def is_of(self, given: Input, problem: Problem, options: dict[str, Any]) -> bool:
        """Tell whether this answers what is asked now."""
        return self.problem == problem.name and self.options == options and self.given.graph.equals(given.graph)


def run(
    st: Any, given: Input, problem: Problem, options: dict[str, Any], *, seconds: int, seed: int, watched: str
) -> Answer:
    """Show probabilities that cool down beside the best set so far, and value and bound below it."""
    from annealco.plotting.solutions import SMALL, place_nodes

    left, right = st.columns(2)
    cooling, best, chart = left.empty(), right.empty(), left.empty()
    places = given.places
    if places is None and given.graph.num_nodes <= SMALL:
        places = place_nodes(given.graph)
    instance = problem.posed(options, given.graph).declare(given.graph)
    is_network = watched != WATCHED[0]
    frames = network_frames(problem, given.graph, instance, seed) if is_network else annealed_frames(instance, seed)
    solutions: list[Solution] = []
    searched = improved(given, problem, options, seconds, seed)
    probability = set_picture = progress = b""
    for frame, solution in zip_longest(frames, searched):
        if frame is not None:
            probability = as_png(probability_figure(given, places, *frame))
            cooling.image(probability)
        if solution is not None:
            solutions.append(solution)
            set_picture = as_png(set_figure(given, solution))
            progress = as_png(progress_figure(solutions))
            best.image(set_picture)
            chart.image(progress)
    return Answer(given, problem.name, options, solutions[-1], probability, set_picture, progress)


def show(st: Any, answer: Answer) -> None:
    """Show the pictures of a run that is over."""
    left, right = st.columns(2)
    left.image(answer.probability)
    left.image(answer.progress)
    right.image(answer.best)


def tell(st: Any, answer: Answer) -> None:
    """Write the numbers of an answer, and offer it as files."""
    import json

    found = answer.solution
    columns = st.columns(4)
    columns[0].metric("value", f"{found.value:g}")
    columns[1].metric("bound", "none" if found.bound is None else f"{found.bound:g}")
    columns[2].metric("optimal", "proven" if found.optimal else "not proven")
    columns[3].metric("nodes in the set", len(found.nodes))
    st.caption("The set")
    st.code(
        " ".join(map(str, found.nodes[:MOST_SHOWN])) + (" …" if len(found.nodes) > MOST_SHOWN else ""), language=None
    )
    with tempfile.TemporaryDirectory(prefix="annealco-app-") as folder:
        table = Path(folder) / "set.csv"
        found.save(table)
        lines = table.read_bytes()
    whole = json.dumps(found.to_dict(), indent=1)
    columns = st.columns(4)
    columns[0].download_button("Set as CSV", lines, "set.csv", "text/csv", on_click="ignore")
    columns[1].download_button("Solution as JSON", whole, "solution.json", "application/json", on_click="ignore")
    columns[2].download_button("Picture", answer.best, "solution.png", "image/png", on_click="ignore")


def as_png(figure: Figure) -> bytes:
    """Return a figure as the bytes of a png."""
    content = io.BytesIO()
    with warnings.catch_warnings():
        # Labels may be in scripts that the font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(content, format="png", dpi=110)
    return content.getvalue()


if __name__ == "__main__":
    page()
