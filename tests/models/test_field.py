import numpy as np
import pytest
import torch

from annealco.energy import Instance, Linear
from annealco.energy.instance import objective_scale
from annealco.errors import InputError
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.graph.operations import complement, relabel
from annealco.models import build_model
from annealco.models.compiled_field import (
    DEFAULTS,
    MOST_EXPONENT,
    NUM_FEATURES,
    NUM_SURROUNDINGS,
    in_graph_units,
)
from annealco.models.field import FADING, RISEN, _prepare, _setting, surroundings
from annealco.models.model import ModelInput
from annealco.problems import PROBLEMS
from tests.problems.sums import ON_GRAPHS, PRICED, SUMS


def draw(seed=0, densities=(0.2, 0.8), size=10):
    rng = np.random.default_rng(seed)
    graph = Graph.batch([erdos_renyi(rng, num_nodes=size, edge_probability=p) for p in densities])
    weights = {"node_weight": rng.uniform(0.5, 2, graph.num_nodes), "edge_weight": rng.uniform(0.5, 2, graph.num_edges)}
    return graph.with_weights(**weights)


def build(**settings):
    torch.manual_seed(0)
    return build_model("field", **{"width": 8, **settings}).double().eval()


@pytest.mark.parametrize("name", SUMS)
def test_numbering_the_nodes_otherwise_permutes_the_logits(name):
    graph = draw()
    rng = np.random.default_rng(1)
    permutation = np.concatenate([rng.permutation(10), 10 + rng.permutation(10)])
    moved = relabel(graph, permutation)
    model = build()
    features = model.draw_features(graph, 2, torch.Generator().manual_seed(0)).double()
    shuffled = torch.empty_like(features)
    shuffled[permutation] = features
    before = model(ModelInput(graph, SUMS[name].declare(graph), features))
    after = model(ModelInput(moved, SUMS[name].declare(moved), shuffled))
    assert torch.allclose(after[permutation], before)
    assert before.std() > 1e-3


@pytest.mark.parametrize("name", SUMS)
def test_only_ratios_of_weights_matter(name):
    graph = draw()
    larger = graph.with_weights(node_weight=1000 * graph.node_weight, edge_weight=1000 * graph.edge_weight)
    model = build()
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(0))
    # A price is a weight too: what an edge of the volume earns.
    priced = {PRICED: {"price": 250.0}}.get(name, {})
    before = model(ModelInput(graph, SUMS[name].declare(graph), features))
    after = model(ModelInput(larger, SUMS[name].with_options(**priced).declare(larger), features))
    assert torch.allclose(before, after)


def test_a_clique_is_an_independent_set_of_the_complement():
    graph = draw(densities=(0.2, 0.3))
    graph = graph.with_weights(edge_weight=np.ones(graph.num_edges))
    model = build()
    model.start.weight.data[:, NUM_FEATURES:] = 0
    # Two columns tell the sides apart: whether it is the complement, and the share of joined nodes.
    model.signals.weight.data[:, [7, 10]] = 0
    features = model.draw_features(graph, 2, torch.Generator().manual_seed(0))
    other = complement(graph)
    independent = model(ModelInput(graph, PROBLEMS["mis"].declare(graph), features))
    assert torch.allclose(model(ModelInput(other, PROBLEMS["clique"].declare(other), features)), independent)


def test_gradients_reach_the_features_through_all_steps():
    graph = draw()
    model = build(num_steps=12)
    features = model.draw_features(graph, 1).requires_grad_()
    model(ModelInput(graph, PROBLEMS["mds"].declare(graph), features)).sum().backward()
    assert (features.grad.abs() > 0).all()


def test_a_network_s_gradient_equals_finite_differences():
    graph = draw(size=5)
    model = build(width=3, num_steps=3)
    instance = PROBLEMS["cut"].declare(graph)
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(lambda given: model(ModelInput(graph, instance, given)), features)


