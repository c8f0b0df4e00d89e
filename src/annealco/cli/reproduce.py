"""The command `annealco reproduce`: run a table or figure of the paper, and print what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from annealco.cli.exit_status import INTERRUPTED
from annealco.terminal import say, show


def reproduce_result(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="mis, clique, mds, cut, toy, distance, beta or schedule.")
    ],
    *,
    scale: Annotated[str, typer.Option(help="smoke: minutes; laptop: about an hour; paper: days.")] = "smoke",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of the run.", show_default="reproduced/NAME-SCALE")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Of a table: sets, methods and learners to run now, with commas.", show_default="all"
        ),
    ] = None,
) -> None:
    """Reproduce a table or figure of the paper, with its published numbers beside ours.

    DIR keeps the configuration, rows, networks, pictures and result.md. The same command goes on after a kill.
    """
    # Registries of methods and problems bring NumPy: not before an experiment is asked for.
    from annealco.experiments.reproduce import find_experiment, reproduce
    from annealco.experiments.scale import find_scale

    find_experiment(name)
    numbers, folder = find_scale(scale), out or Path("reproduced") / f"{name}-{scale}"
    try:
        result = reproduce(name, numbers, folder, [each.strip() for each in (only or "").split(",") if each.strip()])
    except KeyboardInterrupt:
        say(f"interrupted: what is done is in {folder}; the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    show(result.read_text(encoding="utf-8").rstrip("\n"))
    say(f"the result is in {result}")
