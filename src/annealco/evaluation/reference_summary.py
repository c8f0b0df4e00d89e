"""Tell of which sets and problems there are references, and what share of them is proven."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from os import PathLike
from typing import NamedTuple

from annealco.baselines import METHODS
from annealco.evaluation.reference_cases import count_cases
from annealco.evaluation.references import file_name, known_references
from annealco.graph.datasets import DATASETS
from annealco.problems import PROBLEMS

COLUMNS = ("set", "problem", "known", "of", "proven", "mean value", "proven by")


class Summary(NamedTuple):
    """What is known of a set and a problem.

    Attributes:
        dataset: name of the set.
        problem: name of the problem.
        known: how many cases have a value.
        cases: how many there are.
        proven: how many values are proven optimal.
        mean: mean value.
        proofs: how many proofs are our own, and how many of each exact solver.
    """

    dataset: str
    problem: str
    known: int
    cases: int
    proven: int
    mean: float
    proofs: dict[str, int]

    def cells(self) -> list[str]:
        """Return the row of a table under `COLUMNS`."""
        share = f"{self.proven} ({self.proven / max(self.known, 1):.1%})"
        proofs = ", ".join(f"{name} {count}" for name, count in self.proofs.items())
        return [self.dataset, self.problem, str(self.known), str(self.cases), share, f"{self.mean:.2f}", proofs or "-"]


def summaries(folder: str | PathLike[str] | None = None) -> list[Summary]:
    """Return what is known of all sets and problems that have references.

    Args:
        folder: what was computed beyond the package's own values, by default in the cache.
    """
    found = []
    for dataset in DATASETS.values():
        for problem in PROBLEMS.values():
            references = known_references(dataset, problem, folder)
            if references:
                rows = list(references.values())
                proofs = Counter(_prover(row.method) for row in rows if row.proven)
                found.append(
                    Summary(
                        dataset.name,
                        problem.name,
                        len(rows),
                        count_cases(dataset, problem),
                        sum(row.proven for row in rows),
                        sum(row.value for row in rows) / len(rows),
                        dict(sorted(proofs.items(), key=lambda item: -item[1])),
                    )
                )
    return found


def packaged_names() -> list[tuple[str, str]]:
    """Return set and problem of every file in the package."""
    inside = {each.name for each in (files("annealco.evaluation") / "references").iterdir()}
    pairs = [(dataset, problem) for dataset in DATASETS.values() for problem in PROBLEMS.values()]
    return [(one.name, other.name) for one, other in pairs if file_name(one, other) in inside]


def _prover(method: str) -> str:
    """Return the exact solver that a method ends with, or annealco."""
    last = method.rpartition(" + ")[2]
    return last if last in METHODS else "annealco"
