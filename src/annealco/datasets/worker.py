"""The program that draws its share of the chunks of a set: NAME SPLIT SEED COUNT TURN PROCESSES.

It reports each chunk as a line ``done NUMBER``, and what goes wrong as a line ``error MESSAGE``.
"""

from __future__ import annotations

import signal
import sys

from annealco.datasets.cache import CHUNK, make_chunk
from annealco.datasets.registry import find_dataset
from annealco.errors import InputError
from annealco.files import DiskError


def main(arguments: list[str]) -> int:
    """Make every chunk whose turn it is, and return the exit status."""
    name, split, *numbers = arguments
    seed, count, turn, processes = map(int, numbers)
    try:
        for start in range(turn * CHUNK, count, processes * CHUNK):
            make_chunk(find_dataset(name), split, seed=seed, start=start)
            _report(f"done {start}")
    except (InputError, DiskError) as error:
        _report(f"error {error}")
        return 1
    except BrokenPipeError:
        # Whoever wanted the graphs is gone.
        sys.stdout = None
        return 1
    return 0


def _report(line: str) -> None:
    sys.stdout.write(line.replace("\n", " ") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    # An interrupt is for the caller to explain.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
