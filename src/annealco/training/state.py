"""A run on disk: the state from which it goes on as if it had never stopped, and the folder that holds it.

A `State` has weights, moments of the optimizer, the history, and what validation knows. Random numbers are not in it:
they are drawn from the seed and the number of the step, and the order of the graphs from the seed and the epoch.

`resumed_state` decides where a run goes on: from the state in its folder, or from the start; and whether a finished run
is continued with more epochs (`annealco.training.recipe` says how).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from annealco.errors import GraphFileError, InputError
from annealco.files import is_there, make_folder
from annealco.models import pretrained
from annealco.models.model import Model
from annealco.models.pretrained import check_format, read_json, require, require_number
from annealco.training import checkpoint
from annealco.training.checkpoint import LOG, read_bundle, tensor_fault, tensor_files, write_bundle
from annealco.training.recipe import Recipe, difference

FORMAT, VERSION = "annealco training", 3
FILE = "state.json"
MOMENTS = ("exp_avg", "exp_avg_sq", "step")
"""What Adam keeps of every parameter."""

SECONDS = (0.0, 1e12)
_ANY, _POSITIVE = (-sys.float_info.max, sys.float_info.max), (0.0, sys.float_info.max)

COLUMNS: dict[str, tuple[float, float]] = {
    "epoch": _POSITIVE,
    "loss": _ANY,
    "energy": _ANY,
    "entropy": _ANY,
    "temperature": _POSITIVE,
    "learning_rate": _POSITIVE,
    "distance": _POSITIVE,
    "ratio": (0.0, 1.0),
    "greedy": (0.0, 1.0),
    "seconds": SECONDS,
    "cpu_seconds": SECONDS,
}
"""What is known of every epoch, with its range: means over graphs, τ and the rate of its last step, the relative
distance of the parameters from where they began, the decoded ratio where it was measured and that of the greedy rule,
both to the references known then, and since the run began the seconds and the processor's seconds, of the first process
without validation."""

MEASURED = ("ratio", "greedy")
"""What is None in epochs without validation; the latter also where no greedy rule takes the problem."""

EpochRow = dict[str, float | None]
"""The columns of an epoch."""


@dataclass(frozen=True)
class State:
    """Where a run is.

    Attributes:
        epoch: the epoch that it is in, from 0.
        step: batches of it that are done.
        sums: of loss, energy, entropy and number of graphs in this epoch so far.
        history: a row for each epoch that is done.
        best: the best ratio so far, to the references known now, and the epoch that reached it first; None before any.
        best_values: what the best network found on each validation graph, NaN for nothing.
        known: the references of the validation graphs.
        finished: whether nothing is left to do.
        seconds: spent on it so far.
        cpu_seconds: of the first process, for training alone.
    """

    epoch: int = 0
    step: int = 0
    sums: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    history: tuple[EpochRow, ...] = ()
    best: tuple[float, int] | None = None
    best_values: tuple[float, ...] = ()
    known: tuple[float, ...] = ()
    finished: bool = False
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    tensors: Mapping[str, Tensor] = field(default_factory=dict)

    def with_tensors(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> State:
        """Return this state with the weights of a network and the moments of its optimizer."""
        tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
        for name, parameter in model.named_parameters():
            for key in MOMENTS:
                if key in optimizer.state.get(parameter, {}):
                    tensors[f"{key}.{name}"] = optimizer.state[parameter][key]
        return replace(self, tensors=tensors)

    @property
    def weights(self) -> dict[str, Tensor]:
        """The network's state."""
        prefix = "model."
        return {name.removeprefix(prefix): each for name, each in self.tensors.items() if name.startswith(prefix)}

    def restore(self, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Give the optimizer its moments back."""
        for name, parameter in model.named_parameters():
            moments = {key: self.tensors[f"{key}.{name}"] for key in MOMENTS if f"{key}.{name}" in self.tensors}
            if moments:
                # Adam counts its steps on the CPU.
                optimizer.state[parameter] = {
                    key: value.clone() if key == "step" else value.to(parameter.device, copy=True)
                    for key, value in moments.items()
                }


def save_state(folder: Path, state: State, recipe: Recipe) -> None:
    """Write a state to a run's folder, complete or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "recipe": recipe.as_json(),
        "epoch": state.epoch,
        "step": state.step,
        "sums": list(state.sums),
        "history": list(state.history),
        "best": None if state.best is None else list(state.best),
        "best_values": list(state.best_values),
        "known": list(state.known),
        "finished": state.finished,
        "seconds": state.seconds,
        "cpu_seconds": state.cpu_seconds,
    }
    write_bundle(folder / FILE, content, state.tensors)


