from __future__ import annotations

import numpy as np
import pytest
import torch

from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS
from annealco.training.smooth_cut import l1, l2, smooth_cut
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(3, weighted=True)


@pytest.mark.parametrize("power", [1, 2])
def test_it_is_the_sum_over_edges_and_the_penalty_at_the_mean_volume(power: int) -> None:
    logits = torch.randn(GRAPHS.num_nodes, generator=torch.Generator().manual_seed(1)).double()
    found = smooth_cut(PROBLEMS["cut"].declare(GRAPHS), 3.0, power=power).expectation(logits).tolist()
    for graph, first, loss in zip(GRAPHS, GRAPHS.node_ptr.tolist(), found, strict=False):
        chance = torch.sigmoid(logits[first : first + graph.num_nodes]).numpy()
        low, high = graph.edges
        crossing = float((graph.edge_weight * np.abs(chance[low] - chance[high]) ** power).sum())
        volume, whole = float(graph.degree @ chance), 2 * graph.num_edges
        outside = max(volume - np.floor(whole / 2), 0) + max(np.ceil(whole / 4) - volume, 0)
        assert loss == pytest.approx(crossing + 3.0 * graph.weighted_degree.max() * outside)


@pytest.mark.parametrize("loss", [l1, l2])
def test_on_sets_it_is_the_energy(loss) -> None:  # type: ignore[no-untyped-def]
    instance = PROBLEMS["cut"].declare(GRAPHS, seed_node=1)
    bits = np.random.default_rng(0).random(GRAPHS.num_nodes) < 0.4
    logits = torch.from_numpy(np.where(bits, 60.0, -60.0))
    np.testing.assert_allclose(loss(instance).expectation(logits).numpy(), instance.energy().value(bits))


@pytest.mark.parametrize("name", ["mis", "mds", "clique"])
def test_what_is_no_cut_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="the loss 'l1' needs a problem whose objective is a cut"):
        l1(PROBLEMS[name].declare(GRAPHS))
