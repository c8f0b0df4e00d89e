from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch.multiprocessing.spawn import ProcessRaisedException

from annealco.cli.exit_status import explain
from annealco.graph.errors import InputError
from annealco.training.engine import GOING_ON, LOGGERS, Machine, outside_rank, quiet, started_outside, worker_errors
from tests.training.small_runs import small_train

TORCHRUN = {"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4", "GROUP_RANK": "1", "LOCAL_WORLD_SIZE": "2"}


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        ({"accelerator": "tpu"}, "unknown accelerator 'tpu'; choose one of auto, cpu, gpu"),
        ({"devices": 0}, "devices must be at least 1"),
        ({"num_nodes": 0}, "nodes must be at least 1"),
        ({"num_nodes": 2}, "several nodes need torchrun or SLURM"),
        ({"accelerator": "gpu", "devices": 999}, "999 GPUs are asked for, there are"),
    ],
)
def test_bad_machines_are_refused(machine: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Machine(**machine)  # type: ignore[arg-type]


def test_a_trainer_neither_logs_nor_saves_by_itself(tmp_path: Path) -> None:
    with quiet():
        trainer = Machine("cpu").trainer([], epochs=3, clip=0.5, logs=tmp_path)
    assert trainer.max_epochs == 3
    assert trainer.gradient_clip_val == 0.5
    assert trainer.loggers == []
    assert not trainer.checkpoint_callbacks


def test_processes_of_torchrun_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (started_outside(), outside_rank()) == (False, 0)
    for name, value in TORCHRUN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("torch.distributed.is_available", lambda: True)
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    assert (started_outside(), outside_rank()) == (True, 3)


@pytest.mark.parametrize(("devices", "num_nodes"), [(1, 1), (2, 1), (2, 4)])
def test_torchrun_must_have_started_as_many_as_are_asked_for(
    devices: int, num_nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**TORCHRUN, "TORCHELASTIC_RUN_ID": "1"}.items():
        monkeypatch.setenv(name, value)
    Machine("cpu", devices=2, num_nodes=2)
    with pytest.raises(InputError, match=f"torchrun started 4 processes, but {devices} devices on {num_nodes} nodes"):
        Machine("cpu", devices=devices, num_nodes=num_nodes)


def test_what_other_processes_say_is_one_line() -> None:
    trace = "\n\n-- Process 1 terminated with the following error:\nTraceback (most recent call last):\n  File ...\n"
    said = {
        "annealco.graph.errors.InputError: the loss became nan\n": (2, "the loss became nan"),
        "annealco.graph.errors.GraphFileError: a: it is b\n": (2, "a: it is b"),
        "RuntimeError: gone: x\n": (1, f"a process of the run failed: RuntimeError: gone: x; {GOING_ON}"),
    }
    for text, expected in said.items():
        with pytest.raises((InputError, ChildProcessError)) as caught, worker_errors():
            raise ProcessRaisedException(trace + text, 1, 2)
        assert explain(caught.value) == expected


def test_quiet_leaves_everything_as_it_was() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    levels = [logging.getLogger(name).level for name in LOGGERS]
    filters = list(warnings.filters)
    with quiet():
        torch.rand(3)
    assert torch.equal(torch.rand(1), expected)
    assert [logging.getLogger(name).level for name in LOGGERS] == levels
    assert warnings.filters == filters


def test_tensorboard_gets_the_epochs(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    small_train(tmp_path, tensorboard=True, epochs=2)
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert {"loss", "energy", "entropy", "temperature", "ratio", "distance"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("loss")] == [0, 1]


def test_tensorboard_is_asked_for_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(InputError, match=r"pip install 'annealco\[logs\]'"):
        Machine(tensorboard=True)
