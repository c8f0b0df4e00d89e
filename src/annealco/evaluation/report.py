"""Write the rows of a folder as one HTML file that needs nothing else: no network, no server, no package.

The plots are drawn by a few hundred lines of script of our own as SVG. A plotting library would bring tooltips and
zooming, but also more than 3 MB to every report; this way a report of a thousand rows is about as large as a picture.

Labels, notes and names of files are other people's text. They stand as JSON in a tag of their own, with everything
that could end the tag escaped; the script puts them into the page as text only; and the page's policy lets no
other script run and no address be loaded.
"""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from importlib.resources import files
from os import PathLike
from pathlib import Path
from string import Template
from typing import NamedTuple

from annealco.evaluation.report_content import Content, report_content
from annealco.evaluation.report_rows import collect_rows
from annealco.graph.errors import GraphFileError
from annealco.graph.formats.storage import file_errors, store

FILE = "report.html"
SCRIPTS = ("tables.js", "charts.js", "page.js")


class Written(NamedTuple):
    """What was written.

    Attributes:
        path: of the report.
        rows: in it.
        files: that they came from.
        size: in bytes.
    """

    path: Path
    rows: int
    files: int
    size: int


def write_report(
    folder: str | PathLike[str], out: str | PathLike[str] | None = None, *, written: datetime | None = None
) -> Written:
    """Write the report of all comparisons in a folder.

    Args:
        folder: holds files ``rows.jsonl`` of `annealco bench`, itself or in folders below.
        out: the file, by default ``report.html`` in the folder.
        written: the moment that the report tells, by default now.

    Raises:
        GraphFileError: where there is no row, a row is damaged, or the file cannot be written.
    """
    collected = collect_rows(folder)
    path = collected.folder / FILE if out is None else Path(out)
    with file_errors(path, "written"):
        if path.resolve() in {each.resolve() for each in collected.files}:
            raise GraphFileError(path, "cannot be written: it holds the rows")
        page = as_page(report_content(collected, written=written or datetime.now(UTC))).encode("ascii")
        store(path, page)
    return Written(path, len(collected.rows), len(collected.files), len(page))


def as_page(content: Content) -> str:
    """Return the HTML of a report, in ASCII."""
    style, script = _part("style.css"), "\n".join(_part(name) for name in SCRIPTS)
    return Template(_part("page.html")).substitute(
        style=style, script=script, style_hash=_digest(style), script_hash=_digest(script), content=as_json(content)
    )


def as_json(content: Content) -> str:
    r"""Return JSON that can stand in a tag of HTML: nothing in it ends the tag or begins another.

    Example:
        >>> as_json({"note": "</script>&"})
        '{"note":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _part(name: str) -> str:
    return (files("annealco.evaluation") / "report_page" / name).read_text(encoding="ascii")


def _digest(text: str) -> str:
    """Return what the policy of the page knows a style or script by."""
    return base64.b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
