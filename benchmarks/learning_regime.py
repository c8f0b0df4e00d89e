"""Look for graphs and time limits where a network of the package helps a search.

    python benchmarks/learning_regime.py                           # all, some 25 CPU minutes
    python benchmarks/learning_regime.py --families "mis er-1e4"   # some, separated by commas
    python benchmarks/learning_regime.py --more 5                  # as many further graphs: do findings hold on them?
    python benchmarks/learning_regime.py --decoded                 # only decoding alone, without a search
    python benchmarks/learning_regime.py --table                   # print from the rows so far, run nothing

One thread, equal CPU time. Every family (`learning_families.py`) has graphs that no network learned from: drawn from
seeds of their own, or validation graphs. On each the ways of `learning_ways.py` are compared: search alone, from a
network's proposal, with restarts for which a network proposes a part anew, and on parts that a network points to; the
last two each beside a control without a network. A row per family, graph, limit, seed and way is added to --out; rows
of networks that the package had before do not count. Families are skipped where the package has no network for them.

Decoding alone is compared with the steepest order from even probabilities, a greedy algorithm.

Gains are relative and paired: per graph the mean over the seeds, then the mean over the graphs and its standard error.
One is *ahead* where a one-sided paired t-test says so at the level `LEVEL`.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from json_lines import Row, append, read_lines
from learning_families import FAMILIES, Family
from learning_ways import STEEPEST, WAYS, Outcome, Task, decoded
from scipy.stats import t as student

from annealco.arrays import FloatArray
from annealco.evaluation.processor_share import LATE, LEAST_SHARE, PROCESSOR, run_for_cpu

RESULTS = Path(__file__).parent / "results" / "learning_regime.jsonl"

DECODED = 0.0
"""Stands for the time limit of decoding alone."""

TWICE_UNTIL = 0.1
"""Limits up to which each way has two seeds."""

LEVEL = 0.01
"""Of the test: of a hundred cells in which nothing is gained, one is ahead by chance."""


ATTEMPTS, LEAST_PART, MOST_PART = 4, 0.8, 1.5
"""A run counts whose CPU seconds are within these parts of its limit, out of so many attempts."""


class Comparison(NamedTuple):
    """Two ways, and what is asked by comparing them."""

    way: str
    than: str
    asks: str


COMPARISONS = (
    Comparison("start", "search", "a proposal as start"),
    Comparison("network restarts", "search", "restarts, a part proposed anew"),
    Comparison("greedy restarts", "search", "restarts, a part greedy anew"),
    Comparison("network restarts", "greedy restarts", "what the network adds to restarts"),
    Comparison("network parts", "search", "parts chosen by the network"),
    Comparison("random parts", "search", "parts chosen at random"),
    Comparison("network parts", "random parts", "what the network adds to parts"),
)


def main() -> None:
    """Run what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--more", type=int, default=0, help="graphs besides those of each family")
    parser.add_argument("--decoded", action="store_true", help="only decoding alone, without a search")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    names = given.families.split(",")
    if unknown := set(names) - set(FAMILIES):
        parser.error(f"unknown families: {', '.join(sorted(unknown))}")
    torch.set_num_threads(1)
    for name in names if not given.table else ():
        run(name, FAMILIES[name], given.out, more=given.more, only_decoded=given.decoded)
    rows = read_lines(given.out)
    print(summary(rows), starts(rows), details(rows), sep="\n\n")


def run(name: str, family: Family, out: Path, *, more: int = 0, only_decoded: bool = False) -> None:
    """Measure what is missing of a family."""
    if family.digest is None:
        print(f"{name}: skipped, no network comes with the package for {family.problem.name}", file=sys.stderr)
        return
    for number in range(family.count + more):
        own = [row for row in rows_of(read_lines(out), name) if row["graph"] == number]
        asked = [key for key in keys(family) if key[0] == DECODED or not only_decoded]
        missing = [key for key in asked if key not in {key_of(row) for row in own}]
        for row in measure(name, family, number, missing):
            append(out, row)
            print(row, flush=True)


def rows_of(rows: list[Row], name: str) -> list[Row]:
    """Return the rows of a family with the present network."""
    return [row for row in rows if (row["family"], row["network"]) == (name, FAMILIES[name].digest)]


Key = tuple[float, int, str]
"""Limit, seed and way."""


def key_of(row: Row) -> Key:
    """Return what tells a row from others of a graph."""
    return row["limit"], row["seed"], row["way"]


def keys(family: Family) -> list[Key]:
    """Return all rows of a graph of a family."""
    found: list[Key] = [(DECODED, 0, way) for way in ("search", STEEPEST, "start")]
    for limit in family.limits:
        seeds = range(2 if limit <= TWICE_UNTIL else 1)
        found += [(limit, seed, way) for seed in seeds for way in family.ways_at(limit)]
    return found


def measure(name: str, family: Family, number: int, missing: list[Key]) -> Iterator[Row]:
    """Yield rows of a graph, but for those that a busy machine does not allow."""
    if not missing:
        return
    task = family.task(number)
    # What is loaded or prepared at a first call is on no clock.
    WAYS["start"](task, 0.01, 0)
    for limit, seed, way in missing:
        if (outcome := outcome_of(task, limit, seed, way)) is None:
            print(f"{name}: {way} at {limit:g} s left for a later run, the machine is too busy", file=sys.stderr)
            continue
        found, cpu = outcome
        row: Row = {"family": name, "network": family.digest, "graph": number, "nodes": task.graph.num_nodes}
        yield row | {"limit": limit, "seed": seed, "way": way, "value": found.value, "cpu": round(cpu, 4)}


