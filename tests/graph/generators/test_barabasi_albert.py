from __future__ import annotations

import hashlib
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annealco._core import Clock, preferential_attachment
from annealco.errors import InputError
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


def attach(rng: np.random.Generator, num_nodes: int, attachment: int) -> np.ndarray:
    return preferential_attachment(rng.bit_generator, num_nodes, attachment, Clock())


def plain_attach(rng: np.random.Generator, num_nodes: int, attachment: int) -> list[tuple[int, int]]:
    """The same model in plain Python, draw by draw."""
    edges = [(0, leaf) for leaf in range(1, attachment + 1)]
    for node in range(attachment + 1, num_nodes):
        ends = [end for edge in edges for end in edge]
        chosen: list[int] = []
        while len(chosen) < attachment:
            neighbour = ends[int(rng.random() * len(ends))]
            if neighbour not in chosen:
                chosen.append(neighbour)
        edges += [(neighbour, node) for neighbour in chosen]
    return edges


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
@pytest.mark.parametrize(("nodes", "attachment"), [(2, 1), (60, 1), (5, 4), (6, 4), (200, 4), (40, 20)])
def test_numbers_are_drawn_from_the_generator_one_by_one(bits, nodes: int, attachment: int) -> None:
    one, other = np.random.Generator(bits(7)), np.random.Generator(bits(7))
    assert list(map(tuple, attach(one, nodes, attachment).tolist())) == plain_attach(other, nodes, attachment)
    # Not one number more: what is drawn next is the same.
    assert one.random() == other.random()


def test_a_seed_gives_the_same_bytes_as_ever() -> None:
    graph = barabasi_albert(np.random.default_rng(11), num_nodes=1000, attachment=3)
    assert hashlib.sha256(graph.edges.tobytes()).hexdigest()[:16] == "fb7f0ad2071c2ec6"


@pytest.mark.parametrize("attachment", [1, 3, 8])
def test_a_star_grows_by_distinct_older_neighbours(attachment: int) -> None:
    edges = attach(np.random.default_rng(1), 50, attachment)
    assert edges[:attachment].tolist() == [[0, leaf] for leaf in range(1, attachment + 1)]
    for node in range(attachment + 1, 50):
        own = edges[edges[:, 1] == node, 0]
        assert len(set(own.tolist())) == len(own) == attachment
        assert own.max() < node


def test_a_new_node_chooses_by_the_degrees_before_it() -> None:
    # A star of two leaves: the centre has half of all edge ends. The fourth node leaves out one of the three, a leaf
    # with probability 1/2 · 1/2 (leaf after centre) + 1/4 · (1/2)/(3/4) (centre after the other leaf), twice that for
    # either leaf; the centre otherwise.
    drawn = [attach(np.random.default_rng(seed), 4, 2)[2:, 0].tolist() for seed in range(4000)]
    without_centre = np.mean([0 not in neighbours for neighbours in drawn])
    expected = 1 - 2 * (1 / 2 * 1 / 2 + 1 / 4 * (1 / 2) / (3 / 4))
    assert without_centre == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))


def test_what_cannot_be_grown_is_refused() -> None:
    rng = np.random.default_rng(0)
    for nodes, attachment in ((4, 4), (4, 0), (2**40, 1)):
        with pytest.raises(ValueError, match=r"attachment|nodes"):
            attach(rng, nodes, attachment)
    with pytest.raises(TypeError, match="bit generator"):
        preferential_attachment(rng, 5, 2, Clock())  # type: ignore[arg-type]
