"""Trained networks on disk: a folder with ``model.json`` and the weights that it names.

Tensors go to a file of their own that is named by its content; then the JSON file, which names them and their digest,
takes the place of the old one by a rename; then the old tensors are deleted. A kill in between leaves the old JSON file
with the old tensors, or the new one with the new.

Neither file can hold code, and reading a folder never imports what it names. A network of the registry is built by its
name. A network of your own is saved as the place of its class (``my_package.nets:Net``) and the settings it was built
with, where they are known; it is built again only by who says which class or module that is.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from annealco import __version__
from annealco.arguments import fits, in_words, plain_hints
from annealco.errors import GraphFileError, InputError
from annealco.files import as_folder, check_regular, file_errors, is_there, make_folder, store
from annealco.models import MODELS
from annealco.models.adapters import as_model
from annealco.models.build import build_model, identity, planned_tensors, registered_name
from annealco.models.model import Model
from annealco.models.pretrained import (
    FILE,
    FORMAT,
    VERSION,
    Json,
    read_description,
    read_json,
    require,
    require_number,
    unpacked,
)
from annealco.training.recipe import Recipe
from annealco.training.trained import TrainedModel

LOG = "log.csv"
MOST_LOG_BYTES = 2**30


def save_model(folder: str | PathLike[str], model: Model, *, problem: str, record: Mapping[str, Any]) -> None:
    """Write a network to a folder, complete or not at all; one that is there is replaced."""
    path = as_folder(folder, "the place of a model")
    make_folder(path)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "annealco": __version__,
        "problem": problem,
        "model": identity(model),
        "settings": model.settings,
        "record": dict(record),
    }
    write_bundle(path / FILE, content, model.state_dict())


def load(path: str | PathLike[str], model: str | nn.Module | type[nn.Module] | None = None) -> TrainedModel:
    """Read a trained network from the folder of a run.

    Args:
        path: a folder that `train` or `TrainedModel.save` wrote.
        model: what the network is, where it is one of your own: a module, which gets the weights; its class; or the
            place of its class, such as ``my_package.nets:Net``, which is imported. None for networks of the registry.

    Raises:
        InputError: where a file is missing, malformed, truncated or of another version, and where the weights are not
            those of the network.

    Example:
        >>> from annealco.models.pretrained import shipped_folder
        >>> load(shipped_folder("mds")).name
        'field'
    """
    folder = as_folder(path, "the place of a model")
    file, content = folder / FILE, read_description(folder)
    tensors = read_bundle(file)[1]
    problem, record = content["problem"], read_record(file, content)
    name, settings = content["model"], content["settings"]
    if model is None:
        model = _registered(file, name)
    if isinstance(model, nn.Module):
        network = _with_weights(file, as_model(model), tensors)
    else:
        network = _rebuilt(file, model, name, settings, tensors)
    return TrainedModel(network, problem, record=record, history=read_history(folder / LOG))


def read_history(file: Path) -> dict[str, list[float | None]]:
    """Return the columns of the table of a run, each with an entry per epoch; none where there is no table.

    Raises:
        GraphFileError: for a line that is not as long as the heading, and for a cell that is no number.
    """
    if not is_there(file):
        return {}
    with file_errors(file, "read"):
        check_regular(file, MOST_LOG_BYTES)
        text = file.read_text(encoding="utf-8", errors="replace")
    heading, *rows = [line.split(",") for line in text.splitlines()] or [[]]
    columns: dict[str, list[float | None]] = {name: [] for name in heading}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise GraphFileError(file, f"a row must have {len(columns)} cells, this one has {len(row)}", line=number)
        for name, cell in zip(heading, row, strict=True):
            columns[name].append(_as_number(file, cell, number))
    return columns


def _as_number(file: Path, cell: str, line: int) -> float | None:
    """Return the number of a cell, whole where it is written so; None where it is empty."""
    try:
        return None if not cell else int(cell) if cell.isdecimal() else float(cell)
    except ValueError:
        raise GraphFileError(file, f"a cell must be a number, this one is {cell!r:.40}", line=line) from None


def is_registered(path: str | PathLike[str]) -> bool:
    """Tell whether the network in a folder is one of the registry, which can be built by its name."""
    file = as_folder(path, "the place of a model") / FILE
    return is_there(file) and require(file, read_json(file), "model", str) in MODELS


def _registered(file: Path, name: str) -> str:
    """Return the name of a network of the registry; what else a file names is code that it must not choose."""
    if name in MODELS:
        return name
    if ":" in name:
        rule = f"its network is {name!r:.100}, which is not of annealco: say which module that is"
        raise GraphFileError(file, f"{rule}, load(folder, model=...) or --model PLACE=FOLDER")
    raise GraphFileError(file, f"unknown model {name!r:.60}; choose one of {', '.join(MODELS)}")


def _rebuilt(
    file: Path,
    model: str | type[nn.Module],
    name: str,
    settings: Mapping[str, Any] | None,
    tensors: Mapping[str, Tensor],
) -> Model:
    """Return a network that is built with its settings, and has its weights."""
    if settings is None:
        rule = f"{name!r:.100} was given as a module, and how it was made is not known"
        raise GraphFileError(file, f"{rule}: load(folder, model=module) with such a module")
    try:
        # Without memory at first: settings could ask for any size.
        fault = _planned_fault(model, settings, tensors)
        if fault is not None:
            raise GraphFileError(file, fault)
        # Weights are drawn and thrown away: nobody's random numbers shall change by that.
        with torch.random.fork_rng():
            network = build_model(model, **settings)
    except InputError as error:
        raise error if isinstance(error, GraphFileError) else GraphFileError(file, error.rule) from None
    except (TypeError, ValueError, RuntimeError) as error:
        rule = f"the settings of model {name} are not possible: {' '.join(str(error).split())[:200]}"
        raise GraphFileError(file, rule) from None
    return _with_weights(file, network, tensors)


def _planned_fault(
    model: str | type[nn.Module], settings: Mapping[str, Any], tensors: Mapping[str, Tensor]
) -> str | None:
    """Tell what is wrong with tensors beside those that the settings ask for, without making these."""
    kind = MODELS.find(model)
    if registered_name(kind) is not None:
        return tensor_fault(planned_tensors(model, settings), tensors)
    try:
        with torch.device("meta"):
            module = kind(**settings)
        own = "" if isinstance(module, Model) else "module."
        return tensor_fault({f"{own}{name}": each for name, each in module.state_dict().items()}, tensors)
    except Exception:  # noqa: BLE001 (it is a user's code)
        # A class of a user's own need not know tensors without memory; what is wrong is told when it is built.
        return None


def _with_weights(file: Path, model: Model, tensors: Mapping[str, Tensor]) -> Model:
    """Give a network weights, which must be exactly those that it has."""
    fault = tensor_fault(model.state_dict(keep_vars=True), tensors)
    if fault is not None:
        raise GraphFileError(file, fault)
    model.load_state_dict(dict(tensors))
    return model


def tensor_fault(planned: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> str | None:
    """Tell what is wrong with tensors that must have these names, shapes and types, and be finite; None for nothing."""
    for key, plan in planned.items():
        if key not in tensors:
            return f"its weights lack the tensor {key!r}"
        if is_lazy(plan):
            # The first batch would have decided its shape: the file does.
            continue
        if tensors[key].shape != plan.shape:
            return f"the tensor {key!r} must have shape {list(plan.shape)}, it has {list(tensors[key].shape)}"
        if tensors[key].dtype != plan.dtype:
            return f"the tensor {key!r} must be {plan.dtype}, it is {tensors[key].dtype}"
        if not bool(torch.isfinite(tensors[key]).all()):
            return f"the tensor {key!r} has entries that are not finite"
    unknown = sorted(tensors.keys() - planned.keys())
    return f"its weights have a tensor {unknown[0]!r} that the network does not know" if unknown else None


def read_record(file: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a network was trained; refuse a recipe or metrics, where it has some, that no run writes."""
    record: dict[str, Any] = require(file, content, "record", dict)
    recipe, metrics = [require(file, record, key, dict) if key in record else {} for key in ("recipe", "metrics")]
    for key, hint in plain_hints(Recipe).items():
        if key in recipe and not fits(recipe[key], hint):
            raise GraphFileError(file, f"{key!r} of the recipe must be {in_words(hint)}, it is {recipe[key]!r:.40}")
    for key, value in metrics.items():
        if value is not None:
            require_number(file, metrics, key, -sys.float_info.max, sys.float_info.max)
    return record


