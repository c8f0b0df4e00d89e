"""Gradient-informed parallel sampling: flip many nodes at once, those first that lower the energy.

At temperature τ every node is flipped by itself, with probability σ((g_i − t) / 2τ) where g_i = f(x) − f(x with i
flipped) is read off the energy's field, and t is such that about ``flips`` nodes are. Without a correction this is
regularised Langevin annealing (Feng and Yang, 2025). With one, a step is accepted with the Metropolis–Hastings
probability of exp(−f / τ), which is exact at every temperature (Sun, Goshvadi, Nova, Schuurmans and Dai, 2023, anneal
such a sampler). All restarts of all graphs go side by side through torch.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from annealco import _core
from annealco.arrays import FloatArray
from annealco.baselines.method import on_instance
from annealco.energy import Energy, Instance
from annealco.energy.compiled import core_terms
from annealco.errors import InputError
from annealco.search.repair import finish

CERTAIN = 30.0
"""A logit whose probability is a bit for all purposes."""

PENALTY = 1.05
"""Multiple of the critical penalty: ties between feasible and infeasible sets are broken."""

RESTARTS, FLIPS, STEPS = 16, 5, 1000
"""Defaults: chains a graph, nodes flipped a step, and steps where no seconds are given."""

LOOK_EVERY = 4
"""Energies of whole states are taken every so many steps."""


class Chains(NamedTuple):
    """Where all chains are.

    Attributes:
        bits: [num_nodes, num_restarts] 0 or 1.
        gain: [num_nodes, num_restarts] by how much f falls where a node is flipped.
    """

    bits: Tensor
    gain: Tensor


@dataclass(frozen=True)
class Sampler:
    """One step of all chains.

    Attributes:
        energy: of one or many graphs.
        owner: [num_nodes] number of each node's graph.
        padded: [num_graphs, largest graph] nodes of each graph, filled up with num_nodes.
        flips: how many nodes are flipped at a step, about.
        adjusted: whether steps are corrected by Metropolis and Hastings.
        generator: of all draws.
    """

    energy: Energy
    owner: Tensor
    padded: Tensor
    flips: int
    adjusted: bool
    generator: torch.Generator

    def at(self, bits: Tensor) -> Chains:
        """Return the state at some bits."""
        return Chains(bits, (2 * bits - 1) * self.energy.field(CERTAIN * (2 * bits - 1)))

    def value(self, bits: Tensor) -> Tensor:
        """Return f of all graphs and chains, [num_graphs, num_restarts]."""
        return self.energy.expectation(CERTAIN * (2 * bits - 1))

    def step(self, state: Chains, temperature: Tensor) -> Chains:
        """Flip some nodes of every chain; the temperature of each graph is a column, [num_graphs, 1]."""
        logit = self.flip_logit(state, temperature)
        draws = torch.rand(logit.shape, generator=self.generator)
        flipped = draws < torch.sigmoid(logit)
        proposed = self.at(torch.where(flipped, 1 - state.bits, state.bits))
        if not self.adjusted:
            return proposed
        back = self.flip_logit(proposed, temperature)
        forward, backward = self._chance(logit, flipped), self._chance(back, flipped)
        change = (self.value(state.bits) - self.value(proposed.bits)) / temperature
        accepted = torch.rand(change.shape, generator=self.generator).log() < change + backward - forward
        kept = accepted[self.owner]
        return Chains(*(torch.where(kept, new, old) for new, old in zip(proposed, state, strict=True)))

    def flip_logit(self, state: Chains, temperature: Tensor) -> Tensor:
        """Return the logits of the flips, [num_nodes, num_restarts]: the ``flips``-th best of a graph has even odds."""
        lowest = torch.full_like(state.gain[:1], -torch.inf)
        by_graph = torch.cat([state.gain, lowest])[self.padded]
        best = by_graph.topk(min(self.flips, by_graph.shape[1]), dim=1).values
        # A graph with fewer nodes than flips goes by its worst one.
        threshold = torch.where(torch.isfinite(best), best, torch.inf).amin(dim=1)
        return (state.gain - threshold[self.owner]) / (2 * temperature[self.owner])

    def _chance(self, logit: Tensor, flipped: Tensor) -> Tensor:
        """Return the log-probability of these flips, [num_graphs, num_restarts]."""
        each = torch.nn.functional.logsigmoid(torch.where(flipped, logit, -logit))
        return each.new_zeros(self.padded.shape[0], each.shape[1]).index_add(0, self.owner, each)


def sample(
    instance: Instance,
    *,
    num_restarts: int = RESTARTS,
    num_steps: int | None = None,
    seconds: float | None = None,
    flips: int = FLIPS,
    adjusted: bool = False,
    temperatures: tuple[FloatArray, FloatArray] | None = None,
    seed: int = 0,
    num_threads: int | None = None,
) -> NDArray[np.bool_]:
    """Anneal many chains on one or many graphs, and return the best feasible set of each graph, [num_nodes].

    Args:
        instance: one or many graphs.
        num_restarts: chains a graph.
        num_steps: how many steps; repeatable.
        seconds: how long instead.
        flips: nodes flipped a step, about.
        adjusted: whether to correct every step by Metropolis and Hastings.
        temperatures: first and last of each graph, [num_graphs] each; by default read off the prices of flips.
        seed: of starts and flips.
        num_threads: of the repair at the end; torch has threads of its own.
    """
    if (num_steps is None) == (seconds is None):
        raise InputError("a sampler needs either steps or seconds")
    if min(num_restarts, flips) < 1:
        raise InputError("restarts and flips must be at least 1")
    if instance.num_nodes == 0:
        return np.zeros(0, np.bool_)
    sampler = new_sampler(instance, flips=flips, adjusted=adjusted, seed=seed)
    first, last = (torch.tensor(each, dtype=torch.float32).unsqueeze(1) for each in temperatures or cooling(instance))
    with torch.no_grad():
        state = sampler.at(torch.zeros(instance.num_nodes, num_restarts))
        best, bits = sampler.value(state.bits), state.bits
        for number, progress in _progress(num_steps, seconds):
            state = sampler.step(state, first * (last / first) ** progress)
            if number % LOOK_EVERY == 0 or progress >= 1:
                value = sampler.value(state.bits)
                bits = torch.where((value < best)[sampler.owner], state.bits, bits)
                best = torch.minimum(best, value)
    return best_of(instance, np.concatenate([bits.T.numpy() > 0.5, state.bits.T.numpy() > 0.5]), num_threads)


def new_sampler(instance: Instance, *, flips: int, adjusted: bool, seed: int) -> Sampler:
    """Return a sampler of an instance's energy."""
    counts = np.diff(instance.node_ptr)
    places = np.arange(counts.max(initial=1))
    padded = np.where(places < counts[:, None], instance.node_ptr[:-1, None] + places, instance.num_nodes)
    owner = torch.tensor(np.repeat(np.arange(instance.num_graphs), counts))
    generator = torch.Generator().manual_seed(seed)
    return Sampler(instance.energy(PENALTY), owner, torch.tensor(padded), flips, adjusted, generator)


