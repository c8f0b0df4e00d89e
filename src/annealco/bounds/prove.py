"""Prove how good the best assignment of an instance can be: `BOUNDS` by name, and the best of what they prove."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annealco._core import StopFlag
from annealco.bounds.certify import cost_slack, cost_step, loosest_bound, lower_sum
from annealco.bounds.ledger import Bound, BoundKind, Ledger
from annealco.clock import load
from annealco.energy import Instance
from annealco.energy.structure import Structure, structure_of
from annealco.errors import InputError
from annealco.registry import Registry


def _complaint(given: object) -> str | None:
    return None if isinstance(given, BoundKind) else "it must be an annealco.bounds.BoundKind"


_HOMES = {
    "enumeration": "annealco.bounds.branching",
    "gains": "annealco.bounds.hitting_sets",
    "hitting_sets": "annealco.bounds.hitting_sets",
    "clique_cover": "annealco.bounds.packing",
    "minimum_cut": "annealco.bounds.minimum_cut",
    "quadratic": "annealco.bounds.quadratic",
}
"""Where the bounds of the package live, quick ones first."""

BOUNDS: Registry[BoundKind] = Registry(
    "bound",
    "annealco.bounds",
    {name: f"{home}:{name.upper()}" for name, home in _HOMES.items()},
    _complaint,
    name_of=attrgetter("name"),
)
"""Every bound by its name, in the order in which they are tried; entry points ``annealco.bounds`` add to it."""


def find_bounds(given: str | BoundKind | Iterable[str | BoundKind]) -> tuple[BoundKind, ...]:
    """Return bounds by names or places, ``all`` of the package, or ``none``.

    Bounds of other packages are used where they are named: whoever trusts the proofs of all says so.

    Example:
        >>> [each.name for each in find_bounds("gains,clique_cover")], find_bounds("none")
        (['gains', 'clique_cover'], ())
    """
    if isinstance(given, str):
        given = {"all": BOUNDS.own, "none": ()}.get(given, tuple(given.split(",")))
    elif not isinstance(given, Iterable):
        given = (given,)
    for home in _HOMES.values():
        # What is imported here is not on the clock of the first proof.
        load(home)
    return tuple(dict.fromkeys(BOUNDS.find(each) for each in given))


def prove_bound(
    instance: Instance,
    *,
    bounds: str | BoundKind | Iterable[str | BoundKind] = "all",
    time_limit: float = 1.0,
    gap: float = 0.0,
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
        bounds: ``all`` of the package, or some by name or as they are, of which at least one must take the instance.
        time_limit: seconds, 0 for the quick bound alone, however long that takes.
        gap: a bound within this relative gap of the target, from 0 to below 1, ends the search.
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
    if not 0 <= gap < 1:
        raise InputError(f"the gap must be from 0 to below 1, it is {gap}")
    kinds = find_bounds(bounds)
    ledger = Ledger(seconds=_checked_seconds(time_limit), stop=stop)
    cost, constant = _target_cost(instance, target, known), _constant(instance)
    # Proofs are about the terms: what every assignment costs besides is added in the end.
    plain = instance if instance.constant is None else replace(instance, constant=None)
    ledger.target, ledger.step, ledger.slack = cost - constant, cost_step(plain), cost_slack(plain)
    ledger.cost_of = partial(_cost_of, plain)
    if gap > 0:
        # A gap is relative to values, which have the constant.
        ledger.goal_of = lambda target: loosest_bound(target + constant, gap) - constant
        ledger.goal = ledger.goal_of(ledger.target) if math.isfinite(cost) else None
    named = bounds != "all"
    _prove_all(plain, takers(kinds, structure_of(plain), named=named), ledger, seed)
    return _as_bound(instance, ledger) if math.isfinite(ledger.cost) else None


def takers(kinds: Iterable[BoundKind], structure: Structure, *, named: bool) -> list[BoundKind]:
    """Return those of some bounds that take an instance.

    Args:
        kinds: bounds.
        structure: of the instance.
        named: whether a user chose them, who should know where none fits.
    """
    kinds, found = list(kinds), []
    for kind in kinds:
        with BOUNDS.blaming(kind, kind.name):
            found += [kind] if kind.takes(structure) else []
    if named and not found:
        names = ", ".join(kind.name for kind in kinds)
        fit = ", ".join(name for name in BOUNDS.own if BOUNDS[name].takes(structure)) or "none"
        raise InputError(f"this instance ({structure.kind}) is not for the bounds {names or 'none'}; {fit} would fit")
    return found


def _prove_all(instance: Instance, kinds: list[BoundKind], ledger: Ledger, seed: int) -> None:
    """Let bounds be proven one after the other; those that are not brief share the time."""
    shares = sum(not kind.brief for kind in kinds)
    used = 0
    for kind in kinds:
        used += not kind.brief
        ledger.allot(1.0 if kind.brief else used / shares)
        if not ledger.closed:
            with BOUNDS.blaming(kind, kind.name):
                kind.prove(instance, ledger, seed=seed)
            # What is known may be a user's word, which the package's own proofs are not measured by.
            if not BOUNDS.is_own(kind, kind.name) and ledger.cost - ledger.slack.excused(ledger.cost) > ledger.target:
                wrong = f"{_in_sense(instance, ledger.cost):g}, but {_in_sense(instance, ledger.target):g} is known"
                raise InputError(f"the bound {kind.name} is wrong: it says {wrong}")


def bound_at_optimum(instance: Instance, cost: float, method: str) -> Bound:
    """Return the bound that an optimum proves, rounded outward where its cost is a sum that may have been rounded.

    Args:
        instance: of one graph.
        cost: computed for an optimum, as it is minimised.
        method: what showed that it is one.
    """
    ledger = Ledger(seconds=0.0, step=cost_step(instance), slack=cost_slack(instance))
    ledger.offer(cost, method)
    return Bound(_in_sense(instance, ledger.cost), method)


def _as_bound(instance: Instance, ledger: Ledger) -> Bound:
    """Return the best bound of a ledger that is about the terms, with the constant of the instance."""
    cost = ledger.cost
    if instance.constant is not None:
        cost = lower_sum(np.array([cost, _constant(instance)]))
        slack = cost_slack(instance).at(cost)
        cost = math.nextafter(cost - slack, -math.inf) if slack > 0 else cost
    return Bound(_in_sense(instance, cost), ledger.method, ledger.found)


def _cost_of(instance: Instance, assignment: NDArray[np.bool_]) -> float:
    """Return the cost of an assignment [num_nodes], inf where it is not feasible."""
    is_feasible = float(instance.violations(assignment)[0]) == 0
    return float(instance.cost.value(assignment)[0]) if is_feasible else math.inf


def _in_sense(instance: Instance, cost: float) -> float:
    return cost if instance.sense == "min" else -cost + 0.0


def _constant(instance: Instance) -> float:
    return 0.0 if instance.constant is None else float(instance.constant[0])


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
