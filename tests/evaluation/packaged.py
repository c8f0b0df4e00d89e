"""The reference files of the package."""

from __future__ import annotations

from importlib.resources import files

from annealco.datasets import DATASETS
from annealco.evaluation.references import reference_file
from annealco.problems import PROBLEMS


def packaged_names() -> list[tuple[str, str]]:
    """Return set and problem of every reference file in the package."""
    inside = {each.name for each in (files("annealco.evaluation") / "references").iterdir()}
    pairs = [(dataset, problem) for dataset in DATASETS.values() for problem in map(PROBLEMS.__getitem__, PROBLEMS.own)]
    return [(one.name, other.name) for one, other in pairs if reference_file(one, other) in inside]
