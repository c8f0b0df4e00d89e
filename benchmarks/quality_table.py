"""Turn the rows of `search_quality.py` into Markdown.

A ratio is obtained / best known for a maximum and best known / obtained for a minimum, so that 1 is best; no answer
counts as 0. Best known is the planted or a proven optimum where there is one, else the best of all rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean
from typing import Any, NamedTuple

from goals import GOALS, Goal
from instances import FAMILIES, planted_optimum
from peers import PEERS

Row = dict[str, Any]
Graph = tuple[str, int]

COMPARED = (0.1, 1.0, 10.0)
TOLERANCE = 1e-9


class Known(NamedTuple):
    """The best value of a graph that is known, and whether it is the optimum."""

    value: float
    optimal: bool


def tables(rows: list[Row]) -> str:
    """Return the goals, everybody's ratios, and where we lose."""
    known = best_known(rows)
    parts = [goal_table(rows, known), *(family_table(name, rows, known) for name in FAMILIES), losses(rows, known)]
    return "\n\n".join(part for part in parts if part)


def best_known(rows: list[Row]) -> dict[Graph, Known]:
    """Return the best known value of every graph."""
    found: dict[Graph, list[Row]] = {}
    for row in rows:
        if row.get("value") is not None:
            found.setdefault((row["family"], row["index"]), []).append(row)
    return {graph: _best(graph, some) for graph, some in found.items()}


def _best(graph: Graph, rows: list[Row]) -> Known:
    planted = planted_optimum(*graph)
    if planted is not None:
        return Known(planted, optimal=True)
    choose = max if FAMILIES[graph[0]].declared.sense == "max" else min
    best = choose(row["value"] for row in rows)
    proven = [row["value"] for row in rows if row["proven"]]
    if any(abs(value - best) > TOLERANCE for value in proven):
        raise ValueError(f"{graph}: {best} was found, but {proven} proven")
    return Known(best, optimal=bool(proven))


def ratio(row: Row, known: dict[Graph, Known]) -> float:
    """Return how near a row comes to the best known, 1 at it and 0 without an answer."""
    if row.get("value") is None:
        return 0.0
    best = known[row["family"], row["index"]].value
    if row["value"] == best:
        return 1.0
    return row["value"] / best if FAMILIES[row["family"]].declared.sense == "max" else best / row["value"]


def is_best(row: Row, known: dict[Graph, Known]) -> bool:
    """Tell whether a row reaches the best known."""
    return ratio(row, known) > 1 - TOLERANCE


