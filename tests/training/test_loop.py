from __future__ import annotations

import csv
import gc
import logging
import math
import os
import pickle
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.multiprocessing.spawn import ProcessRaisedException

from annealco.cli.exit_status import explain
from annealco.errors import InputError
from annealco.models.model import ModelInput
from annealco.models.pretrained import read_json
from annealco.problems import PROBLEMS
from annealco.training import loop as module
from annealco.training.data import Share, make_batch
from annealco.training.loop import AnnealedLoss, Run, as_csv, parameter_distance, step_seed
from annealco.training.loss import free_energy
from annealco.training.machine import (
    GOING_ON,
    LOGGERS,
    Interrupt,
    Machine,
    outside_rank,
    quiet,
    started_outside,
    worker_errors,
)
from annealco.training.state import COLUMNS
from annealco.training.validation import Validation
from tests.fake_clock import FakeClock
from tests.training.small_runs import (
    EPOCHS,
    NUM_BATCHES,
    assert_same_run,
    interrupt_at,
    new_model,
    new_recipe,
    small_graphs,
    small_train,
)


def test_the_log_has_a_row_an_epoch(tmp_path: Path) -> None:
    small_train(tmp_path)
    with (tmp_path / "log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [int(row["epoch"]) for row in rows] == list(range(EPOCHS))
    temperature = [float(row["temperature"]) for row in rows]
    assert temperature == sorted(temperature, reverse=True)
    assert temperature[-1] == pytest.approx(0.02)
    for row in rows:
        assert float(row["entropy"]) >= 0
        assert 0 < float(row["ratio"]) <= 1
    assert float(rows[-1]["distance"]) > float(rows[0]["distance"]) > 0


def test_processor_time_is_that_of_training_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, measure, step = FakeClock(), Validation.measure, Run.count_step

    def slow(self: Validation, *given: Any) -> Any:
        clock.now += 1000.0
        return measure(self, *given)

    def quick(self: Run, *given: Any) -> None:
        clock.now += 1.0
        step(self, *given)

    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(Validation, "measure", slow)
    monkeypatch.setattr(Run, "count_step", quick)
    small_train(tmp_path, epochs=2)
    history = read_json(tmp_path / "state.json")["history"]
    assert [row["cpu_seconds"] for row in history] == [NUM_BATCHES, 2 * NUM_BATCHES]
    small_train(tmp_path, epochs=2, resume=True)
    assert read_json(tmp_path / "state.json")["history"] == history


def test_loss_is_energy_less_temperature_times_entropy_for_a_single_output(tmp_path: Path) -> None:
    class LastOnly(type(new_model())):  # type: ignore[misc]
        def outputs(self, batch: Any) -> Any:
            return [(1.0, super().outputs(batch)[-1][1])]

    torch.manual_seed(0)
    small_train(tmp_path, model=LastOnly(), epochs=2, tau0=0.5, anneal_by="epoch")
    for row in read_json(tmp_path / "state.json")["history"]:
        assert row["loss"] == pytest.approx(row["energy"] - row["temperature"] * row["entropy"], rel=1e-5)


def test_the_best_network_is_kept(tmp_path: Path) -> None:
    trained = small_train(tmp_path)
    history = read_json(tmp_path / "state.json")["history"]
    best = max(row["ratio"] for row in history)
    latest = max(row["epoch"] for row in history if row["ratio"] == best)
    assert trained.record["metrics"]["ratio"] == best
    assert trained.record["metrics"]["epoch"] == latest


def test_validation_may_be_rare_but_ends_the_run(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=5, validate_every=2)
    measured = [row["ratio"] is not None for row in read_json(tmp_path / "state.json")["history"]]
    assert measured == [False, True, False, True, True]
    assert (tmp_path / "log.csv").read_text().splitlines()[1].split(",")[7] == ""


def test_a_run_that_gets_no_better_stops_early(tmp_path: Path) -> None:
    small_train(tmp_path, epochs=60, learning_rate=1e-12, early_stop=3, validation_restarts=1)
    state = read_json(tmp_path / "state.json")
    assert state["finished"]
    assert (len(state["history"]), state["best"][1]) == (4, 0)


def test_only_validations_count_for_stopping_early(tmp_path: Path) -> None:
    options: dict[str, Any] = {"epochs": 60, "learning_rate": 1e-12, "early_stop": 2, "validation_restarts": 1}
    small_train(tmp_path, validate_every=3, **options)
    state = read_json(tmp_path / "state.json")
    # Validated after 3, 6 and 9 epochs, twice without a better ratio.
    assert (len(state["history"]), state["best"][1], state["finished"]) == (9, 2, True)
    small_train(tmp_path, validate_every=3, resume=True, **options)


@pytest.mark.parametrize("save_seconds", [0.0, 30.0])
def test_a_loss_that_is_not_finite_is_told_and_not_saved(save_seconds: float, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the loss became nan in epoch 0: a lower learning rate may help"):
        small_train(tmp_path, learning_rate=1e30, clip=1e30, save_seconds=save_seconds)
    if (tmp_path / "state.json").exists():
        assert all(map(math.isfinite, read_json(tmp_path / "state.json")["sums"]))


@pytest.mark.parametrize("when", [(1, 1), (1, 3)], ids=["inside an epoch", "at the end of one"])
@pytest.mark.processes
def test_an_interrupt_saves_and_a_resumed_run_ends_the_same(
    when: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_train(tmp_path / "whole")
    interrupt_at(monkeypatch, *when)
    with pytest.raises(KeyboardInterrupt):
        small_train(tmp_path / "cut")
    monkeypatch.undo()
    state = read_json(tmp_path / "cut" / "state.json")
    assert not state["finished"]
    assert (state["epoch"], state["step"]) == ((1, 1) if when == (1, 1) else (2, 0))
    small_train(tmp_path / "cut", resume=True)
    assert_same_run(tmp_path / "whole", tmp_path / "cut")


def test_csv_leaves_out_what_is_not_known() -> None:
    row: dict[str, float | None] = dict.fromkeys(COLUMNS, 1.0)
    assert as_csv([{**row, "ratio": None}]).splitlines()[1] == "1.0,1.0,1.0,1.0,1.0,1.0,1.0,,1.0,1.0,1.0"


def test_distance_is_relative() -> None:
    assert parameter_distance(torch.zeros(2), torch.ones(2)) == 0.0
    assert parameter_distance(torch.tensor([2.0]), torch.tensor([-2.0])) == 2.0


GRAPHS = small_graphs(5)


def new_loss(world_size: int = 1, rank: int = 0, **options: Any) -> AnnealedLoss:
    recipe = new_recipe(samples=2, seed=4, **options)
    return AnnealedLoss(new_model(), recipe, Share(rank, world_size))


def lowered(loss: AnnealedLoss, batch: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss and the sums of step 7 at temperature 0.5."""
    found: tuple[torch.Tensor, torch.Tensor] = loss(batch, 0.5, 7)
    return found


def batch_of(share: Share, positions: tuple[int, ...] = (0, 1, 2, 3, 4)):  # type: ignore[no-untyped-def]
    return make_batch(GRAPHS, PROBLEMS["mis"], np.array(positions), share)


def test_the_loss_is_the_mean_free_energy_over_graphs_samples_and_outputs() -> None:
    annealed = new_loss(penalty_scale=1.5)
    batch = batch_of(Share())
    found, sums = lowered(annealed, batch)
    seed = step_seed(4, 7)
    features = annealed.model.draw_features(batch.whole, 2, torch.Generator().manual_seed(seed))
    torch.manual_seed(seed)
    energy = PROBLEMS["mis"].declare(GRAPHS).energy(1.5)
    outputs = annealed.model.outputs(ModelInput(GRAPHS, batch.instance, features))
    expected = sum(weight * free_energy(energy, logits, 0.5).mean() for weight, logits in outputs)
    assert found.item() == pytest.approx(expected.item(), rel=1e-6)  # type: ignore[union-attr]
    loss, mean_energy, entropy, count = sums.tolist()
    assert count == 5
    assert loss == pytest.approx(5 * found.item(), rel=1e-6)
    assert mean_energy == pytest.approx(energy.expectation(outputs[-1][1]).mean(1).sum().item(), rel=1e-5)
    assert 0 < entropy < GRAPHS.num_nodes


def test_energy_and_entropy_are_measured_whatever_is_lowered() -> None:
    measured = []
    for options, temperature in (({}, 0.5), ({}, 0.0), ({"loss": "kl", "tau0": 0.0}, 0.0)):
        loss, sums = new_loss(**options)(batch_of(Share()), temperature, 7)
        loss.backward()
        measured.append(sums)
        assert sums[0].item() == pytest.approx(5 * loss.item(), rel=1e-5)
    hot, cold, other = measured
    assert torch.allclose(hot[1:], cold[1:])
    assert torch.allclose(cold[1:], other[1:])


@pytest.mark.parametrize("positions", [(0, 1, 2, 3, 4), (2,)], ids=["five graphs", "one graph"])
def test_the_mean_gradient_of_two_processes_is_that_of_one(positions: tuple[int, ...]) -> None:
    gradients = []
    for world_size in (1, 2):
        parts = []
        for rank in range(world_size):
            annealed = new_loss(world_size, rank)
            lowered(annealed, batch_of(Share(rank, world_size), positions))[0].backward()
            parts.append(torch.cat([each.grad.flatten() for each in annealed.parameters()]))  # type: ignore[union-attr]
        gradients.append(torch.stack(parts).mean(0))
    assert torch.allclose(*gradients, rtol=1e-4, atol=1e-5)


def test_a_step_is_the_same_whatever_was_drawn_before() -> None:
    first = lowered(new_loss(), batch_of(Share()))[0]
    torch.rand(100)
    assert torch.equal(first, lowered(new_loss(), batch_of(Share()))[0])


def test_steps_leave_nothing_in_memory_for_devices_that_are_not_there() -> None:
    annealed, batch = new_loss(), batch_of(Share())
    lowered(annealed, batch)
    # `torch.manual_seed` keeps the stack of each call until a device is first used.
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(20):
        lowered(annealed, batch)
    gc.collect()
    assert len(gc.get_objects()) - before < 20


def test_seeds_of_steps_are_different_and_fit_torch() -> None:
    seeds = {step_seed(seed, number) for seed in (0, 1, 2**63 - 1) for number in range(50)}
    assert len(seeds) == 150
    assert all(0 <= seed < 2**63 for seed in seeds)


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
        "annealco.errors.InputError: the loss became nan\n": (2, "the loss became nan"),
        "annealco.errors.GraphFileError: a: it is b\n": (2, "a: it is b"),
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


@pytest.mark.processes
def test_the_first_interrupt_is_noted_and_the_second_raises() -> None:
    interrupt = Interrupt()
    before = signal.getsignal(signal.SIGINT)
    with interrupt.listening():
        assert interrupt.listens_here
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupt.noted
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    assert not interrupt.listens_here


@pytest.mark.processes
def test_a_thread_does_not_listen() -> None:
    interrupt, found = Interrupt(), []

    def run() -> None:
        with interrupt.listening():
            found.append(interrupt.listens_here)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [False]


@pytest.mark.processes
def test_an_interrupt_travels_to_another_process() -> None:
    assert not pickle.loads(pickle.dumps(Interrupt())).noted
