from __future__ import annotations

import csv
import math
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from annealco.graph.errors import InputError
from annealco.training import run as module
from annealco.training.bundle import read_json
from annealco.training.run import Run, as_csv, parameter_distance
from annealco.training.state import COLUMNS
from annealco.training.validation import Validation
from tests.fake_clock import FakeClock
from tests.training.small_runs import EPOCHS, NUM_BATCHES, assert_same_run, new_model, small_train


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
    clock, measure, step = FakeClock(), Validation.measure, Run.on_train_batch_start

    def slow(self: Validation, *given: Any) -> float:
        clock.now += 1000.0
        return measure(self, *given)

    def quick(self: Run, *given: Any) -> None:
        clock.now += 1.0
        step(self, *given)

    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(Validation, "measure", slow)
    monkeypatch.setattr(Run, "on_train_batch_start", quick)
    small_train(tmp_path, epochs=2)
    history = read_json(tmp_path / "state.json")["history"]
    assert [row["cpu_seconds"] for row in history] == [NUM_BATCHES, 2 * NUM_BATCHES]
    small_train(tmp_path, epochs=2, resume=True)
    assert read_json(tmp_path / "state.json")["history"] == history


def test_loss_is_energy_less_temperature_times_entropy_for_a_single_output(tmp_path: Path) -> None:
    class LastOnly(type(new_model())):  # type: ignore[misc]
        def outputs(self, graph: Any, instance: Any, features: Any) -> Any:
            return [(1.0, super().outputs(graph, instance, features)[-1][1])]

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
    usual = Run.on_train_batch_end

    def interrupting(self: Run, *arguments: Any) -> None:
        if (self.epoch, self.step + 1) == when:
            os.kill(os.getpid(), signal.SIGINT)
        usual(self, *arguments)

    monkeypatch.setattr(Run, "on_train_batch_end", interrupting)
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
    assert as_csv([{**row, "ratio": None}]).splitlines()[1] == "1.0,1.0,1.0,1.0,1.0,1.0,1.0,,1.0,1.0"


def test_distance_is_relative() -> None:
    assert parameter_distance(torch.zeros(2), torch.ones(2)) == 0.0
    assert parameter_distance(torch.tensor([2.0]), torch.tensor([-2.0])) == 2.0
