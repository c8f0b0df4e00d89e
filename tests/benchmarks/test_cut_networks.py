from __future__ import annotations

from pathlib import Path

import cut_networks
import pytest
from cut_networks import RESULTS, SETS, measure, table
from json_lines import read_lines

from annealco.models import build_model
from annealco.training import TrainedModel
from tests.graph.datasets.samples import needs_data

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "models.md"


def row(network: str, data: str, conductance: float) -> dict:
    told = {"epochs": 3, "penalty_scale": 0.1, "instances": 7, "cpu": 0.5}
    return {"network": network, "set": data, "conductance": conductance, **told}


@needs_data
def test_a_network_is_measured_on_validation_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS, "sf295-subset", 3)
    monkeypatch.setattr(cut_networks, "STEPS", 4)
    record = {"recipe": {"epochs": 5, "penalty_scale": 0.5}}
    found = measure(TrainedModel(build_model("field", width=4, num_steps=2), "cut", record=record), "sf295-subset")
    assert (found["epochs"], found["penalty_scale"], found["set"]) == (5, 0.5, "sf295-subset")
    assert 3 <= found["instances"] <= 4
    assert 0 < found["conductance"] < 1


def test_a_line_is_a_network_and_what_is_not_measured_is_left_out() -> None:
    shown = table([row("#1", "twitter", 0.25), row("#2", "twitter", 0.5), row("#2", "facebook", 0.125)])
    assert shown.splitlines()[0] == "| epochs | penalty / critical | twitter (7) | sf295-subset (0) | facebook (7) |"
    assert shown.splitlines()[2:] == ["| 3 | 0.1 | 0.2500 | - | - |", "| 3 | 0.1 | 0.5000 | - | 0.1250 |"]


def test_the_document_has_the_table_of_the_rows() -> None:
    assert table(read_lines(RESULTS)) in DOCUMENT.read_text()
