"""Problems whose score is a quotient, from the graph to the solution."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco import Graph, InputError, generate, write_graph
from annealco._core import StopFlag
from annealco.bounds import BOUNDS
from annealco.graph.operations import induced_subgraph
from annealco.models.compiled_field import CORE_STEP
from annealco.problems import PROBLEMS
from annealco.solving.pipeline import attempt
from annealco.solving.solve import solve, solve_each
from annealco.solving.solver import Solver
from tests.budgets import BRIEF, BRIEF_OPTIONS, FAR
from tests.cli.program import call
from tests.problems.brute_force import best_score
from tests.search.quotients import DENSEST
from tests.solving.test_pipeline import IDLE
from tests.solving.test_solver import random_graphs

CONDUCTANCE = PROBLEMS["conductance"]
BARBELL = Graph.from_edges([[0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]])


def boxed(count: int) -> list[tuple[Graph, dict]]:
    """Small random graphs, weighted in many ways, with boxes and seed nodes that some set keeps."""
    rng, made = np.random.default_rng(8), []
    for graph in random_graphs(5, 3 * count):
        if not 4 <= graph.num_nodes <= 11 or graph.num_edges == 0 or len(made) == count:
            continue
        weight = (np.ones, lambda m: rng.integers(1, 9, m), rng.random, rng.standard_normal)[len(made) % 4]
        chosen = rng.random(graph.num_nodes) < 0.5
        chosen[graph.edges[0, 0]] = True
        volume = int(graph.degree[chosen].sum())
        options = {"volume": (max(0, volume - int(rng.integers(0, 4))), volume + int(rng.integers(0, 4)))}
        if rng.random() < 0.5:
            options["seed_node"] = int(np.flatnonzero(chosen)[0])
        made.append((graph.with_weights(edge_weight=weight(graph.num_edges)), options if len(made) % 5 else {}))
    return made


def test_small_quotients_are_the_least_of_all_sets() -> None:
    cases, right, proven = boxed(100), 0, 0
    assert len(cases) == 100
    for graph, options in cases:
        best = best_score(CONDUCTANCE.with_options(**options), graph)
        found = solve(graph, "conductance", **BRIEF, num_threads=1, **options)
        assert found.value == CONDUCTANCE.score(graph, found.nodes, **options)
        assert found.value >= best - 1e-12
        is_right = found.value == pytest.approx(best, rel=1e-9, abs=1e-12)
        assert found.bound is None or found.bound <= best + 1e-12
        assert is_right or not found.optimal
        right += is_right
        proven += found.optimal
    assert right >= 99
    assert proven >= 95


def test_a_proof_finds_the_better_quotient() -> None:
    graph = induced_subgraph(generate("er-small", count=1, seed=2), np.arange(24))
    solver = Solver(CONDUCTANCE, time_limit=FAR, search=IDLE, bounds=(BOUNDS["quadratic"],))
    found, decoded = attempt(solver, graph, 0, 1), attempt(replace(solver, bound=False), graph, 0, 1)
    assert found.optimal
    assert found.value == CONDUCTANCE.score(graph, found.nodes) < decoded.value
    assert found.bound == pytest.approx(found.value)
    assert solve(graph, "conductance", bound=False, **BRIEF).value >= found.value - 1e-12


def test_a_quotient_of_one_s_own_is_maximised() -> None:
    for graph in random_graphs(6, 12):
        if 2 <= graph.num_nodes <= 11:
            found = solve(graph, DENSEST, **BRIEF)
            assert found.value == pytest.approx(best_score(DENSEST, graph))
            assert found.bound is None or found.bound >= found.value - 1e-9
            assert [value for _, value in found.trace] == sorted(value for _, value in found.trace)


def test_it_is_better_than_the_quotient_of_the_least_cut() -> None:
    gained = []
    for graph in generate("ba-small", count=5, seed=3):
        least = solve(graph, "cut", moves=200_000, time_limit=FAR, bound=False)
        found = solve(graph, "conductance", moves=200_000, time_limit=FAR, bound=False)
        gained.append(CONDUCTANCE.score(graph, least.nodes) - found.value)
    assert min(gained) >= -1e-12
    assert max(gained) > 0.01


def test_moves_and_a_seed_repeat_the_result() -> None:
    graphs = generate("ba-small", count=2, seed=2)
    runs = [
        solve(graphs, "conductance", moves=50_000, seed=5, restarts=2, time_limit=FAR, bound=False, num_threads=threads)
        for threads in (1, 2, 1)
    ]
    assert [each.nodes for each in runs[0]] == [each.nodes for each in runs[1]] == [each.nodes for each in runs[2]]


def test_without_polish_sets_are_decoded_at_the_price_of_the_best() -> None:
    for graph in generate("ba-small", count=4, seed=4):
        cut = solve(graph, "cut", polish=False, bound=False)
        decoded, several = (solve(graph, "conductance", polish=False, bound=False, restarts=count) for count in (1, 8))
        searched = solve(graph, "conductance", moves=200_000, time_limit=FAR, bound=False)
        assert decoded.method == "decoding"
        # All restarts share the price of the best: which sets several lead to is not told by one.
        assert CONDUCTANCE.score(graph, cut.nodes) >= decoded.value >= searched.value
        assert CONDUCTANCE.score(graph, cut.nodes) >= several.value >= searched.value


def test_the_trace_is_of_quotients() -> None:
    found = solve(generate("ba-small", count=1, seed=1), "conductance", moves=100_000, time_limit=FAR, bound=False)
    values = [value for _, value in found.trace]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(found.value, rel=1e-12)
    assert all(0 < value < 1 for value in values)


@pytest.mark.processes
def test_a_stop_ends_early() -> None:
    graph, stop = generate("ba-small", count=1, seed=1), StopFlag()

    def model(given, instance):
        stop.set()
        return np.zeros(given.num_nodes)

    # Nothing else would end it: the limit is of days.
    [found] = solve_each(Solver(CONDUCTANCE, model=model, time_limit=1e6, stop=stop), graph)
    assert found.value < 1


class Proposer:
    """A network for cuts that proposes one half of the barbell, and the other."""

    name, problem, step_seconds = "halves", "cut", CORE_STEP

    def with_settings(self, **_: object) -> Proposer:
        return self

    def __call__(self, graph, instance):
        return np.array([[9.0] * 3 + [-9.0] * 3, [-9.0] * 3 + [9.0] * 3, [9.0, -9.0] * 3])


def test_networks_are_those_of_the_numerator() -> None:
    decoded = solve(BARBELL, "conductance", model=Proposer(), polish=False, bound=False, restarts=3)
    assert (decoded.value, decoded.method) == (pytest.approx(1 / 7), "halves + decoding")
    assert solve(BARBELL, "conductance", model=Proposer(), restarts=2, **BRIEF).value == pytest.approx(1 / 7)
    with pytest.raises(InputError, match="the model was trained for cut, not for mis"):
        Solver(PROBLEMS["mis"], model=Proposer())


def test_the_network_of_the_package_for_cuts_proposes() -> None:
    found = solve(
        generate("ba-small", count=1, seed=1), "conductance", model="auto", moves=1000, time_limit=FAR, bound=False
    )
    assert found.method.startswith("field + ")


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"volume": (20, 30)}, "graph 0: no set has a volume in 20:30, all nodes have 14"),
        ({"seed_node": 9}, "graph 0: seed_node 9 is not a node of the graph"),
        ({"price": 1.0}, "conductance has no option 'price'; choose one of volume, seed_node"),
    ],
)
def test_errors_are_those_of_cut(options: dict, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        solve(BARBELL, "conductance", **options)


def test_the_command_line_takes_boxes_and_seed_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "barbell.npz"
    write_graph(BARBELL, path)
    brief = ["--volume", "4:8", "--seed-node", "5", *BRIEF_OPTIONS]
    assert call("solve", "conductance", path, *brief, "--json", "--plot", tmp_path / "out.png") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["problem"], found["nodes"], found["optimal"]) == ("conductance", [3, 4, 5], True)
    assert found["value"] == pytest.approx(1 / 7) == pytest.approx(found["bound"])
    assert (tmp_path / "out.png").exists()
    assert call("solve", "conductance", path, "--volume", "20:30") == 2
    assert "no set has a volume in 20:30" in capsys.readouterr().err
    assert call("train", "conductance", "--data", "rb-small") == 2
    assert "conductance is a quotient, which no network learns: train cut" in capsys.readouterr().err


@pytest.mark.parametrize("restarts", [4, 16])
def test_many_restarts_all_come_to_the_last_price(restarts):
    star = Graph.from_edges([[0] * 8, range(1, 9)], edge_weight=np.random.default_rng(0).random(8))
    posed = PROBLEMS["conductance"].with_options(volume=(0, 4), seed_node=3)
    best = best_score(posed, star)
    found = [attempt(Solver(posed, **BRIEF, restarts=restarts, seed=seed), star, 0, 1).value for seed in range(5)]
    assert found == pytest.approx([best] * 5)


def test_a_network_of_another_problem_is_refused_by_what_would_do():
    class Other:
        name, problem, step_seconds = "some", "mis", CORE_STEP

        def with_settings(self, **_):
            return self

        def __call__(self, graph, instance):
            return np.zeros(graph.num_nodes)

    with pytest.raises(InputError, match="was trained for mis, not for cut, whose networks serve conductance"):
        Solver(PROBLEMS["conductance"], model=Other())


def test_a_quotient_of_nothing_is_proven_whatever_the_weights():
    """Two triangles of edges whose weights have no exact sums: the range of volumes takes one of them."""
    graph = Graph.from_edges([[0, 1, 0, 3, 4, 3], [1, 2, 2, 4, 5, 5]], 6, edge_weight=np.full(6, 1 / 3))
    found = solve(graph, "conductance", moves=1000, time_limit=FAR)
    assert (found.value, found.bound, found.optimal) == (0.0, 0.0, True)
