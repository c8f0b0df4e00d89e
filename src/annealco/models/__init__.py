"""Who proposes: networks that see a graph and its energy, never a problem's name, and give logits.

* `field`: a recurrence that reads the energy's field at every step; the default.
* `erdos`: the network of Karalias and Loukas (2020), which the paper trains.
* `run_csp`: that of Tönshoff et al. (2021), for sets without conflicting pairs.
"""

from __future__ import annotations

import inspect
from typing import Any

from annealco.graph.errors import InputError
from annealco.models.erdos import Erdos
from annealco.models.field import Field
from annealco.models.model import Model
from annealco.models.run_csp import RunCsp

MODELS: dict[str, type[Model]] = {model.name: model for model in (Field, Erdos, RunCsp)}
"""Every network, by its name."""


def build_model(name: str, **settings: Any) -> Model:
    """Build a network by its name, with the settings of its constructor.

    Example:
        >>> build_model("field", width=8).settings["width"]
        8
    """
    if name not in MODELS:
        raise InputError(f"unknown model {name!r}; choose one of {', '.join(MODELS)}")
    choices = list(inspect.signature(MODELS[name]).parameters)
    for setting in settings:
        if setting not in choices:
            raise InputError(f"unknown setting {setting!r} of model {name}; choose from {', '.join(choices)}")
    return MODELS[name](**settings)


__all__ = ["MODELS", "Erdos", "Field", "Model", "RunCsp", "build_model"]
