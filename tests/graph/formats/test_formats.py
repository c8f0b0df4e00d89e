"""The registry, and what holds for every format in it."""

from __future__ import annotations

import gzip
import os
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.formats import DESCRIPTIONS, FORMATS, Content, Format, contents, read_graph, write_graph
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import holdable

PATH = Graph.from_edges([[0, 1, 2], [1, 2, 3]])
LONELY = Graph.from_edges([[0, 1], [1, 2]], 4)
TEXT_FORMATS = [entry for entry in FORMATS.values() if entry.text]
WRITTEN = {name: entry for name, entry in FORMATS.items() if entry.write is not None}
TRIANGLE = {
    "edgelist": "0 1\n1 2\n2 0\n0 1\n1 1\n",
    "dimacs": "p edge 3 5\ne 1 2\ne 2 3\ne 3 1\ne 1 2\ne 2 2\n",
    "pace": "p ds 3 5\n1 2\n2 3\n3 1\n1 2\n2 2\n",
    "metis": "3 4\n2 3 2\n1 3 2 1\n1 2\n",
    "matrixmarket": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 5\n2 1\n3 2\n3 1\n2 1\n2 2\n",
    "graphml": '<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/>'
    + "".join(f'<edge source="{u}" target="{v}"/>' for u, v in ["01", "12", "20", "01", "11"])
    + "</graph></graphml>",
    "csv": "source,target\n0,1\n1,2\n2,0\n0,1\n1,1\n",
    "tsv": "source\ttarget\n0\t1\n1\t2\n2\t0\n0\t1\n1\t1\n",
    "adjlist": "0 1 2 1\n1 2 1\n2 0\n",
    "json": '{"nodes": [{"id": 0}, {"id": 1}, {"id": 2}],\n"links": ['
    + ", ".join(f'{{"source": {u}, "target": {v}}}' for u, v in ["01", "12", "20", "01", "11"])
    + "]}",
    "pajek": "*Vertices 3\n1 a\n2 b\n3 c\n*Edges\n1 2\n2 3\n3 1\n1 2\n2 2\n",
    "gml": "graph [\nmultigraph 1\n"
    + "".join(f"node [ id {node} label {node} ]\n" for node in range(3))
    + "".join(f"edge [ source {u} target {v} key {k} ]\n" for k, (u, v) in enumerate(["01", "12", "20", "01", "11"]))
    + "]\n",
    "gexf": '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n<graph defaultedgetype="undirected"><nodes>'
    + "".join(f'<node id="{node}" label="x"/>' for node in range(3))
    + "</nodes><edges>"
    + "".join(f'<edge id="{k}" source="{u}" target="{v}"/>' for k, (u, v) in enumerate(["01", "12", "20", "01", "11"]))
    + "</edges></graph></gexf>",
    "graph6": None,
    "sparse6": ":B_KN\n",
}
"""A triangle with one edge given twice and one self-loop."""


def same(graph: Graph, other: Graph) -> bool:
    """Compare all but labels, which formats that number from 1 add."""
    return (
        np.array_equal(graph.node_ptr, other.node_ptr)
        and np.array_equal(graph.edges, other.edges)
        and np.array_equal(graph.node_weight, other.node_weight)
        and np.array_equal(graph.edge_weight, other.edge_weight)
    )


def test_formats_are_registered_under_their_names_and_no_extension_twice() -> None:
    assert [entry.name for entry in FORMATS.values()] == list(FORMATS)
    extensions = [extension for entry in FORMATS.values() for extension in entry.extensions]
    assert len(extensions) == len(set(extensions))
    assert all(extension.startswith(".") and extension == extension.lower() for extension in extensions)


@pytest.mark.parametrize("entry", WRITTEN.values(), ids=WRITTEN)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data(), zipped=st.booleans())
def test_what_was_written_is_read_again(entry: Format, tmp_path: Path, data: st.DataObject, zipped: bool) -> None:
    graph = data.draw(holdable(entry.holds, entry.name))
    path = tmp_path / f"a{entry.extensions[-1]}{'.gz' if zipped and entry.text else ''}"
    write_graph(graph, path)
    again = read_graph(path)
    if entry.name in REORDERING:
        assert by_label(again) == by_label(graph)
    else:
        assert same(again, graph)
        first = 1 if Content.LABELS_FROM_ONE in entry.holds and Content.INTEGER_LABELS not in entry.holds else 0
        unnamed = np.arange(first, first + graph.num_nodes)
        expected = unnamed if graph.node_labels is None and graph.num_graphs == 1 else graph.labels
        assert _as_read(entry, again.labels.tolist()) == _as_read(entry, expected.tolist())
    assert path.read_bytes()[:2] == (b"\x1f\x8b" if zipped and entry.text else path.read_bytes()[:2])


