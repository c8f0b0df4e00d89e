"""How a network learns: the annealed loss, the data, the run, and what is kept of it.

`train` runs it; `load` reads what it kept. The loss is `free_energy`, the step that lowers it is in `module.py`.
"""

from __future__ import annotations

from annealco.training.checkpoint import load
from annealco.training.data import load_graphs
from annealco.training.free_energy import free_energy
from annealco.training.train import train
from annealco.training.trained import TrainedModel

__all__ = ["TrainedModel", "free_energy", "load", "load_graphs", "train"]
