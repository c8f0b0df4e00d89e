import json
import sys

import numpy as np
import pytest
import torch
from torch.nn.functional import leaky_relu
from torch_geometric.nn import GATConv, GINConv

from annealco.errors import InputError
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models import build_model
from annealco.models.erdos import at_forced, min_max_logits
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS
from annealco.training import TrainedModel, load


def draw(densities, size=14):
    rng = np.random.default_rng(0)
    return Graph.batch([erdos_renyi(rng, num_nodes=size, edge_probability=p) for p in densities])


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({}, 1_880_709),
        ({"variant": "deep"}, 51_649),
        ({"variant": "deep", "width": 256}, 796_417),
        ({"variant": "deep", "attention": 64}, 114_625),
        ({"variant": "deep", "width": 256, "attention": 24}, 829_761),
    ],
)
def test_the_parameters_are_as_many_as_published(settings, count):
    assert sum(parameter.numel() for parameter in build_model("erdos", **settings).parameters()) == count


def hops(graph, seed):
    """Distance of every node from a seed, by breadth-first search; None where there is no way."""
    distance, front = {seed: 0}, [seed]
    while front:
        reached = [(other, distance[node] + 1) for node in front for other in graph.neighbours(node).tolist()]
        front = []
        for node, steps in reached:
            if node not in distance:
                distance[node] = steps
                front.append(node)
    return [distance.get(node) for node in range(graph.num_nodes)]


def plain(model, graph, features, masked=True):
    """The network with PyG's own layers and edge_index, and balls by breadth-first search."""
    loops = np.tile(np.arange(graph.num_nodes), (2, 1))
    both = np.concatenate([graph.edges, graph.edges[::-1]], axis=1)
    edges = torch.tensor(np.concatenate([both, loops], axis=1).astype(np.int64))
    seeds = torch.nonzero(features[:, 0]).ravel().tolist() if masked else range(graph.num_nodes)
    distances = [hops(graph, seed) for seed in seeds]
    away = [min((d[node] for d in distances if d[node] is not None), default=99) for node in range(graph.num_nodes)]
    size = torch.tensor(np.diff(graph.node_ptr)[graph.graph_of_node]).unsqueeze(1)
    values, count = features, 0
    for number, (layer, norm) in enumerate(zip(model.layers, model.norms, strict=True)):
        count = number + 1
        ball = torch.tensor([[float(each <= count)] for each in away])
        out = leaky_relu(GINConv.forward(layer, values, edges)) + (values if number else 0)
        out = out * ball
        values = norm(out / size.sqrt() if model.shape.size_norm else out)
    if model.attention is not None:
        ball = torch.tensor([[float(each <= count + 1)] for each in away])
        values = leaky_relu(GATConv.forward(model.attention, values, torch.tensor(both.astype(np.int64)))) * ball
    inner = leaky_relu(model.inner(values)) * ball
    return model.outer(inner if model.inner_norm is None else model.inner_norm(inner)).squeeze(1)


@pytest.mark.parametrize("densities", [(0.08, 0.15), (0.9, 0.8), (0.15, 0.9)])
@pytest.mark.parametrize(
    "settings", [{"width": 16}, {"variant": "deep", "width": 8}, {"variant": "deep", "width": 8, "attention": 4}]
)
@pytest.mark.parametrize("training", [False, True])
def test_the_network_equals_one_of_plain_pyg_layers(densities, settings, training):
    graph = draw(densities)
    torch.manual_seed(0)
    model = build_model("erdos", **settings).train(training)
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(1))[:, 0]
    logits = []
    for run in (
        lambda: model(ModelInput(graph, PROBLEMS["mis"].declare(graph), features)),
        lambda: plain(model, graph, features),
    ):
        torch.manual_seed(2)
        logits.append(run())
    assert torch.allclose(*logits, atol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"mask": False},
        {"mask": False, "variant": "deep"},
        {"features": "random"},
        {"features": "random+degree"},
        {"features": "seed+degree"},
        {"features": "seed+degree", "mask": False},
    ],
)
def test_other_inputs_and_no_mask_equal_plain_pyg_layers_too(settings):
    graph = draw((0.08, 0.15))
    torch.manual_seed(0)
    model = build_model("erdos", width=8, **settings).eval()
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(1))[:, 0]
    masked = settings.get("mask", True) and not settings.get("features", "").startswith("random")
    ours = model(ModelInput(graph, PROBLEMS["mis"].declare(graph), features))
    assert torch.allclose(ours, plain(model, graph, features, masked=masked), atol=1e-5)


def test_random_features_are_normal_numbers():
    features = build_model("erdos", width=4, features="random").draw_features(draw((0.3,)), 500, torch.Generator())
    assert features.shape == (14, 500, 4)
    assert features.mean().abs() < 0.02
    assert features.std() == pytest.approx(1, abs=0.02)


def test_degrees_are_relative_to_their_graph():
    path, triangle = Graph.from_edges([[0, 1], [1, 2]]), Graph.from_edges([[0, 0, 1], [1, 2, 2]])
    model = build_model("erdos", width=4, features="seed+degree")
    features = model.draw_features(Graph.batch([path, triangle]), 2, torch.Generator().manual_seed(0))
    # Nodes are their own neighbours: 2, 3, 2 and 3, 3, 3.
    for sample in (0, 1):
        assert features[:, sample, 1].tolist() == pytest.approx([6 / 7, 9 / 7, 6 / 7, 1, 1, 1])
        assert features[:3, sample, 0].sum() == features[3:, sample, 0].sum() == 1


