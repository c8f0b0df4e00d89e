"""Kernels and searches of pairs in the core: against enumeration, cut off anywhere, with weights of every kind."""

import numpy as np
import pytest

from annealco import _core


def random_graph(rng, *, most_nodes=11):
    """Costs and pairs [2, num_pairs] of a small graph: sparse or dense, in parts or not, some pairs listed twice."""
    size = int(rng.integers(1, most_nodes + 1))
    one, two = np.triu_indices(size, 1)
    kept = rng.random(len(one)) < rng.uniform(0.05, 0.7)
    pairs = np.stack([one[kept], two[kept]]).astype(np.int32)
    pairs = np.concatenate([pairs, pairs[::-1, rng.random(pairs.shape[1]) < 0.05]], axis=1)
    kinds = (
        np.ones(size),
        rng.integers(1, 4, size).astype(float),
        rng.integers(0, 3, size).astype(float),
        rng.integers(1, 100, size).astype(float),
        rng.random(size),
    )
    return kinds[rng.integers(len(kinds))], np.ascontiguousarray(pairs)


def independent_sets(size, pairs):
    """All independent sets, [num_sets, size]."""
    sets = (np.arange(2**size)[:, None] >> np.arange(size)) & 1 == 1
    return sets[~np.any(sets[:, pairs[0]] & sets[:, pairs[1]], axis=1)]


def kernel_pairs(kernel):
    return kernel.members.reshape(-1, 2).T


def all_covers(problem):
    """Every choice that hits all pairs, and what each costs."""
    covers = ~independent_sets(problem.num_variables, kernel_pairs(problem))
    return covers, covers @ problem.cost


def assert_lifts(problem, reduction, rng, least):
    covers, costs = all_covers(reduction.kernel)
    picked = {int(costs.argmin()), *rng.integers(0, len(covers), 3).tolist()}
    for each in picked:
        lifted = reduction.lift(np.ascontiguousarray(covers[each]))
        assert np.all(lifted[problem.members[::2]] | lifted[problem.members[1::2]])
        # A rule may find that a set which is no optimum can be made cheaper.
        assert problem.cost @ lifted <= costs[each] + reduction.offset + 1e-9
    assert costs.min() + reduction.offset == pytest.approx(least)


def reduced(problem, **limits):
    return _core.reduce_sets(problem, _core.Clock(**limits))


@pytest.mark.parametrize("seed", range(8))
def test_solutions_of_a_kernel_lift_and_optima_stay_optima(seed):
    rng = np.random.default_rng([1, seed])
    num_reduced = 0
    for _ in range(250):
        problem = _core.HittingSet.of_pairs(*random_graph(rng))
        reduction = reduced(problem)
        assert_lifts(problem, reduction, rng, all_covers(problem)[1].min())
        num_reduced += reduction.kernel.num_variables == 0
    assert num_reduced > 200


def test_reductions_can_be_cut_off_after_every_look():
    rng = np.random.default_rng(2)
    for _ in range(60):
        problem = _core.HittingSet.of_pairs(*random_graph(rng, most_nodes=9))
        least, last = all_covers(problem)[1].min(), None
        for moves in range(200):
            reduction = reduced(problem, moves=moves)
            assert_lifts(problem, reduction, rng, least)
            size = reduction.kernel.num_variables
            assert last is None or size <= last
            last = size
        assert last == reduced(problem).kernel.num_variables


def test_a_start_is_a_start_of_the_kernel():
    rng = np.random.default_rng(3)
    for _ in range(300):
        problem = _core.HittingSet.of_pairs(*random_graph(rng))
        reduction = reduced(problem, moves=int(rng.integers(0, 60)))
        covers, _ = all_covers(problem)
        start = reduction.restrict(np.ascontiguousarray(covers[rng.integers(len(covers))]))
        one, two = kernel_pairs(reduction.kernel)
        assert start.shape == (reduction.kernel.num_variables,)
        assert np.all(start[one] | start[two])


