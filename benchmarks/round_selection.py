"""Compare rules by which a network goes on after a round: from its latest states, or from better ones that it made.

    python benchmarks/round_selection.py                     # rules in long runs, 10 minutes of one core
    python benchmarks/round_selection.py --sets "mds ba-large,mis er-700-800"
    python benchmarks/round_selection.py --screened          # all that were tried, 512 steps on few graphs: 15 minutes
    python benchmarks/round_selection.py --anew              # which nodes start anew, 512 steps: 5 minutes
    python benchmarks/round_selection.py --table             # print from the rows so far, run nothing

Networks are those of the package, alone: eight restarts, decoded after every round, and no search. After a round a rule
sees what the decoded sets cost, keeps states, and tells from which kept state each restart goes on; then nodes start
anew. All rules make equally many steps, and one run gives the ratio of its best set after every number of steps in
BUDGETS, so shorter runs cost nothing. Graphs are validation graphs. Rows of networks that the package had before do not
count.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from field_tables import ER_NODES, ER_PROBABILITY, ER_SET
from json_lines import Row, append, read_lines
from model_ablation import known_value, weights_of
from numpy.typing import NDArray

import annealco
from annealco._core import Clock, FieldRecurrence
from annealco.arrays import FloatArray, Int32Array, IntArray
from annealco.graph.generators.erdos_renyi import erdos_renyi
from annealco.graph.graph import Graph
from annealco.models.compiled_field import core_setting, load_compiled, normal_features
from annealco.models.pretrained import shipped_folder
from annealco.problems import PROBLEMS
from annealco.search.decode import decode
from annealco.training import load_graphs

RESULTS = Path(__file__).parent / "results" / "round_selection.jsonl"
BUDGETS = (128, 512, 2048)
RESTARTS = 8
SETS = {
    "mis rb-small": 10,
    "mis rb-large": 4,
    "mis rb-small-unforced": 10,
    "mis rb-large-unforced": 4,
    f"mis {ER_SET}": 3,
    "clique rb-small-unforced": 10,
    "mds ba-small": 10,
    "mds ba-large": 4,
    "mds twitter": 10,
    "max_cut ba-small": 10,
    "max_cut ba-large": 4,
}
"""Problem and set, with the number of validation graphs; sets of problems without a network are left out."""

SCREENED_SETS = {"mis rb-large": 4, "mis rb-large-unforced": 3, f"mis {ER_SET}": 3, "mds ba-large": 4}
SCREENED_STEPS = 512
ANEW_SETS = {"mis rb-small": 40, "mis rb-large": 16, f"mis {ER_SET}": 8, "mds ba-large": 8, "max_cut ba-large": 8}
VALIDATION_SEED = 7_001
"""Of Erdős–Rényi graphs, other than that of the test graphs."""

Bits = NDArray[np.bool_]


class Rounds(NamedTuple):
    """What a rule sees after a round.

    Attributes:
        number: of the round, from 0.
        cost: of the sets that restarts propose now, [num_restarts].
        kept: cost of the states that are kept, infinite where there is none.
        idle: rounds since each restart last improved on its own best, or last went back.
        random: what a rule draws with.
    """

    number: int
    cost: FloatArray
    kept: FloatArray
    idle: IntArray
    random: np.random.Generator


class Choice(NamedTuple):
    """Which restarts keep their state of now, and whose kept state each goes on from, −1 for its own of now."""

    keeps: Bits
    parent: Int32Array


Rule = Callable[[Rounds], Choice]


def nothing(rounds: Rounds) -> Choice:
    """Go on from the latest states."""
    return Choice(np.zeros(len(rounds.cost), dtype=np.bool_), np.full(len(rounds.cost), -1, dtype=np.int32))


def going_back(slack: float = 0.0) -> Rule:
    """Go back to the state before a round that made a set worse by more than the slack."""

    def rule(rounds: Rounds) -> Choice:
        return _back_unless(rounds.cost <= rounds.kept + slack)

    return rule


def metropolis(temperature: float) -> Rule:
    """Go back where a set is worse, but for a probability that falls with the difference."""

    def rule(rounds: Rounds) -> Choice:
        worse = np.maximum(0, np.where(np.isinf(rounds.kept), 0, rounds.cost - rounds.kept))
        return _back_unless(rounds.random.random(len(worse)) < np.exp(-worse / temperature))

    return rule


def _back_unless(accepted: Bits) -> Choice:
    return Choice(accepted, np.where(accepted, -1, np.arange(len(accepted))).astype(np.int32))


def to_record(slack: float) -> Rule:
    """Go back to the best state of a restart where a set is worse than it by more than the slack."""

    def rule(rounds: Rounds) -> Choice:
        back = rounds.cost > rounds.kept + slack
        return Choice(rounds.cost <= rounds.kept, np.where(back, np.arange(len(back)), -1).astype(np.int32))

    return rule


def after_idle(most: int) -> Rule:
    """Go back to the best state of a restart after so many rounds without an improvement."""

    def rule(rounds: Rounds) -> Choice:
        keeps = rounds.cost <= rounds.kept
        back = ~keeps & (rounds.idle >= most)
        return Choice(keeps, np.where(back, np.arange(len(back)), -1).astype(np.int32))

    return rule


def tournaments(every: int = 1) -> Rule:
    """Let restarts meet in random pairs, of which the worse goes on from the state of the better."""

    def rule(rounds: Rounds) -> Choice:
        if rounds.number % every:
            return nothing(rounds)
        order, parent = rounds.random.permutation(len(rounds.cost)), nothing(rounds).parent
        for one, other in zip(order[::2], order[1::2], strict=False):
            if rounds.cost[one] < rounds.cost[other]:
                parent[other] = one
            elif rounds.cost[other] < rounds.cost[one]:
                parent[one] = other
        return Choice(np.ones(len(parent), dtype=np.bool_), parent)

    return rule


def worst_from_best(every: int = 1) -> Rule:
    """Let the worst restart go on from the state of the best."""

    def rule(rounds: Rounds) -> Choice:
        if rounds.number % every:
            return nothing(rounds)
        order, parent = np.argsort(_untied(rounds.cost, rounds)), nothing(rounds).parent
        if rounds.cost[order[0]] < rounds.cost[order[-1]]:
            parent[order[-1]] = order[0]
        return Choice(np.ones(len(parent), dtype=np.bool_), parent)

    return rule


def worst_from_record(rounds: Rounds) -> Choice:
    """Let the worst restart go on from the best state that any has made."""
    keeps, parent = rounds.cost <= rounds.kept, nothing(rounds).parent
    kept = np.where(keeps, rounds.cost, rounds.kept)
    worst, best = np.argmax(_untied(rounds.cost, rounds)), np.argmin(_untied(kept, rounds))
    if rounds.cost[worst] > kept[best]:
        parent[worst] = best
    return Choice(keeps, parent)


def better_half(every: int) -> Rule:
    """Let the worse half of the restarts go on from the states of the better half."""

    def rule(rounds: Rounds) -> Choice:
        if rounds.number % every:
            return nothing(rounds)
        order, parent = np.argsort(_untied(rounds.cost, rounds)), nothing(rounds).parent
        best = order[: len(order) // 2]
        rest = np.setdiff1d(order, best)
        parent[rest] = np.resize(best, len(rest))
        return Choice(np.ones(len(parent), dtype=np.bool_), parent)

    return rule


def _untied(cost: FloatArray, rounds: Rounds) -> FloatArray:
    return cost + 1e-6 * rounds.random.random(len(cost))


class Way(NamedTuple):
    """How rounds go.

    Attributes:
        title: in the table.
        rule: how restarts go on.
        round_steps: of a round.
        fresh: share of the nodes that start anew; of two, each restart draws its own in every round, log-uniformly.
        nodes: which start anew: random ones of all or of those chosen or not chosen by decoding, twice the share of the
            undecided, or closed neighbourhoods, of random nodes or of those in conflict, until they are the share.
    """

    title: str
    rule: Rule = nothing
    round_steps: int = 16
    fresh: float | tuple[float, float] = 0.3
    nodes: str = "all"


LATEST_15, LATEST_30 = Way("latest states, 15 % anew", fresh=0.15), Way("latest states, 30 % anew")
MEETING_15 = Way("tournament after every round, 15 % anew", tournaments(), fresh=0.15)
SELDOM_15 = Way("tournament after every 4 rounds, 15 % anew", tournaments(4), fresh=0.15)
MEETING_30 = Way("tournament after every round, 30 % anew", tournaments())
WAYS = (
    LATEST_15,
    LATEST_30,
    Way("latest states, rounds of 8, 30 % anew", round_steps=8),
    Way("back where worse, rounds of 8, 30 % anew", going_back(), round_steps=8),
    MEETING_15,
    SELDOM_15,
    MEETING_30,
    Way("tournament after every round of 8, 30 % anew", tournaments(), round_steps=8),
)
"""Rules to compare in long runs."""

SHARES = (0.05, 0.5)
SCREENED = (
    LATEST_15,
    LATEST_30,
    Way("latest states, rounds of 8, 15 % anew", round_steps=8, fresh=0.15),
    Way("latest states, 5 % to 50 % anew", fresh=SHARES),
    Way("latest states, half of the chosen anew", fresh=0.5, nodes="chosen"),
    Way("latest states, 30 % of those not chosen anew", nodes="unchosen"),
    Way("latest states, 15 % anew, the undecided first", fresh=0.15, nodes="undecided"),
    Way("back where worse", going_back()),
    Way("back where worse, rounds of 8, 15 % anew", going_back(), round_steps=8, fresh=0.15),
    Way("back where worse by more than 1", going_back(1.0)),
    Way("back where worse, but for exp(-2 difference)", metropolis(0.5)),
    Way("back to the best where worse than it by more than 1", to_record(1.0)),
    Way("back to the best after 4 idle rounds", after_idle(4)),
    Way("worst from best after every 2 rounds", worst_from_best(2)),
    Way("worst from the best of all rounds", worst_from_record),
    Way("worse half from better half after every 4 rounds", better_half(4)),
    MEETING_30,
    MEETING_15,
    Way("tournament after every 4 rounds", tournaments(4)),
    SELDOM_15,
    Way("tournament after every round of 8, 15 % anew", tournaments(), round_steps=8, fresh=0.15),
    Way("tournament after every 4 rounds, 5 % to 50 % anew", tournaments(4), fresh=SHARES),
)
"""All that was tried, with 30 % of the nodes anew where nothing else is said."""

ANEW = (
    LATEST_15,
    LATEST_30,
    Way("latest states, 50 % anew", fresh=0.5),
    Way("latest states, neighbourhoods of random nodes anew, 15 %", fresh=0.15, nodes="regions"),
    Way("latest states, neighbourhoods of random nodes anew, 30 %", nodes="regions"),
    Way("latest states, neighbourhoods of conflicts anew, 15 %", fresh=0.15, nodes="conflicts"),
    Way("latest states, 15 % anew, the undecided first", fresh=0.15, nodes="undecided"),
    Way("latest states, all anew", fresh=1.0),
)
"""Which nodes start anew."""


def main() -> None:
    """Run the rows that are missing, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", help="separated by commas; by default all that have a network")
    parser.add_argument("--screened", action="store_true", help="all that were tried, on few graphs")
    parser.add_argument("--anew", action="store_true", help="which nodes start anew")
    parser.add_argument("--table", action="store_true", help="print, run nothing")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON lines")
    given = parser.parse_args()
    if given.anew:
        ways, sets, steps = ANEW, ANEW_SETS, SCREENED_STEPS
    elif given.screened:
        ways, sets, steps = SCREENED, SCREENED_SETS, SCREENED_STEPS
    else:
        ways, sets, steps = WAYS, SETS, BUDGETS[-1]
    counts = {name: count for name, count in sets.items() if has_network(name)}
    names = given.sets.split(",") if given.sets else list(counts)
    if unknown := set(names) - set(counts):
        parser.error(f"unknown sets: {', '.join(sorted(unknown))}; choose from {', '.join(counts)}")
    for name in names if not given.table else ():
        missing = [way for way in ways if not find(read_lines(given.out), name, way, steps, counts[name])]
        # Two chosen ends of an edge are in conflict in independent sets alone.
        missing = [way for way in missing if way.nodes != "conflicts" or name.startswith("mis ")]
        for row in measure(name, missing, steps, counts[name]) if missing else ():
            append(given.out, row)
            print(row, flush=True)
    print(table(read_lines(given.out), ways, counts, steps))


