import numpy as np

from annealco.search.advance import advance_within
from annealco.search.budget import Budget, Trace
from annealco.search.incumbent import Incumbent, new_incumbent


def counting(size: int) -> tuple[Incumbent, list[int]]:
    return new_incumbent(np.zeros(size, np.bool_), 0.0), []


def test_all_moves_are_made_and_costs_are_put_down():
    incumbent, made = counting(3)
    trace = Trace()

    def advance(moves: int) -> None:
        made.append(moves)
        incumbent.cost[0] = -sum(made)

    assert advance_within(Budget(moves=1000), advance, incumbent, target=-np.inf, trace=trace) == sum(made) == 1000
    assert [cost for _, cost in trace.points] == [0.0, *(-np.cumsum(made)).tolist()]


def test_the_target_ends_it():
    incumbent, made = counting(3)

    def advance(moves: int) -> None:
        made.append(moves)
        incumbent.cost[0] -= 1

    advance_within(Budget(moves=10**9), advance, incumbent, target=-2.0, trace=Trace())
    assert len(made) == 2


def test_without_nodes_nothing_is_done():
    incumbent, made = counting(0)
    trace = Trace()
    assert advance_within(Budget(moves=10), made.append, incumbent, target=-np.inf, trace=trace) == 0
    assert not made
    assert [cost for _, cost in trace.points] == [0.0]
