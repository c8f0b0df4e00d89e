# The names that `__init__.py` imports when they are used, for type checkers.
from annealco.datasets import load_dataset
from annealco.errors import InputError
from annealco.graph import Graph
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.generators import generate
from annealco.graph.interop import as_graph
from annealco.models.contract import check_model
from annealco.problems import PROBLEMS, Problem, check_problem
from annealco.problems.declaration import declare
from annealco.solving.solution import Solution
from annealco.solving.solver import solve
from annealco.training.checkpoint import load
from annealco.training.loss import annealed_loss
from annealco.training.train import train
from annealco.training.trained import TrainedModel

__all__ = [
    "PROBLEMS",
    "Graph",
    "InputError",
    "Problem",
    "Solution",
    "TrainedModel",
    "annealed_loss",
    "as_graph",
    "check_model",
    "check_problem",
    "declare",
    "generate",
    "load",
    "load_dataset",
    "read_graph",
    "solve",
    "train",
    "write_graph",
]

__version__: str