def has_network(name: str) -> bool:
    """Tell whether the package has a network for the problem of a set."""
    try:
        shipped_folder(name.split(maxsplit=1)[0])
    except annealco.InputError:
        return False
    return True


def validation_graphs(data: str, count: int) -> list[Graph]:
    """Return validation graphs of a set."""
    if data != ER_SET:
        return list(load_graphs(data, "validation", count))[:count]
    drawn = []
    for number in range(count):
        rng = np.random.default_rng([VALIDATION_SEED, number])
        size = int(rng.integers(*ER_NODES, endpoint=True))
        drawn.append(erdos_renyi(rng, num_nodes=size, edge_probability=ER_PROBABILITY))
    return drawn


def measure(name: str, ways: list[Way], steps: int, count: int) -> Iterator[Row]:
    """Measure ways on a set, one after the other."""
    problem, data = name.split()
    graphs = validation_graphs(data, count)
    known = [known_value(graph, problem) for graph in graphs]
    is_max = PROBLEMS[problem].sense == "max"
    for way in ways:
        begun = time.process_time()
        values = np.array([best_values(way, graph, problem, steps, seed=k) for k, graph in enumerate(graphs)])
        ratio = values / np.array(known)[:, None] if is_max else np.array(known)[:, None] / values
        means = dict(zip(map(str, BUDGETS), np.round(ratio.mean(axis=0), 4).tolist(), strict=False))
        told = {"ratio": means, "graphs": count, "cpu": round((time.process_time() - begun) / count, 3)}
        yield {"set": name, "network": weights_of(problem), "way": way.title, "steps": steps, **told}


