"""Set systems: every container and file is the same system, and values agree with brute force over sets and CP-SAT."""

from __future__ import annotations

from itertools import chain, combinations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import annealco
from annealco import Graph, InputError, set_system
from annealco.baselines import METHODS
from annealco.energy import Constraint, Cover, Instance, Linear
from annealco.energy.structure import structure_of
from annealco.graph.formats import read_graph, write_graph
from annealco.problems import PROBLEMS
from annealco.problems.hitting_set import HITTING_SET
from annealco.problems.set_cover import SET_COVER, formats_for
from tests.budgets import BRIEF, FAR
from tests.cli.program import Output, call

SETS = [{1, 2}, {2, 3}, {3, 4}, {1, 4}, {1, 2, 3, 4}]
COSTS = [1.0, 2.0, 1.0, 2.0, 2.5]
MATRIX = np.array([[element in each for each in SETS] for element in range(1, 5)])


def bipartite():
    graph = nx.Graph()
    graph.add_nodes_from((f"s{k}", {"bipartite": 0, "weight": cost}) for k, cost in enumerate(COSTS))
    graph.add_nodes_from(range(1, 5), bipartite=1)
    graph.add_edges_from((f"s{k}", element) for k, each in enumerate(SETS) for element in each)
    return graph


SYSTEMS = {
    "list of sets": set_system(SETS, costs=COSTS),
    "list of lists": set_system([[*each, *each] for each in SETS], costs=np.array(COSTS)),
    "dictionary": set_system({f"s{k}": each for k, each in enumerate(SETS)}, costs=COSTS),
    "costs by label": set_system(dict(enumerate(SETS)), costs=dict(enumerate(COSTS))),
    "dense matrix": set_system(MATRIX, costs=COSTS),
    "sparse matrix": set_system(scipy.sparse.csc_matrix(MATRIX.astype(int)), costs=COSTS),
    "networkx": set_system(bipartite()),
    "named elements": set_system(annealco.as_graph(bipartite()), elements=[1, 2, 3, 4]),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_container_is_the_same_system(name):
    graph = SYSTEMS[name]
    assert graph.node_data["element"].tolist() == [False] * 5 + [True] * 4
    found = annealco.solve(graph, "set_cover", **BRIEF)
    prefix = "s" if isinstance(graph.labels[0], str) else ""
    expected = [f"s{k}" for k in (0, 2)] if prefix else [0, 2]
    assert (found.nodes, found.value, found.optimal) == (expected, 2.0, True)


def test_solve_reads_sets_and_answers_in_their_labels():
    assert annealco.solve([{1, 2}, {2, 3}, {3}], "set_cover", **BRIEF).nodes == [0, 1]
    assert annealco.solve([{1, 2}, {2, 3}, {3, 1}, {4}], "hitting_set", **BRIEF).value == 3
    assert annealco.solve({"a": ["x", "y"], "b": ["y", "z"]}, "hitting_set", **BRIEF).nodes == ["y"]
    many = annealco.solve([[{1, 2}, {2, 3}], [{5}], {"one": [1]}], "set_cover", **BRIEF)
    assert [each.nodes for each in many] == [[0, 1], [0], ["one"]]
    assert annealco.solve(MATRIX, "hitting_set", **BRIEF).value == 2
    assert annealco.solve(bipartite(), "set_cover", **BRIEF).nodes == ["s0", "s2"]


def test_labels_that_clash_stay_those_of_the_answer():
    """Sets are numbered from 0, and the elements are numbers too."""
    assert set_system([{0, 1}]).labels.tolist() == [0, ("element", 0), ("element", 1)]
    assert set_system([{0, 1}], labels="elements").labels.tolist() == [("set", 0), 0, 1]
    assert set_system([{"x"}]).labels.tolist() == [0, "x"]
    assert annealco.solve([{7, 0}, {7, 1}], "hitting_set", **BRIEF).nodes == [7]


def best_cover(sets, costs):
    """Return the least cost of sets whose union is everything, by trying all."""
    every = set().union(*sets)
    choices = chain.from_iterable(combinations(range(len(sets)), size) for size in range(len(sets) + 1))
    held = [chosen for chosen in choices if set().union(*(sets[k] for k in chosen)) == every]
    return min(sum(costs[k] for k in chosen) for chosen in held)


@given(st.lists(st.tuples(st.frozensets(st.integers(0, 5), max_size=4), st.integers(0, 5)), min_size=1, max_size=6))
@settings(max_examples=60)
def test_values_are_those_of_brute_force_over_sets(given_sets):
    sets, costs = [each for each, _ in given_sets], [cost for _, cost in given_sets]
    graph = set_system(sets, costs=costs)
    found = annealco.solve(graph, "set_cover", **BRIEF)
    assert (found.value, found.optimal) == (best_cover(sets, costs), True)
    assert set().union(*(sets[k] for k in found.nodes)) == set().union(*sets)


@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=6))
@settings(max_examples=30)
def test_a_hitting_set_is_a_cover_of_the_dual(sets):
    elements = sorted(set().union(*sets))
    dual = [{number for number, each in enumerate(sets) if element in each} for element in elements]
    costs = {element: 1 + element % 3 for element in elements}
    found = annealco.solve(set_system(sets, element_costs=costs, labels="elements"), "hitting_set", **BRIEF)
    assert found.value == best_cover(dual, [costs[element] for element in elements])
    assert all(each & set(found.nodes) for each in sets)


