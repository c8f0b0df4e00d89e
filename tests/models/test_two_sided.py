import pytest
import torch

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.models import TwoSided, build_model
from annealco.models.compiled_field import DEFAULTS
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS

SPARSE = generate("er-small", count=1, seed=1)
GRAPHS = {"sparse": SPARSE, "dense": complement(SPARSE)}


def build(num_steps: int = 4) -> TwoSided:
    torch.manual_seed(0)
    model = build_model("two_sided", width=8, num_steps=num_steps)
    assert isinstance(model, TwoSided)
    return model.double().eval()


def run(model, graph: Graph, features: torch.Tensor) -> torch.Tensor:
    return model(ModelInput(graph, PROBLEMS["clique"].declare(graph), features))


@pytest.mark.parametrize("side", GRAPHS)
def test_each_side_has_a_network_of_its_own(side: str) -> None:
    graph, model = GRAPHS[side], build()
    own, other = (model.sparse, model.dense) if side == "sparse" else (model.dense, model.sparse)
    features = model.draw_features(graph, 2, torch.Generator().manual_seed(0))
    assert torch.equal(run(model, graph, features), run(own, graph, features))
    assert not torch.allclose(run(model, graph, features), run(other, graph, features))


@pytest.mark.parametrize("shape", [(3, 4), (4,)])
def test_graphs_of_both_kinds_side_by_side_are_seen_as_alone(shape: tuple[int, ...]) -> None:
    model, both = build(), Graph.batch(list(GRAPHS.values()))
    features = torch.randn(both.num_nodes, *shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    together = run(model, both, features).split(SPARSE.num_nodes)
    for graph, given, logits in zip(GRAPHS.values(), features.split(SPARSE.num_nodes), together, strict=True):
        assert torch.allclose(run(model, graph, given), logits)


def test_graphs_of_both_kinds_propose_after_every_round() -> None:
    model, both = build(2 * DEFAULTS.round_steps), Graph.batch(list(GRAPHS.values()))
    features = model.draw_features(both, 3, torch.Generator().manual_seed(0))
    logits = model.proposals(
        ModelInput(both, PROBLEMS["clique"].declare(both), features), torch.Generator().manual_seed(0)
    )
    assert logits.shape == (both.num_nodes, 6)


def test_a_side_learns_from_its_own_graphs_only() -> None:
    model, both = build().train(), Graph.batch(list(GRAPHS.values()))
    features = model.draw_features(both, 1, torch.Generator().manual_seed(0))
    outputs = model.outputs(ModelInput(both, PROBLEMS["clique"].declare(both), features))
    assert sum(share for share, _ in outputs) == pytest.approx(1)
    of_sparse = sum(share * logits[: SPARSE.num_nodes].sum() for share, logits in outputs)
    of_sparse.backward()
    assert max(float(each.grad.abs().max()) for each in model.sparse.parameters()) > 0
    assert not any(each.grad.any() for each in model.dense.parameters())


def test_a_side_without_graphs_gets_gradients_too() -> None:
    """They are 0: without them a run could not be resumed, and processes would wait for each other."""
    model = build().train()
    outputs = model.outputs(ModelInput(SPARSE, PROBLEMS["clique"].declare(SPARSE), model.draw_features(SPARSE, 1)))
    outputs[-1][1].sum().backward()
    assert all(not each.grad.any() for each in model.dense.parameters())


def test_runs_become_longer_along_training() -> None:
    model, lengths = build(16).train(), []
    features = model.draw_features(SPARSE, 1)
    for model.progress in (0.0, 1.0):
        torch.manual_seed(0)
        lengths.append(len(model.outputs(ModelInput(SPARSE, PROBLEMS["clique"].declare(SPARSE), features))))
    assert lengths[0] < lengths[1]
