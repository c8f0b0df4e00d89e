"""Summarise which sets and problems have references and how many are proven, and pack computed ones into the package.

A packed file holds the best row of each case; a long file keeps the nodes of a sample of its cases only. To write the
file of a set and a problem anew, by default into the package itself:

    python -m annealco.evaluation.references.summary NAME PROBLEM [--folder COMPUTED] [--out FOLDER]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from annealco.baselines import METHODS
from annealco.datasets import DATASETS
from annealco.datasets.registry import find_dataset
from annealco.evaluation.references import header_of, known_references, reference_file
from annealco.evaluation.references.cases import count_cases
from annealco.evaluation.references.store import Reference, reference_to_line, with_checksum
from annealco.files import file_errors, store
from annealco.problems import PROBLEMS, find_problem

COLUMNS = ("set", "problem", "known", "of", "proven", "mean value", "proven by")

PACKAGE = Path(__file__).parent
MOST_BYTES, SAMPLE = 100_000, 10
"""A file that would be larger keeps the nodes of every tenth case only."""


class Summary(NamedTuple):
    """The references of a set and a problem in numbers.

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
    """Summarise all sets and problems that have references.

    Args:
        folder: what was computed beyond the package's own values, by default in the cache.
    """
    found = []
    for dataset in DATASETS.values():
        for problem in (PROBLEMS[name] for name in PROBLEMS.own):
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


def _prover(method: str) -> str:
    """Return the exact solver that a method ends with, or annealco."""
    last = method.rpartition(" + ")[2]
    return last if last in METHODS else "annealco"


def trim_nodes(rows: Sequence[Reference]) -> list[Reference]:
    """Return rows; where they are long together, without the nodes of all but a sample.

    Args:
        rows: the best of each case, in order.
    """
    if sum(len(reference_to_line(row)) for row in rows) <= MOST_BYTES:
        return list(rows)
    return [row if row.case % SAMPLE == 0 else replace(row, nodes=None) for row in rows]


def pack(name: str, problem: str, *, folder: Path | None = None, out: Path = PACKAGE) -> Path:
    """Write the file of a set and a problem, and return its path."""
    dataset, chosen = find_dataset(name), find_problem(problem)
    rows = trim_nodes(list(known_references(dataset, chosen, folder).values()))
    path = out / reference_file(dataset, chosen)
    header = header_of(dataset, chosen)
    lines = [json.dumps(header), *(with_checksum(reference_to_line(row), header) for row in rows)]
    with file_errors(path, "written"):
        store(path, "".join(f"{line}\n" for line in lines).encode())
    return path


def main() -> None:
    """Read the command line, and pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("problem")
    parser.add_argument("--folder", type=Path, help="computed references, by default in the cache")
    parser.add_argument("--out", type=Path, default=PACKAGE)
    options = parser.parse_args()
    pack(options.name, options.problem, folder=options.folder, out=options.out)


if __name__ == "__main__":
    main()
