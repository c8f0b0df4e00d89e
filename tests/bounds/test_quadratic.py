from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from annealco._core import Clock, Couplings, RoofDuality, SpinBranching, StopFlag
from annealco.bounds import quadratic as quadratic_module
from annealco.bounds.ledger import Ledger
from annealco.bounds.prove import prove_bound
from annealco.bounds.quadratic import (
    Reduced,
    eliminated,
    fixed_by_flow,
    least_energy,
    must_disagree,
    prove_quadratic,
    prove_with_cycles,
    spins_from,
    without_small_parts,
)
from annealco.bounds.semidefinite import Spins, prove_semidefinite, spins_of
from annealco.energy import Constraint, Cover, Instance, Linear, Pairs, Range
from annealco.energy.structure import structure_of
from annealco.graph.generators import barabasi_albert, random_regular
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.bounds.references import ledger, random_graph
from tests.bounds.test_semidefinite import quadratics
from tests.budgets import FAR
from tests.graph.strategies import graphs
from tests.problems.brute_force import best_score


def prove(instance, seconds=60.0, **settings):
    book = ledger(seconds, **settings)
    prove_quadratic(structure_of(instance), book, seed=0)
    return book


@given(graphs(min_nodes=2, max_nodes=8, weighted=True, signed=True))
@settings(max_examples=30)
def test_maximum_cuts_are_bounded_and_mostly_proven(graph):
    best = best_score(PROBLEMS["max_cut"], graph)
    book = prove(PROBLEMS["max_cut"].declare(graph), step=0.25, target=-best)
    assert book.cost <= -best
    assert book.cost >= -best - 0.15 * np.abs(graph.edge_weight).sum() - 0.25


@given(quadratics())
@settings(max_examples=40)
def test_any_quadratic_objective_is_bounded(instance):
    bits = (np.arange(2**instance.num_nodes)[:, None] >> np.arange(instance.num_nodes)) & 1
    best = float(instance.value(bits).min())
    book = prove(instance, step=0.5, target=best)
    assert book.cost <= best


def all_bits(count):
    return ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)


def random_quadratic(rng, *, is_whole, is_ranged):
    """Return an instance with pairs of both signs, mostly with linear terms, and perhaps a range and a forced node."""
    count = int(rng.integers(2, 10))
    ptr, (low, high) = np.array([0, count]), np.triu_indices(count, 1)
    kept = rng.random(len(low)) < rng.choice([0.3, 1.0])
    kept[0] = True
    draw = (lambda size: rng.integers(-6, 7, size) / 2) if is_whole else (lambda size: rng.normal(size=size))
    pairs = Pairs(ptr, np.stack([low[kept], high[kept]]), np.where((drawn := draw(kept.sum())) == 0, 1.0, drawn))
    linear = Linear(ptr, draw(count) * (rng.random() < 0.8))
    if not is_ranged:
        return Instance(ptr, (linear, pairs))
    weight = rng.integers(0, 4, count).astype(float)
    chosen = rng.random(count) < 0.5
    sum_of = float(weight[chosen].sum())
    box = Range(ptr, weight, np.array([sum_of - 1]), np.array([sum_of + rng.integers(0, 3)]), np.ones(1))
    constraints = [Constraint(box, np.ones(1))]
    if chosen.any():
        forced = Cover(ptr, np.array([0, 1]), np.flatnonzero(chosen)[:1], np.ones(1))
        constraints.append(Constraint(forced, np.ones(1)))
    return Instance(ptr, (linear, pairs), tuple(constraints))


