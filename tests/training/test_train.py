from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import annealco
from annealco.errors import InputError
from annealco.graph.formats import write_graph
from annealco.models import Field
from annealco.models.pretrained import read_json
from annealco.problems import PROBLEMS
from annealco.training.train import train
from tests.budgets import BRIEF
from tests.problems.sums import ON_GRAPHS
from tests.training.small_runs import assert_same_run, new_model, small_graphs, small_train


def test_training_makes_better_sets_than_no_training() -> None:
    graphs = small_graphs(60, seed=7)
    options: dict[str, Any] = {"batch_size": 8, "validation_restarts": 1, "picture": False, "progress": False}
    few = train("mis", graphs, model=new_model(), epochs=1, learning_rate=1e-9, **options)
    many = train("mis", graphs, model=new_model(), epochs=15, learning_rate=0.05, tau0=1.0, **options)
    assert many.record["metrics"]["energy"] < few.record["metrics"]["energy"] - 1
    assert many.record["metrics"]["ratio"] >= few.record["metrics"]["ratio"]


@pytest.mark.parametrize("name", [name for name, problem in ON_GRAPHS.items() if problem.at_price is None])
@pytest.mark.parametrize("model", ["field", "erdos"])
def test_every_problem_and_network_trains_on_weighted_graphs(name: str, model: str) -> None:
    settings = {"width": 4, "num_steps": 5} if model == "field" else {"width": 8}
    graphs = small_graphs(5, weighted=True)
    options: dict[str, Any] = {"epochs": 1, "batch_size": 3, "picture": False, "progress": False}
    trained = train(name, graphs, model=model, settings=settings, samples=2, **options)
    assert trained.problem == name
    assert np.isfinite(trained.record["metrics"]["loss"])
    solution = annealco.solve(graphs[0], name, model=trained, restarts=2, **BRIEF)
    assert solution.feasible


def test_the_first_temperature_is_the_largest_lipschitz_constant() -> None:
    trained = small_train(epochs=1, tau0="auto")
    from annealco.training.data import load_graphs

    instances = PROBLEMS["mis"].declare(load_graphs(small_graphs(), "train"))
    assert trained.record["recipe"]["tau0"] == instances.lipschitz().max()
    assert trained.record["recipe"]["tau_last"] == 0.001
    assert small_train(epochs=1, tau0=0.0).record["metrics"]["temperature"] == 0.0


def test_by_default_temperatures_are_in_units_of_the_objective_and_the_rest_is_the_network_s() -> None:
    graphs = small_graphs()
    options: dict[str, Any] = {"epochs": 1, "progress": False, "settings": {"width": 4, "num_steps": 3}}
    recipe = train("mis", graphs, **options).record["recipe"]
    assert (recipe["tau0"], recipe["tau_last"], recipe["in_units"]) == (0.5, 0.02, True)
    assert (recipe["batch_size"], recipe["learning_rate"]) == (Field.batch_size, Field.learning_rate)
    assert not train("mis", graphs, tau0=0.5, **options).record["recipe"]["in_units"]


def test_the_loss_of_pairs_has_no_temperature(tmp_path: Path) -> None:
    recipe = small_train(tmp_path, epochs=2, loss="kl").record["recipe"]
    assert (recipe["loss"], recipe["tau0"]) == ("kl", 0.0)
    history = read_json(tmp_path / "state.json")["history"]
    assert [row["temperature"] for row in history] == [0.0, 0.0]
    # The loss is another number than the energy, which is logged beside it.
    assert abs(history[-1]["loss"] - history[-1]["energy"]) > 0.1
    with pytest.raises(InputError, match="this run cannot be resumed with another recipe: loss was 'kl'"):
        small_train(tmp_path, epochs=2, resume=True)


