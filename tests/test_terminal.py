from __future__ import annotations

import io
import re
import sys
import warnings
from contextlib import suppress
from typing import Any

import pytest

from annealco.errors import NormalisationWarning
from annealco.terminal import (
    Progress,
    counted,
    in_words,
    new_bar,
    plain_notes,
    printable,
    say,
    show,
    show_table,
    watched,
)


@pytest.fixture(autouse=True)
def _plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_messages_stay_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nb\tc\x1b[31m\udcff é")
    assert capsys.readouterr().err == "annealco: a\\nb\\tc\\x1b[31m\\udcff é\n"


@pytest.mark.parametrize("text", ["", "plain", "Erdős–Rényi", "a b"])
def test_printable_text_is_kept(text: str) -> None:
    assert printable(text) == text


def test_what_the_encoding_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    show("Erdős")
    assert raw.getvalue() == b"Erd\\u0151s\n"


def test_tables_that_are_piped_are_plain_and_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    long = "x" * 500
    show_table(["name", "size"], [["[bold]a[/bold] :smile:", "1"], [long, "1000"]], numbers=["size"])
    heading, rule, first, second = capsys.readouterr().out.splitlines()
    assert heading.split() == ["name", "size"]
    assert set(rule) == {"─"}
    assert first.split() == ["[bold]a[/bold]", ":smile:", "1"]
    assert second.split() == [long, "1000"]
    assert len(heading) == len(first) == len(second)


class Terminal(io.StringIO):
    """A screen that text can be read back from."""

    def isatty(self) -> bool:
        return True


# Columns of 20, 10 (or 13 unfolded) and 5 (or 9 unfolded) letters, with two spaces between them.
@pytest.mark.parametrize(("room", "used"), [(10, 12 + 2 + 10 + 2 + 5), (37, 37), (45, 39), (46, 46), (200, 46)])
def test_narrow_terminals_fold_and_lose_nothing(room: int, used: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", str(room))
    monkeypatch.setenv("TERM", "xterm")
    show_table(["path", "largest count", "text"], [["-" * 20, "1234567.89", "two words"]], numbers=["largest count"])
    shown = re.sub("\x1b\\[[0-9;]*m", "", screen.getvalue())
    heading, *rest = shown.splitlines()
    assert max(map(len, rest)) == used
    assert (heading.split() == ["path", "largest", "count", "text"]) == (used == 46)
    assert {"path", "largest", "count", "text", "two", "words", "1234567.89"} <= set(shown.split())
    assert shown.count("-") == 20


def test_a_cell_cannot_break_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(["name"], [["two\nlines"]])
    assert capsys.readouterr().out.splitlines()[-1] == "two\\nlines"


def test_normalisation_is_a_note_and_other_warnings_are_as_usual(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, *place: shown.append(f"{category.__name__}: {message}")
        with plain_notes():
            for _ in range(2):
                warnings.warn("a.col: 3 duplicate edges merged", NormalisationWarning, stacklevel=1)
            warnings.warn("something else", RuntimeWarning, stacklevel=1)
        warnings.warn("afterwards", NormalisationWarning, stacklevel=1)
    assert capsys.readouterr().err == "annealco: note: a.col: 3 duplicate edges merged\n" * 2
    assert shown == ["RuntimeWarning: something else", "NormalisationWarning: afterwards"]


def test_no_progress_is_shown_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(watched(range(5), "counting")) == [0, 1, 2, 3, 4]
    assert capsys.readouterr() == ("", "")


def test_counted_nouns() -> None:
    assert [counted(number, "edge") for number in (0, 1, 2)] == ["0 edges", "1 edge", "2 edges"]


def test_times_are_told_in_the_unit_that_people_use() -> None:
    assert [in_words(each) for each in (0.4, 119, 121, 7199, 7201, 432_001)] == [
        "0 s",
        "119 s",
        "2 min",
        "120 min",
        "2 h",
        "5 days",
    ]


@pytest.mark.parametrize(
    ("is_terminal", "is_notebook", "widgets", "has_bar"),
    [(True, False, None, True), (False, True, object(), True), (False, True, None, False), (False, False, None, False)],
)
def test_progress_is_a_bar_where_one_can_be_shown(
    is_terminal: bool, is_notebook: bool, widgets: object, has_bar: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rich.console.Console.is_terminal", is_terminal)
    monkeypatch.setattr("rich.console._is_jupyter", lambda: is_notebook)
    monkeypatch.setattr("annealco.terminal.find_spec", lambda _name: widgets)
    assert (new_bar() is not None) == has_bar


def test_progress_without_a_bar_is_a_line_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("counting", 3) as shown:
        for number in range(3):
            shown.advance(f"reached {number}")
    assert capsys.readouterr() == ("", "annealco: counting 3/3  reached 2  0 s\n")


def test_progress_ends_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[Any, ...]] = []

    class Bar:
        def add_task(self, what: str, **fields: Any) -> int:
            said.append((what, fields["total"]))
            return 7

        def start(self) -> None:
            said.append(("start",))

        def stop(self) -> None:
            said.append(("stop",))

        def update(self, task: int, *, completed: int, numbers: str) -> None:
            said.append((task, completed, numbers))

    monkeypatch.setattr("annealco.terminal.new_bar", Bar)
    with suppress(RuntimeError), Progress("counting", 2) as shown:
        shown.advance("one")
        raise RuntimeError
    assert said == [("counting", 2), ("start",), (7, 1, "one"), ("stop",)]
