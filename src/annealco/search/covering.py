"""Search for a cheap hitting set by weights on the sets that are hard to hit.

From a hitting set without superfluous variables, drop the two whose loss costs least, then hit the missed sets again:
pick one at random, choose its best variable, and add one to the weight of every set that is still missed. Best is what
gains most weight for its cost. Not chosen is a variable whose surroundings have not changed since it was dropped, and
not dropped is one that was chosen since the last hitting set.

Where this finds nothing better for long, the search goes on below the best cost: drop one, and choose only as long as
the cost stays below the best, whether all sets are hit or not. On large problems the first way is far ahead, because
there many sets would stay missed and be weighed at every move; near an optimum, with costs, the second is.

On edges this is close to the ideas of NuMVC (Cai, Su, Luo and Sattar, 2013) and of its weighted successors, on
neighbourhoods to weighting searches for set covers and domination (Gao, Weise and Li, 2015); here sets may be of any
size and costs of any kind.
"""

from __future__ import annotations

import numpy as np

from annealco.jit import at, inlined, kernel
from annealco.search.buckets import ABSENT, file, first, take
from annealco.search.cover_state import (
    BEST,
    HELD,
    IMPROVED,
    MOVE,
    STALE,
    TOTAL,
    UNHIT,
    WEIGHT_SUM,
    CoverState,
    bucket_of,
    list_unhit,
    recount,
)
from annealco.search.hitting_set import HittingSet

FORGET_ABOVE = 0.5
FORGET_TO = 0.3
"""When the mean weight exceeds FORGET_ABOVE times the number of variables, weights shrink to FORGET_TO of theirs."""

PATIENCE = 25
"""Moves a variable without a better hitting set after which the search stays below the best cost."""

DROPS = 2
"""How many variables are dropped from a hitting set; the first of the two alone would often be chosen again."""


@kernel
def run(problem: HittingSet, state: CoverState, moves: int, target: float) -> bool:
    """Make moves until a hitting set costs no more than the target or nothing can be dropped; say whether to go on."""
    for _ in range(moves):
        stuck = state.number[MOVE] - state.number[IMPROVED] > PATIENCE * len(problem.cost)
        if state.number[UNHIT] == 0:
            if not _leave(problem, state, target):
                return False
        elif stuck:
            _stay_below(problem, state)
        else:
            _choose(problem, state, _pick(problem, state))
            _raise_weights(problem, state)
        state.number[MOVE] += 1
    return True


@inlined
def _leave(problem: HittingSet, state: CoverState, target: float) -> bool:
    """Keep a hitting set without its superfluous variables, and drop two more; say whether to go on."""
    drops, kept = 0, False
    while drops < DROPS:
        variable = _cheapest(state)
        if not kept and (variable == ABSENT or state.score[variable] > 0):
            _keep(state)
            kept = True
        if state.cost[BEST] <= target:
            return False
        if variable != ABSENT:
            drops += kept
            _drop(problem, state, variable)
        elif state.number[HELD] > 0:
            _release(state)
        elif drops > 0:
            break
        else:
            return False
    _release(state)
    return True


@inlined
def _stay_below(problem: HittingSet, state: CoverState) -> None:
    """Drop a variable, then choose for missed sets as long as the cost stays below the best."""
    variable = _cheapest(state)
    if variable != ABSENT:
        _drop(problem, state, variable)
    _release(state)
    while state.number[UNHIT] > 0:
        variable = _pick(problem, state)
        if state.cost[TOTAL] + problem.cost[variable] >= state.cost[BEST]:
            break
        _choose(problem, state, variable)
        _raise_weights(problem, state)


@kernel
def complete(problem: HittingSet, state: CoverState) -> None:
    """Hit all sets that a start leaves out, greedily: moves would weigh all of them anew each time."""
    while state.number[UNHIT] > 0:
        _choose(problem, state, _pick(problem, state))
    _release(state)


@inlined
def _keep(state: CoverState) -> None:
    """Keep a hitting set that is cheaper than the best."""
    if state.cost[TOTAL] < state.cost[BEST]:
        state.cost[BEST] = state.cost[TOTAL]
        state.number[IMPROVED] = state.number[MOVE]
        for k in range(state.number[STALE]):
            variable = state.stale[k]
            state.best[variable] = state.chosen[variable]
            state.is_stale[variable] = False
        state.number[STALE] = 0


@inlined
def _set(state: CoverState, variable: int, value: bool) -> None:
    """Choose or drop, and note it: keeping the best must not take as long as there are variables."""
    state.chosen[variable] = value
    if not state.is_stale[variable]:
        state.is_stale[variable] = True
        state.stale[state.number[STALE]] = variable
        state.number[STALE] += 1


@inlined
def _unlist(state: CoverState, each: int) -> None:
    state.number[UNHIT] -= 1
    moved = state.unhit[state.number[UNHIT]]
    state.unhit[state.place[each]] = moved
    state.place[moved] = state.place[each]


@inlined
def _cheapest(state: CoverState) -> int:
    """Return the chosen variable that loses least weight for its cost, or ABSENT."""
    variable = first(state.buckets)
    while variable != ABSENT and bucket_of(state, variable) > state.buckets.key[variable]:
        take(state.buckets, variable)
        file(state.buckets, variable, bucket_of(state, variable))
        variable = first(state.buckets)
    return variable


