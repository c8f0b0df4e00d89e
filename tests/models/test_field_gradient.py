"""The recurrence in training: what the core computes, forward and backward, PyTorch does in double precision."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.stats import norm
from torch import Tensor

import annealco
from annealco import _core
from annealco.energy import AllPairs, Constraint, Instance, Linear, Range
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.graph import Graph
from annealco.models.compiled_field import core_setting, pack_weights, packed_names, tensor_shapes
from annealco.models.field import Field
from annealco.models.model import Model, ModelInput
from tests.models.test_compiled_field import drawn, small
from tests.problems.sums import SUMS

STEPS = 5


def learned(model: Model, batch: ModelInput, *, in_core: bool) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the outputs of a network, and the gradients of a smooth function of them."""
    for each in model.modules():
        if isinstance(each, Model):
            each.in_core = in_core
    model.zero_grad()
    weights, logits = zip(*model.outputs(batch), strict=True)
    outputs = torch.stack(logits)
    values = torch.sin(outputs) + 0.1 * outputs.square()
    (torch.tensor(weights, dtype=values.dtype) @ values.flatten(1).sum(1)).backward()
    return outputs.detach().double(), {
        name: each.grad.double().clone() for name, each in model.named_parameters() if each.grad is not None
    }


def compare(model: Model, graph: Graph, instance: Instance, samples: int, tolerance: float = 1e-5) -> None:
    features = torch.randn(graph.num_nodes, samples, 4, generator=torch.Generator().manual_seed(1))
    found, gradients = learned(model, ModelInput(graph, instance, features), in_core=True)
    expected, oracle = learned(model.double(), ModelInput(graph, instance, features.double()), in_core=False)
    model.float()
    assert torch.allclose(found, expected, rtol=0, atol=tolerance)
    assert gradients.keys() == oracle.keys()
    for name, gradient in gradients.items():
        size = float(oracle[name].abs().max())
        assert torch.allclose(gradient, oracle[name], rtol=0, atol=tolerance * max(size, 1e-3)), name


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("samples", [1, 9])
def test_gradients_of_every_problem_are_those_of_torch(name: str, weighted: bool, samples: int) -> None:
    for densities in ((0.15, 0.85), (0.5,)):
        graph = drawn(*densities, weighted=weighted, size=17)
        compare(small(num_steps=STEPS), graph, SUMS[name].declare(graph), samples)


@pytest.mark.parametrize("width", [1, 16, 33])
@pytest.mark.parametrize("samples", [3, 8])
def test_gradients_of_every_width(width: int, samples: int) -> None:
    graph = drawn(0.2, weighted=True)
    compare(small(num_steps=STEPS, width=width), graph, SUMS["mds"].declare(graph), samples)


@pytest.mark.parametrize("method", ["gaussian", "plugin"])
def test_gradients_of_terms_of_every_kind_at_once(method: str) -> None:
    graph, rng = drawn(0.1, 0.3), np.random.default_rng(0)
    ptr, size = graph.node_ptr, graph.num_nodes
    terms = (
        *(each.term for name in ("mis", "mds") for each in SUMS[name].declare(graph).constraints),
        AllPairs(ptr, rng.uniform(0, 0.01, size)),
        Range(ptr, rng.uniform(0, 2, size), np.array([3.0, -1e4]), np.array([1e4, 9.0]), np.ones(2), method),
    )
    objective = (Linear(ptr, rng.normal(size=size)), AllPairs(ptr, rng.uniform(0, 0.1, size), graph.edges))
    constraints = tuple(Constraint(term, np.ones_like(term.coefficient)) for term in terms)
    compare(small(num_steps=STEPS), graph, Instance(ptr, objective, constraints), 3)


def test_gradients_of_both_sides_of_a_network() -> None:
    graph = drawn(0.15, 0.85, weighted=True, size=17)
    compare(small("two_sided", num_steps=STEPS), graph, SUMS["clique"].declare(graph), 2)


def test_gradients_on_a_large_graph() -> None:
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=4100, attachment=2)
    compare(small(num_steps=2), graph, SUMS["mis"].declare(graph), 2, tolerance=2e-5)


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("name", ["mis", "clique", "mds", "cut"])
def test_gradients_on_tiny_graphs(name: str, size: int) -> None:
    graph = drawn(1.0, size=size)
    compare(small(num_steps=2), graph, SUMS[name].declare(graph), 2)


def test_no_graphs_and_no_samples_have_gradients_of_zero() -> None:
    none = drawn(0.5)[np.zeros(0, np.int64)]
    _, gradients = learned(small(), ModelInput(none, SUMS["mis"].declare(none), torch.zeros(0, 2, 4)), in_core=True)
    assert all(not each.any() for each in gradients.values())
    graph = drawn(0.5, size=5)
    batch = ModelInput(graph, SUMS["mis"].declare(graph), torch.zeros(5, 0, 4))
    assert small()(batch).shape == (5, 0)


def tape_results(graph: Graph, name: str, *, lanes: int = 16, threads: int = 1) -> list[NDArray[np.float32]]:
    """Return logits and gradients of a run."""
    model = small(num_steps=STEPS, width=20)
    tensors = {key: each.detach().numpy() for key, each in model.state_dict().items()}
    setting = core_setting(graph, SUMS[name].declare(graph)).core
    rng = np.random.default_rng(0)
    features = rng.normal(size=(graph.num_nodes, 3, 4)).astype(np.float32)
    logits = np.empty((2, graph.num_nodes, 3), np.float32)
    options = {"num_steps": STEPS, "num_threads": threads, "most_lanes": lanes}
    tape = _core.FieldTape(pack_weights(tensors), setting, features, logits, **options)
    gradients = {key: np.empty(shape, np.float32) for key, shape in tensor_shapes(20).items()}
    outward = rng.normal(size=logits.shape).astype(np.float32)
    tape.backward(features, outward, **packed_names(gradients), num_threads=threads)
    return [logits, *gradients.values()]


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "cut"])
def test_vectors_of_any_width_and_threads_change_no_bit(name: str) -> None:
    graph = drawn(0.2, 0.9, 0.5, weighted=True, size=13)
    expected = tape_results(graph, name)
    for other in ({"lanes": 8}, {"lanes": 4}, {"threads": 3}):
        assert all(np.array_equal(*pair) for pair in zip(expected, tape_results(graph, name, **other), strict=True))


