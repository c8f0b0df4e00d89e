"""Trained networks on disk: a folder with ``model.json`` and the weights that it names."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from annealco import __version__
from annealco.arguments import fits, in_words, plain_hints
from annealco.graph.errors import GraphFileError, InputError
from annealco.graph.formats.storage import file_errors
from annealco.models import Model, build_model
from annealco.training.bundle import check_format, read_bundle, require, require_number, write_bundle
from annealco.training.paths import as_folder, make_folder
from annealco.training.recipe import Recipe
from annealco.training.trained import TrainedModel

FORMAT, VERSION = "annealco model", 1
FILE = "model.json"


def save_model(folder: str | PathLike[str], model: Model, *, problem: str, record: Mapping[str, Any]) -> None:
    """Write a network to a folder, complete or not at all; one that is there is replaced."""
    path = as_folder(folder, "the place of a model")
    make_folder(path)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "annealco": __version__,
        "problem": problem,
        "model": model.name,
        "settings": model.settings,
        "record": dict(record),
    }
    write_bundle(path / FILE, content, model.state_dict())


def load(path: str | PathLike[str]) -> TrainedModel:
    """Read a trained network from the folder of a run.

    Args:
        path: a folder that `train` or `TrainedModel.save` wrote.

    Raises:
        InputError: where a file is missing, malformed, truncated or of another version, and where the weights are not
            those of the network that the file describes.
    """
    file = as_folder(path, "the place of a model") / FILE
    with file_errors(file, "read"):
        if not file.is_file():
            raise InputError(f"{path}: there is no trained model in it, {FILE} is missing")
    content, tensors = read_bundle(file)
    check_format(file, content, FORMAT, VERSION)
    problem, record = require(file, content, "problem", str), require(file, content, "record", dict)
    _check_record(file, record)
    name, settings = require(file, content, "model", str), require(file, content, "settings", dict)
    model = rebuild(file, name, settings, tensors)
    return TrainedModel(model, problem, record=record)


def rebuild(file: Path, name: str, settings: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Model:
    """Return a network with its weights, which must be exactly those that its settings ask for."""
    try:
        fault = tensor_fault(planned_tensors(name, settings), tensors)
        if fault is not None:
            raise GraphFileError(file, fault)
        # Weights are drawn and thrown away: nobody's random numbers shall change by that.
        with torch.random.fork_rng():
            model = build_model(name, **settings)
    except InputError as error:
        raise error if isinstance(error, GraphFileError) else GraphFileError(file, error.rule) from None
    except (TypeError, ValueError, RuntimeError) as error:
        rule = f"the settings of model {name} are not possible: {' '.join(str(error).split())[:200]}"
        raise GraphFileError(file, rule) from None
    model.load_state_dict(dict(tensors))
    return model


def planned_tensors(name: str, settings: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors that a network of these settings has, without memory: settings could ask for any size."""
    with torch.device("meta"):
        return dict(build_model(name, **settings).state_dict())


def tensor_fault(planned: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> str | None:
    """Tell what is wrong with tensors that must have these names, shapes and types, and be finite; None for nothing."""
    for key, plan in planned.items():
        if key not in tensors:
            return f"its weights lack the tensor {key!r}"
        if tensors[key].shape != plan.shape:
            return f"the tensor {key!r} must have shape {list(plan.shape)}, it has {list(tensors[key].shape)}"
        if tensors[key].dtype != plan.dtype:
            return f"the tensor {key!r} must be {plan.dtype}, it is {tensors[key].dtype}"
        if not bool(torch.isfinite(tensors[key]).all()):
            return f"the tensor {key!r} has entries that are not finite"
    unknown = sorted(tensors.keys() - planned.keys())
    return f"its weights have a tensor {unknown[0]!r} that the network does not know" if unknown else None


def _check_record(file: Path, record: Mapping[str, Any]) -> None:
    """Refuse a record whose recipe or metrics, where it has some, are not what a run writes."""
    recipe, metrics = [require(file, record, key, dict) if key in record else {} for key in ("recipe", "metrics")]
    for key, hint in plain_hints(Recipe).items():
        if key in recipe and not fits(recipe[key], hint):
            raise GraphFileError(file, f"{key!r} of the recipe must be {in_words(hint)}, it is {recipe[key]!r:.40}")
    for key, value in metrics.items():
        if value is not None:
            require_number(file, metrics, key, -sys.float_info.max, sys.float_info.max)
