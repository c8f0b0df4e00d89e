"""What became of the paper's claims, from the committed rows: `results_page.py` writes these tables into its page.

Two networks are compared on the same test graphs, by the mean difference over graphs and its standard error. *Ahead*
and *behind* are differences of more than two standard errors; they say nothing of other seeds of a training.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

from json_lines import Row, read_lines, unpacked

from annealco.evaluation.bench.comparison import FILE, Bench
from annealco.evaluation.bench.entries import parts_of_label
from annealco.evaluation.bench.table import PaperCell, paper_cell, with_references
from annealco.experiments.beta import BETAS
from annealco.experiments.figures import FILE as CELLS
from annealco.experiments.figures import LEARNERS, mean_and_deviation, select_cells
from annealco.experiments.run_folder import CONFIG, as_table
from annealco.experiments.schedule import FIRST, SHAPES, results
from annealco.experiments.tables import CLIQUE, CUT, MDS, MIS, TRAINED, Table

TRIALS = Path(__file__).parent / "results" / "reading_search.jsonl"
ORDERS = Path(__file__).parent / "results" / "generator_order.jsonl"
SHORT = 5
"""Epochs of most trials."""

LEVEL = 0.02
"""So much below the paper's figure still counts as level with it."""

TABLES: dict[str, tuple[Table, str]] = {
    "mis": (MIS, "independent set"),
    "clique": (CLIQUE, "clique"),
    "mds": (MDS, "dominating set"),
    "cut": (CUT, "cut"),
}
STEEPEST, MOST_SEEDS = ", steepest", ", x32 steepest"
"""What the name of a learner ends with whose proposals, eight or 32, were decoded in the steepest order."""

KL, COLD, ANNEALED = "erdos-kl", "erdos-cold", "erdos"
FIELD_KL, FIELD_COLD, FIELD = "field-kl", "field-cold", "field"
LOSSES = {"erdos": (KL, COLD, ANNEALED), "field": (FIELD_KL, FIELD_COLD, FIELD)}
"""The learners of a network by their loss: of Karalias and Loukas, at τ = 0, annealed."""


class Cell(NamedTuple):
    """Networks and methods on the test graphs of a set.

    Attributes:
        problem: a key of `TABLES`.
        data: the set.
        training: graphs and epochs by network.
        values: by learner or method the figure of each case: the ratio, of cuts the conductance; means over seeds.
        seeds: by learner the mean over all cases of each of its networks.
        paper: published cells by the learner or method.
    """

    problem: str
    data: str
    training: dict[str, str]
    values: dict[str, dict[int, float]]
    seeds: dict[str, list[float]]
    paper: dict[str, PaperCell]

    @property
    def sign(self) -> float:
        """1 where more is better, -1 where less is."""
        return -1.0 if self.problem == "cut" else 1.0

    def gain(self, one: str, other: str) -> tuple[float, float] | None:
        """Return how much better one is than the other over their common cases, with the standard error."""
        if not self.values.get(one) or not self.values.get(other):
            return None
        shared = self.values[one].keys() & self.values[other].keys()
        found = [self.sign * (self.values[one][case] - self.values[other][case]) for case in sorted(shared)]
        return (fmean(found), pstdev(found) / math.sqrt(len(found))) if len(found) > 1 else None

    def compares(self, network: str) -> bool:
        """Tell whether a network is there annealed and with another loss."""
        *others, annealed = LOSSES[network]
        return any(self.gain(annealed, other) for other in others)

    def mean(self, name: str) -> float | None:
        """Return the mean over all cases."""
        return fmean(self.values[name].values()) if self.values.get(name) else None


