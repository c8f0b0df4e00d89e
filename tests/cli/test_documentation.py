"""What docs/solving.md says is true."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from pathlib import Path

import networkx as nx
import pytest

import annealco
from annealco.cli.solve import solve_files
from annealco.networkx_info import FUNCTIONS
from annealco.problems import PROBLEMS
from annealco.solving.solution import Solution
from tests.budgets import BRIEF
from tests.cli.program import Output, call

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "solving.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [line[2:] for block in CONSOLE for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture(autouse=True)
def _from_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run where the example graphs are, and leave nothing there."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, capsys: Output) -> None:
    program, *arguments = shlex.split(command)
    assert program == "annealco"
    assert call(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    if "--json" in arguments:
        assert [json.loads(line)["feasible"] for line in out.splitlines()] == [True]


def test_the_output_shown_is_what_is_printed(capsys: Output) -> None:
    command, *shown = CONSOLE[0].splitlines()
    call(*shlex.split(command)[2:])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(shown)
    # Method, seconds and which of several best sets is found depend on the time there is.
    assert printed[0].split() == shown[0].split()
    assert printed[2].split()[:4] == shown[2].split()[:4]
    assert printed[4].partition(":")[0] == shown[4].partition(":")[0] == "6 nodes"


def test_programs_run() -> None:
    nx.config.warnings_to_ignore.add("cache")
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile("\n".join(blocks), "docs/solving.md", "exec"), {})


def rows(heading: str) -> list[str]:
    """Return the first cells of the table under a heading of columns."""
    table = PAGE.partition(f"\n{heading}\n")[2].partition("\n\n")[0]
    return [line.split("|")[1].strip() for line in table.splitlines()[1:]]


def test_tables_are_complete() -> None:
    options = set(re.findall(r"--[a-z-]+", " ".join(rows("| option | meaning | default |"))))
    flags = {"as_json": "--json", "format_name": "--format"}
    names = set(inspect.signature(solve_files).parameters) - {"context", "problem", "files"}
    names |= {option.name for option in PROBLEMS["cut"].options}
    expected = {flags.get(name, f"--{name.replace('_', '-')}") for name in names}
    assert options == expected | {"--no-polish", "--no-bound"}
    blank = Solution("mis", [], 0.0, True, None, None, False, "", 0.0, 0, "a")
    assert rows("| key | value |") == [f"`{key}`" for key in blank.as_json()]
    functions = [re.findall(r"approximation\.(\w+)", row)[0] for row in rows("| function | problem |")]
    assert functions == list(FUNCTIONS)


def test_the_fields_of_a_solution_are_those_of_the_objects() -> None:
    [solution] = annealco.solve([nx.path_graph(3)], "mis", **BRIEF)
    assert set(solution.as_json()) | {"trace", "source"} == set(vars(solution))
