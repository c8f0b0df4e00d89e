"""Streams of graphs: the same solutions as one by one, few graphs in memory, here and on a cluster."""

from __future__ import annotations

import json
import os
import pickle
import signal
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import annealco
from annealco.errors import InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems.qubo import quadratic
from annealco.solving import many
from annealco.solving.initial_sets import named_starts
from annealco.solving.many import AHEAD, BatchSolver, Block, SolveSettings, files_of, solve_many
from annealco.solving.result_files import key_of
from annealco.solving.solution import Solution
from tests.budgets import FAR

MOVES: dict[str, Any] = {"moves": 50, "time_limit": FAR, "bound": False}

KILLING = """
import os, signal
from pathlib import Path
from annealco import PROBLEMS, Problem

MIS = PROBLEMS["mis"]

def declare(graph):
    mark = Path(__file__).with_name(f"killed-{graph.graph_data['name'][0]}")
    if graph.num_nodes % 2 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return MIS.declare(graph)

PROBLEM = Problem("killing", "mis that kills", "max", declare, MIS.score)
"""


@pytest.fixture
def shards(tmp_path: Path) -> Path:
    """Write three files of four graphs, and one without any."""
    folder = tmp_path / "shards"
    folder.mkdir()
    for number in range(3):
        write_graph(generate("ba-small", count=4, seed=number), folder / f"{number}.npz")
    write_graph(Graph.batch([]), folder / "3.npz")
    return folder


def plain(solutions: Any) -> list[dict[str, Any]]:
    """Return what does not depend on the clock."""
    return [{key: value for key, value in each.to_dict().items() if key != "seconds"} for each in solutions]


def test_a_stream_gives_what_solve_gives(shards: Path) -> None:
    files = sorted(shards.iterdir())
    expected = [each for file in files[:3] for each in annealco.solve(file, "mis", **MOVES)]
    found = list(solve_many(f"{shards}/*.npz", "mis", **MOVES))
    assert [each.graph for each in found] == [f"{file}#{graph}" for file in range(3) for graph in range(4)]
    assert [(each.nodes, each.value, each.trace == []) for each in found] == [
        (each.nodes, each.value, each.trace == []) for each in expected
    ]
    for source in (shards, files, [str(each) for each in files], iter(files)):
        assert plain(solve_many(source, "mis", **MOVES)) == plain(found)
    assert {each.source for each in found} == {None}


def test_graphs_of_a_program_are_known_by_their_numbers_or_names() -> None:
    named = Graph.from_edges([[0], [1]], graph_data={"name": ["pair"]})
    several = generate("ba-small", count=2, seed=0)
    given = [nx.path_graph(["a", "b", "c"]), several, named, nx.star_graph(3)]
    found = list(solve_many(given, "mis", **MOVES))
    assert [each.graph for each in found] == ["0", "1", "2", "pair", "4"]
    assert (found[0].nodes, found[3].value, found[4].value) == (["a", "c"], 1.0, 3.0)
    assert [each.value for each in solve_many(several, "mis", **MOVES)] == [each.value for each in found[1:3]]
    assert [each.value for each in solve_many(nx.path_graph(5), "mis", **MOVES)] == [3.0]
    assert list(solve_many([], "mis")) == []


def test_only_a_few_graphs_are_in_memory() -> None:
    alive: weakref.WeakSet[Graph] = weakref.WeakSet()
    most = 0

    def drawn() -> Iterator[Graph]:
        nonlocal most
        for _ in range(60):
            graph = Graph.from_edges([[0, 1], [1, 2]])
            alive.add(graph)
            most = max(most, len(alive))
            yield graph

    assert sum(each.value for each in solve_many(drawn(), "mis", num_threads=2, **MOVES)) == 120
    # Those that wait for a thread, the one that is drawn, and what the two threads still hold.
    assert most <= 2 * AHEAD + 4


