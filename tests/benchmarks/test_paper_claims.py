from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from paper_claims import (
    ANNEALED,
    COLD,
    FIELD,
    FIELD_COLD,
    FIELD_KL,
    KL,
    LOSSES,
    Cell,
    all_cells,
    claims,
    ratios,
)
from results_page import PAGE, RESULTS

from annealco.experiments.beta import BETAS

FOLDERS = sorted(path for path in RESULTS.iterdir() if path.is_dir())
NO_SEEDS: dict[str, list[float]] = {}


def cell_of(problem: str, **values: list[float]) -> Cell:
    found = {name: dict(enumerate(each)) for name, each in values.items()}
    return Cell(
        problem,
        "rb-small",
        {"erdos": "8 × 2", "field": "8 × 2"},
        found,
        {name: [sum(each) / len(each)] for name, each in values.items()},
        {},
    )


def test_a_gain_is_the_mean_difference_over_graphs_with_its_standard_error() -> None:
    cell = cell_of("mis", **{KL: [0.5, 0.7, 0.6], ANNEALED: [0.6, 0.9, 0.6, 0.1]})
    mean, error = cell.gain(ANNEALED, KL) or (0.0, 0.0)
    assert mean == pytest.approx(0.1)
    assert error == pytest.approx(math.sqrt((0.0 + 0.01 + 0.01) / 3) / math.sqrt(3))
    assert cell.gain(ANNEALED, COLD) is None
    # Of a cut less is more.
    cut = cell_of("cut", **{KL: [0.5, 0.7], ANNEALED: [0.4, 0.6]})
    assert (cut.gain(ANNEALED, KL) or (0.0, 0.0))[0] == pytest.approx(0.1)


def test_the_later_of_two_scales_counts_where_it_has_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    old = cell_of("mis", **{KL: [0.5, 0.5], ANNEALED: [0.6, 0.6]})
    new = cell_of("mis", **{COLD: [0.7, 0.7], ANNEALED: [0.7, 0.8]})
    own = cell_of("mis", **{FIELD_COLD: [0.7, 0.7], FIELD: [0.9, 0.9]})
    for later, expected in ((new, [new]), (own, [old, own])):
        rows = {"mis": [old], "mis-paper": [later]}
        monkeypatch.setattr("paper_claims.read_cells", lambda folder, rows=rows: rows[folder.name])
        assert all_cells([Path("mis"), Path("mis-paper"), Path("toy")]) == expected


def line_of(cells: list[Cell], claim: str) -> str:
    return next(line for line in claims(FOLDERS, cells).splitlines() if claim in line)


@pytest.mark.parametrize(("ahead", "verdict"), [(19, "held"), (12, "in part"), (2, "not")])
def test_a_claim_holds_where_nearly_all_cells_are_ahead(ahead: int, verdict: str) -> None:
    better = cell_of("mis", **{KL: [0.5, 0.5], ANNEALED: [0.6, 0.6], "gurobi": [1.0, 1.0]})
    level = cell_of("mis", **{KL: [0.5, 0.6], ANNEALED: [0.6, 0.5], "gurobi": [1.0, 1.0]})
    cells = [better] * ahead + [level] * (19 - ahead)
    line = line_of(cells, "annealing beats the loss of Karalias and Loukas").split("|")
    assert line[2].strip() == verdict
    assert f"ahead in {ahead} of 19 cells" in line[3]


def test_the_figures_of_the_networks_are_those_of_the_tables() -> None:
    """Every mean over one network stands in a table of the page too."""
    text = PAGE.read_text(encoding="utf-8")
    cells = all_cells(FOLDERS)
    shown_cells = {cell.data for name in LOSSES for cell in cells if f"| {cell.data} |" in ratios(cells, name)}
    assert shown_cells == {cell.data for cell in cells}
    ways = {KL: "erdos", COLD: "erdos", ANNEALED: "annealed"}
    ways |= {FIELD_KL: "not_annealed", FIELD_COLD: "not_annealed", FIELD: "annealed"}
    checked = 0
    for cell in cells:
        for name, way in ways.items():
            rows = re.findall(rf"^\| {way}={name}-{cell.data} \|.*$", text, re.MULTILINE)
            shown = [line.split("|")[3 if cell.problem != "cut" else 6].split()[0] for line in rows]
            for mean in cell.seeds.get(name, [])[:1]:
                checked += 1
                assert any(abs(float(each) - mean) < 6e-4 for each in shown) or cell.data.startswith(
                    ("rb-large", "ba-large")
                )
    assert checked > 20


def test_the_best_penalty_is_told_with_the_next() -> None:
    line = next(line for line in claims(FOLDERS, all_cells(FOLDERS)).splitlines() if "critical penalty" in line)
    told = [float(each) for each in re.findall(r" at ([\d.]+)", line)]
    assert set(told) <= set(BETAS)
    best, second = (float(each) for each in re.findall(r"(\d\.\d+) ± \d\.\d+ at", line)[:2])
    assert best >= second
