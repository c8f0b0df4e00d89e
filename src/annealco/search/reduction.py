"""Shrink a hitting set problem without losing an optimum, and lift a solution of what is left back.

Rules, until none applies: a variable without cost is chosen; the only member of a set is chosen; a variable whose sets
all hold another one that costs no more is dropped; a set that holds a whole other set is dropped; where the sets of a
variable are pairs, its partners form pairs with one another and none costs more than it does, the partners are chosen.
On edges these take isolated and pendant nodes and corners of triangles, on neighbourhoods leaves and twins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from annealco.jit import kernel, part
from annealco.search.budget import Budget, spend
from annealco.search.hitting_set import HittingSet, assemble

MAX_SETS = 8
"""Rules look at variables of at most so many sets, so that they stay cheap."""

MAX_MEMBERS = 32
"""Rules look at sets of at most so many members."""

FREE, CHOSEN, DROPPED = 0, 1, 2


class Reduction(NamedTuple):
    """What is left of a problem, and how to go back.

    Attributes:
        kernel: the smaller problem.
        chosen: [num_variables] what every lifted solution chooses.
        left: [num_kernel_variables] the variables that the kernel is about.
    """

    kernel: HittingSet
    chosen: NDArray[np.bool_]
    left: NDArray[np.int64]

    def lift(self, kernel_chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the solution of the whole problem that a solution of the kernel stands for."""
        chosen = self.chosen.copy()
        chosen[self.left] = kernel_chosen
        return chosen


class _Work(NamedTuple):
    """The arrays that the rules change: queues are rings, with marks for what is in them."""

    status: NDArray[np.int8]
    alive: NDArray[np.bool_]
    size: NDArray[np.int64]
    degree: NDArray[np.int64]
    variable_queue: NDArray[np.int64]
    variable_waits: NDArray[np.bool_]
    set_queue: NDArray[np.int64]
    set_waits: NDArray[np.bool_]
    ends: NDArray[np.int64]


def reduce_sets(problem: HittingSet, seconds: float = math.inf) -> Reduction:
    """Apply the rules until none applies, or the time is over; near-linear in the size of the problem."""
    num_variables, num_sets = len(problem.cost), len(problem.set_ptr) - 1
    sizes = np.diff(problem.set_ptr)
    # Sets of one size hold no other, but for twins, which do no harm.
    waits = np.full(num_sets, num_sets > 0 and (sizes.min() == 1 or sizes.min() < sizes.max()))
    work = _Work(
        status=np.zeros(num_variables, np.int8),
        alive=np.ones(num_sets, np.bool_),
        size=sizes,
        degree=np.diff(problem.variable_ptr),
        variable_queue=np.arange(num_variables + 1),
        variable_waits=np.ones(num_variables, np.bool_),
        set_queue=np.arange(num_sets + 1),
        set_waits=waits,
        ends=np.array([0, num_variables, 0, np.count_nonzero(waits)]),
    )
    spend(Budget(seconds=seconds), lambda steps: _apply(problem, work, steps))
    left = np.flatnonzero((work.status == FREE) & (work.degree > 0))
    if len(left) == num_variables and work.alive.all():
        return Reduction(problem, np.zeros(num_variables, np.bool_), left)
    number = np.full(num_variables, -1)
    number[left] = np.arange(len(left))
    set_of_member = np.repeat(np.arange(num_sets), np.diff(problem.set_ptr))
    kept = work.alive[set_of_member] & (work.status[problem.members] == FREE)
    lengths = np.bincount(set_of_member[kept], minlength=num_sets)[work.alive]
    kernel = assemble(problem.cost[left], lengths, number[problem.members[kept]], inverted=problem.inverted)
    return Reduction(kernel, work.status == CHOSEN, left)


@kernel
def _apply(problem: HittingSet, work: _Work, steps: int) -> bool:
    """Look at so many sets and variables; tell whether some are left."""
    for _ in range(steps):
        if work.ends[2] != work.ends[3]:
            each = work.set_queue[work.ends[2]]
            work.ends[2] = (work.ends[2] + 1) % len(work.set_queue)
            work.set_waits[each] = False
            if work.alive[each]:
                _look_at_set(problem, work, each)
        elif work.ends[0] != work.ends[1]:
            variable = work.variable_queue[work.ends[0]]
            work.ends[0] = (work.ends[0] + 1) % len(work.variable_queue)
            work.variable_waits[variable] = False
            if work.status[variable] == FREE:
                _look_at_variable(problem, work, variable)
        else:
            return False
    return True


@part
def _look_at_set(problem: HittingSet, work: _Work, each: int) -> None:
    """Choose the only member, or drop the sets that hold all members."""
    if work.size[each] > MAX_MEMBERS:
        return
    rarest = -1
    for k in range(problem.set_ptr[each], problem.set_ptr[each + 1]):
        member = problem.members[k]
        if work.status[member] == FREE and (rarest < 0 or work.degree[member] < work.degree[rarest]):
            rarest = member
    if work.size[each] == 1:
        _choose(problem, work, rarest)
    elif work.degree[rarest] <= MAX_SETS:
        for k in range(problem.variable_ptr[rarest], problem.variable_ptr[rarest + 1]):
            other = problem.sets[k]
            if other != each and work.alive[other] and _is_subset(problem, work, each, other):
                _drop_set(problem, work, other)


