from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.formats import FORMATS
from annealco.graph.formats.npz import check_plain, dump_arrays, load_arrays, read_npz, write_npz
from annealco.graph.graph import Graph
from tests.graph.formats.strategies import holdable

TWO = {
    "ptr": np.array([0, 3, 3, 7]),
    "edge_ptr": np.array([0, 2, 2, 4]),
    "edges": np.array([[0, 1, 0, 2], [1, 2, 3, 3]], dtype=np.uint8),
}
"""A path of 3 nodes, nothing, and a path of 3 with a lone node."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.npz"


def read(path: Path, **changes: Any) -> Graph:
    np.savez_compressed(path, **{name: array for name, array in (TWO | changes).items() if array is not None})
    return read_npz(path)


def test_the_arrays_of_the_data_sets(path: Path) -> None:
    graph = read(
        path,
        labels=np.array(["a", "b", "c"]),
        y=np.array([0, 1, 0], np.uint8),
        representative=np.array([True, False, True]),
        atom=np.arange(7, dtype=np.uint8),
        atom_names=np.array(["C", "N"]),
    )
    assert graph.node_ptr.tolist() == [0, 3, 3, 7]
    assert graph.edges.tolist() == [[0, 1, 3, 5], [1, 2, 6, 6]]
    assert {key: array.tolist() for key, array in graph.graph_data.items()} == {
        "name": ["a", "b", "c"],
        "y": [0, 1, 0],
        "representative": [True, False, True],
    }
    assert {key: array.tolist() for key, array in graph.node_data.items()} == {"atom": list(range(7))}
    assert graph.node_labels is None


def test_data_comes_back_under_its_keys(path: Path) -> None:
    graph = Graph.from_edges(
        [[0], [1]],
        node_ptr=[0, 2, 3],
        node_data={"planted": [True, False, True], "atom": [1, 2, 3], "position": np.ones((3, 2))},
        graph_data={"name": ["x", "y"], "y": [0, 1], "size": [5.5, 6], "é": ["p", "qq"]},
    )
    content = write_npz(graph)
    assert set(np.load(io.BytesIO(content)).files) == {
        *("ptr", "edge_ptr", "edges", "labels", "y", "atom"),
        *("node.planted", "node.position", "graph.size", "graph.é"),
    }
    path.write_bytes(content)
    again = read_npz(path)
    assert again.equals(graph)
    for data, expected in ((again.node_data, graph.node_data), (again.graph_data, graph.graph_data)):
        assert data.keys() == expected.keys()
        assert all(np.array_equal(data[key], expected[key]) for key in expected)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(holdable(FORMATS["npz"].holds))
def test_the_loop_of_the_data_sets_page_reads_what_was_written(graph: Graph) -> None:
    archive = np.load(io.BytesIO(write_npz(graph)))
    ptr, edge_ptr, edges = archive["ptr"], archive["edge_ptr"], archive["edges"]
    assert ptr.dtype == edge_ptr.dtype == np.int64
    for number, part in enumerate(graph):
        assert ptr[number + 1] - ptr[number] == part.num_nodes
        assert edges[:, edge_ptr[number] : edge_ptr[number + 1]].tolist() == part.edges.tolist()
    assert ("edge_weight" in archive) == bool(np.any(graph.edge_weight != 1))
    assert ("node_weight" in archive) == bool(np.any(graph.node_weight != 1))


@pytest.mark.parametrize(("size", "dtype"), [(256, np.uint8), (257, np.uint16), (65536, np.uint16), (65537, np.uint32)])
def test_edges_have_the_smallest_type(size: int, dtype: type) -> None:
    graph = Graph.batch([Graph.from_edges([[0], [size - 1]]), Graph.from_edges([[0], [1]])])
    edges = np.load(io.BytesIO(write_npz(graph)))["edges"]
    assert edges.dtype == dtype
    assert edges.tolist() == [[0, 0], [size - 1, 1]]


def test_labels_are_python_text_or_integers(path: Path) -> None:
    labels = read(path, node_labels=np.array(["a", "bé", "", "d", "e", "f", "g"])).labels
    assert [type(label) for label in labels] == [str] * 7
    assert read(path, node_labels=np.arange(7, dtype=np.int16)[::-1]).labels.tolist() == [6, 5, 4, 3, 2, 1, 0]


def test_a_batch_without_graphs(path: Path) -> None:
    path.write_bytes(write_npz(Graph.batch([])))
    assert read_npz(path).num_graphs == 0


def test_broken_promises_are_normalised(path: Path) -> None:
    edges = np.array([[1, 2, 1, 3], [0, 1, 0, 3]], np.int32)
    weight = np.array([5.0, 6, 7, 8])
    with pytest.warns(NormalisationWarning, match=r"a.npz: 1 self-loop dropped$"):
        graph = read(path, edges=edges, edge_weight=weight)
    assert graph.edges.tolist() == [[0, 1, 3], [1, 2, 4]]
    assert graph.edge_weight.tolist() == [5, 6, 7]
    twice = np.array([[0, 1, 0, 3], [1, 0, 3, 0]], np.int32)
    with pytest.warns(NormalisationWarning, match=r"a.npz: 2 duplicate edges merged$"):
        assert read(path, edges=twice).edges.tolist() == [[0, 3], [1, 6]]
    with pytest.raises(GraphFileError, match=r"a.npz: edge 0-1 occurs with two weights, 5 and 6$"):
        read(path, edges=twice, edge_weight=weight)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"ptr": None}, "the archive holds no graph: it has no array 'ptr'"),
        ({"edges": None}, "the archive holds no graph: it has no array 'edges'"),
        ({"ptr": np.zeros((2, 2), int)}, r"'ptr' must be a list of integers, it is int64 \[2, 2\]"),
        ({"ptr": np.array([0.0, 3, 3, 7])}, r"'ptr' must be a list of integers, it is float64 \[4\]"),
        ({"ptr": np.zeros(0, int)}, r"'ptr' must be a list of integers, it is int64 \[0\]"),
        ({"ptr": np.array([1, 3, 3, 7])}, r"'ptr' must start at 0 and never fall, it begins with \[1, 3, 3, 7\]"),
        ({"edge_ptr": np.array([0, 3, 2, 4])}, "'edge_ptr' must start at 0 and never fall"),
        ({"ptr": np.array([0, 2**64 - 1, 3, 7], np.uint64)}, "'ptr' must start at 0 and never fall"),
        ({"ptr": np.array([0, 3, 7])}, "'edge_ptr' must have as many entries as 'ptr', 3, it has 4"),
        ({"edge_ptr": np.array([0, 2, 2, 5])}, r"'edges' must be integers of shape \[2, 5\], it is uint8 \[2, 4\]"),
        ({"edges": TWO["edges"].T}, r"'edges' must be integers of shape \[2, 4\], it is uint8 \[4, 2\]"),
        ({"edges": TWO["edges"].astype(float)}, r"'edges' must be integers of shape \[2, 4\], it is float64 \[2, 4\]"),
        ({"ptr": np.array([0, 3, 3, 6])}, r"edge 0 of graph 2 has node 3, outside 0..2"),
        ({"edges": np.array([[0, 1, 0, 2], [1, 3, 3, 3]])}, r"edge 1 of graph 0 has node 3, outside 0..2"),
        ({"edges": np.array([[0, 1, 0, -2], [1, 2, 3, 3]])}, r"edge 1 of graph 2 has node -2, outside 0..3"),
        (
            {"edges": np.array([[0, 1, 0, 2], [1, 2, 3, 2**63]], np.uint64)},
            r"edge 1 of graph 2 has node 9223372036854775808, outside 0..3",
        ),
        ({"ptr": np.array([0, 3, 3, 2_000_000])}, "2,000,000 nodes are declared, but a file of"),
        ({"ptr": np.array([0, 3, 3, 2**40])}, "1,099,511,627,776 nodes are declared, but a file of"),
        ({"node_weight": np.ones(6)}, r"node weights must have shape \[7\], these have \[6\]"),
        ({"node_weight": -np.ones(7)}, "node weights must be finite and not negative, node 0 has -1"),
        ({"edge_weight": np.array([1, 2, np.nan, 4])}, "edge weights must be finite, edge 2 has nan"),
        ({"edge_weight": np.array(["1", "2", "3", "4"])}, "'edge_weight' must be numbers, it is <U1"),
        ({"node_weight": np.ones(7, complex)}, "'node_weight' must be numbers, it is complex128"),
        ({"node_labels": np.arange(7.0)}, "'node_labels' must be integers or text, it is float64"),
        ({"node_labels": np.zeros(7, int)}, "node labels must be unique in a graph"),
        ({"node_labels": np.arange(6)}, r"node labels must have shape \[7\]"),
        ({"y": np.arange(4)}, "graph data 'y' must have 3 entries"),
        ({"atom": np.arange(4)}, "node data 'atom' must have 7 entries"),
        ({"node.x": np.array(4)}, "node data 'x' must have 7 entries"),
        ({"labels": np.arange(3), "graph.name": np.arange(3)}, "graph.name occurs twice, as 'graph.name' too"),
        ({"y": np.array([None, 1, 2])}, "the array 'y' is damaged: arrays of object are not supported"),
    ],
)
def test_every_array_is_checked(changes: dict[str, Any], rule: str, path: Path) -> None:
    with pytest.raises(GraphFileError, match=f"a.npz: {rule}"):
        read(path, **changes)


def test_objects_are_written_as_numbers_or_text(path: Path) -> None:
    graph = Graph.from_edges(
        [], 2, graph_data={"x": np.array(["é"], object)}, node_data={"z": np.array([1, 2.5], object)}
    )
    path.write_bytes(write_npz(graph))
    assert read_npz(path).graph_data["x"].tolist() == ["é"]
    assert read_npz(path).node_data["z"].tolist() == [1, 2.5]


@pytest.mark.parametrize(
    "value", [[None, 1], [1, "a"], [[1], [1, 2]], ["a\0", "b"], ["\ud800", "b"], [2**70, 1], [{}, 1]]
)
def test_other_objects_are_refused(value: list[Any]) -> None:
    array = np.empty(2, object)
    array[:] = value
    with pytest.raises(InputError, match=r"node.x cannot be written: "):
        write_npz(Graph.from_edges([], 2, node_data={"x": array}))


DTYPES = st.one_of(
    stn.integer_dtypes(), stn.unsigned_integer_dtypes(), stn.floating_dtypes(sizes=(32, 64)), stn.boolean_dtypes()
)


def load(path: Path, content: bytes | None = None, **options: Any) -> dict[str, np.ndarray]:
    if content is not None:
        path.write_bytes(content)
    return load_arrays(path, lambda name: name != "other", **options)


def member(header: bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """Return an archive with one array of which every byte is chosen."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.npy", b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + data)
    return buffer.getvalue()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(DTYPES.flatmap(lambda dtype: stn.arrays(dtype, stn.array_shapes(min_dims=0, min_side=0))))
