"""What is given: batches of simple undirected graphs, where they come from and how they are written down."""

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.graph import Graph

__all__ = ["Graph", "GraphFileError", "InputError", "NormalisationWarning"]
