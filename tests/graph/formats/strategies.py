"""Hypothesis strategies that draw graphs with what a format can hold, weights of any size included."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from annealco.graph.formats import Content
from annealco.graph.formats.text import are_integers
from annealco.graph.graph import Graph
from annealco.graph.operations import induced_subgraph
from tests.graph.strategies import graphs

ANY_WEIGHT = st.floats(-1e300, 1e300)
XML_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=5)
PLAIN_WORDS = st.text("abcé_-|'", min_size=1, max_size=4).filter(lambda word: not word.startswith("-"))
"""What edge lists and adjacency lists can name nodes by: words without blanks that are no numbers."""

CELLS = XML_TEXT.map(str.strip).filter(bool)
"""What tables can name nodes by."""

WORDS = {"edgelist": PLAIN_WORDS, "adjlist": PLAIN_WORDS, "csv": CELLS, "tsv": CELLS}


@st.composite
def holdable(draw: st.DrawFn, holds: Content, name: str = "") -> Graph:
    """Draw graphs that a format holds: labels, weights, isolated nodes, empty and several graphs where it can.

    Args:
        draw: of hypothesis.
        holds: what the format can hold.
        name: of the format, where its words are special.
    """
    smallest = 0 if Content.NO_NODES in holds else 1
    plain = draw(graphs(min_nodes=smallest, many=Content.SEVERAL_GRAPHS in holds))
    if Content.ISOLATED_NODES not in holds:
        plain = induced_subgraph(plain, np.flatnonzero(plain.degree))
    return Graph.from_edges(
        plain.edges,
        node_ptr=plain.node_ptr,
        node_weight=draw(_weights(plain.num_nodes, holds & Content.NODE_WEIGHTS, abs)),
        edge_weight=draw(_weights(plain.num_edges, holds & Content.EDGE_WEIGHTS, float)),
        node_labels=draw(_labels(plain, holds, name)),
    )


def _weights(count: int, held: Content, sign: Any) -> st.SearchStrategy[list[float] | None]:
    some = st.lists((ANY_WEIGHT | st.integers(-3, 3)).map(sign), min_size=count, max_size=count)
    return st.none() | some if held else st.none()


def _labels(graph: Graph, holds: Content, name: str) -> st.SearchStrategy[Any]:
    sizes = np.diff(graph.node_ptr).tolist()
    choices: list[st.SearchStrategy[Any]] = [st.none()]
    if Content.LABELS_FROM_ONE in holds and len(sizes) == 1:
        choices.append(st.just(list(range(1, graph.num_nodes + 1))))
    if Content.INTEGER_LABELS in holds:
        choices.append(_unique(st.integers(0, 2**31 - 1), sizes, sort=True))
    if Content.TEXT_LABELS in holds:
        # Text that is all digits would come back as integers where a file has text only, and is refused there.
        named = _unique(WORDS.get(name, XML_TEXT), sizes).filter(lambda names: not names or not are_integers(names))
        choices.append(named)
        if name not in {"edgelist", "adjlist"}:
            choices.append(_unique(st.integers(-(2**63), 2**63 - 1), sizes))
    return st.one_of(choices)


def _unique(labels: st.SearchStrategy[Any], sizes: list[int], sort: bool = False) -> st.SearchStrategy[list[Any]]:
    parts = [st.lists(labels, min_size=size, max_size=size, unique=True) for size in sizes]
    return st.tuples(*parts).map(lambda drawn: [name for part in drawn for name in (sorted(part) if sort else part)])
