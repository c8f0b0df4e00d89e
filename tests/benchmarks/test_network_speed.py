from __future__ import annotations

import json
from types import SimpleNamespace

import core_speed
import network_speed
import pytest


@pytest.mark.parametrize("name", network_speed.CASES)
def test_every_measurement_runs_in_this_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_speed, "made", lambda _: core_speed.barabasi(60)())
    monkeypatch.setattr(network_speed, "REPEATS", 1)
    found = network_speed.measure(network_speed.CASES[name]._replace(steps=1))
    assert (found["nodes"], found["heard"]) == (60, 2 * core_speed.barabasi(60)().num_edges)


def test_tables_have_ratios_and_shares_of_the_limits() -> None:
    # 200 nodes, 8 restarts, 64 steps: 102,400 steps of a node in 20.48 ms are 200 ns each.
    row = {
        "name": "mis, rb-small, 8 × 64",
        "old": {"seconds": 0.1024, "nodes": 200, "heard": 4000},
        "new": {"seconds": 0.02048, "nodes": 200, "heard": 4000},
        "product": 205.44,
        "copy": 25.6,
    }
    assert network_speed.table([row]).splitlines()[-1] == "| mis, rb-small, 8 × 64 | 102.4 | 20.5 | 5.0 | 200 |"
    # A step is 2 · 96 · 107 operations, and hears 20 neighbours of 128 bytes.
    expected = "| mis, rb-small, 8 × 64 | 103 | 50 % | 12.8 | 50 % |"
    assert network_speed.limit_table([row]).splitlines()[-1] == expected


@pytest.mark.parametrize("name", network_speed.STEPS)
def test_training_steps_run_in_this_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_speed, "TRAINED", 1)
    monkeypatch.setattr(network_speed, "REPEATS", 1)
    assert network_speed.measure_step(network_speed.STEPS[name])["seconds"] > 0


def test_the_table_of_training_steps_has_times_and_memory() -> None:
    old, new = {"seconds": 0.25, "megabytes": 200.4}, {"seconds": 0.08, "megabytes": 60.0}
    shown = network_speed.step_table([{"name": "training step, rb-small", "old": old, "new": new}])
    assert shown.splitlines()[-1] == "| training step, rb-small | 250 | 80 | 3.1 | 200 | 60 |"


def test_limits_of_the_machine_are_measured() -> None:
    assert all(value > 0 for value in network_speed.machine_limits(size=64, megabytes=1).values())


def test_the_old_code_is_put_beside_the_present_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions take turns, the old one with its own source."""
    told = []

    def run(command, **_):
        told.append(command)
        return SimpleNamespace(stdout=json.dumps({"seconds": len(told)}))

    monkeypatch.setattr(network_speed.subprocess, "run", run)
    found = network_speed.compare("training step, rb-small", ["python", "old/src"])
    assert [command[4:] for command in told] == 2 * [["--source", "old/src"], []]
    assert (found["old"]["seconds"], found["new"]["seconds"]) == (1, 2)
