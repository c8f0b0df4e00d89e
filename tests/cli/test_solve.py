from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer

from annealco.cli.solve import (
    MOST_NODES,
    as_text,
    check_pictures,
    describe_set,
    file_name,
    percentage,
    picture_names,
    show_solutions,
)
from annealco.energy import Instance
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.formats.named import read_named, stem
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from annealco.solving.solution import Solution
from annealco.solving.solver import TIME_LIMIT, Solver
from tests.budgets import BRIEF_OPTIONS as BRIEF
from tests.cli.program import Output, assert_one_line, call, run
from tests.problems.brute_force import best_score
from tests.problems.sums import ON_GRAPHS

KEYS = ["graph", "problem", "nodes", "value", "feasible", "bound", "gap", "optimal", "method", "seconds", "seed"]

# Two triangles 1-2-3 and 4-5-6 joined by the edge 3-4: volumes are 7 a side, the cut between them is 1.
TRIANGLES = "p edge 6 7\ne 1 2\ne 1 3\ne 2 3\ne 3 4\ne 4 5\ne 4 6\ne 5 6\n"

TEXT = """<graphml><graph edgedefault="undirected">
<node id="a"/><node id="7"/><node id="c"/><edge source="a" target="7"/><edge source="7" target="c"/>
</graph></graphml>
"""


@pytest.fixture
def triangles(tmp_path: Path) -> Path:
    path = tmp_path / "triangles.col"
    path.write_text(TRIANGLES)
    return path


def solve_json(capsys: Output, *arguments: str | Path) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert call("solve", *arguments, "--json") == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def small_graph(tmp_path: Path) -> Path:
    """Write a weighted graph of eight nodes with labels of its own, and an isolated node."""
    edges = [[0, 0, 1, 2, 3, 4, 5, 1], [1, 2, 2, 3, 4, 5, 6, 5]]
    graph = Graph.from_edges(
        edges,
        8,
        node_weight=[2, 1, 3, 1.5, 2, 1, 4, 1],
        edge_weight=[1, 2, 1, 3, 1, 1, 2, 0.5],
        node_labels=[f"n{number}" for number in range(8)],
    )
    write_graph(graph, tmp_path / "small.npz")
    return tmp_path / "small.npz"


@pytest.mark.parametrize("name", ON_GRAPHS)
def test_every_problem_is_solved_and_told_as_json(name: str, tmp_path: Path, capsys: Output) -> None:
    path = small_graph(tmp_path)
    [found] = solve_json(capsys, name, path, *BRIEF, "--seed", "3")
    assert list(found) == KEYS
    graph, problem = read_graph(path), PROBLEMS[name]
    numbers = [graph.labels.tolist().index(label) for label in found["nodes"]]
    assert found["value"] == pytest.approx(problem.score(graph, numbers))
    assert found["value"] == pytest.approx(best_score(problem, graph))
    assert (found["graph"], found["problem"], found["feasible"], found["seed"]) == ("small", name, True, 3)
    assert found["optimal"] == (found["gap"] == 0)
    if found["bound"] is not None:
        assert (found["bound"] - found["value"]) * (1 if problem.sense == "max" else -1) >= -1e-9


def test_all_graphs_of_all_files_are_solved_under_their_names(tmp_path: Path, triangles: Path, capsys: Output) -> None:
    write_graph(generate("ba-small", count=2, seed=0), tmp_path / "two.npz")
    named = Graph.from_edges([[0], [1]], graph_data={"name": ["pair"]})
    write_graph(named, tmp_path / "named.npz")
    files = [tmp_path / "two.npz", triangles, tmp_path / "named.npz"]
    found = solve_json(capsys, "vertex_cover", *files, *BRIEF)
    assert [each["graph"] for each in found] == ["two#0", "two#1", "triangles", "pair"]
    assert [each["value"] for each in found[2:]] == [4, 1]
    assert set(found[2]["nodes"]) <= {1, 2, 3, 4, 5, 6}


def test_people_get_a_table_and_the_set(triangles: Path, capsys: Output) -> None:
    assert call("solve", "clique", triangles, *BRIEF) == 0
    out, err = capsys.readouterr()
    heading, _, row, blank, nodes, method = out.splitlines()
    assert heading.split() == ["graph", "nodes", "edges", "value", "bound", "gap", "optimal", "seconds"]
    assert row.split()[:4] == ["triangles", "6", "7", "3"]
    assert nodes in {"3 nodes: 1 2 3", "3 nodes: 4 5 6"}
    assert (blank, err) == ("", "")
    assert method.startswith("method: ")