def test_a_long_run_proposes_after_every_round():
    graph = draw()
    instance, model = PROBLEMS["mis"].declare(graph), build(num_steps=2 * DEFAULTS.round_steps + 5)
    features = model.draw_features(graph, 3, torch.Generator().manual_seed(0)).double()
    runs = [model.proposals(ModelInput(graph, instance, features), torch.Generator().manual_seed(1)) for _ in range(2)]
    assert runs[0].shape == (graph.num_nodes, 3 * 3)
    assert torch.equal(*runs)
    first = model.steps(DEFAULTS.round_steps)(ModelInput(graph, instance, features))
    assert torch.equal(runs[0][:, :3], first)
    assert torch.equal(model.proposals(ModelInput(graph, instance, features)), first)


def test_when_time_is_up_what_one_more_step_gives_is_proposed():
    graph = draw()
    instance, model = PROBLEMS["mis"].declare(graph), build(num_steps=2 * DEFAULTS.round_steps)
    features = model.draw_features(graph, 3, torch.Generator().manual_seed(0)).double()
    late = model.proposals(ModelInput(graph, instance, features), torch.Generator().manual_seed(1), lambda: True)
    assert torch.equal(late, model.steps(1)(ModelInput(graph, instance, features)))


def test_between_rounds_some_nodes_start_anew(monkeypatch):
    graph = draw(densities=(0.0,), size=2000)
    instance, model = PROBLEMS["mis"].declare(graph), build(num_steps=2 * DEFAULTS.round_steps)
    # With nothing done in a step, what is proposed is what the states begin with.
    monkeypatch.setattr(model, "_step", lambda setting, fixed, state, logits: state)
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(0))
    before, after = model.proposals(ModelInput(graph, instance, features), torch.Generator().manual_seed(1)).T
    assert (before != after).double().mean().item() == pytest.approx(DEFAULTS.fresh, abs=0.05)


@pytest.mark.parametrize("name", SUMS)
def test_many_steps_stay_finite_in_single_precision(name):
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=500, attachment=4)
    torch.manual_seed(0)
    model = build_model("field").steps(256)
    instance = SUMS[name].declare(graph)
    features = model.draw_features(graph, 1)
    with torch.no_grad():
        for scale in (1.0, 30.0):
            model.read.weight.data *= scale
            assert torch.isfinite(model(ModelInput(graph, instance, features))).all()


def test_steps_are_drawn_in_training_and_fixed_otherwise():
    graph = draw()
    instance = PROBLEMS["mis"].declare(graph)
    model = build(num_steps=6)
    features = model.draw_features(graph, 1, torch.Generator().manual_seed(0))
    assert {len(model.outputs(ModelInput(graph, instance, features))) for _ in range(5)} == {3}
    model.train()
    assert {model.draw_steps() for _ in range(100)} == {1, 2, 3}
    for model.progress in (RISEN, 1.0):
        assert {model.draw_steps() for _ in range(300)} == set(range(5, 15))
    assert {model.steps(1).draw_steps() for _ in range(100)} == {1, 2}
    runs = []
    for _ in range(2):
        torch.manual_seed(5)
        runs.append(model.outputs(ModelInput(graph, instance, features)))
    assert all(torch.equal(one, two) for (_, one), (_, two) in zip(*runs, strict=True))


def test_outputs_are_the_later_steps_and_fade_backwards():
    graph = draw()
    instance = PROBLEMS["mis"].declare(graph)
    model = build(num_steps=6)
    features = model.draw_features(graph, 2)
    outputs = model.outputs(ModelInput(graph, instance, features))
    weights = [weight for weight, _ in outputs]
    assert np.allclose(np.array(weights[:-1]) / weights[1:], FADING)
    for steps, (_, logits) in zip((4, 5, 6), outputs, strict=True):
        assert torch.equal(logits, model.steps(steps)(ModelInput(graph, instance, features)))


