from __future__ import annotations

import copy
import csv
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

import annealco
from annealco._core import StopFlag
from annealco.errors import InputError
from annealco.models import build_model
from annealco.problems import PROBLEMS
from annealco.training.trained import TrainedModel, propose
from tests.training.small_runs import new_model, small_graphs

GRAPH = small_graphs(1)
INSTANCE = PROBLEMS["mis"].declare(GRAPH)


def test_proposals_are_rows_that_depend_on_the_seed_alone() -> None:
    model = new_model().eval()
    found = propose(model, GRAPH, INSTANCE, 3, 5)
    assert found.shape == (3, GRAPH.num_nodes)
    torch.rand(7)
    assert np.array_equal(found, propose(model, GRAPH, INSTANCE, 3, 5))
    assert not np.array_equal(found, propose(model, GRAPH, INSTANCE, 3, 6))
    assert not np.array_equal(found[0], found[1])


def test_a_trained_network_is_in_evaluation_mode() -> None:
    assert not TrainedModel(new_model(), "mis").model.training


def test_settings_change_how_it_is_run_and_not_what_it_is() -> None:
    trained = TrainedModel(new_model(), "mis")
    more = trained.with_settings(num_restarts=2, seed=9, num_steps=7)
    assert (more.num_restarts, more.seed, more.model.settings["num_steps"]) == (2, 9, 7)
    assert more(GRAPH, INSTANCE).shape == (2, GRAPH.num_nodes)
    assert (trained.num_restarts, trained.model.settings["num_steps"]) == (8, 3)
    same = trained.with_settings(num_steps=3)
    assert np.array_equal(trained(GRAPH, INSTANCE), same(GRAPH, INSTANCE))
    assert not np.array_equal(trained(GRAPH, INSTANCE)[:2], more.with_settings(seed=0)(GRAPH, INSTANCE))


def test_what_is_printed_is_short() -> None:
    assert repr(TrainedModel(new_model(), "mis")) == "TrainedModel(tiny for mis, 9 parameters)"


def test_the_history_has_a_column_for_each_figure_and_an_entry_for_each_epoch(tmp_path: Path) -> None:
    trained = annealco.train(
        "mis", small_graphs(4), settings={"width": 4}, epochs=3, validate_every=2, out=tmp_path, progress=False
    )
    with (tmp_path / "log.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(trained.history) == list(rows[0])
    assert trained.history["epoch"] == [0, 1, 2]
    assert trained.history["loss"] == [float(row["loss"]) for row in rows]
    assert trained.history["ratio"].count(None) == sum(row["ratio"] == "" for row in rows)
    assert repr(trained).endswith(" parameters, 3 epochs)")
    again = annealco.load(tmp_path)
    assert again.history == trained.history
    assert again.with_settings(seed=3).history == trained.history
    (tmp_path / "log.csv").unlink()
    assert annealco.load(tmp_path).history == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("epoch,loss\n0,1.5\n1\n", "3: a row must have 2 cells, this one has 1"),
        ("epoch,loss\n0,good\n", "2: a cell must be a number, this one is 'good'"),
    ],
)
def test_a_damaged_log_is_named(text: str, rule: str, tmp_path: Path) -> None:
    TrainedModel(build_model("field", width=4), "mis").save(tmp_path)
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(InputError, match=f"log.csv:{rule}"):
        annealco.load(tmp_path)
    (tmp_path / "log.csv").write_text("")
    assert annealco.load(tmp_path).history == {}


def test_bad_settings_are_refused() -> None:
    trained = TrainedModel(new_model(), "mis")
    with pytest.raises(InputError, match="restarts must be at least 1"):
        trained.with_settings(num_restarts=0)
    with pytest.raises(InputError, match="steps must be at least 1"):
        trained.with_settings(num_steps=0)
    with pytest.raises(InputError, match="model erdos has no number of steps"):
        TrainedModel(build_model("erdos", width=8), "mis").with_settings(num_steps=3)


def test_solve_takes_it_and_its_restarts(tmp_path_factory: pytest.TempPathFactory) -> None:
    trained = TrainedModel(new_model(), "mis")
    found = annealco.solve(GRAPH, "mis", model=trained, restarts=5, polish=False, bound=False, seed=2)
    assert found.method == "tiny + decoding"
    assert found.feasible
    folder = tmp_path_factory.mktemp("model")
    trained.save(folder)
    for model in (folder, str(folder)):
        again = annealco.solve(GRAPH, "mis", model=model, restarts=5, polish=False, bound=False, seed=2)
        assert again.nodes == found.nodes
    with pytest.raises(InputError, match="the model was trained for mis, not for mds"):
        annealco.solve(GRAPH, "mds", model=trained)


def test_threads_can_share_it() -> None:
    trained = TrainedModel(new_model(), "mis")
    graphs = list(small_graphs(8))
    alone = [trained(graph, PROBLEMS["mis"].declare(graph)) for graph in graphs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda graph: trained(graph, PROBLEMS["mis"].declare(graph)), graphs))
    assert all(np.array_equal(first, second) for first, second in zip(alone, together, strict=True))


@pytest.mark.parametrize("name", ["field", "erdos"])
@pytest.mark.parametrize("copied", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy], ids=["pickle", "copy"])
def test_it_can_be_sent_to_other_processes(name: str, copied: Callable[[TrainedModel], TrainedModel]) -> None:
    trained = TrainedModel(build_model(name, width=4), "mis", num_restarts=2, record={"recipe": {"epochs": 3}})
    expected = trained(GRAPH, INSTANCE)
    other = copied(trained)
    assert np.array_equal(other(GRAPH, INSTANCE), expected)
    assert (other.problem, other.num_restarts, other.record) == (trained.problem, trained.num_restarts, trained.record)
    assert not other.model.training
    next(other.model.parameters()).data.zero_()
    assert np.array_equal(trained(GRAPH, INSTANCE), expected)


@pytest.mark.processes
def test_without_time_a_recurrent_network_makes_one_step():
    trained = TrainedModel(build_model("field", width=4), "mis")
    one, late = (trained.with_settings(**given)(GRAPH, INSTANCE) for given in ({"num_steps": 1}, {"seconds": 0.0}))
    assert np.array_equal(one, late)
    assert not np.array_equal(one, trained(GRAPH, INSTANCE))


@pytest.mark.processes
def test_a_network_ends_its_steps_once_it_is_stopped() -> None:
    stop = StopFlag()
    stop.set()
    trained = TrainedModel(build_model("field", width=4), "mis")
    given = ({"num_steps": 1}, {"num_steps": 60_000, "stop": stop})
    one, stopped = (trained.with_settings(**settings)(GRAPH, INSTANCE) for settings in given)
    assert np.array_equal(one, stopped)


def test_seeds_beyond_64_bits_are_taken() -> None:
    trained = TrainedModel(build_model("field", width=4), "mis")
    first, again, other = (trained.with_settings(seed=seed)(GRAPH, INSTANCE) for seed in (10**30, 10**30, 10**30 + 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
