"""Annealing with recombination: reductions and answers against enumeration, and runs that are cut or interrupted."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annealco import solve
from annealco._core import Clock, Couplings, SpinReduction, StopFlag, recombination
from annealco.clock import Budget, Trace
from annealco.energy import Instance, Linear, Pairs
from annealco.energy.compiled import core_terms
from annealco.energy.structure import structure_of
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.search.annealing import RECOMBINATION, RecombinationSearch
from annealco.search.searches import default_search
from tests.search.instances import best_cost


def spins_of_all(count: int) -> np.ndarray:
    return np.array(list(itertools.product([-1, 1], repeat=count)), np.int8).reshape(2**count, count)


def energies(spins: np.ndarray, low: np.ndarray, high: np.ndarray, strength: np.ndarray) -> np.ndarray:
    return (spins[:, low].astype(float) * spins[:, high] * strength).sum(axis=1)


def random_couplings(rng: np.random.Generator) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Return a few spins with couplings of one of several kinds; some are 0, and there may be several components."""
    count = int(rng.integers(1, 10))
    pairs = np.array(list(itertools.combinations(range(count), 2)), np.int32).reshape(-1, 2)
    pairs = pairs[rng.random(len(pairs)) < rng.choice([0.2, 0.4, 0.7])]
    kinds = [
        rng.choice([-1.0, 1.0], len(pairs)),
        rng.integers(-3, 4, len(pairs)).astype(float),
        rng.normal(size=len(pairs)),
        rng.normal(size=len(pairs)) * 10.0 ** rng.integers(-6, 7, len(pairs)),
    ]
    strength = kinds[int(rng.integers(len(kinds)))]
    low, high = np.ascontiguousarray(pairs.T, np.int32)
    return count, low, high, strength


def random_function(rng: np.random.Generator, count: int) -> Instance:
    """Return a quadratic function of bits, with or without linear terms, of whole numbers or not."""
    pairs = np.array(list(itertools.combinations(range(count), 2)), np.int32).reshape(-1, 2)
    pairs = np.ascontiguousarray(pairs[rng.random(len(pairs)) < rng.choice([0.15, 0.3, 0.6])].T)
    whole = rng.random() < 0.5
    draw = (lambda size: rng.integers(-4, 5, size).astype(float)) if whole else (lambda size: rng.normal(size=size))
    ptr = np.array([0, count])
    objective = (Pairs(ptr, pairs, draw(pairs.shape[1])),)
    if rng.random() < 0.7:
        objective = (Linear(ptr, draw(count)), *objective)
    constant = rng.normal(size=1) if rng.random() < 0.3 else None
    return Instance(ptr, objective, constant=constant, sense=str(rng.choice(["min", "max"])))


def test_reductions_keep_the_least_energy():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        count, low, high, strength = random_couplings(rng)
        reduction = SpinReduction(Couplings(count, low, high, strength))
        assert reduction.run(Clock())
        left, kernel_low, kernel_high, kernel_strength = reduction.kernel
        # Four of each are needed: what has three couplings or fewer is eliminated.
        degree = np.bincount(np.concatenate([kernel_low, kernel_high]), minlength=len(left))
        assert np.all(degree >= 4)
        of_kernel = spins_of_all(len(left))
        reduced = energies(of_kernel, kernel_low, kernel_high, kernel_strength)
        lifted = np.stack([reduction.lift(each) for each in of_kernel])
        assert np.array_equal(lifted[:, left], of_kernel)
        every = spins_of_all(count)
        given_energies = energies(every, low, high, strength)
        scale = np.abs(strength).sum() + 1e-300
        best_lifted = energies(lifted, low, high, strength)
        assert best_lifted.min() == pytest.approx(given_energies.min(), abs=1e-11 * scale)
        # All directions of what is left differ by the same constant from the best that can be made of them.
        best_of = {}
        for spins, energy in zip(every[:, left].tolist(), given_energies, strict=True):
            best_of[tuple(spins)] = min(best_of.get(tuple(spins), np.inf), energy)
        least = np.array([best_of[tuple(each)] for each in of_kernel.tolist()])
        optimal = reduced <= reduced.min() + 1e-11 * scale
        assert np.allclose(best_lifted[optimal], given_energies.min(), rtol=0, atol=1e-10 * scale)
        assert np.all(best_lifted >= least - 1e-11 * scale)


@pytest.mark.parametrize(
    ("strength", "exact"), [([1.0, -2.0, 3.0], True), ([0.1, 0.2, 0.3], False), ([1.0, 2.0**-60, 1.0], False)]
)
def test_reductions_know_whether_they_are_exact(strength, exact):
    ends = np.array([[0, 0, 1], [1, 2, 2]], np.int32)
    reduction = SpinReduction(Couplings(3, *ends, np.array(strength)))
    reduction.run(Clock())
    assert len(reduction.kernel[0]) == 0
    assert reduction.is_exact == exact


