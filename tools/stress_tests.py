"""Run tests again and again while other processes keep all cores busy; exit 1 where a run fails.

    python tools/stress_tests.py                          # tests that touch limits, kills and processes, 30 times
    python tools/stress_tests.py --full 3                 # the whole of `make test` three times
    python tools/stress_tests.py --runs 100 tests/cli -k interrupt
    python tools/stress_tests.py --burners 8              # on a machine that is busier still

What stands behind the options is given to pytest; without anything it is ``-m "processes and not slow"``. Each run is
one line: its number, how it ended, how long it took. The output of a run that failed follows its line.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOUCHY = ("-m", "processes and not slow")
FULL = ("-m", "not slow", "--numprocesses", "2", "--dist", "worksteal")
BURNER = """
import os, sys, threading
# Whoever started this has ended, however that came about.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
while True:
    pass
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests, and return the exit status."""
    given, selection = _parse(arguments)
    plan = [tuple(selection or TOUCHY)] * given.runs + [FULL] * given.full
    failed, begun = 0, time.perf_counter()
    with burning(given.burners):
        print(f"{len(plan)} runs beside {given.burners} processes that never rest", flush=True)
        for number, each in enumerate(plan, 1):
            is_right = run_once(f"{number}/{len(plan)}", each)
            failed += not is_right
            if not is_right and given.first:
                break
    print(f"{number - failed} of {number} runs passed in {time.perf_counter() - begun:.0f} s")
    return 1 if failed else 0


def run_once(name: str, selection: Sequence[str]) -> bool:
    """Run pytest once, print a line, and tell whether all tests passed."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *selection]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    ended = "passed" if done.returncode == 0 else f"FAILED with status {done.returncode}"
    said = done.stdout.rstrip()
    print(f"{name} {ended} in {time.perf_counter() - begun:.0f} s: {' '.join(selection)}", flush=True)
    if done.returncode:
        print(said, flush=True)
    return done.returncode == 0


@contextmanager
def burning(count: int) -> Iterator[None]:
    """Keep so many processes busy."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        running.extend(subprocess.Popen([sys.executable, "-c", BURNER], stdin=subprocess.PIPE) for _ in range(count))
        yield
    finally:
        for process in running:
            with process:
                process.kill()


def _parse(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="runs of the selection; by default 30, and none with --full")
    parser.add_argument("--full", type=int, default=0, help="runs of all tests that are not slow, after these")
    parser.add_argument("--burners", type=int, default=os.cpu_count() or 2, help="busy processes; one for each core")
    parser.add_argument("--first", action="store_true", help="end with the first run that fails")
    given, selection = parser.parse_known_args(arguments)
    if given.runs is None:
        given.runs = 0 if given.full and not selection else 30
    if given.runs + given.full < 1:
        parser.error("there is nothing to run")
    return given, selection


if __name__ == "__main__":
    sys.exit(main())
