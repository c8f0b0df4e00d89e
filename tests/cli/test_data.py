from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from annealco.cli.data import BAR, BINS, CHUNK, data_app, histogram, on_disk
from annealco.datasets import DATASETS, load_dataset
from annealco.datasets.cache import present_chunks, set_folder, split_folder
from annealco.datasets.readers import tu_reader
from annealco.evaluation.references import best_value
from annealco.graph.formats import FORMATS, read_graph, write_graph
from annealco.graph.generators import generate
from annealco.graph.graph import Graph
from annealco.solving.solver import Solver
from tests.budgets import FAR
from tests.cli.program import ENVIRONMENT, Output, Terminal, assert_one_line, call, run
from tests.datasets.samples import TU_FILES, small_set, write_zip


def test_every_set_has_a_line(capsys: Output) -> None:
    assert call("data", "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(DATASETS)]] == list(DATASETS)
    (collab,) = [line for line in lines if line.startswith("collab ")]
    assert collab.split()[1:] == ["5000", "74", "2457", "mis", "clique", "mds", "no"]
    assert "a part only" in next(line for line in lines if line.startswith("sf295-subset:"))
    assert "stand-in" in next(line for line in lines if line.startswith("nci60:"))


@pytest.mark.processes
def test_the_table_fits_80_characters(tmp_path: Path) -> None:
    with Terminal() as terminal:
        command = [sys.executable, "-m", "annealco", "data", "list"]
        environment = ENVIRONMENT | {"TERM": "xterm", "COLUMNS": "80", "ANNEALCO_CACHE": str(tmp_path)}
        assert subprocess.run(command, stdout=terminal.file, env=environment, check=False).returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.drawn.decode()).replace("\r", "")
    table = text.partition("\n\n")[0].splitlines()
    assert max(map(len, table)) == 80
    # Names are never broken: they are typed.
    assert {*DATASETS} <= {line.split()[0] for line in table if line.strip()}


def test_json_has_the_same(capsys: Output) -> None:
    assert call("data", "list", "--json") == 0
    objects = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["name"] for entry in objects] == list(DATASETS)
    (twitter,) = [entry for entry in objects if entry["name"] == "twitter"]
    assert (twitter["graphs"], twitter["kind"], twitter["on_disk"]) == (973, "real", None)


def test_what_is_on_the_disk_is_told(tmp_path: Path) -> None:
    assert on_disk(DATASETS["ba-small"]) is None
    load_dataset("ba-small", count=21)
    assert on_disk(DATASETS["ba-small"]) == "40 graphs"
    assert on_disk(DATASETS["collab"], tmp_path) is None
    (tmp_path / "COLLAB.npz").touch()
    assert on_disk(DATASETS["collab"], tmp_path) == "COLLAB.npz"


def test_a_missing_folder_is_one_line(tmp_path: Path, capsys: Output) -> None:
    assert call("data", "list", "--data-root", tmp_path / "x") == 2
    assert capsys.readouterr() == ("", f"annealco: {tmp_path / 'x'}: the data folder does not exist\n")


@pytest.mark.parametrize("command", ["list", "info", "make", "verify"])
def test_help_is_there(command: str, capsys: Output) -> None:
    assert call("data", command, "--help") == 0
    assert "Usage" in capsys.readouterr().out


def test_a_broken_file_ends_the_program_with_status_two(files: dict[str, Path]) -> None:
    done = run("data", "info", files["path"], files["broken"], files["twice"])
    assert done.returncode == 2
    assert_one_line(done.stderr)
    assert done.stderr == f"annealco: {files['broken']}:2: node 9 is outside 1..3\n"
    # What was read before is there, plain and in full although the program was told of 40 columns.
    heading, _, row = done.stdout.splitlines()
    assert heading.split() == ["graph", "nodes", "edges", "density", "degree", "min..max", "parts"]
    assert row.split() == [str(files["path"]), "4", "2", "0.333", "1.00", "0..2", "2"]
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
    assert lines[0] == [str(tmp_path / "paths.npz")]
    assert lines[1] == ["0", "P2", "2", "1", "1.00", "1.00", "1..1", "1"]
    assert lines[20][:4] == ["19", "P21", "21", "20"]
    assert lines[21] == ["..."]
    assert lines[22] == ["25", "graphs", "min", "2", "1", "0.0769", "1.00", "1..1", "1"]
    # The mean of the extremes says nothing.
    assert lines[23][:3] == ["mean", "14.00", "13.00"]
    assert lines[23][-1] == "1.00"
    assert len(lines[23]) == 6
    assert lines[24][:3] == ["max", "26", "25"]
    assert len(lines) == 25


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


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.write is not None])
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
    assert out.splitlines()[-1].split() == [f"{tmp_path / 'rb-small-seed0.npz'}:", "none"]
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


def test_good_sets_pass(capsys: Output) -> None:
    assert call("data", "verify", "ba-small", "rb-small-weighted") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[2:]] == [["ba-small", "good"], ["rb-small-weighted", "good"]]


