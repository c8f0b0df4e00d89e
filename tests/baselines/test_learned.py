from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annealco import train
from annealco.baselines.learned import LEARNED, refusal, run_checkpoint
from annealco.graph.errors import InputError
from annealco.graph.generators import generate
from annealco.problems import PROBLEMS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that was hardly trained."""
    place = tmp_path_factory.mktemp("trained") / "mis"
    graphs = generate("regular-small", count=4, seed=1)
    train("mis", graphs, epochs=1, settings={"width": 4, "num_steps": 3}, progress=False, out=place)
    return str(place)


def test_a_checkpoint_proposes_and_the_search_goes_on(folder: str) -> None:
    graph, mis = generate("rb-small", count=1, seed=3), PROBLEMS["mis"]
    alone = run_checkpoint(folder, mis, graph, budget=0.3, seed=0)
    both = run_checkpoint(folder, mis, graph, budget=0.3, seed=0, polish=True, moves=20_000)
    assert alone.assignment is not None
    assert both.assignment is not None
    values = [mis.score(graph, np.flatnonzero(each.assignment).tolist()) for each in (alone, both)]
    assert None not in values
    assert values[1] > values[0]
    again = run_checkpoint(folder, mis, graph, budget=0.3, seed=0)
    assert again.assignment is not None
    assert again.assignment.tolist() == alone.assignment.tolist()


def test_other_problems_and_missing_folders_are_told(folder: str, tmp_path: Path) -> None:
    assert refusal(folder, PROBLEMS["mis"]) is None
    assert refusal(folder, PROBLEMS["mds"]) == f"{folder} was trained for mis"
    with pytest.raises(InputError, match="unknown model"):
        refusal(str(tmp_path / "nothing"), PROBLEMS["mis"])
    assert [name for name, each in LEARNED.items() if each.polish] == ["annealed+search"]
