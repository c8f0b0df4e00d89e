from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from annealco.evaluation.references import extend_references, load_references
from annealco.graph.datasets import DATASETS, load_dataset
from annealco.graph.errors import InputError
from annealco.problems import PROBLEMS
from tests.graph.datasets.samples import needs_data

STORED = [
    path.name.removesuffix(".jsonl").rpartition("-")[::2]
    for path in (files("annealco.evaluation") / "references").iterdir()
]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("ANNEALCO_CACHE", str(tmp_path_factory.mktemp("cache")))


def test_values_are_scored_proven_and_kept() -> None:
    made = list(extend_references("ba-small", "mds", limit=3, time_limit=2))
    assert [each.graph for each in made] == [0, 1, 2]
    graphs = load_dataset("ba-small", "test", count=3)
    for each in made:
        assert PROBLEMS["mds"].score(graphs[each.graph], each.nodes) == each.value
        same = nx.Graph(graphs[each.graph].edges.T.tolist())
        assert nx.is_dominating_set(same, set(each.nodes))
    assert load_references("ba-small", "mds") == {each.graph: each for each in made}
    assert list(extend_references("ba-small", "mds", limit=3)) == []
    assert [each.graph for each in extend_references("ba-small", "mds", limit=4)] == [3]


def test_forced_graphs_reach_what_is_planted() -> None:
    made = list(extend_references("rb-small", "mis", limit=3, time_limit=2))
    planted = load_dataset("rb-small", "test", count=3).graph_data["planted_size"]
    assert [each.value for each in made] == planted.tolist()
    assert all(each.proven for each in made)


def test_only_what_is_not_proven_is_tried_again(tmp_path: Path) -> None:
    first = list(extend_references("er-small", "mis", limit=2, time_limit=0.05, folder=tmp_path))
    again = list(extend_references("er-small", "mis", limit=2, time_limit=0.05, again=True, folder=tmp_path))
    assert [each.graph for each in again] == [each.graph for each in first if not each.proven]
    best = load_references("er-small", "mis", folder=tmp_path)
    rows = [*first, *again]
    assert {number: each.value for number, each in best.items()} == {
        number: max(row.value for row in rows if row.graph == number) for number in (0, 1)
    }


def test_nothing_is_an_error_with_a_remedy() -> None:
    with pytest.raises(InputError, match="there are no references of er-large for mis; 'annealco data reference'"):
        load_references("er-large", "mis")
    with pytest.raises(InputError, match="references of cut need its options"):
        list(extend_references("twitter", "cut"))


@needs_data
@pytest.mark.parametrize(("name", "problem"), STORED)
def test_a_sample_of_the_stored_solutions_has_the_stored_values(name: str, problem: str) -> None:
    graphs = load_dataset(name, "test")
    found = load_references(name, problem)
    assert problem in DATASETS[name].problems
    assert set(found) <= set(range(graphs.num_graphs))
    for number in np.random.default_rng(0).permutation(sorted(found))[:100].tolist():
        assert PROBLEMS[problem].score(graphs[number], found[number].nodes) == found[number].value


def test_a_killed_program_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "ba-small-mds.jsonl"
    command = [sys.executable, "-m", "annealco", "data", "reference", "ba-small", "mds", "--limit", "12"]
    command += ["--time-limit", "1", "--threads", "1", "--out", str(tmp_path)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 120
        while (not path.exists() or path.read_bytes().count(b"\n") < 4) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    left = load_references("ba-small", "mds", folder=tmp_path)
    assert 3 <= len(left) < 12
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    whole = load_references("ba-small", "mds", folder=tmp_path)
    assert sorted(whole) == list(range(12))
    assert whole.items() >= left.items()