def test_searching_and_proving_can_be_switched_off(triangles: Path, capsys: Output) -> None:
    [found] = solve_json(capsys, "mis", triangles, "--no-polish", "--no-bound")
    assert (found["method"], found["bound"], found["gap"], found["optimal"]) == ("decoding", None, None, False)
    [found] = solve_json(capsys, "mis", triangles, "--bound", "--no-polish")
    assert found["bound"] >= 2


def test_moves_make_it_repeatable(tmp_path: Path, capsys: Output) -> None:
    write_graph(generate("rb-small", count=2, seed=0), tmp_path / "rb.npz")
    settings = ("--moves", "300", "--no-bound", "--time-limit", "60", "--restarts", "2", "--seed", "5")
    runs = [solve_json(capsys, "mis", tmp_path / "rb.npz", *settings, "--threads", count) for count in ("1", "2")]
    assert [each["nodes"] for each in runs[0]] == [each["nodes"] for each in runs[1]]


def test_a_cut_takes_a_volume_and_a_seed_node(triangles: Path, tmp_path: Path, capsys: Output) -> None:
    for seed_node, side in (("2", {1, 2, 3}), ("5", {4, 5, 6})):
        [found] = solve_json(capsys, "cut", triangles, *BRIEF, "--volume", "6:8", "--seed-node", seed_node)
        assert (set(found["nodes"]), found["value"]) == (side, 1)
    (tmp_path / "text.graphml").write_text(TEXT)
    [found] = solve_json(capsys, "cut", tmp_path / "text.graphml", *BRIEF, "--volume", "0:4", "--seed-node", "7")
    assert "7" in found["nodes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve"], "Missing argument 'PROBLEM'"),
        (["solve", "mis"], "name the graphs: FILE..., or --data PATTERN"),
        (["solve", "tsp", "triangles.col"], f"unknown problem 'tsp'; choose one of {', '.join(PROBLEMS)}"),
        (["solve", "mis", "triangles.col", "--model", "oracle"], "unknown model 'oracle'"),
        (
            ["solve", "mis", "triangles.col", "--time-limit", "0"],
            "time limit must be more than 0 seconds and finite, it is 0",
        ),
        (["solve", "mis", "triangles.col", "--time-limit", "inf"], "time limit must be more than 0 seconds and finite"),
        (["solve", "mis", "triangles.col", "--restarts", "9" * 14], "restarts must be at least 1 and at most 10,000"),
        (["solve", "mis", "triangles.col", "--time-limit", "nan"], "time limit must be more than 0 seconds"),
        (["solve", "mis", "triangles.col", "--time-limit", "soon"], "Invalid value for '--time-limit'"),
        (["solve", "mis", "triangles.col", "--restarts", "0"], "restarts must be at least 1"),
        (["solve", "mis", "triangles.col", "--moves", "-1"], "moves must not be negative"),
        (["solve", "mis", "triangles.col", "--seed", "-1"], "seed must not be negative"),
        (["solve", "mis", "triangles.col", "--threads", "0"], "must be at least 1, it is 0"),
        (["solve", "mis", "triangles.col", "--volume", "1:2"], "No such option: --volume"),
        (["solve", "mis", "triangles.col", "--seed-node", "1"], "No such option: --seed-node"),
        (
            ["solve", "cut", "triangles.col", "--volume", "12"],
            "volume must be D0:D1 with D0 at most D1, such as 10:20, it is '12'",
        ),
        (
            ["solve", "cut", "triangles.col", "--volume", "x:y"],
            "volume must be D0:D1 with D0 at most D1, such as 10:20, it is 'x:y'",
        ),
        (["solve", "cut", "triangles.col", "--volume", "20:30"], "no set has a volume in 20:30"),
        (
            ["solve", "cut", "triangles.col", "--volume", "5:4"],
            "volume must be D0:D1 with D0 at most D1, such as 10:20, it is '5:4'",
        ),
        (["solve", "cut", "triangle.col", "--volume", "3:3"], "no set has a volume in 3:3, degrees add up to none"),
        (["solve", "cut", "triangles.col", "--seed-node", "9"], "is not a node"),
        (["solve", "cut", "triangles.col", "--seed-node", "x"], "is not a node"),
        (["solve", "mis", "missing.col"], "missing.col: cannot be read: no such file or folder"),
        (["solve", "mis", "."], "broken.col:2: node 9 is outside 1..3"),
        (["solve", "mis", "empty"], "empty: this folder has no graph files"),
        (
            ["solve", "mis", "triangle.col", "--edge-weight", "cost"],
            "the format dimacs: edge_weight cannot be used here",
        ),
        (
            ["solve", "mis", "triangle.col", "--ends", "from"],
            "ends must be the names of two columns, such as ('from', 'to')",
        ),
        (["solve", "mis", "triangles.col", "broken.col"], "broken.col:2: node 9 is outside 1..3"),
        (["solve", "mis", "triangles.col", "--format", "y"], "unknown format 'y'"),
        (["solve", "mis", ""], "the file name is empty"),
        (["solve", "mis", "triangles.col", ""], "the file name is empty"),
        (["solve", "mis", "triangles.col", "--plot", ""], "the file name is empty"),
        (["solve", "mis", "triangles.col", "--plot", "x.jpg"], "x.jpg: unknown extension '.jpg' of a picture"),
        (["solve", "mis", "triangles.col", "--plot", "no/x.png"], "no/x.png: cannot be written: no such folder"),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], message: str, triangles: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(triangles.parent)
    Path("broken.col").write_text("p edge 3 1\ne 1 9\n")
    Path("empty").mkdir()
    Path("roads.csv").write_text("from,to,km\na,b,1\nb,c,nan\n")
    Path("towns.csv").write_text("a\nb\na\n")
    Path("cut.json").write_text('{"nodes": [{"id": 1}')
    Path("mixed.json").write_text('{"nodes": [{"id": 1}, {"id": "a"}], "edges": []}')
    Path("directed.gml").write_text("graph [ directed 1 node [ id 0 ] ]\n")
    # Each of its three nodes has two edges, so that no volume is odd.
    Path("triangle.col").write_text("p edge 3 3\ne 1 2\ne 1 3\ne 2 3\n")
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert message in err


