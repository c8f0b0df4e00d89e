from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

import pytest

from annealco.evaluation.report_content import Content, report_content
from annealco.evaluation.report_rows import collect_rows
from tests.evaluation.comparison_rows import row, several_comparisons, write_rows

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def content_of(folder: Path) -> Content:
    return report_content(collect_rows(folder), written=WHEN)


def as_rows(content: Content) -> list[dict]:
    return [dict(zip(content["fields"], cells, strict=True)) for cells in content["rows"]]


def test_every_row_and_table_is_there(tmp_path: Path) -> None:
    count = several_comparisons(tmp_path)
    content = content_of(tmp_path)
    assert len(content["rows"]) == count
    tables = [(each["problem"], each["data"], each["limit"]) for each in content["tables"]]
    assert tables == [("cut", "sf295-subset", 0.05), ("mis", "rb-small", 0.01), ("mis", "rb-small", 0.05)]
    assert [each["seeds"] for each in content["tables"]] == [[0], [0, 1], [0, 1]]
    assert content["tables"][0]["references"] == [("best known", 6)]


def test_lines_are_the_means_of_their_rows(tmp_path: Path) -> None:
    several_comparisons(tmp_path)
    content = content_of(tmp_path)
    for number, table in enumerate(content["tables"]):
        for line in table["lines"]:
            own = [each for each in as_rows(content) if (each["table"], each["method"]) == (number, line["method"])]
            assert line["graphs"] == len(own)
            assert line["ratio"] == pytest.approx(fmean(each["ratio"] for each in own), abs=1e-6)
            assert line["feasible"] == pytest.approx(fmean(each["value"] is not None for each in own), abs=1e-6)
            assert line["cpu"] == pytest.approx(fmean(each["cpu"] for each in own), abs=1e-6)


def test_the_paper_s_figures_stand_beside_with_their_errata(tmp_path: Path) -> None:
    write_rows(
        tmp_path, row("annealed=runs/x#12", 0, 30.0, data="rb-large", reference=40.0), row("greedy_fixed", 0, 5.0)
    )
    cells = {}
    content = content_of(tmp_path)
    for table in content["tables"]:
        for line in table["lines"]:
            cells[content["methods"][line["method"]]] = line["paper"]
    assert cells["greedy_fixed"]["mean"] == 0.761
    assert cells["annealed=runs/x#12"]["mean"] == 0.848
    assert "not possible" in cells["annealed=runs/x#12"]["erratum"]


def test_statuses_tell_errors_from_sets_that_are_not_feasible(tmp_path: Path) -> None:
    write_rows(tmp_path, row("search", 0, 20.0), row("search", 1, 19.0), row("search", 2, None, note="why"))
    write_rows(tmp_path, row("search", 3, None), row("search", 4, None, note="out of the box", volume=30))
    content = content_of(tmp_path)
    found = [content["statuses"][each["status"]] for each in as_rows(content)]
    assert found == ["at reference", "below", "no set", "infeasible", "infeasible"]


def test_traces_are_told_as_ratios(tmp_path: Path) -> None:
    write_rows(tmp_path, row("search", 0, 20.0, trace=[[0.001, 15.0], [0.01, 20.0]]), row("greedy", 0, 16.0))
    first, second = as_rows(content_of(tmp_path))
    assert first["trace"] == [[0.001, 0.75], [0.01, 1.0]]
    assert second["trace"] is None


def test_without_references_the_best_of_the_methods_counts(tmp_path: Path) -> None:
    unknown = {"data": "er-small", "reference": None, "reference_kind": None}
    write_rows(tmp_path, row("search", 900, 20.0, **unknown), row("greedy", 900, 15.0, **unknown))
    write_rows(tmp_path, row("greedy", 901, None, **unknown))
    content = content_of(tmp_path)
    assert [each["ratio"] for each in as_rows(content)] == [1.0, 0.75, 0.0]
    assert content["tables"][0]["references"] == [("best of these methods", 1), ("none", 1)]
    assert content["tables"][0]["uneven"]


def test_facts_tell_what_was_run_and_no_path_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    count = several_comparisons(folder)
    write_rows(folder / "twice", row("search", 0, 20.0, limit=0.05))
    content = content_of(folder)
    facts = dict(content["facts"])
    assert content["title"] == "runs"
    assert facts["problems"] == "cut, mis"
    assert facts["limits"] == "0.01 s, 0.05 s"
    assert facts["seeds"] == "0, 1"
    assert facts["versions"] == "0.1.0"
    assert facts["rows"] == f"{count}, 1 left out that an earlier file has too"
    assert facts["files"] == "cuts/rows.jsonl, sets/rb/rows.jsonl, twice/rows.jsonl"
    assert facts["report written"] == "2026-01-02 03:04 UTC"
    assert str(tmp_path) not in str(content)
    assert "moves" not in facts


def test_limits_in_moves_are_a_table_of_their_own(tmp_path: Path) -> None:
    write_rows(tmp_path, row("search", 0, 20.0), row("search", 0, 20.0, moves=500))
    content = content_of(tmp_path)
    assert [each["moves"] for each in content["tables"]] == [None, 500]
    assert dict(content["facts"])["moves"] == "500"
