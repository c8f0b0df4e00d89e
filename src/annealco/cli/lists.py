"""The commands `annealco list ...`: what can be chosen by name."""

from __future__ import annotations

import typer

from annealco.terminal import show_table

list_app = typer.Typer(help="List what can be chosen by name.")


@list_app.command("problems")
def _list_problems() -> None:
    """List the problems that can be solved."""
    from annealco.problems import PROBLEMS

    show_table(["problem", "title", "sense"], [[each.name, each.title, each.sense] for each in PROBLEMS.values()])


@list_app.command("formats")
def _list_formats() -> None:
    """List the file formats."""
    from annealco.graph.formats import FORMATS, Content

    kinds = {"nodes": Content.NODE_WEIGHTS, "edges": Content.EDGE_WEIGHTS}
    rows = []
    for each in FORMATS.values():
        many = "many" if Content.SEVERAL_GRAPHS in each.holds else "one"
        weights = " ".join(name for name, kind in kinds.items() if kind in each.holds)
        rows.append([each.name, " ".join(each.extensions), many, weights or "-"])
    show_table(["format", "extensions", "graphs a file", "weights"], rows)


@list_app.command("generators")
def _list_generators() -> None:
    """List the families of random graphs."""
    from annealco.graph.generators import GENERATORS

    show_table(["generator", "graphs"], [[each.name, each.description] for each in GENERATORS.values()])
