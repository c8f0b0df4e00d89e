"""`annealco solve --out`: solutions in files, while others are still solved."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from tests.cli.program import ENVIRONMENT, Output, Terminal, assert_one_line, call
from tests.waiting import PATIENCE

MOVES = ("--moves", "50", "--time-limit", "60", "--no-bound")

SIGNALLED = """
import sys
from annealco.cli import main
from tests.signalling import signal_after_lines

signal_after_lines(int(sys.argv[1]), int(sys.argv[2]))
sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shards").mkdir()
    for number in range(3):
        write_graph(generate("ba-small", count=3, seed=number), Path(f"shards/{number}.npz"))


def rows_of(path: str) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def plain(rows: list[dict]) -> list[dict]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_solutions_are_written_in_the_labels_of_the_file(capsys: Output) -> None:
    nx.write_graphml(nx.path_graph(["a", "b", "c"]), "names.graphml")
    assert call("solve", "mis", "names.graphml", "shards", *MOVES, "--out", "sets.csv") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("10 graphs solved now: mean value ")
    assert out.endswith(", 0 proven optimal, written to sets.csv\n")
    with Path("sets.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["graph"] for row in rows[:2]] == ["names", "0#0"]
    assert json.loads(rows[0]["nodes"]) == ["a", "c"]
    assert json.loads(rows[0]["settings"]) == {"problem": "mis", "time_limit": 60, "moves": 50, "bound": False}
    capsys.readouterr()
    assert call("solve", "mis", "names.graphml", "shards", *MOVES, "--out", "sets.csv", "--threads", "1") == 0
    assert capsys.readouterr().out.startswith("0 graphs solved now")


def test_rows_are_what_is_printed_without(capsys: Output) -> None:
    assert call("solve", "mis", "--data", "shards/*.npz", *MOVES, "--json") == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # A shell may have replaced the pattern by the files.
    given = ["--data", *(f"shards/{number}.npz" for number in range(3))]
    assert call("solve", "mis", *given, *MOVES, "--json", "--out", "sets.jsonl") == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert plain(again) == plain(printed)
    assert [{key: row[key] for key in printed[0]} for row in rows_of("sets.jsonl")] == again


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("out", ["sets.jsonl", "sets/", "sets.parquet"])
@pytest.mark.processes
def test_the_same_command_goes_on(out: str, number: int) -> None:
    if out.endswith("parquet"):
        pytest.importorskip("pyarrow")
    assert call("solve", "mis", "shards", *MOVES, "--out", "whole.jsonl") == 0
    command = ["solve", "mis", "shards", *MOVES, "--out", out, "--threads", "1"]
    root = str(Path(__file__).parents[2])
    statuses = []
    for lines in (1, 3, 99):
        program = [sys.executable, "-c", SIGNALLED, str(lines), str(int(number)), *command]
        done = subprocess.run(
            program,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env=ENVIRONMENT | {"PYTHONPATH": root},
        )
        assert "Traceback" not in done.stderr
        statuses.append(done.returncode)
    assert statuses == [-9 if number == signal.SIGKILL else 130] * 2 + [0]
    if out == "sets/":
        assert sorted(path.name for path in Path(out).glob("*.npz.*")) == [f"{number}.npz.jsonl" for number in range(3)]
        rows = [row for number in range(3) for row in rows_of(f"sets/{number}.npz.jsonl")]
    elif out == "sets.parquet":
        from pyarrow import parquet

        rows = parquet.read_table(out).to_pylist()
        rows = [row | {"seed": int(row["seed"]), "settings": json.loads(row["settings"])} for row in rows]
    else:
        rows = rows_of(out)
    assert plain(rows) == plain(rows_of("whole.jsonl"))


@pytest.mark.parametrize("out", ["sets.jsonl", "sets/"])
def test_weights_by_another_name_are_other_settings(out: str, capsys: Output) -> None:
    path = nx.path_graph(["a", "b", "c"])
    nx.set_node_attributes(path, {"a": 1, "b": 9, "c": 1}, "price")
    Path("path.json").write_text(json.dumps(nx.node_link_data(path, edges="edges")))
    command = ["solve", "mis", "path.json", *MOVES, "--out", out]
    assert call(*command) == 0
    assert call(*command, "--node-weight", "price") == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert 'it was written with the default node_weight, now node_weight is "price"' in err
    assert call(*command, "--node-weight", "none") == 2
    assert 'now node_weight is "none"' in capsys.readouterr().err
    assert call(*command) == 0
    assert capsys.readouterr().out.startswith("0 graphs solved now")


def test_a_table_of_nodes_that_has_changed_is_read_again(capsys: Output) -> None:
    Path("path.csv").write_text("source,target\na,b\nb,c\n")
    command = ["solve", "mis", "path.csv", "--nodes", "nodes.csv", *MOVES, "--out", "sets/"]
    for weight, expected in ((9, ["b"]), (1, ["a", "c"])):
        Path("nodes.csv").write_text(f"node,weight\na,1\nb,{weight}\nc,1\n")
        assert call(*command) == 0
        assert [row["nodes"] for row in rows_of("sets/path.csv.jsonl")] == [expected]
    capsys.readouterr()
    assert call(*command) == 0
    assert capsys.readouterr().out.startswith("0 graphs solved now")


@pytest.mark.parametrize(
    ("data", "out"), [("graphs", "graphs/sets.csv"), ("graphs", "graphs/"), ("graphs/*.csv", "graphs/sets.csv")]
)
def test_what_is_written_beside_the_graphs_is_not_read(data: str, out: str, capsys: Output) -> None:
    Path("graphs").mkdir()
    Path("graphs/a.csv").write_text("source,target\na,b\n")
    command = ["solve", "mis", "--data", data, *MOVES, "--out", out]
    for solved in ("1 graph", "0 graphs"):
        assert call(*command) == 0
        assert capsys.readouterr().out.startswith(f"{solved} solved now")
    Path("graphs/a.csv").unlink()
    assert call(*command) == 2
    assert_one_line(capsys.readouterr().err)


def test_what_fails_does_not_stop_the_others(capsys: Output) -> None:
    write_graph(Graph.batch([nx_path(2), nx_path(6)]), Path("paths.npz"))
    Path("broken.col").write_text("p edge 3 1\ne 1 9\n")
    options = ("--volume", "4:5", *MOVES, "--out", "sets/")
    assert call("solve", "cut", "paths.npz", "broken.col", "shards/0.npz", *options) == 2
    out, err = capsys.readouterr()
    assert_one_line(err)
    # The file is read before the first graph is solved.
    assert "broken.col:2: node 9 is outside 1..3 (and 1 more without a solution)" in err
    assert out.startswith("4 graphs solved now")
    assert [row["graph"] for row in rows_of("sets/paths.npz.part")] == ["paths#1"]
    assert len(rows_of("sets/0.npz.jsonl")) == 3
    assert call("solve", "cut", "paths.npz", "shards/0.npz", *options) == 2
    out, err = capsys.readouterr()
    assert out.startswith("0 graphs solved now")
    assert "graph paths#0: no set has a volume in 4:5" in err


def nx_path(num_nodes: int) -> Graph:
    return Graph.from_edges([list(range(num_nodes - 1)), list(range(1, num_nodes))])


def test_a_mistake_in_all_graphs_ends_it_early(capsys: Output) -> None:
    write_graph(Graph.batch([nx_path(3)] * 150), Path("many.npz"))
    assert call("solve", "cut", "many.npz", "--seed-node", "7", *MOVES, "--out", "a.jsonl") == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert "graph many#0: seed_node '7' is not a node of the graph (and 99 more; the rest was not tried)" in err


def test_labels_are_read_per_graph(capsys: Output) -> None:
    nx.write_graphml(nx.path_graph(["a", "b", "3"]), "text.graphml")
    Path("number.edges").write_text("1 2\n2 3\n")
    options = ("--seed-node", "3", "--volume", "1:1", *MOVES, "--out", "a.jsonl")
    assert call("solve", "cut", "text.graphml", "number.edges", *options) == 0
    assert [row["nodes"] for row in rows_of("a.jsonl")] == [["3"], [3]]


def test_settings_of_solutions_that_were_written_beside_the_graphs_are_no_graph(capsys: Output) -> None:
    assert call("solve", "mis", "shards", *MOVES, "--out", "shards/") == 0
    assert call("solve", "mis", "shards", *MOVES, "--out", "a.jsonl") == 0
    assert call("solve", "mis", "shards", *MOVES, "--json") == 0
    assert capsys.readouterr().err == ""
    assert len(rows_of("a.jsonl")) == 9


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        (["--out", "a.doc"], "a.doc: unknown extension '.doc'"),
        (["--out", "no/a.csv"], "no/a.csv: cannot be written: no such folder"),
        (["--out", "old.jsonl"], "old.jsonl: it was written with time_limit 60.0, now it is the default"),
        (["--out", "shards/0.npz"], "unknown extension '.npz'"),
        (["--out", "a.csv", "--plot", "a.png"], "--plot draws what is printed"),
        (["--out", "a.csv", "--total-time", "9", "--ray", "local"], "a total time is shared out by one process"),
        (["--out", "a.csv", "--start", "b.jsonl"], "b.jsonl: cannot be read: no such file or folder"),
        (
            ["shards/1.npz", "--out", "a.csv", "--start", "one"],
            "one: a start that names no graph is for one, these are 2",
        ),
        (["--out", ""], "the place of solutions must be the path of a file or folder, it is ''"),
        (["--out", "y" * 300], ": cannot be written: file name too long"),
        (["--data", "shards", "--out", "y" * 300 + ".csv"], ": cannot be written: file name too long"),
        (["--out", "a\0b"], "'a\\x00b': this is not a possible file name"),
        (["--data", "shards", "--out", "a\0b.csv"], "'a\\x00b.csv': this is not a possible file name"),
        (["--out", "/proc/a.jsonl"], "/proc/a.jsonl: cannot be written: "),
        (["--out", "/proc/self/a/"], "/proc/self/a: cannot be written: "),
        (["--ray", "local"], "--ray needs a place for the solutions"),
        (["--out", "a.csv", "--data", "x*.npz"], "x*.npz: no file matches this pattern"),
        (["--out", "a.csv", "--data", "none.npz"], "none.npz: cannot be read: no such file or folder"),
        (["--out", "a.csv", "--steps", "3"], "steps are those of a model"),
    ],
)
def test_bad_usage_is_one_line_and_writes_nothing(options: list[str], rule: str, capsys: Output) -> None:
    call("solve", "mis", "shards/0.npz", *MOVES, "--out", "old.jsonl")
    Path("one").write_text("3\n")
    before = {path: path.read_bytes() for path in Path().rglob("*.*") if path.is_file()}
    capsys.readouterr()
    assert call("solve", "mis", "shards/0.npz", *options) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert rule in err
    assert {path: path.read_bytes() for path in Path().rglob("*.*") if path.is_file()} == before