def test_solutions_come_while_graphs_are_drawn() -> None:
    drawn = []

    def graphs() -> Iterator[Graph]:
        for number in range(100):
            drawn.append(number)
            yield Graph.from_edges([[0], [1]])

    stream = solve_many(graphs(), "mis", num_threads=1, **MOVES)
    assert next(stream).graph == "0"
    assert len(drawn) <= AHEAD + 1
    stream.close()
    assert len(drawn) <= AHEAD + 1


def test_the_first_graph_without_a_solution_is_named_after_those_before_it() -> None:
    stream = solve_many([nx.path_graph(6), nx.path_graph(2)], "cut", volume=(4, 5), **MOVES)
    assert next(stream).value == 1.0
    with pytest.raises(InputError, match=r"^graph 1: no set has a volume in 4:5"):
        next(stream)
    with pytest.raises(InputError, match=r"^graph 1: cannot read a graph from int"):
        list(solve_many([nx.path_graph(2), 7], "mis", **MOVES))


@pytest.mark.parametrize(
    "source", [[(0, 1), (1, 2)], [(0, 1, {}), (1, 2, {})], ((0, 1), (1, 2)), [[0, 1, 0], [1, 0, 1], [0, 1, 0]]]
)
def test_edges_and_rows_are_one_graph_as_for_solve(source: Any) -> None:
    assert [each.nodes for each in solve_many(source, "mis", **MOVES)] == [[0, 2]]


@pytest.mark.parametrize(
    ("source", "settings", "rule"),
    [
        ("none.npz", {}, "none.npz: cannot be read: no such file or folder"),
        ("*.npz", {}, r"\*.npz: no file matches this pattern"),
        (".", {}, "this folder has no graph files"),
        ("", {}, "the file name is empty"),
        ([""], {}, "the file name is empty"),
        (object(), {}, "cannot read a graph from object"),
        ([], {"time_limit": -1}, "the time limit must be more than 0 seconds"),
        ([], {"colour": 1}, "mis has no option 'colour'"),
        ([], {"search": "tabo"}, "tabo"),
        ([], {"out": "a.doc"}, "unknown extension '.doc'"),
    ],
)
def test_what_is_wrong_is_told_at_the_call(
    source: Any, settings: dict[str, Any], rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=rule):
        solve_many(source, "mis", **settings)
    assert list(tmp_path.iterdir()) == []


def test_patterns_and_folders_name_files_in_order(tmp_path: Path) -> None:
    for name in ("b.col", "a.npz", "c.txt.gz", "notes.md", "deep/d.col", "[x].col"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in files_of(tmp_path)] == ["[x].col", "a.npz", "b.col", "c.txt.gz"]
    assert [path.name for path in files_of(f"{tmp_path}/**/*.col")] == ["[x].col", "b.col", "d.col"]
    # A file may be called like a pattern.
    assert [path.name for path in files_of(tmp_path / "[x].col")] == ["[x].col"]
    assert [path.name for path in files_of(f"{tmp_path}/d*")] == ["d.col"]


