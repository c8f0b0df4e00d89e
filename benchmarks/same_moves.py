"""Compare what the core and the last version on Numba find with the same numbers of moves, over several seeds.

python benchmarks/same_moves.py                       # the old version is set up as in core_speed.py
python benchmarks/same_moves.py --old PYTHON          # with an environment of the old version that is there already
python benchmarks/same_moves.py --table               # the table of the rows so far

No time is measured, so that a busy machine changes nothing. The two versions draw different random numbers: what must
agree is the mean over seeds, up to its spread. Rows go to --out.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import core_speed
import numpy as np

SEEDS = 10
KINDS = ("covering", "tabu", "annealing")


def main() -> None:
    """Run both versions, and print the table."""
    options = _parse()
    if options.measure:
        print(json.dumps(values_of(options.measure)))
        return
    rows = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    if not options.table:
        old = options.old or core_speed.old_environment()
        for name in (each for each in core_speed.MEASURES if each.startswith(KINDS) and each.startswith(options.only)):
            row = {"name": name, "pinned": core_speed.PINNED, "old": _run(old, name), "new": _run(sys.executable, name)}
            rows = [each for each in rows if each["name"] != name] + [row]
            print(_line(row), flush=True)
            options.out.write_text("".join(json.dumps(each) + "\n" for each in rows))
    print(table(rows))


def values_of(name: str) -> list[float]:
    """Return the costs that a search reaches, one for each seed."""
    found = []
    for seed in range(SEEDS):
        core_speed.SEARCH_SEED = seed
        work, _ = core_speed.MEASURES[name]()
        found.append(float(work()))
    return found


def table(rows: list[dict[str, Any]]) -> str:
    """Return means of both versions, and their difference in standard errors; below 0 the core is better."""
    heading = "| search | Numba, mean cost | core, mean cost | difference | in standard errors |"
    return "\n".join([heading, "|---|---|---|---|---|", *map(_line, rows)])


def _line(row: dict[str, Any]) -> str:
    old, new = np.array(row["old"]), np.array(row["new"])
    error = math.hypot(old.std(ddof=1), new.std(ddof=1)) / math.sqrt(len(old))
    difference = new.mean() - old.mean()
    share = 100 * difference / abs(old.mean())
    errors = f"{difference / error:+.1f}" if error else "0"
    return f"| {row['name']} | {old.mean():.1f} | {new.mean():.1f} | {share:+.2f} % | {errors} |"


def _run(python: str, name: str) -> list[float]:
    command = [python, __file__, "--measure", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=core_speed.plain_environment())
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", help="Python of an environment with the old version")
    parser.add_argument("--only", default="", help="how names of measurements begin")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results/same_moves.jsonl"), help="JSON lines")
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--measure", choices=core_speed.MEASURES, help="one in this process, printed as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
