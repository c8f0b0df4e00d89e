"""The paper's four tables, one per problem: every method on every set, beside the paper's numbers.

A table is run in parts, set by set: the methods that need no training, then learner by learner the training of its
networks and what they find. `annealco.evaluation.bench` appends rows to ``rows.jsonl``; a row that exists is not
computed again. After each part the result is written, with what is not there yet. What the paper's network proposes for
sets of nodes is decoded by probability and in the steepest order, also with more seed nodes: the paper names neither.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from statistics import fmean, pstdev
from typing import Any

from annealco.baselines import find_method
from annealco.datasets.registry import find_dataset
from annealco.evaluation.bench.comparison import FILE, Bench, Comparison, rows_of
from annealco.evaluation.bench.entries import Entry, LabelParts, parts_of_label
from annealco.evaluation.bench.rows import Key, Row, key_of
from annealco.evaluation.bench.table import Line, as_cells, columns, notes, summarise
from annealco.evaluation.references.cases import takes_instances
from annealco.experiments.networks import (
    ERDOS_COLD,
    ERDOS_KL,
    FIELD,
    FIELD_COLD,
    FIELD_KL,
    L1,
    L2,
    PAPER,
    RUN_CSP,
    STATE,
    Learner,
    Network,
    available_sets,
    decoded_in,
    entry_of,
    is_trained,
    record_of,
    train_network,
)
from annealco.experiments.run_folder import (
    SEED,
    SEEDS,
    Material,
    RunFolder,
    Step,
    as_list,
    as_number,
    as_table,
    asked_seeds,
)
from annealco.experiments.scale import READ, Sample
from annealco.problems import find_problem
from annealco.terminal import watched

EXACT = ("gurobi", "cp_sat")
"""The paper's solver, and one that is free."""

TOO_LARGE_FOR_EXACT = frozenset({"facebook"})
"""Sets without exact solvers: building one model takes a minute, and they find nothing in their seconds."""

NETWORKS_OF = {"rb-large": "rb-small", "rb-large-complement": "rb-small-complement", "ba-large": "ba-small"}
"""The set whose networks solve a set of large graphs, where the scale trains none on it."""

LIMITED = frozenset({*EXACT, "search", "annealed+search"})
"""Methods that improve with more time: they run with every limit, all others once."""

SLOW = frozenset({*LIMITED, "run_csp"})
"""Methods that take seconds per graph: the scale may have fewer graphs for them."""

SHOWN = (
    *Key._fields,
    *("graph", "value", "feasible", "reference", "reference_kind", "conductance", "volume", "wall", "cpu", "note"),
)
"""The fields of a row of a comparison that the tables are made of."""

SEED_NODES = (None, 32)
"""How many proposals are decoded in the steepest order: as many as in the other, or more."""

TRAINED = "networks.jsonl"
"""One line per network, in the material of a table."""


