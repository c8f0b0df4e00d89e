from __future__ import annotations

import json
from pathlib import Path

from json_lines import read_lines
from learning_regime import DECODED, FAMILIES, RESULTS, Family, measure, table

from annealco.graph.generators import generate

DOCUMENT = Path(__file__).parents[2] / "docs" / "models.md"


def row(family: str, limit: float, none: float, auto: float) -> dict:
    values = {"none": {"value": none, "seconds": 1.0}, "auto": {"value": auto, "seconds": 1.0}}
    return {"family": family, "network": FAMILIES[family].network, "graph": 0, "nodes": 5, "limit": limit, **values}


def test_better_means_more_where_more_is_wanted_and_less_elsewhere() -> None:
    limit = FAMILIES["mis er-1e4"].limits[0]
    rows = [row(name, limit, 10.0, 12.0) for name in ("mis er-1e4", "mds ba-1e4")]
    assert table(rows).splitlines()[2:] == [
        "| mis er-1e4 | 1 s | 1 | 10 | 12 | 1 | 0 |",
        "| mds ba-1e4 | 1 s | 1 | 10 | 12 | 0 | 1 |",
    ]


def test_rows_of_networks_before_do_not_count() -> None:
    old = row("mis er-1e4", 1.0, 10.0, 12.0)
    assert len(table([old]).splitlines()) == 3
    assert len(table([{**old, "network": "#0000"}]).splitlines()) == 2


def test_rows_are_of_both_ways_at_every_limit_that_is_missing() -> None:
    family = Family("conductance", lambda number: generate("ba-small", count=1, seed=number), (0.05, 0.1))
    rows = measure("some", family, 0, {0.1})
    assert [each["limit"] for each in rows] == [DECODED, 0.05]
    assert {each["network"] for each in rows} == {FAMILIES["cut facebook"].network}
    assert all(0 <= each[model]["value"] < 1 for each in rows for model in ("none", "auto"))
    assert json.loads(json.dumps(rows)) == rows
    assert measure("some", family, 0, {DECODED, 0.05, 0.1}) == []


def test_the_document_shows_the_table_of_the_committed_rows() -> None:
    assert table(read_lines(RESULTS)) in DOCUMENT.read_text()
