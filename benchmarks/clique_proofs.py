"""Measure how soon maximum cliques are found and proven, beside networkx and igraph.

    python benchmarks/clique_proofs.py run     # adds what benchmarks/results/clique_proofs.jsonl lacks; some minutes
    python benchmarks/clique_proofs.py table   # prints the table of docs/design-notes/exact-search.md

Graphs are the test graphs of named sets, all of them for annealco and the first few for the others, and larger random
ones. `annealco` is `annealco.solve` with its default limit of 0.3 seconds, from the graph to the scored answer. The
others have no limit and no bound: a run that has not ended after 5 CPU seconds is stopped, and counts as that long.
`networkx` is `max_weight_clique`, branch and bound in Python; `igraph` is `clique_number`, in C and without weights.
CPU seconds of one thread, for the others without the conversion of the graph.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from json_lines import Row, append, read_lines

import annealco
from annealco.datasets import load_dataset
from annealco.evaluation.processor_share import run_for_cpu
from annealco.graph.graph import Graph
from annealco.solving.solver import TIME_LIMIT

RESULTS = Path(__file__).parent / "results" / "clique_proofs.jsonl"
SETS = (
    *("er-small", "er-large", "ba-small", "ba-large", "collab", "twitter", "imdb", "reddit", "rb-small", "rb-large"),
    *("er-small-weighted", "er-large-weighted", "rb-small-weighted", "rb-large-weighted"),
)
FEW, MOST_SECONDS = 3, 5
LARGE = {
    "BA(1000, 8)": ("barabasi_albert_graph", (1000, 8)),
    "BA(100000, 8)": ("barabasi_albert_graph", (100_000, 8)),
    "power-law cluster (2000, 8, 0.5)": ("powerlaw_cluster_graph", (2000, 8, 0.5)),
    "G(200, 0.7)": ("gnp_random_graph", (200, 0.7)),
    "G(1000, 0.2)": ("gnp_random_graph", (1000, 0.2)),
}
"""Generators of networkx, with their arguments; three seeds each, without and with weights from 1 to 100."""


def cases() -> Iterator[tuple[str, int, Graph]]:
    """Yield sets, numbers in them and graphs."""
    import networkx as nx

    for name in SETS:
        for number, graph in enumerate(load_dataset(name, "test")):
            yield name, number, graph
    for name, (generator, arguments) in LARGE.items():
        for number in range(FEW):
            drawn = getattr(nx, generator)(*arguments, seed=number)
            graph = Graph.from_edges(np.array(drawn.edges).T, drawn.number_of_nodes())
            yield name, number, graph
            weight = np.random.default_rng(number).integers(1, 101, graph.num_nodes)
            yield f"{name}, weighted", number, graph.with_weights(node_weight=weight.astype(float))


def run_annealco(graph: Graph) -> Row:
    """Solve with the defaults on one thread; the limit is of CPU seconds."""

    def run(limit: float) -> annealco.Solution:
        found = annealco.solve(graph, "clique", num_threads=1, time_limit=limit)
        assert not isinstance(found, list)
        return found

    found, seconds, _ = run_for_cpu(run, TIME_LIMIT)
    return {"value": found.value, "proven": found.optimal, "seconds": seconds}


def run_networkx(graph: Graph) -> Row:
    """Find a clique of the largest weight in Python."""
    import networkx as nx

    converted = nx.Graph()
    converted.add_nodes_from((node, {"w": int(weight)}) for node, weight in enumerate(graph.node_weight))
    converted.add_edges_from(graph.edges.T.tolist())
    began = time.process_time()
    value = nx.max_weight_clique(converted, weight="w")[1]
    return {"value": float(value), "proven": True, "seconds": time.process_time() - began}


def run_igraph(graph: Graph) -> Row:
    """Find the size of the largest clique in C."""
    import igraph

    converted = igraph.Graph(n=graph.num_nodes, edges=graph.edges.T.tolist())
    began = time.process_time()
    value = float(converted.clique_number())
    return {"value": value, "proven": True, "seconds": time.process_time() - began}


PEERS: dict[str, Callable[[Graph], Row]] = {"networkx": run_networkx, "igraph": run_igraph}


def _within_limit(run: Callable[[Graph], Row], graph: Graph, channel: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    channel.send(run(graph))


def run_peer(name: str, graph: Graph) -> Row:
    """Run a peer in a process of its own, which is ended when it has used up its CPU seconds."""
    receiving, sending = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_within_limit, args=(PEERS[name], graph, sending))
    process.start()
    sending.close()
    try:
        return dict(receiving.recv())
    except EOFError:
        return {"value": None, "proven": False, "seconds": float(MOST_SECONDS)}
    finally:
        process.join()


def run() -> None:
    """Add rows that are missing."""
    known = {(row["set"], row["case"], row["method"]) for row in read_lines(RESULTS)}
    annealco.solve(Graph.from_edges([[0], [1]]), "clique")
    for name, number, graph in cases():
        for method in ("annealco", *PEERS):
            if (name, number, method) in known or (method in PEERS and number >= FEW):
                continue
            if method == "igraph" and not np.all(graph.node_weight == 1):
                continue
            row = run_annealco(graph) if method == "annealco" else run_peer(method, graph)
            append(RESULTS, {"set": name, "case": number, "method": method, **row})


def table() -> list[str]:
    """Return the lines of a table in Markdown.

    Raises:
        ValueError: where two methods have proven different values of one graph.
    """
    rows: dict[tuple[str, str], dict[int, Row]] = defaultdict(dict)
    for row in read_lines(RESULTS):
        rows[row["set"], row["method"]][row["case"]] = row
    lines = ["| graphs | number | proven | annealco, mean and most | the first: annealco | networkx | igraph |"]
    lines.append("|---" * 7 + "|")
    for name in dict.fromkeys(name for name, _ in rows):
        own = rows[name, "annealco"]
        seconds = [row["seconds"] for row in own.values()]
        cells = [name, str(len(own)), str(sum(row["proven"] for row in own.values()))]
        cells.append(f"{1000 * np.mean(seconds):.1f} ms, {1000 * max(seconds):.0f} ms")
        for method in ("annealco", *PEERS):
            some = [row for case, row in rows[name, method].items() if case < FEW]
            for row in some:
                if row["proven"] and own[row["case"]]["proven"] and row["value"] != own[row["case"]]["value"]:
                    raise ValueError(f"{name} {row['case']}: {method} has {row['value']}, annealco another value")
            mean = 1000 * np.mean([row["seconds"] for row in some]) if some else 0.0
            ended = all(row["proven"] for row in some)
            cells.append("–" if not some else f"{mean:,.1f} ms" if ended else f"over {mean:,.0f} ms")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["run", "table"])
    if parser.parse_args().action == "run":
        run()
    print("\n".join(table()))


if __name__ == "__main__":
    main()
