from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.archive import check_plain, dump_arrays, load_arrays

DTYPES = st.one_of(
    stn.integer_dtypes(), stn.unsigned_integer_dtypes(), stn.floating_dtypes(sizes=(32, 64)), stn.boolean_dtypes()
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.npz"


def load(path: Path, content: bytes | None = None, **options: Any) -> dict[str, np.ndarray]:
    if content is not None:
        path.write_bytes(content)
    return load_arrays(path, lambda name: name != "other", **options)


def member(header: bytes, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """Return an archive with one array of which every byte is chosen."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.npy", b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + data)
    return buffer.getvalue()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(DTYPES.flatmap(lambda dtype: stn.arrays(dtype, stn.array_shapes(min_dims=0, min_side=0))))
def test_arrays_come_back_and_numpy_reads_them(path: Path, array: np.ndarray) -> None:
    content = dump_arrays({"a": array, "é x": array})
    loaded = load(path, content)
    theirs = np.load(io.BytesIO(content))
    for name in ("a", "é x"):
        for found in (loaded[name], theirs[name]):
            assert found.dtype == array.dtype
            np.testing.assert_array_equal(found, array)


def test_what_numpy_saved_is_loaded(path: Path) -> None:
    arrays = {"a": np.arange(5), "b": np.array(["x", "yé"]), "c": np.asfortranarray(np.ones((2, 3)))}
    for save in (np.savez, np.savez_compressed):
        save(path, **arrays, other=np.array([None]))
        loaded = load(path)
        assert loaded.keys() == arrays.keys()
        assert all(np.array_equal(loaded[name], arrays[name]) for name in arrays)


def test_archives_are_compressed() -> None:
    assert len(dump_arrays({"a": np.zeros(100_000)})) < 10_000


def test_sizes_are_added_up_before_anything_is_loaded(path: Path) -> None:
    content = dump_arrays({"a": np.zeros(1000), "b": np.zeros(1000), "other": np.zeros(10**6)})
    assert load(path, content, limit=17_000).keys() == {"a", "b"}
    with pytest.raises(GraphFileError, match="the arrays are larger than 16,000 bytes: 16,"):
        load(path, content, limit=16_000)


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "not a NumPy archive: File is not a zip file"),
        (b"PK\x03\x04 and more", "not a NumPy archive: File is not a zip file"),
        (
            member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", bytes(16)),
            "24 bytes are declared, 16 are",
        ),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", bytes(16)), "8 bytes are declared, 16 are"),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999,)}"), "bytes are declared, 0 are"),
        (member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}"), "-8 bytes are declared, 0 are"),
        (member(b"{'descr': '|O', 'fortran_order': False, 'shape': (0,)}"), "arrays of object are not supported"),
        (member(b"{'descr': [('x', '<i8')], 'fortran_order': False, 'shape': (0,)}"), "are not supported"),
        (
            member(b"{'descr': '<i8', 'fortran_order': False, 'shape': 'x'}"),
            "the array 'a' is damaged: shape is not valid",
        ),
        (member(b"import os"), "the array 'a' is damaged: Cannot parse header"),
        (member(b"{'descr': '<i8'"), "the array 'a' is damaged"),
        (member(b"", version=b"\x03\x00"), r"version \(3, 0\) of the array format is not supported"),
        (member(b"", version=b"\x09\x00"), "the array 'a' is damaged"),
        (
            member(b"{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", b"\xff\xff\xff\x00"),
            "the text is not Unicode",
        ),
        (
            member(b"{'descr': '>U1', 'fortran_order': False, 'shape': (1,)}", b"\x00\x00\xd8\x00"),
            "the text is not Unicode",
        ),
    ],
)
def test_damaged_archives_are_errors(path: Path, content: bytes, rule: str) -> None:
    with pytest.raises(GraphFileError, match=rule):
        load(path, content)


def test_headers_of_python_2_are_read_without_a_warning(path: Path) -> None:
    content = member(b"{'descr': '<i8', 'fortran_order': False, 'shape': (2L,)}", bytes(16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load(path, content)["a"].tolist() == [0, 0]


def test_a_member_that_differs_from_its_checksum_is_an_error(path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, a=np.arange(100))
    content = bytearray(buffer.getvalue())
    content[content.index(bytes(np.arange(50, 51))) + 1] ^= 1
    with pytest.raises(GraphFileError, match="the array 'a' is damaged: Bad CRC-32"):
        load(path, bytes(content))


def test_a_member_that_is_no_array_is_an_error_unless_it_is_not_wanted(path: Path) -> None:
    for name in ("a", "other"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, b"text")
        if name == "other":
            assert load(path) == {}
        else:
            with pytest.raises(GraphFileError, match="the array 'a' is damaged: "):
                load(path)


def test_plain_arrays() -> None:
    for array in (np.arange(2), np.array(["é"]), np.array(["é"], ">U3"), np.zeros(0, "U0"), np.array([True])):
        check_plain(array)
    with pytest.raises(ValueError, match="not supported"):
        check_plain(np.array([None]))
    with pytest.raises(ValueError, match="not Unicode"):
        check_plain(np.array(["\ud800"]))
