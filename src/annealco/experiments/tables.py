"""The paper's four tables, one per problem: every method on every set, beside the paper's numbers.

For each set the networks are trained, then all methods run on its test graphs by `annealco.evaluation.bench`, which
appends rows to ``rows.jsonl``. A row that exists is not computed again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from annealco.baselines import find_method
from annealco.datasets.registry import find_dataset
from annealco.evaluation.bench.comparison import FILE, Bench, Comparison, rows_of
from annealco.evaluation.bench.entries import Entry
from annealco.evaluation.bench.rows import Key, Row, key_of
from annealco.evaluation.bench.table import as_cells, columns, notes, summarise
from annealco.evaluation.references.cases import takes_instances
from annealco.experiments.networks import (
    ERDOS_KL,
    ERDOS_KL_CUT,
    FIELD,
    L1,
    L2,
    PAPER,
    PAPER_CUT,
    RUN_CSP,
    STATE,
    Learner,
    Network,
    available_sets,
    entry_of,
    is_trained,
    record_of,
    train_network,
)
from annealco.experiments.run_folder import SEED, Material, RunFolder, Step, as_list, as_number, as_table
from annealco.experiments.scale import Sample
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

SHOWN = (
    *Key._fields,
    *("graph", "value", "feasible", "reference", "reference_kind", "conductance", "volume", "wall", "cpu", "note"),
)
"""The fields of a row of a comparison that the tables are made of."""

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

    def plan(self, folder: RunFolder) -> list[Step]:
        """Return the steps that are left to do: training, then comparisons."""
        sets, steps, planned = available_sets(folder, self.sets), [], set[str]()
        for data in sets:
            for network in self.networks(folder, data):
                if network.name not in planned and not is_trained(folder, network):
                    planned.add(network.name)
                    steps.append(self._training(folder, network))
            what = f"all methods of {self.problem} on {data}"
            steps.append(Step(what, self._guess(folder, data), partial(self._compare, folder, data)))
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
            networks = self.networks(folder, data)
            if not all(is_trained(folder, each) for each in networks):
                continue
            trained |= {each.name: each for each in networks}
            for bench in self.benches(folder, data):
                order = [entry.label for entry in bench.entries]
                own = [{name: row.get(name) for name in SHOWN} for row in rows_of(bench, folder.path)]
                rows += sorted(own, key=lambda row: order.index(row["method"]))
        return {FILE: rows, TRAINED: [_facts(folder, each) for each in trained.values()]}

    def as_markdown(self, material: Material) -> str:
        """Return a table for each comparison, and one of the networks."""
        learners = {each.name: each for each in self.learners}
        networks = material[TRAINED]
        unpublished = {each["network"] for each in networks if not learners[each["learner"]].is_published}
        comparisons: dict[Key, list[Row]] = {}
        for row in material[FILE]:
            comparisons.setdefault(key_of(row)._replace(case=0, method=""), []).append(row)
        parts = [part for key, rows in comparisons.items() for part in _compared(key, rows, unpublished)]
        return "\n\n".join([*parts, *_trained(networks, {each.name: each.summary for each in self.learners})])

    def finish(self, folder: RunFolder) -> str:
        """Return the result so far."""
        return f"# {self.title}: scale {folder.scale.name}\n\n{self.as_markdown(self.material(folder))}".rstrip()

    def networks(self, folder: RunFolder, data: str) -> list[Network]:
        """Return the networks that solve a set."""
        source = data if folder.scale.own_networks else NETWORKS_OF.get(data, data)
        return [
            Network(f"{each.name}-{source}", self.problem, source, each, folder.scale.amount(each.model, source), {})
            for each in self.learners
        ]

    def benches(self, folder: RunFolder, data: str) -> list[Bench]:
        """Return the comparisons on a set, one for each limit; its networks must be trained."""
        scale, sample = folder.scale, self._sample(folder, data)
        names = [*self.methods, *(self._exact(folder, data) if scale.exact else [])]
        entries = [Entry(name, name) for name in names] + [
            entry_of(folder, network, way) for network in self.networks(folder, data) for way in network.learner.ways
        ]
        return [
            Bench(
                data,
                self.problem,
                tuple(each for each in entries if number == 0 or each.name in LIMITED),
                limit=sample.limit,
                every=sample.every,
                seconds=seconds,
                moves=scale.moves,
                seed=SEED,
            )
            for number, seconds in enumerate(self._limits(folder))
        ]

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

    def _guess(self, folder: RunFolder, data: str) -> float:
        """Return a rough estimate of the seconds that the comparison on a set takes."""
        dataset, sample = find_dataset(data), self._sample(folder, data)
        cases = sample.limit or dataset.graphs // 5
        limited = 0.1 if folder.scale.moves else 4 * sum(self._limits(folder))
        # The 64 attempts of RUN-CSP are what takes long, where it takes part.
        learned = 1e-4 * (dataset.mean_nodes + dataset.mean_edges / 20) * len(self.learners)
        return 1.0 + cases * (limited + learned)

    def _compare(self, folder: RunFolder, data: str) -> None:
        for bench in self.benches(folder, data):
            run = Comparison(bench, folder.path)
            for _ in watched(run.rows(), f"comparing on {data}", total=len(run.missing)):
                pass
        folder.write_result(self.finish(folder))


def _compared(key: Key, rows: list[Row], unpublished: set[str]) -> list[str]:
    """Return heading, table and notes of a comparison; networks that are not published have no cell of the paper."""
    labels = dict.fromkeys(row["method"] for row in rows)
    # A label is a method, or a way to use a network, with its name and digest: way=network#digest.
    entries = tuple(Entry(label, label.partition("=")[0]) for label in labels)
    ours = {label for label in labels if label.partition("=")[2].partition("#")[0] in unpublished}
    bench = Bench(
        key.data, key.problem, entries, seconds=key.limit, moves=key.moves, seed=key.seed, threads=key.threads
    )
    lines = [replace(each, paper=None) if each.method in ours else each for each in summarise(bench, rows)]
    limit = f"{bench.seconds:g} s" if bench.moves is None else f"{bench.moves} moves"
    headings = columns(lines)
    table = as_table(headings, [as_cells(line, headings) for line in lines])
    said = as_list(notes(bench, rows, lines))
    return [f"## {bench.data}, {limit}", table, said]


def _facts(folder: RunFolder, network: Network) -> dict[str, Any]:
    """Return the row of a network in the table of networks."""
    record = record_of(folder, network)
    state = json.loads((folder.network(network.name) / STATE).read_text(encoding="utf-8"))
    return {
        "network": network.name,
        "learner": network.learner.name,
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
    (ERDOS_KL, RUN_CSP, PAPER, FIELD),
)
CLIQUE = Table(
    "clique",
    "Maximum clique",
    # Cliques of the paper's RB graphs are those of the complements, where an optimum is planted.
    ("rb-small-complement", "rb-large-complement", "collab", "twitter"),
    _GREEDY,
    (ERDOS_KL, RUN_CSP, PAPER, FIELD),
)
MDS = Table(
    "mds", "Minimum dominating set", ("ba-small", "ba-large", "collab", "twitter"), _GREEDY, (ERDOS_KL, PAPER, FIELD)
)
CUT = Table(
    "cut",
    "Minimum cut within volume bounds",
    # Only a part of SF-295 is available.
    ("sf295-subset", "facebook", "twitter"),
    ("greedy", "mean_field", "search", "pagerank_nibble", "crd", "mqi", "simple_local"),
    (ERDOS_KL_CUT, L1, L2, PAPER_CUT, FIELD),
)