@pytest.mark.processes
def test_progress_is_shown_where_it_is_seen() -> None:
    with Terminal() as terminal:
        command = [sys.executable, "-m", "annealco", "solve", "mis", "shards", *MOVES, "--out", "a.jsonl"]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=terminal.file, check=False, env=ENVIRONMENT | {"TERM": "xterm"}
        )
    assert done.returncode == 0
    assert b"solving" in terminal.drawn
    assert done.stdout.startswith(b"9 graphs solved now")


def test_what_a_cluster_prints_is_not_among_the_solutions(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    def run(function, tasks, address, **options):
        for name, arguments in tasks:
            sys.stdout.write("(raylet) A worker died\n")
            yield name, function(*arguments)

    monkeypatch.setattr("annealco.solving.many.run_on_cluster", run)
    assert call("solve", "mis", "shards", *MOVES, "--json", "--ray", "local") == 0
    out, err = capsys.readouterr()
    assert len([json.loads(line) for line in out.splitlines()]) == 9
    assert err.splitlines() == ["(raylet) A worker died"] * 3
    monkeypatch.setattr("annealco.evaluation.bench.comparison.run_on_cluster", run)
    monkeypatch.setattr("annealco.evaluation.bench.comparison.require", lambda *_: None)
    command = ["bench", "mis", "--data", "shards/0.npz", "--methods", "greedy", "--ray", "local", "--json"]
    assert call(*command) == 0
    out, err = capsys.readouterr()
    assert [json.loads(line)["method"] for line in out.splitlines()] == ["greedy"]
    assert err.count("(raylet) A worker died") == 3


@pytest.mark.slow
@pytest.mark.processes
def test_a_cluster_writes_the_same(capsys: Output) -> None:
    pytest.importorskip("ray")
    assert call("solve", "mis", "shards", *MOVES, "--out", "here/") == 0
    assert call("solve", "mis", "shards", *MOVES, "--out", "there/", "--ray", "local") == 0
    for number in range(3):
        name = f"{number}.npz.jsonl"
        assert plain(rows_of(f"there/{name}")) == plain(rows_of(f"here/{name}"))


def test_a_run_goes_on_from_the_file_that_another_wrote(capsys: Output) -> None:
    assert (
        call("solve", "mis", "shards", "--moves", "5000", "--time-limit", "60", "--no-bound", "--out", "a.jsonl") == 0
    )
    best = {row["graph"]: row["nodes"] for row in rows_of("a.jsonl")}
    lines = Path("a.jsonl").read_text().splitlines(keepends=True)
    Path("some.jsonl").write_text("".join(lines[:4]))
    command = ["solve", "mis", "shards", "--no-polish", "--no-bound", "--start", "some.jsonl", "--out"]
    capsys.readouterr()
    for out in ("b.jsonl", "folder/"):
        assert call(*command, out) == 0
        assert capsys.readouterr().out.startswith("9 graphs solved now, 4 from a start: mean value ")
    rows = rows_of("b.jsonl")
    assert [row["nodes"] for row in rows[:4]] == [best[row["graph"]] for row in rows[:4]]
    assert {row["seed"] for row in rows} == {1}
    folder = [row for number in range(3) for row in rows_of(f"folder/{number}.npz.jsonl")]
    assert [row["nodes"] for row in folder] == [row["nodes"] for row in rows]
    # The same command goes on, and one with another start is refused.
    assert call(*command, "folder/") == 0
    assert capsys.readouterr().out.startswith("0 graphs solved now, 0 from a start")
    Path("some.jsonl").write_text("".join(lines[:3]))
    assert call(*command, "folder/") == 2
    assert "it was written with start" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["sets.jsonl", "sets.csv", "sets.parquet", "sets/"])
