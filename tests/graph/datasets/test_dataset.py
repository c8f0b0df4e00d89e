from __future__ import annotations

import pytest

from annealco.graph.datasets.dataset import check_statistics
from annealco.graph.datasets.registry import DATASETS
from annealco.graph.errors import InputError
from tests.graph.datasets.samples import paths, small_set


def test_the_right_size_passes() -> None:
    check_statistics(small_set(), paths(), "here")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graphs": 11}, "here: paths has 11 graphs, this has 10"),
        ({"mean_nodes": 6.51}, "here: paths has 6.51 nodes on average, this has 6.50"),
        ({"mean_edges": 5.49}, "here: paths has 5.49 edges on average, this has 5.50"),
    ],
)
def test_another_size_is_named(changes: dict[str, float], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_statistics(small_set(**changes), paths(), "here")
    assert str(caught.value) == message


def test_how_a_set_is_had_is_asked_of_the_right_kind() -> None:
    assert (DATASETS["collab"].kind, DATASETS["rb-small"].kind) == ("real", "synthetic")
    assert DATASETS["collab"].stored.file == "COLLAB.npz"
    assert DATASETS["rb-small"].drawn.generator == "rb-small"
    with pytest.raises(InputError, match="collab is read from a file"):
        _ = DATASETS["collab"].drawn
    with pytest.raises(InputError, match="rb-small is drawn"):
        _ = DATASETS["rb-small"].stored