def test_random_numbers_with_the_degree():
    graph = Graph.from_edges([[0, 1], [1, 2]])
    features = build_model("erdos", width=4, features="random+degree").draw_features(graph, 500, torch.Generator())
    assert features.shape == (3, 500, 5)
    assert features[:, :, :4].std() == pytest.approx(1, abs=0.05)
    assert features[:, 7, 4].tolist() == pytest.approx([6 / 7, 9 / 7, 6 / 7])


@pytest.mark.parametrize("inputs", ["random", "random+degree"])
def test_random_features_are_refused_where_nodes_are_forced_into_the_set(inputs):
    graph = draw((0.3,))
    model = build_model("erdos", width=4, features=inputs)
    features = model.draw_features(graph, 1)
    assert model(ModelInput(graph, PROBLEMS["cut"].declare(graph), features)).shape == (14, 1)
    with pytest.raises(InputError, match="tell nothing of nodes that are forced into the set: set features='seed'"):
        model(ModelInput(graph, PROBLEMS["cut"].declare(graph, seed_node=3), features))


def test_networks_that_were_saved_without_the_newer_settings_load(tmp_path):
    model = build_model("erdos", width=4)
    TrainedModel(model, "mis", record={}).save(tmp_path)
    file = tmp_path / "model.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    for name in ("mask", "features"):
        del content["settings"][name]
    file.write_text(json.dumps(content), encoding="utf-8")
    loaded = load(tmp_path).model
    assert loaded.settings == model.settings
    assert all(torch.equal(*both) for both in zip(loaded.parameters(), model.parameters(), strict=True))


def test_one_seed_node_a_graph_and_sample():
    graph = Graph.batch([draw((0.3,)), Graph.from_edges(np.zeros((2, 0), int), 0), draw((0.3,), size=3)])
    features = build_model("erdos", width=4).draw_features(graph, 200, torch.Generator().manual_seed(0))
    assert features.shape == (17, 200, 1)
    assert features[:14].sum(0).eq(1).all()
    assert features[14:].sum(0).eq(1).all()
    # Every node of three is a seed about as often as the others.
    assert features[14:].sum(1).min() > 40


def test_outside_of_the_ball_all_logits_are_one():
    path = Graph.from_edges([range(11), range(1, 12)])
    model = build_model("erdos", width=8).eval()
    seed = torch.zeros(12, 1)
    seed[0] = 1
    logits = model(ModelInput(path, PROBLEMS["mis"].declare(path), seed))
    assert torch.allclose(logits[5:], model.outer.bias.expand(7))
    assert len({round(logit, 6) for logit in logits[:5].tolist()}) == 5


def test_min_max_spans_zero_to_one_in_every_graph_and_sample():
    graph = draw((0.3, 0.8))
    model = build_model("erdos", width=8, head="min-max")
    logits = model(ModelInput(graph, PROBLEMS["clique"].declare(graph), model.draw_features(graph, 3)))
    logits.sum().backward()
    assert torch.isfinite(model.outer.weight.grad).all()
    probability = torch.sigmoid(logits).view(2, 14, 3)
    assert torch.allclose(probability.amin(1), torch.zeros(2, 3), atol=1e-5)
    assert torch.allclose(probability.amax(1), torch.ones(2, 3), atol=1e-2)


def test_min_max_of_given_values():
    graph = Graph.batch([Graph.from_edges([[0], [1]], 3), Graph.from_edges([[0], [1]])])
    logits = min_max_logits(graph, torch.tensor([[2.0], [4.0], [3.0], [-1.0], [-1.0]], dtype=torch.float64))
    assert torch.sigmoid(logits).flatten().tolist() == pytest.approx([0, 1, 0.5, 0, 0], abs=1e-5)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"variant": "tall"}, "unknown variant 'tall'; choose one of wide, deep"),
        ({"head": "softmax"}, "unknown head 'softmax'; choose one of sigmoid, min-max"),
        ({"features": "ones"}, "unknown features 'ones'; choose one of seed, random, seed\\+degree"),
        ({"width": 0}, "width must be at least 1"),
        ({"attention": -1}, "attention not negative"),
    ],
)
def test_impossible_settings_are_refused(wrong, rule):
    with pytest.raises(InputError, match=rule):
        build_model("erdos", **wrong)


def test_without_its_package_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    monkeypatch.setitem(sys.modules, "torch_geometric.nn", None)
    monkeypatch.delitem(sys.modules, "annealco.models.erdos_layers", raising=False)
    with pytest.raises(InputError, match=r"^the network erdos needs PyG: pip install 'annealco\[paper\]'$"):
        build_model("erdos")


def test_forced_nodes_are_the_seed():
    graph = Graph.batch([Graph.from_edges([[0, 1, 2], [1, 2, 3]]), Graph.from_edges([[0, 0, 1], [1, 2, 2]])])
    given = torch.zeros(7, 2, 1)
    given[[0, 4]] = 1.0
    cut = PROBLEMS["cut"]
    assert torch.equal(at_forced(graph, cut.declare(graph), given), given)
    forced = at_forced(graph, cut.declare(graph, seed_node=np.array([3, 1])), given)
    assert forced[:, 0, 0].tolist() == forced[:, 1, 0].tolist() == [0, 0, 0, 1, 0, 1, 0]
    # Closed neighbourhoods are sets of several nodes: none of these is forced.
    assert torch.equal(at_forced(graph, PROBLEMS["mds"].declare(graph), given), given)
    model = build_model("erdos", width=8).eval()
    instance = cut.declare(graph, seed_node=np.array([3, 1]))
    assert torch.equal(model(ModelInput(graph, instance, given)), model(ModelInput(graph, instance, forced)))
