"""When `solve` stops: gaps, patience, a total time; and what it starts from."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from annealco import Graph, InputError, generate, solve
from annealco._core import Patience
from annealco.clock import Budget
from annealco.errors import GraphFileError
from annealco.problems import PROBLEMS
from annealco.search.decode import decode
from annealco.search.searches import SEARCHES, Improver
from annealco.solving import solve as solve_module
from annealco.solving.initial_sets import as_starts, read_starts
from annealco.solving.pipeline import attempt
from annealco.solving.solve import solve_each
from annealco.solving.solver import Solver
from tests.bounds.references import random_graph
from tests.budgets import BRIEF, FAR
from tests.problems.brute_force import best_score
from tests.problems.sums import ON_GRAPHS

HARD = generate("rb-small-unforced", count=1, seed=1)
PATH = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 4]])


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "vertex_cover", "max_cut"])
@pytest.mark.parametrize("gap", [0.0, 0.1, 0.3])
def test_values_are_within_the_gap_that_is_asked_for(name, gap):
    for seed in range(4):
        graph = random_graph(seed, 11, 0.4, weights="integer")
        solution = attempt(Solver(PROBLEMS[name], **BRIEF, gap=gap), graph, 0, 1)
        best = best_score(PROBLEMS[name], graph)
        assert solution.gap <= gap
        assert abs(solution.value - best) <= gap * max(abs(solution.value), abs(best)) + 1e-9
        assert solution.optimal == (solution.gap == 0)


@pytest.mark.processes
def test_a_gap_ends_a_solve_that_a_proof_would_not():
    # Nothing but the gap would end it: the limit is of days, and the optimum is not proven within hours.
    graph = generate("rb-large-unforced", count=1, seed=0)
    solution = attempt(Solver(PROBLEMS["mis"], time_limit=1e6, gap=0.6), graph, 0, 1)
    assert 0 < solution.gap <= 0.6


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "max_cut", "cut", "conductance"])
@pytest.mark.parametrize("search", [None, "tabu", "annealing"])
def test_patience_in_moves_ends_a_search_and_is_repeatable(name, search):
    graph = generate("er-small", count=1, seed=3)
    settings = {"moves": 10**9, "time_limit": 1e6, "bound": False, "search": search}
    kind = None if search is None else SEARCHES[search]
    # A search of a thousand million moves would take minutes.
    solver = Solver(PROBLEMS[name], **settings | {"search": kind}, patience="0.002%")
    first, again = (attempt(solver, graph, 0, 1) for _ in range(2))
    assert first.nodes == again.nodes
    assert first.value == again.value


@pytest.mark.parametrize("kind", ["covering", "tabu", "annealing", "alternating"])
def test_moves_in_vain_are_counted_from_the_last_improvement_on(kind):
    instance = PROBLEMS["mis"].declare(HARD)
    start = decode(instance, np.full(instance.num_nodes, 0.5), num_threads=1)
    budget = Budget(moves=200_000)
    free = Improver(instance, start, seed=1, search=SEARCHES[kind])
    free.improve(budget)
    costs = {}
    for patience in (500, 5_000, 50_000):
        search = Improver(instance, start, seed=1, search=SEARCHES[kind], patience=Patience(moves=patience))
        search.improve(budget)
        assert patience <= search.moves <= budget.moves
        assert search.patience.is_over == (search.moves < budget.moves)
        costs[patience] = search.cost
        # What is over stays over.
        made = search.moves
        search.improve(budget)
        assert search.moves == made or not search.patience.is_over
    if kind in {"covering", "tabu"}:
        # Annealing finishes what it ends with, which may be better than what comes later.
        assert costs[500] >= costs[5_000] >= costs[50_000] >= free.cost


def test_patience_is_carried_over_from_call_to_call():
    instance = PROBLEMS["mis"].declare(HARD)
    start = decode(instance, np.full(instance.num_nodes, 0.5), num_threads=1)
    whole, cut = (Improver(instance, start, seed=1, patience=Patience(moves=3_000)) for _ in range(2))
    whole.improve(Budget(moves=10**6))
    for _ in range(10_000):
        cut.improve(Budget(moves=100))
        if cut.patience.is_over:
            break
    assert (cut.moves, cut.cost) == (whole.moves, whole.cost)
    assert np.array_equal(cut.assignment, whole.assignment)


def test_patience_does_not_end_what_has_found_nothing_feasible():
    patience = Patience(moves=1)
    patience.wait(0.0, 10)
    assert not patience.is_over
    assert patience.improve(5.0)
    assert not patience.is_over
    patience.wait(0.0, 1)
    assert patience.is_over
    assert not patience.improve(5.0)
    assert patience.improve(4.0)
    assert not patience.is_over


@pytest.mark.processes
@pytest.mark.parametrize("name", ["mis", "conductance"])
def test_patience_in_seconds_ends_a_limit_of_days(name):
    graph = generate("rb-small-unforced", count=1, seed=2)
    solution = attempt(Solver(PROBLEMS[name], time_limit=1e6, patience="0.000005%", restarts=2), graph, 0, 2)
    assert solution.feasible


def test_many_graphs_share_a_total_time_until_all_are_proven():
    graphs = Graph.batch([random_graph(seed, 12, 0.3) for seed in range(9)])
    found = solve(graphs, "mis", total_time=FAR, num_threads=2)
    assert [each.value for each in found] == [best_score(PROBLEMS["mis"], graph) for graph in graphs]
    assert all(each.optimal for each in found)
    assert [each.graph for each in found] == [str(number) for number in range(9)]
    assert {each.seed for each in found} == {0}


def test_every_graph_has_an_answer_where_there_is_no_time_at_all():
    graphs = generate("rb-small", count=12, seed=0)
    found = solve(graphs, "mis", total_time=1e-9, num_threads=2)
    assert len(found) == 12
    for graph, solution in zip(graphs, found, strict=True):
        assert PROBLEMS["mis"].score(graph, solution.nodes) == solution.value


class Watch:
    """A clock that goes on by what turns take."""

    def __init__(self):
        self.now = 0.0

    def reading(self):
        return self.now


def take_turns(monkeypatch, values, *, total, answer=0.0, **settings):
    """Solve pretended graphs, whose values after one turn after the other are given; return turns and solutions."""
    watch, turns = Watch(), []
    graphs = Graph.batch([PATH] * len(values))
    bits = np.zeros(5, dtype=bool)

    def pretended(solver, graph, number, threads, *, start, known):
        made = sum(turn[0] == number for turn in turns)
        assert (start is None) == (known is None) == (made == 0)
        turns.append((number, solver.time_limit, solver.polish, solver.seed))
        watch.now += solver.time_limit if solver.polish else answer
        value = values[number][min(made, len(values[number]) - 1)]
        solution = solve(PATH, "mis", **BRIEF)
        solved = value >= 100
        fields = {"value": value, "bound": 100.0, "gap": 0.0 if solved else 1 - value / 100, "optimal": solved}
        return replace(solution, **fields, seconds=solver.time_limit, trace=[(0.0, value)]), bits

    monkeypatch.setattr(solve_module, "attempt_from", pretended)
    monkeypatch.setattr(solve_module, "now", watch.reading)
    solver = Solver(PROBLEMS["mis"], total_time=total, num_threads=1, **{"time_limit": total} | settings)
    return turns, list(solve_each(solver, graphs)), watch.now


def test_the_time_goes_to_graphs_that_still_improve(monkeypatch):
    values = [[100], [50, 60, 70, 80, 90], [40]]
    turns, found, spent = take_turns(monkeypatch, values, total=90.0)
    assert [turn[0] for turn in turns[:3]] == [0, 1, 2]
    # The first is proven in its first turn and has no other; of the others the one that improves has most.
    time = [sum(turn[1] for turn in turns if turn[0] == number) for number in range(3)]
    assert time[0] == turns[0][1]
    assert time[1] > time[2]
    assert spent == pytest.approx(90.0)
    assert [each.value for each in found] == [100, values[1][sum(turn[0] == 1 for turn in turns) - 1], 40]
    # No turn repeats the seeds of another.
    assert len({turn[3] for turn in turns if turn[0] == 1}) == sum(turn[0] == 1 for turn in turns)


def test_no_graph_has_more_than_the_time_limit(monkeypatch):
    turns, _, spent = take_turns(monkeypatch, [[10], [20]], total=1000.0, time_limit=30.0)
    for number in range(2):
        assert sum(turn[1] for turn in turns if turn[0] == number) == pytest.approx(30.0)
    assert spent == pytest.approx(60.0)


def test_patience_ends_graphs_that_share_a_total_time(monkeypatch):
    _, _, spent = take_turns(monkeypatch, [[10], [20]], total=1000.0, patience="10%")
    # A share is of the time that each graph has on average, half of all here.
    assert spent < 1000.0


def test_graphs_without_time_are_decoded_only(monkeypatch):
    turns, found, spent = take_turns(monkeypatch, [[10]] * 1000, total=0.5, answer=0.0001)
    assert len(found) == 1000
    assert [turn[0] for turn in turns[:1000]] == list(range(1000))
    assert not any(turn[2] for turn in turns[:1000])
    # What is left goes to some of them.
    assert any(turn[2] for turn in turns[1000:])
    assert spent <= 0.5 + 1e-9


def test_moves_are_made_once_whatever_the_total_time():
    graphs = generate("rb-small-unforced", count=3, seed=2)
    settings = {"moves": 500, "bound": False, "num_threads": 1}
    shared = solve(graphs, "mis", total_time=FAR * 100, **settings)
    alone = solve(graphs, "mis", time_limit=FAR, **settings)
    assert [each.nodes for each in shared] == [each.nodes for each in alone]


@pytest.mark.parametrize("name", ["mis", "clique", "mds", "vertex_cover", "max_cut", "cut", "conductance"])
def test_an_answer_is_never_worse_than_its_start(name):
    problem, graph = PROBLEMS[name], generate("er-small", count=1, seed=5)
    good = attempt(Solver(problem, time_limit=FAR, moves=100_000, bound=False), graph, 0, 1)
    for polish, restarts in ((True, 1), (False, 1), (True, 3)):
        settings = {"moves": 0, "time_limit": FAR, "bound": False, "polish": polish, "restarts": restarts}
        found = solve(graph, name, start=good.nodes, **settings)
        assert found.value >= good.value if problem.sense == "max" else found.value <= good.value
        if restarts == 1:
            assert found.nodes == good.nodes


@pytest.mark.parametrize("name", list(ON_GRAPHS))
def test_any_set_can_be_a_start(name):
    graph = random_graph(3, 12, 0.4)
    for nodes in ([], range(12), [0, 1, 2], {5}, np.array([3, 4])):
        found = solve(graph, name, start=nodes, **BRIEF)
        assert found.feasible
        assert found.value == best_score(PROBLEMS[name], graph)


def test_a_start_is_given_by_the_labels_of_the_user():
    graph = nx.relabel_nodes(nx.path_graph(5), {node: f"room {node}" for node in range(5)})
    start = ["room 1", "room 3"]
    assert solve(graph, "mis", start=start, polish=False, bound=False).nodes == start
    with pytest.raises(InputError, match=r"^graph 0: the start has 'room1', which is no node; did you mean room 1\?"):
        solve(graph, "mis", start=["room1"])
    with pytest.raises(InputError, match=r"the start has \[1\], which is no node"):
        solve(graph, "mis", start=[[1]])


@pytest.mark.parametrize(
    ("start", "rule"),
    [
        (7, "start must be labels of nodes, it is 7"),
        ("room", "start must be labels of nodes, it is 'room'"),
        (np.ones(5, dtype=bool), "start must be labels of nodes, not which of them are chosen"),
        ([9], "the start has 9, which is no node"),
    ],
)
def test_what_is_no_start_is_refused(start, rule):
    with pytest.raises(InputError, match=rule):
        solve(PATH, "mis", start=start)


def test_several_graphs_have_a_list_of_starts():
    graphs = [nx.path_graph(4), nx.path_graph(5), nx.path_graph(3)]
    found = solve(graphs, "mis", start=[[1, 3], None, {1}], polish=False, bound=False, num_threads=2)
    assert [found[0].nodes, found[2].nodes] == [[1, 3], [1]]
    assert found[1].feasible
    with pytest.raises(InputError, match="there are 2 starts for 3 graphs"):
        solve(graphs, "mis", start=[[1], [1]])
    with pytest.raises(InputError, match=r"start must be a list with the nodes of each graph, it is \{1\}"):
        solve(graphs, "mis", start={1})
    with pytest.raises(InputError, match="graph 1: the start has 5, which is no node"):
        solve(graphs, "mis", start=[[1], [5], [1]])


def test_a_solve_goes_on_from_a_solution_with_another_seed():
    first = solve(HARD, "mis", moves=200, bound=False, time_limit=FAR)
    second = solve(HARD, "mis", moves=20_000, bound=False, start=first, time_limit=FAR)
    assert (first.seed, second.seed) == (0, 1)
    assert second.value >= first.value
    assert solve(HARD, "mis", moves=200, bound=False, start=second, seed=7, time_limit=FAR).seed == 7


def named(count):
    names = np.array([f"road{number}" for number in range(count)])
    return replace(Graph.batch([PATH] * count), graph_data={"name": names})


def row(**fields):
    return json.dumps({"graph": "road0", "problem": "mis", "nodes": [0, 2], "seed": 4} | fields)


@pytest.mark.parametrize(
    ("text", "chosen", "seed"),
    [
        (row(), [0, 2], 4),
        (row(graph="another name"), [0, 2], 4),
        ('{"nodes": ["0", "2"]}', [0, 2], None),
        ("[0, 2]", [0, 2], None),
        ("[[0, 2]]", [0, 2], None),
        ("[]", [], None),
        ("0\n\n 2 \n", [0, 2], None),
        ("3", [3], None),
        ('[{"nodes": [1]}]', [1], None),
        (json.dumps(json.loads(row()), indent=2), [0, 2], 4),
    ],
)
def test_starts_are_read_from_files(tmp_path, text, chosen, seed):
    file = tmp_path / "start.json"
    file.write_text(text)
    found = read_starts(file, named(1), "mis")
    assert np.flatnonzero(found.sets[0]).tolist() == chosen
    assert found.seed == seed


def test_lines_are_of_the_graphs_that_they_name(tmp_path):
    file = tmp_path / "last.jsonl"
    file.write_text("\n".join([row(graph="road2", seed=9), row(graph="road0"), row(graph="road0", nodes=[4])]) + "\n")
    found = read_starts(file, named(3), "mis")
    assert [None if each is None else np.flatnonzero(each).tolist() for each in found.sets] == [[4], None, [0, 2]]
    assert found.seed == 9
    file.write_text("[[0], [1], [2]]")
    assert [np.flatnonzero(each).tolist() for each in read_starts(file, named(3), "mis").sets] == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        *((text, r": the file is empty; write \[\] for the empty set") for text in ("", "\n", " \n\t\n \u2003\n")),
        ('{"nodes": [0]}\n{"nodes": [0', r":2: this is no JSON: Expecting"),
        ("[" * 100_000, r":1: this is no JSON: it is nested too deeply"),
        (row(problem="mds"), ": the start is of 'mds', not of mis"),
        (f"{row()}\n{row(graph='road7')}", r":2: no graph is called 'road7'; did you mean road"),
        (f"{row()}\n{row(nodes=[0, 'x1'])}", r":2: the start has 'x1', which is no node"),
        ("0\n\n1\nx1\n", ":4: the start has 'x1', which is no node"),
        (row(nodes=3), ": a start must have a list of nodes"),
        (row(seed=-1), ": the seed must be a whole number from 0, it is -1"),
        (row(seed=True), ": the seed must be a whole number from 0, it is True"),
        ("[[0], [1], [2], [3]]", ": it has 4 starts for 2 graphs"),
        ("\0", ":1: a NUL byte is not text"),
    ],
)
def test_files_that_are_no_starts_are_refused(tmp_path, text, rule):
    file = tmp_path / "start.json"
    file.write_text(text)
    with pytest.raises(GraphFileError, match=f"start.json{rule}"):
        read_starts(file, named(2), "mis")
    with pytest.raises(GraphFileError, match="no such file"):
        read_starts(tmp_path / "none", named(1), "mis")


def test_starts_need_not_hold_all_that_was_found():
    assert as_starts([None], PATH, "mis", many=True).sets == [None]


def test_a_solution_of_another_problem_is_no_start():
    with pytest.raises(InputError, match="the start is a solution of mis, not of mds"):
        solve(PATH, "mds", start=solve(PATH, "mis", **BRIEF))


def test_progress_is_shown_where_it_is_asked_for(capsys):
    graphs = [nx.path_graph(4), nx.path_graph(5)]
    solve(graphs, "mis", **BRIEF)
    assert capsys.readouterr() == ("", "")
    solve(graphs, "mis", **BRIEF, progress=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("annealco: solving 2/2  mean value 2.5, 2 proven")
