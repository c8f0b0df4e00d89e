"""Keep arrays in a zip archive of ``.npy`` members, which may be damaged or hostile when it is read.

What a member declares is compared with its size before memory is asked for, and nothing is unpickled.
"""

from __future__ import annotations

import io
import lzma
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from annealco.graph.errors import GraphFileError
from annealco.graph.formats.text import MAX_BYTES

_SUFFIX = ".npy"
_PLAIN_KINDS = "biufcSUMm"
_HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}

# Each of these was raised by some damaged archive; RuntimeError stands for a password, NotImplementedError for a
# compression method, SyntaxError and TokenError for a header that is not a Python dictionary.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, KeyError, OSError),
    *(ValueError, TypeError, OverflowError, SyntaxError, tokenize.TokenError, RuntimeError, NotImplementedError),
)


def load_arrays(path: Path, wanted: Callable[[str], bool], *, limit: int = MAX_BYTES) -> dict[str, NDArray[Any]]:
    """Return the arrays whose names are wanted, of at most ``limit`` bytes together.

    Raises:
        GraphFileError: for a file that is not a zip archive, is damaged, too large, or holds objects.
        OSError: where the file cannot be opened.
    """
    with path.open("rb") as raw:
        try:
            archive = zipfile.ZipFile(raw)
        except _DAMAGE as error:
            raise GraphFileError(path, f"not a NumPy archive: {_said(error)}") from None
        with archive:
            members = {info.filename.removesuffix(_SUFFIX): info for info in archive.infolist()}
            members = {name: info for name, info in members.items() if wanted(name)}
            size = sum(info.file_size for info in members.values())
            if size > limit:
                raise GraphFileError(path, f"the arrays are larger than {limit:,} bytes: {size:,}")
            return {name: _load(path, archive, name, info) for name, info in members.items()}


def _load(path: Path, archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo) -> NDArray[Any]:
    try:
        with warnings.catch_warnings():
            # NumPy warns of headers that Python 2 may have written; they are read like any other.
            warnings.simplefilter("ignore", UserWarning)
            with archive.open(info) as member:
                _check_header(member, info.file_size)
            with archive.open(info) as member:
                array: NDArray[Any] = npy.read_array(member, allow_pickle=False)
                # The checksum is compared only when the end is reached.
                member.read()
        check_plain(array)
    except _DAMAGE as error:
        raise GraphFileError(path, f"the array {name!r} is damaged: {_said(error)}") from None
    return array


def _check_header(member: IO[bytes], size: int) -> None:
    """Raise unless the declared type is plain, and the declared shape fills the member exactly."""
    version = npy.read_magic(member)
    if version not in _HEADER_READERS:
        raise ValueError(f"version {version} of the array format is not supported")
    shape, _, dtype = _HEADER_READERS[version](member)
    check_plain(np.empty(0, dtype))
    declared = math.prod(shape) * dtype.itemsize
    if declared != size - member.tell():
        raise ValueError(f"{declared:,} bytes are declared, {size - member.tell():,} are there")


def dump_arrays(arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return arrays as a compressed archive that ``np.load`` reads; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            # A `ZipInfo` made here has a fixed date.
            info = zipfile.ZipInfo(name + _SUFFIX)
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)
    return buffer.getvalue()


def check_plain(array: NDArray[Any]) -> None:
    """Raise ValueError if an array holds objects, or text that is not Unicode and could not be printed."""
    if array.dtype.kind not in _PLAIN_KINDS:
        raise ValueError(f"arrays of {array.dtype} are not supported")
    if array.dtype.kind == "U" and array.size and array.dtype.itemsize:
        order = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        codes = np.frombuffer(array.tobytes(), order)
        if np.any((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))):
            raise ValueError("the text is not Unicode")


def _said(error: BaseException) -> str:
    """Return the first line of an error, or its kind where it says nothing."""
    return str(error).partition("\n")[0][:200] or type(error).__name__
