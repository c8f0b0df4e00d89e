from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from statistics import fmean

import pytest

from annealco.errors import GraphFileError
from annealco.evaluation.report import ReportContent, as_json, as_page, collect_rows, report_content, write_report
from tests.evaluation.comparison_rows import HOSTILE, row, several_comparisons, write_rows

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
PAGE, A_ROW = 40_000, 100
"""Bytes, as docs/report.md says."""


class Tags(HTMLParser):
    """Tell which tags and attributes a page has, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src", "action", "data", "srcset"}]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script" and data.strip():
            self.scripts[-1] += data


def test_the_page_is_whole_and_small_and_holds_all_rows(tmp_path: Path) -> None:
    count = several_comparisons(tmp_path)
    written = write_report(tmp_path, written=WHEN)
    assert written.path == tmp_path / "report.html"
    assert (written.rows, written.files, written.size) == (count, 2, written.path.stat().st_size)
    assert written.size < PAGE + A_ROW * count
    page = Tags(written.path.read_text(encoding="ascii"))
    content, _ = page.scripts
    assert len(json.loads(content)["rows"]) == count
    assert [each.name for each in tmp_path.glob("*") if each.name.endswith(".tmp")] == []


def test_the_page_names_no_address_outside(tmp_path: Path) -> None:
    several_comparisons(tmp_path)
    text = write_report(tmp_path).path.read_text(encoding="ascii")
    assert all(address.startswith(("#", "data:")) for address in Tags(text).addresses)
    # The name of SVG's elements is no address that is loaded.
    assert set(re.findall(r"(?:https?:)?//[\w.]+", text.replace("http://www.w3.org/2000/svg", ""))) == set()
    assert "@import" not in text
    assert "url(" not in text


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    write_rows(tmp_path / "a", row("greedy", 0, 15.0))
    plain = Tags(write_report(tmp_path).path.read_text(encoding="ascii"))
    named = tmp_path / "<b>&amp;"
    write_rows(named, row(HOSTILE, 1, None, note=HOSTILE, version=HOSTILE, reference_kind=HOSTILE))
    hostile = Tags(write_report(tmp_path).path.read_text(encoding="ascii"))
    assert hostile.tags == plain.tags
    content = json.loads(hostile.scripts[0])
    assert HOSTILE in content["methods"]
    assert HOSTILE in content["notes"]
    assert "<b>&amp;/rows.jsonl" in dict(content["facts"])["files"]


def test_json_in_a_tag_has_no_letter_of_html() -> None:
    text = as_json({"<!--": ["<script>", "]]>", "&lt;", "\u2028", "\ud800"]})
    assert not set(text) & set("<>&\u2028\ud800")
    assert json.loads(text) == {"<!--": ["<script>", "]]>", "&lt;", "\u2028", "\ud800"]}


def test_scripts_use_no_way_to_turn_text_into_html() -> None:
    folder = files("annealco.evaluation") / "report_page"
    for part in folder.iterdir():
        text = part.read_text(encoding="ascii")
        assert text.count("\n") <= 300
        for way in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(", "DOMParser"):
            assert way not in text


def test_the_same_rows_give_the_same_page(tmp_path: Path) -> None:
    several_comparisons(tmp_path)
    first, second = (write_report(tmp_path, tmp_path / name, written=WHEN).path.read_bytes() for name in "ab")
    assert first == second


def test_placeholders_in_the_content_are_left_alone() -> None:
    assert '"$script $$"' in as_page({"title": "$script $$"})


def test_an_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    path = write_rows(tmp_path, row("greedy", 0, 15.0))
    before = path.read_bytes()
    with pytest.raises(GraphFileError, match="cannot be written: it holds the rows"):
        write_report(tmp_path, tmp_path / "x" / ".." / "rows.jsonl")
    with pytest.raises(GraphFileError, match="cannot be written: it is a folder"):
        write_report(tmp_path, tmp_path)
    with pytest.raises(GraphFileError, match="cannot be written: no such file or folder"):
        write_report(tmp_path, tmp_path / "none" / "report.html")
    assert path.read_bytes() == before


MORNING = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def content_of(folder: Path) -> ReportContent:
    return report_content(collect_rows(folder), written=MORNING)


def as_rows(content: ReportContent) -> list[dict]:
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


def test_rows_come_from_all_folders_and_of_one_key_the_first_counts(tmp_path: Path) -> None:
    write_rows(tmp_path / "b" / "deep", row("greedy", 0, 19.0), row("greedy", 1, 18.0))
    write_rows(tmp_path / "a", row("greedy", 0, 15.0))
    found = collect_rows(tmp_path)
    assert [each.relative_to(tmp_path).as_posix() for each in found.files] == ["a/rows.jsonl", "b/deep/rows.jsonl"]
    assert [(each["case"], each["value"]) for each in found.rows] == [(0, 15.0), (1, 18.0)]
    assert found.repeated == 1


def test_an_unfinished_last_row_is_left_out(tmp_path: Path) -> None:
    path = write_rows(tmp_path, row("greedy", 0, 15.0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"data": "rb-sm')
    assert len(collect_rows(tmp_path).rows) == 1


def test_a_folder_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match="there is no such folder"):
        collect_rows(tmp_path / "none")
    with pytest.raises(GraphFileError, match="there is no row in it"):
        collect_rows(tmp_path)
    (tmp_path / "rows.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(GraphFileError, match="there is no row in it"):
        collect_rows(tmp_path)
    with pytest.raises(GraphFileError, match="there is no such folder"):
        collect_rows(tmp_path / "rows.jsonl")


def test_a_damaged_row_is_named_with_its_line(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "deep", row("greedy", 0, 15.0))
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row("greedy", 1, 15.0) | {"wall": "fast"}) + "\n")
    with pytest.raises(GraphFileError, match=r"rows.jsonl:2: .*wall must be seconds"):
        collect_rows(tmp_path)