def test_a_total_time_is_for_all_files_of_a_run(out: str, capsys: Output) -> None:
    command = ["solve", "mis", "shards", "--total-time", "1e5", "--out", out]
    for said in ("9 graphs solved now", "0 graphs solved now"):
        assert call(*command) == 0
        assert capsys.readouterr().out.startswith(said)


@pytest.mark.processes
def test_a_kill_in_a_total_time_keeps_what_is_closed() -> None:
    command = ["solve", "mis", "shards", "--total-time", "1e5", "--threads", "1", "--out", "sets.jsonl"]
    killed = [sys.executable, "-c", SIGNALLED, "4", str(int(signal.SIGKILL)), *command]
    environment = ENVIRONMENT | {"PYTHONPATH": str(Path(__file__).parents[2])}
    assert subprocess.run(killed, env=environment, timeout=PATIENCE, check=False).returncode == -signal.SIGKILL
    before = rows_of("sets.jsonl")
    assert 0 < len(before) < 9
    assert call(*command) == 0
    rows = rows_of("sets.jsonl")
    assert rows[: len(before)] == before
    assert len({row["key"] for row in rows}) == len(rows) == 9


@pytest.mark.parametrize("out", ["sets.jsonl", "sets.csv", "sets.parquet"])
@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("nan.csv", "source,target,weight\na,b,nan\n", []),
        ("column.csv", "source,target,weight\na,b,1\n", ["--edge-weight", "wieght"]),
        ("ragged.csv", "source,target\na,b\nc\n", []),
        ("empty.csv", "", []),
        ("wide.csv", "source,target\na,b\n".encode("utf-16"), []),
        ("cut.json", '{"nodes": [{"id"', []),
        ("directed.json", '{"directed": true, "nodes": [], "edges": []}', []),
        ("node.csv", "source,target\na,b\n", ["--start", "start"]),
    ],
)
def test_bad_graphs_leave_no_file_of_solutions(
    out: str, name: str, content: str | bytes, options: list[str], capsys: Output
) -> None:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    Path("start").write_text("z\n")
    assert call("solve", "mis", name, *options, *MOVES, "--out", out) == 2
    said = capsys.readouterr()
    assert_one_line(said.err)
    assert "written" not in said.out
    assert not list(Path().glob("sets*"))


def test_a_file_of_solutions_is_there_where_there_are_no_graphs() -> None:
    write_graph(Graph.batch([]), "none.npz")
    for out in ("sets.jsonl", "sets.csv", "sets.parquet", "sets/"):
        assert call("solve", "mis", "none.npz", *MOVES, "--out", out) == 0
    assert Path("sets.jsonl").read_text() == Path("sets/none.npz.jsonl").read_text() == ""
    assert Path("sets.csv").read_text().startswith("graph,problem,nodes,")
    assert Path("sets.parquet").exists()