def test_written_as_they_come_and_not_solved_again(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "sets.jsonl"
    stream = solve_many(shards, "mis", out=out, **MOVES)
    first = [next(stream) for _ in range(5)]
    assert [json.loads(line)["graph"] for line in out.read_text().splitlines()] == [each.graph for each in first]
    stream.close()
    rest = list(solve_many(shards, "mis", out=out, **MOVES))
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(first) + len(rest) == len(rows) == 12
    assert [row["nodes"] for row in rows] == [each.nodes for each in solve_many(shards, "mis", **MOVES)]
    assert list(solve_many(shards, "mis", out=out, **MOVES)) == []
    assert {json.dumps(row["settings"]) for row in rows} == {
        json.dumps({"problem": "mis", "moves": 50, "time_limit": FAR, "bound": False})
    }
    with pytest.raises(InputError, match="it was written with moves 50, now moves is 51"):
        list(solve_many(shards, "mis", out=out, **{**MOVES, "moves": 51}))


def test_files_that_are_done_are_not_read(shards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "sets"
    assert len(list(solve_many(shards, "mis", out=f"{out}/", **MOVES))) == 12
    assert sorted(path.name for path in out.glob("*.npz.jsonl")) == [f"{number}.npz.jsonl" for number in range(4)]
    read = []
    monkeypatch.setattr(many, "read_graph", lambda file, **_: read.append(file))
    assert list(solve_many(shards, "mis", out=out, **MOVES)) == []
    assert read == []


def test_settings_are_described_by_what_is_not_the_default() -> None:
    described = SolveSettings(
        "cut", {"seed": 0, "volume": (2, 4), "num_threads": 3, "search": "tabu", "bounds": ["gains"]}, None
    ).described()
    assert described == {"problem": "cut", "volume": [2, 4], "search": "tabu", "bounds": ["gains"]}
    set_before = SolveSettings(annealco.PROBLEMS["cut"].with_options(volume=(2, 4)))
    assert set_before.described() == {"problem": "cut", "volume": [2, 4]}
    with_model = SolveSettings("mis", {"model": lambda graph, _: -graph.degree})
    assert with_model.described() == {"problem": "mis", "model": "<lambda>"}
    with pytest.raises(InputError, match="steps are those of a model"):
        SolveSettings("mis", {}, steps=3).described()


def test_settings_can_be_sent_to_a_process_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(KILLING)
    monkeypatch.chdir(tmp_path)
    settings = SolveSettings("mine.py:PROBLEM", {"moves": 3})
    assert settings.solver.problem.name == "killing"
    there = pickle.loads(pickle.dumps(settings.portable()))
    monkeypatch.chdir("/")
    assert (there.solver.problem.name, there.solver.moves) == ("killing", 3)


def test_a_problem_that_has_a_name_only_here_is_sent_itself() -> None:
    mis = annealco.PROBLEMS["mis"]
    annealco.PROBLEMS["own"] = annealco.Problem("own", "own", "max", mis.declare, mis.score)
    try:
        sent = pickle.dumps(SolveSettings("own").portable())
    finally:
        del annealco.PROBLEMS["own"]
    assert pickle.loads(sent).solver.problem.name == "own"


def test_blocks_are_small_and_whole() -> None:
    graphs = generate("ba-small", count=70, seed=0)
    parts = list(many._divided([Block(graphs, None, tuple(map(str, range(70)))), Block(Graph.batch([]), None)]))
    assert [part.graphs.num_graphs for part in parts] == [32, 32, 6]
    assert [key for part in parts for key in part.keys] == [str(number) for number in range(70)]
    assert Graph.batch([part.graphs for part in parts]).equals(graphs)
    large = Graph.from_edges([[0], [1]], num_nodes=many.BLOCK_SIZE + 1)
    mixed = Graph.batch([graphs[0], large, large, graphs[1], graphs[2]])
    assert [part.graphs.num_graphs for part in many._divided([Block(mixed, None)])] == [1, 1, 1, 2]


@pytest.mark.slow
@pytest.mark.processes
def test_a_cluster_gives_the_same_even_where_workers_are_killed(shards: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "mine.py").write_text(KILLING)
    place, out = f"{tmp_path / 'mine.py'}:PROBLEM", tmp_path / "sets"
    expected = plain(solve_many(shards, "mis", **MOVES))
    found = list(solve_many(shards, place, ray="local", out=f"{out}/", **MOVES))
    assert [row | {"problem": "mis"} for row in plain(found)] == expected
    assert len(list(tmp_path.glob("killed-*"))) >= 3
    rows = [json.loads(line) for file in sorted(out.glob("*.npz.jsonl")) for line in file.read_text().splitlines()]
    assert [row["nodes"] for row in rows] == [row["nodes"] for row in expected]
    assert list(solve_many(shards, place, ray="local", out=out, **MOVES)) == []


@pytest.mark.slow
@pytest.mark.processes
def test_a_cluster_that_is_connected_is_used_and_left_as_it_is(shards: Path) -> None:
    ray = pytest.importorskip("ray")
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        stream = solve_many(shards, "mis", ray="auto", **MOVES)
        assert next(stream).graph == "0#0"
        stream.close()
        with pytest.raises(InputError, match=r"^graph 1: no set has a volume in 4:5"):
            list(solve_many([nx.path_graph(6), nx.path_graph(2)], "cut", volume=(4, 5), ray="auto", **MOVES))
        [found] = solve_many([nx.path_graph(2)], "mis", start={"0": [1]}, polish=False, bound=False, ray="auto")
        assert found.nodes == [1]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


@pytest.mark.slow
@pytest.mark.processes
def test_a_task_that_no_processors_can_run_is_told_and_not_waited_for(shards: Path) -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputError, match="a task of 1000 threads has no place on a local cluster of"):
        list(solve_many(shards, "mis", ray="local", num_threads=1000, **MOVES))


def test_a_cluster_that_is_not_there_is_told(shards: Path) -> None:
    pytest.importorskip("ray")
    with pytest.raises(InputError, match=r"no Ray cluster at '127.0.0.1:1'"):
        list(solve_many(shards, "mis", ray="127.0.0.1:1"))


@pytest.mark.parametrize(
    ("batch", "rule"),
    [
        ({"source": [[0]], "target": [[1, 2]]}, "graph 0: edges must be two rows of one length"),
        ({"source": [[0.5]], "target": [[1]]}, "graph 0: edges must be integer node ids, these are float64"),
        ({"source": [[0]], "target": [["a"]]}, "graph 0: edges must be integer node ids"),
        ({"source": [None], "target": [None]}, "graph 0: edges must have shape"),
        ({"source": [[0]], "target": [[1]], "num_nodes": ["x"]}, "graph 0: num_nodes must be a whole number"),
        ({"source": [[0], [0]], "target": [[1]]}, "columns of a batch must be of one length"),
        *(
            (batch, "a batch of graphs must be a dictionary of columns")
            for batch in (5, [{}], {"source": 5, "target": 6})
        ),
        ({5: [1]}, "a batch of graphs must have a column 'source'; it has 5"),
    ],
)
def test_batches_that_hold_no_graphs_are_told(batch: Any, rule: str) -> None:
    with pytest.raises(InputError, match=f"^{rule}"):
        BatchSolver("mis", **MOVES)(batch)


def test_batches_of_ray_data_get_the_columns_of_solutions() -> None:
    solver = pickle.loads(pickle.dumps(BatchSolver("mis", **MOVES)))
    ragged = np.empty(3, dtype=object)
    ragged[:] = [np.array([0, 1]), np.array([0, 0, 0]), np.array([], dtype=np.int64)]
    ends = np.empty(3, dtype=object)
    ends[:] = [np.array([1, 2]), np.array([1, 2, 3]), np.array([], dtype=np.int64)]
    batch = {"source": ragged, "target": ends, "num_nodes": np.array([3, 5, 2]), "name": np.array(["p", "s", "e"])}
    found = solver(batch)
    assert [list(nodes) for nodes in found["nodes"]] == [[0, 2], [1, 2, 3, 4], [0, 1]]
    assert found["value"] == [2.0, 4.0, 2.0]
    assert (found["graph"], list(found["name"])) == (["p", "s", "e"], ["p", "s", "e"])
    assert not {"source", "target", "num_nodes"} & {*found}
    heavy = {"source": [[0]], "target": [[1]], "node_weight": [[1.0, 5.0]]}
    assert solver(heavy)["value"] == [5.0]
    with pytest.raises(InputError, match="a batch of graphs must have a column 'target'; it has source"):
        solver({"source": ragged})
    with pytest.raises(InputError, match="mis has no option 'size'"):
        BatchSolver("mis", size=3)
    with pytest.raises(InputError, match="a total time is shared out by one process"):
        BatchSolver("mis", total_time=9.0)
    with pytest.raises(InputError, match="num_threads must be at least 1, it is 0"):
        BatchSolver("mis", num_threads=0)


def test_the_process_may_be_killed_at_any_row(shards: Path, tmp_path: Path) -> None:
    """The same call goes on, and what is there in the end is what one run would have written."""
    out = tmp_path / "sets.csv"
    expected = [each.nodes for each in solve_many(shards, "mis", **MOVES)]
    for count in (1, 3, 7, 99):
        child = os.fork()
        if child == 0:
            for number, _ in enumerate(solve_many(shards, "mis", out=out, **MOVES), start=1):
                if number == count:
                    os.kill(os.getpid(), signal.SIGKILL)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) == (count < 99)
    rows = out.read_text().splitlines()
    assert len(rows) == 13
    assert len({row.split(",")[0] for row in rows}) == 13
    assert list(solve_many(shards, "mis", out=out, **MOVES)) == []
    assert isinstance(next(solve_many(shards, "mis", **MOVES)), Solution)
    assert len(expected) == 12


