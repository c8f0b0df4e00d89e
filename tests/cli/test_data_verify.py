from __future__ import annotations

from pathlib import Path

from annealco.graph.datasets import DATASETS, load_dataset
from annealco.graph.datasets.chunks import split_folder
from tests.cli.program import Output, call, run


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
