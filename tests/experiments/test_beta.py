from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from annealco.experiments.beta import BETAS, cells, draw, summarise
from annealco.experiments.run_folder import RunFolder
from tests.experiments.tiny import TINY


def test_penalties_are_the_paper_s_for_both_networks_and_all_seeds(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="beta", scale=replace(TINY, beta_seeds=5))
    found = cells(folder)
    assert BETAS == (0, 0.25, 0.5, 0.75, 1, 2, 3, 5)
    assert len(found) == len({each.network.name for each in found}) == 8 * 2 * 5
    assert all(each.network.options["penalty_scale"] == each.facts["beta"] for each in found)
    assert {(each.network.problem, each.network.data) for each in found} == {("mds", "ba-small")}


def test_the_result_says_where_the_best_is(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="beta", scale=replace(TINY, beta_seeds=2))
    best = {"erdos": 1.0, "field": 0.5}
    rows = [
        {**each.facts, "ratio": 0.9 - 0.1 * abs(each.facts["beta"] - best[each.facts["learner"]])}
        for each in cells(folder)
    ]
    text = summarise(folder, rows)
    assert "erdos is best at 1, field is best at 0.5" in text
    assert "| erdos | 2 | 0.8000 ± 0.0000 |" in text
    draw(folder, rows)
    assert (tmp_path / "beta.png").stat().st_size > 1000
    partial = [row for row in rows if row["learner"] == "erdos" and row["beta"] < 1]
    assert "| field | 0 | - |" in summarise(folder, partial)
    draw(folder, partial)
