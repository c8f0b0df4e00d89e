"""From your data to a file of answers: one road network in every container and file that people have.

python examples/your_data.py [--out FOLDER]

Towns have prices and roads have lengths. The cheapest set of towns that every road touches is the same whatever the
network comes in. Containers of packages that are not installed are left out.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse import coo_array

import annealco

ROADS = [
    ("Aarhus", "Bergen", 710.0),
    ("Aarhus", "Odense", 145.0),
    ("Bergen", "Oslo", 463.0),
    ("Bergen", "Turku", 1010.0),
    ("Odense", "Malmo", 170.0),
    ("Malmo", "Oslo", 530.0),
    ("Oslo", "Turku", 790.0),
    ("Oslo", "Umea", 760.0),
]
PRICES = {"Aarhus": 4.0, "Bergen": 3.0, "Odense": 2.0, "Oslo": 5.0, "Malmo": 4.0, "Turku": 2.0, "Umea": 1.0}
TOWNS = list(PRICES)


def write_tables(folder: Path) -> tuple[Path, Path]:
    """Write roads and towns as CSV files."""
    roads, towns = folder / "roads.csv", folder / "towns.csv"
    for path, rows in ((roads, [("from", "to", "km"), *ROADS]), (towns, [("town", "price"), *PRICES.items()])):
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return roads, towns


def networkx_graph() -> Any:
    """Return the network with attributes of nodes and edges."""
    graph = nx.Graph()
    graph.add_nodes_from((town, {"price": price}) for town, price in PRICES.items())
    graph.add_weighted_edges_from(ROADS, weight="km")
    return graph


def matrix() -> np.ndarray:
    """Return the symmetric 0/1 matrix of the roads, in the order of the towns."""
    found = np.zeros((len(TOWNS), len(TOWNS)))
    for start, end, _ in ROADS:
        found[TOWNS.index(start), TOWNS.index(end)] = found[TOWNS.index(end), TOWNS.index(start)] = 1
    return found


def containers(folder: Path) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield what the network comes in, the thing itself, and what to tell `solve` about its parts."""
    pairs = [(start, end) for start, end, _ in ROADS]
    neighbours: dict[str, list[str]] = {town: [] for town in TOWNS}
    for start, end in pairs:
        neighbours[start].append(end)
    roads, towns = write_tables(folder)
    yield "CSV files", roads, {"ends": ("from", "to"), "nodes": towns, "node_weight": "price", "edge_weight": None}
    yield "networkx", networkx_graph(), {"node_weight": "price", "edge_weight": "km"}
    yield "list of pairs", pairs, {"nodes": PRICES}
    yield "list of weighted pairs", ROADS, {"nodes": PRICES}
    yield "dict of neighbours", neighbours, {"nodes": PRICES}
    if find_spec("pandas"):
        import pandas as pd

        table = pd.DataFrame(ROADS, columns=["from", "to", "km"])
        yield "pandas", table, {"ends": ("from", "to"), "edge_weight": "km", "nodes": PRICES}
    if find_spec("polars"):
        import polars as pl

        frame = pl.DataFrame({"from": [road[0] for road in ROADS], "to": [road[1] for road in ROADS]})
        yield "polars", frame, {"ends": ("from", "to"), "nodes": PRICES}
    if find_spec("igraph"):
        import igraph

        drawn = igraph.Graph([(TOWNS.index(start), TOWNS.index(end)) for start, end in pairs])
        drawn.vs["name"], drawn.vs["price"] = TOWNS, list(PRICES.values())
        yield "igraph", drawn, {"node_weight": "price"}


def numbered() -> Iterator[tuple[str, Any]]:
    """Yield containers that have neither names nor prices, but the order of the towns."""
    yield "dense matrix", matrix()
    yield "SciPy", coo_array(matrix()).tocsr()
    if find_spec("torch_geometric"):
        import torch
        from torch_geometric.data import Data

        yield "PyG", Data(edge_index=torch.tensor(np.array(np.nonzero(matrix()))), num_nodes=len(TOWNS))


def main() -> None:
    """Solve the network in every container, draw it, and write the answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="a folder; by default one that is deleted at the end")
    out = parser.parse_args().out
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) if out is None else out
        folder.mkdir(parents=True, exist_ok=True)
        for name, container, names in containers(folder):
            solution = annealco.solve(container, "vertex_cover", **names)
            print(f"{name}: {sorted(solution.nodes)} for {solution.value:g}, optimal: {solution.optimal}")
        prices = np.array(list(PRICES.values()))
        for name, container in numbered():
            graph = annealco.as_graph(container).with_weights(node_weight=prices)
            solution = annealco.solve(graph, "vertex_cover")
            print(f"{name}: {sorted(TOWNS[node] for node in solution.nodes)} for {solution.value:g}")
        solution = annealco.solve(networkx_graph(), "vertex_cover", node_weight="price", edge_weight="km")
        solution.save(folder / "answer.csv")
        if find_spec("matplotlib"):
            solution.plot().figure.savefig(folder / "answer.png")
        print((folder / "answer.csv").read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()