def read_cells(folder: Path) -> list[Cell]:
    """Return the cells of a table in a folder of docs/results."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    problem = config["name"]
    networks = {row["network"]: row for row in read_lines(folder / TRAINED)}
    rows = unpacked(read_lines(folder / FILE))
    cells = []
    for data in dict.fromkeys(row["data"] for row in rows):
        first = min(row["limit"] for row in rows if row["data"] == data)
        own = [row for row in rows if (row["data"], row["limit"]) == (data, first)]
        values: dict[str, dict[int, list[float]]] = {}
        by_network: dict[tuple[str, str], list[float]] = {}
        for row in with_references(Bench(data, problem, (), seconds=first), own):
            way, network, usage = parts_of_label(row["method"])
            name = (networks[network]["learner"] if network else way) + ("+search" if "+" in way else "")
            name += f", {usage}" if usage else ""
            figure = row["conductance"] if problem == "cut" else row["ratio"]
            if figure is not None:
                values.setdefault(name, {}).setdefault(row["case"], []).append(figure)
                by_network.setdefault((name, network), []).append(figure)
        trained = [networks[parts_of_label(row["method"]).network] for row in own if "=" in row["method"]]
        amounts = {
            network: f"{each['graphs']} × {each['epochs']}"
            for each in trained
            for network, learners in LOSSES.items()
            if each["learner"] in learners
        }
        methods = {KL: "erdos", ANNEALED: "annealed", "mean_field": "mean_field", "greedy_fixed": "greedy_fixed"}
        published = {name: paper_cell(problem, data, way, limit=first) for name, way in methods.items()}
        means = {name: {case: fmean(found) for case, found in each.items()} for name, each in values.items()}
        known = {name: each for name, each in published.items() if each}
        seeds: dict[str, list[float]] = {}
        for (name, _), found in by_network.items():
            seeds.setdefault(name, []).append(fmean(found))
        cells.append(Cell(problem, data, amounts, means, seeds, known))
    return cells


def all_cells(folders: Sequence[Path]) -> list[Cell]:
    """Return the cells of all tables, those of a set one after the other.

    Of a table that is there at several scales, the later folder's cell counts where it has the paper's network.
    """
    cells = [cell for folder in folders if folder.name.partition("-")[0] in TABLES for cell in read_cells(folder)]
    newest = {(cell.problem, cell.data): cell for cell in cells if cell.compares("erdos")}
    names = list(TABLES)
    return sorted(
        (
            cell
            for cell in cells
            if any(map(cell.compares, LOSSES))
            and (cell is newest.get((cell.problem, cell.data), cell) or not cell.compares("erdos"))
        ),
        key=lambda cell: (names.index(cell.problem), TABLES[cell.problem][0].sets.index(cell.data)),
    )


def ratios(cells: Sequence[Cell], network: str) -> str:
    """Return Markdown: a network by its loss on each set."""
    learners = LOSSES[network]
    annealed = learners[2]
    titles = ["problem", "set", "training", "seeds", "KL loss", "τ = 0", "annealed", "gain over KL", "over τ = 0"]
    if network == "erdos":
        titles += ["KL / τ = 0 / annealed, steepest", "the paper's KL / annealed"]
    lines = []
    for cell in cells:
        if not cell.compares(network):
            continue
        means = [_figure(cell.seeds.get(name, [])) for name in learners]
        gains = [_gain(cell.gain(annealed, other)) for other in learners[:2]]
        paper = [f"{cell.paper[name].mean:.3f}" if name in cell.paper else "-" for name in (KL, ANNEALED)]
        steep = [_figure(cell.seeds.get(name + STEEPEST, [])) for name in learners]
        last = [" / ".join(steep) if set(steep) != {"-"} else "-", " / ".join(paper)] if network == "erdos" else []
        start = [TABLES[cell.problem][1], cell.data, cell.training[network], str(len(cell.seeds[annealed]))]
        lines.append([*start, *means, *gains, *last])
    return as_table(titles, lines)


def _figure(seeds: Sequence[float]) -> str:
    """Return the mean over seeds, with the least and the most where there are several."""
    if not seeds:
        return "-"
    return f"{fmean(seeds):.3f}" + (f" ({_span(seeds)})" if len(seeds) > 1 else "")


def _gain(found: tuple[float, float] | None) -> str:
    if found is None:
        return "-"
    text = f"{found[0]:+.3f} ± {found[1]:.3f}".replace("-", "−")
    return f"**{text}**" if abs(found[0]) > 2 * found[1] else text


def claims(folders: Sequence[Path], cells: Sequence[Cell]) -> str:
    """Return Markdown: each claim of the paper, whether it held, and by how much."""
    # Of a figure that is there at several scales, the last folder counts: that of the paper's.
    found = {
        folder.name.partition("-")[0]: read_lines(folder / CELLS) for folder in folders if (folder / CELLS).exists()
    }
    lines = [
        _toy(found["toy"]),
        _against(cells, ANNEALED, KL, "annealing beats the loss of Karalias and Loukas on the same network"),
        _against(
            cells, ANNEALED, COLD, "it is annealing that does it, not the energy: better than the same energy at τ = 0"
        ),
        _against(cells, ANNEALED + STEEPEST, KL + STEEPEST, "the first of these, decoded in the steepest order"),
        _against(cells, ANNEALED + STEEPEST, COLD + STEEPEST, "and the second"),
        _against(cells, FIELD, FIELD_KL, "the same with our recurrence `field` instead of their network: the KL loss"),
        _against(cells, FIELD, FIELD_COLD, "and the energy at τ = 0"),
        _figures_of_the_paper(cells),
        *(_published_figure(problem, read_lines(TRIALS), read_lines(ORDERS)) for problem in ("mis", "clique", "mds")),
        _without_network(read_lines(ORDERS)),
        _penalty(found["beta"]),
        _first_temperature(found["schedule"]),
        _shapes(found["schedule"]),
        _distance(found["distance"]),
        _against(cells, ANNEALED, "mean_field", "the annealed network beats mean-field annealing"),
        _against(cells, ANNEALED, "greedy_fixed", "and the paper's greedy"),
        _solvers(cells),
    ]
    return as_table(["claim", "here", "figures"], [list(line) for line in lines if line])


def _learners(rows: Sequence[Row]) -> list[str]:
    """Return the names of those that have rows."""
    return [each.name for each in LEARNERS if select_cells(rows, learner=each.name)]


def _toy(rows: list[Row]) -> tuple[str, str, str]:
    best = max(row["annealed"] for row in rows)
    ends = {name: sum(row[name] == best for row in rows) for name in ("annealed", "plain")}
    verdict = "held" if ends["annealed"] == len(rows) > ends["plain"] else "not"
    told = f"{ends['annealed']} of {len(rows)} starts end in an optimum, {ends['plain']} without annealing"
    return (
        "annealing finds what gradients at τ = 0 miss ([toy](#a-toy-gradients-with-and-without-annealing))",
        verdict,
        told,
    )


def _against(cells: Sequence[Cell], one: str, other: str, claim: str) -> tuple[str, str, str] | None:
    """Return the line on a claim that one is better than another, or None where they are never compared."""
    gains = [gain for cell in cells if (gain := cell.gain(one, other))]
    if not gains:
        return None
    ahead, behind = (sum(sign * mean > 2 * error for mean, error in gains) for sign in (1, -1))
    verdict = "held" if ahead > 0.9 * len(gains) else "in part" if ahead > 0.5 * len(gains) else "not"
    means = [mean for mean, _ in gains]
    told = f"ahead in {ahead} of {len(gains)} cells, behind in {behind}; gains {_span(means, signed=True)}"
    return claim, verdict, told


def _figures_of_the_paper(cells: Sequence[Cell]) -> tuple[str, str, str] | None:
    """Return the line on the annealed figures of the paper: in how many cells each way to decode reaches them."""
    own = [cell for cell in cells if ANNEALED in cell.paper]
    if not own:
        return None
    found = {
        "by probability": ANNEALED,
        "in steepest order": ANNEALED + STEEPEST,
        "in steepest order, best of 32": ANNEALED + MOST_SEEDS,
    }
    told, most = [], 0.0
    for way, name in found.items():
        gains = [
            (cell.sign * (mean - cell.paper[ANNEALED].mean), cell)
            for cell in own
            if (mean := cell.mean(name)) is not None
        ]
        if gains:
            below = [f"{cell.problem} {cell.data} −{-gain:.3f}" for gain, cell in gains if gain < -LEVEL]
            reached = sum(gain >= 0 for gain, _ in gains)
            most = max(most, reached / len(gains))
            told.append(
                f"{way}: reached in {reached} of {len(gains)} cells"
                + (f", more than {LEVEL} below in {len(below)} ({', '.join(below)})" if below else "")
            )
    verdict = "held" if most > 0.9 else "in part" if most > 0.5 else "not"
    return "the figures of the annealed network can be had", verdict, "; ".join(told)


def _span(values: Sequence[float], *, signed: bool = False) -> str:
    form = "+.3f" if signed else ".3f"
    if not values:
        return "none"
    return f"{min(values):{form}} to {max(values):{form}}".replace("-", "−")


def _published_figure(problem: str, trials: list[Row], orders: list[Row]) -> tuple[str, str, str]:
    """Return the line on the paper's figure for its smallest graphs: which ways to decode any network reach it."""
    data = TABLES[problem][0].sets[0]
    cell = paper_cell(problem, data, "annealed", limit=0.5)
    assert cell is not None
    trained = [row for row in trials if row.get("problem") == problem and "ratio" in row]
    own = [row["ratio"] for row in trained]
    # A network that was decoded again has a row more.
    count = len({json.dumps([row["changes"], row["seed"], row["epochs"]]) for row in trained})
    short = sum(row["epochs"] <= SHORT for row in trained)
    found = {
        "": _most(own, "probability", "8"),
        "in steepest order": _most(own, "steepest", "8"),
        "in steepest order, best of 32": _most(own, "steepest", "32"),
        "by index, hidden set first": max(
            (row["ratio"] for row in orders if row["set"] == data and row["order"].endswith("hidden node first")),
            default=None,
        ),
    }
    known = {way: value for way, value in found.items() if value is not None}
    reached = [way for way, value in known.items() if value >= cell.mean]
    verdict = "held" if "" in reached else f"only if decoded {' or '.join(reached)}" if reached else "not"
    plain = known.pop("")
    told = [
        f"the best of {count} trainings, {'all' if short == len(own) else 'most'} of {SHORT} epochs, has {plain:.3f}",
        *(f"{way} {value:.3f}" for way, value in known.items()),
    ]
    bare = [f"{_most(own, 'no network', count):.3f}" for count in ("8", "32")]
    told.append(f"in steepest order without a network {bare[0]}, best of 32 {bare[1]}")
    where = "[reading the paper](design-notes/reading-the-paper.md)"
    claim = f"annealed, {cell.mean:.3f} for {TABLES[problem][1]}s of {data} with the best of 8 ({where})"
    return claim, verdict, "; ".join(told)


