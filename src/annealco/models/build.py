"""Build a network from its name or class and the settings of its constructor."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, cast, get_type_hints

import torch
from torch import Tensor, nn

from annealco.arguments import WORDS, as_python, fits, in_words
from annealco.errors import InputError
from annealco.models import MODELS
from annealco.models.adapters import NodeModel, build_from_class, class_place
from annealco.models.compiled_field import LARGEST_SETTING
from annealco.models.model import Model

MOST_PARAMETERS = 2**27
"""Of a network: with gradients and what Adam remembers they take 2 GiB."""

_WORDS = {**WORDS, int: f"a whole number of at most {LARGEST_SETTING}", NoneType: "null"}


def build_model(model: str | type[nn.Module], **settings: Any) -> Model:
    """Build a network with the settings of its constructor.

    Args:
        model: a name in `MODELS`, a place such as ``my_package.nets:Net``, which is imported, or a class.
        **settings: of its constructor.

    Example:
        >>> build_model("field", width=8).settings["width"]
        8

    Raises:
        InputError: for an unknown name or setting, and for values that are not possible.
    """
    if not isinstance(model, str | type):
        raise InputError(f"unknown model {model!r:.60}; choose one of {', '.join(MODELS)}, a place or a class")
    kind = MODELS.find(model)
    # A number of NumPy's is as good as one of Python's, but cannot be written as JSON.
    settings = {key: as_python(value) for key, value in settings.items()}
    name = registered_name(kind)
    if name is None:
        built = build_from_class(kind, settings)
        if isinstance(model, str):
            # It is known by the name or place that it was asked for by.
            built.name = model  # type: ignore[misc]
        return built
    _check_settings(name, kind, settings)
    # Without memory at first: settings could ask for any size.
    with torch.device("meta"):
        size = sum(each.numel() for each in kind(**settings).parameters())
    if size > MOST_PARAMETERS:
        raise InputError(f"model {name} has {size:,} parameters with these settings, the most are {MOST_PARAMETERS:,}")
    return cast("Model", kind(**settings))


def registered_name(kind: type[nn.Module]) -> str | None:
    """Return the name of a class of `Model` that is in `MODELS` under it; None for all others."""
    if not issubclass(kind, Model):
        return None
    return kind.name if kind.name in MODELS and MODELS[kind.name] is kind else None


def identity(model: Model) -> str:
    """Return what a network is saved as: its name in `MODELS`, or the place of its class."""
    if isinstance(model, NodeModel) or registered_name(type(model)) is not None:
        return model.name
    return model.name if ":" in model.name else class_place(type(model))


def rebuild(model: Model, **changed: Any) -> Model:
    """Return a network with the same weights and some other settings."""
    kind = type(model.module) if isinstance(model, NodeModel) else type(model)
    with torch.random.fork_rng():
        other = build_model(kind, **{**(model.settings or {}), **changed})
    other.name = model.name  # type: ignore[misc]
    other.load_state_dict(model.state_dict())
    return other.to(**model.place)


def planned_tensors(model: str | type[nn.Module], settings: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors that a network of these settings has, without memory: settings could ask for any size."""
    with torch.device("meta"):
        return dict(build_model(model, **settings).state_dict())


def _check_settings(name: str, kind: type[Model], settings: dict[str, Any]) -> None:
    """Refuse settings that the constructor does not know, or of another type than it asks for."""
    hints = get_type_hints(kind.__init__)
    hints.pop("return", None)
    for setting, value in settings.items():
        if setting not in hints:
            raise InputError(f"unknown setting {setting!r} of model {name}; choose from {', '.join(hints)}")
        if not fits(value, hints[setting]) or (type(value) is int and value > LARGEST_SETTING):
            words = in_words(hints[setting], _WORDS)
            raise InputError(f"setting {setting} of model {name} must be {words}, it is {value!r:.40}")
