import numpy as np
import pytest
from instances import FAMILIES, draw, planted_optimum


def test_twenty_families_half_of_them_weighted():
    assert len(FAMILIES) == 20
    assert sum(family.weighted for family in FAMILIES.values()) == 10
    assert {family.problem for family in FAMILIES.values()} == {"mis", "clique", "mds"}


@pytest.mark.parametrize("name", ["mis-rb-small", "clique-rb-small", "mds-ba-small-weighted"])
def test_graphs_are_the_same_again_and_differ_by_index(name):
    first = draw(name, 0)
    other = draw(name, 1)
    draw.cache_clear()
    assert draw(name, 0).equals(first)
    assert not other.equals(first)


def test_weights_are_integers_from_1_to_100():
    weight = draw("mds-ba-small-weighted", 0).node_weight
    assert np.array_equal(weight, np.round(weight))
    assert weight.min() >= 1
    assert weight.max() <= 100
    assert len(np.unique(weight)) > 50


@pytest.mark.parametrize("name", ["mis-rb-small", "clique-rb-small"])
def test_planted_optimum_is_reached_by_the_planted_set(name):
    graph = draw(name, 3)
    planted = np.flatnonzero(graph.node_data["planted"]).tolist()
    assert FAMILIES[name].declared.score(graph, planted) == planted_optimum(name, 3) == len(planted)


def test_nothing_is_planted_elsewhere():
    for name in ("mis-rb-small-unforced", "mis-rb-small-weighted", "mds-ba-small"):
        assert planted_optimum(name, 0) is None
