"""Tables of edges and of nodes, as pandas and people write them."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.formats import edge_tables, read_graph, write_graph
from annealco.graph.formats.edge_tables import read_nodes, read_rows
from annealco.graph.formats.text import read_text
from annealco.graph.graph import Graph
from annealco.graph.interop import as_graph
from tests.graph.formats.strategies import CELLS

in_a_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.csv"


def read(path: Path, content: str, **names: Any) -> Graph:
    path.write_text(content, encoding="utf-8")
    return read_graph(path, **names)


@in_a_folder
@given(data=st.data(), separator=st.sampled_from([",", ";", "\t"]), numbers=st.booleans())
def test_what_pandas_writes_is_the_same_graph(
    data: st.DataObject, separator: str, numbers: bool, tmp_path: Path
) -> None:
    labels = data.draw(st.lists(st.integers(0, 99) if numbers else CELLS, min_size=2, max_size=8, unique=True))
    if not numbers and all(label.lstrip("-").isdigit() for label in labels):
        return
    pairs = data.draw(st.lists(st.tuples(*[st.sampled_from(labels)] * 2), unique_by=frozenset, min_size=1, max_size=9))
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    weights = data.draw(st.lists(st.floats(-1e9, 1e9), min_size=len(pairs), max_size=len(pairs)))
    frame = pd.DataFrame({"from": [u for u, _ in pairs], "to": [v for _, v in pairs], "cost": weights})
    table = tmp_path / ("a.tsv" if separator == "\t" else "a.csv")
    frame.to_csv(table, index=False, sep=separator)
    if not pairs:
        return
    names = {"ends": ("from", "to"), "edge_weight": "cost"}
    found = read_graph(table, **names)
    expected = as_graph(frame, **names)
    if not numbers and all(isinstance(label, int) for label in found.labels.tolist()):
        return  # Those that occur are all digits in text.
    assert found.equals(expected)
    frame.columns = ["Source", "Target", "Weight"]
    frame.to_csv(table, index=False, sep=separator)
    assert read_graph(table).equals(expected)


def test_with_names_and_without(path: Path) -> None:
    expected = Graph.from_edges([[0, 1], [1, 2]], edge_weight=[2, 0.5], node_labels=["a", "b", "c"])
    for content in (
        "a,b,2\nb,c,0.5\n",
        " a , b , 2\n\nb,c,0.5",
        '"a",b,2\nb,"c",.5\n',
        "source,target,weight\na,b,2\nb,c,0.5\n",
        "WEIGHT;Target;x;Source\n2;b;;a\n0.5;c;;b\n",
        "\ufeffsource,target,weight\r\na,b,2\r\nb,c,0.5\r\n",
    ):
        assert read(path, content).equals(expected)
    assert read(path, "a,b,2\nb,c,0.5\n", edge_weight=None).edge_weight.tolist() == [1, 1]
    assert read(path, "x,cost,y,weight\na,2,b,9\nb,.5,c,9\n", ends=("x", "y"), edge_weight="cost").equals(expected)
    assert read(path, "source,target\n").num_nodes == 0


def test_labels_are_integers_where_all_are(path: Path) -> None:
    assert read(path, "10,9\n9,-3\n").labels.tolist() == [-3, 9, 10]
    assert read(path, "10,9\n9,x\n").labels.tolist() == ["10", "9", "x"]
    assert read(path, "007,7\n").labels.tolist() == ["007", "7"]
    assert read(path, "0,1\n1,2\n").node_labels is None


def test_cells_may_hold_separators_quotes_and_line_ends(path: Path) -> None:
    graph = read(path, 'source,target\n"a, b","say ""c"""\n"two\nlines",x\nx,"a, b"\n')
    assert graph.labels.tolist() == ["a, b", 'say "c"', "two\nlines", "x"]
    with pytest.raises(GraphFileError, match=r"a\.csv:5: the label in column 2 is missing"):
        read(path, 'source,target\n"a, b",c\n"two\nlines",x\nx,\n')