def test_a_stream_takes_gap_and_patience() -> None:
    path = Graph.from_edges([[0, 1], [1, 2]])
    [found] = solve_many([path], "mis", gap=0.5, patience="20%", moves=100)
    assert found.value == 2
    with pytest.raises(InputError, match="a total time is shared out by one process"):
        solve_many([path], "mis", total_time=1.0, ray="local")


def test_a_stream_shares_a_total_time_and_writes_what_is_closed(shards: Path, tmp_path: Path) -> None:
    out = tmp_path / "sets.jsonl"
    found = list(solve_many(shards, "mis", out=out, total_time=FAR * 100, num_threads=2))
    assert all(each.optimal for each in found)
    known = {each.graph: each.value for each in solve_many(shards, "mis", time_limit=FAR)}
    assert {each.graph: each.value for each in found} == known
    assert {json.loads(line)["graph"] for line in out.read_text().splitlines()} == {*known}
    # What has a row has no turn; the others share the time.
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:5]))
    more = list(solve_many(shards, "mis", out=out, total_time=FAR * 100, num_threads=2))
    assert {each.graph for each in more} == {json.loads(line)["graph"] for line in lines[5:]}
    assert sorted(json.loads(line)["key"] for line in out.read_text().splitlines()) == sorted(
        json.loads(line)["key"] for line in lines
    )
    with pytest.raises(InputError, match="it was written with total_time"):
        list(solve_many(shards, "mis", out=out, total_time=FAR, num_threads=2))


