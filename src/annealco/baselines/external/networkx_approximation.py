"""The approximations that networkx itself offers; they know neither time limits nor seeds.

``min_weighted_dominating_set`` of networkx up to 3.6.1 chooses by the wrong ratio: it returns 70 nodes where 28 do. The
sets dominate, so it is offered, and every outcome says so.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.baselines.external import BuildInstance, SolveInstance, run_external
from annealco.baselines.method import Assignment, Outcome
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.problems import Problem


class Approximation(NamedTuple):
    """A function of networkx.algorithms.approximation, whether it takes node weights, and whether it is faulty."""

    function: str
    weighted: bool = False
    faulty: bool = False


APPROXIMATIONS = {
    "mis": Approximation("maximum_independent_set"),
    "clique": Approximation("max_clique"),
    "mds": Approximation("min_weighted_dominating_set", weighted=True, faulty=True),
}
"""What networkx has for a problem."""

RIGHT_FROM = (3, 6, 2)


def refuses(problem: Problem, graph: Graph) -> str | None:
    """Refuse other problems, and weights where the function takes none."""
    if problem.name not in APPROXIMATIONS:
        return f"it is for {', '.join(APPROXIMATIONS)} only"
    unit = APPROXIMATIONS[problem.name].weighted or np.all(graph.node_weight == 1)
    return None if unit else "it takes no node weights"


def run(
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,
    start: NDArray[np.bool_] | None = None,
) -> Outcome:
    """Run networkx's own algorithm; see `annealco.baselines.method.SolveGraph`."""
    chosen = APPROXIMATIONS[problem.name]
    build: BuildInstance = partial(build_on_graph, graph=graph, chosen=chosen)
    note = fault() if chosen.faulty else ""
    return run_external(build, problem, graph, budget=budget, seed=seed, threads=threads, start=start, note=note)


def build_on_graph(instance: Instance, *, graph: Graph, chosen: Approximation) -> SolveInstance:
    """Build a networkx graph."""
    import networkx as nx
    from networkx.algorithms import approximation

    theirs = nx.empty_graph(graph.num_nodes)
    theirs.add_edges_from(graph.edges.T.tolist())
    nx.set_node_attributes(theirs, dict(enumerate(graph.node_weight.tolist())), "weight")
    # A backend that somebody has set up, ours even, must not answer in its place.
    options: dict[str, Any] = {"backend": "networkx", **({"weight": "weight"} if chosen.weighted else {})}

    def solve(seconds: float, seed: int) -> Assignment:  # noqa: ARG001 (it knows neither)
        bits = np.zeros(instance.num_nodes, np.bool_)
        bits[list(getattr(approximation, chosen.function)(theirs, **options))] = True
        return bits

    return solve


def fault() -> str:
    """Say that the dominating sets of this version are not what its algorithm should give, where that is so."""
    import networkx as nx

    version = tuple(int(part) for part in nx.__version__.split(".")[:3] if part.isdigit())
    return f"networkx {nx.__version__} chooses dominating nodes by the wrong ratio" if version < RIGHT_FROM else ""
