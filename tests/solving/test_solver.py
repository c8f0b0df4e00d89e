import threading

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

import annealco
from annealco import Graph, InputError, declare, generate, write_graph
from annealco._core import StopFlag
from annealco.models.compiled_field import CORE_STEP
from annealco.problems import PROBLEMS, find_problem
from annealco.problems.small_graphs import SHAPES, small_graphs
from annealco.solving.solve import find_model, solve, solve_each
from annealco.solving.solver import Solver
from tests.budgets import BRIEF, FAR
from tests.problems.sums import ON_GRAPHS

PATH = [[0, 1, 2, 3], [1, 2, 3, 4]]


def best_value(problem, graph):
    """The best value over all assignments, of up to 16 nodes."""
    instance = problem.declare(graph)
    bits = (np.arange(2**graph.num_nodes)[:, None] >> np.arange(graph.num_nodes)) & 1
    bits = bits[instance.violations(bits)[:, 0] == 0]
    values = instance.value(bits)[:, 0]
    if problem.at_price is not None:
        values = values / (values - problem.at_price(1.0).declare(graph).value(bits)[:, 0])
    return values.max() if instance.sense == "max" else values.min()


def random_graphs(seed, count):
    """Graphs of up to 16 nodes: sparse and dense, weighted and not, disconnected, with isolated nodes."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        size = int(rng.integers(8, 17)) if number % 3 == 0 else int(rng.integers(2, 12))
        low, high = np.triu_indices(size, 1)
        kept = rng.random(len(low)) < rng.choice([0.1, 0.3, 0.6, 0.9])
        graph = Graph.from_edges(np.stack([low[kept], high[kept]]), size)
        if number % 2:
            graph = graph.with_weights(
                node_weight=rng.integers(1, 9, size), edge_weight=rng.uniform(0.1, 3, kept.sum())
            )
        made.append(graph)
    return made


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_small_graphs_are_solved_in_a_few_moves(name):
    problem = PROBLEMS[name]
    graphs = [*small_graphs(np.random.default_rng(0), num_random=0), *random_graphs(1, 60)]
    if problem.at_price is not None:
        # Without edges there is no quotient.
        graphs = [graph for graph in graphs if graph.num_edges]
    right = 0
    for graph, solution in zip(graphs, solve(graphs, name, **BRIEF, num_threads=1), strict=True):
        best = best_value(problem, graph)
        number = {label: node for node, label in enumerate(graph.labels.tolist())}
        score = problem.score(graph, [number[label] for label in solution.nodes])
        assert solution.feasible
        assert score == solution.value
        sign = 1 if problem.sense == "max" else -1
        assert sign * score <= sign * best + 1e-9
        if solution.bound is not None:
            assert sign * solution.bound >= sign * best - 1e-9
        if solution.optimal:
            assert score == pytest.approx(best)
        right += score == pytest.approx(best)
    assert right >= 0.99 * len(graphs)
    assert len(graphs) > 2 * len(SHAPES)


@pytest.mark.parametrize(
    "source",
    [
        nx.path_graph(5),
        csr_array(nx.to_scipy_sparse_array(nx.path_graph(5))),
        np.array(PATH),
        PATH,
        Graph.from_edges(PATH),
    ],
)
def test_every_container_is_accepted(source):
    solution = solve(source, "mis", **BRIEF)
    assert sorted(solution.nodes) == [0, 2, 4]
    assert (solution.value, solution.bound, solution.gap, solution.optimal) == (3, 3, 0, True)


def test_nodes_come_back_in_the_user_s_labels():
    graph = nx.relabel_nodes(nx.path_graph(3), {0: "a", 1: ("b", 1), 2: "c"})
    assert set(solve(graph, "mis", **BRIEF).nodes) == {"a", "c"}
    assert solve(graph, "mds", **BRIEF).nodes == [("b", 1)]


def test_files_and_lists_give_lists(tmp_path):
    graphs = generate("er-small", count=2, seed=0)
    write_graph(graphs, tmp_path / "two.npz")
    write_graph(Graph.from_edges(PATH), tmp_path / "path.col")
    assert len(solve(tmp_path / "two.npz", "mis", **BRIEF, bound=False)) == 2
    assert solve(str(tmp_path / "path.col"), "mis", **BRIEF).nodes == [1, 3, 5]
    both = solve([tmp_path / "two.npz", tmp_path / "path.col"], "mis", **BRIEF, bound=False)
    assert [each.graph for each in both] == ["0", "1", "2"]
    assert len(solve([Graph.from_edges(PATH)], "mis", **BRIEF)) == 1
    assert solve([], "mis") == []


def test_moves_and_a_seed_repeat_the_result():
    graph = generate("rb-small-unforced", count=3, seed=2)
    settings = {"moves": 3000, "seed": 5, "restarts": 2, "time_limit": FAR, "bound": False}
    runs = [solve(graph, "mis", **settings, num_threads=threads) for threads in (1, 2, 1)]
    assert [s.nodes for s in runs[0]] == [s.nodes for s in runs[1]] == [s.nodes for s in runs[2]]
    assert all(each.seed == 5 for each in runs[0])


def test_restarts_never_hurt_and_decoding_alone_is_feasible():
    graph = generate("rb-small", count=1, seed=3)
    decoded = solve(graph, "mis", polish=False, bound=False)
    several = solve(graph, "mis", polish=False, bound=False, restarts=8)
    searched = solve(graph, "mis", moves=1_000_000, time_limit=FAR)
    assert decoded.method == "decoding"
    assert decoded.value <= several.value <= searched.value == graph.graph_data["planted_size"][0]


def test_a_model_s_logits_are_decoded():
    graph = generate("rb-small", count=1, seed=3)
    planted = graph.node_data["planted"]
    asked = []

    def model(given, instance):
        asked.append((given.num_nodes, instance.num_nodes))
        return np.where(planted, 5.0, -5.0)

    solution = solve(graph, "mis", model=model, polish=False, bound=False)
    assert solution.value == planted.sum()
    assert asked[-1] == (graph.num_nodes, graph.num_nodes)
    with pytest.raises(InputError, match="a model must give logits of"):
        solve(graph, "mis", model=lambda given, instance: np.zeros(3))


@pytest.mark.processes
def test_the_shortest_time_limit_still_gives_a_feasible_set_and_its_trace():
    graph = generate("rb-small-unforced", count=1, seed=1)
    solution = solve(graph, "mis", time_limit=1e-9)
    assert solution.feasible
    assert solution.trace[-1][1] == solution.value


@pytest.mark.processes
def test_stop_ends_early_with_the_best_so_far():
    graph, stop = generate("rb-small-unforced", count=1, seed=1), StopFlag()

    def stop_later():
        solve(graph, "mis", moves=100_000, bound=False, time_limit=FAR, num_threads=1)
        stop.set()

    def model(given, instance):
        threading.Thread(target=stop_later).start()
        return np.zeros(given.num_nodes)

    # Nothing else would end it: the limit is of days.
    (solution,) = solve_each(Solver(PROBLEMS["mis"], model=model, time_limit=1e6, bound=False, stop=stop), graph)
    assert solution.value > 0


@pytest.mark.processes
def test_a_stop_before_the_beginning_leaves_nothing_to_solve():
    stop = StopFlag()
    stop.set()
    assert list(solve_each(Solver(PROBLEMS["mis"], stop=stop), generate("er-small", count=2, seed=1))) == []


def test_a_list_of_graphs_has_a_list_of_solutions():
    path = [(0, 1), (1, 2)]
    assert solve(path, "mis").nodes == [0, 2]
    assert solve([(0, 1), (2, 3)], "max_cut", **BRIEF).value == 2
    assert solve(np.array([[0, 1], [1, 2], [2, 3]]), "max_cut", **BRIEF).value == 3
    assert solve([np.array([0, 1, 2]), np.array([1, 2, 3])], "max_cut", **BRIEF).value == 3
    assert [each.nodes for each in solve([path], "mis")] == [[0, 2]]
    assert [each.nodes for each in solve((nx.path_graph(3),), "mis")] == [[0, 2]]
    assert solve([], "mis") == []


def test_weights_are_read_from_attributes_that_are_named():
    network = nx.path_graph(["a", "b", "c"])
    nx.set_node_attributes(network, {"a": 1, "b": 5, "c": 2}, "price")
    nx.set_edge_attributes(network, {("a", "b"): 3, ("b", "c"): 4}, "cost")
    assert solve(network, "mis", **BRIEF).nodes == ["a", "c"]
    assert solve(network, "mis", node_weight="price", **BRIEF).nodes == ["b"]
    assert solve(network, "max_cut", edge_weight="cost", **BRIEF).value == 7
    assert [each.value for each in solve([network], "mis", node_weight="price", **BRIEF)] == [5]
    assert solve([("a", "b"), ("b", "c")], "mis", nodes={"a": 1, "b": 5, "c": 2, "d": 1}, **BRIEF).nodes == ["b", "d"]
    assert declare("mis", network, node_weight="price").value([0, 1, 0]).tolist() == [5]
    with pytest.raises(InputError, match=r"no node has an attribute 'prize'; did you mean 'price'\?"):
        solve(network, "mis", node_weight="prize")


def test_problems_of_one_s_own_are_solved():
    from dataclasses import replace

    heavier = replace(PROBLEMS["mis"], name="own")
    assert find_problem(heavier) is heavier
    assert solve(PATH, heavier, **BRIEF).value == 3


def test_empty_graphs():
    nothing = Graph.from_edges(np.zeros((2, 0), int), 0)
    loners = Graph.from_edges(np.zeros((2, 0), int), 3)
    for name, problem in PROBLEMS.items():
        if problem.at_price is None:
            assert solve(nothing, name, **BRIEF).value == 0
    for graph in (nothing, loners):
        with pytest.raises(InputError, match=r"^graph 0: no set has a volume above 0 in 0:0, to divide the cut by"):
            solve(graph, "conductance", **BRIEF)
    assert solve(loners, "mis", **BRIEF).value == 3
    assert solve(loners, "mds", **BRIEF).value == 3
    assert solve(loners, "clique", **BRIEF).value == 1
    assert annealco.Graph is Graph


class Proposer:
    """A trained model that remembers what it was asked for."""

    name, problem, step_seconds = "proposer", "mis", CORE_STEP

    def __init__(self, num_restarts=0, seed=0, asked=None):
        self.num_restarts, self.seed, self.asked = num_restarts, seed, [] if asked is None else asked

    def with_settings(self, *, num_restarts, seed, **_):
        return Proposer(num_restarts, seed, self.asked)

    def __call__(self, graph, instance):
        self.asked.append((self.num_restarts, self.seed))
        return np.zeros((self.num_restarts, graph.num_nodes))


def test_a_trained_model_gets_restarts_and_seed_and_is_named():
    model = Proposer()
    solution = solve([[0, 1], [1, 2]], "mis", model=model, restarts=3, seed=5, polish=False, bound=False)
    assert model.asked[-1] == (3, 5)
    assert solution.method == "proposer + decoding"


def test_a_model_for_another_problem_is_refused():
    with pytest.raises(InputError, match="the model was trained for mis, not for mds"):
        solve([[0, 1], [1, 2]], "mds", model=Proposer())


def test_a_folder_that_is_none_or_has_no_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="choose none, auto, a folder that 'annealco train' wrote, or"):
        find_model(tmp_path / "absent", "mis")
    with pytest.raises(InputError, match="there is no trained model in it"):
        find_model(tmp_path, "mis")
    assert find_model("none", "mis") == "none"


def test_auto_is_the_network_that_comes_with_the_package(tmp_path, monkeypatch):
    from annealco.models import build_model, pretrained
    from annealco.training import TrainedModel

    monkeypatch.setattr(pretrained, "WEIGHTS", tmp_path)
    TrainedModel(build_model("field", width=4, num_steps=2), "mis").save(tmp_path / "any")
    pretrained.shipped.cache_clear()
    try:
        found = solve([[0, 1], [1, 2]], "mis", model="auto", polish=False, bound=False)
        assert (found.method, found.feasible) == ("field + decoding", True)
        with pytest.raises(InputError, match="no network comes with annealco for mds"):
            solve([[0, 1], [1, 2]], "mds", model="auto")
    finally:
        pretrained.shipped.cache_clear()
