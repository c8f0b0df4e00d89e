from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from torch import nn

from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.models import MODELS, build_model
from annealco.models.model import BatchNorm, Model, ModelInput, as_samples
from annealco.problems import PROBLEMS
from tests.problems.sums import SUMS

SMALL = {
    "field": {"width": 8, "num_steps": 3},
    "two_sided": {"width": 8, "num_steps": 3},
    "erdos": {"width": 8},
    "run_csp": {"width": 8, "num_steps": 3},
}
_NUMBER = (2, "abc", 1.5, True, [], 10**9, 10**400, float("nan"), None)
SETTINGS = {
    "field": {"width": _NUMBER, "num_steps": _NUMBER},
    "two_sided": {"width": _NUMBER, "num_steps": _NUMBER},
    "erdos": {"variant": ("deep", 3, None), "width": _NUMBER[:-1], "attention": _NUMBER, "head": ("min-max", 1.0)},
    "run_csp": {"width": _NUMBER, "num_steps": _NUMBER},
}
"""Of every setting a value that is right, and some that are not."""

ONLY = {"run_csp": ("mis", "clique")}
"""Networks that are for some problems only."""

GRAPH = Graph.batch([Graph.from_edges([[0, 1, 2], [1, 2, 3]]), Graph.from_edges([[0, 0, 1], [1, 2, 2]])])