@pytest.mark.parametrize("is_ranged", [False, True])
@pytest.mark.parametrize("is_whole", [False, True])
def test_small_instances_are_proven_and_their_optimum_is_found(is_whole, is_ranged):
    rng = np.random.default_rng([is_whole, is_ranged])
    for _ in range(150):
        instance = random_quadratic(rng, is_whole=is_whole, is_ranged=is_ranged)
        assert structure_of(instance).kind == ("ranged" if is_ranged else "quadratic")
        bits = all_bits(instance.num_nodes)
        cost = np.where(instance.violations(bits)[:, 0] == 0, instance.value(bits)[:, 0], np.inf)
        known = int(rng.choice(np.flatnonzero(np.isfinite(cost))))
        bound = prove_bound(instance, bounds="quadratic", time_limit=FAR, known=bits[known])
        assert bound.value <= cost.min() + 1e-12
        assert bound.value == pytest.approx(cost.min(), abs=1e-9)
        if cost[known] > cost.min() + 1e-9:
            assert instance.value(bound.assignment)[0] == pytest.approx(cost.min(), abs=1e-9)


def test_a_search_of_spins_goes_on_where_it_was_interrupted():
    rng = np.random.default_rng(3)
    low, high = (each.astype(np.int32) for each in np.triu_indices(14, 1))
    strength = rng.integers(-5, 6, len(low)).astype(float)
    couplings = Couplings(14, low, high, strength)
    fixed, none = np.zeros(14, np.int8), np.zeros(14)
    spins = np.where(all_bits(14), 1, -1)
    least = float(((spins[:, low] * spins[:, high]) @ strength).min())
    # Any diagonal will do: what it lacks is added.
    search = SpinBranching(couplings, none, none, 0.0, 0.0, fixed, none, 0.0, 0.0)
    calls = 1
    while not search.run(Clock(moves=50), 1e9, 0.5):
        assert search.best >= least
        calls += 1
    assert calls > 2
    assert search.best == least == (search.best_spins[low] * search.best_spins[high]) @ strength


@pytest.mark.parametrize("fixed", [[1, 1, 0, 0], [1, -1, 0, 0], [-1, 0, 0, -1]])
def test_spins_that_are_fixed_stay_fixed(fixed):
    low, high = np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32)
    couplings = Couplings(4, low, high, np.array([1.0, 2.0, -3.0]))
    spins = np.where(all_bits(4), 1, -1)
    spins = spins[np.all((np.array(fixed) == 0) | (spins == fixed), axis=1)]
    least = ((spins[:, low] * spins[:, high]) @ [1.0, 2.0, -3.0]).min()
    none = np.zeros(4)
    search = SpinBranching(couplings, none, none, 0.0, 0.0, np.array(fixed, np.int8), none, 0.0, 0.0)
    assert search.run(Clock(), 1e9, 0.0)
    assert search.best == least
    assert all(value in (0, spin) for value, spin in zip(fixed, search.best_spins, strict=True))


@pytest.fixture
def whole(monkeypatch):
    """Proofs about all spins, without reductions."""
    monkeypatch.setattr(quadratic_module, "_reduce", lambda spins, *_, **__: Reduced(spins, lambda each: each))


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(("rows", "columns"), [(3, 5), (6, 7)])
def test_a_planar_graph_is_proven_optimal_by_its_cycles(rows, columns):
    """Cycle inequalities describe the cuts of planar graphs (Barahona and Mahjoub, 1986)."""
    import networkx as nx

    grid = nx.convert_node_labels_to_integers(nx.triangular_lattice_graph(rows, columns))
    graph = Graph.from_edges(np.array(grid.edges).T, grid.number_of_nodes())
    book = prove(PROBLEMS["max_cut"].declare(graph), step=1.0)
    triangles = sum(nx.triangles(grid).values()) // 3
    # Every triangle leaves an edge uncut, and one edge can be that of two triangles at most.
    assert -book.cost <= graph.num_edges - triangles / 2
    assert "cycle" in book.method or "semidefinite" in book.method


def test_a_range_that_no_union_of_components_fits_costs_an_edge():
    path = Graph.from_edges([[0, 1, 2], [1, 2, 3]]).with_weights(edge_weight=[3.0, 2.0, 4.0])
    instance = PROBLEMS["cut"].with_options(volume=(2, 4)).declare(path)
    assert prove(instance, step=1.0, target=2.0).cost == 2.0