def test_a_network_s_own_loss_is_lowered_where_nothing_is_said(tmp_path: Path) -> None:
    options: dict[str, Any] = {"model": "run_csp", "settings": {"width": 8, "num_steps": 5}, "out": tmp_path}
    trained = train("mis", small_graphs(30), epochs=8, learning_rate=0.01, progress=False, picture=False, **options)
    assert (trained.record["recipe"]["loss"], trained.record["recipe"]["batch_size"]) == ("run_csp", 5)
    history = read_json(tmp_path / "state.json")["history"]
    assert history[-1]["loss"] < history[0]["loss"] < 4
    assert [row["temperature"] for row in history] == [0.0] * 8


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    given: dict[str, Any] = {"epochs": np.int64(1), "batch_size": np.int32(4), "samples": np.int64(1)}
    given |= {"seed": np.int64(3), "data_seed": np.uint8(0), "learning_rate": np.float32(0.5), "tau0": np.float64(1.0)}
    small_train(tmp_path / "numpy", **given)
    small_train(tmp_path / "plain", **{name: value.item() for name, value in given.items()})
    assert_same_run(tmp_path / "plain", tmp_path / "numpy")
    settings = {"width": np.int64(4), "num_steps": np.int64(3)}
    assert train("mis", small_graphs(), settings=settings, epochs=1, progress=False).model.settings["width"] == 4


def test_files_are_data_too(tmp_path: Path) -> None:
    write_graph(small_graphs(6), tmp_path / "graphs.npz")
    trained = train("mds", tmp_path, model=new_model(), epochs=1, progress=False)
    assert trained.record["recipe"]["data"]["source"] == [str(tmp_path)]


def test_the_caller_s_random_numbers_stay() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    small_train(epochs=1)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": "tsp"}, "unknown problem 'tsp'; choose one of mis"),
        ({"data": "rb-tiny"}, "no data 'rb-tiny'"),
        ({"model": "transformer"}, "unknown model 'transformer'; choose one of field"),
        ({"settings": {"depth": 2}}, "unknown setting 'depth' of model field"),
        ({"model": "given", "settings": {"width": 2}}, "a network that is given has its settings already"),
        ({"epochs": 0}, "the epochs must be at least 1"),
        ({"schedule": "cubic"}, "unknown schedule 'cubic'"),
        ({"tau0": "hot"}, "tau0 must be a number or one of auto, unit, it is 'hot'"),
        ({"loss": "kl", "tau0": 1.0}, "loss 'kl' is not annealed"),
        ({"model": "run_csp", "problem": "mds", "data": small_graphs(5)}, "constraints are pairs that exclude"),
        ({"model": "run_csp", "loss": "energy", "problem": "mds", "data": small_graphs(5)}, "pairs that exclude"),
        ({"loss": "l1", "data": small_graphs(5)}, "the loss 'l1' needs a problem whose objective is a cut"),
        ({"loss": "l3"}, "unknown loss 'l3'; choose one of energy, kl, run_csp, l1, l2"),
        ({"num_graphs": 0}, "at least 1 graph for train"),
        ({"data_seed": -1}, "the data seed must be 0 to"),
        ({"seed": 2**64}, "the seed must be 0 to"),
        ({"epochs": "2"}, "epochs must be a whole number, it is '2'"),
        ({"epochs": 2.0}, "epochs must be a whole number, it is 2.0"),
        ({"epochs": None}, "epochs must be a whole number, it is None"),
        ({"batch_size": 2.5}, "batch_size must be a whole number or None, it is 2.5"),
        ({"samples": 1.5}, "samples must be a whole number, it is 1.5"),
        ({"seed": True}, "seed must be a whole number, it is True"),
        ({"num_graphs": "3"}, "num_graphs must be a whole number, it is '3'"),
        ({"clip": None}, "clip must be a number, it is None"),
        ({"learning_rate": "x"}, "learning_rate must be a number or None, it is 'x'"),
        ({"tau0": None}, "tau0 must be a number or text, it is None"),
        ({"devices": "1"}, "devices must be a whole number, it is '1'"),
        ({"settings": "x"}, "settings must be a dictionary of names and values, they are 'x'"),
        ({"settings": {1: 2}}, "settings must be a dictionary of names and values"),
        ({"model": ["field"]}, r"unknown model \['field'\]"),
        ({"problem": ["mis"]}, "this list is no problem"),
        ({"data": None}, "cannot read a graph from NoneType"),
        ({"data": ""}, "the name of data must not be empty"),
        ({"out": 5}, "out must be the path of a folder, it is 5"),
        ({"out": ""}, "out must be the path of a folder, it is ''"),
        ({"out": "a\0b"}, "this is not a possible file name"),
        ({"out": "x" * 5000}, "cannot be used: file name too long"),
        ({"out": f"{__file__}/sub"}, "cannot be used: not a directory"),
        ({"tau0": 1e38}, "the tau0 must be at most 1e\\+15"),
        ({"model": new_model().double()}, "weights must be float32, 'first.weight' of model tiny is torch.float64"),
        ({"init": 5}, "init must be auto, the folder of a trained network, or one, it is 5"),
        ({"init": "nowhere"}, "nowhere: there is no trained model in it, model.json is missing"),
        ({"init": "auto", "problem": "qubo"}, "no network comes with annealco for qubo"),
        ({"init": "auto", "settings": {"width": 2}}, "a network that is given has its settings already"),
        ({"save_seconds": -1.0}, "seconds between two saves must not be negative"),
        ({"resume": True}, "say in which folder the run is"),
        ({"accelerator": "tpu"}, "unknown accelerator"),
        ({"devices": 0}, "devices must be at least 1"),
    ],
)
def test_bad_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"problem": "mis", "data": "ba-small", "progress": False, **options}
    if given.get("model") == "given":
        given["model"] = new_model()
    with pytest.raises(InputError, match=message):
        train(given.pop("problem"), given.pop("data"), **given)