def best_values(way: Way, graph: Graph, problem: str, steps: int, seed: int) -> list[float]:
    """Return the value of the best set after each number of steps in BUDGETS up to these."""
    instance = PROBLEMS[problem].declare(graph)
    best, found = np.inf, list[float]()
    for done, cost in rounds_of(way, graph, problem, steps, seed):
        best = min(best, float(cost.min()))
        if done in BUDGETS:
            found.append(best if instance.sense == "min" else -best)
    return found


def rounds_of(way: Way, graph: Graph, problem: str, steps: int, seed: int) -> Iterator[tuple[int, FloatArray]]:
    """Yield after every round the steps so far, and what the sets of the restarts cost."""
    instance, loaded = PROBLEMS[problem].declare(graph), load_compiled(shipped_folder(problem))
    assert loaded is not None
    weights, setting = list(loaded.network.weights), core_setting(graph, instance)
    which = np.minimum(setting.complemented, len(weights) - 1).astype(np.int32)
    recurrence = FieldRecurrence(weights, which, setting.core, num_restarts=RESTARTS)
    draws, random, clock = np.random.default_rng(seed), np.random.default_rng([seed, 1]), Clock()
    kept, idle = np.full(RESTARTS, np.inf), np.zeros(RESTARTS, dtype=np.int64)
    probability, chosen = np.empty((2, RESTARTS, graph.num_nodes))
    for number, first in enumerate(range(0, steps, way.round_steps)):
        features, anew = normal_features(draws, graph.num_nodes, RESTARTS), None
        if number:
            uniform = draws.random((graph.num_nodes, RESTARTS), dtype=np.float32)
            anew = start_anew(way, graph, uniform, probability.T, chosen.T > 0, random=random)
        recurrence.begin(features, anew)
        logits = np.empty((RESTARTS, graph.num_nodes), dtype=np.float32)
        recurrence.run(min(way.round_steps, steps - first), logits, clock)
        probability = 1 / (1 + np.exp(-logits.astype(np.float64)))
        chosen = decode(instance, probability, num_threads=1)
        cost = instance.energy().value(chosen)[:, 0]
        yield min(first + way.round_steps, steps), cost
        idle = np.where(cost <= kept, 0, idle + 1)
        keeps, parent = way.rule(Rounds(number, cost, kept, idle, random))
        kept = np.where(keeps, cost, kept)
        idle[parent == np.arange(RESTARTS)] = 0
        recurrence.select(keeps[None], parent[None])


