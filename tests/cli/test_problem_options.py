"""Options that problems declare are options of the command line."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperOption

from annealco.cli import problem_options
from annealco.graph.formats import write_graph
from annealco.graph.graph import Graph
from annealco.problems import PROBLEMS
from tests.cli.program import Output, assert_one_line, call, run

PROGRAM = """
from annealco import PROBLEMS, Option, Problem

def declare(graph, *, radius, strict=False, colour="red", factor=1.0, centre=None):
    print("declared", radius, strict, colour, factor, centre)
    return PROBLEMS["mis"].declare(graph)

def score(graph, nodes, *, radius, strict=False, colour="red", factor=1.0, centre=None):
    return PROBLEMS["mis"].score(graph, nodes)

PROBLEM = Problem("ball", "sets in a ball", "max", declare, score, options=(
    Option("radius", kind="integer", help="Most steps between two nodes.", required=True),
    Option("strict", kind="flag", help="Or not.", default=False),
    Option("colour", kind="choice", choices=("red", "blue"), default="red"),
    Option("factor", kind="number", default=1.0),
    Option("centre", kind="node"),
))
CLASH = Problem("clash", "two seeds", "max", lambda graph, *, seed=0: None, lambda graph, nodes, *, seed=0: 0.0,
                options=(Option("seed", kind="integer", default=0),))
TWICE = Problem("twice", "a flag and its opposite", "max", lambda graph, *, strict=False, no_strict=1: None,
                lambda graph, nodes, *, strict=False, no_strict=1: 0.0,
                options=(Option("strict", kind="flag", default=False), Option("no_strict", kind="integer", default=1)))
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ball.py").write_text(PROGRAM)
    Path("path.col").write_text("p edge 3 2\ne 1 2\ne 2 3\n")


def test_options_are_made_by_typer_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    # typer 0.29.1 has other arguments of this class than 0.28.
    class Sealed(TyperOption):
        def __init__(self, *_: Any, **__: Any) -> None:
            raise TypeError

    monkeypatch.setattr(problem_options, "TyperOption", Sealed)
    problem = PROBLEMS["cut"]
    made = [problem_options._as_parameter(problem, option) for option in problem.options]
    assert [each.opts for each in made] == [["--volume"], ["--seed-node"], ["--price"]]
    assert len({each.name for each in made}) == 3


def test_help_shows_the_options_of_the_problem(capsys: Output) -> None:
    def help_of(*arguments: str) -> str:
        assert call("solve", *arguments, "--help") == 0
        return " ".join(re.sub("\x1b\\[[0-9;]*m|[│╭╮╰╯─]", " ", capsys.readouterr().out).split())

    assert "--volume D0:D1 Bounds on the volume" in help_of("cut")
    assert "Options of cut" in help_of("--time-limit", "30", "cut")
    assert "--price" not in help_of("conductance")
    assert "--volume" not in help_of("mis") + help_of()
    shown = help_of("ball.py:PROBLEM")
    assert "--radius N Most steps between two nodes. [required]" in shown
    # typer 0.29.1 shows the type of every flag, that of --help too.
    assert "--strict --no-strict Or not." in shown.replace("<bool> ", "")
    assert "--colour red|blue [default: (red)]" in shown


@pytest.mark.parametrize(
    "order",
    [
        ["ball.py:PROBLEM", "path.col", "--radius", "3", "--strict", "--colour", "blue", "--centre", "2", "--no-bound"],
        ["--radius", "3", "--colour=blue", "ball.py:PROBLEM", "--centre", "2", "path.col", "--strict"],
        ["--strict", "ball.py:PROBLEM", "path.col", "--centre=2", "--radius=3", "--colour", "blue"],
        ["--radius=3", "--colour=blue", "--centre=2", "--strict", "--", "ball.py:PROBLEM", "path.col"],
    ],
)
def test_options_stand_in_any_order(order: list[str], capsys: Output) -> None:
    assert call("solve", "--json", "--time-limit", "60", *order) == 0
    lines = capsys.readouterr().out.splitlines()
    # The label 2 is the node number 1.
    assert lines[0] == "declared 3 True blue 1.0 1"
    assert json.loads(lines[-1])["problem"] == "ball"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ball.py:PROBLEM", "path.col"], "Missing option '--radius'"),
        (["ball.py:PROBLEM", "path.col", "--radius", "far"], "radius must be a whole number, it is 'far'"),
        (
            ["ball.py:PROBLEM", "path.col", "--radius", "3", "--color", "red"],
            "No such option: --color (Possible options: --colour",
        ),
        (["ball.py:PROBLEM", "path.col", "--radius", "3", "--colour", "green"], "colour must be one of red, blue"),
        (["ball.py:PROBLEM", "path.col", "--radius", "3", "--centre", "9"], "centre '9' is not a node of the graph"),
        (["ball.py:PROBLEM", "path.col", "--radius"], "Option '--radius' requires an argument"),
        (["ball.py:CLASH", "path.col"], "clash: its option --seed is one of the command too"),
        (["ball.py:NOTHING", "path.col"], "there is no 'NOTHING' in ball.py"),
        (["nothing.py:PROBLEM", "path.col"], "there is no file 'nothing.py'"),
        (["cut", "path.col", "--radius", "3"], "No such option: --radius"),
        (["--radius", "3"], "unknown problem '3'"),
    ],
)
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, capsys: Output) -> None:
    assert call("solve", *arguments) == 2
    out, err = capsys.readouterr()
    assert_one_line(err)
    assert message in err
    assert out == ""


