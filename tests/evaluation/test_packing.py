from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.datasets import DATASETS
from annealco.evaluation.references import header_of
from annealco.evaluation.references import summary as packing
from annealco.evaluation.references.store import Reference, append_rows, read_rows
from annealco.evaluation.references.summary import pack, packed
from annealco.problems import PROBLEMS

ROWS = [Reference(number, 3.0, True, "m", 0.1, (number,)) for number in range(25)]
HEADER = header_of(DATASETS["er-large"], PROBLEMS["mds"])


def test_long_files_keep_the_nodes_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    assert packed(ROWS) == ROWS
    monkeypatch.setattr(packing, "MOST_BYTES", 200)
    kept = packed(ROWS)
    assert [row.case for row in kept if row.nodes is not None] == [0, 10, 20]
    assert [replace(row, nodes=None) for row in kept] == [replace(row, nodes=None) for row in ROWS]


def test_the_best_row_of_each_case_is_packed(tmp_path: Path) -> None:
    computed, out = tmp_path / "computed", tmp_path / "out"
    out.mkdir()
    worse = [replace(row, value=4.0, proven=False) for row in ROWS]
    list(append_rows(computed / "er-large-mds.jsonl", HEADER, [*worse, *reversed(ROWS), *worse]))
    path = pack("er-large", "mds", folder=computed, out=out)
    assert path == out / "er-large-mds.jsonl"
    assert read_rows(path, HEADER) == ROWS
    assert [each.name for each in out.iterdir()] == [path.name]
    before = path.read_bytes()
    command = [sys.executable, "-m", "annealco.evaluation.references.summary", "er-large", "mds"]
    subprocess.run([*command, "--folder", str(computed), "--out", str(out)], check=True)
    assert path.read_bytes() == before