def test_elements_are_never_chosen_whatever_they_cost():
    """They cost nothing themselves here, and are in no set that must be hit."""
    graph = set_system([{1, 2}, {2, 3}], element_costs=[0, 0, 0])
    assert SET_COVER.score(graph, [0, 1]) == 2
    assert SET_COVER.score(graph, [0, 1, 2]) is None
    assert HITTING_SET.score(graph, [3]) == 0
    assert HITTING_SET.score(graph, [0, 3]) is None
    for search in ("covering", "alternating", "annealing", "tabu"):
        for seed in range(3):
            found = annealco.solve(graph, "set_cover", search=search, seed=seed, **BRIEF)
            assert (found.nodes, found.value) == ([0, 1], 2)

    def everything(graph, instance):
        return np.full(graph.num_nodes, 50.0)

    assert annealco.solve(graph, "set_cover", model=everything, polish=False, **BRIEF).nodes == [0, 1]


@pytest.mark.parametrize("name", ["set_cover", "hitting_set"])
def test_any_set_can_be_a_start(name):
    graph = SYSTEMS["networkx"]
    for nodes in ([], graph.labels.tolist(), ["s1", 2], [1, 2, 3, 4]):
        found = annealco.solve(graph, name, start=nodes, **BRIEF)
        assert PROBLEMS[name].score(graph, [graph.labels.tolist().index(node) for node in found.nodes]) == found.value
        assert found.optimal


@pytest.mark.parametrize("name", ["greedy", "greedy_fixed", "mean_field", "anneal", "search", "cp_sat"])
def test_methods_leave_elements_out(name):
    if name == "cp_sat":
        pytest.importorskip("ortools")
    rng = np.random.default_rng(0)
    graph = set_system((rng.random((8, 12)) < 0.4) | np.eye(8, 12, dtype=bool), costs=rng.integers(0, 4, 12))
    found = METHODS[name].run(SET_COVER, graph, budget=FAR, seed=0, moves=500)
    assert SET_COVER.score(graph, np.flatnonzero(found.assignment).tolist()) is not None


def test_a_covering_with_nodes_kept_out_is_one_only_where_no_search_wants_them():
    ptr = np.array([0, 3])
    hit = Constraint(Cover(ptr, np.array([0, 2]), np.array([0, 1]), np.ones(1)), np.ones(1))

    def kind(out, cost):
        kept = Constraint(Linear(ptr, np.array(out)), np.ones(3))
        return structure_of(Instance(ptr, (Linear(ptr, np.array(cost)),), (hit, kept))).kind

    assert kind([0.0, 0, 1], [1.0, 1, 1]) == "covering"
    assert kind([0.0, 1, 0], [1.0, 1, 1]) == "other"
    assert kind([0.0, 0, 1], [1.0, 1, 0]) == "other"
    assert kind([0.0, 0, -1], [1.0, 1, 1]) == "other"