def test_a_place_is_found_by_the_program_itself() -> None:
    """A console script has another search path than a test."""
    Path("my_package").mkdir()
    Path("my_package/__init__.py").write_text("")
    Path("my_package/ball.py").write_text(
        PROGRAM.replace('    print("declared", radius, strict, colour, factor, centre)\n', "")
    )
    for place in ("my_package.ball:PROBLEM", "my_package/ball.py:PROBLEM"):
        done = run("solve", place, "path.col", "--radius", "2", "--json", "--time-limit", "60")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["value"] == 2


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_of_the_package_has_help(name: str, capsys: Output) -> None:
    options: Any = PROBLEMS[name].options
    assert all(option.help for option in options)
    assert call("solve", name, "--help") == 0


NAMESAKES = """
from annealco import PROBLEMS, Option, Problem

def declare(graph, *, as_json=False, files=1, problem="x"):
    assert (as_json, files, problem) == (False, 1, "x")
    return PROBLEMS["mis"].declare(graph)

def score(graph, nodes, *, as_json=False, files=1, problem="x"):
    return PROBLEMS["mis"].score(graph, nodes)

PROBLEM = Problem("namesake", "sets", "max", declare, score, options=(
    Option("as_json", kind="flag", help="Radius in [m], [red]x[/blue].", default=False),
    Option("files", kind="integer", default=1),
    Option("problem", kind="text", default="x"),
))
"""


def test_options_may_have_names_of_the_command_s_own_parameters_and_brackets_in_their_help(capsys: Output) -> None:
    Path("namesake.py").write_text(NAMESAKES)
    assert call("solve", "namesake.py:PROBLEM", "path.col", "--json") == 0
    assert json.loads(capsys.readouterr().out)["nodes"] == [1, 3]
    assert call("solve", "namesake.py:PROBLEM", "--help") == 0
    assert "Radius in [m], [red]x[/blue]." in " ".join(re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).split())


def test_a_file_that_ends_the_program_is_an_error(capsys: Output) -> None:
    Path("leaving.py").write_text("import sys; sys.exit(0)")
    assert call("solve", "leaving.py:PROBLEM", "path.col") == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert "cannot be imported: SystemExit: 0" in err


OPTIONS = [["--strict"], ["--radius", "3"], ["--colour=blue"], ["--centre", "2"], ["--json"], ["--time-limit", "60"]]
PLACES = [["ball.py:PROBLEM"], ["path.col"]]


@pytest.mark.parametrize("seed", range(12))
def test_all_orders_that_a_parser_takes_are_taken(seed: int, capsys: Output) -> None:
    order = random.Random(seed).sample(OPTIONS, len(OPTIONS))
    first, second = sorted(random.Random(seed).choices(range(len(OPTIONS) + 1), k=2))
    given = [*order[:first], PLACES[0], *order[first:second], PLACES[1], *order[second:]]
    assert call("solve", *(each for part in given for each in part)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "declared 3 True blue 1.0 1"
    assert json.loads(lines[-1])["problem"] == "ball"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "--time-limit", "60", "mis", "path.col"],
        ["--no-bound", "--seed", "3", "cut", "path.col", "--volume", "0:4", "--json"],
        ["--no-bound", "--volume", "0:4", "--json", "--price", "-0.5", "cut", "path.col"],
        ["--json", "--seed-node", "mis", "--volume", "0:4", "cut", "names.graphml"],
        ["--strict", "--radius", "3", "--json", "ball.py:PROBLEM", "path.col"],
        ["--radius", "3", "--no-strict", "--json", "--", "ball.py:PROBLEM", "path.col"],
    ],
)
def test_flags_and_values_may_stand_before_the_problem(arguments: list[str], capsys: Output) -> None:
    """A value may look like a problem."""
    write_graph(Graph.from_edges([[0], [1]], node_labels=["mis", "cut"]), Path("names.graphml"))
    assert call("solve", *arguments) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["feasible"]


def test_train_and_bench_take_all_orders_too(capsys: Output) -> None:
    bench = ["--json", "--radius", "3", "--methods", "greedy", "--strict", "ball.py:PROBLEM", "--data", "path.col"]
    assert call("bench", *bench) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["method"] == "greedy"
    small = ["--setting", "width=4", "--setting", "num_steps=2", "--epochs", "1", "--graphs", "3"]
    train = [
        "--json",
        "--strict",
        "--radius",
        "3",
        *small,
        "ball.py:PROBLEM",
        "--data",
        "regular-small",
        "--out",
        "run",
    ]
    assert call("train", *train, "--validation-graphs", "2") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["problem"] == "ball"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--radus", "3", "--strict", "ball.py:PROBLEM", "path.col"], "No such option: --radus"),
        (["--radus", "3", "mos", "path.col"], "unknown problem 'mos'; did you mean mis"),
        (["--strict", "--radius", "3", "broken.py:PROBLEM", "path.col"], "there is no file 'broken.py'"),
        (["ball.py:TWICE", "path.col"], "twice: its option --no-strict is written as another one is"),
    ],
)
def test_what_is_wrong_before_the_problem_is_one_line(arguments: list[str], message: str, capsys: Output) -> None:
    assert call("solve", *arguments) == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert message in err
