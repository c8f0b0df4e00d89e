from __future__ import annotations

import pytest

from annealco.graph.datasets.real import REAL
from annealco.graph.datasets.registry import DATASETS


def test_sets_without_an_archive_are_the_two_that_stand_in_for_sf295() -> None:
    assert [each.name for each in REAL if each.stored.url is None] == ["sf295-subset", "nci60"]
    assert all((each.stored.url is None) == (each.stored.convert is None) for each in REAL)


def test_parts_and_stand_ins_say_so() -> None:
    subset, stand_in = DATASETS["sf295-subset"], DATASETS["nci60"]
    assert "a part only" in subset.title
    assert "A part only" in subset.note
    assert "stand-in" in stand_in.title
    assert "stand-in" in stand_in.note
    assert subset.published is None
    assert stand_in.published is None


@pytest.mark.parametrize("dataset", [each for each in REAL if each.published], ids=lambda each: each.name)
def test_sizes_agree_with_the_published_ones_up_to_loops(dataset) -> None:
    graphs, nodes, edges = dataset.published
    assert (graphs, nodes) == (dataset.graphs, dataset.mean_nodes)
    loops = {"collab": 2837, "twitter": 22}.get(dataset.name, 0)
    # The published mean of Twitter is smaller than that with all its loops by 0.01.
    assert edges == pytest.approx(dataset.mean_edges + loops / graphs, abs=0.015)


def test_the_cut_protocol_has_its_numbers_of_seeds() -> None:
    seeds = {each.name: each.cut_seeds for each in REAL if each.cut_seeds}
    assert seeds == {"twitter": 30, "facebook": 100, "sf295": 10, "sf295-subset": 10, "nci60": 10}
