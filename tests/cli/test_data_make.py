from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from annealco.cli.data_make import CHUNK
from annealco.graph.datasets import DATASETS, load_dataset
from annealco.graph.datasets.chunks import present_chunks, set_folder
from annealco.graph.datasets.tu_format import tu_reader
from annealco.graph.formats import FORMATS, read_graph, write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from tests.cli.program import ENVIRONMENT, Output, Terminal, assert_one_line, call, run
from tests.graph.datasets.samples import TU_FILES, small_set, write_zip


def test_make_writes_the_same_bytes_twice(tmp_path: Path) -> None:
    written = []
    for folder in ("a", "b/c"):
        done = run("data", "make", "rb-small", "--count", 5, "--seed", 1, "--out", tmp_path / folder)
        assert (done.returncode, done.stderr) == (0, "")
        written.append((tmp_path / folder / "rb-small-seed1.npz").read_bytes())
    assert written[0] == written[1]


def test_made_graphs_are_the_generated_ones_whatever_the_chunks(tmp_path: Path, capsys: Output) -> None:
    count = 2 * CHUNK + 3
    assert call("data", "make", "rb-small", "--count", count, "--seed", 4, "--out", tmp_path) == 0
    path = tmp_path / "rb-small-seed4.npz"
    found, expected = read_graph(path), generate("rb-small", count=count, seed=4)
    assert found.equals(expected)
    assert np.array_equal(found.node_data["planted"], expected.node_data["planted"])
    assert np.array_equal(found.graph_data["planted_size"], expected.graph_data["planted_size"])
    sizes = f"{count} graphs, {expected.num_nodes} nodes, {expected.num_edges} edges"
    assert capsys.readouterr() == (f"{path}: {sizes}\n", "")
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_making_again_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "ba-small-seed0.npz"
    path.write_bytes(b"something else")
    assert call("data", "make", "ba-small", "--count", 2, "--out", tmp_path) == 0
    assert read_graph(path).equals(generate("ba-small", count=2, seed=0))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_made_and_read(name: str, tmp_path: Path, capsys: Output) -> None:
    assert call("data", "make", "regular-small", "--count", 2, "--seed", 3, "--out", tmp_path, "--format", name) == 0
    expected = generate("regular-small", count=2, seed=3)
    paths = sorted(tmp_path.iterdir())
    found = Graph.batch([read_graph(path) for path in paths])
    assert np.array_equal(found.edges, expected.edges)
    assert np.array_equal(found.node_ptr, expected.node_ptr)
    out = capsys.readouterr().out
    assert out.startswith(" .. ".join(map(str, paths)) + ": 2 graphs, ")
    if len(paths) == 2:
        assert [path.name.partition(".")[0] for path in paths] == [
            "regular-small-seed3-00000",
            "regular-small-seed3-00001",
        ]


def test_no_graphs_can_be_made(tmp_path: Path, capsys: Output) -> None:
    assert call("data", "make", "rb-small", "--count", 0, "--out", tmp_path) == 0
    assert call("data", "info", tmp_path / "rb-small-seed0.npz") == 0
    assert call("data", "info", "--json", tmp_path / "rb-small-seed0.npz") == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[-1].split() == [str(tmp_path / "rb-small-seed0.npz"), "none"]
    assert err == ""


@pytest.mark.processes
def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "annealco",
        "data",
        "make",
        "er-small",
        "--count",
        str(5 * CHUNK),
        "--out",
        str(tmp_path),
    ]
    with Terminal() as terminal:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal.file, check=True, env=ENVIRONMENT)
    assert done.stdout.count(b"\n") == 1
    assert b"drawing" in terminal.drawn


def test_without_a_folder_the_cache_is_filled(capsys: Output) -> None:
    assert call("data", "make", "ba-small", "--count", 30, "--seed", 2) == 0
    folder = set_folder(DATASETS["ba-small"])
    assert capsys.readouterr().out == f"{folder}: 30 in train\n"
    assert sorted(present_chunks(folder / "seed2" / "train")) == [0, 20]
    assert load_dataset("ba-small", count=30, seed=2).equals(generate("ba-small", count=30, seed=2))


