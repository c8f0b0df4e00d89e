"""Prove how good the best assignment of an instance can be at most."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.bounds.branching import is_enumerable, prove_by_enumeration
from annealco.bounds.certify import cost_slack, cost_step, lower_sum
from annealco.bounds.hitting_sets import covering_of, prove_covering
from annealco.bounds.ledger import Bound, Ledger
from annealco.bounds.packing import covers_pairs, packings_of, prove_packing
from annealco.clock import load
from annealco.energy import Instance
from annealco.energy.structure import Structure, read_structure
from annealco.errors import InputError

Prover = Callable[[Ledger], None]


def prove_bound(
    instance: Instance,
    *,
    time_limit: float = 1.0,
    target: float | None = None,
    known: NDArray[Any] | None = None,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> Bound | None:
    """Return the best bound that can be proven in the given time, or None where nothing can.

    Which bounds apply is read off the terms: clique covers where pairs exclude each other, set prices where sets must
    be hit, spin relaxations where the objective is quadratic. Constraints of other kinds are left out, which keeps a
    bound valid. A quick bound always comes first; on a large graph, a short time limit makes it a weaker one.

    Args:
        instance: of one graph.
        time_limit: seconds, 0 for the quick bound alone, however long that takes.
        target: value of the best known assignment, in the user's sense; a bound that reaches it ends the search.
        known: [num_nodes] bits of the best known assignment; its value is the target where none is given.
        seed: of all random choices; with a time limit, how far they get still depends on the machine.
        stop: once it is set, by another thread or a signal handler, the best bound so far is returned. It is looked at
            wherever the time is, every few milliseconds.

    Example:
        >>> from annealco.energy import Constraint, Linear, Pairs
        >>> ptr, triangle = np.array([0, 3]), np.array([[0, 0, 1], [1, 2, 2]])
        >>> apart = Constraint(Pairs(ptr, triangle, np.ones(3)), np.ones(3))
        >>> prove_bound(Instance(ptr, (Linear(ptr, -np.ones(3)),), (apart,), sense="max"))
        Bound(value=1.0, method='enumeration')
    """
    if instance.num_graphs != 1:
        raise InputError(f"a bound is of one graph, this instance has {instance.num_graphs}")
    ledger = Ledger(seconds=_checked_seconds(time_limit), stop=stop)
    ledger.target, structure = _target_cost(instance, target, known), read_structure(instance)
    ledger.step, ledger.slack = cost_step(instance, structure), cost_slack(instance, structure)
    if not (is_enumerable(instance) and prove_by_enumeration(instance, ledger)):
        provers = [] if structure is None else _provers(structure, seed)
        for place, prover in enumerate(provers):
            ledger.allot((place + 1) / len(provers))
            if not ledger.closed:
                prover(ledger)
    if not math.isfinite(ledger.cost):
        return None
    return _as_bound(instance, ledger)


def bound_at_optimum(instance: Instance, cost: float, method: str) -> Bound:
    """Return the bound that an optimum proves, rounded outward where its cost is a sum that may have been rounded.

    Args:
        instance: of one graph.
        cost: computed for an optimum, as it is minimised.
        method: what showed that it is one.
    """
    ledger = Ledger(seconds=0.0, step=cost_step(instance), slack=cost_slack(instance))
    ledger.offer(cost, method)
    return _as_bound(instance, ledger)


def _as_bound(instance: Instance, ledger: Ledger) -> Bound:
    return Bound(ledger.cost if instance.sense == "min" else -ledger.cost + 0.0, ledger.method)


def _provers(structure: Structure, seed: int) -> list[Prover]:
    """Return what can prove something about a structure, quick ones first; imports take a while, so only these."""
    if structure.pairs.shape[1]:
        prove_quadratic = load("annealco.bounds.quadratic").prove_quadratic
        return [partial(prove_quadratic, structure, seed=seed)]
    found: list[Prover] = [partial(_offer_gains, structure)]
    packings = packings_of(structure)
    # Pairs to be hit are among the packings, where cliques of them prove at least as much as the pairs.
    if len(structure.members) and not covers_pairs(structure):
        found.append(partial(prove_covering, covering_of(structure)))
    return found + [partial(prove_packing, packing, seed=seed) for packing in packings]


def _offer_gains(structure: Structure, ledger: Ledger) -> None:
    """Offer what choosing exactly the nodes that gain something would cost, were there no constraints."""
    ledger.offer(lower_sum(np.minimum(structure.linear, 0.0)), "sum of gains")


def _checked_seconds(time_limit: float) -> float:
    if not 0 <= time_limit < math.inf:
        raise InputError(f"the time limit must be a number of seconds from 0, it is {time_limit}")
    return float(time_limit)


def _target_cost(instance: Instance, target: float | None, known: NDArray[Any] | None) -> float:
    """Return the cost of the best known assignment, inf where none is known."""
    if known is not None:
        bits = np.asarray(known)
        if bits.shape != (instance.num_nodes,) or not np.all((bits == 0) | (bits == 1)):
            raise InputError(f"known must be [{instance.num_nodes}] bits, it has shape {list(bits.shape)}")
        violation = float(instance.violations(bits)[0])
        if violation != 0:
            raise InputError(f"known must be feasible, it violates the constraints by {violation:g}")
        target = float(instance.value(bits)[0]) if target is None else target
    if target is None:
        return math.inf
    if not math.isfinite(target):
        raise InputError(f"the target must be finite, it is {target}")
    return target if instance.sense == "min" else -target
