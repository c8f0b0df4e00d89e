"""Count, on small random graphs, what each reading of the paper's text would do: the evidence in docs/mathematics.md.

python benchmarks/errata.py            # prints the tables, seed 0, about a minute
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from annealco.energy import AllPairs, Constraint, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.energy.terms import with_coefficient
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.problems.contract import TOLERANCE, EnumeratedCase

NUM_GRAPHS = 300
Change = Callable[[Instance, Graph], Instance]


def random_graph(rng: np.random.Generator, *, weighted: bool) -> Graph:
    """Return a random graph of 3 to 7 nodes, with integer node weights from 1 to 9 where weighted."""
    size = int(rng.integers(3, 8))
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < rng.uniform(0.2, 0.8)
    weight = rng.integers(1, 10, size) if weighted else np.ones(size)
    return Graph.from_edges(np.stack([low[kept], high[kept]]), size, node_weight=weight)


def cases(name: str, *, weighted: bool, change: Change | None = None, seed: int = 0) -> list[EnumeratedCase]:
    """Return a problem on random graphs, its instances changed to another reading."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(NUM_GRAPHS):
        graph = random_graph(rng, weighted=weighted)
        instance = PROBLEMS[name].declare(graph)
        made.append(EnumeratedCase(PROBLEMS[name], graph, change(instance, graph) if change else instance, rng))
    return made


def too_low(case: EnumeratedCase, scale: float = 1.0) -> bool:
    """Tell whether the least energy lies below the least feasible cost."""
    return case.least_energy(scale) < case.best_cost - TOLERANCE * case.scale


def has_infeasible_minimiser(case: EnumeratedCase) -> bool:
    """Tell whether an infeasible assignment has the least energy, even if a feasible one has it too."""
    energies = case.energy.value(case.assignments)[:, 0]
    infeasible = np.array([score is None for score in case.scores])
    return bool((energies[infeasible] <= energies.min() + TOLERANCE).any())


def heavier_end(instance: Instance, graph: Graph) -> Instance:
    """The main text's penalty max{w_i, w_j}; for cliques as a list of pairs."""
    term = instance.constraints[0].term
    if isinstance(term, AllPairs):
        joined = set(map(tuple, graph.edges.T.tolist()))
        apart = [pair for pair in zip(*np.triu_indices(graph.num_nodes, 1), strict=True) if pair not in joined]
        term = Pairs(graph.node_ptr, np.array(apart, dtype=int).reshape(-1, 2).T, np.ones(len(apart)))
    low, high = term.pairs
    weight = np.maximum(graph.node_weight[low], graph.node_weight[high])
    return replace(instance, constraints=(Constraint(term, weight),))


def negative_cost(instance: Instance, graph: Graph) -> Instance:  # noqa: ARG001 (one signature for all readings)
    """The main text's sign of the dominating set's cost."""
    return replace(instance, objective=tuple(with_coefficient(t, -t.coefficient) for t in instance.objective))


def neighbours_only(instance: Instance, graph: Graph) -> Instance:
    """The text's domination, by a neighbour in the set; a node without neighbours may dominate itself."""
    sets = [graph.neighbours(node) if graph.degree[node] else np.array([node]) for node in range(graph.num_nodes)]
    term = Cover(graph.node_ptr, np.cumsum([0, *map(len, sets)]), np.concatenate(sets), np.ones(len(sets)))
    return replace(instance, constraints=(Constraint(term, instance.constraints[0].penalty),))


def one_orientation(instance: Instance, graph: Graph) -> Instance:
    """The cut as a sum over edges stored once, x_u (1 − x_v) w_uv."""
    leaving = np.bincount(graph.edges[0], graph.edge_weight, minlength=graph.num_nodes).astype(float)
    objective = (Linear(graph.node_ptr, leaving), Pairs(graph.node_ptr, graph.edges, -graph.edge_weight))
    return replace(instance, objective=objective)


def count(rows: list[bool]) -> str:
    """Say how many of how many."""
    return f"{sum(rows)} of {len(rows)}"


def penalty_rows() -> list[str]:
    """Count graphs on which a penalty fails, or is larger than needed."""
    rows = []
    for name in ("mis", "clique", "vertex_cover", "mds"):
        plain = cases(name, weighted=True)
        below = [too_low(case, 0.9) for case in plain]
        rows.append(f"| `{name}` | {count([too_low(case) for case in plain])} | {count(below)} |")
    return rows


