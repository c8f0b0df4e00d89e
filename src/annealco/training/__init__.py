"""How a network learns: the annealed loss, the data, the run, and what is kept of it.

`annealco.train` runs it, from `train.py`; `load` reads what it kept. The loss is in `free_energy.py`, the step that
lowers it in `module.py`. Functions with the name of their module are not offered here: which of the two one would get
depends on what was imported before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annealco.training.checkpoint import load
    from annealco.training.data import load_graphs
    from annealco.training.trained import TrainedModel

__all__ = ["TrainedModel", "load", "load_graphs"]

_HOMES = {"TrainedModel": "trained", "load": "checkpoint", "load_graphs": "data"}
"""Where the names live: torch takes seconds to import, and not every module here needs it."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'annealco.training' has no attribute {name!r}")
    return getattr(import_module(f"annealco.training.{_HOMES[name]}"), name)