def test_more_steps_leave_the_settings_alone():
    model = build_model("field", width=4, num_steps=5)
    assert model.steps(50).num_steps == 50
    assert model.settings == {"width": 4, "num_steps": 5}
    with pytest.raises(InputError, match="num_steps must be at least 1, it is 0"):
        model.steps(0)


@pytest.mark.parametrize("wrong", [{"width": 0}, {"num_steps": 0}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(InputError, match=r"(width|num_steps) must be at least 1, it is "):
        build_model("field", **wrong)


def test_a_batch_is_prepared_once():
    graph = draw()
    instance = PROBLEMS["clique"].declare(graph)
    model = build_model("field", width=4)
    model.prepare(graph, instance)
    setting = _setting(graph, instance, **model.place)
    model(ModelInput(graph, instance, model.draw_features(graph, 1)))
    assert _setting(graph, instance, **model.place) is setting


def test_share_and_unit_of_a_weighted_path():
    path = Graph.from_edges([[0, 1], [1, 2]], 6, node_weight=[1, 2, 4, 1, 1, 1])
    setting = _prepare(path, PROBLEMS["mis"].declare(path), torch.device("cpu"), torch.float64)
    assert setting.share.flatten().tolist() == [1, 0.5, 1, 1, 1, 1]
    assert setting.unit.flatten().tolist() == [1, 0.5, 0.25, 1, 1, 1]


@pytest.mark.parametrize("size", [0, 1])
def test_graphs_without_edges(size):
    graph = Graph.from_edges(np.zeros((2, 0), int), size)
    model = build_model("field", width=4)
    assert model(ModelInput(graph, PROBLEMS["mis"].declare(graph), model.draw_features(graph, 3))).shape == (size, 3)


def test_training_lowers_the_energy():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    graph = Graph.batch([erdos_renyi(rng, num_nodes=20, edge_probability=0.2) for _ in range(8)])
    instance = PROBLEMS["mis"].declare(graph)
    model = build_model("field", width=16, num_steps=6)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    energies = []
    for _ in range(60):
        outputs = model.outputs(ModelInput(graph, instance, model.draw_features(graph, 2)))
        loss = sum(weight * instance.energy().expectation(logits).mean() for weight, logits in outputs)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        energies.append(loss.item())
    # Every second node at random has an energy above 0; independent sets of these graphs have about eight nodes.
    assert energies[-1] < -5


PLACE = (torch.device("cpu"), torch.float64)


def test_columns_of_a_weighted_star():
    star = Graph.from_edges(
        [[0, 0, 0, 4], [1, 2, 3, 5]], 8, node_weight=[3, 1, 1, 1, 1, 1, 0, 0], edge_weight=[2, 2, 2, 6]
    )
    columns = surroundings(star, *PLACE).numpy()
    assert columns.shape == (8, NUM_SURROUNDINGS)
    assert columns[0, 0] == pytest.approx(np.log(4) / 4)
    assert columns[:, 1].tolist() == [2, 0, 0, 0, 0, 0, -1, -1]
    assert columns[:, 2].tolist() == [0] * 8
    assert columns[:, 3].tolist() == [2, 0, 0, 0, 0, 0, -1, -1]
    assert columns[4, 4] == pytest.approx(6 / (20 / 8) - 1)
    assert columns[:, 5].tolist() == pytest.approx((star.degree / 7).tolist())


def test_a_dense_graph_has_the_degrees_of_its_complement():
    graph = erdos_renyi(np.random.default_rng(0), num_nodes=12, edge_probability=0.2)
    sparse, dense = (surroundings(each, *PLACE) for each in (graph, complement(graph)))
    same = [0, 1, 3, 4]
    assert torch.equal(sparse[:, same], dense[:, same])
    assert dense[:, 2].eq(1).all()
    assert torch.allclose(sparse[:, 5] + dense[:, 5], torch.ones(12, dtype=torch.float64))


@pytest.mark.parametrize("size", [0, 1])
def test_tiny_graphs_have_finite_surroundings(size):
    graph = Graph.from_edges(np.zeros((2, 0), int), size, node_weight=np.zeros(size))
    assert torch.isfinite(surroundings(graph, *PLACE)).all()


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "vertex_cover"])
def test_the_unit_of_a_node_that_costs_its_weight_is_the_weight(name):
    graph = Graph.from_edges([[0, 1], [1, 2]], node_weight=[2.0, 5.0, 0.5])
    assert objective_scale(PROBLEMS[name].declare(graph)).tolist() == [2.0, 5.0, 0.5]


