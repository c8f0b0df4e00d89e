"""Options of problems and arguments of `solve`: what reaches the problem, and what is refused by name."""

import networkx as nx
import numpy as np
import pytest

import annealco
from annealco import Graph, InputError
from annealco.problems import PROBLEMS
from annealco.solving.solve import solve, solve_each
from annealco.solving.solver import Solver
from tests.budgets import BRIEF, FAR

PATH = [[0, 1, 2, 3], [1, 2, 3, 4]]


def test_options_reach_the_problem_and_nodes_are_named_by_their_labels():
    graph = nx.barbell_graph(4, 0)
    relabelled = nx.relabel_nodes(graph, {node: f"n{node}" for node in graph})
    solution = solve(relabelled, "cut", volume=(10, 16), seed_node="n7", **BRIEF)
    assert set(solution.nodes) == {"n4", "n5", "n6", "n7"}
    assert solution.value == 1
    with pytest.raises(InputError, match="seed_node 'n9' is not a node"):
        solve(relabelled, "cut", seed_node="n9")
    with pytest.raises(InputError, match="mis has no option 'volume'"):
        solve(graph, "mis", volume=(1, 2))
    with pytest.raises(InputError, match="no set has a volume in 90:99"):
        solve(graph, "cut", volume=(90, 99))


@pytest.mark.parametrize("name", [lambda node: node, str, lambda node: frozenset([node]), lambda node: (node, None)])
def test_a_node_is_found_by_any_label(name):
    grid = nx.grid_2d_graph(3, 3)
    labelled = nx.relabel_nodes(grid, {node: name(node) for node in grid})
    solution = solve(labelled, "cut", seed_node=name((1, 1)), **BRIEF)
    assert name((1, 1)) in solution.nodes
    assert solve(labelled, "cut", seed_node=None, **BRIEF).value > 0


@pytest.mark.parametrize("seed_node", [[1], [0, 9, 9], np.array([1]), {1}, (1, 1), 1.5, "1"], ids=repr)
def test_what_is_no_label_is_no_node(seed_node):
    for source in (nx.path_graph(3), [nx.path_graph(5), nx.path_graph(6)]):
        with pytest.raises(
            InputError, match=r"seed_node .* is not a node of the graph|seed_node must be the label of a node"
        ):
            solve(source, "cut", seed_node=seed_node, **BRIEF)


def test_options_are_held_against_all_graphs_before_one_is_solved():
    graphs = Graph.batch([annealco.as_graph(nx.path_graph(count)) for count in (6, 5, 3)])
    for options, rule in (({"seed_node": 4}, "seed_node 4 is not a node"), ({"volume": (6, 8)}, "no set has a volume")):
        solver = Solver(PROBLEMS["cut"], options=options)
        with pytest.raises(InputError, match=f"graph 2: {rule}"):
            next(solve_each(solver, graphs))


def test_an_impossible_box_is_told():
    star = nx.star_graph(5)
    complete = nx.complete_graph(4)
    assert solve(star, "cut", volume=(4, 4), **BRIEF).value == 4
    with pytest.raises(InputError, match="graph 1: no set has a volume in 4:5, degrees add up to none"):
        solve([star, complete], "cut", volume=(4, 5), **BRIEF)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"problem": "tsp"}, "unknown problem 'tsp'; choose one of mis, clique"),
        ({"problem": "mis", "time_limit": 0}, "time limit must be more than 0"),
        ({"problem": "mis", "time_limit": 10**400}, "time_limit must be a number below 9e307"),
        ({"problem": "mis", "penalty_scale": 10**400}, "penalty_scale must be a number below 9e307"),
        ({"problem": "mis", "moves": -(10**5000)}, "moves must be a number below 9e307"),
        ({"problem": "mis", "time_limit": float("nan")}, "time limit must be more than 0"),
        ({"problem": "mis", "restarts": 0}, "restarts must be at least 1"),
        ({"problem": "mis", "moves": -1}, "moves must not be negative"),
        ({"problem": "mis", "seed": -1}, "seed must not be negative"),
        ({"problem": "mis", "model": "gpt"}, "unknown model 'gpt'"),
        ({"problem": "mis", "num_threads": 0}, "num_threads must be at least 1"),
        ({"problem": "mis", "penalty_scale": -1}, "penalty scale must not be negative"),
    ],
)
def test_bad_arguments_are_refused(arguments, rule):
    with pytest.raises(InputError, match=rule):
        solve(PATH, **arguments)


@pytest.mark.parametrize(
    ("argument", "values", "rule"),
    [
        ("restarts", [1.5, True, "2", None], "restarts must be a whole number, it is"),
        ("seed", [1.5, "0", False], "seed must be a whole number, it is"),
        ("moves", [1.5, "9", True], "moves must be a whole number or None, it is"),
        ("num_threads", [1.5, "2", True], "num_threads must be a whole number or None, it is"),
        ("time_limit", ["1", True], "time_limit must be a number, it is"),
        ("total_time", ["1", True], "total_time must be a number or None, it is"),
        ("gap", ["1", None, True], "gap must be a number, it is"),
        ("gap", [-0.1, 1.0, 7], "the gap must be from 0 to below 1, it is"),
        ("total_time", [0, -1.0, float("inf"), float("nan")], "the total time must be more than 0 seconds and finite"),
        ("patience", [True, [1]], "patience must be a number or text or None, it is"),
        ("patience", [0, -1, "0%", "101%", "", "%", "soon", float("nan")], "patience must be seconds above 0, or a sh"),
        ("progress", [None, 1, "yes"], "progress must be True or False, it is"),
        ("penalty_scale", ["a", None, [1]], "penalty_scale must be a number, it is"),
        ("polish", ["no", 0, None], "polish must be True or False, it is"),
        ("bound", ["no", 1, None], "bound must be True or False, it is"),
        ("model", [None, 3, b"none", ["none"]], "model must be none, auto, a folder or a function, it is"),
        ("problem", [None, 3, ["mis"]], "is no problem: it is of type"),
    ],
)
def test_arguments_of_another_type_are_refused(argument, values, rule):
    for value in values:
        with pytest.raises(InputError, match=rule):
            solve(PATH, **{"problem": "mis", argument: value})


def test_numbers_of_numpy_s_are_numbers():
    numbers = {"restarts": np.int64(2), "seed": np.uint8(3), "moves": np.int32(50), "num_threads": np.int16(1)}
    solution = solve(PATH, "mis", **numbers, time_limit=np.float32(FAR), penalty_scale=np.int64(1), polish=np.True_)
    assert solution.value == 3