def test_one_bad_graph_of_a_total_time_leaves_the_others_their_solutions(tmp_path: Path) -> None:
    ring = nx.cycle_graph(5)
    settings = {"seed_node": 4, "volume": (2, 4), "total_time": FAR * 100, "moves": 50}
    chosen = SolveSettings("cut", settings)
    blocks = many.blocks_of([ring, nx.path_graph(2), ring], many.Reading(problem=chosen.solver.problem))
    found = list(many.solve_blocks(chosen, blocks))
    assert sorted(type(each).__name__ for each in found) == ["InputError", "Solution", "Solution"]
    with pytest.raises(InputError, match="graph 1: seed_node 4 is not a node of the graph"):
        annealco.solve([ring, nx.path_graph(2), ring], "cut", **settings)


def test_graphs_of_a_stream_start_where_another_run_ended(shards: Path, tmp_path: Path) -> None:
    best = {each.graph: each for each in solve_many(shards, "mis", moves=5000, time_limit=FAR, bound=False)}
    still = {"polish": False, "bound": False}
    plain = {each.graph: each.value for each in solve_many(shards, "mis", **still)}
    assert any(plain[name] < best[name].value for name in plain)
    file = tmp_path / "last.jsonl"
    file.write_text("".join(json.dumps(each.to_dict()) + "\n" for each in [*best.values()][1:]))
    starts = [file, [*best.values()][1:], {name: each.nodes for name, each in [*best.items()][1:]}]
    for start in starts:
        found = list(solve_many(shards, "mis", start=start, **still))
        assert found[0].value == plain[found[0].graph]
        assert [each.nodes for each in found[1:]] == [each.nodes for each in [*best.values()][1:]]
    assert {each.seed for each in solve_many(shards, "mis", start=file, **still)} == {1}
    assert {each.seed for each in solve_many(shards, "mis", start=file, seed=5, **still)} == {5}