def test_a_run_keeps_what_it_needs_and_no_longer() -> None:
    graph = drawn(0.3, size=8)
    setting = core_setting(graph, SUMS["mis"].declare(graph)).core
    tensors = {key: each.detach().numpy() for key, each in small().state_dict().items()}
    features, logits = np.zeros((8, 1, 4), np.float32), np.zeros((1, 8, 1), np.float32)
    before = sys.getrefcount(setting)
    tape = _core.FieldTape(pack_weights(tensors), setting, features, logits, num_steps=1)
    assert sys.getrefcount(setting) == before + 1
    del tape
    assert sys.getrefcount(setting) == before


@pytest.mark.parametrize("name", ["mis", "cut"])
def test_proposals_are_the_same_with_vectors_of_any_width(name: str) -> None:
    graph = drawn(0.3, weighted=True)
    tensors = {key: each.detach().numpy() for key, each in small(width=20).state_dict().items()}
    setting, weights = core_setting(graph, SUMS[name].declare(graph)).core, [pack_weights(tensors)]
    features = np.random.default_rng(0).normal(size=(graph.num_nodes, 9, 4)).astype(np.float32)
    found = []
    for lanes in (16, 8, 4):
        run = _core.FieldRecurrence(weights, np.zeros(1, np.int32), setting, num_restarts=9, most_lanes=lanes)
        logits = np.empty((9, graph.num_nodes), np.float32)
        run.begin(features)
        run.run(4, logits, _core.Clock())
        found.append(logits)
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


def test_what_the_core_cannot_differentiate_is_torch_s() -> None:
    graph = drawn(0.3, size=8)
    instance, model = SUMS["mis"].declare(graph), small(num_steps=2)
    features = torch.randn(8, 1, 4, requires_grad=True)
    model(ModelInput(graph, instance, features)).sum().backward()
    assert features.grad is not None
    assert features.grad.any()


def test_gradients_can_be_asked_for_twice_but_not_differentiated() -> None:
    graph = drawn(0.3, size=8)
    model = small(num_steps=2)
    assert isinstance(model, Field)
    batch = ModelInput(graph, SUMS["mis"].declare(graph), torch.randn(8, 1, 4))
    loss = model(batch).square().sum()
    first, again = (torch.autograd.grad(loss, model.start.weight, retain_graph=True)[0] for _ in range(2))
    assert torch.equal(first, again)
    [gradient] = torch.autograd.grad(model(batch).square().sum(), model.start.weight, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.sum().backward()


def test_weights_that_are_not_finite_give_logits_that_are_not() -> None:
    graph, model = drawn(0.3, size=8), small(num_steps=2)
    with torch.no_grad():
        model.read.bias.fill_(torch.nan)  # type: ignore[union-attr]
    assert model(ModelInput(graph, SUMS["mis"].declare(graph), torch.randn(8, 1, 4))).isnan().all()


def test_training_in_the_core_and_in_torch_begin_alike_and_repeat(tmp_path: Any) -> None:
    graphs = [barabasi_albert(np.random.default_rng(k), num_nodes=20, attachment=3) for k in range(12)]
    options: dict[str, Any] = {"settings": {"width": 8, "num_steps": 4}, "epochs": 2, "batch_size": 4}
    options |= {"progress": False, "picture": False, "accelerator": "cpu", "samples": 2}

    def weights(**more: Any) -> dict[str, Tensor]:
        return annealco.train("mis", graphs, **options, **more).model.state_dict()

    core, again, by_torch = weights(), weights(out=tmp_path), weights(compiled=False)
    assert all(torch.equal(core[name], again[name]) for name in core)
    assert any(not torch.equal(core[name], by_torch[name]) for name in core)
    assert all(torch.allclose(core[name], by_torch[name], atol=1e-3) for name in core)


def test_the_tail_of_the_normal_distribution() -> None:
    z = np.concatenate([np.linspace(0, 37, 20_001), [1e-300, 5e-10]])
    mass, density = _core.normal_tail(z)
    assert np.abs(mass / norm.sf(z) - 1).max() < 1e-11
    assert np.abs(density / norm.pdf(z) - 1).max() < 1e-11
    far, falling = _core.normal_tail(np.array([38.5, 1e9, np.inf]))
    assert np.all((far >= 0) & (far < 1e-300))
    assert np.all((falling >= 0) & (falling < 1e-300))


def test_a_network_derived_from_it_is_not_run_by_the_core() -> None:
    class Silent(Field):
        def _signals(self, setting: Any, logits: Tensor) -> Tensor:
            return 0 * super()._signals(setting, logits)

    graph = drawn(0.3, size=8)
    instance = SUMS["mis"].declare(graph)
    plain, silent = Field(width=4, num_steps=3), Silent(width=4, num_steps=3)
    silent.load_state_dict(plain.state_dict())
    batch = ModelInput(graph, instance, plain.draw_features(graph, 2))
    assert not torch.allclose(silent(batch), plain(batch))
    assert plain.compiled() is not None
    assert silent.compiled() is None