def heavier_rows() -> list[str]:
    """Count graphs on which max{w_i, w_j} could be lowered to 0.9 of itself."""
    rows = []
    for name in ("mis", "clique"):
        heavy = cases(name, weighted=True, change=heavier_end)
        spare = [bool(case.instance.constraints[0].penalty.size) and not too_low(case, 0.9) for case in heavy]
        rows.append(f"| `{name}` | {count([too_low(case) for case in heavy])} | {count(spare)} |")
    return rows


def reading_rows() -> list[str]:
    """Count graphs on which another reading misses the optimum of the problem as it is defined."""

    def misses(made: list[EnumeratedCase]) -> str:
        return count([not case.same(case.least_energy(1.0), case.best_cost) for case in made])

    return [
        f"| MDS energy with −Σ w_i x_i | {misses(cases('mds', weighted=False, change=negative_cost))} |",
        f"| MDS by open neighbourhoods | {misses(cases('mds', weighted=False, change=neighbours_only))} |",
        f"| cut by one orientation of each edge | {misses(cases('cut', weighted=False, change=one_orientation))} |",
    ]


def tie_rows() -> list[str]:
    """Count unweighted graphs that have an infeasible minimiser at the critical penalty."""
    names = ("mis", "clique", "mds", "vertex_cover")
    return [f"| `{n}` | {count([has_infeasible_minimiser(c) for c in cases(n, weighted=False)])} |" for n in names]


def box_rows() -> list[str]:
    """Count volume boxes for which the least energy of a cut is wrong, by the width of the box."""
    rng = np.random.default_rng(0)
    wide, narrow = [], []
    for _ in range(NUM_GRAPHS):
        graph = random_graph(rng, weighted=False)
        for lower in range(2 * graph.num_edges + 1):
            for upper in range(lower, 2 * graph.num_edges + 1):
                problem = PROBLEMS["cut"].with_options(volume=(lower, upper))
                try:
                    case = EnumeratedCase(problem, graph, problem.declare(graph), rng)
                except InputError:
                    # No set has a volume in this box.
                    continue
                (wide if case.instance.exact is not None and case.instance.exact[0] else narrow).append(too_low(case))
    return [f"| D1 − D0 ≥ d_max − 1 | {count(wide)} |", f"| narrower | {count(narrow)} |"]


def range_rows() -> list[str]:
    """Measure the error of the two approximations of E[(V − D1)_+ + (D0 − V)_+], V of known distribution."""
    rows = []
    for size in (5, 20, 50, 200):
        rng = np.random.default_rng(size)
        errors: dict[str, list[float]] = {"gaussian": [], "plugin": []}
        for _ in range(50):
            weight = rng.integers(1, 9, size).astype(float)
            ptr, logits = np.array([0, size]), torch.tensor(rng.normal(0, 1.5, size))
            spread = float(np.sqrt((weight**2 * (torch.sigmoid(logits) * torch.sigmoid(-logits)).numpy()).sum()))
            mean = float(weight @ torch.sigmoid(logits).numpy())
            lower, upper = np.sort(np.round(mean + rng.normal(0, spread, 2)))
            term = Range(ptr, weight, np.array([lower]), np.array([upper]), np.ones(1), "exact")
            exact = Energy(ptr, (term,)).expectation(logits).item()
            for method, found in errors.items():
                value = Energy(ptr, (replace(term, method=method),)).expectation(logits).item()
                found.append(abs(value - exact) / spread)
        rows.append(f"| {size} | {np.mean(errors['gaussian']):.4f} | {np.mean(errors['plugin']):.4f} |")
    return rows


TABLES = {
    "critical penalty fails / 0.9 of it fails (weighted graphs)": penalty_rows,
    "max{w_i, w_j} fails / 0.9 of it would still do (weighted graphs)": heavier_rows,
    "another reading misses the optimum (unweighted graphs)": reading_rows,
    "an infeasible minimiser exists (unweighted graphs)": tie_rows,
    "least energy of the cut is wrong (unweighted graphs, all boxes)": box_rows,
    "nodes | error of gaussian | error of plug-in (in standard deviations of the volume)": range_rows,
}


def main() -> None:
    """Print every table."""
    for title, rows in TABLES.items():
        print(f"\n{title}")
        print("\n".join(rows()))


if __name__ == "__main__":
    main()