def cooling(instance: Instance) -> tuple[FloatArray, FloatArray]:
    """Return first and last temperature of each graph, [num_graphs], by what flips cost in a local minimum."""
    minimum = finish(instance, np.zeros(instance.num_nodes, np.bool_), num_threads=1)
    first, last = _core.default_temperatures(core_terms(instance), minimum)
    return np.full(instance.num_graphs, first), np.full(instance.num_graphs, last)


def _progress(num_steps: int | None, seconds: float | None) -> Iterator[tuple[int, float]]:
    """Yield the number and the progress, from 0 to 1, of every step until steps or seconds are used up."""
    clock: Callable[[], float] = time.perf_counter
    begun, number = clock(), 0
    while True:
        used = number / max(num_steps - 1, 1) if num_steps is not None else (clock() - begun) / (seconds or math.inf)
        if number >= (num_steps if num_steps is not None else math.inf) or used > 1:
            return
        yield number, used
        number += 1


def best_of(instance: Instance, rows: NDArray[np.bool_], num_threads: int | None) -> NDArray[np.bool_]:
    """Return the best feasible row of each graph, repaired and maximalised; rows are [num_rows, num_nodes]."""
    finished = finish(instance, rows, num_threads=num_threads)
    cost = instance.cost.value(finished)
    cost = np.where(instance.violations(finished) > 0, np.inf, cost)
    row = np.repeat(np.argmin(cost, axis=0), np.diff(instance.node_ptr))
    return np.asarray(finished[row, np.arange(instance.num_nodes)])


def _sample_one(instance: Instance, *, budget: float, seed: int, threads: int, moves: int | None) -> NDArray[np.bool_]:
    """Sample for so many seconds, or steps where moves are given."""
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        seconds = budget if moves is None else None
        return sample(instance, num_steps=moves, seconds=seconds, seed=seed, num_threads=threads)
    finally:
        torch.set_num_threads(before)


run = on_instance(_sample_one)
"""A `SolveGraph` of the sampler."""
