"""The core runs networks as torch does: torch in double precision is the oracle of both."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import annealco
from annealco._core import Clock, FieldRecurrence, StopFlag
from annealco.energy import AllPairs, Constraint, Instance, Linear, Range
from annealco.errors import InputError
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models import build_model
from annealco.models.compiled_field import CompiledField, core_setting, is_compiled, load_compiled
from annealco.models.field import Field
from annealco.models.model import Model, ModelInput
from annealco.models.pretrained import shipped_folder
from annealco.models.two_sided import TwoSided
from annealco.training.checkpoint import load
from annealco.training.trained import TrainedModel, propose
from tests.problems.sums import SUMS

SHIPPED = ("mis", "clique", "mds", "cut")
STEPS = 4


def with_steps(model: Model, num_steps: int) -> Model:
    for each in [model.sparse, model.dense] if isinstance(model, TwoSided) else [model]:
        assert isinstance(each, Field)
        each.steps(num_steps)
    return model.eval()


def shipped(task: str, num_steps: int = STEPS) -> Model:
    return with_steps(load(shipped_folder(task)).model, num_steps)


def small(name: str = "field", num_steps: int = STEPS, width: int = 12, **rounds: float) -> Model:
    """Return a network as it is before training, in which differences die out."""
    torch.manual_seed(0)
    return with_steps(build_model(name, width=width, **rounds), num_steps)


def drawn(*densities: float, weighted: bool = False, size: int = 40) -> Graph:
    rng = np.random.default_rng(len(densities))
    graphs = [erdos_renyi(rng, num_nodes=size + 3 * k, edge_probability=p) for k, p in enumerate(densities)]
    graph = Graph.batch(graphs)
    if not weighted:
        return graph
    weights = {"node_weight": rng.uniform(0.5, 2, graph.num_nodes), "edge_weight": rng.uniform(0.5, 2, graph.num_edges)}
    return graph.with_weights(**weights)


def by_torch(model: Model, graph: Graph, instance: Instance, restarts: int, seed: int = 0) -> NDArray[np.float64]:
    """Return what torch proposes in double precision."""
    generator = model.generator(seed)
    with torch.no_grad():
        features = model.double().draw_features(graph, restarts, generator)
        logits = model.proposals(ModelInput(graph, instance, features), generator).T.numpy()
    model.float()
    return logits


def in_core(model: Model, graph: Graph, instance: Instance, restarts: int, seed: int = 0) -> NDArray[np.float32]:
    compiled = model.compiled()
    assert compiled is not None
    return compiled.propose(graph, instance, restarts, seed)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("densities", [(0.1,), (0.9,), (0.2, 0.8, 0.5)], ids=str)
@pytest.mark.parametrize("task", SHIPPED)
@pytest.mark.parametrize("restarts", [1, 3, 8, 11])
def test_a_step_of_a_shipped_network_is_that_of_torch(
    task: str, densities: tuple[float, ...], weighted: bool, restarts: int
) -> None:
    graph, model = drawn(*densities, weighted=weighted), shipped(task, 1)
    instance = SUMS[task].declare(graph)
    expected = by_torch(model, graph, instance, restarts)
    assert np.allclose(in_core(model, graph, instance, restarts), expected, rtol=0, atol=1e-5)
    assert expected.std() > 0.5


@pytest.mark.parametrize("task", SHIPPED)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_rounding_grows_over_steps_as_it_does_in_torch(task: str, weighted: bool) -> None:
    # A trained network is chaotic: what a step rounds is doubled by the next ones.
    graph, model = drawn(0.2, 0.9, weighted=weighted), shipped(task)
    instance = SUMS[task].declare(graph)
    expected = by_torch(model, graph, instance, 8)
    generator = model.generator(0)
    with torch.no_grad():
        features = model.draw_features(graph, 8, generator)
        single = model.proposals(ModelInput(graph, instance, features), generator).T.numpy()
    error = np.abs(in_core(model, graph, instance, 8) - expected).max()
    assert error < 1e-5 + 4 * np.abs(single - expected).max()


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("kind", ["field", "two_sided"])
def test_rounds_of_every_problem_are_those_of_torch(name: str, kind: str) -> None:
    graph, model = drawn(0.15, 0.85, weighted=True, size=15), small(kind, 2 * 4 + 3, round_steps=4, fresh=0.5)
    instance = SUMS[name].declare(graph)
    expected = by_torch(model, graph, instance, 3, seed=5)
    assert expected.shape == (9, graph.num_nodes)
    assert np.allclose(in_core(model, graph, instance, 3, seed=5), expected, rtol=0, atol=1e-5)
    assert not np.allclose(expected[:3], expected[3:6])


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("task", SHIPPED)
def test_tiny_graphs(task: str, size: int) -> None:
    graph, model = drawn(1.0, size=size), shipped(task)
    instance = SUMS[task].declare(graph)
    found = in_core(model, graph, instance, 3)
    assert found.shape == (3, size)
    assert np.allclose(found, by_torch(model, graph, instance, 3), rtol=0, atol=1e-4)


def test_no_graphs_at_all() -> None:
    none = drawn(0.5)[np.zeros(0, np.int64)]
    assert in_core(small(), none, SUMS["mis"].declare(none), 2).shape == (2, 0)


@pytest.mark.parametrize("width", [1, 15, 16, 33])
def test_every_width(width: int) -> None:
    graph, model = drawn(0.2), small(width=width)
    instance = SUMS["mis"].declare(graph)
    assert np.allclose(in_core(model, graph, instance, 9), by_torch(model, graph, instance, 9), rtol=0, atol=1e-5)


@pytest.mark.parametrize("method", ["gaussian", "plugin"])
def test_terms_of_every_kind_at_once(method: str) -> None:
    graph, rng = drawn(0.1, 0.3), np.random.default_rng(0)
    ptr, size = graph.node_ptr, graph.num_nodes
    instance = Instance(
        ptr,
        (Linear(ptr, rng.normal(size=size)), AllPairs(ptr, rng.uniform(0, 0.1, size), graph.edges)),
        tuple(
            Constraint(term, np.ones_like(term.coefficient))
            for term in (
                *(each.term for name in ("mis", "mds") for each in SUMS[name].declare(graph).constraints),
                AllPairs(ptr, rng.uniform(0, 0.01, size)),
                Range(ptr, rng.uniform(0, 2, size), np.array([3.0, 4.0]), np.array([5.0, 9.0]), np.ones(2), method),
            )
        ),
    )
    model = small()
    assert np.allclose(in_core(model, graph, instance, 8), by_torch(model, graph, instance, 8), rtol=0, atol=1e-5)


def test_what_the_core_does_not_know_is_left_to_torch_or_refused() -> None:
    graph = drawn(0.3, size=6)
    ptr, one = graph.node_ptr, np.ones(1)
    exact = Instance(ptr, (Linear(ptr, -np.ones(6)), Range(ptr, np.ones(6), one, 2 * one, one, "exact")))
    twice = Instance(ptr, (AllPairs(ptr, np.ones(6)), AllPairs(ptr, np.ones(6))))
    model = small()
    for instance in (exact, twice):
        assert not is_compiled(instance)
        assert np.allclose(propose(model, graph, instance, 2, 0), by_torch(model, graph, instance, 2), atol=1e-5)
        with pytest.raises(InputError, match=r"give a network that annealco.load read, which needs PyTorch"):
            in_core(model, graph, instance, 2)


def test_coefficients_beyond_single_precision_stay_finite() -> None:
    graph = drawn(0.3, size=10)
    for weight in (1e-290, 1e290):
        instance = SUMS["mis"].declare(graph.with_weights(node_weight=np.full(10, weight)))
        assert np.isfinite(in_core(shipped("mis"), graph, instance, 2)).all()


def test_threads_and_neighbouring_graphs_change_nothing() -> None:
    graph, model = drawn(0.1, 0.5, 0.9), shipped("mis", 20).compiled()
    assert model is not None
    instance = SUMS["mis"].declare(graph)
    alone = model.propose(graph, instance, 19, 3)
    assert np.array_equal(alone, model.propose(graph, instance, 19, 3, num_threads=4))
    assert not np.array_equal(alone, model.propose(graph, instance, 19, 4))
    # A node of another graph changes no digit: the first graph's numbers are drawn first.
    first = graph[np.array([0])]
    assert np.array_equal(model.propose(first, SUMS["mis"].declare(first), 19, 3), alone[:, : first.num_nodes])


def test_restarts_do_not_meet() -> None:
    graph = drawn(0.2)
    setting = core_setting(graph, SUMS["mis"].declare(graph)).core
    compiled = shipped("mis", 20).compiled()
    assert compiled is not None
    features = np.random.default_rng(0).normal(size=(graph.num_nodes, 10, 4)).astype(np.float32)
    found = []
    for columns in (slice(None), slice(0, 8), slice(8, 9)):
        part = np.ascontiguousarray(features[:, columns])
        run = FieldRecurrence(list(compiled.weights), np.zeros(1, np.int32), setting, num_restarts=part.shape[1])
        logits = np.empty((part.shape[1], graph.num_nodes), np.float32)
        run.begin(part)
        run.run(20, logits, Clock())
        found.append(logits)
    assert np.array_equal(found[0][:8], found[1])
    # Of one restart alone, sums over pairs have another order.
    assert np.allclose(found[0][8], found[2][0], atol=0.05)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("restarts", [1, 5, 19])
def test_restarts_go_on_from_kept_states_of_any_other(restarts: int, threads: int) -> None:
    graph = drawn(0.1, 0.9, size=9)[np.array([0, 1, 0])]
    setting, compiled = core_setting(graph, SUMS["mis"].declare(graph)).core, shipped("clique", 1).compiled()
    assert compiled is not None
    which = np.array([0, 1, 0], np.int32)
    run = FieldRecurrence(list(compiled.weights), which, setting, num_restarts=restarts)
    rng, logits = np.random.default_rng(0), np.empty((2, restarts, graph.num_nodes), np.float32)
    shape = (graph.num_graphs, restarts)
    nothing, itself = np.zeros(shape, bool), np.full(shape, -1, np.int32)
    states = [rng.normal(size=(graph.num_nodes, restarts, 4)).astype(np.float32) for _ in range(2)]
    keeps, parent = rng.random(shape) < 0.5, rng.integers(-1, restarts, shape, dtype=np.int32)
    run.begin(states[0])
    run.select(~nothing, itself, num_threads=threads)
    run.begin(states[1])
    run.select(keeps, parent, num_threads=threads)
    run.run(1, logits[0], Clock())
    # The same by hand, in the features that states are made of.
    kept, now = states[0].copy(), states[1].copy()
    for number, nodes in enumerate(np.split(np.arange(graph.num_nodes), graph.node_ptr[1:-1])):
        for restart in np.flatnonzero(keeps[number]):
            kept[nodes, restart] = states[1][nodes, restart]
        for restart in np.flatnonzero(parent[number] >= 0):
            now[nodes, restart] = kept[nodes, parent[number, restart]]
    run.begin(now)
    run.run(1, logits[1], Clock())
    assert np.array_equal(*logits)


def test_only_what_was_kept_can_be_gone_on_from() -> None:
    graph = drawn(0.2)
    compiled = shipped("mis", 1).compiled()
    assert compiled is not None
    run = FieldRecurrence(
        list(compiled.weights),
        np.zeros(1, np.int32),
        core_setting(graph, SUMS["mis"].declare(graph)).core,
        num_restarts=2,
    )
    one = np.array([[True, False]])
    run.select(one, np.array([[-1, 0]], np.int32))
    for parent, rule in [([1, -1], "parent must have kept a state"), ([2, -1], "parent must be -1 or a restart")]:
        with pytest.raises(ValueError, match=rule):
            run.select(one, np.array([parent], np.int32))
    with pytest.raises(ValueError, match="keeps: a flag per restart of a graph"):
        run.select(one[:0], np.array([[0, 0]], np.int32))


def test_when_an_end_is_asked_for_every_restart_makes_one_step() -> None:
    graph = drawn(0.2, 0.3)
    instance, stop = SUMS["mis"].declare(graph), StopFlag()
    stop.set()
    once, long = shipped("mis", 1).compiled(), shipped("mis", 10**4).compiled()
    assert once is not None
    assert long is not None
    expected = once.propose(graph, instance, 9, 0)
    assert np.array_equal(long.propose(graph, instance, 9, 0, stop=stop), expected)
    assert np.array_equal(long.propose(graph, instance, 9, 0, stop=stop, num_threads=3), expected)
    assert np.array_equal(long.propose(graph, instance, 9, 0, seconds=0.0), expected)


def test_a_large_graph_is_run_in_the_core_by_default() -> None:
    graph, model = barabasi_albert(np.random.default_rng(0), num_nodes=3000, attachment=4), shipped("mds", 3)
    instance = SUMS["mds"].declare(graph)
    found = TrainedModel(model, "mds", num_restarts=2, seed=1)(graph, instance)
    assert np.array_equal(found, in_core(model, graph, instance, 2, seed=1))
    assert np.allclose(found, by_torch(model, graph, instance, 2, seed=1), rtol=0, atol=1e-4)


def test_a_network_in_double_precision_is_torch_s() -> None:
    assert small().double().compiled() is None
    assert small("two_sided").double().compiled() is None


@pytest.mark.parametrize("task", SHIPPED)
def test_a_folder_is_read_as_torch_reads_it(task: str) -> None:
    graph = drawn(0.3, 0.8)
    instance = SUMS[task].declare(graph)
    read, trained = load_compiled(shipped_folder(task)), load(shipped_folder(task))
    assert read is not None
    assert (read.name, read.problem, read.num_restarts) == (trained.name, trained.problem, trained.num_restarts)
    some = read.with_settings(num_restarts=3, seed=2, seconds=60.0, stop=StopFlag())
    assert np.array_equal(some(graph, instance), trained.with_settings(num_restarts=3, seed=2)(graph, instance))


@pytest.mark.parametrize("name", ["field", "two_sided"])
def test_a_folder_carries_how_rounds_go(name: str, tmp_path: Path) -> None:
    graph = drawn(0.3, 0.8)
    instance = SUMS["mis"].declare(graph)
    model = build_model(name, width=4, num_steps=9, round_steps=4, fresh=0.75)
    TrainedModel(model, "mis", num_restarts=2).save(tmp_path)
    read, trained = load_compiled(tmp_path), load(tmp_path)
    assert read is not None
    expected = in_core(model, graph, instance, 2)
    assert expected.shape == (3 * 2, graph.num_nodes)
    for given in (read, trained):
        found = given.with_settings(num_restarts=2)
        assert np.array_equal(found(graph, instance), expected)
        assert found.with_settings(round_steps=3, num_steps=5)(graph, instance).shape == (2 * 2, graph.num_nodes)
        assert not np.array_equal(found.with_settings(fresh=0.0)(graph, instance), expected)
        with pytest.raises(InputError, match="fresh must be from 0 to 1, it is 2"):
            found.with_settings(fresh=2.0)


def test_defaults_of_rounds_are_not_told_so_that_runs_before_them_go_on() -> None:
    assert build_model("field").settings == build_model("two_sided").settings == {"width": 32, "num_steps": 16}


def test_other_networks_are_not_the_core_s(tmp_path: Path) -> None:
    TrainedModel(build_model("run_csp", width=4), "mis").save(tmp_path)
    assert load_compiled(tmp_path) is None
    assert build_model("run_csp", width=4).compiled() is None


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"settings": {"width": 8, "num_steps": 16}}, r"the tensor 'start.weight' must have shape \[8, 10\]"),
        ({"settings": {"width": 0, "num_steps": 16}}, "'width' must be a number from 1 to 65536, it is 0"),
        ({"settings": {"width": 32, "num_steps": 1.5}}, "'num_steps' must be a whole number, it is 1.5"),
        (
            {"settings": {"width": 32, "depth": 3}},
            "unknown setting 'depth' of model field; choose from width, num_steps, round_steps, fresh",
        ),
        ({"settings": {"fresh": 1.5}}, "'fresh' must be a number from 0 to 1, it is 1.5"),
        ({"settings": {"round_steps": 0}}, "'round_steps' must be a number from 1 to 65536, it is 0"),
        ({"settings": None}, "its settings are not known"),
        ({"model": "two_sided"}, "its weights lack the tensor 'sparse.start.weight'"),
        ({"version": 2}, "it has version 2 of the format, this package reads version 1"),
        ({"sha256": "0" * 64}, "this is not the file that model.json describes"),
        ({"problem": 3}, "'problem' must be of type str, it is 3"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(change: dict[str, object], rule: str, tmp_path: Path) -> None:
    folder = tmp_path / "network"
    shutil.copytree(shipped_folder("mis"), folder)
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | change))
    with pytest.raises(InputError, match=rule):
        load_compiled(folder)
    with pytest.raises(InputError, match=rule):
        annealco.solve(drawn(0.3), "mis", model=folder)


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    model = small()
    with torch.no_grad():
        model.read.bias.fill_(torch.nan)  # type: ignore[union-attr]
    TrainedModel(model, "mis").save(tmp_path)
    with pytest.raises(InputError, match=r"the tensor 'read.bias' has entries that are not finite"):
        load_compiled(tmp_path)


def test_a_missing_setting_is_its_default(tmp_path: Path) -> None:
    shutil.copytree(shipped_folder("mis"), tmp_path / "network")
    file = tmp_path / "network" / "model.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"settings": {}}))
    read = load_compiled(tmp_path / "network")
    assert read is not None
    assert isinstance(read.network, CompiledField)
    assert read.network.num_steps == Field().num_steps


@pytest.mark.parametrize("read", [load, load_compiled], ids=["PyTorch", "core"])
@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"num_steps": "x"}, "num_steps must be a whole number"),
        ({"num_steps": 2.5}, "num_steps must be a whole number"),
        ({"num_steps": 0}, "at least 1"),
        ({"num_steps": 2**16 + 1}, "at most 65536"),
        ({"round_steps": math.nan}, "round_steps must be a whole number"),
        ({"round_steps": 10**9}, "at most 65536"),
        ({"fresh": "x"}, "fresh must be a number"),
        ({"num_restarts": 0}, "num_restarts must be at least 1"),
        ({"num_restarts": 10**9}, "num_restarts must be at most"),
        ({"num_restarts": True}, "num_restarts must be a whole number"),
        ({"num_restarts": [1]}, "num_restarts must be a whole number"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seconds": "x"}, "seconds must be a number"),
        ({"seconds": math.nan}, "seconds must be a number"),
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_one_error_of_input(read, settings: dict[str, object], rule: str) -> None:
    with pytest.raises(InputError, match=rule) as caught:
        read(shipped_folder("mis")).with_settings(**settings)
    assert "\n" not in str(caught.value)
