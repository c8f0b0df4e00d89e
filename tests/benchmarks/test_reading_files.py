from __future__ import annotations

from pathlib import Path

import pytest
from json_lines import read_lines
from reading_files import KINDS, OTHERS, RESULTS, measure_other, write

from annealco import read_graph


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_has_the_rows_that_are_asked_for(kind: str, tmp_path: Path) -> None:
    extension, separator, text, weighted = KINDS[kind]
    path = tmp_path / f"a{extension}"
    write(path, 200, separator, text=text, weighted=weighted)
    graph = read_graph(path)
    assert graph.num_edges == 200
    assert isinstance(graph.labels.tolist()[0], str) == text
    assert (len(set(graph.edge_weight.tolist())) > 1) == weighted


@pytest.mark.parametrize("kind", OTHERS)
def test_every_other_format_has_the_edges_that_are_asked_for(kind: str) -> None:
    row = measure_other(kind, 200, 1)
    assert (row["kind"], row["rows"], row["pandas"]) == (kind, 200, None)


def test_the_results_are_of_a_million_rows() -> None:
    rows = read_lines(RESULTS)
    assert [row["kind"] for row in rows] == [*KINDS, *OTHERS]
    assert all(row["rows"] == 1_000_000 for row in rows)


def test_the_page_shows_the_results() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    for row in read_lines(RESULTS):
        pandas = "-" if row["pandas"] is None else f"{row['pandas']:.2f}"
        assert f"| {row['kind']} | {row['megabytes']} | {row['read_graph']:.2f} | {pandas} |" in page
