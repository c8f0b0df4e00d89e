import threading
from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

from annealco.baselines import METHODS
from annealco.clock import now
from annealco.errors import InputError
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.models.compiled_field import TORCH_STEP, load_compiled
from annealco.models.pretrained import shipped_folder
from annealco.problems import PROBLEMS
from annealco.solving import pipeline as module
from annealco.solving.initial_sets import (
    DECODED_AT_ONCE,
    decoded_starts,
    has_time_for_network,
    probabilities,
    trivial_starts,
)
from annealco.solving.pipeline import attempt
from annealco.solving.solve import run_network_once, solve
from annealco.solving.solver import Solver
from tests.budgets import ANY_MOMENT, BRIEF, FAR
from tests.waiting import PATIENCE


class Rounds:
    """A network whose one restart proposes a poor set, the best one, and a poor set again."""

    name, problem, step_seconds = "rounds", "mis", TORCH_STEP

    def with_settings(self, **_: object) -> "Rounds":
        return self

    def __call__(self, graph, instance):
        best, poor = (np.where(np.isin(np.arange(graph.num_nodes), nodes), 9.0, -9.0) for nodes in ([0, 2, 4], [1, 3]))
        return np.stack([poor, best, poor])


PLAIN = [0, 2, 4]


class Timed(Rounds):
    """A network that notes for how long it may run."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def with_settings(self, *, seconds: float, **_: object) -> "Timed":
        self.seconds.append(seconds)
        return self


def ask(solver, graph):
    """Let the network of a solver propose."""
    return probabilities(solver, graph, solver.problem.declare(graph))


def test_a_network_takes_a_share_of_the_time_unless_it_is_alone_or_moves_are_counted():
    path, timed = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5), Timed()
    for options in ({}, {"polish": False}, {"moves": 100}):
        ask(Solver(PROBLEMS["mis"], model=timed, time_limit=40, **options), path)
    assert timed.seconds == [pytest.approx(10), np.inf, np.inf]


def test_what_prepares_a_network_is_one_call_without_time_for_more_than_a_step(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("annealco.solving.solve._PREPARED", set())
    timed = Timed()
    for _ in range(2):
        run_network_once(Solver(PROBLEMS["mis"], model=timed, polish=False))
    assert timed.seconds == [0.0]


@pytest.mark.processes
def test_no_network_is_asked_where_the_time_is_too_short_for_some_steps_of_it():
    path, timed = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5), Timed()
    hurried = attempt(Solver(PROBLEMS["mis"], model=timed, time_limit=1e-9), path, 0, 1)
    assert not timed.seconds
    assert "rounds" not in hurried.method
    alone = attempt(Solver(PROBLEMS["mis"], model=timed, time_limit=1e-9, polish=False), path, 0, 1)
    assert timed.seconds == [np.inf]
    assert alone.method.startswith("rounds")


def test_larger_graphs_need_more_time_for_a_network():
    solver = Solver(PROBLEMS["mis"], model=Timed(), time_limit=80)
    assert has_time_for_network(solver, SimpleNamespace(num_nodes=1_000_000, num_edges=9_000_000))
    assert not has_time_for_network(solver, SimpleNamespace(num_nodes=10_000_000, num_edges=9_000_000))


def test_a_network_that_proposes_often_has_the_starts_that_were_asked_for(monkeypatch):
    begun = []
    real = module.Improver

    def improver(instance, start, **options):
        begun.append(np.flatnonzero(start).tolist())
        return real(instance, start, **options)

    monkeypatch.setattr(module, "Improver", improver)
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5)
    # Of several the last begins without a proposal.
    for restarts, starts in [(1, [[0, 2, 4]]), (2, [[0, 2, 4], PLAIN]), (3, [[1, 3], [0, 2, 4], PLAIN])]:
        begun.clear()
        attempt(Solver(PROBLEMS["mis"], model=Rounds(), restarts=restarts, **BRIEF), path, 0, 1)
        assert begun == starts


class Wide(Timed):
    """A network that notes how many restarts it is asked for."""

    def with_settings(self, *, num_restarts: int, **_: object) -> "Wide":
        self.seconds.append(num_restarts)
        return self


def test_a_network_is_asked_for_as_many_restarts_as_make_some_steps_in_time():
    path, wide = Graph.from_edges([range(999), range(1, 1000)]), Wide()
    for options in ({"time_limit": 8}, {"time_limit": 8, "moves": 10}, {"time_limit": 400}):
        ask(Solver(PROBLEMS["mis"], model=wide, restarts=5000, bound=False, **options), path)
    assert wide.seconds == [124, 5000, 5000]


def test_a_network_for_independent_sets_proposes_what_a_cover_leaves_out():
    """One set of weights serves both: a node is in a cover as surely as it is not in the independent set."""
    graph = generate("rb-small", count=1, seed=3)
    graph = replace(graph, node_weight=np.random.default_rng(0).integers(1, 9, graph.num_nodes).astype(float))
    trained = load_compiled(shipped_folder("mis")).with_settings(num_steps=8)
    chosen, covering = (
        ask(Solver(PROBLEMS[name], model=trained, restarts=4, polish=False), graph) for name in ("mis", "vertex_cover")
    )
    assert covering == pytest.approx(1 - chosen)
    assert solve(graph, "vertex_cover", model="auto", polish=False, bound=False).method.startswith("field")


class Misled(Timed):
    """A network that proposes the worse of the two maximal sets of a path."""

    def __call__(self, graph, instance):
        return np.where(np.isin(np.arange(graph.num_nodes), [1, 3]), 9.0, -9.0)


@pytest.mark.parametrize("options", [{"moves": 0}, {"time_limit": FAR}])
def test_a_proposal_that_is_worse_than_even_probabilities_is_no_start(options):
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5)
    solver = Solver(PROBLEMS["mis"], model=Misled(), **options)
    instance = PROBLEMS["mis"].declare(path)
    rows = probabilities(solver, path, instance)
    [start] = decoded_starts(solver, instance, None, rows, threads=1, started=now())
    assert np.flatnonzero(start).tolist() == PLAIN
    alone = replace(solver, polish=False)
    assert len(probabilities(alone, path, instance)) == 1


def test_where_decoding_takes_much_of_the_time_the_proposal_is_not_compared():
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5)
    for time_limit, rows in ((NO_TIME, 1), (FAR, 2)):
        assert len(ask(Solver(PROBLEMS["mis"], model=Misled(), time_limit=time_limit), path)) == rows


def test_a_network_tells_what_its_first_step_takes():
    path = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]], 5)
    quick, slow = load_compiled(shipped_folder("mis")).step_seconds, Timed().step_seconds
    assert quick.least < slow.least
    for least, expected in ((1.9, True), (2.1, False)):
        network = Timed()
        network.step_seconds = slow._replace(least=least)
        assert has_time_for_network(Solver(PROBLEMS["mis"], model=network, time_limit=8), path) is expected


def test_without_a_model_the_first_start_is_even_and_the_others_nearly():
    path = Graph.from_edges([[0, 1], [1, 2]])
    solver = Solver(PROBLEMS["mis"], restarts=3, seed=1)
    rows = probabilities(solver, path, PROBLEMS["mis"].declare(path))
    assert rows.shape == (3, 3)
    assert (rows[0] == 0.5).all()
    assert len(np.unique(rows[1:])) == 6
    assert rows == pytest.approx(0.5, abs=1e-2)


@pytest.mark.parametrize("logits", [np.zeros(2), np.full(3, np.nan), np.zeros((1, 1, 3)), np.zeros((0, 3))])
def test_models_that_give_no_logits_of_the_nodes_are_refused(logits):
    path = Graph.from_edges([[0, 1], [1, 2]])
    solver = Solver(PROBLEMS["mis"], model=lambda graph, instance: logits)
    with pytest.raises(InputError, match=r"a model must give (finite )?logits"):
        probabilities(solver, path, PROBLEMS["mis"].declare(path))


@pytest.mark.parametrize(("options", "count"), [({}, DECODED_AT_ONCE), ({"moves": 10}, 50), ({"polish": False}, 50)])
def test_rows_are_decoded_for_half_of_the_time_where_time_counts(options, count):
    graph = generate("rb-small", count=1, seed=1)
    instance = PROBLEMS["mis"].declare(graph)
    solver = Solver(PROBLEMS["mis"], restarts=50, time_limit=FAR, **options)
    rows = probabilities(solver, graph, instance)
    # What began long ago has no time left: only the first rows are decoded.
    sets = decoded_starts(solver, instance, None, rows, threads=1, started=-1e9)
    assert sets.shape == (count, graph.num_nodes)
    assert (instance.violations(sets) == 0).all()


class Observant(Timed):
    """A network that looks whether a search has begun, and may wait for it."""

    def __init__(self, problem: str, begun: threading.Event, *, waits: bool) -> None:
        super().__init__()
        self.problem, self.begun, self.waits = problem, begun, waits

    def __call__(self, graph, instance):
        self.saw_search = self.begun.wait(PATIENCE) if self.waits else self.begun.is_set()
        return np.zeros((1, graph.num_nodes))


@pytest.mark.parametrize("name", ["mis", "conductance"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.processes
def test_the_search_without_a_network_does_not_wait_for_it_where_it_has_a_thread(name, threads, monkeypatch):
    begun, graph = threading.Event(), generate("rb-small", count=1, seed=1)
    search = module.Improver if name == "mis" else module.QuotientImprover
    improve = search.improve

    def note_and_improve(self, *given, **options):
        begun.set()
        improve(self, *given, **options)

    monkeypatch.setattr(search, "improve", note_and_improve)
    network = Observant(PROBLEMS[name].learned_as, begun, waits=threads == 2)
    solver = Solver(PROBLEMS[name], model=network, time_limit=ANY_MOMENT, restarts=2, bound=False)
    solution = attempt(solver, graph, 0, threads)
    assert network.saw_search == (threads == 2)
    assert begun.is_set()
    assert solution.feasible


@pytest.mark.processes
def test_what_a_network_raises_ends_the_search_that_began_before_it():
    class Broken(Timed):
        def __call__(self, graph, instance):
            return np.full(graph.num_nodes, np.nan)

    # The search itself would go on for days.
    solver = Solver(PROBLEMS["mis"], model=Broken(), time_limit=1e6, restarts=2)
    with pytest.raises(InputError, match="finite logits"):
        attempt(solver, generate("rb-small", count=1, seed=1), 0, 2)


@pytest.mark.parametrize("given", ["text", [["a", "b", "c"]], object()])
def test_models_that_give_no_numbers_are_refused(given):
    path = Graph.from_edges([[0, 1], [1, 2]])
    with pytest.raises(InputError, match="a model must give numbers, not"):
        probabilities(Solver(PROBLEMS["mis"], model=lambda *_: given), path, PROBLEMS["mis"].declare(path))


NO_TIME = 1e-9
"""Seconds in which no machine decodes."""


def weighted_graph(num_nodes, num_edges):
    rng = np.random.default_rng(7)
    pairs = np.sort(rng.integers(0, num_nodes, (2, num_edges)), axis=0)
    pairs = np.unique(pairs[:, pairs[0] != pairs[1]], axis=1)
    return Graph.from_edges(pairs, num_nodes, node_weight=rng.integers(1, 100, num_nodes).astype(float))


@pytest.mark.parametrize("is_stopped", [False, True])
@pytest.mark.parametrize("name", ["mis", "vertex_cover"])
def test_where_decoding_would_take_too_long_the_search_begins_with_a_set_of_its_own(monkeypatch, name, is_stopped):
    def refuse(*_, **__):
        raise AssertionError("decoded")

    monkeypatch.setattr(module, "decoded_starts", refuse)
    graph = weighted_graph(2000, 6000)
    solver = Solver(PROBLEMS[name], time_limit=NO_TIME, bound=False)
    if is_stopped:
        solver.stop.set()
    found = attempt(solver, graph, 0, 1)
    assert found.value == PROBLEMS[name].score(graph, found.nodes)
    # Taking nodes of much weight for their neighbours first gives this much at least (Caro and Wei; Sakai et al.), but
    # for what keys are rounded by.
    least = 0.99 * float((graph.node_weight / (1 + graph.degree)).sum())
    weight = found.value if name == "mis" else graph.node_weight.sum() - found.value
    assert weight >= least


@pytest.mark.parametrize(
    "changed",
    [{"time_limit": FAR}, {"moves": 10}, {"restarts": 2}, {"polish": False}, {"model": lambda graph, _: graph.degree}],
)
def test_decoding_is_left_out_for_no_other_reason(changed):
    graph = weighted_graph(200, 600)
    instance = PROBLEMS["mis"].declare(graph)
    settings = {"time_limit": NO_TIME} | changed
    assert len(trivial_starts(Solver(PROBLEMS["mis"], **settings), graph, instance)) == 0
    for name, count in (("mis", 1), ("vertex_cover", 1), ("mds", 0), ("clique", 0), ("max_cut", 0)):
        solver = Solver(PROBLEMS[name], time_limit=NO_TIME)
        starts = trivial_starts(solver, graph, PROBLEMS[name].declare(graph))
        assert len(starts) == count
        assert all(PROBLEMS[name].score(graph, np.flatnonzero(start).tolist()) is not None for start in starts)


def test_dense_graphs_are_decoded_whatever_the_time():
    graph = weighted_graph(100, 3000)
    assert len(trivial_starts(Solver(PROBLEMS["mis"], time_limit=NO_TIME), graph, PROBLEMS["mis"].declare(graph))) == 0


def test_what_a_model_proposes_is_decoded_in_the_order_that_is_asked_for():
    # A star with a tail, 0 - {1, 2, 3}, 3 - 4: by probability its centre comes first, by confidence last.
    graph = Graph.from_edges([[0, 0, 0, 3], [1, 2, 3, 4]])
    logits = np.log(np.array([0.3, 0.2, 0.2, 0.2, 0.2]) / np.array([0.7, 0.8, 0.8, 0.8, 0.8]))

    def found(order):
        how = {"model": lambda *_: logits, "polish": False, "bound": False}
        return solve(graph, "mis", decode_order=order, **how).nodes

    assert found("probability") == [0, 4]
    assert found("confidence") == found("steepest") == [1, 2, 4]
    with pytest.raises(InputError, match="unknown order 'deepest'; choose one of probability, confidence, steepest"):
        solve(graph, "mis", decode_order="deepest")


def test_quotients_are_decoded_in_the_order_that_is_asked_for():
    graph = generate("ba-small", count=1, seed=3)
    values = {
        order: solve(graph, "conductance", decode_order=order, polish=False, bound=False).value
        for order in ("probability", "steepest")
    }
    assert values["probability"] != values["steepest"]


def test_without_a_model_the_steepest_order_is_the_greedy_algorithm():
    graph = Graph.from_edges(np.array(list(nx.barabasi_albert_graph(2000, 4, seed=1).edges)).T)
    sizes = {
        order: solve(graph, "mis", decode_order=order, polish=False, bound=False, restarts=2).value
        for order in ("probability", "steepest")
    }
    greedy = METHODS["greedy"].run(PROBLEMS["mis"], graph, budget=FAR, seed=0)
    # Ties of degrees are broken in other ways.
    assert abs(sizes["steepest"] - greedy.assignment.sum()) <= 0.01 * greedy.assignment.sum()
    assert sizes["steepest"] > sizes["probability"]
