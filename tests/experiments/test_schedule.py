from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from annealco.experiments.run_folder import RunFolder
from annealco.experiments.schedule import FIRST, SHAPES, cells, draw, results, summarise
from tests.experiments.tiny import TINY


def test_shapes_and_temperatures_are_the_paper_s(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="schedule", scale=replace(TINY, schedule_seeds=3))
    found = cells(folder)
    assert SHAPES == ("linear", "concave", "convex")
    assert FIRST == (0, 0.1, 0.5, 1, 2, 5)
    # Without a temperature there are no shapes.
    assert len(found) == len({each.network.name for each in found}) == (1 + 5 * 3) * 2 * 3
    for each in found:
        assert each.network.options["schedule"] == each.facts["shape"]
        assert each.network.options["tau0"] == each.facts["tau0"]
        assert each.network.options["tau_last"] == 0.001


def test_all_shapes_share_what_has_no_temperature(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="schedule", scale=replace(TINY, schedule_seeds=2))
    rows = [{**each.facts, "ratio": 0.5 + 0.05 * each.facts["tau0"]} for each in cells(folder)]
    for shape in SHAPES:
        found = results(rows, "erdos", shape)
        assert list(found) == list(FIRST)
        assert found[0.0] == (0.5, 0.0)
        assert found[5.0] == (0.75, 0.0)
    text = summarise(folder, rows)
    assert "| field | convex | 2 | 0.5000 ± 0.0000 |" in text
    draw(folder, rows)
    assert (tmp_path / "schedule.png").stat().st_size > 1000
    draw(folder, rows[:1])
    assert "| erdos | linear | 1 | 0.5000 ± 0.0000 | - |" in summarise(folder, rows[:1])