def test_what_nearly_cancels_is_kept_where_sums_are_exact():
    # Spin 0 is merged with spin 1, and what then couples the other two is 2^-40.
    low, high = np.array([[0, 0, 1], [1, 2, 2]], np.int32)
    strength = np.array([2.0**-20 - 1, 1 - 2.0**-10, 2.0**-40 + 2.0**-10 - 1])
    reduction = SpinReduction(Couplings(3, low, high, strength))
    reduction.run(Clock())
    lifted = reduction.lift(np.zeros(0, np.int8))
    assert reduction.is_exact
    assert energies(lifted[None], low, high, strength)[0] == energies(spins_of_all(3), low, high, strength).min()


def test_whole_fields_beside_large_couplings_are_not_lost():
    # All spins agree: the fields alone tell which way.
    solution = solve(({0: 1.0, 1: 1.0, 2: 1.0}, {(0, 1): -4e12, (1, 2): -4e12}), "ising", moves=100)
    assert (solution.value, solution.bound, solution.optimal) == (-8e12 - 3, -8e12 - 3, True)


def test_reductions_can_be_stopped_and_continued():
    graph = PROBLEMS["max_cut"].declare(generate("ba-small", count=1, seed=1))
    low, high = structure_of(graph).pairs.astype(np.int32)
    strength = np.random.default_rng(1).normal(size=len(low))
    stop = StopFlag()
    stop.set()
    cut, whole = (SpinReduction(Couplings(graph.num_nodes, low, high, strength)) for _ in range(2))
    for _ in range(5):
        assert not cut.run(Clock(stop=stop))
        left = cut.kernel[0]
        assert len(cut.lift(np.ones(len(left), np.int8))) == graph.num_nodes
    assert cut.run(Clock())
    assert whole.run(Clock())
    assert np.array_equal(cut.kernel[0], whole.kernel[0])
    assert np.array_equal(cut.kernel[3], whole.kernel[3])


@given(seed=st.integers(0, 10**6))
@settings(max_examples=150)
def test_small_functions_are_solved(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 11))
    instance = random_function(rng, count)
    search = RecombinationSearch(instance, rng.random(count) < 0.5, seed)
    found = search.run(Budget(moves=20_000), -np.inf, Trace())
    assert found.cost == pytest.approx(float(instance.cost.value(found.assignment)[0]), abs=1e-9)
    assert found.cost == pytest.approx(best_cost(instance), abs=1e-9)
    if search.solved:
        assert found.moves < 20_000


def test_what_reductions_solve_is_proven():
    tree = Graph.from_edges([[0, 0, 1, 1, 2, 5], [1, 2, 3, 4, 5, 6]], 8, edge_weight=[1.0, -2.0, 3.0, 4.0, -5.0, 6.0])
    instance = PROBLEMS["max_cut"].declare(tree)
    search = RecombinationSearch(instance, np.zeros(8, bool), 0)
    moves, _, cost = search.run(Budget(moves=100), -np.inf, Trace())
    assert (moves, cost, search.solved) == (0, -14.0, True)
    solution = solve(tree, "max_cut", moves=100)
    assert (solution.value, solution.optimal) == (14.0, True)


def test_rounded_reductions_prove_nothing():
    path = Graph.from_edges([[0, 1], [1, 2]], 3, edge_weight=[0.1, 0.7])
    search = RecombinationSearch(PROBLEMS["max_cut"].declare(path), np.zeros(3, bool), 0)
    _, _, cost = search.run(Budget(moves=100), -np.inf, Trace())
    assert (cost, search.solved) == (pytest.approx(-0.8), False)


@pytest.mark.parametrize("num_nodes", [0, 1, 5])
def test_graphs_without_pairs(num_nodes):
    ptr = np.array([0, num_nodes])
    instance = Instance(ptr, (Linear(ptr, np.arange(num_nodes) - 2.0),))
    search = RecombinationSearch(instance, np.zeros(num_nodes, bool), 0)
    found = search.run(Budget(moves=100), -np.inf, Trace())
    assert found.cost == {0: 0.0, 1: -2.0, 5: -3.0}[num_nodes]
    assert search.solved


def torus(side: int, seed: int) -> Graph:
    at = np.arange(side * side).reshape(side, side)
    edges = np.stack([np.tile(at.ravel(), 2), np.concatenate([np.roll(at, 1, axis).ravel() for axis in (0, 1)])])
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], 2 * side * side)
    return Graph.from_edges(edges, side * side).with_weights(edge_weight=signs)


def test_moves_and_a_seed_repeat_the_result_however_the_run_is_cut():
    graph = torus(50, 1)
    instance = PROBLEMS["max_cut"].declare(graph)
    whole, cut, other = (RecombinationSearch(instance, np.zeros(2500, bool), seed) for seed in (3, 3, 4))
    made, one, cost = whole.run(Budget(moves=400_000), -np.inf, Trace())
    assert made == 400_000
    costs = []
    for moves in (0, 1, 255, 99_744, 3, 99_997, 200_000):
        _, two, again = cut.run(Budget(moves=moves), -np.inf, Trace())
        costs.append(again)
        assert PROBLEMS["max_cut"].score(graph, np.flatnonzero(two)) == -again
    assert costs == sorted(costs, reverse=True)
    assert cost == again
    assert np.array_equal(one, two)
    _, three, _ = other.run(Budget(moves=400_000), -np.inf, Trace())
    assert not np.array_equal(one, three)


