"""Comparisons on graph files, problems and methods of the user's own."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest

import annealco
from annealco.baselines import METHODS, find_method
from annealco.errors import InputError
from annealco.evaluation.bench.comparison import Bench, Comparison, of_files, rows_of
from annealco.evaluation.bench.entries import parse_entries
from annealco.evaluation.bench.rows import check_row, problem_of, read_rows
from annealco.evaluation.bench.table import BEST_OF_ALL, PROVEN_HERE, summarise, with_references
from annealco.evaluation.bench.tasks import run_task
from annealco.evaluation.report import collect_rows, write_report
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS, find_problem
from tests.budgets import FAR
from tests.cli.program import Output, call

PROGRAM = """
import os
from dataclasses import replace
import numpy as np
from annealco import PROBLEMS, Option, Problem
from annealco.baselines import METHODS, Method, Outcome

def declare(graph, *, least=0, first=None):
    return PROBLEMS["mds"].declare(graph)

def score(graph, nodes, *, least=0, first=None):
    good = len(nodes) >= least and (first is None or first in nodes)
    return PROBLEMS["mds"].score(graph, nodes) if good else None

COVER = Problem("cover", "a cover", "min", declare, score, options=(
    Option("least", kind="integer", default=0), Option("first", kind="node")))

def everything(problem, graph, **_):
    return Outcome(np.ones(graph.num_nodes, bool), note=f"by {os.getpid()}")

def fail(problem, graph, **_):
    raise RuntimeError("not today")

ALL = Method("all", "all nodes", everything)
FAILING = Method("failing", "an error", fail)
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    Path("mine.py").write_text(PROGRAM)
    Path("graphs").mkdir()
    Path("graphs/b.col").write_text("p edge 4 3\ne 1 2\ne 2 3\ne 3 4\n")
    Path("graphs/a.col").write_text("p edge 3 2\ne 1 2\ne 2 3\n")


def bench(*files: str, methods: str = "greedy,search", problem: str = "mis", **options) -> Bench:
    settings = {"seconds": FAR, "moves": 50, **options}
    return of_files(files or ["graphs"], problem=problem, entries=tuple(parse_entries(methods)), **settings)


def run(given: Bench) -> list[dict]:
    list(Comparison(given, "out").rows())
    return sorted(rows_of(given, "out"), key=lambda row: (row["case"], row["method"]))


def test_rows_of_files_have_names_and_fingerprints() -> None:
    rows = run(bench())
    assert [(row["case"], row["method"], row["value"]) for row in rows] == [
        (0, "greedy", 2.0),
        (0, "search", 2.0),
        (1, "greedy", 2.0),
        (1, "search", 2.0),
    ]
    assert {row["source"].split()[0] for row in rows} == {"a", "b"}
    assert {row["data"] for row in rows} == {"files:graphs"}
    # No bound meets the best, and there is nothing stored.
    assert {row["reference_kind"] for row in with_references(bench(), rows)} == {BEST_OF_ALL}
    assert [line.ratio for line in summarise(bench(), rows)] == [1.0, 1.0]


def test_what_is_there_is_not_run_again_whatever_is_added_or_moved() -> None:
    run(bench())
    assert Comparison(bench(), "out").missing == []
    assert Comparison(bench("graphs/b.col", "graphs/a.col"), "out").missing == []
    assert [row["source"].split()[0] for row in rows_of(bench("graphs/b.col"), "out")] == ["b", "b"]
    Path("graphs/0.col").write_text("p edge 2 1\ne 1 2\n")
    more = Comparison(bench(), "out")
    assert [(key.case, key.source.split()[0]) for _, key in more.missing] == [(0, "0"), (0, "0")]
    list(more.rows())
    assert [row["case"] for row in sorted(rows_of(bench(), "out"), key=lambda row: row["case"])] == [0, 0, 1, 1, 2, 2]
    # Another graph of the same name is another graph.
    Path("graphs/a.col").write_text("p edge 3 1\ne 1 2\n")
    assert [key.source.split()[0] for _, key in Comparison(bench(), "out").missing] == ["a", "a"]


def test_the_same_graph_twice_is_two_cases() -> None:
    one = Graph.from_edges([[0], [1]], graph_data={"name": ["same"]})
    write_graph(Graph.batch([one, one]), Path("twice.npz"))
    assert [row["case"] for row in run(bench("twice.npz", methods="greedy"))] == [0, 1]


def test_a_proven_optimum_is_the_reference() -> None:
    pytest.importorskip("ortools")
    given = bench(methods="cp_sat,greedy_fixed", problem="mds")
    rows = with_references(given, run(given))
    assert {row["reference_kind"] for row in rows} == {PROVEN_HERE}
    assert [row["reference"] for row in rows] == [1.0, 1.0, 2.0, 2.0]