def test_empty_systems():
    assert annealco.solve({}, "set_cover", **BRIEF).nodes == []
    assert annealco.solve(np.zeros((0, 3)), "set_cover", **BRIEF).value == 0
    assert annealco.solve(np.zeros((3, 0)), "hitting_set", **BRIEF).value == 0
    # A set without elements is of no use, and no obstacle, to a cover; so is an element in no set to a hitting set.
    assert annealco.solve([{1}, set()], "set_cover", **BRIEF).nodes == [0]
    assert annealco.solve(np.array([[1], [0]]), "hitting_set", **BRIEF).nodes == [0]


def test_systems_survive_batches_and_files(tmp_path):
    both = Graph.batch([SYSTEMS["networkx"], set_system({"x": ["y"]})])
    write_graph(SYSTEMS["sparse matrix"].bare(), tmp_path / "system.npz")
    assert read_graph(tmp_path / "system.npz").equals(SYSTEMS["sparse matrix"].bare())
    assert annealco.solve(tmp_path / "system.npz", "set_cover", **BRIEF).value == 2
    assert [each.value for each in annealco.solve(both, "set_cover", **BRIEF)] == [2, 1]
    mixed = Graph.batch([set_system([{1}]), Graph.from_edges([[0], [1]])])
    with pytest.raises(InputError, match="two sets are joined, 0 and 1: a set system joins sets with elements"):
        annealco.solve(mixed, "set_cover")


