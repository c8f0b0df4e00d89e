from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from annealco.datasets import DATASETS
from annealco.evaluation.references import header_of, load_references
from annealco.evaluation.references.store import Reference, append_references, read_references
from annealco.evaluation.references.summary import COLUMNS, Summary, pack, summaries, trim_nodes
from annealco.problems import PROBLEMS
from tests.evaluation.packaged import packaged_names

DOCUMENT = Path(__file__).parents[2] / "docs" / "datasets.md"
PACKAGED = packaged_names()


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> list[Summary]:
    return summaries(tmp_path_factory.mktemp("nothing"))


def test_values_and_proofs_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annealco.evaluation.references.summary.DATASETS", {"er-large": DATASETS["er-large"]})
    header = header_of(DATASETS["er-large"], PROBLEMS["mds"])
    rows = [
        Reference(0, 3.0, True, "search + clique cover, greedy", 0.1, (1,)),
        Reference(1, 4.0, True, "search + cp_sat", 0.1, None),
        Reference(2, 6.0, True, "cp_sat", 0.1, None),
        Reference(3, 8.0, False, "search + cp_sat", 0.1, None),
    ]
    list(append_references(tmp_path / "er-large-mds.jsonl", header, rows))
    [found] = [each for each in summaries(tmp_path) if (each.dataset, each.problem) == ("er-large", "mds")]
    assert found == Summary("er-large", "mds", 4, 500, 3, 5.25, {"cp_sat": 2, "annealco": 1})
    assert found.cells() == ["er-large", "mds", "4", "500", "3 (75.0%)", "5.25", "cp_sat 2, annealco 1"]
    assert len(found.cells()) == len(COLUMNS)


def test_every_file_of_the_package_is_told(packaged: list[Summary]) -> None:
    assert ("imdb", "mis") in PACKAGED
    assert [(each.dataset, each.problem) for each in packaged] == PACKAGED
    for each in packaged:
        references = load_references(each.dataset, each.problem)
        assert each.known == len(references)
        assert each.proven == sum(one.proven for one in references.values())


def test_the_table_in_the_documents_is_what_the_command_prints(packaged: list[Summary]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    for row in [list(COLUMNS), *(each.cells() for each in packaged)]:
        assert "| " + " | ".join(row) + " |" in text


ROWS = [Reference(number, 3.0, True, "m", 0.1, (number,)) for number in range(25)]
HEADER = header_of(DATASETS["er-large"], PROBLEMS["mds"])


def test_long_files_keep_the_nodes_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trim_nodes(ROWS) == ROWS
    monkeypatch.setattr("annealco.evaluation.references.summary.MOST_BYTES", 200)
    kept = trim_nodes(ROWS)
    assert [row.case for row in kept if row.nodes is not None] == [0, 10, 20]
    assert [replace(row, nodes=None) for row in kept] == [replace(row, nodes=None) for row in ROWS]


def test_the_best_row_of_each_case_is_packed(tmp_path: Path) -> None:
    computed, out = tmp_path / "computed", tmp_path / "out"
    out.mkdir()
    worse = [replace(row, value=4.0, proven=False) for row in ROWS]
    list(append_references(computed / "er-large-mds.jsonl", HEADER, [*worse, *reversed(ROWS), *worse]))
    path = pack("er-large", "mds", folder=computed, out=out)
    assert path == out / "er-large-mds.jsonl"
    assert read_references(path, HEADER) == ROWS
    assert [each.name for each in out.iterdir()] == [path.name]
    before = path.read_bytes()
    command = [sys.executable, "-m", "annealco.evaluation.references.summary", "er-large", "mds"]
    subprocess.run([*command, "--folder", str(computed), "--out", str(out)], check=True)
    assert path.read_bytes() == before
