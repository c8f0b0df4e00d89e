from __future__ import annotations

import numpy as np
import pytest

from annealco.graph.formats.contents import DESCRIPTIONS, Content, contents
from annealco.graph.graph import Graph


def pair(**options):
    return Graph.from_edges([[0], [1]], **options)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (pair(), Content.NOTHING),
        (pair(edge_weight=[0]), Content.EDGE_WEIGHTS),
        (pair(node_weight=[1, 2]), Content.NODE_WEIGHTS),
        (pair(node_weight=[1, 1], edge_weight=[1.0]), Content.NOTHING),
        (pair(node_labels=[0, 1]), Content.NOTHING),
        (pair(node_labels=np.array([1, 2])), Content.LABELS_FROM_ONE),
        (pair(node_labels=[2, 1]), Content.INTEGER_LABELS),
        (pair(node_labels=np.array([3, 9], dtype=np.uint8)), Content.INTEGER_LABELS),
        (pair(node_labels=[np.int32(3), -(2**63)]), Content.INTEGER_LABELS),
        (pair(node_labels=["a", np.str_("b")]), Content.TEXT_LABELS),
        (pair(node_labels=["a", 1]), Content.OTHER_LABELS),
        (pair(node_labels=[1.0, 2.0]), Content.OTHER_LABELS),
        (pair(node_labels=[True, 2]), Content.OTHER_LABELS),
        (pair(node_labels=[2**63, 2]), Content.OTHER_LABELS),
        (Graph.from_edges([], 0), Content.NO_NODES),
        (Graph.from_edges([], 0, node_labels=[]), Content.NO_NODES),
        (Graph.batch([]), Content.NO_GRAPH),
        (Graph.batch([pair(), pair()]), Content.SEVERAL_GRAPHS),
        (Graph.batch([Graph.from_edges([], 0)] * 2), Content.SEVERAL_GRAPHS | Content.NO_NODES),
        (Graph.batch([pair(node_labels=[0, 1]), pair()]), Content.SEVERAL_GRAPHS),
        (Graph.batch([pair(node_labels=[1, 2]), pair()]), Content.SEVERAL_GRAPHS | Content.INTEGER_LABELS),
    ],
)
def test_contents(graph: Graph, expected: Content) -> None:
    assert contents(graph) == expected


def test_every_content_has_a_description() -> None:
    assert set(DESCRIPTIONS) == set(Content)
