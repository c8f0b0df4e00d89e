from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from annealco.baselines.exact import lowering, run_exact
from annealco.baselines.exact.lowering import (
    Columns,
    Program,
    Rows,
    clique_rows,
    equal_rows,
    join_rows,
    lower,
    no_rows,
    some_rows,
)
from annealco.energy import AllPairs, Constraint, Cover, Energy, Instance, Linear, Pairs, Range
from annealco.errors import InputError
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.baselines import milp
from tests.baselines.instances import solved_instances
from tests.problems.sums import SUMS


def listed(rows: Rows) -> list[tuple[dict[int, float], float, float]]:
    """Rows as they are read: coefficients by variable, and the bounds."""
    return [
        (
            dict(zip(rows.column[a:b].tolist(), rows.value[a:b].tolist(), strict=True)),
            float(rows.lower[row]),
            float(rows.upper[row]),
        )
        for row, (a, b) in enumerate(zip(rows.start[:-1], rows.start[1:], strict=True))
    ]


FIRST = equal_rows(np.array([[0, 1], [2, 0]]), (1, -2), lower=-np.inf, upper=3)
SECOND = equal_rows(np.array([[4]]), (7,), lower=1, upper=1)


def test_rows_of_equal_length_share_coefficients_and_bounds() -> None:
    assert listed(FIRST) == [({0: 1, 1: -2}, -np.inf, 3), ({2: 1, 0: -2}, -np.inf, 3)]
    assert FIRST.num_rows == 2


def test_joined_rows_keep_their_order() -> None:
    assert listed(join_rows([FIRST, no_rows(), SECOND])) == listed(FIRST) + listed(SECOND)
    assert listed(join_rows([])) == listed(no_rows()) == []


def test_some_rows_are_kept() -> None:
    every = join_rows([FIRST, SECOND])
    for mask in range(8):
        kept = np.array([bool(mask >> row & 1) for row in range(3)])
        assert listed(some_rows(every, kept)) == [row for row, keep in zip(listed(every), kept, strict=True) if keep]


def test_bits_are_completed_and_costs_have_a_step() -> None:
    both = Columns(np.array([6.0]), np.ones(1), lambda bits: bits[:1] * bits[1:2])
    program = Program(2, np.array([2.0, -4.0, 6.0]), np.ones(3), no_rows(), (both,))
    assert program.complete(np.array([True, True])).tolist() == [1, 1, 1]
    assert program.complete(np.array([True, False])).tolist() == [1, 0, 0]
    assert program.num_variables == 3
    assert program.step == 2.0
    assert Program(1, np.array([0.1, 1.0]), np.ones(2), no_rows()).step == 0
    # An excess may be any number, and so may its cost.
    assert Program(1, np.array([1.0, 1.0]), np.array([1.0, np.inf]), no_rows()).step == 0


ONE = np.array([0, 6])
BITS = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)


@pytest.mark.parametrize("name", SUMS)
def test_the_optimum_is_that_of_all_sets(name: str) -> None:
    count = 0
    for problem, graph, best in solved_instances(name, num_random=12):
        found = run_exact(milp.build, problem, graph, budget=10, seed=0, threads=1, start=None)
        assert found.proven
        assert found.assignment is not None
        assert problem.score(graph, np.flatnonzero(found.assignment).tolist()) == pytest.approx(best)
        assert found.bound == pytest.approx(best)
        count += 1
    assert count > 30


def terms(rng: np.random.Generator) -> list[object]:
    """One term of each kind on six nodes; prices of both signs where a kind allows them."""
    pairs = np.stack(np.triu_indices(6, 1))
    some = pairs[:, rng.random(15) < 0.5]
    members = [rng.permutation(6)[: rng.integers(1, 5)] for _ in range(4)]
    return [
        Linear(ONE, rng.integers(-4, 5, 6).astype(float)),
        Pairs(ONE, some, rng.integers(-3, 4, some.shape[1]).astype(float)),
        AllPairs(ONE, rng.integers(0, 3, 6).astype(float), excluded=some),
        Cover(ONE, np.cumsum([0, *map(len, members)]), np.concatenate(members), rng.integers(-5, 6, 4).astype(float)),
        Range(ONE, rng.integers(-2, 5, 6).astype(float), np.array([2.0]), np.array([3.5]), rng.random(1) * 2),
    ]


def solve(instance: Instance) -> tuple[np.ndarray, float]:
    """Bits and cost of the program's optimum."""
    program = lower(instance)
    answer = milp.build(program)(seconds=10, seed=0, threads=1, start=None)
    assert answer.values is not None
    return answer.values, float(program.cost @ answer.values)


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_objective_is_exact(seed: int) -> None:
    kinds = terms(np.random.default_rng(seed))
    for chosen in ([kinds[0], kind] for kind in kinds[1:]):
        energy = Energy(ONE, tuple(chosen))
        values, cost = solve(Instance(ONE, tuple(chosen)))
        assert cost == pytest.approx(energy.value(BITS).min())
        assert energy.value(values[:6] > 0.5)[0] == pytest.approx(cost)
    assert solve(Instance(ONE, tuple(kinds)))[1] == pytest.approx(Energy(ONE, tuple(kinds)).value(BITS).min())


