"""The command line: parse, call the library, print.

A file here is a command, or what commands share; `annealco.cli.exit_status` tells how they end. Nothing heavy is
imported before a command needs it.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from annealco import __version__
from annealco.cli.bench import compare_methods
from annealco.cli.browser_app import serve_app
from annealco.cli.data import data_app
from annealco.cli.exit_status import BROKEN_PIPE, FAILED, INTERRUPTED, explain
from annealco.cli.lists import list_app
from annealco.cli.problem_options import ProblemCommand
from annealco.cli.report import write_page
from annealco.cli.reproduce import reproduce_result
from annealco.cli.solve import solve_files
from annealco.cli.train import train_network
from annealco.terminal import PROGRAM, plain_notes, say, show

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=False,
    help="Solve hard problems on graphs by search with proven bounds, or by networks trained without labels.",
    epilog="Start with 'annealco list problems', 'annealco data make rb-small --count 5 --out graphs' and "
    "'annealco solve mis graphs/*.npz'. Exit status: 0 done, 2 bad usage or bad input, 1 anything else.",
)
app.command("solve", cls=ProblemCommand)(solve_files)
app.command("train", cls=ProblemCommand)(train_network)
app.command("bench", cls=ProblemCommand)(compare_methods)
app.command("report")(write_page)
app.command("reproduce")(reproduce_result)
app.command("app")(serve_app)
app.add_typer(data_app, name="data")
app.add_typer(list_app, name="list")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    if sys.stderr is None:
        # Python has no stream where the caller closed it, and messages then go nowhere.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 (it stays open)
    if sys.stdout is None:
        say("standard output is closed")
        return FAILED
    try:
        with plain_notes():
            command = typer.main.get_command(app)
            with command.make_context(PROGRAM, list(sys.argv[1:] if arguments is None else arguments)) as context:
                command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    except BrokenPipeError:
        # The interpreter flushes once more at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 (whatever goes wrong, the user sees one line)
        if os.environ.get("ANNEALCO_DEBUG", "0") not in {"", "0"}:
            traceback.print_exception(error)
        status, message = explain(error)
        say(message)
        return status
    return 0


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        show(f"{PROGRAM} {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        show(context.get_help())
