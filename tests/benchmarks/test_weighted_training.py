from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import torch
import weighted_training
from json_lines import read_lines
from weighted_training import FAMILIES, RESULTS, SHIPPED, TRIALS, Trial, judged, row_of, table, train, with_weights

import annealco
from annealco.models.pretrained import shipped_folder

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "models.md"


def test_a_share_of_the_graphs_has_weights_the_same_ones_each_time() -> None:
    graphs = with_weights("rb-small", "train", 20, 0.5)
    plain = [bool((graphs.node_weight[first:last] == 1).all()) for first, last in pairwise(graphs.node_ptr)]
    assert len(plain) == 20
    assert 4 < sum(plain) < 16
    assert not graphs.graph_data  # a planted set is no optimum of a graph with weights
    assert (graphs.node_weight == with_weights("rb-small", "train", 20, 0.5).node_weight).all()


def test_a_trial_is_trained_and_gone_on_with_and_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted_training, "GRAPHS", 8)
    monkeypatch.setattr(weighted_training, "JUDGED", 4)
    monkeypatch.setattr(weighted_training, "JUDGED_STEPS", 4)
    monkeypatch.setitem(FAMILIES, "mis", "rb-small")
    trial = Trial("mis", 0.5, 1, width=8, options={"tau_last": 0.06, "picture": False, "progress": False})
    for folder in ("new", "new"):
        train(trial, tmp_path / folder)
    row = row_of("tiny", "mis", tmp_path / "new", 1.5)
    assert sum(row[kind][0] for kind in ("small", "small, weighted")) == 4
    assert all(0 < row[kind][1] <= 1 for kind in ("small", "small, weighted"))
    assert annealco.load(tmp_path / "new").record["recipe"]["tau_last"] == 0.06


def test_a_better_network_is_judged_to_be_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted_training, "JUDGED", 6)
    monkeypatch.setattr(weighted_training, "JUDGED_STEPS", 32)
    monkeypatch.setitem(FAMILIES, "mis", "rb-small")
    trained, untrained = (annealco.load(shipped_folder("mis")) for _ in range(2))
    for weights in untrained.model.parameters():
        torch.nn.init.zeros_(weights)
    better, worse = judged("mis", trained), judged("mis", untrained)
    assert better.keys() == worse.keys()
    assert all(worse[kind][1] + 0.05 < better[kind][1] for kind in better)


def test_the_document_has_the_table_and_the_package_comes_first() -> None:
    rows = read_lines(RESULTS)
    assert {row["trial"] for row in rows} <= {*TRIALS, SHIPPED}
    shown = table(rows)
    assert shown in DOCUMENT.read_text(encoding="utf-8")
    assert "| mis | none, the package's | - |" in shown.splitlines()[2]