def load_state(folder: Path, recipe: Recipe, model: nn.Module) -> State:
    """Read the state of a run.

    Raises:
        InputError: where a file breaks a rule, where no run of the recipe comes to such a state, and where the run had
            another recipe.
    """
    file = folder / FILE
    content, tensors = read_bundle(file)
    check_format(file, content, FORMAT, VERSION)
    check_recipe(folder, require(file, content, "recipe", dict), recipe)
    state = State(
        epoch=require(file, content, "epoch", int),
        step=require(file, content, "step", int),
        sums=_numbers(file, content, "sums"),
        history=_rows(file, content),
        best=_best(file, content),
        best_values=_numbers(file, content, "best_values"),
        known=_numbers(file, content, "known"),
        finished=require(file, content, "finished", bool),
        seconds=require_number(file, content, "seconds", *SECONDS),
        cpu_seconds=require_number(file, content, "cpu_seconds", *SECONDS),
        tensors=tensors,
    )
    fault = _fault(state, recipe) or _tensor_fault(state, recipe, model)
    if fault is not None:
        raise GraphFileError(file, fault)
    return state


def check_recipe(folder: Path, old: Mapping[str, Any], new: Recipe) -> None:
    """Refuse to go on with a run that had another recipe."""
    rule = difference(old, new.as_json())
    if rule is not None:
        rule = f"{rule}; give what was given, or --force"
        raise InputError(f"{folder}: this run cannot be resumed with another recipe: {rule}")


def _rows(file: Path, content: Mapping[str, Any]) -> tuple[EpochRow, ...]:
    rows = require(file, content, "history", list)
    # Versions before 0.2.0 measured no greedy rule.
    rows = [{name: row.get(name) for name in COLUMNS} if _is_old(row) else row for row in rows]
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or row.keys() != COLUMNS.keys():
            raise GraphFileError(file, f"'history' must be a list of rows of {', '.join(COLUMNS)}")
        for name in [name for name in COLUMNS if name not in MEASURED or row[name] is not None]:
            require_number(file, row, name, *COLUMNS[name])
        if row["epoch"] != number:
            raise GraphFileError(file, f"row {number} of 'history' must be of epoch {number}, it is of {row['epoch']}")
    return tuple(rows)


def _is_old(row: object) -> bool:
    return isinstance(row, dict) and row.keys() == COLUMNS.keys() - {"greedy"}


def _best(file: Path, content: Mapping[str, Any]) -> tuple[float, int] | None:
    """Return the best ratio and its epoch, which must have been measured, and can have fallen by better references."""
    measured = {epoch: row["ratio"] for epoch, row in enumerate(content["history"]) if row["ratio"] is not None}
    found = require(file, content, "best", (list, type(None)))
    if found is None and not measured:
        return None
    rule = "'best' must be a ratio and an epoch of 'history' that reached it"
    is_pair = isinstance(found, list) and [type(each) for each in found] in ([float, int], [int, int])
    if not is_pair or not 0 <= found[0] <= measured.get(found[1], -1.0):
        raise GraphFileError(file, f"{rule}, it is {found!r:.60}")
    return float(found[0]), found[1]


def _numbers(file: Path, content: Mapping[str, Any], key: str) -> tuple[float, ...]:
    values = require(file, content, key, list)
    if not all(type(each) in {int, float} and not abs(each) > sys.float_info.max for each in values):
        raise GraphFileError(file, f"{key!r} must be a list of numbers")
    return tuple(map(float, values))