def test_a_large_graph_gets_a_quick_bound_and_cycles_with_time(monkeypatch):
    monkeypatch.setattr(quadratic_module, "MAX_PROGRAM", 0)
    graph = barabasi_albert(np.random.default_rng(0), num_nodes=20_000, attachment=4)
    instance = PROBLEMS["max_cut"].declare(graph)
    quick, slow = prove(instance, seconds=0.0, step=1.0), prove(instance, step=1.0)
    assert -quick.cost == graph.num_edges
    assert slow.method == "cycle packing"
    assert -slow.cost < 0.99 * graph.num_edges


@pytest.mark.usefixtures("whole")
def test_sparse_graphs_are_bounded_better_by_cycles_than_by_the_relaxation():
    graph = random_regular(np.random.default_rng(1), num_nodes=60, degree=3)
    book = prove(PROBLEMS["max_cut"].declare(graph), step=1.0)
    assert "cycle" in book.method


def box(weight, lower, upper):
    return Range(
        np.array([0, len(weight)]), np.asarray(weight, float), np.array([lower]), np.array([upper]), np.ones(1)
    )


@pytest.mark.parametrize("seed", range(40))
def test_it_is_told_whether_a_union_of_components_is_in_the_range(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(seed, 9, 0.12)
    weight, chosen = rng.integers(0, 6, 9), np.flatnonzero(rng.random(9) < 0.15)
    lower = float(rng.integers(0, weight.sum() + 1))
    upper = lower + float(rng.integers(0, 3))
    agreeing = [
        bits
        for bits in product((0, 1), repeat=9)
        if all(bits[u] == bits[v] for u, v in graph.edges.T.tolist()) and all(bits[node] for node in chosen)
    ]
    possible = any(
        lower <= sum(w * b for w, b in zip(weight.tolist(), bits, strict=True)) <= upper for bits in agreeing
    )
    spins = Spins(9, graph.edges, np.full(graph.num_edges, -0.5), 0.0, 0.0)
    assert must_disagree(spins, box(weight, lower, upper), chosen, ledger()) == (not possible)


def test_nothing_is_claimed_of_other_couplings_or_weights():
    edge, chosen = np.array([[0], [1]]), np.zeros(0, np.int64)
    agree, differ = (Spins(2, edge, np.array([value]), 0.0, 0.0) for value in (-0.5, 0.5))
    assert must_disagree(agree, box([1, 1], 1.0, 1.0), chosen, ledger())
    assert not must_disagree(differ, box([1, 1], 1.0, 1.0), chosen, ledger())
    assert not must_disagree(agree, box([0.5, 0.5], 0.5, 0.5), chosen, ledger())
    stop = StopFlag()
    stop.set()
    assert not must_disagree(agree, box([1, 1], 1.0, 1.0), chosen, Ledger(seconds=FAR, stop=stop))


def test_many_equal_components_are_no_trouble():
    spins, chosen = Spins(300_000, np.zeros((2, 0), np.int64), np.zeros(0), 0.0, 0.0), np.zeros(0, np.int64)
    assert not must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4002.0), chosen, ledger())
    assert must_disagree(spins, box(np.full(300_000, 2.0), 4001.0, 4001.0), chosen, ledger())


def random_spins(rng, size, *, density, is_whole):
    low, high = np.triu_indices(size, 1)
    kept = rng.random(len(low)) < density
    draw = (
        rng.integers(1, 9, kept.sum()) * rng.choice([-1.0, 1.0], kept.sum())
        if is_whole
        else rng.normal(size=kept.sum())
    )
    return spins_from(size, np.stack([low[kept], high[kept]]).astype(np.int32), draw, np.array([3.0]))


def energies(spins):
    """The energy of every choice, and the choices."""
    choices = 1 - 2 * all_bits(spins.num_spins).astype(np.int8)
    products = choices[:, spins.pairs[0]].astype(float) * choices[:, spins.pairs[1]]
    return spins.constant + products @ spins.coupling, choices


