from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from annealco.graph.errors import InputError
from annealco.training.bundle import read_bundle, write_bundle
from annealco.training.recipe import Recipe
from annealco.training.state import State, load_state, save_state
from tests.training.small_runs import new_model

RECIPE = Recipe("mis", {"source": ["x"]}, "tiny", {"width": 4}, tau0=10.0, epochs=5)
ROW: dict[str, float | None] = {"epoch": 0, "loss": 0.1, "ratio": None}


def trained_state() -> tuple[State, Any, Any]:
    """A state after two steps of Adam."""
    model = new_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        sum(each.square().sum() for each in model.parameters()).backward()
        optimizer.step()
    state = State(1, 2, (0.1, 1 / 3, -2.5, 7.0), (ROW,), (0.75, 0), (3.0, float("nan")), False, 12.5)
    return state.with_tensors(model, optimizer), model, optimizer


def test_a_state_comes_back_exactly(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    found = load_state(tmp_path, RECIPE, model)
    assert (found.epoch, found.step, found.sums, found.history, found.best) == (1, 2, state.sums, (ROW,), (0.75, 0))
    assert str(found.known) == str(state.known)
    assert found.tensors.keys() == state.tensors.keys()
    assert all(torch.equal(found.tensors[name], state.tensors[name]) for name in state.tensors)


def test_an_optimizer_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    state, model, optimizer = trained_state()
    save_state(tmp_path, state, RECIPE)
    other = new_model()
    found = load_state(tmp_path, RECIPE, other)
    other.load_state_dict(found.weights)
    again = torch.optim.Adam(other.parameters(), lr=0.1)
    found.restore(other, again)
    for network, its in ((model, optimizer), (other, again)):
        its.zero_grad()
        sum((each - 1).square().sum() for each in network.parameters()).backward()
        its.step()
    for first, second in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second)


def test_another_recipe_is_refused_by_what_differs(tmp_path: Path) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    with pytest.raises(InputError, match=r"cannot be resumed with another recipe: epochs was 5 and is now 6"):
        load_state(tmp_path, replace(RECIPE, epochs=6), model)
    with pytest.raises(InputError, match="data was"):
        load_state(tmp_path, replace(RECIPE, data={"source": ["y"]}), model)


@pytest.mark.parametrize(
    ("entries", "tensors", "message"),
    [
        ({"version": 1}, {}, "version 1 of the format"),
        ({"epoch": "one"}, {}, "'epoch' must be of type int"),
        ({"epoch": 9}, {}, "there is no step 2 of epoch 9 in this run"),
        ({"step": -1}, {}, "there is no step -1 of epoch 1"),
        ({"history": []}, {}, "there is no step 2 of epoch 1"),
        ({"history": [3]}, {}, "'history' must be a list of rows"),
        ({"sums": [1, 2]}, {}, "'sums' must be a list of numbers"),
        ({"sums": [1, 2, 3, "4"]}, {}, "'sums' must be a list of numbers"),
        ({"best": [1]}, {}, "'best' must be null or a ratio and an epoch"),
        ({"finished": 0}, {}, "'finished' must be of type bool"),
        ({}, {"exp_avg.first.bias": torch.zeros(2)}, r"'exp_avg.first.bias' must have shape \[1\], not \[2\]"),
        ({}, {"momentum.first.bias": torch.zeros(1)}, "one named 'momentum.first.bias' that the run does not know"),
        ({}, {"model.first.bias": torch.zeros(3)}, "'first.bias' must have shape"),
    ],
)
def test_broken_states_are_refused(
    entries: dict[str, Any], tensors: dict[str, Any], message: str, tmp_path: Path
) -> None:
    state, model, _ = trained_state()
    save_state(tmp_path, state, RECIPE)
    content, old = read_bundle(tmp_path / "state.json")
    write_bundle(tmp_path / "state.json", content | entries, old | tensors)
    with pytest.raises(InputError, match=message):
        load_state(tmp_path, RECIPE, model)
