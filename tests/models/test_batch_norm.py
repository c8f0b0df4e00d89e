from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from annealco.graph.graph import Graph
from annealco.models import build_model
from annealco.models.batch_norm import BatchNorm
from annealco.problems import PROBLEMS


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
    outputs = model.outputs(graph, instance, model.draw_features(graph, 1))
    assert all(logits.shape == (graph.num_nodes, 1) for _, logits in outputs)
    torch.stack([weight * logits.sum() for weight, logits in outputs]).sum().backward()
    assert all(bool(torch.isfinite(each).all()) for each in model.state_dict().values())
    assert model.eval()(graph, instance, model.draw_features(graph, 2)).shape == (graph.num_nodes, 2)