def test_a_graph_that_fails_does_not_hide_those_before(
    tmp_path: Path, triangles: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def declare(graph: Graph) -> Instance:
        if graph.num_nodes == 2:
            raise InputError("two are too few")
        return PROBLEMS["mis"].declare(graph)

    company = replace(PROBLEMS["mis"], name="company", declare=declare)
    monkeypatch.setattr(PROBLEMS, "_own", {**PROBLEMS._own, "company": company})
    (tmp_path / "pair.col").write_text("p edge 2 1\ne 1 2\n")
    arguments = ("solve", "company", triangles, tmp_path / "pair.col", *BRIEF, "--threads", "1")
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out.splitlines()[2].startswith("triangles ")
    assert_one_line(err)
    assert call(*arguments, "--json") == 2
    out, err = capsys.readouterr()
    assert [json.loads(line)["graph"] for line in out.splitlines()] == ["triangles"]


def test_an_option_that_a_later_graph_does_not_allow_is_told_first(
    tmp_path: Path, triangles: Path, capsys: Output
) -> None:
    (tmp_path / "pair.col").write_text("p edge 2 1\ne 1 2\n")
    for option, rule in (
        (("--volume", "6:8"), "graph pair: no set has a volume in 6:8"),
        (("--seed-node", "5"), "graph pair: seed_node"),
    ):
        assert call("solve", "cut", triangles, tmp_path / "pair.col", *BRIEF, *option, "--json") == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert_one_line(err)
        assert rule in err


def test_graphs_of_nothing(tmp_path: Path, capsys: Output) -> None:
    write_graph(Graph.batch([]), tmp_path / "none.npz")
    assert solve_json(capsys, "mis", tmp_path / "none.npz") == []
    assert call("solve", "mis", tmp_path / "none.npz") == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert call("solve", "mis", tmp_path / "none.npz", "--plot", tmp_path / "none.png") == 0
    assert not (tmp_path / "none.png").exists()
    write_graph(Graph.from_edges([[], []], 0), tmp_path / "empty.npz")
    for name, problem in PROBLEMS.items():
        if problem.at_price is None:
            [found] = solve_json(capsys, name, tmp_path / "empty.npz", *BRIEF)
            assert (found["nodes"], found["value"]) == ([], 0)
    assert call("solve", "conductance", tmp_path / "empty.npz", *BRIEF) == 2
    assert "no set has a volume above 0 in 0:0" in capsys.readouterr().err


def test_pictures_are_drawn(tmp_path: Path, triangles: Path, capsys: Output) -> None:
    assert call("solve", "mis", triangles, *BRIEF, "--plot", tmp_path / "one.png") == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"picture: {tmp_path / 'one.png'}"
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert call("solve", "mis", *[triangles] * 11, *BRIEF, "--plot", tmp_path / "many.svg", "--json") == 0
    assert [json.loads(line)["value"] for line in capsys.readouterr().out.splitlines()] == [2] * 11
    assert sorted(path.name for path in tmp_path.glob("many*")) == [f"many-{number:02}.svg" for number in range(11)]


@pytest.mark.parametrize(
    ("inputs", "plot", "named"),
    [
        (["v.svg"], "v.svg", "v.svg"),
        (["v.svg"], "link.svg", "link.svg"),
        (["link.svg"], "v.svg", "v.svg"),
        (["in-0.svg", "v.svg"], "in.svg", "in-0.svg"),
        (["v.svg", "in-0.svg"], "in.svg", "in-0.svg"),
    ],
)
def test_a_picture_never_replaces_a_graph_that_is_read(
    inputs: list[str], plot: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("v.svg", "in-0.svg"):
        Path(name).write_text(TRIANGLES)
    Path("link.svg").symlink_to("v.svg")
    assert call("solve", "mis", *inputs, "--format", "dimacs", "--plot", plot) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert f"{named}: the picture would replace the graph file" in err
    assert Path("v.svg").read_text() == Path("in-0.svg").read_text() == TRIANGLES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in-0.svg", "link.svg", "v.svg"]


@pytest.mark.parametrize(
    ("plot", "rule"), [("m.png", "m-1.png: cannot be written: it is a folder"), ("x" * 250 + ".png", "too long")]
)
def test_the_names_of_all_pictures_are_checked_before_anything_is_solved(
    plot: str, rule: str, tmp_path: Path, triangles: Path, capsys: Output
) -> None:
    (tmp_path / "m-1.png").mkdir()
    assert call("solve", "mis", triangles, triangles, "--plot", tmp_path / plot) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert rule in err
    assert not (tmp_path / "m-0.png").exists()


def test_solving_imports_nothing_it_does_not_need(triangles: Path) -> None:
    program = "import sys; from annealco.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = run("solve", "mis", triangles, *BRIEF, program=program)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "annealco.solving.pipeline" in loaded
    assert not loaded & {
        "torch",
        "torch_geometric",
        "networkx",
        "igraph",
        "matplotlib",
        "lightning",
        "lightning_fabric",
    }


def test_the_time_limit_is_that_of_the_library(triangles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    kept = Solver._check_limits
    monkeypatch.setattr(Solver, "_check_limits", lambda self: limits.append(self.time_limit) or kept(self))
    assert call("solve", "mis", triangles) == 0
    assert limits[0] == TIME_LIMIT


def test_a_solve_goes_on_from_what_it_printed(triangles: Path, tmp_path: Path, capsys: Output) -> None:
    [first] = solve_json(capsys, "mis", triangles, *BRIEF)
    last = tmp_path / "last.json"
    last.write_text(json.dumps(first) + "\n")
    [second] = solve_json(capsys, "mis", triangles, "--no-polish", "--no-bound", "--start", last)
    assert (second["nodes"], second["seed"]) == (first["nodes"], 1)
    [third] = solve_json(capsys, "mis", triangles, "--no-polish", "--no-bound", "--start", last, "--seed", "0")
    assert (third["nodes"], third["seed"]) == (first["nodes"], 0)


def test_text_labels_are_read_from_lines(tmp_path: Path, capsys: Output) -> None:
    graph, start = tmp_path / "text.graphml", tmp_path / "start.txt"
    graph.write_text(TEXT)
    start.write_text("7\n")
    [found] = solve_json(capsys, "mis", graph, "--no-polish", "--no-bound", "--start", start)
    assert found["nodes"] == ["7"]


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (["--gap", "1"], "the gap must be from 0 to below 1, it is 1.0"),
        (["--gap", "nan"], "the gap must be from 0 to below 1, it is nan"),
        (
            ["--patience", "120%"],
            "patience must be seconds above 0, or a share such as 20% of at most 100%, it is '120%'",
        ),
        (["--total-time", "0"], "the total time must be more than 0 seconds and finite, it is 0.0"),
        (["--start", "no-such-file"], "no-such-file: cannot be read: no such file or folder"),
    ],
)
def test_bad_limits_and_starts_are_one_line(triangles: Path, capsys: Output, options: list[str], rule: str) -> None:
    assert call("solve", "mis", triangles, *options) == 2
    printed = capsys.readouterr().err
    assert_one_line(printed)
    assert rule in printed


def test_limits_that_stop_a_solve(triangles: Path, capsys: Output) -> None:
    # Were a limit of days not ended, this would not end either.
    long = ("--time-limit", "1e6")
    [found] = solve_json(capsys, "mis", triangles, *long, "--gap", "0.4", "--patience", "20%", "--total-time", "1e5")
    assert found["gap"] <= 0.4


def test_a_name_is_a_path() -> None:
    assert file_name("graphs/a.col") == Path("graphs/a.col")
    assert file_name(".") == Path()


def test_an_empty_name_is_not_the_current_folder() -> None:
    with pytest.raises(typer.BadParameter, match="the file name is empty"):
        file_name("")


PAIR = Graph.from_edges([[0], [1]])
PATH = Graph.from_edges([[0, 1], [1, 2]])


def names(graph: Graph) -> list[str]:
    return graph.graph_data["name"].tolist()


def test_graphs_are_named_by_themselves_or_by_their_file(tmp_path: Path) -> None:
    write_graph(Graph.batch([PAIR, PATH]), tmp_path / "both.npz")
    own = Graph.from_edges([[0], [1]], graph_data={"name": ["mine"]})
    blank = Graph.from_edges([[0], [1]], graph_data={"name": [""]})
    write_graph(Graph.batch([own, blank]), tmp_path / "some.npz")
    (tmp_path / "path.v2.COL.gz").write_bytes(gzip.compress(b"p edge 3 2\ne 1 2\ne 2 3\n"))
    graphs = read_named([tmp_path / name for name in ("both.npz", "some.npz", "path.v2.COL.gz")])
    assert names(graphs) == ["both#0", "both#1", "mine", "some#1", "path.v2"]
    assert [graph.num_nodes for graph in graphs] == [2, 3, 2, 2, 3]
    assert graphs[4].labels.tolist() == [1, 2, 3]


def test_a_single_file_is_read_as_it_is(tmp_path: Path) -> None:
    write_graph(PATH.with_weights(node_weight=[1, 2, 3]), tmp_path / "path.npz")
    graph = read_named([tmp_path / "path.npz"])
    assert names(graph) == ["path"]
    assert graph.node_weight.tolist() == [1, 2, 3]
    assert graph.edges.tolist() == PATH.edges.tolist()


def test_a_file_of_no_graphs_gives_none(tmp_path: Path) -> None:
    write_graph(Graph.batch([]), tmp_path / "none.npz")
    assert read_named([tmp_path / "none.npz"]).num_graphs == 0
    assert read_named([tmp_path / "none.npz", tmp_path / "none.npz"]).num_graphs == 0


def test_the_format_can_be_named_and_errors_are_those_of_reading(tmp_path: Path) -> None:
    (tmp_path / "path").write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    assert read_named([tmp_path / "path"], format="dimacs").num_nodes == 3
    with pytest.raises(GraphFileError, match="unknown extension"):
        read_named([tmp_path / "path"])


@pytest.mark.parametrize(
    ("name", "expected"), [("a/b.col", "b"), ("b.npz", "b"), ("b.txt.gz", "b"), ("b", "b"), ("a.b.graph", "a.b")]
)
def test_stems(name: str, expected: str) -> None:
    assert stem(Path(name)) == expected


def test_pictures_of_many_graphs_are_numbered_with_as_many_digits_as_are_needed() -> None:
    assert picture_names(Path("a/b.v2.svg"), 1) == [Path("a/b.v2.svg")]
    assert picture_names(Path("a/b.v2.svg"), 2) == [Path("a/b.v2-0.svg"), Path("a/b.v2-1.svg")]
    assert picture_names(Path("b.png"), 101)[7] == Path("b-007.png")
    assert picture_names(Path("b.png"), 0) == []


def test_an_older_picture_may_be_replaced_but_no_graph_file(tmp_path: Path) -> None:
    graph, older, link = tmp_path / "graph.png", tmp_path / "older.png", tmp_path / "link.png"
    graph.write_text("p edge 1 0")
    older.write_bytes(b"picture")
    link.symlink_to(graph)
    check_pictures([older, tmp_path / "new.png"], [graph])
    for picture in (graph, link, tmp_path / "." / "graph.png"):
        with pytest.raises(InputError, match="would replace the graph file"):
            check_pictures([older, picture], [older.with_name("graph.png")])


PATH_AND_LONE_NODE = Graph.from_edges([[0, 1], [1, 2]], num_nodes=4)
SOLVED = Solution(
    problem="mis",
    nodes=["a", "two words", 3],
    value=3.0,
    feasible=True,
    bound=3.0,
    gap=0.0,
    optimal=True,
    method="covering search + clique cover",
    seconds=0.126,
    seed=0,
    graph="path",
)


def test_one_graph_is_a_row_and_its_set(capsys: Output) -> None:
    show_solutions(PATH_AND_LONE_NODE, [SOLVED])
    heading, _, row, blank, nodes, method = capsys.readouterr().out.splitlines()
    assert heading.split() == ["graph", "nodes", "edges", "value", "bound", "gap", "optimal", "seconds"]
    assert " ".join(row.split()) == "path 4 2 3 3 0 % proven 0.13"
    assert (blank, nodes) == ("", "3 nodes: a two words 3")
    assert method == "method: covering search + clique cover"


def test_tables_fit_80_characters(capsys: Output) -> None:
    large = Graph.from_edges([[0], [1]], num_nodes=1_000_000)
    show_solutions(
        large, [replace(SOLVED, value=499_999.75, bound=500_000.25, gap=1e-6, optimal=False, seconds=99.999)]
    )
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_many_graphs_are_rows_and_a_mean(capsys: Output) -> None:
    open_one = replace(SOLVED, value=2.5, bound=None, gap=None, optimal=False, graph="[red]x[/red]\n")
    show_solutions(Graph.batch([PATH_AND_LONE_NODE, PATH_AND_LONE_NODE]), [SOLVED, open_one])
    *_, last_row, blank, mean = capsys.readouterr().out.splitlines()
    assert last_row.split()[:7] == ["[red]x[/red]\\n", "4", "2", "2.5", "-", "-", "-"]
    assert (blank, mean) == ("", "2 graphs: mean value 2.75, 1 proven optimal")


def test_only_the_first_graphs_may_be_solved(capsys: Output) -> None:
    show_solutions(Graph.batch([PATH_AND_LONE_NODE, Graph.from_edges([[0], [1]])]), [SOLVED])
    assert len(capsys.readouterr().out.splitlines()) == 6
    show_solutions(Graph.batch([]), [])
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_long_sets_are_shortened() -> None:
    text = describe_set(replace(SOLVED, nodes=list(range(MOST_NODES + 5))))
    assert text.startswith(f"{MOST_NODES + 5} nodes: 0 1 2 ")
    assert text.endswith(f" {MOST_NODES - 1} and 5 more (see --json)")
    assert describe_set(replace(SOLVED, nodes=[])) == "0 nodes"
    assert describe_set(replace(SOLVED, nodes=["a\nb"])) == "1 node: a\\nb"


@pytest.mark.parametrize(
    ("value", "text"), [(-2.0, "-2"), (0.0, "0"), (1e6, "1000000"), (0.1 + 0.2, "0.3"), (None, "-")]
)
def test_values(value: float | None, text: str) -> None:
    assert as_text(value) == text


def test_only_a_gap_of_none_looks_like_none() -> None:
    assert [percentage(gap) for gap in (0.0, 1e-12, 0.0001, 0.0123, 1.0)] == [
        "0 %",
        "<0.01 %",
        "0.01 %",
        "1.23 %",
        "100.00 %",
    ]


def test_tables_are_solved_with_the_names_that_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roads.csv").write_text("from,to,km\nUlm,Bonn,430\nBonn,Kiel,500\n")
    Path("towns.csv").write_text("town,price\nBonn,9\nKiel,4\nUlm,3\nSylt,1\n")
    names = ["--ends", "from,to", "--json", "--time-limit", "5"]
    table = ["--nodes", "towns.csv", "--node-weight", "price"]
    for source, rest, nodes, value in (
        ("roads.csv", [], ["Ulm", "Kiel"], 2),
        ("roads.csv", table, ["Bonn", "Sylt"], 10),
        (".", table, ["Bonn", "Sylt"], 10),
        ("roads.csv", ["--nodes", "towns.csv", "--node-weight", "none"], ["Kiel", "Ulm", "Sylt"], 3),
    ):
        assert call("solve", "mis", source, *names, *rest) == 0
        found = json.loads(capsys.readouterr().out)
        assert (sorted(found["nodes"]), found["value"]) == (sorted(nodes), value)
    assert call("data", "info", "roads.csv", "--ends", "from,to", "--edge-weight", "km", "--json") == 0
    assert json.loads(capsys.readouterr().out)["edge_weighted"] is True