def _fault(state: State, recipe: Recipe) -> str | None:
    """Tell why no run of a recipe comes to such a state; None where one may."""
    num_batches, at_end = _num_batches(recipe), state.epoch == recipe.epochs
    most_steps = 0 if at_end else num_batches - 1
    count, num_known = state.step * recipe.batch_size, recipe.data["validation"]
    rules = {
        f"there is no step {state.step} of epoch {state.epoch} in this run": (
            0 <= state.epoch <= recipe.epochs and 0 <= state.step <= most_steps and len(state.history) == state.epoch
        ),
        f"'sums' must be four numbers that are finite, the last of them {count}": (
            len(state.sums) == 4 and all(map(math.isfinite, state.sums)) and state.sums[3] == count
        ),
        f"'known' must be a list of {num_known} numbers": len(state.known) == num_known,
        f"'best_values' must be a list of {num_known} numbers, or of none before any is measured": (
            len(state.best_values) == (0 if state.best is None else num_known)
        ),
        f"'finished' cannot be {str(state.finished).lower()} after {state.epoch} of {recipe.epochs} epochs": (
            at_end or _may_stop(state, recipe) if state.finished else not at_end
        ),
    }
    return next((rule for rule, holds in rules.items() if not holds), None)


def _may_stop(state: State, recipe: Recipe) -> bool:
    """Tell whether a run may have ended early: there were epochs enough since its best."""
    if recipe.early_stop is None or state.best is None:
        return False
    since = max(state.best[1] + 1, recipe.leg(state.epoch - 1)[0])
    return state.step == 0 and state.epoch - since >= recipe.early_stop


def _tensor_fault(state: State, recipe: Recipe, model: nn.Module) -> str | None:
    """Tell what is wrong with the tensors of a state: names, shapes, types, or numbers that Adam never has."""
    planned = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            like = {"exp_avg": parameter, "exp_avg_sq": parameter, "step": torch.zeros(())}
            planned |= {f"{key}.{name}": like[key] for key in MOMENTS}
    fault = tensor_fault(planned, state.tensors)
    if fault is not None:
        return fault
    # Adam counts in float32, and so no further than this.
    num_steps = min(state.epoch * _num_batches(recipe) + state.step, 2**24)
    for name, tensor in state.tensors.items():
        if name.startswith("exp_avg_sq.") and bool((tensor < 0).any()):
            return f"the tensor {name!r} has entries below 0"
        if name.startswith("step.") and tensor.item() != num_steps:
            return f"the tensor {name!r} must be {num_steps}, the number of steps so far, it is {tensor.item():g}"
    return None


