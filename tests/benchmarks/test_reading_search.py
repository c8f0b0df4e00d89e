from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch
from json_lines import read_lines
from reading_search import (
    DATA,
    PAGE,
    RESULTS,
    Reading,
    as_generated,
    collate,
    compared,
    dense_samples,
    draw_features,
    effects,
    energy,
    fill,
    lipschitz,
    objective,
    parse_changes,
    steepest,
    steepest_cover,
    tables,
    temperature,
    train,
    visit,
)

from annealco.datasets import load_dataset
from annealco.problems import PROBLEMS
from annealco.training.published_losses import karalias_loukas

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


def by_hand(looped: np.ndarray, start: np.ndarray, *, by_size: bool) -> list[float]:
    """Decode a dominating set in the steepest order, with all expectations computed anew for each decision."""

    def expectation(probability: np.ndarray) -> float:
        return float(probability.sum() + np.prod(np.where(looped > 0, 1.0 - probability, 1.0), axis=1).sum())

    values, left = start.copy(), set(range(len(start)))
    while left:
        found = {}
        for node in left:
            taken, out = values.copy(), values.copy()
            taken[node], out[node] = 1.0, 0.0
            found[node] = expectation(taken) - expectation(out)
        node = min(left, key=lambda each: -abs(found[each]) if by_size else found[each])
        values[node] = float(found[node] < -1e-6)
        left.remove(node)
    return list(values)


@pytest.mark.parametrize("by_size", [False, True])
def test_dominating_sets_are_decoded_by_conditional_expectations(by_size: bool) -> None:
    draws = np.random.default_rng(0)
    for _ in range(20):
        upper = np.triu(draws.random((9, 9)) < 0.3, 1)
        looped = (upper | upper.T | np.eye(9, dtype=bool)).astype(float)
        start = draws.uniform(0.01, 0.9, (9, 2))
        single = torch.tensor(looped), torch.tensor(start)
        found = steepest_cover(*single, by_size=by_size).T.tolist()
        assert found == [by_hand(looped, start[:, column], by_size=by_size) for column in range(2)]


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


def test_losses_are_compared_within_one_reading_over_seeds() -> None:
    rows = [
        {
            "problem": "mis",
            "epochs": 20,
            "seed": seed,
            "reading": asdict(reading),
            "changes": reading.changes(),
            "ratio": {"probability": {"8": ratio}},
            "energy": -5.0,
        }
        for reading, seed, ratio in (
            (Reading(mask=False, tau0=1.0), 0, 0.80),
            (Reading(mask=False, tau0=1.0), 1, 0.82),
            (Reading(mask=False, tau0=0.0), 0, 0.79),
        )
    ]
    assert compared(rows, "mis").splitlines()[2:] == [
        "| mask False | 20 | annealed, harmonic from 1 | 0.001 | 2 | 0.810 (0.800 to 0.820) | – | – | – | -5.00 |",
        "| mask False | 20 | τ = 0 | 0.001 | 1 | 0.790 | – | – | – | -5.00 |",
    ]


def test_the_order_of_the_generator_has_each_hidden_node_first_in_its_group() -> None:
    graph = load_dataset("rb-small", "validation", count=1)[0]
    order = as_generated(graph).numpy()
    group, hidden = graph.node_data["group"][order], graph.node_data["planted"][order]
    first = [True, *(group[1:] != group[:-1])]
    assert hidden.tolist() == first
    assert sum(first) == len(set(group.tolist()))


def test_a_page_is_filled_between_its_marks() -> None:
    assert fill("a <!-- x --> old <!-- /x --> b", {"x": "| new |"}) == "a <!-- x -->\n\n| new |\n\n<!-- /x --> b"
    with pytest.raises(SystemExit, match="no place for the table y"):
        fill("a <!-- x --> old <!-- /x --> b", {"y": "| new |"})


def test_the_page_has_the_tables_of_the_rows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert fill(text, tables(read_lines(RESULTS))) == text
