"""The command `annealco data list`: which sets there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from annealco.terminal import show, show_table

if TYPE_CHECKING:
    from annealco.graph.datasets import Dataset


def list_datasets(
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON for each set.")] = False,
) -> None:
    """List the sets by name, with their size, the problems they serve, and whether they are on the disk.

    Sizes are means over the graphs of a real set, and over the first 200 training graphs of a synthetic one.
    """
    from annealco.graph.datasets import DATASETS

    rows = []
    for each in DATASETS.values():
        place = on_disk(each, data_root)
        if as_json:
            keys = (
                "name",
                "title",
                "kind",
                "graphs",
                "mean_nodes",
                "mean_edges",
                "problems",
                "source",
                "licence",
                "note",
            )
            show(json.dumps({key: getattr(each, key) for key in keys} | {"on_disk": place}))
        sizes = [str(each.graphs), f"{each.mean_nodes:.2f}", f"{each.mean_edges:.2f}"]
        rows.append([each.name, *sizes, " ".join(each.problems), place or "no", each.source, each.licence, each.title])
    if not as_json:
        headings = ["set", "graphs", "mean nodes", "mean edges", "problems", "on disk", "source", "licence", "title"]
        show_table(headings, rows, numbers=headings[1:4])


def on_disk(dataset: Dataset, data_root: Path | None = None) -> str | None:
    """Say what of a set is on the disk: its file, or how many of its graphs are in the cache; None if nothing."""
    from annealco.graph.datasets.chunks import CHUNK, all_chunks
    from annealco.graph.datasets.files import find_file

    if dataset.kind == "synthetic":
        cached = CHUNK * sum(1 for _ in all_chunks(dataset))
        return f"{cached} graphs" if cached else None
    path = find_file(dataset, data_root)
    return None if path is None else path.name
