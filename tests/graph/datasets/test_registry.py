from __future__ import annotations

import pytest

from annealco.graph.datasets import DATASETS
from annealco.graph.datasets.registry import find_dataset
from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS

WANTED = [
    *(
        f"rb-{size}{forced}{side}"
        for size in ("small", "large")
        for forced in ("", "-unforced")
        for side in ("", "-complement")
    ),
    *("ba-small", "ba-large", "er-small", "er-large"),
]
REAL = ["collab", "twitter", "facebook", "imdb", "reddit", "sf295", "sf295-subset", "nci60"]


def test_the_sets_of_the_paper_are_there() -> None:
    assert set(DATASETS) >= {*WANTED, *(f"{name}-weighted" for name in WANTED), *REAL}
    assert [name for name, dataset in DATASETS.items() if dataset.kind == "real"] == REAL


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_is_described(name: str) -> None:
    dataset = DATASETS[name]
    assert dataset.name == name
    assert dataset.problems
    assert set(dataset.problems) <= set(PROBLEMS)
    assert all("\n" not in text and text for text in (dataset.title, dataset.source, dataset.licence))
    assert dataset.graphs > 0
    assert dataset.mean_nodes > 1
    assert (dataset.cut_seeds is not None) == ("cut" in dataset.problems)


def test_other_names_are_refused() -> None:
    with pytest.raises(InputError, match="unknown data set 'rb'; choose one of rb-small, "):
        find_dataset("rb")
