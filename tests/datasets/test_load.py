from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annealco.datasets import DATASETS, load_dataset
from annealco.datasets.cache import CHUNK, split_folder
from annealco.datasets.load import split_counts
from annealco.datasets.registry import Dataset
from annealco.datasets.splits import shuffled
from annealco.errors import GraphFileError, InputError
from annealco.graph.formats import write_graph
from annealco.graph.generators import generate
from tests.datasets.samples import needs_data, paths, registered
from tests.waiting import PATIENCE

__all__ = ["registered"]


@pytest.mark.parametrize("count", [0, 1, CHUNK, CHUNK + 3])
def test_drawn_graphs_are_the_generated_ones(count: int) -> None:
    for _ in range(2):
        graph = load_dataset("rb-small", count=count, seed=4)
        expected = generate("rb-small", count=count, seed=4)
        assert graph.equals(expected)
        assert set(graph.node_data) == set(expected.node_data)


def test_all_splits_come_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annealco.datasets.load.DEFAULT_COUNTS", {"train": 50, "validation": 20, "test": 20})
    whole = load_dataset("regular-small", "all", count=60)
    assert whole[:50].equals(load_dataset("regular-small", "train", count=50))
    assert whole[50:].equals(load_dataset("regular-small", "validation", count=10))


def test_more_than_all_splits_have_is_refused() -> None:
    with pytest.raises(InputError, match="all splits have 3,000 graphs; of more, load one split"):
        split_counts("all", 3001)


def test_stored_graphs_are_shuffled_and_split(tmp_path: Path, registered: Dataset) -> None:
    write_graph(paths(), tmp_path / "PATHS.npz")
    assert load_dataset("paths", "all", data_root=tmp_path).equals(paths())
    order = shuffled("paths", 10, 3)
    for split, part in (("train", order[:6]), ("validation", order[6:8]), ("test", order[8:])):
        found = load_dataset("paths", split, seed=3, data_root=tmp_path)
        assert np.diff(found.node_ptr).tolist() == (part + 2).tolist()
        assert found.graph_data["y"].tolist() == (part % 2).tolist()
    assert load_dataset("paths", "train", count=2, data_root=tmp_path).num_graphs == 2
    with pytest.raises(InputError, match="paths has 2 graphs in 'test', 3 are wanted"):
        load_dataset("paths", "test", count=3, data_root=tmp_path)


def test_damaged_chunks_are_refused() -> None:
    load_dataset("ba-small", count=1)
    (path,) = split_folder(DATASETS["ba-small"], "train", 0).iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(GraphFileError, match="it is damaged"):
        load_dataset("ba-small", count=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "rb"}, "unknown data set 'rb'"),
        ({"split": "dev"}, "unknown split 'dev'"),
        ({"count": -1}, "count must be at least 0"),
        ({"count": 1.5}, "count must be an integer"),
        ({"count": 10**9}, "ask for a smaller count"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"name": "nci60", "seed": 2**64}, "seed must be at most"),
        ({"name": "nci60", "data_root": "."}, r"nci60 has no public archive; put NCI60\.npz"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str, cache: Path) -> None:
    with pytest.raises(InputError, match=message):
        load_dataset(**{"name": "rb-small", **arguments})
    assert list(cache.iterdir()) == []


@pytest.mark.processes
def test_two_programs_may_draw_the_same_set_at_once() -> None:
    program = "from annealco.datasets import load_dataset; print(load_dataset('er-small', count=60))"
    both = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    expected = f"{generate('er-small', count=60, seed=0)}\n"
    assert [process.communicate(timeout=PATIENCE)[0] for process in both] == [expected] * 2
    assert len(list(split_folder(DATASETS["er-small"], "train", 0).iterdir())) == 60 / CHUNK


@needs_data
def test_collab_loads_within_memory() -> None:
    program = (
        "import re; from annealco.datasets import load_dataset;"
        "graph = load_dataset('collab', 'all');"
        # What getrusage calls the peak may be that of the process that started this one.
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], graph.num_edges)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    kilobytes, edges = map(int, done.stdout.split())
    assert edges == 12_286_079
    assert kilobytes < 1.5 * 2**20
