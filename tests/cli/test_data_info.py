from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from annealco.cli.data_info import BAR, BINS, histogram
from annealco.graph.formats import read_graph, write_graph
from annealco.graph.graph import Graph
from tests.cli.program import ENVIRONMENT, Output, assert_one_line, call, run


def test_a_broken_file_ends_the_program_with_status_two(files: dict[str, Path]) -> None:
    done = run("data", "info", files["path"], files["broken"], files["twice"])
    assert done.returncode == 2
    assert_one_line(done.stderr)
    assert done.stderr == f"annealco: {files['broken']}:2: node 9 is outside 1..3\n"
    # What was read before is there, plain and in full although the program was told of 40 columns.
    heading, _, row = done.stdout.splitlines()
    assert heading.split()[:5] == ["file", "graph", "nodes", "edges", "density"]
    assert row.split() == [str(files["path"]), "0", "4", "2", "0.333", "0", "1.00", "2", "2", "-"]
    assert "\x1b" not in done.stdout


def test_normalisation_is_a_note(files: dict[str, Path], capsys: Output) -> None:
    assert call("data", "info", files["twice"], files["twice"]) == 0
    out, err = capsys.readouterr()
    assert err == f"annealco: note: {files['twice']}: 1 duplicate edge merged\n" * 2
    assert len(out.splitlines()) == 4


def test_info_as_json_agrees_with_networkx(tmp_path: Path, files: dict[str, Path], capsys: Output) -> None:
    call("data", "make", "rb-small", "--count", 3, "--out", tmp_path)
    path = tmp_path / "rb-small-seed0.npz"
    capsys.readouterr()
    assert call("data", "info", "--json", path, files["path"]) == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(entry["file"], entry["graph"]) for entry in objects] == [
        *((str(path), index) for index in range(3)),
        (str(files["path"]), 0),
    ]
    for entry, graph in zip(objects, [*read_graph(path), read_graph(files["path"])], strict=True):
        same = nx.empty_graph(graph.num_nodes)
        same.add_edges_from(graph.edges.T.tolist())
        degrees = [degree for _, degree in same.degree]
        assert (entry["nodes"], entry["edges"]) == (same.number_of_nodes(), same.number_of_edges())
        assert entry["density"] == pytest.approx(nx.density(same))
        assert (entry["degree_min"], entry["degree_max"]) == (min(degrees), max(degrees))
        assert entry["degree_mean"] == pytest.approx(np.mean(degrees))
        assert entry["components"] == nx.number_connected_components(same)
        assert (entry["node_weighted"], entry["edge_weighted"], entry["name"]) == (False, False, None)
    assert [entry["planted_size"] for entry in objects] == [
        *map(int, read_graph(path).graph_data["planted_size"]),
        None,
    ]


def test_long_files_are_summarised(tmp_path: Path, capsys: Output) -> None:
    # Paths of 2 .. 26 nodes: 25 graphs, 14 nodes and 13 edges on average.
    paths = [
        Graph.from_edges([range(size - 1), range(1, size)], graph_data={"name": [f"P{size}"]}) for size in range(2, 27)
    ]
    write_graph(Graph.batch(paths), tmp_path / "paths.npz")
    assert call("data", "info", tmp_path / "paths.npz") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[2:]]
    assert lines[0][:5] == [str(tmp_path / "paths.npz"), "0", "P2", "2", "1"]
    assert lines[19][:4] == ["19", "P21", "21", "20"]
    assert lines[20] == ["..."]
    assert lines[21][:5] == ["25", "graphs", "min", "2", "1"]
    assert lines[22][:3] == ["mean", "14.00", "13.00"]
    assert lines[23][:3] == ["max", "26", "25"]
    assert len(lines) == 24


def test_weights_are_told(tmp_path: Path, capsys: Output) -> None:
    graph = Graph.from_edges([[0], [1]], node_weight=[1, 2], edge_weight=[0.5])
    write_graph(graph, tmp_path / "pair.npz")
    call("data", "info", tmp_path / "pair.npz")
    assert capsys.readouterr().out.splitlines()[-1].endswith("node edge")


def test_the_format_can_be_named(files: dict[str, Path], capsys: Output) -> None:
    path = files["path"].rename(files["path"].with_suffix(".dat"))
    assert call("data", "info", path) == 2
    assert_one_line(capsys.readouterr().err)
    assert call("data", "info", path, "--format", "dimacs") == 0


@pytest.mark.processes
def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    pair = Graph.from_edges([[0], [1]])
    write_graph(Graph.batch([pair] * 2000), tmp_path / "pairs.npz")
    command = [sys.executable, "-m", "annealco", "data", "info", "--json", str(tmp_path / "pairs.npz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["nodes"] == 2
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_set_is_described_with_histograms(capsys: Output) -> None:
    assert call("data", "info", "ba-small", "--count", 30) == 0
    out = capsys.readouterr().out
    assert out.startswith("ba-small: Barabasi-Albert graphs of 200-300 nodes")
    assert "30 of 3000 graphs" in out
    lines = [line.split() for line in out.splitlines()]
    starts = [place for place, line in enumerate(lines) if line[1:] == ["graphs"]]
    assert len(starts) == 3
    counts = [int(line[3]) for line in lines[starts[0] + 2 : starts[1] - 1]]
    assert sum(counts) == 30


def test_a_set_as_json_is_a_line_a_graph(capsys: Output) -> None:
    assert call("data", "info", "rb-small", "--count", 3, "--json") == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(entry["file"], entry["graph"]) for entry in objects] == [("rb-small", number) for number in range(3)]


@pytest.mark.parametrize("values", [[5], [1, 2, 3], list(range(100)), [0.5, 0.5], [0.1, 0.2, 0.9], [0, 10**6]])
def test_histograms_count_everything_once(values: list[float]) -> None:
    rows = histogram(values)
    assert sum(int(count) for _, count, _ in rows) == len(values)
    assert 1 <= len(rows) <= BINS
    assert max(len(bar) for _, _, bar in rows) == BAR
    assert histogram([]) == []
