"""Measure an older version on a graph that `sparse_packing.py` has drawn, with the Python of its environment.

OTHER/bin/python benchmarks/packing_before.py --commit 9e48326 --graph GRAPH.npz --out ROWS.jsonl

Independent sets of the Barabási–Albert graph of 10⁶ nodes, without weights and bounds, one thread. Smaller graphs are
solved first, so that what that version compiles at first use is not timed. Run it on a machine with a core to spare:
its limit is of the wall clock.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import annealco

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--commit", required=True, help="of the version, for the rows")
parser.add_argument("--graph", type=Path, required=True, help="the .npz that sparse_packing.py keeps")
parser.add_argument("--limits", type=float, nargs="+", default=[20.0, 60.0])
parser.add_argument("--out", type=Path, required=True, help="JSON lines")
given = parser.parse_args()
number = int(given.graph.stem.rpartition("-")[2])
with np.load(given.graph) as stored:
    edges, num_nodes = stored["edges"], len(stored["weight"])
for count in (2_000, 2_000, 100_000):
    inside = edges[:, (edges < count).all(axis=0)]
    annealco.solve(annealco.Graph.from_edges(inside, count), "mis", time_limit=2, bound=False)
graph = annealco.Graph.from_edges(edges, num_nodes)
for limit in given.limits:
    begun = time.process_time()
    found = annealco.solve(graph, "mis", time_limit=limit, seed=1, bound=False, num_threads=1)
    row = {"family": "ba", "nodes": num_nodes, "problem": "mis", "weighted": False, "limit": limit}
    row |= {"method": f"annealco {given.commit}", "graph": number, "seed": 1, "value": found.value}
    row |= {"cpu": round(time.process_time() - begun, 2)}
    with given.out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(row, flush=True)
