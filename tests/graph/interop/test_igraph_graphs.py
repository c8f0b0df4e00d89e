from __future__ import annotations

import igraph
import pytest
from hypothesis import given

from annealco.graph.errors import InputError
from annealco.graph.graph import Graph
from annealco.graph.interop import from_igraph, to_igraph
from tests.graph.interop.examples import LABELS, labelled_graphs


@given(labelled_graphs(LABELS))
def test_igraph_gives_back_what_it_was_given(graph: Graph) -> None:
    assert from_igraph(to_igraph(graph)).equals(graph)


def test_igraph_names_are_labels_and_none_weighs_one() -> None:
    source = igraph.Graph([(1, 2)])
    source.vs[1]["weight"] = 7
    assert from_igraph(source).node_labels is None
    assert from_igraph(source).node_weight.tolist() == [1, 7, 1]
    source.vs["name"] = ["x", "y", "z"]
    assert from_igraph(source, node_weight=None).labels.tolist() == ["x", "y", "z"]
    assert from_igraph(source, node_weight=None).node_weight.tolist() == [1, 1, 1]
    source.vs["name"] = ["x", "y", "x"]
    with pytest.raises(InputError, match="igraph graph: node labels must be unique"):
        from_igraph(source)