def _without_network(orders: list[Row]) -> tuple[str, str, str]:
    """Return the line on what greedy choices without a network have, small and large graphs."""
    told, level = [], []
    for row in orders:
        if row["order"] == "steepest, no network" and row["set"] not in {name for name, _ in told}:
            problem = row["problem"]
            cell = paper_cell(problem, row["set"], "annealed", limit=0.5)
            assert cell is not None
            level.append(row["ratio"] > cell.mean - LEVEL)
            told.append((row["set"], f"{row['set']} {row['ratio']:.3f} (the paper {cell.mean:.3f})"))
    verdict = "not" if all(level) else "in part" if any(level) else "held"
    words = "even probabilities, decoded in steepest order, best of 8: " + ", ".join(words for _, words in told)
    return "it takes a trained network to reach the annealed figures", verdict, words


def _most(ratios: list[Row], order: str, count: str) -> float | None:
    """Return the highest ratio of an order of decoding over trials; None where no trial has it."""
    return max((each[order][count] for each in ratios if count in each.get(order, {})), default=None)


def _penalty(rows: list[Row]) -> tuple[str, str, str]:
    best, told = [], []
    for name in _learners(rows):
        own = select_cells(rows, learner=name)
        tried = [beta for beta in BETAS if select_cells(own, beta=beta)]
        found = {beta: mean_and_deviation(select_cells(own, beta=beta)) for beta in tried}
        order = sorted(found, key=lambda beta: -found[beta][0])
        best.append(order[0])
        first, second = (f"{found[beta][0]:.4f} ± {found[beta][1]:.4f} at {beta:g}" for beta in order[:2])
        told.append(f"`{name}` {first}, {second}")
    verdict = "held" if set(best) == {1.0} else "not"
    return "the critical penalty is best ([beta](#penalty-against-ratio))", verdict, "; ".join(told)


