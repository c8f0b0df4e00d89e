from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from annealco.errors import InputError
from annealco.graph.generators import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement
from annealco.models import build_model
from annealco.models.model import ModelInput
from annealco.models.run_csp import FADING
from annealco.problems import PROBLEMS

GRAPH = Graph.batch([erdos_renyi(np.random.default_rng(3), num_nodes=8, edge_probability=p) for p in (0.0, 0.3, 0.8)])


def new_model(**settings: int):  # type: ignore[no-untyped-def]
    torch.manual_seed(1)
    return build_model("run_csp", **{"width": 6, "num_steps": 4, **settings}).double()


def message_by_message(model, graph: Graph, features: torch.Tensor) -> torch.Tensor:  # type: ignore[no-untyped-def]
    """The last logits for one sample, with every message of every edge written down."""
    state, memory = features, torch.zeros_like(features)
    for _ in range(model.num_steps):
        heard = torch.zeros_like(state)
        for node in range(graph.num_nodes):
            near = graph.neighbours(node).tolist()
            messages = [model.message(torch.cat([state[other], state[node]])) for other in near]
            if messages:
                heard[node] = torch.stack(messages).mean(0)
        state, memory = model.cell(model.norm(heard), (state, memory))
    return model.read(state).squeeze(1)


def test_it_computes_what_single_messages_give() -> None:
    model = new_model().eval()
    features = model.draw_features(GRAPH, 1, torch.Generator().manual_seed(0))[:, 0]
    instance = PROBLEMS["mis"].declare(GRAPH)
    assert torch.allclose(model(ModelInput(GRAPH, instance, features)), message_by_message(model, GRAPH, features))


def test_a_clique_is_an_independent_set_of_the_complement() -> None:
    model, other = new_model().eval(), complement(GRAPH)
    features = model.draw_features(GRAPH, 2, torch.Generator().manual_seed(0))
    clique = model(ModelInput(GRAPH, PROBLEMS["clique"].declare(GRAPH), features))
    assert torch.allclose(clique, model(ModelInput(other, PROBLEMS["mis"].declare(other), features)))


def test_every_step_is_learned_from_and_later_ones_count_more() -> None:
    model = new_model()
    instance = PROBLEMS["mis"].declare(GRAPH)
    features = model.draw_features(GRAPH, 2)
    weights, logits = zip(*model.outputs(ModelInput(GRAPH, instance, features)), strict=True)
    assert len(weights) == 4
    np.testing.assert_allclose(np.divide(weights[:-1], weights[1:]), FADING)
    model.eval()
    outputs = model.outputs(ModelInput(GRAPH, instance, features))
    assert torch.equal(outputs[-1][1], model(ModelInput(GRAPH, instance, features)))
    assert logits[0].shape == (GRAPH.num_nodes, 2)


def test_copies_leave_batches_behind() -> None:
    model = new_model().eval()
    instance = PROBLEMS["mis"].declare(GRAPH)
    model.prepare(GRAPH, instance)
    features = model.draw_features(GRAPH, 1)
    assert torch.equal(
        copy.deepcopy(model)(ModelInput(GRAPH, instance, features)), model(ModelInput(GRAPH, instance, features))
    )


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(InputError, match="must be at least 1, they are 0 and 30"):
        build_model("run_csp", width=0)
    model = new_model()
    with pytest.raises(InputError, match="mis or clique"):
        model(ModelInput(GRAPH, PROBLEMS["mds"].declare(GRAPH), model.draw_features(GRAPH, 1)))
