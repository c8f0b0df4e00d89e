"""Who proposes: networks that see a graph and its energy, never a problem's name, and give logits.

* `field`: a recurrence that reads the energy's field at every step; the default.
* `two_sided`: a `field` for sparse graphs and another for dense ones.
* `erdos`: the network of Karalias and Loukas (2020), which the paper trains.
* `run_csp`: that of Tönshoff et al. (2021), for sets without conflicting pairs.

`MODELS` is the registry. A package adds a network by an entry point of the group ``annealco.models`` that names a class
of ``nn.Module``; `annealco.models.adapters` says which ``forward`` it may have. PyTorch is imported when a network is
first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from annealco.registry import Registry

if TYPE_CHECKING:
    from annealco.models.adapters import NodeModel
    from annealco.models.build import build_model
    from annealco.models.erdos import Erdos
    from annealco.models.field import Field
    from annealco.models.model import Model, ModelInput
    from annealco.models.run_csp import RunCsp
    from annealco.models.two_sided import TwoSided

__all__ = [
    "MODELS",
    "Erdos",
    "Field",
    "Model",
    "ModelInput",
    "NodeModel",
    "RunCsp",
    "TwoSided",
    "build_model",
]

_HOMES = {
    "build_model": "build",
    "Erdos": "erdos",
    "Field": "field",
    "Model": "model",
    "ModelInput": "model",
    "NodeModel": "adapters",
    "RunCsp": "run_csp",
    "TwoSided": "two_sided",
}
"""Where the names live: torch takes seconds to import, and to list names does not need it."""


def _complaint(thing: object) -> str | None:
    """Tell why something is no class of networks."""
    from torch import nn

    is_class = isinstance(thing, type) and issubclass(thing, nn.Module)
    return None if is_class else f"a class of torch.nn.Module is needed, it is {thing!r:.60}"


MODELS: Registry[Any] = Registry(
    "model",
    "annealco.models",
    {
        "field": "annealco.models.field:Field",
        "two_sided": "annealco.models.two_sided:TwoSided",
        "erdos": "annealco.models.erdos:Erdos",
        "run_csp": "annealco.models.run_csp:RunCsp",
    },
    _complaint,
)
"""Every network, by its name: classes of `Model` or of other modules."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'annealco.models' has no attribute {name!r}")
    return getattr(import_module(f"annealco.models.{_HOMES[name]}"), name)