@pytest.mark.parametrize("name", ["cut", "max_cut"])
def test_the_unit_of_a_node_in_a_cut_is_the_weight_of_its_edges(name):
    graph = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[2.0, 5.0])
    assert objective_scale(PROBLEMS[name].declare(graph)).tolist() == [2.0, 7.0, 5.0]


def test_nodes_that_the_objective_ignores_get_the_mean_of_their_graph():
    ptr = np.array([0, 3, 5])
    instance = Instance(ptr, (Linear(ptr, np.array([0.0, -3.0, 6.0, 0.0, 0.0])),))
    assert objective_scale(instance).tolist() == [3.0, 3.0, 6.0, 1.0, 1.0]


OUTLIERS = (1e-320, 1e-300, 1e-40, 1e40, 1e298)


def draw_weighted():
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
        return model(ModelInput(graph, PROBLEMS[name].declare(graph), features))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ON_GRAPHS)
@pytest.mark.parametrize("power", [-900, -400, 0, 7, 400, 900])
def test_a_power_of_two_on_all_weights_changes_no_bit(name, power):
    graph = draw_weighted()
    other = graph.with_weights(node_weight=graph.node_weight * 2.0**power, edge_weight=graph.edge_weight * 2.0**power)
    assert torch.equal(logits(name, other), logits(name, graph))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ON_GRAPHS)
@pytest.mark.parametrize("weight", OUTLIERS)
def test_one_weight_of_another_size_leaves_logits_finite(name, weight):
    graph = draw_weighted()
    node_weight, edge_weight = graph.node_weight.copy(), graph.edge_weight.copy()
    node_weight[3] = edge_weight[5] = weight
    assert logits(name, graph.with_weights(node_weight=node_weight, edge_weight=edge_weight)).isfinite().all()
    everywhere = graph.with_weights(
        node_weight=np.full(graph.num_nodes, weight), edge_weight=np.full(graph.num_edges, weight / 1000)
    )
    assert logits(name, everywhere).isfinite().all()


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_ratios_are_those_of_the_instance_up_to_the_cut(name):
    graph = draw_weighted()
    instance = PROBLEMS[name].declare(graph)
    scaled = in_graph_units(instance)
    for before, after in zip(instance.energy().terms, scaled.energy().terms, strict=True):
        some = before.coefficient != 0
        assert not after.coefficient[~some].any()
        ratio = after.coefficient[some] / before.coefficient[some]
        assert set(np.log2(ratio).tolist()) <= {float(whole) for whole in range(-9, 9)}
    node_weight = graph.node_weight.copy()
    node_weight[0] = 1e300
    cut = in_graph_units(PROBLEMS["mis"].declare(graph.with_weights(node_weight=node_weight)))
    assert abs(cut.objective[0].coefficient[0]) <= 2.0**MOST_EXPONENT
    assert np.median(np.abs(cut.objective[0].coefficient[:30])) > 2.0**-40


def test_graphs_without_weights_stay_as_they_are():
    graph = draw_weighted().with_weights(node_weight=np.ones(60))
    instance = PROBLEMS["mis"].declare(graph)
    for before, after in zip(instance.energy().terms, in_graph_units(instance).energy().terms, strict=True):
        assert before.coefficient.tolist() == after.coefficient.tolist()
