"""Solvers of others behind one function, so that a benchmark can treat them all alike.

``peer.build(graph, problem)`` writes the graph down as the solver wants it and returns ``run(seconds, seed)``, which
solves. Only ``run`` is timed: what a Python interface costs is not held against a solver. Ours is timed from the graph.
"""

from __future__ import annotations

from peers.answer import Peer
from peers.baselines import annealco, external, networkx_approximation
from peers.exact import cp_sat, gurobi, highs, scip

INDEPENDENT = frozenset({"mis", "clique", "vertex_cover"})
COVERING = INDEPENDENT | {"mds"}
NETWORKX = INDEPENDENT - {"vertex_cover"}

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in [
        Peer("annealco", "annealco", annealco, COVERING),
        Peer("cp-sat", "ortools", cp_sat, COVERING, pinned=True),
        Peer("highs", "highspy", highs, COVERING),
        Peer("scip", "pyscipopt", scip, COVERING),
        Peer("gurobi", "gurobipy", gurobi, COVERING, is_open=False),
        # A neighbourhood of more than two nodes is no quadratic term: no dominating sets here.
        Peer("dwave-sa", "dwave.samplers", external("dwave"), INDEPENDENT),
        Peer("online-mis", "chszlablib", external("kamis", "build_online_mis"), INDEPENDENT, weighted=False),
        Peer(
            "redu-mis",
            "chszlablib",
            external("kamis", "build_redu_mis"),
            INDEPENDENT,
            weighted=False,
            least_seconds=1.0,
            patience=60.0,
        ),
        Peer("chils", "chszlablib", external("kamis", "build_chils"), INDEPENDENT, unweighted=False),
        # networkx's own dominating set is wrong up to 3.6.1 (70 nodes where 28 do): not a peer for it.
        Peer("networkx", "networkx", networkx_approximation, NETWORKX, weighted=False, anytime=False, most_nodes=500),
    ]
}
"""The solvers by name."""

__all__ = ["PEERS", "Peer"]
