from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from annealco.experiments.distance import cells, draw, summarise
from annealco.experiments.run_folder import RunFolder
from tests.experiments.tiny import TINY


def test_every_way_has_every_seed_and_only_the_temperature_differs(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="distance", scale=replace(TINY, distance_seeds=20))
    found = cells(folder)
    assert len(found) == len({each.network.name for each in found}) == 2 * 2 * 2 * 20
    for hot, cold in zip(found[::2], found[1::2], strict=True):
        assert (hot.facts["annealed"], cold.facts["annealed"]) == (True, False)
        assert "tau0" not in hot.network.options
        assert cold.network.options == {**hot.network.options, "tau0": 0.0}
        assert hot.network.learner == cold.network.learner
        assert hot.network.data == "twitter"


def test_the_table_has_means_over_seeds(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path, name="distance", scale=replace(TINY, distance_seeds=2))
    rows = [
        {**each.facts, "distance": 0.1 + 0.2 * each.facts["seed"], "ratio": 0.9 - 0.1 * each.facts["seed"]}
        for each in cells(folder)
    ]
    text = summarise(folder, rows)
    assert "| mis | erdos | annealed | 2 | 0.2000 ± 0.1000 | 0.8500 ± 0.0500 |" in text
    assert text.count("| mds | field |") == 2
    draw(folder, rows)
    assert (tmp_path / "distance.png").read_bytes().startswith(b"\x89PNG")
    # What is not there yet is left out.
    assert "mds" not in summarise(folder, rows[:2])
