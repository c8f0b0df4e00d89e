"""Draw random graphs: RB, Barabási–Albert, Erdős–Rényi and regular graphs, and named sets of them.

Every model is a function of a ``numpy.random.Generator`` and explicit arguments. The numbering of the nodes is random
in all of them, so that a solver which breaks ties by node number gains nothing.
"""

from __future__ import annotations

from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.generators.presets import GENERATORS, Preset, generate
from annealco.graph.generators.random_regular import random_regular
from annealco.graph.generators.rb import rb_graph

__all__ = ["GENERATORS", "Preset", "barabasi_albert", "erdos_renyi", "generate", "random_regular", "rb_graph"]
