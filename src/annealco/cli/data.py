"""The commands `annealco data ...`: which sets of graphs there are, what is in them, make and verify them."""

from __future__ import annotations

import typer

from annealco.cli.data_info import show_info
from annealco.cli.data_list import list_datasets
from annealco.cli.data_make import make_graphs
from annealco.cli.data_reference import make_references
from annealco.cli.data_verify import verify_datasets

data_app = typer.Typer(help="Make random graphs, and look into sets and graph files.")
data_app.command("list")(list_datasets)
data_app.command("info")(show_info)
data_app.command("make")(make_graphs)
data_app.command("verify")(verify_datasets)
data_app.command("reference")(make_references)
