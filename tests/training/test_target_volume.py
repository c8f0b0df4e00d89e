from __future__ import annotations

import numpy as np
import pytest
import torch

from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS
from annealco.training.target_volume import LEAST_SHARE, SHARE_RANGE, scale_to, target_volume
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(4, weighted=True)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_scaled_probabilities_have_the_volume_and_keep_their_order(share: float) -> None:
    chance = torch.rand(GRAPHS.num_nodes, 2, generator=torch.Generator().manual_seed(0)).double()
    weight = GRAPHS.degree.astype(np.float64)
    scaled = scale_to(GRAPHS.node_ptr, weight, chance, torch.full((4, 2), share).double()).numpy()
    assert scaled.max() <= 1
    for first, last in zip(GRAPHS.node_ptr[:-1], GRAPHS.node_ptr[1:], strict=True):
        part = slice(first, last)
        np.testing.assert_allclose(weight[part] @ scaled[part], share * weight[part].sum())
        order = np.argsort(chance[part, 0].numpy())
        assert (np.diff(scaled[part][order, 0]) >= -1e-12).all()


def test_gradients_flow_through_the_scale() -> None:
    logits = torch.zeros(3, 1, dtype=torch.float64, requires_grad=True)
    scaled = scale_to(np.array([0, 3]), np.ones(3), torch.sigmoid(logits), torch.full((1, 1), 0.5).double())
    scaled[0].sum().backward()
    # The volume is kept: what the first gains, the others lose.
    assert logits.grad is not None
    assert logits.grad[0] > 0
    assert logits.grad[1:].sum().item() == pytest.approx(-logits.grad[0].item())


def test_the_loss_is_the_expected_cut_at_the_target() -> None:
    loss = target_volume(PROBLEMS["cut"].declare(GRAPHS))
    logits = torch.randn(GRAPHS.num_nodes, generator=torch.Generator().manual_seed(1)).double()
    torch.manual_seed(5)
    found = loss.expectation(logits)
    torch.manual_seed(5)
    share = LEAST_SHARE + SHARE_RANGE * torch.rand(4, 1).double()
    chance = scale_to(GRAPHS.node_ptr, GRAPHS.degree.astype(np.float64), torch.sigmoid(logits)[:, None], share).numpy()[
        :, 0
    ]
    low, high = GRAPHS.edges
    each = GRAPHS.edge_weight * (chance[low] + chance[high] - 2 * chance[low] * chance[high])
    expected = np.bincount(GRAPHS.graph_of_edge, each, minlength=4)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4)
    assert loss.expectation(logits[:, None].expand(-1, 3)).shape == (4, 3)


def test_graphs_without_volume_lose_nothing() -> None:
    assert scale_to(np.array([0, 2]), np.zeros(2), torch.rand(2, 1), torch.full((1, 1), 0.5)).isfinite().all()


def test_another_number_of_ranges_is_refused() -> None:
    with pytest.raises(InputError, match="a target volume needs one range, there are 0"):
        target_volume(PROBLEMS["mis"].declare(GRAPHS))
