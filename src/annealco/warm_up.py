"""Load the kernels that a problem needs before any clock runs, or the first time ever compile them.

Time limits are for searching and proving. Every process solves one small graph first, which loads what most graphs
need in a tenth of a second; where a network proposes, it runs once there too. A process that had to compile something,
or finds no mark that one before had got to the end, goes on with graphs that need everything else, until nothing is
compiled any more, so that later time limits are all kept.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import numpy as np

import annealco.graph as graph_package
from annealco import bounds, energy, search
from annealco.attempt import attempt
from annealco.bounds import prove_bound
from annealco.energy import Constraint, Range
from annealco.graph.errors import InputError
from annealco.graph.generators.ring import ring_with_chords
from annealco.graph.graph import Graph
from annealco.jit import kernel_folder, num_compiled
from annealco.problems import PROBLEMS
from annealco.search.anneal_moves import anneal
from annealco.search.conditional import decode
from annealco.solution import Solution

if TYPE_CHECKING:
    from annealco.solving import Solver

MOVES_A_NODE = 1000
"""Moves on each graph: each search must get its turn."""

BOUND_SECONDS = 0.4
"""How long each bound of the others is worked on; what compiling took from it is made up for in the next round."""

FIRST = 21
"""Size of the first graph. Its chords make triangles, so that most bounds have something to do and are soon met."""

SMALL, LARGE = 40, 4000
"""Sizes of graphs that are handled as matrices, and of one that is too large for that."""

_done: set[tuple[str, bool, bool]] = set()
_networks: set[str] = set()


def warm_up(solver: Solver) -> None:
    """Load or compile what a solver of a registered problem needs; a second call does nothing."""
    if hasattr(solver.model, "with_settings") and solver.problem.name not in _networks:
        _networks.add(solver.problem.name)
        _try(replace(solver, polish=False, bound=False, restarts=1, options={}), ring_with_chords(FIRST))
    what = (solver.problem.name, solver.polish, solver.bound)
    if what in _done or PROBLEMS.get(solver.problem.name) is not solver.problem:
        return
    before, mark = num_compiled(), _mark(what)
    # Without a search a bound could go on for as long as it may: what is decoded need not be optimal.
    plain = replace(solver, polish=True, model="none", restarts=1, options={}, penalty_scale=1.0, time_limit=60.0)
    _try(replace(plain, moves=MOVES_A_NODE * FIRST), ring_with_chords(FIRST))
    unknown = mark is not None and not mark.exists()
    while (unknown or before < num_compiled()) and not solver.stop.is_set():
        before, unknown = num_compiled(), False
        for graph in _graphs():
            if solver.stop.is_set():
                return
            found = _try(replace(plain, moves=MOVES_A_NODE * SMALL, bound=False), graph)
            _settle_narrow_ranges(plain, graph)
            # Bounds of sums only are proven.
            if solver.bound and found is not None and solver.problem.at_price is None:
                _prove(plain, graph, found.value)
    if not solver.stop.is_set():
        _done.add(what)
        if mark is not None:
            # A disk that is full costs the next process these graphs, nothing else.
            with suppress(OSError):
                mark.touch()


def _mark(what: tuple[str, bool, bool]) -> Path | None:
    """Return the file that says that all this was compiled, of this version; None where none can be kept."""
    folder = kernel_folder(anneal)
    if folder is None or not os.access(folder, os.W_OK):
        return None
    version = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for package in (search, bounds, energy, graph_package):
        for file in sorted(Path(package.__path__[0]).glob("*.py")):
            status = file.stat()
            version.update(f"{file.name} {status.st_size} {status.st_mtime_ns}".encode())
    name, *flags = what
    return Path(folder) / f"compiled-{name}-{''.join(str(int(flag)) for flag in flags)}-{version.hexdigest()[:16]}"


def _settle_narrow_ranges(solver: Solver, graph: Graph) -> None:
    """Decode with ranges of one value each, where there are ranges: users may ask for any."""
    instance = solver.problem.declare(graph)
    narrow = [_narrowed(each) for each in instance.constraints]
    if any(isinstance(each.term, Range) for each in narrow):
        decode(replace(instance, constraints=tuple(narrow)), np.full((1, graph.num_nodes), 0.5), num_threads=1)


def _narrowed(constraint: Constraint) -> Constraint:
    term = constraint.term
    if not isinstance(term, Range):
        return constraint
    middle = np.floor((term.lower + term.upper) / 2) + 0.5
    return replace(constraint, term=replace(term, lower=middle, upper=middle))


def _try(solver: Solver, graph: Graph) -> Solution | None:
    # A problem may have no feasible set on it, which is nobody's fault.
    with suppress(InputError):
        return attempt(solver, graph, 0, 1)
    return None


def _prove(solver: Solver, graph: Graph, value: float) -> None:
    """Work on bounds for their own sake, and for a known set: then the nodes of no better one are left out."""
    instance = solver.problem.declare(graph)
    for target in (None, value):
        prove_bound(instance, time_limit=BOUND_SECONDS, target=target, stop=solver.stop)


def _graphs() -> Iterator[Graph]:
    """Yield graphs of which every search and every bound has something to do on one."""
    rng = np.random.default_rng(0)
    for density in (0.15, 0.5):
        low, high = np.triu_indices(SMALL, 1)
        kept = rng.random(len(low)) < density
        plain = Graph.from_edges([low[kept], high[kept]], SMALL)
        yield plain
        weight = rng.integers(1, 9, plain.num_nodes), rng.integers(1, 9, plain.num_edges)
        yield plain.with_weights(node_weight=weight[0], edge_weight=weight[1])
    yield ring_with_chords(LARGE)
