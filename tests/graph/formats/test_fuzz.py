"""Whatever bytes a file holds, reading it gives a valid graph or one error that names the file.

Each test has as many cases as other properties have; ``ANNEALCO_FUZZ_CASES=5000`` runs that many instead.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import warnings
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annealco.errors import GraphFileError, InputError, NormalisationWarning
from annealco.graph.formats import FORMATS, dimacs, edge_list, edge_tables, matrix_market, metis, read_graph
from annealco.graph.formats.text import read_text
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS

CASES = int(os.environ.get("ANNEALCO_FUZZ_CASES", settings.default.max_examples))
fuzzed = settings(
    max_examples=CASES,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

GRAPHML = """<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="w" for="node" attr.name="weight"><default>2</default></key><key id="v" for="edge" attr.name="weight"/>
<graph edgedefault="undirected"><node id="0"><data key="w">1.5</data></node><node id="1"/><node id="a&amp;"/>
<edge source="0" target="1"><data key="v">-3</data></edge><edge source="1" target="a&amp;" directed="false"/>
</graph><graph edgedefault="undirected"><desc>x</desc></graph></graphml>
"""

JSON = """{"directed": false, "multigraph": false, "graph": {},
"nodes": [{"id": "a", "weight": 2.5}, {"id": "b"}, {"id": "c"}],
"edges": [{"source": "a", "target": "b", "weight": -1}, {"source": "b", "target": "c"}]}
"""
GML = """graph [
  multigraph 1
  node [
    id 0
    label "a &#233;"
    weight 2.5
  ]
  node [
    id 1
    label "b"
  ]
  edge [
    source 0
    target 1
    key 0
    weight -3
  ]
]
"""
GEXF = """<?xml version='1.0' encoding='utf-8'?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected" mode="static">
<attributes class="node" mode="static"><attribute id="0" title="weight" type="double"/></attributes>
<nodes><node id="a" label="a"><attvalues><attvalue for="0" value="2.5"/></attvalues></node>
<node id="b" label="b"/></nodes>
<edges><edge id="0" source="a" target="b" weight="1.5"/></edges></graph></gexf>
"""

SEEDS = {
    "edgelist": [
        "0 1\n1 2\n2 3\n",
        "# comment\n5 7 2.5\n7 9 -1e3 % more\n# isolated: 3 11\n\n9 5 0\n",
        "# weight: b 2.5\nann b 1\nb c,d 2\n# isolated: z\n",
    ],
    "csv": [
        "source,target,weight\na,b,1.5\nb,c,-2\n",
        "0,1\n1,2\n2,3\n",
        "source,target,weight\n10,7,1.5\n7,9,2\n9,10,0.25\n",
        'Source;Target;Type;Weight\n"a;x";b;Undirected;1\n"b\n";"say ""c""";;2\n',
    ],
    "tsv": ["source\ttarget\n7\t8\n8\t9\n", "a\tb\t2\nb\tc\t3\n", "3\t1\t2\n1\t0\t0.5\n"],
    "adjlist": ["# comment\n0 1 2\n1 2\n2 0\n3\n", "a b c\nb a\nc\nd\n"],
    "json": [
        JSON,
        '{"nodes": [{"id": [0, "a"]}, {"id": [1, "b"]}], "links": [{"source": [0, "a"], "target": [1, "b"]}]}',
    ],
    "graph6": ["DQc\n", ">>graph6<<A_\n@\n?\nG?qipW\n:Fa@x^\n"],
    "sparse6": [":Fa@x^\n", ">>sparse6<<:Fa@x^\n:?\n:C\n"],
    "pajek": [
        '*Vertices 3\n1 "a b" 0.1 0.2\n2 b\n3\n*Edges\n1 2 2.5\n2 3\n',
        "% c\n*Network x\n*vertices 4\n*arcs\n1 2 1\n2 1 1\n*edgeslist\n3 4 1\n",
    ],
    "gml": [
        GML,
        "graph [\n  directed 0\n  node [ id 1 ]\n  node [ id 5 ]\n  edge [ source 1 target 5 weight 2.5 ]\n]\n",
    ],
    "gexf": [GEXF],
    "dimacs": [
        "c comment\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
        "p col 3 2\nn 1 5\nn 3 0.5\ne 1 2 3\ne 2 3 -4\n",
        "p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 7\na 3 2 7\n",
    ],
    "pace": ["c x\np ds 4 2\n1 2\n3 4\n", "p td 3 0\n"],
    "metis": ["3 2\n2\n1 3\n2\n", "% c\n4 2 011 1\n1 2 5\n2 1 5 3 6\n% c\n7 2 6\n0\n"],
    "matrixmarket": [
        "%%MatrixMarket matrix coordinate real symmetric\n% c\n3 3 2\n2 1 0.5\n3 2 -1\n",
        "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 1\n3 2\n2 3\n",
    ],
    "graphml": [GRAPHML, "<graphml><graph edgedefault='undirected'/></graphml>"],
    "qbsolv": ["c x\np qubo 0 4 2 3\nc nodes\n0 0 -3\n2 2 1.5\nc couplers\n0 1 2\n3 0 -4\n1 2 0\n", "p qubo 0 2 0 0\n"],
    "coo": ["# vartype=BINARY\n0 0 -1.5\n0 7 2\n3 7 1\n", "0 1 2 # no header\n1 1 -1e3\n"],
    "biqmac": ["# Biq Mac\n3 3\n1 1 -5\n1 2 3\n2 3 -1\n", "2 0\n"],
    "rudy": ["3 2\n1 2 -1\n3 2 1\n"],
    "scp": [" 4 5\n 1 2 1 2\n 2.5\n 3\n 1 4 5\n 3\n 1 2 5\n 3 2 3 5\n3 3 4\n5\n"],
    "rail": ["4 5\n1 2 1 2\n2 2 2 3\n1 2 3 4\n2 2 1 4\n2.5 4 1 2 3 4\n"],
}
OWNERS = {form.name: PROBLEMS[name] for name in PROBLEMS for form in PROBLEMS[name].formats}
"""The problem of each format that only a problem reads."""

