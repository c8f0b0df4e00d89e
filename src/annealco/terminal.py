"""Print for people and for pipes: text, tables, one-line messages, progress.

What goes to a terminal is styled and fitted to its width; what goes elsewhere is plain, and never wrapped or cut.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, redirect_stdout
from importlib.util import find_spec
from typing import Any, TextIO, TypeVar

from annealco.errors import NormalisationWarning

PROGRAM = "annealco"
LEAST_WIDTH = 12
COLUMN_GAP = 2

Item = TypeVar("Item")


def say(message: str) -> None:
    """Print one line on stderr, behind the name of the program."""
    sys.stderr.write(f"{PROGRAM}: {printable(message)}\n")


def show(text: str, stream: TextIO | None = None) -> None:
    """Print text on stdout, or another stream, at once; letters its encoding lacks are escaped."""
    stream = stream or sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


@contextmanager
def others_on_stderr() -> Iterator[TextIO]:
    """Return stdout, and print on stderr meanwhile what others print: Ray tells of lost workers on stdout."""
    own = sys.stdout
    with redirect_stdout(sys.stderr):
        yield own


def printable(text: str) -> str:
    r"""Escape what is not printable, so that a message or a file name stays on its line.

    Example:
        >>> printable("two\nlines")
        'two\\nlines'
    """
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where needed.

    Example:
        >>> counted(1, "graph"), counted(2, "graph")
        ('1 graph', '2 graphs')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def in_words(seconds: float) -> str:
    """Return a duration rounded to a readable unit.

    Example:
        >>> in_words(7.4), in_words(90), in_words(5400), in_words(400_000)
        ('7 s', '90 s', '90 min', '111 h')
    """
    for unit, length, most in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 120)):
        if seconds < most * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: Sequence[str] = ()) -> None:
    """Print a table on stdout; nothing is ever cut off.

    Args:
        columns: headings.
        rows: the cells, as many in each row as there are columns.
        numbers: the columns to be aligned at the right.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = [[printable(cell) for cell in row] for row in rows]
    console = Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
    widths = _fit(list(zip(columns, *cells, strict=True)), console.width if sys.stdout.isatty() else None)
    # rich would drop the columns that do not fit; lines that the terminal breaks lose nothing.
    console.width = sum(widths) + COLUMN_GAP * len(widths)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, justify="right" if column in numbers else "left", width=width, overflow="fold")
    for row in cells:
        table.add_row(*row)
    with console.capture() as captured:
        console.print(table)
    show("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _fit(columns: Sequence[Sequence[str]], room: int | None) -> list[int]:
    """Return the widths of columns, given all their cells.

    Where the room is too small, columns shrink to their longest word, and the widest one takes what is left.
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in columns]
    if room is None or sum(widths) + COLUMN_GAP * (len(widths) - 1) <= room:
        return widths
    widest = widths.index(max(widths))
    fitted = [max(map(cell_len, " ".join(column).split())) for column in columns]
    left = room - COLUMN_GAP * (len(widths) - 1) - sum(fitted) + fitted[widest]
    fitted[widest] = min(widths[widest], max(left, LEAST_WIDTH))
    return fitted


def watched(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterable[Item]:
    """Go through items, with a progress bar on stderr where that is a terminal; it disappears at the end.

    Args:
        items: what to go through.
        what: the word before the bar.
        total: how many items there are, where they do not tell.
    """
    total = len(items) if total is None and isinstance(items, Sized) else total
    if total is None or total < 2 or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, what, total=total, console=Console(stderr=True), transient=True)


SILENCE = 10.0
"""Seconds between two lines of progress where there is no bar."""


class Progress:
    """How far work is, on request: a bar on a terminal and in a notebook, elsewhere a line on stderr now and then.

    Args:
        what: the word before the bar.
        total: how many items there are.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._begun = self._said = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        self._begun = self._said = time.monotonic()
        self._bar = new_bar()
        if self._bar is not None:
            self._task = self._bar.add_task(self._what, total=self._total, numbers="")
            self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def advance(self, numbers: str) -> None:
        """Show that one more item is done, and what is known by now."""
        self._done += 1
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, numbers=numbers)
        elif self._done == self._total or time.monotonic() - self._said >= SILENCE:
            self._said = time.monotonic()
            spent = self._said - self._begun
            left = spent / self._done * (self._total - self._done)
            clock = in_words(spent) + (f", {in_words(left)} left" if self._done < self._total else "")
            say(f"{self._what} {self._done}/{self._total}  {numbers}  {clock}")


def new_bar() -> Any:
    """Return a bar with counts, numbers and times, or None where none can be shown.

    In a notebook rich shows live output by ipywidgets, and nothing without.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not (console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)):
        return None
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[numbers]}"))
    clocks = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    return Bar(*columns, *clocks, console=console, redirect_stdout=False, redirect_stderr=False)


@contextmanager
def plain_notes() -> Iterator[None]:
    """Print each normalisation warning as one plain line on stderr, and other warnings as usual."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def print_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, NormalisationWarning):
                say(f"note: {message}")
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = print_warning
        warnings.simplefilter("always", NormalisationWarning)
        yield
