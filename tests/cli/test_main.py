"""The program as a whole: help, versions, and how it ends."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import pytest

import annealco
from tests.cli.program import Output, assert_one_line, call, run


def test_version(capsys: Output) -> None:
    assert call("--version") == 0
    assert capsys.readouterr() == (f"annealco {annealco.__version__}\n", "")


def test_starting_imports_nothing_heavy() -> None:
    program = "import sys; from annealco.cli import main; main(['--version']); print(*sys.modules)"
    loaded = set(run(program=program).stdout.split())
    assert "annealco.cli" in loaded
    assert not loaded & {"torch", "scipy", "networkx", "rich", "annealco.graph.generators.barabasi_albert"}


@pytest.mark.parametrize("arguments", [[], ["--help"], ["data", "--help"], ["data", "make", "--help"]])
def test_help(arguments: list[str], capsys: Output) -> None:
    assert call(*arguments) == 0
    out, err = capsys.readouterr()
    # Typer colours its help wherever the environment asks for it, as some CI services do.
    assert "Usage: annealco" in re.sub("\x1b\\[[0-9;]*m", "", out)
    assert err == ""


COMMANDS = """
import os, signal, sys, warnings
from annealco import cli

@cli.app.command("divide")
def divide():
    return 1 / 0

@cli.app.command("interrupt")
def interrupt():
    # Whoever starts the tests in the background may have it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()

@cli.app.command("deprecated")
def deprecated():
    warnings.warn("old", FutureWarning)

sys.exit(cli.main())
"""


def test_an_error_of_our_own_is_one_line_with_status_one() -> None:
    done = run("divide", program=COMMANDS)
    assert done.returncode == 1
    assert_one_line(done.stderr)
    assert done.stderr.startswith("annealco: internal error: ZeroDivisionError: division by zero")
    assert "ANNEALCO_DEBUG=1" in done.stderr


def test_its_traceback_can_be_had() -> None:
    done = run("divide", program=COMMANDS, ANNEALCO_DEBUG="1")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "1 / 0" in done.stderr or "in divide" in done.stderr


@pytest.mark.processes
def test_interruption_is_one_line() -> None:
    done = run("interrupt", program=COMMANDS)
    assert (done.returncode, done.stderr) == (130, "annealco: interrupted\n")


def test_other_warnings_are_shown_as_usual() -> None:
    done = run("deprecated", program=COMMANDS)
    assert done.returncode == 0
    assert "FutureWarning: old" in done.stderr


@pytest.mark.processes
def test_a_closed_standard_output_is_told() -> None:
    command = f"exec {shlex.quote(sys.executable)} -m annealco list problems >&-"
    done = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "annealco: standard output is closed\n"
    silent = subprocess.run(["/bin/sh", "-c", f"{command} 2>&-"], check=False)
    assert silent.returncode == 1


LOADING = """
import sys
import annealco.__main__

class Interrupted:
    # Whoever imports the command line meets the user's Ctrl-C.
    @staticmethod
    def find_spec(name, *_):
        if name == "annealco.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted)
sys.exit(annealco.__main__.main())
"""


@pytest.mark.processes
def test_an_interrupt_while_the_program_is_loaded_is_no_traceback() -> None:
    done = run(program=LOADING)
    assert (done.returncode, done.stderr) == (130, "annealco: interrupted\n")