WAYS = {"flow": fixed_by_flow, "elimination": eliminated, "parts": partial(without_small_parts, seed=0)}
"""Ways to fewer spins."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_whole", [True, False])
def test_fewer_spins_have_the_least_energy_of_all(way, is_whole):
    rng, num_fewer = np.random.default_rng(7), 0
    for _ in range(200):
        spins = random_spins(rng, int(rng.integers(1, 10)), density=rng.choice([0.1, 0.3, 0.6]), is_whole=is_whole)
        energy, _ = energies(spins)
        book = ledger()
        rest, lift = WAYS[way](Reduced(spins, lambda each: each), book)
        left, choices = energies(rest)
        assert book.cost <= energy.min() + 1e-9
        assert left.min() == pytest.approx(energy.min(), abs=1e-9)
        assert rest.satisfied <= left.min() + 1e-12
        best = lift(choices[left.argmin()])
        found = spins.constant + (best[spins.pairs[0]].astype(float) * best[spins.pairs[1]]) @ spins.coupling
        assert found == pytest.approx(energy.min(), abs=1e-9)
        num_fewer += rest.num_spins < spins.num_spins
    assert num_fewer > 20 or (not is_whole and way != "parts")


def test_a_flow_tells_directions_that_every_optimum_has():
    rng, num_told = np.random.default_rng(1), 0
    for _ in range(200):
        spins = random_spins(rng, int(rng.integers(2, 10)), density=rng.choice([0.3, 0.6, 1.0]), is_whole=True)
        roof = RoofDuality(spins.couplings, spins.num_spins - 1, 1.0)
        roof.run(Clock())
        energy, choices = energies(spins)
        is_best = (energy == energy.min()) & (choices[:, -1] == 1)
        told = roof.direction != 0
        assert np.all(choices[is_best][:, told] == roof.direction[told])
        assert spins.satisfied + 2 * roof.unsatisfied <= energy.min()
        num_told += told.sum() - 1
    assert num_told > 100


def test_the_roof_dual_is_the_linear_relaxation():
    """Of products by their envelopes, as HiGHS has it."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(5)
    for _ in range(20):
        size = 7
        low, high = np.triu_indices(size, 1)
        value, linear = rng.integers(-5, 6, len(low)).astype(float), rng.integers(-9, 10, size).astype(float)
        count = len(low)
        rows, limits = [], []
        for k, (i, j) in enumerate(zip(low, high, strict=True)):
            # y ≤ x_i, y ≤ x_j, x_i + x_j − y ≤ 1
            for ends, own, limit in (
                (((i, -1.0),), 1.0, 0.0),
                (((j, -1.0),), 1.0, 0.0),
                (((i, 1.0), (j, 1.0)), -1.0, 1.0),
            ):
                row = np.zeros(size + count)
                row[size + k] = own
                for end, factor in ends:
                    row[end] = factor
                rows.append(row)
                limits.append(limit)
        known = linprog(np.concatenate([linear, value]), A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0, 1)).fun
        ptr = np.array([0, size])
        instance = Instance(ptr, (Linear(ptr, linear), Pairs(ptr, np.stack([low, high]), value)))
        spins = spins_of(structure_of(instance))
        book = ledger()
        fixed_by_flow(Reduced(spins, lambda each: each), book)
        assert book.method == "roof duality"
        assert book.cost == pytest.approx(known, abs=1e-6)


def test_a_flow_holds_for_strengths_of_any_size_and_out_of_time():
    rng = np.random.default_rng(2)
    for scale in (1e-300, 1e-12, 1.0, 1e12, 1e290):
        spins = random_spins(rng, 8, density=0.7, is_whole=False)
        spins = spins_from(8, spins.pairs, spins.coupling * scale, np.zeros(1))
        roof = RoofDuality(spins.couplings, 7, 0.0)
        roof.run(Clock(seconds=0.0))
        early = roof.unsatisfied
        roof.run(Clock())
        assert 0 <= early <= roof.unsatisfied
        assert not roof.direction[:-1].any()
        energy, _ = energies(spins)
        assert spins.satisfied + 2 * roof.unsatisfied <= energy.min() + 1e-9 * scale
    book = ledger()
    huge = spins_from(2, np.array([[0], [1]], np.int32), np.array([1e308]), np.zeros(1))
    assert fixed_by_flow(Reduced(huge, lambda each: each), book).spins.constant <= -1e308


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_least_energy_of_few_spins(is_whole):
    rng = np.random.default_rng(9)
    for _ in range(60):
        spins = random_spins(rng, int(rng.integers(1, 10)), density=0.6, is_whole=is_whole)
        energy, _ = energies(spins)
        least, best = least_energy(spins.num_spins, spins.pairs, spins.coupling, ledger(), seed=0)
        assert least <= energy.min() - 3.0 + 1e-12
        assert least == pytest.approx(energy.min() - 3.0, abs=1e-9)
        assert set(best.tolist()) <= {-1, 1}