def goal_table(rows: list[Row], known: dict[Graph, Known]) -> str:
    """Return what was aimed at and what was measured."""
    lines = [_goal_line(goal, rows, known) for goal in GOALS]
    if not any(lines):
        return ""
    head = [
        "| family | CPU s | goal | graphs | seeds | measured | worst | CPU s used | met |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join(head + [line for line in lines if line])


def _goal_line(goal: Goal, rows: list[Row], known: dict[Graph, Known]) -> str:
    every = [row for seed in range(goal.seeds) for row in _select(rows, goal.family, "annealco", goal.budget, seed)]
    ours = [row for row in every if (goal.family, row["index"]) in known]
    optimal = goal.measure == "optimal"
    if optimal:
        ours = [row for row in ours if known[goal.family, row["index"]].optimal]
    if not ours:
        return ""
    ratios = [ratio(row, known) for row in ours]
    measured = mean(is_best(row, known) for row in ours) if optimal else mean(ratios)
    aim = f"optimal on {goal.least:.0%}" if optimal else f"ratio {goal.least}"
    shown = f"{measured:.1%}" if optimal else f"{measured:.4f}"
    used = mean(row["cpu"] for row in ours)
    met = "yes" if measured >= goal.least else "**no**"
    graphs, seeds = ({row.get(name, 0) for row in ours} for name in ("index", "seed"))
    counts = [len(graphs), len(seeds)]
    cells = [goal.family, f"{goal.budget:g}", aim, *counts, shown, f"{min(ratios):.4f}", f"{used:.2f}", met]
    return f"| {' | '.join(map(str, cells))} |"


def family_table(name: str, rows: list[Row], known: dict[Graph, Known]) -> str:
    """Return everybody's mean ratio, how often it is the best known, and the CPU seconds, for one family."""
    budgets = [budget for budget in COMPARED if _common(rows, name, budget)]
    if not budgets:
        return ""
    counts = ", ".join(f"{len(_common(rows, name, budget))} at {budget:g} s" for budget in budgets)
    head = [f"**{name}** (graphs: {counts})", "", f"| method | {' | '.join(f'{budget:g} s' for budget in budgets)} |"]
    lines = [*head, "|---" * (1 + len(budgets)) + "|"]
    for method in PEERS:
        cells = [_cell(rows, known, name, method, budget) for budget in budgets]
        if any(cells):
            lines.append(f"| {method} | {' | '.join(cell or '–' for cell in cells)} |")
    return "\n".join(lines)


def _cell(rows: list[Row], known: dict[Graph, Known], family: str, method: str, budget: float) -> str:
    graphs = _common(rows, family, budget)
    some = [row for row in _select(rows, family, method, budget) if row["index"] in graphs]
    if not some:
        return ""
    if all("cpu" not in row for row in some):
        return str(some[0]["status"]).split(":")[0]
    answered = [row for row in some if row.get("value") is not None]
    best = sum(is_best(row, known) for row in some)
    used = mean(row["cpu"] for row in some if "cpu" in row)
    text = f"{mean(ratio(row, known) for row in some):.4f}, best on {best}, {used:.2f} s"
    return text if len(answered) == len(some) else f"{text}, {len(some) - len(answered)} without answer"


def losses(rows: list[Row], known: dict[Graph, Known]) -> str:
    """Return where another solver has a higher mean ratio than ours on the same graphs and seeds at the same budget."""
    lines = []
    for family in FAMILIES:
        for budget in COMPARED:
            ours = _by_run(rows, known, family, "annealco", budget)
            for method in PEERS:
                theirs = _by_run(rows, known, family, method, budget)
                both = ours.keys() & theirs.keys()
                if both and mean(theirs[run] for run in both) > mean(ours[run] for run in both) + TOLERANCE:
                    cells = [family, f"{budget:g}", method, *(len(set(each)) for each in zip(*both, strict=True))]
                    cells += [f"{mean(each[run] for run in both):.4f}" for each in (ours, theirs)]
                    lines.append(f"| {' | '.join(map(str, cells))} |")
    if not lines:
        return "No solver has a higher mean ratio than ours on the same graphs and seeds at the same budget."
    head = ["Where another solver has a higher mean ratio on the same graphs, with the same seeds:", ""]
    return "\n".join(
        [*head, "| family | CPU s | solver | graphs | seeds | ours | theirs |", "|---|---|---|---|---|---|---|", *lines]
    )


def _by_run(
    rows: list[Row], known: dict[Graph, Known], family: str, method: str, budget: float
) -> dict[tuple[int, int], float]:
    """Return the ratio of every graph and seed that a method ran with."""
    wanted = (family, method, budget)
    own = [row for row in rows if (row["family"], row["method"], row["budget"]) == wanted]
    return {(row["index"], row.get("seed", 0)): ratio(row, known) for row in own}


def _select(rows: Iterable[Row], family: str, method: str, budget: float, seed: int = 0) -> list[Row]:
    wanted = (family, method, budget, seed)
    return [row for row in rows if (row["family"], row["method"], row["budget"], row.get("seed", 0)) == wanted]


def _common(rows: list[Row], family: str, budget: float) -> set[int]:
    """Return the graphs that every method of a family ran on with a budget."""
    ran = [{row["index"] for row in _select(rows, family, method, budget)} for method in PEERS]
    return set.intersection(*some) if (some := [each for each in ran if each]) else set()
