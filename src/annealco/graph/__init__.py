"""Batches of simple undirected graphs: construction, files, generators, containers of other libraries."""

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.graph import Graph

__all__ = ["Graph", "GraphFileError", "InputError", "NormalisationWarning"]