def _num_batches(recipe: Recipe) -> int:
    """Return the number of batches of an epoch."""
    return -(-int(recipe.data["train"]) // recipe.batch_size)


def resumed_state(folder: Path, recipe: Recipe, model: Model) -> tuple[State, Recipe]:
    """Return where the run in a folder is, the beginning where there is none, and the recipe to go on with.

    A recipe with more epochs than a finished run had continues it: then the recipe says where that had ended.

    Raises:
        InputError: where a file breaks a rule, where the best network of the run is gone or another one is in its
            place, and where there is a network without a run.
    """
    if is_there(folder / FILE):
        content = read_json(folder / FILE)
        recipe = _with_legs(content, recipe)
        is_longer = recipe.legs != () and content.get("epoch") == recipe.legs[-1] and content.get("finished") is True
        old = _before(content, recipe) if is_longer else recipe
        found = load_state(folder, old, model)
        if found.best is not None:
            if not is_there(folder / pretrained.FILE):
                raise InputError(
                    f"{folder}: the best network of this run is gone, {pretrained.FILE}; --force begins anew"
                )
            _check_kept(folder, recipe, model)
        return (replace(found, finished=False), recipe) if is_longer else (found, recipe)
    # A kill after the first best network and before the first state leaves a network alone: that of this recipe.
    if is_there(folder / pretrained.FILE) and difference(_kept_recipe(folder, model), recipe.as_json()) is not None:
        rule = f"there is a network in it, {pretrained.FILE}, but no run to resume, {FILE}"
        raise InputError(f"{folder}: {rule}; choose another folder, or replace it with --force")
    return State(), recipe


def _with_legs(content: Mapping[str, Any], recipe: Recipe) -> Recipe:
    """Return a recipe with the legs that a run has had, one more where it is finished and more epochs are asked for."""
    old, done = content.get("recipe"), content.get("epoch")
    legs = old.get("legs") if isinstance(old, dict) else None
    epochs = old.get("epochs") if isinstance(old, dict) else None
    if not isinstance(legs, list) or type(epochs) is not int or type(done) is not int:
        # What is wrong is told when the file is read in full.
        return recipe
    if content.get("finished") is True and recipe.epochs > epochs:
        legs = [*legs, done]
    ends = [0, *legs, recipe.epochs]
    rising = all(type(end) is int for end in ends) and all(first < last for first, last in pairwise(ends))
    return replace(recipe, legs=tuple(legs)) if rising else recipe


def _before(content: Mapping[str, Any], recipe: Recipe) -> Recipe:
    """Return the recipe of a run before it was continued."""
    return replace(recipe, legs=recipe.legs[:-1], epochs=content["recipe"]["epochs"])


def _check_kept(folder: Path, recipe: Recipe, model: Model) -> None:
    """Refuse to go on beside a best network of another run; it may be of an earlier leg."""
    kept = _kept_recipe(folder, model)
    length = {key: kept[key] for key in ("epochs", "legs") if key in kept}
    check_recipe(folder, {**kept, **({"epochs": recipe.epochs, "legs": list(recipe.legs)} if length else {})}, recipe)


def _kept_recipe(folder: Path, model: Model) -> dict[str, object]:
    """Return how the network in a folder came about, with the settings that it has now."""
    content, tensors = read_bundle(folder / pretrained.FILE)
    record = checkpoint.read_record(folder / pretrained.FILE, content)
    fault = tensor_fault(model.state_dict(), tensors)
    if fault is not None and "recipe" in record:
        raise GraphFileError(folder / pretrained.FILE, fault)
    if "recipe" in record:
        metrics = require(folder / pretrained.FILE, record, "metrics", dict)
        for key in ("ratio", "epoch"):
            require(folder / pretrained.FILE, metrics, key, (int, float))
    settings = require(folder / pretrained.FILE, content, "settings", (dict, type(None)))
    return {**record.get("recipe", {}), "settings": settings}


PICTURE, TENSORBOARD = "run.png", "tensorboard"
BUNDLES = (pretrained.FILE, FILE)


def check_folder(out: Path, *, resume: bool, force: bool) -> None:
    """Refuse a folder that has a run already, unless it is to be resumed or replaced."""
    if resume and force:
        raise InputError("a run is either resumed or replaced: give --resume or --force, not both")
    if any(is_there(out / name) for name in BUNDLES) and not (resume or force):
        raise InputError(f"{out}: there is a run in it; --resume continues it, --force replaces it")


def prepare_folder(out: Path) -> None:
    """Make the folder, and remove what a killed process left behind."""
    make_folder(out)
    for each in out.iterdir():
        if re.fullmatch(r"\.[0-9a-f]{16}\.tmp", each.name) and not each.is_dir():
            each.unlink(missing_ok=True)


def run_files(out: Path) -> list[Path]:
    """Return the files of the run in a folder, in the order in which they are to be removed."""
    tensors = [file for name in BUNDLES for file in tensor_files(out / name)]
    logs = [each for each in sorted((out / TENSORBOARD).rglob("*")) if each.is_file()]
    # The JSON files go first: without them there is no run, with them their tensors must be there.
    files = [*(out / name for name in BUNDLES), *tensors, out / LOG, out / PICTURE, *logs]
    return [file for file in files if is_there(file) and not file.is_dir()]


def remove_run(out: Path, files: Sequence[Path]) -> None:
    """Remove files that `run_files` found, and the folder of logs where it is empty then."""
    for file in files:
        file.unlink(missing_ok=True)
    with suppress(OSError):
        (out / TENSORBOARD).rmdir()