BAD = {
    "uncovered": (np.array([[0, 0], [1, 1]]), "set_cover", "element 0 is in no set, so that no choice of sets is"),
    "empty set": ([{1}, set()], "hitting_set", "set 1 is empty, so that no choice of elements is feasible"),
    "no set": ({"a": [1], "b": 3}, "set_cover", "the set 'b' must hold elements that can be hashed, it is 3"),
    "text": ({"a": "xyz"}, "set_cover", "the set 'a' must hold elements that can be hashed, it is 'xyz'"),
    "counts": (np.array([[1, 2]]), "set_cover", "must be of 0 and 1, row 0, column 1 has 2"),
    "nan": (scipy.sparse.csr_array([[np.nan]]), "set_cover", "must be of 0 and 1, row 0, column 0 has nan"),
    "letters": (np.array([["a"]]), "set_cover", "must be of 0 and 1"),
    "unmarked": (
        nx.path_graph(3),
        "set_cover",
        "the attribute bipartite, 0 for sets and 1 for elements, node 0 has None",
    ),
    "plain graph": (
        Graph.from_edges([[0], [1]]),
        "hitting_set",
        "does not say which nodes are elements: .* build it by",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_systems_are_one_line(name):
    source, problem, rule = BAD[name]
    with pytest.raises(InputError, match=rule) as told:
        annealco.solve(source, problem)
    assert "\n" not in str(told.value)


def test_tensors_are_matrices():
    torch = pytest.importorskip("torch")
    for kind in (bool, int):
        graph = set_system(torch.tensor(MATRIX.astype(kind)), costs=COSTS)
        assert graph.equals(SYSTEMS["dense matrix"])


def test_rows_of_a_matrix_are_not_taken_for_sets():
    rows = [[1, 0, 1], [1, 1, 1], [0, 1, 1]]
    for source in (rows, [[1, 1], [0, 1]], {"a": [0, 0], "b": [1, 0]}):
        with pytest.raises(InputError, match="lists of 0 and 1 can be the rows of a matrix, or sets that hold 0 and 1"):
            annealco.solve(source, "set_cover")
    assert annealco.solve(np.array(rows), "set_cover", **BRIEF).nodes == [2]
    assert annealco.solve([[0, 1], [1]], "set_cover", **BRIEF).nodes == [0]


BAD_COSTS = {
    "too few": ({"costs": [1, 2]}, r"costs of sets must be \[3\] real numbers, these are int64 \[2\]"),
    "negative": ({"costs": [1, -2, 3]}, "costs must be finite and not negative, that of the set 'b' is -2"),
    "nan": ({"costs": [1, 2, float("nan")]}, "that of the set 'c' is nan"),
    "ragged": ({"costs": [[1], [2, 3], 4]}, r"costs of sets must be \[3\] real numbers"),
    "missing": ({"costs": {"a": 1, "b": 2}}, "the set 'c' has no cost"),
    "unknown": ({"costs": {"a": 1, "b": 2, "c": 3, "d": 4}}, "there is a cost of 'd', which is no set"),
    "elements": ({"element_costs": [-1, 0]}, "that of the element 1 is -1"),
    "named": ({"elements": [1]}, "elements are told by the sets"),
    "labels": ({"labels": "set"}, "labels must be one of sets, elements, it is 'set'"),
    "labels in a list": ({"labels": ["sets"]}, r"labels must be one of sets, elements, it is \['sets'\]"),
}


@pytest.mark.parametrize("name", BAD_COSTS)
def test_bad_costs_are_one_line(name):
    arguments, rule = BAD_COSTS[name]
    with pytest.raises(InputError, match=rule):
        set_system({"a": [1], "b": [1, 2], "c": [2]}, **arguments)


def test_a_bipartite_graph_may_be_pairs_or_a_matrix():
    pairs = [(f"s{k}", f"e{element}") for k, each in enumerate(SETS) for element in each]
    graph = set_system(pairs, costs=COSTS, elements=[f"e{k}" for k in range(1, 5)])
    assert annealco.solve(graph, "set_cover", **BRIEF).nodes == ["s0", "s2"]
    adjacency = np.zeros((9, 9), dtype=int)
    adjacency[5:, :5] = MATRIX
    for matrix in (adjacency + adjacency.T, scipy.sparse.csr_array(adjacency + adjacency.T)):
        found = annealco.solve(set_system(matrix, costs=COSTS, elements=range(5, 9)), "set_cover", **BRIEF)
        assert (found.nodes, found.value) == ([0, 2], 2.0)


def test_bad_marks_are_one_line():
    for elements in (5, "s0", [["s0"]]):
        with pytest.raises(InputError, match="elements must be a list of labels of nodes, it is "):
            set_system(bipartite(), elements=elements)
    with pytest.raises(InputError, match="elements names 9, which is no node of the graph"):
        set_system(bipartite(), elements=[9])
    with pytest.raises(InputError, match="two elements are joined, 0 and 1"):
        set_system(nx.path_graph(2), elements=[0, 1])
    with pytest.raises(InputError, match="a set system is one graph, these are 2"):
        set_system(Graph.batch([SYSTEMS["networkx"]] * 2))
    wrong = Graph.from_edges([[0], [1]], node_data={"element": [0, 1]})
    with pytest.raises(InputError, match="the node data 'element' must be bools, they are int64"):
        annealco.solve(wrong, "set_cover")


# Four rows, five columns: the system above, as the OR-library writes it, with lines wherever they fall.
SCP = " 4 5\n 1 2 1 2\n 2.5\n 3\n 1 4 5\n 3\n 1 2 5\n 3 2 3 5\n3 3 4\n5\n"
RAIL = "4 5\n1 2 1 2\n2 2 2 3\n1 2 3 4\n2 2 1 4\n2.5 4 1 2 3 4\n"


@pytest.mark.parametrize(("name", "text"), [("scp41.txt", SCP), ("a.scp", SCP), ("a.rail", RAIL)])
def test_files_of_the_or_library(name, text, tmp_path, capsys: Output):
    path = tmp_path / name
    path.write_text(text)
    graph = set_system(path)
    assert graph.bare().equals(SYSTEMS["sparse matrix"].bare())
    assert call("solve", "set_cover", str(path), "--time-limit", str(FAR), "--json") == 0
    assert '"nodes": [1, 3], "value": 2.0' in capsys.readouterr().out
    assert call("solve", "hitting_set", str(path), "--time-limit", str(FAR), "--json") == 0
    assert '"value": 2.0' in capsys.readouterr().out
    assert set(read_graph(path, formats=formats_for("elements")).labels[5:].tolist()) == {1, 2, 3, 4}


BAD_FILES = {
    "empty.txt": ("", None, "the file is empty"),
    "one.txt": ("4\n", None, "the file must begin with the numbers of rows and columns"),
    "no_costs.txt": ("2 3\n1 2\n", 2, "the file ends where costs of columns must follow: 3 numbers are needed, 2 are"),
    "truncated.txt": (SCP[:-4], 9, "the file ends where columns of row 4 must follow: 3 numbers are needed"),
    "cut.scp": (SCP[: SCP.index("3 3 4\n5")], 8, "the file ends where the number of columns of row 4 must follow"),
    "longer.txt": (SCP + "7\n", 11, "the file goes on behind the last row"),
    "outside.txt": ("1 2\n1 1\n1 3\n", 3, "columns of row 1 must be whole numbers in 1..2, not 3"),
    "half.txt": ("1 2\n1 1\n1 1.5\n", 3, "columns of row 1 must be whole numbers in 1..2, not 1.5"),
    "twice.txt": ("1 2\n1 1\n2 1 1\n", 3, "columns of row 1 must be different, one is listed twice"),
    "negative.txt": ("1 2\n1 -1\n1 1\n", 2, "costs of columns must not be negative, one is -1"),
    "letters.txt": ("1 2\n1 a\n", 2, "'a' is not a number"),
    "uncovered.txt": ("1 2\n1 1\n0\n", None, "element 1 is in no set"),
    "huge.txt": ("999999999 999999999\n", 1, "nodes are declared, but a file of"),
    "column.rail": ("2 1\n1 3 1 2 2\n", 2, "the number of rows of column 1 must be whole numbers in 0..2, not 3"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_one_line_with_status_2(name, tmp_path, capsys: Output):
    text, line, rule = BAD_FILES[name]
    path = tmp_path / name
    path.write_text(text)
    assert call("solve", "set_cover", str(path)) == 2
    told = capsys.readouterr().err
    assert rule in told
    assert told.count("\n") == 1
    assert line is None or f"{path}:{line}: " in told


@pytest.mark.parametrize("name", ["set_cover", "hitting_set"])
def test_networks_learn_them(name, tmp_path):
    pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    systems = [rng.random((6, 8)) < 0.5 for _ in range(10)]
    systems = [np.vstack([each, np.ones(8)]).astype(bool) | np.eye(7, 8, dtype=bool) for each in systems]
    trained = annealco.train(
        name, systems, epochs=1, settings={"width": 4, "num_steps": 2}, progress=False, out=tmp_path / "run"
    )
    found = annealco.solve(systems[0], name, model=trained, **BRIEF)
    assert found.value == annealco.solve(systems[0], name, **BRIEF).value


def cp_sat_optimum(rows, costs):
    """Return the least cost of columns of which every row has one, by a model that is written here."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in costs]
    for row in rows:
        model.add_bool_or([variables[k] for k in row])
    model.minimize(sum(int(cost) * x for cost, x in zip(costs, variables, strict=True)))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["set_cover", "hitting_set"])
def test_values_agree_with_cp_sat(name, count):
    pytest.importorskip("ortools")
    rng, problem = np.random.default_rng(count), PROBLEMS[name]
    for number in range(count):
        chosen, fixed = rng.integers(1, 40, 2)
        member = rng.random((fixed, chosen)) < rng.uniform(0.05, 0.6)
        member[np.arange(fixed), rng.integers(0, chosen, fixed)] = True
        costs = rng.integers(0, 20, chosen)
        expected = cp_sat_optimum([np.flatnonzero(row).tolist() for row in member], costs)
        graph = set_system(member, costs=costs) if name == "set_cover" else set_system(member.T, element_costs=costs)
        found = annealco.solve(graph, name, seed=number, moves=10**6, time_limit=FAR)
        assert found.value == expected
        assert found.bound is None or found.bound <= expected
        exact = METHODS["cp_sat"].run(problem, graph, budget=FAR, seed=0)
        assert exact.proven
        assert problem.score(graph, np.flatnonzero(exact.assignment).tolist()) == expected
