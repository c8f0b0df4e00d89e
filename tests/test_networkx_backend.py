"""Through networkx's own dispatching, which needs the installed entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from networkx.algorithms import approximation

from annealco import networkx_backend
from annealco.errors import InputError
from annealco.networkx_backend import BackendGraph, can_run, convert_from_nx, convert_to_nx, should_run
from tests.budgets import FAR, MOVES

BRIEF = {"backend": "annealco", "time_limit": FAR}
UNWEIGHTED = ("maximum_independent_set", "max_clique")
WEIGHTED = ("min_weighted_dominating_set", "min_weighted_vertex_cover")


@pytest.fixture(autouse=True)
def _no_note_about_the_cache() -> Iterator[None]:
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore = before | {"cache"}
    yield
    nx.config.warnings_to_ignore = before


@pytest.fixture(autouse=True)
def _moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let moves count instead of time, which networkx has no word for."""
    monkeypatch.setattr(networkx_backend, "Solver", partial(networkx_backend.Solver, moves=MOVES))


def is_independent(graph: nx.Graph, nodes: set[Any]) -> bool:
    return not any(u in nodes and v in nodes for u, v in graph.edges() if u != v)


def is_clique(graph: nx.Graph, nodes: set[Any]) -> bool:
    return all(graph.has_edge(u, v) for u, v in combinations(nodes, 2))


def is_cover(graph: nx.Graph, nodes: set[Any]) -> bool:
    return all(u in nodes or v in nodes for u, v in graph.edges())


FEASIBLE: dict[str, Callable[[nx.Graph, set[Any]], bool]] = {
    "maximum_independent_set": is_independent,
    "max_clique": is_clique,
    "min_weighted_dominating_set": nx.is_dominating_set,
    "min_weighted_vertex_cover": is_cover,
}


def best(name: str, graph: nx.Graph, weight: str | None = None) -> float:
    """Try all sets."""
    sets = chain.from_iterable(combinations(graph, size) for size in range(len(graph) + 1))
    values = [worth(graph, nodes, weight) for nodes in map(set, sets) if FEASIBLE[name](graph, nodes)]
    return (max if name in UNWEIGHTED else min)(values)


def worth(graph: nx.Graph, nodes: set[Any], weight: str | None) -> float:
    return sum(graph.nodes[node].get(weight, 1) for node in nodes)


def random_graph(seed: int) -> nx.Graph:
    """Draw a graph whose nodes have names of several types, and weights where their number is not divisible by 3."""
    graph = nx.gnp_random_graph(9, 0.15 + 0.1 * (seed % 6), seed=seed)
    for node in graph:
        if node % 3:
            graph.nodes[node]["cost"] = (7 * node + seed) % 5 + 0.5
        graph.nodes[node]["weight"] = 1000
    return nx.relabel_nodes(graph, {0: "zero", 1: (1, "one"), 2: 2.5, 3: frozenset({3}), 4: "", 5: -5})


@pytest.mark.parametrize("name", FEASIBLE)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_sets_are_found(name: str, seed: int) -> None:
    graph = random_graph(seed)
    found = getattr(approximation, name)(graph, **BRIEF)
    assert type(found) is set
    assert found <= set(graph)
    assert FEASIBLE[name](graph, found)
    # Unless an attribute is named, all nodes weigh 1.
    assert len(found) == best(name, graph)


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("seed", range(6))
def test_weights_are_a_node_attribute_and_one_without_it(name: str, seed: int) -> None:
    graph = random_graph(seed)
    found = getattr(approximation, name)(graph, weight="cost", **BRIEF)
    assert FEASIBLE[name](graph, found)
    assert worth(graph, found, "cost") == pytest.approx(best(name, graph, "cost"))
    assert found == getattr(approximation, name)(graph, "cost", **BRIEF)
    unknown = getattr(approximation, name)(graph, weight="nonsense", **BRIEF)
    assert len(unknown) == best(name, graph)


def test_a_converted_graph_that_networkx_kept_serves_other_functions() -> None:
    graph = nx.star_graph(4)
    nx.set_node_attributes(graph, {0: 100}, "cost")
    cover = approximation.min_weighted_vertex_cover
    assert cover(graph, **BRIEF) == {0}
    assert cover(graph, weight="cost", **BRIEF) == {1, 2, 3, 4}
    assert cover(graph, **BRIEF) == {0}
    assert approximation.maximum_independent_set(graph, **BRIEF) == {1, 2, 3, 4}


@pytest.mark.parametrize("name", FEASIBLE)
def test_graphs_without_nodes_or_edges(name: str) -> None:
    assert getattr(approximation, name)(nx.Graph(), **BRIEF) == set()
    sizes = {"maximum_independent_set": 4, "max_clique": 1, "min_weighted_dominating_set": 4}
    assert len(getattr(approximation, name)(nx.empty_graph(4), **BRIEF)) == sizes.get(name, 0)


def test_self_loops_follow_networkx() -> None:
    graph = nx.path_graph(["a", "b", "c", "d"])
    graph.add_edges_from([("a", "a"), ("d", "d")])
    for name, feasible in FEASIBLE.items():
        assert feasible(graph, getattr(approximation, name)(graph, **BRIEF))
    # A loop has one end, which must be in a cover; it joins no two nodes of a set.
    assert approximation.min_weighted_vertex_cover(graph, **BRIEF) in ({"a", "b", "d"}, {"a", "c", "d"})
    assert len(approximation.maximum_independent_set(graph, **BRIEF)) == 2


