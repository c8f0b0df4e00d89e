"""Hypothesis strategies that draw graphs, for the tests of every layer.

Weights are multiples of 1/4 of small size: their sums are exact in floating point, so tests may compare with ``==``.
"""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from annealco.graph.graph import Graph


@st.composite
def single_graphs(
    draw: st.DrawFn, min_nodes: int = 0, max_nodes: int = 8, weighted: bool = False, signed: bool = False
) -> Graph:
    """Draw one graph: any set of edges, or one of the extremes (no edges, complete, a star)."""
    num_nodes = draw(st.integers(min_nodes, max_nodes))
    pairs = list(combinations(range(num_nodes), 2))
    star = [pair for pair in pairs if pair[0] == 0]
    some = st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)).map(
        lambda kept: [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
    )
    chosen = draw(some | st.sampled_from([[], pairs, star]))
    edges = [[u for u, _ in chosen], [v for _, v in chosen]]
    if not weighted:
        return Graph.from_edges(edges, num_nodes)
    return Graph.from_edges(
        edges,
        num_nodes,
        node_weight=draw(_weights(num_nodes, smallest=0)),
        edge_weight=draw(_weights(len(chosen), smallest=-20 if signed else 0)),
    )


def graphs(
    *, min_nodes: int = 0, max_nodes: int = 8, weighted: bool = False, signed: bool = False, many: bool = False
) -> st.SearchStrategy[Graph]:
    """Draw a `Graph`; the empty graph, single nodes, isolated nodes, complete graphs and stars are among them.

    Args:
        min_nodes: fewest nodes of a graph; 0 allows the empty graph.
        max_nodes: most nodes of a graph.
        weighted: draw node weights in 0..5 and edge weights in 0..5, zeros included; otherwise all weigh 1.
        signed: with `weighted`, draw edge weights in -5..5 instead.
        many: draw a batch of one to four graphs instead of a single one.
    """
    one = single_graphs(min_nodes=min_nodes, max_nodes=max_nodes, weighted=weighted, signed=signed)
    return st.lists(one, min_size=1, max_size=4).map(Graph.batch) if many else one


def permutations(graph: Graph) -> st.SearchStrategy[list[int]]:
    """Draw a permutation [num_nodes] of a batch's nodes that keeps every node in its graph."""
    spans = zip(graph.node_ptr[:-1].tolist(), graph.node_ptr[1:].tolist(), strict=True)
    parts = [st.permutations(range(start, stop)) for start, stop in spans]
    return st.tuples(*parts).map(lambda drawn: [node for part in drawn for node in part])


def _weights(count: int, smallest: int) -> st.SearchStrategy[list[float]]:
    quarters = st.integers(smallest, 20).map(lambda number: number / 4)
    return st.lists(quarters, min_size=count, max_size=count)
