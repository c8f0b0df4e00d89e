"""Benchmarks are programs that import one another by plain names, from their own directory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