REORDERING = {"edgelist", "csv", "tsv", "adjlist"}
"""Formats that list edges alone: nodes come back in ascending order, or in the order of their first occurrence."""


def by_label(graph: Graph) -> tuple[dict[object, float], dict[frozenset[object], float]]:
    labels = graph.labels.tolist()
    ends = [frozenset((labels[u], labels[v])) for u, v in graph.edges.T.tolist()]
    weights = dict(zip(ends, graph.edge_weight.tolist(), strict=True))
    return dict(zip(labels, graph.node_weight.tolist(), strict=True)), weights


def _as_read(entry: Format, labels: list[object]) -> list[object]:
    # GraphML has text only: labels such as "7" come back as integers.
    return [str(label) for label in labels] if entry.name == "graphml" else labels


@pytest.mark.parametrize("entry", WRITTEN.values(), ids=WRITTEN)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_writing_twice_gives_the_same_bytes(entry: Format, tmp_path: Path, data: st.DataObject) -> None:
    graph = data.draw(holdable(entry.holds, entry.name))
    for ending in ["", ".gz"] if entry.text else [""]:
        paths = [tmp_path / f"{name}{entry.extensions[0]}{ending}" for name in "ab"]
        for path in paths:
            write_graph(graph, path)
        assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("entry", WRITTEN.values(), ids=WRITTEN)
def test_the_extension_tells_the_format_in_any_case(entry: Format, tmp_path: Path) -> None:
    for extension in entry.extensions:
        for ending in [extension, extension.upper()] + [f"{extension}.gz"] * entry.text:
            write_graph(PATH, tmp_path / f"a.b{ending}")
            assert same(read_graph(tmp_path / f"a.b{ending}"), PATH)
            assert same(read_graph(str(tmp_path / f"a.b{ending}"), format=entry.name), PATH)


@pytest.mark.parametrize("entry", [entry for entry in TEXT_FORMATS if entry.write], ids=lambda entry: entry.name)
def test_gzip_is_told_by_the_content_when_reading(entry: Format, tmp_path: Path) -> None:
    zipped, plain = tmp_path / f"zipped{entry.extensions[0]}", tmp_path / f"plain{entry.extensions[0]}.gz"
    zipped.write_bytes(gzip.compress(entry.write(PATH)))
    plain.write_bytes(entry.write(PATH))
    assert same(read_graph(zipped), PATH)
    assert same(read_graph(plain), PATH)


@pytest.mark.parametrize("name", [name for name, text in TRIANGLE.items() if text is not None])
@pytest.mark.parametrize("change", ["\n", "\r\n", "\r", "no last line end", "byte order mark", "tabs", "blanks around"])
def test_layout_does_not_matter(name: str, change: str, tmp_path: Path) -> None:
    path, text = tmp_path / "a", TRIANGLE[name]
    spaced = " \n".join(f"\t {line}" for line in text.splitlines()) if name not in {"matrixmarket", "tsv"} else text
    changed = {
        "no last line end": text.rstrip("\n"),
        "byte order mark": f"\ufeff{text}",
        "tabs": text.replace(" ", "\t") if name not in {"graphml", "gexf"} else text,
        "blanks around": spaced,
    }.get(change, text.replace("\n", change))
    path.write_text(changed, encoding="utf-8", newline="")
    with pytest.warns(NormalisationWarning, match="a: 1 self-loop dropped, 1 duplicate edge merged"):
        graph = read_graph(path, format=name)
    assert graph.edges.tolist() == [[0, 0, 1], [1, 2, 2]]
    assert graph.num_nodes == 3


def test_every_text_format_has_a_triangle_to_normalise() -> None:
    assert set(TRIANGLE) == {entry.name for entry in TEXT_FORMATS}