@pytest.mark.parametrize(("tau0", "same"), [("unit", True), (0.5, False)])
def test_in_units_of_each_graph_nothing_depends_on_what_weights_are_counted_in(tau0: float | str, same: bool) -> None:
    graphs = small_graphs(18, seed=3)
    factor = 4.0 ** (np.arange(graphs.num_graphs) % 5)
    scaled = graphs.with_weights(node_weight=np.repeat(factor, np.diff(graphs.node_ptr)))
    options: dict[str, Any] = {"epochs": 2, "batch_size": 4, "seed": 1, "picture": False, "progress": False}
    weights = [
        train("mis", each, model="field", settings={"width": 4}, tau0=tau0, **options).model.state_dict()  # type: ignore[arg-type]
        for each in (graphs, scaled)
    ]
    apart = max((weights[0][name] - weights[1][name]).abs().max().item() for name in weights[0])
    assert (apart < 1e-5) == same


def test_of_a_run_that_is_refused_no_folder_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any) -> None:
        raise InputError("not today")

    out = tmp_path / "runs" / "deep" / "mis"
    monkeypatch.setattr("annealco.training.train._launch", refuse)
    with pytest.raises(InputError, match="not today"):
        small_train(out)
    assert list(tmp_path.iterdir()) == []
    # What was there before stays, and so does what has been written.
    out.parent.mkdir(parents=True)
    with pytest.raises(InputError, match="not today"):
        small_train(out)
    assert out.parent.is_dir()
    assert not out.exists()
    out.mkdir()
    (out / "notes.md").write_text("mine")
    with pytest.raises(InputError, match="not today"):
        small_train(out)
    assert (out / "notes.md").read_text() == "mine"


def test_several_processes_cannot_import_a_file_and_leave_no_folder(tmp_path: Path) -> None:
    program = "from torch import nn\nclass Net(nn.Linear):\n    forward = lambda self, batch: batch.x @ self.weight.T"
    (tmp_path / "nets.py").write_text(program)
    settings = {"in_features": 8, "out_features": 1}
    options: dict[str, Any] = {"epochs": 1, "devices": 2, "accelerator": "cpu", "progress": False}
    with pytest.raises(InputError, match="several processes cannot import what was named by its file"):
        train(
            "mis", small_graphs(5), model=f"{tmp_path}/nets.py:Net", settings=settings, out=tmp_path / "out", **options
        )
    assert not (tmp_path / "out").exists()
