"""Learn solvers for hard graph problems without labels.

The story, which is also the tree:

1. `annealco.graph`: what is given. A `Graph` holds one or many simple undirected graphs side by side.
2. `annealco.energy`: what is minimised. Five kinds of terms, with expectations under a product distribution.
3. `annealco.problems`: what it means. One small file a problem, `PROBLEMS` by name, `check_problem` for your own.
4. `annealco.models`: who proposes. Networks that see a graph and its energy, and give logits; `check_model` for your
   own.
5. `annealco.training`: how it learns. `train` lowers energy minus temperature times entropy; `load` reads the result.
6. `annealco.search`: from probabilities to a set. Decoding, repair and compiled search that know terms, not problems;
   `SEARCHES` by name, `check_search` for your own.
7. `annealco.bounds`: how far it can be. Proven bounds, read off the terms; `BOUNDS` by name, `check_bound` for your
   own.
8. `solve`: all of it in one call.
9. `annealco.baselines`: who must be beaten. Methods of others and rules of thumb, with one signature.
10. `annealco.evaluation`: what it was worth. Comparisons as rows, best-known values, a report.
11. `annealco.experiments`: the paper, re-run. Its tables and figures at three scales.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

__all__ = [
    "BOUNDS",
    "PROBLEMS",
    "SEARCHES",
    "BatchSolver",
    "Graph",
    "InputError",
    "Option",
    "Problem",
    "Solution",
    "TrainedModel",
    "annealed_loss",
    "as_graph",
    "bench",
    "check_bound",
    "check_method",
    "check_model",
    "check_problem",
    "check_search",
    "declare",
    "generate",
    "load",
    "load_dataset",
    "plot_training",
    "quadratic",
    "read_graph",
    "set_system",
    "solve",
    "solve_many",
    "train",
    "write_graph",
]

_HOMES = {
    "errors": ("InputError",),
    "evaluation.bench.table": ("bench",),
    "baselines": ("check_method",),
    "graph": ("Graph",),
    "datasets": ("load_dataset",),
    "graph.formats": ("read_graph", "write_graph"),
    "graph.generators": ("generate",),
    "graph.interop": ("as_graph",),
    "bounds": ("BOUNDS",),
    "models.contract": ("check_model",),
    "plotting": ("plot_training",),
    "problems": ("PROBLEMS", "Option", "Problem", "check_problem"),
    "problems.declaration": ("declare",),
    "problems.qubo": ("quadratic",),
    "problems.set_cover": ("set_system",),
    "search": ("SEARCHES",),
    "solving.contract": ("check_bound", "check_search"),
    "solving.many": ("BatchSolver", "solve_many"),
    "solving.solution": ("Solution",),
    "solving.solve": ("solve",),
    "training.checkpoint": ("load",),
    "training.loss": ("annealed_loss",),
    "training.train": ("train",),
    "training.trained": ("TrainedModel",),
}
"""Where the names live. They are imported when they are used: networkx imports this package to learn of its backend."""

_LEARN = ("torch", "lightning_fabric")
"""What training needs, from the extra ``learn``."""


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            if home.startswith(("models", "training")):
                from annealco.optional import is_installed, stand_in

                if not all(map(is_installed, _LEARN)):
                    return stand_in(f"annealco.{name}", *_LEARN)
            value = getattr(import_module(f"annealco.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'annealco' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
