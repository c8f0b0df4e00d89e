"""The approximations that networkx itself offers."""

from __future__ import annotations

from annealco.graph.graph import Graph
from peers.answer import Answer, Run
from peers.independent import as_answer


def networkx_approximation(graph: Graph, problem: str) -> Run:
    """Build a networkx graph; its algorithms know neither time limits nor seeds."""
    import networkx as nx
    from networkx.algorithms import approximation

    theirs = nx.empty_graph(graph.num_nodes)
    theirs.add_edges_from(graph.edges.T.tolist())

    def run(seconds: float, seed: int) -> Answer:  # noqa: ARG001 (it knows neither)
        if problem == "clique":
            return as_answer(graph, problem, approximation.max_clique(theirs))
        return as_answer(graph, problem, approximation.maximum_independent_set(theirs))

    return run