@pytest.mark.parametrize("seed", range(20))
def test_completed_bits_fit_the_rows_and_cost_what_the_terms_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    energy = Energy(ONE, tuple(terms(rng)))
    program = lower(Instance(ONE, energy.terms))
    rows = program.rows
    for bits in BITS[rng.permutation(64)[:8]]:
        values = program.complete(bits)
        assert program.cost @ values == pytest.approx(energy.value(bits)[0])
        sums = np.add.reduceat(np.append(rows.value * values[rows.column], 0.0), rows.start[:-1])
        assert np.all(sums >= rows.lower - 1e-9)
        assert np.all(sums <= rows.upper + 1e-9)
        assert np.all(values <= program.most)


@pytest.mark.parametrize("seed", range(20))
def test_every_kind_of_constraint_is_exact(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    gain = Linear(ONE, rng.normal(size=6))
    for kind in terms(rng):
        term = type(kind)(**{**vars(kind), "coefficient": np.abs(kind.coefficient)})
        instance = Instance(ONE, (gain,), (Constraint(term, np.zeros(term.coefficient.shape)),))
        feasible = BITS[instance.violations(BITS)[:, 0] == 0]
        if len(feasible):
            values, cost = solve(instance)
            assert instance.violations(values[:6] > 0.5)[0] == 0
            assert cost == pytest.approx(gain.value(feasible).min())
        else:
            assert milp.build(lower(instance))(seconds=10, seed=0, threads=1, start=None).values is None


def test_conflicts_are_told_by_cliques() -> None:
    complete = Graph.from_edges(np.stack(np.triu_indices(9, 1)))
    assert lower(PROBLEMS["mis"].declare(complete)).rows.num_rows == 1
    cover = lower(PROBLEMS["vertex_cover"].declare(complete)).rows
    assert (cover.num_rows, cover.lower.tolist()) == (1, [8])
    assert lower(PROBLEMS["clique"].declare(complete)).rows.num_rows == 0


def test_what_cannot_be_lowered_is_refused() -> None:
    price = Pairs(ONE, np.array([[0], [1]]), np.array([-1.0]))
    with pytest.raises(InputError, match="negative coefficients"):
        lower(Instance(ONE, (), (Constraint(price, np.zeros(1)),)))
    with pytest.raises(InputError, match="not convex"):
        lower(Instance(ONE, (Range(ONE, np.ones(6), np.ones(1), np.ones(1), -np.ones(1)),)))
    two = Graph.from_edges([[0], [1]])
    with pytest.raises(InputError, match="of one graph, this instance has 2"):
        lower(PROBLEMS["mis"].declare(Graph.batch([two, two])))
    with pytest.raises(InputError, match="31,248,464 pairs"):
        lower(PROBLEMS["clique"].declare(Graph.from_edges([[0], [1]], 7906)))


@pytest.mark.parametrize(("name", "sign"), [("cut", 1), ("max_cut", -1)])
def test_a_cut_is_the_sum_of_what_is_cut(name: str, sign: int) -> None:
    cycle = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]], edge_weight=[1.0, 2.0, 3.0, 5.0])
    program = lower(SUMS[name].declare(cycle))
    assert program.cost[:4].tolist() == [0, 0, 0, 0]
    assert sorted(sign * program.cost[4:]) == [1, 2, 3, 5]


def cliques_of(graph: nx.Graph) -> list[set[int]]:
    pairs = np.array(sorted((min(e), max(e)) for e in graph.edges), dtype=np.int32).reshape(-1, 2).T
    start, member = clique_rows(pairs, len(graph))
    return [set(each.tolist()) for each in np.split(member, start[1:-1])] if len(start) > 1 else []


@pytest.mark.parametrize("density", [0.1, 0.5, 0.9])
def test_cliques_are_maximal_cliques_that_cover_every_pair(density: float) -> None:
    for seed in range(10):
        graph = nx.gnp_random_graph(14, density, seed=seed)
        rows = cliques_of(graph)
        maximal = {frozenset(each) for each in nx.find_cliques(graph)}
        assert all(frozenset(row) in maximal for row in rows)
        assert len(rows) == len({frozenset(row) for row in rows}) <= graph.number_of_edges()
        assert all(any({u, v} <= row for row in rows) for u, v in graph.edges)


def test_a_clique_is_one_row_of_conflicts() -> None:
    assert cliques_of(nx.complete_graph(30)) == [set(range(30))]
    assert sorted(map(sorted, cliques_of(nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(3))))) == [
        [0, 1, 2, 3],
        [4, 5, 6],
    ]


def test_nothing_conflicts_in_no_rows() -> None:
    assert cliques_of(nx.empty_graph(5)) == cliques_of(nx.empty_graph(0)) == []


def test_large_graphs_keep_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "MAX_DENSE_NODES", 3)
    assert sorted(map(sorted, cliques_of(nx.complete_graph(4)))) == sorted(map(list, nx.complete_graph(4).edges))