def start_anew(
    way: Way,
    graph: Graph,
    uniform: NDArray[np.float32],
    probability: FloatArray,
    chosen: Bits,
    *,
    random: np.random.Generator,
) -> Bits:
    """Return which nodes start anew, [num_nodes, num_restarts]."""
    share = way.fresh
    if isinstance(share, tuple):
        return uniform < np.exp(random.uniform(*np.log(share), uniform.shape[1]))
    if way.nodes == "undecided":
        decided = -probability * (1 - probability) + 1e-9 * uniform
        rank = np.argsort(np.argsort(decided, axis=0), axis=0)
        return uniform < np.clip(2 * share * (1 - rank / len(rank)), 0, 1)
    if way.nodes in {"regions", "conflicts"}:
        first = in_conflict(graph, probability) if way.nodes == "conflicts" else np.zeros_like(chosen)
        columns = zip(first.T, uniform.T, strict=True)
        return np.stack([neighbourhoods(graph, np.argsort(key - own), share) for own, key in columns], axis=1)
    may = {"all": np.ones_like(chosen), "chosen": chosen, "unchosen": ~chosen}[way.nodes]
    return (uniform < share) & may


def in_conflict(graph: Graph, probability: FloatArray) -> Bits:
    """Return which nodes both ends of an edge choose, before decoding, [num_nodes, num_restarts]."""
    likely = probability > 0.5
    found = np.zeros_like(likely)
    low, high = graph.edges
    both = likely[low] & likely[high]
    for ends in (low, high):
        np.logical_or.at(found, ends, both)
    return found