@pytest.mark.parametrize(
    ("names", "line", "rule"),
    [
        ({"ends": ("frm", "to")}, 1, "there is no column 'frm'; did you mean 'from'? there are 'from', 'to', 'km'"),
        ({"ends": ("from", "to"), "edge_weight": "kmm"}, 1, "there is no column 'kmm'; did you mean 'km'?"),
        ({"edge_weight": "km"}, 1, "there is no column 'source'; there are 'from', 'to', 'km'; say by ends"),
        ({"edge_weight": "miles"}, 1, "there is no column 'miles'"),
        ({}, 1, "this line seems to name the columns (from, to, km)"),
        ({"ends": ("from", "km")}, None, ""),
        ({"ends": ("from", "to"), "nodes": ["Ulm", "Bonn"]}, 3, "the end 'Kiel' of edge 1 is not among the nodes"),
        ({"ends": ("from", "to"), "node_weight": "price"}, None, "node_weight is a column of the table of nodes"),
        ({"ends": ("from", "to"), "nodes": [1, 2]}, None, "node labels must be of one type, 1 is int and 'Ulm' is str"),
    ],
)
def test_names_that_are_wrong(path: Path, names: dict[str, Any], line: int | None, rule: str) -> None:
    content = "from,to,km\nUlm,Bonn,430\nBonn,Kiel,500\n"
    if not rule:
        assert read(path, content, **names).labels.tolist() == ["Ulm", "430", "Bonn", "500"]
        return
    with pytest.raises(GraphFileError) as caught:
        read(path, content, **names)
    assert rule in caught.value.rule
    assert caught.value.line == line


