from __future__ import annotations

from pathlib import Path

import pytest
from json_lines import read_lines
from reading_files import KINDS, RESULTS, write

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


def test_the_results_are_of_a_million_rows() -> None:
    rows = read_lines(RESULTS)
    assert {row["kind"] for row in rows} == set(KINDS)
    assert all(row["rows"] == 1_000_000 for row in rows)
