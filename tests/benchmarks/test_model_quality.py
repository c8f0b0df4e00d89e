from __future__ import annotations

import json
from pathlib import Path

from json_lines import append, read_lines
from model_quality import CELLS, RESULTS, Cell, is_of, run, standing, table, to_99

from annealco.datasets.registry import find_dataset
from annealco.evaluation.bench.entries import digest
from annealco.evaluation.bench.table import paper_cell
from annealco.problems import find_problem

DOCUMENT = Path(__file__).parents[2] / "docs" / "models.md"


def line(cell: Cell, kind: str, ratio: float, conductance: float | None = None) -> dict:
    paper = {"mean": 0.9, "seconds": 0.165}
    shared = {"graphs": 3, "cpu": 0.25, "paper": paper, "ratio": ratio, "conductance": conductance, "to_99": None}
    method = f"network{digest(str(cell.network))}"
    return {"cell": cell.name, "kind": kind, "command": cell.commands[kind], "method": method, **shared}


def test_every_cell_has_a_cell_of_the_paper_and_no_more_time() -> None:
    for cell in CELLS:
        problem, instances = find_problem(cell.problem), find_dataset(cell.data).cut_seeds
        paper = paper_cell(problem.learned_as, cell.data, "annealed", limit=1.0)
        assert paper is not None
        assert cell.seconds <= paper.seconds / (instances if problem.node_options else 1)
        assert cell.restarts <= 32


def test_a_line_of_the_table_needs_all_rows_of_the_present_commands(tmp_path: Path) -> None:
    cell, out = CELLS[0], tmp_path / "results" / "rows.jsonl"
    for kind, ratio in zip(cell.commands, (0.96, 0.97, 0.98, 0.99), strict=True):
        assert len(table(read_lines(out)).splitlines()) == 2
        append(out, {**line(cell, kind, 0.1), "command": "another"})
        if kind != "search":
            append(out, {**line(cell, kind, 0.1), "method": "network#0000"})
        append(out, line(cell, kind, ratio))
    [shown] = table(read_lines(out)).splitlines()[2:]
    times = "0.9000 (0.165 s) | 0.9600 (0.25 s) | 0.9700 (0.25 s) | 0.9800 (0.25 s) | 0.9900 (0.25 s) | ahead | - | -"
    assert shown == f"| mis | rb-small | 3 | {times} |"


def test_cuts_are_told_by_their_conductance() -> None:
    [cell] = [each for each in CELLS if each.name == "conductance twitter"]
    rows = [line(cell, kind, 0.5, 0.125) for kind in cell.commands]
    assert f"{' | 0.1250 (0.25 s)' * 4} | level |" in table(rows)


def test_who_is_ahead_is_told_to_the_digits_that_are_shown() -> None:
    assert standing(0.99502, 0.99498, is_less_better=False) == "level"
    assert standing(0.995, 0.9952, is_less_better=False) == "ahead"
    assert standing(0.995, 0.9948, is_less_better=False) == "behind"
    assert standing(0.0970, 0.0971, is_less_better=True) == "behind"


def test_a_row_is_what_its_command_prints(tmp_path: Path) -> None:
    cell = Cell("mds", "ba-small", 2, 0.05, every=2)
    row = run(cell, "search", tmp_path)
    assert row["command"] == "annealco bench mds --data ba-small --limit 2 --every 2 --time-limit 0.05 --methods search"
    assert is_of(row, cell, "search")
    assert not is_of(row, cell, "both")
    assert row["graphs"] == 2
    assert json.loads(json.dumps(row)) == row


def test_times_to_99_percent_are_medians_of_cpu_seconds() -> None:
    row = {"cpu": 1.0, "wall": 2.0, "reference": 100.0}
    early, late, never = (
        {**row, "trace": trace} for trace in ([[0.2, 99.0]], [[0.2, 98.0], [0.8, 100.0]], [[0.1, 98.0]])
    )
    cell = CELLS[0]
    assert to_99(cell, [early, late, never]) == 0.4
    assert to_99(cell, [early, never, never]) is None
    assert to_99(cell, [row]) is None


def test_the_document_and_the_cards_show_the_table_of_the_committed_rows() -> None:
    rows = read_lines(RESULTS)
    assert table(rows) in DOCUMENT.read_text()
    for cell in CELLS:
        [*_, last] = table([row for row in rows if row["cell"] == cell.name]).splitlines()
        card = (cell.network / "README.md").read_text()
        assert last.startswith(f"| {cell.problem} | {cell.data} |")
        assert last in card