def test_a_stop_at_any_time_leaves_an_assignment_and_a_search_that_goes_on():
    instance = PROBLEMS["max_cut"].declare(torus(50, 2))
    stopped, whole = (RecombinationSearch(instance, np.zeros(2500, bool), 5) for _ in range(2))
    stop = StopFlag()
    stop.set()
    for moves in (1000, 7777, 50_000, 141_223):
        stopped.run(Budget(moves=50_000, stop=stop), -np.inf, Trace())
        stopped.run(Budget(moves=moves), -np.inf, Trace())
    two = stopped.run(Budget(moves=50_000, stop=stop), -np.inf, Trace())
    one = whole.run(Budget(moves=200_000), -np.inf, Trace())
    assert one.cost == two.cost
    assert np.array_equal(one.assignment, two.assignment)


def test_a_start_is_never_lost():
    instance = PROBLEMS["max_cut"].declare(torus(30, 3))
    best = RecombinationSearch(instance, np.zeros(900, bool), 1).run(Budget(moves=2_000_000), -np.inf, Trace())
    for moves in (0, 10, 1000, 70_000, 300_000):
        again = RecombinationSearch(instance, best.assignment, 2).run(Budget(moves=moves), -np.inf, Trace())
        assert again.cost <= best.cost


def test_the_target_ends_a_run():
    instance = PROBLEMS["max_cut"].declare(torus(20, 4))
    search = RecombinationSearch(instance, np.zeros(400, bool), 1)
    first = search.run(Budget(moves=10_000_000), -230.0, Trace())
    assert first.moves < 10_000_000
    assert first.cost <= -230.0


def test_lattices_gain_by_recombination():
    # Of as many visits, annealing alone makes less: a loss of the recombination would show here.
    instance = PROBLEMS["max_cut"].declare(torus(40, 5))
    found = RecombinationSearch(instance, np.zeros(1600, bool), 1).run(Budget(moves=5_000_000), -np.inf, Trace())
    alone = default_search_of("annealing", instance).run(Budget(moves=5_000_000), -np.inf, Trace())
    assert found.cost < alone.cost


def default_search_of(name: str, instance: Instance):
    from annealco.search.searches import SEARCHES

    return SEARCHES[name].begin(instance, np.zeros(instance.num_nodes, bool), seed=1, seconds=None, stop=None)


def test_weights_of_all_sizes():
    rng = np.random.default_rng(3)
    for scale in (1e-300, 1e-150, 1e150, 1e300):
        graph = Graph.from_edges([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]], 4, edge_weight=scale * rng.normal(size=6))
        instance = PROBLEMS["max_cut"].declare(graph)
        found = RecombinationSearch(instance, np.zeros(4, bool), 0).run(Budget(moves=5000), -np.inf, Trace())
        assert found.cost == pytest.approx(best_cost(instance), abs=1e-12 * scale)


def test_it_is_chosen_by_the_number_of_pairs_per_node():
    sparse, dense = torus(10, 1), generate("rb-small", count=1, seed=1)
    assert default_search(structure_of(PROBLEMS["max_cut"].declare(sparse))) is RECOMBINATION
    assert default_search(structure_of(PROBLEMS["mis"].declare(sparse))) is not RECOMBINATION
    complete = Graph.from_edges(np.stack(np.triu_indices(100, 1)), 100)
    assert not RECOMBINATION.takes(structure_of(PROBLEMS["max_cut"].declare(complete)))
    assert not RECOMBINATION.takes(structure_of(PROBLEMS["mis"].declare(dense)))
    assert not RECOMBINATION.takes(structure_of(PROBLEMS["max_cut"].declare(torus(501, 1))))


def test_the_core_refuses_constraints():
    instance = PROBLEMS["mis"].declare(torus(4, 1))
    with pytest.raises(ValueError, match="pairs alone"):
        recombination(core_terms(instance), np.zeros(16, bool), seed=1, reduction_seconds=1.0)


def test_pairs_of_no_weight_between_others_change_nothing():
    rng = np.random.default_rng(3)
    num_solved = 0
    for _ in range(150):
        count = 9
        pairs = np.array(list(itertools.combinations(range(count), 2)), np.int32)
        pairs = np.ascontiguousarray(pairs[rng.random(len(pairs)) < 0.5].T)
        ptr = np.array([0, count])
        value = rng.choice([-2.0, -1.0, 0.0, 0.0, 1.0, 3.0], pairs.shape[1])
        instance = Instance(ptr, (Pairs(ptr, pairs, value),))
        least = best_cost(instance)
        for _ in range(4):
            search = RecombinationSearch(instance, rng.random(count) < 0.5, 0)
            found = search.run(Budget(moves=2_000), -np.inf, Trace())
            assert found.cost == least
            num_solved += search.solved
    assert num_solved > 0