@pytest.mark.parametrize(
    ("kind", "refused"),
    [
        (nx.DiGraph, {"maximum_independent_set", "max_clique", "min_weighted_dominating_set"}),
        (nx.MultiGraph, {"maximum_independent_set", "max_clique"}),
        (nx.MultiDiGraph, {"maximum_independent_set", "max_clique", "min_weighted_dominating_set"}),
    ],
)
def test_directed_graphs_and_multigraphs_are_refused_where_networkx_refuses_them(
    kind: type[nx.Graph], refused: set[str]
) -> None:
    graph = kind([(0, 1), (2, 0), (0, 2), (0, 1), (1, 0), (0, 3)])
    for name in FEASIBLE:
        function = getattr(approximation, name)
        if name in refused:
            with pytest.raises(nx.NetworkXNotImplemented, match=r"not implemented for (directed|multigraph) type"):
                function(graph, **BRIEF)
            with pytest.raises(nx.NetworkXNotImplemented):
                function(convert_from_nx(graph), **BRIEF)
            assert "not implemented for" in str(can_run(name, (graph,), {}))
        else:
            assert function(graph, **BRIEF) == {0}


def test_settings_are_passed_on_and_unknown_ones_refused() -> None:
    graph = nx.gnp_random_graph(20, 0.2, seed=0)
    settings = {**BRIEF, "restarts": 2, "seed": 4, "num_threads": 1}
    assert is_independent(graph, approximation.maximum_independent_set(graph, **settings))
    with pytest.raises(TypeError, match="unexpected keyword argument 'patience'"):
        approximation.max_clique(graph, backend="annealco", patience=9)
    with pytest.raises(InputError, match="time limit must be more than 0"):
        approximation.max_clique(graph, backend="annealco", time_limit=0)


@pytest.mark.parametrize(
    ("weight", "rule"),
    [(-1, "not negative"), ("heavy", "must be numbers"), (None, "node 1 has None"), (Decimal("sNaN"), "one is nan")],
)
def test_bad_weights_are_told(weight: Any, rule: str) -> None:
    graph = nx.path_graph(["a", "b", "c"])
    nx.set_node_attributes(graph, {"b": weight}, "cost")
    with pytest.raises(InputError, match=rule):
        approximation.min_weighted_dominating_set(graph, weight="cost", **BRIEF)


@pytest.mark.parametrize("number", [Decimal, Fraction])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_may_be_exact_numbers(name: str, number: type) -> None:
    graph = random_graph(2)
    exact = {node: number(cost) for node, cost in graph.nodes(data="cost", default=1)}
    nx.set_node_attributes(graph, exact, "exact")
    found = getattr(approximation, name)(graph, weight="exact", **BRIEF)
    assert float(worth(graph, found, "exact")) == pytest.approx(best(name, graph, "cost"))


@pytest.mark.parametrize("name", WEIGHTED)
@pytest.mark.parametrize("weight", [-1, Decimal("-0.5")])
def test_negative_weights_are_left_to_networkx_unless_the_backend_is_asked_for(name: str, weight: Any) -> None:
    graph = nx.star_graph(4)
    nx.set_node_attributes(graph, {0: 3, 1: weight}, "cost")
    function = getattr(approximation, name)
    with nx.config.backend_priority(algos=["annealco"]):
        assert function(graph, weight="cost") == function(graph, weight="cost", backend="networkx")
        assert function(graph, "cost") == function(graph, "cost", backend="networkx")
    for graph_of_its_own in (graph, convert_from_nx(graph, preserve_node_attrs=True)):
        with pytest.raises(InputError, match="not negative"):
            function(graph_of_its_own, weight="cost", **BRIEF)
        assert should_run(name, (graph_of_its_own, "cost"), {}) == "weights must not be negative"
        assert should_run(name, (graph_of_its_own,), {}) is True


def test_other_functions_are_left_to_networkx() -> None:
    graph = nx.path_graph(3)
    with pytest.raises(NotImplementedError, match="not implemented by 'annealco' backend"):
        nx.pagerank(graph, backend="annealco")
    with nx.config.backend_priority(algos=["annealco"]):
        assert approximation.max_clique(nx.complete_graph(5)) == set(range(5))
        assert nx.diameter(graph) == 2


def test_graphs_can_be_converted_there_and_back() -> None:
    graph = random_graph(1)
    graph.add_edge("zero", "zero")
    converted = convert_from_nx(graph, preserve_node_attrs=True)
    assert isinstance(converted, BackendGraph)
    assert len(converted) == len(graph)
    assert nx.utils.graphs_equal(convert_to_nx(converted), graph)
    assert approximation.min_weighted_dominating_set(converted, weight="cost", **BRIEF)
    assert approximation.min_weighted_dominating_set(converted, weight="nonsense", **BRIEF)
    with pytest.raises(InputError, match="converted without the node attribute 'cost'"):
        approximation.min_weighted_dominating_set(convert_from_nx(graph), weight="cost", **BRIEF)
    assert convert_to_nx({1, 2}) == {1, 2}


OWN_TESTS = f"""
import sys
import pytest
from annealco import networkx_backend
from annealco.solving.solver import Solver

brief = dict(time_limit={FAR}, moves={MOVES}, bound=False)
networkx_backend.Solver = lambda **settings: Solver(**(settings | brief))
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_networkx_s_own_tests_pass(tmp_path: Path) -> None:
    modules = [f"networkx.algorithms.approximation.tests.test_{name}" for name in ("clique", "dominating_set")]
    modules.append("networkx.algorithms.approximation.tests.test_vertex_cover")
    done = subprocess.run(
        [sys.executable, "-c", OWN_TESTS, "-p", "no:cacheprovider", "-q", "--pyargs", *modules],
        env=os.environ | {"NETWORKX_TEST_BACKEND": "annealco", "NETWORKX_FALLBACK_TO_NX": "1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    assert "failed" not in done.stdout
