"""The paper's toy: an independent set of one small graph, found by gradients alone, with annealing and without.

There is no network: the logits of the nodes are free, and Adam lowers E[f] − τ H(Q) from a start that is nearly a
maximal set. At τ = 0 every such set is a local optimum, and it stays. At τ = 1 all φ are pushed to the middle, the
start is forgotten, and as τ falls to 0.5 and 0.1 the nodes with few conflicts win. Gradients carry a little noise, as
in the paper, so that ties are broken.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from annealco.arrays import FloatArray
from annealco.evaluation.bench.rows import NUMBER, NUMBER_OR_NULL, Fields, is_number
from annealco.experiments.figures import FILE, CellRow, read_cells, write_cell
from annealco.experiments.run_folder import Material, RunFolder, Step, as_table
from annealco.graph.graph import Graph
from annealco.plotting.style import check_drawing, new_figure, write_picture
from annealco.problems import PROBLEMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "toy"
POOR = 4
"""Nodes of the poor set: the first ones."""

TEMPERATURES = (1.0, 0.5, 0.1)
STEPS, RATE, NOISE, START = 200, 0.1, 1e-3, 3.0
"""Steps at each temperature, Adam's rate, deviation of the noise, and the size of the first logits."""


def toy_graph() -> Graph:
    """Return the graph: 4 nodes in a ring, pairs of others between two neighbours of the ring, two edges among these.

    The 4 are a maximal independent set, and every other node conflicts with two of them; the best has 6.

    Example:
        >>> toy_graph()
        Graph(12 nodes, 18 edges)
    """
    between = [(node, (node - POOR) // 2) for node in range(POOR, 12)]
    edges = [(place, node) for node, place in between] + [((place + 1) % POOR, node) for node, place in between]
    return Graph.from_edges(np.array([*edges, (4, 6), (8, 10)]).T)


def start_set(graph: Graph, seed: int) -> list[int]:
    """Return a maximal independent set: for seed 0 the poor one, else by a random order."""
    order = range(graph.num_nodes) if seed == 0 else np.random.default_rng(seed).permutation(graph.num_nodes).tolist()
    chosen: list[int] = []
    for node in order:
        if PROBLEMS["mis"].score(graph, [*chosen, node]) is not None:
            chosen.append(node)
    return sorted(chosen)


def descend(graph: Graph, start: Sequence[int], temperatures: Sequence[float], seed: int) -> list[list[float]]:
    """Return the probabilities that gradients lead to, at one temperature after the other, [len(temperatures)][n]."""
    import torch

    from annealco.training.loss import free_energy

    energy = PROBLEMS["mis"].declare(graph).energy()
    logits = torch.full((graph.num_nodes,), -START, dtype=torch.float64)
    logits[list(start)] = START
    logits.requires_grad_()
    optimizer = torch.optim.Adam([logits], lr=RATE)
    generator = torch.Generator().manual_seed(seed)
    found = []
    for temperature in temperatures:
        for _ in range(STEPS):
            optimizer.zero_grad()
            free_energy(energy, logits, temperature).sum().backward()  # type: ignore[no-untyped-call]
            noise = torch.randn(graph.num_nodes, generator=generator, dtype=torch.float64)
            logits.grad = noise * NOISE if logits.grad is None else logits.grad + noise * NOISE
            optimizer.step()
        found.append([round(each, 6) for each in torch.sigmoid(logits.detach()).tolist()])
    return found


def decoded(graph: Graph, probability: Sequence[float]) -> list[int]:
    """Return the set that conditional decoding makes of Q.

    Rounding would not do: at the critical penalty an edge costs as much as a node gains, and its second node is free.
    """
    # Compiled kernels take a while to import: not before something is decoded.
    from annealco.search.decode import decode

    chosen: list[int] = np.flatnonzero(decode(PROBLEMS["mis"].declare(graph), probability, num_threads=1)).tolist()
    return chosen


def size_of(graph: Graph, probability: Sequence[float]) -> float | None:
    """Return the size of the decoded set, None where it is not feasible."""
    return PROBLEMS["mis"].score(graph, decoded(graph, probability))


def best_size(graph: Graph) -> int:
    """Return the size of the largest independent set, by trying all."""
    sizes = range(graph.num_nodes, -1, -1)
    feasible = (
        size
        for size in sizes
        for nodes in combinations(range(graph.num_nodes), size)
        if PROBLEMS["mis"].score(graph, nodes) is not None
    )
    return next(feasible)


class Toy:
    """The experiment."""

    name = NAME
    title = "A toy: gradients with and without annealing"
    parts: tuple[str, ...] = ()

    def plan(self, folder: RunFolder, only: Collection[str] = ()) -> list[Step]:  # noqa: ARG002 (it has no parts)
        """Return a step for each start that has not been tried."""
        check_drawing()
        done = {row["cell"] for row in _starts(folder)}
        return [
            Step(f"start {seed}", 1.0, partial(_try_start, folder, seed))
            for seed in range(folder.scale.toy_seeds)
            if _name(seed) not in done
        ]

    def is_finished(self, folder: RunFolder) -> bool:
        """Tell whether every start has been tried."""
        return not self.plan(folder)

    def missing(self, folder: RunFolder, material: Material) -> list[str]:
        """Return how many starts were not tried yet."""
        left = folder.scale.toy_seeds - len(material[FILE])
        return [f"{left} starts"] if left else []

    def material(self, folder: RunFolder) -> Material:
        """Return how each start ended."""
        rows = sorted(_starts(folder), key=lambda row: row["seed"])
        return {FILE: [{name: value for name, value in row.items() if name != "probability"} for row in rows]}

    def as_markdown(self, material: Material) -> str:
        """Return how many starts ended in an optimum, and a table of all."""
        rows, best = material[FILE], best_size(toy_graph())
        lines = [[str(row["seed"]), *(_words(row[each]) for each in ("start", "plain", "annealed"))] for row in rows]
        found = {each: sum(row[each] == best for row in rows) for each in ("start", "plain", "annealed")}
        said = (
            f"The optimum is {best}. Of {len(rows)} starts, {found['start']} were optimal, gradients at τ = 0 ended in "
            f"{found['plain']} optima, annealed ones in {found['annealed']}."
        )
        table = as_table(["seed", "size of the start", "gradients at τ = 0", "annealed"], lines)
        return f"{said}\n\n{table}"

    def finish(self, folder: RunFolder) -> str:
        """Draw the first start, and return how all of them ended."""
        draw(folder, toy_graph(), min(_starts(folder), key=lambda row: row["seed"]))
        heading = f"# {self.title}: scale {folder.scale.name}"
        return f"{heading}\n\n![{self.title}]({NAME}.png)\n\n{self.as_markdown(self.material(folder))}"


TOY = Toy()


def run_start(seed: int) -> CellRow:
    """Return the line of a start: sizes, and the probabilities at all temperatures."""
    graph = toy_graph()
    start = start_set(graph, seed)
    [plain] = descend(graph, start, [0.0], seed)
    annealed = descend(graph, start, TEMPERATURES, seed)
    return {
        "cell": _name(seed),
        "seed": seed,
        "start": float(len(start)),
        "plain": size_of(graph, plain),
        "annealed": size_of(graph, annealed[-1]),
        "probability": {"0": plain, **{f"{tau:g}": each for tau, each in zip(TEMPERATURES, annealed, strict=True)}},
    }


def _starts(folder: RunFolder) -> list[CellRow]:
    """Return the lines of the starts that were tried."""
    size = toy_graph().num_nodes

    def are_probabilities(value: Any) -> bool:
        wanted = {"0", *(f"{tau:g}" for tau in TEMPERATURES)}
        return (
            isinstance(value, dict) and wanted <= value.keys() and all(_are_shares(value[key], size) for key in wanted)
        )

    fields: Fields = {
        "start": NUMBER,
        **dict.fromkeys(("plain", "annealed"), NUMBER_OR_NULL),
        "probability": (are_probabilities, "probabilities of the nodes at every temperature"),
    }
    return read_cells(folder, {_name(seed): {"seed": seed} for seed in range(folder.scale.toy_seeds)}, fields)


def _are_shares(values: Any, size: int) -> bool:
    return (
        isinstance(values, list) and len(values) == size and all(is_number(each) and 0 <= each <= 1 for each in values)
    )


def _try_start(folder: RunFolder, seed: int) -> None:
    write_cell(folder, run_start(seed))


def _name(seed: int) -> str:
    return f"start-{seed}"


def _words(size: float | None) -> str:
    return "not feasible" if size is None else f"{size:g}"


def places(graph: Graph) -> FloatArray:
    """Return where nodes are drawn, [num_nodes, 2]: the poor set inside, the others around it."""
    angle = np.empty(graph.num_nodes)
    angle[:POOR] = np.arange(POOR) * 2 * np.pi / POOR
    others = np.arange(graph.num_nodes - POOR)
    angle[POOR:] = (others // 2 + 0.5) * 2 * np.pi / POOR + (others % 2 - 0.5) * 0.75
    radius = np.where(np.arange(graph.num_nodes) < POOR, 0.5, 1.0)
    points: FloatArray = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points


def draw(folder: RunFolder, graph: Graph, row: CellRow) -> None:
    """Write four panels: where τ = 0 stays, and φ at falling temperatures, by colour; sets have a ring."""
    figure = new_figure(13.0, 3.9)
    titles = {"0": f"(a) τ = 0: stays at {_words(row['plain'])}"}
    titles |= {f"{tau:g}": f"({letter}) τ = {tau:g}" for letter, tau in zip("bcd", TEMPERATURES, strict=True)}
    last = f"{TEMPERATURES[-1]:g}"
    titles[last] += f": finds {_words(row['annealed'])}"
    panels = figure.subplots(1, len(titles))
    for axes, (tau, title) in zip(panels, titles.items(), strict=True):
        probability = row["probability"][tau]
        shown = _draw_graph(axes, graph, probability, decoded(graph, probability) if tau in {"0", last} else [])
        axes.set_title(title, fontsize=11)
    figure.colorbar(shown, ax=panels, label="φ, the probability of a node", shrink=0.85)
    write_picture(figure, folder.path / f"{NAME}.png")


def _draw_graph(axes: Axes, graph: Graph, probability: Sequence[float], chosen: Sequence[int]) -> Any:
    points = places(graph)
    for first, last in graph.edges.T:
        axes.plot(*points[[first, last]].T, color="#A0A0A0", linewidth=1.2, zorder=1)
    shown = axes.scatter(
        points[:, 0], points[:, 1], c=probability, s=330, cmap="cividis", vmin=0, vmax=1, edgecolors="k", zorder=2
    )
    for (x, y), each in zip(points, probability, strict=True):
        axes.text(x, y, f"{each:.2f}", ha="center", va="center", fontsize=6, color="w" if each < 0.6 else "k", zorder=3)
    ringed = points[list(chosen)]
    axes.scatter(ringed[:, 0], ringed[:, 1], s=520, facecolors="none", edgecolors="#D55E00", linewidths=2, zorder=2)
    axes.set_aspect("equal")
    axes.margins(0.12)
    axes.axis("off")
    return shown