@pytest.mark.parametrize("name", MODELS)
class TestEveryModel:
    def test_settings_rebuild_it(self, name):
        model = build_model(name, **SMALL[name])
        again = build_model(name, **json.loads(json.dumps(model.settings)))
        assert again.settings == model.settings
        assert {key: value.shape for key, value in again.state_dict().items()} == {
            key: value.shape for key, value in model.state_dict().items()
        }

    def test_settings_of_another_type_or_size_are_refused(self, name):
        for setting, (right, *_) in SETTINGS[name].items():
            build_model(name, **{**SMALL[name], setting: right})
            for wrong in SETTINGS[name][setting][1:]:
                with pytest.raises(InputError, match=rf"^setting {setting} of model {name} must be .*, it is "):
                    build_model(name, **{**SMALL[name], setting: wrong})

    def test_a_network_that_is_too_large_is_refused_before_it_takes_memory(self, name):
        with pytest.raises(InputError, match=rf"model {name} has [\d,]+ parameters with these settings, the most are"):
            build_model(name, width=60_000)

    def test_weights_are_those_of_the_seed(self, name):
        """Nothing but the weights draws random numbers."""
        drawn = []
        for build in (build_model, lambda name, **settings: MODELS[name](**settings)):
            torch.manual_seed(3)
            drawn.append([each.detach() for each in build(name, **SMALL[name]).parameters()])
        assert all(torch.equal(first, second) for first, second in zip(*drawn, strict=True))

    def test_samples_are_columns(self, name):
        model = build_model(name, **SMALL[name]).eval()
        instance = PROBLEMS["mis"].declare(GRAPH)
        features = model.draw_features(GRAPH, 3, torch.Generator().manual_seed(0))
        together = model(ModelInput(GRAPH, instance, features))
        assert together.shape == (7, 3)
        for sample in range(3):
            assert torch.allclose(
                model(ModelInput(GRAPH, instance, features[:, sample])), together[:, sample], atol=1e-6
            )

    def test_features_repeat_with_their_generator(self, name):
        model = build_model(name, **SMALL[name])
        first, second, other = (
            model.draw_features(GRAPH, 9, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
        )
        assert torch.equal(first, second)
        assert not torch.equal(first, other)

    @pytest.mark.parametrize("problem", SUMS)
    def test_outputs_are_weighted_and_train_every_parameter(self, name, problem):
        if problem not in ONLY.get(name, SUMS):
            pytest.skip(f"{name} is not for {problem}")
        torch.manual_seed(0)
        model = build_model(name, **SMALL[name])
        instance = SUMS[problem].declare(GRAPH)
        model.prepare(GRAPH, instance)
        outputs = model.outputs(ModelInput(GRAPH, instance, model.draw_features(GRAPH, 4)))
        assert sum(weight for weight, _ in outputs) == pytest.approx(1)
        loss = sum(weight * instance.energy().expectation(logits).mean() for weight, logits in outputs)
        loss.backward()
        for key, parameter in model.named_parameters():
            assert parameter.grad is not None, key
            assert torch.isfinite(parameter.grad).all(), key

    def test_graphs_of_a_batch_do_not_mix(self, name):
        model = build_model(name, **SMALL[name]).eval()
        features = model.draw_features(GRAPH, 2, torch.Generator().manual_seed(0))
        problem = PROBLEMS["clique" if name in ONLY else "cut"]
        together = model(ModelInput(GRAPH, problem.declare(GRAPH), features))
        for number, graph in enumerate(GRAPH):
            nodes = slice(GRAPH.node_ptr[number], GRAPH.node_ptr[number + 1])
            alone = model(ModelInput(graph, problem.declare(graph), features[nodes]))
            assert torch.allclose(alone, together[nodes], atol=1e-5)

    def test_evaluation_in_inference_mode_does_not_stand_in_the_way_of_training(self, name):
        model = build_model(name, **SMALL[name])
        instance = PROBLEMS["clique"].declare(GRAPH)
        features = model.draw_features(GRAPH, 1)
        with torch.inference_mode():
            model.eval()(ModelInput(GRAPH, instance, features))
        model.train()(ModelInput(GRAPH, instance, features)).sum().backward()

    def test_features_of_the_wrong_shape_are_refused(self, name):
        model = build_model(name, **SMALL[name])
        with pytest.raises(InputError, match="features must have shape"):
            model(ModelInput(GRAPH, PROBLEMS["mis"].declare(GRAPH), torch.zeros(7, 2, 11)))


def test_unknown_names_and_settings_are_refused_with_the_choices():
    with pytest.raises(
        InputError, match=r"unknown model 'feild'; did you mean field\? choose one of field, two_sided, erdos, run_csp"
    ):
        build_model("feild")
    with pytest.raises(InputError, match="unknown setting 'depth' of model field; choose from width, num_steps"):
        build_model("field", depth=3)


def test_the_default_outputs_are_the_last_logits():
    class Bias(Model):
        name = "bias"

        def __init__(self):
            super().__init__()
            self.bias = torch.nn.Parameter(torch.zeros(1))

        def draw_features(self, graph, num_samples, generator=None):
            return torch.zeros(graph.num_nodes, num_samples, 1)

        def forward(self, batch):
            return batch.features.squeeze(-1) + self.bias

    model, instance = Bias(), PROBLEMS["mis"].declare(GRAPH)
    [(weight, logits)] = model.outputs(ModelInput(GRAPH, instance, model.draw_features(GRAPH, 2)))
    assert weight == 1.0
    assert logits.shape == (7, 2)
    assert model.place == {"device": torch.device("cpu"), "dtype": torch.float32}


def test_one_sample_gets_a_column():
    assert as_samples(GRAPH, torch.zeros(7, 4), 4).shape == (7, 1, 4)
    with pytest.raises(InputError, match=r"\[7, num_samples, 4\] or \[7, 4\], these have \[6, 4\]"):
        as_samples(GRAPH, torch.zeros(6, 4), 4)


def test_it_is_that_of_torch_for_two_rows_and_more() -> None:
    ours, theirs = BatchNorm(3), nn.BatchNorm1d(3)
    assert ours.state_dict().keys() == theirs.state_dict().keys()
    values = torch.randn(5, 3)
    assert torch.equal(ours(values), theirs(values))
    assert torch.equal(ours.running_var, theirs.running_var)
    assert torch.equal(ours.eval()(values[:1]), theirs.eval()(values[:1]))


@pytest.mark.parametrize("num_rows", [0, 1])
def test_fewer_rows_are_normalised_by_what_was_seen_before(num_rows: int) -> None:
    norm = BatchNorm(3)
    norm(torch.randn(5, 3) * 4 + 1)
    seen, values = norm.running_mean.clone(), torch.randn(num_rows, 3)
    expected = (values - norm.running_mean) / (norm.running_var + norm.eps).sqrt()
    assert torch.allclose(norm(values), expected, atol=1e-6)
    assert torch.equal(norm.running_mean, seen)


NETWORKS: dict[str, tuple[str, dict[str, Any]]] = {
    "field": ("field", {"width": 4}),
    "wide": ("erdos", {"width": 8}),
    "deep": ("erdos", {"width": 8, "variant": "deep", "attention": 2}),
    "min-max": ("erdos", {"width": 8, "head": "min-max"}),
    "run_csp": ("run_csp", {"width": 4}),
}


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("sizes", [[0], [0, 0], [1], [1, 0]])
def test_networks_learn_from_graphs_of_one_node_and_of_none(kind: str, sizes: list[int]) -> None:
    graph = Graph.batch([Graph.from_edges([[], []], num_nodes=size) for size in sizes])
    name, settings = NETWORKS[kind]
    model = build_model(name, **settings)
    instance = PROBLEMS["mis"].declare(graph)
    outputs = model.outputs(ModelInput(graph, instance, model.draw_features(graph, 1)))
    assert all(logits.shape == (graph.num_nodes, 1) for _, logits in outputs)
    torch.stack([weight * logits.sum() for weight, logits in outputs]).sum().backward()
    assert all(bool(torch.isfinite(each).all()) for each in model.state_dict().values())
    assert model.eval()(ModelInput(graph, instance, model.draw_features(graph, 2))).shape == (graph.num_nodes, 2)