def neighbourhoods(graph: Graph, centres: IntArray, share: float) -> Bits:
    """Return the closed neighbourhoods of nodes, one after the other, until they are a share of all, [num_nodes]."""
    inside = np.zeros(graph.num_nodes, dtype=np.bool_)
    for centre in centres:
        if inside.sum() >= share * len(inside):
            break
        inside[centre] = True
        inside[graph.indices[graph.indptr[centre] : graph.indptr[centre + 1]]] = True
    return inside


def find(rows: list[Row], name: str, way: Way, steps: int, count: int) -> Row | None:
    """Return the row of a way on a set with the package's present network."""
    key = (name, weights_of(name.split(maxsplit=1)[0]), way.title, steps, count)
    told = ((row, tuple(row[name] for name in ("set", "network", "way", "steps", "graphs"))) for row in rows)
    return next((row for row, own in told if own == key), None)


def table(rows: list[Row], ways: tuple[Way, ...], counts: dict[str, int], steps: int) -> str:
    """Return Markdown: for each way the mean ratios after each number of steps, and CPU seconds a graph."""
    names = [
        name for name in filter(has_network, counts) if any(find(rows, name, way, steps, counts[name]) for way in ways)
    ]
    shown = " / ".join(str(budget) for budget in BUDGETS if budget <= steps)
    lines = [f"| after {shown} steps | {' | '.join(names)} |", "|---" * (1 + len(names)) + "|"]
    for way in ways:
        found = [find(rows, name, way, steps, counts[name]) for name in names]
        if any(found):
            lines.append(f"| {way.title} | {' | '.join(map(_cell, found))} |")
    return "\n".join(lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return "-"
    return f"{' / '.join(f'{ratio:.4f}' for ratio in row['ratio'].values())} ({row['cpu']:.3g} s)"


if __name__ == "__main__":
    main()
