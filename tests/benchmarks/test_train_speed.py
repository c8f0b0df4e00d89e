import numpy as np
import pytest
import torch
from plain_erdos import PlainErdos, collate, energy, to_data
from train_speed import DATA, METHODS, Cell, measure, table

from annealco.graph.generators import generate
from annealco.models import build_model
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS


@pytest.mark.parametrize("data", DATA)
def test_the_plain_network_is_the_same_as_ours(data):
    graph = generate(data, count=2, seed=0)
    batch = collate([to_data(each) for each in graph], [0, 1])
    torch.manual_seed(0)
    plain, ours = PlainErdos(width=16), build_model("erdos", width=16)
    ours.load_state_dict(dict(zip(ours.state_dict(), plain.state_dict().values(), strict=True)))
    torch.manual_seed(1)
    logits = plain(batch)
    torch.manual_seed(1)
    seeds = graph.node_ptr[:-1] + (torch.rand(2) * torch.tensor(np.diff(graph.node_ptr))).long().numpy()
    features = torch.zeros(graph.num_nodes, 1)
    features[seeds] = 1
    instance = PROBLEMS[DATA[data]].declare(graph)
    # Sums over 200 neighbours and their complement round differently, by how much depends on the processor.
    assert torch.allclose(ours(ModelInput(graph, instance, features)), logits, atol=1e-3)
    loss = energy(batch, logits, dense=DATA[data] == "clique")
    assert loss.item() == pytest.approx(instance.energy().expectation(logits).mean().item(), rel=1e-4)


@pytest.mark.parametrize("method", ["field", "erdos", "plain"])
def test_a_cell_is_measured(method):
    cell = measure(method, "rb-small", batch=1, repeats=1)
    assert 0 < cell.pipeline < cell.seconds
    assert cell.nodes >= 100


def test_the_table_compares_with_the_plain_network():
    cells = {(method, "rb-small"): Cell(2.0 / (1 + k), 0.1, 100.0, 7000) for k, method in enumerate(METHODS)}
    lines = table(cells).splitlines()
    assert lines[3] == "| rb-small | erdos | 1.000 | 2.0 | 100 ms, 10.0% | 100 |"
    assert "| – |" in table({("field", "rb-small"): cells["field", "rb-small"]})
