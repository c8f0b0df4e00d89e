"""Tell networkx what the backend ``annealco`` can do; this runs at every ``import networkx`` and imports nothing."""

from __future__ import annotations

from typing import Any

PARAMETERS = {
    "time_limit : float, optional (default: 0.3)": "Seconds to search; less where the set is proven optimal before.",
    "restarts : int, optional (default: 1)": "Number of starts; they share the time limit.",
    "seed : int, optional (default: 0)": "Seed of all random choices.",
    "num_threads : int, optional": "Restarts that run at once, all processors by default.",
}
"""What every function takes beyond the arguments networkx knows."""

FUNCTIONS = {
    "maximum_independent_set": "A large independent set by decoding and local search; all nodes weigh 1.",
    "max_clique": "A large clique by decoding and local search, without building the complement; all nodes weigh 1.",
    "min_weighted_dominating_set": "A light dominating set by decoding and local search; weights must not be negative.",
    "min_weighted_vertex_cover": "A light vertex cover by decoding and local search; weights must not be negative.",
}
"""The functions of networkx that the backend has, and how it does them."""


def get_info() -> dict[str, Any]:
    """Return what networkx prints in the documentation of its functions."""
    return {
        "backend_name": "annealco",
        "project": "annealco",
        "package": "annealco",
        "short_summary": "Sets of nodes by energies, decoding and local search.",
        "functions": {
            name: {"additional_docs": text, "additional_parameters": PARAMETERS} for name, text in FUNCTIONS.items()
        },
    }