def test_arrays_come_back_and_numpy_reads_them(path: Path, array: np.ndarray) -> None:
    content = dump_arrays({"a": array, "é x": array})
    loaded = load(path, content)
    theirs = np.load(io.BytesIO(content))
    for name in ("a", "é x"):
        for found in (loaded[name], theirs[name]):
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, array)


def test_what_numpy_saved_is_loaded(path: Path) -> None:
    arrays = {"a": np.arange(5), "b": np.array(["x", "yé"]), "c": np.asfortranarray(np.ones((2, 3)))}
    for save in (np.savez, np.savez_compressed):
        save(path, **arrays, other=np.array([None]))
        loaded = load(path)
        assert loaded.keys() == arrays.keys()
        assert all(np.array_equal(loaded[name], arrays[name]) for name in arrays)


def test_archives_are_compressed() -> None:
    assert len(dump_arrays({"a": np.zeros(100_000)})) < 10_000


def test_sizes_are_added_up_before_anything_is_loaded(path: Path) -> None:
    content = dump_arrays({"a": np.zeros(1000), "b": np.zeros(1000), "other": np.zeros(10**6)})
    assert load(path, content, limit=17_000).keys() == {"a", "b"}
    with pytest.raises(GraphFileError, match="the arrays are larger than 16,000 bytes: 16,"):
        load(path, content, limit=16_000)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "not a NumPy archive: File is not a zip file"),
        (b"PK\x03\x04 and more", "not a NumPy archive: File is not a zip file"),
        (
            member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", bytes(16)),
            "24 bytes are declared, 16 are",
        ),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", bytes(16)), "8 bytes are declared, 16 are"),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999,)}"), "bytes are declared, 0 are"),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}"), "-8 bytes are declared, 0 are"),
        (member(b"{'descr': '|O', 'fortran_order': False, 'shape': (0,)}"), "arrays of object are not supported"),
        (member(b"{'descr': [('x', '<i8')], 'fortran_order': False, 'shape': (0,)}"), "are not supported"),
        (
            member(b"{'descr': '<i8', 'fortran_order': False, 'shape': 'x'}"),
            "the array 'a' is damaged: shape is not valid",
        ),
        (member(b"import os"), "the array 'a' is damaged: Cannot parse header"),
        (member(b"{'descr': '<i8'"), "the array 'a' is damaged"),
        (member(b"", version=b"\x03\x00"), r"version \(3, 0\) of the array format is not supported"),
        (member(b"", version=b"\x09\x00"), "the array 'a' is damaged"),
        (
            member(b"{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", b"\xff\xff\xff\x00"),
            "the text is not Unicode",
        ),
        (
            member(b"{'descr': '>U1', 'fortran_order': False, 'shape': (1,)}", b"\x00\x00\xd8\x00"),
            "the text is not Unicode",
        ),
    ],
)
def test_damaged_archives_are_errors(path: Path, content: bytes, rule: str) -> None:
    with pytest.raises(GraphFileError, match=rule):
        load(path, content)


def test_headers_of_python_2_are_read_without_a_warning(path: Path) -> None:
    content = member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (2L,)}", bytes(16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(path, content)["a"].tolist() == [0, 0]


def test_a_member_that_differs_from_its_checksum_is_an_error(path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, a=np.arange(100))
    content = bytearray(buffer.getvalue())
    content[content.index(bytes(np.arange(50, 51))) + 1] ^= 1
    with pytest.raises(GraphFileError, match="the array 'a' is damaged: Bad CRC-32"):
        load(path, bytes(content))


def test_a_member_that_is_no_array_is_an_error_unless_it_is_not_wanted(path: Path) -> None:
    for name in ("a", "other"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, b"text")
        if name == "other":
            assert load(path) == {}
        else:
            with pytest.raises(GraphFileError, match="the array 'a' is damaged: "):
                load(path)


def test_plain_arrays() -> None:
    for array in (np.arange(2), np.array(["é"]), np.array(["é"], ">U3"), np.zeros(0, "U0"), np.array([True])):
        check_plain(array)
    with pytest.raises(ValueError, match="not supported"):
        check_plain(np.array([None]))
    with pytest.raises(ValueError, match="not Unicode"):
        check_plain(np.array(["\ud800"]))
