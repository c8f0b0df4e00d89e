"""Pack computed references for the package: the best row of each case, and of many large ones only a sample's nodes.

``python -m annealco.evaluation.packing NAME PROBLEM [--folder COMPUTED] [--out FOLDER]`` writes the file of a set and a
problem anew, by default into the package itself.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annealco.evaluation.reference_store import Reference, sealed, to_line
from annealco.evaluation.references import file_name, header_of, known_references
from annealco.graph.datasets.registry import find_dataset
from annealco.graph.formats.storage import file_errors, store
from annealco.solving import find_problem

PACKAGE = Path(__file__).parent / "references"
MOST_BYTES = 100_000
"""A file that would be larger keeps the nodes of every tenth case only."""

SAMPLE = 10


def packed(rows: Sequence[Reference]) -> list[Reference]:
    """Return rows without the nodes of most, where they are long together.

    Args:
        rows: the best of each case, in order.
    """
    if sum(len(to_line(row)) for row in rows) <= MOST_BYTES:
        return list(rows)
    return [row if row.case % SAMPLE == 0 else replace(row, nodes=None) for row in rows]


def pack(name: str, problem: str, *, folder: Path | None = None, out: Path = PACKAGE) -> Path:
    """Write the file of a set and a problem, and return its path."""
    dataset, chosen = find_dataset(name), find_problem(problem)
    rows = packed(list(known_references(dataset, chosen, folder).values()))
    path = out / file_name(dataset, chosen)
    header = header_of(dataset, chosen)
    lines = [json.dumps(header), *(sealed(to_line(row), header) for row in rows)]
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
