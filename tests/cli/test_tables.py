"""Every table that the command line prints fits a terminal of 80 characters, whatever is in it."""

from __future__ import annotations

import inspect
import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annealco.cli import bench, data, lists, solve
from annealco.evaluation.bench.table import CUT, Line, as_cells, columns, paper_cell
from annealco.graph.formats import write_graph
from annealco.graph.graph import Graph
from annealco.terminal import show_table
from tests.budgets import FAR
from tests.cli.program import call

ROOM = 80
MODULES = (bench, data, lists, solve)
MOVES = ["--moves", "50", "--time-limit", str(FAR)]


class Screen(io.StringIO):
    """A terminal that text can be read back from."""

    def isatty(self) -> bool:
        return True


def wide_graphs(folder: Path) -> Path:
    """Write graphs with long names, long values, and all that a table can show of a graph."""
    folder.mkdir()
    ring = np.arange(2000)
    heavy = Graph.from_edges(
        [ring, (ring + 1) % 2000],
        node_weight=np.full(2000, 123456.789),
        edge_weight=np.full(2000, 0.123456789),
        node_data={"planted": ring % 2 == 0},
        graph_data={"name": ["a ring of two thousand nodes, all of them heavy, for tables"]},
    )
    write_graph(Graph.batch([heavy, heavy]), folder / "graphs-of-a-rather-long-name.npz")
    write_graph(heavy, folder / "one-graph-of-a-rather-long-name.npz")
    return folder


@pytest.fixture
def widths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[tuple[str, int], int]:
    """Return the most characters of a line by who prints the table, module and line; they come as tables are printed.

    Lines beside tables are as long as what they say.
    """
    monkeypatch.setenv("COLUMNS", str(ROOM))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path / "cache"))
    found: dict[tuple[str, int], int] = {}

    def measured(*given: Any, **more: Any) -> None:
        frame, screen = sys._getframe(1), Screen()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", screen)
            show_table(*given, **more)
        lines = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", screen.getvalue()).splitlines()
        place = frame.f_globals["__name__"], frame.f_lineno
        found[place] = max(found.get(place, 0), *map(len, lines))

    for module in MODULES:
        monkeypatch.setattr(module, "show_table", measured)
    return found


def test_all_tables_fit_80_characters(widths: dict[tuple[str, int], int], tmp_path: Path) -> None:
    folder = wide_graphs(tmp_path / "a folder with a name that is long as well")
    small = ["bench", "mis", "--data", "rb-small", "--limit", "2"]
    commands: list[list[str | Path]] = [
        *(["list", each.name or ""] for each in lists.list_app.registered_commands),
        ["data", "list"],
        ["data", "info", "rb-small", "--count", "3"],
        ["data", "info", folder],
        ["data", "info", *folder.iterdir()],
        ["data", "verify", "ba-small"],
        ["data", "reference"],
        ["solve", "mis", folder, *MOVES],
        ["bench", "mis", "--data", folder, "--methods", "greedy,search", "--out", tmp_path / "own", *MOVES],
        [*small, "--methods", "greedy_fixed,search", "--out", tmp_path / "published", *MOVES],
    ]
    for command in commands:
        assert call(*command) == 0
        assert max(widths.values()) <= ROOM, (command, widths)
    calls = {
        (module.__name__, number)
        for module in MODULES
        for number, line in enumerate(inspect.getsource(module).splitlines(), 1)
        if re.search(r"^\s+show_table\(", line)
    }
    assert {*widths} == calls


def test_the_widest_table_of_a_comparison_fits_80_characters(widths: dict[tuple[str, int], int]) -> None:
    cell = paper_cell("mis", "rb-small", "greedy_fixed", limit=1.0)
    line = Line("annealed+search x32 @256", 1000, 0.9988, 0.0123, 1.0, 1.0, 0.123, 0.012, 123.4567, 123.4567, cell)
    headings = columns([line])
    assert CUT in headings
    bench.show_table(headings, [as_cells(line, headings)], numbers=headings[1:-1])
    assert max(widths.values()) <= ROOM