def test_a_damaged_file_in_the_cache_is_made_anew(capsys: Output) -> None:
    assert call("data", "make", "ba-small", "--count", 30) == 0
    chunks = present_chunks(set_folder(DATASETS["ba-small"]) / "seed0" / "train")
    good = chunks[20].read_bytes()
    chunks[20].write_bytes(good[:-1])
    capsys.readouterr()
    assert call("data", "make", "ba-small", "--count", 30) == 0
    err = "annealco: ba-small train: 1 damaged file removed from the cache, to be drawn anew\n"
    assert capsys.readouterr().err == err
    assert chunks[20].read_bytes() == good


def test_splits_are_written_under_their_names(tmp_path: Path, capsys: Output) -> None:
    arguments = ("data", "make", "rb-small-weighted", "--count", 3, "--out", tmp_path, "--split", "test")
    assert call(*arguments) == 0
    found = read_graph(tmp_path / "rb-small-weighted-seed0-test.npz")
    assert found.equals(load_dataset("rb-small-weighted", "test", count=3))


def test_real_sets_are_written_too(tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Graph.batch([Graph.from_edges([[0], [1]])] * 5)
    write_graph(pair, tmp_path / "PAIRS.npz")
    origin = replace(DATASETS["imdb"].stored, file="PAIRS.npz")
    dataset = replace(DATASETS["imdb"], name="pairs", origin=origin, graphs=5, mean_nodes=2, mean_edges=1)
    monkeypatch.setitem(DATASETS, "pairs", dataset)
    root = ("--data-root", tmp_path)
    assert call("data", "make", "pairs", *root) == 0
    assert capsys.readouterr().out == f"pairs: {tmp_path / 'PAIRS.npz'}\n"
    for option in (("--count", 2), ("--seed", 1), ("--split", "test")):
        assert call("data", "make", "pairs", *option, *root) == 2
        err = "annealco: pairs is kept as a whole; --count, --split and --seed go with --out\n"
        assert capsys.readouterr().err == err
    assert call("data", "make", "pairs", "--split", "train", "--out", tmp_path / "out", *root) == 0
    assert read_graph(tmp_path / "out" / "pairs-seed0-train.npz").num_graphs == 3


def test_a_damaged_file_of_a_real_set_is_fetched_anew_or_told(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    archive = write_zip(tmp_path / "TINY.zip", TU_FILES)
    facts = {"name": "tiny", "graphs": 2, "mean_nodes": 3.5, "mean_edges": 3.0}
    monkeypatch.setitem(DATASETS, "tiny", small_set(archive.as_uri(), tu_reader("TINY"), **facts))
    assert call("data", "make", "tiny") == 0
    path = Path(capsys.readouterr().out.removeprefix("tiny: ").strip())
    good = path.read_bytes()
    path.write_bytes(good[:-1])
    assert call("data", "make", "tiny") == 0
    assert capsys.readouterr() == (f"tiny: {path}\n", f"annealco: {path}: it is damaged, and is fetched anew\n")
    assert path.read_bytes() == good
    (tmp_path / "IMDB-BINARY.npz").write_bytes(b"other")
    assert call("data", "make", "imdb", "--data-root", tmp_path) == 2
    assert "IMDB-BINARY.npz: its SHA-256 is " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--count", 10**12), "count must be at most"),
        (("--count", 10**9), "ask for a smaller count"),
        (("--count", 10**9, "--out", "x"), "ask for a smaller count"),
        (("--format", "dimacs"), "--format goes with --out"),
        (("--split", "dev"), "unknown split 'dev'"),
        (("--split", "all", "--count", 3001), "all splits have 3,000 graphs"),
    ],
)
def test_what_cannot_be_made_is_refused_first(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("data", "make", "rb-small", *arguments) == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert message in err
    assert list(tmp_path.iterdir()) == []