@pytest.mark.parametrize(
    ("cost", "pairs"),
    [
        # A ring of even weights, in which nodes of two neighbours become one again and again.
        (np.ones(9), [list(range(9)), [*range(1, 9), 0]]),
        # The same with weights of which the middle one outweighs only one neighbour.
        (np.array([3.0, 5, 4, 6, 3, 7, 5, 4, 6]), [list(range(9)), [*range(1, 9), 0]]),
        # Twins: two nodes with the same three neighbours.
        (np.array([3.0, 3, 4, 4, 4, 1, 1]), [[0, 0, 0, 1, 1, 1, 2, 3, 4, 5], [2, 3, 4, 2, 3, 4, 5, 5, 6, 6]]),
        # A clique of four whose heaviest nodes have neighbours of their own.
        (np.array([2.0, 3, 4, 5, 4, 4]), [[0, 0, 0, 1, 1, 2, 2, 3], [1, 2, 3, 2, 3, 3, 4, 5]]),
    ],
)
def test_structures_vanish(cost, pairs):
    problem = _core.HittingSet.of_pairs(cost, np.array(pairs, np.int32))
    reduction = reduced(problem)
    assert reduction.kernel.num_variables == 0
    assert problem.cost @ reduction.lift(np.zeros(0, bool)) == all_covers(problem)[1].min() == reduction.offset


def test_sets_that_come_down_to_pairs_are_reduced_as_pairs():
    # The single set takes 0, and what is left is a ring of five, which only folding takes.
    sets = [[0], [0, 1, 2], [1, 2], [2, 3], [3, 4], [4, 5], [5, 1]]
    members = np.array([each for row in sets for each in row], np.int32)
    problem = _core.HittingSet(np.ones(6), np.array([len(row) for row in sets], np.int64), members)
    reduction = reduced(problem)
    assert reduction.kernel.num_variables == 0
    assert reduction.offset == 4
    lifted = reduction.lift(np.zeros(0, bool))
    assert lifted[0]
    assert all(lifted[row].any() for row in sets)
    assert len(reduction.restrict(np.ones(6, bool))) == 0