def outcome_of(task: Task, limit: float, seed: int, way: str) -> tuple[Outcome, float] | None:
    """Return what a way gives in so many CPU seconds, and those it took; None where it never had about as many.

    A run that ends early has come to its end, or had to wait for a processor until its wall-clock limit was near.
    """
    if limit == DECODED:
        found, cpu, _ = run_for_cpu(lambda _: decoded(task, seed, way), math.inf)
        return found, cpu
    for _ in range(ATTEMPTS):
        found, cpu, budget = run_for_cpu(lambda seconds: WAYS[way](task, seconds, seed), limit)
        is_early = found.seconds < LATE * budget
        had_to_wait = cpu < LEAST_PART * PROCESSOR.share * found.seconds
        if (is_early and not had_to_wait) or LEAST_PART * limit <= cpu <= MOST_PART * limit:
            return found, cpu
        if is_early:
            PROCESSOR.share = max(LEAST_SHARE, cpu / found.seconds)
    return None


def gains(rows: list[Row], name: str, limit: float, way: str, than: str) -> FloatArray:
    """Return by how much one way is better than another on each graph, relative to it, [num_graphs]."""
    sign = 1.0 if FAMILIES[name].problem.sense == "max" else -1.0
    own = [row for row in rows_of(rows, name) if row["limit"] == limit and row["value"] is not None]
    values = {(row["graph"], row["seed"], row["way"]): row["value"] for row in own}
    by_graph: dict[int, list[float]] = {}
    for graph, seed, each in values:
        if each == way and (graph, seed, than) in values:
            base = values[graph, seed, than]
            change = sign * (values[graph, seed, way] - base)
            by_graph.setdefault(graph, []).append(change / abs(base) if change else 0.0)
    return np.array([np.mean(each) for each in by_graph.values()])


class Gain(NamedTuple):
    """A mean over graphs, its standard error, and whether that is more or less than nothing, 1 or -1; else 0."""

    mean: float
    error: float
    side: int

    def __str__(self) -> str:
        """Show percents, bold where the test says so."""
        if self.mean == self.error == 0:
            return "0"
        text = f"{100 * self.mean:+.2g} ± {100 * self.error:.1g}".replace("-", "−")
        return f"**{text}**" if self.side > 0 else text + (" (behind)" if self.side < 0 else "")


def gain_of(each: FloatArray) -> Gain:
    """Return the mean of gains [num_graphs] and what the test says; two graphs at least.

    Example:
        >>> gain_of(np.array([0.01, 0.011, 0.012, 0.009, 0.01])).side, gain_of(np.array([0.1, -0.1])).side
        (1, 0)
    """
    mean, error = float(each.mean()), float(each.std(ddof=1) / math.sqrt(len(each)))
    needed = float(student.ppf(1 - LEVEL, len(each) - 1)) * error
    return Gain(mean, error, 0 if abs(mean) <= needed else int(np.sign(mean)))


def cells(rows: list[Row], way: str, than: str) -> dict[tuple[str, float], Gain]:
    """Return the gains by family and limit, where all graphs of the family have been measured."""
    found = {}
    for name, family in FAMILIES.items():
        for limit in (DECODED, *family.limits):
            each = gains(rows, name, limit, way, than)
            if len(each) >= family.count:
                found[name, limit] = gain_of(each)
    return found


def summary(rows: list[Row]) -> str:
    """Return Markdown: in how many cells which way is ahead of another, decoding alone left out."""
    lines = _head("with search, equal CPU time", "compared with", "cells", "ahead", "behind", "ahead in")
    for way, than, asks in COMPARISONS:
        found = {key: gain for key, gain in cells(rows, way, than).items() if key[1] != DECODED}
        ahead = [f"{name} {limit:g} s ({gain.mean:+.2%})" for (name, limit), gain in found.items() if gain.side > 0]
        behind = sum(gain.side < 0 for gain in found.values())
        other = "search alone" if than == "search" else than
        lines.append(_line(asks, other, str(len(found)), str(len(ahead)), str(behind), "; ".join(ahead) or "none"))
    return "\n".join(lines)


def starts(rows: list[Row]) -> str:
    """Return Markdown: what a proposal gains in percent, as start over search alone, decoded over greedy choices."""
    found = {key: gain for key, gain in cells(rows, "start", "search").items() if key[1] != DECODED}
    return _by_limit(found | cells(rows, "start", STEEPEST))


def details(rows: list[Row]) -> str:
    """Return Markdown: what each of the other ways gains."""
    parts = []
    for way, than, asks in COMPARISONS[1:]:
        if found := cells(rows, way, than):
            parts.append(f"*{asks[0].upper()}{asks[1:]}*, {way} against {than}:\n\n{_by_limit(found)}")
    return "\n\n".join(parts)


def _by_limit(found: dict[tuple[str, float], Gain]) -> str:
    limits = sorted({limit for _, limit in found})
    titles = ["decoding alone" if limit == DECODED else f"{limit:g} s" for limit in limits]
    lines = _head("problem and graphs", *titles)
    for name in (name for name in FAMILIES if any(name == family for family, _ in found)):
        lines.append(_line(name, *(str(found.get((name, limit), "-")) for limit in limits)))
    return "\n".join(lines)


def _head(*titles: str) -> list[str]:
    return [_line(*titles), "|---" * len(titles) + "|"]


def _line(*entries: str) -> str:
    return f"| {' | '.join(entries)} |"


if __name__ == "__main__":
    main()
