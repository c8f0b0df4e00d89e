"""Measure whether a network's proposal as its start saves a covering search moves.

    python benchmarks/search_hints.py --count 12     # about a minute of one core

Forced RB-large graphs of the validation split, independent sets; moves until the planted optimum is found, two seeds
per graph, so that no clock decides.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import NamedTuple

import numpy as np
import torch

import annealco
from annealco import PROBLEMS
from annealco.clock import Budget, Trace
from annealco.datasets import load_dataset
from annealco.graph.graph import Graph
from annealco.models.pretrained import shipped_folder
from annealco.search.decode import decode
from annealco.search.searches import choose_search

MOST_MOVES = 4_000_000
SEEDS = 2


class Hint(NamedTuple):
    """What a search is told.

    Attributes:
        title: in the table.
        start: whether it starts from the best proposal.
    """

    title: str
    start: bool = False


HINTS = (
    Hint("nothing"),
    Hint("start", start=True),
)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=12, help="graphs")
    graphs = load_dataset("rb-large", "validation")
    torch.set_num_threads(1)
    moves = [moves_needed(graphs[number]) for number in range(parser.parse_args().count)]
    print("| the search is told | moves, median | geometric mean |\n|---|---|---|")
    for hint in HINTS:
        own = [each for of_graph in moves for each in of_graph[hint.title]]
        print(f"| {hint.title} | {median(own):,.0f} | {np.exp(np.mean(np.log(own))):,.0f} |")


def moves_needed(graph: Graph) -> dict[str, list[int]]:
    """Return the moves to the planted optimum for every hint and seed."""
    instance, planted = PROBLEMS["mis"].declare(graph), int(graph.graph_data["planted_size"][0])
    network = annealco.load(shipped_folder("mis")).with_settings(num_restarts=8)
    chances = 1 / (1 + np.exp(-network(graph, instance).astype(np.float64)))
    proposed = decode(instance, chances, num_threads=1)
    even = decode(instance, np.full((1, graph.num_nodes), 0.5), num_threads=1)[0]
    needed: dict[str, list[int]] = {hint.title: [] for hint in HINTS}
    for hint in HINTS:
        start = proposed[int(np.argmax(proposed.sum(axis=1)))] if hint.start else even
        for seed in range(SEEDS):
            search = choose_search(instance, start, seed)
            moves, _, cost = search.run(Budget(moves=MOST_MOVES), -planted, Trace())
            needed[hint.title].append(moves if cost <= -planted else MOST_MOVES)
    return needed


if __name__ == "__main__":
    main()
