"""Solve one graph per problem, train a network with and without annealing, and compare both with search.

python examples/demo.py --out demo

About 30 CPU seconds, up to 70 on a loaded machine. The pictures of the solutions are OUT/PROBLEM-GRAPH.png, those of
the trainings OUT/network-*/run.png; the last picture, OUT/demo.png, has the ratio of every method against its time.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import annealco
from annealco.plotting.solutions import draw_solution
from annealco.plotting.style import COLOURS, MARKS, label_axes, new_figure, write_picture

GRAPHS = Path(__file__).parent / "graphs"

EXAMPLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("mis", "queens.col", {}),
    ("clique", "friends.graphml", {}),
    ("mds", "streets.graph", {}),
    ("cut", "regions.edges", {"seed_node": 205}),
    ("conductance", "regions.edges", {"seed_node": 205}),
    ("vertex_cover", "rooms.gr", {}),
    ("max_cut", "spins.mtx", {}),
    ("ising", "spins.mtx", {}),
    ("qubo", "hours.npz", {}),
    ("set_cover", "crews.npz", {}),
    ("hitting_set", "crews.npz", {}),
)
"""Problem, file, options of the problem."""

SIDE = 6
"""Rows and columns of the board of queens and of the lattice of spins."""

DATA = "rb-small"
RESTARTS, STEPS = 8, (16, 64)
WAYS: dict[str, dict[str, Any]] = {"annealed": {}, "not annealed": {"tau0": 0.0}}
SEARCH_SECONDS = (0.005, 0.02, 0.1)

Curve = list[tuple[float, float]]
"""CPU seconds per graph, and the mean ratio to the optimum that is known."""


def solutions(time_limit: float) -> Iterator[tuple[annealco.Graph, annealco.Solution]]:
    """Solve one graph after the other."""
    for problem, file, options in EXAMPLES:
        graph = annealco.read_graph(GRAPHS / file)
        [solution] = annealco.solve([graph], problem, time_limit=time_limit, **options)
        yield graph, replace(solution, graph=Path(file).stem)


def row(graph: annealco.Graph, solution: annealco.Solution) -> str:
    """Write a line of the table."""
    bound = "-" if solution.bound is None else f"{solution.bound:g}"
    proven = "yes" if solution.optimal else "no"
    sizes = f"{graph.num_nodes:5} {graph.num_edges:6} {solution.value:6g} {bound:>6}"
    return f"{solution.problem:13} {solution.graph:10} {sizes}  {proven:7} {solution.seconds:7.3f}"


def draw(graph: annealco.Graph, solution: annealco.Solution, path: Path) -> None:
    """Draw a solution as what it is: queens on a board, spins on a lattice, other sets in their graph."""
    place = np.array(divmod(np.arange(SIDE * SIDE), SIDE))
    if solution.graph == "queens":
        draw_board(graph, solution, place, path)
    elif solution.graph == "spins":
        draw_spins(graph, solution, place, path)
    else:
        draw_solution(graph, solution, path)


def draw_board(graph: annealco.Graph, solution: annealco.Solution, place: np.ndarray, path: Path) -> None:
    """Draw queens on the squares of the set, [2, num_nodes]."""
    figure = new_figure(4.2, 4.6)
    axes = figure.add_subplot()
    axes.imshow(np.add.outer(np.arange(SIDE), np.arange(SIDE)) % 2, cmap="copper_r", vmin=-0.3, vmax=2.2)
    for label, (across, down) in zip(graph.labels.tolist(), place.T, strict=True):
        if label in solution.nodes:
            axes.text(down, across, "♛", ha="center", va="center", fontsize=30)
    axes.set(xticks=[], yticks=[], title=f"{solution.value:g} queens, at most {solution.bound:g}")
    write_picture(figure, path)


def draw_spins(graph: annealco.Graph, solution: annealco.Solution, place: np.ndarray, path: Path) -> None:
    """Draw spins up and down; couplings of −1 are dashed, and those that are not satisfied are red."""
    figure = new_figure(5.6, 6.0)
    axes = figure.add_subplot()
    up = np.isin(graph.labels, solution.nodes)
    for (u, v), weight in zip(graph.edges.T, graph.edge_weight, strict=True):
        one, other = place[:, u].astype(float), place[:, v].astype(float)
        # Positive weights want their ends apart, in a cut and in the energy Σ J s s alike.
        wanted = weight > 0
        colour = "#707070" if (up[u] != up[v]) == wanted else COLOURS[1]
        # Edges around the torus leave the picture on both sides.
        step = np.where(np.abs(other - one) > 1, -np.sign(other - one), other - one)
        ends = [(one, one + step / 2), (other, other - step / 2)]
        for start, end in ends:
            style = "-" if weight > 0 else (0, (2, 1.5))
            axes.plot([start[1], end[1]], [start[0], end[0]], color=colour, linestyle=style, linewidth=2, zorder=1)
    axes.scatter(place[1], place[0], s=260, c=np.where(up, COLOURS[0], "white"), edgecolors="k", zorder=2)
    for (across, down), is_up in zip(place.T, up, strict=True):
        axes.text(down, across, "↑" if is_up else "↓", ha="center", va="center", color="w" if is_up else "k", zorder=3)
    axes.set(aspect="equal", title=f"{solution.problem}: value {solution.value:g}, bound {solution.bound:g}")
    axes.set_xlabel("solid: +1, dashed: −1, red: not satisfied")
    axes.set(xticks=[], yticks=[])
    write_picture(figure, path)


def curve(methods: str, tests: annealco.Graph, **settings: Any) -> tuple[float, float]:
    """Return the mean CPU seconds and the mean ratio of a method."""
    rows = annealco.bench("mis", tests, methods, **settings)
    return float(np.mean([each["cpu"] for each in rows])), float(np.mean([each["ratio"] for each in rows]))


def compare(out: Path, *, epochs: int, num_graphs: int, num_tests: int) -> dict[str, Curve]:
    """Train with and without annealing, and measure everybody on test graphs."""
    tests = annealco.load_dataset(DATA, "test", count=num_tests)
    found: dict[str, Curve] = {}
    for name, options in WAYS.items():
        folder = out / f"network-{name.replace(' ', '-')}"
        print(f"training a network, {name}: {epochs} epochs of {num_graphs} graphs", flush=True)
        annealco.train(
            "mis",
            DATA,
            epochs=epochs,
            num_graphs=num_graphs,
            num_validation=10,
            validate_every=epochs,
            out=folder,
            force=True,
            progress=False,
            **options,
        )
        found[f"trained here, {name}"] = [
            curve(f"annealed={folder}", tests, restarts=RESTARTS, steps=steps) for steps in STEPS
        ]
    found["network of the package"] = [curve("annealed", tests, restarts=RESTARTS, steps=steps) for steps in STEPS]
    found["greedy"] = [curve("greedy", tests)]
    found["search"] = [curve("search", tests, time_limit=seconds) for seconds in SEARCH_SECONDS]
    return found


def draw_comparison(found: dict[str, Curve], num_tests: int, path: Path) -> None:
    """Draw ratios against CPU seconds."""
    figure = new_figure(7.5, 4.5)
    axes = figure.add_subplot()
    for (name, points), colour, mark in zip(found.items(), COLOURS, MARKS, strict=False):
        axes.plot(*zip(*points, strict=True), color=colour, marker=mark, label=name)
    title = f"independent sets of {num_tests} graphs of {DATA}: share of the optimum"
    label_axes(axes, title=title, x="CPU seconds per graph", y="mean ratio")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    write_picture(figure, path)


def tell(found: dict[str, Curve], path: Path) -> None:
    """Say what is to be seen in the picture."""
    print("\nmethod                      CPU s per graph  mean ratio")
    for name, points in found.items():
        for seconds, ratio in points:
            print(f"{name:27} {seconds:15.4f}  {ratio:10.3f}")
    with_annealing, without = (found[f"trained here, {name}"][-1][1] for name in WAYS)
    print(
        f"\nThe same network, trained as long on the same graphs, reaches {with_annealing:.3f} of the optimum with "
        f"annealing and {without:.3f} without.\nThe network of the package was trained for longer. Search needs no "
        f"training and is better than both.\nThe picture: {path}"
    )


def main() -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the pictures and networks")
    parser.add_argument("--time-limit", type=float, default=0.5, help="seconds per graph")
    parser.add_argument("--graphs", type=int, default=200, help="to train on")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--test-graphs", type=int, default=10)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    print("problem       graph      nodes  edges  value  bound  optimal seconds")
    for graph, solution in solutions(given.time_limit):
        print(row(graph, solution), flush=True)
        draw(graph, solution, given.out / f"{solution.problem}-{solution.graph}.png")
    print(f"Pictures: {given.out}/PROBLEM-GRAPH.png\n")
    found = compare(given.out, epochs=given.epochs, num_graphs=given.graphs, num_tests=given.test_graphs)
    draw_comparison(found, given.test_graphs, given.out / "demo.png")
    tell(found, given.out / "demo.png")


if __name__ == "__main__":
    main()
