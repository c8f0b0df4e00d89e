"""The command `annealco data verify`: check that sets are what they should be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annealco.graph.errors import InputError
from annealco.terminal import show_table, watched


def verify_datasets(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Names from 'annealco data list'; by default all.")
    ] = None,
    data_root: Annotated[Path | None, typer.Option(help="Folder with the real sets; default: ANNEALCO_DATA.")] = None,
) -> None:
    """Check synthetic sets, what the cache holds of them, and the real sets that are on the disk, byte by byte.

    Ends with status 2 and a line that names what is wrong, after all sets were checked. A real set that is not on the
    disk is wrong only where it is named.
    """
    from annealco.graph.datasets.registry import DATASETS, find_dataset
    from annealco.graph.datasets.verifying import verify

    chosen = [find_dataset(name) for name in dict.fromkeys(names or DATASETS)]
    rows, wrong = [], []
    for dataset in watched(chosen, "verifying"):
        try:
            checked = verify(dataset, data_root)
            if checked is None and names:
                raise InputError(f"{dataset.name} is not on the disk")
            rows.append([dataset.name, "absent" if checked is None else "good", checked or ""])
        except InputError as error:
            wrong.append(str(error))
            rows.append([dataset.name, "wrong", str(error)])
    show_table(["set", "state", "checked"], rows)
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(f"{wrong[0]}{more}")
