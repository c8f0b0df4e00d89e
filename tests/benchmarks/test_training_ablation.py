from __future__ import annotations

from pathlib import Path

import pytest
import torch
import training_ablation
from json_lines import read_lines
from training_ablation import RESULTS, TRIALS, Run, leave_out, loss_of, table

from annealco.graph.generators import generate
from annealco.models.field import Field


@pytest.mark.parametrize("name", TRIALS)
def test_what_a_trial_leaves_out_stays_out(name: str) -> None:
    trial, graph = TRIALS[name], generate("rb-small", count=2, seed=0)
    torch.manual_seed(0)
    network = Field(width=trial.width, num_steps=2).train()
    leave_out(network, trial)
    optimizer = torch.optim.Adam(network.parameters(), 0.1)
    loss_of(network, trial, "mis", graph, 0.1).backward()
    optimizer.step()
    zeros = {key: int((each == 0).all(0).sum()) for key, each in network.named_parameters() if each.dim() == 2}
    out = {"start.weight": 3, "signals.weight": 4, "messages.weight": trial.width}
    assert zeros == {key: out[key] if key in trial.left_out else 0 for key in zeros}


def test_a_soft_minimum_is_nearer_to_the_best_sample_than_the_mean() -> None:
    graph = generate("rb-small", count=1, seed=0)
    losses = []
    for name in ("mean of 4 samples", "soft minimum of 4 samples"):
        torch.manual_seed(0)
        losses.append(float(loss_of(Field(num_steps=4), TRIALS[name], "mis", graph, 0.1).detach()))
    assert losses[1] < losses[0]


def test_a_row_has_the_ratios_and_the_table_the_spread_of_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_ablation, "RUNS", {"4 steps": Run("small", 1, 4, 2, 0.3)})
    found = training_ablation.measured("mis", Field(num_steps=2).eval())
    assert 0.3 < found["4 steps"] <= 1
    key = {"trial": "defaults", "seconds": 1.0, "steps": 10}
    shown = table([{**key, "seed": 0, "4 steps": 0.75}, {**key, "seed": 1, "4 steps": 0.85}])
    assert shown.splitlines()[-1] == "| defaults | 2 | 10 | 0.8000 (0.7500 to 0.8500) |"


def test_the_document_has_the_tables_of_the_rows() -> None:
    text = (Path(__file__).parents[2] / "docs" / "design-notes" / "models.md").read_text(encoding="utf-8")
    rows = read_lines(RESULTS)
    for problem in {row["problem"] for row in rows}:
        assert table([row for row in rows if row["problem"] == problem]) in text