@inlined
def _drop(problem: HittingSet, state: CoverState, variable: int) -> None:
    """Drop a chosen variable."""
    take(state.buckets, variable)
    _set(state, variable, False)
    state.cost[TOTAL] -= problem.cost[variable]
    # The loss of a chosen variable is the gain of the same variable once it is dropped: the score stays.
    for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
        each, partner = at(problem.sets[at(k)]), problem.partner[at(k)]
        if partner != ABSENT:
            other = at(partner)
            # The other member loses or gains the weight, whichever it is.
            state.score[other] += state.weight[each]
            if not state.chosen[other]:
                state.changed[other] = True
                list_unhit(state, each)
            continue
        state.hits[each] -= 1
        state.last[each] ^= np.int32(variable)
        if state.hits[each] == 1:
            state.score[at(state.last[each])] += state.weight[each]
        elif state.hits[each] == 0:
            list_unhit(state, each)
            _change_gains(problem, state, variable, each, 1)
    state.changed[variable] = False
    state.age[variable] = state.number[MOVE]


@inlined
def _change_gains(problem: HittingSet, state: CoverState, variable: int, each: int, sign: int) -> None:
    """Add or take the weight of a variable's set for its other members, whose surroundings thereby change."""
    weight = sign * state.weight[each]
    for position in range(problem.set_ptr[each], problem.set_ptr[each + at(1)]):
        member = at(problem.members[at(position)])
        if member != at(variable):
            state.score[member] += weight
            state.changed[member] = True


@inlined
def _lower(state: CoverState, variable: int) -> None:
    """File a variable anew that loses less than its bucket says."""
    if state.buckets.key[variable] > 0 and bucket_of(state, variable) < state.buckets.key[variable]:
        take(state.buckets, variable)
        file(state.buckets, variable, bucket_of(state, variable))


@inlined
def _choose(problem: HittingSet, state: CoverState, variable: int) -> None:
    """Choose a variable, and hold it, so that it is not dropped at once."""
    _set(state, variable, True)
    state.cost[TOTAL] += problem.cost[variable]
    for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
        each, partner = at(problem.sets[at(k)]), problem.partner[at(k)]
        if partner != ABSENT:
            other = at(partner)
            state.score[other] -= state.weight[each]
            if state.chosen[other]:
                _lower(state, other)
            else:
                state.changed[other] = True
                _unlist(state, each)
            continue
        if state.hits[each] == 0:
            _unlist(state, each)
            _change_gains(problem, state, variable, each, -1)
        elif state.hits[each] == 1:
            keeper = at(state.last[each])
            state.score[keeper] -= state.weight[each]
            _lower(state, keeper)
        state.hits[each] += 1
        state.last[each] ^= np.int32(variable)
    state.age[variable] = state.number[MOVE]
    state.held[state.number[HELD]] = variable
    state.number[HELD] += 1


@inlined
def _release(state: CoverState) -> None:
    """File the variables that were held."""
    for k in range(state.number[HELD]):
        file(state.buckets, state.held[k], bucket_of(state, state.held[k]))
    state.number[HELD] = 0


@inlined
def _pick(problem: HittingSet, state: CoverState) -> int:
    """Return the best variable of a random set that is not hit: most weight for its cost, then the oldest."""
    each = at(state.unhit[at(_random_below(state, state.number[UNHIT]))])
    start, stop = problem.set_ptr[each], problem.set_ptr[each + at(1)]
    picked, found = at(0), False
    for k in range(start, stop):
        member = at(problem.members[at(k)])
        if state.changed[member] and (not found or _better(problem, state, member, picked)):
            picked, found = member, True
    if not found:
        return int(problem.members[at(start + _random_below(state, stop - start))])
    return int(np.int64(picked))


@inlined
def _better(problem: HittingSet, state: CoverState, one: int, two: int) -> bool:
    left, right = state.score[one] * problem.cost[two], state.score[two] * problem.cost[one]
    return bool(left > right or (left == right and state.age[one] < state.age[two]))


@inlined
def _random_below(state: CoverState, count: int) -> int:
    bits = state.random[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    state.random[0] = bits
    # The upper half, as a share of the count: a remainder would take a division.
    return int(((bits >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@inlined
def _raise_weights(problem: HittingSet, state: CoverState) -> None:
    """Add one to the weight of every set that is not hit; forget old weights when they have grown large."""
    for k in range(state.number[UNHIT]):
        each = at(state.unhit[at(k)])
        state.weight[each] += 1
        for position in range(problem.set_ptr[each], problem.set_ptr[each + at(1)]):
            state.score[at(problem.members[at(position)])] += 1
    state.number[WEIGHT_SUM] += state.number[UNHIT]
    if state.number[WEIGHT_SUM] > FORGET_ABOVE * len(problem.cost) * len(state.weight):
        state.number[WEIGHT_SUM] = 0
        for each in range(len(state.weight)):
            # A weight of 0 would make the variable that hits the set look superfluous.
            state.weight[each] = max(1, int(FORGET_TO * state.weight[each]))
            state.number[WEIGHT_SUM] += state.weight[each]
        recount(problem, state)
