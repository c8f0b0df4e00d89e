from __future__ import annotations

import logging
import warnings
from pathlib import Path

import pytest
import torch

from annealco.graph.errors import InputError
from annealco.training.engine import LOGGERS, Machine, outside_rank, quiet, started_outside
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
    monkeypatch.setattr("annealco.training.engine.find_spec", lambda _name: None)
    with pytest.raises(InputError, match=r"pip install 'annealco\[logs\]'"):
        Machine(tensorboard=True)
