"""The problems whose score is what their declaration says: for everything that is about instances."""

from __future__ import annotations

from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem

PRICED = "cut at a price"
CUTS = ("cut", PRICED)

ON_GRAPHS: dict[str, Problem] = {
    name: each for name, each in PROBLEMS.items() if each.takes(Graph.from_edges([[0], [1]]))
}
"""Every problem that takes any graph, by name; those of set systems are checked by the contracts, on their examples."""

SUMS: dict[str, Problem] = {name: each for name, each in ON_GRAPHS.items() if each.at_price is None}
SUMS[PRICED] = PROBLEMS["cut"].with_options(price=0.25)
"""Every problem but quotients, and what a quotient is searched by, by name."""
