from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annealco.graph.errors import InputError
from annealco.graph.generators import barabasi_albert
from annealco.graph.operations import connected_components


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), attachment=st.integers(1, 6), grown=st.integers(1, 40))
def test_edges_degrees_and_connection(seed: int, attachment: int, grown: int) -> None:
    nodes = attachment + grown
    graph = barabasi_albert(np.random.default_rng(seed), num_nodes=nodes, attachment=attachment)
    assert graph.num_nodes == nodes
    assert graph.num_edges == (nodes - attachment) * attachment
    assert np.count_nonzero(graph.degree >= attachment) >= grown
    assert connected_components(graph).max() == 0


def test_choices_are_proportional_to_degree() -> None:
    # With one edge a node, three nodes are a path; the fourth makes it a star with probability 2/4.
    rng = np.random.default_rng(2)
    stars = sum(barabasi_albert(rng, num_nodes=4, attachment=1).degree.max() == 3 for _ in range(800))
    assert stars / 800 == pytest.approx(0.5, abs=4 * math.sqrt(0.25 / 800))


def test_degrees_are_distributed_as_in_networkx() -> None:
    rng = np.random.default_rng(3)
    ours, theirs = [], []
    for seed in range(120):
        ours.append(barabasi_albert(rng, num_nodes=250, attachment=4).degree)
        theirs.append([degree for _, degree in nx.barabasi_albert_graph(250, 4, seed=seed).degree])
    first, second = np.array(ours), np.array(theirs)
    for statistic in (lambda degree: degree.max(axis=1), lambda degree: (degree**2).mean(axis=1)):
        assert stats.ttest_ind(statistic(first), statistic(second), equal_var=False).pvalue > 1e-3
    for value in (4, 5, 8, 15):
        counts = [(degree == value).sum(axis=1) for degree in (first, second)]
        assert stats.ttest_ind(*counts, equal_var=False).pvalue > 1e-3


def test_node_numbers_do_not_tell_the_age() -> None:
    rng = np.random.default_rng(4)
    largest = [int(np.argmax(barabasi_albert(rng, num_nodes=100).degree)) for _ in range(100)]
    assert 35 < np.mean(largest) < 65


def test_a_million_nodes() -> None:
    graph = barabasi_albert(np.random.default_rng(5), num_nodes=10**6)
    assert graph.num_edges == (10**6 - 4) * 4
    assert graph.degree.min() >= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_nodes": 4}, "num_nodes must be at least 5, not 4"),
        ({"num_nodes": 4, "attachment": 0}, "attachment must be at least 1, not 0"),
        ({"num_nodes": 4.5}, "num_nodes must be an integer, not 4.5"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        barabasi_albert(np.random.default_rng(0), **arguments)
    assert str(caught.value) == message