READ_WORDS = {
    "edgelist": edge_list.read_tokens,
    "dimacs": dimacs.read_tokens,
    "pace": dimacs.read_tokens,
    "metis": metis.read_tokens,
    "matrixmarket": matrix_market.read_tokens,
    "csv": edge_tables.read_rows,
    "tsv": partial(edge_tables.read_rows, separator="\t"),
}
WORDS = {
    "edgelist": ["#", "%", "# isolated:", "# weight:", ",", "a", "b"],
    "csv": [",", ",", ";", '"', '""', "source,target", "weight", "a", "b,", "Type", "Directed"],
    "tsv": ["\t", "source\ttarget", '"', "a", "b\t"],
    "adjlist": ["#", "a", "b"],
    "json": [*re.findall(r'"\w+"|\S', JSON), "null", "true", "NaN", "[" * 99, "1e999", '"\\ud800"', "\\"],
    "graph6": [">>graph6<<", ">>digraph6<<", ":", ";", "&", "~", "~~", "?", "A_", "@", "G?qipW", "~??~"],
    "sparse6": [">>sparse6<<", ":", ";", "~", "~~", ":~~??????", "?", "_KN", "Fa@x^"],
    "pajek": ["*Vertices", "*vertices 3", "*Edges", "*Arcs", "*Matrix", "*edgeslist", '"', '"a b"', "%", "a"],
    "gml": [*re.findall(r"\S+", GML), "directed 1", "graph [", "[" * 50, '"', "node [ id 0 ]"],
    "gexf": [*re.findall(r"<[^>]*>|[^<>]+", GEXF), "<!DOCTYPE a>", 'type="directed"', "<nodes>", "<edges>", "<", ">"],
    "dimacs": ["c", "p", "e", "a", "n", "edge", "sp", "col", "ds", "p edge 3 2", "p sp 3 2"],
    "pace": ["c", "p", "e", "ds", "td", "p ds 3 2"],
    "metis": ["%", "011", "11", "10", "100", "3 2", "2 1 1"],
    "matrixmarket": re.findall(r"\S+", "%%MatrixMarket matrix coordinate array real pattern symmetric general %"),
    "qbsolv": ["c", "p", "qubo", "p qubo 0 3 1 1", "0 0 1", "0 1 2"],
    "coo": ["#", "# vartype=", "BINARY", "SPIN", "# vartype=SPIN\n", "0 0 1", "0 1 2"],
    "biqmac": ["#", "2 1", "1 1 1", "1 2 3"],
    "rudy": ["#", "2 1", "1 2 -1"],
    "scp": ["1 1", "2 3 1 1 1", "3 1 2 3"],
    "rail": ["1 1", "2 2 1 1 1", "5 2 1 2"],
    "graphml": [
        *re.findall(r"<[^>]*>|[^<>]+", GRAPHML),
        *(
            "<hyperedge/>",
            "<port/>",
            "<!--",
            "-->",
            "<![CDATA[",
            "]]>",
            "<!DOCTYPE a>",
            "&#0;",
            "&lt;",
            "<?x?>",
            "<",
            ">",
        ),
    ],
}
NUMBERS = re.findall(
    r"\S+", "0 1 2 3 4 9 -1 1.5 1e3 1e999 nan inf 2147483647 2147483648 99999999999999999999 900000 0x1 1_0 007 -0 +1"
)
SMALL = Graph.from_edges(
    [[0, 1, 3], [1, 2, 4]],
    node_ptr=[0, 3, 6],
    node_weight=np.arange(6),
    edge_weight=[0.5, -1, 2],
    node_labels=["a", "b", "é", "a", "b", "c"],
    node_data={"atom": np.arange(6), "planted": np.arange(6) > 2},
    graph_data={"name": ["x", "yy"], "y": [0, 1], "size": [1.5, 2]},
)
ARCHIVE = dict(np.load(io.BytesIO(FORMATS["npz"].write(SMALL))))


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """Draw a file a few mutations away from a given one."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(changed)))
        stop = min(len(changed), start + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["delete", "insert", "replace", "repeat", "truncate", "number", "swap"]))
        if kind == "delete":
            del changed[start:stop]
        elif kind == "insert":
            changed[start:start] = draw(
                st.binary(max_size=4) | st.sampled_from([b"\n", b" ", b"\r", b"\0", b"\xff", b"9"])
            )
        elif kind == "replace":
            changed[start:stop] = draw(st.binary(min_size=stop - start, max_size=stop - start))
        elif kind == "repeat":
            changed[stop:stop] = changed[start:stop] * draw(st.integers(1, 3))
        elif kind == "truncate":
            del changed[start:]
        else:
            _change_numbers(draw, changed, kind)
    return bytes(changed)


def _change_numbers(draw: st.DrawFn, changed: bytearray, kind: str) -> None:
    spans = [found.span() for found in re.finditer(rb"[0-9.]+", bytes(changed))]
    if len(spans) < 2:
        return
    one, two = sorted(draw(st.lists(st.sampled_from(spans), min_size=2, max_size=2)))
    if kind == "number" or one == two:
        changed[slice(*one)] = draw(st.sampled_from(NUMBERS)).encode()
    else:
        first, second = changed[slice(*one)], changed[slice(*two)]
        changed[slice(*two)] = first
        changed[slice(*one)] = second


@st.composite
def from_alphabet(draw: st.DrawFn, name: str) -> bytes:
    """Draw words, numbers and line ends such as the format has, in any order."""
    words = st.sampled_from([*WORDS[name], *NUMBERS, "1 2", "\n", "\n", "\n", "\r\n", "\t"])
    start = draw(st.sampled_from(["", *(text[: len(text) // 2] for text in SEEDS[name])]))
    content = (start + draw(st.sampled_from(["", " "])).join(draw(st.lists(words, max_size=30)))).encode()
    return gzip.compress(content) if draw(st.integers(0, 4)) == 4 else content


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    """Draw an archive whose members are intact, but whose arrays are not what they should be."""
    arrays = dict(ARCHIVE)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=3)):
            arrays[name] = _other_array(draw, arrays[name])
        for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=1)):
            del arrays[name]
        for name, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array, allow_pickle=True)
            content = member.getvalue()
            # A `ZipInfo` made here has a fixed date: the cases must not depend on the time.
            info = zipfile.ZipInfo(f"{name}.npy")
            archive.writestr(info, draw(mutated(content)) if draw(st.integers(0, 9)) == 9 else content)
    return buffer.getvalue()


def _other_array(draw: st.DrawFn, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    kind = draw(st.sampled_from(["value", "type", "shape", "cut", "object"]))
    if kind == "value" and array.size and array.dtype.kind in "iuf":
        changed = array.copy()
        info = np.finfo(array.dtype) if array.dtype.kind == "f" else np.iinfo(array.dtype)
        values = [0, 1, 2, 6, 7, 100, info.max, info.min, *([np.nan, np.inf] if array.dtype.kind == "f" else [])]
        changed.flat[draw(st.integers(0, array.size - 1))] = draw(st.sampled_from(values))
        return changed
    if kind == "type" and array.dtype.kind in "iufb":
        with np.errstate(all="ignore"):
            return array.astype(draw(st.sampled_from(["i1", ">i8", "u8", "f4", "f8", "c8", "?", "U3", "S2"])))
    if kind == "shape":
        return draw(st.sampled_from([array[None], array.ravel(), array[..., None], array.T, np.array(3)]))
    if kind == "object":
        return array.astype(object)
    return np.atleast_1d(array)[: draw(st.integers(0, 3))]


def check(path: Path, name: str, content: bytes) -> None:
    """Read a file, and assert that a valid graph or one clear error comes of it."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NormalisationWarning)
        own = OWNERS[name].formats if name in OWNERS else ()
        outcome = outcome_of(lambda: read_graph(path, format=name, formats=own))
        if name in READ_WORDS:
            check_same(outcome, outcome_of(lambda: READ_WORDS[name](read_text(path))))
    if isinstance(outcome, Graph):
        check_valid(outcome)
        if name in OWNERS:
            check_declared(name, outcome)
        return
    assert str(outcome).startswith(f"{path}:")
    assert outcome.rule
    assert "\n" not in str(outcome)
    assert outcome.line is None or outcome.line >= 1