@pytest.mark.parametrize("name", ["max_cut", "qubo", "ising"])
def test_many_small_parts_are_proven_at_once(name):
    """Forty dense instances of 11 nodes side by side have the sum of their optima."""
    total, low, high, value, linear = 0.0, [], [], [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        ends = np.stack(np.triu_indices(11, 1))
        weight = rng.integers(1, 9, ends.shape[1]) * rng.choice([-1.0, 1.0], ends.shape[1])
        field = np.zeros(11) if name == "max_cut" else rng.integers(-9, 10, 11).astype(float)
        ptr = np.array([0, 11])
        one = Instance(ptr, (Linear(ptr, field), Pairs(ptr, ends, weight)))
        total += float(one.value(all_bits(11)).min())
        low.append(ends[0] + 11 * seed)
        high.append(ends[1] + 11 * seed)
        value.append(weight)
        linear.append(field)
    ptr = np.array([0, 440])
    pairs = Pairs(ptr, np.stack([np.concatenate(low), np.concatenate(high)]), np.concatenate(value))
    bound = prove_bound(Instance(ptr, (Linear(ptr, np.concatenate(linear)), pairs)), time_limit=FAR, target=total)
    assert bound.value == total
    assert bound.method == "reductions and small parts"


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_relaxation_with_cycles_is_below_every_energy_and_above_the_relaxation_alone(is_whole):
    rng, gained = np.random.default_rng(11), 0
    for _ in range(12):
        spins = random_spins(rng, int(rng.integers(2, 11)), density=rng.choice([0.4, 1.0]), is_whole=is_whole)
        scale = float(rng.choice([1e-60, 1.0, 1e60]))
        spins = spins_from(spins.num_spins, spins.pairs, spins.coupling * scale, np.zeros(1))
        energy, _ = energies(spins)
        alone, both = ledger(), ledger()
        prove_semidefinite(spins, alone, balance=None, seconds=60, seed=0)
        prove_with_cycles(spins, both, seconds=60, seed=0)
        assert both.cost <= energy.min() + 1e-12 * scale
        gained += both.cost > alone.cost + 1e-3 * scale
    assert gained > 1


def test_triangles_at_odds_are_closed_with_their_cycles():
    """In each of two triangles that share a spin one pair agrees; the relaxation alone has −3 / 2 for each."""
    pairs = np.array([[0, 0, 1, 2, 2, 3], [1, 2, 2, 3, 4, 4]], np.int32)
    spins, alone, both = spins_from(5, pairs, np.ones(6), np.zeros(1)), ledger(), ledger()
    prove_semidefinite(spins, alone, balance=None, seconds=60, seed=0)
    prove_with_cycles(spins, both, seconds=60, seed=0)
    assert alone.cost == pytest.approx(-3.0, abs=1e-3)
    assert both.cost == pytest.approx(-2.0, abs=0.05)
    assert both.cost <= -2.0


def test_the_relaxation_with_cycles_ends_at_a_stop_and_without_time():
    spins, stop = random_spins(np.random.default_rng(0), 40, density=0.5, is_whole=True), StopFlag()
    stop.set()
    for book in (ledger(0.0), Ledger(seconds=FAR, stop=stop)):
        prove_with_cycles(spins, book, seconds=60, seed=0)
        assert book.cost == -np.inf
