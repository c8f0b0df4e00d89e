"""Run the command line, as ``annealco`` or as ``python -m annealco``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run one command and return its exit status, 130 where the user interrupts it while it is still being loaded."""
    try:
        from annealco.cli import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("annealco: interrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
