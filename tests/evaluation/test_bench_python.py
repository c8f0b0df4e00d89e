"""`annealco.bench`: comparisons from Python, on files and on graphs of a program, up to the report."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

import annealco
from annealco.errors import InputError
from annealco.evaluation.bench.table import BEST_OF_ALL, PROVEN_HERE
from annealco.problems import PROBLEMS, Problem
from tests.budgets import FAR
from tests.cli.program import call
from tests.problems.brute_force import best_score

LIMITS = {"moves": 200, "time_limit": FAR}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))


def write_edges(folder: str, count: int) -> list[nx.Graph]:
    """Write random graphs as edge lists, and return them."""
    Path(folder).mkdir()
    graphs = [nx.gnp_random_graph(12, 0.3, seed=seed) for seed in range(count)]
    for number, graph in enumerate(graphs):
        nx.write_edgelist(graph, f"{folder}/{number}.edges", data=False)
    return graphs


def test_rows_are_of_each_graph_and_method() -> None:
    graphs = [nx.cycle_graph(7), nx.star_graph(4)]
    rows = annealco.bench("mis", graphs, ["greedy", "search"], **LIMITS)
    assert [(row["name"], row["method"], row["value"]) for row in rows] == [
        ("graph#0", "greedy", 3.0),
        ("graph#0", "search", 3.0),
        ("graph#1", "greedy", 4.0),
        ("graph#1", "search", 4.0),
    ]
    assert {row["ratio"] for row in rows} == {1.0}
    assert list(Path().iterdir()) == []
    named = annealco.Graph.from_edges([[0], [1]], graph_data={"name": ["pair"]})
    assert [row["name"] for row in annealco.bench("mis", named, "greedy")] == ["pair"]
    assert annealco.bench("mis", [], "greedy") == []


def test_names_that_are_not_there_come_with_those_that_were_meant() -> None:
    for methods, rule in (
        ("greedy,serach", "unknown method 'serach'; did you mean 'search'?"),
        (["greedy", 3], "methods must be names, as a list or with commas between"),
        (None, "methods must be names, as a list or with commas between"),
    ):
        with pytest.raises(InputError, match=rule):
            annealco.bench("mis", nx.path_graph(3), methods)
    with pytest.raises(InputError, match=r"unknown data set 'rb-smal'; did you mean 'rb-small'?"):
        annealco.bench("mis", "rb-smal", "greedy")
    with pytest.raises(InputError, match=r"a.csv: cannot be read: no such file"):
        annealco.bench("mis", "a.csv", "greedy")
    for solve in (annealco.solve, annealco.solve_many):
        with pytest.raises(InputError, match="mis has no option 'tme_limit'; did you mean 'time_limit'"):
            solve([(0, 1)], "mis", tme_limit=3)
    with pytest.raises(InputError, match="cut has no option 'volum'; did you mean 'volume'"):
        annealco.solve([(0, 1)], "cut", volum=(0, 1))


def test_rows_become_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    rows = annealco.bench("mis", [nx.cycle_graph(7), nx.star_graph(4)], "greedy,search", **LIMITS)
    table = pandas.DataFrame(rows)
    assert table.groupby("method")["value"].mean().to_dict() == {"greedy": 3.5, "search": 3.5}


def test_references_are_the_best_of_the_methods_and_proven_where_a_bound_meets_it() -> None:
    graphs = [nx.gnp_random_graph(10, 0.4, seed=seed) for seed in range(3)]
    pytest.importorskip("ortools")
    rows = annealco.bench("mds", graphs, "cp_sat,greedy_fixed", **LIMITS)
    best = [best_score(PROBLEMS["mds"], annealco.as_graph(graph)) for graph in graphs]
    assert [row["reference"] for row in rows] == [value for value in best for _ in range(2)]
    assert {row["reference_kind"] for row in rows} == {PROVEN_HERE}
    assert [row["ratio"] for row in rows] == [pytest.approx(row["reference"] / row["value"]) for row in rows]
    worst = annealco.bench("mds", graphs, "greedy_fixed", **LIMITS)
    assert {(row["reference_kind"], row["ratio"]) for row in worst} == {(BEST_OF_ALL, 1.0)}


def test_weights_options_and_problems_of_your_own() -> None:
    heavy = nx.star_graph(3)
    heavy.nodes[0]["weight"] = 9
    assert [row["value"] for row in annealco.bench("mis", heavy, "greedy,search", **LIMITS)] == [9.0, 9.0]
    [row] = annealco.bench("cut", nx.barbell_graph(5, 0), "search", volume=(15, 25), seed_node=7, **LIMITS)
    assert (row["value"], row["options"]) == (1.0, '{"seed_node": 7, "volume": [15, 25]}')
    mis = PROBLEMS["mis"]
    own = Problem("own", "own", "max", mis.declare, mis.score)
    assert [row["value"] for row in annealco.bench(own, heavy, "greedy")] == [9.0]


def test_a_folder_of_files_goes_from_start_to_the_report() -> None:
    graphs = write_edges("mine", 4)
    # Nodes of an edge list are those that have an edge.
    best = [best_score(PROBLEMS["mis"], annealco.as_graph(each.edge_subgraph(each.edges))) for each in graphs]
    rows = annealco.bench("mis", "mine", ["greedy", "search"], out="rows", **LIMITS)
    assert [row["value"] for row in rows if row["method"] == "search"] == best
    assert [row["name"] for row in rows[::2]] == ["0", "1", "2", "3"]
    before = Path("rows/rows.jsonl").read_bytes()
    again = annealco.bench("mis", "mine/*.edges", ["greedy", "search"], out="rows", **LIMITS)
    assert (again, Path("rows/rows.jsonl").read_bytes()) == (rows, before)
    # The command reads the same rows, and adds those of a method more.
    options = ("--moves", "200", "--time-limit", str(FAR), "--out", "rows")
    assert call("bench", "mis", "--data", "mine", "--methods", "greedy,search,mean_field", *options) == 0
    added = [json.loads(line) for line in Path("rows/rows.jsonl").read_text().splitlines()[8:]]
    assert [row["method"] for row in added] == ["mean_field"] * 4
    assert call("report", "rows") == 0
    [page] = Path("rows").glob("*.html")
    text = page.read_text(encoding="utf-8")
    assert all(name in text for name in ("greedy", "search", "mean_field", "files:mine"))


def test_a_folder_of_csv_files_goes_from_start_to_the_report() -> None:
    """A star and a triangle with a tail, in the words of the user."""
    Path("mine").mkdir()
    Path("mine/star.csv").write_text("source,target\nhub,a\nhub,b\nhub,c\n")
    Path("mine/tail.csv").write_text("source,target,weight\na,b,2\nb,c,3\na,c,4\nc,d,5\n")
    options = ("--moves", "200", "--time-limit", str(FAR), "--out", "rows")
    assert call("bench", "mis", "--data", "mine", "--methods", "greedy,search", *options) == 0
    rows = annealco.bench("mis", "mine", ["greedy", "search"], out="rows", **LIMITS)
    assert {(row["name"], row["value"]) for row in rows if row["method"] == "search"} == {("star", 3.0), ("tail", 2.0)}
    assert call("report", "rows") == 0
    [page] = Path("rows").glob("*.html")
    assert "files:mine" in page.read_text(encoding="utf-8")


def test_a_named_set_is_compared_on_too() -> None:
    rows = annealco.bench("mis", "rb-small", "greedy", limit=2, **LIMITS)
    assert [(row["case"], row["reference_kind"]) for row in rows] == [(0, "planted optimum"), (1, "planted optimum")]
    assert "name" not in rows[0]


@pytest.mark.parametrize(
    ("graphs", "methods", "rule"),
    [
        ("nowhere", "greedy", "unknown data set 'nowhere'"),
        ("./nowhere", "greedy", "nowhere: cannot be read: no such file or folder"),
        ("*.edges", "greedy", "no file matches this pattern"),
        (7, "greedy", "cannot read a graph from int"),
        (nx.path_graph(3), "greedi", "unknown method 'greedi'"),
        (nx.path_graph(3), "", "name at least one method"),
        (nx.path_graph(3), "crd", "crd cannot solve mis here"),
        (["rb-small", "x.col"], "greedy", "a comparison is on one set or on files"),
    ],
)
def test_what_is_wrong_is_told(graphs: object, methods: str, rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        annealco.bench("mis", graphs, methods)
