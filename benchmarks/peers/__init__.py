"""Solvers of others behind one function, so that a benchmark can treat them all alike.

``peer.build(graph, problem)`` writes the graph down as the solver wants it and returns ``run(seconds, seed)``, which
solves. Only ``run`` is timed: what a Python interface costs is not held against a solver. Ours is timed from the graph.
"""

from __future__ import annotations

from peers.annealing import simulated_annealing
from peers.answer import Peer
from peers.exact import cp_sat, gurobi, highs, scip
from peers.kamis import chils, online_mis, redu_mis
from peers.networkx_approximation import networkx_approximation
from peers.ours import annealco

INDEPENDENT = frozenset({"mis", "clique", "vertex_cover"})
COVERING = INDEPENDENT | {"mds"}

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in [
        Peer("annealco", "annealco", annealco, COVERING),
        Peer("cp-sat", "ortools", cp_sat, COVERING, pinned=True),
        Peer("highs", "highspy", highs, COVERING),
        Peer("scip", "pyscipopt", scip, COVERING),
        Peer("gurobi", "gurobipy", gurobi, COVERING, is_open=False),
        # A neighbourhood of more than two nodes is no quadratic term: no dominating sets here.
        Peer("dwave-sa", "dwave.samplers", simulated_annealing, INDEPENDENT),
        Peer("online-mis", "chszlablib", online_mis, INDEPENDENT, weighted=False),
        Peer("redu-mis", "chszlablib", redu_mis, INDEPENDENT, weighted=False, least_seconds=1.0, patience=60.0),
        Peer("chils", "chszlablib", chils, INDEPENDENT, unweighted=False),
        # networkx's own dominating set is wrong up to 3.6.1 (70 nodes where 28 do): not a peer for it.
        Peer(
            "networkx", "networkx", networkx_approximation, INDEPENDENT, weighted=False, anytime=False, most_nodes=500
        ),
    ]
}
"""The solvers by name."""

__all__ = ["PEERS", "Peer"]