def test_a_flipped_byte_ends_with_status_two_after_all_was_checked(tmp_path: Path, capsys: Output) -> None:
    load_dataset("er-small", count=1)
    (path,) = split_folder(DATASETS["er-small"], "train", 0).iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    assert call("data", "verify", "er-small", "ba-small") == 2
    out, err = capsys.readouterr()
    assert [line.split()[1] for line in out.splitlines()[2:]] == ["wrong", "good"]
    assert err == f"annealco: {path}: it is damaged: its SHA-256 is not that of its name; delete it to make it anew\n"


def test_absent_sets_are_wrong_only_where_they_are_named(tmp_path: Path, capsys: Output) -> None:
    assert call("data", "verify", "imdb", "--data-root", tmp_path) == 2
    assert capsys.readouterr().err == "annealco: imdb is not on the disk\n"


def test_several_errors_are_counted(tmp_path: Path, capsys: Output) -> None:
    for name in ("IMDB-BINARY.npz", "COLLAB.npz"):
        (tmp_path / name).write_bytes(b"other")
    assert call("data", "verify", "imdb", "collab", "--data-root", tmp_path) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"annealco: {tmp_path / 'IMDB-BINARY.npz'}: its SHA-256 is ")
    assert err.endswith(" (and 1 more)\n")


def test_unknown_names_are_refused_first(tmp_path: Path) -> None:
    done = run("data", "verify", "nothing")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("annealco: unknown data set 'nothing'; choose one of ")


def test_the_share_that_is_proven_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(best_value, "Solver", partial(Solver, moves=1000, bound=False))
    arguments = (
        "data",
        "reference",
        "regular-small",
        "mds",
        "--limit",
        2,
        "--time-limit",
        FAR,
        "--exact",
        "none",
        "--out",
        tmp_path,
    )
    assert call(*arguments) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith("regular-small mds: 2 of 500 test graphs, ")
    assert out.endswith(" proven optimal, 2 computed now\n")
    assert call(*arguments) == 0
    assert capsys.readouterr().out.endswith(" 0 computed now\n")
    assert [path.name for path in tmp_path.iterdir()] == ["regular-small-mds.jsonl"]


def test_without_names_what_there_is_is_listed_without_any_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.delenv("ANNEALCO_DATA", raising=False)
    assert call("data", "reference", "--out", tmp_path) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["set", "problem", "known", "of", "proven", "mean", "value", "proven", "by"]
    assert any(row.split()[:4] == ["imdb", "mis", "200", "200"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ba-small", "mis", "--exact-limit", 0), "the time limit must be more than 0"),
        (("ba-small",), "which problem of ba-small?"),
        (("ba-small", "mis", "--exact", "cplex"), "unknown exact solver 'cplex'"),
        (("nothing", "mis"), "unknown data set 'nothing'"),
        (("ba-small", "nothing"), "unknown problem 'nothing'"),
        (("ba-small", "mis", "--time-limit", 0), "the time limit must be more than 0"),
        (("ba-small", "mis", "--limit", -1), "Invalid value for '--limit'"),
    ],
)
def test_bad_arguments_are_one_line(arguments: tuple[str, ...], message: str, capsys: Output) -> None:
    assert call("data", "reference", *arguments) == 2
    err = capsys.readouterr().err
    assert_one_line(err)
    assert message in err


def test_the_commands_are_there() -> None:
    assert [command.name for command in data_app.registered_commands] == ["list", "info", "make", "verify", "reference"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["data"], "Missing command"),
        (["--nonsense"], "No such option: --nonsense"),
        (["data", "info"], "Missing argument 'NAME|FILE...'"),
        (["data", "make", "rb-small", "--count", "many", "--out", "x"], "Invalid value for '--count'"),
        (["data", "make", "rb-small", "--count", "-1", "--out", "x"], "count must be at least 0, not -1"),
        (["data", "make", "rb-small", "--count", "1", "--seed", "-1", "--out", "x"], "seed must be at least 0, not -1"),
        (["data", "make", "rb", "--count", "1", "--out", "x"], f"choose one of {', '.join(DATASETS)}"),
        (
            ["data", "make", "rb-small", "--count", "1", "--out", "x", "--format", "y"],
            ", ".join(name for name, entry in FORMATS.items() if entry.write is not None),
        ),
        (["data", "make", "rb-small", "--count", "1", "--out", "file"], "file: it is not a folder"),
        (["data", "make", "rb-small", "--count", "1", "--out", "file/below"], "file/below: not a directory"),
        (["data", "info", "missing.col"], "missing.col: cannot be read: no such file"),
        (["data", "info", "a\nb.col"], "a\\nb.col: cannot be read"),
        (
            ["data", "info", "file", "--format", "y"],
            ", ".join(FORMATS),
        ),
    ],
)
def test_bad_usage_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert_one_line(err)
    assert message in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
