"""Solve the graphs of a Ray Data set: from Parquet to Parquet, in the workers of a cluster.

python examples/ray_data.py [--out FOLDER]

Needs `pip install 'annealco[cluster,parquet]' 'ray[data]'`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import ray
from pyarrow import parquet

import annealco

NUM_GRAPHS = 64


def write_graphs(folder: Path) -> None:
    """Write graphs as rows: the ends of the edges, and the number of nodes."""
    graphs = annealco.generate("ba-small", count=NUM_GRAPHS, seed=0)
    rows = [
        {"name": f"g{number}", "source": graph.edges[0], "target": graph.edges[1], "num_nodes": graph.num_nodes}
        for number, graph in enumerate(graphs)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), folder / "graphs.parquet")


def main() -> None:
    """Write graphs, solve them with Ray Data, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=None)
    folder = parser.parse_args().out or Path(tempfile.mkdtemp(prefix="annealco-ray-data-"))
    write_graphs(folder / "graphs")
    ray.init(address="local", include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        ray.data.DataContext.get_current().enable_progress_bars = False
        data = ray.data.read_parquet(str(folder / "graphs"))
        solver = annealco.BatchSolver("mis", moves=500, bound=False)
        data.map_batches(solver, batch_size=16).write_parquet(str(folder / "solutions"))
    finally:
        ray.shutdown()
    solved = parquet.read_table(folder / "solutions").to_pylist()
    print(
        f"{len(solved)} graphs, mean value {np.mean([row['value'] for row in solved]):.2f}, in {folder / 'solutions'}"
    )


if __name__ == "__main__":
    main()
