"""Runs that are killed and resumed, or spread over processes, end as one run that nothing happened to."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import annealco
from annealco.errors import InputError
from annealco.models.pretrained import read_json
from annealco.training.machine import GOING_ON
from tests.forked import run_forked, start_forked
from tests.training.dying import train_and_die
from tests.training.small_runs import EPOCHS, assert_same_run, final_tensors, small_train
from tests.training.tiny_model import DyingModel
from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]


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
@pytest.mark.processes
def test_a_run_that_was_killed_ends_as_if_it_had_not_been(
    kind: str, count: int, tmp_path: Path, whole_run: Path
) -> None:
    assert run_forked(train_and_die, tmp_path, kind, count).status == -signal.SIGKILL
    killed = read_json(tmp_path / "state.json") if (tmp_path / "state.json").exists() else {"finished": False}
    if (tmp_path / "model.json").exists():
        annealco.load(tmp_path)
    small_train(tmp_path, resume=True)
    assert_same_run(whole_run, tmp_path)
    assert not [each.name for each in tmp_path.iterdir() if each.suffix == ".tmp"]
    assert read_json(tmp_path / "state.json")["finished"]
    assert not killed["finished"] or kind == "after rename"


@pytest.mark.processes
def test_a_kill_from_outside_at_any_moment(tmp_path: Path, whole_run: Path) -> None:
    process = start_forked(train_and_die, tmp_path, "never", 0)
    wait_until((tmp_path / "state.json").exists, process.is_alive)
    process.kill()
    process.join()
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
    small_train(tmp_path, epochs=2)
    with pytest.raises(InputError, match="cannot be resumed with another recipe: epochs was 2 and is now 1"):
        small_train(tmp_path, epochs=1, resume=True)
    with pytest.raises(InputError, match=r"cannot be resumed with another recipe: clip was 1.0 and is now 2.0"):
        small_train(tmp_path, epochs=3, resume=True, clip=2.0)


def test_a_run_that_is_not_finished_keeps_its_number_of_epochs(tmp_path: Path) -> None:
    assert run_forked(train_and_die, tmp_path, "step", 5).status == -signal.SIGKILL
    with pytest.raises(InputError, match=f"epochs was {EPOCHS} and is now {EPOCHS + 2}"):
        small_train(tmp_path, epochs=EPOCHS + 2, resume=True)


def test_a_finished_run_can_be_continued(tmp_path: Path, whole_run: Path) -> None:
    shutil.copytree(whole_run, tmp_path / "longer")
    small_train(tmp_path / "longer", epochs=EPOCHS + 3, resume=True)
    before, after = (read_json(folder / "state.json") for folder in (whole_run, tmp_path / "longer"))
    assert after["history"][:EPOCHS] == before["history"]
    assert len(after["history"]) == EPOCHS + 3
    assert (after["recipe"]["legs"], after["recipe"]["epochs"]) == ([EPOCHS], EPOCHS + 3)
    added = after["history"][EPOCHS:]
    # The temperature stays at its last value, the rate runs through its schedule again.
    assert [row["temperature"] for row in added] == [pytest.approx(before["history"][-1]["temperature"])] * 3
    rates = [row["learning_rate"] for row in added]
    assert rates[0] > 10 * before["history"][-1]["learning_rate"]
    assert rates == sorted(rates, reverse=True)
    # The same command again does nothing, and a third leg follows the second.
    small_train(tmp_path / "longer", epochs=EPOCHS + 3, resume=True)
    assert read_json(tmp_path / "longer" / "state.json") == after
    small_train(tmp_path / "longer", epochs=EPOCHS + 4, resume=True)
    assert read_json(tmp_path / "longer" / "state.json")["recipe"]["legs"] == [EPOCHS, EPOCHS + 3]


def continue_and_die(out: Path, kind: str, count: int) -> None:
    train_and_die(out, kind, count, epochs=EPOCHS + 2)


@pytest.mark.processes
@pytest.mark.parametrize(("kind", "count"), [("step", 2), ("step", 5), ("after rename", 1)])
def test_a_continued_run_that_was_killed_ends_as_if_it_had_not_been(
    kind: str, count: int, tmp_path: Path, whole_run: Path
) -> None:
    for name in ("whole", "cut"):
        shutil.copytree(whole_run, tmp_path / name)
    small_train(tmp_path / "whole", epochs=EPOCHS + 2, resume=True)
    assert run_forked(continue_and_die, tmp_path / "cut", kind, count).status == -signal.SIGKILL
    small_train(tmp_path / "cut", epochs=EPOCHS + 2, resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "cut")


def test_stopping_early_counts_from_where_a_run_was_continued(tmp_path: Path) -> None:
    options: dict[str, Any] = {"learning_rate": 1e-12, "early_stop": 2, "validation_restarts": 1, "out": tmp_path}
    small_train(epochs=30, **options)
    assert len(read_json(tmp_path / "state.json")["history"]) == 3
    small_train(epochs=40, resume=True, **options)
    state = read_json(tmp_path / "state.json")
    assert (len(state["history"]), state["recipe"]["legs"], state["finished"]) == (5, [3], True)


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


@pytest.mark.processes
def test_two_processes_learn_what_one_learns(tmp_path: Path, whole_run: Path) -> None:
    trained = small_train(tmp_path, devices=2)
    assert trained.problem == "mis"
    assert_same_curve(whole_run, tmp_path)


@pytest.mark.slow
@pytest.mark.processes
def test_an_error_of_another_process_is_the_same_error(tmp_path: Path) -> None:
    (tmp_path / "log.csv").mkdir()
    with pytest.raises(InputError, match=f"^{tmp_path / 'log.csv'}: cannot be written: it is a folder$"):
        small_train(tmp_path, devices=2, epochs=1)


@pytest.mark.processes
def test_a_process_that_was_killed_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ChildProcessError) as caught:
        small_train(tmp_path, model=DyingModel(), devices=2, epochs=1)
    assert str(caught.value) == f"a process of the run was ended by SIGKILL; {GOING_ON}"


@pytest.mark.slow
@pytest.mark.processes
def test_what_one_process_began_two_can_end(tmp_path: Path, whole_run: Path) -> None:
    assert run_forked(train_and_die, tmp_path, "step", 8).status == -signal.SIGKILL
    small_train(tmp_path, devices=2, resume=True)
    assert_same_curve(whole_run, tmp_path)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
@pytest.mark.processes
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
    options += ["--setting", "width=4", "--setting", "num_steps=3"]
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
    assert [node.wait(timeout=PATIENCE) for node in nodes] == [0, 0]
    assert_same_curve(tmp_path / "one", tmp_path / "two")