@pytest.mark.parametrize(
    ("graph", "able"),
    [
        (PATH.with_weights(node_weight=[1, 2, 1, 1]), "edgelist dimacs metis graphml json npz"),
        (PATH.with_weights(edge_weight=[2, 1, 1]), "edgelist csv tsv dimacs metis matrixmarket graphml json npz"),
        (Graph.from_edges([[0], [1]], node_labels=["a", "b"]), "edgelist csv tsv adjlist graphml json npz"),
        (Graph.from_edges([[0], [1]], node_labels=[5, 9]), "edgelist csv tsv adjlist graphml json npz"),
        (Graph.from_edges([[0], [1]], node_labels=[2, 1]), "edgelist csv tsv adjlist graphml json npz"),
        (
            Graph.from_edges([[0], [1]], node_labels=[1, 2]),
            "edgelist csv tsv adjlist dimacs pace metis matrixmarket graphml json npz",
        ),
        (LONELY, "edgelist adjlist dimacs pace metis matrixmarket graphml json graph6 sparse6 npz"),
        (Graph.batch([PATH, PATH]), "graphml graph6 sparse6 npz"),
        (Graph.from_edges([], 0), "csv tsv dimacs pace metis matrixmarket graphml json graph6 sparse6 npz"),
        (Graph.batch([]), "npz"),
        (Graph.from_edges([[0], [1]], node_labels=[0, 1]), " ".join(WRITTEN)),
    ],
)
def test_what_a_format_cannot_hold_is_refused_with_the_formats_that_can(
    graph: Graph, able: str, tmp_path: Path
) -> None:
    for entry in WRITTEN.values():
        path = tmp_path / f"a{entry.extensions[0]}"
        if entry.name not in able.split():
            hint = ", ".join(able.split())
            with pytest.raises(GraphFileError, match=f"the format {entry.name} cannot hold .*; choose one of {hint}$"):
                write_graph(graph, path)
            assert not path.exists()
        else:
            write_graph(graph, path)
            again = read_graph(path)
            assert same(again, graph) or (entry.name in REORDERING and by_label(again) == by_label(graph))


