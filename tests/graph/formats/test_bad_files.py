"""Files that break a rule: each is one error that names the file, the line and the rule."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pytest

from annealco.errors import GraphFileError, NormalisationWarning
from annealco.graph.formats import read_graph

MATRIX = "%%MatrixMarket matrix coordinate"
GRAPH = '<graphml><graph edgedefault="undirected">'

BAD = [
    # name, content, line, words of the rule
    ("a.edges", "", None, "the file is empty"),
    ("a.edges", "# only\n% comments\n", None, "holds no graph"),
    ("a.edges", "0 1\n1 two\n", 2, "node 'two' is a word, the first is an integer; name all nodes by integers or all"),
    ("a.edges", "one two\n\ntwo 3\n", 3, "node '3' is an integer, the first is a word"),
    ("a.edges", "e 1 2\ne 2 3\n", 1, "node '1' is an integer, the first is a word"),
    ("a.edges", "one two 1\ntwo three x\n", 2, "'x' is not a number"),
    ("a.edges", "one two\none 1.5\n", 2, "node id '1.5' is not an integer"),
    ("a.edges", "one two 2\ntwo one 3\n", 2, "edge two-one occurs more than once with different weights"),
    ("a.edges", "0 1\n# weight: 1\n", 2, "the weight of a node is '# weight: node weight'"),
    ("a.edges", "0 1\n# weight: 1 heavy\n", 2, "'heavy' is not a number"),
    ("a.edges", "# weight: 1 2\n0 1\n# weight: 1 2\n", 3, "node 1 already has a weight"),
    ("a.edges", "# weight: a -2\na b\n", 1, "node weights must not be negative, node a has -2"),
    ("a.edges", "# weight: a 2\n0 1\n", 1, "node 'a' is a word, the first is an integer"),
    ("a.edges", "0 1\n\n1,2\n", 3, "separated by blanks"),
    ("a.edges", "0 1\n2\n", 2, "every line must be 'u v' as the first is, this one has 1 number"),
    ("a.edges", "0 1 2\n1 2\n", 2, "every line must be 'u v weight'"),
    ("a.edges", "0 1 2 3\n", 1, "a line is 'u v' or 'u v weight', this one has 4 numbers"),
    ("a.edges", "0 1.5\n", 1, "node id '1.5' is not an integer"),
    ("a.edges", "# c\n0 1e3\n", 2, "node id '1e3' is not an integer"),
    ("a.edges", "0 1\n0 -2\n", 2, "node id '-2' is not an integer"),
    ("a.edges", "0 2147483648\n", 1, "node id '2147483648' is not an integer in 0..2147483647"),
    ("a.edges", "0 1 1\n1 2 nan\n", 2, "'nan' is not a finite number"),
    ("a.edges", "0 1 -inf\n", 1, "'-inf' is not a finite number"),
    ("a.edges", "0 1 1e999\n", 1, "'1e999' is not a finite number"),
    ("a.edges", "0 1 2\n\n1 0 3\n", 3, "edge 1-0 occurs more than once with different weights"),
    ("a.edges", b"0 1\n1 \xff2\n", 2, "byte 0xff is not UTF-8"),
    ("a.edges", b"0 1\n1 2\0\n", 2, "NUL byte"),
    ("a.edges", gzip.compress(b"0 1\n" * 99, mtime=0)[:-9], None, "damaged gzip"),
    ("a.edges.gz", gzip.compress(b"0 1\n1 x\n", mtime=0), 2, "node 'x' is a word"),
    ("a.col", "c nothing\n", None, "no line 'p WORD N M'"),
    ("a.col", "e 1 2\n", 1, "the first line must be 'p WORD N M'"),
    ("a.col", "c\n1 2\np edge 2 1\n", 2, "the first line must be 'p WORD N M'"),
    ("a.col", "p edge 3\n", 1, "must be 'p WORD N M', this one has 3 words"),
    ("a.col", "p graph 3 1\ne 1 2\n", 1, "unknown word 'graph' in the 'p' line; choose one of edge, col, clq"),
    ("a.col", "p edge three 1\n", 1, "the number of nodes must be a non-negative integer, not 'three'"),
    ("a.col", "p edge 3 -1\n", 1, "the number of edges must be a non-negative integer, not '-1'"),
    ("a.col", "p edge 3 1\ne 1 2\np edge 3 1\n", 3, "one 'p' line, this is the second"),
    ("a.col", "p edge 3 1\ne 0 1\n", 2, "node 0 is outside 1..3"),
    ("a.col", "p edge 3 1\ne 1 4\n", 2, "node 4 is outside 1..3"),
    ("a.col", "p edge 3 2\ne 1 2\n", 1, "2 edges are declared, but the file lists 1 (1 distinct)"),
    ("a.col", "p edge 3 1\ne 1 2\ne 2 3\n", 1, "1 edges are declared, but the file lists 2 (2 distinct)"),
    ("a.col", "p edge 3 1\ne 1\n", 2, "this one has 1 number"),
    ("a.col", "p edge 3 1\ne\n", 2, "this one has 0 numbers"),
    ("a.col", "p edge 3 1\ne 1 b\n", 2, "'b' is not a number"),
    ("a.col", "p edge 3 1\ne1 2\n", 2, "a line must begin with 'e', 'n', 'v' or a node, not 'e1'"),
    ("a.col", "p edge 3 1\nw 1 2\n", 2, "a line must begin with 'e', 'n', 'v' or a node, not 'w'"),
    ("a.wclq", "p edge 3 1\nv 1 2\nn 1 3\ne 1 2\n", 3, "node 1 already has a weight"),
    ("a.wclq", "p edge 3 1\nv 1 x\ne 1 2\n", 2, "'x' is not a number"),
    ("a.col", "p edge 3 1\nn 1 -1\ne 1 2\n", 2, "node weights must not be negative, node 1 has -1"),
    ("a.col", "p edge 3 1\nn 1 1\nn 1 1\ne 1 2\n", 3, "node 1 already has a weight"),
    ("a.col", "p edge 3 1\nn 4 1\ne 1 2\n", 2, "node 4 is outside 1..3"),
    ("a.col", "p edge 3 2\ne 1 2 5\ne 2 1 6\n", 3, "edge 2-1 occurs more than once with different weights"),
    ("a.col", "p edge 3 1\na 1 2 3\n", 2, "not 'a'"),
    ("a.col", "c\np edge 2000000000 0\n", 2, "2,000,000,000 nodes are declared, but a file of"),
    ("a.clq", b"12\np col 2 1\n\x00\x80\x01", 3, "binary files, such as DIMACS .b"),
    ("a.gr", "p sp 3 2\na 1 2 1\na 2 1 2\n", 2, "directed: the arc 1 2 has no reverse 2 1 of the same weight"),
    ("a.gr", "p sp 3 1\na 1 2\n", 2, "a line is 'a u v weight', this one has 2 numbers"),
    ("a.gr", "p sp 3 1\ne 1 2\n", 2, "a line must begin with 'a', not 'e'"),
    ("a.gr", "p sp 3 0\n1 2\n", 2, "a line must begin with 'a', not '1'"),
    ("a.gr", "p ds 3 1\n1 x\n", 2, "'x' is not a number"),
    ("a.graph", "% comment\n", None, "no header 'n m'"),
    ("a.graph", "3\n", 1, "the header must be 'n m [fmt [ncon]]', this one has 1 words"),
    ("a.graph", "2 x\n", 1, "the number of edges must be a non-negative integer, not 'x'"),
    ("a.graph", "2 1 2\n", 1, "fmt must be up to three digits 0 or 1, not '2'"),
    ("a.graph", "2 1 100\n1 2\n1 1\n", 1, "node sizes (fmt 100) are not supported"),
    ("a.graph", "2 1 10 2\n1 1 2\n1 1 1\n", 1, "one weight a node is supported, not ncon 2"),
    ("a.graph", "3 1\n2\n1\n", 1, "3 nodes are declared, but 2 lines follow"),
    ("a.graph", "2 1\n2\n1\n\n1\n", 5, "the lines of all 2 nodes are over"),
    ("a.graph", "2 1\n2\n\n", 2, "directed: node 1 lists 2, but is not listed back"),
    ("a.graph", "2 1 1\n2 5\n1 6\n", 2, "not listed back with the same weight"),
    ("a.graph", "2 1\n3\n1\n", 2, "neighbour 3 is outside 1..2"),
    ("a.graph", "% c\n2 5\n2\n1\n", 2, "5 edges are declared, but the file lists 1"),
    ("a.graph", "2 1 1\n2\n1 1\n", 2, "node 1 must have a weight after each neighbour"),
    ("a.graph", "2 0 10\n1\n\n", 3, "node 2 has no weight"),
    ("a.graph", "2 0 10\n1\n-1\n", 3, "node weights must not be negative, node 2 has -1"),
    ("a.graph", "2 1\n2\n1 % c\n", 3, "'%' is not a number"),
    ("a.mtx", "1 1 0\n", 1, "the first line must be '%%MatrixMarket matrix coordinate"),
    ("a.mtx", f"{MATRIX} real\n", 1, "the first line must be '%%MatrixMarket matrix coordinate"),
    ("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n", 1, "storage 'array' is not supported"),
    ("a.mtx", f"{MATRIX} complex symmetric\n", 1, "field 'complex' is not supported; it must be pattern or real or"),
    ("a.mtx", f"{MATRIX} real skew-symmetric\n", 1, "symmetry 'skew-symmetric' is not supported"),
    (
        "a.mtx",
        f"{MATRIX} real hermitian\n",
        1,
        "symmetry 'hermitian' is not supported; it must be symmetric or general",
    ),
    ("a.mtx", f"{MATRIX} real symmetric\n% c\n2 2\n", 3, "the size line must be 'rows columns entries'"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 3 0\n", 2, "an adjacency matrix is square, this one is 2 × 3"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 2 2\n2 1 5\n", 2, "2 entries are declared, but the file lists 1"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 2 1\n2 1\n", 3, "a line is 'row column value', this one has 2 numbers"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 2 1\n3 1 5\n", 3, "row or column 3 is outside 1..2"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 2 1\n2 1 nan\n", 3, "'nan' is not a finite number"),
    ("a.mtx", f"{MATRIX} pattern general\n2 2 1\n2 1\n", 3, "directed: the matrix is not symmetric, entry 2 1"),
    ("a.mtx", f"{MATRIX} real symmetric\n2 2 2\n2 1 5\n1 2 6\n", 4, "edge 1-2 occurs more than once with different"),
    ("a.graphml", "0 1\n", 1, "not well-formed XML: "),
    ("a.graphml", "<graphml>\n<graph edgedefault='undirected'>\n", 3, "not well-formed XML: no element found"),
    ("a.graphml", "<graphml/>", None, "holds no graph"),
    ("a.graphml", '<graphml>\n<graph edgedefault="directed"/></graphml>', 2, "directed: edgedefault='directed'"),
    ("a.graphml", f'{GRAPH}\n<edge source="a" target="b"/></graph></graphml>', 2, "'a' is not a node of its graph"),
    ("a.graphml", "<!DOCTYPE a>\n<graphml/>", 1, "a document type"),
    ("a.graphml", f"{GRAPH}\n&unknown;</graph></graphml>", 2, "not well-formed XML: undefined entity"),
    ("a.graphml", f"{GRAPH}<node id='a'>\n<graph/></node></graph></graphml>", 2, "nested graphs are not supported"),
    ("a.graphml", f"{GRAPH}\n\n<hyperedge/></graph></graphml>", 3, "<hyperedge> is not supported"),
    ("a.csv", "", None, "the file is empty"),
    ("a.csv", "\n \n", None, "the file holds no rows"),
    ("a.csv", "source,target\na,b\n\nb\n", 4, "every row must have 2 cells as the first, this one has 1 cell"),
    ("a.csv", '"source",target\na,b\nb,c,d\n', 3, "every row must have 2 cells as the first, this one has 3 cells"),
    ("a.csv", "source,target,weight\na,b,1\nb,c,heavy\n", 3, "the weight 'heavy' is not a finite number"),
    ("a.csv", "source,target,weight\na,b,1\nb,c,NaN\n", 3, "the weight 'NaN' is not a finite number"),
    ("a.csv", "source,target,weight\na,b,\n", 2, "the weight is missing"),
    ("a.csv", "source,target\na,b\n,c\n", 3, "the label in column 1 is missing"),
    ("a.csv", "source,target,weight\na,b,1\nb,a,2\n", 3, "edge b-a occurs more than once with different weights"),
    ("a.csv", "source,source,target\na,b,c\n", 1, "2 columns are called 'source'; rename all but one"),
    ("a.csv", "from,to\na,b\n", 1, "this line seems to name the columns (from, to): say by ends which columns"),
    ("a.csv", "Ort,Ziel\n1,2\n3,4\n", 1, "this line seems to name the columns (Ort, Ziel)"),
    ("a.csv", "a,b,cost\nc,d,1\n", 1, "this line seems to name the columns (a, b, cost)"),
    ("a.csv", "a,b,c,d\n", 1, "without names of columns a row is 'u,v' or 'u,v,weight', this one has 4 cells"),
    ("a.csv", "a\n", 1, "this one has 1 cell"),
    ("a.csv", 'a,"b\nb,c\n', 1, "not a table: unexpected end of data"),
    ("a.csv", 'a,b\n"b"x,c\n', 2, "not a table: ',' expected after '\"'"),
    ("a.csv", "Source,Target,Type\na,b,Undirected\nb,c,Directed\n", 3, "directed: the Type of this edge must be"),
    ("a.tsv", "source\ttarget\na\tb\nb c\n", 3, "every row must have 2 cells as the first, this one has 1 cell"),
    ("a.adjlist", "# nothing\n", None, "the file holds no graph: it has no nodes"),
    ("a.adjlist", "0 1\n1 b\n", 2, "node 'b' is a word, the first is an integer"),
    ("a.adjlist", "0 1\n1 -2\n", 2, "node id '-2' is not an integer"),
    ("a.json", '{"nodes": [\n{"id": 1}', 2, "not JSON: expecting ',' delimiter"),
    ("a.json", '{"nodes": [], "links": [],\n "x": NaN}', None, "not JSON: NaN is no number of JSON"),
    ("a.json", "[1, 2]", None, 'it must be {"nodes": [...], "edges": [...]}'),
    ("a.json", '{"nodes": []}', None, "under 'links', this file has neither"),
    ("a.json", '{"directed": true, "nodes": [], "links": []}', None, "directed: 'directed' must be false, not True"),
    ("a.json", '{"nodes": [{"id": 1}, {"ids": 2}], "links": []}', None, "nodes[1] has no 'id'; did you mean 'ids'?"),
    ("a.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', None, "nodes[1]: the id 1 occurs twice"),
    ("a.json", '{"nodes": [{"id": 1}, {"id": "a"}], "links": []}', None, "of one type, 1 is int and 'a' is str"),
    ("a.json", '{"nodes": [{"id": {}}], "links": []}', None, "nodes[0]: an object cannot be the 'id' of a node"),
    ("a.json", '{"nodes": [3], "links": []}', None, "nodes[0] must be an object, not 3"),
    ("a.json", '{"nodes": 3, "links": []}', None, "'nodes' must be a list"),
    (
        "a.json",
        '{"nodes": [{"id": "Ann"}], "edges": [{"source": "Ann", "target": "An"}]}',
        None,
        "edges[0]: the target 'An' is no node; did you mean 'Ann'?",
    ),
    (
        "a.json",
        '{"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": true}]}',
        None,
        "edges[0]: the target True is no node",
    ),
    (
        "a.json",
        '{"nodes": [{"id": 0}, {"id": 1, "weight": "x"}], "edges": []}',
        None,
        "node weights must be numbers, node 1 has 'x'",
    ),
    ("a.g6", "DQc\n\nD\x1f\n", 3, "is no character of graph6"),
    ("a.g6", "DQ\n", 1, "a graph of 5 nodes has 2 characters behind that number, this one has 1"),
    ("a.g6", "~?\n", 1, "the number of nodes is cut off"),
    ("a.g6", "DQc\n&B?\n", 2, "directed: digraph6 is not supported"),
    ("a.g6", ">>graph6<<\n", None, "the file holds no graph"),
    ("a.s6", ":~~~~~~~~\n", 1, "nodes are declared, but a file of"),
    ("a.s6", ";A\n", 1, "incremental sparse6 is not supported"),
    ("a.net", "1 2\n", 1, "the first section must be *Vertices"),
    ("a.net", "*Network x\n", None, "the file holds no network: it has no *Vertices"),
    ("a.net", "*Edges\n", 1, "*Vertices must come before *Edges"),
    ("a.net", "*Vertices 2\n3 c\n", 2, "vertex 3 is outside 1..2"),
    ("a.net", "*Vertices 2\n1 a\n1 b\n", 3, "vertex 1 occurs twice"),
    ("a.net", "*Vertices 2\n1 a\n2 a\n", None, "two vertices have the label 'a'"),
    ("a.net", "*Vertices 3 2\n", 1, "two-mode networks are not read"),
    ("a.net", "*Vertices 2\n*Matrix\n", 2, "the section *Matrix is not supported"),
    ("a.net", "*Vertices 2\n*Arcs\n1 2\n", 3, "directed: the arc 1 2 has no reverse 2 1 of the same weight"),
    ("a.net", "*Vertices 2\n*Edges\n1 2 x\n", 3, "the weight 'x' is not a finite number"),
    ("a.net", "*Vertices 2\n*Edges\n1\n", 3, "an edge is 'u v' or 'u v weight', this line has 1 word"),
    ("a.net", "*Vertices 2\n*Edges\n1 2 1\n2 1 2\n", 4, "occurs more than once with different weights"),
    ("a.gml", "graph [\n  node [ id 0 label 1\n", 2, "networkx cannot read it: expected"),
    ("a.gml", "graph [ directed 1 node [ id 0 ] ]\n", None, "directed: the graph must be undirected"),
    (
        "a.gml",
        "graph [ node [ id 0 label 1 ] node [ id 1 label 1 ] ]\n",
        None,
        "networkx cannot read it: node label 1 is",
    ),
    ("a.gexf", "<gexf>\n<graph>", 2, "networkx cannot read it: no element found"),
    ("a.gexf", "<!DOCTYPE a>\n<gexf/>", 1, "a document type"),
    ("a.gexf", "<gexf/>", None, "networkx cannot read it: No <graph> element"),
    ("a.npz", b"", None, "not a NumPy archive: File is not a zip file"),
    ("a.npz", b"PK\x05\x06" + bytes(18), None, "holds no graph: it has no array 'ptr'"),
    ("a.npz", "0 1\n", None, "not a NumPy archive"),
]


@pytest.mark.parametrize(("name", "content", "line", "rule"), BAD)
def test_one_error_names_file_line_and_rule(
    name: str, content: str | bytes, line: int | None, rule: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        with pytest.raises(GraphFileError) as caught:
            read_graph(path)
    error = caught.value
    assert (error.path, error.line) == (str(path), line)
    assert rule in error.rule
    assert str(error) == f"{path}:{f'{line}:' if line else ''} {error.rule}"
    assert "\n" not in str(error)


@pytest.mark.parametrize(("name", "content", "line", "rule"), [case for case in BAD if case[2] is not None])
def test_the_line_moves_with_the_text(name: str, content: str | bytes, line: int, rule: str, tmp_path: Path) -> None:
    """Comments in front, other line ends and gzip change neither the rule nor where it is found."""
    if not name.endswith((".edges", ".col", ".clq", ".wclq", ".gr", ".graph")):
        return
    comment = {"a.edges": b"# c", "a.graph": b"% c"}.get(name, b"c c")
    text = content if isinstance(content, bytes) else content.encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress((comment + b"\n\n\n" + text).replace(b"\n", b"\r\n"), mtime=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        with pytest.raises(GraphFileError) as caught:
            read_graph(path)
    assert caught.value.line == line + 3
    assert rule in caught.value.rule
