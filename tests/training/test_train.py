from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import annealco
from annealco.graph.errors import InputError
from annealco.graph.formats import write_graph
from annealco.models import Field
from annealco.problems import PROBLEMS
from annealco.training.bundle import read_json
from annealco.training.train import train
from tests.training.small_runs import EPOCHS, assert_same_run, final_tensors, new_model, small_graphs, small_train

ROOT = Path(__file__).parents[2]

# Trains with a save after every step, and dies by its own hand at a certain write or step.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from annealco.models import MODELS
from annealco.training.run import Run
from tests.training.small_runs import small_train
from tests.training.tiny_model import TinyModel

out, kind, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
MODELS["tiny"] = TinyModel
calls = []

def dying(usual, after):
    def wrapped(*arguments):
        calls.append(0)
        found = usual(*arguments) if after else None
        if len(calls) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return found if after else usual(*arguments)
    return wrapped

if kind == "before rename":
    Path.replace = dying(Path.replace, False)
elif kind == "after rename":
    Path.replace = dying(Path.replace, True)
elif kind == "inside write":
    os.fsync = dying(os.fsync, False)
elif kind == "step":
    Run.on_train_batch_end = dying(Run.on_train_batch_end, False)
small_train(out, save_seconds=0.0, resume=True)
"""


def start(*arguments: object) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": str(torch.get_num_threads()),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.Popen([sys.executable, *map(str, arguments)], cwd=ROOT, env=environment)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole")
    small_train(out)
    return out


# Writes come in pairs, tensors and JSON, and the end of an epoch writes model, state and log.
KILLS = [
    ("step", 5),
    ("inside write", 3),
    ("after rename", 9),
    *(
        pytest.param(kind, count, marks=pytest.mark.slow)
        for kind in ("before rename", "after rename")
        for count in range(1, 16)
    ),
    *(pytest.param("step", count, marks=pytest.mark.slow) for count in (1, 3, 4, 12)),
]


@pytest.mark.parametrize(("kind", "count"), KILLS)
def test_a_run_that_was_killed_ends_as_if_it_had_not_been(
    kind: str, count: int, tmp_path: Path, whole_run: Path
) -> None:
    assert start("-c", PROGRAM, tmp_path, kind, count).wait() == -signal.SIGKILL
    killed = read_json(tmp_path / "state.json") if (tmp_path / "state.json").exists() else {"finished": False}
    if (tmp_path / "model.json").exists():
        annealco.load(tmp_path)
    small_train(tmp_path, resume=True)
    assert_same_run(whole_run, tmp_path)
    assert not [each.name for each in tmp_path.iterdir() if each.suffix == ".tmp"]
    assert read_json(tmp_path / "state.json")["finished"]
    assert not killed["finished"] or kind == "after rename"


def test_a_kill_from_outside_at_any_moment(tmp_path: Path, whole_run: Path) -> None:
    process = start("-c", PROGRAM, tmp_path, "never", 0)
    while not (tmp_path / "state.json").exists():
        assert process.poll() is None
        time.sleep(0.001)
    process.kill()
    process.wait()
    small_train(tmp_path, resume=True)
    assert_same_run(whole_run, tmp_path)


def test_a_run_resumed_again_and_again_is_the_same_run(tmp_path: Path, whole_run: Path) -> None:
    small_train(tmp_path, resume=True)
    assert_same_run(whole_run, tmp_path)
    before = (tmp_path / "state.json").stat().st_mtime_ns
    trained = small_train(tmp_path, resume=True)
    assert (tmp_path / "state.json").stat().st_mtime_ns == before
    assert trained.record["recipe"]["epochs"] == EPOCHS


def test_saving_more_often_changes_nothing(tmp_path: Path, whole_run: Path) -> None:
    torch.rand(11)
    small_train(tmp_path, save_seconds=0.0)
    assert_same_run(whole_run, tmp_path)


def test_another_seed_is_another_run(tmp_path: Path, whole_run: Path) -> None:
    small_train(tmp_path, seed=1)
    found, other = final_tensors(tmp_path), final_tensors(whole_run)
    assert not torch.equal(found["model.first.weight"], other["model.first.weight"])


def test_a_resumed_run_must_have_the_same_recipe(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=1)
    with pytest.raises(InputError, match="cannot be resumed with another recipe: epochs was 1 and is now 2"):
        small_train(tmp_path, epochs=2, resume=True)


# Sums of float32 in another order: the curves differ in the seventh digit, weights after Adam in the fourth at most.
CURVE_TOLERANCE, WEIGHT_TOLERANCE = 1e-5, 1e-3


def assert_same_curve(first: Path, second: Path) -> None:
    rows = [read_json(folder / "state.json")["history"] for folder in (first, second)]
    assert len(rows[0]) == len(rows[1])
    for one, two in zip(*rows, strict=True):
        for name in ("loss", "energy", "entropy", "temperature", "learning_rate", "ratio"):
            assert one[name] == pytest.approx(two[name], rel=CURVE_TOLERANCE, abs=CURVE_TOLERANCE), name
    tensors = [final_tensors(folder) for folder in (first, second)]
    for name in tensors[0]:
        assert torch.allclose(tensors[0][name], tensors[1][name], rtol=WEIGHT_TOLERANCE, atol=WEIGHT_TOLERANCE), name


def test_two_processes_learn_what_one_learns(tmp_path: Path, whole_run: Path) -> None:
    trained = small_train(tmp_path, devices=2)
    assert trained.problem == "mis"
    assert_same_curve(whole_run, tmp_path)


@pytest.mark.slow
def test_what_one_process_began_two_can_end(tmp_path: Path, whole_run: Path) -> None:
    assert start("-c", PROGRAM, tmp_path, "step", 8).wait() == -signal.SIGKILL
    small_train(tmp_path, devices=2, resume=True)
    assert_same_curve(whole_run, tmp_path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_two_nodes_by_torchrun_learn_what_one_process_learns(tmp_path: Path) -> None:
    port = free_port()
    options = [
        "mis",
        "--data",
        "regular-small",
        "--graphs",
        6,
        "--validation-graphs",
        2,
        "--epochs",
        2,
        "--batch-size",
        4,
    ]
    options += ["--setting", "width=4", "--setting", "num_steps=3", "--setting", "spread=2"]
    single = start("-m", "annealco", "train", *options, "--out", tmp_path / "one")
    assert single.wait() == 0
    launch = ["-m", "torch.distributed.run", "--nnodes", 2, "--nproc-per-node", 1]
    launch += ["--master-addr", "127.0.0.1", "--master-port", port]
    nodes = [
        start(
            *launch,
            "--node-rank",
            rank,
            "-m",
            "annealco",
            "train",
            *options,
            "--num-nodes",
            2,
            "--out",
            tmp_path / "two",
        )
        for rank in range(2)
    ]
    assert [node.wait(timeout=300) for node in nodes] == [0, 0]
    assert_same_curve(tmp_path / "one", tmp_path / "two")


def test_training_makes_better_sets_than_no_training() -> None:
    graphs = small_graphs(60, seed=7)
    options: dict[str, Any] = {"batch_size": 8, "validation_restarts": 1, "picture": False, "progress": False}
    few = train("mis", graphs, model=new_model(), epochs=1, learning_rate=1e-9, **options)
    many = train("mis", graphs, model=new_model(), epochs=15, learning_rate=0.05, tau0=1.0, **options)
    assert many.record["metrics"]["energy"] < few.record["metrics"]["energy"] - 1
    assert many.record["metrics"]["ratio"] >= few.record["metrics"]["ratio"]


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("model", ["field", "erdos"])
def test_every_problem_and_network_trains_on_weighted_graphs(name: str, model: str) -> None:
    settings = {"width": 4, "num_steps": 5} if model == "field" else {"width": 8}
    graphs = small_graphs(5, weighted=True)
    options: dict[str, Any] = {"epochs": 1, "batch_size": 3, "picture": False, "progress": False}
    trained = train(name, graphs, model=model, settings=settings, samples=2, **options)
    assert trained.problem == name
    assert np.isfinite(trained.record["metrics"]["loss"])
    solution = annealco.solve(graphs[0], name, model=trained, restarts=2, time_limit=0.2)
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
    heavy = graphs.with_weights(node_weight=np.full(graphs.num_nodes, 3.0))
    options: dict[str, Any] = {"epochs": 1, "progress": False, "settings": {"width": 4, "num_steps": 3}}
    for data, unit in ((graphs, 1.0), (heavy, 3.0)):
        recipe = train("mis", data, **options).record["recipe"]
        assert (recipe["tau0"], recipe["tau_last"]) == pytest.approx((0.5 * unit, 0.02 * unit))
        assert (recipe["batch_size"], recipe["learning_rate"]) == (Field.batch_size, Field.learning_rate)


def test_the_loss_of_pairs_has_no_temperature(tmp_path: Path) -> None:
    recipe = small_train(tmp_path, epochs=2, loss="kl").record["recipe"]
    assert (recipe["loss"], recipe["tau0"]) == ("kl", 0.0)
    history = read_json(tmp_path / "state.json")["history"]
    assert [row["temperature"] for row in history] == [0.0, 0.0]
    # The loss is another number than the energy, which is logged beside it.
    assert abs(history[-1]["loss"] - history[-1]["energy"]) > 0.1
    with pytest.raises(InputError, match="this run cannot be resumed with another recipe: tau0"):
        small_train(tmp_path, epochs=2, resume=True)


def test_a_network_s_own_loss_is_lowered_where_nothing_is_said(tmp_path: Path) -> None:
    options: dict[str, Any] = {"model": "run_csp", "settings": {"width": 8, "num_steps": 5}, "out": tmp_path}
    trained = train("mis", small_graphs(30), epochs=8, learning_rate=0.01, progress=False, picture=False, **options)
    assert (trained.record["recipe"]["loss"], trained.record["recipe"]["batch_size"]) == ("run_csp", 5)
    history = read_json(tmp_path / "state.json")["history"]
    assert history[-1]["loss"] < history[0]["loss"] < 4
    assert [row["temperature"] for row in history] == [0.0] * 8


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
        ({"data_seed": -1}, "the data seed must not be negative"),
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
