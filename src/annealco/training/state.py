"""A run in the middle: all that is needed to go on as if it had never stopped.

Random numbers are not in it. They are drawn from the seed and the number of the step, and the order of the graphs from
the seed and the number of the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from annealco.graph.errors import GraphFileError, InputError
from annealco.training.bundle import check_format, read_bundle, require, write_bundle
from annealco.training.checkpoint import check_tensors
from annealco.training.recipe import Recipe

FORMAT, VERSION = "annealco training", 2
FILE = "state.json"
MOMENTS = ("exp_avg", "exp_avg_sq", "step")
"""What Adam keeps of every parameter."""

Row = dict[str, float | None]


@dataclass(frozen=True)
class State:
    """Where a run is.

    Attributes:
        epoch: the epoch that it is in, from 0.
        step: batches of it that are done.
        sums: of loss, energy, entropy and number of graphs in this epoch so far.
        history: a row for each epoch that is done.
        best: the best ratio so far and the epoch that reached it first, None before any.
        known: the references of the validation graphs.
        finished: whether nothing is left to do.
        seconds: spent on it so far.
        cpu_seconds: of the first process, for training alone.
    """

    epoch: int = 0
    step: int = 0
    sums: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0)
    history: tuple[Row, ...] = ()
    best: tuple[float, int] | None = None
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
        "known": list(state.known),
        "finished": state.finished,
        "seconds": state.seconds,
        "cpu_seconds": state.cpu_seconds,
    }
    write_bundle(folder / FILE, content, state.tensors)


def load_state(folder: Path, recipe: Recipe, model: nn.Module) -> State:
    """Read the state of a run.

    Raises:
        InputError: where a file breaks a rule, and where the run had another recipe.
    """
    file = folder / FILE
    content, tensors = read_bundle(file)
    check_format(file, content, FORMAT, VERSION)
    _check_recipe(folder, require(file, content, "recipe", dict), recipe.as_json())
    state = State(
        epoch=require(file, content, "epoch", int),
        step=require(file, content, "step", int),
        sums=_numbers(file, content, "sums", 4),
        history=_rows(file, content),
        best=_best(file, content),
        known=_numbers(file, content, "known", None),
        finished=require(file, content, "finished", bool),
        seconds=float(require(file, content, "seconds", (int, float))),
        cpu_seconds=float(require(file, content, "cpu_seconds", (int, float))),
        tensors=tensors,
    )
    if not 0 <= state.epoch <= recipe.epochs or state.step < 0 or len(state.history) != state.epoch:
        raise GraphFileError(file, f"there is no step {state.step} of epoch {state.epoch} in this run")
    check_tensors(file, model.state_dict(), state.weights)
    _check_moments(file, model, tensors)
    return state


def _check_recipe(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    for key in new:
        if old.get(key) != _plain(new[key]):
            rule = f"{key} was {old.get(key)!r:.80} and is now {new[key]!r:.80}; give what was given, or --force"
            raise InputError(f"{folder}: this run cannot be resumed with another recipe: {rule}")


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _rows(file: Path, content: Mapping[str, Any]) -> tuple[Row, ...]:
    rows = require(file, content, "history", list)
    if not all(isinstance(row, dict) for row in rows):
        raise GraphFileError(file, "'history' must be a list of rows")
    return tuple(rows)


def _best(file: Path, content: Mapping[str, Any]) -> tuple[float, int] | None:
    if require(file, content, "best", (list, type(None))) is None:
        return None
    best = _numbers(file, content, "best", None)
    if len(best) != 2:
        raise GraphFileError(file, "'best' must be null or a ratio and an epoch")
    return best[0], int(best[1])


def _numbers(file: Path, content: Mapping[str, Any], key: str, length: int | None) -> tuple[float, ...]:
    values = require(file, content, key, list)
    if not all(isinstance(each, int | float) for each in values) or length not in {None, len(values)}:
        raise GraphFileError(file, f"{key!r} must be a list of numbers")
    return tuple(map(float, values))


def _check_moments(file: Path, model: nn.Module, tensors: Mapping[str, Tensor]) -> None:
    shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
    for full, tensor in tensors.items():
        kind, _, name = full.partition(".")
        if kind == "model":
            continue
        if kind not in MOMENTS or name not in shapes:
            raise GraphFileError(file, f"its tensors have one named {full!r} that the run does not know")
        expected = torch.Size([]) if kind == "step" else shapes[name]
        if tensor.shape != expected:
            raise GraphFileError(
                file, f"the tensor {full!r} must have shape {list(expected)}, not {list(tensor.shape)}"
            )
