import numpy as np
import pytest
import torch

from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models import build_model
from annealco.models.units import MOST_EXPONENT, in_graph_units
from annealco.problems import PROBLEMS

OUTLIERS = (1e-320, 1e-300, 1e-40, 1e40, 1e298)


def draw():
    rng = np.random.default_rng(0)
    graph = Graph.batch([erdos_renyi(rng, num_nodes=30, edge_probability=p) for p in (0.2, 0.7)])
    return graph.with_weights(
        node_weight=rng.uniform(0.5, 2, graph.num_nodes), edge_weight=rng.uniform(0.5, 2, graph.num_edges)
    )


def logits(name, graph):
    torch.manual_seed(0)
    model = build_model("field", width=8).eval()
    features = model.draw_features(graph, 2, torch.Generator().manual_seed(0))
    with torch.no_grad():
        return model(graph, PROBLEMS[name].declare(graph), features)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("power", [-900, -400, 0, 7, 400, 900])
def test_a_power_of_two_on_all_weights_changes_no_bit(name, power):
    graph = draw()
    other = graph.with_weights(node_weight=graph.node_weight * 2.0**power, edge_weight=graph.edge_weight * 2.0**power)
    assert torch.equal(logits(name, other), logits(name, graph))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("weight", OUTLIERS)
def test_one_weight_of_another_size_leaves_logits_finite(name, weight):
    graph = draw()
    node_weight, edge_weight = graph.node_weight.copy(), graph.edge_weight.copy()
    node_weight[3] = edge_weight[5] = weight
    assert logits(name, graph.with_weights(node_weight=node_weight, edge_weight=edge_weight)).isfinite().all()
    everywhere = graph.with_weights(
        node_weight=np.full(graph.num_nodes, weight), edge_weight=np.full(graph.num_edges, weight / 1000)
    )
    assert logits(name, everywhere).isfinite().all()


@pytest.mark.parametrize("name", PROBLEMS)
def test_ratios_are_those_of_the_instance_up_to_the_cut(name):
    graph = draw()
    instance = PROBLEMS[name].declare(graph)
    scaled = in_graph_units(instance)
    for before, after in zip(instance.energy().terms, scaled.energy().terms, strict=True):
        ratio = after.coefficient / before.coefficient
        assert set(np.log2(ratio).tolist()) <= {float(whole) for whole in range(-9, 9)}
    node_weight = graph.node_weight.copy()
    node_weight[0] = 1e300
    cut = in_graph_units(PROBLEMS["mis"].declare(graph.with_weights(node_weight=node_weight)))
    assert abs(cut.objective[0].coefficient[0]) <= 2.0**MOST_EXPONENT
    assert np.median(np.abs(cut.objective[0].coefficient[:30])) > 2.0**-40


def test_graphs_without_weights_stay_as_they_are():
    graph = draw().with_weights(node_weight=np.ones(60))
    instance = PROBLEMS["mis"].declare(graph)
    for before, after in zip(instance.energy().terms, in_graph_units(instance).energy().terms, strict=True):
        assert before.coefficient.tolist() == after.coefficient.tolist()
