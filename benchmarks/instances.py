"""Name the families of graphs that solvers are compared on.

Graph i of a family depends on the family, the seed and i alone, so that every process draws the same one.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, Problem

SEED = 77
MAX_WEIGHT = 100


@dataclass(frozen=True)
class Family:
    """A problem on a named set of random graphs.

    Attributes:
        name: what commands and tables call it.
        problem: a key of ``PROBLEMS``.
        preset: a key of ``annealco.graph.generators.GENERATORS``.
        weighted: whether nodes weigh a random integer from 1 to 100, instead of 1.
    """

    name: str
    problem: str
    preset: str
    weighted: bool

    @property
    def declared(self) -> Problem:
        return PROBLEMS[self.problem]


@lru_cache(maxsize=1)
def draw(name: str, index: int) -> Graph:
    """Return graph ``index`` of a family."""
    family = FAMILIES[name]
    graph = generate(family.preset, count=1, seed=SEED, start=index)
    if not family.weighted:
        return graph
    rng = np.random.default_rng([SEED, zlib.crc32(name.encode()), index])
    return graph.with_weights(node_weight=rng.integers(1, MAX_WEIGHT, graph.num_nodes, endpoint=True))


def planted_optimum(name: str, index: int) -> float | None:
    """Return the optimum that the generator planted, or None where it planted none."""
    graph = draw(name, index)
    if FAMILIES[name].weighted or "planted_size" not in graph.graph_data:
        return None
    return float(graph.graph_data["planted_size"][0])


def _families() -> list[Family]:
    presets = [("mis", f"rb-{size}{kind}") for size in ("small", "large") for kind in ("", "-unforced")]
    presets += [("clique", f"{preset}-complement") for _, preset in presets]
    presets += [("mds", "ba-small"), ("mds", "ba-large")]
    return [
        Family(f"{problem}-{preset.removesuffix('-complement')}{'-weighted' * weighted}", problem, preset, weighted)
        for weighted in (False, True)
        for problem, preset in presets
    ]


FAMILIES: dict[str, Family] = {family.name: family for family in _families()}
"""The families by name; a clique is looked for in the complement of an RB graph, where the planted set is one."""