def test_starts_are_sent_with_the_graphs_that_they_are_of() -> None:
    chosen = SolveSettings("mis", {"polish": False, "bound": False, "num_threads": 1})
    starts = named_starts({"a": [0], "b": [1]}, "mis")
    graph = Graph.from_edges([[0], [1]], graph_data={"name": ["b"]})
    sent = pickle.loads(pickle.dumps((chosen, graph, starts.part(["b", "c"]))))
    assert [each.nodes for each in many._solve_block(*sent)] == [[1]]
    assert {*sent[2].nodes} == {"b"}


def test_other_starts_are_other_settings(shards: Path, tmp_path: Path) -> None:
    out, start = tmp_path / "sets.jsonl", {"0#0": [3]}
    assert len(list(solve_many(shards, "mis", out=out, start=start, **MOVES))) == 12
    assert list(solve_many(shards, "mis", out=out, start=start, **MOVES)) == []
    for other in (None, {"0#0": [4]}):
        with pytest.raises(InputError, match=r"it was written with start .*give another --out, or the same settings"):
            list(solve_many(shards, "mis", out=out, start=other, **MOVES))


def test_bad_starts_of_a_stream(tmp_path: Path) -> None:
    pair, file = nx.path_graph(2), tmp_path / "start"
    file.write_text("1\n")
    assert [each.nodes for each in solve_many([pair], "mis", start=file, polish=False)] == [[1]]
    assert [each.nodes for each in solve_many([pair], "mis", start=[1], polish=False)] == [[1]]
    with pytest.raises(InputError, match="start: a start that names no graph is for one, these are 2; give lines of"):
        list(solve_many([pair, pair], "mis", start=file))
    with pytest.raises(InputError, match="a start that names no graph is for one, these are 2"):
        list(solve_many(Graph.batch([Graph.from_edges([[0], [1]])] * 2), "mis", start=[0]))
    for start, rule in (
        ("7\n", "start:1: the start has '7', which is no node"),
        ("[0]\n[1]\n", "start:1: of 2 starts in a stream each must name its graph"),
        ('{"graph": "0", "nodes": 3}', "start: a start must have a list of nodes"),
        ('{"graph": "0", "nodes": [9]}', "start: the start has 9, which is no node"),
        ('{"graph": "0", "nodes": [0], "problem": "mds"}', "start: the start is of 'mds', not of mis"),
    ):
        file.write_text(start)
        with pytest.raises(InputError, match=rule):
            list(solve_many([pair], "mis", start=file))
    for wrong in (3, "no-such-file", {"0": 7}, {"0": "ab"}):
        with pytest.raises(InputError):
            list(solve_many([pair], "mis", start=wrong))
    with pytest.raises(InputError, match="graph 0: the start has 'x', which is no node"):
        list(solve_many([pair], "mis", start={"0": ["x"]}))


def test_containers_and_files_of_a_problem_are_streamed_and_told_apart(tmp_path: Path) -> None:
    """Two functions on one graph differ in their linear coefficients alone."""
    matrices = [np.array([[-1.0, 2.0], [0.0, -1.0]]), np.array([[-1.0, 2.0], [0.0, -3.0]])]
    out = tmp_path / "solutions.jsonl"
    for expected in ([-1, -3], []):
        found = list(solve_many(iter(matrices), "qubo", out=out, moves=500, time_limit=60))
        assert [each.value for each in found] == expected
    (tmp_path / "crews.scp").write_text("2 2\n1 5\n1 1\n2 1 2\n")
    [cover] = solve_many(tmp_path / "crews.scp", "set_cover", moves=500, time_limit=60)
    assert (cover.graph, cover.nodes, cover.value) == ("crews", [1], 1)
    [own] = solve_many([{1, 2}, {2}], "set_cover", moves=500, time_limit=60)
    assert own.nodes == [0]


def test_the_same_name_with_other_coefficients_is_another_graph() -> None:
    one, two = (quadratic([[each, 2.0], [0.0, -1.0]]) for each in (-1.0, 1.0))
    assert key_of(one, "a") != key_of(two, "a")
    assert key_of(one, "a") == key_of(one, "a")