def _first_temperature(rows: list[Row]) -> tuple[str, str, str]:
    told, matters = [], []
    for name in _learners(rows):
        found = [results(rows, name, shape) for shape in SHAPES]
        means = [fmean(each[first][0] for each in found if first in each) for first in FIRST]
        spread = fmean(deviation for each in found for _, deviation in each.values())
        matters.append(max(means) - means[0] > 2 * spread)
        told.append(f"`{name}` {means[0]:.4f} at τ0 = 0, at others {_span(means[1:])}, over seeds ± {spread:.4f}")
    claim = "a small first temperature is worse ([schedule](#schedule-and-first-temperature-against-ratio))"
    return claim, "held" if all(matters) else "not", "; ".join(told)


def _shapes(rows: list[Row]) -> tuple[str, str, str]:
    told, alike = [], []
    for name in _learners(rows):
        means = [fmean(mean for mean, _ in results(rows, name, shape).values()) for shape in SHAPES]
        spread = fmean(error for shape in SHAPES for _, error in results(rows, name, shape).values())
        alike.append(max(means) - min(means) < 2 * spread)
        told.append(f"`{name}` {_span(means)}, over seeds ± {spread:.4f}")
    return "the shape of the schedule does not matter", "held" if all(alike) else "not", "; ".join(told)


