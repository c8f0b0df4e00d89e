from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest

from annealco.evaluation.report import as_json, as_page, write_report
from annealco.graph.errors import GraphFileError
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
