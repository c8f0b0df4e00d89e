from __future__ import annotations

import numpy as np
import pytest

from annealco.baselines.local_clustering import flow_cut
from annealco.baselines.local_clustering.flow_cut import source_side
from tests.baselines.local_clustering.graphs import small, subsets


def cut_value(chosen, from_source, to_sink, pairs, capacity) -> float:
    crossing = chosen[pairs[0]] != chosen[pairs[1]]
    return float(from_source[~chosen].sum() + to_sink[chosen].sum() + capacity[crossing].sum())


@pytest.mark.parametrize("kind", ["whole", "fractions", "huge"])
def test_the_cut_is_a_least_one_and_its_side_the_smallest(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    if kind == "huge":
        monkeypatch.setattr(flow_cut, "LARGEST", 2**20)
    for graph in small(12, num_nodes=7):
        factor = {"whole": 1.0, "fractions": 0.37, "huge": 2.0**40}[kind]
        from_source, to_sink = factor * rng.integers(0, 6, (2, 7)) * [[1.0], [1.0]]
        given = (from_source, to_sink, graph.edges, factor * graph.edge_weight)
        side, full = source_side(*given)
        masks = [np.isin(np.arange(7), each) for each in [[], *subsets(list(range(7)))]]
        values = np.array([cut_value(mask, *given) for mask in masks])
        least = values.min()
        assert cut_value(side, *given) == pytest.approx(least, rel=1e-4)
        if kind == "whole":
            smallest = min(mask.sum() for mask, value in zip(masks, values, strict=True) if value == least)
            assert side.sum() == smallest
        # All that the source side may send to the sink is sent.
        assert np.all(full[side])
