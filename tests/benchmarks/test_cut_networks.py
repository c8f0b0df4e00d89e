from __future__ import annotations

from pathlib import Path

import pytest
from cut_networks import (
    BUDGET_SETS,
    BUDGETS,
    RESULTS,
    SETS,
    SHIPPED,
    add_missing,
    budget_table,
    measure,
    table,
    validation,
)
from json_lines import append, read_lines
from model_quality import CELLS

from annealco.datasets import load_dataset
from annealco.evaluation.bench.entries import digest
from annealco.models import build_model
from annealco.models.pretrained import shipped_folder
from annealco.training import TrainedModel
from annealco.training.data import fingerprint
from tests.datasets.samples import needs_data

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "models.md"


def row(network: str, data: str, conductance: float, budget: tuple[int, int] = SHIPPED) -> dict:
    told = {"epochs": 3, "penalty_scale": 0.1, "instances": 7, "cpu": 0.5}
    told |= {"restarts": budget[0], "steps": budget[1]}
    return {"network": network, "set": data, "conductance": conductance, **told}


@needs_data
def test_a_network_is_measured_on_validation_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS, "sf295-subset", 3)
    record = {"recipe": {"epochs": 5, "penalty_scale": 0.5}}
    network = TrainedModel(build_model("field", width=4, num_steps=2), "cut", record=record)
    found = measure(network, "sf295-subset", (2, 4))
    assert (found["epochs"], found["penalty_scale"], found["set"]) == (5, 0.5, "sf295-subset")
    assert (found["restarts"], found["steps"]) == (2, 4)
    assert 3 <= found["instances"] <= 4
    assert 0 < found["conductance"] < 1


def test_a_line_is_a_network_and_what_is_not_measured_is_left_out() -> None:
    shown = table([row("#1", "twitter", 0.25), row("#2", "twitter", 0.5), row("#2", "facebook", 0.125)])
    assert shown.splitlines()[0] == "| epochs | penalty / critical | twitter (7) | sf295-subset (0) | facebook (7) |"
    assert shown.splitlines()[2:] == ["| 3 | 0.1 | 0.2500 | - | - |", "| 3 | 0.1 | 0.5000 | - | 0.1250 |"]


def test_rows_of_other_budgets_are_not_in_the_table_of_networks() -> None:
    assert table([row("#1", "twitter", 0.25, (32, 256))]).count("\n") == 1


def test_budgets_are_of_the_network_of_the_package_alone() -> None:
    own = digest(str(shipped_folder("cut")))
    rows = [row("#1", "twitter", 0.5), row(own, "twitter", 0.25), row(own, "sf295-subset", 0.125, (32, 256))]
    shown = budget_table(rows).splitlines()[2:]
    assert len(shown) == len(BUDGETS)
    assert shown[0] == "| 8 | 64 | 0.2500 (0.5 s) | - |"
    assert shown[3] == "| 32 | 256 | - | 0.1250 (0.5 s) |"


def test_what_has_a_row_is_not_measured_again(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    for data in BUDGET_SETS:
        append(out, row(digest(str(shipped_folder("cut"))), data, 0.5))
    add_missing(out, shipped_folder("cut"), BUDGET_SETS, SHIPPED)
    assert len(read_lines(out)) == len(BUDGET_SETS)


def test_cuts_of_the_test_graphs_have_the_budget_that_is_best_on_validation_instances() -> None:
    own = digest(str(shipped_folder("cut")))
    for data in BUDGET_SETS:
        rows = [each for each in read_lines(RESULTS) if (each["network"], each["set"]) == (own, data)]
        assert {(each["restarts"], each["steps"]) for each in rows} == set(BUDGETS)
        best = min(rows, key=lambda each: each["conductance"])
        [cell] = [each for each in CELLS if each.name == f"conductance {data}"]
        assert (cell.restarts, cell.steps) == (best["restarts"], best["steps"])
    [rest] = [each for each in CELLS if each.problem == "conductance" and each.data not in BUDGET_SETS]
    assert (rest.restarts, rest.steps) == SHIPPED


@needs_data
@pytest.mark.parametrize("data", BUDGET_SETS)
def test_no_validation_instance_is_on_a_test_graph(data: str) -> None:
    graphs, instances = validation(data)
    tested = {fingerprint(graph) for graph in load_dataset(data, "test")}
    assert len(instances) > 100
    assert tested.isdisjoint(fingerprint(graphs[number]) for number in instances.graph)


def test_the_document_has_the_tables_of_the_rows() -> None:
    rows, text = read_lines(RESULTS), DOCUMENT.read_text()
    assert table(rows) in text
    assert budget_table(rows) in text
