"""Run the command line as ``python -m annealco``."""

from __future__ import annotations

import sys

from annealco.cli import main

if __name__ == "__main__":
    sys.exit(main())
