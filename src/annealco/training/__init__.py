"""How a network learns: the annealed loss, the data, the run, and what is kept of it.

`train` runs it; `load` reads what it kept. The loss is `free_energy`, the step that lowers it is in `module.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annealco.training.checkpoint import load
    from annealco.training.data import load_graphs
    from annealco.training.free_energy import free_energy
    from annealco.training.train import train
    from annealco.training.trained import TrainedModel

__all__ = ["TrainedModel", "free_energy", "load", "load_graphs", "train"]

_HOMES = {
    "TrainedModel": "trained",
    "free_energy": "free_energy",
    "load": "checkpoint",
    "load_graphs": "data",
    "train": "train",
}
"""Where the names live. Lightning takes seconds to import, and only `train` needs it."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'annealco.training' has no attribute {name!r}")
    value = getattr(import_module(f"annealco.training.{_HOMES[name]}"), name)
    # A function may have the name of its module, which the import has just put here.
    globals()[name] = value
    return value
