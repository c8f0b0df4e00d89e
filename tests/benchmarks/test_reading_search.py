from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from json_lines import read_lines
from reading_search import (
    DATA,
    RESULTS,
    Reading,
    collate,
    decodings,
    dense_samples,
    draw_features,
    effects,
    energy,
    lipschitz,
    objective,
    parse_changes,
    show,
    steepest,
    temperature,
    train,
    visit,
)

from annealco.datasets import load_dataset
from annealco.problems import PROBLEMS
from annealco.training.published_losses import karalias_loukas

DOCUMENT = Path(__file__).parents[2] / "docs" / "design-notes" / "reading-the-paper.md"
PATH = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize("problem", DATA)
def test_losses_are_those_of_the_package(problem: str) -> None:
    graphs = load_dataset(DATA[problem], "validation", count=2)
    batch = collate(dense_samples(graphs, problem, [1.0, 1.0]))
    logits = torch.randn(graphs.num_nodes, dtype=torch.float64) - 2
    probability, instance = torch.sigmoid(logits).float(), PROBLEMS[problem].declare(graphs)
    expected = instance.energy(1.0).expectation(logits).float()
    torch.testing.assert_close(energy(probability, batch, problem), expected, rtol=1e-4, atol=1e-3)
    theirs = karalias_loukas(instance).expectation(logits).float()
    found = objective(Reading(objective="pairs"), probability, batch, problem)
    torch.testing.assert_close(found, theirs, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize("schedule", ["harmonic", "geometric", "line"])
def test_temperatures_fall_from_the_first_to_nearly_nothing(schedule: str) -> None:
    reading = Reading(schedule=schedule, anneal_by="step")
    first, middle, last = (temperature(reading, torch.tensor([40.0]), each).item() for each in (0.0, 0.5, 1.0))
    assert first == 40.0
    assert first > middle > last
    assert last <= 0.0011
    assert temperature(Reading(tau0=0.0), torch.tensor([0.0]), 0.5).item() == 0.0


def test_the_constant_of_lipschitz_is_the_largest_change_by_a_flip() -> None:
    degree = torch.tensor([1.0, 3.0])
    assert lipschitz(degree, 1, "mis").tolist() == [1.0, 2.0]
    assert lipschitz(degree, 2, "clique").tolist() == [1.0, 5.0]
    assert lipschitz(degree, 1, "mds").tolist() == [1.0, 3.0]


def test_decodings_follow_their_order() -> None:
    even = torch.full((3, 1), 0.01)
    assert visit(PATH, even, torch.tensor([[1], [0], [2]])).T.tolist() == [[0.0, 1.0, 0.0]]
    # The ends have the lower degree, and the middle is out once one of them is in.
    assert steepest(PATH, even, by_size=False).T.tolist() == [[1.0, 0.0, 1.0]]


def test_a_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    samples = dense_samples(load_dataset("ba-small", "train", count=4), "mds", [1.0] * 4)
    reading = Reading(width=8, num_layers=2, batch=2, features="random")
    whole = train(reading, "mds", samples, seed=0, epochs=50, path=tmp_path / "whole.safetensors")
    assert (tmp_path / "whole.safetensors").exists()
    again = train(reading, "mds", samples, seed=0, epochs=50, path=tmp_path / "whole.safetensors")
    for first, second in zip(whole.parameters(), again.parameters(), strict=True):
        torch.testing.assert_close(first, second)


def test_a_seed_node_is_one_of_its_graph() -> None:
    batch = collate(dense_samples(load_dataset("ba-small", "train", count=3), "mds", [1.0] * 3))
    features = draw_features("seed", batch, torch.tensor([[0.0], [0.5], [0.999999]]), torch.Generator())
    assert batch.per_graph(features[:, 0]).tolist() == [1.0, 1.0, 1.0]


def test_changes_are_read_in_the_types_of_a_reading() -> None:
    assert parse_changes("mask=False,tau0=1,batch=8") == {"mask": False, "tau0": 1.0, "batch": 8}
    with pytest.raises(SystemExit, match="unknown choices: colour"):
        parse_changes("colour=red")


def test_an_effect_is_the_difference_of_rows_that_differ_in_one_choice() -> None:
    rows = [
        {"problem": "mis", "epochs": 5, "seed": 0, "reading": asdict(reading), "ratio": {"probability": {"8": ratio}}}
        for reading, ratio in ((Reading(), 0.8), (Reading(mask=False), 0.82), (Reading(mask=False, clip=0.0), 0.5))
    ]
    assert effects(rows, "mis").splitlines()[2:] == [
        "| mask False | True | 1 | +0.020 | +0.020 | +0.020 |",
        "| clip 0.0 | 1.0 | 1 | -0.320 | -0.320 | -0.320 |",
    ]


@pytest.mark.parametrize("problem", DATA)
def test_the_document_has_the_tables_of_the_rows(problem: str) -> None:
    rows, text = read_lines(RESULTS), DOCUMENT.read_text(encoding="utf-8")
    assert show(rows, problem) in text
    assert effects(rows, problem) in text
    assert decodings(rows) in text
