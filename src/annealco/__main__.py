"""Run the command line, as ``annealco`` or as ``python -m annealco``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run one command and return its exit status.

    Where the user interrupts it while it is still being loaded, the process ends at once, with status 130.
    """
    try:
        from annealco.cli import main as run
    except KeyboardInterrupt:
        os.write(2, b"annealco: interrupted\n")
        # The interpreter's clean-up would take longer than the answer.
        os._exit(130)
    return run()


if __name__ == "__main__":
    sys.exit(main())