def test_formats_that_are_only_read_are_not_written(tmp_path: Path) -> None:
    for name in set(FORMATS) - set(WRITTEN):
        with pytest.raises(GraphFileError, match=f"the format {name} is read, and not written; choose one of edgelist"):
            write_graph(PATH, tmp_path / "a", format=name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("labels", [[0.5, 1], [("a", 1), ("a", 2)], [0, "0"], [True, False], [None, 1], [2**63, 1]])
def test_labels_that_no_file_holds_are_refused(labels: list[object], tmp_path: Path) -> None:
    graph = Graph.from_edges([[0], [1]], node_labels=labels)
    for name in WRITTEN:
        with pytest.raises(
            GraphFileError, match=r"cannot hold node labels that are neither all 64-bit integers nor all text$"
        ):
            write_graph(graph, tmp_path / "a", format=name)


def test_unknown_formats_and_extensions_are_errors_that_list_the_choices(tmp_path: Path) -> None:
    choices = ", ".join(FORMATS)
    with pytest.raises(
        InputError, match=rf"^unknown format 'graphlm'; did you mean 'graphml'\? choose one of {choices}$"
    ):
        read_graph(tmp_path / "a.edges", format="graphlm")
    with pytest.raises(InputError, match=r"^unknown format 'dot'; choose one of"):
        write_graph(PATH, tmp_path / "a.edges", format="dot")
    for name in ["a.dot", "a", "edges", "a.gz", "a.dot.gz"]:
        (tmp_path / name).touch()
        for action in (read_graph, lambda path: write_graph(PATH, path)):
            with pytest.raises(
                GraphFileError, match=r"unknown extension .*choose a format: edgelist \(.edges .edgelist"
            ):
                action(tmp_path / name)
    (tmp_path / "brock200_1.clq.b").touch()
    with pytest.raises(GraphFileError, match="binary DIMACS files"):
        read_graph(tmp_path / "brock200_1.clq.b")


@pytest.mark.parametrize("name", ["dimacs", "pace", "matrixmarket", "npz"])
def test_what_could_not_be_read_again_is_not_written(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pytest.raises(GraphFileError, match="5,000,000 nodes are declared"):
        write_graph(Graph.from_edges([], 5_000_000), path, format=name)
    assert not path.exists()


def test_archives_are_not_compressed_twice(tmp_path: Path) -> None:
    for path, name in ((tmp_path / "a.npz.gz", None), (tmp_path / "a.gz", "npz")):
        with pytest.raises(GraphFileError, match="npz is compressed already"):
            write_graph(PATH, path, format=name)
    path.write_bytes(gzip.compress(FORMATS["npz"].write(PATH)))
    with pytest.raises(GraphFileError, match="not a NumPy archive"):
        read_graph(path, format="npz")


@pytest.mark.parametrize("name", WRITTEN)
def test_reading_never_warns_of_anything_else(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_graph(PATH, path, format=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_graph(path, format=name)


def test_a_folder_and_a_missing_file_are_told_before_their_extension(tmp_path):
    with pytest.raises(GraphFileError, match="this folder has no graph files"):
        read_graph(tmp_path)
    with pytest.raises(GraphFileError, match="cannot be read: no such file or folder"):
        read_graph(tmp_path / "nothing.xyz")


def test_a_folder_is_read_as_all_graph_files_in_it_by_name(tmp_path):
    for number, name in enumerate(["c.col", "a.npz", "b.edges.gz"]):
        write_graph(Graph.from_edges([[0], [1]], 2 + number * (name != "b.edges.gz")), tmp_path / name)
    (tmp_path / "notes.md").write_text("no graph")
    (tmp_path / "d.col").mkdir()
    assert np.diff(read_graph(tmp_path).node_ptr).tolist() == [3, 2, 2]
    (tmp_path / "bad.col").write_text("p edge 2 1\ne 1 3\n")
    with pytest.raises(GraphFileError, match=r"bad\.col:2: node 3 is outside 1\.\.2"):
        read_graph(tmp_path)


@pytest.mark.parametrize("name", [name for name, entry in WRITTEN.items() if "edge_weight" not in entry.takes])
def test_names_that_a_format_has_no_use_for_are_refused(name, tmp_path):
    write_graph(PATH, tmp_path / "a", format=name)
    with pytest.raises(InputError, match=f"a: the format {name}: edge_weight cannot be used here"):
        read_graph(tmp_path / "a", format=name, edge_weight="cost")


def test_an_empty_name_is_told_as_such() -> None:
    with pytest.raises(InputError, match=r"^the file name is empty$"):
        read_graph("")


@pytest.mark.parametrize("name", list(FORMATS))
def test_devices_are_refused_where_some_never_end(name):
    with pytest.raises(GraphFileError, match="/dev/zero: cannot be read: it is a device"):
        read_graph("/dev/zero", format=name)


def test_pipes_are_read(tmp_path):
    pipe = tmp_path / "some.edges"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("0 1\n1 2\n"))
    writer.start()
    assert read_graph(pipe).num_edges == 2
    writer.join()


def pair(**options):
    return Graph.from_edges([[0], [1]], **options)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (pair(), Content.NOTHING),
        (pair(edge_weight=[0]), Content.EDGE_WEIGHTS),
        (pair(node_weight=[1, 2]), Content.NODE_WEIGHTS),
        (pair(node_weight=[1, 1], edge_weight=[1.0]), Content.NOTHING),
        (pair(num_nodes=3), Content.ISOLATED_NODES),
        (pair(node_labels=[0, 1]), Content.NOTHING),
        (pair(node_labels=np.array([1, 2])), Content.LABELS_FROM_ONE),
        (pair(node_labels=[2, 1]), Content.INTEGER_LABELS),
        (pair(node_labels=np.array([3, 9], dtype=np.uint8)), Content.INTEGER_LABELS),
        (pair(node_labels=[np.int32(3), -(2**63)]), Content.INTEGER_LABELS),
        (pair(node_labels=["a", np.str_("b")]), Content.TEXT_LABELS),
        (pair(node_labels=["a", 1]), Content.OTHER_LABELS),
        (pair(node_labels=[1.0, 2.0]), Content.OTHER_LABELS),
        (pair(node_labels=[True, 2]), Content.OTHER_LABELS),
        (pair(node_labels=[2**63, 2]), Content.OTHER_LABELS),
        (Graph.from_edges([], 0), Content.NO_NODES),
        (Graph.from_edges([], 0, node_labels=[]), Content.NO_NODES),
        (Graph.batch([]), Content.NO_GRAPH),
        (Graph.batch([pair(), pair()]), Content.SEVERAL_GRAPHS),
        (Graph.batch([Graph.from_edges([], 0)] * 2), Content.SEVERAL_GRAPHS | Content.NO_NODES),
        (Graph.batch([pair(node_labels=[0, 1]), pair()]), Content.SEVERAL_GRAPHS),
        (Graph.batch([pair(node_labels=[1, 2]), pair()]), Content.SEVERAL_GRAPHS | Content.INTEGER_LABELS),
    ],
)
def test_contents(graph: Graph, expected: Content) -> None:
    assert contents(graph) == expected


def test_every_content_has_a_description() -> None:
    assert set(DESCRIPTIONS) == set(Content)
