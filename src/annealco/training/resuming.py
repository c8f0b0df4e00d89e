"""Where a run goes on: from the state in its folder, from the start, or not at all."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from annealco.graph.errors import InputError
from annealco.training import checkpoint, state
from annealco.training.bundle import require
from annealco.training.paths import is_there
from annealco.training.recipe import Recipe, difference
from annealco.training.state import State, check_recipe, load_state


def resumed_state(folder: Path, recipe: Recipe, model: nn.Module) -> State:
    """Return where the run in a folder is, the beginning where there is none.

    Raises:
        InputError: where a file breaks a rule, where the best network of the run is gone or another one is in its
            place, and where there is a network without a run.
    """
    if is_there(folder / state.FILE):
        found = load_state(folder, recipe, model)
        if found.best is not None:
            if not is_there(folder / checkpoint.FILE):
                raise InputError(
                    f"{folder}: the best network of this run is gone, {checkpoint.FILE}; --force begins anew"
                )
            check_recipe(folder, _kept_recipe(folder), recipe)
        return found
    # A kill after the first best network and before the first state leaves a network alone: that of this recipe.
    if is_there(folder / checkpoint.FILE) and difference(_kept_recipe(folder), recipe.as_json()) is not None:
        rule = f"there is a network in it, {checkpoint.FILE}, but no run to resume, {state.FILE}"
        raise InputError(f"{folder}: {rule}; choose another folder, or replace it with --force")
    return State()


def _kept_recipe(folder: Path) -> dict[str, object]:
    """Return how the network in a folder came about, with the settings that it has now."""
    trained = checkpoint.load(folder)
    if "recipe" in trained.record:
        metrics = require(folder / checkpoint.FILE, trained.record, "metrics", dict)
        for key in ("ratio", "epoch"):
            require(folder / checkpoint.FILE, metrics, key, (int, float))
    return {**trained.record.get("recipe", {}), "settings": trained.model.settings}