def outcome_of(read: Callable[[], Graph]) -> Graph | GraphFileError:
    try:
        return read()
    except GraphFileError as error:
        return error


def check_same(outcome: Graph | GraphFileError, other: Graph | GraphFileError) -> None:
    """Assert that the core and Python understand a file in the same way."""
    if not isinstance(outcome, Graph) or not isinstance(other, Graph):
        assert str(outcome) == str(other)
        return
    assert outcome.equals(other)
    assert (outcome.node_labels is None) == (other.node_labels is None)
    assert outcome.labels.dtype == other.labels.dtype


def check_valid(graph: Graph) -> None:
    sizes = np.diff(graph.node_ptr)
    assert graph.node_ptr[0] == 0
    assert (sizes >= 0).all()
    low, high = graph.edges
    assert (low < high).all()
    assert (np.diff(low.astype(np.int64) * (graph.num_nodes + 1) + high) > 0).all()
    owner = np.repeat(np.arange(len(sizes)), sizes)
    assert np.array_equal(owner[low], owner[high])
    assert graph.node_weight.shape == (graph.num_nodes,)
    assert graph.edge_weight.shape == (graph.num_edges,)
    assert np.isfinite(graph.edge_weight).all()
    assert (np.isfinite(graph.node_weight) & (graph.node_weight >= 0)).all()
    labels = graph.labels.tolist()
    assert len(set(zip(owner.tolist(), labels, strict=True))) == graph.num_nodes
    str([labels, graph.node_data, graph.graph_data]).encode()


