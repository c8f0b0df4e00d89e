"""List the synthetic sets: one for each generator, and its weighted variant."""

from __future__ import annotations

from annealco.graph.datasets.dataset import Dataset, Drawn
from annealco.graph.datasets.drawing import MAX_WEIGHT
from annealco.graph.datasets.splits import DEFAULT_COUNTS
from annealco.graph.generators import GENERATORS

MEASURED = 200
"""Training graphs at seed 0 whose mean numbers of nodes and edges are listed."""

_SIZES: dict[str, tuple[float, float]] = {
    "rb-small": (225.73, 4038.91),
    "rb-small-complement": (228.18, 21828.48),
    "rb-small-unforced": (227.96, 4242.30),
    "rb-small-unforced-complement": (228.01, 21967.28),
    "rb-large": (1019.00, 50812.94),
    "rb-large-complement": (1009.54, 463674.15),
    "rb-large-unforced": (1008.27, 51396.56),
    "rb-large-unforced-complement": (1020.98, 476521.43),
    "ba-small": (248.30, 977.20),
    "er-small": (251.97, 4804.53),
    "regular-small": (245.91, 368.87),
    "ba-large": (1003.99, 3999.94),
    "er-large": (999.72, 75808.15),
    "regular-large": (995.05, 1492.58),
}

_PROBLEMS: dict[str, tuple[str, ...]] = {
    "rb": ("mis", "vertex_cover", "clique"),
    "complement": ("clique",),
    "ba": ("mds", "mis", "max_cut"),
    "er": ("mis", "clique", "max_cut"),
    "regular": ("mis", "max_cut"),
}
"""Problems by the first and, where it is listed, the last word of a generator's name."""


def _pair(generator: str) -> list[Dataset]:
    """Return the set of a generator, and its weighted variant."""
    words = generator.split("-")
    problems = _PROBLEMS.get(words[-1], _PROBLEMS[words[0]])
    # Node weights say nothing about a cut.
    weighable = tuple(problem for problem in problems if problem != "max_cut")
    title = GENERATORS[generator].description
    nodes, edges = _SIZES[generator]
    return [
        Dataset(
            name=generator + suffix,
            title=title + more,
            origin=Drawn(generator, weighted=bool(suffix)),
            problems=serves,
            source="drawn by annealco",
            licence="MIT, as annealco",
            graphs=sum(DEFAULT_COUNTS.values()),
            mean_nodes=nodes,
            mean_edges=edges,
            note=note,
        )
        for suffix, more, serves, note in (
            ("", "", problems, ""),
            (
                "-weighted",
                f", node weights 1-{MAX_WEIGHT}",
                weighable,
                f"The graphs of {generator} with uniform integer weights; no optimum is known in advance.",
            ),
        )
    ]


SYNTHETIC: tuple[Dataset, ...] = tuple(dataset for generator in GENERATORS for dataset in _pair(generator))