@part
def _look_at_variable(problem: HittingSet, work: _Work, variable: int) -> None:
    """Choose or drop a variable, or choose its partners."""
    if problem.cost[variable] <= 0:
        _choose(problem, work, variable)
    elif 0 < work.degree[variable] <= MAX_SETS:
        smallest = -1
        for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
            each = problem.sets[k]
            if work.alive[each] and (smallest < 0 or work.size[each] < work.size[smallest]):
                smallest = each
        if work.size[smallest] > MAX_MEMBERS:
            return
        if _is_dominated(problem, work, variable, smallest):
            _drop(problem, work, variable)
        elif _is_corner(problem, work, variable):
            for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
                if work.alive[problem.sets[k]]:
                    _choose(problem, work, _partner(problem, work, problem.sets[k], variable))


@part
def _is_subset(problem: HittingSet, work: _Work, inner: int, outer: int) -> bool:
    if work.size[outer] < work.size[inner] or problem.set_ptr[outer + 1] - problem.set_ptr[outer] > 8 * MAX_MEMBERS:
        return False
    for k in range(problem.set_ptr[inner], problem.set_ptr[inner + 1]):
        if work.status[problem.members[k]] == FREE and not _holds(problem, outer, problem.members[k]):
            return False
    return True


@part
def _holds(problem: HittingSet, each: int, variable: int) -> bool:
    found = False
    for k in range(problem.set_ptr[each], problem.set_ptr[each + 1]):
        found |= problem.members[k] == variable
    return found


@part
def _is_dominated(problem: HittingSet, work: _Work, variable: int, smallest: int) -> bool:
    """Tell whether some variable that costs no more is in all sets of this one."""
    for k in range(problem.set_ptr[smallest], problem.set_ptr[smallest + 1]):
        other = problem.members[k]
        if other == variable or work.status[other] != FREE or problem.cost[other] > problem.cost[variable]:
            continue
        if work.degree[other] >= work.degree[variable] and _is_in_all(problem, work, variable, other):
            return True
    return False


@part
def _is_in_all(problem: HittingSet, work: _Work, variable: int, other: int) -> bool:
    for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
        each = problem.sets[k]
        if work.alive[each]:
            large = problem.set_ptr[each + 1] - problem.set_ptr[each] > 8 * MAX_MEMBERS
            if large or not _holds(problem, each, other):
                return False
    return True


@part
def _is_corner(problem: HittingSet, work: _Work, variable: int) -> bool:
    """Tell whether the partners of a variable are cheap and form pairs with one another."""
    for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
        if not work.alive[problem.sets[k]]:
            continue
        if work.size[problem.sets[k]] != 2:
            return False
        one = _partner(problem, work, problem.sets[k], variable)
        if problem.cost[one] > problem.cost[variable] or work.degree[one] > 4 * MAX_MEMBERS:
            return False
        for other_k in range(problem.variable_ptr[variable], k):
            if work.alive[problem.sets[other_k]]:
                two = _partner(problem, work, problem.sets[other_k], variable)
                if one != two and not _form_pair(problem, work, one, two):
                    return False
    return True


@part
def _partner(problem: HittingSet, work: _Work, pair: int, variable: int) -> int:
    for k in range(problem.set_ptr[pair], problem.set_ptr[pair + 1]):
        member = problem.members[k]
        if member != variable and work.status[member] == FREE:
            return int(member)
    return variable


@part
def _form_pair(problem: HittingSet, work: _Work, one: int, two: int) -> bool:
    for k in range(problem.variable_ptr[one], problem.variable_ptr[one + 1]):
        each = problem.sets[k]
        if work.alive[each] and work.size[each] == 2 and _holds(problem, each, two):
            return True
    return False


@part
def _choose(problem: HittingSet, work: _Work, variable: int) -> None:
    if work.status[variable] == FREE:
        work.status[variable] = CHOSEN
        for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
            if work.alive[problem.sets[k]]:
                _drop_set(problem, work, problem.sets[k])


@part
def _drop(problem: HittingSet, work: _Work, variable: int) -> None:
    work.status[variable] = DROPPED
    for k in range(problem.variable_ptr[variable], problem.variable_ptr[variable + 1]):
        each = problem.sets[k]
        if work.alive[each]:
            work.size[each] -= 1
            _wait_for_set(work, each)


@part
def _drop_set(problem: HittingSet, work: _Work, each: int) -> None:
    work.alive[each] = False
    for k in range(problem.set_ptr[each], problem.set_ptr[each + 1]):
        member = problem.members[k]
        work.degree[member] -= 1
        if work.status[member] == FREE and work.degree[member] <= MAX_SETS and not work.variable_waits[member]:
            work.variable_waits[member] = True
            work.variable_queue[work.ends[1]] = member
            work.ends[1] = (work.ends[1] + 1) % len(work.variable_queue)


@part
def _wait_for_set(work: _Work, each: int) -> None:
    if not work.set_waits[each]:
        work.set_waits[each] = True
        work.set_queue[work.ends[3]] = each
        work.ends[3] = (work.ends[3] + 1) % len(work.set_queue)
