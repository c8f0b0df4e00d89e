from __future__ import annotations

import pytest
import torch

from annealco.models import MODELS
from annealco.problems import PROBLEMS
from annealco.training.losses import LOSSES
from tests.training.small_runs import small_graphs

GRAPHS = small_graphs(3)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_one_number_a_graph_and_has_a_gradient(name: str) -> None:
    instance = PROBLEMS["cut" if name in {"l1", "l2"} else "mis"].declare(GRAPHS)
    logits = torch.linspace(-1, 1, 2 * GRAPHS.num_nodes).reshape(-1, 2).requires_grad_()
    loss = LOSSES[name].of(instance, 1.0)
    loss.expectation(logits).sum().backward()
    assert loss.expectation(logits).shape == (3, 2)
    assert logits.grad is not None
    assert logits.grad.abs().max() > 0
    assert (loss.node_ptr == GRAPHS.node_ptr).all()


def test_the_annealed_one_is_the_problem_s_energy() -> None:
    instance, logits = PROBLEMS["mds"].declare(GRAPHS), torch.linspace(-1, 1, GRAPHS.num_nodes)
    assert [name for name, loss in LOSSES.items() if loss.annealed] == ["energy"]
    assert torch.equal(LOSSES["energy"].of(instance, 2.0).expectation(logits), instance.energy(2.0).expectation(logits))


def test_every_network_names_a_loss_that_exists() -> None:
    assert MODELS["run_csp"].loss == "run_csp"
    assert MODELS["field"].loss == MODELS["erdos"].loss == "energy"
    assert all(model.loss in LOSSES for model in MODELS.values())