def check_declared(name: str, graph: Graph) -> None:
    """Assert that a problem whose file was read declares finite terms, or tells in a line why there are none."""
    found: Any
    try:
        found = OWNERS[name].declare(graph)
    except InputError as error:
        found = error
    if isinstance(found, InputError):
        assert found.rule
        assert "\n" not in str(found)
    else:
        every, nothing = np.ones((1, graph.num_nodes), np.bool_), np.zeros((1, graph.num_nodes), np.bool_)
        assert np.isfinite(found.energy().value(np.concatenate([every, nothing]))).all()


@pytest.mark.parametrize("name", [*FORMATS, *OWNERS])
@fuzzed
@given(
    content=st.binary(max_size=200),
    wrap=st.sampled_from([bytes, gzip.compress, b"\x1f\x8b".__add__, b"PK\x03\x04".__add__]),
)
def test_random_bytes(name: str, content: bytes, wrap: Callable[[bytes], bytes], tmp_path: Path) -> None:
    check(tmp_path / "a", name, wrap(content))


@pytest.mark.parametrize("name", SEEDS)
@fuzzed
@given(data=st.data())
def test_random_words(name: str, data: st.DataObject, tmp_path: Path) -> None:
    check(tmp_path / "a", name, data.draw(from_alphabet(name)))


@pytest.mark.parametrize("name", SEEDS)
@fuzzed
@given(data=st.data())
def test_mutated_files(name: str, data: st.DataObject, tmp_path: Path) -> None:
    check(tmp_path / "a", name, data.draw(mutated(data.draw(st.sampled_from(SEEDS[name])).encode())))


@pytest.mark.parametrize("name", ["edgelist", "graphml"])
@fuzzed
@given(data=st.data())
def test_mutated_gzip(name: str, data: st.DataObject, tmp_path: Path) -> None:
    check(tmp_path / "a", name, data.draw(mutated(gzip.compress(SEEDS[name][0].encode(), mtime=0))))


@fuzzed
@given(content=mutated(FORMATS["npz"].write(SMALL)))
def test_mutated_archives(content: bytes, tmp_path: Path) -> None:
    check(tmp_path / "a", "npz", content)


@fuzzed
@given(content=archives())
def test_archives_of_wrong_arrays(content: bytes, tmp_path: Path) -> None:
    check(tmp_path / "a", "npz", content)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SEEDS.items() for text in texts])
def test_the_files_that_are_mutated_are_valid(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text)
    check_valid(read_graph(tmp_path / "a", format=name, formats=OWNERS[name].formats if name in OWNERS else ()))


def test_every_text_format_is_mutated() -> None:
    assert {*SEEDS, "npz"} == {*FORMATS, *OWNERS}
