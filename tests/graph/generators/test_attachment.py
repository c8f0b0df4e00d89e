from __future__ import annotations

import numpy as np
import pytest

from annealco.graph.generators.attachment import attach


@pytest.mark.parametrize(("nodes", "attachment"), [(2, 1), (60, 1), (5, 4), (6, 4), (200, 4), (40, 20)])
def test_compiled_and_interpreted_kernels_agree(nodes: int, attachment: int) -> None:
    compiled, interpreted = np.random.default_rng(7), np.random.default_rng(7)
    np.testing.assert_array_equal(attach(compiled, nodes, attachment), attach.py_func(interpreted, nodes, attachment))
    assert compiled.random() == interpreted.random()


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
