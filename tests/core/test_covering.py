"""Hitting sets in the core: what it refuses, against enumeration, and however a run is cut or cut off."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco import _core


def problem_of(cost, sets):
    lengths = np.array([len(each) for each in sets], dtype=np.int64)
    members = np.array([member for each in sets for member in each], dtype=np.int32)
    return _core.HittingSet(np.array(cost, dtype=np.float64), lengths, members)


def hits_all(sets, chosen):
    return all(any(chosen[member] for member in each) for each in sets)


def least_cost(cost, sets):
    choices = product((0, 1), repeat=len(cost))
    return min(sum(c for c, y in zip(cost, bits, strict=True) if y) for bits in choices if hits_all(sets, bits))


def search_from(problem, *, seed=0, chosen=True):
    return _core.CoveringSearch(problem, np.full(problem.num_variables, chosen), seed)


@st.composite
def set_systems(draw, *, only_pairs=False):
    size = draw(st.integers(2 if only_pairs else 1, 7))
    variable = st.integers(0, size - 1)
    longest = 2 if only_pairs else min(size, 4)
    one = st.lists(variable, min_size=longest if only_pairs else 1, max_size=longest, unique=True)
    cost = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5]), min_size=size, max_size=size)
    even = st.just([1.0] * size)
    return draw(st.one_of(even, cost)), draw(st.lists(one, max_size=10))


@pytest.mark.parametrize(
    ("cost", "lengths", "members", "rule"),
    [
        ([1.0], [2], [0], "add up"),
        ([1.0], [0], [], "must have members"),
        ([1.0], [-1], [], "must have members"),
        ([1.0, 1.0], [1], [2], "numbers of variables"),
        ([1.0, 1.0], [1], [-1], "numbers of variables"),
        ([1.0, 1.0], [2], [1, 1], "twice"),
        ([1.0, 1.0, 1.0], [1, 3], [0, 2, 1, 2], "twice"),
        ([np.nan], [1], [0], "finite"),
        ([np.inf], [1], [0], "finite"),
        ([-1.0], [1], [0], "not negative"),
    ],
)
def test_what_is_no_problem_is_refused(cost, lengths, members, rule):
    with pytest.raises(ValueError, match=rule):
        _core.HittingSet(np.array(cost), np.array(lengths, dtype=np.int64), np.array(members, dtype=np.int32))


def test_pairs_are_checked_too():
    with pytest.raises(ValueError, match=r"\[2, num_pairs\]"):
        _core.HittingSet.of_pairs(np.ones(3), np.zeros((3, 1), np.int32))
    with pytest.raises(ValueError, match="numbers of variables"):
        _core.HittingSet.of_pairs(np.ones(2), np.array([[0], [2]], np.int32))
    with pytest.raises(ValueError, match="twice"):
        _core.HittingSet.of_pairs(np.ones(2), np.array([[1], [1]], np.int32))
    with pytest.raises(TypeError):
        _core.HittingSet.of_pairs(np.ones(2), np.array([[0], [1]], np.int64))


@given(system=set_systems(), seed=st.integers(0, 10**6))
@settings(max_examples=200)
def test_two_hitting_sets_are_joined_part_by_part(system, seed):
    cost, sets = system
    rng = np.random.default_rng(seed)
    one, two = rng.random((2, len(cost))) < 0.4
    for each in sets:
        one[rng.choice(each)] = two[rng.choice(each)] = True
    joined = _core.join_hitting_sets(problem_of(cost, sets), one, two)
    assert hits_all(sets, joined)
    parts = nx.Graph()
    parts.add_nodes_from(np.flatnonzero(one != two).tolist())
    for each in sets:
        if not any(one[member] and two[member] for member in each):
            nx.add_path(parts, [member for member in each if one[member] or two[member]])
    assert not joined[~one & ~two].any()
    assert joined[one & two].all()
    for part in map(list, nx.connected_components(parts)):
        choices = [one[part].tolist(), two[part].tolist()]
        assert joined[part].tolist() in choices
        costs = [np.dot(each, np.array(cost)[part]) for each in choices]
        assert np.dot(joined[part], np.array(cost)[part]) == min(costs)


def test_a_large_sparse_problem_joins_what_scouts_find():
    # A lattice whose sets are closed neighbourhoods; a search alone is stuck long before that many moves.
    lattice = nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60))
    sets = [[node, *lattice[node]] for node in lattice]
    problem = problem_of(np.ones(len(sets)), sets)
    whole, cut = search_from(problem, seed=3, chosen=False), search_from(problem, seed=3, chosen=False)
    whole.run(_core.Clock(moves=1_500_000), -np.inf)
    for _ in range(300):
        cut.run(_core.Clock(moves=5_000), -np.inf)
    assert whole.num_scouts > 0
    assert hits_all(sets, whole.best)
    assert whole.best.sum() == whole.best_cost
    assert cut.best.tolist() == whole.best.tolist()


def test_sizes_must_fit():
    problem = problem_of([1, 1, 1], [[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="every variable"):
        _core.CoveringSearch(problem, np.ones(2, bool), 0)
    reduction = _core.reduce_sets(problem, _core.Clock())
    with pytest.raises(ValueError, match="each of its variables"):
        reduction.lift(np.ones(len(reduction.left) + 1, bool))


def test_nothing_to_choose_ends_at_once():
    for size in (0, 3):
        search = search_from(problem_of([1.0] * size, []))
        assert not search.run(_core.Clock(moves=100), -1.0)
        assert search.best_cost == 0
        assert not search.best.any()
    free = search_from(problem_of([0, 0], [[0, 1]]), chosen=False)
    assert not free.run(_core.Clock(moves=100), -1.0)
    assert free.best.all()


def test_pairs_are_stored_the_same_however_they_are_given():
    cost, pairs = np.arange(4.0), np.array([[0, 1, 3], [1, 2, 1]], dtype=np.int32)
    one, two = _core.HittingSet.of_pairs(cost, pairs), problem_of(cost, pairs.T.tolist())
    for name in ("cost", "members", "set_ptr", "variable_ptr", "sets", "partner"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert one.partner.tolist() == [1, 0, 2, 3, 1, 1]
    assert one.sets.tolist() == [0, 0, 1, 2, 1, 2]
    assert not one.members.flags.writeable


@settings(max_examples=150, deadline=None)
@given(st.one_of(set_systems(), set_systems(only_pairs=True)), st.booleans(), st.integers(0, 2**64 - 1))
def test_small_problems_are_solved(system, chosen, seed):
    cost, sets = system
    search = search_from(problem_of(cost, sets), seed=seed, chosen=chosen)
    search.run(_core.Clock(moves=400), -1.0)
    assert hits_all(sets, search.best)
    assert search.best_cost == pytest.approx(np.dot(cost, search.best))
    assert search.best_cost == pytest.approx(least_cost(cost, sets))


@settings(max_examples=100, deadline=None)
@given(st.one_of(set_systems(), set_systems(only_pairs=True)))
def test_an_optimum_of_the_kernel_lifts_to_an_optimum(system):
    cost, sets = system
    reduction = _core.reduce_sets(problem_of(cost, sets), _core.Clock())
    kernel = reduction.kernel
    left = [kernel.members[a:b].tolist() for a, b in zip(kernel.set_ptr, kernel.set_ptr[1:], strict=False)]
    choices = [np.array(bits, dtype=bool) for bits in product((0, 1), repeat=kernel.num_variables)]
    best = min((bits for bits in choices if hits_all(left, bits)), key=lambda bits: float(kernel.cost @ bits))
    lifted = reduction.lift(best)
    assert hits_all(sets, lifted)
    assert np.dot(cost, lifted) == pytest.approx(least_cost(cost, sets))


def random_problem(seed, *, size=200, num_sets=500, longest=5, costly=True):
    rng = np.random.default_rng(seed)
    sets = [rng.choice(size, int(rng.integers(2, longest + 1)), replace=False).tolist() for _ in range(num_sets)]
    return problem_of(rng.integers(1, 9, size) if costly else np.ones(size), sets), sets


@pytest.mark.parametrize("size", [200, 2_000], ids=["with scouts", "close to the best"])
@pytest.mark.parametrize("longest", [2, 5])
@pytest.mark.parametrize("costly", [False, True])
def test_how_a_run_is_cut_makes_no_difference(longest, costly, size):
    problem, sets = random_problem(1, longest=longest, costly=costly, size=size, num_sets=5 * size // 2)
    whole, parts = search_from(problem, seed=7), search_from(problem, seed=7)
    assert whole.run(_core.Clock(moves=20_000), -1.0)
    rng, left = np.random.default_rng(0), 20_000
    while left:
        some = min(left, int(rng.integers(1, 900)))
        clock = _core.Clock(moves=some)
        assert parts.run(clock, -1.0)
        assert clock.moves == some
        assert hits_all(sets, parts.best)
        assert parts.best_cost == pytest.approx(float(problem.cost @ parts.best))
        left -= some
    assert whole.moves == parts.moves == 20_000
    assert whole.num_scouts == parts.num_scouts
    assert (whole.num_scouts > 0) == (size == 200)
    assert whole.best_cost == parts.best_cost
    assert np.array_equal(whole.best, parts.best)


@pytest.mark.parametrize("longest", [2, 5])
@pytest.mark.parametrize("costs", ["alike", "whole", "real"])
def test_a_large_problem_is_solved_everywhere(longest, costs):
    rng = np.random.default_rng(longest)
    num_parts, size = 400, 8
    cost = {
        "alike": np.full(num_parts * size, 2.0),
        "whole": rng.integers(1, 101, num_parts * size).astype(float),
        "real": rng.lognormal(size=num_parts * size),
    }[costs]
    sets, least = [], 0.0
    for first in range(0, num_parts * size, size):
        part = [rng.choice(size, int(rng.integers(2, longest + 1)), replace=False) for _ in range(12)]
        least += least_cost(cost[first : first + size], [each.tolist() for each in part])
        sets += [(first + each).tolist() for each in part]
    search = search_from(problem_of(cost, sets), chosen=False)
    search.run(_core.Clock(moves=400_000), -1.0)
    assert hits_all(sets, search.best)
    assert search.best_cost == pytest.approx(least)


MANY = 520
"""A square of so many rows has more nodes than what is tried on some first, and than what fits the cache."""


def test_many_nodes_are_searched_part_by_part_however_a_run_is_cut():
    node = np.arange(MANY * MANY, dtype=np.int32).reshape(MANY, MANY)
    ends = [(node[:, :-1], node[:, 1:]), (node[:-1], node[1:]), (node[:-1, :-1], node[1:, 1:])]
    pairs = np.stack([np.concatenate([each[i].ravel() for each in ends]) for i in (0, 1)])
    cost = np.random.default_rng(4).integers(1, 50, MANY * MANY) + 0.5
    problem = _core.HittingSet.of_pairs(cost, pairs)
    whole, parts = (_core.PackingSearch(problem, np.ones(MANY * MANY, bool), 7) for _ in range(2))
    whole.run(_core.Clock(moves=60_000), -1.0)
    parts.run(_core.Clock(moves=0), -1.0)
    peeled = parts.best_cost
    for some in (1, 19_999, 40_000):
        parts.run(_core.Clock(moves=some), -1.0)
    for search in (whole, parts):
        assert np.all(search.best[pairs[0]] | search.best[pairs[1]])
        assert search.best_cost == pytest.approx(float(cost @ search.best))
    assert np.array_equal(whole.best, parts.best)
    assert whole.best_cost < peeled


def test_rules_that_are_tried_on_some_of_many_nodes_are_used_on_all_where_they_apply():
    # Cliques of four, which need a look at how neighbours are joined.
    first = 4 * np.arange(MANY * MANY // 4, dtype=np.int32)
    joined = [(i, j) for i in range(4) for j in range(i)]
    pairs = np.concatenate([np.stack([first + j, first + i]) for i, j in joined], axis=1)
    cost = np.random.default_rng(5).integers(1, 50, MANY * MANY) + 0.5
    reduction = _core.reduce_sets(_core.HittingSet.of_pairs(cost, pairs), _core.Clock())
    assert reduction.kernel.num_variables == 0
    assert reduction.offset == pytest.approx(float(cost.sum() - cost.reshape(-1, 4).max(axis=1).sum()))


def test_seeds_matter():
    problem, _ = random_problem(2)
    searches = [search_from(problem, seed=seed) for seed in range(8)]
    for search in searches:
        search.run(_core.Clock(moves=30), -1.0)
    assert len({search.best.tobytes() for search in searches}) > 1


@pytest.mark.parametrize("longest", [2, 5])
def test_a_start_without_time_still_becomes_a_hitting_set(longest):
    problem, sets = random_problem(3, longest=longest)
    stop = _core.StopFlag()
    stop.set()
    search = search_from(problem, chosen=False)
    assert search.run(_core.Clock(stop=stop), -1.0)
    assert hits_all(sets, search.best)
    assert search.best_cost == float(problem.cost @ search.best) < problem.cost.sum()
    # And it goes on from where it stopped.
    assert search.run(_core.Clock(moves=2000), -1.0)
    patient = search_from(problem, chosen=False)
    patient.run(_core.Clock(moves=2000), -1.0)
    assert hits_all(sets, search.best)
    assert search.best_cost <= 1.1 * patient.best_cost


def test_no_moves_complete_a_start():
    problem, sets = random_problem(4)
    search = search_from(problem, chosen=False)
    assert search.run(_core.Clock(moves=0), -1.0)
    assert hits_all(sets, search.best)
    assert search.best_cost < problem.cost.sum()


def test_old_weights_are_forgotten_and_scores_counted_anew():
    # Four nodes: the mean weight passes half the number of variables after a few moves, again and again.
    pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    for sets in (pairs, [*pairs, [0, 1, 2, 3]]):
        search = search_from(problem_of([1.0] * 4, sets))
        assert search.run(_core.Clock(moves=5000), -1.0)
        assert search.best_cost == 3


def test_the_trace_falls_to_the_best_with_its_offset():
    problem, _ = random_problem(5)
    search = _core.CoveringSearch(problem, np.ones(200, bool), 1, -100.0)
    clock = _core.Clock(moves=3000)
    search.run(clock, -np.inf)
    costs = [cost for _, cost in clock.trace]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == search.best_cost - 100.0
    again = _core.Clock(moves=10)
    search.run(again, -np.inf)
    assert again.trace[-1][1] == search.best_cost - 100.0


@pytest.mark.parametrize("target", [np.nan, np.inf, -np.inf])
def test_targets_of_any_kind_end_nothing_badly(target):
    problem, sets = random_problem(6)
    search = search_from(problem)
    search.run(_core.Clock(moves=200), target)
    assert hits_all(sets, search.best)


def test_costs_at_the_ends_of_their_range():
    sets = [[0, 1], [1, 2], [2, 3], [0, 2, 3]]
    for cost in ([1e-320, 1e300, 1e-5, 0.0], [5e-324] * 4, [1e307] * 4):
        search = search_from(problem_of(cost, sets))
        search.run(_core.Clock(moves=500), -1.0)
        assert hits_all(sets, search.best)
        assert search.best_cost == pytest.approx(least_cost(cost, sets))


def test_arrays_outlive_their_problem():
    members = problem_of([1.0, 1.0], [[0, 1]] * 1000).members
    assert members.sum() == 1000


@pytest.mark.parametrize(
    ("indptr", "indices", "weight", "rule"),
    [
        ([0, 1], [0], [1.0, 1.0], "all nodes"),
        ([0, 1, 2], [1, 2], [1.0, 1.0], "neighbours"),
        ([0, 1, 2], [0, 0], [1.0, 1.0], "own"),
        ([0, 2, 2], [1, 1], [1.0, 1.0], "ascend"),
        ([0, 1, 2], [1, 0], [1.0, np.nan], "finite"),
        ([1, 1, 2], [1, 0], [1.0, 1.0], "neighbours"),
    ],
)
def test_what_is_no_graph_is_refused(indptr, indices, weight, rule):
    rows = np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32)
    with pytest.raises(ValueError, match=rule):
        _core.CliqueSearch(*rows, np.array(weight), np.zeros(len(weight), bool), 0)


def test_rows_that_are_not_symmetric_break_nothing():
    rows = np.array([0, 3, 3, 4, 4], dtype=np.int64), np.array([1, 2, 3, 1], dtype=np.int32)
    search = _core.CliqueSearch(*rows, np.ones(4), np.ones(4, bool), 0)
    search.run(_core.Clock(moves=1000), -np.inf)
    assert search.best_weight >= 1
