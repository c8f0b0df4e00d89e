"""Files that nobody should upload: (name, content) of fifty, each to be refused in one line."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np

EVIL = b"cos\nsystem\n(S'touch hacked'\ntR."
"""A pickle that would run a command."""


def archive(**arrays: object) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]
    return out.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, content)
    return out.getvalue()


def xml(body: str) -> bytes:
    return f'<?xml version="1.0"?>\n{body}'.encode()


ENTITY = '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml><graph edgedefault="undirected"/></graphml>'
LAUGHS = '<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><graphml><graph id="&b;"/></graphml>'
DIRECTED = '<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>'

HOSTILE: list[tuple[str, bytes]] = [
    ("empty.csv", b""),
    ("empty.edges", b"\n\n"),
    ("empty.npz", b""),
    ("script.py", b"import os; os.system('touch hacked')"),
    ("page.html", b"<script>alert(1)</script>"),
    ("picture.svg", b"<svg onload='alert(1)'/>"),
    ("noextension", b"1 2"),
    ("two.tar.gz", gzip.compress(b"1 2")),
    ("../../../../etc/passwd", b"root:x:0:0"),
    ("..\\..\\windows\\system32\\a.exe", b"MZ"),
    ("C:\\a.pkl", EVIL),
    ("model.pkl", EVIL),
    ("pickle.npz", EVIL),
    ("objects.npz", archive(ptr=np.array([object()], dtype=object), edge_ptr=[0, 0], edges=np.zeros((2, 0)))),
    ("wrong.npz", archive(a=[1, 2])),
    ("ragged.npz", archive(ptr=[0, 3], edge_ptr=[0, 1], edges=[[0], [9]])),
    ("negative.npz", archive(ptr=[0, -3], edge_ptr=[0, 0], edges=np.zeros((2, 0), dtype=int))),
    ("bomb.npz", zipped("edges.npy", b"\0" * 30_000_000)),
    ("slip.npz", zipped("../../edges.npy", b"1 2")),
    ("text.npz", b"1 2\n"),
    ("bomb.edges.gz", gzip.compress(b"1 2\n" * 10_000_000)),
    ("cut.edges.gz", gzip.compress(b"1 2\n" * 1000)[:40]),
    ("false.csv.gz", b"\x1f\x8bnothing"),
    ("nul.edges", b"1 2\n\x003 4\n"),
    ("latin.edges", b"caf\xe9 b\n"),
    ("utf16.csv", "source,target\na,b\n".encode("utf-16")),
    ("binary.col", bytes(range(256)) * 20),
    ("huge-number.edges", b"1 99999999999999999999\n"),
    ("float.edges", b"1.5 2\n1 2 3 4\n"),
    ("nan.edges", b"1 2 nan\n"),
    ("inf.edges", b"1 2 inf\n"),
    ("large.edges", b"1 2 1e999\n"),
    ("one-column.csv", b"source\na\nb\n"),
    ("ragged.csv", b"source,target\na,b,c\n"),
    ("missing.csv", b"source,target\na,\n"),
    ("unclosed.csv", b'source,target\na,"b\n'),
    ("columns.csv", b"from,to\na,b\n"),
    ("declared.col", b"p edge 2000000000 1\ne 1 2\n"),
    ("outside.col", b"p edge 2 1\ne 1 7\n"),
    ("zero.col", b"p edge 2 1\ne 0 1\n"),
    ("count.col", b"p edge 3 9\ne 1 2\n"),
    ("flow.col", b"p max 3 1\na 1 2 3\n"),
    ("header.graph", b"-1 -1\n"),
    ("one-sided.graph", b"2 1\n2\n\n"),
    ("array.mtx", b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"),
    ("entity.graphml", xml(ENTITY)),
    ("laughs.graphml", xml(LAUGHS)),
    ("directed.graphml", xml(DIRECTED)),
    ("broken.graphml", xml("<graphml><graph")),
    ("deep.json", b"[" * 100_000),
    ("negative-weight.json", b'{"nodes": [{"id": 1, "weight": -1}], "edges": []}'),
]