def _distance(rows: list[Row]) -> tuple[str, str, str]:
    told, farther = [], []
    for problem in dict.fromkeys(row["problem"] for row in rows):
        for name in _learners(rows):
            own = select_cells(rows, problem=problem, learner=name)
            way = {each: mean_and_deviation(select_cells(own, annealed=each), "distance") for each in (True, False)}
            farther.append(way[True][0] - way[False][0] > max(way[True][1], way[False][1]))
            hot, cold = (f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in way.values())
            told.append(f"`{name}` for `{problem}` {hot} instead of {cold}")
    claim = "annealed networks end farther from their start ([distance](#parameter-distance-against-ratio))"
    return claim, "held" if all(farther) else "in part" if any(farther) else "not", "; ".join(told)


def _solvers(cells: Sequence[Cell]) -> tuple[str, str, str] | None:
    """Return the line on exact solvers, or None where none was run."""
    for cell in cells:
        exact, network = cell.mean("gurobi"), cell.mean(ANNEALED)
        if (cell.problem, cell.data) == ("mis", "rb-small") and exact is not None and network is not None:
            told = f"Gurobi {exact:.3f} on RB-small (the paper's in 0.7 s: 0.864), the annealed network {network:.3f}"
            return (
                "half a second of Gurobi is behind the annealed network on RB-small",
                "not" if exact > network else "held",
                told,
            )
    return None
