"""Convert archives of the TUDataset collection, read by PyG."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from annealco.graph.datasets.unpacking import unpacked
from annealco.graph.errors import GraphFileError
from annealco.graph.graph import Graph
from annealco.optional import require

FILES = ("A", "graph_indicator", "graph_labels")
"""What is read of an archive; labels and attributes of nodes and edges are not needed."""


def read_tu(path: Path, *, name: str) -> Graph:
    """Read an archive of TUDataset; class labels become ``graph_data["y"]``.

    Args:
        path: the zip archive, as it is published.
        name: of the set in the collection, with which its files begin.

    Raises:
        GraphFileError: where files are missing or PyG cannot read them.
        InputError: where PyG is not installed.
    """
    require("a set of TUDataset", "torch", "torch_geometric")
    from torch_geometric.datasets import TUDataset
    from torch_geometric.io import read_txt_array

    wanted = {f"{name}_{part}.txt" for part in FILES}
    with TemporaryDirectory(prefix="annealco-") as root:
        raw = Path(root) / name / "raw"
        raw.mkdir(parents=True)
        for short, content in unpacked(path, wanted.__contains__):
            (raw / short).write_bytes(content)
        for missing in sorted(wanted - {each.name for each in raw.iterdir()}):
            raise GraphFileError(path, f"the archive has no file {missing}")
        try:
            # With the raw files in place PyG downloads nothing; what it does it would say on stderr.
            with redirect_stderr(io.StringIO()):
                data = TUDataset(root, name)
            graph_of_node = read_txt_array(str(raw / f"{name}_graph_indicator.txt")).numpy().astype(np.int64) - 1
        except (ValueError, RuntimeError, IndexError) as error:
            said = " ".join(str(error).split())
            raise GraphFileError(path, f"PyG cannot read it: {said}") from None
        parts = [data.get(number) for number in range(len(data))]
    node_ptr = np.concatenate([[0], np.cumsum(np.bincount(graph_of_node, minlength=len(parts)))])
    shifted = [part.edge_index.numpy() + start for part, start in zip(parts, node_ptr[:-1], strict=True)]
    joined = np.concatenate(shifted, axis=1)
    labels = np.array([int(part.y) for part in parts])
    # Both directions of each edge are there; one is enough.
    once = joined[:, joined[0] < joined[1]]
    return Graph.from_edges(once, node_ptr=node_ptr, graph_data={"y": labels}, origin=str(path))


def tu_reader(name: str) -> partial[Graph]:
    """Return the reader of one set of the collection."""
    return partial(read_tu, name=name)