def test_a_table_of_nodes_gives_order_weights_and_nodes_without_edges(path: Path, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.tsv"
    for content, name, weights in (
        ("town\tprice\nc\t3\na\t1\nz\t9\nb\t2\n", {"node_weight": "price"}, [3, 1, 9, 2]),
        ("id\tWeight\nc\t3\na\t1\nz\t9\nb\t2\n", {}, [3, 1, 9, 2]),
        ("c\t3\na\t1\nz\t9\nb\t2\n", {}, [3, 1, 9, 2]),
        ("c\na\nz\nb\n", {}, [1] * 4),
        ("town\tprice\nc\t3\na\t1\nz\t9\nb\t2\n", {"node_weight": None}, [1] * 4),
    ):
        nodes.write_text(content)
        graph = read(path, "a,b\nb,c\n", nodes=nodes, **name)
        assert graph.labels.tolist() == ["c", "a", "z", "b"]
        assert graph.node_weight.tolist() == weights
        assert graph.edges.tolist() == [[0, 1], [3, 3]]
    nodes.write_text("3\n1\n2\n")
    assert read(path, "1,2\n", nodes=str(nodes)).labels.tolist() == [3, 1, 2]
    assert read(path, "1,2\n", nodes={3: 1.5, 1: 2, 2: 1}).node_weight.tolist() == [1.5, 2, 1]


@pytest.mark.parametrize(
    ("content", "node_weight", "line", "rule"),
    [
        ("a,1\nb,2\na,3\n", "default", 3, "the label 'a' already occurs in line 1"),
        ("a,1\nb,-2\n", "default", 2, "node weights must not be negative, node b has -2"),
        ("a,1\nb,x\n", "default", 2, "the weight 'x' is not a finite number"),
        ("id,price\na,1\n", "prize", 1, "there is no column 'prize'; did you mean 'price'?"),
        (
            "town,price\na,1\n",
            "default",
            1,
            "the weight 'price' is not a finite number; where line 1 names the columns",
        ),
        ("town\n1\n2\n", "default", 1, "'town' is no number as the other labels are"),
        ("a,1,2\n", "default", 1, "without names of columns a row is 'label' or 'label,weight', this one has 3 cells"),
        ("id,weight\n,1\n", "default", 2, "the label in column 1 is missing"),
        ("id,weight,Weight\na,1,2\n", "default", 1, "2 columns are called 'weight'; rename all but one"),
    ],
)
def test_tables_of_nodes_that_are_wrong(
    content: str, node_weight: str, line: int, rule: str, path: Path, tmp_path: Path
) -> None:
    nodes = tmp_path / "nodes.csv"
    nodes.write_text(content)
    given = {} if node_weight == "default" else {"node_weight": node_weight}
    with pytest.raises(GraphFileError) as caught:
        read(path, "a,b\n", nodes=nodes, **given)
    assert (caught.value.path, caught.value.line) == (str(nodes), line)
    assert rule in caught.value.rule


@pytest.mark.parametrize("ending", ["csv", "tsv", "edges", "adjlist"])
def test_labels_that_are_no_unicode_are_not_written(ending: str, tmp_path: Path) -> None:
    graph = Graph.from_edges([[0], [1]], node_labels=["\ud800", "b"])
    with pytest.raises(GraphFileError, match="cannot hold the node label"):
        write_graph(graph, tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


def test_two_columns_of_weights_are_not_chosen_from(path: Path) -> None:
    content = "source,target,Weight,weight\na,b,1,2\n"
    with pytest.raises(GraphFileError, match=r"a\.csv:1: 2 columns are called 'weight'; rename all but one"):
        read(path, content)
    assert read(path, content, edge_weight="Weight").edge_weight.tolist() == [1]
    assert read(path, content, edge_weight=None).edge_weight.tolist() == [1]
    assert read(path, content, edge_weight="weight").edge_weight.tolist() == [2]


def test_tables_of_nodes_are_csv_or_tsv_and_there(path: Path, tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"nodes\.txt: a table of nodes must be a file \.csv, \.tsv or \.tab"):
        read_nodes(tmp_path / "nodes.txt")
    with pytest.raises(GraphFileError, match="cannot be read: no such file or folder"):
        read_nodes(tmp_path / "nodes.csv")
    path.write_text("a,b\n")
    (tmp_path / "nodes.csv").write_text("a\nb\nc\n")
    assert read_graph(tmp_path, nodes=tmp_path / "nodes.csv").num_nodes == 3
    (tmp_path / "b.csv").write_text("a,b\n")
    with pytest.raises(InputError, match="nodes are those of one graph, this folder has 2 files"):
        read_graph(tmp_path, nodes=tmp_path / "nodes.csv")


def test_many_rows_and_the_line_of_the_only_wrong_one(path: Path) -> None:
    rows = [f"n{number},n{number + 1},{number}" for number in range(50_000)]
    graph = read(path, "source,target,weight\n" + "\n".join(rows))
    assert (graph.num_nodes, graph.num_edges) == (50_001, 50_000)
    assert np.array_equal(graph.edge_weight, np.arange(50_000))
    rows[40_000] = "n1,n5,x"
    with pytest.raises(GraphFileError, match=r"a\.csv:40002: the weight 'x' is not a finite number"):
        read(path, "source,target,weight\n" + "\n".join(rows))


def test_the_first_row_without_a_label_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("source,target\na,\n,b\n")
    with pytest.raises(GraphFileError, match=r"a.csv:2: the label in column 2 is missing"):
        read_graph(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "content",
    [
        *("0,1\n1,2\n", "3,1\n1,7\n", "source,target\n5,4\n4,9", "source,target,weight\n5,4,0.5\n4,9,2e3\n"),
        *("1,2,3\n2,3,4\n", "5;6\n6;7\n", "Source,Target,Weight\n1,2,3\n", "target,source\n1,2\n", "1,1\n1,2\n1,2\n"),
        # What the core would read otherwise than a table is read.
        *(
            "007,1\n1,2\n",
            "7,07\n",
            "+1,2\n",
            "-1,2\n",
            "-0,2\n",
            "1 2,3\n",
            "1,,2\n",
            ",1,2\n",
            "1,2,\n",
            "1,2\n\n3,4\n",
        ),
        *("1\n1,2,3\n", "1,2,3\n1\n4,5,6\n", "1,2\n3,4,5\n6\n", "1.0,2\n", "1e3,2\n", "1_0,2\n", "1,2#3\n", "%1,2\n"),
        *(
            "99999999999999999999,1\n",
            "9223372036854775807,1\n",
            "1,2,nan\n",
            "1,2,1e999\n",
            "1,2,1_0\n",
            "1,2,3\n2,1,4\n",
        ),
        *(
            '"1",2\n',
            "1,2;3\n",
            "source,target\n",
            "source,target,type\n1,2,Directed\n",
            "a,b\n1,2\n",
            "1,2,05\n",
            "1,2,+5\n",
        ),
    ],
)
def test_the_core_reads_tables_of_numbers_as_python_does(content: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)

    def outcome(read: Any) -> Any:
        try:
            with pytest.warns(NormalisationWarning) if content.startswith("1,1\n") else nullcontext():
                return read()
        except GraphFileError as error:
            return str(error)

    fast, slow = outcome(lambda: read_graph(path)), outcome(lambda: read_rows(read_text(path)))
    assert type(fast) is type(slow)
    assert fast == slow if isinstance(fast, str) else fast.equals(slow)
    assert isinstance(fast, str) or fast.labels.tolist() == slow.labels.tolist()


def test_a_table_of_numbers_is_read_in_the_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_tables, "read_rows", None)
    for content in ("source,target,weight\n5,4,0.5\n4,9,2\n", "5,4\n4,9\n"):
        (tmp_path / "a.csv").write_text(content)
        assert read_graph(tmp_path / "a.csv").labels.tolist() == [4, 5, 9]