def test_problems_and_methods_are_named_by_their_place() -> None:
    given = bench(problem="mine.py:COVER", methods="greedy,mine.py:ALL,mine.py:FAILING", options={"least": 2})
    rows = run(given)
    assert {(row["problem"], row["sense"], row["options"]) for row in rows} == {("cover", "min", '{"least": 2}')}
    by_method = {row["method"]: row for row in rows if row["case"] == 0}
    assert by_method["greedy"]["value"] is None  # One node suffices for domination, two are asked for.
    assert by_method["mine.py:ALL"]["value"] == 3.0
    # Methods of others run in a process of their own.
    assert by_method["mine.py:ALL"]["note"] != f"by {__import__('os').getpid()}"
    assert by_method["mine.py:FAILING"]["note"] == "the method failing failed: RuntimeError: not today"
    assert len(run(bench(problem="mine.py:COVER", methods="greedy"))) == 2  # Without the option it is another problem.


def test_nodes_are_named_by_their_labels() -> None:
    given = bench(problem="mine.py:COVER", methods="mine.py:ALL", options={"first": "3"})
    assert [row["value"] for row in run(given)] == [3.0, 4.0]
    with pytest.raises(InputError, match="first '9' is not a node of the graph"):
        run(bench(problem="mine.py:COVER", methods="mine.py:ALL", options={"first": "9"}))


def test_a_problem_that_is_an_object_stays_in_this_process() -> None:
    given = bench(problem=find_problem("mine.py:COVER"), methods="mine.py:ALL,mine.py:FAILING")
    assert given.place is None
    notes = [row["note"] for row in run(given)[:2]]
    assert notes == [f"by {__import__('os').getpid()}", "the method failing failed: RuntimeError: not today"]
    assert bench(problem=PROBLEMS["mis"]).place == "mis"


def test_tasks_can_be_sent_to_other_processes() -> None:
    given = bench(problem="mine.py:COVER", methods="greedy", options={"least": 1})
    [task, _] = given.tasks(given.cases, given.keys(2, given.cases.sources))
    back = pickle.loads(pickle.dumps(task))
    assert (back.key, back.place) == (task.key, f"{Path('mine.py').resolve()}:COVER")
    assert run_task(back)["value"] == 1.0


def test_named_sets_take_options_and_problems_of_others_too() -> None:
    entries = tuple(parse_entries("greedy"))
    settings = {"entries": entries, "limit": 2, "seconds": FAR, "moves": 50}
    rows = run(Bench(data="rb-small", problem="mine.py:COVER", **settings))
    # Sets that a generator planted are no optimum of a problem that it does not know.
    assert [(row["reference"], "source" in row) for row in rows] == [(None, False)] * 2
    cut = run(Bench(data="ba-small", problem="cut", options={"volume": (100.0, 200.0)}, **settings))
    assert [row["options"] for row in cut] == ['{"volume": [100.0, 200.0]}'] * 2
    assert [line.paper for line in summarise(Bench(data="ba-small", problem="cut", **settings), cut)] == [None]


def test_a_report_imports_nothing_that_rows_name() -> None:
    run(bench(problem="mine.py:COVER", methods="greedy"))
    [first, *_] = [json.loads(line) for line in Path("out/rows.jsonl").read_text().splitlines()]
    assert problem_of(first).name == "cover"
    Path("mine.py").write_text("raise SystemExit('imported')")
    assert write_report("out").rows == 2
    assert len(collect_rows("out").rows) == 2
    del first["sense"]
    with pytest.raises(ValueError, match="unknown problem 'cover', and sense is missing"):
        check_row(first)
    with pytest.raises(InputError, match="the name of a problem must be text without slashes and colons"):
        check_row({**first, "problem": "mine.py:COVER", "sense": "min"})


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        (["nothing"], "nothing: cannot be read: no such file or folder"),
        (["empty"], "empty: this folder has no graph files"),
    ],
)
def test_files_that_are_not_there_are_told(files: list[str], rule: str) -> None:
    Path("empty").mkdir()
    with pytest.raises(InputError, match=rule):
        Comparison(bench(*files), "out")


def test_many_graphs_of_one_file(tmp_path: Path) -> None:
    write_graph(generate("ba-small", count=3, seed=0), Path("many.npz"))
    rows = run(bench("many.npz", methods="greedy", limit=2))
    assert [row["source"].split()[0] for row in rows] == ["many#0", "many#1"]


