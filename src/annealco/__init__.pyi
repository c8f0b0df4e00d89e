# The names that `__init__.py` imports when they are used, for type checkers.
from annealco.baselines import check_method
from annealco.bounds import BOUNDS
from annealco.datasets import load_dataset
from annealco.errors import InputError
from annealco.evaluation.bench.table import bench
from annealco.graph import Graph
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.generators import generate
from annealco.graph.interop import as_graph
from annealco.models.contract import check_model
from annealco.plotting import plot_training
from annealco.problems import PROBLEMS, Option, Problem, check_problem
from annealco.problems.declaration import declare
from annealco.problems.qubo import quadratic
from annealco.problems.set_cover import set_system
from annealco.search import SEARCHES
from annealco.solving.contract import check_bound, check_search
from annealco.solving.many import BatchSolver, solve_many
from annealco.solving.solution import Solution
from annealco.solving.solve import solve
from annealco.training.checkpoint import load
from annealco.training.loss import annealed_loss
from annealco.training.train import train
from annealco.training.trained import TrainedModel

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

__version__: str
