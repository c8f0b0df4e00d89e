"""Who proposes: networks that see a graph and its energy, never a problem's name, and give logits.

* `field`: a recurrence that reads the energy's field at every step; the default.
* `two_sided`: a `field` for sparse graphs and another for dense ones.
* `erdos`: the network of Karalias and Loukas (2020), which the paper trains.
* `run_csp`: that of Tönshoff et al. (2021), for sets without conflicting pairs.
"""

from __future__ import annotations

from types import NoneType
from typing import Any, get_type_hints

import torch

from annealco.arguments import WORDS, as_python, fits, in_words
from annealco.errors import InputError
from annealco.models.erdos import Erdos
from annealco.models.field import Field
from annealco.models.model import Model
from annealco.models.run_csp import RunCsp
from annealco.models.two_sided import TwoSided

MODELS: dict[str, type[Model]] = {model.name: model for model in (Field, TwoSided, Erdos, RunCsp)}
"""Every network, by its name."""


MOST = 2**16
"""Largest whole number that a setting may be."""

MOST_PARAMETERS = 2**27
"""Of a network: with gradients and what Adam remembers they take 2 GiB."""

_WORDS = {**WORDS, int: f"a whole number of at most {MOST}", NoneType: "null"}


def build_model(name: str, **settings: Any) -> Model:
    """Build a network by its name, with the settings of its constructor.

    Example:
        >>> build_model("field", width=8).settings["width"]
        8

    Raises:
        InputError: for an unknown name or setting, and for values that are not possible.
    """
    if not isinstance(name, str) or name not in MODELS:
        raise InputError(f"unknown model {name!r}; choose one of {', '.join(MODELS)}")
    # A number of NumPy's is as good as one of Python's, but cannot be written as JSON.
    settings = {key: as_python(value) for key, value in settings.items()}
    _check_settings(name, settings)
    # Without memory at first: settings could ask for any size.
    with torch.device("meta"):
        size = sum(each.numel() for each in MODELS[name](**settings).parameters())
    if size > MOST_PARAMETERS:
        raise InputError(f"model {name} has {size:,} parameters with these settings, the most are {MOST_PARAMETERS:,}")
    return MODELS[name](**settings)


def _check_settings(name: str, settings: dict[str, Any]) -> None:
    """Refuse settings that the constructor does not know, or of another type than it asks for."""
    hints = get_type_hints(MODELS[name].__init__)
    hints.pop("return", None)
    for setting, value in settings.items():
        if setting not in hints:
            raise InputError(f"unknown setting {setting!r} of model {name}; choose from {', '.join(hints)}")
        if not fits(value, hints[setting]) or (type(value) is int and value > MOST):
            words = in_words(hints[setting], _WORDS)
            raise InputError(f"setting {setting} of model {name} must be {words}, it is {value!r:.40}")


__all__ = ["MODELS", "Erdos", "Field", "Model", "RunCsp", "TwoSided", "build_model"]
