"""Trained networks as methods: what a checkpoint proposes, decoded, alone or with the search behind it.

Sets are decoded by conditional expectations, as the paper does, except where a network is compared as its authors used
it: then its loss tells how (`own_decoding`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.arrays import FloatArray
from annealco.baselines.method import Outcome
from annealco.baselines.search_methods import NO_LIMIT, run_solver
from annealco.energy import Instance
from annealco.graph.graph import Graph
from annealco.optional import require
from annealco.problems import Problem
from annealco.search.decode import DEFAULT_ORDER, Order, drawn, rounded
from annealco.search.greedy import by_probability
from annealco.solving.solver import Solver

if TYPE_CHECKING:
    from annealco.models.compiled_field import CompiledModel
    from annealco.training.trained import TrainedModel

    Network = TrainedModel | CompiledModel

RESTARTS = 8
"""Proposals a graph: the best decoded one counts."""

Decode = Callable[[Instance, FloatArray, int], NDArray[np.bool_]]
"""Turn probabilities, [num_restarts, num_nodes], into as many sets; the number is the seed of what is drawn."""


class Learned(NamedTuple):
    """A way to use a trained network.

    Attributes:
        name: what users type, before ``=DIR``.
        summary: what it is, in a few words.
        problems: that it is for; empty for those that a network can be trained for.
        polish: whether the search goes on from what is decoded.
        restarts: proposals a graph.
        steps: of a recurrent network; None for as many as in training.
        losses: that the network may have been trained with; empty for any.
        annealed: whether it may have been trained with a temperature.
        own_decoding: whether sets are decoded as the authors of the network's loss do.
        order: of decoding by conditional expectations, which then takes the place of the authors' own; None for the
            default order where there is no decoding of their own.
        shipped: whether networks that come with the package are for it.
    """

    name: str
    summary: str
    problems: tuple[str, ...] = ()
    polish: bool = False
    restarts: int = RESTARTS
    steps: int | None = None
    losses: tuple[str, ...] = ()
    annealed: bool = True
    own_decoding: bool = False
    order: Order | None = None
    shipped: bool = False


LEARNED: dict[str, Learned] = {
    each.name: each
    for each in (
        Learned("annealed", "a network by annealed training, the best of 8 decoded proposals", shipped=True),
        Learned(
            "annealed+search",
            "a search for each thread, from proposals of such a network; of several the last without",
            polish=True,
            restarts=1,
            shipped=True,
        ),
        Learned(
            "erdos",
            "a network without annealing: of Karalias and Loukas, by their decoding, or on the paper's energy",
            losses=("energy", "kl"),
            annealed=False,
            own_decoding=True,
        ),
        Learned(
            "not_annealed",
            "a network trained without annealing, used as annealed ones are: to see what annealing is worth",
            losses=("energy", "kl"),
            annealed=False,
        ),
        Learned(
            "run_csp",
            "RUN-CSP (Tönshoff et al., 2021): 64 attempts of 100 steps, rounded and repaired",
            ("mis", "clique"),
            restarts=64,
            steps=100,
            losses=("run_csp",),
            own_decoding=True,
        ),
        Learned(
            "l1",
            "a network on a smooth cut, Σ w |p_i − p_j|: 10 samples, repaired",
            ("cut",),
            restarts=10,
            losses=("l1",),
            own_decoding=True,
        ),
        Learned(
            "l2",
            "a network on a smooth cut, Σ w (p_i − p_j)²: 10 samples, repaired",
            ("cut",),
            restarts=10,
            losses=("l2",),
            own_decoding=True,
        ),
    )
}
"""Every way by its name."""


def run_checkpoint(
    folder: str,
    problem: Problem,
    graph: Graph,
    *,
    budget: float,
    seed: int,
    threads: int = 1,
    way: Learned = LEARNED["annealed"],
    moves: int | None = None,
    place: str | None = None,
) -> Outcome:
    """Solve one graph with the network in a folder; `annealco.baselines.method.SolveGraph` tells what is given.

    Of a network that is not of the package, ``place`` says which class it is: ``my_package.nets:Net``.
    """
    network = _network(str(Path(folder).resolve()), way.steps, place)
    decode = own_decoding(network) if way.own_decoding and way.order is None else None
    if decode is not None:
        return _decoded(network, decode, problem, graph, restarts=way.restarts, seed=seed)
    solver = Solver(
        problem,
        time_limit=budget if moves is None else NO_LIMIT,
        moves=moves,
        # A search is one thread's: at least as many of them as there are threads leave none idle.
        restarts=max(way.restarts, threads) if way.polish else way.restarts,
        polish=way.polish,
        bound=False,
        model=network,
        decode_order=way.order or DEFAULT_ORDER,
        seed=seed,
        num_threads=threads,
    )
    return run_solver(solver, graph)


def own_decoding(network: Network) -> Decode | None:
    """Return how the authors of a network's loss decode; None for conditional expectations.

    That of Karalias and Loukas goes with their min–max head: other heads give probabilities of another kind.
    """
    ways: dict[str, Decode] = {"kl": by_probability, "run_csp": rounded, "l1": drawn, "l2": drawn}
    loss = loss_of(network)
    if loss == "kl" and network.settings.get("head") != "min-max":
        return None
    return ways.get(loss)


def loss_of(network: Network) -> str:
    """Return the name of the loss that a network was trained with; the energy where nothing is recorded."""
    return str(network.record.get("recipe", {}).get("loss", "energy"))


def _decoded(network: Network, decode: Decode, problem: Problem, graph: Graph, *, restarts: int, seed: int) -> Outcome:
    """Return the best of the sets that a network's proposals are decoded to, feasible ones before all others."""
    begun = time.perf_counter()
    instance = problem.declare(graph)
    logits = network.with_settings(num_restarts=restarts, seed=seed)(graph, instance).astype(np.float64)
    sets = decode(instance, 1 / (1 + np.exp(-np.clip(logits, -700, 700))), seed)
    violations = instance.violations(sets)[:, 0]
    cost = instance.value(sets)[:, 0] * (1.0 if instance.sense == "min" else -1.0)
    best = int(np.lexsort((cost, violations))[0])
    note = "" if violations[best] == 0 else f"no decoded set is feasible for {problem.name}"
    return Outcome(sets[best], note=note, seconds=time.perf_counter() - begun)


def refusal(
    folder: str, problem: Problem, way: Learned = LEARNED["annealed"], *, place: str | None = None
) -> str | None:
    """Return why a checkpoint is not for a problem, or None where it is; one that is not there is an InputError."""
    network = _network(str(Path(folder).resolve()), None, place)
    if network.problem not in problem.learned_from:
        return f"{folder} was trained for {network.problem}"
    if way.losses and loss_of(network) not in way.losses:
        return f"{folder} was trained with the loss {loss_of(network)!r}, not {' or '.join(map(repr, way.losses))}"
    if not way.annealed and network.record.get("recipe", {}).get("tau0", 0.0) > 0:
        return f"{folder} was trained with annealing: it is one for 'annealed'"
    return None


# As many as a table compares: to load one again for every graph would be counted as its time.
@lru_cache(maxsize=32)
def _network(folder: str, steps: int | None, place: str | None) -> Network:
    from annealco.models.compiled_field import load_compiled

    network: Network | None = load_compiled(folder)
    if network is None:
        require("a network", "torch")
        from annealco.training.checkpoint import is_registered, load

        # The place is that of networks that are not of the package.
        network = load(folder, None if is_registered(folder) else place)
    return network if steps is None else network.with_settings(num_steps=steps)
