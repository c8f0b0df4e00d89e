"""Trained networks on disk: a folder with ``model.json`` and the weights that it names."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from annealco import __version__
from annealco.graph.errors import GraphFileError, InputError
from annealco.models import Model, build_model
from annealco.training.bundle import check_format, read_bundle, require, write_bundle
from annealco.training.trained import TrainedModel

FORMAT, VERSION = "annealco model", 1
FILE = "model.json"


def save_model(folder: str | PathLike[str], model: Model, *, problem: str, record: Mapping[str, Any]) -> None:
    """Write a network to a folder, complete or not at all; one that is there is replaced."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise GraphFileError(path, "it is not a folder")
    path.mkdir(parents=True, exist_ok=True)
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
    file = Path(path) / FILE
    if not file.is_file():
        raise InputError(f"{path}: there is no trained model in it, {FILE} is missing")
    content, tensors = read_bundle(file)
    check_format(file, content, FORMAT, VERSION)
    problem, record = require(file, content, "problem", str), require(file, content, "record", dict)
    name, settings = require(file, content, "model", str), require(file, content, "settings", dict)
    model = rebuild(file, name, settings, tensors)
    return TrainedModel(model, problem, record=record)


def rebuild(file: Path, name: str, settings: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Model:
    """Return a network with its weights, which must be exactly those that its settings ask for."""
    try:
        # Without memory for weights at first: settings could ask for any size.
        with torch.device("meta"):
            planned = build_model(name, **settings).state_dict()
        check_tensors(file, planned, tensors)
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


def check_tensors(file: Path, planned: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> None:
    """Refuse tensors that are missing, unexpected, of another shape or type, or not finite."""
    for key in planned:
        if key not in tensors:
            raise GraphFileError(file, f"its weights lack the tensor {key!r}")
    for key, tensor in tensors.items():
        if key not in planned:
            raise GraphFileError(file, f"its weights have a tensor {key!r} that the network does not know")
        if tensor.shape != planned[key].shape:
            shapes = f"{list(planned[key].shape)}, it has {list(tensor.shape)}"
            raise GraphFileError(file, f"the tensor {key!r} must have shape {shapes}")
        if tensor.is_floating_point() != planned[key].is_floating_point():
            raise GraphFileError(file, f"the tensor {key!r} must be {planned[key].dtype}, it is {tensor.dtype}")
        if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
            raise GraphFileError(file, f"the tensor {key!r} has entries that are not finite")
