"""What a covering search knows about its candidate, in arrays that its moves keep up to date."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.graph.segments import FloatArray
from annealco.jit import inlined, kernel
from annealco.search.buckets import ABSENT, NUM_BUCKETS, Buckets, empty_buckets, file, key_of
from annealco.search.hitting_set import HittingSet

# Places in the array `cost`.
TOTAL, BEST = 0, 1
# Places in the array `number`.
UNHIT, MOVE, WEIGHT_SUM, HELD, STALE, IMPROVED = 0, 1, 2, 3, 4, 5


class CoverState(NamedTuple):
    """The arrays a search changes.

    Attributes:
        chosen: [num_variables] the candidate.
        best: [num_variables] the cheapest hitting set so far.
        hits: [num_sets] how many members are chosen. Moves keep this and ``last`` for all sets but pairs, of which the
            other member is at hand.
        last: [num_sets] exclusive-or of the chosen members: the only one where ``hits`` is 1.
        weight: [num_sets].
        score: [num_variables] weight of the sets that only this chosen variable hits, or that this variable would hit.
        rate: [num_variables] factor from score to bucket, inverse to the cost; 0 for a variable without cost.
        changed: [num_variables] whether the surroundings have changed since the variable was dropped.
        age: [num_variables] the move at which the variable last changed.
        unhit: [num_sets] the sets that are not hit, in its first places.
        place: [num_sets] where a set stands in ``unhit``.
        number: [6] how many sets are not hit, moves made, sum of weights, how many variables are held, how many stale,
            and the move that found the best.
        held: [num_variables] the variables chosen since the last hitting set, in its first places.
        stale: [num_variables] the variables that changed since the best was kept, in its first places.
        is_stale: [num_variables] whether a variable is among them.
        cost: [2] of the candidate and of the best.
        random: [1] state of the random numbers.
        buckets: the chosen variables by what dropping them loses.
    """

    chosen: NDArray[np.bool_]
    best: NDArray[np.bool_]
    hits: NDArray[np.int32]
    last: NDArray[np.int32]
    weight: NDArray[np.int32]
    score: NDArray[np.int64]
    rate: FloatArray
    changed: NDArray[np.bool_]
    age: NDArray[np.int64]
    unhit: NDArray[np.int32]
    place: NDArray[np.int32]
    number: NDArray[np.int64]
    held: NDArray[np.int32]
    stale: NDArray[np.int32]
    is_stale: NDArray[np.bool_]
    cost: FloatArray
    random: NDArray[np.uint64]
    buckets: Buckets


def begin(problem: HittingSet, chosen: NDArray[np.bool_], *, seed: int) -> CoverState:
    """Return the state of a search that starts from any choice of variables."""
    num_variables, num_sets = len(problem.cost), len(problem.set_ptr) - 1
    positive = np.sort(problem.cost[problem.cost > 0])
    # A mean would overflow before its terms do.
    scale = float(positive[len(positive) // 2]) if len(positive) else 1.0
    state = CoverState(
        chosen=np.array(chosen, dtype=np.bool_),
        best=np.ones(num_variables, np.bool_),
        hits=np.zeros(num_sets, np.int32),
        last=np.zeros(num_sets, np.int32),
        weight=np.ones(num_sets, np.int32),
        score=np.zeros(num_variables, np.int64),
        # What costs next to nothing beside the others has a rate that is large, but no more than a float holds.
        rate=np.divide(
            scale, np.maximum(problem.cost, 1e-300 * scale), out=np.zeros(num_variables), where=problem.cost > 0
        ),
        changed=np.ones(num_variables, np.bool_),
        age=np.zeros(num_variables, np.int64),
        unhit=np.zeros(num_sets, np.int32),
        place=np.zeros(num_sets, np.int32),
        number=np.array([0, 0, num_sets, 0, num_variables, 0], np.int64),
        held=np.zeros(num_variables, np.int32),
        stale=np.arange(num_variables, dtype=np.int32),
        is_stale=np.ones(num_variables, np.bool_),
        cost=np.array([0.0, problem.cost.sum()]),
        random=np.array([np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1)]),
        buckets=empty_buckets(num_variables),
    )
    # What costs nothing is chosen for good.
    state.chosen[problem.cost <= 0] = True
    recount(problem, state)
    return state


@kernel
def recount(problem: HittingSet, state: CoverState) -> None:
    """Compute everything from the choice and the weights."""
    state.hits[:] = 0
    state.last[:] = 0
    state.score[:] = 0
    state.cost[TOTAL] = 0.0
    for variable in range(len(problem.cost)):
        if state.chosen[variable]:
            state.cost[TOTAL] += problem.cost[variable]
            for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
                state.hits[problem.sets[k]] += 1
                state.last[problem.sets[k]] ^= np.int32(variable)
    state.number[UNHIT] = 0
    for each in range(len(state.hits)):
        if state.hits[each] == 0:
            list_unhit(state, each)
            for k in range(problem.set_ptr[each], problem.set_ptr[each + 1]):
                state.score[problem.members[k]] += state.weight[each]
        elif state.hits[each] == 1:
            state.score[state.last[each]] += state.weight[each]
    state.buckets.head[:] = ABSENT
    state.buckets.tail[:] = ABSENT
    state.buckets.lowest[0] = NUM_BUCKETS
    state.number[HELD] = 0
    for variable in range(len(problem.cost)):
        if state.chosen[variable] and state.rate[variable] > 0:
            file(state.buckets, variable, bucket_of(state, variable))


@inlined
def bucket_of(state: CoverState, variable: int) -> int:
    """Return the bucket of a chosen variable: its loss for its cost."""
    return key_of(state.score[variable] * state.rate[variable])


@inlined
def list_unhit(state: CoverState, each: int) -> None:
    """List a set among those that are not hit."""
    state.place[each] = state.number[UNHIT]
    state.unhit[state.number[UNHIT]] = each
    state.number[UNHIT] += 1