def write_bundle(path: Path, content: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Write ``NAME.json`` and ``NAME-DIGEST.safetensors`` beside it.

    Args:
        path: of the JSON file.
        content: JSON-able; the keys ``tensors`` and ``sha256`` are set here.
        tensors: by name.
    """
    from safetensors.torch import save

    packed = save({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()})
    digest = hashlib.sha256(packed).hexdigest()
    file = path.with_name(f"{path.stem}-{digest[:16]}.safetensors")
    text = json.dumps({**content, "tensors": file.name, "sha256": digest}, indent=1, allow_nan=True)
    with file_errors(file, "written"):
        store(file, packed)
    with file_errors(path, "written"):
        store(path, text.encode())
    for other in tensor_files(path):
        if other != file:
            other.unlink(missing_ok=True)


def tensor_files(path: Path) -> list[Path]:
    """Return the files of tensors beside a JSON file, named by it or left behind; folders are not ours."""
    pattern = re.compile(re.escape(path.stem) + r"-[0-9a-f]{16}\.safetensors")
    return sorted(each for each in path.parent.iterdir() if pattern.fullmatch(each.name) and not each.is_dir())


def read_bundle(path: Path) -> tuple[Json, dict[str, Tensor]]:
    """Read what `write_bundle` wrote.

    Raises:
        InputError: naming the file and the rule it breaks.
    """
    from safetensors.torch import load

    content = read_json(path)
    return content, unpacked(path, content, load)