@pytest.mark.parametrize(
    ("name", "text", "rule"),
    [
        (
            "notes.txt",
            "",
            r"graphs/notes\.txt: the file is empty; in a folder every file with the extension of a graph",
        ),
        ("notes.txt", "to be done soon\n", r"graphs/notes\.txt:1: .*; in a folder every file"),
        ("c.col.gz", "", r"graphs/c\.col\.gz: the file is empty; in a folder"),
    ],
)
def test_a_file_of_a_folder_that_is_no_graph_is_told_before_anything_is_run(name: str, text: str, rule: str) -> None:
    (Path("graphs") / name).write_text(text)
    with pytest.raises(InputError, match=f"^{rule}") as caught:
        Comparison(bench(), "out")
    assert "\n" not in str(caught.value)
    assert not Path("out").exists()
    # What is no graph file by its name is nobody's business.
    (Path("graphs") / name).rename("graphs/notes.md")
    assert len(Comparison(bench(), "out").missing) == 4


def test_a_file_without_graphs_is_told() -> None:
    write_graph(Graph.batch([]), Path("none.npz"))
    with pytest.raises(InputError, match=r"there is no graph to compare on in none\.npz"):
        Comparison(bench("none.npz"), "out")


def test_what_was_named_in_this_process_is_run_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other process would find it, and rows tell what a report must know of it."""
    monkeypatch.setitem(PROBLEMS, "cover", find_problem("mine.py:COVER"))
    monkeypatch.setitem(METHODS, "all", find_method("mine.py:ALL"))
    rows = run(bench(problem="cover", methods="all"))
    assert {(row["sense"], row["note"]) for row in rows} == {("min", f"by {os.getpid()}")}
    monkeypatch.undo()
    assert problem_of(rows[0]).name == "cover"


def test_methods_at_places_have_names_of_their_own() -> None:
    Path("greedy.py").write_text(PROGRAM.replace('Method("all"', 'Method("greedy"'))
    with pytest.raises(InputError, match=r"'greedy.py:ALL' is named 'greedy' as a method of annealco is"):
        bench(methods="greedy.py:ALL")


def write_tables(folder: Path) -> None:
    """Write two graphs as tables whose columns have names of their own, and weights of the nodes of one of them."""
    folder.mkdir()
    (folder / "star.csv").write_text("from,to,cost,price\nhub,a,1,9\nhub,b,2,9\nhub,c,4,9\n")
    (folder / "path.csv").write_text("from,to,cost,price\na,b,3,9\nb,c,5,9\n")
    Path("nodes.csv").write_text("node,worth\nhub,10\na,1\nb,1\nc,1\n")


def test_tables_are_read_by_the_names_of_their_columns(capsys: Output) -> None:
    write_tables(Path("tables"))
    given = {"ends": ("from", "to"), "edge_weight": "cost"}
    rows = annealco.bench("max_cut", "tables", "search", moves=200, time_limit=FAR, **given)
    assert [(row["name"], row["value"]) for row in rows] == [("path", 8.0), ("star", 7.0)]
    words = ["--data", "tables", "--methods", "search", "--moves", "200", "--time-limit", str(FAR), "--out", "rows"]
    assert call("bench", "max_cut", *words, "--ends", "from,to", "--edge-weight", "cost") == 0
    assert {row["value"] for row in read_rows(Path("rows/rows.jsonl"))} == {7.0, 8.0}
    # Other weights make other graphs: nothing of the first comparison is taken for the second.
    assert call("bench", "max_cut", *words, "--ends", "from,to", "--edge-weight", "price") == 0
    assert {row["value"] for row in read_rows(Path("rows/rows.jsonl"))} == {7.0, 8.0, 18.0, 27.0}
    assert "2 rows run now" in capsys.readouterr().err


def test_a_table_of_nodes_is_of_one_file() -> None:
    write_tables(Path("tables"))
    given = {"ends": ("from", "to"), "nodes": "nodes.csv", "node_weight": "worth", "moves": 200, "time_limit": FAR}
    rows = annealco.bench("mis", "tables/star.csv", "search", **given)
    assert [row["value"] for row in rows] == [10.0]
    table = pytest.importorskip("pandas").read_csv("tables/star.csv")
    assert [row["value"] for row in annealco.bench("mis", table, "search", **given)] == [10.0]
    with pytest.raises(InputError, match="nodes are those of one graph, these are 2 files"):
        annealco.bench("mis", "tables", "search", **given)


def test_wrong_names_of_parts_are_one_line_and_nothing_is_written(capsys: Output) -> None:
    write_tables(Path("tables"))
    words = ["--data", "tables", "--methods", "search", "--out", "rows", "--ends", "from,to"]
    assert call("bench", "max_cut", *words, "--edge-weight", "cots") == 2
    assert "did you mean 'cost'?" in told_in_one_line(capsys)
    set_words = ["--data", "rb-small", "--methods", "search", "--edge-weight", "cost", "--out", "rows"]
    assert call("bench", "max_cut", *set_words) == 2
    assert "the set rb-small: edge_weight cannot be used here" in told_in_one_line(capsys)
    assert not Path("rows").exists()


def told_in_one_line(capsys: Output) -> str:
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    return told