def large_pairs(seed, *, size=3000, degree=5):
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, size, (2, size * degree // 2)), axis=0)
    pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return rng, np.ascontiguousarray(pairs.astype(np.int32))


@pytest.mark.parametrize("weighted", [False, True])
def test_how_a_packing_search_is_cut_makes_no_difference(weighted):
    rng, pairs = large_pairs(4)
    cost = rng.integers(1, 50, 3000).astype(float) if weighted else np.ones(3000)
    problem = _core.HittingSet.of_pairs(cost, pairs)
    whole, parts = (_core.PackingSearch(problem, np.ones(3000, bool), 7) for _ in range(2))
    # Long enough for turns of both searches.
    moves = 150_000
    assert whole.run(_core.Clock(moves=moves), -1.0)
    while parts.moves < moves:
        assert parts.run(_core.Clock(moves=min(7_777, moves - parts.moves)), -1.0)
    assert whole.moves == parts.moves == moves
    assert np.array_equal(whole.best, parts.best)
    assert whole.best_cost == parts.best_cost == cost @ whole.best
    assert np.all(whole.best[pairs[0]] | whole.best[pairs[1]])


def test_a_packing_search_solves_small_problems():
    rng = np.random.default_rng(5)
    for _ in range(150):
        problem = _core.HittingSet.of_pairs(*random_graph(rng))
        start = rng.random(problem.num_variables) < 0.5
        search = _core.PackingSearch(problem, start, int(rng.integers(2**32)))
        search.run(_core.Clock(moves=3000), -1.0)
        assert problem.cost @ search.best == pytest.approx(search.best_cost)
        assert np.all(search.best[problem.members[::2]] | search.best[problem.members[1::2]])
        assert search.best_cost == pytest.approx(all_covers(problem)[1].min())


def test_a_packing_search_ends_at_its_target_and_is_never_behind_its_start():
    rng, pairs = large_pairs(6)
    problem = _core.HittingSet.of_pairs(rng.random(3000), pairs)
    first = _core.PackingSearch(problem, np.ones(3000, bool), 1)
    assert first.run(_core.Clock(moves=20_000), -1.0)
    again = _core.PackingSearch(problem, first.best, 2, 10.0)
    assert again.best_cost == pytest.approx(first.best_cost)
    assert not again.run(_core.Clock(moves=10), first.best_cost + 10.0)


def test_a_packing_search_without_a_start_takes_heavy_nodes_of_few_neighbours_first():
    rng, pairs = large_pairs(9)
    cost = rng.integers(1, 50, 3000).astype(float)
    cost[:10] = 0.0
    problem = _core.HittingSet.of_pairs(cost, pairs)
    stop, search = _core.StopFlag(), _core.PackingSearch(problem, np.ones(3000, bool), 1)
    stop.set()
    search.run(_core.Clock(stop=stop), -1.0)
    best = search.best
    assert np.all(best[pairs[0]] | best[pairs[1]])
    # Every node that is taken weighs as much as it and its later neighbours by weight per neighbour, which gives this
    # sum (Sakai, Togasaki and Yamazaki, 2003); keys are rounded.
    degree = np.bincount(pairs.ravel(), minlength=3000)
    assert cost @ ~best.astype(bool) >= 0.99 * (cost / (1 + degree)).sum()
    # Nothing else is free.
    taken = ~best.astype(bool)
    blocked = np.zeros(3000, bool)
    blocked[pairs[0][taken[pairs[1]]]] = blocked[pairs[1][taken[pairs[0]]]] = True
    assert np.all(taken | blocked)


def test_a_stopped_packing_search_has_a_solution():
    rng, pairs = large_pairs(7)
    problem = _core.HittingSet.of_pairs(rng.random(3000), pairs)
    stop = _core.StopFlag()
    stop.set()
    search = _core.PackingSearch(problem, np.zeros(3000, bool), 1)
    search.run(_core.Clock(stop=stop), -1.0)
    assert np.all(search.best[pairs[0]] | search.best[pairs[1]])
    assert search.best_cost == pytest.approx(problem.cost @ search.best)


def test_a_packing_search_can_be_cut_off_while_it_begins():
    rng, pairs = large_pairs(8)
    problem = _core.HittingSet.of_pairs(rng.integers(1, 9, 3000).astype(float), pairs)
    search, last = _core.PackingSearch(problem, rng.random(3000) < 0.9, 1), np.inf
    # However much of its beginning each call gets done.
    for seconds in np.geomspace(1e-6, 1e-3, 60).tolist():
        search.run(_core.Clock(seconds=seconds), -1.0)
        assert np.all(search.best[pairs[0]] | search.best[pairs[1]])
        assert search.best_cost == problem.cost @ search.best <= last
        last = search.best_cost


def test_a_packing_search_takes_pairs_only_and_starts_of_their_size():
    sets = _core.HittingSet(np.ones(3), np.array([3], np.int64), np.arange(3, dtype=np.int32))
    with pytest.raises(ValueError, match="must be pairs"):
        _core.PackingSearch(sets, np.ones(3, bool), 1)
    pairs = _core.HittingSet.of_pairs(np.ones(3), np.array([[0], [1]], np.int32))
    with pytest.raises(ValueError, match="every variable"):
        _core.PackingSearch(pairs, np.ones(2, bool), 1)
    for size in (0, 3):
        empty = _core.PackingSearch(
            _core.HittingSet.of_pairs(np.ones(size), np.zeros((2, 0), np.int32)), np.ones(size, bool), 1
        )
        assert not empty.run(_core.Clock(moves=10), -1.0)
        assert empty.best_cost == 0
        assert not empty.best.any()
