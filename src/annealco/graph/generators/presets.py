"""Name the random graph families that experiments draw from, and draw reproducible sets of them.

Graph i of a set depends on the name, the seed and i alone. A set can therefore be drawn in parts, by several
processes, or extended later, and is the same set.

A ring with chords: a small graph on which nothing is special, to warm up on and to ask methods about.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from annealco.arguments import as_integer
from annealco.errors import InputError
from annealco.graph.generators.barabasi_albert import barabasi_albert
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.generators.random_regular import random_regular
from annealco.graph.generators.rb import rb_graph
from annealco.graph.graph import Graph
from annealco.graph.operations import complement

MAX_SEED = 2**64 - 1
MAX_INDEX = 2**32 - 1


@dataclass(frozen=True)
class Preset:
    """A named family of random graphs.

    Attributes:
        name: what commands and recipes call it.
        description: one line for people.
        sample: draws one graph.
    """

    name: str
    description: str
    sample: Callable[[np.random.Generator], Graph]


@dataclass(frozen=True)
class Span:
    """The integers from ``low`` to ``high``, both included."""

    low: int
    high: int

    def draw(self, rng: np.random.Generator) -> int:
        return int(rng.integers(self.low, self.high, endpoint=True))

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


SMALL = Span(200, 300)
LARGE = Span(800, 1200)
ER_PROBABILITY = 0.15
REGULAR_DEGREE = 3


def generate(name: str, *, count: int, seed: int, start: int = 0) -> Graph:
    """Draw the graphs ``start .. start + count - 1`` of a named set.

    Args:
        name: a key of ``GENERATORS``.
        count: number of graphs, 0 or more.
        seed: 0 to 2**64 - 1; sets of different seeds are independent.
        start: number of the first graph.

    Raises:
        InputError: for an unknown name, or numbers out of range.

    Example:
        >>> both = generate("ba-small", count=2, seed=1)
        >>> both[1].equals(generate("ba-small", count=1, seed=1, start=1))
        True
    """
    if name not in GENERATORS:
        raise InputError(f"unknown generator {name!r}; choose one of {', '.join(GENERATORS)}")
    as_integer("seed", seed, 0, MAX_SEED)
    first = as_integer("start", start, 0, MAX_INDEX)
    stop = first + as_integer("count", count, 0, MAX_INDEX - first)
    return Graph.batch([_draw(GENERATORS[name], seed, index) for index in range(first, stop)])


def _draw(preset: Preset, seed: int, index: int) -> Graph:
    # Python's own hash of a string changes from one process to the next.
    stream = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(preset.name.encode()), index))
    return preset.sample(np.random.Generator(np.random.PCG64(stream)))


def _sample_rb(rng: np.random.Generator, *, groups: Span, sizes: Span, nodes: Span, forced: bool) -> Graph:
    """Draw numbers of groups and of nodes per group until the graph has the wanted size, then a tightness in 0.3-1."""
    num_groups, group_size = groups.draw(rng), sizes.draw(rng)
    while num_groups * group_size not in nodes:
        num_groups, group_size = groups.draw(rng), sizes.draw(rng)
    tightness = rng.uniform(0.3, 1.0)
    return rb_graph(rng, num_groups=num_groups, group_size=group_size, tightness=tightness, forced=forced)


def _sample_complement(rng: np.random.Generator, *, sample: Callable[[np.random.Generator], Graph]) -> Graph:
    return complement(sample(rng))


def _sample_ba(rng: np.random.Generator, *, nodes: Span) -> Graph:
    return barabasi_albert(rng, num_nodes=nodes.draw(rng), attachment=4)


def _sample_er(rng: np.random.Generator, *, nodes: Span) -> Graph:
    return erdos_renyi(rng, num_nodes=nodes.draw(rng), edge_probability=ER_PROBABILITY)


def _sample_regular(rng: np.random.Generator, *, nodes: Span) -> Graph:
    # An odd degree needs an even number of nodes.
    half = Span((nodes.low + 1) // 2, nodes.high // 2)
    return random_regular(rng, num_nodes=2 * half.draw(rng), degree=REGULAR_DEGREE)


def _rb_presets(size: str, groups: Span, sizes: Span, nodes: Span) -> list[Preset]:
    """Return the forced and the unforced family of one size, and the complements of both."""
    presets = []
    for suffix, forced in (("", True), ("-unforced", False)):
        name, kind = f"rb-{size}{suffix}", "forced" if forced else "unforced"
        sample = partial(_sample_rb, groups=groups, sizes=sizes, nodes=nodes, forced=forced)
        text = f"{kind} RB graphs of {nodes} nodes: {groups} groups of {sizes}, tightness 0.3-1"
        presets.append(Preset(name, text, sample))
        flipped = f"complements of {kind} RB graphs of {nodes} nodes"
        flipped += ", with a planted maximum clique" if forced else ""
        presets.append(Preset(f"{name}-complement", flipped, partial(_sample_complement, sample=sample)))
    return presets


def _plain_presets(size: str, nodes: Span) -> list[Preset]:
    ba = f"Barabasi-Albert graphs of {nodes} nodes, attachment 4"
    er = f"Erdos-Renyi graphs of {nodes} nodes, edge probability {ER_PROBABILITY}"
    regular = f"random {REGULAR_DEGREE}-regular graphs of {nodes} nodes, an even number"
    return [
        Preset(f"ba-{size}", ba, partial(_sample_ba, nodes=nodes)),
        Preset(f"er-{size}", er, partial(_sample_er, nodes=nodes)),
        Preset(f"regular-{size}", regular, partial(_sample_regular, nodes=nodes)),
    ]


GENERATORS: dict[str, Preset] = {
    preset.name: preset
    for preset in [
        *_rb_presets("small", Span(20, 24), Span(5, 11), SMALL),
        *_rb_presets("large", Span(40, 54), Span(20, 24), LARGE),
        *_plain_presets("small", SMALL),
        *_plain_presets("large", LARGE),
    ]
}
"""The families by name."""


CHORD = 7
"""How far a chord reaches round the ring."""


def ring_with_chords(num_nodes: int = 40) -> Graph:
    """Return a small graph whose nodes all have four neighbours: neither reductions nor enumeration solve it.

    Args:
        num_nodes: more than twice as many as a chord passes.

    Example:
        >>> ring_with_chords(16).degree.tolist() == [4] * 16
        True
    """
    node = np.arange(num_nodes)
    return Graph.from_edges([np.tile(node, 2), np.concatenate([(node + 1) % num_nodes, (node + CHORD) % num_nodes])])