@dataclass(frozen=True)
class Table:
    """A table of the paper: methods and networks on the sets of one problem.

    Attributes:
        problem: a key of `PROBLEMS`, and the name of the table.
        title: what it is.
        sets: keys of `DATASETS`.
        methods: that need no training.
        learners: that do.
    """

    problem: str
    title: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    learners: tuple[Learner, ...]

    @property
    def name(self) -> str:
        return self.problem

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what can be run alone: sets, methods, learners and seeds of networks."""
        return (*self.sets, *self.methods, *EXACT, *(each.name for each in self.learners), *SEEDS)

    def plan(self, folder: RunFolder, only: Collection[str] = ()) -> list[Step]:
        """Return the steps that are left to do: methods without a network, then all networks of a seed after another.

        Args:
            folder: of the run.
            only: names among `parts`: of sets, where not all are to be run, of methods and learners, and of seeds,
                likewise.
        """
        sets = [data for data in self.sets if data in only] or self.sets
        # A seed alone asks for networks: other methods have none.
        everyone = {each.name for each in self.learners} if {*SEEDS} & {*only} else set(self.parts)
        whose = set(only) - {*self.sets, *SEEDS} or everyone
        available = available_sets(folder, sets)
        steps, planned = [], set[str]()
        for data in available:
            untrained = [name for name in self._methods(folder, data) if name in whose]
            if untrained:
                what = f"methods of {self.problem} without a network on {data}"
                steps.append(self._comparing(folder, data, what, frozenset(untrained)))
        for seed, data, learner in product(sorted(asked_seeds(only)), available, self.learners):
            networks = self.networks(folder, data, learner) if learner.name in whose else []
            own = [each for each in networks if each.seed == seed]
            for network in own:
                if network.name not in planned and not is_trained(folder, network):
                    planned.add(network.name)
                    steps.append(self._training(folder, network))
            if own:
                steps.append(self._comparing(folder, data, f"{learner.name} on {data}", frozenset({learner.name})))
        return steps

    def is_finished(self, folder: RunFolder) -> bool:
        """Tell whether every network is trained and every method has a row for every graph."""
        return all(
            all(is_trained(folder, each) for each in self.networks(folder, data))
            and not any(Comparison(bench, folder.path).missing for bench in self.benches(folder, data))
            for data in available_sets(folder, self.sets)
        )

    def material(self, folder: RunFolder) -> Material:
        """Return the rows that exist so far, in the order of the tables, and the networks."""
        rows: list[Row] = []
        trained: dict[str, Network] = {}
        for data in available_sets(folder, self.sets):
            trained |= {each.name: each for each in self.networks(folder, data) if is_trained(folder, each)}
            order = [entry.label for entry, _ in self._entries(folder, data)]
            own = [row for bench in self.benches(folder, data) for row in rows_of(bench, folder.path)]
            shown = [{name: row.get(name) for name in SHOWN} for row in own]
            rows += sorted(shown, key=lambda row: (row["limit"], order.index(row["method"])))
        return {FILE: rows, TRAINED: [_facts(folder, each) for each in trained.values()]}

    def as_markdown(self, material: Material) -> str:
        """Return a table for each comparison, and one of the networks."""
        learners = {each.name: each for each in self.learners}
        networks = material[TRAINED]
        unpublished = {each["network"] for each in networks if not learners[each["learner"]].is_published}
        comparisons: dict[Key, list[Row]] = {}
        for row in material[FILE]:
            comparisons.setdefault(key_of(row)._replace(case=0, method=""), []).append(row)
        parts = [part for key, rows in comparisons.items() for part in _compared(key, rows, networks, unpublished)]
        return "\n\n".join([*parts, *_trained(networks, {each.name: each.summary for each in self.learners})])

    def finish(self, folder: RunFolder) -> str:
        """Return the result so far, with what is not there yet."""
        material = self.material(folder)
        heading = folder.begin(self.title, self.missing(folder, material))
        return "\n\n".join(filter(None, [heading, self.as_markdown(material)]))

    def missing(self, folder: RunFolder, material: Material) -> list[str]:
        """Return the methods and networks that have no row yet, a line for each set."""
        found = []
        for data in available_sets(folder, self.sets):
            # The digest of a network's weights tells nothing here, and its folder may be elsewhere.
            there = {parts_of_label(row["method"]) for row in material[FILE] if row["data"] == data}
            missing = [name for name in self._methods(folder, data) if (name, "", "") not in there]
            for network in self.networks(folder, data):
                entries = self._entries_of(folder, network)
                if not {LabelParts(each.name, network.name, each.told.strip()) for each in entries} <= there:
                    missing.append(network.name)
            if missing:
                found.append(f"{data}: {', '.join(missing)}" if there else f"{data}: everything")
        return found

    def networks(self, folder: RunFolder, data: str, *learners: Learner) -> list[Network]:
        """Return the networks that solve a set, of some learners or of all."""
        source = data if folder.scale.own_networks else NETWORKS_OF.get(data, data)
        found = []
        for each in learners or self.learners:
            amount, reading = folder.scale.amount(each.model, source), folder.scale.reading(each.model, self.problem)
            for seed in range(SEED, SEED + amount.seeds):
                name = f"{each.name}-{source}" + (f"-seed-{seed}" if seed != SEED else "")
                found.append(Network(name, self.problem, source, each, amount, reading, seed=seed))
        return found

    def benches(self, folder: RunFolder, data: str, whose: Collection[str] | None = None) -> list[Bench]:
        """Return the comparisons on a set, for each limit one of the quick methods and one of the slow.

        Args:
            folder: of the run.
            data: the set.
            whose: methods and learners that are asked for; all by default. Networks that are not trained are left out.
        """
        scale, quick = folder.scale, self._sample(folder, data)
        entries = [entry for entry, owner in self._entries(folder, data) if whose is None or owner in whose]
        benches = []
        for number, seconds in enumerate(self._limits(folder)):
            taking_part = [each for each in entries if number == 0 or each.name in LIMITED]
            for sample, is_slow in ((quick, False), (quick.slow or quick, True)):
                own = tuple(each for each in taking_part if (each.name in SLOW) == is_slow)
                bench = Bench(
                    data,
                    self.problem,
                    own,
                    limit=sample.limit,
                    every=sample.every,
                    seconds=seconds,
                    moves=scale.moves,
                    seed=SEED,
                )
                benches += [bench] if own else []
        return benches

    def _entries(self, folder: RunFolder, data: str) -> list[tuple[Entry, str]]:
        """Return what there is to compare so far, each with the name of its method or learner."""
        return [(Entry(name, name), name) for name in self._methods(folder, data)] + [
            (entry, network.learner.name)
            for network in self.networks(folder, data)
            if is_trained(folder, network)
            for entry in self._entries_of(folder, network)
        ]

    def _entries_of(self, folder: RunFolder, network: Network) -> list[Entry]:
        """Return the ways to use a network; that of which the paper leaves the decoding open is decoded in more."""
        entries = [entry_of(folder, network, way) for way in network.learner.ways]
        # Ranges are slow to decode in the steepest order.
        if network.learner.model != READ or self._is_seeded:
            return entries
        return [*entries, *(decoded_in("steepest", each, restarts=number) for each in entries for number in SEED_NODES)]

    def _methods(self, folder: RunFolder, data: str) -> list[str]:
        """Return the methods that need no training."""
        return [*self.methods, *(self._exact(folder, data) if folder.scale.exact else [])]

    @property
    def _is_seeded(self) -> bool:
        """Whether the problem has seed nodes, as cuts do: its cases are instances."""
        return takes_instances(find_problem(self.problem))

    def _limits(self, folder: RunFolder) -> tuple[float, ...]:
        return folder.scale.cut_seconds if self._is_seeded else folder.scale.seconds

    def _sample(self, folder: RunFolder, data: str) -> Sample:
        samples = folder.scale.cut_samples if self._is_seeded else folder.scale.samples
        return samples.get(data, Sample())

    def _exact(self, folder: RunFolder, data: str) -> list[str]:
        if data in TOO_LARGE_FOR_EXACT:
            folder.note(f"{' and '.join(EXACT)} are left out on {data}: its graphs are too large for them")
            return []
        for name in EXACT:
            method = find_method(name)
            if not method.is_installed:
                folder.note(f"{name} is left out: it needs pip install 'annealco[{method.needs}]'")
        return [name for name in EXACT if find_method(name).is_installed]

    def _training(self, folder: RunFolder, network: Network) -> Step:
        what = f"{network.learner.name} learns {self.problem} on {network.data}"
        return Step(what, network.guess, partial(train_network, folder, network, picture=True))

    def _comparing(self, folder: RunFolder, data: str, what: str, whose: Collection[str]) -> Step:
        return Step(what, self._guess(folder, data, whose), partial(self._compare, folder, data, whose))

    def _guess(self, folder: RunFolder, data: str, whose: Collection[str]) -> float:
        """Return a rough estimate of the seconds that a part of the comparison on a set takes."""
        dataset, sample = find_dataset(data), self._sample(folder, data)
        ways = {each.name: each.ways for each in self.learners}
        names = [way for name in whose for way in ways.get(name, (name,))]
        size = dataset.mean_nodes + dataset.mean_edges / 20
        total = 1.0
        for name in names:
            own = (sample.slow or sample) if name in SLOW else sample
            seconds = sum(self._limits(folder)) if name in LIMITED and not folder.scale.moves else 1e-4 * size
            # RUN-CSP makes 64 attempts.
            total += (own.limit or dataset.graphs // 5) * seconds * (10 if name == "run_csp" else 1)
        return total

    def _compare(self, folder: RunFolder, data: str, whose: Collection[str]) -> None:
        for bench in self.benches(folder, data, whose):
            run = Comparison(bench, folder.path)
            for _ in watched(run.rows(), f"comparing on {data}", total=len(run.missing)):
                pass
        folder.write_result(self.finish(folder))


def _compared(key: Key, rows: list[Row], networks: list[dict[str, Any]], unpublished: set[str]) -> list[str]:
    """Return heading, tables and notes of a comparison; networks that are not published have no cell of the paper."""
    labels = dict.fromkeys(row["method"] for row in rows)
    entries = tuple(Entry(label, parts_of_label(label).way) for label in labels)
    ours = {label for label in labels if parts_of_label(label).network in unpublished}
    bench = Bench(
        key.data, key.problem, entries, seconds=key.limit, moves=key.moves, seed=key.seed, threads=key.threads
    )
    lines = [replace(each, paper=None) if each.method in ours else each for each in summarise(bench, rows)]
    limit = f"{bench.seconds:g} s" if bench.moves is None else f"{bench.moves} moves"
    headings = columns(lines)
    table = as_table(headings, [as_cells(line, headings) for line in lines])
    said = as_list(notes(bench, rows, lines))
    return [f"## {bench.data}, {limit}", table, *_over_seeds(lines, networks), said]


def _over_seeds(lines: list[Line], networks: list[dict[str, Any]]) -> list[str]:
    """Return a table of the learners with several networks; nothing where there are none."""
    learners = {each["network"]: each["learner"] for each in networks}
    ratios: dict[str, list[float]] = {}
    for line in lines:
        way, network, usage = parts_of_label(line.method)
        if network in learners:
            ratios.setdefault(f"{way}={learners[network]} {usage}".rstrip(), []).append(line.ratio)
    several = [
        [name, str(len(own)), as_number(fmean(own), pstdev(own))] for name, own in ratios.items() if len(own) > 1
    ]
    return [as_table(["mean over seeds", "networks", "ratio"], several)] if several else []


def _facts(folder: RunFolder, network: Network) -> dict[str, Any]:
    """Return the row of a network in the table of networks."""
    record = record_of(folder, network)
    state = json.loads((folder.network(network.name) / STATE).read_text(encoding="utf-8"))
    return {
        "network": network.name,
        "learner": network.learner.name,
        "seed": network.seed,
        "graphs": record["recipe"]["data"]["train"],
        "epochs": record["recipe"]["epochs"],
        "ratio": record["metrics"]["ratio"],
        "cpu": state["cpu_seconds"],
    }


def _trained(networks: list[dict[str, Any]], summaries: dict[str, str]) -> list[str]:
    """Return a table of the networks."""
    if not networks:
        return []
    rows = [
        [
            each["network"],
            summaries[each["learner"]],
            str(each["graphs"]),
            str(each["epochs"]),
            as_number(each["ratio"]),
            f"{each['cpu']:.1f}",
        ]
        for each in networks
    ]
    headings = ["network", "what it is", "graphs", "epochs", "validation ratio", "CPU s of training"]
    return ["## Networks", as_table(headings, rows)]


_GREEDY = ("greedy_fixed", "greedy", "mean_field", "search")

MIS = Table(
    "mis",
    "Maximum independent set",
    ("rb-small", "rb-large", "collab", "twitter"),
    _GREEDY,
    (RUN_CSP, ERDOS_KL, ERDOS_COLD, PAPER, FIELD_KL, FIELD_COLD, FIELD),
)
CLIQUE = Table(
    "clique",
    "Maximum clique",
    # Cliques of the paper's RB graphs are those of the complements, where an optimum is planted.
    ("rb-small-complement", "rb-large-complement", "collab", "twitter"),
    _GREEDY,
    (RUN_CSP, ERDOS_KL, ERDOS_COLD, PAPER, FIELD_KL, FIELD_COLD, FIELD),
)
MDS = Table(
    "mds",
    "Minimum dominating set",
    ("ba-small", "ba-large", "collab", "twitter"),
    _GREEDY,
    (ERDOS_KL, ERDOS_COLD, PAPER, FIELD_KL, FIELD_COLD, FIELD),
)
CUT = Table(
    "cut",
    "Minimum cut within volume bounds",
    # Only a part of SF-295 is available.
    ("sf295-subset", "facebook", "twitter"),
    ("greedy", "mean_field", "search", "pagerank_nibble", "crd", "mqi", "simple_local"),
    (L1, L2, ERDOS_KL, ERDOS_COLD, PAPER, FIELD),
)
