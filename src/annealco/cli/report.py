"""The command `annealco report`: write the rows of comparisons as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annealco.terminal import counted, say


def write_page(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of 'annealco bench', or one with many.")],
    *,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The page.", show_default="DIR/report.html")] = None,
) -> None:
    """Write one HTML file with tables and plots of all comparisons in a folder; it needs no network.

    Every rows.jsonl in DIR and in the folders below is read.
    """
    # It scores against stored references, and so needs the registries of problems and sets.
    from annealco.evaluation.report import write_report

    written = write_report(folder, out)
    rows, files = counted(written.rows, "row"), counted(written.files, "file")
    say(f"{written.path}: {rows} of {files}, {written.size / 1000:.0f} kB")
