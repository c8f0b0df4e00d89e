from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annealco.errors import GraphFileError, InputError
from annealco.files import (
    DiskError,
    LineWriter,
    as_folder,
    check_regular,
    file_errors,
    is_there,
    lock_folder,
    make_folder,
    read_lines,
    store,
)
from annealco.graph.formats import FORMATS, read_graph, write_graph
from annealco.graph.graph import Graph

PAIR = Graph.from_edges([[0], [1]])


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.col"
    for content in (b"one", b"two"):
        store(path, content)
        assert path.read_bytes() == content
        assert list(tmp_path.iterdir()) == [path]


def test_files_get_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    store(tmp_path / "stored", b"")
    usual, stored = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "stored"))
    assert usual == stored


@pytest.mark.parametrize("name", [name for name, entry in FORMATS.items() if entry.write is not None])
def test_a_failed_write_leaves_the_old_file_and_no_other(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(GraphFileError, match=rf"^{path}: the format {name} cannot hold node labels"):
        write_graph(Graph.from_edges([[0], [1]], node_labels=[None, 1]), path, format=name)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.edges"
    path.write_text("old")
    large = Graph.from_edges([np.zeros(50_000, np.int64), np.arange(1, 50_001)])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(GraphFileError, match="cannot be written: file too large"):
            write_graph(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_symbolic_links_are_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.col", tmp_path / "link.col"
    link.symlink_to(target)
    write_graph(PAIR, link)
    assert link.is_symlink()
    assert read_graph(target).num_edges == 1


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    one, two = tmp_path / "one.col", tmp_path / "two.col"
    one.symlink_to(two)
    two.symlink_to(one)
    with pytest.raises(GraphFileError, match="cannot be written"):
        write_graph(PAIR, one)
    with pytest.raises(GraphFileError, match="cannot be read: too many levels of symbolic links"):
        read_graph(one)


def test_folders_devices_and_missing_folders_are_not_written(tmp_path: Path) -> None:
    for path, rule in (
        (tmp_path, "it is a folder"),
        (Path(os.devnull), "it is no regular file"),
        (tmp_path / "missing" / "a.col", "no such file or folder"),
        (tmp_path / ("a" * 300 + ".col"), "file name too long"),
    ):
        with pytest.raises(GraphFileError, match=f"cannot be written: {rule}$"):
            write_graph(PAIR, path, format="dimacs")
    assert Path(os.devnull).is_char_device()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", FORMATS)
def test_what_cannot_be_opened_is_an_error_of_the_file(name: str, tmp_path: Path) -> None:
    for path, rule in (
        (tmp_path, "this folder has no graph files"),
        (tmp_path / "missing", "cannot be read: no such file or folder"),
    ):
        with pytest.raises(GraphFileError, match=f"^{path}: {rule}$"):
            read_graph(path, format=name)
    for wrong in ("a\0b", "a\ud800b"):
        with pytest.raises(GraphFileError, match="this is not a possible file name"):
            read_graph(wrong, format=name)
        if FORMATS[name].write is not None:
            with pytest.raises(GraphFileError, match="this is not a possible file name"):
                write_graph(PAIR, wrong, format=name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.col"
    write_graph(PAIR, path)
    path.chmod(0)
    with pytest.raises(GraphFileError, match="cannot be read: permission denied"):
        read_graph(path)


def test_other_errors_of_the_system_are_put_into_words() -> None:
    for error, rule in (
        (MemoryError(), "cannot be read: it does not fit into memory"),
        (PermissionError(13, "Permission denied"), "cannot be read: permission denied"),
        (OSError("odd"), "cannot be read: odd"),
    ):
        with pytest.raises(GraphFileError, match=f"^a: {rule}$"), file_errors(Path("a"), "read"):
            raise error


def test_permissions_of_a_file_stay_when_it_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    store(path, b"one")
    path.chmod(0o600)
    store(path, b"two")
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600


def test_only_regular_files_of_a_sane_size_pass(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    (tmp_path / "zero").symlink_to("/dev/zero")
    check_regular(tmp_path / "link", 3)
    with pytest.raises(GraphFileError, match="file: cannot be read: it has 3 bytes, the most are 2"):
        check_regular(tmp_path / "file", 2)
    for path in (tmp_path, tmp_path / "zero"):
        with pytest.raises(GraphFileError, match="cannot be read: it is no regular file"):
            check_regular(path, 3)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_failures_of_the_disk_are_not_blamed_on_the_input(number: int) -> None:
    with (
        pytest.raises(DiskError, match=r"^a: cannot be written: [a-z /]+$") as caught,
        file_errors(Path("a"), "written"),
    ):
        raise OSError(number, os.strerror(number), "other")
    assert (caught.value.errno, caught.value.filename) == (number, "a")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_by_the_name_that_was_given() -> None:
    with pytest.raises(DiskError, match=r"^a.png: .* no space left on device"), file_errors(Path("a.png"), "written"):
        Path("/dev/full").write_bytes(b"picture")


def test_lines_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "lines"
    assert read_lines(path) == []
    writer = LineWriter(path)
    assert writer.is_new
    writer.write("one")
    writer.write("two")
    assert read_lines(path) == ["one", "two"]
    assert not LineWriter(path).is_new


@pytest.mark.parametrize("torn", [b"tw", b"x", "é".encode()[:-1]])
def test_a_torn_last_line_is_dropped_and_cut_off(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "lines"
    LineWriter(path).write("one")
    with path.open("ab") as file:
        file.write(torn)
    assert read_lines(path) == ["one"]
    LineWriter(path).write("two")
    assert path.read_bytes() == b"one\ntwo\n"


def test_two_writers_do_not_overwrite_each_other(tmp_path: Path) -> None:
    first, second = LineWriter(tmp_path / "lines"), LineWriter(tmp_path / "lines")
    for number in range(3):
        first.write(f"first {number}")
        second.write(f"second {number}")
    assert read_lines(tmp_path / "lines") == [f"{who} {number}" for number in range(3) for who in ("first", "second")]


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match="cannot be written: it is a folder"):
        LineWriter(tmp_path)


HOLDER = """
import sys
from pathlib import Path
from annealco.files import lock_folder

with lock_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_folder_is_held_once_and_then_free_again(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "rows"
    with (
        lock_folder(folder),
        pytest.raises(GraphFileError, match="rows: another run is writing to this folder"),
        lock_folder(folder),
    ):
        pass
    with lock_folder(folder):
        pass


@pytest.mark.processes
def test_a_process_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(GraphFileError, match="another run"), lock_folder(tmp_path):
            pass
        process.kill()
        process.wait()
        with lock_folder(tmp_path):
            pass


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(GraphFileError, match="file: cannot be written"), lock_folder(tmp_path / "file"):
        pass


def test_a_folder_need_not_be_there(tmp_path: Path) -> None:
    assert as_folder(str(tmp_path), "out") == as_folder(tmp_path, "out") == tmp_path
    folder = as_folder(tmp_path / "a" / "b", "out")
    make_folder(folder)
    make_folder(folder)
    assert folder.is_dir()


@pytest.mark.parametrize("path", [None, 5, b"bytes", "", ["a"]])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(InputError, match="out must be the path of a folder, it is"):
        as_folder(path, "out")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", "this is not a possible file name"),
        ("x" * 5000, "cannot be used: file name too long"),
        (__file__, "it is not a folder"),
        (f"{__file__}/sub", "cannot be used: not a directory"),
    ],
)
def test_what_no_folder_can_be_is_refused(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_folder(path, "out")
    with pytest.raises(InputError):
        make_folder(Path(path))


def test_a_link_that_leads_nowhere_is_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert is_there(tmp_path / "link")
    assert not is_there(tmp_path / "nowhere")
